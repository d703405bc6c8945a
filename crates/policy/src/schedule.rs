//! When to come again. One rule so far, the engine's default; the presets' own rules come with their policies.
//!
//! A success is followed after the usual interval, doubled while nothing changes and halved when something does; a
//! failure backs off; a server that names a time is obeyed.

use jiff::{SignedDuration, Timestamp};
use model::lease::History;
use model::schedule::{Because, Next, Schedule};
use model::visit::{Outcome, Visit};

/// Between which intervals we choose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Never more often.
    pub floor: SignedDuration,
    /// The first interval.
    pub initial: SignedDuration,
    /// Never more seldom while all is well.
    pub ceiling: SignedDuration,
    /// Never longer after failures.
    pub failure_cap: SignedDuration,
    /// A server that asks for longer has made a mistake.
    pub retry_after_cap: SignedDuration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            floor: SignedDuration::from_mins(5),
            initial: SignedDuration::from_mins(15),
            ceiling: SignedDuration::from_hours(24),
            failure_cap: SignedDuration::from_hours(48),
            retry_after_cap: SignedDuration::from_hours(7 * 24),
        }
    }
}

/// Decides when a feed is next due. `before` is the history up to the visit, `new_entries` what it brought.
pub fn next_visit(
    now: Timestamp,
    before: &History,
    visit: &Visit,
    new_entries: usize,
    polling: bool,
    limits: &Limits,
) -> Schedule {
    let usual = if before.interval.is_zero() { limits.initial } else { before.interval };
    let within = |wait: SignedDuration| wait.clamp(limits.floor, limits.ceiling);
    let (interval, because) = match &visit.outcome {
        Outcome::Gone => {
            return Schedule {
                next: Next::Never,
                interval: usual,
                because: Because::Gone,
                reason: "gone for good".into(),
            };
        }
        Outcome::Fresh(_) if new_entries > 0 => (within(usual * 3 / 4), Because::NewEntries),
        Outcome::Fresh(_) => (within(usual * 5 / 4), Because::NoNewEntries),
        Outcome::Unchanged => (within(usual * 5 / 4), Because::NotModified),
        Outcome::Deferred { until } => {
            let reason =
                format!("in {}, because the publisher it leads to has no room", words(until.duration_since(now)));
            return Schedule { next: Next::At(*until), interval: usual, because: Because::NoRoom, reason };
        }
        Outcome::Busy | Outcome::Failed(_) => {
            let doubled = limits.initial.checked_mul(1 << before.failures.min(12)).unwrap_or(limits.failure_cap);
            (doubled.clamp(limits.floor, limits.failure_cap), Because::ErrorBackoff)
        }
    };
    let asked =
        visit.freshness.retry_after.map(|at| at.min(now + limits.retry_after_cap)).filter(|at| *at > now + interval);
    let (at, because) = asked.map_or((now + interval, because), |at| (at, Because::RetryAfter));
    let succeeded = matches!(visit.outcome, Outcome::Fresh(_) | Outcome::Unchanged);
    if succeeded && !polling {
        let reason = "one visit was asked for, and it succeeded".into();
        return Schedule { next: Next::Never, interval, because: Because::OneTime, reason };
    }
    Schedule { next: Next::At(at), interval, because, reason: reason(because, at.duration_since(now), new_entries) }
}

fn reason(because: Because, wait: SignedDuration, new_entries: usize) -> String {
    let wait = words(wait);
    match because {
        Because::RetryAfter => format!("in {wait}, because the server asked for it"),
        Because::ErrorBackoff => format!("in {wait}, because the visit failed"),
        Because::NotModified => format!("in {wait}, because nothing had changed"),
        Because::NewEntries if new_entries == 1 => format!("in {wait}, because there was a new entry"),
        Because::NewEntries => format!("in {wait}, because there were {new_entries} new entries"),
        _ => format!("in {wait}, because there was nothing new"),
    }
}

/// A duration as a person says it, in its two largest units.
fn words(wait: SignedDuration) -> String {
    let minutes = (wait.as_secs() + 30) / 60;
    let (days, hours, minutes) = (minutes / 1440, minutes / 60 % 24, minutes % 60);
    match (days, hours, minutes) {
        (0, 0, minutes) => format!("{minutes} min"),
        (0, hours, 0) => format!("{hours} h"),
        (0, hours, minutes) => format!("{hours} h {minutes} min"),
        (days, 0, _) => format!("{days} d"),
        (days, hours, _) => format!("{days} d {hours} h"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::raw::Coding;
    use model::visit::{Body, Failure};

    const HOUR: SignedDuration = SignedDuration::from_hours(1);

    fn visit(outcome: Outcome) -> Visit {
        Visit { outcome, ..Visit::none(Timestamp::UNIX_EPOCH) }
    }

    fn fresh() -> Outcome {
        Outcome::Fresh(Body { wire: vec![], coding: Coding::Identity, decoded: vec![], content_type: None })
    }

    #[test]
    fn the_next_visit_and_why() {
        let now = Timestamp::UNIX_EPOCH;
        let hourly = History { interval: HOUR, ..History::default() };
        let check = |what: &str, before: &History, visit: &Visit, news: usize, expected: &str| {
            let schedule = next_visit(now, before, visit, news, true, &Limits::default());
            let at = schedule.next.at().map_or("never".into(), |at| words(at.duration_since(now)));
            assert_eq!(format!("{at}, {}", schedule.because), expected, "{what}");
        };
        check("first visit", &History::default(), &visit(fresh()), 30, "11 min, new-entries");
        check("something new", &hourly, &visit(fresh()), 1, "45 min, new-entries");
        check("nothing new", &hourly, &visit(fresh()), 0, "1 h 15 min, no-new-entries");
        check("304", &hourly, &visit(Outcome::Unchanged), 0, "1 h 15 min, not-modified");
        let failed = visit(Outcome::Failed(Failure::Status(500)));
        check("first failure", &hourly, &failed, 0, "15 min, error-backoff");
        let failing = History { failures: 3, ..hourly.clone() };
        check("fourth failure", &failing, &failed, 0, "2 h, error-backoff");
        let dead = History { failures: 900, ..hourly.clone() };
        check("capped", &dead, &failed, 0, "2 d, error-backoff");
        let mut busy = visit(Outcome::Busy);
        busy.freshness.retry_after = Some(now + HOUR * 8);
        check("asked to wait", &hourly, &busy, 0, "8 h, retry-after");
        busy.freshness.retry_after = Some(now + HOUR * 24 * 365);
        check("asked for a year", &hourly, &busy, 0, "7 d, retry-after");
        check("gone", &hourly, &visit(Outcome::Gone), 0, "never, gone");
    }

    #[test]
    fn without_polling_a_success_is_the_last_visit() {
        let next = |outcome| {
            let limits = Limits::default();
            next_visit(Timestamp::UNIX_EPOCH, &History::default(), &visit(outcome), 0, false, &limits).next
        };
        assert_eq!(next(Outcome::Unchanged), Next::Never);
        assert_ne!(next(Outcome::Failed(Failure::Status(500))), Next::Never, "a failure is tried again");
    }
}
