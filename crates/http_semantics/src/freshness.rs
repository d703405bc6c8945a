//! How long an answer is fresh (RFC 9111, 4.2.1), from `Cache-Control` and `Expires` together.
//!
//! For a cache of one user, which we are: `s-maxage` is not asked. No heuristic (4.2.2): without a statement the caller
//! decides by its own rules.

use crate::CacheControl;
use jiff::{SignedDuration, Timestamp};

/// What an answer that has just come says about its freshness.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Freshness {
    /// Nothing.
    NotStated,
    /// It is not fresh, or may not be used without asking again.
    Stale,
    /// It is fresh for this long; always more than zero.
    Fresh(SignedDuration, StatedBy),
}

/// The field or directive that decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StatedBy {
    /// `Cache-Control: max-age`.
    MaxAge,
    /// `Expires`.
    Expires,
}

impl StatedBy {
    /// As it is written.
    pub fn name(self) -> &'static str {
        match self {
            Self::MaxAge => "max-age",
            Self::Expires => "Expires",
        }
    }
}

/// How long an answer that came at `now` is fresh. `no-store` and `no-cache` are the most restrictive and win; then
/// `max-age` overrides `Expires` (5.3).
pub fn freshness(control: &CacheControl, expires_at: Option<Timestamp>, now: Timestamp) -> Freshness {
    if control.no_store || control.no_cache {
        return Freshness::Stale;
    }
    let stated = match (control.max_age, expires_at) {
        (Some(age), _) => (age, StatedBy::MaxAge),
        (None, Some(expires_at)) => (expires_at.duration_since(now), StatedBy::Expires),
        (None, None) => return Freshness::NotStated,
    };
    if stated.0 > SignedDuration::ZERO { Freshness::Fresh(stated.0, stated.1) } else { Freshness::Stale }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_decides() {
        let now = Timestamp::UNIX_EPOCH;
        let check = |control: &str, expires: Option<i64>, expected: &str| {
            let control_read = CacheControl::read([control.as_bytes()]);
            let expires_at = expires.map(|seconds| now + SignedDuration::from_secs(seconds));
            let said = match freshness(&control_read, expires_at, now) {
                Freshness::NotStated => "not stated".to_owned(),
                Freshness::Stale => "stale".to_owned(),
                Freshness::Fresh(left, by) => format!("{} {}", left.as_secs(), by.name()),
            };
            assert_eq!(said, expected, "{control:?} {expires:?}");
        };
        check("", None, "not stated");
        check("s-maxage=9", None, "not stated");
        check("max-age=600", None, "600 max-age");
        check("max-age=600", Some(60), "600 max-age");
        check("max-age=0", Some(60), "stale");
        check("max-age=-5", Some(60), "stale");
        check("private", Some(60), "60 Expires");
        check("", Some(0), "stale");
        check("", Some(-60), "stale");
        check("no-cache, max-age=600", Some(60), "stale");
        check("max-age=600, no-store", None, "stale");
        let always = freshness(&CacheControl::default(), Some(Timestamp::MAX), Timestamp::MIN);
        assert!(matches!(always, Freshness::Fresh(_, StatedBy::Expires)));
    }
}
