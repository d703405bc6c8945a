//! What the bytes were, if not a feed: the answer is for the person who typed the address.

use crate::read::Hints;

/// Why no feed could be read. Every variant is something that a person can act upon.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotAFeed {
    /// Nothing at all, or only white space.
    #[error("the document is empty")]
    Empty,
    /// Something else.
    #[error("this is neither XML nor JSON")]
    Unknown,
}

/// A feed that a page points to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FeedLink {
    /// Absolute where a base was known.
    pub url: String,
    /// What the page calls it.
    pub title: Option<String>,
    /// Its media type as the page gives it.
    pub media_type: Option<String>,
}

pub(crate) fn explain(text: &str, _hints: &Hints<'_>) -> NotAFeed {
    if text.trim().is_empty() { NotAFeed::Empty } else { NotAFeed::Unknown }
}
