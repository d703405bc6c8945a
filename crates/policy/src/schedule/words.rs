//! Durations and times for people. A wait is computed when it is read, so a stored decision contains times and lengths,
//! never "in two hours".

use jiff::{SignedDuration, Timestamp};

/// The wait from now to a time: "in 2 h", "now", or "never".
pub fn wait_in_words(now: Timestamp, at: Option<Timestamp>) -> String {
    match at.map(|at| at.duration_since(now)) {
        None => "never".to_owned(),
        Some(wait) if wait < SignedDuration::from_secs(30) => "now".to_owned(),
        Some(wait) => format!("in {}", words(wait)),
    }
}

/// A time in UTC, with its date if that is not today.
pub(super) fn day_and_hour(at: Timestamp, now: Timestamp) -> String {
    let day = |at: Timestamp| at.as_second().div_euclid(86_400);
    let format = if day(at) == day(now) { "%H:%M UTC" } else { "%Y-%m-%d %H:%M UTC" };
    at.strftime(format).to_string()
}

/// In its two largest units.
pub(super) fn words(wait: SignedDuration) -> String {
    let minutes = wait.as_secs().saturating_add(30) / 60;
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

    #[test]
    fn two_units_are_enough() {
        let check = |seconds, expected: &str| assert_eq!(words(SignedDuration::from_secs(seconds)), expected);
        check(0, "0 min");
        check(29, "0 min");
        check(300, "5 min");
        check(3600, "1 h");
        check(5400, "1 h 30 min");
        check(172_800, "2 d");
        check(90_000, "1 d 1 h");
        check(i64::MAX, "106751991167300 d 15 h");
    }

    #[test]
    fn a_wait_counts_from_when_it_is_told() {
        let at = Timestamp::from_second(100_000).unwrap();
        let check = |seconds: i64, expected: &str| {
            assert_eq!(wait_in_words(at - SignedDuration::from_secs(seconds), Some(at)), expected, "{seconds}");
        };
        check(7200, "in 2 h");
        check(4800, "in 1 h 20 min");
        check(29, "now");
        check(-7200, "now");
        assert_eq!(wait_in_words(at, None), "never");
    }
}
