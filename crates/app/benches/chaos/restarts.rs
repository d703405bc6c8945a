//! PostgreSQL crashes and restarts, twenty times under two workers: visits resume within ten seconds, and in the end
//! the ledger is right.

use testkit::chaos::restarts;

use crate::{Verdict, binary, judge, number, runtime, seed, slowest, tell};

pub(crate) fn run() -> Vec<Verdict> {
    let (times, seed) = (number("RESTARTS", 20) as usize, seed());
    println!("restarts: {times} of PostgreSQL; again: make chaos ARGS=restarts SEED={seed} RESTARTS={times}");
    let outcome = runtime().block_on(async {
        let cluster = testkit::services::cluster().await;
        restarts(binary(), &cluster, times, seed).await
    });
    tell(&outcome);
    vec![
        judge("restarts that did not happen", (times - outcome.faults) as f64, 0.0),
        judge("slowest way back to a commit, s", slowest(&outcome), 10.0),
        judge("differences from the ledger", outcome.wrong.len() as f64, 0.0),
    ]
}
