//! Switches a feed off: it is not visited, and nothing is deleted. That a feed awaits moderation or was rejected is not
//! overwritten (`policy::disabling`).

use crate::error::EngineError;
use crate::feed::{look, settle};
use jiff::Timestamp;
use model::feed::FeedState;
use model::{FeedId, Viewer};
use policy::{Closed, Disabling};
use store::Store;

/// What came of switching a feed off. It is not visited in any case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Disabled {
    /// It is off.
    Done,
    /// It was off.
    Already,
    /// It was not visited for another reason, and stays as it is.
    NotVisited(Closed),
}

/// Switches a feed off. A visit under way is finished.
pub async fn disable_feed(
    store: &Store,
    viewer: Viewer,
    feed: FeedId,
    now: Timestamp,
) -> Result<Disabled, EngineError> {
    settle(feed, || async move {
        let state = look(store, viewer, feed).await?.feed.state;
        match policy::disabling(&state) {
            Disabling::Already => return Ok(Some(Disabled::Already)),
            Disabling::NotVisited(closed) => return Ok(Some(Disabled::NotVisited(closed))),
            Disabling::Allowed => {}
        }
        let is_done = store.change_feed_state(feed, &state, &FeedState::Paused, now).await?;
        Ok(is_done.then_some(Disabled::Done))
    })
    .await
}
