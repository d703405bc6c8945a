//! Maintenance: one process looks after everything, one job at a time, and another takes over when it is gone.

use engine::{Engine, Jobs, Upkeep};
use jiff::SignedDuration;
use model::WorkerId;
use testkit::World;

on_both!(
    one_process_looks_after_everything,
    a_job_of_a_command_is_waited_for,
    who_stops_lets_go,
    a_deleted_feed_is_removed_after_thirty_days,
);

const NOTHING: Upkeep = Upkeep::Done { check: false, clean: false, tidy: false };

fn another(world: &World) -> Engine {
    world.engine.another(WorkerId("another".into()))
}

async fn one_process_looks_after_everything(world: World) {
    let another = another(&world);
    let (mut ours, mut theirs) = (Jobs::default(), Jobs::default());
    // The world begins at midnight, where nobody has ever cleaned up.
    assert_eq!(ours.turn(&world.engine).await.unwrap(), Upkeep::Done { check: true, clean: true, tidy: true });
    assert_eq!(theirs.turn(&another).await.unwrap(), Upkeep::Others);
    let mut told = Vec::new();
    for beat in 1..=(4 * 3600 / 20) {
        world.advance(SignedDuration::from_secs(20));
        match ours.turn(&world.engine).await.unwrap() {
            Upkeep::Done { check, clean, tidy } => told.push((beat * 20, check, clean, tidy)),
            Upkeep::Others => panic!("nobody else leads"),
        }
        if beat % 7 == 0 {
            assert_eq!(theirs.turn(&another).await.unwrap(), Upkeep::Others, "second {}", beat * 20);
        }
    }
    let at = |of: fn(&(i32, bool, bool, bool)) -> bool| -> Vec<i32> {
        told.iter().filter(|turn| of(turn)).map(|(second, ..)| second / 60).collect()
    };
    assert_eq!(at(|turn| turn.1), (1..=48).map(|n| n * 5).collect::<Vec<_>>(), "every five minutes");
    assert_eq!(at(|turn| turn.2), [180], "at three");
    assert_eq!(at(|turn| turn.3), [60, 120, 180, 240], "hourly");
    // Ours falls silent: after a minute it is theirs.
    world.advance(SignedDuration::from_secs(40));
    assert_eq!(theirs.turn(&another).await.unwrap(), Upkeep::Others);
    world.advance(SignedDuration::from_secs(20));
    assert_eq!(theirs.turn(&another).await.unwrap(), Upkeep::Done { check: true, clean: false, tidy: true });
    assert_eq!(ours.turn(&world.engine).await.unwrap(), Upkeep::Others, "and stays theirs");
}

async fn a_job_of_a_command_is_waited_for(world: World) {
    let command = another(&world);
    let lasting = SignedDuration::from_mins(1);
    let lock = command.store().take_lock("maintenance.job", command.worker(), world.now(), lasting).await.unwrap();
    assert!(lock.is_some());
    let mut ours = Jobs::default();
    assert_eq!(ours.turn(&world.engine).await.unwrap(), Upkeep::Others, "one at a time");
    command.store().release_lock("maintenance.job", command.worker()).await.unwrap();
    assert_eq!(ours.turn(&world.engine).await.unwrap(), Upkeep::Done { check: true, clean: true, tidy: true });
    assert_eq!(ours.turn(&world.engine).await.unwrap(), NOTHING);
}

async fn who_stops_lets_go(world: World) {
    let (stop, stopping) = tokio::sync::watch::channel(false);
    let lead = async || world.engine.store().lock_holder("maintenance").await.unwrap();
    let running = tokio::spawn(engine::maintain(world.engine.clone(), stopping));
    while lead().await.is_none() {
        tokio::task::yield_now().await;
    }
    stop.send(true).unwrap();
    running.await.unwrap();
    assert_eq!(lead().await, None, "the next one need not wait for it to expire");
}

async fn a_deleted_feed_is_removed_after_thirty_days(world: World) {
    let day = SignedDuration::from_hours(24);
    world.origin.at("/feed", testkit::rss(&["one"]));
    let feed = world.add("/feed").await;
    world.run_until_idle().await;
    let tidied = async |after: SignedDuration| {
        world.advance(after);
        engine::tidy_up(&world.engine, world.now()).await.unwrap();
    };
    engine::delete_feed(&world.engine, feed).await.unwrap();
    tidied(day * 29).await;
    assert_eq!(world.add("/feed").await, feed, "it is back");
    assert_eq!(world.titles().await, ["one"]);
    engine::delete_feed(&world.engine, feed).await.unwrap();
    tidied(day * 31).await;
    let again = world.add("/feed").await;
    assert_ne!(again, feed);
    assert_eq!(world.titles().await, Vec::<String>::new());
    world.run_until_idle().await;
    assert_eq!(world.titles().await, ["one"], "and its entries are new ones");
    assert_eq!(world.engine.store().raw_fetches(feed, 9).await.unwrap(), [], "its blobs are swept");
}
