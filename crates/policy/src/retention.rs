//! Retention: which entries may be forgotten, and why. Pure; `engine` does the deleting, with tombstones, and tells
//! `entry.gone`.
//!
//! Invariant: bookmarked entries are never in the answer (value 1: no user data lost).
//! The order is that of A-101..104; what is too old whether read or not (G-71) comes first.

use crate::rules::{From, Retention, Takes};
use jiff::{SignedDuration, Timestamp};
use model::EntryId;
use std::collections::HashSet;

/// An entry as far as retention cares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Kept {
    /// Which.
    pub id: EntryId,
    /// When we saw it.
    pub first_seen_at: Timestamp,
    /// When it says it was published.
    pub published_at: Option<Timestamp>,
    /// When the last of its subscribers read it; `None` while somebody has not.
    pub read_at: Option<Timestamp>,
    /// Whether anybody keeps it.
    pub bookmarked: bool,
    /// Whether the full text of its article is stored.
    pub full_text: bool,
}

/// What may go.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Cleanup {
    /// Entries to forget, in the order of the rules.
    pub forget: Vec<Forgotten>,
    /// Entries that stay, without their full text.
    pub clear_full_text: Vec<EntryId>,
}

/// An entry to forget.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Forgotten {
    /// Which.
    pub id: EntryId,
    /// By which rule.
    pub why: Why,
}

/// The rule that forgets an entry; the cleanup log counts by it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Why {
    /// Older than anything is kept (G-71).
    Old,
    /// Everybody read it long ago.
    ReadLongAgo,
    /// The feed has more than its limit.
    BeyondLimit,
    /// Nobody cared to read it.
    UnreadTooLong,
}

/// What may go of one feed's entries.
pub fn cleanup(now: Timestamp, entries: &[Kept], rules: &Retention) -> Cleanup {
    let mut forget = Forgetting::default();
    let since = |entry: &Kept| match rules.from {
        From::FirstSeen => entry.first_seen_at,
        // A date after its first sight is a mistake; the entry would not grow old.
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
            // Bookmarked entries count, and are passed over.
            if entries.len() - forget.list.len() > limit as usize {
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
    /// The only way into the answer: a bookmark keeps its entry.
    fn add(&mut self, entry: &Kept, why: Why) {
        if !entry.bookmarked && self.gone.insert(entry.id) {
            self.list.push(Forgotten { id: entry.id, why });
        }
    }
}

/// How far a database that is too large was already made smaller.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tightening {
    /// Whether it was compacted since the last cleanup.
    pub compacted: bool,
    /// `read_for` of the last cleanup, where that was less than the rules say.
    pub read_for: Option<SignedDuration>,
}

/// What to do next about the size of the database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SizeStep {
    /// Nothing: it fits.
    Fits,
    /// Compact it and measure again.
    Compact,
    /// Clean again with a shorter memory of what was read, for this run only.
    Tighten {
        /// What `read_for` is for now.
        read_for: SignedDuration,
    },
    /// It does not fit; go on, and tell the operator.
    GiveUp,
}

/// One step of the loop that makes a database fit; ask again with what it returns after each.
pub fn next_size_step(
    size_bytes: u64,
    limit_bytes: Option<u64>,
    rules: &Retention,
    so_far: Tightening,
) -> (SizeStep, Tightening) {
    const STEP: SignedDuration = SignedDuration::from_hours(24 * 30);
    const LEAST: SignedDuration = STEP;
    const YEAR: SignedDuration = SignedDuration::from_hours(24 * 365);
    if limit_bytes.is_none_or(|limit| size_bytes <= limit) {
        return (SizeStep::Fits, so_far);
    }
    if !so_far.compacted {
        return (SizeStep::Compact, Tightening { compacted: true, ..so_far });
    }
    // Where nothing read is ever forgotten the loop begins at a year.
    let last = so_far.read_for.or(rules.read_for).unwrap_or(YEAR + STEP);
    if last <= LEAST {
        return (SizeStep::GiveUp, so_far);
    }
    let read_for = last.saturating_sub(STEP).max(LEAST);
    (SizeStep::Tighten { read_for }, Tightening { compacted: false, read_for: Some(read_for) })
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
        };
        let entries: Vec<Kept> = entries.iter().map(kept).collect();
        let cleanup = cleanup(now(), &entries, &Rules::preset(preset).retention);
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

    #[test]
    fn a_database_that_is_too_large_is_made_smaller_step_by_step() {
        let rules = Rules::preset(Preset::Reader).retention;
        let mut so_far = Tightening::default();
        let mut steps = Vec::new();
        for _ in 0..100 {
            let (step, next) = next_size_step(2, Some(1), &rules, so_far);
            if let SizeStep::Tighten { read_for } = step {
                steps.push((read_for.as_hours() / 24).to_string());
            }
            so_far = next;
            if step == SizeStep::GiveUp {
                break;
            }
        }
        let expected = "335 305 275 245 215 185 155 125 95 65 35 30";
        assert_eq!(steps.join(" "), expected, "A-109");
        assert_eq!(next_size_step(2, Some(1), &rules, Tightening::default()).0, SizeStep::Compact, "A-108");
        assert_eq!(next_size_step(2, Some(1), &rules, so_far).0, SizeStep::GiveUp, "A-110");
        assert_eq!(next_size_step(1, Some(1), &rules, so_far).0, SizeStep::Fits);
        assert_eq!(next_size_step(u64::MAX, None, &rules, so_far).0, SizeStep::Fits, "no limit");
        let for_ever = Rules::preset(Preset::Reedme).retention;
        let compacted = Tightening { compacted: true, read_for: None };
        let year = SignedDuration::from_hours(24 * 365);
        assert_eq!(next_size_step(2, Some(1), &for_ever, compacted).0, SizeStep::Tighten { read_for: year });
    }
}
