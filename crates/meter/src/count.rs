//! The four kinds of figures. All of them may be noted from many threads at once; a page that is read meanwhile may have one
//! of two that were noted together.

use std::sync::atomic::{AtomicI64, AtomicU64, Ordering::Relaxed};
use std::time::Duration;

/// Only grows.
#[derive(Debug, Default)]
pub struct Counter(AtomicU64);

impl Counter {
    /// One more.
    pub fn one(&self) {
        self.add(1);
    }

    /// So many more.
    pub fn add(&self, more: u64) {
        self.0.fetch_add(more, Relaxed);
    }

    /// How many so far.
    pub fn get(&self) -> u64 {
        self.0.load(Relaxed)
    }
}

/// Counters that differ in one label.
#[derive(Debug)]
pub struct Counters {
    pub(crate) label: &'static str,
    words: Vec<&'static str>,
    listed: Vec<Counter>,
    other: Counter,
}

/// What a word counts as that is not on the list.
const OTHER: &str = "other";

impl Counters {
    /// One for each of these values.
    pub fn by(label: &'static str, words: &[&'static str]) -> Self {
        let words = words.to_vec();
        let listed = words.iter().map(|_| Counter::default()).collect();
        Self { label, words, listed, other: Counter::default() }
    }

    /// That of a value; one that is not on the list counts as `other`.
    pub fn of(&self, word: &str) -> &Counter {
        let found = self.words.iter().position(|known| *known == word);
        found.map_or(&self.other, |place| &self.listed[place])
    }

    /// Those of the list, and the others once there are any.
    pub(crate) fn samples(&self) -> impl Iterator<Item = (&'static str, u64)> {
        let others = Some((OTHER, self.other.get())).filter(|(_, count)| *count > 0);
        self.words.iter().copied().zip(self.listed.iter().map(Counter::get)).chain(others)
    }
}

/// Goes up and down.
#[derive(Debug, Default)]
pub struct Gauge(AtomicI64);

impl Gauge {
    /// It is this now.
    pub fn set(&self, value: i64) {
        self.0.store(value, Relaxed);
    }

    /// So much more, or less.
    pub fn add(&self, more: i64) {
        self.0.fetch_add(more, Relaxed);
    }

    /// What it is.
    pub fn get(&self) -> i64 {
        self.0.load(Relaxed)
    }
}

/// How many took how long.
#[derive(Debug)]
pub struct Histogram {
    bounds: &'static [Duration],
    /// One more than there are bounds: what is beyond the last.
    counts: Vec<AtomicU64>,
    sum_micros: AtomicU64,
}

impl Histogram {
    /// Told apart at these bounds, which grow.
    pub fn within(bounds: &'static [Duration]) -> Self {
        let counts = (0..=bounds.len()).map(|_| AtomicU64::default()).collect();
        Self { bounds, counts, sum_micros: AtomicU64::default() }
    }

    /// One more that took so long. A bound is within itself.
    pub fn note(&self, took: Duration) {
        let place = self.bounds.partition_point(|bound| *bound < took);
        self.counts[place].fetch_add(1, Relaxed);
        self.sum_micros.fetch_add(took.as_micros().try_into().unwrap_or(u64::MAX), Relaxed);
    }

    /// How many took at most so long, for each bound; the last is of all.
    pub(crate) fn samples(&self) -> impl Iterator<Item = (Option<Duration>, u64)> {
        let bounds = self.bounds.iter().copied().map(Some).chain([None]);
        let up_to_here = self.counts.iter().scan(0, |sum, count| {
            *sum += count.load(Relaxed);
            Some(*sum)
        });
        bounds.zip(up_to_here)
    }

    /// All of it together.
    pub(crate) fn sum(&self) -> Duration {
        Duration::from_micros(self.sum_micros.load(Relaxed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_on_the_list_is_one_more_value_and_no_more() {
        let answers = Counters::by("status", &["200", "304"]);
        for word in ["200", "304", "304"] {
            answers.of(word).one();
        }
        assert_eq!(answers.samples().collect::<Vec<_>>(), [("200", 1), ("304", 2)]);
        for word in 600..700 {
            answers.of(&word.to_string()).one();
        }
        assert_eq!(answers.samples().collect::<Vec<_>>(), [("200", 1), ("304", 2), ("other", 100)]);
    }

    #[test]
    fn a_bound_is_within_itself() {
        const BOUNDS: &[Duration] = &[Duration::from_millis(10), Duration::from_secs(1)];
        let took = Histogram::within(BOUNDS);
        for millis in [0, 10, 11, 1000, 1001, 90_000] {
            took.note(Duration::from_millis(millis));
        }
        let samples: Vec<u64> = took.samples().map(|(_, count)| count).collect();
        assert_eq!((samples, took.sum()), (vec![2, 4, 6], Duration::from_millis(92_022)));
    }

    #[test]
    fn a_gauge_goes_both_ways() {
        let gauge = Gauge::default();
        gauge.add(3);
        gauge.add(-1);
        assert_eq!(gauge.get(), 2);
        gauge.set(-7);
        assert_eq!(gauge.get(), -7);
    }
}
