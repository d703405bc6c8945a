//! What the machine under the nouns promises, on both databases: counts of rows, lanes, deadlines, snapshots.
//!
//! Tests that need no database are at the foot of their files; tests of a noun are in `tests/it`. Nothing here sleeps:
//! a statement that has to wait waits for an advisory lock (PostgreSQL), or while it is prepared (`sqlite/readers.rs`).

use crate::db::batch::{Batch, Refused};
use crate::db::queue::Lane;
use crate::db::sql::{Text, statements};
use crate::{Address, Options, Store, StoreError};
use jiff::Timestamp;
use std::time::Duration;

statements! {
    ADD(Text, Text) = Text::Rows("INSERT INTO settings (key, value, updated_at) VALUES ($1, $2, 0)");
    CHANGE(Text, Text) = Text::Rows("UPDATE settings SET value = $2 WHERE key = $1");
    RETURNED(Text) = Text::One("UPDATE settings SET value = 'r' WHERE key = $1 RETURNING key");
    /// Waits for the advisory lock $1 (PostgreSQL).
    WAIT(Int) = Text::Two { sqlite: "SELECT $1", postgres: "SELECT count(*) FROM pg_advisory_xact_lock_shared($1)" };
}

/// A database that is gone when it is dropped.
struct Database {
    store: Store,
    url: String,
    _keep: (Option<tempfile::TempDir>, Option<testkit::services::Database>),
}

impl Database {
    async fn sqlite() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let url = format!("sqlite:{}", directory.path().join("courant.db").display());
        Self::open(url, (Some(directory), None)).await
    }

    async fn postgres() -> Self {
        let migrate = async |url: String| -> Result<(), StoreError> {
            let options = Options::at(Timestamp::UNIX_EPOCH);
            Store::open(&Address::parse(&url)?, &options).await?.close(Timestamp::UNIX_EPOCH).await
        };
        let database = testkit::services::postgres_prepared("store", migrate).await;
        Self::open(database.url().to_owned(), (None, Some(database))).await
    }

    async fn open(url: String, keep: (Option<tempfile::TempDir>, Option<testkit::services::Database>)) -> Self {
        let options = Options::at(Timestamp::UNIX_EPOCH);
        let store = Store::open(&Address::parse(&url).unwrap(), &options).await.unwrap();
        Self { store, url, _keep: keep }
    }

    async fn value(&self, key: &str) -> Option<String> {
        self.store.setting(key).await.unwrap()
    }

    /// A connection of its own to the server.
    #[expect(clippy::disallowed_methods, reason = "asks the server of the test run")]
    async fn client(&self) -> tokio_postgres::Client {
        let (client, connection) = tokio_postgres::connect(&self.url, tokio_postgres::NoTls).await.unwrap();
        tokio::spawn(connection);
        client
    }
}

/// Runs each function on both databases.
macro_rules! on_both {
    ($($name:ident),* $(,)?) => {
        mod sqlite {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $name() { super::$name(super::Database::sqlite().await).await })*
        }
        mod postgres {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $name() { super::$name(super::Database::postgres().await).await })*
        }
    };
}

on_both![a_wrong_count_fails_the_batch, a_wrong_count_harms_no_neighbour, steps_say_how_many_rows_they_wrote];

/// No answer would take this long.
const FOR_EVER: Duration = Duration::from_secs(20);

async fn a_wrong_count_fails_the_batch(database: Database) {
    let mut batch = Batch::one(&ADD, vec!["a".into(), "1".into()]);
    batch.step_exactly(1, &CHANGE, vec![vec!["nobody".into(), "2".into()]]);
    let error = database.store.write(batch).await.unwrap_err();
    assert!(
        matches!(error, StoreError::RowCount { statement, expected: 1, found: 0 } if statement == CHANGE.name),
        "{error}"
    );
    assert!(error.to_string().contains("CHANGE wrote 0 rows instead of 1"), "{error}");
    assert_eq!(database.value("a").await, None, "nothing of it was written");

    let mut batch = Batch::default();
    batch.step_exactly(2, &ADD, vec![vec!["a".into(), "1".into()], vec!["b".into(), "1".into()]]);
    batch.step_exactly(1, &RETURNED, vec![vec!["b".into()]]);
    database.store.write(batch).await.unwrap();
    assert_eq!(database.value("a").await.as_deref(), Some("1"));
    let too_many = {
        let mut batch = Batch::default();
        batch.step_exactly(1, &CHANGE, vec![vec!["a".into(), "2".into()], vec!["b".into(), "2".into()]]);
        database.store.write(batch).await.unwrap_err()
    };
    assert!(matches!(too_many, StoreError::RowCount { expected: 1, found: 2, .. }), "{too_many}");
    assert_eq!(database.value("a").await.as_deref(), Some("1"));
}

async fn a_wrong_count_harms_no_neighbour(database: Database) {
    database.store.write(Batch::one(&ADD, vec!["a".into(), "1".into()])).await.unwrap();
    let batch = |key: &str, found_at: &str| {
        let mut batch = Batch::one(&ADD, vec![key.into(), "1".into()]);
        batch.step_exactly(1, &CHANGE, vec![vec![found_at.into(), key.into()]]);
        batch
    };
    // The second finds nothing. A statement of both would find one row, as many as each of them has to.
    let batches = vec![batch("x", "a"), batch("y", "nobody"), Batch::one(&ADD, vec!["z".into(), "1".into()])];
    let results = database.store.submit_together(Lane::Leases, batches).await;
    assert!(matches!(&results[0], Ok(answer) if answer[1].written == Some(1)), "{results:?}");
    assert!(
        matches!(&results[1], Err(Refused::Failed(StoreError::RowCount { expected: 1, found: 0, .. }))),
        "{results:?}"
    );
    assert!(results[2].is_ok(), "{results:?}");
    assert_eq!(database.value("a").await.as_deref(), Some("x"));
    assert_eq!(database.value("x").await.as_deref(), Some("1"));
    assert_eq!(database.value("y").await, None);
    assert_eq!(database.value("z").await.as_deref(), Some("1"));
}

async fn steps_say_how_many_rows_they_wrote(database: Database) {
    assert_eq!(ALL.len(), 4);
    let mut batch = Batch::default();
    batch.step(&ADD, ["a", "b", "c"].map(|key| vec![key.into(), "1".into()]).to_vec());
    batch.step(&CHANGE, ["a", "c", "nobody"].map(|key| vec![key.into(), "2".into()]).to_vec());
    batch.step(&RETURNED, ["a", "nobody"].map(|key| vec![key.into()]).to_vec());
    let answer = database.store.write(batch).await.unwrap();
    let told: Vec<_> = answer.iter().map(|step| (step.written, step.records.len())).collect();
    assert_eq!(told, [(Some(3), 0), (Some(2), 0), (Some(1), 1)]);
}

/// Waits until so many transactions wait for an advisory lock.
async fn waiting(client: &tokio_postgres::Client, count: i64) {
    let waiting = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
                   AND database = (SELECT oid FROM pg_database WHERE datname = current_database())";
    while client.query_one(waiting, &[]).await.unwrap().get::<_, i64>(0) < count {
        tokio::task::yield_now().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_flood_of_leases_and_upkeep_leaves_connections_to_people() {
    let database = Database::postgres().await;
    let client = database.client().await;
    client.batch_execute("SELECT pg_advisory_lock(1)").await.unwrap();
    let mut flood = tokio::task::JoinSet::new();
    for lane in [Lane::Leases, Lane::Upkeep] {
        for _ in 0..20 {
            let store = database.store.clone();
            flood.spawn(async move { store.write_in(lane, Batch::one(&WAIT, vec![1i64.into()])).await.map(|_| ()) });
        }
    }
    waiting(&client, 6).await;
    let person = async {
        database.store.set_setting("a", "1", Timestamp::UNIX_EPOCH).await.unwrap();
        database.value("a").await
    };
    let answered = tokio::time::timeout(FOR_EVER, person).await.expect("a person found no connection");
    assert_eq!(answered.as_deref(), Some("1"));
    client.batch_execute("SELECT pg_advisory_unlock(1)").await.unwrap();
    while let Some(done) = flood.join_next().await {
        done.unwrap().unwrap();
    }
}
