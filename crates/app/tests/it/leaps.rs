//! Clock leaps: ten years forward, a day back. Nothing is lost, nothing is duplicated, and visits continue. (Within a
//! process time never goes back, see `app/src/clock.rs`; between two starts it may.)

use engine::Options;
use jiff::SignedDuration;
use model::{EventId, Viewer};
use testkit::{Origin, Response, World, rss};
use tokio::sync::watch;

use crate::commands::Terminal;

const HOUR: SignedDuration = SignedDuration::from_hours(1);
const DAY: SignedDuration = SignedDuration::from_hours(24);

on_both!(
    nothing_is_lost_when_the_clock_leaps,
    a_run_with_a_fast_clock_does_not_stall_later_visits,
    a_retry_after_survives_a_leap,
    a_leap_does_not_age_events_and_entries,
    maintenance_goes_on_after_a_leap,
);

/// Publishes another entry and advances a day, hour by hour; returns what arrived.
async fn a_day(world: &World, published: &mut Vec<String>) -> Vec<String> {
    published.push(format!("entry {}", published.len()));
    let titles: Vec<&str> = published.iter().map(String::as_str).collect();
    world.origin.at("/feed", rss(&titles));
    for _ in 0..24 {
        // As maintenance does, and more often.
        engine::check_clock(&world.engine).await.unwrap();
        world.run_until_idle().await;
        world.advance(HOUR);
    }
    engine::check_clock(&world.engine).await.unwrap();
    let mut arrived = world.titles().await;
    arrived.sort();
    arrived
}

async fn nothing_is_lost_when_the_clock_leaps(mut world: World) {
    let mut published = Vec::new();
    world.add("/feed").await;
    assert_eq!(a_day(&world, &mut published).await, published);
    world.advance(DAY * 3650);
    assert_eq!(a_day(&world, &mut published).await, published, "ten years later it is visited at once");
    world.advance(-DAY);
    world.restart("after the clock was set back");
    // A wait of a day is still a day.
    a_day(&world, &mut published).await;
    assert_eq!(a_day(&world, &mut published).await, published, "a day back, and visits go on");
}

/// A single run, like `courant fetch --all`; returns how many feeds it visited.
async fn fetch_all(world: &World) -> u64 {
    engine::run_all_now(&world.engine).await.unwrap();
    let (_stop, stopping) = watch::channel(false);
    let tally = engine::run_once(world.engine.clone(), stopping, |_, _| ()).await.unwrap();
    tally.fresh + tally.unchanged + tally.failed
}

/// Regression: `fetch --all` and `serve` visited no feed until the clock had caught up.
async fn a_run_with_a_fast_clock_does_not_stall_later_visits(mut world: World) {
    world.configure(|options| options.pace = Options::paced(1000.0, 8));
    for path in ["/a", "/b", "/c"] {
        world.origin.at(path, rss(&[path]));
        world.add(path).await;
    }
    for leap in [HOUR * 2, DAY, DAY * 3650] {
        assert_eq!(fetch_all(&world).await, 3, "before {leap:#}");
        world.advance(leap);
        assert_eq!(fetch_all(&world).await, 3, "{leap:#} ahead");
        world.advance(SignedDuration::from_mins(2) - leap);
        world.restart("after the clock was put right");
        assert_eq!(fetch_all(&world).await, 3, "{leap:#} ahead and back");
        world.advance(DAY);
        // By itself, as a server.
        world.advance(leap);
        engine::check_clock(&world.engine).await.unwrap();
        world.run_until_idle().await;
        world.advance(SignedDuration::from_mins(2) - leap);
        world.restart("a server");
        engine::check_clock(&world.engine).await.unwrap();
        world.advance(DAY);
        assert_eq!(world.run_until_idle().await.len(), 3, "{leap:#} ahead and back, a day later");
    }
}

async fn a_retry_after_survives_a_leap(mut world: World) {
    world.origin.at("/busy", Response::status(429).with("retry-after", "10800"));
    let feed = world.add("/busy").await;
    engine::check_clock(&world.engine).await.unwrap();
    world.advance(DAY);
    engine::check_clock(&world.engine).await.unwrap();
    world.run_until_idle().await;
    world.advance(-DAY + SignedDuration::from_mins(1));
    world.restart("after the clock was put right");
    world.origin.at("/busy", rss(&["one"]));
    assert_eq!(fetch_all(&world).await, 0, "it asked for three hours");
    world.advance(HOUR * 2);
    assert_eq!(fetch_all(&world).await, 0);
    world.advance(HOUR + SignedDuration::from_mins(1));
    assert_eq!(fetch_all(&world).await, 1, "and not for more");
    assert_eq!(world.titles().await, ["one"]);
    let status = world.engine.store().feed(Viewer::Operator, &store::FeedName::Id(feed)).await.unwrap();
    assert_eq!(status.failures, 0);
}

/// Regression: before the first cleanup, events that were minutes old were deleted after a leap of ten years.
async fn a_leap_does_not_age_events_and_entries(mut world: World) {
    world.origin.at("/feed", rss(&["one", "two"]));
    world.add("/feed").await;
    world.run_until_idle().await;
    let events = async |world: &World| world.engine.store().events(Viewer::Operator, EventId(0), 100).await.unwrap();
    let before = events(&world).await;
    engine::check_clock(&world.engine).await.unwrap();
    engine::request_upkeep(&world.engine).await.unwrap();
    world.advance(DAY * 3650);
    for turn in 0..3 {
        maintain(&world).await;
        assert_eq!(events(&world).await, before, "turn {turn}");
        assert_eq!(world.titles().await, ["one", "two"]);
        world.advance(HOUR);
    }
    world.advance(DAY * -3650);
    world.restart("after the clock was put right");
    maintain(&world).await;
    assert_eq!(events(&world).await.len(), before.len());
    assert_eq!(world.titles().await, ["one", "two"]);
}

/// Regression: it waited for the lock of a process that was killed while its clock was ahead.
async fn maintenance_goes_on_after_a_leap(mut world: World) {
    engine::request_upkeep(&world.engine).await.unwrap();
    maintain(&world).await;
    world.advance(DAY);
    maintain(&world).await;
    world.advance(SignedDuration::from_mins(2) - DAY);
    world.restart("another");
    maintain(&world).await;
    world.advance(SignedDuration::from_mins(6));
    let kinds: Vec<_> = maintain(&world).await.into_iter().map(|(kind, _)| kind).collect();
    assert_eq!(kinds, ["upkeep.health"], "nothing waits for the time that was left");
}

/// What `courant serve` does when maintenance starts, without its loop.
async fn maintain(world: &World) -> Vec<(&'static str, work::Finished)> {
    engine::check_clock(&world.engine).await.unwrap();
    engine::upkeep(&world.engine).run_due().await
}

/// Regression: `doctor` blamed the right clock, and `fetch --all` visited no feed.
#[tokio::test]
async fn times_written_by_a_fast_clock_are_reported_and_repaired() {
    let origin = Origin::start().await;
    origin.at("/feed", rss(&["one"]));
    let mut terminal = Terminal::new();
    terminal.says(&format!("feed add --as-is {}", origin.url("/feed")), "added").await;
    terminal.says("fetch --all", "1 feed in").await;
    let ahead = "UPDATE schedule SET due_at = due_at + 7200000000, decided_at = decided_at + 7200000000,
                     last_visit_at = last_visit_at + 7200000000;
                 UPDATE rate_groups SET next_free_at = next_free_at + 7200000000, next_go_at = next_go_at + 7200000000;
                 UPDATE settings SET value = replace(value, substr(value, 1, 4), substr(value, 1, 4) + 1)
                     WHERE key = 'clock.latest';";
    rusqlite::Connection::open(terminal.path("data/courant.db")).unwrap().execute_batch(ahead).unwrap();
    terminal
        .says("doctor", "or it was ahead then, and the next `courant serve` or `courant fetch` puts the times right")
        .await;
    terminal.says("fetch --all", "1 feed in").await;
    let found = terminal.json("doctor").await;
    let clock = found["findings"].as_array().unwrap().iter().filter(|finding| finding["about"] == "clock");
    assert!(clock.clone().all(|finding| finding["state"] == "ok"), "{found}");
}
