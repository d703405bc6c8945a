//! Rate groups: never faster than asked, over all workers, and nobody starves.

use crate::support::{Database, MINUTE, SECOND, claim, on_both, plan, start, worker};
use jiff::{SignedDuration, Timestamp};
use model::lease::Lease;
use model::{FeedId, Viewer};
use std::collections::HashSet;
use store::{Appointment, Pace, Store};

on_both!(
    two_thousand_feeds_of_one_host_are_visited_in_time_and_never_faster,
    a_late_worker_does_not_make_visits_bunch,
    a_pause_holds_for_slots_given_out_before,
    no_more_visits_at_once_than_allowed,
    a_feed_that_found_its_group_full_can_be_woken,
    groups_do_not_wait_for_each_other,
    a_lost_lease_gets_no_slot,
    a_hop_whose_lease_is_lost_does_not_wait,
    workers_that_book_at_the_same_time_get_different_slots,
    a_hop_keeps_its_distance_and_is_counted_where_it_is,
    a_request_without_a_lease_keeps_its_distance,
    a_pause_is_committed_with_the_plan_and_only_then,
    what_our_own_network_did_is_forgiven,
);

const PACE: Pace = Pace {
    spacing: SECOND,
    at_once: 2,
    patience: SignedDuration::from_secs(2),
    when_full: SignedDuration::from_secs(1),
};

const TOOK: SignedDuration = SignedDuration::from_millis(333);

/// One worker in simulated time: claims, appoints, visits for a third of a second, commits.
struct Worker {
    name: String,
    store: Store,
    visiting: Vec<(Timestamp, Lease)>,
}

impl Worker {
    async fn step(&mut self, now: Timestamp, began: &mut Vec<(Timestamp, FeedId)>) {
        for (at, lease) in self.visiting.extract_if(.., |(at, _)| *at + TOOK <= now).collect::<Vec<_>>() {
            began.push((at, lease.feed));
            self.store.commit(&lease, plan(&lease, now, &[])).await.unwrap();
        }
        let leases = claim(&self.store, &self.name, now, 16).await;
        let appointments = self.store.appoint(&leases, now, |_| PACE).await.unwrap();
        for (lease, appointment) in leases.into_iter().zip(appointments) {
            match appointment {
                Appointment::At(at) => self.visiting.push((at, lease)),
                Appointment::Later(at) | Appointment::Full(at) => assert!(at > now),
                Appointment::Lost => panic!("nobody else works here"),
            }
        }
    }
}

async fn two_thousand_feeds_of_one_host_are_visited_in_time_and_never_faster(db: Database) {
    let count = 2_000;
    db.feeds(count, "one.example").await;
    let mut workers = Vec::new();
    for i in 0..3 {
        workers.push(Worker { name: format!("w{i}"), store: db.another().await, visiting: Vec::new() });
    }
    let mut began = Vec::new();
    let mut now = start();
    for turn in 0.. {
        workers[turn % 3].step(now, &mut began).await;
        if began.len() == count as usize {
            break;
        }
        // As the engine does: nobody looks before something is due or done; then all look, one after the other.
        if turn % 3 == 2 {
            let due = db.store.next_due().await.unwrap().unwrap();
            let ends = workers.iter().flat_map(|worker| &worker.visiting).map(|(at, _)| *at + TOOK);
            now = ends.chain([due]).min().unwrap_or(due).max(now + SignedDuration::from_millis(100));
        }
        assert!(now < start() + SECOND * 2_020, "only {} visits by {now}", began.len());
    }
    assert_eq!(began.iter().map(|(_, feed)| feed).collect::<HashSet<_>>().len(), count as usize, "each feed once");
    began.sort_unstable();
    for pair in began.windows(2) {
        assert!(pair[1].0.duration_since(pair[0].0) >= SECOND, "too fast: {pair:?}");
    }
}

async fn a_late_worker_does_not_make_visits_bunch(db: Database) {
    db.feeds(10, "one.example").await;
    let leases = claim(&db.store, "w", start(), 10).await;
    db.store.appoint(&leases, start(), |_| PACE).await.unwrap();
    // The worker comes back long after all the slots it was given.
    let late = start() + MINUTE * 5;
    let leases = claim(&db.store, "w", late, 10).await;
    let mut going = Vec::new();
    for appointment in db.store.appoint(&leases, late, |_| Pace { at_once: 100, ..PACE }).await.unwrap() {
        if let Appointment::At(at) = appointment {
            going.push(at);
        }
    }
    going.sort_unstable();
    assert_eq!(going, [late, late + SECOND, late + SECOND * 2]);
}

async fn a_pause_holds_for_slots_given_out_before(db: Database) {
    db.feeds(5, "one.example").await;
    let leases = claim(&db.store, "w", start(), 5).await;
    let appointments =
        db.store.appoint(&leases, start(), |_| Pace { patience: SignedDuration::ZERO, ..PACE }).await.unwrap();
    assert_eq!(appointments.iter().filter(|a| matches!(a, Appointment::Later(_) | Appointment::Full(_))).count(), 4);

    let until = start() + MINUTE * 10;
    db.store.pause_group("one.example", until, start()).await.unwrap();
    db.store.pause_group("one.example", start() + MINUTE, start()).await.unwrap();
    assert_eq!(db.store.paused_until("one.example").await.unwrap(), Some(until), "a pause is never shortened");

    let now = start() + MINUTE;
    let leases = claim(&db.store, "w2", now, 5).await;
    assert_eq!(leases.len(), 4);
    for appointment in db.store.appoint(&leases, now, |_| PACE).await.unwrap() {
        assert!(matches!(appointment, Appointment::Later(at) if at >= until), "{appointment:?}");
    }
}

async fn no_more_visits_at_once_than_allowed(db: Database) {
    db.feeds(6, "one.example").await;
    let now = start();
    let fast = Pace { spacing: SignedDuration::ZERO, ..PACE };
    let first = claim(&db.store, "a", now, 3).await;
    let second = claim(&db.another().await, "b", now, 3).await;
    let going = |appointments: &[Appointment]| appointments.iter().filter(|a| matches!(a, Appointment::At(_))).count();
    let a = db.store.appoint(&first, now, |_| fast).await.unwrap();
    assert_eq!(going(&a), 2, "{a:?}");
    assert!(a.contains(&Appointment::Full(now + PACE.when_full)), "{a:?}");
    let b = db.store.appoint(&second, now, |_| fast).await.unwrap();
    assert_eq!(going(&b), 0, "the limit holds over all workers: {b:?}");

    let visited = first.iter().zip(&a).find(|(_, a)| matches!(a, Appointment::At(_))).unwrap().0;
    db.store.commit(visited, plan(visited, now, &[])).await.unwrap();
    let later = now + PACE.when_full;
    let third = claim(&db.store, "c", later, 6).await;
    assert_eq!(third.len(), 4);
    let c = db.store.appoint(&third, later, |_| fast).await.unwrap();
    assert_eq!(going(&c), 1, "one visit ended, one may begin: {c:?}");
}

/// It waited for its delay to pass, though there was room for it.
async fn a_feed_that_found_its_group_full_can_be_woken(db: Database) {
    db.feeds(4, "one.example").await;
    let now = start();
    let fast = Pace { spacing: SignedDuration::ZERO, ..PACE };
    let leases = claim(&db.store, "a", now, 4).await;
    let appointments = db.store.appoint(&leases, now, |_| fast).await.unwrap();
    let of = |full: bool| {
        let with = leases.iter().zip(&appointments).filter(|(_, a)| matches!(a, Appointment::Full(_)) == full);
        with.map(|(lease, _)| lease.clone()).collect::<Vec<_>>()
    };
    let (going, full) = (of(false), of(true));
    assert_eq!((going.len(), full.len()), (2, 2));
    assert!(claim(&db.store, "a", now, 4).await.is_empty());
    db.store.commit(&going[0], plan(&going[0], now, &[])).await.unwrap();
    let woken = db.store.wake(&[full[0].feed, going[0].feed, going[1].feed], now).await.unwrap();
    assert_eq!(woken, [full[0].feed].into(), "neither who was visited nor who is being visited");
    let again = claim(&db.store, "a", now, 4).await;
    assert_eq!(again.iter().map(|lease| lease.feed).collect::<Vec<_>>(), [full[0].feed]);
    assert_eq!(db.store.appoint(&again, now, |_| fast).await.unwrap(), [Appointment::At(now)]);
}

async fn groups_do_not_wait_for_each_other(db: Database) {
    for group in ["a.example", "bb.example", "ccc.example"] {
        db.feeds(2, group).await;
    }
    let leases = claim(&db.store, "w", start(), 10).await;
    let appointments = db.store.appoint(&leases, start(), |_| PACE).await.unwrap();
    let mut going: Vec<_> = leases
        .iter()
        .zip(appointments)
        .map(|(lease, appointment)| (lease.dossier.rate_group.as_str(), appointment))
        .collect();
    going.sort_by_key(|(group, appointment)| match appointment {
        Appointment::At(at) => (*group, *at),
        other => panic!("{other:?}"),
    });
    let (now, then) = (Appointment::At(start()), Appointment::At(start() + SECOND));
    assert_eq!(
        going,
        [
            ("a.example", now),
            ("a.example", then),
            ("bb.example", now),
            ("bb.example", then),
            ("ccc.example", now),
            ("ccc.example", then)
        ]
    );
}

async fn a_lost_lease_gets_no_slot(db: Database) {
    db.feeds(2, "one.example").await;
    let old = claim(&db.store, "a", start(), 2).await;
    let now = start() + MINUTE * 3;
    let new = claim(&db.store, "b", now, 1).await;
    let appointments = db.store.appoint(&old, now, |_| PACE).await.unwrap();
    let lost = old.iter().position(|lease| lease.feed == new[0].feed).unwrap();
    assert_eq!(appointments[lost], Appointment::Lost);
    assert_eq!(appointments[1 - lost], Appointment::At(now), "and takes none from the others");
    assert_eq!(db.store.renew(&worker("b"), &[(new[0].feed, new[0].token)], now + MINUTE, now).await.unwrap(), []);
}

/// It asked again every second for a minute, and went without an appointment in the end.
async fn a_hop_whose_lease_is_lost_does_not_wait(db: Database) {
    db.feeds(1, "one.example").await;
    let old = claim(&db.store, "a", start(), 1).await.remove(0);
    let now = start() + MINUTE * 3;
    claim(&db.store, "b", now, 1).await;
    assert_eq!(db.store.appoint_hop(&old, "two.example", now, PACE).await.unwrap(), Appointment::Lost);
}

async fn workers_that_book_at_the_same_time_get_different_slots(db: Database) {
    db.feeds(40, "one.example").await;
    let patient = Pace { at_once: 25, patience: MINUTE * 2, ..PACE };
    let mut booking = tokio::task::JoinSet::new();
    for i in 0..4 {
        let store = db.another().await;
        let leases = claim(&store, &format!("w{i}"), start(), 10).await;
        booking.spawn(async move { store.appoint(&leases, start(), |_| patient).await.unwrap() });
    }
    let appointments: Vec<Appointment> = booking.join_all().await.into_iter().flatten().collect();
    let going = |appointment: &Appointment| if let Appointment::At(at) = appointment { Some(*at) } else { None };
    let mut going: Vec<Timestamp> = appointments.iter().filter_map(going).collect();
    going.sort_unstable();
    assert_eq!(going.len(), 25, "so many may be there at once, over all workers: {appointments:?}");
    for pair in going.windows(2) {
        assert!(pair[1].duration_since(pair[0]) >= SECOND, "too close: {pair:?}");
    }
}

async fn a_hop_keeps_its_distance_and_is_counted_where_it_is(db: Database) {
    db.feeds(3, "one.example").await;
    let now = start();
    let pace = Pace { at_once: 8, patience: SECOND * 10, ..PACE };
    let leases = claim(&db.store, "w", now, 3).await;
    db.store.appoint(&leases, now, |_| pace).await.unwrap();

    let hop = async |lease: &Lease, at_once| {
        db.store.appoint_hop(lease, "two.example", now, Pace { at_once, ..pace }).await.unwrap()
    };
    assert_eq!(hop(&leases[0], 2).await, Appointment::At(now));
    assert_eq!(hop(&leases[1], 2).await, Appointment::At(now + SECOND));
    assert_eq!(hop(&leases[2], 2).await, Appointment::Later(now + SECOND * 2), "two are there already");
    db.store.commit(&leases[0], plan(&leases[0], now, &[])).await.unwrap();
    assert_eq!(hop(&leases[2], 2).await, Appointment::At(now + SECOND * 2), "one of them has left");

    // The hop into the feed's own group is a request like any other.
    let last = db.store.appoint_hop(&leases[1], "one.example", now, pace).await.unwrap();
    assert_eq!(last, Appointment::At(now + SECOND * 3), "after the three that began there");

    let until = now + MINUTE * 10;
    db.store.pause_group("two.example", until, start()).await.unwrap();
    assert_eq!(hop(&leases[1], 8).await, Appointment::Later(until), "nobody goes to a paused group");
    let committed = db.store.commit(&leases[1], plan(&leases[1], now, &[])).await;
    assert!(committed.is_ok(), "the lease holds all the same");
}

async fn a_request_without_a_lease_keeps_its_distance(db: Database) {
    let now = start();
    let ask = async |at| db.store.reserve("one.example", at, PACE).await.unwrap();
    assert_eq!(ask(now).await, Appointment::At(now));
    assert_eq!(ask(now).await, Appointment::At(now + SECOND));
    assert_eq!(ask(now).await, Appointment::At(now + SECOND * 2));
    assert_eq!(
        ask(now).await,
        Appointment::Later(now + SECOND * 3),
        "further off than the patience: nothing is booked"
    );
    assert_eq!(ask(now).await, Appointment::Later(now + SECOND * 3));
    assert_eq!(ask(now + MINUTE).await, Appointment::At(now + MINUTE));
}

async fn a_pause_is_committed_with_the_plan_and_only_then(db: Database) {
    db.feeds(1, "one.example").await;
    let now = start();
    let until = now + MINUTE * 30;
    let paused = |lease: &Lease| {
        let pause = model::plan::Pause { group: "one.example".into(), until, why: model::plan::PauseReason::Asked };
        model::plan::Plan { pause: Some(pause), ..plan(lease, now, &[]) }
    };
    let stale = claim(&db.store, "a", now, 1).await.remove(0);
    let lease = claim(&db.store, "b", now + MINUTE * 10, 1).await.remove(0);
    assert!(db.store.commit(&stale, paused(&stale)).await.is_err(), "the lease went to another");
    assert_eq!(db.store.paused_until("one.example").await.unwrap(), None);
    db.store.commit(&lease, paused(&lease)).await.unwrap();
    assert_eq!(db.store.paused_until("one.example").await.unwrap(), Some(until));
}

async fn what_our_own_network_did_is_forgiven(db: Database) {
    db.feeds(3, "one.example").await;
    let now = start();
    let leases = claim(&db.store, "w", now, 3).await;
    for (lease, (at, status)) in leases.iter().zip([(now, None), (now + MINUTE, None), (now + MINUTE, Some(500))]) {
        let mut failed = plan(lease, at, &[]);
        failed.history.failures = 4;
        failed.history.last_status = status;
        failed.history.last_error_at = Some(at);
        failed.history.last_error = Some("no connection".into());
        db.store.commit(lease, failed).await.unwrap();
    }
    let due = now + MINUTE * 2;
    let forgiven = db.store.forgive(now + SECOND, due, "our own network failed").await.unwrap();
    assert_eq!(forgiven, 1, "the one that failed since, without any answer");
    let mut said = Vec::new();
    for lease in &leases {
        let status = db.store.feed(Viewer::Operator, &store::FeedName::Id(lease.feed)).await.unwrap();
        said.push((status.failures, status.last_error.is_some(), status.due_at == Some(due)));
    }
    assert_eq!(said, [(4, true, false), (3, false, true), (4, true, false)]);
}
