//! Retention: what decides whether something is kept, and what a cleanup did. Plain data; the rules are in `policy`.

use crate::blob::BlobHash;
use crate::{EntryId, FetchId};
use jiff::{SignedDuration, Timestamp};

/// The facts about an entry that retention needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Kept {
    /// The entry.
    pub id: EntryId,
    /// When we saw it.
    pub first_seen_at: Timestamp,
    /// When it says it was published.
    pub published_at: Option<Timestamp>,
    /// When the last of its subscribers read it; `None` while one has not.
    pub read_at: Option<Timestamp>,
    /// Whether a user bookmarked it.
    pub bookmarked: bool,
    /// Whether the full text of its article is stored.
    pub full_text: bool,
    /// Whether the feed's last document still shows it.
    pub in_document: bool,
}

/// The facts about a raw fetch that retention needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeptRaw {
    /// The raw fetch.
    pub id: FetchId,
    /// When it was fetched.
    pub fetched_at: Timestamp,
    /// The body it brought.
    pub body: BlobHash,
    /// The size of that body.
    pub stored_bytes: u64,
    /// Whether it could be read as a feed.
    pub understood: bool,
}

/// A range of entries whose bodies are stored in one partition and can be dropped with it (PostgreSQL).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BodyRange {
    /// The first entry.
    pub from: EntryId,
    /// The first entry that is not in it.
    pub to: EntryId,
    /// Whether it holds the entries that were left over when whole ranges were dropped.
    pub gathered: bool,
    /// Its size on disk.
    pub bytes: u64,
    /// How many of its entries there are.
    pub entries: u64,
    /// How many bodies it holds; more than entries if entries were deleted and their bodies not yet.
    pub bodies: u64,
}

/// The rule by which an entry is deleted; the cleanup log counts by it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Why {
    /// Older than the maximum age (G-71).
    Old,
    /// All subscribers read it long ago.
    ReadLongAgo,
    /// The feed has more than its limit.
    BeyondLimit,
    /// Unread for too long.
    UnreadTooLong,
}

impl Why {
    /// The name that is stored, sent and shown.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Old => "old",
            Self::ReadLongAgo => "read_long_ago",
            Self::BeyondLimit => "beyond_limit",
            Self::UnreadTooLong => "unread_too_long",
        }
    }
}

/// An entry to delete, and until when its keys keep it from coming back as new.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Burial {
    /// The entry.
    pub id: EntryId,
    /// The rule.
    pub why: Why,
    /// Its keys stay as tombstones until then.
    pub tombstone_until: Timestamp,
}

/// How much a cleanup deleted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counters {
    /// Entries older than the maximum age.
    pub old: u64,
    /// Entries that all subscribers read long ago.
    pub read_long_ago: u64,
    /// Entries beyond a feed's limit.
    pub beyond_limit: u64,
    /// Entries unread for too long.
    pub unread_too_long: u64,
    /// Entries that lost their full text.
    pub full_text_cleared: u64,
    /// Raw fetches.
    pub raw_fetches: u64,
    /// Bytes of bodies that only those fetches had, as far as one feed knows.
    pub raw_bytes: u64,
}

impl Counters {
    /// Counts an entry.
    pub fn count(&mut self, why: Why) {
        match why {
            Why::Old => self.old += 1,
            Why::ReadLongAgo => self.read_long_ago += 1,
            Why::BeyondLimit => self.beyond_limit += 1,
            Why::UnreadTooLong => self.unread_too_long += 1,
        }
    }

    /// All deleted entries.
    pub fn entries(&self) -> u64 {
        self.old + self.read_long_ago + self.beyond_limit + self.unread_too_long
    }

    /// Whether nothing was deleted.
    pub fn is_zero(&self) -> bool {
        *self == Self::default()
    }
}

impl std::ops::AddAssign for Counters {
    fn add_assign(&mut self, other: Self) {
        self.old += other.old;
        self.read_long_ago += other.read_long_ago;
        self.beyond_limit += other.beyond_limit;
        self.unread_too_long += other.unread_too_long;
        self.full_text_cleared += other.full_text_cleared;
        self.raw_fetches += other.raw_fetches;
        self.raw_bytes += other.raw_bytes;
    }
}

/// A row of the cleanup log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CleanupRun {
    /// When it ran.
    pub at: Timestamp,
    /// What was deleted.
    pub counters: Counters,
    /// Ranges of bodies that were dropped.
    pub ranges: u64,
    /// Rows of the log that were deleted.
    pub log_rows: u64,
    /// The size of the database before.
    pub bytes_before: u64,
    /// The size of the database after.
    pub bytes_after: u64,
    /// For how long entries were kept after all subscribers had read them, if the database's size made that shorter
    /// than the rules say.
    pub read_for: Option<SignedDuration>,
    /// How long it took.
    pub took: SignedDuration,
    /// Notes for the operator.
    pub notes: Option<String>,
}
