//! Upkeep: jobs that keep the store in order, each done by one process at a time (`work::JobRunner`).
//!
//! `upkeep.health` every five minutes, `upkeep.tidy` every hour (what expires by itself), `upkeep.cleanup` once a day
//! (`retain`). What deletes also holds a lock, so that a command can do the same beside a server.

pub(crate) mod health;
pub(crate) mod index;
pub(crate) mod leaps;
pub(crate) mod purge;
pub(crate) mod retain;

use crate::engine::Engine;
use crate::error::{EngineError, report};
use crate::upkeep::health::check_health;
use crate::upkeep::leaps::check_clock;
use crate::upkeep::purge::purge_due;
use crate::upkeep::retain::{LAST_CLEANUP, RETENTION_CLOCK, Retained, Wish, moment, retain_holding};
use jiff::{SignedDuration, Timestamp};
use model::job::NewJob;
use policy::RetryRule;
use std::pin::pin;
use std::time::Duration;
use store::{LockAttempt, StoreError};
use tokio::task::JoinSet;
use work::{JobRunner, Limits, Outcome, REST, Stop};

const HEALTH: &str = "upkeep.health";
const TIDY: &str = "upkeep.tidy";
const CLEANUP: &str = "upkeep.cleanup";

/// The process that deletes right now. Held only meanwhile, so that a command can do so beside a server.
pub(crate) const LOCK: &str = "maintenance.job";
pub(crate) const LASTING: SignedDuration = SignedDuration::from_secs(60);
const HEARTBEAT: Duration = Duration::from_secs(20);
const TIDY_EVERY: SignedDuration = SignedDuration::from_hours(1);
const HEALTH_EVERY: SignedDuration = SignedDuration::from_mins(5);
const CLOCK_EVERY: Duration = Duration::from_mins(5);
/// While another process holds the lock, a job is tried again after this.
const BUSY: SignedDuration = SignedDuration::from_mins(1);
/// A job that failed is tried again after this, for ever.
const RETRY: RetryRule = RetryRule::every(SignedDuration::from_hours(1));
/// Events are kept at least this long, so that a consumer that was away can catch up.
const KEEP_EVENTS: SignedDuration = SignedDuration::from_hours(7 * 24);

/// The numbers of flushes of processes that have not flushed for so long are forgotten.
const KEEP_FLUSHES: SignedDuration = SignedDuration::from_hours(7 * 24);

/// This many partitions of bodies are empty: more than fill from one hour to the next.
const RANGES_AHEAD: u32 = 2;

/// Does the jobs of upkeep until it is told to stop.
pub async fn maintain(engine: Engine, mut stop: Stop) {
    let engine = engine.in_background();
    let mut aside = JoinSet::new();
    aside.spawn(watch_clock(engine.clone()));
    while let Err(error) = request_upkeep(&engine).await {
        tracing::warn!(%error, "no maintenance for now");
        tokio::select! {
            _ = stop.changed() => return,
            () = tokio::time::sleep(REST) => {}
        }
    }
    upkeep(&engine).run(stop).await;
    // If it cannot be released, it expires.
    let _ = engine.store.release_lock(LOCK, &engine.worker).await;
}

/// Makes all jobs of upkeep due. Every start does, so that what is wrong is seen at once.
pub async fn request_upkeep(engine: &Engine) -> Result<(), StoreError> {
    let now = engine.now();
    engine.store.enqueue_jobs(&[HEALTH, CLEANUP, TIDY].map(|kind| NewJob::new(kind, now)), now).await
}

/// The runner of upkeep: one job at a time, and health beside it.
pub fn upkeep(engine: &Engine) -> JobRunner {
    let limits = Limits { at_once: 2, ..Limits::default() };
    let runner = JobRunner::new(engine.store.clone(), engine.clock.clone(), engine.worker.clone(), limits);
    let (health, cleanup, tidy) = (engine.clone(), engine.clone(), engine.clone());
    runner
        .on(HEALTH, RETRY, move |_| {
            let engine = health.clone();
            async move {
                let now = engine.now();
                if let Err(error) = check_health(&engine, now).await {
                    tracing::warn!(%error, "cannot look whether everything is well");
                }
                Outcome::Again(now + HEALTH_EVERY)
            }
        })
        .on(CLEANUP, RETRY, move |_| {
            let engine = cleanup.clone();
            async move {
                let now = engine.now();
                let next = policy::next_cleanup(now, engine.options.maintenance.cleanup_hour);
                Box::pin(exclusively(&engine, now, clean_up_if_due(&engine, now), next)).await
            }
        })
        .on(TIDY, RETRY, move |_| {
            let engine = tidy.clone();
            async move {
                let now = engine.now();
                Box::pin(exclusively(&engine, now, tidy_up(&engine, now), now + TIDY_EVERY)).await
            }
        })
}

/// Does a job under the lock, which is due again at `next`; soon, if another process has the lock.
async fn exclusively<T>(
    engine: &Engine,
    now: Timestamp,
    job: impl Future<Output = Result<T, EngineError>>,
    next: Timestamp,
) -> Outcome {
    let store = &engine.store;
    match store.take_lock(LOCK, &engine.worker, now, LASTING).await {
        Ok(Some(_)) => {}
        Ok(None) => return Outcome::Again(now + BUSY),
        Err(error) => return Outcome::Failed(report(&error)),
    }
    let done = under_lock(engine, job).await;
    if let Err(error) = store.release_lock(LOCK, &engine.worker).await {
        tracing::warn!(%error, "cannot release the maintenance lock: it expires");
    }
    match done {
        Some(Ok(_)) => Outcome::Again(next),
        Some(Err(error)) => Outcome::Failed(report(&error)),
        None => Outcome::Again(now + BUSY),
    }
}

/// Notices a clock that was ahead: leases and locks that it wrote would be waited for.
async fn watch_clock(engine: Engine) {
    loop {
        if let Err(error) = check_clock(&engine).await {
            tracing::warn!(%error, "cannot compare the clock with what was written");
        }
        tokio::time::sleep(CLOCK_EVERY).await;
    }
}

/// Cleans up if that was not done today and the lock is free; returns whether it did. Keeps the lock.
pub async fn clean_up_if_due(engine: &Engine, now: Timestamp) -> Result<bool, EngineError> {
    if !is_cleanup_due(engine, now).await? {
        return Ok(false);
    }
    let Some(lock) = engine.store.take_lock(LOCK, &engine.worker, now, LASTING).await? else { return Ok(false) };
    Ok(matches!(retain_holding(engine, now, Wish::default(), Some(&lock)).await?, Retained::Done(_)))
}

async fn is_cleanup_due(engine: &Engine, now: Timestamp) -> Result<bool, EngineError> {
    let last = moment(engine.store.setting(LAST_CLEANUP).await?);
    Ok(policy::is_cleanup_due(now, engine.options.maintenance.cleanup_hour, last))
}

/// Does a job and keeps the lock meanwhile. A job whose lock went to another process is given up.
pub(crate) async fn under_lock<T>(engine: &Engine, job: impl Future<Output = T>) -> Option<T> {
    let mut job = pin!(job);
    loop {
        tokio::select! {
            done = &mut job => return Some(done),
            () = tokio::time::sleep(HEARTBEAT) => {}
        }
        match engine.store.take_lock(LOCK, &engine.worker, engine.now(), LASTING).await {
            Ok(Some(_)) => {}
            Ok(None) => {
                tracing::warn!("the maintenance lock went to another process: what was under way is theirs");
                return None;
            }
            // It may still be ours; what deletes entries is fenced by its token.
            Err(error) => tracing::warn!(%error, "cannot keep the maintenance lock"),
        }
    }
}

/// Creates partitions for bodies to come, deletes expired tombstones and events, removes feeds that were deleted 30 days ago,
/// and sweeps unreferenced blobs. Expiry is judged by the retention clock, which does not leap.
pub async fn tidy_up(engine: &Engine, now: Timestamp) -> Result<(), EngineError> {
    make_ranges(engine).await?;
    engine.store.analyse_if_grown().await?;
    let last = moment(engine.store.setting(RETENTION_CLOCK).await?);
    let Some(now) = policy::retention_clock(now, last) else { return Ok(()) };
    engine.store.forget_tombstones(now).await?;
    engine.store.forget_events(now - KEEP_EVENTS).await?;
    engine.store.forget_rollups(now - policy::rollup::KEPT, now - KEEP_FLUSHES).await?;
    if let Some(lock) = engine.store.take_lock(LOCK, &engine.worker, engine.now(), LASTING).await? {
        purge_due(engine, &lock, now).await?;
    }
    let live = |keys| async { engine.store.unscoped().live_blobs(keys).await.map_err(EngineError::from) };
    let swept = engine.blobs.sweep(now, live).await?;
    tracing::info!(seen = swept.seen, deleted = swept.deleted, bytes = swept.bytes, "orphaned blobs swept");
    Ok(())
}

/// Creates the partitions of entry_bodies ahead. If the table is locked it is done an hour later; until then bodies go to
/// the default partition.
async fn make_ranges(engine: &Engine) -> Result<(), EngineError> {
    let store = &engine.store;
    let (ranges, last) = (store.body_ranges().await?, store.last_entry().await?);
    for new in policy::ranges_ahead(&ranges, last, engine.options.maintenance.body_range, RANGES_AHEAD) {
        let made = if new.late {
            store.adopt_body_range(new.from, new.to).await?
        } else {
            store.make_body_range(new.from, new.to).await?
        };
        if made == LockAttempt::Busy {
            tracing::info!(from = new.from.0, "entry_bodies is locked; partition creation postponed");
            return Ok(());
        }
        tracing::info!(from = new.from.0, to = new.to.0, late = new.late, "a range for bodies was made");
    }
    Ok(())
}
