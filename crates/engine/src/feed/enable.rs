//! Switches a feed on. What may be switched on is decided by `policy::enabling`; what a moderator closed stays closed.

use crate::error::EngineError;
use crate::feed::{look, settle};
use jiff::Timestamp;
use model::{FeedId, Viewer};
use policy::{Closed, Enabling, FirstVisit};
use store::Store;

/// What came of switching a feed on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Enabled {
    /// It is visited again; its failures are forgotten.
    Done,
    /// It was on.
    Already,
    /// It stays as it is; says why.
    Refused(Closed),
}

/// Switches a feed on.
pub async fn enable_feed(store: &Store, viewer: Viewer, feed: FeedId, now: Timestamp) -> Result<Enabled, EngineError> {
    settle(feed, || async move {
        let status = look(store, viewer, feed).await?;
        let due_at = match policy::enabling(&status.feed, status.due_at) {
            Enabling::Already => return Ok(Some(Enabled::Already)),
            Enabling::Refused(closed) => return Ok(Some(Enabled::Refused(closed))),
            Enabling::Allowed(FirstVisit::Now) => Some(now),
            Enabling::Allowed(FirstVisit::AsScheduled) => None,
        };
        let is_done = store.enable_feed(feed, &status.feed.state, due_at, now).await?;
        Ok(is_done.then_some(Enabled::Done))
    })
    .await
}
