//! What users keep: bookmarks, tags, saved searches, and imports of lists.

use crate::{BookmarkId, CategoryId, EntryId, FeedId, ImportId, SavedSearchId, TagId, UserId};
use jiff::Timestamp;

/// A page that a user saved: a snapshot, which outlives its entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bookmark {
    /// Primary key.
    pub id: BookmarkId,
    /// The entry, while it is there.
    pub entry: Option<EntryId>,
    /// Its feed, while it is there.
    pub feed: Option<FeedId>,
    /// The page; unique per user.
    pub link: Option<String>,
    /// Title.
    pub title: String,
    /// Cleaned HTML.
    pub content: String,
    /// Author.
    pub author: Option<String>,
    /// What the feed was called for this user.
    pub feed_name: String,
    /// As given.
    pub published_at: Option<Timestamp>,
    /// A remark of the user.
    pub note: Option<String>,
    /// When it was saved.
    pub created_at: Timestamp,
    /// Names of the user's tags.
    pub tags: Vec<String>,
}

/// A bookmark that is to be made.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NewBookmark {
    /// The entry it comes from.
    pub entry: Option<EntryId>,
    /// Its feed.
    pub feed: Option<FeedId>,
    /// The page.
    pub link: Option<String>,
    /// Title.
    pub title: String,
    /// Cleaned HTML.
    pub content: String,
    /// Author.
    pub author: Option<String>,
    /// What the feed is called.
    pub feed_name: String,
    /// As given.
    pub published_at: Option<Timestamp>,
    /// A remark of the user.
    pub note: Option<String>,
}

/// A user's label on entries and bookmarks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tag {
    /// Primary key.
    pub id: TagId,
    /// Unique per user, whatever the case of its letters.
    pub name: String,
    /// How many entries and bookmarks have it.
    pub uses: u64,
}

/// A search that a user keeps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SavedSearch {
    /// Primary key.
    pub id: SavedSearchId,
    /// Unique per user.
    pub name: String,
    /// As typed.
    pub query: String,
    /// Order in lists.
    pub position: i64,
    /// When it was saved.
    pub created_at: Timestamp,
}

/// An import of a list of feeds: how far it has come, and what it brought.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportRun {
    /// Primary key.
    pub id: ImportId,
    /// Whose.
    pub user: UserId,
    /// Feeds of the list.
    pub total: u64,
    /// Feeds that are done.
    pub done: u64,
    /// Feeds that the user did not have before.
    pub imported: u64,
    /// Feeds that the user had.
    pub skipped: u64,
    /// What could not be imported, and why.
    pub errors: Vec<String>,
    /// Feeds that the user is subscribed to because of it.
    pub feeds: Vec<FeedId>,
    /// Categories that it made.
    pub categories: Vec<CategoryId>,
    /// When it was asked for.
    pub created_at: Timestamp,
    /// When it ended.
    pub finished_at: Option<Timestamp>,
    /// When it was undone.
    pub undone_at: Option<Timestamp>,
}

/// What became of one line of an import.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportLine {
    /// What the list calls it.
    pub title: Option<String>,
    /// Where it is, without a password; empty if it has no address.
    pub url: String,
    /// What became of it.
    pub result: LineResult,
    /// Why it was not imported.
    pub reason: Option<String>,
    /// The feed.
    pub feed: Option<FeedId>,
}

/// What became of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineResult {
    /// The user has it because of the import.
    Imported,
    /// The user had it.
    Skipped,
    /// It is no feed that could be visited.
    Failed,
}

impl LineResult {
    /// In one word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Imported => "imported",
            Self::Skipped => "skipped",
            Self::Failed => "failed",
        }
    }
}
