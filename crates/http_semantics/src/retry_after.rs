//! `Retry-After` (RFC 9110, 10.2.3): when a server wants to be asked again.
//!
//! Both forms become a moment. There is no upper limit here: the caller limits what it believes, and can say what was
//! asked for.

use crate::http_date;
use crate::syntax::{bounded, digits};
use jiff::{SignedDuration, Timestamp};

/// The moment that is asked for, from the first line of the field. A negative number of seconds is `now`, a number that
/// leads beyond the last moment there is is that moment. `None` if there is no such field, or if it says neither.
pub fn read<'a>(lines: impl IntoIterator<Item = &'a [u8]>, now: Timestamp) -> Option<Timestamp> {
    let text = bounded(lines).next()?.trim_ascii();
    if let Some(seconds) = digits(text) {
        let wait = SignedDuration::from_secs(i64::try_from(seconds).unwrap_or(i64::MAX));
        return Some(now.checked_add(wait).unwrap_or(Timestamp::MAX));
    }
    if text.strip_prefix(b"-").is_some_and(|rest| digits(rest).is_some()) {
        return Some(now);
    }
    http_date::parse_lenient(text, now)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_or_a_date() {
        let now: Timestamp = "1999-12-31T00:00:00Z".parse().unwrap();
        let check = |text: &str, expected: &str| {
            let at = read([text.as_bytes()], now).map_or("none".into(), |at| format!("{at:.0}"));
            assert_eq!(at, expected, "{text:?}");
        };
        // RFC 9110, 10.2.3.
        check("Fri, 31 Dec 1999 23:59:59 GMT", "1999-12-31T23:59:59Z");
        check("120", "1999-12-31T00:02:00Z");
        check(" 0 ", "1999-12-31T00:00:00Z");
        check("Friday, 31-Dec-99 23:59:59 GMT", "1999-12-31T23:59:59Z");
        check("Fri Dec 31 23:59:59 1999", "1999-12-31T23:59:59Z");
        check("-5", "1999-12-31T00:00:00Z");
        check("-99999999999999999999999", "1999-12-31T00:00:00Z");
        check("99999999999999", "9999-12-30T22:00:00Z");
        check("99999999999999999999999999", "9999-12-30T22:00:00Z");
        for neither in ["", "soon", "-", "1.5", "120 seconds", "120, 60"] {
            check(neither, "none");
        }
        assert_eq!(read([], now), None);
        let two: [&[u8]; 2] = [b"60", b"7200"];
        assert_eq!(read(two, now), now.checked_add(SignedDuration::from_secs(60)).ok(), "the first line counts");
    }
}
