//! Workers are killed (-9) two hundred times on each database, and sometimes stopped past the end of a lease: what is
//! stored and announced equals the publisher's ledger.

use testkit::chaos::{Backend, kills};

use crate::{Verdict, binary, judge, number, runtime, seed, tell};

pub(crate) fn run() -> Vec<Verdict> {
    let (times, seed) = (number("KILLS", 200) as usize, seed());
    let runtime = runtime();
    let mut verdicts = Vec::new();
    for name in ["SQLite", "PostgreSQL"] {
        println!("kills: {times} on {name}; again: make chaos ARGS=kills SEED={seed} KILLS={times}");
        let outcome = runtime.block_on(async {
            if name == "SQLite" {
                return kills(binary(), Backend::Sqlite, times, seed).await;
            }
            let database = testkit::services::postgres().await;
            kills(binary(), Backend::Postgres(database.url().to_owned()), times, seed).await
        });
        tell(&outcome);
        verdicts.push(judge("kills that did not happen", (times - outcome.faults) as f64, 0.0));
        verdicts.push(judge("differences from the ledger, writes not refused", outcome.wrong.len() as f64, 0.0));
    }
    verdicts
}
