//! Raw fetches: the stored bytes and headers of a visit, exactly as served.
//!
//! The bytes are in `blobs`, the row is in `store`; this is the meaning of the row.

use crate::blob::Blob;
use crate::{FeedId, FetchId};
use jiff::Timestamp;

/// Header fields in order, names in lower case.
pub type Headers = Vec<(String, String)>;

/// The header fields of a visit whose body was not kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptHeaders {
    /// When the visit began.
    pub at: Timestamp,
    /// The URL of the response, after redirects.
    pub url: String,
    /// The status.
    pub status: u16,
    /// As sent, without secrets.
    pub request: Headers,
    /// As received, without secrets.
    pub response: Headers,
}

/// Which header fields were stored last, and their hash: equal fields are not stored again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HeadersMark {
    /// The visit they were stored with.
    pub at: Timestamp,
    /// Hash of the fields that say something about the feed.
    pub mark: i64,
}

/// The stored bytes and headers of one visit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RawFetch {
    /// Key, known before the commit.
    pub id: FetchId,
    /// The feed it belongs to.
    pub feed: FeedId,
    /// When it was fetched.
    pub fetched_at: Timestamp,
    /// The URL, after redirects.
    pub url: String,
    /// The status.
    pub status: u16,
    /// As sent.
    pub request_headers: Headers,
    /// As received.
    pub response_headers: Headers,
    /// The stored bytes.
    pub blob: Blob,
    /// As the server said.
    pub content_type: Option<String>,
    /// Bytes once decoded.
    pub decoded_bytes: u64,
    /// Whether it could be read as a feed.
    pub understood: bool,
    /// Whether the body was cut at a limit.
    pub truncated: bool,
    /// What was wrong with it, in plain words, one per line.
    pub problems: Vec<String>,
}
