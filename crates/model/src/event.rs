//! Events: what happened, for consumers. Written to the outbox in the commit that made them true.
//!
//! The wire format belongs to `bus`; here an event is a set of columns.

use crate::{EntryId, EventId, FeedId};
use jiff::Timestamp;

/// One event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// In commit order.
    pub id: EventId,
    /// When it happened.
    pub at: Timestamp,
    /// What happened.
    pub kind: EventKind,
    /// The feed it is about.
    pub feed: FeedId,
    /// The entry it is about, if any.
    pub entry: Option<EntryId>,
    /// Details: the new URL, the new state.
    pub detail: Option<String>,
}

/// The kinds of events.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum EventKind {
    /// A feed was added.
    FeedAdded,
    /// An entry was seen for the first time.
    EntryNew,
    /// An entry changed.
    EntryChanged,
    /// An entry was purged.
    EntryGone,
    /// A feed failed, recovered or was disabled.
    FeedHealth,
    /// A feed has a new URL.
    FeedMoved,
    /// A feed was deleted with all its entries. No event is written for each entry. If the feed is added again, its
    /// entries come back with it.
    FeedDeleted,
}

impl EventKind {
    /// The name that is stored and sent.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::FeedAdded => "feed.added",
            Self::EntryNew => "entry.new",
            Self::EntryChanged => "entry.changed",
            Self::EntryGone => "entry.gone",
            Self::FeedHealth => "feed.health",
            Self::FeedMoved => "feed.moved",
            Self::FeedDeleted => "feed.deleted",
        }
    }
}
