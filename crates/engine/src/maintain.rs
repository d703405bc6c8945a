//! Maintenance: jobs that one process does at a time, one after the other, under a lock that expires.

use crate::engine::Engine;
use crate::error::EngineError;
use crate::run::Stop;
use jiff::{SignedDuration, Timestamp};
use std::time::Duration;

const LOCK: &str = "maintenance";
const LASTING: SignedDuration = SignedDuration::from_secs(60);
const HEARTBEAT: Duration = Duration::from_secs(20);
const EVERY: SignedDuration = SignedDuration::from_hours(1);
/// Events are kept at least this long, so that a consumer that was away can catch up.
const KEEP_EVENTS: SignedDuration = SignedDuration::from_hours(7 * 24);

/// Holds the lock while it can and does the jobs when they are due, until told to stop.
pub async fn maintain(engine: Engine, mut stop: Stop) {
    let mut last: Option<Timestamp> = None;
    while !*stop.borrow() {
        let now = engine.now();
        match engine.store.take_lock(LOCK, &engine.worker, now, LASTING).await {
            Ok(Some(_)) if last.is_none_or(|last| now.duration_since(last) >= EVERY) => {
                last = Some(now);
                if let Err(error) = tidy_up(&engine, now).await {
                    tracing::warn!(%error, "maintenance failed; it is tried again in an hour");
                }
            }
            Ok(_) => {}
            Err(error) => tracing::warn!(%error, "cannot take the maintenance lock"),
        }
        tokio::select! {
            _ = stop.changed() => {}
            () = tokio::time::sleep(HEARTBEAT) => {}
        }
    }
    // If it cannot be released, it expires.
    let _ = engine.store.release_lock(LOCK, &engine.worker).await;
}

/// Forgets what has served its time and sweeps the blobs nobody refers to.
pub async fn tidy_up(engine: &Engine, now: Timestamp) -> Result<(), EngineError> {
    engine.store.forget_tombstones(now).await?;
    engine.store.forget_events(now - KEEP_EVENTS).await?;
    let live = |keys| async { engine.store.live_blobs(keys).await.map_err(EngineError::from) };
    let swept = engine.blobs.sweep(now, live).await?;
    tracing::info!(seen = swept.seen, deleted = swept.deleted, bytes = swept.bytes, "orphaned blobs swept");
    Ok(())
}
