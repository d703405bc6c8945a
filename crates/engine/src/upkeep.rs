//! Maintenance: jobs that one process does at a time, one after the other, under a lock that expires.
//!
//! Hourly: what expires by itself (`tidy_up`). Every five minutes: `health`. Daily, over all processes: `retain`.

pub(crate) mod health;
pub(crate) mod index;
pub(crate) mod leaps;
pub(crate) mod purge;
pub(crate) mod retain;

use crate::engine::Engine;
use crate::error::EngineError;
use crate::upkeep::health::check_health;
use crate::upkeep::leaps::check_clock;
use crate::upkeep::purge::purge_due;
use crate::upkeep::retain::{LAST_CLEANUP, RETENTION_CLOCK, Retained, Wish, moment, retain_holding};
use crate::worker::Stop;
use jiff::{SignedDuration, Timestamp};
use std::pin::pin;
use std::time::Duration;
use store::LockAttempt;

/// Who looks after everything: so that jobs are not done once per process.
const LEAD: &str = "maintenance";
/// Who does a job right now. HeldLeases only meanwhile, so that a command can do one beside a server.
pub(crate) const LOCK: &str = "maintenance.job";
pub(crate) const LASTING: SignedDuration = SignedDuration::from_secs(60);
const HEARTBEAT: Duration = Duration::from_secs(20);
const TIDY_EVERY: SignedDuration = SignedDuration::from_hours(1);
const CLOCK_EVERY: SignedDuration = SignedDuration::from_mins(5);
const HEALTH_EVERY: SignedDuration = SignedDuration::from_mins(5);
/// A cleanup that failed is tried again after this.
const RETRY: SignedDuration = SignedDuration::from_hours(1);
/// Events are kept at least this long, so that a consumer that was away can catch up.
const KEEP_EVENTS: SignedDuration = SignedDuration::from_hours(7 * 24);

/// So many ranges of bodies wait for entries: more than arrive from one hour to the next.
const RANGES_AHEAD: u32 = 2;

/// Looks after everything while nobody else does: does the jobs when they are due, until told to stop.
pub async fn maintain(engine: Engine, mut stop: Stop) {
    let mut jobs = Jobs::default();
    let mut failing = false;
    while !*stop.borrow() {
        let done = tokio::select! {
            // What is not done is not lost: every job is made of small steps and can begin again.
            _ = stop.changed() => break,
            done = jobs.turn(&engine) => done,
        };
        // When it starts to fail, not at every heartbeat.
        if let (Err(error), false) = (&done, failing) {
            tracing::warn!(%error, "no maintenance for now");
        }
        failing = done.is_err();
        tokio::select! {
            _ = stop.changed() => {}
            () = tokio::time::sleep(HEARTBEAT) => {}
        }
    }
    // If they cannot be released, they expire.
    let _ = engine.store.release_lock(LOCK, &engine.worker).await;
    let _ = engine.store.release_lock(LEAD, &engine.worker).await;
}

/// When this process last did what.
#[derive(Debug, Default)]
pub struct Jobs {
    clock: Option<Timestamp>,
    tidied: Option<Timestamp>,
    checked: Option<Timestamp>,
    cleaned: Option<Timestamp>,
}

/// What a turn of maintenance came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Upkeep {
    /// Another process looks after everything, or is at something.
    Others,
    /// These jobs were due, and were done.
    Done {
        /// Whether everything is well.
        check: bool,
        /// The daily cleanup.
        clean: bool,
        /// What expires by itself.
        tidy: bool,
    },
}

impl Jobs {
    /// Does what is due, if nobody else looks after it and nobody is at something.
    pub async fn turn(&mut self, engine: &Engine) -> Result<Upkeep, EngineError> {
        let (store, now) = (&engine.store, engine.now());
        // First of all: a lock that was taken by a clock that was ahead would be waited for.
        if is_due(now, self.clock, CLOCK_EVERY) {
            self.clock = Some(now);
            check_clock(engine).await?;
        }
        if store.take_lock(LEAD, &engine.worker, now, LASTING).await?.is_none() {
            return Ok(Upkeep::Others);
        }
        let check = is_due(now, self.checked, HEALTH_EVERY);
        let tidy = is_due(now, self.tidied, TIDY_EVERY);
        let clean = is_due(now, self.cleaned, RETRY) && is_cleanup_due(engine, now).await?;
        let done = Upkeep::Done { check, clean, tidy };
        if !(check || tidy || clean) {
            return Ok(done);
        }
        if store.take_lock(LOCK, &engine.worker, now, LASTING).await?.is_none() {
            return Ok(Upkeep::Others);
        }
        let jobs = async {
            if check {
                self.checked = Some(now);
                say(check_health(engine, now).await, "cannot look whether everything is well");
            }
            if clean {
                self.cleaned = Some(now);
                say(clean_up_if_due(engine, now).await, "the cleanup failed; it is tried again in an hour");
            }
            if tidy {
                self.tidied = Some(now);
                say(tidy_up(engine, now).await, "tidying up failed; it is tried again in an hour");
            }
        };
        under_lock(engine, jobs).await;
        store.release_lock(LOCK, &engine.worker).await?;
        Ok(done)
    }
}

fn say<T>(result: Result<T, EngineError>, what: &str) {
    if let Err(error) = result {
        tracing::warn!(%error, "{what}");
    }
}

/// A clock that was set back makes nothing wait.
fn is_due(now: Timestamp, last: Option<Timestamp>, every: SignedDuration) -> bool {
    last.is_none_or(|last| now.duration_since(last) >= every || now < last)
}

/// Cleans up if nobody has today and nobody is at something; says whether it did. Keeps the lock.
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
            // Whether it is still ours nobody knows; what deletes entries is fenced.
            Err(error) => tracing::warn!(%error, "cannot keep the maintenance lock"),
        }
    }
}

/// Makes room for bodies to come, forgets what has served its time, removes feeds that were deleted 30 days ago and sweeps
/// the blobs nobody refers to. Like ages,
/// times of expiry are judged by a clock that does not leap.
pub async fn tidy_up(engine: &Engine, now: Timestamp) -> Result<(), EngineError> {
    make_ranges(engine).await?;
    engine.store.analyse_if_grown().await?;
    let last = moment(engine.store.setting(RETENTION_CLOCK).await?);
    let Some(now) = policy::retention_clock(now, last) else { return Ok(()) };
    engine.store.forget_tombstones(now).await?;
    engine.store.forget_events(now - KEEP_EVENTS).await?;
    if let Some(lock) = engine.store.take_lock(LOCK, &engine.worker, engine.now(), LASTING).await? {
        purge_due(engine, &lock, now).await?;
    }
    let live = |keys| async { engine.store.live_blobs(keys).await.map_err(EngineError::from) };
    let swept = engine.blobs.sweep(now, live).await?;
    tracing::info!(seen = swept.seen, deleted = swept.deleted, bytes = swept.bytes, "orphaned blobs swept");
    Ok(())
}

/// Makes the ranges that bodies will lie in. Where somebody is in the way it is done an hour later: bodies without a range
/// lie in the rest until then.
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
