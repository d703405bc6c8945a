//! Retention: which entries may be forgotten, and why. Pure; `engine` does the deleting, with tombstones, and tells
//! `entry.gone`.
//!
//! Invariant: bookmarked entries are never in the answer (value 1: no user data lost).
//! The order is that of A-101..104; what is too old whether read or not (G-71) comes first.

use crate::rules::{From, Retention, Takes};
use jiff::{SignedDuration, Timestamp};
use model::EntryId;
use model::blob::BlobHash;
use model::retention::{Kept, KeptRaw, Why};
use std::collections::HashSet;

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

/// What may go of one feed's entries, or of a window of them: `others` are those that stay outside of it.
pub fn cleanup(now: Timestamp, entries: &[Kept], others: u64, rules: &Retention) -> Cleanup {
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
    /// The only way into the answer: a bookmark keeps its entry.
    fn add(&mut self, entry: &Kept, why: Why) {
        if !entry.bookmarked && self.gone.insert(entry.id) {
            self.list.push(Forgotten { id: entry.id, why });
        }
    }
}

/// Until when an entry that is forgotten must not come back as new.
///
/// One that its feed no longer shows hardly returns. One that is still in the document comes back with the next
/// reading, which for a feed that seldom changes may be years off: nothing renews a tombstone in between.
pub fn tombstone_until(now: Timestamp, entry: &Kept) -> Timestamp {
    let days = if entry.in_document { 3650 } else { 180 };
    now.saturating_add(SignedDuration::from_hours(24 * days)).unwrap_or(Timestamp::MAX)
}

/// Which raw fetches of one feed stay: ask for each, newest first.
///
/// The last `samples` stay, and every body beyond them that is not kept already, while all bodies fit into the budget.
/// The newest that was a feed stays whatever came after it: a month of error pages must not push it out (F-149).
#[derive(Debug)]
pub struct RawKeeper {
    samples: Option<u32>,
    budget_bytes: u64,
    asked: u32,
    has_feed: bool,
    taken_bytes: u64,
    bodies: HashSet<BlobHash>,
}

/// What becomes of a raw fetch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RawFate {
    /// It stays.
    Stays,
    /// It goes; its body stays with a later fetch.
    Repeats,
    /// It goes, and its body with it.
    Goes,
}

/// A body counts as at least this much: a feed of tiny ones must not make us remember millions.
const LEAST_BODY: u64 = 1024;

impl RawKeeper {
    /// For one feed. Without `samples` everything stays.
    pub fn new(samples: Option<u32>, budget_bytes: u64) -> Self {
        Self { samples, budget_bytes, asked: 0, has_feed: false, taken_bytes: 0, bodies: HashSet::new() }
    }

    /// What becomes of the next one.
    pub fn fate(&mut self, raw: &KeptRaw) -> RawFate {
        let Some(samples) = self.samples else { return RawFate::Stays };
        self.asked = self.asked.saturating_add(1);
        let last_good = raw.understood && !self.has_feed;
        self.has_feed |= raw.understood;
        let sample = self.asked <= samples || (last_good && samples > 0);
        if self.bodies.contains(&raw.body) {
            return if sample { RawFate::Stays } else { RawFate::Repeats };
        }
        let bytes = raw.stored_bytes.max(LEAST_BODY);
        if !sample && self.taken_bytes.saturating_add(bytes) > self.budget_bytes {
            return RawFate::Goes;
        }
        self.taken_bytes = self.taken_bytes.saturating_add(bytes);
        self.bodies.insert(raw.body);
        RawFate::Stays
    }
}

/// Nothing was forgotten before this program existed: a clock that says so has not been set.
const BEFORE_US: Timestamp = Timestamp::constant(1_704_067_200, 0);
/// How far ages may advance from one cleanup to the next.
const STRIDE: SignedDuration = SignedDuration::from_hours(24 * 3);

/// The moment by which ages are measured, given the one of the last cleanup; `None` while the clock is not set.
///
/// A clock that leaps ahead would make everything old at once. So ages follow the clock by at most three days from one
/// daily cleanup to the next: a leap costs three days of memory until somebody notices, and whoever was away for two
/// months gets a month to read what came before. A clock that was set back is followed at once.
pub fn retention_clock(now: Timestamp, last: Option<Timestamp>) -> Option<Timestamp> {
    if now < BEFORE_US {
        return None;
    }
    let last = last.filter(|last| *last >= BEFORE_US);
    Some(last.map_or(now, |last| last.saturating_add(STRIDE).map_or(now, |most| now.min(most))))
}

/// Whether the daily cleanup is due: once after every `hour` o'clock (UTC).
pub fn is_cleanup_due(now: Timestamp, hour: u8, last: Option<Timestamp>) -> bool {
    const DAY: i64 = 24 * 3600;
    let offset = i64::from(hour) * 3600;
    let slot = |at: Timestamp| (at.as_second() - offset).div_euclid(DAY);
    // One that lies more than a day ahead was noted by a clock that has been set back since.
    last.is_none_or(|last| slot(last) < slot(now) || last.as_second() > now.as_second() + DAY)
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

    /// A feed of millions is decided about window by window, oldest first. What goes unread from earlier windows counts
    /// as gone when the limit looks at later ones, so that they take less than the whole would, never more.
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
    fn what_is_still_shown_stays_buried() {
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

    #[test]
    fn raw_fetches_are_kept_by_number_then_by_body() {
        let check = |what: &str, samples, budget_kib: u64, bodies: &str, expected: &str| {
            let mut keeper = RawKeeper::new(samples, budget_kib * 1024);
            let fate = |body: u8| {
                let raw = KeptRaw {
                    id: model::FetchId(uuid::Uuid::nil()),
                    fetched_at: now(),
                    body: BlobHash([body; 32]),
                    stored_bytes: if body.is_ascii_uppercase() { 10 * 1024 } else { 1 },
                    understood: body != b'<',
                };
                match keeper.fate(&raw) {
                    RawFate::Stays => 's',
                    RawFate::Repeats => 'r',
                    RawFate::Goes => 'g',
                }
            };
            assert_eq!(bodies.bytes().map(fate).collect::<String>(), expected, "{what}");
        };
        check("the last three", Some(3), 0, "abcdef", "sssggg");
        check("the last three, the same", Some(3), 0, "aaaaab", "sssrrg");
        check("and bodies within the budget", Some(2), 4, "abacdeb", "ssrssgr");
        check("a large one does not stop smaller ones", Some(1), 4, "aBcd", "sgss");
        check("samples count, and may exceed the budget", Some(2), 4, "ABcA", "ssgr");
        check("F-149 the last that was a feed", Some(3), 0, "<<<<ab", "sssrsg");
        check("F-149 only the last one", Some(3), 0, "a<<<<b", "sssrrg");
        check("for ever", None, 0, "aabc", "ssss");
        check("none", Some(0), 0, "ab", "gg");
    }

    #[test]
    fn ages_follow_the_clock_by_three_days_at_a_time() {
        let check = |what: &str, now: &str, last: Option<&str>, expected: &str| {
            let last = last.map(|last| last.parse().unwrap());
            let told = retention_clock(now.parse().unwrap(), last);
            assert_eq!(told.map_or_else(|| "not set".into(), |at| at.to_string()), expected, "{what}");
        };
        let (today, yesterday) = ("2026-11-16T03:00:00Z", Some("2026-11-15T03:00:00Z"));
        check("the first time", today, None, today);
        check("day by day", today, yesterday, today);
        check("a leap", "2036-11-16T03:00:00Z", yesterday, "2026-11-18T03:00:00Z");
        check("set back", today, Some("2036-11-15T03:00:00Z"), today);
        check("not set", "1970-01-01T00:10:00Z", yesterday, "not set");
        check("noted before it was set", today, Some("1970-01-01T00:10:00Z"), today);
    }

    #[test]
    fn a_cleanup_is_due_once_after_every_hour_of_cleaning() {
        let check = |now: &str, last: &str, expected| {
            let last = (!last.is_empty()).then(|| last.parse().unwrap());
            assert_eq!(is_cleanup_due(now.parse().unwrap(), 3, last), expected, "{now}, last {last:?}");
        };
        check("2026-11-16T02:59:59Z", "2026-11-15T03:00:00Z", false);
        check("2026-11-16T03:00:00Z", "2026-11-15T03:00:00Z", true);
        check("2026-11-16T03:00:20Z", "2026-11-16T03:00:00Z", false);
        check("2026-11-16T14:00:00Z", "2026-11-16T02:00:00Z", true); // asked for by hand at two
        check("2026-11-16T14:00:00Z", "", true);
        check("2026-11-16T14:00:00Z", "2026-11-17T10:00:00Z", false); // a clock that is a little behind
        check("2026-11-16T14:00:00Z", "2036-11-17T14:00:00Z", true); // one that was set back
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
