//! Gives a feed another address, by an operator's word. What it said stays; it is due at once there, as if it were new.
//! That a publisher moves a feed by redirects is decided by `policy::moving`.

use crate::add_feed::address;
use crate::discover::typed_address;
use crate::error::EngineError;
use crate::feed::look;
use jiff::Timestamp;
use model::feed::FeedState;
use model::{FeedId, Viewer};
use store::Store;

/// What came of moving a feed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Moved {
    /// It is visited there from now on.
    Done,
    /// It was there.
    Already,
    /// Another feed of the same owner has that address, deleted or not.
    Taken {
        /// The address, as it is stored.
        url: String,
        /// That feed.
        by: Option<FeedId>,
    },
    /// No feed can have that address; a sentence that says why.
    NotAnAddress(String),
    /// The feed was deleted.
    Deleted,
}

/// Visits a feed at another address from now on, which may be written as it is typed.
pub async fn move_feed(
    store: &Store,
    viewer: Viewer,
    feed: FeedId,
    typed: &str,
    now: Timestamp,
) -> Result<Moved, EngineError> {
    let url = match typed_address(typed) {
        Ok(url) => url,
        Err(error @ EngineError::Address { .. }) => return Ok(Moved::NotAnAddress(error.to_string())),
        Err(error) => return Err(error),
    };
    let url = match address(&url) {
        Ok(url) => url,
        Err(why) => return Ok(Moved::NotAnAddress(format!("this cannot be a feed's address: {why}"))),
    };
    let before = look(store, viewer, feed).await?.feed;
    if before.state == FeedState::Deleted {
        return Ok(Moved::Deleted);
    }
    if before.url == url {
        return Ok(Moved::Already);
    }
    let (old, new) = (policy::root_domain(&before.url), policy::root_domain(&url));
    if store.set_url(feed, &url, [old.as_deref(), new.as_deref()], now).await? {
        return Ok(Moved::Done);
    }
    let by = store.feed_at(viewer, &url, before.owner).await?.filter(|other| *other != feed);
    Ok(if look(store, viewer, feed).await?.feed.state == FeedState::Deleted {
        Moved::Deleted
    } else {
        Moved::Taken { url, by }
    })
}
