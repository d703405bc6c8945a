//! A PostgreSQL server that crashes and restarts while workers keep running.

use model::Viewer;
use std::path::Path;
use std::time::{Duration, Instant};

use super::kills::at_work;
use super::scene::{Backend, Outcome, Scene};
use super::worker::{Limits, PATIENCE, Worker, until};
use crate::services::Cluster;

const FEEDS: usize = 40;

/// Restarts the server `times` times, as after a crash, while two workers visit and commit; measures the time from its
/// first response until the next commit.
pub async fn restarts(binary: &Path, cluster: &Cluster, times: usize, seed: u64) -> Outcome {
    let mut scene = Scene::new(binary, Backend::Postgres(cluster.url().to_owned()), FEEDS, seed).await;
    let mut outcome = Outcome::default();
    let mut running: Vec<Worker> = (0..2).map(|_| scene.start(Limits::None)).collect();
    for worker in &mut running {
        if !at_work(&scene, worker, &mut outcome).await {
            return outcome;
        }
    }
    while outcome.faults < times {
        let seen = scene.ledger.visits();
        if !until(PATIENCE, || scene.ledger.visits() > seen + FEEDS).await {
            let said: Vec<String> = running.iter().map(Worker::log_tail).collect();
            outcome.wrong.push(format!("after {} restarts there are no visits: {}", outcome.faults, said.join("\n")));
            break;
        }
        tokio::time::sleep(Duration::from_millis(scene.dice.roll(400) as u64)).await;
        cluster.restart().await;
        outcome.faults += 1;
        let back = Instant::now();
        let before = commits(&scene).await;
        while commits(&scene).await == before && back.elapsed() < PATIENCE {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        outcome.recoveries.push(back.elapsed());
    }
    for mut worker in running {
        if worker.has_ended() {
            outcome.wrong.push(format!("{} has ended: {}", worker.name, worker.log_tail()));
        }
        worker.kill();
        scene.end_leases_of(&worker).await.expect("leases can be ended");
    }
    scene.judge(outcome).await
}

/// How many visits were committed.
async fn commits(scene: &Scene) -> i64 {
    let feeds = scene.store.feeds(Viewer::Operator, None, 10_000).await.expect("a server that is back is found again");
    feeds.iter().map(|status| status.visits).sum()
}
