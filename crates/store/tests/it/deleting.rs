//! Deleted feeds: gone for whoever reads, back if they are added again in time, removed in small steps otherwise.

use crate::search::index;
use crate::support::{Database, HOUR, claim, feed, lock, on_both, plan, start, titles};
use jiff::Timestamp;
use model::blob::{AtRest, Blob, BlobHash, Coding};
use model::event::{EventKind, Subject};
use model::icon::Icon;
use model::lease::Lease;
use model::raw::RawFetch;
use model::{EntryId, EventId, FeedId, FetchId, Viewer};
use store::{Added, EntryFilter, FeedName, NewFeed, PurgeStep, SearchQuery, StoreError};
use uuid::Uuid;

on_both!(
    a_deleted_feed_is_in_no_read,
    a_visit_under_way_when_its_feed_is_deleted_writes_nothing,
    a_deleted_feed_that_is_added_again_has_its_entries,
    a_feed_is_removed_in_steps_and_an_interrupted_removal_goes_on,
    the_id_of_a_removed_feed_is_not_given_out_again,
    a_feed_that_was_brought_back_keeps_its_icon,
);

fn in_thirty_days() -> Timestamp {
    start() + HOUR * 24 * 30
}

/// A visited feed with a raw fetch and these entries.
async fn visited(db: &Database, count: usize) -> (Lease, Vec<EntryId>) {
    let lease = db.leased().await;
    let titles: Vec<String> = (0..count).map(|n| format!("word{n}")).collect();
    let mut brought = plan(&lease, start(), &titles.iter().map(String::as_str).collect::<Vec<_>>());
    let blob = Blob {
        hash: BlobHash([7; 32]),
        coding: Coding::Identity,
        at_rest: AtRest::AsIs,
        wire_bytes: 10,
        stored_bytes: 10,
    };
    brought.raw = Some(RawFetch {
        id: FetchId(Uuid::from_u128(5)),
        feed: lease.feed,
        fetched_at: start(),
        url: "https://one.example/".into(),
        status: 200,
        request_headers: vec![],
        response_headers: vec![],
        blob,
        content_type: None,
        decoded_bytes: 10,
        understood: true,
        truncated: false,
        problems: vec![],
    });
    let new = db.store.commit(&lease, brought).await.unwrap().new;
    (lease, new)
}

/// `entries` and `search` went on listing it, and `feed show` promised a visit.
async fn a_deleted_feed_is_in_no_read(db: Database) {
    let (lease, new) = visited(&db, 2).await;
    let store = &db.store;
    let owner = store.owner().await.unwrap().id;
    let category = store.default_category(owner).await.unwrap();
    store.subscribe(owner, lease.feed, category, None, start()).await.unwrap();
    index(store).await;
    let found = async || {
        let query = SearchQuery { words: "word1".into(), limit: 10, ..SearchQuery::default() };
        let of_feed = EntryFilter { feed: Some(lease.feed), ..EntryFilter::default() };
        [
            store.entries(Viewer::Operator, EntryFilter::default(), None, 10).await.unwrap().entries.len(),
            store.entries(Viewer::Operator, of_feed, None, 10).await.unwrap().entries.len(),
            store.arrived(Viewer::Operator, EntryFilter::default(), EntryId(0), 10).await.unwrap().len(),
            store.arrived(Viewer::Operator, of_feed, EntryId(0), 10).await.unwrap().len(),
            usize::from(store.entry(Viewer::Operator, new[0]).await.is_ok()),
            store.entries_named(Viewer::Operator, "uid:word0").await.unwrap().len(),
            store.entries_whole(Viewer::Operator, &new).await.unwrap().len(),
            usize::from(store.entry_body(Viewer::Operator, new[0]).await.is_ok()),
            store.search(Viewer::Operator, &query).await.unwrap().entries.len(),
            usize::try_from(store.count_entries().await.unwrap()).unwrap(),
            usize::from(store.feed(Viewer::Operator, &FeedName::Id(lease.feed)).await.is_ok()),
            usize::from(store.feed(Viewer::Operator, &FeedName::Url(lease.dossier.url.clone())).await.is_ok()),
            usize::from(store.feed(Viewer::Operator, &FeedName::Uuid(lease.dossier.uuid)).await.is_ok()),
            store.feeds(Viewer::Operator, None, 10).await.unwrap().len(),
            usize::try_from(store.count_feeds().await.unwrap()).unwrap(),
            store.subscriptions(owner).await.unwrap().len(),
            store.unscoped().feeds_with_rules(FeedId(0), 10).await.unwrap().len(),
            usize::from(store.raw_fetch(Viewer::Operator, FetchId(Uuid::from_u128(5))).await.is_ok()),
            usize::try_from(store.behind(start()).await.unwrap().feeds).unwrap(),
        ]
    };
    assert_eq!(found().await, [2, 2, 2, 2, 1, 1, 2, 1, 1, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1]);
    let before = store.last_event().await.unwrap();
    store.delete_feed(lease.feed, in_thirty_days(), start()).await.unwrap();
    assert_eq!(found().await, [0; 19]);
    assert!(claim(store, "w", start() + HOUR * 100, 10).await.is_empty());
    let deleted = store.deleted_feed(Viewer::Operator, &FeedName::Id(lease.feed)).await.unwrap().unwrap();
    assert_eq!((deleted.due_at, deleted.purge_at), (None, Some(in_thirty_days())));
    assert_eq!(store.deleted_feeds(Viewer::Operator, None, 10).await.unwrap(), [deleted]);
    let told: Vec<_> =
        store.events(Viewer::Operator, before, 9).await.unwrap().into_iter().map(|event| event.kind).collect();
    assert_eq!(told, [EventKind::FeedDeleted]);
}

async fn a_visit_under_way_when_its_feed_is_deleted_writes_nothing(db: Database) {
    let lease = db.leased().await;
    db.store.delete_feed(lease.feed, in_thirty_days(), start()).await.unwrap();
    let refused = db.store.commit(&lease, plan(&lease, start(), &["late"])).await.unwrap_err();
    assert!(matches!(refused, StoreError::LeaseLost { .. }), "{refused:?}");
    assert_eq!(db.number("SELECT count(*) FROM entries").await, 0);
}

async fn a_deleted_feed_that_is_added_again_has_its_entries(db: Database) {
    let (lease, _) = visited(&db, 2).await;
    db.store.delete_feed(lease.feed, in_thirty_days(), start()).await.unwrap();
    let before = db.store.last_event().await.unwrap();
    let later = start() + HOUR * 24 * 29;
    assert_eq!(db.store.unscoped().due_purges(FeedId(0), later, 10).await.unwrap(), []);
    let again = NewFeed { uuid: Uuid::from_u128(99), due_at: Some(later), ..feed("one.example", 0) };
    assert_eq!(db.store.add_feed(again, later).await.unwrap(), Added::Revived(lease.feed));
    assert_eq!(titles(&db.store).await, ["word0", "word1"]);
    let status = db.store.feed(Viewer::Operator, &FeedName::Id(lease.feed)).await.unwrap();
    assert_eq!((status.purge_at, status.due_at), (None, Some(later)));
    assert_eq!(db.store.unscoped().due_purges(FeedId(0), later + HOUR * 1000, 10).await.unwrap(), []);
    let told = db.store.events(Viewer::Operator, before, 9).await.unwrap();
    assert_eq!(told.iter().map(|event| &event.kind).collect::<Vec<_>>(), [&EventKind::FeedAdded]);
}

/// Everything that is left of the first feed.
async fn left(db: &Database) -> Vec<i64> {
    let mut counts = Vec::new();
    for table in ["entries", "entry_keys", "raw_fetches", "visits", "subscriptions", "schedule"] {
        counts.push(db.number(&format!("SELECT count(*) FROM {table} WHERE feed_id = 1")).await);
    }
    for table in ["entry_bodies", "icons"] {
        counts.push(db.number(&format!("SELECT count(*) FROM {table}")).await);
    }
    counts.push(db.number("SELECT count(*) FROM feeds WHERE id = 1").await);
    counts
}

async fn a_feed_is_removed_in_steps_and_an_interrupted_removal_goes_on(db: Database) {
    let (lease, _) = visited(&db, 1_200).await;
    let store = &db.store;
    let owner = store.owner().await.unwrap().id;
    let category = store.default_category(owner).await.unwrap();
    store.subscribe(owner, lease.feed, category, None, start()).await.unwrap();
    let icon = Icon { url: "https://one.example/i.png".into(), media_type: "image/png".into(), bytes: vec![1] };
    store.keep_icon(lease.feed, "https://one.example", Some(&icon), start()).await.unwrap();
    index(store).await;
    store.add_feed(feed("two.example", 7), start()).await.unwrap();
    assert_eq!(left(&db).await, [1_200, 2_400, 1, 1, 1, 1, 1_200, 1, 1]);

    store.delete_feed(lease.feed, in_thirty_days(), start()).await.unwrap();
    let now = in_thirty_days();
    let due = store.unscoped().due_purges(FeedId(0), now, 10).await.unwrap();
    assert_eq!(due.iter().map(|due| due.feed).collect::<Vec<_>>(), [lease.feed]);
    let sites = ["https://one.example".to_owned()];
    let first = lock(store, "m", now).await;
    assert!(store.begin_purge(&first, now, &due[0], now, &sites).await.unwrap());
    assert_eq!(store.purge_step(&first, now, lease.feed).await.unwrap(), PurgeStep::More);
    let after_one = left(&db).await;
    assert!(after_one[0] > 0 && after_one[0] < 1_200, "{after_one:?}");

    // The process is killed. Whoever adds the feed meanwhile gets a new one, not half of the old one.
    assert_eq!(
        store.deleted_feeds(Viewer::Operator, None, 10).await.unwrap(),
        [],
        "it cannot be brought back any more"
    );
    let again = NewFeed { uuid: Uuid::from_u128(99), ..feed("one.example", 0) };
    assert_eq!(store.add_feed(again, now).await.unwrap(), Added::New(FeedId(3)));
    let due = store.unscoped().due_purges(FeedId(0), now, 10).await.unwrap();
    assert_eq!(due.iter().map(|due| due.feed).collect::<Vec<_>>(), [lease.feed], "the next maintenance goes on");
    assert!(store.begin_purge(&first, now, &due[0], now, &[]).await.unwrap());
    let mut steps = 0;
    while store.purge_step(&first, now, lease.feed).await.unwrap() == PurgeStep::More {
        steps += 1;
    }
    assert!((5..20).contains(&steps), "{steps} steps");
    assert_eq!(left(&db).await, [0; 9]);
    index(store).await;
    let query = SearchQuery { words: "word7".into(), limit: 10, ..SearchQuery::default() };
    assert_eq!(store.search(Viewer::Operator, &query).await.unwrap().entries, []);
    assert_eq!(store.count_feeds().await.unwrap(), 2);
}

/// Leases and events name feeds by their ids, and SQLite gives out the greatest again once its row is gone.
async fn the_id_of_a_removed_feed_is_not_given_out_again(db: Database) {
    let (lease, _) = visited(&db, 1).await;
    let remove = async || {
        let lock = lock(&db.store, "m", in_thirty_days()).await;
        for due in db.store.unscoped().due_purges(FeedId(0), in_thirty_days(), 10).await.unwrap() {
            assert!(db.store.begin_purge(&lock, start(), &due, in_thirty_days(), &[]).await.unwrap());
            while db.store.purge_step(&lock, start(), due.feed).await.unwrap() == PurgeStep::More {}
        }
    };
    db.store.delete_feed(lease.feed, in_thirty_days(), start()).await.unwrap();
    remove().await;
    assert!(db.store.feed(Viewer::Operator, &FeedName::Url(lease.dossier.url.clone())).await.is_err());
    let again = NewFeed { uuid: Uuid::from_u128(99), ..feed("one.example", 0) };
    assert_eq!(db.store.add_feed(again, start()).await.unwrap(), Added::New(FeedId(2)), "the same address, a new feed");
    assert_eq!(titles(&db.store).await, Vec::<String>::new());
    remove().await;
    assert_eq!(db.number("SELECT count(*) FROM feeds").await, 1, "nothing is left of the first");
    let events = db.store.events(Viewer::Operator, EventId(0), 50).await.unwrap();
    assert!(events.iter().any(|event| event.subject == Subject::Feed(FeedId(1))), "but what happened to it");
}

/// Its removal did not begin, but the icon of its site was deleted all the same.
async fn a_feed_that_was_brought_back_keeps_its_icon(db: Database) {
    let (store, now, site) = (&db.store, in_thirty_days(), "https://one.example");
    let (lease, _) = visited(&db, 1).await;
    let icon = Icon { url: format!("{site}/i.png"), media_type: "image/png".into(), bytes: vec![1] };
    store.keep_icon(lease.feed, site, Some(&icon), start()).await.unwrap();
    store.delete_feed(lease.feed, now, start()).await.unwrap();
    let due = store.unscoped().due_purges(FeedId(0), now, 10).await.unwrap();
    let again = NewFeed { uuid: Uuid::from_u128(99), ..feed("one.example", 0) };
    assert_eq!(store.add_feed(again, now).await.unwrap(), Added::Revived(lease.feed));
    let lock = lock(store, "m", now).await;
    assert!(!store.begin_purge(&lock, now, &due[0], now, &[site.to_owned()]).await.unwrap());
    assert_eq!(store.icon(Viewer::Operator, lease.feed, site).await.unwrap(), Some((start(), Some(icon))));
}
