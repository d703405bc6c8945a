//! The walking skeleton: add, claim, visit, commit, list, 304, on both databases, in one process with a manual clock;
//! and once more through the real binary.

use jiff::SignedDuration;
use model::Viewer;
use model::visit::VisitResult;
use testkit::{Response, World, rss};

on_both!(
    a_feed_is_added_visited_and_read,
    a_document_that_is_not_a_feed_is_kept_and_retried,
    unreferenced_bytes_are_swept,
);

async fn a_feed_is_added_visited_and_read(world: World) {
    world.origin.at("/feed", rss(&["one", "two"]));
    let feed = world.add("/feed").await;
    let first = world.run_until_idle().await;
    assert_eq!(first.len(), 1);
    assert_eq!((first[0].0, first[0].1.result, first[0].1.new.len()), (feed, VisitResult::Fresh, 2));
    assert_eq!(world.titles().await, ["one", "two"]);

    assert!(world.run_until_idle().await.is_empty(), "not due yet");
    world.advance(SignedDuration::from_hours(24));
    let second = world.run_until_idle().await;
    assert_eq!(second[0].1.result, VisitResult::Unchanged);

    world.origin.at("/feed", rss(&["one", "two", "three"]));
    world.advance(SignedDuration::from_hours(24));
    let third = world.run_until_idle().await;
    assert_eq!((third[0].1.result, third[0].1.new.len()), (VisitResult::Fresh, 1));
    assert_eq!(world.titles().await, ["one", "two", "three"]);

    assert_eq!(world.origin.visits(), ["GET /feed 200", "GET /feed 304", "GET /feed 200"]);
    let requests = world.origin.requests();
    assert_eq!(requests[0].header("user-agent"), Some("Courant/test"));
    assert_eq!(requests[0].header("if-none-match"), None);
    assert!(requests[1].header("if-none-match").is_some_and(|etag| etag.starts_with('"')));

    let store = world.engine.store();
    let visits = store.visits(Viewer::Operator, feed, 10).await.unwrap();
    let told: Vec<_> = visits.iter().map(|visit| visit.reason.as_str()).collect();
    assert_eq!(told.len(), 3);
    assert!(told.iter().all(|reason| reason.contains("because it publishes about")), "{told:?}");
    // The bytes are stored exactly as served.
    let raw = store.raw_fetches(Viewer::Operator, feed, 10).await.unwrap();
    assert_eq!(raw.len(), 2, "one for each body, none for the 304");
    let wire = world.engine.blobs().wire(&raw[0].blob).await.unwrap();
    assert!(String::from_utf8_lossy(&wire).contains("<title>three</title>"));
    // And every entry has its position in them.
    let entry = store.entries_named(Viewer::Operator, "guid-three").await.unwrap().pop().unwrap();
    let place = store.entry_body(Viewer::Operator, entry.id).await.unwrap().raw.expect("a place in the raw bytes");
    let (from, to) = (place.offset as usize, (place.offset + place.length) as usize);
    let fragment = std::str::from_utf8(&wire[from..to]).unwrap();
    assert!(
        fragment.starts_with("<item>") && fragment.ends_with("</item>") && fragment.contains("guid-three"),
        "{fragment}"
    );
}

async fn a_document_that_is_not_a_feed_is_kept_and_retried(world: World) {
    world.origin.at("/feed", rss(&["one"]));
    let feed = world.add("/feed").await;
    world.run_until_idle().await;
    world.origin.at("/feed", Response::body("text/html", "<!doctype html><title>Oops</title><p>maintenance"));
    world.advance(SignedDuration::from_hours(24));
    let done = world.run_until_idle().await;
    assert_eq!(done[0].1.result, VisitResult::Failed);
    assert_eq!(done[0].1.error.as_deref(), Some("not a feed: this is a web page, not a feed"));
    assert_eq!(world.titles().await, ["one"], "nothing already stored is lost");
    assert_eq!(
        world.engine.store().raw_fetches(Viewer::Operator, feed, 10).await.unwrap().len(),
        2,
        "what it served is kept"
    );
    world.origin.at("/feed", rss(&["one", "two"]));
    world.advance(SignedDuration::from_hours(24));
    world.run_until_idle().await;
    assert_eq!(world.titles().await, ["one", "two"]);
    let status = world.engine.store().feed(Viewer::Operator, &store::FeedName::Id(feed)).await.unwrap();
    assert_eq!((status.failures, status.last_error), (0, None));
}

async fn unreferenced_bytes_are_swept(world: World) {
    world.origin.at("/feed", rss(&["one"]));
    let feed = world.add("/feed").await;
    world.run_until_idle().await;
    let (blobs, store) = (world.engine.blobs(), world.engine.store());
    // As left by a worker that crashed between storing the bytes and its commit.
    let orphan = blobs.put(world.now(), model::blob::Coding::Identity, "nobody's".into()).await.unwrap();
    engine::tidy_up(&world.engine, world.now()).await.unwrap();
    assert!(blobs.wire(&orphan).await.is_ok(), "young bytes may still be referred to");
    world.advance(SignedDuration::from_hours(48));
    engine::tidy_up(&world.engine, world.now()).await.unwrap();
    assert!(blobs.wire(&orphan).await.is_err(), "nobody came for them");
    let kept = store.raw_fetches(Viewer::Operator, feed, 1).await.unwrap().pop().unwrap();
    assert!(blobs.wire(&kept.blob).await.is_ok(), "what is referred to stays");
}
