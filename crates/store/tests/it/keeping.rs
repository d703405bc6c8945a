//! What is kept beside entries: visits, raw fetches, events, settings, locks.

use crate::support::{Database, HOUR, MINUTE, SECOND, claim, lock, on_both, plan, start, worker};
use model::blob::{AtRest, Blob, BlobHash, BlobKey, Coding};
use model::raw::RawFetch;
use model::schedule::Because;
use model::{EventId, FetchId, Viewer};
use store::Lock;
use uuid::Uuid;

on_both!(
    the_last_fifty_visits_are_remembered,
    a_raw_fetch_reads_back_as_it_was,
    raw_fetches_can_be_paged,
    blobs_live_while_a_fetch_refers_to_them,
    old_events_are_forgotten,
    settings_are_remembered,
    a_lock_has_one_holder_until_it_expires,
);

async fn the_last_fifty_visits_are_remembered(db: Database) {
    db.feeds(1, "one.example").await;
    for hour in 0..53 {
        let now = start() + HOUR * hour;
        let lease = claim(&db.store, "w", now, 1).await.pop().unwrap();
        let mut plan = plan(&lease, now, &[]);
        plan.visit.reason = format!("visit {hour}");
        db.store.commit(&lease, plan).await.unwrap();
    }
    let feed = model::FeedId(1);
    let visits = db.store.visits(Viewer::Operator, feed, 100).await.unwrap();
    assert_eq!(visits.len(), 50);
    assert_eq!((visits[0].reason.as_str(), visits[49].reason.as_str()), ("visit 52", "visit 3"));
    assert_eq!(visits[0].next_at, Some(start() + HOUR * 53));
    assert_eq!(db.store.visits(Viewer::Operator, feed, 2).await.unwrap().len(), 2);
}

fn raw(id: u128, feed: model::FeedId, hash: u8) -> RawFetch {
    RawFetch {
        id: FetchId(Uuid::from_u128(id)),
        feed,
        fetched_at: start() + SECOND * id as i32,
        url: "https://one.example/final.xml".into(),
        status: 200,
        request_headers: vec![("user-agent".into(), "Courant".into())],
        response_headers: vec![
            ("etag".into(), "\"x\"".into()),
            ("set-cookie".into(), "a".into()),
            ("set-cookie".into(), "b".into()),
        ],
        blob: Blob {
            hash: BlobHash([hash; 32]),
            coding: Coding::Brotli,
            at_rest: AtRest::AsIs,
            wire_bytes: 10,
            stored_bytes: 9,
        },
        content_type: Some("application/rss+xml".into()),
        decoded_bytes: 4096,
        understood: false,
        truncated: true,
        problems: vec!["line 3: an unclosed tag".into()],
    }
}

async fn a_raw_fetch_reads_back_as_it_was(db: Database) {
    let lease = db.leased().await;
    let expected = raw(1, lease.feed, 7);
    let mut plan = plan(&lease, start(), &[]);
    plan.raw = Some(expected.clone());
    db.store.commit(&lease, plan).await.unwrap();
    assert_eq!(db.store.raw_fetch(Viewer::Operator, expected.id).await.unwrap(), expected);
    assert_eq!(db.store.raw_fetches(Viewer::Operator, lease.feed, 10).await.unwrap(), [expected]);
    let missing = db.store.raw_fetch(Viewer::Operator, FetchId(Uuid::nil())).await.unwrap_err();
    assert_eq!(missing.to_string(), "no raw fetch 00000000-0000-0000-0000-000000000000");
}

async fn raw_fetches_can_be_paged(db: Database) {
    db.feeds(2, "one.example").await;
    let mut expected = Vec::new();
    // Two at each moment, and some of another feed in between.
    for n in 0..12_u128 {
        let now = start() + HOUR * n as i32;
        for lease in claim(&db.store, "w", now, 2).await {
            let mut plan = plan(&lease, now, &[]);
            let raw = RawFetch {
                fetched_at: start() + SECOND * (n / 2) as i32,
                ..raw(n * 2 + lease.feed.0 as u128, lease.feed, 1)
            };
            if lease.feed.0 == 1 {
                expected.insert(0, raw.id);
            }
            plan.raw = Some(raw);
            db.store.commit(&lease, plan).await.unwrap();
        }
    }
    let mut paged = Vec::new();
    let mut before = None;
    loop {
        let page = db.store.raw_fetches_before(Viewer::Operator, model::FeedId(1), before, 5).await.unwrap();
        let Some(last) = page.last() else { break };
        before = Some((last.fetched_at, last.id));
        paged.extend(page.iter().map(|raw| raw.id));
    }
    assert_eq!((paged.len(), &paged), (12, &expected));
    let first: Vec<_> =
        db.store.raw_fetches(Viewer::Operator, model::FeedId(1), 3).await.unwrap().iter().map(|raw| raw.id).collect();
    assert_eq!(first, expected[..3]);
}

async fn blobs_live_while_a_fetch_refers_to_them(db: Database) {
    db.feeds(1, "one.example").await;
    for (hour, (id, hash)) in [(1, 7), (2, 8), (3, 8)].into_iter().enumerate() {
        let now = start() + HOUR * hour as i32;
        let lease = claim(&db.store, "w", now, 1).await.pop().unwrap();
        let mut plan = plan(&lease, now, &[]);
        plan.raw = Some(raw(id, lease.feed, hash));
        db.store.commit(&lease, plan).await.unwrap();
    }
    let all = [7, 8, 9].map(|hash| raw(0, model::FeedId(1), hash).blob.key());
    let other_coding = BlobKey { coding: Coding::Gzip, ..all[0] };
    let live = db.store.unscoped().live_blobs([&all[..], &[other_coding]].concat()).await.unwrap();
    assert_eq!(live, [all[0], all[1]].into());
    let gone = [FetchId(Uuid::from_u128(1)), FetchId(Uuid::from_u128(2))];
    db.store.forget_raw_fetches(&lock(&db.store, "w", start()).await, start(), &gone).await.unwrap();
    assert_eq!(db.store.unscoped().live_blobs(all.to_vec()).await.unwrap(), [all[1]].into(), "still referred to once");
}

async fn old_events_are_forgotten(db: Database) {
    let lease = db.leased().await;
    db.store.commit(&lease, plan(&lease, start() + HOUR, &["one"])).await.unwrap();
    assert_eq!(db.store.events(Viewer::Operator, EventId(0), 10).await.unwrap().len(), 2);
    db.store.forget_events(start() + MINUTE).await.unwrap();
    let left = db.store.events(Viewer::Operator, EventId(0), 10).await.unwrap();
    assert_eq!((left.len(), left[0].id), (1, EventId(2)), "ids go on");

    // As many as one finds who was away for long, then some of a process whose clock was ahead, then new ones.
    let (old, ahead, new) = (start() + HOUR * 2, start() + HOUR * 10_000, start() + HOUR * 1_000);
    for (at, count) in [(old, 1_050), (ahead, 40), (new, 10)] {
        let titles: Vec<String> = (0..count).map(|n| format!("{n} at {at}")).collect();
        let titles: Vec<&str> = titles.iter().map(String::as_str).collect();
        db.store.make_due(lease.feed, Some(start()), Because::Manual, "", start()).await.unwrap();
        let lease = claim(&db.store, "w", start(), 1).await.pop().unwrap();
        db.store.commit(&lease, plan(&lease, at, &titles)).await.unwrap();
    }
    db.store.forget_events(new).await.unwrap();
    let left: Vec<EventId> =
        db.store.events(Viewer::Operator, EventId(0), 5_000).await.unwrap().iter().map(|event| event.id).collect();
    let last = db.store.last_event().await.unwrap().0;
    assert_eq!(left, (last - 49..=last).map(EventId).collect::<Vec<_>>());
}

async fn settings_are_remembered(db: Database) {
    assert_eq!(db.store.setting("x").await.unwrap(), None);
    db.store.set_setting("x", "1", start()).await.unwrap();
    db.store.set_setting("x", "2", start()).await.unwrap();
    let other = db.another().await;
    assert_eq!(other.setting("x").await.unwrap().as_deref(), Some("2"));
    assert!(other.settings().await.unwrap().contains(&("x".into(), "2".into())));
    other.delete_setting("x").await.unwrap();
    assert_eq!(db.store.setting("x").await.unwrap(), None);
}

async fn a_lock_has_one_holder_until_it_expires(db: Database) {
    let take = async |who: &str, now| db.store.take_lock("maintenance", &worker(who), now, MINUTE).await.unwrap();
    let lock = |who: &str, token, until| Some(Lock { name: "maintenance".into(), holder: worker(who), token, until });
    assert_eq!(take("a", start()).await, lock("a", 1, start() + MINUTE));
    assert_eq!(take("b", start() + SECOND * 59).await, None);
    assert_eq!(take("a", start() + SECOND * 59).await, lock("a", 1, start() + SECOND * 119), "the holder renews");
    assert_eq!(take("b", start() + SECOND * 119).await, lock("b", 2, start() + SECOND * 179), "then it goes on");
    db.store.release_lock("maintenance", &worker("a")).await.unwrap();
    assert_eq!(db.store.lock_holder("maintenance").await.unwrap(), Some(worker("b")), "an old holder releases nothing");
    db.store.release_lock("maintenance", &worker("b")).await.unwrap();
    assert_eq!(db.store.lock_holder("maintenance").await.unwrap(), None);
    assert!(take("a", start() + SECOND * 120).await.is_some());
}
