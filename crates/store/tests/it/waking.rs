//! Wake-ups: who waits for events is woken by the commit that brings them, in its process and, on PostgreSQL, in others.
//!
//! A wait of no time asks whether a wake-up is there already. Elsewhere tests wait for the wake-up itself.

use crate::support::{Database, claim, feed, on_both, plan, start};
use model::{EventId, Viewer};
use std::time::Duration;
use store::{Store, Topic, Waiter, Woken};

/// Longer than any test may take: only a wake-up ends such a wait.
const NEVER: Duration = Duration::from_hours(24);

on_both!(a_commit_wakes_the_tasks_of_its_process, a_visit_that_brought_nothing_wakes_nobody);

async fn a_commit_wakes_the_tasks_of_its_process(db: Database) {
    commits_wake(&db.store).await;
}

#[tokio::test]
async fn a_simulated_commit_wakes_the_tasks_of_its_process() {
    commits_wake(&Store::simulated(start()).unwrap()).await;
}

/// Nobody listens to the server before the first wait: what is there by then came from this process, and between making
/// the waiter and waiting.
async fn commits_wake(store: &Store) {
    let mut of_the_feed = store.waiter(Topic::Events);
    store.add_feed(feed("one.example", 1), start()).await.unwrap();
    let lease = claim(store, "w", start(), 1).await.pop().unwrap();
    let (mut of_the_entry, mut jobs) = (store.waiter(Topic::Events), store.waiter(Topic::Jobs));
    store.commit(&lease, plan(&lease, start(), &["first"])).await.unwrap();
    assert_eq!(jobs.wait(Duration::ZERO).await, Woken::TimedOut, "another topic");
    assert_eq!(of_the_entry.wait(Duration::ZERO).await, Woken::Called);
    assert_eq!(of_the_feed.wait(Duration::ZERO).await, Woken::Called);
}

async fn a_visit_that_brought_nothing_wakes_nobody(db: Database) {
    let lease = db.leased().await;
    let mut waiter = db.store.waiter(Topic::Events);
    db.store.commit(&lease, plan(&lease, start(), &[])).await.unwrap();
    assert_eq!(waiter.wait(Duration::ZERO).await, Woken::TimedOut);
}

/// A waiter that hears other processes: the first wake-up says that listening has begun.
async fn listening(store: &Store) -> Waiter {
    let mut waiter = store.waiter(Topic::Events);
    assert_eq!(waiter.wait(NEVER).await, Woken::Called);
    waiter
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn processes_on_one_server_wake_each_other() {
    let db = Database::postgres().await;
    let other = db.another().await;
    let (mut here, mut there) = (listening(&db.store).await, listening(&other).await);
    other.add_feed(feed("one.example", 1), start()).await.unwrap();
    assert_eq!(here.wait(NEVER).await, Woken::Called);
    let answer = async {
        while other.events(Viewer::Operator, EventId(0), 10).await.unwrap().len() < 2 {
            there.wait(NEVER).await;
        }
    };
    let question = async { db.store.add_feed(feed("one.example", 2), start()).await.unwrap() };
    tokio::join!(answer, question);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_group_sends_one_notification_and_a_visit_that_brought_nothing_sends_none() {
    let db = Database::postgres().await;
    let lease = db.leased().await;
    let (client, mut connection) = tokio_postgres::connect(&db.url, tokio_postgres::NoTls).await.unwrap();
    let (heard, mut hear) = tokio::sync::mpsc::unbounded_channel();
    tokio::spawn(async move {
        while let Some(Ok(message)) = std::future::poll_fn(|context| connection.poll_message(context)).await {
            if let tokio_postgres::AsyncMessage::Notification(notification) = message {
                heard.send((notification.channel().to_owned(), notification.payload().to_owned())).unwrap();
            }
        }
    });
    client.batch_execute("LISTEN courant_events; LISTEN courant_jobs").await.unwrap();
    db.store.commit(&lease, plan(&lease, start(), &[])).await.unwrap();
    db.store.add_feeds((1..4).map(|n| feed("two.example", n)).collect(), start()).await.unwrap();
    client.batch_execute("NOTIFY courant_events, 'end'").await.unwrap();
    let mut all = Vec::new();
    while all.last().is_none_or(|(_, payload): &(String, String)| payload.is_empty()) {
        all.push(hear.recv().await.unwrap());
    }
    let expected = [("courant_events", ""), ("courant_events", "end")];
    assert_eq!(all, expected.map(|(channel, payload)| (channel.to_owned(), payload.to_owned())));
}

/// A listener that was cut off comes back, and then wakes whoever waits: what happened meanwhile is read.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_listener_that_was_cut_off_comes_back() {
    let db = Database::postgres().await;
    let other = db.another().await;
    let mut waiter = listening(&other).await;
    let cut = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
               WHERE datname = current_database() AND query LIKE 'LISTEN %' AND pid <> pg_backend_pid()";
    assert_eq!(db.number(cut).await, 1, "one connection listens");
    // One of the two wake-ups may be the last thing that the old connection heard.
    for n in 1..=2 {
        db.store.add_feed(feed("one.example", n), start()).await.unwrap();
        assert_eq!(waiter.wait(NEVER).await, Woken::Called);
    }
}
