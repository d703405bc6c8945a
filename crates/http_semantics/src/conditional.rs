//! The conditions of a GET that asks "has it changed?" (RFC 9110, 13): `If-None-Match`, `If-Modified-Since`, and which
//! of them counts. For serving; what a client of ours sends is kept verbatim in `model::visit::Validators`.

use crate::syntax::bounded;
use crate::{EntityTag, IfNoneMatch, http_date};
use jiff::Timestamp;

/// The conditions of one GET or HEAD.
#[derive(Debug, Clone, Default)]
pub struct Conditions<'a> {
    if_none_match: Option<IfNoneMatch<'a>>,
    if_modified_since: Option<Timestamp>,
}

impl<'a> Conditions<'a> {
    /// Reads all lines of both fields. An `If-Modified-Since` that is no HTTP-date, or that comes twice, is ignored, and
    /// so is any that comes with an `If-None-Match` (13.1.3).
    pub fn read(
        if_none_match: impl IntoIterator<Item = &'a [u8]>,
        if_modified_since: impl IntoIterator<Item = &'a [u8]>,
        now: Timestamp,
    ) -> Self {
        let if_none_match = IfNoneMatch::read(if_none_match);
        let mut since = bounded(if_modified_since);
        let only = since.next().filter(|_| since.next().is_none() && if_none_match.is_none());
        Self { if_modified_since: only.and_then(|line| http_date::parse(line, now)), if_none_match }
    }

    /// Whether the answer is 304: the client has what would be sent. Parts of a second are not compared, for the
    /// client was told none.
    pub fn not_modified(&self, current: Option<EntityTag<'_>>, last_modified: Option<Timestamp>) -> bool {
        match (&self.if_none_match, self.if_modified_since, last_modified) {
            (Some(condition), _, _) => condition.matches(current),
            (None, Some(since), Some(modified)) => modified.as_second() <= since.as_second(),
            (None, _, _) => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn which_condition_counts() {
        let (current, modified) = (EntityTag::strong("1"), "1994-10-29T19:43:31.5Z".parse().ok());
        let check = |tags: &[&str], since: &[&str], expected: bool| {
            let tags = tags.iter().map(|line| line.as_bytes());
            let since = since.iter().map(|line| line.as_bytes());
            let conditions = Conditions::read(tags, since, Timestamp::UNIX_EPOCH);
            assert_eq!(conditions.not_modified(current, modified), expected, "{conditions:?}");
        };
        check(&[], &[], false);
        // RFC 9110, 13.1.3.
        let same = "Sat, 29 Oct 1994 19:43:31 GMT";
        check(&[], &[same], true);
        check(&[], &["Saturday, 29-Oct-94 19:43:31 GMT"], true);
        check(&[], &["Sat, 29 Oct 1994 19:43:30 GMT"], false);
        check(&[], &["Sun, 30 Oct 1994 19:43:31 GMT"], true);
        check(&[], &["1994-10-29T19:43:31Z"], false);
        check(&[], &[same, same], false);
        check(&[], &["0"], false);
        // RFC 9110, 13.2.2: a tag is asked before a date.
        check(&["\"1\""], &[], true);
        check(&["\"2\""], &[same], false);
        check(&["nonsense"], &[same], false);
        check(&["\"1\""], &["Sat, 29 Oct 1994 19:43:30 GMT"], true);
        let nothing_known = Conditions::read([], [same.as_bytes()], Timestamp::UNIX_EPOCH);
        assert!(!nothing_known.not_modified(None, None));
    }
}
