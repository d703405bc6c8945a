//! The worker's loop: claim what is due, keep the appointments, refresh.
//!
//! Stopping is prompt: nothing new is claimed, visits in progress get a few seconds, the rest is handed back. A failure of
//! the store or the blobs does not end the loop: it is logged once and fetching pauses, because a visit whose result
//! cannot be stored is rude to its publisher.

pub(crate) mod budget;
pub(crate) mod due_at_start;
pub(crate) mod group_queue;

use crate::engine::Engine;
use crate::error::{EngineError, report};
use crate::redacted::Redacted;
use crate::rollups::{flush_rollups, keep_flushing};
use crate::upkeep::leaps::check_clock;
use crate::visit::Going;
use crate::visit::refresh::{Refreshed, decide, span, write};
use crate::worker::budget::keep_measuring;
use crate::worker::due_at_start::DueAtStart;
use crate::worker::group_queue::{GroupPermit, GroupQueue};
use jiff::{SignedDuration, Timestamp};
use model::FeedId;
use model::lease::Lease;
use model::visit::VisitResult;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use store::{Appointment, StoreError};
use tokio::sync::{Notify, mpsc};
use tokio::task::JoinSet;
use tokio::time::Instant;
use tracing::Instrument as _;
use work::{Aim, GRACE, HeldLeases, Lanes, LeaseStore, Part, Permit, REST, Speed, Stop, StorageGate, catch_panic};

/// Feeds claimed at once: enough to be worth a round trip, few enough to leave some for other workers.
const CLAIM: usize = 64;
/// Between two claims while hardly any permit is free.
const BREATH: Duration = Duration::from_millis(20);
/// A failing feed that found the slow lane full is due again after this.
const CROWDED: SignedDuration = SignedDuration::from_secs(30);

/// Visits feeds until it is told to stop, then hands back its leases.
pub async fn run(engine: Engine, mut stop: Stop) {
    let engine = engine.in_background();
    if let Err(error) = check_clock(&engine).await {
        tracing::warn!(%error, "cannot compare the clock with what was written");
    }
    let worker = Worker::new(engine, None);
    // In a set, so that they end with this loop, however it ends.
    let mut aside = JoinSet::new();
    aside.spawn(worker.keep_leases());
    aside.spawn(keep_measuring(worker.engine.clone()));
    aside.spawn(keep_flushing(worker.engine.clone()));
    let mut visits = JoinSet::new();
    while !*stop.borrow() {
        while visits.try_join_next().is_some() {}
        let (pause, nothing_due) = match worker.step(&mut visits).await {
            LoopStep::Begun => continue,
            LoopStep::Full(pause) => (pause, false),
            LoopStep::NothingDue(pause) => (pause, true),
        };
        tokio::select! {
            _ = stop.changed() => {}
            () = tokio::time::sleep(pause) => {}
            () = worker.free.notified(), if !nothing_due => {}
            () = worker.groups.ready.notified(), if !worker.is_paused() => {}
        }
    }
    worker.end(visits).await;
}

/// The results of many visits, counted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tally {
    /// Feeds with a new document.
    pub fresh: u64,
    /// Feeds where nothing changed.
    pub unchanged: u64,
    /// Visits that failed, or were asked to come later.
    pub failed: u64,
    /// Entries not seen before.
    pub new_entries: u64,
    /// Entries that say something else than before.
    pub changed_entries: u64,
}

impl Tally {
    fn add(&mut self, done: &Refreshed) {
        match done.result {
            VisitResult::Fresh => self.fresh += 1,
            VisitResult::Unchanged => self.unchanged += 1,
            VisitResult::Gone | VisitResult::Busy | VisitResult::Failed => self.failed += 1,
            VisitResult::Deferred => {}
        }
        self.new_entries += done.new.len() as u64;
        self.changed_entries += done.changed as u64;
    }
}

/// What the loop does next.
pub(crate) enum LoopStep {
    /// Visits were begun, and there may be more: look again.
    Begun,
    /// Too few permits are free, or fetching is paused: look again after this, or when notified.
    Full(Duration),
    /// Nothing is due: look again after this.
    NothingDue(Duration),
}

/// What the loop and its visits share.
pub(crate) struct Worker {
    pub(crate) engine: Engine,
    /// The feeds of a single run; without it, all that come due.
    due_at_start: Option<Arc<DueAtStart>>,
    lanes: Lanes,
    /// Feeds whose rate group was full.
    pub(crate) groups: GroupQueue,
    held: HeldLeases<FeedId>,
    pub(crate) storage: StorageGate,
    tally: Mutex<Tally>,
    /// Gets every visit that was written, if somebody wants them.
    visited: Option<Visited>,
    claimed: Mutex<Option<Instant>>,
    /// Notified when enough permits are free for another claim: waking the loop costs as much as a small visit.
    pub(crate) free: Notify,
}

impl Worker {
    pub(crate) fn new(engine: Engine, due_at_start: Option<Arc<DueAtStart>>) -> Arc<Self> {
        Arc::new(Self::reporting(engine, due_at_start, None))
    }

    fn reporting(engine: Engine, due_at_start: Option<Arc<DueAtStart>>, visited: Option<Visited>) -> Self {
        let figures = Arc::clone(&engine.figures);
        Self {
            storage: StorageGate::pausing("fetching").reporting(move |part| figures.storage_failing(part)),
            lanes: Lanes::new(engine.options.concurrency),
            groups: GroupQueue::default(),
            held: HeldLeases::default(),
            tally: Mutex::default(),
            claimed: Mutex::default(),
            free: Notify::new(),
            visited,
            due_at_start,
            engine,
        }
    }

    /// Renews the leases of this worker, for ever.
    pub(crate) fn keep_leases(&self) -> impl Future<Output = ()> + Send + 'static {
        let lease = self.engine.options.lease.try_into().unwrap_or(Duration::from_mins(2));
        self.held.clone().keep(FeedLeases(self.engine.clone()), lease)
    }

    fn fail(&self, error: &EngineError) {
        let part = if matches!(error, EngineError::Blobs(_)) { Part::Blobs } else { Part::Store };
        self.storage.close(part, &report(error));
    }

    pub(crate) fn tally(&self) -> Tally {
        *self.tally.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Why our own network is considered to be away, if it is.
    pub(crate) fn cut_off(&self) -> Option<String> {
        self.engine.memory.outage(self.engine.now())
    }

    /// Whether storage fails, or our own network is away.
    pub(crate) fn is_paused(&self) -> bool {
        self.storage.is_closed() || self.cut_off().is_some()
    }

    /// Gives visits in progress a few seconds, and hands back the rest.
    pub(crate) async fn end(&self, mut visits: JoinSet<()>) {
        let finish = async { while visits.join_next().await.is_some() {} };
        if tokio::time::timeout(GRACE, finish).await.is_err() {
            visits.shutdown().await;
        }
        self.held.hand_back(&FeedLeases(self.engine.clone())).await;
        if let Err(error) = flush_rollups(&self.engine).await {
            tracing::warn!(%error, "the sums of the last visits are lost");
        }
        // So that the next process can tell whether the clock was set back.
        let _ = check_clock(&self.engine).await;
    }

    /// Begins visits of feeds that are due, as many as there are permits.
    pub(crate) async fn step(self: &Arc<Self>, visits: &mut JoinSet<()>) -> LoopStep {
        let free = self.lanes.free().min(CLAIM);
        if let Some(soon) = self.not_yet(free) {
            return LoopStep::Full(soon);
        }
        if self.storage.is_resting() {
            return LoopStep::Full(REST);
        }
        if free == 0 {
            return LoopStep::Full(self.engine.options.idle);
        }
        // The blobs are asked directly: a visit without a body would not show whether they work again.
        if self.storage.is_failing(Part::Blobs) {
            if let Err(error) = self.engine.blobs.check().await {
                self.fail(&error.into());
                return LoopStep::Full(REST);
            }
            self.storage.open();
        }
        // While fetching is paused, one feed at a time shows whether that is over.
        let aim = if self.is_paused() { Aim::Probe } else { Aim::Work };
        *self.claimed.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
        let leases = match self.claim(aim, free).instrument(tracing::debug_span!("claim")).await {
            Ok(Claimed { going, put_off: 0, .. }) if going.is_empty() => {
                self.due_at_start.iter().for_each(|due| due.claimed_all());
                going
            }
            Ok(claimed) => claimed.going,
            Err(error) => {
                self.fail(&error.into());
                return LoopStep::Full(REST);
            }
        };
        if leases.is_empty() {
            self.storage.succeeded(aim);
            return LoopStep::NothingDue(self.until_next_due().await);
        }
        let mut crowded = Vec::new();
        for lease in leases {
            match self.lanes.take(speed(&lease)) {
                Some(permit) => {
                    self.held.add(lease.feed, lease.token);
                    let span = span(&lease);
                    visits.spawn(Arc::clone(self).visit(lease, permit, aim).instrument(span));
                }
                None => crowded.push(lease),
            }
        }
        if !crowded.is_empty() {
            let put_back = self.engine.store.put_back(&crowded, self.engine.now() + CROWDED).await;
            put_back.unwrap_or_else(|error| self.fail(&error.into()));
        }
        if aim == Aim::Probe { LoopStep::Full(REST) } else { LoopStep::Begun }
    }

    /// Claims up to `free` feeds, among them those whose rate group has room again.
    async fn claim(&self, aim: Aim, free: usize) -> Result<Claimed, StoreError> {
        let now = self.engine.now();
        let due_by = self.due_at_start.as_ref().map_or(now, |due| due.due_by(now));
        self.wake(due_by).await?;
        self.groups.claim_begins();
        let mut claimed = claim(&self.engine, due_by, if aim == Aim::Probe { 1 } else { free }).await;
        let full = claimed.as_mut().map(|claimed| std::mem::take(&mut claimed.full)).unwrap_or_default();
        self.groups.claim_ended(full);
        claimed
    }

    /// Makes feeds due that waited for room in their rate group. Where one of them is gone, the next one gets its turn.
    async fn wake(&self, due_by: Timestamp) -> Result<(), StoreError> {
        loop {
            let ready = self.groups.take_ready();
            if ready.is_empty() {
                return Ok(());
            }
            let feeds: Vec<FeedId> = ready.iter().map(|(_, feed)| *feed).collect();
            let woken = self.engine.store.wake(&feeds, due_by).await?;
            ready.iter().filter(|(_, feed)| !woken.contains(feed)).for_each(|(group, _)| self.groups.left(group));
        }
    }

    async fn visit(self: Arc<Self>, lease: Lease, permit: Permit, aim: Aim) {
        let _under_way = self.engine.figures.begin();
        let group_place = GroupPermit::new(&self.groups, &lease.dossier.rate_group);
        let going = Going { place: Some(group_place), ..Going::default() };
        let decide = decide(&self.engine, &lease, &going);
        let (decided, unwritten) = self.lanes.run(permit, &going.large, || self.notify_free(), decide).await;
        self.notify_free();
        let written = match decided {
            Ok(decided) => catch_panic(Box::pin(write(&self.engine, &lease, decided))).await,
            Err(error) => Ok(Err(error)),
        };
        match written {
            Ok(result) => self.report(&lease, aim, result),
            Err(why) => {
                let (feed, url) = (lease.feed.0, Redacted(&lease.dossier.url));
                self.engine.figures.visit_panicked();
                self.due_at_start.iter().for_each(|due| due.visited(lease.feed));
                tracing::error!(feed.id = feed, %url, why, "visit panicked while it was written");
            }
        }
        // However it ended: a lease that is renewed for ever keeps the feed from all workers.
        self.held.remove(lease.feed, lease.token);
        drop((unwritten, going));
        self.notify_free();
    }

    /// Wakes the loop if another claim is worth it and fetching is not paused.
    fn notify_free(&self) {
        if self.not_yet(self.lanes.free()).is_none() && !self.is_paused() {
            self.free.notify_one();
        }
    }

    /// How long the next claim has to wait: while few permits are free, a claim for them would cost as much as one for all.
    fn not_yet(&self, free: usize) -> Option<Duration> {
        let worth = CLAIM.min(self.engine.options.concurrency as usize) * 3 / 4;
        let since = self.claimed.lock().unwrap_or_else(PoisonError::into_inner).map(|at| at.elapsed());
        since.filter(|_| free < worth).and_then(|since| BREATH.checked_sub(since)).filter(|wait| !wait.is_zero())
    }

    async fn until_next_due(&self) -> Duration {
        let idle = self.engine.options.idle;
        match self.engine.store.next_due().await {
            Ok(Some(at)) => {
                let wait = at.duration_since(self.engine.now()).max(SignedDuration::ZERO);
                wait.try_into().unwrap_or(idle).clamp(Duration::from_millis(10), idle)
            }
            Ok(None) => idle,
            Err(_) => REST,
        }
    }

    fn report(&self, lease: &Lease, aim: Aim, result: Result<Refreshed, EngineError>) {
        let (feed, url) = (lease.feed.0, Redacted(&lease.dossier.url));
        match result {
            Ok(done) => {
                self.storage.succeeded(aim);
                self.tally.lock().unwrap_or_else(PoisonError::into_inner).add(&done);
                self.visited.iter().for_each(|visited| drop(visited.send((lease.feed, done.clone()))));
                if done.result != VisitResult::Deferred {
                    self.due_at_start.iter().for_each(|due| due.visited(lease.feed));
                }
                let before = lease.dossier.history.interval;
                tracing::info!(
                    feed.id = feed,
                    %url,
                    result = done.result.as_str(),
                    status = done.status,
                    took_ms = done.took.as_millis() as i64,
                    new = done.new.len(),
                    changed = done.changed,
                    error = done.error.as_deref().map(|error| tracing::field::display(Redacted(error))),
                    problems = done.problems.as_deref().map(|problems| tracing::field::display(Redacted(problems))),
                    interval_before_s = before.as_secs(),
                    interval_s = done.interval.as_secs(),
                    because = done.because.as_str(),
                    reason = %Redacted(&done.reason),
                    "visited"
                );
            }
            Err(EngineError::Store(StoreError::LeaseLost { .. })) => {
                self.engine.figures.lease_lost();
                tracing::warn!(feed.id = feed, %url, worker = %self.engine.worker, "the lease was lost: nothing was written");
            }
            Err(error) => self.fail(&error),
        }
    }
}

/// Where written visits are sent.
type Visited = mpsc::UnboundedSender<(FeedId, Refreshed)>;

/// Visits what is due until nothing is; returns what came of each visit. Feeds whose slots are later are not waited for.
pub async fn run_until_idle(engine: Engine) -> Result<Vec<(FeedId, Refreshed)>, EngineError> {
    let (send, mut visited) = mpsc::unbounded_channel();
    let worker = Arc::new(Worker::reporting(engine, None, Some(send)));
    let mut visits = JoinSet::new();
    loop {
        match worker.step(&mut visits).await {
            LoopStep::Begun => {}
            LoopStep::Full(_) | LoopStep::NothingDue(_) if visits.is_empty() => break,
            LoopStep::Full(_) | LoopStep::NothingDue(_) => drop(visits.join_next().await),
        }
    }
    worker.end(visits).await;
    if let Some(why) = worker.storage.why() {
        return Err(EngineError::NotKept(why));
    }
    Ok(std::iter::from_fn(|| visited.try_recv().ok()).collect())
}

/// How fast a visit is expected to be.
fn speed(lease: &Lease) -> Speed {
    if lease.dossier.history.failures > 0 { Speed::Slow } else { Speed::Usual }
}

/// How the leases of feeds are renewed and handed back.
struct FeedLeases(Engine);

impl LeaseStore for FeedLeases {
    type Key = FeedId;
    const WHAT: &'static str = "feeds";

    async fn renew(&self, leases: &[(FeedId, i64)]) -> Result<Vec<FeedId>, StoreError> {
        let Self(engine) = self;
        let now = engine.now();
        engine.store.renew(&engine.worker, leases, now + engine.options.lease, now).await
    }

    async fn hand_back(&self, leases: &[(FeedId, i64)]) -> Result<(), StoreError> {
        self.0.store.hand_back(leases, self.0.now()).await
    }
}

/// The result of a claim.
#[derive(Default)]
struct Claimed {
    /// Leases of visits that go now, with their slots.
    going: Vec<Lease>,
    /// Feeds that go later.
    put_off: usize,
    /// Those of them whose rate group was full.
    full: Vec<(String, FeedId)>,
}

/// Claims feeds that are due by a moment and makes their appointments.
async fn claim(engine: &Engine, due_by: Timestamp, limit: usize) -> Result<Claimed, StoreError> {
    let now = engine.now();
    let mut leases =
        engine.store.unscoped().claim_due(&engine.worker, due_by, now + engine.options.lease, limit as u32).await?;
    if leases.is_empty() {
        return Ok(Claimed::default());
    }
    let claimed = leases.len();
    let mut paces = HashMap::with_capacity(leases.len());
    for lease in &mut leases {
        // Looked up each time: an operator may have changed the patterns since the feed was added.
        if let Some((group, pace)) = engine.group(&lease.dossier.url) {
            lease.dossier.rate_group = group.name;
            paces.insert(lease.feed, pace);
        }
    }
    let pace = |lease: &Lease| paces.get(&lease.feed).copied().unwrap_or(engine.options.pace);
    let appointments = engine.store.appoint(&leases, now, pace).await?;
    let mut full = Vec::new();
    let going = leases.into_iter().zip(appointments).filter_map(|(lease, appointment)| match appointment {
        Appointment::At(at) => Some(Lease { slot: Some(at), ..lease }),
        Appointment::Full(_) => {
            full.push((lease.dossier.rate_group, lease.feed));
            None
        }
        Appointment::Later(_) | Appointment::Lost => None,
    });
    let going: Vec<Lease> = going.collect();
    Ok(Claimed { put_off: claimed - going.len(), going, full })
}
