//! OPML: lists of feeds, read leniently and written in a form that every program understands.
//!
//! Reading repairs what it can and reports the rest row by row; nothing is fetched, `include`s are only listed.
//! Existing subscriptions are not known here: the importer compares `Subscription::key` with its own.

mod drafts;
mod names;
mod read;
mod write;

pub use self::names::feed_key;
pub use self::read::{Limits, Options, read};
pub use self::write::write;

/// A list of feeds, in folders.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Opml {
    /// The title of the list.
    pub title: Option<String>,
    /// Its rows, in order.
    pub rows: Vec<Row>,
}

/// One row: a folder or a feed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Row {
    /// A named list of rows.
    Folder(Folder),
    /// A feed.
    Feed(Subscription),
}

/// A folder.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Folder {
    /// Never empty; without slashes or control characters, at most 200 characters.
    pub name: String,
    /// Its rows.
    pub rows: Vec<Row>,
}

/// A feed as a list names it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Subscription {
    /// Its name in the list, or else its host.
    pub name: String,
    /// The feed itself; always http or https.
    pub url: String,
    /// Its web page; http or https.
    pub page: Option<String>,
    /// What it is about.
    pub description: Option<String>,
    /// From `category`, and from further folders that hold the same feed.
    pub tags: Vec<String>,
    /// Whether the list says that it is not to be visited.
    pub disabled: bool,
}

/// The report of an import.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Report {
    /// Problems that were repaired: bare `&`, stray text, control characters, unclosed tags.
    pub repaired: usize,
    /// Rows that repeat a feed; the first row got their folder, or has it as a tag.
    pub already_there: Vec<String>,
    /// Rows that were rejected.
    pub skipped: Vec<Skipped>,
    /// Whether the list exceeds the limits.
    pub cut: bool,
    /// Whether the file ends before its list does: rows are missing.
    pub ended_early: bool,
}

/// A row that was rejected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skipped {
    /// Its name or URL.
    pub row: String,
    /// The reason.
    pub why: Skip,
    /// Its line, from 1.
    pub line: u32,
}

/// Why a row was rejected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Skip {
    /// Its URL is not http or https.
    NotHttp,
    /// It is of a kind that cannot be visited, such as a scraped page.
    Kind(String),
    /// It points to another list, which is not fetched.
    Include,
    /// It claims to be a feed and has no URL.
    NoAddress,
}

/// No list could be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotOpml {
    /// Larger than the limit.
    #[error("the file is larger than {limit_bytes} bytes")]
    TooLarge {
        /// The limit.
        limit_bytes: usize,
    },
    /// No outline in it.
    #[error("there is no list of feeds in this file")]
    NoList,
}
