//! The life of a feed, with the real binary on both databases: found, unchanged, grown, edited, renamed, moved, gone,
//! back, failing, back again, partly deleted, reparsed. Days pass by moving stored times into the past.

use serde_json::Value;
use testkit::{Origin, Response};

use crate::commands::Terminal;
use crate::story::feed;

/// A database whose times can be moved.
enum Database {
    Sqlite(std::path::PathBuf),
    Postgres(testkit::services::Database),
}

impl Database {
    async fn execute(&self, sql: &str) {
        match self {
            Self::Sqlite(path) => rusqlite::Connection::open(path).unwrap().execute_batch(sql).unwrap(),
            Self::Postgres(database) => {
                let connected = tokio_postgres::connect(database.url(), tokio_postgres::NoTls).await;
                let (client, connection) = connected.unwrap();
                let connection = tokio::spawn(connection);
                client.batch_execute(sql).await.unwrap();
                drop(client);
                connection.await.unwrap().unwrap();
            }
        }
    }

    /// Moves the schedule into the past by this many days.
    async fn days_pass(&self, days: i64) {
        let columns = ["due_at", "gone_since", "move_since", "last_visit_at", "last_success_at", "last_error_at"];
        let past = columns.map(|column| format!("{column} = {column} - {}", days * 86_400_000_000));
        self.execute(&format!("UPDATE schedule SET {}", past.join(", "))).await;
    }
}

struct Life {
    terminal: Terminal,
    database: Database,
    origin: Origin,
}

impl Life {
    /// Visits the feed, and returns the result.
    async fn visit(&mut self) -> String {
        let done = self.terminal.json("fetch --all").await;
        let count = |what: &str| done[what].as_u64().unwrap();
        let counts = ["fresh", "unchanged", "failed", "new_entries", "changed_entries"].map(count);
        let [fresh, unchanged, failed, new, changed] = counts;
        format!("{fresh} fresh, {unchanged} unchanged, {failed} failed, {new} new, {changed} changed")
    }

    async fn feed(&mut self) -> Value {
        self.terminal.json("feed show 1").await
    }

    /// Ids and titles, in the order of arrival.
    async fn entries(&mut self) -> String {
        let entries = self.terminal.json("entries").await;
        let told = |entry: &Value| (entry["id"].as_i64().unwrap(), entry["title"].as_str().unwrap().to_owned());
        let mut entries: Vec<(i64, String)> = entries.as_array().unwrap().iter().map(told).collect();
        entries.sort();
        entries.iter().map(|(id, title)| format!("{id} {title}")).collect::<Vec<_>>().join(", ")
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_life_of_a_feed_on_sqlite() {
    let terminal = Terminal::new();
    let database = Database::Sqlite(terminal.path("data/courant.db"));
    the_life_of_a_feed(Life { terminal, database, origin: Origin::start().await }).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_life_of_a_feed_on_postgres() {
    let database = testkit::services::postgres().await;
    let terminal = Terminal::on(database.url());
    the_life_of_a_feed(Life { terminal, database: Database::Postgres(database), origin: Origin::start().await }).await;
}

async fn the_life_of_a_feed(mut life: Life) {
    const UNCHANGED: &str = "0 fresh, 1 unchanged, 0 failed, 0 new, 0 changed";
    let (old, new) = (life.origin.url("/old"), life.origin.url("/new"));
    let (one, two) = (("a", "1", "One", "first words"), ("b", "2", "Two", "second words"));
    life.origin.at("/old", feed(&[one, two]).with("etag", "\"v1\""));
    life.terminal.says(&format!("feed add --as-is {old}"), "added").await;
    assert_eq!(life.visit().await, "1 fresh, 0 unchanged, 0 failed, 2 new, 0 changed");
    assert_eq!(life.visit().await, UNCHANGED);
    assert_eq!(life.origin.visits(), ["GET /old 200", "GET /old 304"]);

    life.origin.at("/old", feed(&[one, two, ("c", "3", "Three", "third words")]));
    assert_eq!(life.visit().await, "1 fresh, 0 unchanged, 0 failed, 1 new, 0 changed");
    assert_eq!(life.entries().await, "1 One, 2 Two, 3 Three");

    life.origin
        .at("/old", feed(&[one, ("b", "2", "Two, corrected", "other words"), ("c", "3", "Three", "third words")]));
    assert_eq!(life.visit().await, "1 fresh, 0 unchanged, 0 failed, 0 new, 1 changed");
    let edited = life.terminal.json("entry b").await;
    assert_eq!((&edited["id"], &edited["title"]), (&2.into(), &"Two, corrected".into()));
    assert_eq!(edited["revisions"][0]["title"], "Two");

    // Other ids, the same links.
    let renamed = [("x", "1", "One", "first words"), ("y", "2", "Two, corrected", "other words")];
    life.origin.at("/old", feed(&renamed));
    assert_eq!(life.visit().await, "1 fresh, 0 unchanged, 0 failed, 0 new, 0 changed");
    assert_eq!(life.entries().await, "1 One, 2 Two, corrected, 3 Three");

    life.origin.at("/old", Response::moved_to("/new")).at("/new", feed(&renamed));
    life.visit().await;
    life.visit().await;
    assert_eq!(life.feed().await["url"], *old, "twice on one day is not certain");
    life.database.days_pass(2).await;
    life.visit().await;
    assert_eq!(life.feed().await["url"], *new);

    life.origin.at("/new", Response::status(410));
    assert_eq!(life.visit().await, "0 fresh, 0 unchanged, 1 failed, 0 new, 0 changed");
    assert_eq!(life.feed().await["state"], "active", "once may be a mistake");
    life.database.days_pass(2).await;
    life.visit().await;
    assert_eq!(life.feed().await["state"], "gone");
    life.origin.at("/new", feed(&renamed));
    life.terminal.says("feed enable 1", "enabled").await;
    life.visit().await;
    assert_eq!(life.feed().await["state"], "active");

    life.origin.at("/new", Response::status(500));
    for _ in 0..10 {
        assert_eq!(life.visit().await, "0 fresh, 0 unchanged, 1 failed, 0 new, 0 changed");
    }
    let disabled = life.feed().await;
    assert_eq!((&disabled["state"], &disabled["failures"]), (&"disabled".into(), &10.into()));
    life.origin.at("/new", feed(&renamed));
    life.database.days_pass(8).await;
    life.terminal.says("fetch", "1 feed in").await;
    let revived = life.feed().await;
    assert_eq!((&revived["state"], &revived["failures"]), (&"active".into(), &0.into()));
    assert_eq!(life.entries().await, "1 One, 2 Two, corrected, 3 Three", "nothing lost, nothing twice");

    // Unread for longer than entries are kept; it does not come back.
    life.database.execute("UPDATE entries SET first_seen_at = 0, sort_at = 0 WHERE id = 1").await;
    let would = life.terminal.json("retain --dry-run --force").await;
    assert_eq!((&would["counters"]["unread_too_long"], &would["dry_run"]), (&1.into(), &true.into()));
    assert_eq!(life.entries().await, "1 One, 2 Two, corrected, 3 Three");
    life.terminal.says("retain --force", "1").await;
    assert_eq!(life.entries().await, "2 Two, corrected, 3 Three");
    life.origin.at("/new", feed(&[renamed[0], renamed[1], ("d", "4", "Four", "fourth words")]));
    assert_eq!(life.visit().await, "1 fresh, 0 unchanged, 0 failed, 1 new, 0 changed");
    assert_eq!(life.entries().await, "2 Two, corrected, 3 Three, 4 Four");

    // As an older parser might have read it.
    life.database.execute("UPDATE entries SET title = 'Fuor' WHERE id = 4").await;
    assert_eq!(life.terminal.json("reparse --dry-run").await["changed"], 1);
    assert_eq!(life.entries().await, "2 Two, corrected, 3 Three, 4 Fuor");
    life.terminal.says("reparse", "title").await;
    assert_eq!(life.entries().await, "2 Two, corrected, 3 Three, 4 Four");
}
