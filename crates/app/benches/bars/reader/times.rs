//! Times of requests: the middle one and the slowest of a hundred.

use std::fmt;
use std::time::Instant;

/// Before anything is measured, so that caches are as they are in use.
const WARM: usize = 10;

/// Milliseconds, in the order in which they were taken.
#[derive(Debug, Clone, Default)]
pub(super) struct Times(Vec<f64>);

impl Times {
    /// So many runs, after some that do not count.
    pub(super) fn of<T>(count: usize, mut work: impl FnMut() -> T) -> Self {
        (0..WARM).for_each(|_| drop(work()));
        let mut times = Self::default();
        (0..count).for_each(|_| drop(times.time(&mut work)));
        times
    }

    /// Runs something and notes how long it took.
    pub(super) fn time<T>(&mut self, work: impl FnOnce() -> T) -> T {
        let begun = Instant::now();
        let done = work();
        self.0.push(begun.elapsed().as_secs_f64() * 1000.0);
        done
    }

    pub(super) fn middle(&self) -> f64 {
        self.at(0.5)
    }

    pub(super) fn p99(&self) -> f64 {
        self.at(0.99)
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    fn at(&self, share: f64) -> f64 {
        let mut sorted = self.0.clone();
        sorted.sort_by(f64::total_cmp);
        let place = (share * sorted.len() as f64) as usize;
        sorted.get(place.min(sorted.len().saturating_sub(1))).copied().unwrap_or(f64::NAN)
    }
}

impl FromIterator<f64> for Times {
    fn from_iter<I: IntoIterator<Item = f64>>(milliseconds: I) -> Self {
        Self(milliseconds.into_iter().collect())
    }
}

impl fmt::Display for Times {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "p50 {:.2}, p99 {:.2} ms", self.middle(), self.p99())
    }
}

/// Two kinds of work in turns: what else the machine does affects both.
pub(super) fn in_turns<A, B>(count: usize, mut one: impl FnMut() -> A, mut other: impl FnMut() -> B) -> (Times, Times) {
    for _ in 0..WARM {
        one();
        other();
    }
    let (mut ones, mut others) = (Times::default(), Times::default());
    for _ in 0..count {
        ones.time(&mut one);
        others.time(&mut other);
    }
    (ones, others)
}
