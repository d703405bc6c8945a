//! A plan: what a refresh will write, decided before anything is written.
//!
//! `policy::plan_refresh` makes it from what was known and what was seen; `store::commit` writes it in one
//! transaction, fenced by the lease. Ids of new entries and events are given out inside that transaction.

use crate::EntryId;
use crate::entry::{Author, EntryBody, EntryKey, Hash, RawRef};
use crate::event::EventKind;
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
    /// What the ring remembers.
    pub visit: PastVisit,
    /// When to come again.
    pub schedule: Schedule,
    /// How the feed behaved up to and including this visit.
    pub history: History,
    /// The bytes that were kept, if any.
    pub raw: Option<RawFetch>,
    /// The header fields, where no bytes were kept and the fields are not those that are stored already.
    pub headers: Option<KeptHeaders>,
    /// What the feed now says about itself, if that changed.
    pub feed: Option<FeedFacts>,
    /// Another state, if it changed.
    pub state: Option<FeedState>,
    /// The address the feed is visited at from now on, if it moved for good.
    pub moved: Option<String>,
    /// The publisher that wants to be left alone, if one said so.
    pub pause: Option<Pause>,
    /// Entries not seen before, in the order in which they get their ids: oldest first.
    pub new: Vec<NewEntry>,
    /// Entries that say something else than before.
    pub changed: Vec<ChangedEntry>,
    /// Entries that say what they said, with other dates.
    pub redated: Vec<Redated>,
    /// Keys by which known entries are recognised as well from now on, though nothing else of them changes.
    pub aliases: Vec<Alias>,
    /// Entries that left the document, or came back to it.
    pub lineage: Vec<LineageChange>,
    /// Entries that were not taken, and why: for the log, bounded.
    pub refused: Vec<String>,
    /// What else to tell; new and changed entries announce themselves unless quiet.
    pub events: Vec<FeedEvent>,
}

/// A rate group that nobody visits for a while.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pause {
    /// Which.
    pub group: String,
    /// Until when.
    pub until: Timestamp,
    /// Why.
    pub why: PauseReason,
}

/// Why a rate group is left alone.
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
            PauseReason::TooOften => "we came too often",
            PauseReason::Refused => "it refused us several times",
        };
        write!(f, "{} is left alone until {:.0}, because {why}", self.group, self.until)
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
    /// Its name for other programs.
    pub uid: String,
    /// All its keys.
    pub keys: Vec<EntryKey>,
    /// What it says.
    pub version: EntryVersion,
    /// When it was first seen.
    pub first_seen_at: Timestamp,
    /// What lists are ordered by.
    pub sort_at: Timestamp,
    /// Stored, but neither announced nor unread.
    pub quiet: bool,
}

/// What an entry says at one time.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EntryVersion {
    /// Title as plain text.
    pub title: Option<String>,
    /// At most 500 characters of plain text.
    pub excerpt: Option<String>,
    /// Where a person reads it.
    pub link: Option<String>,
    /// As given.
    pub published_at: Option<Timestamp>,
    /// As given.
    pub updated_at: Option<Timestamp>,
    /// Over the cleaned content.
    pub content_hash: Hash,
    /// Over the raw fields.
    pub raw_hash: Hash,
    /// The heavy part.
    pub body: EntryBody,
}

impl EntryVersion {
    /// The name lists show as the author.
    pub fn author(&self) -> Option<&str> {
        self.body.authors.iter().find_map(|Author { name, email, .. }| name.as_deref().or(email.as_deref()))
    }
}

/// An entry that says something else than before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedEntry {
    /// Which.
    pub id: EntryId,
    /// What it says now.
    pub version: EntryVersion,
    /// Keys it did not have before.
    pub keys: Vec<EntryKey>,
    /// Whether what it said before is worth keeping, and the change worth telling.
    pub keep: Keep,
}

/// What to do with what an entry said before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keep {
    /// As a revision, and announce the change. Of one entry the last fifty are kept.
    Revision,
    /// Not at all: only the wrapping changed, or the feed has had its edits for today.
    Nothing,
}

/// An entry whose dates alone changed. No word of it did: nothing is cleaned, and nobody is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Redated {
    /// Which.
    pub id: EntryId,
    /// As given.
    pub published_at: Option<Timestamp>,
    /// As given.
    pub updated_at: Option<Timestamp>,
    /// Over the raw fields, dates included.
    pub raw_hash: Hash,
    /// Where it says so: from now on that is where the entry comes from.
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
    /// Which.
    pub id: EntryId,
    /// What its lineage is from now on.
    pub lineage: crate::entry::Lineage,
}

/// Something to tell about the feed itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FeedEvent {
    /// What.
    pub kind: EventKind,
    /// What else there is to say.
    pub detail: Option<String>,
}
