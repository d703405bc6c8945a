//! The span of time that a figure is about, as `from` and `to` of a query. Sums are kept by the hour, so that the beginning
//! is rounded down and the end up.

use crate::error::ApiError;
use crate::reader::read_moment;
use jiff::{SignedDuration, Timestamp};
use policy::rollup::{HOUR, KEPT, hour_of};
use store::Hours;

/// What is shown if nothing is said.
const USUAL: SignedDuration = SignedDuration::from_hours(24);

/// The hours from a moment to another: by default the last day, at most as long as sums are kept.
pub(super) fn span(from: Option<&str>, to: Option<&str>, now: Timestamp) -> Result<Hours, ApiError> {
    let asked = to.map(|text| read_moment("to", text)).transpose()?;
    let to = asked.unwrap_or(now);
    let from = match from {
        Some(text) => read_moment("from", text)?,
        None => to.checked_sub(USUAL).unwrap_or(Timestamp::MIN),
    };
    let (begins, last) = (hour_of(from), hour_of(to));
    // The hour that has begun is part of what is shown by default, also in its first moment.
    let ends = if asked == Some(last) { last } else { last.checked_add(HOUR).unwrap_or(Timestamp::MAX) };
    if begins >= ends {
        return Err(ApiError::unprocessable("`from` must be before `to`"));
    }
    if ends.duration_since(begins) > KEPT + HOUR {
        return Err(ApiError::unprocessable("`from` and `to` may be at most 400 days apart"));
    }
    Ok(Hours { from: begins, to: ends })
}

/// As long a time, just before.
pub(super) fn before(hours: Hours) -> Hours {
    let length = hours.to.duration_since(hours.from);
    Hours { from: hours.from.checked_sub(length).unwrap_or(Timestamp::MIN), to: hours.from }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hours_are_the_grain() {
        let now = "2026-01-31T09:30:00Z".parse().unwrap();
        let check = |from: Option<&str>, to: Option<&str>, expected: &str| {
            let said = match span(from, to, now) {
                Ok(Hours { from, to }) => format!("{from:.0} {to:.0}"),
                Err(error) => error.detail.clone(),
            };
            assert!(said.starts_with(expected), "{said}");
        };
        check(None, None, "2026-01-30T09:00:00Z 2026-01-31T10:00:00Z");
        check(Some("2026-01-31T08:10:00Z"), Some("2026-01-31T09:00:00Z"), "2026-01-31T08:00:00Z 2026-01-31T09:00:00Z");
        check(Some("2026-01-31T10:10:00Z"), None, "`from` must be before `to`");
        check(Some("2024-01-31T10:10:00Z"), None, "`from` and `to` may be at most 400 days apart");
        check(Some("yesterday"), None, "`from` is no moment");
        let day = Hours { from: "2026-01-30T00:00:00Z".parse().unwrap(), to: "2026-01-31T00:00:00Z".parse().unwrap() };
        assert_eq!(format!("{:.0}", before(day).from), "2026-01-29T00:00:00Z");
    }
}
