//! Ranges of bodies: nothing is lost when they are made, adopted or dropped, and nobody waits long for it.

use crate::support::{Database, HOUR, burial, claim, lock, on_both, plan, quick, start, worker};
use model::lease::Lease;
use model::{EntryId, FeedId, Viewer};
use store::{Address, LockAttempt, Store, StoreError};
use tokio_postgres::{Client, NoTls};

on_both!(bodies_without_an_entry_are_swept);

/// What was before ranges were made.
const OLD: &[&str] = &[
    include_str!("../../migrations/postgres/0001_foundation.sql"),
    include_str!("../../migrations/postgres/0002_visits.sql"),
    include_str!("../../migrations/postgres/0003_rules.sql"),
    include_str!("../../migrations/postgres/0004_search.sql"),
    include_str!("../../migrations/postgres/0005_retention.sql"),
];

async fn connect(url: &str) -> Client {
    let (client, connection) = tokio_postgres::connect(url, NoTls).await.unwrap();
    tokio::spawn(connection);
    client
}

/// `0..1000000 2/2` holds two entries and two bodies; `+` when it was gathered.
async fn told(store: &Store) -> String {
    let mut told = Vec::new();
    for range in store.body_ranges().await.unwrap() {
        let range = store.counted(range).await.unwrap();
        let gathered = if range.gathered { "+" } else { "" };
        told.push(format!("{}..{} {}/{}{gathered}", range.from, range.to, range.entries, range.bodies));
    }
    told.join(", ")
}

async fn content(store: &Store, id: i64) -> Option<String> {
    store.entry_body(Viewer::Operator, EntryId(id)).await.ok().and_then(|body| body.content)
}

/// A database of the schema before, with bodies at these ids.
async fn old_database(ids: &[i64]) -> testkit::services::Database {
    let database = testkit::services::postgres().await;
    let client = connect(database.url()).await;
    let versions = "CREATE TABLE schema_migrations (version BIGINT PRIMARY KEY, name TEXT NOT NULL,
                    min_compatible BIGINT NOT NULL, applied_at BIGINT NOT NULL);
                    INSERT INTO schema_migrations SELECT n, 'then', 4, 0 FROM generate_series(1, 5) AS n";
    client.batch_execute(versions).await.unwrap();
    for migration in OLD {
        client.batch_execute(migration).await.unwrap();
    }
    let feed = "INSERT INTO feeds (uuid, url, kind, domain_rule, polling, state, state_since, created_at, updated_at)
                VALUES (gen_random_uuid(), 'https://old.example/', 'rss', 'any', TRUE, 'active', 0, 0, 0)";
    client.batch_execute(feed).await.unwrap();
    for id in ids {
        let row = format!(
            "INSERT INTO entries (id, feed_id, uid, first_seen_at, sort_at, content_hash, raw_hash, quiet, since_reading)
             VALUES ({id}, 1, 'uid {id}', 0, 0, '', '', FALSE, 1);
             INSERT INTO entry_bodies (entry_id, content, categories, full_text)
             VALUES ({id}, 'content {id}', '[\"a\"]', 'full {id}')"
        );
        client.batch_execute(&row).await.unwrap();
    }
    let last = ids.iter().max().unwrap_or(&0);
    client.batch_execute(&format!("UPDATE arrival SET entries = {last}")).await.unwrap();
    database
}

#[tokio::test]
async fn a_database_from_before_keeps_every_body() {
    let check = async |what: &str, ids: &[i64], expected: &str| {
        let database = old_database(ids).await;
        let store = Store::open(&Address::parse(database.url()).unwrap(), &quick()).await.unwrap();
        assert_eq!(told(&store).await, expected, "{what}");
        for id in ids {
            assert_eq!(content(&store, *id).await, Some(format!("content {id}")), "{what}");
        }
        let client = connect(database.url()).await;
        let rows = client.query("SELECT entry_id, full_text FROM entry_bodies ORDER BY entry_id", &[]).await.unwrap();
        let rows: Vec<(i64, String)> = rows.iter().map(|row| (row.get(0), row.get(1))).collect();
        assert_eq!(rows, ids.iter().map(|id| (*id, format!("full {id}"))).collect::<Vec<_>>(), "{what}");
        let rest = client.query_one("SELECT count(*) FROM entry_bodies_rest", &[]).await.unwrap();
        assert_eq!(rest.get::<_, i64>(0), 0, "{what}");
        // And goes on as if nothing had happened.
        store.add_feed(crate::support::feed("one.example", 1), start()).await.unwrap();
        let lease = claim(&store, "w", start(), 1).await.pop().unwrap();
        let new = store.commit(&lease, plan(&lease, start(), &["new"])).await.unwrap().new[0];
        assert_eq!(new.0, ids.last().unwrap_or(&0) + 1, "{what}");
        assert_eq!(content(&store, new.0).await.as_deref(), Some("<p>new</p>"), "{what}");
    };
    let two_ahead = "1000000..2000000 0/0, 2000000..3000000 0/0";
    check("nothing", &[], &format!("0..1000000 0/0, {two_ahead}")).await;
    check("few", &[1, 2, 999_999], &format!("0..1000000 3/3, {two_ahead}")).await;
    let many = [1, 999_999, 1_000_000, 2_500_000, 7_000_000];
    check("many", &many, "0..1000000 2/2, 1000000..9000000 3/3, 9000000..10000000 0/0").await;
}

/// A store whose next entries have these ids, in ranges of ten beyond the first million.
async fn beyond_a_million(db: &Database, arrived: i64) {
    connect(&db.url).await.batch_execute(&format!("UPDATE arrival SET entries = {arrived}")).await.unwrap();
}

async fn commit(store: &Store, lease: &Lease, titles: &[&str]) -> Vec<EntryId> {
    store.commit(lease, plan(lease, start(), titles)).await.unwrap().new
}

#[tokio::test]
async fn a_body_without_a_range_is_written_and_adopted() {
    let db = Database::postgres().await;
    let lease = db.leased().await;
    beyond_a_million(&db, 7_654_320).await;
    let new = commit(&db.store, &lease, &["one", "two"]).await;
    assert_eq!(new, [EntryId(7_654_321), EntryId(7_654_322)]);
    let (end, upto) = (EntryId(3_000_000), EntryId(8_000_000));
    let before = told(&db.store).await;
    // More has arrived than was known.
    assert_eq!(db.store.adopt_body_range(end, EntryId(7_654_322)).await.unwrap(), LockAttempt::Busy);
    assert_eq!(told(&db.store).await, before);
    assert_eq!(db.store.adopt_body_range(end, upto).await.unwrap(), LockAttempt::Done(()));
    assert_eq!(told(&db.store).await, format!("{before}, 3000000..8000000 2/2"));
    assert_eq!(db.store.make_body_range(upto, EntryId(8_000_010)).await.unwrap(), LockAttempt::Done(()));
    assert_eq!(db.store.make_body_range(upto, EntryId(8_000_010)).await.unwrap(), LockAttempt::Done(()), "it is there");
    beyond_a_million(&db, 8_000_008).await;
    let later = claim(&db.store, "w", start() + HOUR, 1).await.pop().unwrap();
    // One of them is the last of its range, the other has none again.
    let newer = commit(&db.store, &later, &["three", "four"]).await;
    assert_eq!(told(&db.store).await, format!("{before}, 3000000..8000000 2/2, 8000000..8000010 1/1"));
    for (id, title) in new.iter().chain(&newer).zip(["one", "two", "three", "four"]) {
        assert_eq!(content(&db.store, id.0).await, Some(format!("<p>{title}</p>")));
    }
}

/// Three full ranges with two entries each, of feeds of their own, and one that fills.
async fn three_ranges(db: &Database) -> Vec<(FeedId, Vec<EntryId>)> {
    let mut end = 3_000_000;
    db.feeds(3, "one.example").await;
    let mut entries = Vec::new();
    for lease in claim(&db.store, "w", start(), 3).await {
        assert_eq!(db.store.make_body_range(EntryId(end), EntryId(end + 10)).await.unwrap(), LockAttempt::Done(()));
        beyond_a_million(db, end + 4).await;
        entries.push((lease.feed, commit(&db.store, &lease, &["a", "b"]).await));
        end += 10;
    }
    beyond_a_million(db, end).await;
    entries
}

const EMPTY: &str = "0..1000000 0/0, 1000000..2000000 0/0, 2000000..3000000 0/0";

#[tokio::test]
async fn what_stays_moves_when_its_range_goes() {
    let db = Database::postgres().await;
    let entries = three_ranges(&db).await;
    let [(one, a), (two, b), _] = &entries[..] else { unreachable!("there are three") };
    let lock = lock(&db.store, "w", start()).await;
    let ranged = EntryId(3_000_030);
    let forget = async |feed: FeedId, id: EntryId| {
        db.store.forget_entries(&lock, start(), feed, &[burial(id, start() + HOUR)], ranged).await.unwrap();
    };
    forget(*one, a[0]).await;
    forget(*two, b[0]).await;
    let full = "3000000..3000010 1/2, 3000010..3000020 1/2, 3000020..3000030 2/2";
    assert_eq!(told(&db.store).await, format!("{EMPTY}, {full}"), "bodies are left to their ranges");
    let gather = async |from: i64, to: i64, most| {
        db.store.gather_bodies(&lock, start(), EntryId(from), EntryId(to), most).await.unwrap()
    };
    assert_eq!(gather(3_000_000, 3_000_020, 1).await, LockAttempt::Busy, "too many to move");
    assert_eq!(told(&db.store).await, format!("{EMPTY}, {full}"));
    assert_eq!(gather(3_000_000, 3_000_020, 2).await, LockAttempt::Done(2));
    assert_eq!(told(&db.store).await, format!("{EMPTY}, 3000000..3000020 2/2+, 3000020..3000030 2/2"));
    assert_eq!(content(&db.store, a[0].0).await, None);
    assert_eq!(content(&db.store, a[1].0).await.as_deref(), Some("<p>b</p>"));
    assert_eq!(content(&db.store, b[1].0).await.as_deref(), Some("<p>b</p>"));

    // What was gathered joins its neighbours, and goes in the end.
    assert_eq!(gather(3_000_000, 3_000_030, 4).await, LockAttempt::Done(4));
    assert_eq!(told(&db.store).await, format!("{EMPTY}, 3000000..3000030 4/4+"));
    for (feed, ids) in &entries {
        for id in ids.iter().filter(|id| **id != a[0] && **id != b[0]) {
            forget(*feed, *id).await;
        }
    }
    assert_eq!(gather(0, 3_000_030, 0).await, LockAttempt::Done(0));
    assert_eq!(told(&db.store).await, "");
    let client = connect(&db.url).await;
    let left = client.query("SELECT relname FROM pg_class WHERE relname LIKE 'entry_bodies%' AND relkind = 'r'", &[]);
    let left: Vec<String> = left.await.unwrap().iter().map(|row| row.get(0)).collect();
    assert_eq!(left, ["entry_bodies_rest"]);
}

#[tokio::test]
async fn whoever_reads_is_not_pushed_aside() {
    let db = Database::postgres().await;
    three_ranges(&db).await;
    let lock = lock(&db.store, "w", start()).await;
    let before = told(&db.store).await;
    let reader = connect(&db.url).await;
    reader.batch_execute("BEGIN; SELECT count(*) FROM entry_bodies").await.unwrap();
    let gather = async || db.store.gather_bodies(&lock, start(), EntryId(0), EntryId(3_000_030), 9).await.unwrap();
    assert_eq!(gather().await, LockAttempt::Busy);
    assert_eq!(db.store.make_body_range(EntryId(3_000_030), EntryId(3_000_040)).await.unwrap(), LockAttempt::Busy);
    assert_eq!(told(&db.store).await, before, "nothing was changed");
    reader.batch_execute("COMMIT").await.unwrap();
    assert_eq!(gather().await, LockAttempt::Done(6));
}

#[tokio::test]
async fn what_changes_while_its_range_goes_is_not_lost() {
    let db = Database::postgres().await;
    let entries = three_ranges(&db).await;
    let id = entries[1].1[0];
    let lock = lock(&db.store, "w", start()).await;
    let before = told(&db.store).await;
    let visit = connect(&db.url).await;
    let change = format!("BEGIN; UPDATE entry_bodies SET content = 'changed' WHERE entry_id = {id}");
    visit.batch_execute(&change).await.unwrap();
    let gather = async || db.store.gather_bodies(&lock, start(), EntryId(0), EntryId(3_000_030), 9).await.unwrap();
    assert_eq!(gather().await, LockAttempt::Busy);
    visit.batch_execute("COMMIT").await.unwrap();
    assert_eq!(told(&db.store).await, before);
    assert_eq!(gather().await, LockAttempt::Done(6));
    assert_eq!(content(&db.store, id.0).await.as_deref(), Some("changed"));
}

#[tokio::test]
async fn nobody_drops_a_range_without_the_lock() {
    let db = Database::postgres().await;
    three_ranges(&db).await;
    let mine = lock(&db.store, "w", start()).await;
    let late = start() + HOUR;
    db.store.take_lock("maintenance", &worker("thief"), late, HOUR).await.unwrap().expect("it expired");
    let before = told(&db.store).await;
    let refused = db.store.gather_bodies(&mine, late, EntryId(0), EntryId(3_000_030), 9).await.unwrap_err();
    assert!(matches!(refused, StoreError::LockLost { .. }), "{refused}");
    let refused = db.store.sweep_bodies(&mine, late, EntryId(0), EntryId(3_000_030), 9).await.unwrap_err();
    assert!(matches!(refused, StoreError::LockLost { .. }), "{refused}");
    assert_eq!(told(&db.store).await, before);
}

async fn bodies_without_an_entry_are_swept(db: Database) {
    let lease = db.leased().await;
    let new = commit(&db.store, &lease, &["a", "b", "c", "d", "e"]).await;
    let lock = lock(&db.store, "w", start()).await;
    let burials: Vec<_> = new[..4].iter().map(|id| burial(*id, start() + HOUR)).collect();
    db.store.forget_entries(&lock, start(), lease.feed, &burials, EntryId(100)).await.unwrap();
    let sweep = async |from: i64, to: i64, limit| {
        let mut swept = db.store.sweep_bodies(&lock, start(), EntryId(from), EntryId(to), limit).await.unwrap();
        swept.sort_unstable();
        swept
    };
    assert_eq!(sweep(2, 4, 9).await, new[1..3]);
    assert_eq!(sweep(0, 100, 1).await, new[..1]);
    assert_eq!(sweep(0, 100, 9).await, new[3..4]);
    assert_eq!(sweep(0, 100, 9).await, []);
    assert_eq!(content(&db.store, new[4].0).await.as_deref(), Some("<p>e</p>"));
}
