//! Retention: what a cleanup looks at, forgets and notes, under its lock.

use crate::support::{Database, HOUR, MINUTE, SECOND, burial, claim, key, lock, on_both, plan, start, titles, worker};
use jiff::SignedDuration;
use model::blob::{AtRest, Blob, BlobHash, Coding};
use model::entry::{KeyKind, KnownKey};
use model::event::{EventKind, Subject};
use model::plan::Alias;
use model::raw::RawFetch;
use model::retention::{CleanupRun, Counters};
use model::{EntryId, EventId, FeedId, FetchId, Viewer};
use store::{Compacted, Store, StoreError};
use uuid::Uuid;

on_both!(
    entries_are_looked_at_window_by_window,
    what_is_forgotten_is_forgotten_whole_and_said,
    nobody_deletes_without_the_lock,
    a_visit_under_way_revives_nothing,
    raw_fetches_are_looked_at_newest_first,
    what_a_cleanup_did_is_noted,
    a_database_knows_its_size,
);

async fn entries_are_looked_at_window_by_window(db: Database) {
    let lease = db.leased().await;
    let new = db.store.commit(&lease, plan(&lease, start(), &["one", "two", "three"])).await.unwrap().new;
    let kept = db.store.unscoped().kept(lease.feed, EntryId(0), 2).await.unwrap();
    assert_eq!(kept.iter().map(|kept| kept.id).collect::<Vec<_>>(), new[..2]);
    let first = kept[0];
    assert_eq!((first.first_seen_at, first.read_at), (start(), None));
    assert_eq!((first.bookmarked, first.full_text, first.in_document), (false, false, true));
    assert_eq!(db.store.unscoped().kept(lease.feed, new[1], 2).await.unwrap().len(), 1);
    assert_eq!(db.store.unscoped().kept(FeedId(99), EntryId(0), 2).await.unwrap(), []);
    assert_eq!(db.store.unscoped().count_entries_of(lease.feed).await.unwrap(), 3);
    let feeds = db.store.unscoped().feeds_with_rules(FeedId(0), 10).await.unwrap();
    assert_eq!((feeds.len(), feeds[0].id, feeds[0].rules.len()), (1, lease.feed, 0));
    assert_eq!(db.store.unscoped().feeds_with_rules(lease.feed, 10).await.unwrap(), []);
}

/// Forgets one entry, as a cleanup would.
pub(crate) async fn forget(store: &Store, feed: FeedId, entry: EntryId) {
    let lock = lock(store, "cleanup", start()).await;
    store.forget_entries(&lock, start(), feed, &[burial(entry, start() + HOUR)], EntryId(0)).await.unwrap();
}

async fn what_is_forgotten_is_forgotten_whole_and_said(db: Database) {
    let lease = db.leased().await;
    let new = db.store.commit(&lease, plan(&lease, start(), &["one", "two", "three"])).await.unwrap().new;
    let before = db.store.last_event().await.unwrap();
    let lock = lock(&db.store, "w", start()).await;
    let day = HOUR * 24;
    let burials = [burial(new[0], start() + day), burial(new[2], start() + day * 2)];
    db.store.forget_entries(&lock, start(), lease.feed, &burials, EntryId(0)).await.unwrap();
    db.store.forget_entries(&lock, start(), lease.feed, &[], EntryId(0)).await.unwrap();
    assert_eq!(titles(&db.store).await, ["two"]);
    assert!(
        db.store.entry_body(Viewer::Operator, new[0]).await.is_err()
            && db.store.entry_body(Viewer::Operator, new[1]).await.is_ok()
    );
    let events = db.store.events(Viewer::Operator, before, 10).await.unwrap();
    let told: Vec<_> =
        events.iter().map(|event| (&event.kind, event.subject.clone(), event.payload.text("reason"))).collect();
    let gone = |id| (&EventKind::EntryGone, Subject::Entry(lease.feed, id), Some("unread_too_long"));
    assert_eq!(told, [gone(new[0]), gone(new[2])]);
    // Each tombstone has its own end, and keys of those that stay are theirs.
    let known = async || {
        let asked = ["one", "two", "three"].map(|title| key(KeyKind::Guid, title));
        let keys = db.store.unscoped().known(lease.feed, |_| asked.to_vec()).await.unwrap().keys;
        let find = |key| keys.iter().find(|(known, _)| *known == key).map(|(_, known)| *known);
        asked.map(find)
    };
    let (entry, tomb) = (Some(KnownKey::Entry(new[1])), Some(KnownKey::Tombstone));
    assert_eq!(known().await, [tomb, entry, tomb]);
    db.store.forget_tombstones(start() + day).await.unwrap();
    assert_eq!(known().await, [None, entry, tomb]);
    db.store.clear_full_text(&lock, start(), lease.feed, &new[1..2]).await.unwrap();
    assert_eq!(titles(&db.store).await, ["two"]);
}

async fn nobody_deletes_without_the_lock(db: Database) {
    let lease = db.leased().await;
    let new = db.store.commit(&lease, plan(&lease, start(), &["one"])).await.unwrap().new;
    let mine = lock(&db.store, "a", start()).await;
    // Each write keeps the lock: at 0:50 it is renewed, so that at 1:30 nobody else gets it.
    db.store.forget_raw_fetches(&mine, start() + SECOND * 50, &[]).await.unwrap();
    let theirs = async |now| db.store.take_lock("maintenance", &worker("b"), now, MINUTE).await.unwrap();
    assert_eq!(theirs(start() + SECOND * 90).await, None);
    assert!(theirs(start() + MINUTE * 3).await.is_some());
    let late = start() + MINUTE * 3;
    let refused =
        db.store.forget_entries(&mine, late, lease.feed, &[burial(new[0], late)], EntryId(0)).await.unwrap_err();
    assert!(matches!(&refused, StoreError::LockLost { name } if name == "maintenance"), "{refused:?}");
    let refused = db.store.log_cleanup(&mine, late, &run(1)).await.unwrap_err();
    assert!(matches!(refused, StoreError::LockLost { .. }));
    assert_eq!((titles(&db.store).await.len(), db.store.cleanups(9).await.unwrap().len()), (1, 0));
}

async fn a_visit_under_way_revives_nothing(db: Database) {
    db.feeds(1, "one.example").await;
    let lease = claim(&db.store, "w", start(), 1).await.pop().unwrap();
    let new = db.store.commit(&lease, plan(&lease, start(), &["one"])).await.unwrap().new;
    let later = start() + HOUR;
    let lease = claim(&db.store, "w", later, 1).await.pop().unwrap();
    let mut plan = plan(&lease, later, &[]);
    // It recognised the entry by a new key, and then the entry went.
    let alias = key(KeyKind::Url, "elsewhere");
    plan.aliases = vec![Alias { id: new[0], key: alias }];
    let lock = lock(&db.store, "m", later).await;
    db.store.forget_entries(&lock, later, lease.feed, &[burial(new[0], later + HOUR)], EntryId(0)).await.unwrap();
    db.store.commit(&lease, plan).await.unwrap();
    let asked = [alias, key(KeyKind::Guid, "one")];
    let known = db.store.unscoped().known(lease.feed, |_| asked.to_vec()).await.unwrap();
    assert_eq!(known.keys, [(asked[1], KnownKey::Tombstone)], "no key points at what is gone");
}

async fn raw_fetches_are_looked_at_newest_first(db: Database) {
    db.feeds(1, "one.example").await;
    for id in 1..=3u8 {
        let now = start() + HOUR * i32::from(id);
        let lease = claim(&db.store, "w", now, 1).await.pop().unwrap();
        let mut plan = plan(&lease, now, &[]);
        let blob = Blob {
            hash: BlobHash([id; 32]),
            coding: Coding::Identity,
            at_rest: AtRest::AsIs,
            wire_bytes: 10,
            stored_bytes: u64::from(id),
        };
        plan.raw = Some(RawFetch {
            id: FetchId(Uuid::from_u128(u128::from(id))),
            feed: lease.feed,
            // Two of the same moment: the id tells them apart.
            fetched_at: start() + HOUR * i32::from(id / 2),
            url: "https://one.example/".into(),
            status: 200,
            request_headers: vec![],
            response_headers: vec![],
            blob,
            content_type: None,
            decoded_bytes: 10,
            understood: id != 2,
            truncated: false,
            problems: vec![],
        });
        db.store.commit(&lease, plan).await.unwrap();
    }
    let mut seen = Vec::new();
    let mut last = None;
    loop {
        let page = db.store.unscoped().kept_raw(FeedId(1), last.as_ref(), 1).await.unwrap();
        let Some(raw) = page.into_iter().next() else { break };
        seen.push((raw.id.0.as_u128(), raw.body.0[0], raw.stored_bytes, raw.understood));
        last = Some(raw);
    }
    assert_eq!(seen, [(3, 3, 3, true), (2, 2, 2, false), (1, 1, 1, true)]);
}

fn run(n: u64) -> CleanupRun {
    let counters = Counters {
        old: n,
        read_long_ago: n + 1,
        beyond_limit: n + 2,
        unread_too_long: n + 3,
        full_text_cleared: n + 4,
        raw_fetches: n + 5,
        raw_bytes: n + 6,
    };
    CleanupRun {
        at: start() + HOUR * 24 * n as i32,
        counters,
        ranges: n + 8,
        log_rows: n + 7,
        bytes_before: n + 8,
        bytes_after: n + 9,
        read_for: (n == 2).then(|| SignedDuration::from_hours(720)),
        took: SignedDuration::from_millis(1500 * n as i64),
        notes: (n == 3).then(|| "the file was compacted".to_owned()),
    }
}

async fn what_a_cleanup_did_is_noted(db: Database) {
    let lock = lock(&db.store, "w", start()).await;
    for n in 1..=3 {
        db.store.log_cleanup(&lock, start(), &run(n)).await.unwrap();
    }
    assert_eq!(db.store.cleanups(2).await.unwrap(), [run(3), run(2)]);
    assert_eq!(db.store.forget_cleanups(run(3).at).await.unwrap(), 2);
    assert_eq!(db.store.cleanups(9).await.unwrap(), [run(3)]);
}

async fn a_database_knows_its_size(db: Database) {
    let lease = db.leased().await;
    let mut big = plan(&lease, start(), &["one"]);
    big.new[0].version.body.content = Some("0123456789abcdef".repeat(64 * 1024));
    let id = db.store.commit(&lease, big).await.unwrap().new[0];
    let full = db.store.size_bytes().await.unwrap();
    assert!(full > 100_000, "{full}");
    let lock = lock(&db.store, "w", start()).await;
    db.store.forget_entries(&lock, start(), lease.feed, &[burial(id, start())], EntryId(0)).await.unwrap();
    // Writes go on around it.
    let (compacted, written) = tokio::join!(db.store.compact(), db.store.set_setting("while", "compacting", start()));
    written.unwrap();
    let now = db.store.size_bytes().await.unwrap();
    match compacted.unwrap() {
        Compacted::Shrunk => assert!(now + (1 << 20) <= full, "{full} -> {now}"),
        Compacted::Reused => assert!(db.url.starts_with("postgres"), "{}", db.url),
    }
    assert_eq!(db.store.setting("while").await.unwrap().as_deref(), Some("compacting"));
    let events = db.store.events(Viewer::Operator, EventId(0), 10).await.unwrap();
    assert_eq!(events.last().map(|event| &event.kind), Some(&EventKind::EntryGone), "what stays is still there");
}
