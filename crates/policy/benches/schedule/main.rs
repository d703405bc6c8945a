//! The table of `docs/notes/schedule-quality.md`: `cargo bench -p policy --bench schedule`.

#![expect(clippy::print_stdout, reason = "a table is what it is for")]

mod report;
mod simulation;

use policy::{Preset, Rules};
use simulation::{CEILING, DAY, FLOOR, Result, Source, adaptive, decided, fixed, optimum, population, ruled, start};
use trial::{Bar, figure};

fn main() {
    println!("mean minutes until an entry is found, at equal visits | at its own visits (a day and feed)");
    println!(
        "{:17} {:>6} {:>8} {:>8} {:>8} {:>8} {:>9} | {:>16} {:>16}",
        "population", "visits", "adaptive", "sqrt law", "by hour", "fixed", "frequency", "default", "fetcher"
    );
    for name in ["mixed", "mixed again", "mixed, no rhythm", "steady", "newsrooms", "weekly blogs", "podcasts", "dead"]
    {
        let sources = population(name);
        let feeds = sources.len();
        let ours = adaptive(&sources);
        let (best, fixed) = (optimum(&sources, ours.visits), fixed(&sources, ours.visits));
        let by_hour = at_equal_visits(&sources, ours.visits, square_root_by_hour);
        let frequency = at_equal_visits(&sources, ours.visits, entry_frequency);
        let usual = decided(&sources, &Rules::preset(Preset::Courant), None);
        let fetcher = decided(&sources, &Rules::preset(Preset::Fetcher), None);
        println!(
            "{name:17} {:6.1} {:8.1} {:8.1} {:8.1} {:8.1} {:9.1} | {:8.1} ({:4.1}) {:8.1} ({:4.1})",
            ours.visits_per_day(feeds),
            ours.minutes(),
            best.minutes(),
            by_hour.minutes(),
            fixed.minutes(),
            frequency.minutes(),
            usual.minutes(),
            usual.visits_per_day(feeds),
            fetcher.minutes(),
            fetcher.visits_per_day(feeds),
        );
        if name == "mixed" {
            let note =
                format!("{feeds} feeds at {:.1} visits a day each, 60 simulated days", ours.visits_per_day(feeds));
            figure(
                "P11",
                "mean delay over the square-root law",
                ours.minutes() / best.minutes(),
                Bar::AtMost(1.15),
                &note,
            );
            figure("P11", "mean delay over fixed polling", ours.minutes() / fixed.minutes(), Bar::AtMost(0.6), &note);
        }
        if name != "dead" {
            let (to_best, to_fixed) = (ours.minutes() / best.minutes(), ours.minutes() / fixed.minutes());
            println!("{:17} {to_best:.2} x the square-root law, {to_fixed:.2} x fixed polling", "");
            assert!(to_best <= 1.15, "{name}: {to_best}");
        }
    }
    report::print();
}

/// A rule with one free parameter, chosen so that it makes as many visits as another did.
fn at_equal_visits(sources: &[Source], visits: f64, wait: impl Fn(&Source, i64, f64) -> f64) -> Result {
    let (mut low, mut high) = (0.01_f64, 10_000.0_f64);
    let mut result = Result::default();
    for _ in 0..20 {
        let middle = (low * high).sqrt();
        result = ruled(sources, |source, now| wait(source, now, middle));
        if result.visits > visits { high = middle } else { low = middle }
    }
    result
}

/// The same for every hour of the week: no real scheduler has this knowledge.
fn square_root_by_hour(source: &Source, now: i64, scale: f64) -> f64 {
    let (mut at, mut left) = (now, 1.0);
    while at - now < DAY {
        let hour = (at - start()).div_euclid(3600);
        let worth = scale * source.rates[hour.rem_euclid(168) as usize].sqrt() / DAY as f64;
        let seconds = ((hour + 1) * 3600 + start() - at) as f64;
        if worth * seconds >= left {
            return ((at - now) as f64 + left / worth).clamp(FLOOR, CEILING);
        }
        left -= worth * seconds;
        at += seconds as i64;
    }
    CEILING
}

/// Like Miniflux's entry frequency: a visit for every entry of the last week, between 5 minutes and a day.
fn entry_frequency(source: &Source, now: i64, scale: f64) -> f64 {
    let count = source.posts.partition_point(|at| *at <= now) - source.posts.partition_point(|at| *at <= now - 7 * DAY);
    (7.0 * DAY as f64 / (scale * count as f64).max(1e-9)).clamp(FLOOR, CEILING)
}
