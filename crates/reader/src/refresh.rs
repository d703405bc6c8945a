//! Visits on demand: make feeds due, and wait until a worker has visited them, in this process or in another.
//!
//! Nothing is fetched here: pacing, leases and robots.txt are the worker's. Who asks waits for at most [`PATIENCE`], then
//! takes the figures so far.

use crate::error::ReaderError;
use engine::{Engine, Insistence, RunNow, run_now};
use jiff::Timestamp;
use model::feed::FeedState;
use model::visit::VisitResult;
use model::{FeedId, UserId, Viewer};
use std::time::Duration;
use store::{FeedName, StoreError, Topic};
use tokio::time::Instant;

/// How long somebody waits for visits that they asked for.
pub const PATIENCE: Duration = Duration::from_secs(10);
/// A visit without news wakes nobody.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// What a visit on demand brought.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Refreshed {
    /// Whether the visit ended in time.
    pub finished: bool,
    /// New entries.
    pub new: u64,
    /// Entries of the document that were known.
    pub known: u64,
    /// Why the visit failed.
    pub error: Option<String>,
    /// Why there was none.
    pub refused: Option<String>,
}

/// What visits of many feeds brought, as far as they have ended.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RefreshedAll {
    /// Feeds that were made due.
    pub feeds: u64,
    /// Those that were visited in time.
    pub finished: u64,
    /// New entries.
    pub new: u64,
    /// What went wrong, by feed.
    pub errors: Vec<String>,
}

/// Visits a feed and waits for it.
pub async fn refresh(
    engine: &Engine,
    viewer: Viewer,
    feed: FeedId,
    insistence: Insistence,
) -> Result<Refreshed, ReaderError> {
    let (store, name, deadline) = (engine.store(), FeedName::Id(feed), Instant::now() + PATIENCE);
    let mut events = store.waiter(Topic::Events);
    let before = store.feed(viewer, &name).await?;
    let refused = match run_now(engine, viewer, &before, insistence).await? {
        RunNow::Due => None,
        RunNow::AskedToWait(until) => Some(format!("The server asked not to be visited before {until:.0}")),
        RunNow::NotVisited(_) if before.feed.state == FeedState::Paused => Some("Feed is disabled".to_owned()),
        RunNow::NotVisited(why) => Some(format!("The feed is not visited: {why}")),
    };
    if refused.is_some() {
        return Ok(Refreshed { refused, ..Refreshed::default() });
    }
    loop {
        let now = store.feed(viewer, &name).await?;
        if now.visits > before.visits {
            return outcome(engine, viewer, feed).await.map_err(Into::into);
        }
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Ok(Refreshed::default());
        }
        events.wait(LOOK_EVERY.min(left)).await;
    }
}

/// What the last visit of a feed brought.
async fn outcome(engine: &Engine, viewer: Viewer, feed: FeedId) -> Result<Refreshed, StoreError> {
    let visits = engine.store().visits(viewer, feed, 1).await?;
    let Some(visit) = visits.first() else { return Ok(Refreshed::default()) };
    let failed = matches!(visit.result, VisitResult::Failed | VisitResult::Gone | VisitResult::Busy);
    let new = u64::from(visit.new_entries);
    let known = if visit.result == VisitResult::Fresh {
        engine.store().count_present(viewer, feed).await?.saturating_sub(new)
    } else {
        0
    };
    let error = failed.then(|| visit.error.clone().unwrap_or_else(|| "The visit failed".to_owned()));
    Ok(Refreshed { finished: true, new, known, error, refused: None })
}

/// Visits all feeds of a user that are visited at all, and waits for those that are quick.
pub async fn refresh_all(engine: &Engine, user: UserId) -> Result<RefreshedAll, ReaderError> {
    let (store, viewer, asked) = (engine.store(), Viewer::User(user), engine.now());
    let deadline = Instant::now() + PATIENCE;
    let mut events = store.waiter(Topic::Events);
    let mut waiting = Vec::new();
    for feed in store.followed(user).await? {
        if feed.state != FeedState::Active {
            continue;
        }
        let status = store.feed(viewer, &FeedName::Id(feed.feed)).await?;
        if run_now(engine, viewer, &status, Insistence::Polite).await? == RunNow::Due {
            waiting.push(feed.feed);
        }
    }
    let mut all = RefreshedAll { feeds: waiting.len() as u64, ..RefreshedAll::default() };
    loop {
        visited(engine, user, asked, &mut waiting, &mut all).await?;
        let left = deadline.saturating_duration_since(Instant::now());
        if waiting.is_empty() || left.is_zero() {
            return Ok(all);
        }
        events.wait(LOOK_EVERY.min(left)).await;
    }
}

/// Takes those feeds out that have been visited since a moment, and counts what they brought.
async fn visited(
    engine: &Engine,
    user: UserId,
    since: Timestamp,
    waiting: &mut Vec<FeedId>,
    all: &mut RefreshedAll,
) -> Result<(), StoreError> {
    let done = engine.store().followed(user).await?;
    let done = done.into_iter().filter(|feed| feed.fetch.last_visit_at >= Some(since) && waiting.contains(&feed.feed));
    for feed in done.collect::<Vec<_>>() {
        waiting.retain(|id| *id != feed.feed);
        let outcome = outcome(engine, Viewer::User(user), feed.feed).await?;
        all.finished += 1;
        all.new += outcome.new;
        all.errors.extend(outcome.error.map(|why| format!("{}: {why}", feed.title())));
    }
    Ok(())
}
