//! Fault injection for the real binary: run by `make chaos`, long, one scenario per file. Each prints its measurements,
//! targets and verdicts, and the program fails when a target is missed. `SEED` sets the seed.

#![allow(clippy::unwrap_used, reason = "a scenario that cannot set up its world should stop there")]
#![allow(clippy::print_stdout, reason = "a report")]

mod faults;
mod hostile;
mod hosts;
mod kills;
mod restarts;
mod simulation;

use std::path::Path;
use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};

use testkit::chaos::Outcome;

type Scenario = fn() -> Vec<Verdict>;

const SCENARIOS: &[(&str, Scenario)] = &[
    ("simulation", simulation::run),
    ("kills", kills::run),
    ("restarts", restarts::run),
    ("faults", faults::run),
    ("hostile", hostile::run),
    ("hosts", || hosts::run(crowd())),
];

/// The named scenarios, or all. Cargo adds `--bench`.
fn main() -> ExitCode {
    let chosen: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with("--")).collect();
    if let Some(unknown) = chosen.iter().find(|name| SCENARIOS.iter().all(|(known, _)| known != name)) {
        println!("no scenario {unknown}; there are {:?}", SCENARIOS.iter().map(|(name, _)| *name).collect::<Vec<_>>());
        return ExitCode::FAILURE;
    }
    let wanted = |name: &str| chosen.is_empty() || chosen.iter().any(|chosen| chosen == name);
    let mut verdicts = Vec::new();
    for (_, scenario) in SCENARIOS.iter().filter(|(name, _)| wanted(name)) {
        verdicts.extend(scenario());
    }
    if verdicts.iter().all(|verdict| verdict.met) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// `--hosts=N` and `--slow=PERCENT` change the world.
fn crowd() -> hosts::Crowd {
    let number = |name: &str, usually: usize| {
        let said = std::env::args().find_map(|option| Some(option.strip_prefix(name)?.strip_prefix('=')?.to_owned()));
        said.map_or(usually, |said| said.parse().unwrap())
    };
    hosts::Crowd { hosts: number("--hosts", 10_000), slow_percent: number("--slow", 50) }
}

/// One figure and whether it meets its target.
pub(crate) struct Verdict {
    met: bool,
}

/// Prints a figure with its target.
pub(crate) fn judge(what: &str, found: f64, bar: f64) -> Verdict {
    let met = found <= bar;
    let word = if met { "ok" } else { "MISSED" };
    println!("  {what:<60} {found:>9.2}  bar {bar:>9.2}  {word}");
    Verdict { met }
}

/// Prints the result of a scenario.
pub(crate) fn tell(outcome: &Outcome) {
    let Outcome { faults, stops, visits, entries, .. } = outcome;
    println!("  {faults} faults, {stops} stops, {visits} visits, {entries} entries published");
    for wrong in outcome.wrong.iter().take(20) {
        println!("  wrong: {wrong}");
    }
}

/// The slowest recovery of a scenario, in seconds.
pub(crate) fn slowest(outcome: &Outcome) -> f64 {
    outcome.recoveries.iter().max().map_or(f64::NAN, std::time::Duration::as_secs_f64)
}

/// A number from the environment: for parameters such as `make chaos SEEDS=1`.
pub(crate) fn number(variable: &str, default: u64) -> u64 {
    let text = std::env::var(variable).unwrap_or_default();
    if text.is_empty() { default } else { text.parse().unwrap_or_else(|_| panic!("{variable} is no number: {text}")) }
}

/// The given seed, or a new one.
pub(crate) fn seed() -> u64 {
    let fresh = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| u64::from(since.subsec_nanos()));
    number("SEED", fresh)
}

pub(crate) fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap()
}

pub(crate) fn binary() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_courant"))
}
