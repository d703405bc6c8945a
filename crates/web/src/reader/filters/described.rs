//! What filters are made of, for the API's description. The types that are read and written are those of `model::filter`;
//! nobody makes values of these.

#![expect(dead_code, reason = "types that are only described")]

use serde::Serialize;
use utoipa::ToSchema;

/// Which posts a filter looks at.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum ScopeShape {
    /// Those of all feeds.
    All,
    /// Those of a category and of the categories below it.
    Category(i64),
    /// Those of a feed.
    Feed(i64),
}

/// Which of those it is about.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum ConditionShape {
    /// For which all of these are true.
    All(Vec<TestShape>),
    /// For which one of these is true.
    Any(Vec<TestShape>),
}

/// One question about a post: one of these, and `not` if the answer must be no.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct TestShape {
    /// One of these words or phrases is there. A `*` at the end stands for any ending.
    #[serde(skip_serializing_if = "Option::is_none")]
    words: Option<Vec<String>>,
    /// Where the words are looked for: `title`, `content` or `both`.
    #[serde(rename = "in", skip_serializing_if = "Option::is_none")]
    place: Option<String>,
    /// The author's name contains this.
    #[serde(skip_serializing_if = "Option::is_none")]
    author: Option<String>,
    /// The publisher filed it under this.
    #[serde(skip_serializing_if = "Option::is_none")]
    tag: Option<String>,
    /// It is of this feed.
    #[serde(skip_serializing_if = "Option::is_none")]
    feed: Option<i64>,
    /// Its link contains this.
    #[serde(skip_serializing_if = "Option::is_none")]
    link: Option<String>,
    /// Files are attached to it.
    #[serde(skip_serializing_if = "Option::is_none")]
    has_media: Option<bool>,
    /// An attached file is longer than this many bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    media_longer_than_bytes: Option<u64>,
    /// An attached file is shorter than this many bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    media_shorter_than_bytes: Option<u64>,
    /// Whether the answer must be no.
    #[serde(skip_serializing_if = "Option::is_none")]
    not: Option<bool>,
}

/// What is done to a post.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum ActionShape {
    /// It is left out of lists and counts.
    Mute,
    /// It is marked as read.
    MarkRead,
    /// It is saved.
    Star,
    /// It gets this label.
    Tag(String),
}
