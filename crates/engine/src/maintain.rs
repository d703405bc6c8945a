//! Maintenance: jobs that one process does at a time, one after the other, under a lock that expires.
//!
//! Hourly: what expires by itself (`tidy_up`). Every five minutes: `health`. Daily, over all processes: `retain`.

use crate::engine::Engine;
use crate::error::EngineError;
use crate::health::check_health;
use crate::retain::{LAST_CLEANUP, RETENTION_CLOCK, Retained, Wish, moment, retain_holding};
use crate::run::Stop;
use jiff::{SignedDuration, Timestamp};
use std::pin::pin;
use std::time::Duration;

pub(crate) const LOCK: &str = "maintenance";
pub(crate) const LASTING: SignedDuration = SignedDuration::from_secs(60);
const HEARTBEAT: Duration = Duration::from_secs(20);
const TIDY_EVERY: SignedDuration = SignedDuration::from_hours(1);
const HEALTH_EVERY: SignedDuration = SignedDuration::from_mins(5);
/// A cleanup that failed is tried again after this.
const RETRY: SignedDuration = SignedDuration::from_hours(1);
/// Events are kept at least this long, so that a consumer that was away can catch up.
const KEEP_EVENTS: SignedDuration = SignedDuration::from_hours(7 * 24);

/// Holds the lock while it can and does the jobs when they are due, until told to stop.
pub async fn maintain(engine: Engine, mut stop: Stop) {
    let mut jobs = Jobs::default();
    while !*stop.borrow() {
        match engine.store.take_lock(LOCK, &engine.worker, engine.now(), LASTING).await {
            Ok(Some(_)) => {
                let turn = under_lock(&engine, jobs.turn(&engine));
                tokio::select! {
                    // What is not done is not lost: every job is made of small steps and can begin again.
                    _ = stop.changed() => {}
                    _ = turn => {}
                }
            }
            Ok(None) => {}
            Err(error) => tracing::warn!(%error, "cannot take the maintenance lock"),
        }
        if *stop.borrow() {
            break;
        }
        tokio::select! {
            _ = stop.changed() => {}
            () = tokio::time::sleep(HEARTBEAT) => {}
        }
    }
    // If it cannot be released, it expires.
    let _ = engine.store.release_lock(LOCK, &engine.worker).await;
}

/// When this process last did what.
#[derive(Default)]
struct Jobs {
    tidied: Option<Timestamp>,
    checked: Option<Timestamp>,
    cleaned: Option<Timestamp>,
}

impl Jobs {
    /// Does what is due, one after the other.
    async fn turn(&mut self, engine: &Engine) {
        let now = engine.now();
        if is_due(now, self.checked, HEALTH_EVERY) {
            self.checked = Some(now);
            if let Err(error) = check_health(engine, now).await {
                tracing::warn!(%error, "cannot look whether everything is well");
            }
        }
        if is_due(now, self.cleaned, RETRY) {
            match clean_up_if_due(engine, now).await {
                Ok(done) => self.cleaned = done.then_some(now),
                Err(error) => {
                    self.cleaned = Some(now);
                    tracing::warn!(%error, "the cleanup failed; it is tried again in an hour");
                }
            }
        }
        if is_due(now, self.tidied, TIDY_EVERY) {
            self.tidied = Some(now);
            if let Err(error) = tidy_up(engine, now).await {
                tracing::warn!(%error, "maintenance failed; it is tried again in an hour");
            }
        }
    }
}

/// A clock that was set back makes nothing wait.
fn is_due(now: Timestamp, last: Option<Timestamp>, every: SignedDuration) -> bool {
    last.is_none_or(|last| now.duration_since(last) >= every || now < last)
}

/// Cleans up if nobody has today and nobody is at it; says whether it did. Keeps the lock.
pub async fn clean_up_if_due(engine: &Engine, now: Timestamp) -> Result<bool, EngineError> {
    let last = moment(engine.store.setting(LAST_CLEANUP).await?);
    if !policy::is_cleanup_due(now, engine.options.maintenance.cleanup_hour, last) {
        return Ok(false);
    }
    let Some(lock) = engine.store.take_lock(LOCK, &engine.worker, now, LASTING).await? else { return Ok(false) };
    Ok(matches!(retain_holding(engine, now, Wish::default(), Some(&lock)).await?, Retained::Done(_)))
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
            // Whether it is still ours nobody knows; what deletes entries is fenced.
            Err(error) => tracing::warn!(%error, "cannot keep the maintenance lock"),
        }
    }
}

/// Forgets what has served its time and sweeps the blobs nobody refers to. Like ages, times of expiry are judged by a
/// clock that does not leap.
pub async fn tidy_up(engine: &Engine, now: Timestamp) -> Result<(), EngineError> {
    let last = moment(engine.store.setting(RETENTION_CLOCK).await?);
    let Some(now) = policy::retention_clock(now, last) else { return Ok(()) };
    engine.store.forget_tombstones(now).await?;
    engine.store.forget_events(now - KEEP_EVENTS).await?;
    let live = |keys| async { engine.store.live_blobs(keys).await.map_err(EngineError::from) };
    let swept = engine.blobs.sweep(now, live).await?;
    tracing::info!(seen = swept.seen, deleted = swept.deleted, bytes = swept.bytes, "orphaned blobs swept");
    Ok(())
}
