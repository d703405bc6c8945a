//! Faults on purpose, against the real binary: run by `make chaos`, long, one scenario per file. Each prints what it
//! measured, its bar and a verdict, and the program fails when a bar is missed.

#![allow(clippy::unwrap_used, reason = "a scenario that cannot set up its world should stop there")]
#![allow(clippy::print_stdout, reason = "a report")]

mod hosts;

/// `hosts`, or all scenarios; `--hosts=N` and `--slow=PERCENT` for another world. Cargo adds `--bench`.
fn main() -> std::process::ExitCode {
    let (options, chosen): (Vec<String>, Vec<String>) =
        std::env::args().skip(1).partition(|argument| argument.starts_with("--"));
    let number = |name: &str, usually: usize| {
        let said = options.iter().find_map(|option| option.strip_prefix(name)?.strip_prefix('='));
        said.map_or(usually, |said| said.parse().unwrap())
    };
    let wanted = |name: &str| chosen.is_empty() || chosen.iter().any(|chosen| chosen == name);
    let mut verdicts = Vec::new();
    if wanted("hosts") {
        verdicts
            .extend(hosts::run(hosts::Crowd { hosts: number("--hosts", 10_000), slow_percent: number("--slow", 50) }));
    }
    if verdicts.iter().all(|verdict| verdict.met) {
        std::process::ExitCode::SUCCESS
    } else {
        std::process::ExitCode::FAILURE
    }
}

/// One figure and whether it is good enough.
pub(crate) struct Verdict {
    met: bool,
}

/// Prints a figure with its bar.
pub(crate) fn judge(what: &str, found: f64, bar: f64) -> Verdict {
    let met = found <= bar;
    let word = if met { "ok" } else { "MISSED" };
    println!("  {what:<60} {found:>9.2}  bar {bar:>9.2}  {word}");
    Verdict { met }
}
