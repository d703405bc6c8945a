//! A plan: what a refresh will write, decided before anything is written.
//!
//! `policy::plan_refresh` makes it from what was known and what was seen; `store::commit` writes it in one
//! transaction, fenced by the lease. Ids of new entries and events are given out inside that transaction.

use crate::EntryId;
use crate::entry::{Author, EntryBody, EntryKey, Hash, Preview, RawRef};
use crate::event::{EventKind, Payload};
use crate::feed::{FeedKind, FeedState, GuidTrust};
use crate::lease::History;
use crate::raw::{KeptHeaders, RawFetch};
use crate::schedule::Schedule;
use crate::visit::PastVisit;
use jiff::Timestamp;
use std::fmt;

/// Everything one refresh writes.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// The moment of the decision.
    pub at: Timestamp,
    /// The row for the ring of past visits.
    pub visit: PastVisit,
    /// When to visit again.
    pub schedule: Schedule,
    /// How the feed behaved up to and including this visit.
    pub history: History,
    /// The bytes that were kept, if any.
    pub raw: Option<RawFetch>,
    /// The header fields, if no bytes were kept and the fields differ from those stored.
    pub headers: Option<KeptHeaders>,
    /// What the feed now says about itself, if that changed.
    pub feed: Option<FeedFacts>,
    /// The new state, if it changed.
    pub state: Option<FeedState>,
    /// The new URL of the feed, if it moved permanently.
    pub moved: Option<String>,
    /// The rate group to pause, if a publisher asked for it.
    pub pause: Option<Pause>,
    /// Entries not seen before, in the order in which they get their ids: oldest first.
    pub new: Vec<NewEntry>,
    /// Entries whose content changed.
    pub changed: Vec<ChangedEntry>,
    /// Entries of which only the dates changed.
    pub redated: Vec<Redated>,
    /// Additional keys of known entries of which nothing else changed.
    pub aliases: Vec<Alias>,
    /// Entries that left the document, or came back to it.
    pub lineage: Vec<LineageChange>,
    /// Entries that were rejected, and why: for the log, bounded.
    pub refused: Vec<String>,
    /// Further events; new and changed entries announce themselves unless quiet.
    pub events: Vec<FeedEvent>,
    /// Whether its entries are to be enriched.
    pub enrich: Enrich,
}

/// Whether the entries of a feed are to be enriched.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Enrich {
    /// Some are: the job that does it is asked for.
    Wanted,
    /// Nothing that this refresh brings.
    #[default]
    No,
}

/// A rate group that is not visited for a while.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pause {
    /// The group.
    pub group: String,
    /// When the pause ends.
    pub until: Timestamp,
    /// The reason.
    pub why: PauseReason,
}

/// Why a rate group is paused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PauseReason {
    /// The server named a time.
    Asked,
    /// 429 without a time.
    TooOften,
    /// It refused several of our visits.
    Refused,
}

impl fmt::Display for Pause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let why = match self.why {
            PauseReason::Asked => "the server asked for it",
            PauseReason::TooOften => "it reported too many requests",
            PauseReason::Refused => "it refused several visits",
        };
        write!(f, "{} is paused until {:.0}, because {why}", self.group, self.until)
    }
}

/// What a feed says about itself.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FeedFacts {
    /// Dialect.
    pub kind: FeedKind,
    /// Title.
    pub title: Option<String>,
    /// Site.
    pub site_url: Option<String>,
    /// Description.
    pub description: Option<String>,
    /// Language tag.
    pub language: Option<String>,
    /// How far its guids can be trusted.
    pub guids: GuidTrust,
}

/// An entry to be written for the first time.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NewEntry {
    /// Its id for other programs.
    pub uid: String,
    /// All its keys.
    pub keys: Vec<EntryKey>,
    /// What it says.
    pub version: EntryVersion,
    /// When it was first seen.
    pub first_seen_at: Timestamp,
    /// The sort key of lists.
    pub sort_at: Timestamp,
    /// Stored, but neither announced nor unread.
    pub quiet: bool,
}

/// The content of an entry at one time.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EntryVersion {
    /// Title as plain text.
    pub title: Option<String>,
    /// At most 500 characters of plain text.
    pub excerpt: Option<String>,
    /// The page where a person reads it.
    pub link: Option<String>,
    /// As given.
    pub published_at: Option<Timestamp>,
    /// As given.
    pub updated_at: Option<Timestamp>,
    /// Hash of the cleaned content.
    pub content_hash: Hash,
    /// Hash of the raw fields.
    pub raw_hash: Hash,
    /// What a list shows besides.
    pub preview: Preview,
    /// The heavy part.
    pub body: EntryBody,
}

impl EntryVersion {
    /// The author's name that lists show.
    pub fn author(&self) -> Option<&str> {
        self.body.authors.iter().find_map(|Author { name, email, .. }| name.as_deref().or(email.as_deref()))
    }
}

/// An entry whose content changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedEntry {
    /// The entry.
    pub id: EntryId,
    /// What it says now.
    pub version: EntryVersion,
    /// Keys it did not have before.
    pub keys: Vec<EntryKey>,
    /// Whether to keep the old version and announce the change.
    pub keep: Keep,
}

/// What to do with the old version of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keep {
    /// Keep it as a revision, and announce the change. The last fifty revisions of an entry are kept.
    Revision,
    /// Drop it: only the markup changed, or the feed has used its quota of edits for today.
    Nothing,
}

/// An entry of which only the dates changed. Its words did not: nothing is cleaned, and no event is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Redated {
    /// The entry.
    pub id: EntryId,
    /// As given.
    pub published_at: Option<Timestamp>,
    /// As given.
    pub updated_at: Option<Timestamp>,
    /// Hash of the raw fields, dates included.
    pub raw_hash: Hash,
    /// Its position in the new document, which becomes the entry's source.
    pub raw: Option<RawRef>,
}

/// Another key of a known entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Alias {
    /// Which entry.
    pub id: EntryId,
    /// The key.
    pub key: EntryKey,
}

/// An entry that left the document, or came back to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LineageChange {
    /// The entry.
    pub id: EntryId,
    /// What its lineage is from now on.
    pub lineage: crate::entry::Lineage,
}

/// An event about the feed itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FeedEvent {
    /// What happened.
    pub kind: EventKind,
    /// What is said besides.
    pub payload: Payload,
}
