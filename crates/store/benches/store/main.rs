//! What the store costs: commits, claims and searches on both databases, next to the figures it was designed by.
//!
//! `cargo xtask services -- cargo bench -p store --bench store -- [--quick] [sqlite|postgres]
//! [commits|claims|search|retention] [--entries=N] [--words=N]`; `make bench` runs its claims and searches. Prints a table
//! and writes `target/bench/store.json`. CPU time is what counts: wall times depend on the disk and on who else is at the
//! machine. `docs/notes/store-figures.md` says what was learnt from it.

#![expect(clippy::print_stdout, reason = "a benchmark's answer is its output")]
#![expect(clippy::disallowed_methods, reason = "asks the server of the test run what it costs")]

mod claims;
mod commits;
mod cpu;
mod databases;
mod machine;
mod report;
mod retention;
mod search;
mod world;

use databases::{Database, Kind};
use report::Report;
use std::time::Duration;

/// What to measure, and how much of it.
struct Asked {
    /// Everything is divided by this.
    smaller: usize,
    databases: Vec<Kind>,
    commits: bool,
    claims: bool,
    search: bool,
    retention: bool,
    /// To be searched, or forgotten.
    entries: Option<usize>,
    /// Of each of these.
    words: usize,
}

fn main() {
    let asked = match asked(std::env::args().skip(1)) {
        Ok(asked) => asked,
        Err(why) => {
            eprintln!(
                "store benchmark: {why}; known are --quick, --entries=N, --words=N, sqlite, postgres, commits, claims, search, retention"
            );
            std::process::exit(2);
        }
    };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        // A thread that ends takes its CPU time out of the sum.
        .thread_keep_alive(Duration::from_hours(24))
        .build()
        .expect("the system can start threads");
    runtime.block_on(run(&asked));
}

fn asked(arguments: impl Iterator<Item = String>) -> Result<Asked, String> {
    let mut asked = Asked {
        smaller: 1,
        databases: Vec::new(),
        commits: false,
        claims: false,
        search: false,
        retention: false,
        entries: None,
        words: search::WORDS,
    };
    let number = |text: &str| text.parse().map_err(|_| format!("`{text}` is no number"));
    for argument in arguments {
        match argument.as_str() {
            // Cargo says so to every benchmark.
            "--bench" => {}
            "--quick" => asked.smaller = 10,
            "sqlite" => asked.databases.push(Kind::Sqlite),
            "postgres" => asked.databases.push(Kind::Postgres),
            "commits" => asked.commits = true,
            "claims" => asked.claims = true,
            "search" => asked.search = true,
            "retention" => asked.retention = true,
            other => match other.split_once('=') {
                Some(("--entries", text)) => asked.entries = Some(number(text)?),
                Some(("--words", text)) => asked.words = number(text)?,
                _ => return Err(format!("`{other}` is not understood")),
            },
        }
    }
    if asked.databases.is_empty() {
        asked.databases = vec![Kind::Sqlite, Kind::Postgres];
    }
    if !(asked.commits || asked.claims || asked.search || asked.retention) {
        (asked.commits, asked.claims, asked.search, asked.retention) = (true, true, true, true);
    }
    Ok(asked)
}

async fn run(asked: &Asked) {
    let mut report = Report::new(asked.smaller > 1);
    for &kind in &asked.databases {
        if asked.commits {
            commits::measure(kind, asked.smaller, &mut report).await;
        }
        if asked.search {
            search::measure(kind, asked.entries.unwrap_or(search::ENTRIES / asked.smaller), asked.words, &mut report)
                .await;
        }
        if asked.retention {
            retention::measure(kind, asked.entries.unwrap_or(retention::ENTRIES / asked.smaller), &mut report).await;
        }
        if asked.claims {
            for schedules in [10_000, 100_000, 1_000_000] {
                let database = Database::open(kind).await;
                claims::measure(&database, schedules / asked.smaller, asked.smaller, &mut report).await;
                database.close().await;
            }
        }
    }
    report.finish();
}
