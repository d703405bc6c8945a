//! The whole life of a feed, and harmful feeds: nothing stored is lost, and other feeds are not affected.

use jiff::SignedDuration;
use model::FeedId;
use model::event::{EventKind, Subject};
use model::feed::FeedState;
use model::visit::VisitResult;
use model::{EntryId, EventId, Viewer};
use std::fmt::Write as _;
use store::{FeedName, FeedStatus};
use testkit::{Response, World, rss};

on_both!(
    an_edited_entry_keeps_its_id_and_revisions,
    ids_that_change_while_links_stay_bring_nothing_new,
    a_move_is_adopted_when_it_is_certain,
    a_move_to_another_feeds_url_is_reported_only,
    a_hijack_is_not_adopted,
    a_feed_that_is_gone_is_retired_and_can_come_back,
    ten_failures_disable_and_a_probe_revives,
    fifty_thousand_entries_are_two_thousand,
    a_date_in_2099_does_not_stay_on_top,
    a_flood_is_stored_and_not_announced,
    a_page_instead_of_a_feed_deletes_nothing,
    a_truncated_body_is_kept_as_such,
    a_budget_of_visits_is_distributed,
);

const HOUR: SignedDuration = SignedDuration::from_hours(1);
const DAY: SignedDuration = SignedDuration::from_hours(24);

/// A feed of entries given as (guid, link, title, words).
pub(crate) fn feed(entries: &[(&str, &str, &str, &str)]) -> Response {
    let mut text = String::from("<rss version='2.0'><channel><title>One</title>");
    for (guid, link, title, words) in entries {
        let _ = write!(
            text,
            "<item><guid isPermaLink='false'>{guid}</guid><link>https://one.example/{link}</link>\
             <title>{title}</title><description>{words}</description></item>"
        );
    }
    text.push_str("</channel></rss>");
    Response::body("application/rss+xml", text)
}

async fn status(world: &World, feed: FeedId) -> FeedStatus {
    world.engine.store().feed(Viewer::Operator, &FeedName::Id(feed)).await.unwrap()
}

/// Advances until the feed is due, and visits.
async fn next_visit(world: &World, feed: FeedId) -> FeedStatus {
    let due = status(world, feed).await.due_at.expect("it is visited again");
    world.advance(due.duration_since(world.now()).max(SignedDuration::ZERO));
    world.run_until_idle().await;
    status(world, feed).await
}

async fn an_edited_entry_keeps_its_id_and_revisions(world: World) {
    world.origin.at("/feed", feed(&[("1", "1", "First", "as it was")]));
    let id = world.add("/feed").await;
    world.run_until_idle().await;
    let before = world.engine.store().entries_named(Viewer::Operator, "1").await.unwrap().pop().unwrap();
    world.origin.at("/feed", feed(&[("1", "1", "First, corrected", "as it is")]));
    next_visit(&world, id).await;
    let after = world.engine.store().entries_named(Viewer::Operator, "1").await.unwrap().pop().unwrap();
    assert_eq!((after.id, after.title.as_deref()), (before.id, Some("First, corrected")));
    let revisions = world.engine.store().revisions(Viewer::Operator, after.id).await.unwrap();
    assert_eq!(revisions.iter().map(|revision| revision.title.as_deref()).collect::<Vec<_>>(), [Some("First")]);
    // Only the markup differs: no revision, no event.
    world.origin.at("/feed", feed(&[("1", "1", "First, corrected", "&lt;b&gt;as it is&lt;/b&gt;")]));
    next_visit(&world, id).await;
    assert_eq!(world.engine.store().revisions(Viewer::Operator, after.id).await.unwrap().len(), 1);
    let events = world.engine.store().events(Viewer::Operator, EventId(0), 100).await.unwrap();
    let changes = events.iter().filter(|event| event.kind == EventKind::EntryChanged).count();
    assert_eq!(changes, 1);
}

async fn ids_that_change_while_links_stay_bring_nothing_new(world: World) {
    world.origin.at("/feed", feed(&[("a", "1", "First", "words one"), ("b", "2", "Second", "words two")]));
    let id = world.add("/feed").await;
    world.run_until_idle().await;
    for round in 0..5 {
        let (one, two) = (format!("x{round}"), format!("y{round}"));
        world.origin.at("/feed", feed(&[(&one, "1", "First", "words one"), (&two, "2", "Second", "words two")]));
        next_visit(&world, id).await;
        assert_eq!(world.titles().await, ["First", "Second"], "round {round}");
    }
}

async fn a_move_is_adopted_when_it_is_certain(world: World) {
    world.origin.at("/old", rss(&["one"]));
    let id = world.add("/old").await;
    world.run_until_idle().await;
    world.origin.at("/old", Response::moved_to("/new")).at("/new", rss(&["one", "two"]));
    let old = world.origin.url("/old");
    let begun = world.now();
    let mut visits = 0;
    while status(&world, id).await.feed.url == old {
        next_visit(&world, id).await;
        visits += 1;
        assert!(visits < 60, "never adopted");
    }
    assert!(visits >= 3 && world.now().duration_since(begun) >= DAY, "{visits} answers are not enough so soon");
    assert_eq!(status(&world, id).await.feed.url, world.origin.url("/new"));
    assert_eq!(world.titles().await, ["one", "two"], "nothing twice");
    let before = world.origin.visits().iter().filter(|line| line.starts_with("GET /old")).count();
    next_visit(&world, id).await;
    let after = world.origin.visits().iter().filter(|line| line.starts_with("GET /old")).count();
    assert_eq!(before, after, "the old address is left alone");
    let events = world.engine.store().events(Viewer::Operator, EventId(0), 100).await.unwrap();
    assert!(events.iter().any(|event| event.kind == EventKind::FeedMoved), "{events:?}");
}

async fn a_move_to_another_feeds_url_is_reported_only(world: World) {
    world.origin.at("/old", rss(&["one"])).at("/new", rss(&["one"]));
    let (old, new) = (world.add("/old").await, world.add("/new").await);
    world.run_until_idle().await;
    world.origin.at("/old", Response::moved_to("/new"));
    let told = format!("moved to {}, which is already feed {new}", world.origin.url("/new"));
    let mut seen = status(&world, old).await;
    for _ in 0..60 {
        seen = next_visit(&world, old).await;
    }
    assert_eq!(seen.feed.url, world.origin.url("/old"));
    assert!(seen.reason.ends_with(&told), "{}", seen.reason);
    let events = world.engine.store().events(Viewer::Operator, EventId(0), 1000).await.unwrap();
    let told = events.iter().filter(|event| event.said().is_some_and(|said| said.starts_with(&told)));
    let told: Vec<_> = told.map(|event| (&event.kind, event.subject.clone())).collect();
    assert_eq!(told, [(&EventKind::FeedHealth, Subject::Feed(old))]);
    assert!(events.iter().all(|event| event.kind != EventKind::FeedMoved), "{events:?}");
}

async fn a_hijack_is_not_adopted(world: World) {
    world.origin.at("/feed", rss(&["one", "two"]));
    let id = world.add("/feed").await;
    world.run_until_idle().await;
    world.origin.at("/feed", Response::moved_to("/other")).at("/other", feed(&[("z", "z", "Buy now", "spam")]));
    for _ in 0..30 {
        next_visit(&world, id).await;
    }
    assert_eq!(status(&world, id).await.feed.url, world.origin.url("/feed"), "nothing of it is the same feed");
    // To an address that must not be visited.
    world.origin.at("/feed", Response::moved_to("http://10.0.0.1/feed"));
    let seen = next_visit(&world, id).await;
    assert_eq!(seen.last_error.as_deref(), Some("10.0.0.1 is not an address that visits may reach"));
    assert!(world.titles().await.contains(&"one".to_owned()));
}

async fn a_feed_that_is_gone_is_retired_and_can_come_back(world: World) {
    world.origin.at("/feed", rss(&["one"]));
    let id = world.add("/feed").await;
    world.run_until_idle().await;
    world.origin.at("/feed", Response::status(410));
    let first = next_visit(&world, id).await;
    assert_eq!(first.feed.state, FeedState::Active, "one answer may be a mistake");
    let begun = world.now();
    let mut seen = first;
    while seen.feed.state == FeedState::Active {
        seen = next_visit(&world, id).await;
    }
    assert_eq!(seen.feed.state, FeedState::Gone);
    assert!(world.now().duration_since(begun) >= DAY, "a day apart");
    assert_eq!(seen.due_at, None);
    assert_eq!(world.titles().await, ["one"], "what it said stays");
    world.origin.at("/feed", rss(&["one", "two"]));
    engine::enable_feed(world.engine.store(), Viewer::Operator, id, world.now()).await.unwrap();
    world.run_until_idle().await;
    assert_eq!(world.titles().await, ["one", "two"]);
}

async fn ten_failures_disable_and_a_probe_revives(world: World) {
    world.origin.at("/feed", rss(&["one"]));
    let id = world.add("/feed").await;
    world.run_until_idle().await;
    world.origin.at("/feed", Response::status(500));
    let mut seen = status(&world, id).await;
    let mut failures = 0;
    while seen.feed.state == FeedState::Active {
        seen = next_visit(&world, id).await;
        failures += 1;
        assert!(failures <= 10, "{seen:?}");
    }
    assert_eq!(failures, 10);
    let FeedState::Disabled { reason } = &seen.feed.state else { panic!("{seen:?}") };
    assert!(reason.starts_with("Consecutive failures: "), "{reason}");
    assert_eq!(seen.due_at, Some(world.now() + DAY * 7), "tried again in a week");
    world.origin.at("/feed", rss(&["one", "two"]));
    let back = next_visit(&world, id).await;
    assert_eq!((back.feed.state, back.failures), (FeedState::Active, 0));
    assert_eq!(world.titles().await, ["one", "two"]);
    let events = world.engine.store().events(Viewer::Operator, EventId(0), 100).await.unwrap();
    let health = events.iter().filter(|event| event.kind == EventKind::FeedHealth).count();
    assert!(health >= 2, "it fell ill and got well: {events:?}");
}

async fn fifty_thousand_entries_are_two_thousand(world: World) {
    let numbers: Vec<String> = (0..50_000).map(|n| n.to_string()).collect();
    let entries: Vec<_> = numbers.iter().map(|n| (n.as_str(), n.as_str(), n.as_str(), "words")).collect();
    world.origin.at("/huge", feed(&entries)).at("/small", rss(&["one"]));
    world.add("/huge").await;
    world.add("/small").await;
    let done = world.run_until_idle().await;
    assert_eq!(done.iter().map(|(_, done)| done.new.len()).sum::<usize>(), 2_001);
    assert!(done.iter().all(|(_, done)| done.result == VisitResult::Fresh));
}

async fn a_date_in_2099_does_not_stay_on_top(world: World) {
    let item = |guid: &str, date: &str| {
        format!("<item><guid>{guid}</guid><title>{guid}</title><pubDate>{date}</pubDate></item>")
    };
    let items = item("future", "Tue, 01 Dec 2099 10:00:00 GMT") + &item("past", "Wed, 31 Dec 2025 10:00:00 GMT");
    let text = format!("<rss version='2.0'><channel><title>x</title>{items}</channel></rss>");
    world.origin.at("/feed", Response::body("application/rss+xml", text));
    world.add("/feed").await;
    world.run_until_idle().await;
    let entries =
        world.engine.store().arrived(Viewer::Operator, store::EntryFilter::default(), EntryId(0), 10).await.unwrap();
    let future = entries.iter().find(|entry| entry.title.as_deref() == Some("future")).unwrap();
    assert_eq!(future.sort_at, world.now(), "sorted by when it was first seen");
    assert_eq!(future.published_at.map(|at| at.to_string()).as_deref(), Some("2099-12-01T10:00:00Z"), "kept as given");
}

async fn a_flood_is_stored_and_not_announced(world: World) {
    world.origin.at("/feed", rss(&["one"]));
    let id = world.add("/feed").await;
    world.run_until_idle().await;
    let before = world.engine.store().events(Viewer::Operator, EventId(0), 10_000).await.unwrap().len();
    let numbers: Vec<String> = (0..900).map(|n| format!("n{n}")).collect();
    let titles: Vec<&str> = numbers.iter().map(String::as_str).collect();
    world.origin.at("/feed", rss(&titles));
    next_visit(&world, id).await;
    assert_eq!(world.titles().await.len(), 901, "all are stored");
    let events = world.engine.store().events(Viewer::Operator, EventId(0), 10_000).await.unwrap();
    let announced = events[before..].iter().filter(|event| event.kind == EventKind::EntryNew).count();
    assert_eq!(announced, 500, "no more are announced in a day");
}

async fn a_page_instead_of_a_feed_deletes_nothing(world: World) {
    world.origin.at("/feed", rss(&["one"]));
    let id = world.add("/feed").await;
    world.run_until_idle().await;
    let empty = "<rss version='2.0'><channel><title>One</title></channel></rss>";
    for (what, response, failed) in [
        ("a page", Response::body("text/html", "<!doctype html><p>hello"), true),
        ("nothing at all", Response::body("application/rss+xml", ""), true),
        ("a feed without entries", Response::body("application/rss+xml", empty), false),
        ("half a feed", Response::body("application/rss+xml", "<rss><channel><item><guid>h</guid><title>half"), true),
    ] {
        world.origin.at("/feed", response);
        world.advance(HOUR * 30);
        world.run_until_idle().await;
        assert_eq!(status(&world, id).await.last_error.is_some(), failed, "{what}");
        assert!(world.titles().await.contains(&"one".to_owned()), "{what}");
    }
}

/// A document that is too large is not parsed, changes nothing that is stored, and can be inspected.
async fn a_truncated_body_is_kept_as_such(mut world: World) {
    let limits =
        fetch::Limits { body: coding::Limits { decoded_bytes: 64 << 10, ratio: 100 }, ..fetch::Limits::default() };
    let options = fetch::Options { limits, allow_private: vec!["127.0.0.0/8".parse().unwrap()], ..Default::default() };
    world.reach_by(fetch::Fetch::new(options).unwrap());
    world.origin.at("/feed", rss(&["one"]));
    let id = world.add("/feed").await;
    world.run_until_idle().await;
    let huge = format!("<rss><channel><item><title>huge</title></item>{}</channel></rss>", " ".repeat(100 << 10));
    world.origin.at("/feed", Response::body("application/rss+xml", huge));
    world.advance(HOUR * 30);
    world.run_until_idle().await;
    assert_eq!(status(&world, id).await.last_error.as_deref(), Some("the body is larger than 65536 bytes"));
    assert_eq!(world.titles().await, ["one"]);
    let raw = world.engine.store().raw_fetches(Viewer::Operator, id, 10).await.unwrap();
    let kept: Vec<(bool, bool)> = raw.iter().map(|raw| (raw.truncated, raw.decoded_bytes > 60_000)).collect();
    assert_eq!(kept, [(true, true), (false, false)]);
    let bytes = world.engine.blobs().wire(&raw[0].blob).await.unwrap();
    assert!(bytes.starts_with(b"<rss><channel><item><title>huge"), "what came is there to be looked at");
    let how = engine::Reparsing { write: true, ..Default::default() };
    let report = engine::reparse(&world.engine, id, how).await.unwrap();
    assert_eq!(world.titles().await, ["one"], "{report:?}");
}

/// If the database refuses the data of one feed, that is a failure of this feed: it is reported, paced, and the others
/// continue.
#[tokio::test]
async fn data_the_database_refuses_is_a_failure_of_that_feed() {
    let world = World::postgres().await;
    let curse = "ALTER TABLE entries ADD CONSTRAINT curse CHECK (title <> 'cursed')";
    world.database().run(curse).await;
    world.origin.at("/cursed", rss(&["cursed"])).at("/fine", rss(&["fine"]));
    let (cursed, fine) = (world.add("/cursed").await, world.add("/fine").await);
    let done = world.run_until_idle().await;
    assert_eq!(done.len(), 2, "{done:?}");
    let (cursed, fine) = (status(&world, cursed).await, status(&world, fine).await);
    assert!(cursed.last_error.as_deref().unwrap().starts_with("its content cannot be stored: "), "{cursed:?}");
    assert_eq!((cursed.failures, fine.failures), (1, 0));
    assert!(cursed.due_at.unwrap() >= world.now() + HOUR / 4, "not at once");
    assert_eq!(world.titles().await, ["fine"]);
}

/// Regression: the server's own problems were counted against the feed being written: no memory, a cancelled statement,
/// a missing table. Only data exceptions (22), constraints (23) and limits (54) are about the data.
#[tokio::test]
async fn only_data_errors_are_counted_against_a_feed() {
    let curse = |body: &str| {
        format!(
            "CREATE FUNCTION curse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN {body}; RETURN NEW; END $$;
             CREATE TRIGGER curse BEFORE INSERT ON entries FOR EACH ROW EXECUTE FUNCTION curse()"
        )
    };
    let raise = |state: &str| curse(&format!("RAISE EXCEPTION 'on purpose' USING ERRCODE = '{state}'"));
    let check = async |case: &str, done_to_it: &str, blamed: bool| {
        let world = World::postgres().await;
        world.origin.at("/feed", rss(&["a title of twenty-six letters"]));
        let feed = world.add("/feed").await;
        world.database().run(done_to_it).await;
        let done = engine::run_until_idle(world.engine.clone()).await;
        assert_eq!(done.is_ok(), blamed, "{case}: {done:?}");
        let status = status(&world, feed).await;
        assert_eq!((status.failures, status.last_error.is_some()), (u32::from(blamed), blamed), "{case}: {status:?}");
    };
    check("cancelled", &curse("PERFORM pg_cancel_backend(pg_backend_pid()); PERFORM pg_sleep(5)"), false).await;
    check("no table", "DROP TABLE outbox CASCADE", false).await;
    check("no column", "ALTER TABLE entries DROP COLUMN title CASCADE", false).await;
    check("no memory", &raise("53200"), false).await;
    check("a limit of the configuration", &raise("53400"), false).await;
    check("a raised exception", &raise("P0001"), false).await;
    check("too long a text", "ALTER TABLE entries ALTER COLUMN title TYPE varchar(10)", true).await;
    check("a division by zero", &curse("PERFORM 1 / 0"), true).await;
    check("a unique violation", &raise("23505"), true).await;
    check("too complex a statement", &raise("54001"), true).await;
}

async fn a_budget_of_visits_is_distributed(mut world: World) {
    for n in 0..10 {
        let path = format!("/{n}");
        world.origin.at(&path, rss(&[&path]));
        world.add(&path).await;
    }
    let visits_in = async |world: &mut World, budget: Option<u32>| {
        world.configure(|options| options.visits_per_day = budget);
        engine::measure_budget(&world.engine).await.unwrap();
        let before = world.origin.visits().len();
        let end = world.now() + DAY * 4;
        while world.now() < end {
            world.run_until_idle().await;
            world.advance(SignedDuration::from_mins(10));
            engine::measure_budget(&world.engine).await.unwrap();
        }
        (world.origin.visits().len() - before) / 4
    };
    let many = visits_in(&mut world, Some(400)).await;
    let few = visits_in(&mut world, Some(40)).await;
    assert!((300..=500).contains(&many), "{many} visits a day instead of 400");
    assert!((25..=60).contains(&few), "{few} visits a day instead of 40");
}
