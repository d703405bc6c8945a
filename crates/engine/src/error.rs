//! What can go wrong with a verb: one of its effects did.

use blobs::BlobError;
use store::StoreError;

/// Somebody must act; what servers do is never an error.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// The database.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The raw bytes.
    #[error(transparent)]
    Blobs(#[from] BlobError),
    /// Credentials that were sealed with another secret.
    #[error(transparent)]
    Locked(#[from] crate::vault::Locked),
    /// A URL that cannot be a feed.
    #[error("`{url}` is not a feed's address: {why}")]
    Address {
        /// As given.
        url: String,
        /// Why not.
        why: String,
    },
}
