//! A clock that was ahead: what it wrote is moved back, as long as it was meant; what a right clock wrote stays.

use crate::support::{Database, HOUR, MINUTE, SECOND, claim, lock, on_both, plan, start, titles, worker};
use jiff::{SignedDuration, Timestamp};
use model::event::EventKind;
use model::plan::{Pause, PauseReason};
use model::schedule::Next;
use model::{EventId, FeedId, Viewer};
use store::{ClockCheck, EntryFilter, FeedName, FeedStatus};

on_both!(
    what_a_clock_wrote_that_was_ahead_is_reckoned_from_now,
    what_a_right_clock_wrote_stays,
    a_clock_that_goes_on_moves_nothing,
);

async fn status(db: &Database, feed: FeedId) -> FeedStatus {
    db.store.feed(Viewer::Operator, &FeedName::Id(feed)).await.unwrap()
}

/// Nothing was visited until the clock had caught up.
async fn what_a_clock_wrote_that_was_ahead_is_reckoned_from_now(db: Database) {
    let store = &db.store;
    let day = HOUR * 24;
    db.feeds(3, "one.example").await;
    let mut now = start();
    for leap in [HOUR * 2, day, day * 3650] {
        assert_eq!(store.check_clock(now, SECOND).await.unwrap(), ClockCheck::Fine);
        let ahead = now + leap;
        assert_eq!(store.check_clock(ahead, SECOND).await.unwrap(), ClockCheck::Fine, "a leap ahead is followed");
        // One is visited, one is asked to wait, one is left behind by a process that is killed.
        let leases = store.unscoped().claim_due(&worker("w"), ahead, ahead + MINUTE * 2, 3).await.unwrap();
        let [visited, busy, killed] = [0, 1, 2].map(|n| &leases[n]);
        store.commit(visited, plan(visited, ahead, &[&format!("in {leap:#}")])).await.unwrap();
        let mut wait = plan(busy, ahead, &[]);
        let until = ahead + HOUR * 3;
        wait.history.freshness.retry_after = Some(until);
        wait.schedule.next = Next::At(until);
        wait.pause = Some(Pause { group: "one.example".into(), until, why: PauseReason::Asked });
        store.commit(busy, wait).await.unwrap();
        db.meddle(&format!("UPDATE rate_groups SET next_free_at = {0}, next_go_at = {0}", ahead.as_microsecond()))
            .await;
        let theirs = lock(store, "killed", ahead).await;

        now += MINUTE * 5;
        let repaired = store.check_clock(now, SECOND).await.unwrap();
        assert_eq!(repaired, ClockCheck::Repaired { latest: ahead, feeds: 3, groups: 1 }, "{leap:#}");
        assert_eq!(store.check_clock(now, SECOND).await.unwrap(), ClockCheck::Fine, "once");
        let [visited, busy, killed] = [visited, busy, killed].map(|lease| lease.feed);
        let (visited, busy, killed) = (status(&db, visited).await, status(&db, busy).await, status(&db, killed).await);
        assert_eq!(visited.due_at, Some(now + HOUR), "{leap:#}: an hour was meant");
        assert!(visited.last_visit_at.is_some_and(|at| at < now) && visited.last_success_at.is_some_and(|at| at < now));
        assert_eq!(
            (busy.due_at, busy.retry_after),
            (Some(now + HOUR * 3), Some(now + HOUR * 3)),
            "three were asked for"
        );
        assert_eq!(killed.due_at, Some(now + MINUTE * 2), "a lease lasts two minutes");
        assert_eq!(store.paused_until("one.example").await.unwrap(), Some(now + HOUR * 3));
        let free = db
            .number(
                "SELECT CAST(max(greatest_free) AS BIGINT) FROM (SELECT next_free_at AS greatest_free FROM rate_groups
                              UNION ALL SELECT next_go_at FROM rate_groups) AS all_of_them",
            )
            .await;
        assert_eq!(free, (now + SECOND).as_microsecond());
        assert_eq!(store.take_lock(&theirs.name, &worker("m"), now, MINUTE).await.unwrap(), None, "a minute is left");
        let later = now + MINUTE * 2;
        assert!(store.take_lock(&theirs.name, &worker("m"), later, MINUTE).await.unwrap().is_some());
        store.release_lock(&theirs.name, &worker("m")).await.unwrap();
        for visit in store.visits(Viewer::Operator, visited.feed.id, 9).await.unwrap() {
            assert!(visit.at < now && visit.next_at.is_some_and(|at| at < now + HOUR * 2), "{visit:?}");
        }
        now += day;
        db.meddle("UPDATE rate_groups SET paused_until = 0").await;
    }
    let entries = store.entries(Viewer::Operator, EntryFilter::default(), None, 9).await.unwrap().entries;
    assert!(entries.iter().all(|entry| entry.first_seen_at < now && entry.sort_at < now), "{entries:?}");
    let events = store.events(Viewer::Operator, EventId(0), 50).await.unwrap();
    assert!(events.iter().all(|event| event.at < now), "{events:?}");
    assert_eq!(events.iter().filter(|event| event.kind == EventKind::EntryNew).count(), 3);
    assert_eq!(titles(store).await.len(), 3);
}

/// A wait that was asked for before the leap is neither longer nor shorter after it.
async fn what_a_right_clock_wrote_stays(db: Database) {
    let store = &db.store;
    let lease = db.leased().await;
    let until = start() + HOUR * 50;
    let mut wait = plan(&lease, start(), &[]);
    wait.history.freshness.retry_after = Some(until);
    wait.schedule.next = Next::At(until);
    wait.pause = Some(Pause { group: "one.example".into(), until, why: PauseReason::Asked });
    store.commit(&lease, wait).await.unwrap();
    let before = status(&db, lease.feed).await;
    store.check_clock(start() + HOUR * 2, SECOND).await.unwrap();
    assert!(claim(store, "w", start() + HOUR * 2, 9).await.is_empty());
    let repaired = store.check_clock(start() + MINUTE, SECOND).await.unwrap();
    assert!(matches!(repaired, ClockCheck::Repaired { feeds: 0, groups: 0, .. }), "{repaired:?}");
    assert_eq!(status(&db, lease.feed).await, before);
    assert_eq!(store.paused_until("one.example").await.unwrap(), Some(until));
}

async fn a_clock_that_goes_on_moves_nothing(db: Database) {
    db.leased().await;
    let minute = |n: i64| -> Timestamp { start() + SignedDuration::from_mins(n) };
    // Machines that share a database differ by some seconds.
    for at in [minute(0), minute(3), minute(3) - SECOND * 30, minute(4), minute(600)] {
        assert_eq!(db.store.check_clock(at, SECOND).await.unwrap(), ClockCheck::Fine, "{at}");
    }
    assert_eq!(db.store.latest_clock().await.unwrap(), Some(minute(600)));
}
