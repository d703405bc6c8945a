//! Opening a store: what is refused, in which words, and that a refusal changes nothing.

use crate::support::{Database, HOUR, plan, start};
use std::path::Path;
use store::{Address, Check, Options, Purpose, Store};

async fn refusal(path: &Path) -> String {
    open(path, &Options::at(start())).await.err().expect("it is refused").to_string()
}

async fn open(path: &Path, options: &Options) -> Result<Store, store::StoreError> {
    Store::open(&Address::Sqlite(path.to_owned()), options).await
}

fn serving() -> Options {
    Options { purpose: Purpose::Serve, ..Options::at(start()) }
}

/// A database with something in it, closed.
async fn closed_database(directory: &Path) -> std::path::PathBuf {
    let path = directory.join("courant.db");
    let store = open(&path, &serving()).await.unwrap();
    let added = store.add_feed(crate::support::feed("one.example", 1), start()).await.unwrap();
    let lease = crate::support::claim(&store, "w", start(), 1).await.pop().unwrap();
    assert_eq!(lease.feed, added.id());
    let titles: Vec<String> = (0..200).map(|i| format!("entry {i}")).collect();
    let titles: Vec<&str> = titles.iter().map(String::as_str).collect();
    store.commit(&lease, plan(&lease, start(), &titles)).await.unwrap();
    store.close(start()).await.unwrap();
    path
}

#[tokio::test]
async fn a_truncated_file_is_refused_untouched() {
    let directory = tempfile::tempdir().unwrap();
    let path = closed_database(directory.path()).await;
    let whole = std::fs::read(&path).unwrap();
    let cut = &whole[..whole.len() / 2];
    std::fs::write(&path, cut).unwrap();
    let said = refusal(&path).await;
    let expected = format!("the file was cut: {} of {} bytes are there", cut.len(), whole.len());
    assert!(said.contains(&expected) && said.contains("restore the last backup"), "{said}");
    assert_eq!(std::fs::read(&path).unwrap(), cut);
    std::fs::write(&path, &whole[..50]).unwrap();
    assert!(refusal(&path).await.contains("the file has only 50 bytes"));
}

#[tokio::test]
async fn a_damaged_page_is_found_after_an_unclean_stop() {
    let directory = tempfile::tempdir().unwrap();
    let path = closed_database(directory.path()).await;
    let mut bytes = std::fs::read(&path).unwrap();
    // The beginning of a page somewhere among the entries.
    let middle = bytes.len() - 3 * 8192;
    bytes[middle..middle + 2000].fill(0xff);
    std::fs::write(&path, &bytes).unwrap();

    let cleanly_stopped = open(&path, &serving()).await;
    assert!(cleanly_stopped.is_ok(), "after a clean stop nothing is checked");
    drop(cleanly_stopped);
    let unclean = open(&path, &serving()).await.err().expect("now it is checked").to_string();
    assert!(unclean.contains("is damaged"), "{unclean}");
    let command = open(&path, &Options::at(start())).await;
    assert!(command.is_ok(), "a command beside it does not check");
}

#[tokio::test]
async fn the_check_runs_when_it_is_due_or_asked_for() {
    let directory = tempfile::tempdir().unwrap();
    let path = closed_database(directory.path()).await;
    let checked_at = async |options: Options| {
        let store = open(&path, &options).await.unwrap();
        let at = store.setting("store.checked_at").await.unwrap().unwrap();
        store.close(options.now).await.unwrap();
        at
    };
    let first = start().as_microsecond().to_string();
    let day = HOUR * 24;
    assert_eq!(checked_at(Options { now: start() + day, ..serving() }).await, first, "checked when it was made");
    let asked = Options { now: start() + day, check: Check::Always, ..serving() };
    assert_eq!(checked_at(asked).await, (start() + day).as_microsecond().to_string());
    let week = Options { now: start() + day * 9, ..serving() };
    assert_eq!(checked_at(week).await, (start() + day * 9).as_microsecond().to_string());
}

#[tokio::test]
async fn what_is_no_database_is_refused_untouched() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("notes.txt");
    let text = "dear diary, ".repeat(100);
    std::fs::write(&path, &text).unwrap();
    let said = refusal(&path).await;
    assert!(said.contains("is damaged") && said.contains("not a database"), "{said}");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
}

#[tokio::test]
async fn another_programs_database_is_refused_untouched() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("other.db");
    rusqlite::Connection::open(&path).unwrap().execute_batch("CREATE TABLE songs (title TEXT)").unwrap();
    let before = std::fs::read(&path).unwrap();
    let said = refusal(&path).await;
    assert!(said.ends_with("refuses: the file is another program's database; name a file of its own"), "{said}");
    assert_eq!(std::fs::read(&path).unwrap(), before);
}

#[tokio::test]
async fn a_newer_sqlite_database_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let path = closed_database(directory.path()).await;
    let newer = "INSERT INTO schema_migrations VALUES (999, '0999_future', 999, 0)";
    rusqlite::Connection::open(&path).unwrap().execute_batch(newer).unwrap();
    let said = refusal(&path).await;
    assert!(said.contains("was written by a newer Courant (schema 999, this one knows up to"), "{said}");

    // A newer Courant that only expanded it lets this one run on.
    rusqlite::Connection::open(&path)
        .unwrap()
        .execute_batch("UPDATE schema_migrations SET min_compatible = 1")
        .unwrap();
    assert!(open(&path, &Options::at(start())).await.is_ok());
}

#[tokio::test]
async fn a_newer_postgres_database_is_refused() {
    let db = Database::postgres().await;
    db.meddle("INSERT INTO schema_migrations VALUES (999, '0999_future', 999, 0)").await;
    let said = Store::open(&db.address, &Options::at(start())).await.err().unwrap().to_string();
    assert!(said.contains("was written by a newer Courant (schema 999, this one knows up to"), "{said}");
}

#[tokio::test]
async fn a_directory_that_is_not_there_is_named() {
    let directory = tempfile::tempdir().unwrap();
    let said = refusal(&directory.path().join("missing/courant.db")).await;
    assert!(
        said.contains("missing/courant.db refuses") && said.contains("check that this user may read and write there"),
        "{said}"
    );
    let said = refusal(directory.path()).await;
    assert!(said.ends_with("refuses: it is a directory; name a file in it"), "{said}");
}

#[tokio::test]
async fn a_wrong_password_is_said_at_once() {
    let db = Database::postgres().await;
    let wrong = Options { password: Some("wrong".into()), ..Options::at(start()) };
    let said = Store::open(&db.address, &wrong).await.err().expect("refused").to_string();
    assert!(said.ends_with("refuses: the password is wrong; set COURANT_DATABASE_PASSWORD"), "{said}");
    assert!(!said.contains("postgres://"), "no URL, so no secret: {said}");
}

#[tokio::test]
async fn a_database_that_does_not_exist_is_said_at_once() {
    let db = Database::postgres().await;
    let (server, _) = db.url.rsplit_once('/').unwrap();
    let address = Address::parse(&format!("{server}/nowhere")).unwrap();
    let said = Store::open(&address, &Options::at(start())).await.err().expect("refused").to_string();
    assert!(
        said.contains("database nowhere at") && said.contains("it does not exist; create it with `createdb`"),
        "{said}"
    );
}

#[tokio::test]
async fn a_migration_that_fails_changes_nothing() {
    // A table of ours that somebody made before us stands in the way of the second statement.
    let db = testkit::services::postgres().await;
    let (client, connection) = tokio_postgres::connect(db.url(), tokio_postgres::NoTls).await.unwrap();
    tokio::spawn(connection);
    client.batch_execute("CREATE TABLE outbox (mine int)").await.unwrap();
    let address = Address::parse(db.url()).unwrap();
    let said = Store::open(&address, &Options::at(start())).await.err().expect("refused").to_string();
    assert!(
        said.ends_with("could not be brought up to date (migration 0001_foundation): nothing was changed"),
        "{said}"
    );
    let tables = "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'";
    assert_eq!(client.query_one(tables, &[]).await.unwrap().get::<_, i64>(0), 1);
}

#[tokio::test]
async fn many_processes_may_migrate_at_once() {
    let db = testkit::services::postgres().await;
    let address = Address::parse(db.url()).unwrap();
    let opens: Vec<_> = (0..6)
        .map(|_| {
            let address = address.clone();
            tokio::spawn(async move { Store::open(&address, &Options::at(start())).await.map(|_| ()) })
        })
        .collect();
    for open in opens {
        open.await.unwrap().unwrap();
    }
    let store = Store::open(&address, &Options::at(start())).await.unwrap();
    assert_eq!(store.categories(model::UserId(1)).await.unwrap().len(), 1, "one owner, one Default");
}

#[tokio::test]
async fn the_simulations_store_is_the_same_store() {
    let store = Store::simulated(start()).unwrap();
    assert_eq!(store.owner().await.unwrap().name, "owner");
    store.add_feed(crate::support::feed("one.example", 1), start()).await.unwrap();
    let lease = crate::support::claim(&store, "w", start(), 1).await.pop().unwrap();
    store.commit(&lease, plan(&lease, start(), &["one"])).await.unwrap();
    assert_eq!(crate::support::titles(&store).await, ["one"]);
}
