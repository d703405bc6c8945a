//! The worker's loop: claim what is due, keep the appointments, refresh.
//!
//! Stopping is prompt: nothing new is claimed, what is under way gets a moment, the rest is handed back. A failure of
//! the store or the blobs ends no loop: it is said once, and the worker rests, because a visit whose result cannot be
//! kept is rude to its publisher.

use crate::budget::{keep_measuring, measure_budget};
use crate::engine::Engine;
use crate::error::EngineError;
use crate::held::Held;
use crate::lanes::{Lanes, Place};
use crate::refresh::{Refreshed, decide, refresh, span, write};
use crate::shown::Shown;
use crate::trouble::{Aim, Part, REST, Trouble};
use crate::unbroken::unbroken;
use jiff::SignedDuration;
use model::FeedId;
use model::lease::Lease;
use model::visit::VisitResult;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use store::{Appointment, StoreError};
use tokio::sync::{Notify, watch};
use tokio::task::JoinSet;
use tokio::time::Instant;
use tracing::Instrument as _;

/// Tells loops to stop.
pub type Stop = watch::Receiver<bool>;

/// Feeds asked for in one claim: enough to fill a trip, few enough to share.
const CLAIM: usize = 64;
/// Between two looks at how many are left.
const TELL: Duration = Duration::from_millis(250);
/// Between two claims while hardly anybody is free.
const BREATH: Duration = Duration::from_millis(20);
/// What is under way gets this long after a stop.
const GRACE: Duration = Duration::from_secs(5);
/// A feed that was put off for longer than this is not waited for by a single run.
const SOON: SignedDuration = SignedDuration::from_mins(2);
/// A failing feed that found the slow lane full is due again after this.
const CROWDED: SignedDuration = SignedDuration::from_secs(30);

/// Works until told to stop, then hands back its leases.
pub async fn run(engine: Engine, mut stop: Stop) {
    let worker = Worker::new(engine);
    // In a set, so that they end with this loop, however it ends.
    let mut aside = JoinSet::new();
    aside.spawn(worker.held.clone().keep(worker.engine.clone()));
    aside.spawn(keep_measuring(worker.engine.clone()));
    let mut visits = JoinSet::new();
    while !*stop.borrow() {
        while visits.try_join_next().is_some() {}
        let (pause, nothing_due) = match worker.turn(&mut visits).await {
            Turn::Begun => continue,
            Turn::NoPlace(pause) => (pause, false),
            Turn::NothingDue(pause) => (pause, true),
        };
        tokio::select! {
            _ = stop.changed() => {}
            () = tokio::time::sleep(pause) => {}
            () = worker.places.notified(), if !nothing_due => {}
        }
    }
    worker.end(visits).await;
}

/// Visits every feed that is due once, those that wait for their turn included, and ends; at once where nothing can be
/// kept or nobody be reached. `progress` is told how many are left, now and then.
pub async fn run_once(engine: Engine, mut stop: Stop, progress: impl Fn(i64, &Tally)) -> Result<Tally, EngineError> {
    let worker = Worker::new(engine);
    let since = worker.engine.now();
    measure_budget(&worker.engine).await?;
    let mut aside = JoinSet::new();
    aside.spawn(worker.held.clone().keep(worker.engine.clone()));
    let mut visits = JoinSet::new();
    let mut told = Instant::now();
    while !*stop.borrow() {
        while visits.try_join_next().is_some() {}
        let turn = worker.turn(&mut visits).await;
        let (pause, nothing_due) = match turn {
            Turn::Begun => continue,
            Turn::NoPlace(pause) => (pause, false),
            Turn::NothingDue(pause) => (pause, true),
        };
        // Counting is for who looks on, and to know the end.
        if visits.is_empty() || told.elapsed() >= TELL {
            told = Instant::now();
            let left = worker.engine.store.waiting(since, worker.engine.now() + SOON).await?;
            progress(left, &worker.tally());
            if visits.is_empty() && (left == 0 || worker.in_the_dark()) {
                break;
            }
        }
        tokio::select! {
            _ = stop.changed() => {}
            () = tokio::time::sleep(pause.min(worker.engine.options.idle)) => {}
            () = worker.places.notified(), if !nothing_due => {}
            // Only who waits for the last of them is woken by each.
            Some(_) = visits.join_next(), if nothing_due => {}
        }
    }
    worker.end(visits).await;
    match (worker.trouble.what(), worker.cut_off()) {
        (Some(why), _) => Err(EngineError::NotKept(why)),
        (None, Some(why)) => Err(EngineError::CutOff(why)),
        (None, None) => Ok(worker.tally()),
    }
}

/// What many visits came to.
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
            VisitResult::Fresh | VisitResult::Moved => self.fresh += 1,
            VisitResult::Unchanged => self.unchanged += 1,
            VisitResult::Gone | VisitResult::Busy | VisitResult::Failed => self.failed += 1,
            VisitResult::Deferred => {}
        }
        self.new_entries += done.new.len() as u64;
        self.changed_entries += done.changed as u64;
    }
}

/// What a look at what is due came to.
enum Turn {
    /// There may be more: look again.
    Begun,
    /// Too few places are free, or nothing can be kept, or nobody be reached: look again after this, or when told.
    NoPlace(Duration),
    /// Nothing is due: look again after this.
    NothingDue(Duration),
}

/// What the loop and its visits share.
struct Worker {
    engine: Engine,
    lanes: Lanes,
    held: Held,
    trouble: Trouble,
    tally: Mutex<Tally>,
    claimed: Mutex<Option<Instant>>,
    /// Told when there are enough free places for another claim, and it is of use: waking the loop costs as much as a
    /// small visit.
    places: Notify,
}

impl Worker {
    fn new(engine: Engine) -> Arc<Self> {
        let (held, tally, claimed) = (Held::default(), Mutex::default(), Mutex::default());
        let trouble = Trouble::shown_in(&engine.figures);
        let (lanes, places) = (Lanes::new(engine.options.concurrency), Notify::new());
        Arc::new(Self { engine, lanes, held, trouble, tally, claimed, places })
    }

    fn tally(&self) -> Tally {
        *self.tally.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What our own network suffers from, if anything.
    fn cut_off(&self) -> Option<String> {
        self.engine.memory.outage(self.engine.now())
    }

    /// Whether nothing can be kept, or nobody be reached.
    fn in_the_dark(&self) -> bool {
        self.trouble.is_there() || self.cut_off().is_some()
    }

    /// Gives what is under way a moment, and hands back the rest.
    async fn end(&self, mut visits: JoinSet<()>) {
        let finish = async { while visits.join_next().await.is_some() {} };
        if tokio::time::timeout(GRACE, finish).await.is_err() {
            visits.shutdown().await;
        }
        self.held.hand_back(&self.engine).await;
    }

    /// Begins what is due and has a place.
    async fn turn(self: &Arc<Self>, visits: &mut JoinSet<()>) -> Turn {
        let free = self.lanes.free().min(CLAIM);
        if let Some(soon) = self.not_yet(free) {
            return Turn::NoPlace(soon);
        }
        if self.trouble.is_fresh() {
            return Turn::NoPlace(REST);
        }
        if free == 0 {
            return Turn::NoPlace(self.engine.options.idle);
        }
        // Whether bytes can be put away again is asked there: a visit that brings none would not tell.
        if self.trouble.is_with(Part::Blobs) {
            if let Err(error) = self.engine.blobs.check().await {
                self.trouble.say(&error.into());
                return Turn::NoPlace(REST);
            }
            self.trouble.over();
        }
        // While nothing can be kept, or nobody be reached, one feed at a time finds out whether that is over.
        let aim = if self.in_the_dark() { Aim::Probe } else { Aim::Work };
        *self.claimed.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
        let claim = claim(&self.engine, if aim == Aim::Probe { 1 } else { free });
        let leases = match claim.instrument(tracing::debug_span!("claim")).await {
            Ok(leases) => leases,
            Err(error) => {
                self.trouble.say(&error.into());
                return Turn::NoPlace(REST);
            }
        };
        if leases.is_empty() {
            self.trouble.went_well(aim);
            return Turn::NothingDue(self.until_next_due().await);
        }
        let mut crowded = Vec::new();
        for lease in leases {
            match self.lanes.place(&lease) {
                Some(place) => {
                    self.held.add(&lease);
                    let span = span(&lease);
                    visits.spawn(Arc::clone(self).visit(lease, place, aim).instrument(span));
                }
                None => crowded.push(lease),
            }
        }
        if !crowded.is_empty() {
            let put_back = self.engine.store.put_back(&crowded, self.engine.now() + CROWDED).await;
            put_back.unwrap_or_else(|error| self.trouble.say(&error.into()));
        }
        if aim == Aim::Probe { Turn::NoPlace(REST) } else { Turn::Begun }
    }

    async fn visit(self: Arc<Self>, lease: Lease, place: Place, aim: Aim) {
        let _under_way = self.engine.figures.begin();
        let (decided, unwritten) = self.lanes.run(place, decide(&self.engine, &lease)).await;
        self.tell_of_places();
        let written = match decided {
            Ok(decided) => unbroken(Box::pin(write(&self.engine, &lease, decided))).await,
            Err(error) => Ok(Err(error)),
        };
        match written {
            Ok(result) => self.report(&lease, aim, result),
            Err(why) => {
                let (feed, url) = (lease.feed.0, Shown(&lease.dossier.url));
                self.engine.figures.broken_off();
                tracing::error!(feed.id = feed, %url, why, "the program broke off while a visit was written");
            }
        }
        // However it ended: who goes on renewing keeps the feed from everybody.
        self.held.remove(lease.feed, lease.token);
        drop(unwritten);
        self.tell_of_places();
    }

    /// While nothing can be kept, or nobody be reached, the loop has its rest; a probe that ends that is told of.
    fn tell_of_places(&self) {
        if self.not_yet(self.lanes.free()).is_none() && !self.in_the_dark() {
            self.places.notify_one();
        }
    }

    /// While many places are taken and the last claim was just now, a claim for those that are free would cost as much as
    /// one for all.
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
        let (feed, url) = (lease.feed.0, Shown(&lease.dossier.url));
        match result {
            Ok(done) => {
                self.trouble.went_well(aim);
                self.tally.lock().unwrap_or_else(PoisonError::into_inner).add(&done);
                let before = lease.dossier.history.interval;
                tracing::info!(
                    feed.id = feed,
                    %url,
                    result = done.result.as_str(),
                    status = done.status,
                    took_ms = done.took.as_millis() as i64,
                    new = done.new.len(),
                    changed = done.changed,
                    error = done.error.as_deref(),
                    interval_before_s = before.as_secs(),
                    interval_s = done.interval.as_secs(),
                    because = done.because.as_str(),
                    reason = done.reason,
                    "visited"
                );
            }
            Err(EngineError::Store(StoreError::LeaseLost { .. })) => {
                self.engine.figures.lease_lost();
                tracing::warn!(feed.id = feed, %url, worker = %self.engine.worker, "the lease was lost: nothing was written");
            }
            Err(error) => self.trouble.say(&error),
        }
    }
}

/// One round without a loop: claims what is due now, refreshes those that got a slot, one after the other.
pub async fn round(engine: &Engine) -> Result<Vec<(FeedId, Refreshed)>, EngineError> {
    let mut done = Vec::new();
    for lease in claim(engine, CLAIM).await? {
        done.push((lease.feed, refresh(engine, &lease).await?));
    }
    Ok(done)
}

/// Claims what is due and makes the appointments; gives the leases that hold, with their slots.
async fn claim(engine: &Engine, limit: usize) -> Result<Vec<Lease>, StoreError> {
    let now = engine.now();
    let mut leases = engine.store.claim_due(&engine.worker, now, now + engine.options.lease, limit as u32).await?;
    if leases.is_empty() {
        return Ok(Vec::new());
    }
    let mut paces = HashMap::with_capacity(leases.len());
    for lease in &mut leases {
        // Asked anew each time: an operator may have changed the patterns since the feed was added.
        if let Some((group, pace)) = engine.group(&lease.dossier.url) {
            lease.dossier.rate_group = group.name;
            paces.insert(lease.feed, pace);
        }
    }
    let pace = |lease: &Lease| paces.get(&lease.feed).copied().unwrap_or(engine.options.pace);
    let appointments = engine.store.appoint(&leases, now, pace).await?;
    let going = leases.into_iter().zip(appointments).filter_map(|(lease, appointment)| match appointment {
        Appointment::At(at) => Some(Lease { slot: Some(at), ..lease }),
        Appointment::Later(_) | Appointment::Lost => None,
    });
    Ok(going.collect())
}
