//! Users and how they arrange what they read: categories, subscriptions.
//!
//! Read state, bookmarks, tags and sessions will live here too.

use crate::{CategoryId, FeedId, SubscriptionId, UserId};
use jiff::Timestamp;

/// A user of this installation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct User {
    /// Primary key.
    pub id: UserId,
    /// Login name.
    pub name: String,
    /// What they may do.
    pub role: Role,
    /// When it was created.
    pub created_at: Timestamp,
}

/// What a user may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Role {
    /// Reads feeds.
    Reader,
    /// Approves or rejects submitted feeds.
    Moderator,
    /// Administers the installation. A single-user installation has one owner with this role.
    SuperAdmin,
}

/// A user's folder. Every user has a permanent `Default`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Category {
    /// Key; the owner's `Default` is 1.
    pub id: CategoryId,
    /// The owner.
    pub user: UserId,
    /// The parent folder.
    pub parent: Option<CategoryId>,
    /// Unique among its siblings.
    pub name: String,
    /// Order among its siblings.
    pub position: i64,
    /// When it was created.
    pub created_at: Timestamp,
}

/// A user's subscription to a feed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subscription {
    /// Primary key.
    pub id: SubscriptionId,
    /// The subscriber.
    pub user: UserId,
    /// The feed.
    pub feed: FeedId,
    /// The folder it is filed in.
    pub category: CategoryId,
    /// The user's own title, if different from the feed's.
    pub title: Option<String>,
    /// When it was created.
    pub created_at: Timestamp,
}
