//! Durations as a person says them.

use jiff::SignedDuration;

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
}
