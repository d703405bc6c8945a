//! Retention: which entries may be deleted, and why. Pure; `engine` deletes them, with tombstones, and emits
//! `entry.gone`. Raw fetches, the clock of the cleanup and the size of the database are in files of their own.
//!
//! Invariant: bookmarked entries are never deleted (value 1: no user data lost).
//! The order is that of A-101..104; entries beyond the maximum age, read or not (G-71), come first.

mod clock;
mod raw;
mod size;

pub use clock::{is_cleanup_due, next_cleanup, retention_clock};
pub use raw::{RawFate, RawKeeper};
pub use size::{SizeStep, Tightening, next_size_step};

use crate::rules::{From, Retention, Takes};
use jiff::{SignedDuration, Timestamp};
use model::EntryId;
use model::retention::{Kept, Why};
use std::collections::HashSet;

/// What may be deleted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Cleanup {
    /// Entries to delete, in order of the rules.
    pub forget: Vec<Forgotten>,
    /// Entries that stay, without their full text.
    pub clear_full_text: Vec<EntryId>,
}

/// An entry to delete.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Forgotten {
    /// The entry.
    pub id: EntryId,
    /// The rule.
    pub why: Why,
}

/// What may be deleted of one feed's entries, or of a window of them; `others` is the number of entries outside it.
pub fn cleanup(now: Timestamp, entries: &[Kept], others: u64, rules: &Retention) -> Cleanup {
    let mut forget = Forgetting::default();
    let since = |entry: &Kept| match rules.from {
        From::FirstSeen => entry.first_seen_at,
        // A publication date after the first sighting is a mistake; the entry would never age.
        From::Published => entry.published_at.map_or(entry.first_seen_at, |at| at.min(entry.first_seen_at)),
    };
    let older =
        |at: Timestamp, limit: Option<SignedDuration>| limit.is_some_and(|limit| now.duration_since(at) > limit);
    for entry in entries.iter().filter(|entry| older(since(entry), rules.any_for)) {
        forget.add(entry, Why::Old);
    }
    for entry in entries.iter().filter(|entry| entry.read_at.is_some_and(|at| older(at, rules.read_for))) {
        forget.add(entry, Why::ReadLongAgo);
    }
    if let Some(limit) = rules.per_feed {
        let mut oldest: Vec<&Kept> = entries.iter().collect();
        oldest.sort_by_key(|entry| (entry.first_seen_at, entry.id.0));
        for entry in oldest.into_iter().filter(|entry| rules.per_feed_takes == Takes::Any || entry.read_at.is_some()) {
            // Bookmarked entries count, but are skipped.
            if others + (entries.len() - forget.list.len()) as u64 > u64::from(limit) {
                forget.add(entry, Why::BeyondLimit);
            }
        }
    }
    for entry in entries.iter().filter(|entry| entry.read_at.is_none() && older(since(entry), rules.unread_for)) {
        forget.add(entry, Why::UnreadTooLong);
    }
    let cleared = |entry: &&Kept| {
        let read_long_ago = entry.read_at.is_some_and(|at| older(at, rules.full_text_for));
        entry.full_text && read_long_ago && !entry.bookmarked && !forget.gone.contains(&entry.id)
    };
    Cleanup { clear_full_text: entries.iter().filter(cleared).map(|entry| entry.id).collect(), forget: forget.list }
}

#[derive(Default)]
struct Forgetting {
    list: Vec<Forgotten>,
    gone: HashSet<EntryId>,
}

impl Forgetting {
    /// The only way to add an entry: a bookmark protects it.
    fn add(&mut self, entry: &Kept, why: Why) {
        if !entry.bookmarked && self.gone.insert(entry.id) {
            self.list.push(Forgotten { id: entry.id, why });
        }
    }
}

/// Until when a deleted entry must not come back as new.
///
/// An entry that its feed no longer shows hardly returns. One that is still in the document comes back with the next
/// reading, which for a rarely changing feed may be years away: nothing renews a tombstone in between.
pub fn tombstone_until(now: Timestamp, entry: &Kept) -> Timestamp {
    let days = if entry.in_document { 3650 } else { 180 };
    now.saturating_add(SignedDuration::from_hours(24 * days)).unwrap_or(Timestamp::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::{Preset, Rules};

    fn now() -> Timestamp {
        "2026-11-16T03:00:00Z".parse().unwrap()
    }

    fn days_ago(days: i64) -> Timestamp {
        now() - SignedDuration::from_hours(24 * days)
    }

    /// `12 read 400` is entry 12, read 400 days ago; `unread`, `kept` (read and bookmarked); seen when read.
    fn told(preset: Preset, entries: &[(i64, &str, i64)]) -> String {
        let kept = |(id, how, days): &(i64, &str, i64)| Kept {
            id: EntryId(*id),
            first_seen_at: days_ago(*days),
            published_at: Some(days_ago(*days + 5)),
            read_at: (*how != "unread").then(|| days_ago(*days)),
            bookmarked: *how == "kept",
            full_text: true,
            in_document: false,
        };
        let entries: Vec<Kept> = entries.iter().map(kept).collect();
        let cleanup = cleanup(now(), &entries, 0, &Rules::preset(preset).retention);
        let forgotten = cleanup.forget.iter().map(|gone| format!("{} {:?}", gone.id, gone.why));
        let cleared = cleanup.clear_full_text.iter().map(|id| format!("{id} cleared"));
        forgotten.chain(cleared).collect::<Vec<_>>().join(", ")
    }

    #[test]
    fn what_may_be_forgotten_and_why() {
        let check = |what: &str, preset, entries: &[(i64, &str, i64)], expected: &str| {
            assert_eq!(told(preset, entries), expected, "{what}");
        };
        let reader = Preset::Reader;
        check("A-101 read long ago", reader, &[(1, "read", 366), (2, "read", 20)], "1 ReadLongAgo");
        check("A-103 full text", reader, &[(1, "read", 31), (2, "read", 30)], "1 cleared");
        check("A-104 unread too long", reader, &[(1, "unread", 91), (2, "unread", 90)], "1 UnreadTooLong");
        check("C-24 bookmarked", reader, &[(1, "kept", 4000)], "");
        check("G-71 from publication", Preset::Governance, &[(1, "unread", 86), (2, "unread", 85)], "1 Old");
        check("G-72 bookmarked", Preset::Governance, &[(1, "kept", 4000)], "");
        check("R: nothing ever", Preset::Reedme, &[(1, "read", 4000), (2, "unread", 4000)], "");
        check("F: nothing ever", Preset::Fetcher, &[(1, "read", 4000), (2, "unread", 4000)], "");
        check("courant", Preset::Courant, &[(1, "read", 366), (2, "unread", 91)], "1 ReadLongAgo, 2 UnreadTooLong");
    }

    #[test]
    fn the_limit_takes_the_oldest_that_were_read() {
        let mut entries: Vec<(i64, &str, i64)> = (0..502).map(|n| (n, "read", 1)).collect();
        entries[0] = (0, "kept", 9);
        entries[1] = (1, "unread", 8);
        assert_eq!(told(Preset::Reader, &entries), "2 BeyondLimit, 3 BeyondLimit", "A-102");
        entries[0].1 = "read";
        assert_eq!(told(Preset::Deframer, &entries), "0 BeyondLimit, 1 BeyondLimit", "D: the last N");
    }

    /// A feed with millions of entries is processed window by window, oldest first. Unread entries deleted in earlier
    /// windows count when the limit is applied to later ones, so that these delete at most what the whole would.
    #[test]
    fn windows_take_what_the_whole_would() {
        let kept = |n: i64| Kept {
            id: EntryId(n),
            first_seen_at: days_ago(60 - n),
            published_at: None,
            read_at: (n % 3 != 0).then(|| days_ago(60 - n)),
            bookmarked: n % 7 == 0,
            full_text: false,
            in_document: false,
        };
        let entries: Vec<Kept> = (0..50).map(kept).collect();
        let limits = [(Takes::Any, 10), (Takes::Read, 10), (Takes::Read, 30), (Takes::Any, 0), (Takes::Any, 60)];
        for ((takes, limit), unread_days) in limits.into_iter().flat_map(|limit| [(limit, None), (limit, Some(55))]) {
            let rules = Retention {
                per_feed: Some(limit),
                per_feed_takes: takes,
                unread_for: unread_days.map(|days| SignedDuration::from_hours(24 * days)),
                ..Rules::preset(Preset::Reedme).retention
            };
            let gone = |cleanup: Cleanup| cleanup.forget.into_iter().map(|gone| gone.id.0).collect::<Vec<_>>();
            let mut whole = gone(cleanup(now(), &entries, 0, &rules));
            let (mut left, mut parts) = (entries.len() as u64, Vec::new());
            for window in entries.chunks(8) {
                let forgotten = gone(cleanup(now(), window, left - window.len() as u64, &rules));
                left -= forgotten.len() as u64;
                parts.extend(forgotten);
            }
            assert!(parts.iter().all(|id| whole.contains(id)), "{takes:?} {limit}: {parts:?} of {whole:?}");
            whole.sort_unstable();
            assert!(unread_days.is_some() || parts == whole, "{takes:?} {limit}: {parts:?} of {whole:?}");
        }
    }

    #[test]
    fn entries_still_shown_keep_their_tombstones() {
        let entry = |in_document| Kept {
            id: EntryId(1),
            first_seen_at: now(),
            published_at: None,
            read_at: None,
            bookmarked: false,
            full_text: false,
            in_document,
        };
        let days = |in_document| tombstone_until(now(), &entry(in_document)).duration_since(now()).as_hours() / 24;
        assert_eq!((days(false), days(true)), (180, 3650));
        assert_eq!(tombstone_until(Timestamp::MAX, &entry(true)), Timestamp::MAX);
    }
}
