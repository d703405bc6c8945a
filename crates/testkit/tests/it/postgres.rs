//! PostgreSQL: clones are fast, start equal, and are isolated.
//!
//! Also the cases that fail in practice: concurrent requests for one template, a failure while preparing it, and open
//! connections when a database is dropped.

use std::sync::atomic::{AtomicU32, Ordering};

use testkit::services::{Database, postgres, postgres_prepared};
use tokio_postgres::{Client, NoTls};

#[tokio::test]
async fn two_databases_do_not_see_each_other() {
    let (one, other) = (postgres().await, postgres().await);
    let (one, other) = (connect(one.url()).await, connect(other.url()).await);
    assert_eq!(number(&one, "SELECT 1").await, 1);
    assert_eq!(number(&other, "SELECT 1").await, 1);
    one.batch_execute("CREATE TABLE mine ()").await.expect("a table can be made");
    assert_eq!(number(&other, "SELECT count(*)::int FROM pg_tables WHERE tablename = 'mine'").await, 0);
}

#[tokio::test]
async fn clones_start_as_the_template_was_left() {
    let (one, other) = (garden().await, garden().await);
    let (one, other) = (connect(one.url()).await, connect(other.url()).await);
    one.batch_execute("INSERT INTO flowers VALUES ('poppy')").await.expect("a row can be added");
    assert_eq!(number(&one, "SELECT count(*)::int FROM flowers").await, 2);
    assert_eq!(number(&other, "SELECT count(*)::int FROM flowers").await, 1);
}

#[tokio::test]
async fn a_template_is_prepared_once_however_many_ask() {
    static PREPARED: AtomicU32 = AtomicU32::new(0);
    let ask = || {
        tokio::spawn(postgres_prepared("once", async |url| {
            PREPARED.fetch_add(1, Ordering::Relaxed);
            connect(&url).await.batch_execute("CREATE TABLE once ()").await
        }))
    };
    let asked: Vec<_> = (0..8).map(|_| ask()).collect();
    for database in asked {
        let database = database.await.expect("a database is handed out");
        let client = connect(database.url()).await;
        assert_eq!(number(&client, "SELECT count(*)::int FROM once").await, 0);
    }
    assert_eq!(PREPARED.load(Ordering::Relaxed), 1);
}

#[tokio::test]
async fn a_template_that_failed_is_prepared_again() {
    let failed = tokio::spawn(postgres_prepared("second try", async |url| {
        connect(&url).await.batch_execute("CREATE TABLE half_done ()").await.expect("a table can be made");
        Err("and then the lights went out")
    }));
    assert!(failed.await.is_err());
    let database = postgres_prepared("second try", async |_| Ok::<(), ()>(())).await;
    let client = connect(database.url()).await;
    assert_eq!(number(&client, "SELECT count(*)::int FROM pg_tables WHERE tablename = 'half_done'").await, 0);
}

#[tokio::test]
async fn a_dropped_database_is_gone_even_while_in_use() {
    let (kept, dropped) = (postgres().await, postgres().await);
    let _in_use = connect(dropped.url()).await;
    let name = dropped.url().rsplit('/').next().expect("the URL ends in the name").to_owned();
    let client = connect(kept.url()).await;
    let count = format!("SELECT count(*)::int FROM pg_database WHERE datname = '{name}'");
    assert_eq!(number(&client, &count).await, 1);
    drop(dropped);
    assert_eq!(number(&client, &count).await, 0);
}

async fn garden() -> Database {
    postgres_prepared("garden", async |url| {
        let client = connect(&url).await;
        client.batch_execute("CREATE TABLE flowers (name text); INSERT INTO flowers VALUES ('rose')").await
    })
    .await
}

async fn connect(url: &str) -> Client {
    let (client, connection) = tokio_postgres::connect(url, NoTls).await.expect("the database accepts");
    tokio::spawn(connection);
    client
}

async fn number(client: &Client, question: &str) -> i32 {
    client.query_one(question, &[]).await.expect("the question can be answered").get(0)
}
