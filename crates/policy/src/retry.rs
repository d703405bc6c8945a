//! When a job that failed is tried again: after a wait that doubles with each failure, until it is given up.

use jiff::{SignedDuration, Timestamp};

/// How patiently jobs of a kind are tried again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetryRule {
    /// The wait after the first failure.
    pub first: SignedDuration,
    /// No wait is longer.
    pub longest: SignedDuration,
    /// Given up after this many failures in a row. `None`: never.
    pub attempts: Option<u32>,
}

impl RetryRule {
    /// For a job that must be done some day, at an even pace: housekeeping.
    pub const fn every(wait: SignedDuration) -> Self {
        Self { first: wait, longest: wait, attempts: None }
    }
}

impl Default for RetryRule {
    /// Ten failures within about a day.
    fn default() -> Self {
        let (first, longest) = (SignedDuration::from_mins(1), SignedDuration::from_hours(6));
        Self { first, longest, attempts: Some(10) }
    }
}

/// When to try again after the job has failed once more, having failed `before` times in a row. `None`: it is given up.
pub fn retry(rule: &RetryRule, before: u32, now: Timestamp) -> Option<Timestamp> {
    let failures = before.saturating_add(1);
    if rule.attempts.is_some_and(|most| failures >= most) {
        return None;
    }
    // 2^30 seconds are longer than any wait.
    let wait = rule.first.checked_mul(1 << before.min(30)).unwrap_or(rule.longest).min(rule.longest);
    Some(now.saturating_add(wait).unwrap_or(now))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_and_end() {
        let now = Timestamp::UNIX_EPOCH;
        let rule = RetryRule { attempts: Some(6), longest: SignedDuration::from_mins(5), ..RetryRule::default() };
        let minutes = |before: u32| retry(&rule, before, now).map(|at| at.duration_since(now).as_mins());
        assert_eq!([0, 1, 2, 3, 4].map(minutes), [1, 2, 4, 5, 5].map(Some));
        assert_eq!([5, 6, u32::MAX].map(minutes), [None; 3]);
        let for_ever = RetryRule::every(SignedDuration::from_hours(1));
        for before in [0, 7, u32::MAX] {
            assert_eq!(retry(&for_ever, before, now), Some(now + SignedDuration::from_hours(1)));
        }
        assert_eq!(retry(&for_ever, 0, Timestamp::MAX), Some(Timestamp::MAX), "the end of time is no reason to panic");
    }
}
