//! Retention: what decides whether something is kept, and what a cleanup did. Plain data; the rules are `policy`'s.

use crate::blob::BlobHash;
use crate::{EntryId, FetchId};
use jiff::{SignedDuration, Timestamp};

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
    /// Whether the feed's last document still shows it.
    pub in_document: bool,
}

/// A raw fetch as far as retention cares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeptRaw {
    /// Which.
    pub id: FetchId,
    /// When it was fetched.
    pub fetched_at: Timestamp,
    /// Which body it brought.
    pub body: BlobHash,
    /// How many bytes that takes.
    pub stored_bytes: u64,
    /// Whether it could be read as a feed.
    pub understood: bool,
}

/// A range of entries whose bodies lie together, apart from all others, and can go together (PostgreSQL).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BodyRange {
    /// The first entry.
    pub from: EntryId,
    /// The first entry that is not in it.
    pub to: EntryId,
    /// Whether it holds what stayed when whole ranges went.
    pub gathered: bool,
    /// What it takes on the disk.
    pub bytes: u64,
    /// How many of its entries there are.
    pub entries: u64,
    /// How many bodies it holds; more than entries where entries went and their bodies are still to go.
    pub bodies: u64,
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

/// An entry that goes, and until when its keys keep it from coming back as new.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Burial {
    /// Which.
    pub id: EntryId,
    /// By which rule.
    pub why: Why,
    /// Its keys stay as tombstones until then.
    pub tombstone_until: Timestamp,
}

/// How much a cleanup took.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counters {
    /// Entries older than anything is kept.
    pub old: u64,
    /// Entries everybody read long ago.
    pub read_long_ago: u64,
    /// Entries beyond a feed's limit.
    pub beyond_limit: u64,
    /// Entries nobody cared to read.
    pub unread_too_long: u64,
    /// Entries that lost their full text.
    pub full_text_cleared: u64,
    /// Raw fetches.
    pub raw_fetches: u64,
    /// Bytes of bodies that only those had, as far as one feed knows.
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

    /// All entries that went.
    pub fn entries(&self) -> u64 {
        self.old + self.read_long_ago + self.beyond_limit + self.unread_too_long
    }

    /// Whether nothing went.
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

/// A line of the cleanup log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CleanupRun {
    /// When.
    pub at: Timestamp,
    /// What went.
    pub counters: Counters,
    /// Ranges of bodies that went.
    pub ranges: u64,
    /// Lines of the log that went.
    pub log_rows: u64,
    /// The database before.
    pub bytes_before: u64,
    /// And after.
    pub bytes_after: u64,
    /// For how long entries stayed after everybody had read them, where the database's size made that less than the rules say.
    pub read_for: Option<SignedDuration>,
    /// How long it took.
    pub took: SignedDuration,
    /// What an operator should know of it, in words.
    pub notes: Option<String>,
}
