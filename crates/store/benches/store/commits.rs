//! Commits: what a visit costs once it is decided what to write.
//!
//! Plans are made before the clock starts, so that only the store is measured.

use crate::cpu::Spent;
use crate::databases::{Database, Kind};
use crate::report::{Design, Report};
use crate::world::{self, Found, HOUR};
use jiff::Timestamp;
use model::WorkerId;
use model::lease::Lease;
use model::plan::Plan;
use std::sync::{Arc, Mutex};
use store::Store;

const FEEDS: usize = 2_000;
const CALLERS: usize = 32;
/// A visit that brings nothing costs microseconds; only many of them can be measured.
const ROUNDS_WITHOUT_ENTRIES: usize = 20;
const ROUNDS_WITH_FEW: usize = 5;

/// Measures each kind of visit on a database of that kind.
pub(crate) async fn measure(kind: Kind, smaller: usize, report: &mut Report) {
    let feeds = FEEDS / smaller;
    let sqlite = kind == Kind::Sqlite;

    let database = filled(kind, feeds).await;
    let mut run = Run { database: &database, now: world::start() + HOUR };
    let new = run.rounds(Found::New(25), CALLERS, 1).await;
    report.add(
        kind,
        "new: 25 entries",
        feeds,
        new,
        Some(if sqlite { Design::Cpu(487.0) } else { Design::Rate(1040.0) }),
    );
    let changed = run.rounds(Found::New(2), CALLERS, ROUNDS_WITH_FEW).await;
    report.add(kind, "changed: 2 new entries", feeds * ROUNDS_WITH_FEW, changed, None);
    let visits = feeds * ROUNDS_WITHOUT_ENTRIES;
    let same = run.rounds(Found::SameBytes, CALLERS, ROUNDS_WITHOUT_ENTRIES).await;
    report.add(kind, "unchanged: 200, same bytes", visits, same, sqlite.then_some(Design::Cpu(8.0)));
    let not_modified = run.rounds(Found::NotModified, CALLERS, ROUNDS_WITHOUT_ENTRIES).await;
    report.add(kind, "unchanged: 304", visits, not_modified, sqlite.then_some(Design::Cpu(8.0)));
    database.close().await;

    // One caller at a time never meets another in a transaction.
    let database = filled(kind, feeds).await;
    let mut run = Run { database: &database, now: world::start() + HOUR };
    let alone = run.rounds(Found::New(25), 1, 1).await;
    report.add(kind, "new, own transaction each", feeds, alone, sqlite.then_some(Design::Cpu(768.0)));
    database.close().await;
    if !sqlite {
        report.note_group_gain(new, alone);
    }
}

async fn filled(kind: Kind, feeds: usize) -> Database {
    let database = Database::open(kind).await;
    let feeds = (0..feeds as u64).map(world::feed).collect();
    database.store.add_feeds(feeds, world::start()).await.expect("feeds can be added");
    database.settle().await;
    database
}

struct Run<'a> {
    database: &'a Database,
    now: Timestamp,
}

impl Run<'_> {
    /// Visits every feed that often and measures the commits.
    async fn rounds(&mut self, found: Found, callers: usize, rounds: usize) -> Spent {
        let Database { store, meter, .. } = self.database;
        let mut spent = Spent::default();
        for _ in 0..rounds {
            let work = claimed(store, self.now, found).await;
            let started = meter.start();
            commit_all(store, work, callers).await;
            spent += meter.stop(&started);
            self.now += HOUR;
        }
        self.database.settle().await;
        spent
    }
}

/// Claims everything that is due, and plans for it.
pub(crate) async fn claimed(store: &Store, now: Timestamp, found: Found) -> Vec<(Lease, Plan)> {
    let worker = WorkerId("bench".into());
    let mut work = Vec::new();
    loop {
        let leases = store.unscoped().claim_due(&worker, now, now + HOUR / 2, 500).await.expect("feeds can be claimed");
        if leases.is_empty() {
            return work;
        }
        work.extend(leases.into_iter().map(|lease| {
            let plan = world::plan(&lease, now, found);
            (lease, plan)
        }));
    }
}

/// Commits all of it, from that many callers at once.
pub(crate) async fn commit_all(store: &Store, work: Vec<(Lease, Plan)>, callers: usize) {
    let work = Arc::new(Mutex::new(work.into_iter()));
    let caller = || {
        let (store, work) = (store.clone(), Arc::clone(&work));
        let next = move || work.lock().expect("no caller panics").next();
        tokio::spawn(async move {
            while let Some((lease, plan)) = next() {
                store.commit(&lease, plan).await.expect("the lease holds");
            }
        })
    };
    let callers: Vec<_> = (0..callers).map(|_| caller()).collect();
    for caller in callers {
        caller.await.expect("no caller panics");
    }
}
