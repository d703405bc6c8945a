//! `courant parse`: what a document says, for people or as the normalised document. Reading and printing only; the
//! understanding is `syndication`'s. A bad file never stops the rest.

use std::io::{BufRead as _, Read as _};
use std::path::{Path, PathBuf};

use syndication::jobs::Job;
use syndication::{Hints, Limits, human, normalised};

use super::Context;
use crate::output::Output;

/// What to parse.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Files; `-` is standard input
    #[arg(value_name = "FILE", required_unless_present = "jobs")]
    files: Vec<PathBuf>,
    /// Read one job per line from this file (`-` is standard input) and answer one line per job
    #[arg(long, value_name = "FILE", conflicts_with = "files")]
    jobs: Option<PathBuf>,
}

pub(super) fn run(context: &Context, args: &Args) -> anyhow::Result<()> {
    match &args.jobs {
        Some(list) => answer_jobs(context, list),
        None => parse_files(context, &args.files),
    }
}

fn answer_jobs(context: &Context, list: &Path) -> anyhow::Result<()> {
    let answer = |line: std::io::Result<String>| -> anyhow::Result<()> {
        let reply = match Job::parse(&line?) {
            Ok(job) => match std::fs::read(&job.path) {
                Ok(bytes) => job.answer(Ok(&bytes)),
                Err(error) => job.answer(Err(error.to_string())),
            },
            Err(error) => Job::default().answer(Err(error)),
        };
        context.output.print(reply)
    };
    if list == Path::new("-") {
        std::io::stdin().lock().lines().try_for_each(answer)
    } else {
        std::io::BufReader::new(open(list)?).lines().try_for_each(answer)
    }
}

fn parse_files(context: &Context, files: &[PathBuf]) -> anyhow::Result<()> {
    let mut refused = 0;
    for file in files {
        let parsed = read(file).and_then(|bytes| Ok(syndication::read(&bytes, &Hints::default(), &Limits::default())?));
        match parsed {
            Ok(reading) => match context.output {
                Output::Json => context.output.json(&normalised::document(&reading))?,
                Output::Text => {
                    if files.len() > 1 {
                        context.output.print(format_args!("== {}", file.display()))?;
                    }
                    context.output.print(human::render(&reading))?;
                }
            },
            Err(error) if files.len() == 1 => return Err(error.context(format!("cannot parse {}", file.display()))),
            Err(error) => {
                refused += 1;
                crate::report::complain(&format!("{}: {error}", file.display()));
            }
        }
    }
    anyhow::ensure!(refused == 0, "{refused} of {} files could not be read as feeds", files.len());
    Ok(())
}

fn read(file: &Path) -> anyhow::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    if file == Path::new("-") {
        std::io::stdin().lock().read_to_end(&mut bytes)?;
    } else {
        open(file)?.read_to_end(&mut bytes)?;
    }
    Ok(bytes)
}

fn open(file: &Path) -> anyhow::Result<std::fs::File> {
    use anyhow::Context as _;
    std::fs::File::open(file).with_context(|| format!("cannot open {}", file.display()))
}
