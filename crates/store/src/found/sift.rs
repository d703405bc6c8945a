//! Which hits a user finds: pure decisions about what was read before.
//!
//! What is unread is said in SQL for lists (`posts::is_unread!`) and here for hits of the index, of which there are too many
//! to look each one up. Tests compare the two.

use super::Conditions;
use super::scope::Scope;
use crate::search::Hit;
use std::collections::{HashMap, HashSet};

/// What a user's mark on an entry says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Marked {
    pub(super) read: bool,
    pub(super) muted: bool,
}

/// The mark decides; without one, the watermark, if the entry is not quiet.
pub(super) fn is_unread(hit: &Hit, watermark: i64, mark: Option<Marked>) -> bool {
    mark.map_or(hit.entry > watermark && !hit.quiet, |mark| !mark.read)
}

/// Those that are not muted, and read or unread as the conditions want. `marks`: the user's, on those that need one.
pub(super) fn sifted(
    mut hits: Vec<Hit>,
    scope: &Scope,
    conditions: &Conditions,
    marks: &HashMap<i64, Marked>,
) -> Vec<Hit> {
    hits.retain(|hit| {
        let mark = marks.get(&hit.entry).copied();
        let as_wanted = conditions.unread.is_none_or(|unread| scope.is_unread(hit, mark) == unread);
        as_wanted && !mark.is_some_and(|mark| mark.muted)
    });
    hits
}

/// Keeps those that are among some entries, or those that are not.
pub(super) fn keep(hits: &mut Vec<Hit>, among: &HashSet<i64>, wanted: bool) {
    hits.retain(|hit| among.contains(&hit.entry) == wanted);
}

#[cfg(test)]
mod tests {
    use super::super::scope::Figures;
    use super::*;
    use jiff::Timestamp;

    const READ: Marked = Marked { read: true, muted: false };
    const UNREAD: Marked = Marked { read: false, muted: false };
    const MUTED: Marked = Marked { read: true, muted: true };

    fn hit(entry: i64, feed: i64) -> Hit {
        Hit { entry, feed, sort_at: entry * 10, quiet: false }
    }

    #[test]
    fn the_mark_decides_then_the_watermark() {
        let quiet = Hit { quiet: true, ..hit(9, 1) };
        let check = |hit: &Hit, mark, unread: bool| assert_eq!(is_unread(hit, 5, mark), unread, "{hit:?} {mark:?}");
        check(&hit(5, 1), None, false);
        check(&hit(6, 1), None, true);
        check(&quiet, None, false);
        check(&hit(6, 1), Some(READ), false);
        check(&hit(5, 1), Some(UNREAD), true);
        check(&quiet, Some(UNREAD), true);
    }

    #[test]
    fn feeds_dates_and_marks_decide_what_is_found() {
        let feeds = [(1, Figures { watermark: 5, unread: 3, entries: 9, muted: 1 }), (2, Figures::default())];
        let scope = Scope(feeds.into_iter().collect());
        let marks = [(3, UNREAD), (6, READ), (7, MUTED)].into_iter().collect();
        let hits = || vec![hit(3, 1), hit(4, 1), hit(6, 1), hit(7, 1), hit(8, 1), hit(9, 2), hit(10, 3)];
        let check = |conditions: Conditions, expected: &[i64]| {
            let mut hits = hits();
            hits.retain(|hit| scope.may_find(hit, &conditions));
            let found: Vec<i64> = sifted(hits, &scope, &conditions, &marks).iter().map(|hit| hit.entry).collect();
            assert_eq!(found, expected, "{conditions:?}");
        };
        let at = |micros| Some(Timestamp::from_microsecond(micros).unwrap());
        check(Conditions::default(), &[3, 4, 6, 8, 9]);
        check(Conditions { unread: Some(true), ..Conditions::default() }, &[3, 8]);
        check(Conditions { unread: Some(false), ..Conditions::default() }, &[4, 6]);
        check(Conditions { since: at(40), before: at(80), ..Conditions::default() }, &[4, 6]);
    }

    /// Marks are looked up only where they can matter: most searches ask for none.
    #[test]
    fn few_marks_are_looked_up() {
        let feeds = [(1, Figures { muted: 1, ..Figures::default() }), (2, Figures::default())];
        let scope = Scope(feeds.into_iter().collect());
        let unread = Conditions { unread: Some(true), ..Conditions::default() };
        assert!(!scope.needs_mark(&hit(1, 2), &Conditions::default()));
        assert!(scope.needs_mark(&hit(1, 1), &Conditions::default()), "the feed has muted entries");
        assert!(scope.needs_mark(&hit(1, 2), &unread));
        assert!(!scope.may_find(&hit(1, 2), &unread), "the counter says that there is nothing unread");
    }
}
