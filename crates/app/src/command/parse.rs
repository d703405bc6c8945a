//! `courant parse`: what a document contains, for people or as the normalised document. Only reads and prints;
//! `syndication` does the parsing. A bad file does not stop the rest. A URL is visited as with `courant visit`.

use std::io::{BufRead as _, Read as _};
use std::path::{Path, PathBuf};

use engine::{Engine, VisitRequest};
use fetch::Egress;
use model::reading::Reading;
use model::visit::Outcome;
use serde_json::{Value, json};
use syndication::jobs::Job;
use syndication::{Hints, Limits, normalised, summary};

use super::Context;
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
                let document = if is_address(place) { visited(&engine, place).await } else { read(place) };
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
        match (document.and_then(|document| document.parsed()), self.output) {
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

/// Bytes, and what is known about their origin.
#[derive(Default)]
struct Document {
    bytes: Vec<u8>,
    content_type: Option<String>,
    url: Option<String>,
}

impl Document {
    fn parsed(&self) -> anyhow::Result<Reading> {
        let hints =
            Hints { content_type: self.content_type.as_deref(), base_url: self.url.as_deref(), ..Hints::default() };
        Ok(syndication::read(&self.bytes, &hints, &Limits::default())?)
    }
}

fn is_address(place: &str) -> bool {
    place.starts_with("http://") || place.starts_with("https://")
}

async fn visited(engine: &Engine, url: &str) -> anyhow::Result<Document> {
    let visit = engine::visit(engine, &VisitRequest::to(url, Egress::Feed)).await?;
    match visit.outcome {
        Outcome::Fresh(body) => {
            Ok(Document { bytes: body.decoded.to_vec(), content_type: body.content_type, url: Some(visit.url) })
        }
        outcome => anyhow::bail!("{outcome}"),
    }
}

fn read(place: &str) -> anyhow::Result<Document> {
    let mut bytes = Vec::new();
    if place == "-" {
        std::io::stdin().lock().read_to_end(&mut bytes)?;
    } else {
        open(Path::new(place))?.read_to_end(&mut bytes)?;
    }
    Ok(Document { bytes, ..Document::default() })
}

fn open(file: &Path) -> anyhow::Result<std::fs::File> {
    use anyhow::Context as _;
    std::fs::File::open(file).with_context(|| format!("cannot open {}", file.display()))
}
