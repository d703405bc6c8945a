//! Health: what an operator should know before users do. A job of `upkeep`, every five minutes.
//!
//! A warning is logged when it begins and when it is over, not in between, and is kept as a setting (`HEALTH_WARNING`), where
//! `GET /api/health` and the reader find it. It names no paths and no addresses: strangers may ask.

use crate::engine::Engine;
use crate::error::EngineError;
use crate::upkeep::retain::{LAST_CLEANUP, moment};
use jiff::{SignedDuration, Timestamp};
use std::path::Path;
use store::HEALTH_WARNING;

/// Checks the installation and stores the warning, one sentence for each problem.
pub async fn check_health(engine: &Engine, now: Timestamp) -> Result<Option<String>, EngineError> {
    let store = &engine.store;
    // If the database does not answer, the caller must report that: it cannot be stored.
    store.ping().await?;
    let troubles = troubles(engine, now).await?;
    let warning = (!troubles.is_empty()).then(|| troubles.join("; "));
    let before = store.setting(HEALTH_WARNING).await?;
    match (&before, &warning) {
        (before, Some(warning)) if before.as_ref() != Some(warning) => {
            tracing::warn!(warning, "not everything is well");
            store.set_setting(HEALTH_WARNING, warning, now).await?;
        }
        (Some(before), None) => {
            tracing::info!(was = before, "everything is well again");
            store.delete_setting(HEALTH_WARNING).await?;
        }
        _ => {}
    }
    Ok(warning)
}

async fn troubles(engine: &Engine, now: Timestamp) -> Result<Vec<String>, EngineError> {
    let options = &engine.options.maintenance;
    let mut troubles = Vec::new();
    let free = options.data.as_deref().and_then(free_bytes);
    if free.is_some_and(|free| free < options.min_free_bytes) {
        troubles.push(format!("less than {} of the disk with the data is free", size(options.min_free_bytes)));
    }
    if let Some(limit) = options.max_db_bytes
        && engine.store.size_bytes().await? > limit
    {
        troubles.push(format!("the database is larger than {}", size(limit)));
    }
    if let Err(error) = engine.blobs.check().await {
        // The text of the error names paths.
        tracing::debug!(%error, "the raw bytes cannot be written");
        troubles.push("the raw bytes of visits cannot be written".to_owned());
    }
    let last = moment(engine.store.setting(LAST_CLEANUP).await?);
    if policy::retention_clock(now, None).is_none() {
        troubles.push("the clock is not set".to_owned());
    } else if last.is_some_and(|last| last.duration_since(now) > SignedDuration::from_hours(24)) {
        troubles.push("the clock has been set back by more than a day".to_owned());
    }
    Ok(troubles)
}

/// Free for us on the disk of a path; unknown where the system does not say.
pub fn free_bytes(path: &Path) -> Option<u64> {
    let disk = rustix::fs::statvfs(path).ok()?;
    Some(disk.f_bavail.saturating_mul(disk.f_frsize))
}

/// In whole units, for people: the text must not change with every byte.
fn size(bytes: u64) -> String {
    match bytes {
        0..1_000_000 => format!("{} kB", bytes / 1000),
        1_000_000..10_000_000_000 => format!("{} MB", bytes / 1_000_000),
        _ => format!("{} GB", bytes / 1_000_000_000),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_for_people() {
        let told = [0, 999_999, 100_000_000, 1 << 30, 50_000_000_000].map(size);
        assert_eq!(told, ["0 kB", "999 kB", "100 MB", "1073 MB", "50 GB"]);
    }
}
