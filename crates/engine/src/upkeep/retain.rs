//! Retention: deletes what is older than the rules of each feed keep, and shrinks a database that is too large.
//!
//! Here are the options and the report; `retain/cleanup.rs` does it, `retain/ranges.rs` removes partitions of bodies.
//! Unreferenced blobs, expired tombstones and old events are removed by `tidy_up`, once an hour.
//! Invariant: ages are measured by the retention clock, which never leaps; only `force` takes the real one.

mod cleanup;
mod ranges;

use crate::engine::Engine;
use crate::error::EngineError;
use crate::upkeep::{LASTING, LOCK, under_lock};
use cleanup::Cleanup;
use jiff::{SignedDuration, Timestamp};
use model::retention::Counters;
use model::{FeedId, WorkerId};
use store::{Lock, StoreError};

/// When the last cleanup was, by the clock.
pub(crate) const LAST_CLEANUP: &str = "maintenance.last_cleanup";
/// How far ages had got then.
pub(crate) const RETENTION_CLOCK: &str = "maintenance.retention_clock";

/// Options of a cleanup.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Wish {
    /// Report what would be deleted, and change nothing. The size of the database is not considered.
    pub dry_run: bool,
    /// Believe the clock, however far it has leapt since the last cleanup.
    pub force: bool,
}

/// The result of a cleanup.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Retained {
    /// It was done.
    Done(Box<RetainReport>),
    /// Another process is at it.
    Busy(Option<WorkerId>),
    /// The clock was never set: ages are unknown.
    ClockNotSet,
}

/// What was deleted, or would be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RetainReport {
    /// The moment by which ages were measured; behind the clock after a leap.
    pub as_of: Timestamp,
    /// Over all feeds.
    pub counters: Counters,
    /// Feeds that lost something, in the order of their ids; of a run that was repeated to save space, all together.
    pub feeds: Vec<FeedReport>,
    /// Partitions of bodies that were dropped (PostgreSQL).
    pub ranges: Ranges,
    /// Lines of the cleanup log.
    pub log_rows: u64,
    /// The database before.
    pub bytes_before: u64,
    /// And after.
    pub bytes_after: u64,
    /// For how long entries stayed after everybody had read them, where space made that less than the rules say.
    pub read_for: Option<SignedDuration>,
    /// The database is larger than it may be, and nothing more can be done about it.
    pub too_large: bool,
    /// How long it took.
    pub took: SignedDuration,
    /// What an operator should know of it, in words.
    pub notes: Option<String>,
}

/// Partitions of bodies that were dropped, or would be.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Ranges {
    /// How many.
    pub dropped: u64,
    /// What they took on the disk.
    pub bytes: u64,
    /// Bodies in them that stay, and were moved to another partition.
    pub moved: u64,
}

/// What one feed lost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FeedReport {
    /// Which.
    pub feed: FeedId,
    /// Where.
    pub url: String,
    /// How much.
    pub counters: Counters,
}

/// Deletes what the rules no longer keep. Safe beside a running maintenance: one of the two gets `Busy`.
pub async fn retain(engine: &Engine, now: Timestamp, wish: Wish) -> Result<Retained, EngineError> {
    if wish.dry_run {
        return retain_holding(engine, now, wish, None).await;
    }
    let store = &engine.store;
    let Some(lock) = store.take_lock(LOCK, &engine.worker, now, LASTING).await? else {
        return Ok(Retained::Busy(store.lock_holder(LOCK).await?));
    };
    let done = under_lock(engine, retain_holding(engine, now, wish, Some(&lock))).await;
    store.release_lock(LOCK, &engine.worker).await?;
    done.unwrap_or_else(|| Err(StoreError::LockLost { name: LOCK.to_owned() }.into()))
}

/// The same for a caller that holds the lock; without one nothing is changed.
pub(crate) async fn retain_holding(
    engine: &Engine,
    now: Timestamp,
    wish: Wish,
    lock: Option<&Lock>,
) -> Result<Retained, EngineError> {
    let store = &engine.store;
    let last = moment(store.setting(RETENTION_CLOCK).await?);
    let Some(as_of) = policy::retention_clock(now, last.filter(|_| !wish.force)) else {
        return Ok(Retained::ClockNotSet);
    };
    if as_of < now {
        tracing::warn!(clock = %now, %as_of, "the clock is far ahead of the last cleanup: what is old is judged with care");
    }
    let mut cleanup = Cleanup::begin(engine, as_of, lock).await?;
    cleanup.clean(None).await?;
    if let Some(lock) = lock {
        cleanup.make_fit().await?;
        cleanup.finish(lock, now).await?;
    }
    let done = cleanup.report();
    log(&done, wish);
    Ok(Retained::Done(Box::new(done)))
}

fn log(done: &RetainReport, wish: Wish) {
    let counters = &done.counters;
    tracing::info!(
        dry_run = wish.dry_run,
        as_of = %done.as_of,
        old = counters.old,
        read_long_ago = counters.read_long_ago,
        beyond_limit = counters.beyond_limit,
        unread_too_long = counters.unread_too_long,
        full_text_cleared = counters.full_text_cleared,
        raw_fetches = counters.raw_fetches,
        raw_bytes = counters.raw_bytes,
        ranges = done.ranges.dropped,
        range_bytes = done.ranges.bytes,
        bodies_moved = done.ranges.moved,
        log_rows = done.log_rows,
        bytes_before = done.bytes_before,
        bytes_after = done.bytes_after,
        took_ms = done.took.as_millis() as i64,
        notes = done.notes,
        "cleaned up"
    );
}

/// A moment as a setting remembers it.
pub(crate) fn moment(setting: Option<String>) -> Option<Timestamp> {
    setting.and_then(|text| text.parse().ok())
}
