//! Reading again what was served: what the parser understands otherwise is brought up to date, and nothing else moves.

use engine::{Reparsing, reparse};
use jiff::SignedDuration;
use model::entry::Entry;
use model::plan::{ChangedEntry, EntryVersion, Keep};
use model::{EntryId, EventId};
use store::{EntryFilter, FeedName, Rewrite};
use testkit::{World, rss};

use crate::program::Program;
use crate::serve::{Server, eventually, program, titles};

on_both!(
    a_parser_that_has_learnt_nothing_changes_nothing,
    what_was_understood_otherwise_is_brought_up_to_date,
    what_was_missed_is_found,
    a_worker_that_is_at_the_feed_comes_first,
);

const DRY: Reparsing = Reparsing { since: None, write: false };
const WRITE: Reparsing = Reparsing { since: None, write: true };

async fn entries(world: &World) -> Vec<Entry> {
    world.engine.store.arrived(EntryFilter::default(), EntryId(0), 100).await.unwrap()
}

/// As if an older parser had read an entry's title and date wrongly.
async fn misread(world: &World, entry: &Entry) {
    let store = &world.engine.store;
    let body = store.entry_body(entry.id).await.unwrap();
    let version = EntryVersion {
        title: Some("wrong".into()),
        excerpt: entry.excerpt.clone(),
        link: entry.link.clone(),
        published_at: Some(world.now()),
        updated_at: entry.updated_at,
        content_hash: [7; 16],
        raw_hash: [7; 16],
        body,
    };
    let changed = vec![ChangedEntry { id: entry.id, version, keys: Vec::new(), keep: Keep::Nothing }];
    let peeked = store.peek(entry.feed).await.unwrap();
    store.rewrite(&peeked, Rewrite { new: Vec::new(), changed }, world.now()).await.unwrap();
}

async fn a_parser_that_has_learnt_nothing_changes_nothing(world: World) {
    world.origin.at("/feed", rss(&["one", "two"]));
    let feed = world.add("/feed").await;
    world.run_until_idle().await;
    world.origin.at("/feed", rss(&["two", "three"]));
    world.advance(SignedDuration::from_hours(24));
    world.run_until_idle().await;
    let (before, status) = (entries(&world).await, world.engine.store.feed(&FeedName::Id(feed)).await.unwrap());
    let again = reparse(&world.engine, feed, WRITE).await.unwrap();
    assert_eq!((again.documents, again.changed.len(), again.new.len()), (2, 0, 0), "{again:?}");
    assert_eq!(entries(&world).await, before);
    assert_eq!(world.engine.store.feed(&FeedName::Id(feed)).await.unwrap(), status);
}

async fn what_was_understood_otherwise_is_brought_up_to_date(world: World) {
    world.origin.at("/feed", rss(&["one", "two"]));
    let feed = world.add("/feed").await;
    world.run_until_idle().await;
    let right = entries(&world).await;
    misread(&world, &right[0]).await;
    let store = &world.engine.store;
    let (wrong, status) = (entries(&world).await, store.feed(&FeedName::Id(feed)).await.unwrap());
    let events = store.events(EventId(0), 100).await.unwrap().len();

    let dry = reparse(&world.engine, feed, DRY).await.unwrap();
    let told: Vec<_> = dry.changed.iter().map(|one| (one.entry, one.what.join(" "))).collect();
    assert_eq!(told, [(right[0].id, "title date".to_owned())]);
    assert_eq!(entries(&world).await, wrong, "nothing is written");
    let later = Reparsing { since: Some(world.now() + SignedDuration::from_secs(1)), write: true };
    assert_eq!(reparse(&world.engine, feed, later).await.unwrap().documents, 0);

    let written = reparse(&world.engine, feed, WRITE).await.unwrap();
    assert_eq!(written, dry);
    assert_eq!(entries(&world).await, right);
    assert_eq!(store.feed(&FeedName::Id(feed)).await.unwrap(), status, "schedule and history stay");
    assert_eq!(store.events(EventId(0), 100).await.unwrap().len(), events + 1, "only the edit is told");
    assert!(reparse(&world.engine, feed, WRITE).await.unwrap().changed.is_empty());
    assert_eq!(world.origin.visits().len(), 1, "nobody was visited");
}

async fn what_was_missed_is_found(world: World) {
    world.origin.at("/feed", rss(&["one", "two"]));
    let feed = world.add("/feed").await;
    world.run_until_idle().await;
    // As if it had not been recognised as an entry.
    let missed = entries(&world).await.remove(0);
    let (store, now) = (&world.engine.store, world.now());
    let minute = SignedDuration::from_mins(1);
    let lock = store.take_lock("maintenance.job", &world.engine.worker, now, minute).await.unwrap().unwrap();
    let burial = model::retention::Burial { id: missed.id, why: model::retention::Why::Old, tombstone_until: now };
    store.forget_entries(&lock, now, feed, &[burial], EntryId(0)).await.unwrap();
    world.engine.store.forget_tombstones(world.now()).await.unwrap();
    let dry = reparse(&world.engine, feed, DRY).await.unwrap();
    assert_eq!((dry.new.len(), world.titles().await.len()), (1, 1));
    reparse(&world.engine, feed, WRITE).await.unwrap();
    let found = entries(&world).await.pop().unwrap();
    assert_eq!((found.title, found.quiet), (missed.title, true), "found, and news to nobody");
}

async fn a_worker_that_is_at_the_feed_comes_first(world: World) {
    world.origin.at("/feed", rss(&["one"]));
    let feed = world.add("/feed").await;
    world.run_until_idle().await;
    let entry = entries(&world).await.remove(0);
    misread(&world, &entry).await;
    world.advance(SignedDuration::from_hours(48));
    let until = world.now() + SignedDuration::from_mins(2);
    let leases = world.engine.store.claim_due(&world.engine.worker, world.now(), until, 1).await.unwrap();
    assert_eq!(leases.len(), 1);
    let held = reparse(&world.engine, feed, WRITE).await.unwrap();
    assert!(held.interrupted && held.changed.is_empty(), "{held:?}");
    assert_eq!(world.titles().await, ["wrong"]);
    world.engine.store.hand_back(&[(feed, leases[0].token)], world.now()).await.unwrap();
    assert!(!reparse(&world.engine, feed, WRITE).await.unwrap().interrupted);
    assert_eq!(world.titles().await, ["one"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_real_binary_reads_again_beside_a_server() {
    let origin = testkit::Origin::start().await;
    origin.at("/feed", rss(&["one", "two"]));
    let url = origin.url("/feed");
    let walk = move || {
        let program: Program = program();
        let server = Server::start(&program, &[]);
        assert_eq!(program.run(&["feed", "add", &url]).code, 0);
        eventually(&2, || titles(&program).len());
        let run = program.run(&["reparse", "--feed", "1", "--dry-run", "--since", "1d"]);
        let expected = "1 documents read: 0 entries different, 0 new; nothing was written\n";
        assert_eq!((run.code, run.stdout.as_str()), (0, expected), "{}", run.stderr);
        let run = program.run(&["reparse", "--json"]);
        let answer: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
        assert_eq!((&answer["feeds"][0]["documents"], &answer["dry_run"]), (&1.into(), &false.into()), "{answer}");
        let run = program.run(&["reparse", "--since", "yesterday"]);
        assert!(run.code == 1 && run.stderr.contains("`yesterday` is no time"), "{}", run.stderr);
        assert_eq!(server.stop().0, Some(0));
    };
    tokio::task::spawn_blocking(walk).await.unwrap();
}
