//! How good is the schedule? Posting histories are driven for sixty simulated days, and the mean time between an entry's
//! appearance and its first visit is compared with other rules at the same number of visits. The method and the figures
//! are in `docs/notes/schedule-quality.md`; this prints them:
//! `cargo test -p policy --release simulation -- --nocapture --include-ignored`.

use super::rhythm::Rhythm;
use super::{Budget, Dice, Occasion, effort, next_visit};
use crate::failure::Verdict;
use crate::rules::{Counts, Preset, Rules};
use crate::schedule::smoothed_gap;
use jiff::Timestamp;
use model::feed::FeedState;
use model::lease::History;

const DAY: i64 = 86400;
const DAYS: i64 = 60;
const PAST: i64 = 200;
/// How many entries a document shows.
const SHOWN: usize = 20;
const FLOOR: f64 = 300.0;
const CEILING: f64 = 86400.0;

/// 2026-11-16, a Monday.
fn start() -> i64 {
    1_794_787_200
}

struct Rng(u64);

impl Rng {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(1);
        f64::midpoint(Dice::of(u128::from(self.0), 1).swing(), 1.0)
    }
}

/// When a feed publishes, relative to its mean, by hour of the week.
#[derive(Clone, Copy)]
enum Shape {
    Steady,
    /// Weekdays from seven to eight in the evening; little else.
    Newsroom,
    /// Evenings, more on weekends.
    Evenings,
    /// Tuesdays at ten.
    Tuesdays,
}

impl Shape {
    fn weight(self, hour_of_week: usize) -> f64 {
        let (day, hour) = (hour_of_week / 24, hour_of_week % 24);
        match self {
            Self::Steady => 1.0,
            Self::Newsroom => match (day < 5, (7..20).contains(&hour)) {
                (true, true) => 1.0,
                (false, true) => 0.3,
                (true, false) => 0.1,
                (false, false) => 0.05,
            },
            Self::Evenings => (if (17..23).contains(&hour) { 1.0 } else { 0.1 }) * (if day >= 5 { 1.5 } else { 1.0 }),
            Self::Tuesdays => f64::from(u8::from(day == 1 && hour == 10)),
        }
    }

    /// Entries a day in each hour of the week.
    fn rates(self, per_day: f64) -> [f64; 168] {
        let mean = (0..168).map(|hour| self.weight(hour)).sum::<f64>() / 168.0;
        std::array::from_fn(|hour| per_day * self.weight(hour) / mean)
    }
}

/// A feed: its true rate in each hour of the week, and what it published.
struct Source {
    rates: [f64; 168],
    /// In seconds, ascending, the past included.
    posts: Vec<i64>,
}

impl Source {
    /// `burst` entries appear at once on average.
    fn new(rng: &mut Rng, shape: Shape, per_day: f64, burst: f64) -> Self {
        let rates = shape.rates(per_day);
        let mut posts = Vec::new();
        for hour in -PAST * 24..DAYS * 24 {
            let expected = rates[hour.rem_euclid(168) as usize] / 24.0 / burst;
            // Poisson by counting exponential gaps.
            let mut left = expected;
            loop {
                left += rng.next().max(1e-12).ln();
                if left < 0.0 {
                    break;
                }
                let at = start() + hour * 3600 + (rng.next() * 3600.0) as i64;
                let mut more = 1;
                while burst > 1.0 && rng.next() < 1.0 - 1.0 / burst && more < 20 {
                    more += 1;
                }
                posts.extend((0..more).map(|n| at + n * 60));
            }
        }
        posts.sort_unstable();
        Self { rates, posts }
    }

    fn mean(&self) -> f64 {
        self.rates.iter().sum::<f64>() / 168.0
    }

    /// What a document shows at a moment.
    fn shown(&self, now: i64) -> Vec<Timestamp> {
        let until = self.posts.partition_point(|at| *at <= now);
        self.posts[until.saturating_sub(SHOWN)..until].iter().map(|at| moment(*at)).collect()
    }
}

fn moment(seconds: i64) -> Timestamp {
    Timestamp::from_second(seconds).unwrap()
}

/// What a way of visiting came to.
#[derive(Clone, Copy, Default)]
struct Result {
    visits: f64,
    entries: f64,
    delay: f64,
}

impl Result {
    fn minutes(&self) -> f64 {
        self.delay / self.entries.max(1.0) / 60.0
    }

    fn visits_per_day(&self, feeds: usize) -> f64 {
        self.visits / DAYS as f64 / feeds as f64
    }
}

/// Drives one feed from visit to visit.
struct Driver<'a> {
    source: &'a Source,
    next: i64,
    seen_until: i64,
}

impl<'a> Driver<'a> {
    fn new(source: &'a Source, first: i64) -> Self {
        Self { source, next: first, seen_until: start() }
    }

    /// The entries that a visit finds.
    fn visit(&mut self, result: &mut Result) -> &'a [i64] {
        let from = self.source.posts.partition_point(|at| *at <= self.seen_until);
        let to = self.source.posts.partition_point(|at| *at <= self.next);
        let found = &self.source.posts[from..to];
        self.seen_until = self.next;
        result.visits += 1.0;
        result.entries += found.len() as f64;
        result.delay += found.iter().map(|at| (self.next - at) as f64).sum::<f64>();
        found
    }
}

/// Visits by our own decisions; a budget is shared anew every day.
fn decided(sources: &[Source], rules: &Rules, visits_per_day: Option<f64>) -> Result {
    let mut result = Result::default();
    let mut feeds: Vec<(Driver<'_>, History)> = sources
        .iter()
        .enumerate()
        .map(|(n, source)| (Driver::new(source, start() + n as i64 % 3600), History::default()))
        .collect();
    for day in 1..=DAYS {
        let end = start() + day * DAY;
        let shared = feeds.iter().map(|(_, history)| effort(history, moment(end))).sum();
        let budget = visits_per_day.map(|visits_per_day| Budget { visits_per_day, sum_sqrt_rate: shared });
        for (n, (driver, history)) in feeds.iter_mut().enumerate() {
            while driver.next < end {
                let now = moment(driver.next);
                let found = driver.visit(&mut result);
                let known = history.rhythm.as_deref().and_then(Rhythm::from_bytes);
                let shown = driver.source.shown(driver.next);
                let rhythm = match known {
                    None => Rhythm::new(now).observed(now, &shown),
                    Some(rhythm) => rhythm.observed(now, &found.iter().map(|at| moment(*at)).collect::<Vec<_>>()),
                };
                history.rhythm = Some(rhythm.bytes());
                if !found.is_empty() || history.ewma.is_none() {
                    history.ewma = smoothed_gap(now, &shown, rules.interval.alpha);
                }
                history.visits += 1;
                let schedule = next_visit(
                    &Occasion {
                        now,
                        history,
                        state: &FeedState::Active,
                        verdict: if found.is_empty() { Verdict::Unchanged } else { Verdict::Fresh },
                        counts: Counts::Pause,
                        new_entries: found.len(),
                        polling: true,
                        dice: Dice::of(n as u128, history.visits),
                        budget,
                    },
                    rules,
                );
                history.interval = schedule.interval;
                driver.next = schedule.next.at().unwrap().as_second();
            }
        }
    }
    result
}

/// Visits by a rule of (feed, moment, document) alone.
fn ruled(sources: &[Source], wait: impl Fn(&Source, i64) -> f64) -> Result {
    let mut result = Result::default();
    for (n, source) in sources.iter().enumerate() {
        let first = wait(source, start()) * (Dice::of(n as u128, 0).swing() + 1.0) / 2.0;
        let mut driver = Driver::new(source, start() + first as i64);
        while driver.next < start() + DAYS * DAY {
            driver.visit(&mut result);
            driver.next += wait(source, driver.next).clamp(FLOOR, 2.0 * CEILING) as i64;
        }
    }
    result
}

/// A rule with one free number, chosen so that it makes as many visits as another did.
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

/// The square-root law with the true mean rate of each feed, at as many visits.
fn optimum(sources: &[Source], visits: f64) -> Result {
    let wait = |source: &Source, scale: f64| (DAY as f64 / (scale * source.mean().sqrt())).clamp(FLOOR, CEILING);
    let (mut low, mut high) = (0.01_f64, 10_000.0_f64);
    for _ in 0..60 {
        let middle = (low * high).sqrt();
        let expected: f64 = sources.iter().map(|source| (DAYS * DAY) as f64 / wait(source, middle)).sum();
        if expected > visits { high = middle } else { low = middle }
    }
    ruled(sources, |source, _| wait(source, low))
}

/// All feeds alike, at as many visits.
fn fixed(sources: &[Source], visits: f64) -> Result {
    let wait = (sources.len() as i64 * DAYS * DAY) as f64 / visits;
    ruled(sources, |_, _| wait)
}

/// The same for every hour of the week: nobody can know that much.
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

/// Miniflux's entry frequency: a visit for every entry of the last week, within 5 minutes and a day.
fn entry_frequency(source: &Source, now: i64, scale: f64) -> f64 {
    let count = source.posts.partition_point(|at| *at <= now) - source.posts.partition_point(|at| *at <= now - 7 * DAY);
    (7.0 * DAY as f64 / (scale * count as f64).max(1e-9)).clamp(FLOOR, CEILING)
}

fn population(name: &str) -> Vec<Source> {
    let mut rng = Rng(name.len() as u64 * 7919);
    let rng = &mut rng;
    match name {
        "steady" => (0..40).map(|_| Source::new(rng, Shape::Steady, 5.0, 1.0)).collect(),
        "newsrooms" => (0..40).map(|_| Source::new(rng, Shape::Newsroom, 25.0, 2.5)).collect(),
        "weekly blogs" => (0..40).map(|_| Source::new(rng, Shape::Evenings, 1.0 / 7.0, 1.0)).collect(),
        "podcasts" => (0..40).map(|_| Source::new(rng, Shape::Tuesdays, 1.0 / 7.0, 1.0)).collect(),
        "dead" => (0..40).map(|_| Source::new(rng, Shape::Steady, 0.0, 1.0)).collect(),
        // From fifty a day to one a month, as many of each magnitude.
        _ => (0..100)
            .map(|n| {
                let per_day = 50.0 * (1.0_f64 / 1500.0).powf((f64::from(n) + 0.5) / 100.0);
                let (shape, burst) = match n % 4 {
                    0 => (Shape::Newsroom, 2.0),
                    1 => (Shape::Evenings, 1.0),
                    _ => (Shape::Steady, 1.0),
                };
                let (shape, burst) = if name == "mixed, no rhythm" { (Shape::Steady, 1.0) } else { (shape, burst) };
                Source::new(rng, shape, per_day, burst)
            })
            .collect(),
    }
}

const BUDGET: f64 = 24.0;

fn adaptive(sources: &[Source]) -> Result {
    decided(sources, &Rules::preset(Preset::Courant), Some(BUDGET * sources.len() as f64))
}

#[test]
fn entries_are_found_nearly_as_soon_as_visits_allow() {
    let sources: Vec<Source> = population("mixed").into_iter().step_by(3).collect();
    let ours = adaptive(&sources);
    let to_optimum = ours.minutes() / optimum(&sources, ours.visits).minutes();
    let to_fixed = ours.minutes() / fixed(&sources, ours.visits).minutes();
    assert!(to_optimum <= 1.15, "{to_optimum} x the optimum");
    assert!(to_fixed <= 0.6, "{to_fixed} x fixed polling");
}

#[test]
fn feeds_that_never_publish_are_nearly_left_alone() {
    let dead: Vec<Source> = population("dead").into_iter().take(5).collect();
    let visits = decided(&dead, &Rules::preset(Preset::Courant), None).visits_per_day(dead.len());
    assert!(visits < 2.5, "{visits} a day");
}

#[test]
fn how_good_each_rule_is() {
    println!("mean minutes until an entry is found, at equal visits | at its own visits (a day and feed)");
    println!(
        "{:17} {:>6} {:>8} {:>8} {:>8} {:>8} {:>9} | {:>16} {:>16}",
        "population", "visits", "adaptive", "sqrt law", "by hour", "fixed", "frequency", "default", "fetcher"
    );
    for name in ["mixed", "mixed again", "mixed, no rhythm", "steady", "newsrooms", "weekly blogs", "podcasts", "dead"]
    {
        // A sixth of each population; the table of docs/notes/schedule-quality.md is over all of them.
        let sources: Vec<Source> = population(name).into_iter().step_by(6).collect();
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
        if name != "dead" {
            let (to_best, to_fixed) = (ours.minutes() / best.minutes(), ours.minutes() / fixed.minutes());
            println!("{:17} {to_best:.2} x the square-root law, {to_fixed:.2} x fixed polling", "");
            assert!(to_best <= 1.15, "{name}: {to_best}");
        }
    }
}
