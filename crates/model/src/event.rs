//! Events: what happened, for whoever cares. Written to the outbox in the commit that made them true.
//!
//! The wire format is `bus`'s; here an event is columns.

use crate::{EntryId, EventId, FeedId};
use jiff::Timestamp;

/// One thing that happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// In commit order.
    pub id: EventId,
    /// When.
    pub at: Timestamp,
    /// What.
    pub kind: EventKind,
    /// To which feed.
    pub feed: FeedId,
    /// To which entry, if it is about one.
    pub entry: Option<EntryId>,
    /// What else there is to say: the new URL, the new state.
    pub detail: Option<String>,
}

/// What can happen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum EventKind {
    /// A feed is visited from now on.
    FeedAdded,
    /// An entry was seen for the first time.
    EntryNew,
    /// An entry says something else than before.
    EntryChanged,
    /// An entry was purged.
    EntryGone,
    /// A feed failed, recovered or was disabled.
    FeedHealth,
    /// A feed lives elsewhere now.
    FeedMoved,
    /// A feed was deleted, and all its entries with it: each of them is gone, which is not said one by one. If it is
    /// added again it comes back with them.
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
