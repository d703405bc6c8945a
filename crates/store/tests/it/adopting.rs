//! A copy of a database in use becomes a database of its own: nobody there waits for processes that are elsewhere.

use crate::support::{Database, HOUR, MINUTE, SECOND, claim, lock, plan, quick, start, worker};
use model::{FeedId, Viewer};
use store::{Address, FeedName, Options, Purpose, Store, adopt_file, copy_file, inspect_file};

/// Everything that a worker or a maintenance process had is free, and nothing else has changed.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn leases_and_locks_of_the_old_place_are_let_go() {
    let db = Database::sqlite().await;
    let feeds = db.feeds(4, "one.example").await;
    let leased = claim(&db.store, "w", start(), 3).await;
    assert_eq!(leased.len(), 3);
    // One was visited and comes again in an hour; one waits for its slot; one is being visited; one is due.
    db.store.commit(&leased[0], plan(&leased[0], start(), &["one"])).await.unwrap();
    db.meddle("UPDATE schedule SET worker = NULL, due_at = due_at + 7, slot_at = due_at WHERE feed_id = 2").await;
    lock(&db.store, "m", start()).await;
    let Address::Sqlite(path) = &db.address else { unreachable!("SQLite was asked for") };
    let copy = path.with_file_name("copy.db");
    copy_file(path, &copy).unwrap();
    let before = inspect_file(&copy).unwrap();

    // Neither has expired yet.
    let now = start() + SECOND * 30;
    assert_eq!(adopt_file(&copy, now).unwrap(), 1);
    let after = inspect_file(&copy).unwrap();
    assert_eq!((after.entries, after.feeds, after.troubles), (before.entries, before.feeds, before.troubles));

    let here = Store::open(&Address::Sqlite(copy.clone()), &quick()).await.unwrap();
    let status = async |store: &Store, feed: FeedId| {
        let status = store.feed(Viewer::Operator, &FeedName::Id(feed)).await.unwrap();
        (status.due_at.unwrap(), status.worker)
    };
    assert_eq!(status(&here, feeds[0]).await, (start() + HOUR, None));
    assert_eq!(status(&here, feeds[1]).await, status(&db.store, feeds[1]).await, "one that waits goes on waiting");
    assert_eq!(status(&here, feeds[2]).await, (now, None), "it was due, and is");
    assert_eq!(status(&here, feeds[3]).await, (start(), None));
    assert_eq!(
        here.unscoped().peek(feeds[1]).await.unwrap().slot,
        db.store.unscoped().peek(feeds[1]).await.unwrap().slot
    );
    let claimed: Vec<FeedId> = claim(&here, "v", now, 9).await.iter().map(|lease| lease.feed).collect();
    assert_eq!(claimed.len(), 2, "{claimed:?}");
    assert!(here.take_lock("maintenance", &worker("v"), now, MINUTE).await.unwrap().is_some());
    // Whoever comes from the old place with its lease writes nothing here.
    assert!(here.commit(&leased[2], plan(&leased[2], now, &["late"])).await.is_err());
    // Where it comes from, all is as it was.
    assert_eq!(status(&db.store, feeds[2]).await, (start() + MINUTE * 2, Some("w".to_owned())));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_copy_of_one_that_is_running_was_not_cut_off() {
    let directory = tempfile::tempdir().unwrap();
    let (path, copy) = (directory.path().join("courant.db"), directory.path().join("copy.db"));
    let serving = Options { purpose: Purpose::Serve, ..Options::at(start()) };
    let _running = Store::open(&Address::Sqlite(path.clone()), &serving).await.unwrap();
    copy_file(&path, &copy).unwrap();
    assert_eq!(inspect_file(&copy).unwrap().last_stop.as_deref(), Some("unclean"));
    adopt_file(&copy, start()).unwrap();
    assert_eq!(inspect_file(&copy).unwrap().last_stop.as_deref(), Some("clean"));
}
