//! Users and how they arrange what they read: categories, subscriptions.
//!
//! What they have read and kept is `reading_state.rs` and `library.rs`; how they log in is `account.rs`.

use crate::full_text::FullText;
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
    /// Reads, and manages their own data.
    User,
    /// Also approves or rejects submitted feeds.
    Moderator,
    /// Also changes settings of feeds, users and the AI budget.
    Admin,
    /// Also changes system sources and admins. A single-user installation has one owner with this role.
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
    /// Whether its entries are shown among all.
    pub in_all: bool,
    /// How its entries are sorted, if differently from the rest.
    pub sort: Option<SortOrder>,
    /// When the full text of its articles is fetched, if the user has chosen.
    pub full_text: Option<FullText>,
}

/// In which order entries are listed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum SortOrder {
    /// The newest first.
    #[default]
    Newest,
    /// The oldest first.
    Oldest,
}
