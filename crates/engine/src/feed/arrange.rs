//! How a user has a feed: in which category, by which title. A user who was not subscribed is from now on.

use crate::error::EngineError;
use jiff::Timestamp;
use model::{FeedId, UserId};
use store::Store;

/// How a user wants to have a feed. What is not named stays.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Arrangement {
    /// The category, which is made if there is none of that name.
    pub category: Option<String>,
    /// The title; an empty one is what the feed calls itself.
    pub title: Option<String>,
}

/// Files and names a feed for a user.
pub async fn arrange(
    store: &Store,
    user: UserId,
    feed: FeedId,
    wanted: &Arrangement,
    now: Timestamp,
) -> Result<(), EngineError> {
    store.subscribe(user, feed, store.default_category(user).await?, None, now).await?;
    if let Some(name) = &wanted.category {
        let category = store.add_category(user, None, name, now).await?;
        store.file_subscription(user, feed, category).await?;
    }
    if let Some(title) = &wanted.title {
        store.rename_subscription(user, feed, Some(title.trim()).filter(|title| !title.is_empty())).await?;
    }
    Ok(())
}
