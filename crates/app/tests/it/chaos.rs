//! The real binary under faults, with a publisher that keeps a ledger: a short form of `make chaos`. In the end every
//! published entry is stored once and announced once.

use std::path::Path;
use std::time::Duration;

use jiff::SignedDuration;
use testkit::chaos::{Backend, Fault, Outcome, faults, hostile, hostile_kinds, kills, restarts};

fn binary() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_courant"))
}

/// A fixed seed.
const SEED: u64 = 1;

#[track_caller]
fn all_is_well(outcome: &Outcome, faults: usize) {
    assert!(outcome.wrong.is_empty(), "{:#?}", outcome.wrong);
    assert_eq!(outcome.faults, faults);
    // A run in which nothing happens shows nothing.
    assert!(outcome.visits > 50 && outcome.entries > 50, "{outcome:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn killed_twenty_times_on_sqlite() {
    let outcome = kills(binary(), Backend::Sqlite, 20, SEED).await;
    all_is_well(&outcome, 20);
    assert!(outcome.stops > 0, "none was stopped");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn killed_twenty_times_on_postgres() {
    let database = testkit::services::postgres().await;
    let outcome = kills(binary(), Backend::Postgres(database.url().to_owned()), 20, SEED).await;
    all_is_well(&outcome, 20);
    assert!(outcome.stops > 0, "none was stopped");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_restarts_is_found_again() {
    let cluster = testkit::services::cluster().await;
    let outcome = restarts(binary(), &cluster, 3, SEED).await;
    all_is_well(&outcome, 3);
    let slowest = outcome.recoveries.iter().max().unwrap();
    assert!(*slowest < Duration::from_secs(10), "{:?}", outcome.recoveries);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_full_disk_pauses_fetching() {
    all_is_well(&faults(binary(), Fault::DiskFull, 1, SEED).await, 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn missing_blob_storage_pauses_fetching() {
    all_is_well(&faults(binary(), Fault::BlobsGone, 1, SEED).await, 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn normal_publishers_are_visited_beside_hostile_ones() {
    let found = hostile(binary(), 60, SignedDuration::from_secs(3), &hostile_kinds()).await;
    assert_eq!(found.broke, None);
    assert_eq!((found.visited, found.stored, found.unmet.as_slice()), (60, 60, &[][..]), "{found:?}");
}
