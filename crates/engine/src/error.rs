//! What can go wrong with a verb: one of its effects did.

use blobs::BlobError;
use store::StoreError;

/// An error with what is behind it.
pub(crate) fn report(error: &impl std::error::Error) -> String {
    let source = error.source().map(|source| format!(": {source}")).unwrap_or_default();
    format!("{error}{source}")
}

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
    /// A run that ended early, because what feeds say cannot be kept.
    #[error("storage unavailable: {0}")]
    NotKept(String),
    /// A run that ended early, because nobody could be reached.
    #[error("our own network seems to be away: {0}; no feed was blamed, try again when it is back")]
    CutOff(String),
    /// A change that was decided several times, because others changed the same feed each time.
    #[error("feed {feed} is being changed by others: nothing was changed, try again")]
    Changing {
        /// Which.
        feed: model::FeedId,
    },
    /// A URL that cannot be a feed.
    #[error("`{url}` is not a feed's address: {why}")]
    Address {
        /// As given.
        url: String,
        /// Why not.
        why: String,
    },
}
