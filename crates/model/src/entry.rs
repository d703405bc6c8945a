//! An entry: one item of one feed, stable across edits; its body, its revisions, its keys.

use crate::{EntryId, FeedId, FetchId};
use jiff::Timestamp;

/// One entry, as lists show it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Key, in commit order.
    pub id: EntryId,
    /// Whose.
    pub feed: FeedId,
    /// The name other programs know it by: the publisher's id if it is stable, else a hash. Unique within its feed.
    pub uid: String,
    /// Title as plain text.
    pub title: Option<String>,
    /// At most 500 characters of plain text.
    pub excerpt: Option<String>,
    /// Where a person reads it.
    pub link: Option<String>,
    /// First author's name.
    pub author: Option<String>,
    /// As given by the publisher.
    pub published_at: Option<Timestamp>,
    /// As given by the publisher.
    pub updated_at: Option<Timestamp>,
    /// When we saw it first.
    pub first_seen_at: Timestamp,
    /// What lists are ordered by.
    pub sort_at: Timestamp,
    /// What the publisher's words come to; a change means a revision.
    pub content_hash: Hash,
    /// Not announced, never unread (backfilled, or beyond the day's quota).
    pub quiet: bool,
    /// How often and until when it was seen.
    pub lineage: Lineage,
}

/// How often and until when an entry was in its document. While it is there both are derived, so that an unchanged
/// entry costs no write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lineage {
    /// In the document as of the last reading.
    Present {
        /// The number of the feed's reading that showed it first. Readings that did not show it since are taken off:
        /// this many, counted back from the last reading and with it, did.
        since_reading: i64,
    },
    /// No longer there.
    Left {
        /// The last time it was there.
        last_seen_at: Timestamp,
        /// How many readings showed it.
        seen_count: i64,
    },
}

impl Lineage {
    /// How many of the feed's readings showed it, if there were so many.
    pub fn seen_count(self, readings: i64) -> i64 {
        match self {
            Self::Present { since_reading } => (readings - since_reading + 1).max(1),
            Self::Left { seen_count, .. } => seen_count,
        }
    }
}

/// The heavy part of an entry.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EntryBody {
    /// What the feed has as a summary, sanitised.
    pub summary: Option<String>,
    /// What the feed has as content, sanitised.
    pub content: Option<String>,
    /// Who wrote it.
    pub authors: Vec<Author>,
    /// Subjects.
    pub categories: Vec<String>,
    /// Attached files.
    pub enclosures: Vec<Attachment>,
    /// Language tag.
    pub language: Option<String>,
    /// Where it stands in which raw fetch.
    pub raw: Option<RawRef>,
}

/// Who wrote an entry.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Author {
    pub name: Option<String>,
    pub email: Option<String>,
    pub uri: Option<String>,
}

/// A file attached to an entry.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Attachment {
    pub url: String,
    pub media_type: Option<String>,
    pub length: Option<u64>,
}

/// A place in the UTF-8 form of a raw fetch's body. The fetch may be gone: entries outlive their raw bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub struct RawRef {
    pub fetch: FetchId,
    pub offset: u64,
    pub length: u64,
}

/// What an entry said before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Revision {
    /// Of which entry.
    pub entry: EntryId,
    /// Counted from 1; the oldest may be gone.
    pub number: i64,
    /// When it was replaced.
    pub replaced_at: Timestamp,
    /// As it was.
    pub title: Option<String>,
    /// As it was.
    pub link: Option<String>,
    /// As it was.
    pub content_hash: Hash,
    /// As it was.
    pub body: EntryBody,
}

/// 128 bits of SHA-256: enough for one feed, half the index.
pub type Hash = [u8; 16];

/// One way to recognise an entry; an entry is stored with all of its keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EntryKey {
    /// What was hashed.
    pub kind: KeyKind,
    /// The hash.
    pub hash: Hash,
}

/// What an entry key is the hash of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum KeyKind {
    /// The publisher's id.
    Guid,
    /// The normalised link.
    Url,
    /// The normalised content.
    Content,
    /// The normalised link, once more: entries with different ids have had it, so it identifies none of them.
    SharedUrl,
}

/// What the store knows under a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KnownKey {
    /// An entry.
    Entry(EntryId),
    /// An entry that was purged: it must not come back as new.
    Tombstone,
}

/// What the store knows of a document's entries: the answer to one query, the input of one decision.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Known {
    /// Per key that exists.
    pub keys: Vec<(EntryKey, KnownKey)>,
    /// Per entry among them, and per entry that the feed's last reading showed.
    pub entries: Vec<KnownEntry>,
}

/// As much of a stored entry as a decision needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownEntry {
    /// Which.
    pub id: EntryId,
    /// What it came to, cleaned.
    pub content_hash: Hash,
    /// What its raw fields came to: equal means that nothing needs to be cleaned.
    pub raw_hash: Hash,
    /// Its link.
    pub link: Option<String>,
    /// Its title, cleaned.
    pub title: Option<String>,
    /// Its date, as the publisher gave it last.
    pub published_at: Option<Timestamp>,
    /// Whether the last reading showed it.
    pub lineage: Lineage,
}
