//! Looking at a database from outside: what is wrong is named with what to do, and looking changes nothing.

use crate::support::{Database, HOUR, SECOND, claim, on_both, plan, quick, start};
use jiff::Timestamp;
use store::{Address, Options, inspect_file, inspect_server};

on_both!(a_database_in_use_is_sound, what_somebody_broke_is_named);

/// What is wrong, joined.
async fn troubles(db: &Database) -> String {
    let troubles = match &db.address {
        Address::Sqlite(path) => inspect_file(path).unwrap().troubles,
        Address::Postgres(_) => inspect_server(&db.address, &quick(), Timestamp::now).await.unwrap().troubles,
    };
    troubles.join("; ")
}

async fn with_entries(db: &Database) {
    let lease = db.leased().await;
    db.store.commit(&lease, plan(&lease, start(), &["one", "two"])).await.unwrap();
}

async fn a_database_in_use_is_sound(db: Database) {
    assert_eq!(troubles(&db).await, "");
    with_entries(&db).await;
    assert_eq!(troubles(&db).await, "");
}

async fn what_somebody_broke_is_named(db: Database) {
    with_entries(&db).await;
    let check = async |broken: &str, mended: &str, expected: &str| {
        db.meddle(broken).await;
        let said = troubles(&db).await;
        assert!(said.contains(expected) && said.matches(": ").count() == 1, "{broken}: {said}");
        db.meddle(mended).await;
        assert_eq!(troubles(&db).await, "", "{mended}");
    };
    check(
        "UPDATE arrival SET entries = 0",
        "UPDATE arrival SET entries = (SELECT max(id) FROM entries)",
        "2 ids that are given to the next new entries are in use",
    )
    .await;
    check(
        "UPDATE arrival SET events = 0",
        "UPDATE arrival SET events = (SELECT max(id) FROM outbox)",
        "ids that are given to the next events are in use",
    )
    .await;
    check(
        "DROP INDEX entries_sort",
        "CREATE INDEX entries_sort ON entries (sort_at, id)",
        "somebody has removed entries_sort: ",
    )
    .await;
    check(
        "ALTER TABLE feeds RENAME TO fees",
        "ALTER TABLE fees RENAME TO feeds",
        "somebody has removed feeds: restore a backup",
    )
    .await;
    check(
        "UPDATE entry_bodies SET entry_id = 77 WHERE entry_id = 1",
        "UPDATE entry_bodies SET entry_id = 1 WHERE entry_id = 77",
        "1 of the newest entries have lost their text",
    )
    .await;
    db.meddle("DELETE FROM schedule").await;
    assert!(troubles(&db).await.starts_with("1 feeds have no schedule"), "{}", troubles(&db).await);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_index_that_is_not_valid_is_named() {
    let db = Database::postgres().await;
    // As an interrupted CREATE INDEX CONCURRENTLY leaves it.
    let valid = async |valid: bool| {
        db.meddle(&format!("UPDATE pg_index SET indisvalid = {valid} WHERE indexrelid = 'entries_sort'::regclass"))
            .await;
    };
    valid(false).await;
    let said = troubles(&db).await;
    assert!(said.contains("REINDEX INDEX CONCURRENTLY entries_sort"), "{said}");
    valid(true).await;
    assert_eq!(troubles(&db).await, "");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_clock_that_is_not_the_servers_is_measured() {
    let db = Database::postgres().await;
    let check = async |clock: fn() -> Timestamp, expected: i64| {
        let facts = inspect_server(&db.address, &quick(), clock).await.unwrap();
        assert!(facts.give_or_take < SECOND * 5, "{facts:?}");
        assert!((facts.ahead.as_secs() - expected).abs() <= 5, "{facts:?}");
    };
    check(Timestamp::now, 0).await;
    check(|| Timestamp::now() - HOUR, 3600).await;
    check(|| Timestamp::now() + HOUR, -3600).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn looking_at_a_server_makes_nothing() {
    let empty = testkit::services::postgres().await;
    let address = Address::parse(empty.url()).unwrap();
    let facts = inspect_server(&address, &Options::at(start()), Timestamp::now).await.unwrap();
    assert_eq!((facts.schema, facts.troubles.len()), (0, 0));
    assert!(facts.newest >= 5 && facts.version.starts_with(|c: char| c.is_ascii_digit()), "{facts:?}");
    let again = inspect_server(&address, &Options::at(start()), Timestamp::now).await.unwrap();
    assert_eq!(again.schema, 0, "it was not migrated");

    let db = Database::postgres().await;
    db.meddle("INSERT INTO schema_migrations VALUES (999, '0999_future', 999, 0)").await;
    let said = inspect_server(&db.address, &quick(), Timestamp::now).await.unwrap_err().to_string();
    assert!(said.contains("was written by a newer Courant (schema 999"), "{said}");
    // Nor is a feed claimed by it.
    db.feeds(1, "one.example").await;
    assert_eq!(claim(&db.store, "w", start(), 9).await.len(), 1);
}
