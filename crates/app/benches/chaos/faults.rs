//! The disk is full at twenty points, and raw bytes cannot be stored at five: the worker reports it once, pauses,
//! resumes by itself, and the database is intact.

use testkit::chaos::{Fault, faults};

use crate::{Verdict, binary, judge, number, runtime, seed, slowest, tell};

/// A worker pauses for ten seconds and then tries one feed.
const BACK: f64 = 30.0;

pub(crate) fn run() -> Vec<Verdict> {
    let (points, seed) = (number("POINTS", 20) as usize, seed());
    let runtime = runtime();
    let mut verdicts = Vec::new();
    for (name, fault, times) in
        [("disk full", Fault::DiskFull, points), ("blobs gone", Fault::BlobsGone, points.div_ceil(4))]
    {
        println!("faults: {name} at {times} points; again: make chaos ARGS=faults SEED={seed} POINTS={points}");
        let outcome = runtime.block_on(faults(binary(), fault, times, seed));
        tell(&outcome);
        verdicts.push(judge("points that were not reached", (times - outcome.faults) as f64, 0.0));
        verdicts.push(judge("slowest way back after mending, s", slowest(&outcome), BACK));
        verdicts.push(judge("damage, differences from the ledger", outcome.wrong.len() as f64, 0.0));
    }
    verdicts
}
