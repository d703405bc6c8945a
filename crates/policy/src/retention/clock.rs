//! When the cleanup is due, and the clock by which it measures ages: a wrong clock must not make everything old.

use jiff::{SignedDuration, Timestamp};

/// Earlier than the first version of this program: such a clock has not been set.
const BEFORE_US: Timestamp = Timestamp::constant(1_704_067_200, 0);
/// How far ages may advance from one cleanup to the next.
const STRIDE: SignedDuration = SignedDuration::from_hours(24 * 3);

/// The time by which ages are measured, given that of the last cleanup; `None` while the clock is not set.
///
/// A clock that leaps ahead would make everything old at once. So ages follow the clock by at most three days per daily
/// cleanup: a leap deletes three days' worth a day until it is noticed, and after two months of downtime there is a
/// month to read what came before. A clock that was set back is followed at once.
pub fn retention_clock(now: Timestamp, last: Option<Timestamp>) -> Option<Timestamp> {
    if now < BEFORE_US {
        return None;
    }
    let last = last.filter(|last| *last >= BEFORE_US);
    Some(last.map_or(now, |last| last.saturating_add(STRIDE).map_or(now, |most| now.min(most))))
}

/// Whether the daily cleanup is due: once after every `hour` o'clock (UTC).
pub fn is_cleanup_due(now: Timestamp, hour: u8, last: Option<Timestamp>) -> bool {
    const DAY: i64 = 24 * 3600;
    let offset = i64::from(hour) * 3600;
    let slot = |at: Timestamp| (at.as_second() - offset).div_euclid(DAY);
    // One more than a day ahead was recorded by a clock that has been set back since.
    last.is_none_or(|last| slot(last) < slot(now) || last.as_second() > now.as_second() + DAY)
}

/// When the next daily cleanup is due: the next `hour` o'clock (UTC) after `now`.
pub fn next_cleanup(now: Timestamp, hour: u8) -> Timestamp {
    const DAY: i64 = 24 * 3600;
    let offset = i64::from(hour) * 3600;
    let next = ((now.as_second() - offset).div_euclid(DAY) + 1) * DAY + offset;
    Timestamp::from_second(next).unwrap_or(now)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_follow_the_clock_by_three_days_at_a_time() {
        let check = |what: &str, now: &str, last: Option<&str>, expected: &str| {
            let last = last.map(|last| last.parse().unwrap());
            let told = retention_clock(now.parse().unwrap(), last);
            assert_eq!(told.map_or_else(|| "not set".into(), |at| at.to_string()), expected, "{what}");
        };
        let (today, yesterday) = ("2026-11-16T03:00:00Z", Some("2026-11-15T03:00:00Z"));
        check("the first time", today, None, today);
        check("day by day", today, yesterday, today);
        check("a leap", "2036-11-16T03:00:00Z", yesterday, "2026-11-18T03:00:00Z");
        check("set back", today, Some("2036-11-15T03:00:00Z"), today);
        check("not set", "1970-01-01T00:10:00Z", yesterday, "not set");
        check("noted before it was set", today, Some("1970-01-01T00:10:00Z"), today);
    }

    #[test]
    fn a_cleanup_is_due_once_after_every_hour_of_cleaning() {
        let check = |now: &str, last: &str, expected| {
            let last = (!last.is_empty()).then(|| last.parse().unwrap());
            assert_eq!(is_cleanup_due(now.parse().unwrap(), 3, last), expected, "{now}, last {last:?}");
        };
        check("2026-11-16T02:59:59Z", "2026-11-15T03:00:00Z", false);
        check("2026-11-16T03:00:00Z", "2026-11-15T03:00:00Z", true);
        check("2026-11-16T03:00:20Z", "2026-11-16T03:00:00Z", false);
        check("2026-11-16T14:00:00Z", "2026-11-16T02:00:00Z", true); // asked for by hand at two
        check("2026-11-16T14:00:00Z", "", true);
        check("2026-11-16T14:00:00Z", "2026-11-17T10:00:00Z", false); // a clock that is a little behind
        check("2026-11-16T14:00:00Z", "2036-11-17T14:00:00Z", true); // one that was set back
    }

    #[test]
    fn the_next_cleanup_is_the_first_that_is_due() {
        for (now, hour, expected) in [
            ("2026-01-01T02:59:59Z", 3, "2026-01-01T03:00:00Z"),
            ("2026-01-01T03:00:00Z", 3, "2026-01-02T03:00:00Z"),
            ("2026-01-01T23:00:00Z", 0, "2026-01-02T00:00:00Z"),
            ("1969-12-31T23:59:59Z", 23, "1970-01-01T23:00:00Z"),
        ] {
            let (now, expected): (Timestamp, Timestamp) = (now.parse().unwrap(), expected.parse().unwrap());
            assert_eq!(next_cleanup(now, hour), expected, "{now}");
            assert!(is_cleanup_due(expected, hour, Some(now)));
            assert!(!is_cleanup_due(expected - SignedDuration::from_secs(1), hour, Some(now)));
        }
    }
}
