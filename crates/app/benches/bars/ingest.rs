//! P2, P3, P4 and the peak of P5: the whole world cold (A), again when nothing has changed (B), and again with two new
//! entries in every feed (C), with Courant and its peers, in one run on one origin.
//!
//! Only ratios of processor time count. Peers and Courant alternate, round by round, and the median round is reported.

use std::path::{Path, PathBuf};
use std::process::Command;

use trial::{Bar, figure, remark};

use crate::cost::{Cost, cost};
use crate::origin::{Origin, Seen};
use crate::ours::Ours;
use crate::{Asked, Bench};

/// newsboat is so slow that a part of the world is enough.
const FEEDS_OF_NEWSBOAT: usize = 500;

pub(crate) fn run(bench: &Bench) {
    let rounds: Vec<[Phases; 3]> = (0..bench.asked.rounds).map(|round| a_round(bench, round)).collect();
    for round in 0..bench.asked.rounds {
        std::fs::remove_dir_all(directory_of(bench, round)).expect("what is no longer needed can go");
    }
    let feeds = bench.asked.feeds as f64;
    let middle = |who: usize, what: &dyn Fn(&Phases) -> f64| median(rounds.iter().map(|round| what(&round[who])));
    let names = ["courant", "obvious", "obvious + FTS"];
    for (who, name) in names.iter().enumerate() {
        let each = |phase: usize| 1000.0 * middle(who, &|phases| phases.0[phase].cpu_seconds) / feeds;
        let peak = middle(who, &|phases| phases.0[0].peak_megabytes);
        println!(
            "{name:14} A {:7.3}  B {:7.3}  C {:7.3} CPU ms per feed, peak {peak:.0} MB",
            each(0),
            each(1),
            each(2)
        );
        for (phase, letter) in ["A", "B", "C"].iter().enumerate() {
            remark("ingest", &format!("{name}, {letter}: CPU ms per feed"), each(phase), "");
        }
    }
    // Ratios within a round: other load on the machine affected both.
    let ratio = |phase: usize, peer: usize| {
        let of = |round: &[Phases; 3]| round[0].0[phase].cpu_seconds / round[peer].0[phase].cpu_seconds;
        median(rounds.iter().map(of))
    };
    let note = format!("{} feeds, {} rounds", bench.asked.feeds, rounds.len());
    figure("P2", "cold, CPU over obvious + FTS", ratio(0, 2), Bar::AtMost(1.0), &note);
    figure("P3", "all 304, CPU over obvious", ratio(1, 1), Bar::AtMost(1.5), &note);
    figure("P4", "two new each, CPU over obvious + FTS", ratio(2, 2), Bar::AtMost(1.0), &note);
    let peak = middle(0, &|phases| phases.0[0].peak_megabytes);
    figure("P5", "peak when cold, MB", peak, Bar::AtMost(150.0), &note);
    newsboat(bench);
}

/// The three phases of one program.
struct Phases([Cost; 3]);

/// A new one for every round, and none is deleted before the last: some file systems avoid recently freed inodes, and
/// check each of them for every new file.
fn directory_of(bench: &Bench, round: usize) -> PathBuf {
    bench.directory.join(format!("ours-{}-{round}", std::process::id()))
}

fn a_round(bench: &Bench, round: usize) -> [Phases; 3] {
    let ours = Ours::in_directory(directory_of(bench, round));
    ours.import(&bench.world.join("world.opml"));
    let log = bench.directory.join("courant.log");
    let courant = phases(bench, &bench.origin, || cost(&ours.command(&["fetch", "--all"]), &log));
    eprintln!("round {round}: courant {}, database {:.0} MB", courant.told(), ours.database_megabytes());
    let peer = |name: &str, with: &[&str]| {
        let database = fresh(&bench.directory, name);
        let mut command = Command::new(std::env::current_exe().expect("this program has a name"));
        command.env_clear().arg("obvious").arg(bench.world.join("urls.txt")).arg(&database).args(with);
        let log = bench.directory.join(format!("{name}.log"));
        let phases = phases(bench, &bench.origin, || cost(&command, &log));
        eprintln!("round {round}: {name} {}", phases.told());
        phases
    };
    [courant, peer("obvious", &[]), peer("obvious-fts", &["--fts"])]
}

impl Phases {
    fn told(&self) -> String {
        let [a, b, c] = &self.0;
        format!(
            "A {:.2} B {:.2} C {:.2} CPU s ({:.1}, {:.1}, {:.1} s of wall), peak {:.0} MB",
            a.cpu_seconds,
            b.cpu_seconds,
            c.cpu_seconds,
            a.wall_seconds,
            b.wall_seconds,
            c.wall_seconds,
            a.peak_megabytes
        )
    }
}

/// Runs the same command three times, and checks the requests.
fn phases(bench: &Bench, origin: &Origin, run: impl Fn() -> Cost) -> Phases {
    let Asked { feeds, .. } = bench.asked;
    origin.serve_version(0);
    origin.seen();
    let cold = run();
    saw("A", &origin.seen(), feeds, 0);
    let same = run();
    saw("B", &origin.seen(), 0, feeds);
    origin.serve_version(1);
    let changed = run();
    saw("C", &origin.seen(), feeds, 0);
    origin.serve_version(0);
    Phases([cold, same, changed])
}

/// Requests for robots.txt and the like are answered with 404 and count for the program that makes them.
fn saw(phase: &str, seen: &Seen, fresh: usize, unchanged: usize) {
    assert!(seen.fresh == fresh && seen.unchanged == unchanged, "phase {phase} measured something else: {seen:?}");
}

/// If installed. It does not store the validators of its first visit, so its second is not all 304.
fn newsboat(bench: &Bench) {
    let Some(program) = on_path("newsboat") else {
        println!("newsboat is not installed");
        return;
    };
    let feeds = FEEDS_OF_NEWSBOAT.min(bench.asked.feeds);
    let directory = fresh(&bench.directory, "newsboat");
    std::fs::create_dir_all(&directory).expect("a directory can be made");
    let urls = std::fs::read_to_string(bench.world.join("urls.txt")).expect("the world has a list");
    let urls: Vec<&str> = urls.lines().take(feeds).collect();
    let file = |name: &str, text: String| {
        let path = directory.join(name);
        std::fs::write(&path, text).expect("a file can be written");
        path
    };
    let urls = file("urls", urls.join("\n") + "\n");
    let config = file("config", "reload-threads 20\nmax-items 0\ndownload-retries 1\n".into());
    let mut command = Command::new(program);
    command.env_clear().env("HOME", &directory).env("LANG", "C.UTF-8").arg("-q").arg("-u").arg(urls);
    command.arg("-c").arg(directory.join("cache.db")).arg("-C").arg(config).args(["-x", "reload"]);
    bench.origin.serve_version(0);
    let log = bench.directory.join("newsboat.log");
    let cold = cost(&command, &log);
    bench.origin.serve_version(1);
    let changed = cost(&command, &log);
    let same = cost(&command, &log);
    bench.origin.serve_version(0);
    for (letter, cost) in [("A", cold), ("B", same), ("C", changed)] {
        let each = 1000.0 * cost.cpu_seconds / feeds as f64;
        println!("newsboat       {letter} {each:7.3} CPU ms per feed ({feeds} feeds)");
        remark("ingest", &format!("newsboat, {letter}: CPU ms per feed"), each, &format!("{feeds} feeds"));
    }
}

fn on_path(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|directory| directory.join(program)).find(|file| file.is_file())
}

/// A path below, with nothing there.
fn fresh(directory: &Path, name: &str) -> PathBuf {
    let path = directory.join(name);
    for beside in ["", "-wal", "-shm"] {
        let _ = std::fs::remove_file(directory.join(format!("{name}{beside}")));
    }
    let _ = std::fs::remove_dir_all(&path);
    path
}

pub(crate) fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}
