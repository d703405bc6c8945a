//! `Expires` (RFC 9111, 5.3): until when an answer is fresh.
//!
//! How it stands to `Cache-Control`, which overrides it, is in `freshness`.

use crate::http_date;
use crate::syntax::bounded;
use jiff::Timestamp;

/// The moment from which the answer is stale; `None` if there is no such field. Of several lines the first counts
/// (4.2.1). What is no date, "0" above all, means that the answer has expired already (5.3): then this is `now`.
pub fn read<'a>(lines: impl IntoIterator<Item = &'a [u8]>, now: Timestamp) -> Option<Timestamp> {
    let line = bounded(lines).next()?;
    Some(http_date::parse_lenient(line, now).unwrap_or(now))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_date_or_already_over() {
        let now: Timestamp = "2026-01-01T00:00:00Z".parse().unwrap();
        let check = |lines: &[&str], expected: Option<&str>| {
            let read = read(lines.iter().map(|line| line.as_bytes()), now).map(|at| at.to_string());
            assert_eq!(read.as_deref(), expected, "{lines:?}");
        };
        // RFC 9111, 5.3.
        check(&["Thu, 01 Dec 1994 16:00:00 GMT"], Some("1994-12-01T16:00:00Z"));
        check(&[], None);
        for over in ["0", "-1", "", "never", "Thu, 32 Dec 1994 16:00:00 GMT"] {
            check(&[over], Some("2026-01-01T00:00:00Z"));
        }
        check(&["0", "Thu, 01 Dec 2033 16:00:00 GMT"], Some("2026-01-01T00:00:00Z"));
    }
}
