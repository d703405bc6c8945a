//! Raw fetches: the stored bytes and headers of a visit, exactly as served.
//!
//! The bytes lie in `blobs`, the row in `store`; this is the row's meaning.

use crate::blob::Blob;
use crate::{FeedId, FetchId};
use jiff::Timestamp;

/// Header fields in order, names in lower case.
pub type Headers = Vec<(String, String)>;

/// The header fields of a visit of which no body was kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptHeaders {
    /// When the visit began.
    pub at: Timestamp,
    /// Where the answer came from, after redirects.
    pub url: String,
    /// The status.
    pub status: u16,
    /// As sent, without secrets.
    pub request: Headers,
    /// As received, without secrets.
    pub response: Headers,
}

/// Which header fields were stored last, and what they come to: the same ones are not stored again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HeadersMark {
    /// The visit that they were stored with.
    pub at: Timestamp,
    /// Over those that say something about the feed.
    pub mark: i64,
}

/// The stored bytes and headers of one visit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RawFetch {
    /// Key, known before the commit.
    pub id: FetchId,
    /// Whose.
    pub feed: FeedId,
    /// When.
    pub fetched_at: Timestamp,
    /// Where from, after redirects.
    pub url: String,
    /// The status.
    pub status: u16,
    /// As sent.
    pub request_headers: Headers,
    /// As received.
    pub response_headers: Headers,
    /// Where the bytes are.
    pub blob: Blob,
    /// As the server said.
    pub content_type: Option<String>,
    /// Bytes once decoded.
    pub decoded_bytes: u64,
    /// It could be read as a feed.
    pub understood: bool,
    /// The body was cut at a limit.
    pub truncated: bool,
    /// What was wrong with it, in plain words, one per line.
    pub problems: Vec<String>,
}
