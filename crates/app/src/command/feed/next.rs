//! When a feed is visited next, in the local time zone: for `feed show`, `feed list` and `feed explain`. The words are
//! `engine`'s, which the operator's room shows, too.

use engine::NextVisit;
use jiff::Timestamp;
use store::FeedStatus;

use super::super::table;

/// The next visit of a feed, as of now.
pub(in super::super) fn next_visit(status: &FeedStatus, now: Timestamp) -> NextVisit {
    engine::next_visit(status, now, &table::zone())
}

/// For a column of a table.
pub(super) fn cell(next: &NextVisit) -> String {
    match next.at {
        _ if next.being_visited => "being visited".to_owned(),
        None => "never".to_owned(),
        Some(at) => table::in_table(at),
    }
}
