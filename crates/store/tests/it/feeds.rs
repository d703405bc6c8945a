//! Feeds: adding, finding, reviving.

use crate::support::{Database, HOUR, claim, feed, on_both, plan, start};
use model::event::Subject;
use model::feed::FeedState;
use model::reader::Role;
use model::schedule::Because;
use model::{EventId, FeedId, Viewer};
use std::collections::BTreeMap;
use store::{Added, FeedName, NewFeed};
use uuid::Uuid;

on_both!(
    adding_twice_finds_the_first,
    a_deleted_feed_comes_back_with_its_history,
    a_feed_answers_to_three_names,
    a_private_feed_is_not_the_public_one,
    adding_is_announced_once,
    lists_go_through_all_feeds_but_deleted_ones,
    who_takes_a_feed_up_again_forgets_its_last_error,
    all_feeds_are_in_the_pages,
    a_state_changes_only_from_the_one_that_was_seen,
    the_database_holds_a_governed_interval_to_its_range,
);

async fn who_takes_a_feed_up_again_forgets_its_last_error(db: Database) {
    db.feeds(2, "one.example").await;
    let leases = claim(&db.store, "w", start(), 2).await;
    for lease in &leases {
        let mut failed = plan(lease, start(), &[]);
        failed.history.last_error_at = Some(start());
        failed.history.last_error = Some("no connection".into());
        db.store.commit(lease, failed).await.unwrap();
    }
    let [made_due, enabled] = [leases[0].feed, leases[1].feed];
    db.store.make_due(made_due, Some(start()), Because::Manual, "asked for", start()).await.unwrap();
    db.store.enable_feed(enabled, &FeedState::Active, None, start()).await.unwrap();
    for feed in [made_due, enabled] {
        let status = db.store.feed(Viewer::Operator, &FeedName::Id(feed)).await.unwrap();
        assert_eq!((status.last_error, status.last_error_at), (None, None), "feed {feed}");
    }
}

/// What was decided about one state is not written over another.
async fn a_state_changes_only_from_the_one_that_was_seen(db: Database) {
    let feed = db.feeds(1, "one.example").await[0];
    let now = start() + HOUR;
    let rejected = FeedState::Rejected { reason: "spam".into() };
    let state = async || db.store.feed(Viewer::Operator, &FeedName::Id(feed)).await.unwrap().feed.state;
    assert!(db.store.change_feed_state(feed, &FeedState::Active, &rejected, now).await.unwrap());
    assert!(
        !db.store.enable_feed(feed, &FeedState::Paused, Some(now), now).await.unwrap(),
        "seen paused, but rejected"
    );
    assert!(!db.store.change_feed_state(feed, &FeedState::Active, &FeedState::Paused, now).await.unwrap());
    assert_eq!(state().await, rejected);
    let status = db.store.feed(Viewer::Operator, &FeedName::Id(feed)).await.unwrap();
    assert_eq!((status.due_at, status.feed.state_since), (Some(start()), now), "nothing was written");
    assert!(claim(&db.store, "w", now, 9).await.is_empty());
    assert!(db.store.enable_feed(feed, &rejected, None, now).await.unwrap());
    assert_eq!(state().await, FeedState::Active);

    assert!(db.store.delete_feed(feed, now + HOUR, now).await.unwrap());
    assert!(!db.store.delete_feed(feed, now + HOUR * 2, now).await.unwrap(), "deleted before");
    let deleted = db.store.deleted_feed(Viewer::Operator, &FeedName::Id(feed)).await.unwrap().unwrap();
    assert_eq!(deleted.purge_at, Some(now + HOUR), "its removal is not put off");
    assert!(!db.store.enable_feed(feed, &FeedState::Active, Some(now), now).await.unwrap());
}

/// G-09: whoever writes, the program or another hand.
async fn the_database_holds_a_governed_interval_to_its_range(db: Database) {
    let feed = db.store.add_feed(feed("one.example", 1), start()).await.unwrap().id();
    let rules = BTreeMap::new();
    for minutes in [None, Some(15), Some(1440)] {
        db.store.set_feed_rules(feed, &rules, minutes, start()).await.unwrap();
    }
    for minutes in [0, 14, 1441] {
        let refused = db.store.set_feed_rules(feed, &rules, Some(minutes), start()).await.unwrap_err();
        assert!(refused.is_about_the_data(), "{minutes}: {refused:?}");
    }
}

async fn adding_twice_finds_the_first(db: Database) {
    let first = db.store.add_feed(feed("one.example", 1), start()).await.unwrap();
    let again = NewFeed { uuid: Uuid::from_u128(99), ..feed("one.example", 1) };
    let again = db.store.add_feed(again, start() + HOUR).await.unwrap();
    assert!(matches!(first, Added::New(_)));
    assert_eq!(again, Added::Existing(first.id()));
    assert_eq!(db.store.count_feeds().await.unwrap(), 1);
}

async fn a_deleted_feed_comes_back_with_its_history(db: Database) {
    let lease = db.leased().await;
    db.store.commit(&lease, plan(&lease, start(), &["kept"])).await.unwrap();
    db.store.delete_feed(lease.feed, start() + HOUR * 720, start()).await.unwrap();
    let now = start() + HOUR * 5;
    let again = NewFeed { uuid: Uuid::from_u128(99), due_at: Some(now), ..feed("one.example", 0) };
    assert_eq!(db.store.add_feed(again, now).await.unwrap(), Added::Revived(lease.feed));
    let status = db.store.feed(Viewer::Operator, &FeedName::Id(lease.feed)).await.unwrap();
    assert_eq!((status.feed.state, status.visits, status.due_at), (FeedState::Active, 1, Some(now)));
    assert_eq!(claim(&db.store, "w", now, 1).await.len(), 1);
}

async fn a_feed_answers_to_three_names(db: Database) {
    let id = db.store.add_feed(feed("one.example", 5), start()).await.unwrap().id();
    let by_id = db.store.feed(Viewer::Operator, &FeedName::parse(&id.to_string())).await.unwrap();
    let by_uuid = db.store.feed(Viewer::Operator, &FeedName::parse(&by_id.feed.uuid.to_string())).await.unwrap();
    let by_url = db.store.feed(Viewer::Operator, &FeedName::parse("https://one.example/5.xml")).await.unwrap();
    assert_eq!((&by_id, &by_id), (&by_uuid, &by_url));
    let missing = db.store.feed(Viewer::Operator, &FeedName::parse("https://nowhere.example/")).await.unwrap_err();
    assert_eq!(missing.to_string(), "no feed https://nowhere.example/");
}

async fn a_private_feed_is_not_the_public_one(db: Database) {
    let ada = db.store.add_user("ada", Role::User, start()).await.unwrap();
    let public = db.store.add_feed(feed("one.example", 1), start()).await.unwrap();
    let private = NewFeed { uuid: Uuid::from_u128(50), owner: Some(ada), ..feed("one.example", 1) };
    let private = db.store.add_feed(private, start()).await.unwrap();
    assert!(matches!(private, Added::New(id) if id != public.id()), "{private:?}");
    let found = db.store.feed(Viewer::Operator, &FeedName::Url("https://one.example/1.xml".into())).await.unwrap();
    assert_eq!(found.feed.id, public.id(), "a URL names the public one");
    let at = async |url: &str, owner| db.store.feed_at(Viewer::Operator, url, owner).await.unwrap();
    assert_eq!(at("https://one.example/1.xml", None).await, Some(public.id()));
    assert_eq!(at("https://one.example/1.xml", Some(ada)).await, Some(private.id()));
    assert_eq!(at("https://one.example/2.xml", None).await, None);
    db.store.delete_feed(public.id(), start() + HOUR * 720, start()).await.unwrap();
    assert_eq!(at("https://one.example/1.xml", None).await, Some(public.id()), "a deleted one is still there");
}

async fn adding_is_announced_once(db: Database) {
    db.feeds(3, "one.example").await;
    db.store.add_feed(NewFeed { uuid: Uuid::from_u128(99), ..feed("one.example", 1) }, start()).await.unwrap();
    let events = db.store.events(Viewer::Operator, EventId(0), 10).await.unwrap();
    let said: Vec<_> = events
        .iter()
        .map(|event| (event.kind.as_str(), event.subject.clone(), event.payload.text("url").unwrap()))
        .collect();
    let added = |id, url| ("feed.added", Subject::Feed(FeedId(id)), url);
    let urls = ["https://one.example/0.xml", "https://one.example/1.xml", "https://one.example/2.xml"];
    assert_eq!(said, [added(1, urls[0]), added(2, urls[1]), added(3, urls[2])]);
    assert!(db.store.last_event().await.unwrap() >= events[2].id);
}

async fn lists_go_through_all_feeds_but_deleted_ones(db: Database) {
    let feeds = db.feeds(25, "one.example").await;
    db.store.delete_feed(feeds[3], start() + HOUR * 720, start()).await.unwrap();
    let mut seen = Vec::new();
    loop {
        let page = db.store.feeds(Viewer::Operator, seen.last().copied(), 10).await.unwrap();
        if page.is_empty() {
            break;
        }
        seen.extend(page.iter().map(|status| status.feed.id));
    }
    let expected: Vec<_> = feeds.iter().copied().filter(|feed| *feed != feeds[3]).collect();
    assert_eq!(seen, expected);
}

async fn all_feeds_are_in_the_pages(db: Database) {
    let mut pages = db.store.feed_pages(Viewer::Operator);
    assert!(pages.next().await.unwrap().is_none());
    let feeds = db.feeds(1001, "one.example").await;
    let mut found = Vec::new();
    while let Some(page) = pages.next().await.unwrap() {
        assert!(!page.is_empty());
        found.extend(page.iter().map(|status| status.feed.id));
    }
    assert_eq!(found, feeds);
}
