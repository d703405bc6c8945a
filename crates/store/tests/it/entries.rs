//! Entries: recognising them, paging through them, forgetting them.

use crate::support::{Database, HOUR, MINUTE, burial, claim, key, lock, on_both, plan, start, titles};
use jiff::SignedDuration;
use model::entry::{Attachment, Author, EntryBody, KeyKind, KnownKey, Lineage, RawRef};
use model::plan::LineageChange;
use model::{EntryId, FetchId, Viewer};
use std::collections::HashSet;
use store::EntryFilter;
use uuid::Uuid;

on_both!(
    pages_neither_skip_nor_repeat_under_concurrent_inserts,
    what_is_known_is_answered_in_one_go,
    a_purged_entry_leaves_tombstones,
    however_many_tombstones_expire_all_of_them_go,
    a_body_reads_back_as_it_was,
    one_name_may_stand_for_entries_of_several_feeds,
    filters_of_a_list_combine,
);

async fn pages_neither_skip_nor_repeat_under_concurrent_inserts(db: Database) {
    db.feeds(1, "one.example").await;
    let bring = async |hour: i32, prefix: &str| {
        let now = start() + HOUR * hour;
        let lease = claim(&db.store, "w", now, 1).await.pop().unwrap();
        let titles: Vec<String> = (0..20).map(|i| format!("{prefix}{i}")).collect();
        let mut plan = plan(&lease, now, &titles.iter().map(String::as_str).collect::<Vec<_>>());
        for (i, entry) in plan.new.iter_mut().enumerate() {
            // Dates in no order, many of them equal, and those that arrive later spread among the others.
            entry.sort_at = start() + MINUTE * ((i as i32 * 7) % 11);
        }
        db.store.commit(&lease, plan).await.unwrap();
    };
    bring(0, "old").await;
    for filter in [EntryFilter::default(), EntryFilter { feed: Some(model::FeedId(1)), ..EntryFilter::default() }] {
        let before: HashSet<EntryId> = db
            .store
            .entries(Viewer::Operator, filter, None, 1000)
            .await
            .unwrap()
            .entries
            .iter()
            .map(|entry| entry.id)
            .collect();
        let mut seen = Vec::new();
        let mut after = None;
        let mut hour = if filter.feed.is_some() { 100 } else { 1 };
        loop {
            let page = db.store.entries(Viewer::Operator, filter, after, 7).await.unwrap();
            seen.extend(page.entries.iter().map(|entry| (entry.sort_at, entry.id)));
            let Some(next) = page.next else { break };
            after = Some(next);
            if hour % 100 < 6 {
                bring(hour, &format!("new{hour}-")).await;
                hour += 1;
            }
        }
        assert!(seen.windows(2).all(|pair| pair[0] > pair[1]), "strictly newest first: so nothing repeats");
        let ids: HashSet<EntryId> = seen.iter().map(|(_, id)| *id).collect();
        assert!(before.is_subset(&ids), "everything that was there at the start was shown");
    }
}

async fn what_is_known_is_answered_in_one_go(db: Database) {
    let lease = db.leased().await;
    let new = db.store.commit(&lease, plan(&lease, start(), &["one", "two"])).await.unwrap().new;
    let ask = [
        key(KeyKind::Guid, "one"),
        key(KeyKind::Url, "two"),
        key(KeyKind::Content, "one"),
        key(KeyKind::Guid, "three"),
    ];
    let mut known = db.store.unscoped().known(lease.feed, |_| ask.to_vec()).await.unwrap();
    known.keys.sort_by_key(|(key, _)| *key);
    assert_eq!(known.keys, [(ask[0], KnownKey::Entry(new[0])), (ask[1], KnownKey::Entry(new[1]))]);
    assert_eq!(known.entries.iter().map(|entry| entry.id).collect::<HashSet<_>>(), new.iter().copied().collect());
    let other = db.store.unscoped().known(model::FeedId(99), |_| ask.to_vec()).await.unwrap();
    assert_eq!((other.keys.len(), other.entries.len()), (0, 0), "keys are a feed's own");
}

async fn a_purged_entry_leaves_tombstones(db: Database) {
    let lease = db.leased().await;
    let new = db.store.commit(&lease, plan(&lease, start(), &["one", "two"])).await.unwrap().new;
    let until = start() + HOUR * 24 * 180;
    let lock = lock(&db.store, "w", start()).await;
    db.store.forget_entries(&lock, start(), lease.feed, &[burial(new[0], until)], EntryId(0)).await.unwrap();
    assert_eq!(titles(&db.store).await, ["two"]);
    assert!(db.store.entry_body(Viewer::Operator, new[0]).await.is_err());
    let guid = key(KeyKind::Guid, "one");
    let known = db.store.unscoped().known(lease.feed, |_| vec![guid]).await.unwrap();
    assert_eq!(known.keys, [(guid, KnownKey::Tombstone)]);
    db.store.forget_tombstones(until - HOUR).await.unwrap();
    assert_eq!(db.store.unscoped().known(lease.feed, |_| vec![guid]).await.unwrap().keys.len(), 1);
    db.store.forget_tombstones(until).await.unwrap();
    assert_eq!(db.store.unscoped().known(lease.feed, |_| vec![guid]).await.unwrap().keys, []);
}

async fn however_many_tombstones_expire_all_of_them_go(db: Database) {
    let lease = db.leased().await;
    let titles: Vec<String> = (0..1_001).map(|n| format!("entry {n}")).collect();
    let titles: Vec<&str> = titles.iter().map(String::as_str).collect();
    let new = db.store.commit(&lease, plan(&lease, start(), &titles)).await.unwrap().new;
    let lock = lock(&db.store, "w", start()).await;
    let burials: Vec<_> = new.iter().map(|id| burial(*id, start() + HOUR)).collect();
    db.store.forget_entries(&lock, start(), lease.feed, &burials, EntryId(0)).await.unwrap();
    let keys: Vec<_> = titles.iter().map(|title| key(KeyKind::Guid, title)).collect();
    assert_eq!(db.store.unscoped().known(lease.feed, |_| keys.clone()).await.unwrap().keys.len(), titles.len());
    db.store.forget_tombstones(start() + HOUR).await.unwrap();
    assert_eq!(db.store.unscoped().known(lease.feed, |_| keys.clone()).await.unwrap().keys, []);
}

async fn a_body_reads_back_as_it_was(db: Database) {
    let lease = db.leased().await;
    let mut plan = plan(&lease, start(), &["one"]);
    let body = EntryBody {
        summary: Some("short".into()),
        content: Some("<p>long 🦀</p>".into()),
        authors: vec![
            Author { name: Some("Ada".into()), email: Some("ada@example.org".into()), uri: None },
            Author { name: None, email: None, uri: Some("https://bob.example".into()) },
        ],
        categories: vec!["a \"quoted\" one".into(), "b".into()],
        enclosures: vec![Attachment {
            url: "https://one.example/a.mp3".into(),
            media_type: Some("audio/mpeg".into()),
            length: Some(u64::MAX >> 1),
        }],
        language: Some("pt-BR".into()),
        raw: Some(RawRef { fetch: FetchId(Uuid::from_u128(7)), offset: 12, length: 34 }),
    };
    plan.new[0].version.body = body.clone();
    plan.new[0].version.published_at = Some(start() - SignedDuration::from_hours(24 * 365 * 60));
    let id = db.store.commit(&lease, plan).await.unwrap().new[0];
    assert_eq!(db.store.entry_body(Viewer::Operator, id).await.unwrap(), body);
    let entry = db.store.entry(Viewer::Operator, id).await.unwrap();
    assert_eq!(entry.author.as_deref(), Some("Ada"));
    assert_eq!(entry.published_at, Some(start() - SignedDuration::from_hours(24 * 365 * 60)), "from before 1970");
}

async fn one_name_may_stand_for_entries_of_several_feeds(db: Database) {
    db.feeds(2, "one.example").await;
    for lease in claim(&db.store, "w", start(), 2).await {
        db.store.commit(&lease, plan(&lease, start(), &["same"])).await.unwrap();
    }
    let found = db.store.entries_named(Viewer::Operator, "uid:same").await.unwrap();
    assert_eq!(found.len(), 2);
    assert_ne!(found[0].feed, found[1].feed);
    assert_eq!(db.store.count_entries().await.unwrap(), 2);
}

async fn filters_of_a_list_combine(db: Database) {
    let store = &db.store;
    let feeds = [db.feeds(1, "one.example").await, db.feeds(1, "three.example").await].concat();
    let mut leases = claim(store, "w", start(), 2).await;
    leases.sort_by_key(|lease| lease.feed);
    for (lease, titles) in leases.iter().zip([["a1", "a2", "a3"], ["b1", "b2", "b3"]]) {
        let mut plan = plan(lease, start(), &titles);
        for (hour, entry) in plan.new.iter_mut().enumerate() {
            entry.sort_at = start() + HOUR * hour as i32;
        }
        store.commit(lease, plan).await.unwrap();
    }
    // The second of each feed leaves its document.
    for lease in claim(store, "w", start() + HOUR, 2).await {
        let of_feed = EntryFilter { feed: Some(lease.feed), ..EntryFilter::default() };
        let second = store.arrived(Viewer::Operator, of_feed, EntryId(0), 2).await.unwrap()[1].id;
        let mut plan = plan(&lease, start() + HOUR, &[]);
        let lineage = Lineage::Left { last_seen_at: start(), seen_count: 1 };
        plan.lineage = vec![LineageChange { id: second, lineage }];
        store.commit(&lease, plan).await.unwrap();
    }
    let owner = store.owner().await.unwrap().id;
    let category = store.add_category(owner, None, "News", start()).await.unwrap();
    let default = store.default_category(owner).await.unwrap();
    store.subscribe(owner, feeds[0], category, None, start()).await.unwrap();
    let everything = EntryFilter::default();
    let check = async |filter: EntryFilter, arrived: &str, newest: &str| {
        let told = |entries: Vec<model::entry::Entry>| {
            entries.into_iter().map(|entry| entry.title.unwrap_or_default()).collect::<Vec<_>>().join(" ")
        };
        let listed = store.arrived(Viewer::Operator, filter, EntryId(0), 10).await.unwrap();
        assert_eq!(told(listed), arrived, "{filter:?}");
        let page = store.entries(Viewer::Operator, filter, None, 10).await.unwrap();
        assert_eq!(told(page.entries), newest, "{filter:?}");
    };
    let since = Some(start() + HOUR);
    check(everything, "a1 a2 a3 b1 b2 b3", "b3 a3 b2 a2 b1 a1").await;
    check(EntryFilter { feed: Some(feeds[1]), ..everything }, "b1 b2 b3", "b3 b2 b1").await;
    check(EntryFilter { subscriber: Some(owner), ..everything }, "a1 a2 a3", "a3 a2 a1").await;
    check(EntryFilter { category: Some(category), ..everything }, "a1 a2 a3", "a3 a2 a1").await;
    check(EntryFilter { category: Some(default), ..everything }, "", "").await;
    check(EntryFilter { since, ..everything }, "a2 a3 b2 b3", "b3 a3 b2 a2").await;
    check(EntryFilter { only_present: true, ..everything }, "a1 a3 b1 b3", "b3 a3 b1 a1").await;
    check(EntryFilter { feed: Some(feeds[1]), since, ..everything }, "b2 b3", "b3 b2").await;
    let all_of_them = EntryFilter {
        feed: Some(feeds[0]),
        subscriber: Some(owner),
        category: Some(category),
        since,
        only_present: true,
    };
    check(all_of_them, "a3", "a3").await;
    check(EntryFilter { feed: Some(feeds[1]), ..all_of_them }, "", "").await;
}
