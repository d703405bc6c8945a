//! The four kinds of metrics. All can be updated from many threads at once. A page rendered meanwhile may contain only
//! one of two updates made together.

use std::sync::atomic::{AtomicI64, AtomicU64, Ordering::Relaxed};
use std::time::Duration;

/// A value that only grows.
#[derive(Debug, Default)]
pub struct Counter(AtomicU64);

impl Counter {
    /// Adds one.
    pub fn one(&self) {
        self.add(1);
    }

    /// Adds `more`.
    pub fn add(&self, more: u64) {
        self.0.fetch_add(more, Relaxed);
    }

    /// The current value.
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

/// The label value for words that are not on the list.
const OTHER: &str = "other";

impl Counters {
    /// One counter for each of these label values.
    pub fn by(label: &'static str, words: &[&'static str]) -> Self {
        let words = words.to_vec();
        let listed = words.iter().map(|_| Counter::default()).collect();
        Self { label, words, listed, other: Counter::default() }
    }

    /// The counter of a label value; a value that is not on the list counts as `other`.
    pub fn of(&self, word: &str) -> &Counter {
        let found = self.words.iter().position(|known| *known == word);
        found.map_or(&self.other, |place| &self.listed[place])
    }

    /// The listed counters, and `other` once it is not zero.
    pub(crate) fn samples(&self) -> impl Iterator<Item = (&'static str, u64)> {
        let others = Some((OTHER, self.other.get())).filter(|(_, count)| *count > 0);
        self.words.iter().copied().zip(self.listed.iter().map(Counter::get)).chain(others)
    }
}

/// A value that goes up and down.
#[derive(Debug, Default)]
pub struct Gauge(AtomicI64);

impl Gauge {
    /// Sets the value.
    pub fn set(&self, value: i64) {
        self.0.store(value, Relaxed);
    }

    /// Adds `more`, which may be negative.
    pub fn add(&self, more: i64) {
        self.0.fetch_add(more, Relaxed);
    }

    /// The current value.
    pub fn get(&self) -> i64 {
        self.0.load(Relaxed)
    }
}

/// Counts durations by bucket.
#[derive(Debug)]
pub struct Histogram {
    bounds: &'static [Duration],
    /// One more than there are bounds: the last counts everything beyond.
    counts: Vec<AtomicU64>,
    sum_micros: AtomicU64,
}

impl Histogram {
    /// A histogram with these bucket bounds, in ascending order.
    pub fn within(bounds: &'static [Duration]) -> Self {
        let counts = (0..=bounds.len()).map(|_| AtomicU64::default()).collect();
        Self { bounds, counts, sum_micros: AtomicU64::default() }
    }

    /// Records a duration. Bounds are inclusive.
    pub fn note(&self, took: Duration) {
        let place = self.bounds.partition_point(|bound| *bound < took);
        self.counts[place].fetch_add(1, Relaxed);
        self.sum_micros.fetch_add(took.as_micros().try_into().unwrap_or(u64::MAX), Relaxed);
    }

    /// The cumulative count for each bound; the last is the total.
    pub(crate) fn samples(&self) -> impl Iterator<Item = (Option<Duration>, u64)> {
        let bounds = self.bounds.iter().copied().map(Some).chain([None]);
        let up_to_here = self.counts.iter().scan(0, |sum, count| {
            *sum += count.load(Relaxed);
            Some(*sum)
        });
        bounds.zip(up_to_here)
    }

    /// The sum of all durations.
    pub(crate) fn sum(&self) -> Duration {
        Duration::from_micros(self.sum_micros.load(Relaxed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_not_on_the_list_count_as_other() {
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
    fn bounds_are_inclusive() {
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
