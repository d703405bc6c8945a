//! Maintenance: each job is done by one process at a time, and taken over if that ends.

use engine::{Engine, Removal};
use jiff::SignedDuration;
use model::job::{JobEnd, Priority};
use model::{JobId, Viewer, WorkerId};
use testkit::World;
use work::{Finished, JobRunner};

on_both!(
    each_job_is_done_by_one_process,
    a_job_of_a_killed_process_is_done_by_another,
    a_command_that_deletes_is_waited_for,
    a_runner_that_stops_gives_its_leases_back,
    a_deleted_feed_is_removed_after_thirty_days,
);

fn another(world: &World) -> Engine {
    world.engine.another(WorkerId("another".into()))
}

/// The kinds of the jobs that were due, and done; those that found the lock taken are left out.
async fn done(world: &World, runner: &JobRunner) -> Vec<&'static str> {
    let soon = world.now() + SignedDuration::from_mins(1);
    let is_done = |finished: &Finished| matches!(finished, Finished::Ended(JobEnd::Again(at)) if *at > soon);
    runner.run_due().await.into_iter().filter(|(_, finished)| is_done(finished)).map(|(kind, _)| kind).collect()
}

const ALL: [&str; 3] = ["upkeep.health", "upkeep.cleanup", "upkeep.tidy"];

async fn each_job_is_done_by_one_process(world: World) {
    let (ours, theirs) = (engine::upkeep(&world.engine), engine::upkeep(&another(&world)));
    engine::request_upkeep(&world.engine).await.unwrap();
    // The world begins at midnight, and there was no cleanup yet.
    assert_eq!(done(&world, &ours).await, ALL);
    assert_eq!(done(&world, &theirs).await, [""; 0]);
    let mut all = Vec::new();
    for beat in 1..=(4 * 3600 / 20) {
        world.advance(SignedDuration::from_secs(20));
        let runners = if beat % 7 == 0 { [&theirs, &ours] } else { [&ours, &theirs] };
        for runner in runners {
            all.extend(done(&world, runner).await.into_iter().map(|kind| (kind, beat * 20 / 60)));
        }
    }
    let minutes = |kind| -> Vec<i32> { all.iter().filter(|job| job.0 == kind).map(|job| job.1).collect() };
    assert_eq!(minutes("upkeep.health"), (1..=48).map(|n| n * 5).collect::<Vec<_>>(), "every five minutes");
    assert_eq!(minutes("upkeep.cleanup"), [180], "at three");
    assert_eq!(minutes("upkeep.tidy"), [60, 120, 180, 240], "hourly");
}

async fn a_job_of_a_killed_process_is_done_by_another(world: World) {
    engine::request_upkeep(&world.engine).await.unwrap();
    let (store, now, lasting) = (world.engine.store(), world.now(), SignedDuration::from_mins(1));
    let killed = WorkerId("killed".into());
    let lease =
        store.claim_jobs(&killed, ("upkeep.tidy", Priority::Low), now, now + lasting, 1).await.unwrap().remove(0);
    let theirs = engine::upkeep(&another(&world));
    assert_eq!(done(&world, &theirs).await, ALL[..2]);
    world.advance(lasting);
    assert_eq!(done(&world, &theirs).await, ["upkeep.tidy"]);
    let late = store.end_job(&lease, &JobEnd::Done, &[], world.now()).await;
    assert!(late.is_err(), "it was not killed, only late: it writes nothing");
}

async fn a_command_that_deletes_is_waited_for(world: World) {
    let (command, minute) = (another(&world), SignedDuration::from_mins(1));
    let lock = command.store().take_lock("maintenance.job", command.worker(), world.now(), minute * 5).await.unwrap();
    assert!(lock.is_some());
    engine::request_upkeep(&world.engine).await.unwrap();
    let ours = engine::upkeep(&world.engine);
    assert_eq!(done(&world, &ours).await, ["upkeep.health"], "what deletes waits");
    command.store().release_lock("maintenance.job", command.worker()).await.unwrap();
    world.advance(minute);
    assert_eq!(done(&world, &ours).await, ALL[1..]);
    assert_eq!(done(&world, &ours).await, [""; 0]);
}

async fn a_runner_that_stops_gives_its_leases_back(world: World) {
    let (stop, stopping) = tokio::sync::watch::channel(false);
    let store = world.engine.store();
    let running = tokio::spawn(engine::maintain(world.engine.clone(), stopping));
    while store.jobs(JobId(0), 9).await.unwrap().is_empty() {
        tokio::task::yield_now().await;
    }
    stop.send(true).unwrap();
    running.await.unwrap();
    assert_eq!(store.lock_holder("maintenance.job").await.unwrap(), None);
    let jobs = store.jobs(JobId(0), 9).await.unwrap();
    assert_eq!(jobs.iter().filter(|job| job.worker.is_some()).count(), 0, "{jobs:?}");
    assert_eq!(jobs.len(), 3, "they are done again");
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
    engine::delete_feed(&world.engine, Viewer::Operator, feed, Removal::Later).await.unwrap();
    tidied(day * 29).await;
    assert_eq!(world.add("/feed").await, feed, "it is back");
    assert_eq!(world.titles().await, ["one"]);
    engine::delete_feed(&world.engine, Viewer::Operator, feed, Removal::Later).await.unwrap();
    tidied(day * 31).await;
    let again = world.add("/feed").await;
    assert_ne!(again, feed);
    assert_eq!(world.titles().await, Vec::<String>::new());
    world.run_until_idle().await;
    assert_eq!(world.titles().await, ["one"], "and its entries are new ones");
    assert_eq!(world.engine.store().raw_fetches(Viewer::Operator, feed, 9).await.unwrap(), [], "its blobs are swept");
}
