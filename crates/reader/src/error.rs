//! What can go wrong with a verb: one of its effects did. What servers do, and what users mistype, are outcomes.

use engine::EngineError;
use store::StoreError;

/// Somebody must act.
#[derive(Debug, thiserror::Error)]
pub enum ReaderError {
    /// The engine, which visits.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The database.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// An error with what is behind it.
pub(crate) fn report(error: &impl std::error::Error) -> String {
    let source = error.source().map(|source| format!(": {source}")).unwrap_or_default();
    format!("{error}{source}")
}
