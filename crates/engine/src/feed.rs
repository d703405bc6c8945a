//! Verbs that change a feed somebody added, one file each. Called by commands and by handlers of `web`.
//!
//! A verb looks, lets `policy` decide, and writes under the condition that what it saw still holds. It takes no more than
//! it needs, and changes only what the viewer may see: a [`Store`] and the time where that is enough, the engine where something must be sealed or removed.
//! What may be expected (not allowed, nothing to do) is an outcome; an error means that somebody must act.

pub(crate) mod access;
pub(crate) mod arrange;
pub(crate) mod delete;
pub(crate) mod disable;
pub(crate) mod enable;
pub(crate) mod explain;
pub(crate) mod move_to;
pub(crate) mod owner;
pub(crate) mod root_domain;
pub(crate) mod rules;

use crate::error::EngineError;
use model::{FeedId, Viewer};
use store::{FeedName, FeedStatus, Store, StoreError};

/// A change is decided anew at most this often when others change the same feed meanwhile.
const ATTEMPTS: usize = 8;

/// A feed, deleted or not. An error if there is none, or none that the viewer may see.
async fn look(store: &Store, viewer: Viewer, feed: FeedId) -> Result<FeedStatus, StoreError> {
    let name = FeedName::Id(feed);
    match store.deleted_feed(viewer, &name).await? {
        Some(deleted) => Ok(deleted),
        None => store.feed(viewer, &name).await,
    }
}

/// Looks, decides and writes; again if what was seen changed before the write. `attempt` returns nothing in that case.
async fn settle<T, Attempt>(feed: FeedId, attempt: impl Fn() -> Attempt) -> Result<T, EngineError>
where
    // Not `AsyncFn`: a handler of `web` has to know that the future can move between threads.
    Attempt: Future<Output = Result<Option<T>, EngineError>>,
{
    for _ in 0..ATTEMPTS {
        if let Some(outcome) = attempt().await? {
            return Ok(outcome);
        }
    }
    Err(EngineError::Changing { feed })
}
