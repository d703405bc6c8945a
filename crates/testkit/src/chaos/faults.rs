//! Storage that fails while a worker serves, and is repaired: the worker must report it once, pause, resume by itself,
//! and lose nothing.

use rustix::fs::RenameFlags;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use super::kills::at_work;
use super::scene::{Backend, Outcome, Scene};
use super::worker::{Limits, PATIENCE, Worker, until};

const FEEDS: usize = 40;
/// The disk is full within this much of the database's log.
const FIRST_OF_LOG: u64 = 1 << 20;
const TROUBLE: &str = "storage unavailable; fetching paused";
const OVER: &str = "storage available again; fetching resumed";

/// What fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// No file can grow beyond some size, another one each time: like a full disk.
    DiskFull,
    /// The directory of the raw bytes is missing; a file is in its place.
    BlobsGone,
}

impl Fault {
    fn begin(self, scene: &mut Scene, worker: &Worker) {
        match self {
            Self::DiskFull => {
                let log = fs::metadata(scene.path("courant.db-wal")).map_or(0, |file| file.len());
                // The log is rewritten from its beginning: a later position may not be reached for a long time.
                let log = log.min(FIRST_OF_LOG) as usize;
                worker.limit_files(Some(scene.dice.roll(log + (32 << 10)) as u64));
            }
            Self::BlobsGone => {
                fs::rename(scene.path("blobs"), scene.path("blobs.away")).expect("a directory can be moved");
                fs::write(scene.path("blobs"), "not a directory").expect("a file can be written");
            }
        }
    }

    fn end(self, scene: &Scene, worker: &Worker) {
        match self {
            Self::DiskFull => worker.limit_files(None),
            Self::BlobsGone => {
                // Atomically: a worker that finds nothing there creates a directory.
                let (here, away) = (scene.path("blobs"), scene.path("blobs.away"));
                rustix::fs::renameat_with(rustix::fs::CWD, &here, rustix::fs::CWD, &away, RenameFlags::EXCHANGE)
                    .expect("two names can be exchanged");
                fs::remove_file(away).expect("a file can be removed");
            }
        }
    }
}

/// Causes a fault `times` times under one worker on SQLite.
pub async fn faults(binary: &Path, fault: Fault, times: usize, seed: u64) -> Outcome {
    let mut scene = Scene::new(binary, Backend::Sqlite, FEEDS, seed).await;
    let mut outcome = Outcome::default();
    let mut worker = scene.start(Limits::Files);
    if !at_work(&scene, &mut worker, &mut outcome).await {
        return outcome;
    }
    while outcome.faults < times && outcome.wrong.is_empty() {
        let seen = scene.ledger.visits();
        if !until(PATIENCE, || scene.ledger.visits() > seen + FEEDS).await {
            outcome.wrong.push(format!("no visits: {}", worker.log_tail()));
        }
        tokio::time::sleep(Duration::from_millis(scene.dice.roll(400) as u64)).await;
        let (troubles, overs) = (worker.said(TROUBLE), worker.said(OVER));
        fault.begin(&mut scene, &worker);
        outcome.faults += 1;
        if !until(PATIENCE, || worker.said(TROUBLE) > troubles).await {
            outcome.wrong.push(format!("the fault was not reported: {}", worker.log_tail()));
        }
        // Reads still work meanwhile.
        if let Err(error) = scene.store.count_entries().await {
            outcome.wrong.push(format!("not readable: {error}"));
        }
        fault.end(&scene, &worker);
        let mended = Instant::now();
        if !until(PATIENCE, || worker.said(OVER) > overs).await {
            outcome.wrong.push(format!("visits do not resume: {}", worker.log_tail()));
        }
        outcome.recoveries.push(mended.elapsed());
        // Visits in progress when it failed would wait for the end of their lease; here that would only take time.
        scene.store.reclaim(jiff::Timestamp::now()).await.expect("leases can be ended");
        if worker.said(TROUBLE) != troubles + 1 {
            outcome.wrong.push(format!("reported {} times: {}", worker.said(TROUBLE) - troubles, worker.log_tail()));
        }
    }
    if worker.has_ended() {
        outcome.wrong.push(format!("the worker has ended: {}", worker.log_tail()));
    }
    worker.kill();
    scene.end_leases_of(&worker).await.expect("leases can be ended");
    scene.judge(outcome).await
}
