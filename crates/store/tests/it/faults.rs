//! Faults: a server that goes away, a disk that fills. Nothing is lost, nothing is half-written, and it goes on.

use crate::support::{Database, claim, plan, start, titles};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use store::{Address, Options, Store, StoreError};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

/// A way to the server that can be cut: to the client it looks as if the server restarted.
struct Cable {
    address: String,
    cut: watch::Sender<u64>,
    down: Arc<AtomicBool>,
    refusals: watch::Sender<u64>,
}

impl Cable {
    async fn to(server: String) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let (cut, watch) = watch::channel(0);
        let down = Arc::new(AtomicBool::new(false));
        let refusals = watch::Sender::new(0);
        let (refusing, refused) = (Arc::clone(&down), refusals.clone());
        tokio::spawn(async move {
            while let Ok((mut near, _)) = listener.accept().await {
                if refusing.load(Ordering::SeqCst) {
                    drop(near);
                    refused.send_modify(|refusals| *refusals += 1);
                    continue;
                }
                let (server, mut watch) = (server.clone(), watch.clone());
                watch.mark_unchanged();
                tokio::spawn(async move {
                    let mut far = TcpStream::connect(server).await.unwrap();
                    tokio::select! {
                        _ = tokio::io::copy_bidirectional(&mut near, &mut far) => {}
                        _ = watch.changed() => {}
                    }
                });
            }
        });
        Self { address, cut, down, refusals }
    }

    fn cut(&self) {
        self.cut.send_modify(|cuts| *cuts += 1);
    }

    /// Lets the server come back once one more has come and found nobody.
    async fn mend_after_a_refusal(&self) {
        self.refusals.subscribe().changed().await.unwrap();
        self.down.store(false, Ordering::SeqCst);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn connections_cut_in_the_middle_of_commits_lose_and_double_nothing() {
    let db = Database::postgres().await;
    db.feeds(400, "one.example").await;
    let (user, rest) = db.url.split_once('@').unwrap();
    let (server, name) = rest.split_once('/').unwrap();
    let cable = Cable::to(server.to_owned()).await;
    let address = Address::parse(&format!("{user}@{}/{name}", cable.address)).unwrap();
    let store = Store::open(&address, &Options::at(start())).await.unwrap();

    let leases = claim(&store, "w", start(), 400).await;
    let commits: Vec<_> = leases
        .into_iter()
        .map(|lease| {
            let store = store.clone();
            tokio::spawn(async move {
                let title = format!("of {}", lease.feed);
                store.commit(&lease, plan(&lease, start(), &[&title])).await.map(|_| title)
            })
        })
        .collect();
    let mut acknowledged = 0;
    let mut unsure = 0;
    for (i, commit) in commits.into_iter().enumerate() {
        if i % 40 == 5 {
            cable.cut();
        }
        match commit.await.unwrap() {
            Ok(_) => acknowledged += 1,
            // The answer to COMMIT was lost: on the second try the fence says that it had happened.
            Err(StoreError::LeaseLost { .. }) => unsure += 1,
            Err(other) => panic!("{other}"),
        }
    }
    let mut written = titles(&db.store).await;
    written.sort();
    written.dedup();
    assert_eq!(written.len(), 400, "acknowledged {acknowledged}, unsure {unsure}");
    assert_eq!(db.store.count_entries().await.unwrap(), 400);
    assert_eq!(db.open_transactions().await, 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_is_away_is_waited_for() {
    let db = Database::postgres().await;
    let (user, rest) = db.url.split_once('@').unwrap();
    let (server, name) = rest.split_once('/').unwrap();
    let cable = Cable::to(server.to_owned()).await;
    let address = Address::parse(&format!("{user}@{}/{name}", cable.address)).unwrap();

    cable.down.store(true, Ordering::SeqCst);
    let impatient = Options { patience: Duration::ZERO, ..Options::at(start()) };
    let refused = Store::open(&address, &impatient).await.err().expect("nobody there");
    assert!(matches!(refused, StoreError::Unavailable { .. }), "{refused:?}");
    assert!(refused.to_string().contains("cannot be reached"), "{refused}");

    let opening = tokio::spawn({
        let address = address.clone();
        async move { Store::open(&address, &Options::at(start())).await }
    });
    cable.mend_after_a_refusal().await;
    let store = opening.await.unwrap().expect("it waited");

    cable.down.store(true, Ordering::SeqCst);
    cable.cut();
    let asking = tokio::spawn({
        let store = store.clone();
        async move { store.count_feeds().await }
    });
    cable.mend_after_a_refusal().await;
    assert_eq!(asking.await.unwrap().expect("it waited again"), 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_full_disk_stops_writing_only() {
    // Full at twenty points: in the middle of a row, an index, a page of free space.
    for pages in (150..).step_by(2).take(20) {
        full_at(pages).await;
    }
}

async fn full_at(pages: u32) {
    let directory = tempfile::tempdir().unwrap();
    let address = Address::Sqlite(directory.path().join("courant.db"));
    // As a disk of so many pages would: SQLite says the same.
    let small = Options { max_pages: Some(pages), ..Options::at(start()) };
    let store = Store::open(&address, &small).await.unwrap();
    let feeds = (0..40).map(|n| crate::support::feed("one.example", n)).collect();
    store.add_feeds(feeds, start()).await.unwrap();

    let long = "x".repeat(20_000);
    let mut acknowledged = Vec::new();
    let mut refused = 0;
    for lease in claim(&store, "w", start(), 40).await {
        let title = format!("of {}", lease.feed);
        let mut plan = plan(&lease, start(), &[&title]);
        plan.new[0].version.body.content = Some(long.clone());
        match store.commit(&lease, plan).await {
            Ok(done) => acknowledged.push((lease.feed, title, done.new[0])),
            Err(error @ StoreError::Full { .. }) => {
                assert!(error.to_string().contains("free some space"), "{error}");
                refused += 1;
            }
            Err(other) => panic!("{other:?}"),
        }
    }
    assert!(
        !acknowledged.is_empty() && refused > 0,
        "{pages} pages: {} written, {refused} refused",
        acknowledged.len()
    );
    let expected: Vec<String> = acknowledged.iter().map(|(_, title, _)| title.clone()).collect();
    assert_eq!(titles(&store).await, expected, "readable, with all that was acknowledged and nothing else");

    let (feed, _, id) = &acknowledged[0];
    let lock = crate::support::lock(&store, "w", start()).await;
    let burial = crate::support::burial(*id, start());
    store.forget_entries(&lock, start(), *feed, &[burial], model::EntryId(0)).await.expect("freeing space is possible");
    let lease = claim(&store, "w", start() + crate::support::HOUR * 2, 1).await.pop().unwrap();
    store.commit(&lease, plan(&lease, start(), &["after"])).await.expect("and then it goes on by itself");
    store.close(start()).await.unwrap();
    drop(store);
    let again = Store::open(
        &address,
        &Options { check: store::Check::Always, purpose: store::Purpose::Serve, ..Options::at(start()) },
    )
    .await
    .unwrap();
    assert!(titles(&again).await.contains(&"after".to_owned()));
}
