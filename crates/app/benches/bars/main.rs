//! The performance targets of the whole program, compared with peers in the same run: `cargo xtask bench` runs this
//! with the benchmarks of the other crates and puts all figures into one table; `docs/operate/performance.md` explains
//! it.
//!
//! `cargo bench -p courant --bench bars -- [--quick] [--feeds=N] [--rounds=N] [--world=DIR] [--only=STEP]... [--posts=N] [ingest|grown|workers|large|punctual|reader]`.
//! A world of feeds is generated once below the build directory, or taken from `--world` (`v0/`, `v1/` with documents
//! plain and compressed, `urls.txt`, `world.opml`). This program is also the origin, the peer and the measuring
//! process: it starts itself again for each. Invariant: only loopback addresses are listened on and visited.

#![allow(clippy::print_stdout, reason = "a benchmark's answer is what it prints")]

mod cost;
mod grown;
mod ingest;
mod large;
mod obvious;
mod origin;
mod ours;
mod punctual;
mod reader;
mod workers;
mod world;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

const FEEDS: usize = 2000;
const ROUNDS: usize = 3;
const PORT: u16 = 18_480;
const PARTS: [&str; 6] = ["ingest", "grown", "workers", "large", "punctual", "reader"];

/// What to measure, and how much of it.
pub(crate) struct Asked {
    pub(crate) quick: bool,
    pub(crate) feeds: usize,
    pub(crate) rounds: usize,
    world: Option<PathBuf>,
    /// Steps of a part, if not all of them: `reader` has some.
    only: Vec<String>,
    /// How many posts a reader has, if not a million.
    pub(crate) posts: Option<usize>,
    parts: Vec<String>,
}

impl Asked {
    /// Whether a step of a part is wanted.
    pub(crate) fn wants(&self, step: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|only| only == step)
    }
}

/// What all parts share.
pub(crate) struct Bench {
    pub(crate) asked: Asked,
    pub(crate) world: PathBuf,
    /// The directory of databases and logs.
    pub(crate) directory: PathBuf,
    pub(crate) origin: origin::Origin,
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["origin", world] => origin::serve(Path::new(world)),
        ["measure", ..] => return cost::measure(&arguments[1..]),
        ["obvious", urls, database, ref search @ ..] => {
            let search = if search == ["--fts"] { obvious::Search::With } else { obvious::Search::Without };
            println!("{} new entries", obvious::run(Path::new(urls), Path::new(database), search));
        }
        _ => match asked(&arguments) {
            Ok(asked) => run(asked),
            Err(why) => {
                eprintln!(
                    "bars: {why}; known are --quick, --feeds=N, --rounds=N, --world=DIR, --posts=N, --only={} and {}",
                    reader::STEPS.join("|"),
                    PARTS.join(", ")
                );
                return ExitCode::from(2);
            }
        },
    }
    ExitCode::SUCCESS
}

fn asked(arguments: &[String]) -> Result<Asked, String> {
    let mut asked = Asked {
        quick: false,
        feeds: FEEDS,
        rounds: ROUNDS,
        world: None,
        only: Vec::new(),
        posts: None,
        parts: Vec::new(),
    };
    let number = |text: &str| text.parse::<usize>().ok().filter(|n| *n > 0).ok_or(format!("`{text}` is no number"));
    for argument in arguments {
        match argument.split_once('=').unwrap_or((argument, "")) {
            // Cargo passes it to every benchmark.
            ("--bench", "") => {}
            ("--quick", "") => (asked.quick, asked.feeds, asked.rounds) = (true, 200, 1),
            ("--feeds", feeds) => asked.feeds = number(feeds)?,
            ("--rounds", rounds) => asked.rounds = number(rounds)?,
            ("--only", step) if reader::STEPS.contains(&step) => asked.only.push(step.to_owned()),
            ("--posts", posts) => asked.posts = Some(number(posts)?),
            ("--world", directory) => asked.world = Some(directory.into()),
            (part, "") if PARTS.contains(&part) => asked.parts.push(part.to_owned()),
            _ => return Err(format!("`{argument}` is not understood")),
        }
    }
    Ok(asked)
}

fn run(mut asked: Asked) {
    let target =
        Path::new(env!("CARGO_TARGET_TMPDIR")).parent().expect("the directory for temporary files lies in target");
    let world = asked.world.clone().unwrap_or_else(|| {
        let world = target.join(format!("bench/world-{}", asked.feeds));
        world::write(&world, world::Size { feeds: asked.feeds, seed: 1, port: PORT }).expect("a world can be written");
        world
    });
    let urls = std::fs::read_to_string(world.join("urls.txt")).expect("a world has a list of addresses");
    asked.feeds = urls.lines().count();
    let directory = target.join("bench/run");
    std::fs::create_dir_all(&directory).expect("a directory can be made");
    let origin = origin::Origin::start(&world);
    let bench = Bench { asked, world, directory, origin };
    let wanted = |part: &str| bench.asked.parts.is_empty() || bench.asked.parts.iter().any(|asked| asked == part);
    let parts: [fn(&Bench); 6] = [ingest::run, grown::run, workers::run, large::run, punctual::run, reader::run];
    for (name, part) in PARTS.iter().zip(parts) {
        if wanted(name) {
            part(&bench);
        }
    }
}
