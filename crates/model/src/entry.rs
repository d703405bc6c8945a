//! An entry: one item of one feed, stable across edits; its body, its revisions, its keys.

use crate::{EntryId, FeedId, FetchId};
use jiff::Timestamp;

/// One entry, as lists show it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Primary key, in commit order.
    pub id: EntryId,
    /// The feed it belongs to.
    pub feed: FeedId,
    /// Its id for other programs: the publisher's id if it is stable, else a hash. Unique within its feed.
    pub uid: String,
    /// Title as plain text.
    pub title: Option<String>,
    /// At most 500 characters of plain text.
    pub excerpt: Option<String>,
    /// The page where a person reads it.
    pub link: Option<String>,
    /// First author's name.
    pub author: Option<String>,
    /// As given by the publisher.
    pub published_at: Option<Timestamp>,
    /// As given by the publisher.
    pub updated_at: Option<Timestamp>,
    /// When we saw it first.
    pub first_seen_at: Timestamp,
    /// The sort key of lists.
    pub sort_at: Timestamp,
    /// Hash of the cleaned content; a change means a revision.
    pub content_hash: Hash,
    /// Not announced and never unread (backfilled, or over the daily quota).
    pub quiet: bool,
    /// How often and until when it was seen.
    pub lineage: Lineage,
    /// What a list shows besides; nothing of it for entries of earlier versions.
    pub preview: Preview,
}

/// What a list shows of an entry besides its words.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Preview {
    /// A picture, at the publisher's.
    pub image: Option<String>,
    /// Language tag.
    pub language: Option<String>,
    /// A page with comments.
    pub comments_url: Option<String>,
    /// What is attached to it, if that can be played.
    pub enclosure_kind: Option<EnclosureKind>,
}

/// What can be played.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EnclosureKind {
    /// Sound.
    Audio,
    /// A film.
    Video,
}

impl EnclosureKind {
    /// In one word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Audio => "audio",
            Self::Video => "video",
        }
    }
}

/// How often and until when an entry was in its document. While the entry is there, both are derived, so that an
/// unchanged entry costs no write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lineage {
    /// In the document as of the last reading.
    Present {
        /// The number of the feed's reading that first showed it, plus the number of readings since then that did not
        /// show it: `readings - since_reading + 1` of them showed it.
        since_reading: i64,
    },
    /// No longer in the document.
    Left {
        /// When it was last there.
        last_seen_at: Timestamp,
        /// How many readings showed it.
        seen_count: i64,
    },
}

impl Lineage {
    /// How many of the feed's first `readings` readings showed it.
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
    /// The summary of the feed, sanitised.
    pub summary: Option<String>,
    /// The content of the feed, sanitised.
    pub content: Option<String>,
    /// Who wrote it.
    pub authors: Vec<Author>,
    /// Subjects.
    pub categories: Vec<String>,
    /// Attached files.
    pub enclosures: Vec<Attachment>,
    /// Language tag.
    pub language: Option<String>,
    /// Its position in a raw fetch.
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

/// A range in the UTF-8 form of a raw fetch's body. The fetch may be deleted: entries outlive their raw bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub struct RawRef {
    pub fetch: FetchId,
    pub offset: u64,
    pub length: u64,
}

/// An earlier version of an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Revision {
    /// Of which entry.
    pub entry: EntryId,
    /// Counted from 1; the oldest may be deleted.
    pub number: i64,
    /// When it was replaced.
    pub replaced_at: Timestamp,
    /// The title then.
    pub title: Option<String>,
    /// The link then.
    pub link: Option<String>,
    /// The hash then.
    pub content_hash: Hash,
    /// The body then.
    pub body: EntryBody,
}

/// 128 bits of SHA-256: enough for one feed, and half the index size.
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
    /// The normalised link again: entries with different ids have had it, so it identifies none of them.
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

/// The part of a stored entry that a decision needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownEntry {
    /// The entry.
    pub id: EntryId,
    /// Hash of its cleaned content.
    pub content_hash: Hash,
    /// Hash of its raw fields: if equal, nothing needs to be cleaned.
    pub raw_hash: Hash,
    /// Its link.
    pub link: Option<String>,
    /// Its title, cleaned.
    pub title: Option<String>,
    /// Its date, as the publisher last gave it.
    pub published_at: Option<Timestamp>,
    /// Whether the last reading showed it.
    pub lineage: Lineage,
}
