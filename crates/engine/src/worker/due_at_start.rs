//! A single run, for `courant fetch`: every feed that is due when it begins is visited once, also those that wait for their
//! rate group. Then it ends, however many feeds came due meanwhile.

use crate::engine::Engine;
use crate::error::EngineError;
use crate::upkeep::leaps::check_clock;
use crate::worker::budget::measure_budget;
use crate::worker::{LoopStep, Tally, Worker};
use jiff::{SignedDuration, Timestamp};
use model::FeedId;
use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use store::StoreError;
use tokio::task::JoinSet;
use tokio::time::Instant;
use work::Stop;

/// Between two reports of progress.
const TELL: Duration = Duration::from_millis(250);
/// A feed that was put off for longer than this is not waited for.
const SOON: SignedDuration = SignedDuration::from_mins(2);

/// Visits every feed that is due, then ends; ends at once while storage fails or our own network is away. `progress` is
/// called now and then with the number of feeds that are left.
pub async fn run_once(engine: Engine, mut stop: Stop, progress: impl Fn(usize, &Tally)) -> Result<Tally, EngineError> {
    let engine = engine.in_background();
    check_clock(&engine).await?;
    let due = Arc::new(DueAtStart::begin(&engine).await?);
    let worker = Worker::new(engine, Some(Arc::clone(&due)));
    measure_budget(&worker.engine).await?;
    let mut aside = JoinSet::new();
    aside.spawn(worker.keep_leases());
    let mut visits = JoinSet::new();
    let mut told = Instant::now();
    while !*stop.borrow() && due.left() > 0 {
        while visits.try_join_next().is_some() {}
        let (pause, nothing_due) = match worker.step(&mut visits).await {
            LoopStep::Begun => continue,
            LoopStep::Full(pause) => (pause, false),
            LoopStep::NothingDue(pause) => (pause, true),
        };
        if visits.is_empty() {
            due.look(&worker.engine).await?;
        }
        if visits.is_empty() || told.elapsed() >= TELL {
            told = Instant::now();
            progress(due.left(), &worker.tally());
        }
        if visits.is_empty() && (due.left() == 0 || worker.is_paused()) {
            break;
        }
        tokio::select! {
            _ = stop.changed() => {}
            () = tokio::time::sleep(pause.min(worker.engine.options.idle)) => {}
            () = worker.free.notified(), if !nothing_due => {}
            () = worker.groups.ready.notified(), if !worker.is_paused() => {}
            // While there is more to claim, a visit that ends need not wake the loop.
            Some(_) = visits.join_next(), if nothing_due => {}
        }
    }
    // Visits that came due meanwhile and are in progress are not cut off.
    while !*stop.borrow() && !visits.is_empty() {
        tokio::select! {
            _ = stop.changed() => {}
            _ = visits.join_next() => {}
        }
    }
    worker.end(visits).await;
    match (worker.storage.why(), worker.cut_off()) {
        (Some(why), _) => Err(EngineError::NotKept(why)),
        (None, Some(why)) => Err(EngineError::CutOff(why)),
        (None, None) => Ok(worker.tally()),
    }
}

/// Which feeds a single run is for.
pub(crate) struct DueAtStart {
    since: Timestamp,
    feeds: Mutex<HashSet<FeedId>>,
    /// Whether all of them were claimed once: those that are left were put off.
    claimed_all: AtomicBool,
}

impl DueAtStart {
    async fn begin(engine: &Engine) -> Result<Self, StoreError> {
        let since = engine.now();
        let feeds = engine.store.unscoped().due_feeds(since).await?.into_iter().collect();
        Ok(Self { since, feeds: Mutex::new(feeds), claimed_all: AtomicBool::new(false) })
    }

    /// Feeds due by this moment are claimed: at first only those that were due at the start.
    pub(crate) fn due_by(&self, now: Timestamp) -> Timestamp {
        if self.claimed_all.load(Ordering::Relaxed) { now } else { self.since }
    }

    pub(crate) fn claimed_all(&self) {
        self.claimed_all.store(true, Ordering::Relaxed);
    }

    pub(crate) fn visited(&self, feed: FeedId) {
        self.lock().remove(&feed);
    }

    fn left(&self) -> usize {
        self.lock().len()
    }

    /// Forgets those that another process has visited, or that were put off for long.
    async fn look(&self, engine: &Engine) -> Result<(), StoreError> {
        let feeds: Vec<FeedId> = self.lock().iter().copied().collect();
        let waiting = engine.store.unscoped().waiting(feeds, self.since, engine.now() + SOON).await?;
        *self.lock() = waiting.into_iter().collect();
        Ok(())
    }

    fn lock(&self) -> MutexGuard<'_, HashSet<FeedId>> {
        self.feeds.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
