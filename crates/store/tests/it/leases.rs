//! Leases: who may refresh which feed, and until when.

use crate::support::{Database, HOUR, MINUTE, SECOND, claim, on_both, plan, start, titles, worker};
use jiff::SignedDuration;
use model::feed::FeedState;
use model::lease::{Dossier, Quota};
use model::plan::FeedFacts;
use model::schedule::Because;
use model::{FeedId, Viewer};
use std::collections::HashSet;
use store::{Behind, FeedName, StoreError};

on_both!(
    two_workers_never_hold_one_lease,
    an_expired_lease_goes_to_the_next_worker,
    a_renewed_lease_stays,
    a_lease_handed_back_is_due_at_once,
    a_visit_that_is_not_begun_keeps_its_slot,
    what_the_dead_held_is_taken_back_at_once,
    only_runnable_feeds_are_claimed,
    the_longest_due_come_first,
    how_far_the_workers_are_behind,
    which_feeds_wait_for_their_visit,
    making_a_feed_due_ends_its_lease,
    a_claim_brings_what_a_visit_needs,
);

async fn two_workers_never_hold_one_lease(db: Database) {
    let feeds = db.feeds(300, "one.example").await;
    let stores = [db.another().await, db.another().await, db.another().await];
    let mut claims = Vec::new();
    for (i, store) in stores.iter().cloned().enumerate() {
        claims.push(tokio::spawn(async move {
            let mut mine = Vec::new();
            loop {
                let leases = claim(&store, &format!("w{i}"), start(), 7).await;
                if leases.is_empty() {
                    return mine;
                }
                mine.extend(leases.into_iter().map(|lease| lease.feed));
            }
        }));
    }
    let mut held: Vec<FeedId> = Vec::new();
    for claim in claims {
        held.extend(claim.await.unwrap());
    }
    assert_eq!(held.len(), feeds.len(), "every feed is held");
    assert_eq!(held.into_iter().collect::<HashSet<_>>(), feeds.into_iter().collect(), "and by one worker only");
}

async fn an_expired_lease_goes_to_the_next_worker(db: Database) {
    let first = db.leased().await;
    assert!(claim(&db.store, "b", start() + MINUTE, 1).await.is_empty(), "the lease holds for two minutes");
    let second = claim(&db.store, "b", start() + MINUTE * 2, 1).await.pop().expect("then it is over");
    assert!(second.token > first.token);

    let late = db.store.commit(&first, plan(&first, start() + HOUR, &["late"])).await;
    assert!(matches!(late, Err(StoreError::LeaseLost { feed }) if feed == first.feed), "{late:?}");
    assert_eq!(titles(&db.store).await, [""; 0], "nothing of it was written");
    db.store.commit(&second, plan(&second, start() + HOUR, &["in time"])).await.unwrap();
    assert_eq!(titles(&db.store).await, ["in time"]);
}

async fn a_renewed_lease_stays(db: Database) {
    let lease = db.leased().await;
    let mine = [(lease.feed, lease.token)];
    let lost = db.store.renew(&worker("w"), &mine, start() + MINUTE * 4, start()).await.unwrap();
    assert_eq!(lost, []);
    assert!(claim(&db.store, "b", start() + MINUTE * 3, 1).await.is_empty());
    let next = claim(&db.store, "b", start() + MINUTE * 4, 1).await.pop().expect("expired at last");
    let lost = db.store.renew(&worker("w"), &mine, start() + HOUR, start()).await.unwrap();
    assert_eq!(lost, [lease.feed], "what another worker has cannot be renewed");
    assert_eq!(next.until, start() + MINUTE * 6, "and is left alone");
}

async fn a_lease_handed_back_is_due_at_once(db: Database) {
    let lease = db.leased().await;
    db.store.hand_back(&[(lease.feed, lease.token)], start()).await.unwrap();
    let again = claim(&db.store, "b", start(), 1).await;
    assert_eq!(again.len(), 1);
    db.store.hand_back(&[(lease.feed, lease.token)], start()).await.unwrap();
    assert!(claim(&db.store, "c", start(), 1).await.is_empty(), "an old lease cannot hand back a new one");
}

/// Who found no place for its visit reserved another slot each time, and its host had none for others.
async fn a_visit_that_is_not_begun_keeps_its_slot(db: Database) {
    let mut lease = db.leased().await;
    lease.slot = Some(start() + MINUTE);
    db.store.put_back(&[lease], start()).await.unwrap();
    let again = claim(&db.store, "b", start(), 1).await;
    assert_eq!(again[0].slot, Some(start() + MINUTE));
    db.store.hand_back(&[(again[0].feed, again[0].token)], start()).await.unwrap();
    assert_eq!(claim(&db.store, "c", start(), 1).await[0].slot, None, "one that may have begun has had its slot");
}

async fn what_the_dead_held_is_taken_back_at_once(db: Database) {
    let feeds = db.feeds(3, "one.example").await;
    let dead = claim(&db.store, "dead", start(), 2).await;
    db.store.make_due(feeds[2], Some(start() + HOUR), Because::Manual, "later", start()).await.unwrap();
    assert_eq!(db.store.reclaim(start()).await.unwrap(), 2);
    let late = db.store.commit(&dead[0], plan(&dead[0], start(), &["late"])).await;
    assert!(matches!(late, Err(StoreError::LeaseLost { .. })), "not dead after all, but it has no lease: {late:?}");
    let again: Vec<_> = claim(&db.store, "w", start(), 9).await.iter().map(|lease| lease.feed).collect();
    assert_eq!(again, [feeds[0], feeds[1]], "what nobody held keeps its hour");
    assert_eq!(db.store.feed(Viewer::Operator, &FeedName::Id(feeds[2])).await.unwrap().due_at, Some(start() + HOUR));
}

async fn only_runnable_feeds_are_claimed(db: Database) {
    let feeds = db.feeds(7, "one.example").await;
    let states = [
        FeedState::Paused,
        FeedState::AwaitingModeration,
        FeedState::Rejected { reason: "spam".into() },
        FeedState::Gone,
        FeedState::Deleted,
        // Due only where its rules ask whether it is back.
        FeedState::Disabled { reason: "ten failures".into() },
    ];
    for (feed, state) in feeds.iter().zip(&states) {
        db.store.change_feed_state(*feed, &FeedState::Active, state, start()).await.unwrap();
    }
    let leases = claim(&db.store, "w", start() + HOUR, 10).await;
    let claimed: HashSet<_> = leases.iter().map(|lease| lease.feed).collect();
    assert_eq!(claimed, [feeds[5], feeds[6]].into());

    db.store.change_feed_state(feeds[0], &FeedState::Paused, &FeedState::Active, start()).await.unwrap();
    let leases = claim(&db.store, "w", start() + HOUR, 10).await;
    assert_eq!(leases.len(), 1, "its schedule was kept, inert");
}

async fn how_far_the_workers_are_behind(db: Database) {
    let behind = async |now| {
        let Behind { feeds, due, late } = db.store.behind(now).await.unwrap();
        (feeds, due, late)
    };
    assert_eq!(behind(start()).await, (0, 0, SignedDuration::ZERO));
    let feeds = db.feeds(5, "one.example").await;
    for (i, feed) in feeds.iter().enumerate() {
        let at = start() + MINUTE * i as i32;
        db.store.make_due(*feed, Some(at), Because::Manual, "now", start()).await.unwrap();
    }
    db.store.change_feed_state(feeds[4], &FeedState::Active, &FeedState::Paused, start()).await.unwrap();
    assert_eq!(behind(start() - MINUTE).await, (4, 0, SignedDuration::ZERO), "nothing is due yet");
    assert_eq!(behind(start() + MINUTE * 2).await, (4, 3, MINUTE * 2));
    // Who is visited just now is not waiting.
    assert_eq!(claim(&db.store, "w", start() + MINUTE * 2, 1).await.len(), 1);
    assert_eq!(behind(start() + MINUTE * 2).await, (4, 2, MINUTE));
}

async fn which_feeds_wait_for_their_visit(db: Database) {
    let feeds = db.feeds(5, "one.example").await;
    let put = async |feed, at| db.store.make_due(feed, Some(at), Because::Manual, "then", start()).await.unwrap();
    put(feeds[3], start() + SECOND).await;
    db.store.change_feed_state(feeds[4], &FeedState::Active, &FeedState::Paused, start()).await.unwrap();
    let mut due = db.store.unscoped().due_feeds(start()).await.unwrap();
    due.sort();
    assert_eq!(due, feeds[..3]);

    let waiting = async || {
        let mut waiting = db.store.unscoped().waiting(due.iter().copied(), start(), start() + HOUR).await.unwrap();
        waiting.sort();
        waiting
    };
    // One was visited, one is put off for a while, one for long.
    let leases = claim(&db.store, "w", start(), 9).await;
    let visited = leases.iter().find(|lease| lease.feed == feeds[0]).unwrap();
    db.store.commit(visited, plan(visited, start() + SECOND, &[])).await.unwrap();
    assert_eq!(waiting().await, feeds[1..3], "who is under way waits");
    let rest: Vec<_> = leases.iter().filter(|lease| lease.feed != feeds[0]).cloned().collect();
    db.store.put_back(&rest, start() + MINUTE).await.unwrap();
    assert_eq!(waiting().await, feeds[1..3]);
    put(feeds[2], start() + HOUR * 2).await;
    assert_eq!(waiting().await, feeds[1..2]);
}

async fn the_longest_due_come_first(db: Database) {
    let feeds = db.feeds(5, "one.example").await;
    for (i, feed) in feeds.iter().enumerate() {
        let at = start() + MINUTE * (5 - i as i32);
        db.store.make_due(*feed, Some(at), Because::Manual, "now", start()).await.unwrap();
    }
    assert_eq!(db.store.next_due().await.unwrap(), Some(start() + MINUTE));
    let mut order = Vec::new();
    for _ in 0..2 {
        order.extend(claim(&db.store, "w", start() + HOUR, 1).await.iter().map(|lease| lease.feed));
    }
    assert_eq!(order, [feeds[4], feeds[3]]);
    assert!(claim(&db.store, "w", start() + SECOND, 10).await.is_empty(), "nothing else is due yet");
}

async fn making_a_feed_due_ends_its_lease(db: Database) {
    let lease = db.leased().await;
    db.store.make_due(lease.feed, Some(start()), Because::Manual, "asked for", start()).await.unwrap();
    let refused = db.store.commit(&lease, plan(&lease, start(), &[])).await;
    assert!(matches!(refused, Err(StoreError::LeaseLost { .. })), "{refused:?}");
    assert_eq!(claim(&db.store, "b", start(), 1).await.len(), 1);
    let missing = db.store.make_due(FeedId(99), None, Because::Manual, "", start()).await;
    assert_eq!(missing.unwrap_err().to_string(), "no feed 99");
}

async fn a_claim_brings_what_a_visit_needs(db: Database) {
    let lease = db.leased().await;
    let mut first = plan(&lease, start(), &["one"]);
    first.history.validators.etag = Some("W/\"a\"".into());
    first.history.validators.last_modified = Some("Thu, 01 Jan 2026 00:00:00 GMT".into());
    first.history.freshness.cache_control = Some("max-age=600".into());
    first.history.freshness.expires_at = Some(start() + MINUTE);
    first.history.ewma = Some(HOUR * 3);
    first.history.body_hash = Some([7; 16]);
    first.history.failures = 2;
    first.history.last_error = Some("timed out".into());
    first.history.last_arrival_at = Some(start() - HOUR);
    first.history.quota = Quota { day: 20_000, used: 5, edits: 7 };
    first.feed =
        Some(FeedFacts { description: Some("about one".into()), language: Some("en".into()), ..FeedFacts::default() });
    let expected = first.history.clone();
    db.store.commit(&lease, first).await.unwrap();

    let again = claim(&db.store, "w", start() + HOUR, 1).await.pop().unwrap();
    assert_eq!(again.dossier.history, expected);
    assert_eq!(again.dossier.url, "https://one.example/0.xml");
    assert_eq!(again.dossier.rate_group, "one.example");
    assert_eq!(again.dossier.root_domain.as_deref(), Some("one.example"));
    assert!(again.dossier.polling);
    let Dossier { description, language, .. } = again.dossier;
    assert_eq!((description.as_deref(), language.as_deref()), (Some("about one"), Some("en")));
}
