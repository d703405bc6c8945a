//! HTTP-date (RFC 9110, 5.6.7): the form of `Date`, `Last-Modified`, `Expires` and others, in its three spellings.
//!
//! [`parse`] reads these three and nothing else: conditional requests demand it. [`parse_lenient`] also reads what else
//! servers write in answers. Dates inside of feeds, in many more forms, are read by `syndication::date`.

use jiff::Timestamp;
use jiff::civil::{DateTime, date};
use jiff::fmt::rfc2822;
use jiff::tz::Offset;

/// Longer than any date anyone writes; what is longer is not looked at.
const MAX_BYTES: usize = 64;

/// Reads a date in one of the three forms; names in any case. The name of the day is not compared with the date. `now`
/// tells the century of a year of two digits.
pub fn parse(text: &[u8], now: Timestamp) -> Option<Timestamp> {
    let text = text.trim_ascii();
    let text = str::from_utf8(text).ok().filter(|text| text.is_ascii() && text.len() <= MAX_BYTES)?;
    let parts: Vec<&str> = text.split_ascii_whitespace().take(7).collect();
    let is_zone = |zone: &str| zone.eq_ignore_ascii_case("GMT");
    match parts[..] {
        [name, day, month, year, time, zone] if is_zone(zone) && is_day(name.strip_suffix(',')?, &SHORT_DAYS) => {
            moment(number(year, 4)?, month, number(day, 2)?, time)
        }
        [name, date, time, zone] if is_zone(zone) && is_day(name.strip_suffix(',')?, &LONG_DAYS) => {
            let (day, rest) = date.split_once('-')?;
            let (month, year) = rest.split_once('-')?;
            with_century(number(year, 2)?, month, number(day, 2)?, time, now)
        }
        [name, month, day, time, year] if is_day(name, &SHORT_DAYS) => {
            moment(number(year, 4)?, month, number(day, day.len().clamp(1, 2))?, time)
        }
        _ => None,
    }
}

/// Reads a date as servers write it: in one of the three forms, as mail has it (another zone, no name of a day), or as
/// RFC 3339 has it. RFC 9110 encourages this in 5.6.7.
pub fn parse_lenient(text: &[u8], now: Timestamp) -> Option<Timestamp> {
    static MAIL: rfc2822::DateTimeParser = rfc2822::DateTimeParser::new().relaxed_weekday(true);
    parse(text, now).or_else(|| {
        let text = str::from_utf8(text.trim_ascii()).ok().filter(|text| text.len() <= MAX_BYTES)?;
        MAIL.parse_timestamp(text).ok().or_else(|| text.parse().ok())
    })
}

/// Writes a date in the form that RFC 9110 demands: `Sun, 06 Nov 1994 08:49:37 GMT`. Moments before the year 0 are not
/// expressible, and are written as its beginning.
pub fn format(at: Timestamp) -> String {
    let first = date(0, 1, 1).at(0, 0, 0, 0);
    let at = at.max(Offset::UTC.to_timestamp(first).unwrap_or(Timestamp::UNIX_EPOCH));
    rfc2822::DateTimePrinter::new().timestamp_to_rfc9110_string(&at).expect("the year has four digits")
}

const SHORT_DAYS: [&str; 7] = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
const LONG_DAYS: [&str; 7] = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

fn is_day(name: &str, days: &[&str]) -> bool {
    days.iter().any(|day| day.eq_ignore_ascii_case(name))
}

/// A number of exactly so many digits.
fn number(text: &str, length: usize) -> Option<i16> {
    let is_number = text.len() == length && text.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| text.parse().ok()).flatten()
}

fn civil(year: i16, month: &str, day: i16, time: &str) -> Option<DateTime> {
    let month = MONTHS.iter().position(|name| name.eq_ignore_ascii_case(month))? + 1;
    let mut parts = time.split(':').map(|part| number(part, 2).and_then(|number| i8::try_from(number).ok()));
    let (hour, minute, second) = (parts.next()??, parts.next()??, parts.next()??);
    // A leap second is the last second of its minute: nobody counts it.
    let second = if second == 60 { 59 } else { second };
    let day = i8::try_from(day).ok()?;
    let civil = DateTime::new(year, i8::try_from(month).ok()?, day, hour, minute, second, 0).ok()?;
    parts.next().is_none().then_some(civil)
}

fn moment(year: i16, month: &str, day: i16, time: &str) -> Option<Timestamp> {
    let civil = civil(year, month, day, time)?;
    // The last day of 9999 is beyond the last moment there is; who writes it means "never".
    Offset::UTC.to_timestamp(civil).ok().or((year == 9999).then_some(Timestamp::MAX))
}

/// A year of two digits is the last one with these digits that is at most 50 years ahead (5.6.7).
fn with_century(two_digits: i16, month: &str, day: i16, time: &str, now: Timestamp) -> Option<Timestamp> {
    let now = Offset::UTC.to_datetime(now);
    // An HTTP-date has a year of four digits, whatever time it is.
    let last = now.year().saturating_add(50).clamp(100, 9999);
    let year = last - (last - two_digits).rem_euclid(100);
    let read = civil(year, month, day, time);
    let is_later_in_the_year =
        |read: DateTime| (read.month(), read.day(), read.time()) > (now.month(), now.day(), now.time());
    if year - 50 == now.year() && read.is_some_and(is_later_in_the_year) {
        return moment(year - 100, month, day, time);
    }
    moment(year, month, day, time)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: &str = "2026-06-15T12:00:00Z";

    fn now() -> Timestamp {
        NOW.parse().unwrap()
    }

    #[track_caller]
    fn check(text: &str, strict: &str, lenient: &str) {
        let shown = |at: Option<Timestamp>| at.map_or("none".to_owned(), |at| format!("{at:.0}"));
        let read = (shown(parse(text.as_bytes(), now())), shown(parse_lenient(text.as_bytes(), now())));
        assert_eq!((read.0.as_str(), read.1.as_str()), (strict, lenient), "{text:?}");
    }

    #[test]
    fn three_forms() {
        // RFC 9110, 5.6.7.
        let moment = "1994-11-06T08:49:37Z";
        check("Sun, 06 Nov 1994 08:49:37 GMT", moment, moment);
        check("Sunday, 06-Nov-94 08:49:37 GMT", moment, moment);
        check("Sun Nov  6 08:49:37 1994", moment, moment);
        check(" sun, 06 NOV 1994 08:49:37 gmt\t", moment, moment);
        check("Sat, 06 Nov 1994 08:49:37 GMT", moment, moment);
        check("Sat, 31 Dec 2016 23:59:60 GMT", "2016-12-31T23:59:59Z", "2016-12-31T23:59:59Z");
        check("Fri, 31 Dec 9999 23:59:59 GMT", "9999-12-30T22:00:00Z", "9999-12-30T22:00:00Z");
        // RFC 9110, 8.8.2.1 and 6.6.1.
        check("Tue, 15 Nov 1994 12:45:26 GMT", "1994-11-15T12:45:26Z", "1994-11-15T12:45:26Z");
        check("Tue, 15 Nov 1994 08:12:31 GMT", "1994-11-15T08:12:31Z", "1994-11-15T08:12:31Z");
    }

    #[test]
    fn two_digits_mean_at_most_fifty_years_ahead() {
        let check = |text: &str, expected: &str| check(text, expected, expected);
        check("Monday, 15-Jun-26 12:00:00 GMT", "2026-06-15T12:00:00Z");
        check("Monday, 15-Jun-76 12:00:00 GMT", "2076-06-15T12:00:00Z");
        check("Monday, 15-Jun-76 12:00:01 GMT", "1976-06-15T12:00:01Z");
        check("Monday, 15-Jun-77 12:00:00 GMT", "1977-06-15T12:00:00Z");
        check("Monday, 15-Jun-00 12:00:00 GMT", "2000-06-15T12:00:00Z");
        for (now, year) in [(Timestamp::MIN, 26), (Timestamp::MAX, 9926)] {
            let read = parse(b"Monday, 15-Jun-26 12:00:00 GMT", now).map(|at| Offset::UTC.to_datetime(at).year());
            assert_eq!(read, Some(year), "at {now}");
        }
    }

    #[test]
    fn what_else_servers_write() {
        check("Sun, 06 Nov 1994 08:49:37 +0200", "none", "1994-11-06T06:49:37Z");
        check("06 Nov 1994 08:49:37 GMT", "none", "1994-11-06T08:49:37Z");
        check("Sun, 6 Nov 1994 08:49:37 GMT", "none", "1994-11-06T08:49:37Z");
        check("1994-11-06T08:49:37Z", "none", "1994-11-06T08:49:37Z");
        check("Sun, 06 Nov 1994 08:49:37 EST", "none", "1994-11-06T13:49:37Z");
    }

    #[test]
    fn what_is_no_date() {
        for text in [
            "",
            "0",
            "-1",
            "Sun, 06 Nov 1994",
            "Sun, 31 Feb 1994 08:49:37 GMT",
            "Sun, 00 Nov 1994 08:49:37 GMT",
            "Sun, 06 Nov 1994 24:49:37 GMT",
            "Sun, 06 Nov 1994 08:49:61 GMT",
            "Sunday, 06-Nov-1994 08:49:37 GMT",
            "Sun Nov 06 08:49:37:00 1994",
            "Sun, 06 Nov +994 08:49:37 GMT",
            "Tag, 06 Nov 1994 08:49:37 GMT",
            "Sun, 06 Nov 1994 08:49:37 GMT, Sun, 06 Nov 1994 08:49:37 GMT",
        ] {
            let lenient = parse_lenient(text.as_bytes(), now());
            assert_eq!((parse(text.as_bytes(), now()), lenient), (None, None), "{text:?}");
        }
        assert_eq!(parse_lenient(b"\xff\xfe", now()), None);
        assert_eq!(parse_lenient(" ".repeat(1 << 20).as_bytes(), now()), None);
    }

    #[test]
    fn written_and_read_again() {
        assert_eq!(format("1994-11-06T08:49:37.9Z".parse().unwrap()), "Sun, 06 Nov 1994 08:49:37 GMT");
        for second in [-62_167_219_200, -1, 0, 1_000_000_000, 253_402_207_200] {
            let at = Timestamp::from_second(second).unwrap();
            assert_eq!(parse(format(at).as_bytes(), now()), Some(at));
        }
        assert_eq!(format(Timestamp::MIN), "Sat, 01 Jan 0000 00:00:00 GMT");
        assert_eq!(format(Timestamp::MAX), "Thu, 30 Dec 9999 22:00:00 GMT");
    }
}
