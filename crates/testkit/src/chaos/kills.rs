//! Workers are killed (-9) and stopped (SIGSTOP) at random while they visit, commit, start.

use std::path::Path;
use std::time::Duration;

use super::scene::{Backend, Outcome, Scene};
use super::worker::{Limits, PATIENCE, Worker, until};

const FEEDS: usize = 40;
/// One of this many kills hits a worker that was stopped during a visit before.
const STOP_EVERY: usize = 10;
/// Time after which answered visits are committed.
const SETTLING: Duration = Duration::from_millis(500);
/// How often stopping is tried: the visit may end before the worker stops.
const TRIES: usize = 2;
const LOST: &str = "the lease was lost: nothing was written";

/// Kills workers `times` times, one worker at a time on SQLite, two on PostgreSQL; every tenth time one is also stopped
/// until its lease has gone to another.
pub async fn kills(binary: &Path, backend: Backend, times: usize, seed: u64) -> Outcome {
    let workers = if matches!(backend, Backend::Sqlite) { 1 } else { 2 };
    let mut scene = Scene::new(binary, backend, FEEDS, seed).await;
    let mut outcome = Outcome::default();
    let mut running: Vec<Worker> = (0..workers).map(|_| scene.start(Limits::None)).collect();
    while outcome.faults < times {
        let victim = scene.dice.roll(running.len());
        // Mostly during work, sometimes during startup.
        if scene.dice.roll(8) > 0 && !at_work(&scene, &mut running[victim], &mut outcome).await {
            break;
        }
        if outcome.faults % STOP_EVERY == STOP_EVERY - 1 && outcome.stops < times / STOP_EVERY {
            stop(&scene, &running[victim], workers > 1, &mut outcome).await;
        }
        tokio::time::sleep(Duration::from_millis(scene.dice.roll(400) as u64)).await;
        running[victim].kill();
        outcome.faults += 1;
        scene.end_leases_of(&running[victim]).await.expect("leases can be ended");
        running[victim] = scene.start(Limits::None);
    }
    for mut worker in running {
        worker.kill();
        scene.end_leases_of(&worker).await.expect("leases can be ended");
    }
    scene.judge(outcome).await
}

/// Waits until the worker has begun a visit.
pub(super) async fn at_work(scene: &Scene, worker: &mut Worker, outcome: &mut Outcome) -> bool {
    let there = until(PATIENCE, || worker.has_ended() || scene.ledger.came(&worker.name) > 0).await;
    let well = there && !worker.has_ended();
    if !well {
        outcome.wrong.push(format!("{} makes no visits: {}", worker.name, worker.log_tail()));
    }
    well
}

/// Stops a worker during a visit, ends its lease, lets the response arrive and, if there is another worker, lets that
/// do the visit; then resumes it. Its write must be refused, and be logged once.
async fn stop(scene: &Scene, worker: &Worker, another: bool, outcome: &mut Outcome) {
    let before = worker.said(LOST);
    let held = scene.ledger.hold(&worker.name);
    let Ok(Ok(feed)) = tokio::time::timeout(PATIENCE, held.at).await else {
        // It had not begun a visit: then it is only killed.
        return;
    };
    scene.be_quiet(!another);
    let ended = freeze_and_end_lease(scene, worker, feed, another).await;
    scene.be_quiet(false);
    if let Err(why) = ended {
        outcome.wrong.push(format!("{} is stopped and blocks all writers: {why}", worker.name));
        return;
    }
    outcome.stops += 1;
    let id = scene.feeds[feed];
    let visits = async || scene.store.unscoped().peek(id).await.expect("a feed can be read").dossier.history.visits;
    let seen = visits().await;
    let _ = held.let_go.send(());
    let deadline = std::time::Instant::now() + PATIENCE;
    while another && visits().await == seen {
        if std::time::Instant::now() > deadline {
            outcome.wrong.push(format!("nobody took over feed {feed} from {}", worker.name));
            break;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    worker.thaw();
    if !until(PATIENCE, || worker.said(LOST) > before).await {
        outcome.wrong.push(format!("{} was not refused: {}", worker.name, worker.log_tail()));
    }
    let refused = worker.said(LOST) - before;
    if refused > 1 {
        outcome.wrong.push(format!("{} was refused {refused} times", worker.name));
    }
}

/// Stops a worker and ends its lease on a feed. A worker stopped while writing to the SQLite file blocks all other
/// writers: it is resumed, and stopped once more.
async fn freeze_and_end_lease(scene: &Scene, worker: &Worker, feed: usize, another: bool) -> Result<(), String> {
    let mut why = String::new();
    if !another {
        until(PATIENCE, || scene.ledger.under_way() <= 1).await;
    }
    for _ in 0..if another { 1 } else { TRIES } {
        if !another {
            tokio::time::sleep(SETTLING).await;
        }
        worker.freeze().await;
        scene.ledger.excuse(&worker.name, feed);
        why = match tokio::time::timeout(PATIENCE, scene.end_lease(scene.feeds[feed])).await {
            Ok(Ok(())) => return Ok(()),
            Ok(Err(error)) => error.to_string(),
            Err(_) => "timed out".to_owned(),
        };
        worker.thaw();
    }
    Err(why)
}
