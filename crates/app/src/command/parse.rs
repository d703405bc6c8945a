//! `courant parse`: what a document contains, for people or as the normalised document. Only reads and prints;
//! `syndication` does the parsing. A bad file does not stop the rest. A URL is visited as with `courant visit`.

use std::io::BufRead as _;
use std::path::{Path, PathBuf};

use fetch::Egress;
use model::reading::Reading;
use serde_json::{Value, json};
use syndication::jobs::Job;
use syndication::{Hints, Limits, normalised, summary};

use super::Context;
use super::place::{Document, is_address, open, read, visited};
use crate::output::{Layout, Output};

/// What to parse.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Files or addresses; `-` is standard input
    #[arg(value_name = "FILE|URL", required_unless_present = "jobs")]
    places: Vec<String>,
    /// Read one job per line from this file (`-` is standard input) and answer one line per job
    #[arg(long, value_name = "FILE", conflicts_with = "places")]
    jobs: Option<PathBuf>,
}

pub(super) fn run(context: &Context, args: &Args) -> anyhow::Result<()> {
    match &args.jobs {
        Some(list) => answer_jobs(context, list),
        None => parse_places(context, &args.places),
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

fn parse_places(context: &Context, places: &[String]) -> anyhow::Result<()> {
    let mut parsing = Parsing { output: context.output, several: places.len() > 1, told: 0, refused: 0 };
    if places.iter().any(|place| is_address(place)) {
        context.with_visitor(async |engine| {
            for place in places {
                let document =
                    if is_address(place) { visited(&engine, place, Egress::Feed).await } else { read(place) };
                parsing.tell(place, document)?;
            }
            Ok(())
        })?;
    } else {
        places.iter().try_for_each(|place| parsing.tell(place, read(place)))?;
    }
    parsing.end()?;
    let refused = parsing.refused;
    anyhow::ensure!(refused == 0, "{refused} of {} files could not be read as feeds", places.len());
    Ok(())
}

/// One document after the other: only one of them is in memory.
struct Parsing {
    output: Output,
    several: bool,
    told: usize,
    refused: usize,
}

impl Parsing {
    fn tell(&mut self, place: &str, document: anyhow::Result<Document>) -> anyhow::Result<()> {
        match (document.and_then(|document| parsed(&document)), self.output) {
            (Ok(reading), Output::Json(_)) => self.row(&normalised::document(&reading)),
            (Ok(reading), Output::Text) => {
                if self.several {
                    self.output.print(format_args!("== {place}"))?;
                }
                self.output.print(summary::render(&reading))
            }
            (Err(error), _) if !self.several => Err(error.context(format!("cannot parse {place}"))),
            (Err(error), output) => {
                self.refused += 1;
                crate::report::complain(&format!("{place}: {error}"));
                if output.is_json() { self.row(&json!({ "place": place, "error": error.to_string() })) } else { Ok(()) }
            }
        }
    }

    /// A row for JSON. Several rows make one array, which is written as it comes.
    fn row(&mut self, value: &Value) -> anyhow::Result<()> {
        self.told += 1;
        match self.output {
            Output::Json(Layout::Document) if self.several => {
                let begin = if self.told == 1 { "[" } else { "," };
                self.output.print(format_args!("{begin}\n{value:#}"))
            }
            output => output.json(value),
        }
    }

    fn end(&self) -> anyhow::Result<()> {
        let array = self.several && self.output == Output::Json(Layout::Document);
        if array { self.output.print("]") } else { Ok(()) }
    }
}

fn parsed(document: &Document) -> anyhow::Result<Reading> {
    let hints =
        Hints { content_type: document.content_type.as_deref(), base_url: document.url.as_deref(), ..Hints::default() };
    Ok(syndication::read(&document.bytes, &hints, &Limits::default())?)
}
