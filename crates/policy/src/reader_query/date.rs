//! Dates in a query: a day, a month, a year, or a time ago. Days are those of UTC.
//!
//! All of them stand for the moment at which they begin, as mail search engines have it: `before:2026-01-31` excludes
//! that day and `after:2026-01-31` includes it; `after:2026-01 before:2026-02` is January.

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Span, Timestamp};

/// What to write where a date could not be read.
pub(super) const FORMS: &str = "write a day as 2026-01-31, a month as 2026-01, a year as 2026, or a time ago as 7d";

/// The moment at which a date begins. `None` if the text is no date.
pub(super) fn start(text: &str, now: Timestamp) -> Option<Timestamp> {
    let lower = text.to_lowercase();
    named(&lower, now).or_else(|| ago(&lower, now)).or_else(|| calendar(&lower))
}

fn named(text: &str, now: Timestamp) -> Option<Timestamp> {
    let today = now.to_zoned(TimeZone::UTC).date();
    match text {
        "today" => midnight(today),
        "yesterday" => midnight(today.yesterday().ok()?),
        _ => None,
    }
}

/// `12h`, `7d`, `2w`, `3m` (months), `1y`.
fn ago(text: &str, now: Timestamp) -> Option<Timestamp> {
    let (last, unit) = text.char_indices().next_back()?;
    let number = digits(&text[..last], 1..=6)?;
    let span = match unit {
        'h' => Span::new().try_hours(number),
        'd' => Span::new().try_days(number),
        'w' => Span::new().try_weeks(number),
        'm' => Span::new().try_months(number),
        'y' => Span::new().try_years(number),
        _ => return None,
    };
    let span = span.ok()?;
    now.to_zoned(TimeZone::UTC).checked_sub(span).ok().map(|at| at.timestamp())
}

/// `2026`, `2026-01`, `2026-01-31`, also with slashes and without leading zeros.
fn calendar(text: &str) -> Option<Timestamp> {
    let mut parts = text.split(['-', '/']);
    let year = digits(parts.next()?, 4..=4)?;
    let mut part = || parts.next().map_or(Some(1), |part| digits(part, 1..=2));
    let (month, day) = (part()?, part()?);
    if parts.next().is_some() {
        return None;
    }
    midnight(Date::new(i16::try_from(year).ok()?, i8::try_from(month).ok()?, i8::try_from(day).ok()?).ok()?)
}

fn midnight(date: Date) -> Option<Timestamp> {
    date.to_zoned(TimeZone::UTC).ok().map(|midnight| midnight.timestamp())
}

fn digits(text: &str, length: std::ops::RangeInclusive<usize>) -> Option<i64> {
    let all = length.contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    all.then(|| text.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::now;

    #[test]
    fn dates_as_people_write_them() {
        let check = |text: &str, expected: &str| {
            let said = start(text, now()).map_or_else(|| "no".to_owned(), |at| at.to_string());
            assert_eq!(said, expected, "{text}");
        };
        check("2026-01-31", "2026-01-31T00:00:00Z");
        check("2026/1/5", "2026-01-05T00:00:00Z");
        check("2026-01", "2026-01-01T00:00:00Z");
        check("2026", "2026-01-01T00:00:00Z");
        check("2024-02-29", "2024-02-29T00:00:00Z");
        check("2026-02-29", "no");
        check("2026-13", "no");
        check("2026-00", "no");
        check("26-01-01", "no");
        check("2026-", "no");
        check("2026-01-01-01", "no");
        check("-2026", "no");
        check("+126-01", "no");
        check("31.01.2026", "no");
        check("0000", "0000-01-01T00:00:00Z");
        check("9999-12-31", "no");

        check("today", "2026-11-16T00:00:00Z");
        check("Yesterday", "2026-11-15T00:00:00Z");
        check("12h", "2026-11-16T00:00:00Z");
        check("7d", "2026-11-09T12:00:00Z");
        check("2W", "2026-11-02T12:00:00Z");
        check("3m", "2026-08-16T12:00:00Z");
        check("1y", "2025-11-16T12:00:00Z");
        check("0d", "2026-11-16T12:00:00Z");
        check("d", "no");
        check("-7d", "no");
        check("7 d", "no");
        check("7x", "no");
        check("7日", "no");
        check("999999y", "no");
        check("9999999d", "no");
    }
}
