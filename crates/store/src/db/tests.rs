//! What the machine under the nouns promises, on both databases: counts of rows, lanes, deadlines, snapshots.
//!
//! Tests that need no database are at the foot of their files; tests of a noun are in `tests/it`. Nothing here sleeps:
//! a statement that has to wait waits for an advisory lock (PostgreSQL), or while it is prepared (`sqlite/readers.rs`).

use crate::db::batch::{Batch, Refused};
use crate::db::question::Question;
use crate::db::queue::Lane;
use crate::db::sql::{Text, statements};
use crate::{Address, Options, Store, StoreError};
use jiff::Timestamp;
use std::time::Duration;

statements! {
    ADD(Text, Text) = Text::Rows("INSERT INTO settings (key, value, updated_at) VALUES ($1, $2, 0)");
    CHANGE(Text, Text) = Text::Rows("UPDATE settings SET value = $2 WHERE key = $1");
    RETURNED(Text) = Text::One("UPDATE settings SET value = 'r' WHERE key = $1 RETURNING key");
    /// Never ends (SQLite), or waits for the advisory lock $1.
    ENDLESS(Int) = Text::Two {
        sqlite: "WITH RECURSIVE c(n) AS (SELECT $1 UNION ALL SELECT n + 1 FROM c) SELECT count(*) FROM c",
        postgres: "SELECT count(*) FROM pg_advisory_xact_lock_shared($1)",
    };
    COUNT() = Text::One("SELECT count(*) FROM settings");
    BROKEN(Text) = Text::One("SELECT CAST($1 AS BIGINT) / 0 FROM settings");
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

    /// A connection that holds the advisory lock 1 (PostgreSQL).
    async fn locked(&self) -> Option<tokio_postgres::Client> {
        if !self.url.starts_with("postgres") {
            return None;
        }
        let client = self.client().await;
        client.batch_execute("SELECT pg_advisory_lock(1)").await.unwrap();
        Some(client)
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

on_both![
    a_wrong_count_fails_the_batch,
    a_wrong_count_harms_no_neighbour,
    steps_say_how_many_rows_they_wrote,
    a_read_that_runs_for_too_long_is_ended,
    a_read_that_waits_for_too_long_fails,
    a_snapshot_answers_in_order,
];

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
    assert_eq!(ALL.len(), 6);
    let mut batch = Batch::default();
    batch.step(&ADD, ["a", "b", "c"].map(|key| vec![key.into(), "1".into()]).to_vec());
    batch.step(&CHANGE, ["a", "c", "nobody"].map(|key| vec![key.into(), "2".into()]).to_vec());
    batch.step(&RETURNED, ["a", "nobody"].map(|key| vec![key.into()]).to_vec());
    let answer = database.store.write(batch).await.unwrap();
    let told: Vec<_> = answer.iter().map(|step| (step.written, step.records.len())).collect();
    assert_eq!(told, [(Some(3), 0), (Some(2), 0), (Some(1), 1)]);
}

/// More than there are readers, or connections.
const MANY: usize = 20;

async fn a_read_that_runs_for_too_long_is_ended(database: Database) {
    let client = database.locked().await;
    let hurried = database.store.with_deadline(Duration::from_millis(50));
    for _ in 0..MANY {
        let error = hurried.read(&ENDLESS, vec![1i64.into()]).await.unwrap_err();
        assert!(matches!(error, StoreError::DeadlineExceeded { .. }), "{error}");
        assert!(error.to_string().ends_with(" did not answer within 50ms"), "{error}");
        assert!(error.to_string().starts_with(database.store.name()), "{error}");
    }
    // Whoever asks next finds a reader or a connection, and gets the answer to its own question.
    let next = database.store.with_deadline(FOR_EVER);
    for _ in 0..MANY {
        next.ping().await.unwrap();
    }
    if let Some(client) = client {
        waiting(&client, 0).await;
    }
}

async fn a_read_that_waits_for_too_long_fails(database: Database) {
    let _locked = database.locked().await;
    // Each is queued when it is first polled, and those that are asked later come later.
    let mut others: Vec<_> = (0..MANY).map(|_| Box::pin(database.store.read(&ENDLESS, vec![1i64.into()]))).collect();
    for other in &mut others {
        assert!(futures_util::poll!(other).is_pending());
    }
    let error = database.store.with_deadline(Duration::from_millis(20)).ping().await.unwrap_err();
    assert!(matches!(error, StoreError::DeadlineExceeded { .. }), "{error}");
    drop(others);
    database.store.with_deadline(FOR_EVER).ping().await.unwrap();
}

async fn a_snapshot_answers_in_order(database: Database) {
    let mut batch = Batch::default();
    batch.step(&ADD, ["a", "b"].map(|key| vec![key.into(), key.into()]).to_vec());
    database.store.write(batch).await.unwrap();
    let get = |key: &str| Question::new(&crate::settings::GET, vec![key.into()]);
    let questions = vec![get("b"), Question::new(&COUNT, vec![]), get("nobody"), get("a")];
    let mut answers = database.store.read_snapshot(questions).await.unwrap();
    assert_eq!(answers.iter().map(Vec::len).collect::<Vec<_>>(), [1, 1, 0, 1]);
    assert_eq!(answers[0][0].next::<String>().unwrap(), "b");
    assert_eq!(answers[3][0].next::<String>().unwrap(), "a");
    // One that fails leaves nothing open.
    let failing = vec![get("a"), Question::new(&BROKEN, vec!["one".into()]), get("b")];
    let failed = database.store.read_snapshot(failing).await;
    assert_eq!(failed.is_err(), database.url.starts_with("postgres"), "SQLite divides by zero: {failed:?}");
    for _ in 0..MANY {
        database.store.ping().await.unwrap();
    }
    database.store.write(Batch::one(&CHANGE, vec!["a".into(), "2".into()])).await.unwrap();
    assert_eq!(database.value("a").await.as_deref(), Some("2"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_commit_between_two_questions_of_a_snapshot_is_not_seen() {
    let database = Database::postgres().await;
    let client = database.locked().await.expect("a server");
    let store = database.store.clone();
    let count = || Question::new(&COUNT, vec![]);
    let questions = vec![count(), Question::new(&ENDLESS, vec![1i64.into()]), count()];
    let asked = tokio::spawn(async move { store.read_snapshot(questions).await.unwrap() });
    // The second question waits for the lock: the first has been answered, the third has not.
    waiting(&client, 1).await;
    database.store.write(Batch::one(&ADD, vec!["a".into(), "1".into()])).await.unwrap();
    client.batch_execute("SELECT pg_advisory_unlock(1)").await.unwrap();
    let mut answers = asked.await.unwrap();
    let mut told = |question: usize| answers[question][0].next::<i64>().unwrap();
    let (before, after) = (told(0), told(2));
    assert_eq!(before, after);
    let now = database.store.read_first(&COUNT, vec![], |row| row.next::<i64>()).await.unwrap();
    assert_eq!(now, Some(before + 1), "whoever asks now sees it");
}

/// Waits until this many transactions wait for an advisory lock.
async fn waiting(client: &tokio_postgres::Client, count: i64) {
    let waiting = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
                   AND database = (SELECT oid FROM pg_database WHERE datname = current_database())";
    let counted = async {
        while client.query_one(waiting, &[]).await.unwrap().get::<_, i64>(0) != count {
            tokio::task::yield_now().await;
        }
    };
    let counted = tokio::time::timeout(FOR_EVER, counted).await;
    assert!(counted.is_ok(), "never were exactly {count} of them waiting");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_flood_of_work_leaves_connections_to_people() {
    let database = Database::postgres().await;
    let client = database.locked().await.expect("a server");
    let mut flood = tokio::task::JoinSet::new();
    for lane in [Lane::Leases, Lane::Upkeep] {
        for _ in 0..20 {
            let store = database.store.clone();
            flood.spawn(async move { store.write_in(lane, Batch::one(&ENDLESS, vec![1i64.into()])).await.map(|_| ()) });
        }
    }
    for _ in 0..20 {
        let store = database.store.in_background();
        flood.spawn(async move { store.read(&ENDLESS, vec![1i64.into()]).await.map(|_| ()) });
    }
    // Four for leases, two for upkeep, four for reads in the background.
    waiting(&client, 10).await;
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
