//! `Cache-Control` (RFC 9111, 5.2): the directives of an answer, read and written.
//!
//! Only the directives that somebody acts on are kept. What they mean together with `Expires` is in `freshness`.

use crate::syntax::{delta_seconds, directive, members};
use jiff::SignedDuration;
use std::fmt;

/// What an answer says about how it may be stored. `to_string` writes the field's value.
///
/// Repeated and invalid values are read in one way, for all callers (RFC 9111, 4.2.1):
///
/// - Of two `max-age` or two `s-maxage` the **first** counts. The RFC allows this, or to take the answer for stale; we
///   choose the first, because two lines are usually one of the application and one of a proxy that repeats it.
/// - A `max-age` that is no number of digits (`max-age=soon`, `max-age=-5`, `max-age=`, `max-age`) is **zero**: the
///   answer is stale at once, as the RFC encourages. It does not fall back on `Expires`, and a later, valid `max-age`
///   does not replace it.
/// - A number that is too large is 2^31 seconds (1.2.2).
/// - Of directives that contradict each other the most restrictive one counts: all flags are kept, and `freshness`
///   asks `no-store` and `no-cache` before any age.
/// - `no-cache="field"` and `private="field"` count as if they stood without the names of fields: this restricts more,
///   and is what most caches do (5.2.2.4, 5.2.2.7).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CacheControl {
    /// Any cache may store it.
    pub public: bool,
    /// Only the cache of one user may store it.
    pub private: bool,
    /// No cache may store it.
    pub no_store: bool,
    /// It may be stored, but not used without asking the server again.
    pub no_cache: bool,
    /// Once stale, it may not be used without asking the server again.
    pub must_revalidate: bool,
    /// It does not change while it is fresh (RFC 8246).
    pub immutable: bool,
    /// For how long it is fresh.
    pub max_age: Option<SignedDuration>,
    /// For how long it is fresh in a cache that several users share.
    pub s_maxage: Option<SignedDuration>,
}

impl CacheControl {
    /// Reads all lines of the field. Unknown directives are ignored, as 5.2 demands.
    pub fn read<'a>(lines: impl IntoIterator<Item = &'a [u8]>) -> Self {
        let mut said = Self::default();
        for member in members(lines) {
            let (name, argument) = directive(member);
            let age = || Some(SignedDuration::from_secs(argument.as_deref().and_then(delta_seconds).unwrap_or(0)));
            let is = |known: &str| name.eq_ignore_ascii_case(known.as_bytes());
            match () {
                () if is("max-age") => said.max_age = said.max_age.or_else(age),
                () if is("s-maxage") => said.s_maxage = said.s_maxage.or_else(age),
                () if is("no-store") => said.no_store = true,
                () if is("no-cache") => said.no_cache = true,
                () if is("private") => said.private = true,
                () if is("public") => said.public = true,
                () if is("must-revalidate") => said.must_revalidate = true,
                () if is("immutable") => said.immutable = true,
                () => {}
            }
        }
        said
    }
}

impl fmt::Display for CacheControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let flags = [
            (self.public, "public"),
            (self.private, "private"),
            (self.no_store, "no-store"),
            (self.no_cache, "no-cache"),
            (self.must_revalidate, "must-revalidate"),
            (self.immutable, "immutable"),
        ];
        let mut separator = "";
        for (_, name) in flags.iter().filter(|(is_set, _)| *is_set) {
            write!(f, "{separator}{name}")?;
            separator = ", ";
        }
        for (age, name) in [(self.max_age, "max-age"), (self.s_maxage, "s-maxage")] {
            if let Some(age) = age {
                write!(f, "{separator}{name}={}", age.as_secs().max(0))?;
                separator = ", ";
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(lines: &[&str], expected: &str) {
        let read = CacheControl::read(lines.iter().map(|line| line.as_bytes()));
        assert_eq!(read.to_string(), expected, "{lines:?}");
        assert_eq!(CacheControl::read([read.to_string().as_bytes()]), read, "{lines:?} written and read again");
    }

    #[test]
    fn as_the_rfc_has_it() {
        check(&[], "");
        // RFC 9111, 5.2.2.
        check(&["max-age=3600"], "max-age=3600");
        check(&["private, community=\"UCI\""], "private");
        check(&["MAX-AGE=600, S-MaxAge=9"], "max-age=600, s-maxage=9");
        check(&["no-cache=\"set-cookie, max-age=9\", max-age=60"], "no-cache, max-age=60");
        check(&["public, must-revalidate, immutable, no-store"], "public, no-store, must-revalidate, immutable");
        // RFC 9111, 5.2: both forms of an argument mean the same.
        check(&["max-age=\"600\""], "max-age=600");
        check(&["max-age=99999999999999999999"], "max-age=2147483648");
    }

    #[test]
    fn the_first_of_a_repeated_max_age_counts() {
        check(&["max-age=60, max-age=600"], "max-age=60");
        check(&["max-age=600, max-age=60"], "max-age=600");
        check(&["max-age=60", "max-age=600"], "max-age=60");
        check(&["max-age=soon, max-age=600"], "max-age=0");
        check(&["s-maxage=60, s-maxage=600"], "s-maxage=60");
    }

    #[test]
    fn an_invalid_max_age_is_zero() {
        for invalid in ["max-age", "max-age=", "max-age=-5", "max-age=soon", "max-age=1.5", "max-age=\"5", "max-age=5s"]
        {
            check(&[invalid], "max-age=0");
        }
    }

    #[test]
    fn as_it_comes() {
        check(&[",,=,;max-age"], "");
        check(&["public, MAX-AGE = \"600\" ,,"], "public, max-age=600");
        check(&["max-age=600\", no-store"], "no-store, max-age=0");
        check(&["xmax-age=5, max-agex=5, \"max-age=5\", no-storee"], "");
        let negative = CacheControl { max_age: Some(SignedDuration::MIN), ..CacheControl::default() };
        assert_eq!(negative.to_string(), "max-age=0");
    }
}
