//! kill -9: what was acknowledged is there, and nothing is half-written.
//!
//! The test starts itself again as a child that commits random plans and prints each acknowledgement; it kills the
//! child in the middle and looks at what is left. Ten times on each database.

use crate::support::{Database, HOUR, claim, on_both, plan, start, titles};
use model::Viewer;
use model::event::EventKind;
use std::collections::HashSet;
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Command, Stdio};
use store::{Address, FeedName, Options, Store};

on_both!(killed_in_the_middle_of_random_commits);

const CHILD: &str = "COURANT_STORE_KILLED_CHILD";
const ROUND: &str = "COURANT_STORE_KILLED_ROUND";
const FEEDS: u128 = 50;
const ROUNDS: usize = 10;

async fn killed_in_the_middle_of_random_commits(db: Database) {
    if let Ok(url) = std::env::var(CHILD) {
        commit_for_ever(&url).await;
    }
    let feeds = db.feeds(FEEDS, "one.example").await;
    let mut acknowledged = HashSet::new();
    for round in 0..ROUNDS {
        let mut child = start_child(&db, round);
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        // Another number of acknowledgements each time; then no mercy.
        let acks = lines.map(Result::unwrap).filter_map(|line| line.strip_prefix("ack ").map(str::to_owned));
        for (n, ack) in acks.enumerate() {
            acknowledged.insert(ack);
            if n == 50 + 3 * round {
                child.kill().unwrap();
            }
        }
        child.wait().unwrap();
    }
    assert!(acknowledged.len() > 50 * ROUNDS, "only {} commits before the kills", acknowledged.len());

    let store = db.another().await;
    let written = titles(&store).await;
    let distinct: HashSet<String> = written.iter().cloned().collect();
    assert_eq!(distinct.len(), written.len(), "nothing is there twice");
    assert!(acknowledged.is_subset(&distinct), "what was acknowledged is there");

    let mut visits = 0;
    for feed in &feeds {
        visits += store.feed(Viewer::Operator, &FeedName::Id(*feed)).await.unwrap().visits as usize;
    }
    let events = store.events(Viewer::Operator, model::EventId(0), 100_000).await.unwrap();
    let news = events.iter().filter(|event| event.kind == EventKind::EntryNew).count();
    assert_eq!((visits, news), (written.len(), written.len()), "a visit, its entry and its event: all or none");
    for entry in
        store.arrived(Viewer::Operator, store::EntryFilter::default(), model::EntryId(0), 100_000).await.unwrap()
    {
        assert_eq!(
            store.entry_body(Viewer::Operator, entry.id).await.unwrap().content,
            entry.title.map(|title| format!("<p>{title}</p>"))
        );
    }
}

fn start_child(db: &Database, round: usize) -> std::process::Child {
    let test = match db.address {
        Address::Sqlite(_) => "killed::sqlite::killed_in_the_middle_of_random_commits",
        Address::Postgres(_) => "killed::postgres::killed_in_the_middle_of_random_commits",
    };
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", test, "--nocapture"])
        .env(CHILD, &db.url)
        .env(ROUND, round.to_string())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// What the child does: every commit brings one entry and makes its feed due again at once.
async fn commit_for_ever(url: &str) {
    let store = Store::open(&Address::parse(url).unwrap(), &Options::at(start())).await.unwrap();
    let round: i32 = std::env::var(ROUND).unwrap().parse().unwrap();
    for n in 0.. {
        // Leases of children that were killed expire: each child looks an hour later than the one before.
        let now = start() + HOUR * round;
        let leases = claim(&store, &format!("child {round}"), now, 8).await;
        let commits = leases.into_iter().enumerate().map(|(i, lease)| {
            let store = store.clone();
            tokio::spawn(async move {
                let title = format!("{round}-{n}-{i}");
                let mut plan = plan(&lease, now, &[&title]);
                plan.schedule.next = model::schedule::Next::At(now);
                if store.commit(&lease, plan).await.is_ok() {
                    let mut out = std::io::stdout().lock();
                    writeln!(out, "ack {title}").and_then(|()| out.flush()).unwrap();
                }
            })
        });
        for commit in commits.collect::<Vec<_>>() {
            commit.await.unwrap();
        }
    }
}
