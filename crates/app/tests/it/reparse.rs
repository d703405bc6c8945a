//! Reparsing: what the parser now reads differently is updated, and nothing else changes.

use engine::{Reparsed, Reparsing, reparse};
use jiff::SignedDuration;
use model::entry::Entry;
use model::plan::{ChangedEntry, EntryVersion, FeedFacts, Keep};
use model::{EntryId, EventId, Viewer};
use serde_json::json;
use store::{EntryFilter, FeedName, Rewrite};
use testkit::{Response, World, rss};

use crate::program::Program;
use crate::serve::{Server, eventually, program, titles};

on_both!(
    an_unchanged_parser_changes_nothing,
    differences_are_written,
    the_newest_document_decides_about_the_feed,
    an_edit_does_not_move_an_entry,
    missed_entries_are_found,
    a_worker_visiting_the_feed_has_priority,
);

const DRY: Reparsing = Reparsing { since: None, write: false, examples: 10 };
const WRITE: Reparsing = Reparsing { since: None, write: true, examples: 10 };
const DAY: SignedDuration = SignedDuration::from_hours(24);

async fn entries(world: &World) -> Vec<Entry> {
    world.engine.store().arrived(Viewer::Operator, EntryFilter::default(), EntryId(0), 100).await.unwrap()
}

/// In how many entries each field differs.
fn fields(again: &Reparsed) -> String {
    again.fields.iter().map(|(field, count)| format!("{field} {count}")).collect::<Vec<_>>().join(", ")
}

/// As if an older parser had misread an entry's title and date, so that its position is wrong.
async fn misread(world: &World, entry: &Entry) {
    let store = world.engine.store();
    let body = store.entry_body(Viewer::Operator, entry.id).await.unwrap();
    let version = EntryVersion {
        title: Some("wrong".into()),
        excerpt: entry.excerpt.clone(),
        link: entry.link.clone(),
        published_at: Some(world.now()),
        updated_at: entry.updated_at,
        content_hash: [7; 16],
        raw_hash: [7; 16],
        preview: entry.preview.clone(),
        body,
    };
    let changed = vec![ChangedEntry { id: entry.id, version, keys: Vec::new(), keep: Keep::Nothing }];
    let sorted = vec![(entry.id, world.now() - DAY)];
    let peeked = store.unscoped().peek(entry.feed).await.unwrap();
    store.rewrite(&peeked, Rewrite { changed, sorted, ..Rewrite::default() }, world.now()).await.unwrap();
}

async fn an_unchanged_parser_changes_nothing(world: World) {
    world.origin.at("/feed", rss(&["one", "two"]));
    let feed = world.add("/feed").await;
    world.run_until_idle().await;
    world.origin.at("/feed", rss(&["two", "three"]));
    world.advance(SignedDuration::from_hours(24));
    world.run_until_idle().await;
    let (before, status) =
        (entries(&world).await, world.engine.store().feed(Viewer::Operator, &FeedName::Id(feed)).await.unwrap());
    let again = reparse(&world.engine, feed, WRITE).await.unwrap();
    assert_eq!((again.documents, again.changed, again.new, fields(&again)), (2, 0, 0, String::new()), "{again:?}");
    assert_eq!(entries(&world).await, before);
    assert_eq!(world.engine.store().feed(Viewer::Operator, &FeedName::Id(feed)).await.unwrap(), status);
}

async fn differences_are_written(world: World) {
    world.origin.at("/feed", rss(&["one", "two"]));
    let feed = world.add("/feed").await;
    world.run_until_idle().await;
    let right = entries(&world).await;
    misread(&world, &right[0]).await;
    let store = world.engine.store();
    let (wrong, status) = (entries(&world).await, store.feed(Viewer::Operator, &FeedName::Id(feed)).await.unwrap());
    let events = store.events(Viewer::Operator, EventId(0), 100).await.unwrap().len();

    let dry = reparse(&world.engine, feed, DRY).await.unwrap();
    let told: Vec<_> = dry.examples.iter().map(|one| (one.entry, one.what.join(" "))).collect();
    assert_eq!(told, [(right[0].id, "title date order".to_owned())]);
    assert_eq!((dry.changed, fields(&dry)), (1, "date 1, order 1, title 1".to_owned()));
    assert_eq!(entries(&world).await, wrong, "nothing is written");
    let later = Reparsing { since: Some(world.now() + SignedDuration::from_secs(1)), ..WRITE };
    assert_eq!(reparse(&world.engine, feed, later).await.unwrap().documents, 0);

    let written = reparse(&world.engine, feed, WRITE).await.unwrap();
    assert_eq!(written, dry);
    assert_eq!(entries(&world).await, right);
    assert_eq!(store.feed(Viewer::Operator, &FeedName::Id(feed)).await.unwrap(), status, "schedule and history stay");
    assert_eq!(
        store.events(Viewer::Operator, EventId(0), 100).await.unwrap().len(),
        events + 1,
        "only the edit is told"
    );
    assert_eq!(reparse(&world.engine, feed, WRITE).await.unwrap().changed, 0);
    assert_eq!(world.origin.visits().len(), 1, "nobody was visited");
}

/// A document with a title of the feed's own and one dated entry.
fn titled(feed: &str, words: &str, hour: i64) -> Response {
    let date = testkit::world::beginning() + SignedDuration::from_hours(hour);
    let text = format!(
        "<rss version='2.0'><channel><title>{feed}</title><link>https://{feed}.example/</link>\
         <description>About {feed}</description><item><guid isPermaLink='false'>1</guid><title>{words}</title>\
         <pubDate>{}</pubDate></item></channel></rss>",
        date.strftime("%a, %d %b %Y %H:%M:%S GMT")
    );
    Response::body("application/rss+xml", text)
}

async fn the_newest_document_decides_about_the_feed(world: World) {
    let feed = world.add("/feed").await;
    for name in ["old", "new"] {
        world.origin.at("/feed", titled(name, "same", -1));
        world.run_until_idle().await;
        world.advance(DAY);
    }
    let store = world.engine.store();
    let right = store.feed(Viewer::Operator, &FeedName::Id(feed)).await.unwrap();
    assert_eq!(right.feed.description.as_deref(), Some("About new"));
    let wrong = FeedFacts { title: Some("wrong".into()), guids: right.feed.guids, ..FeedFacts::default() };
    let peeked = store.unscoped().peek(feed).await.unwrap();
    store.rewrite(&peeked, Rewrite { facts: Some(wrong), ..Rewrite::default() }, world.now()).await.unwrap();
    let expected = "feed description 1, feed kind 1, feed link 1, feed title 1";
    let dry = reparse(&world.engine, feed, DRY).await.unwrap();
    assert_eq!((dry.documents, dry.changed, fields(&dry)), (2, 0, expected.to_owned()));
    assert_eq!(store.feed(Viewer::Operator, &FeedName::Id(feed)).await.unwrap().feed.title.as_deref(), Some("wrong"));
    // Without the document that the feed's row comes from, no older one is used.
    let newest = store.raw_fetches(Viewer::Operator, feed, 1).await.unwrap().remove(0);
    let bytes = world.engine.blobs().wire(&newest.blob).await.unwrap();
    world.engine.blobs().delete(&[newest.blob.key()]).await.unwrap();
    let without = reparse(&world.engine, feed, WRITE).await.unwrap();
    assert_eq!((without.documents, without.unreadable, fields(&without)), (1, 1, String::new()));
    world.engine.blobs().put(world.now(), newest.blob.coding, bytes).await.unwrap();

    assert_eq!(fields(&reparse(&world.engine, feed, WRITE).await.unwrap()), expected);
    let mended = store.feed(Viewer::Operator, &FeedName::Id(feed)).await.unwrap();
    assert_eq!(model::feed::Feed { updated_at: right.feed.updated_at, ..mended.feed }, right.feed);
    assert!(reparse(&world.engine, feed, WRITE).await.unwrap().says_the_same());
}

async fn an_edit_does_not_move_an_entry(world: World) {
    let feed = world.add("/feed").await;
    world.origin.at("/feed", titled("one", "first", -5));
    world.run_until_idle().await;
    world.advance(DAY);
    // The publisher changes the content, and its date.
    world.origin.at("/feed", titled("one", "edited", 3));
    world.run_until_idle().await;
    let before = entries(&world).await;
    assert_eq!(before[0].sort_at, testkit::world::beginning() - SignedDuration::from_hours(5));
    assert!(before[0].published_at > Some(before[0].sort_at), "{before:?}");
    let again = reparse(&world.engine, feed, WRITE).await.unwrap();
    assert!(again.documents == 2 && again.says_the_same(), "{again:?}");
    assert_eq!(entries(&world).await, before);
}

async fn missed_entries_are_found(world: World) {
    world.origin.at("/feed", rss(&["one", "two"]));
    let feed = world.add("/feed").await;
    world.run_until_idle().await;
    // As if it had not been recognised as an entry.
    let missed = entries(&world).await.remove(0);
    let (store, now) = (world.engine.store(), world.now());
    let minute = SignedDuration::from_mins(1);
    let lock = store.take_lock("maintenance.job", world.engine.worker(), now, minute).await.unwrap().unwrap();
    let burial = model::retention::Burial { id: missed.id, why: model::retention::Why::Old, tombstone_until: now };
    store.forget_entries(&lock, now, feed, &[burial], EntryId(0)).await.unwrap();
    world.engine.store().forget_tombstones(world.now()).await.unwrap();
    let dry = reparse(&world.engine, feed, DRY).await.unwrap();
    assert_eq!((dry.new, dry.new_titles.clone(), world.titles().await.len()), (1, vec!["one".to_owned()], 1));
    reparse(&world.engine, feed, WRITE).await.unwrap();
    let found = entries(&world).await.pop().unwrap();
    assert_eq!((found.title, found.quiet), (missed.title, true), "found, and news to nobody");
}

async fn a_worker_visiting_the_feed_has_priority(world: World) {
    world.origin.at("/feed", rss(&["one"]));
    let feed = world.add("/feed").await;
    world.run_until_idle().await;
    let entry = entries(&world).await.remove(0);
    misread(&world, &entry).await;
    world.advance(SignedDuration::from_hours(48));
    let until = world.now() + SignedDuration::from_mins(2);
    let leases = world.engine.store().unscoped().claim_due(world.engine.worker(), world.now(), until, 1).await.unwrap();
    assert_eq!(leases.len(), 1);
    let held = reparse(&world.engine, feed, WRITE).await.unwrap();
    assert!(held.interrupted && held.says_the_same() && held.changed == 0, "{held:?}");
    assert_eq!(world.titles().await, ["wrong"]);
    world.engine.store().hand_back(&[(feed, leases[0].token)], world.now()).await.unwrap();
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
        assert_eq!(program.run(&["feed", "add", "--as-is", &url]).code, 0);
        eventually(&2, || titles(&program).len());
        let run = program.run(&["reparse", "--feed", "1", "--dry-run", "--since", "1d"]);
        let expected = "1 documents read: 0 entries different, 0 new; nothing was written\n";
        assert_eq!((run.code, run.stdout.as_str()), (0, expected), "{}", run.stderr);
        let run = program.run(&["reparse", "--json"]);
        let answer: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
        assert_eq!((&answer["documents"], &answer["dry_run"]), (&1.into(), &false.into()), "{answer}");
        assert_eq!((&answer["feeds"], &answer["fields"]), (&json!([]), &json!({})), "{answer}");
        // As if an older parser had misread it.
        let misread =
            "UPDATE entries SET title = 'wrong', sort_at = sort_at - 1 WHERE id = 1; UPDATE feeds SET title = 'no'";
        rusqlite::Connection::open(program.path("data/courant.db")).unwrap().execute_batch(misread).unwrap();
        let run = program.run(&["reparse", "--dry-run"]);
        let lines: Vec<&str> = run.stdout.lines().collect();
        let counts = "1 different, 0 new (feed title 1, order 1, title 1)";
        assert!(lines[0].starts_with("1  http://127.0.0.1:") && lines[0].ends_with(counts), "{}", run.stdout);
        assert_eq!(lines[1], "  1  one: title, order");
        let end = "1 documents read: 1 entries different, 0 new (feed title 1, order 1, title 1); nothing was written";
        assert_eq!(lines[2], end);
        let run = program.run(&["reparse", "--json"]);
        let answer: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
        let expected = json!({
            "id": 1, "url": url, "documents": 1, "unreadable": 0, "changed": 1, "new": 0, "interrupted": false,
            "fields": { "feed title": 1, "order": 1, "title": 1 }, "new_titles": [],
            "examples": [{ "entry": 1, "title": "one", "different": ["title", "order"] }],
        });
        assert_eq!(answer["feeds"], json!([expected]));
        assert_eq!(titles(&program), ["one", "two"], "and it is mended");
        let run = program.run(&["reparse", "--since", "yesterday"]);
        assert!(run.code == 1 && run.stderr.contains("`yesterday` is not a time"), "{}", run.stderr);
        assert_eq!(server.stop().0, Some(0));
    };
    tokio::task::spawn_blocking(walk).await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_document_is_read_however_many_there_are() {
    let origin = testkit::Origin::start().await;
    origin.at("/feed", rss(&["one", "two"]));
    let url = origin.url("/feed");
    let walk = move || {
        let program: Program = program();
        assert_eq!(program.run(&["feed", "add", "--as-is", &url]).code, 0);
        assert_eq!(program.run(&["fetch"]).code, 0);
        let database = rusqlite::Connection::open(program.path("data/courant.db")).unwrap();
        // The same bytes were served repeatedly, twice at each time; the content of the first was misread.
        let meddled = database.execute_batch(
            "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1199)
             INSERT INTO raw_fetches SELECT randomblob(16), feed_id, fetched_at + 1000000 * (i / 2), url, status,
                 request_headers, response_headers, blob_hash, coding, at_rest, wire_bytes, stored_bytes,
                 decoded_bytes, content_type, truncated, problems, understood FROM raw_fetches, n;
             UPDATE entries SET title = 'wrong'",
        );
        meddled.unwrap();
        let first = database.query_row("SELECT min(fetched_at) FROM raw_fetches", [], |row| row.get(0)).unwrap();
        drop(database);
        let told = |arguments: &[&str]| program.run(&[&["reparse"], arguments].concat()).stdout;
        let since = jiff::Timestamp::from_microsecond(first).unwrap() + SignedDuration::from_secs(590);
        let few = told(&["--dry-run", "--since", &since.to_string()]);
        assert!(few.starts_with("20 documents read: 0 entries different"), "{few}");
        let all = told(&[]);
        assert!(all.contains("1200 documents read: 2 entries different, 0 new (title 2)"), "{all}");
        assert_eq!(titles(&program), ["one", "two"]);
    };
    tokio::task::spawn_blocking(walk).await.unwrap();
}
