//! A clock that is set: ten years forward, a day back. Nothing is lost, nothing comes twice, and visits go on. (Within a
//! process time never goes back, see `app/src/clock.rs`; between two starts it may.)

use jiff::SignedDuration;
use testkit::{World, rss};

const HOUR: SignedDuration = SignedDuration::from_hours(1);
const DAY: SignedDuration = SignedDuration::from_hours(24);

on_both!(nothing_is_lost_when_the_clock_leaps);

/// Publishes another entry and lets a day pass, hour by hour; what arrived.
async fn a_day(world: &World, published: &mut Vec<String>) -> Vec<String> {
    published.push(format!("entry {}", published.len()));
    let titles: Vec<&str> = published.iter().map(String::as_str).collect();
    world.origin.at("/feed", rss(&titles));
    for _ in 0..24 {
        world.run_until_idle().await;
        world.advance(HOUR);
    }
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
    // What was due within the hour is due in a day.
    a_day(&world, &mut published).await;
    assert_eq!(a_day(&world, &mut published).await, published, "a day back, and visits go on");
}
