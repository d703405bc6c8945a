//! P5 when idle and P12: the memory of `courant serve` with the world's feeds, and the time to its first response on a
//! database that has grown to a gigabyte by visits.

use std::time::Duration;

use trial::{Bar, figure};

use crate::Bench;
use crate::cost::cost;
use crate::ingest::median;
use crate::ours::Ours;
use crate::world;

const STARTS: usize = 7;
/// A small world does not become a gigabyte.
const MOST_COPIES: usize = 40;
/// Until memory used at startup is released.
const SETTLED: Duration = Duration::from_secs(10);

pub(crate) fn run(bench: &Bench) {
    let ours = Ours::in_directory(bench.directory.join("grown"));
    let log = bench.directory.join("grown.log");
    bench.origin.serve_version(0);
    ours.import(&bench.world.join("world.opml"));
    cost(&ours.command(&["fetch", "--all"]), &log);

    let (serving, _) = ours.serve();
    std::thread::sleep(SETTLED);
    let note = format!("{} feeds, {:.0} MB of database", bench.asked.feeds, ours.database_megabytes());
    figure("P5", "idle, MB", serving.megabytes(), Bar::AtMost(40.0), &note);
    serving.stop();

    let wanted = if bench.asked.quick { 100.0 } else { 1000.0 };
    let urls = std::fs::read_to_string(bench.world.join("urls.txt")).expect("the world has a list");
    for copy in 1..=MOST_COPIES {
        if ours.database_megabytes() >= wanted {
            break;
        }
        // The same documents under other URLs are other feeds.
        let copied = |url: &str| {
            let (host, file) = url.rsplit_once('/').expect("an address has a path");
            format!("{host}/copy/{copy}/{file}")
        };
        let opml = bench.directory.join("copy.opml");
        std::fs::write(&opml, world::opml(&urls.lines().map(copied).collect::<Vec<_>>())).expect("a list");
        ours.import(&opml);
        cost(&ours.command(&["fetch", "--all"]), &log);
        eprintln!("grown to {:.0} MB", ours.database_megabytes());
    }
    let started = |_| {
        let (serving, milliseconds) = ours.serve();
        serving.stop();
        milliseconds
    };
    let milliseconds = median((0..STARTS).map(started));
    let note = format!(
        "{:.0} MB of database in the page cache, after a clean stop; median of {STARTS}",
        ours.database_megabytes()
    );
    figure("P12", "start to first answer, ms", milliseconds, Bar::AtMost(300.0), &note);
    std::fs::remove_dir_all(&ours.directory).expect("what is no longer needed can go");
}
