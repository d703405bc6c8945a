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
pub(crate) struct HeldLeases(Arc<Mutex<BTreeMap<FeedId, i64>>>);

impl HeldLeases {
    pub(crate) fn add(&self, lease: &Lease) {
        self.lock().insert(lease.feed, lease.token);
    }

    /// Forgets a lease whose visit has ended.
    pub(crate) fn remove(&self, feed: FeedId, token: i64) {
        let mut leases = self.lock();
        if leases.get(&feed) == Some(&token) {
            leases.remove(&feed);
        }
    }

    /// Renews what is held, for ever; what was lost is no longer ours to renew.
    pub(crate) async fn keep(self, engine: Engine) {
        let third = (engine.options.lease / 3).max(SignedDuration::from_millis(10));
        let third: Duration = third.try_into().unwrap_or(Duration::from_secs(40));
        loop {
            tokio::time::sleep(third).await;
            let asked = self.lock().clone();
            if asked.is_empty() {
                continue;
            }
            let leases: Vec<(FeedId, i64)> = asked.iter().map(|(feed, token)| (*feed, *token)).collect();
            match engine.store.renew(&engine.worker, &leases, engine.now() + engine.options.lease, engine.now()).await {
                Ok(lost) => self.forget(&lost, &asked),
                Err(error) => tracing::warn!(%error, "leases could not be renewed"),
            }
        }
    }

    /// Forgets leases that were lost; whoever was leased anew since they were asked for is held by another token.
    fn forget(&self, lost: &[FeedId], asked: &BTreeMap<FeedId, i64>) {
        self.lock().retain(|feed, token| !lost.contains(feed) || asked.get(feed) != Some(token));
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

#[cfg(test)]
mod tests {
    use super::*;

    /// It was neither renewed nor handed back when the process stopped.
    #[test]
    fn a_feed_leased_anew_is_not_forgotten_with_its_old_lease() {
        let held = HeldLeases::default();
        held.lock().extend([(FeedId(1), 5), (FeedId(2), 7), (FeedId(3), 9)]);
        let asked = held.lock().clone();
        held.lock().insert(FeedId(2), 8);
        held.forget(&[FeedId(1), FeedId(2)], &asked);
        assert_eq!(*held.lock(), [(FeedId(2), 8), (FeedId(3), 9)].into());
        held.remove(FeedId(2), 7);
        held.remove(FeedId(3), 9);
        assert_eq!(*held.lock(), [(FeedId(2), 8)].into(), "nor by the visit that had it");
    }
}
