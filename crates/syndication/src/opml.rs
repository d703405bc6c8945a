//! OPML: lists of feeds, read from whoever wrote them and written so that anybody can read them.
//!
//! Reading repairs what it can and reports the rest row by row; nothing is fetched, `include`s are listed only.
//! What is already subscribed to is not known here: the importer compares `Subscription::key` with its own.

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
    /// What the list calls itself.
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
    /// What is in it.
    pub rows: Vec<Row>,
}

/// A feed as a list names it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Subscription {
    /// What the list calls it, or else its host.
    pub name: String,
    /// The feed itself; always http or https.
    pub url: String,
    /// The page it belongs to; http or https.
    pub page: Option<String>,
    /// What it is about.
    pub description: Option<String>,
    /// From `category`, and from further folders that hold the same feed.
    pub tags: Vec<String>,
    /// The list says that it is not to be visited.
    pub disabled: bool,
}

/// What an import has to tell.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Report {
    /// Things that were wrong and put right: bare `&`, stray text, control characters, tags not closed.
    pub repaired: usize,
    /// Rows that name a feed a second time; the first one got their folder, or has it as a tag.
    pub already_there: Vec<String>,
    /// Rows that were not taken.
    pub skipped: Vec<Skipped>,
    /// The list is longer or deeper than is read.
    pub cut: bool,
    /// The file ends before its list does: rows are missing, however many were read.
    pub ended_early: bool,
}

/// A row that was not taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skipped {
    /// What the row is called or points to.
    pub row: String,
    /// Why.
    pub why: Skip,
    /// Where, from 1.
    pub line: u32,
}

/// Why a row was not taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Skip {
    /// Its address is not one of the web.
    NotHttp,
    /// It is of a kind that we cannot visit, such as a scraped page.
    Kind(String),
    /// It points to another list, which is not fetched.
    Include,
    /// It says that it is a feed and does not say where.
    NoAddress,
}

/// No list could be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotOpml {
    /// Larger than lists are.
    #[error("the file is larger than {limit_bytes} bytes")]
    TooLarge {
        /// How much is read.
        limit_bytes: usize,
    },
    /// No outline in it.
    #[error("there is no list of feeds in this file")]
    NoList,
}
