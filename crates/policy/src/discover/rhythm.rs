//! How often a feed publishes, as shown beside a candidate.

use jiff::{SignedDuration, Timestamp};

const WEEK_SECONDS: f64 = 7.0 * 86_400.0;

/// Entries per week, from the dates of a feed's entries. `None` if these are too few or all equal.
///
/// If a feed has been silent for longer than usual, the rate drops with every week.
pub fn entries_per_week(dates: &[Timestamp], now: Timestamp) -> Option<f64> {
    // Clocks and time zones may be off by a day; dates further ahead are ignored.
    let latest = now + SignedDuration::from_hours(24);
    let dates = || dates.iter().filter(|date| **date <= latest);
    let (oldest, newest, count) = (*dates().min()?, *dates().max()?, dates().count() as f64);
    let weeks = |span: SignedDuration| span.as_secs_f64() / WEEK_SECONDS;
    let span = weeks(newest.duration_since(oldest));
    if span <= 0.0 {
        return None;
    }
    let silence = weeks(now.duration_since(newest));
    let usual_gap = span / (count - 1.0);
    Some(if silence > usual_gap { count / (span + silence) } else { (count - 1.0) / span })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn how_often() {
        let now = Timestamp::from_second(1_700_000_000).unwrap();
        let check = |case: &str, days_ago: &[i64], expected: Option<f64>| {
            let dates: Vec<_> = days_ago.iter().map(|days| now - SignedDuration::from_hours(24 * days)).collect();
            let rounded = entries_per_week(&dates, now).map(|rate| (rate * 100.0).round() / 100.0);
            assert_eq!(rounded, expected, "{case}");
        };
        check("none", &[], None);
        check("one", &[3], None);
        check("all the same", &[3, 3, 3], None);
        check("weekly", &[0, 7, 14], Some(1.0));
        check("weekly, a week ago", &[7, 14], Some(1.0));
        check("daily, in any order", &[2, 0, 1, 3], Some(7.0));
        check("weekly once, silent for a year", &[364, 371, 378], Some(0.06));
        check("tomorrow is today", &[-1, 6, 13], Some(1.0));
        check("the far future", &[-3650, 7, 14], Some(1.0));
        check("only the far future", &[-3650, -4000], None);
    }
}
