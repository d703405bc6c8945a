//! The quality of the schedule. Posting histories are simulated for sixty days, and the mean time between an entry's
//! appearance and the visit that finds it is compared with other rules at the same number of visits. Method and figures
//! are in `docs/notes/schedule-quality.md`. Used by the benchmark, which prints them, and by `tests/quality`, which
//! checks the target.

use jiff::Timestamp;
use model::feed::FeedState;
use model::lease::History;
use policy::rules::Counts;
use policy::{Budget, Dice, Occasion, Preset, Rules, Verdict, effort, learnt_rhythm, next_visit, smoothed_gap};

pub(crate) const DAY: i64 = 86400;
const DAYS: i64 = 60;
pub(crate) const MONTH: i64 = 30;
const PAST: i64 = 200;
/// How many entries a document shows.
const SHOWN: usize = 20;
pub(crate) const FLOOR: f64 = 300.0;
pub(crate) const CEILING: f64 = 86400.0;

/// 2026-11-16, a Monday.
pub(crate) fn start() -> i64 {
    1_794_787_200
}

/// From 0 up to, not including, 1.
fn unit(dice: Dice) -> f64 {
    (dice.0 >> 11) as f64 / (1_u64 << 53) as f64
}

struct Rng(u64);

impl Rng {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(1);
        unit(Dice::of(u128::from(self.0), 1))
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
pub(crate) struct Source {
    pub(crate) rates: [f64; 168],
    /// In seconds, ascending, the past included.
    pub(crate) posts: Vec<i64>,
    /// The interval it asks for, in minutes.
    pub(crate) ttl: Option<u32>,
}

impl Source {
    /// On average `burst` entries appear at once.
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
        Self { rates, posts, ttl: None }
    }

    fn mean(&self) -> f64 {
        self.rates.iter().sum::<f64>() / 168.0
    }

    /// The entries of the document at a time.
    fn shown(&self, now: i64) -> Vec<Timestamp> {
        let until = self.posts.partition_point(|at| *at <= now);
        self.posts[until.saturating_sub(SHOWN)..until].iter().map(|at| moment(*at)).collect()
    }
}

fn moment(seconds: i64) -> Timestamp {
    Timestamp::from_second(seconds).expect("a moment of these years")
}

/// The result of a visiting strategy.
#[derive(Clone, Default)]
pub(crate) struct Result {
    pub(crate) visits: f64,
    entries: f64,
    delay: f64,
    pub(crate) month: Month,
}

/// The last thirty days in more detail: by then every rule has adapted to its feeds.
#[derive(Clone, Default)]
pub(crate) struct Month {
    pub(crate) visits: usize,
    /// Visits that found nothing.
    pub(crate) wasted: usize,
    /// Visits sooner than five minutes after the one before, or sooner than the feed asks for.
    pub(crate) violations: usize,
    /// From appearance to visit, in seconds.
    pub(crate) delays: Vec<i64>,
}

impl Result {
    pub(crate) fn minutes(&self) -> f64 {
        self.delay / self.entries.max(1.0) / 60.0
    }

    pub(crate) fn visits_per_day(&self, feeds: usize) -> f64 {
        self.visits / DAYS as f64 / feeds as f64
    }
}

/// Simulates the visits of one feed.
struct Driver<'a> {
    source: &'a Source,
    next: i64,
    seen_until: i64,
    last: Option<i64>,
}

impl<'a> Driver<'a> {
    fn new(source: &'a Source, first: i64) -> Self {
        Self { source, next: first, seen_until: start(), last: None }
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
        if self.next >= start() + (DAYS - MONTH) * DAY {
            let month = &mut result.month;
            let least = (FLOOR as i64).max(self.source.ttl.map_or(0, |ttl| i64::from(ttl) * 60));
            month.visits += 1;
            month.wasted += usize::from(found.is_empty());
            month.violations += usize::from(self.last.is_some_and(|last| self.next - last < least));
            month.delays.extend(found.iter().map(|at| self.next - at));
        }
        self.last = Some(self.next);
        found
    }
}

/// Visits by our own decisions; the budget is distributed anew every day.
pub(crate) fn decided(sources: &[Source], rules: &Rules, visits_per_day: Option<f64>) -> Result {
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
                let shown = driver.source.shown(driver.next);
                let found_at: Vec<Timestamp> = found.iter().map(|at| moment(*at)).collect();
                let arrivals = if history.rhythm.is_none() { &shown } else { &found_at };
                history.rhythm = Some(learnt_rhythm(history.rhythm.as_deref(), now, arrivals));
                if !found.is_empty() || history.ewma.is_none() {
                    history.ewma = smoothed_gap(now, &shown, (None, None), rules.interval.alpha);
                }
                history.visits += 1;
                history.hints.ttl_minutes = driver.source.ttl;
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
                driver.next = schedule.next.at().expect("polled feeds are visited again").as_second();
            }
        }
    }
    result
}

/// Visits by a rule that depends only on (feed, time, document).
pub(crate) fn ruled(sources: &[Source], wait: impl Fn(&Source, i64) -> f64) -> Result {
    let mut result = Result::default();
    for (n, source) in sources.iter().enumerate() {
        let first = wait(source, start()) * unit(Dice::of(n as u128, 0));
        let mut driver = Driver::new(source, start() + first as i64);
        while driver.next < start() + DAYS * DAY {
            driver.visit(&mut result);
            driver.next += wait(source, driver.next).clamp(FLOOR, 2.0 * CEILING) as i64;
        }
    }
    result
}

/// The square-root law with the true mean rate of each feed, at as many visits.
pub(crate) fn optimum(sources: &[Source], visits: f64) -> Result {
    let wait = |source: &Source, scale: f64| (DAY as f64 / (scale * source.mean().sqrt())).clamp(FLOOR, CEILING);
    let (mut low, mut high) = (0.01_f64, 10_000.0_f64);
    for _ in 0..60 {
        let middle = (low * high).sqrt();
        let expected: f64 = sources.iter().map(|source| (DAYS * DAY) as f64 / wait(source, middle)).sum();
        if expected > visits { high = middle } else { low = middle }
    }
    ruled(sources, |source, _| wait(source, low))
}

/// The same interval for all feeds, at as many visits.
pub(crate) fn fixed(sources: &[Source], visits: f64) -> Result {
    let wait = (sources.len() as i64 * DAYS * DAY) as f64 / visits;
    ruled(sources, |_, _| wait)
}

pub(crate) fn population(name: &str) -> Vec<Source> {
    let mut rng = Rng(name.len() as u64 * 7919);
    let rng = &mut rng;
    match name {
        "steady" => (0..40).map(|_| Source::new(rng, Shape::Steady, 5.0, 1.0)).collect(),
        "newsrooms" => (0..40).map(|_| Source::new(rng, Shape::Newsroom, 25.0, 2.5)).collect(),
        "weekly blogs" => (0..40).map(|_| Source::new(rng, Shape::Evenings, 1.0 / 7.0, 1.0)).collect(),
        "podcasts" => (0..40).map(|_| Source::new(rng, Shape::Tuesdays, 1.0 / 7.0, 1.0)).collect(),
        "dead" => (0..40).map(|_| Source::new(rng, Shape::Steady, 0.0, 1.0)).collect(),
        // From fifty a day to one a month, equally many of each magnitude.
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

pub(crate) fn adaptive(sources: &[Source]) -> Result {
    decided(sources, &Rules::preset(Preset::Courant), Some(BUDGET * sources.len() as f64))
}
