//! The worker's loop: claim what is due, keep the appointments, refresh, renew the leases of what takes long.
//!
//! Stopping is prompt: nothing new is claimed, what is under way gets a moment, the rest is handed back. A failure of
//! the store or the blobs ends no loop: it is said once, and the worker rests, because a visit whose result cannot be
//! kept is rude to its publisher.

use crate::engine::Engine;
use crate::error::EngineError;
use crate::refresh::{Refreshed, refresh};
use jiff::{SignedDuration, Timestamp};
use model::FeedId;
use model::lease::Lease;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use store::{Appointment, StoreError};
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;

/// Tells loops to stop.
pub type Stop = watch::Receiver<bool>;

/// Feeds asked for in one claim: enough to fill a trip, few enough to share.
const CLAIM: u32 = 32;
/// How long a loop with nothing to do sleeps at most: somebody may have added a feed meanwhile.
const IDLE: Duration = Duration::from_millis(500);
/// What is under way gets this long after a stop.
const GRACE: Duration = Duration::from_secs(5);
/// After the store or the blobs failed.
const REST: Duration = Duration::from_secs(10);

/// Leases held by this process.
type Held = Arc<Mutex<HashMap<FeedId, i64>>>;

/// Works until told to stop, then hands back its leases.
pub async fn run(engine: Engine, mut stop: Stop) {
    let held = Held::default();
    let heartbeat = tokio::spawn(heartbeat(engine.clone(), Arc::clone(&held)));
    let places = Arc::new(Semaphore::new(engine.options.concurrency as usize));
    let mut visits = JoinSet::new();
    let trouble = Trouble::default();
    while !*stop.borrow() {
        while visits.try_join_next().is_some() {}
        let free = (places.available_permits() as u32).min(CLAIM);
        let pause = if trouble.is_fresh() {
            REST
        } else if free == 0 {
            IDLE
        } else {
            match claim(&engine, free).await {
                Ok(leases) if leases.is_empty() => {
                    trouble.over();
                    until_next_due(&engine).await
                }
                Ok(leases) => {
                    for lease in leases {
                        lock(&held).insert(lease.feed, lease.token);
                        let place = Arc::clone(&places).acquire_owned().await;
                        let (engine, held, trouble) = (engine.clone(), Arc::clone(&held), trouble.clone());
                        visits.spawn(async move {
                            let _place = place;
                            let result = refresh(&engine, &lease).await;
                            report(&engine, &lease, &trouble, result);
                            lock(&held).remove(&lease.feed);
                        });
                    }
                    continue;
                }
                Err(error) => {
                    trouble.say(&error.into());
                    REST
                }
            }
        };
        tokio::select! {
            _ = stop.changed() => {}
            () = tokio::time::sleep(pause) => {}
            Some(_) = visits.join_next() => {}
        }
    }
    let finish = async { while visits.join_next().await.is_some() {} };
    if tokio::time::timeout(GRACE, finish).await.is_err() {
        visits.shutdown().await;
    }
    heartbeat.abort();
    let left: Vec<(FeedId, i64)> = lock(&held).drain().collect();
    if !left.is_empty() {
        match engine.store.hand_back(&left, engine.now()).await {
            Ok(()) => tracing::info!(feeds = left.len(), "leases handed back"),
            Err(error) => tracing::warn!(feeds = left.len(), %error, "leases could not be handed back: they expire"),
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
async fn claim(engine: &Engine, limit: u32) -> Result<Vec<Lease>, StoreError> {
    let now = engine.now();
    let leases = engine.store.claim_due(&engine.worker, now, now + engine.options.lease, limit).await?;
    if leases.is_empty() {
        return Ok(Vec::new());
    }
    let appointments = engine.store.appoint(&leases, now, |_| engine.options.pace).await?;
    let going = leases.into_iter().zip(appointments).filter_map(|(lease, appointment)| match appointment {
        Appointment::At(at) => Some(Lease { slot: Some(at), ..lease }),
        Appointment::Later(_) | Appointment::Lost => None,
    });
    Ok(going.collect())
}

async fn until_next_due(engine: &Engine) -> Duration {
    match engine.store.next_due().await {
        Ok(Some(at)) => until(engine, at).clamp(Duration::from_millis(10), IDLE),
        Ok(None) => IDLE,
        Err(_) => REST,
    }
}

fn until(engine: &Engine, at: Timestamp) -> Duration {
    let wait = at.duration_since(engine.now()).max(SignedDuration::ZERO);
    wait.try_into().unwrap_or_default()
}

fn report(engine: &Engine, lease: &Lease, trouble: &Trouble, result: Result<Refreshed, EngineError>) {
    let (feed, url) = (lease.feed.0, lease.dossier.url.as_str());
    match result {
        Ok(done) => {
            trouble.over();
            let (new, changed, error) = (done.new.len(), done.changed, done.error.as_deref());
            tracing::info!(feed.id = feed, url, new, changed, error, result = ?done.result, reason = %done.reason, "visited");
        }
        Err(EngineError::Store(StoreError::LeaseLost { .. })) => {
            tracing::warn!(feed.id = feed, url, worker = %engine.worker, "the lease was lost: nothing was written");
        }
        Err(error) => trouble.say(&error),
    }
}

/// Renews what is held at a third of the lease; what was lost is no longer ours to renew.
async fn heartbeat(engine: Engine, held: Held) {
    let third: Duration = (engine.options.lease / 3).try_into().unwrap_or(REST);
    loop {
        tokio::time::sleep(third).await;
        let leases: Vec<(FeedId, i64)> = lock(&held).iter().map(|(feed, token)| (*feed, *token)).collect();
        if leases.is_empty() {
            continue;
        }
        match engine.store.renew(&engine.worker, &leases, engine.now() + engine.options.lease).await {
            Ok(lost) => lock(&held).retain(|feed, _| !lost.contains(feed)),
            Err(error) => tracing::warn!(%error, "leases could not be renewed"),
        }
    }
}

/// Whether the store or the blobs fail: said when it begins and when it is over, not in between.
#[derive(Clone, Default)]
struct Trouble(Arc<Mutex<Option<Instant>>>);

impl Trouble {
    fn say(&self, error: &EngineError) {
        if self.lock().replace(Instant::now()).is_none() {
            tracing::error!(%error, "cannot keep what feeds say: no visits until this is mended");
        }
    }

    fn over(&self) {
        if self.lock().take().is_some() {
            tracing::info!("visiting again");
        }
    }

    /// So recent that trying again would only be noise.
    fn is_fresh(&self) -> bool {
        self.lock().is_some_and(|since| since.elapsed() < REST)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Option<Instant>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn lock(held: &Held) -> std::sync::MutexGuard<'_, HashMap<FeedId, i64>> {
    held.lock().unwrap_or_else(PoisonError::into_inner)
}
