//! Retention: what forgetting costs, entry by entry, with whole ranges of bodies, and what it costs to forget events.
//!
//! Figures are per entry, body or event. What PostgreSQL still has to do about deleted rows is measured as a VACUUM.

use crate::commits::{claimed, commit_all};
use crate::cpu::Spent;
use crate::databases::{Database, Kind};
use crate::report::Report;
use crate::world::{self, Found, HOUR};
use model::retention::{Burial, Why};
use model::{EntryId, FeedId, WorkerId};
use store::{Lock, LockAttempt};

/// Unless asked for others.
pub(crate) const ENTRIES: usize = 1_000_000;
const PER_VISIT: u32 = 25;
const STEP: usize = 200;
/// What stays when a range goes.
const KEPT: usize = 10_000;

/// Fills a database with that many entries and forgets them: one half with their bodies, the other without, and then
/// all bodies that are left together.
pub(crate) async fn measure(kind: Kind, entries: usize, report: &mut Report) {
    let database = Database::open(kind).await;
    let feeds = fill(&database, entries).await;
    database.settle().await;
    let worker = WorkerId("bench".into());
    let now = world::start() + HOUR;
    let lock = database.store.take_lock("bench", &worker, now, HOUR).await.expect("a lock").expect("nobody has it");
    let half = EntryId(entries as i64 / 2);

    let (count, spent) = forget(&database, &lock, &feeds, EntryId(0), half, EntryId(0)).await;
    report.add(kind, "forget an entry and its body", count, spent, None);
    if kind == Kind::Postgres {
        report.add(kind, "vacuum a body", count, vacuum(&database).await, None);
        let last = EntryId((entries - KEPT) as i64);
        let (count, spent) = forget(&database, &lock, &feeds, half, last, EntryId(i64::MAX)).await;
        report.add(kind, "forget an entry without its body", count, spent, None);
        let started = database.meter.start();
        for range in database.store.body_ranges().await.expect("ranges can be read") {
            database.store.counted(range).await.expect("a range can be counted");
        }
        report.add(kind, "count a body", entries - count, database.meter.stop(&started), None);
        let started = database.meter.start();
        let (from, to) = (EntryId(0), EntryId(2_000_000));
        let moved = database.store.gather_bodies(&lock, now, from, to, entries as u64).await.expect("ranges can go");
        assert_eq!(moved, LockAttempt::Done(KEPT as u64));
        let spent = database.meter.stop(&started);
        report.add(kind, &format!("drop a body with its range ({KEPT} stay)"), count, spent, None);
    }

    let events = database.store.last_event().await.expect("events can be counted").0 as usize;
    let started = database.meter.start();
    database.store.forget_events(world::start()).await.expect("events can be forgotten");
    report.add(kind, "look for events to forget, per event", events, database.meter.stop(&started), None);
    let started = database.meter.start();
    database.store.forget_events(now + HOUR * 10_000).await.expect("events can be forgotten");
    report.add(kind, "forget an event", events, database.meter.stop(&started), None);
    database.close().await;
}

async fn fill(database: &Database, entries: usize) -> Vec<FeedId> {
    let per_round = entries.min(50_000);
    let feeds = (0..(per_round as u64 / u64::from(PER_VISIT))).map(world::feed).collect();
    let added = database.store.add_feeds(feeds, world::start()).await.expect("feeds can be added");
    let mut now = world::start() + HOUR;
    for _ in 0..entries / per_round {
        commit_all(&database.store, claimed(&database.store, now, Found::New(PER_VISIT)).await, 32).await;
        now += HOUR;
    }
    added.into_iter().map(store::Added::id).collect()
}

/// Forgets the entries up to an id that come after another, feed by feed.
async fn forget(
    database: &Database,
    lock: &Lock,
    feeds: &[FeedId],
    after: EntryId,
    last: EntryId,
    ranged: EntryId,
) -> (usize, Spent) {
    let Database { store, meter, .. } = database;
    let (mut count, mut spent) = (0, Spent::default());
    let now = world::start() + HOUR;
    for feed in feeds {
        let kept = store.unscoped().kept(*feed, after, 50_000).await.expect("entries can be looked at");
        let burial = |id| Burial { id, why: Why::Old, tombstone_until: now + HOUR };
        let burials: Vec<Burial> = kept.iter().filter(|kept| kept.id <= last).map(|kept| burial(kept.id)).collect();
        count += burials.len();
        let started = meter.start();
        for step in burials.chunks(STEP) {
            store.forget_entries(lock, now, *feed, step, ranged).await.expect("entries can be forgotten");
        }
        spent += meter.stop(&started);
    }
    (count, spent)
}

async fn vacuum(database: &Database) -> Spent {
    let started = database.meter.start();
    database.run("VACUUM entry_bodies").await;
    database.meter.stop(&started)
}
