//! skipHours and skipDays: the times of the week in which a publisher does not want visits (F-56), in GMT.

use jiff::Timestamp;
use model::lease::VisitHints;
use model::reading::Hints;

const HOUR: i64 = 3600;
/// After a week the windows repeat.
const HOURS_AHEAD: i64 = 7 * 24;

/// The hints of a document as bits. Hour 24 is hour 0: both are written.
pub(crate) fn visit_hints(hints: &Hints) -> VisitHints {
    VisitHints {
        ttl_minutes: hints.ttl_minutes,
        skip_hours: hints.skip_hours.iter().filter(|hour| **hour <= 24).fold(0, |bits, hour| bits | 1 << (hour % 24)),
        skip_days: hints.skip_days.iter().fold(0, |bits, day| bits | 1 << *day as u8),
    }
}

/// The first time from `at` on outside all windows; `None` if there is none in a week.
pub(super) fn next_open(hints: &VisitHints, at: Timestamp) -> Option<Timestamp> {
    let hour = at.as_second().div_euclid(HOUR);
    if is_open(hints, hour) {
        return Some(at);
    }
    let open = (hour + 1..=hour + HOURS_AHEAD).find(|hour| is_open(hints, *hour))?;
    Timestamp::from_second(open.saturating_mul(HOUR)).ok()
}

/// Which of the two closes the hours from `at` to `open`.
pub(super) fn closed_by(hints: &VisitHints, at: Timestamp, open: Timestamp) -> &'static str {
    let (from, to) = (at.as_second().div_euclid(HOUR), open.as_second().div_euclid(HOUR));
    let closed = |by: fn(&VisitHints, i64) -> bool| (from..to).take(HOURS_AHEAD as usize).any(|hour| by(hints, hour));
    match (closed(is_skipped_hour), closed(is_skipped_day)) {
        (true, true) => "skipHours and skipDays",
        (false, true) => "skipDays",
        (_, false) => "skipHours",
    }
}

/// `moved`, but not across a window between it and `at`.
pub(super) fn within_stretch(hints: &VisitHints, at: Timestamp, moved: Timestamp) -> Timestamp {
    if hints.skip_hours == 0 && hints.skip_days == 0 {
        return moved;
    }
    let (from, to) = (at.as_second().div_euclid(HOUR), moved.as_second().div_euclid(HOUR));
    if !is_open(hints, from) {
        return at;
    }
    if to >= from {
        match (from..=to).take(HOURS_AHEAD as usize).find(|hour| !is_open(hints, *hour)) {
            // The last second before the window.
            Some(closed) => Timestamp::from_second(closed * HOUR - 1).map_or(at, |edge| edge.clamp(at, moved.max(at))),
            None => moved,
        }
    } else {
        match (to..=from).rev().take(HOURS_AHEAD as usize).find(|hour| !is_open(hints, *hour)) {
            Some(closed) => {
                Timestamp::from_second((closed + 1) * HOUR).map_or(at, |edge| edge.clamp(moved.min(at), at))
            }
            None => moved,
        }
    }
}

fn is_open(hints: &VisitHints, hour: i64) -> bool {
    !is_skipped_hour(hints, hour) && !is_skipped_day(hints, hour)
}

fn is_skipped_hour(hints: &VisitHints, hour: i64) -> bool {
    hints.skip_hours >> hour.rem_euclid(24) & 1 == 1
}

fn is_skipped_day(hints: &VisitHints, hour: i64) -> bool {
    hints.skip_days >> weekday(hour.div_euclid(24)) & 1 == 1
}

/// Monday is 0; the first day of 1970 was a Thursday.
pub(super) fn weekday(day: i64) -> i64 {
    (day + 3).rem_euclid(7)
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::reading::Weekday;

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    #[test]
    fn windows_are_left_at_their_end() {
        // 2026-11-16 is a Monday.
        let check = |what: &str, hours: &[u8], days: &[Weekday], from: &str, expected: &str| {
            let hints = Hints { skip_hours: hours.to_vec(), skip_days: days.to_vec(), ..Hints::default() };
            let open = next_open(&visit_hints(&hints), at(from));
            assert_eq!(open.map_or("never".into(), |at| at.to_string()), expected, "{what}");
        };
        check("none", &[], &[], "2026-11-16T10:30:00Z", "2026-11-16T10:30:00Z");
        check("before it", &[11], &[], "2026-11-16T10:30:00Z", "2026-11-16T10:30:00Z");
        check("in it", &[10], &[], "2026-11-16T10:30:00Z", "2026-11-16T11:00:00Z");
        check("in two", &[10, 11], &[], "2026-11-16T10:30:00Z", "2026-11-16T12:00:00Z");
        check("over midnight", &[23, 0], &[], "2026-11-16T23:59:59Z", "2026-11-17T01:00:00Z");
        check("24 is midnight", &[24], &[], "2026-11-17T00:10:00Z", "2026-11-17T01:00:00Z");
        check("a day", &[], &[Weekday::Monday], "2026-11-16T10:30:00Z", "2026-11-17T00:00:00Z");
        check(
            "a weekend and its morning",
            &[0, 1],
            &[Weekday::Saturday, Weekday::Sunday],
            "2026-11-21T10:30:00Z",
            "2026-11-23T02:00:00Z",
        );
        let all: Vec<u8> = (0..24).collect();
        check("all hours", &all, &[], "2026-11-16T10:30:00Z", "never");
        check("nonsense", &[200], &[], "2026-11-16T10:30:00Z", "2026-11-16T10:30:00Z");
    }

    #[test]
    fn jitter_crosses_no_window() {
        let check = |what: &str, hours: &[u8], from: &str, to: &str, expected: &str| {
            let hints = visit_hints(&Hints { skip_hours: hours.to_vec(), ..Hints::default() });
            assert_eq!(within_stretch(&hints, at(from), at(to)), at(expected), "{what}");
        };
        check("nothing between", &[3], "2026-11-16T10:30:00Z", "2026-11-16T12:10:00Z", "2026-11-16T12:10:00Z");
        check("into one", &[12], "2026-11-16T10:30:00Z", "2026-11-16T12:10:00Z", "2026-11-16T11:59:59Z");
        check("over one", &[11], "2026-11-16T10:30:00Z", "2026-11-16T12:10:00Z", "2026-11-16T10:59:59Z");
        check("back into one", &[10], "2026-11-16T11:00:00Z", "2026-11-16T10:50:00Z", "2026-11-16T11:00:00Z");
        check("back over one", &[10], "2026-11-16T11:30:00Z", "2026-11-16T09:50:00Z", "2026-11-16T11:00:00Z");
        check("from inside one", &[10], "2026-11-16T10:30:00Z", "2026-11-16T11:50:00Z", "2026-11-16T10:30:00Z");
    }
}
