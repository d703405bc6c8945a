//! Errors of blobs, cut by what the caller can do about them.
//!
//! Each variant names its subject and, where an operator must act, says what to do. How a file system's or a server's
//! error becomes one of these is decided in `directory` and `s3`.

use model::blob::BlobKey;

/// The underlying error.
type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// An error of a blob store.
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
    /// No space left; take in no more work until there is.
    #[error("no room left in {place}: free some space or raise the quota")]
    Full {
        /// The address.
        place: String,
        /// The underlying error.
        source: BoxError,
    },
    /// The stored bytes differ from those that were put; a new visit may replace them.
    #[error("blob {key} in {place} is corrupt: {why}")]
    Corrupt {
        /// The blob.
        key: BlobKey,
        /// The address.
        place: String,
        /// What is wrong.
        why: String,
    },
    /// It failed for now; waiting helps.
    #[error("cannot {doing} in {place}: {source}")]
    Unavailable {
        /// The address.
        place: String,
        /// The failed operation.
        doing: &'static str,
        /// The underlying error.
        source: BoxError,
    },
    /// Permission denied; an operator must act.
    #[error("not allowed to {doing} in {place}: {advice}")]
    Denied {
        /// The address.
        place: String,
        /// The failed operation.
        doing: &'static str,
        /// What to do.
        advice: &'static str,
        /// The underlying error.
        source: BoxError,
    },
    /// The address cannot hold blobs; the configuration must change.
    #[error("{address:?} cannot hold blobs: {why}")]
    Invalid {
        /// The address as written.
        address: String,
        /// What is wrong with it.
        why: String,
        /// The underlying error, if anything was tried.
        source: Option<BoxError>,
    },
}
