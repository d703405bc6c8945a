//! Thirty days of visits under several rules: how often a feed is visited, how soon entries are found, how many visits
//! find nothing, how many come sooner than allowed.
//!
//! The population is the mixed one, and every fifth feed asks for two hours between visits (`ttl`). The square-root law
//! knows the true rates and has as many visits as our default made; it ignores the ttl, and so does fixed polling.

use policy::{Preset, Rules};
use trial::remark;

use crate::simulation::{CEILING, DAY, FLOOR, MONTH, Result, Source, decided, optimum, population, ruled};

const EVERY: usize = 5;
const TTL_MINUTES: u32 = 120;

pub(crate) fn print() {
    let mut sources = population("mixed");
    sources.iter_mut().step_by(EVERY).for_each(|source| source.ttl = Some(TTL_MINUTES));
    let feeds = sources.len();
    let usual = decided(&sources, &Rules::preset(Preset::Courant), None);
    let best = optimum(&sources, usual.visits);
    let rules = [
        ("courant, default", usual),
        ("courant, fetcher", decided(&sources, &Rules::preset(Preset::Fetcher), None)),
        ("every hour", ruled(&sources, |_, _| 3600.0)),
        ("entry frequency", ruled(&sources, entry_frequency)),
        ("square-root law", best),
    ];
    println!("\n{MONTH} days, {feeds} feeds, every {EVERY}th with a ttl of {TTL_MINUTES} minutes; delays in minutes");
    println!(
        "{:17} {:>14} {:>8} {:>8} {:>8} {:>8} {:>10}",
        "rule", "visits per day", "p50", "p95", "mean", "wasted", "violations"
    );
    for (name, result) in &rules {
        let told = Told::of(result, feeds);
        println!(
            "{name:17} {:14.1} {:8.1} {:8.1} {:8.1} {:6.1} % {:10}",
            told.visits, told.p50, told.p95, told.mean, told.wasted, result.month.violations
        );
        let note = format!(
            "{:.1} visits a day and feed; p50 {:.1}, p95 {:.1} min; {:.0} % wasted; {} violations",
            told.visits, told.p50, told.p95, told.wasted, result.month.violations
        );
        remark("schedule", &format!("{name}: mean delay, min"), told.mean, &note);
    }
}

struct Told {
    visits: f64,
    p50: f64,
    p95: f64,
    mean: f64,
    /// Per cent.
    wasted: f64,
}

impl Told {
    fn of(result: &Result, feeds: usize) -> Self {
        let month = &result.month;
        let mut delays = month.delays.clone();
        delays.sort_unstable();
        let minutes = |seconds: i64| seconds as f64 / 60.0;
        let at =
            |share: f64| delays.get((delays.len() as f64 * share) as usize).map_or(f64::NAN, |delay| minutes(*delay));
        Self {
            visits: month.visits as f64 / MONTH as f64 / feeds as f64,
            p50: at(0.5),
            p95: at(0.95),
            mean: minutes(delays.iter().sum::<i64>()) / delays.len().max(1) as f64,
            wasted: 100.0 * month.wasted as f64 / month.visits.max(1) as f64,
        }
    }
}

/// As Miniflux documents its entry-frequency scheduler with its defaults: a week over the entries of the last week, between five minutes and a
/// day, and never sooner than the feed asks for.
fn entry_frequency(source: &Source, now: i64) -> f64 {
    let until = |moment: i64| source.posts.partition_point(|at| *at <= moment);
    let entries = until(now) - until(now - 7 * DAY);
    let wait = if entries == 0 { CEILING } else { (7 * DAY) as f64 / entries as f64 };
    let asked = source.ttl.map_or(0.0, |ttl| f64::from(ttl) * 60.0);
    wait.clamp(FLOOR, CEILING).max(asked)
}
