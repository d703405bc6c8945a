//! What can go wrong with blobs, cut by what the caller can do about it.
//!
//! Each variant names its subject and, where an operator must act, says what to do. How a file system's or a server's
//! error becomes one of these is decided in `directory` and `s3`.

use model::blob::BlobKey;

/// What lies beneath.
type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// An error of a blob place.
#[derive(Debug, thiserror::Error)]
pub enum BlobError {
    /// There is no such blob: it was swept, or never committed.
    #[error("no blob {key} in {place}")]
    NotFound {
        /// The blob.
        key: BlobKey,
        /// The address.
        place: String,
    },
    /// There is no room left; stop taking in work until there is.
    #[error("no room left in {place}: free some space or raise the quota")]
    Full {
        /// The address.
        place: String,
        /// The file system's word.
        source: BoxError,
    },
    /// The stored bytes are not those that were put; a new visit may replace them.
    #[error("blob {key} in {place} is corrupt: {why}")]
    Corrupt {
        /// The blob.
        key: BlobKey,
        /// The address.
        place: String,
        /// What does not fit.
        why: String,
    },
    /// It did not work now; waiting helps.
    #[error("cannot {doing} in {place}: {source}")]
    Unavailable {
        /// The address.
        place: String,
        /// The verb.
        doing: &'static str,
        /// What lies beneath.
        source: BoxError,
    },
    /// We are not allowed to; an operator must act.
    #[error("not allowed to {doing} in {place}: {advice}")]
    Denied {
        /// The address.
        place: String,
        /// The verb.
        doing: &'static str,
        /// What to do.
        advice: &'static str,
        /// What lies beneath.
        source: BoxError,
    },
    /// The address names no place that could hold blobs; the configuration must change.
    #[error("{address:?} is no place for blobs: {why}")]
    Invalid {
        /// The address as written.
        address: String,
        /// What is wrong with it.
        why: String,
        /// What lies beneath, if anything was tried.
        source: Option<BoxError>,
    },
}
