//! Deletes a feed: nobody sees it or its entries any more. For 30 days adding it again brings it back; it is removed then,
//! or at once where that is asked for. The removal itself is `upkeep/purge.rs`.

use crate::engine::Engine;
use crate::error::EngineError;
use crate::feed::look;
use crate::upkeep::purge::{Purged, purge_now};
use jiff::{SignedDuration, Timestamp};
use model::feed::FeedState;
use model::{FeedId, Viewer};

/// A deleted feed can be brought back for this long.
pub const KEPT_AFTER_DELETION: SignedDuration = SignedDuration::from_hours(30 * 24);

/// When a deleted feed is removed with everything it said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Removal {
    /// After [`KEPT_AFTER_DELETION`].
    Later,
    /// At once; also one that was deleted before.
    Now,
}

/// What came of deleting a feed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Deleted {
    /// It can be brought back until then.
    Until(Timestamp),
    /// It was deleted before, and can be brought back until then.
    Already(Option<Timestamp>),
    /// Nothing is left of it.
    Removed,
    /// It cannot be brought back; another process, which does maintenance, removes it within the hour.
    RemovedSoon,
}

/// Deletes a feed.
pub async fn delete_feed(
    engine: &Engine,
    viewer: Viewer,
    feed: FeedId,
    removal: Removal,
) -> Result<Deleted, EngineError> {
    let (store, now) = (&engine.store, engine.now());
    let until = now + KEPT_AFTER_DELETION;
    let status = look(store, viewer, feed).await?;
    let is_news = status.feed.state != FeedState::Deleted && store.delete_feed(feed, until, now).await?;
    Ok(match removal {
        Removal::Later if is_news => Deleted::Until(until),
        Removal::Later => Deleted::Already(look(store, viewer, feed).await?.purge_at),
        Removal::Now => match purge_now(engine, feed).await? {
            Purged::Done => Deleted::Removed,
            Purged::Later => Deleted::RemovedSoon,
        },
    })
}
