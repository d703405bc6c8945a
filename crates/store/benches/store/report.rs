//! The table, and the same as JSON: each figure beside what the design measured on its prototype, with the ratio.

use crate::cpu::Spent;
use crate::databases::Kind;
use crate::machine::Machine;
use serde::Serialize;
use std::path::Path;
use std::time::Duration;
use trial::{Bar, figure};

/// What counts as flat from ten thousand schedules to a million.
const FLAT: f64 = 1.3;

/// What the design's prototype measured for the same work.
#[derive(Debug, Clone, Copy, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Design {
    /// CPU microseconds per feed.
    Cpu(f64),
    /// Feeds per second.
    Rate(f64),
    /// Microseconds until the answer: a bar, not a measurement.
    Wall(f64),
}

/// How many times cheaper a commit in a group was on the prototype (PostgreSQL, 16 to a group).
const DESIGNED_GROUP_GAIN: f64 = 2.6;

#[derive(Debug, Serialize)]
pub(crate) struct Report {
    machine: Machine,
    quick: bool,
    figures: Vec<Figure>,
    notes: Vec<String>,
}

#[derive(Debug, Serialize)]
struct Figure {
    database: Kind,
    work: String,
    feeds: usize,
    per_second: f64,
    wall_micros: f64,
    cpu_micros: f64,
    server_cpu_micros: Option<f64>,
    design: Option<Design>,
    /// Below 1 is better than the design for CPU, above 1 for rates.
    ratio: Option<f64>,
}

impl Report {
    pub(crate) fn new(quick: bool) -> Self {
        Self { machine: Machine::here(), quick, figures: Vec::new(), notes: Vec::new() }
    }

    pub(crate) fn add(&mut self, database: Kind, work: &str, feeds: usize, spent: Spent, design: Option<Design>) {
        let each = |time: Duration| time.as_secs_f64() * 1e6 / feeds as f64;
        let (wall_micros, cpu_micros) = (each(spent.wall), each(spent.own));
        let per_second = 1e6 / wall_micros;
        let ratio = design.map(|design| match design {
            Design::Cpu(micros) => cpu_micros / micros,
            Design::Rate(rate) => per_second / rate,
            Design::Wall(micros) => wall_micros / micros,
        });
        let server_cpu_micros = (database == Kind::Postgres).then(|| each(spent.server));
        let work = work.to_owned();
        eprintln!("{database:?}: {work}: {cpu_micros:.1} µs, {wall_micros:.1} µs until done");
        let figure =
            Figure { database, work, feeds, per_second, wall_micros, cpu_micros, server_cpu_micros, design, ratio };
        self.figures.push(figure);
    }

    /// How much cheaper commits that share a transaction are.
    pub(crate) fn note_group_gain(&mut self, grouped: Spent, alone: Spent) {
        let cpu = |spent: Spent| (spent.own + spent.server).as_secs_f64();
        self.notes.push(format!(
            "PostgreSQL, new entries, 32 callers in groups against one caller: {:.2} x the rate, {:.2} x less CPU \
             (client and server); design {DESIGNED_GROUP_GAIN} x",
            alone.wall.as_secs_f64() / grouped.wall.as_secs_f64(),
            cpu(alone) / cpu(grouped),
        ));
    }

    /// Prints the table and writes the JSON.
    pub(crate) fn finish(mut self) {
        self.notes.push("design, SQLite, new entries with savepoints: 662 µs (not built)".into());
        let Machine { commit, cores, model, memory_mib } = &self.machine;
        println!("\n{commit}, {cores} cores, {model}, {memory_mib} MiB{}\n", if self.quick { ", quick" } else { "" });
        println!("| database | work | feeds | feeds/s | wall µs | CPU µs | server µs | design | ratio |");
        println!("|---|---|--:|--:|--:|--:|--:|--:|--:|");
        for figure in &self.figures {
            let Figure { database, work, feeds, per_second, wall_micros, cpu_micros, .. } = figure;
            let server = figure.server_cpu_micros.map_or("–".into(), |micros| format!("{micros:.1}"));
            let design = match figure.design {
                None => "–".into(),
                Some(Design::Cpu(micros)) => format!("{micros:.0} µs"),
                Some(Design::Rate(rate)) => format!("{rate:.0}/s"),
                Some(Design::Wall(micros)) => format!("{:.0} ms", micros / 1000.0),
            };
            let ratio = figure.ratio.map_or("–".into(), |ratio| format!("{ratio:.2}"));
            let database = format!("{database:?}");
            println!(
                "| {database} | {work} | {feeds} | {per_second:.0} | {wall_micros:.1} | {cpu_micros:.1} | {server} | \
                 {design} | {ratio} |"
            );
        }
        println!();
        self.notes.iter().for_each(|note| println!("{note}"));
        self.tell_claims();
        self.tell_search();
        self.write();
    }

    /// P9: a claim costs as much among many as among few, client and server together.
    fn tell_claims(&self) {
        for database in [Kind::Sqlite, Kind::Postgres] {
            let claims =
                || self.figures.iter().filter(|f| f.database == database && f.work.starts_with("claim 32 among"));
            let (Some(few), Some(many)) = (claims().next(), claims().next_back()) else { continue };
            let cost = |figure: &Figure| figure.cpu_micros + figure.server_cpu_micros.unwrap_or(0.0);
            let among = |figure: &Figure| figure.work.trim_start_matches("claim 32 among ").to_owned();
            let what = format!("claim on {database:?}, CPU among {} over among {}", among(many), among(few));
            let note = format!("{:.1} and {:.1} µs per feed", cost(many), cost(few));
            figure("P9", &what, cost(many) / cost(few), Bar::AtMost(FLAT), &note);
        }
    }

    /// P7: the slower of the two orders, for the word that every entry has.
    fn tell_search(&self) {
        for database in [Kind::Sqlite, Kind::Postgres] {
            let asked = self.figures.iter().filter(|figure| figure.database == database);
            let slowest = asked
                .filter(|figure| figure.work.contains(": common word,"))
                .max_by(|one, other| one.wall_micros.total_cmp(&other.wall_micros));
            if let Some(slowest) = slowest {
                let what = format!("search on {database:?}, common word, ms");
                figure("P7", &what, slowest.wall_micros / 1000.0, Bar::AtMost(20.0), &slowest.work);
            }
        }
    }

    fn write(&self) {
        let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().expect("target/tmp lies in target");
        let path = target.join("bench/store.json");
        let json = serde_json::to_string_pretty(self).expect("figures are plain data");
        let written = std::fs::create_dir_all(target.join("bench")).and_then(|()| std::fs::write(&path, json + "\n"));
        match written {
            Ok(()) => println!("written to {}", path.display()),
            Err(error) => eprintln!("cannot write {}: {error}", path.display()),
        }
    }
}
