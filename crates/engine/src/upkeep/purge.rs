//! Removes deleted feeds with everything they said, 30 days after they were deleted or when that is asked for. Deleting
//! one is `feed/delete.rs`.
//!
//! The removal is made of small steps of the store, under the maintenance lock. One that was interrupted is continued by
//! the next maintenance. Blobs that are left without a raw fetch are swept by `tidy_up`, a day after they were stored.

use crate::engine::Engine;
use crate::error::EngineError;
use crate::upkeep::{LASTING, LOCK, under_lock};
use jiff::Timestamp;
use model::FeedId;
use store::{DuePurge, Lock, PurgeStep, StoreError};
use url::Url;

/// Feeds asked for at a time.
const FEEDS: u32 = 100;

/// The result of removing a feed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purged {
    /// Nothing is left of it.
    Done,
    /// Another process does maintenance: it will remove the feed.
    Later,
}

/// Removes a deleted feed now, with everything it said.
pub(crate) async fn purge_now(engine: &Engine, feed: FeedId) -> Result<Purged, EngineError> {
    let (store, now) = (&engine.store, engine.now());
    store.set_purge_at(feed, now).await?;
    let Some(lock) = store.take_lock(LOCK, &engine.worker, now, LASTING).await? else { return Ok(Purged::Later) };
    let purged = under_lock(engine, async {
        match store.unscoped().due_purges(FeedId(feed.0 - 1), now, 1).await?.first() {
            Some(due) if due.feed == feed => purge(engine, &lock, due, now).await,
            _ => Ok(()),
        }
    });
    let purged = purged.await;
    store.release_lock(LOCK, &engine.worker).await?;
    purged.unwrap_or_else(|| Err(StoreError::LockLost { name: LOCK.to_owned() }.into()))?;
    Ok(Purged::Done)
}

/// Removes the feeds that were deleted long enough ago. The caller holds the maintenance lock.
pub(crate) async fn purge_due(engine: &Engine, lock: &Lock, by: Timestamp) -> Result<(), EngineError> {
    let mut after = FeedId(0);
    loop {
        let due = engine.store.unscoped().due_purges(after, by, FEEDS).await?;
        let Some(last) = due.last() else { return Ok(()) };
        after = last.feed;
        for due in &due {
            purge(engine, lock, due, by).await?;
        }
    }
}

async fn purge(engine: &Engine, lock: &Lock, due: &DuePurge, by: Timestamp) -> Result<(), EngineError> {
    let store = &engine.store;
    if !store.begin_purge(lock, engine.now(), due, by, &sites(due)).await? {
        return Ok(());
    }
    let mut steps = 1u64;
    while store.purge_step(lock, engine.now(), due.feed).await? == PurgeStep::More {
        steps += 1;
    }
    tracing::info!(feed.id = due.feed.0, steps, "deleted feed removed");
    Ok(())
}

/// The sites whose icons may have been kept for a feed.
fn sites(due: &DuePurge) -> Vec<String> {
    let urls = [Some(due.url.as_str()), due.site_url.as_deref()];
    let origins = urls.into_iter().flatten().filter_map(|url| Some(Url::parse(url).ok()?.origin()));
    let mut sites: Vec<String> =
        origins.filter(url::Origin::is_tuple).map(|origin| origin.ascii_serialization()).collect();
    sites.sort();
    sites.dedup();
    sites
}
