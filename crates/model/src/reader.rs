//! Who reads, and how they arrange what they read: users, categories, subscriptions.
//!
//! Read state, bookmarks, tags and sessions belong here too; they come with the reader.

use crate::{CategoryId, FeedId, SubscriptionId, UserId};
use jiff::Timestamp;

/// A person who reads here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct User {
    /// Key.
    pub id: UserId,
    /// Login name.
    pub name: String,
    /// What they may do.
    pub role: Role,
    /// Since when.
    pub created_at: Timestamp,
}

/// What a user may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Role {
    /// Reads.
    Reader,
    /// May approve what others submit.
    Moderator,
    /// Runs the place. A single-user install is one owner with this role.
    SuperAdmin,
}

/// A user's folder. Every user has a permanent `Default`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Category {
    /// Key; the owner's `Default` is 1.
    pub id: CategoryId,
    /// Whose it is.
    pub user: UserId,
    /// The folder it lies in.
    pub parent: Option<CategoryId>,
    /// Unique among its siblings.
    pub name: String,
    /// Order among its siblings.
    pub position: i64,
    /// Since when.
    pub created_at: Timestamp,
}

/// A user's tie to a feed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subscription {
    /// Key.
    pub id: SubscriptionId,
    /// Who.
    pub user: UserId,
    /// What.
    pub feed: FeedId,
    /// Where they filed it.
    pub category: CategoryId,
    /// What they call it, if not what it calls itself.
    pub title: Option<String>,
    /// Since when.
    pub created_at: Timestamp,
}
