//! The leases that this process holds: renewed at a third of their time, handed back when it stops.

use crate::engine::Engine;
use jiff::SignedDuration;
use model::FeedId;
use model::lease::Lease;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Leases by feed, with their tokens. Cheap to clone.
#[derive(Clone, Default)]
pub(crate) struct Held(Arc<Mutex<BTreeMap<FeedId, i64>>>);

impl Held {
    pub(crate) fn add(&self, lease: &Lease) {
        self.lock().insert(lease.feed, lease.token);
    }

    pub(crate) fn remove(&self, lease: &Lease) {
        self.lock().remove(&lease.feed);
    }

    /// Renews what is held, for ever; what was lost is no longer ours to renew.
    pub(crate) async fn keep(self, engine: Engine) {
        let third = (engine.options.lease / 3).max(SignedDuration::from_millis(10));
        let third: Duration = third.try_into().unwrap_or(Duration::from_secs(40));
        loop {
            tokio::time::sleep(third).await;
            let leases: Vec<(FeedId, i64)> = self.lock().iter().map(|(feed, token)| (*feed, *token)).collect();
            if leases.is_empty() {
                continue;
            }
            match engine.store.renew(&engine.worker, &leases, engine.now() + engine.options.lease).await {
                Ok(lost) => self.lock().retain(|feed, _| !lost.contains(feed)),
                Err(error) => tracing::warn!(%error, "leases could not be renewed"),
            }
        }
    }

    /// Hands back what is left: the feeds are due again at once.
    pub(crate) async fn hand_back(&self, engine: &Engine) {
        let left: Vec<(FeedId, i64)> = std::mem::take(&mut *self.lock()).into_iter().collect();
        if left.is_empty() {
            return;
        }
        match engine.store.hand_back(&left, engine.now()).await {
            Ok(()) => tracing::info!(feeds = left.len(), "leases handed back"),
            Err(error) => tracing::warn!(feeds = left.len(), %error, "leases could not be handed back: they expire"),
        }
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<FeedId, i64>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
