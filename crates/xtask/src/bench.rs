//! `cargo xtask bench`: all benchmarks that have a target, in one table.
//!
//! Each crate measures in its own `benches/` and reports its figures as lines of JSON (`trial::figure`). This runs the
//! benchmarks one after the other, with the services of the tests, and collects the figures. A missed target is a
//! result, not a failure; only a benchmark that could not be run is one. Results are kept below the build directory,
//! and with `--keep` in `docs/`.

mod results;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::repository::{cargo, target_dir};
use crate::services::{Interrupt, Services};
use results::Results;

/// One benchmark and its arguments.
struct Step {
    name: &'static str,
    package: &'static str,
    bench: &'static str,
    arguments: &'static [&'static str],
    when_quick: &'static [&'static str],
}

const STEPS: &[Step] = &[
    Step { name: "parse", package: "syndication", bench: "parse", arguments: &[], when_quick: &[] },
    Step { name: "schedule", package: "policy", bench: "schedule", arguments: &[], when_quick: &[] },
    Step { name: "prose", package: "prose", bench: "prose", arguments: &[], when_quick: &[] },
    Step { name: "litellm", package: "llm", bench: "litellm", arguments: &[], when_quick: &[] },
    Step { name: "start", package: "courant", bench: "start", arguments: &[], when_quick: &[] },
    Step {
        name: "ingest",
        package: "courant",
        bench: "bars",
        arguments: &["ingest"],
        when_quick: &["--quick", "ingest"],
    },
    Step { name: "grown", package: "courant", bench: "bars", arguments: &["grown"], when_quick: &["--quick", "grown"] },
    Step {
        name: "workers",
        package: "courant",
        bench: "bars",
        arguments: &["workers"],
        when_quick: &["--quick", "workers"],
    },
    Step { name: "large", package: "courant", bench: "bars", arguments: &["large"], when_quick: &["--quick", "large"] },
    Step {
        name: "punctual",
        package: "courant",
        bench: "bars",
        arguments: &["punctual"],
        when_quick: &["--quick", "punctual"],
    },
    Step {
        name: "reader",
        package: "courant",
        bench: "bars",
        arguments: &["reader"],
        when_quick: &["--quick", "reader"],
    },
    Step {
        name: "claims",
        package: "store",
        bench: "store",
        arguments: &["postgres", "sqlite", "claims"],
        when_quick: &["--quick", "postgres", "sqlite", "claims"],
    },
    Step {
        name: "search",
        package: "store",
        bench: "store",
        arguments: &["sqlite", "search", "--entries=1000000"],
        when_quick: &["sqlite", "search", "--entries=20000"],
    },
    Step {
        name: "search-postgres",
        package: "store",
        bench: "store",
        arguments: &["postgres", "search", "--entries=1000000"],
        when_quick: &["postgres", "search", "--entries=20000"],
    },
    Step {
        name: "faults",
        package: "courant",
        bench: "chaos",
        arguments: &["hosts", "--slow=20"],
        when_quick: &["hosts", "--slow=20", "--hosts=1000"],
    },
];

/// The parsed arguments.
#[derive(Debug, Default, PartialEq, Eq)]
struct Asked {
    quick: bool,
    keep: bool,
    /// Steps to run; all if empty.
    only: Vec<String>,
    /// `--feeds=N`, `--rounds=N`, `--world=DIR`, `--posts=N`, `--only=STEP`, for the benchmarks that use a world.
    world: Vec<String>,
    /// `--entries=N`, for search.
    entries: Option<String>,
    /// `--language FILE` and the like: labelled texts for the toolkit of natural language.
    labelled: Vec<String>,
}

/// The measures of `prose` that need labelled texts.
const LABELLED: &[&str] =
    &["--language", "--summary", "--topics", "--sentiment", "--clickbait", "--framing", "--answers", "--faithfulness"];

/// Runs the benchmarks, prints the table, writes the results; returns the exit code.
#[expect(clippy::print_stdout, reason = "the table is what it is for")]
pub fn bench(root: &Path, arguments: &[String], interrupt: &Interrupt) -> Result<u8> {
    let asked = asked(arguments)?;
    let steps: Vec<&Step> =
        STEPS.iter().filter(|step| asked.only.is_empty() || asked.only.iter().any(|name| name == step.name)).collect();
    let directory = target_dir(root).join("bench");
    fs::create_dir_all(&directory).with_context(|| format!("cannot make {}", directory.display()))?;
    let mut services = Services::start(root, interrupt)?;
    let mut results = Results::begin(root, &directory, asked.quick);
    let mut failed = Vec::new();
    for step in steps {
        let figures = directory.join("figures.jsonl");
        if figures.exists() {
            fs::remove_file(&figures)?;
        }
        eprintln!("== {}", step.name);
        if step.name == "litellm" {
            services.add_litellm(root, interrupt)?;
        }
        let mut command = cargo(root);
        command.args(["bench", "-p", step.package, "--bench", step.bench, "--"]).args(arguments_of(step, &asked));
        command.env("COURANT_FIGURES", &figures);
        let code = services.run(&command, interrupt)?;
        let lines = fs::read_to_string(&figures).unwrap_or_default();
        results.add(&lines)?;
        // A chaos scenario that misses a target also returns a failing code; its figures are valid.
        if code != 0 && lines.is_empty() {
            failed.push(step.name);
        }
        results.write(&directory)?;
        if interrupt.signal().is_some() {
            bail!("interrupted");
        }
    }
    println!("\n{}", results.table());
    if asked.keep {
        results.keep(&root.join("docs/operate"))?;
    }
    for name in &failed {
        eprintln!("{name} could not be run");
    }
    Ok(u8::from(!failed.is_empty()))
}

fn asked(arguments: &[String]) -> Result<Asked> {
    let mut asked = Asked::default();
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        match argument.split_once('=').map_or(argument.as_str(), |(name, _)| name) {
            "--quick" => asked.quick = true,
            "--keep" => asked.keep = true,
            "--feeds" | "--rounds" | "--world" | "--only" | "--posts" => asked.world.push(argument.clone()),
            "--entries" => asked.entries = Some(argument.clone()),
            name if LABELLED.contains(&name) => {
                let file = argument.split_once('=').map(|(_, file)| file).or_else(|| rest.next().map(String::as_str));
                let file = file.with_context(|| format!("`{name}` needs a file"))?;
                // A benchmark runs in the directory of its crate.
                let file = std::path::absolute(file).with_context(|| format!("cannot find {file}"))?;
                asked.labelled.push(format!("{name}={}", file.display()));
            }
            name if STEPS.iter().any(|step| step.name == name) => asked.only.push(argument.clone()),
            _ => {
                let names: Vec<_> = STEPS.iter().map(|step| step.name).collect();
                bail!(
                    "`{argument}` is not understood; known are --quick, --keep, --feeds=N, --rounds=N, --world=DIR, --posts=N, --only=STEP, \
                     --entries=N, {} FILE, {}",
                    LABELLED.join(" FILE, "),
                    names.join(", ")
                );
            }
        }
    }
    if asked.quick && asked.keep {
        bail!("--keep and --quick exclude each other; the figures of a quick run mean little");
    }
    Ok(asked)
}

/// The arguments of a benchmark.
fn arguments_of(step: &Step, asked: &Asked) -> Vec<String> {
    let own = if asked.quick { step.when_quick } else { step.arguments };
    let mut told: Vec<String> = own.iter().map(ToString::to_string).collect();
    match step.bench {
        "prose" => told.extend(asked.labelled.iter().cloned()),
        "bars" => told.extend(asked.world.iter().cloned()),
        "parse" => {
            let world = asked.world.iter().find_map(|argument| argument.strip_prefix("--world="));
            told.extend(world.map(|world| PathBuf::from(world).join("v0").display().to_string()));
        }
        _ if step.name.starts_with("search") => told.extend(asked.entries.clone()),
        _ => {}
    }
    told
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(case: &str, arguments: &str, step: &str, expected: &str) {
        let arguments: Vec<String> = arguments.split_whitespace().map(str::to_owned).collect();
        let said = match asked(&arguments) {
            Ok(asked) => arguments_of(STEPS.iter().find(|known| known.name == step).unwrap(), &asked).join(" "),
            Err(error) => error.to_string().split(';').next().unwrap_or_default().to_owned(),
        };
        assert_eq!(said, expected, "{case}");
    }

    #[test]
    fn arguments() {
        check("as it is", "", "ingest", "ingest");
        check("quick", "--quick", "faults", "hosts --slow=20 --hosts=1000");
        check("a smaller world", "--feeds=500 ingest", "grown", "grown --feeds=500");
        check("another world", "--world=kit/world", "parse", "kit/world/v0");
        check("fewer entries", "--entries=200000", "search", "sqlite search --entries=1000000 --entries=200000");
        check("no world to know", "--feeds=500", "claims", "postgres sqlite claims");
        check("labelled texts", "prose --topics /a --summary=/b", "prose", "--topics=/a --summary=/b");
        check("a flag without its file", "--topics", "prose", "`--topics` needs a file");
        check("a slip", "--fast", "ingest", "`--fast` is not understood");
        check("kept, though quick", "--quick --keep", "ingest", "--keep and --quick exclude each other");
    }
}
