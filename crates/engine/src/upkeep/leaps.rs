//! A clock that was ahead for a while: noticed when work begins, and the times that it wrote are moved back once.
//!
//! The worker and upkeep check it first. How the times are moved is in `store/src/leaps.rs` (`docs/notes/clock-leaps.md`).

use crate::engine::Engine;
use crate::upkeep::retain::RETENTION_CLOCK;
use jiff::{SignedDuration, Timestamp};
use store::{ClockCheck, StoreError};

const DAY: SignedDuration = SignedDuration::from_hours(24);

/// Compares the clock with the latest time that was written, and logs if times had to be moved back. A clock that was never
/// set moves nothing.
pub async fn check_clock(engine: &Engine) -> Result<ClockCheck, StoreError> {
    let now = engine.now();
    if policy::retention_clock(now, None).is_none() {
        return Ok(ClockCheck::Fine);
    }
    begin_retention_clock(engine, now).await?;
    let check = engine.store.check_clock(now, engine.options.pace.spacing).await?;
    if let ClockCheck::Repaired { latest, feeds, groups } = check {
        tracing::warn!(
            clock = %now,
            %latest,
            feeds,
            groups,
            "the clock is behind what was written: times that were ahead of it are reckoned from now"
        );
    }
    Ok(check)
}

/// Before the first cleanup there is no retention clock. If the clock is more than a day ahead of the last check, ages are
/// counted from that check on, so that a leap makes nothing old.
async fn begin_retention_clock(engine: &Engine, now: Timestamp) -> Result<(), StoreError> {
    let Some(latest) = engine.store.latest_clock().await? else { return Ok(()) };
    if now.duration_since(latest) > DAY && engine.store.setting(RETENTION_CLOCK).await?.is_none() {
        engine.store.set_setting(RETENTION_CLOCK, &latest.to_string(), now).await?;
    }
    Ok(())
}
