//! Makes a feed somebody's own, or everybody's. A feed with credentials or a proxy of its own is never shared.

use crate::error::EngineError;
use crate::feed::look;
use jiff::Timestamp;
use model::feed::FeedState;
use model::{FeedId, UserId, Viewer};
use store::Store;

/// What came of giving a feed to somebody.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OwnerChanged {
    /// It is theirs.
    Done,
    /// It was theirs.
    Already,
    /// They have another feed at the same address, deleted or not.
    AddressTaken(FeedId),
    /// It has secrets, which must be taken away before everybody may have it.
    HasSecrets,
    /// It was deleted.
    Deleted,
}

/// Makes a feed a user's own; without a user it is everybody's.
pub async fn set_feed_owner(
    store: &Store,
    viewer: Viewer,
    feed: FeedId,
    owner: Option<UserId>,
    now: Timestamp,
) -> Result<OwnerChanged, EngineError> {
    let before = look(store, viewer, feed).await?.feed;
    if before.owner == owner && before.state != FeedState::Deleted {
        return Ok(OwnerChanged::Already);
    }
    if store.set_owner(feed, owner, now).await? {
        return Ok(OwnerChanged::Done);
    }
    // The UPDATE found a condition broken; look which one.
    if look(store, viewer, feed).await?.feed.state == FeedState::Deleted {
        return Ok(OwnerChanged::Deleted);
    }
    Ok(match store.unscoped().feed_at(&before.url, owner).await?.filter(|other| *other != feed) {
        Some(other) => OwnerChanged::AddressTaken(other),
        None => OwnerChanged::HasSecrets,
    })
}
