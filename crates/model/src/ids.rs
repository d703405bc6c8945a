//! Newtype ids that cannot be confused. Their docs are the glossary.
//!
//! The store assigns numbers: entries and events in commit order (the arrival row), everything else by the database. A
//! feed also has a UUID, by which programs can name it across installations.

use serde::{Deserialize, Serialize};
use std::fmt;
use uuid::Uuid;

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub struct $name(pub i64);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    )*};
}

ids! {
    /// One upstream URL we visit, shared by all its subscribers.
    FeedId;
    /// One entry of one feed, stable across edits. Ids follow commit order, so that a cursor may page by id.
    EntryId;
    /// One event that other programs may want to know about, in commit order.
    EventId;
    /// A user of this installation.
    UserId;
    /// A user's folder of subscriptions.
    CategoryId;
    /// A user's subscription to a feed.
    SubscriptionId;
    /// A job of a background service. Never reused, so that an old lease cannot mean another job.
    JobId;
    /// A session of a browser.
    SessionId;
    /// A key of a program.
    KeyId;
    /// A page that a user saved.
    BookmarkId;
    /// A user's label on entries and bookmarks.
    TagId;
    /// A search that a user keeps.
    SavedSearchId;
    /// A rule of a user about entries that arrive.
    FilterId;
    /// An import of a list of feeds.
    ImportId;
    /// One "mark all as read", which can be undone.
    SweepId;
}

/// One raw fetch: stored bytes and headers. A time-ordered UUID made before the commit, so that entries of the same
/// plan can point at it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FetchId(pub Uuid);

impl fmt::Display for FetchId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// One start of one process that holds leases. Never reused: a restarted worker is another worker.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WorkerId(pub String);

impl fmt::Display for WorkerId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
