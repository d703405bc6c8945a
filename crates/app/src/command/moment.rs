//! Parses times as people type them: a date, a time, or an age.

use std::time::Duration;

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

use crate::config::Value as _;

/// The time that a text denotes; `3d` is three days before `now`, a date begins at local midnight.
pub(super) fn since(text: &str, now: Timestamp) -> anyhow::Result<Timestamp> {
    since_in(text, now, &super::table::zone())
}

fn since_in(text: &str, now: Timestamp, zone: &TimeZone) -> anyhow::Result<Timestamp> {
    if let Ok(ago) = Duration::read(text) {
        let ago = SignedDuration::try_from(ago)?;
        return now.checked_sub(ago).map_err(|_| anyhow::anyhow!("`{text}` is too long ago"));
    }
    let day = || Some(text.parse::<Date>().ok()?.to_zoned(zone.clone()).ok()?.timestamp());
    text.parse().ok().or_else(day).ok_or_else(|| {
        anyhow::anyhow!(
            "`{text}` is not a time: use `2026-01-31`, `2026-01-31T10:00:00Z`, or as long ago as `2h` or `3d`"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_as_people_type_them() {
        let now: Timestamp = "2026-01-31T12:00:00Z".parse().unwrap();
        let check = |text: &str, expected: &str| {
            let said = since_in(text, now, &TimeZone::UTC).map_or_else(|_| "refused".to_owned(), |at| at.to_string());
            assert_eq!(said, expected, "{text}");
        };
        check("2026-01-30", "2026-01-30T00:00:00Z");
        check("2026-01-30T10:00:00Z", "2026-01-30T10:00:00Z");
        check("2026-01-30T10:00:00+02:00", "2026-01-30T08:00:00Z");
        check("2h", "2026-01-31T10:00:00Z");
        check("3d", "2026-01-28T12:00:00Z");
        check("yesterday", "refused");
        check("9999999999d", "refused");
        check("", "refused");
    }
}
