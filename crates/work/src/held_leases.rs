//! The leases that this process holds: renewed at a third of their time, handed back when it stops.
//!
//! The same for feeds and for jobs; `LeaseStore` says how each kind is renewed and handed back.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use store::StoreError;
use tokio::sync::Notify;

/// How the leases of a process are renewed and handed back.
pub trait LeaseStore: Send + Sync + 'static {
    /// What is leased.
    type Key: Copy + Ord + Debug + Send + Sync + 'static;
    /// What is leased, in the plural, for log lines.
    const WHAT: &'static str;

    /// Moves the ends of leases forward; returns the keys of those that are no longer ours.
    fn renew(&self, leases: &[(Self::Key, i64)]) -> impl Future<Output = Result<Vec<Self::Key>, StoreError>> + Send;

    /// Ends leases whose work was not finished.
    fn hand_back(&self, leases: &[(Self::Key, i64)]) -> impl Future<Output = Result<(), StoreError>> + Send;
}

/// Leases by what is leased, with their tokens. Cheap to clone.
pub struct HeldLeases<K>(Arc<Mutex<BTreeMap<K, Held>>>);

struct Held {
    token: i64,
    /// Notified when the lease turns out to be lost.
    lost: Arc<Notify>,
}

impl<K> Default for HeldLeases<K> {
    fn default() -> Self {
        Self(Arc::default())
    }
}

impl<K> Clone for HeldLeases<K> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<K: Copy + Ord + Send + 'static> HeldLeases<K> {
    /// Holds a lease from now on. The result is notified if the lease is found to be lost.
    pub fn add(&self, key: K, token: i64) -> Arc<Notify> {
        let lost = Arc::new(Notify::new());
        self.lock().insert(key, Held { token, lost: Arc::clone(&lost) });
        lost
    }

    /// Forgets a lease whose work has ended.
    pub fn remove(&self, key: K, token: i64) {
        let mut leases = self.lock();
        if leases.get(&key).is_some_and(|held| held.token == token) {
            leases.remove(&key);
        }
    }

    /// Renews what is held, until it is dropped; a lease that was lost is forgotten.
    pub async fn keep<S: LeaseStore<Key = K>>(self, store: S, lease: Duration) {
        let third = (lease / 3).max(Duration::from_millis(10));
        loop {
            tokio::time::sleep(third).await;
            let asked = self.tokens();
            if asked.is_empty() {
                continue;
            }
            match store.renew(&asked).await {
                Ok(lost) => self.forget(&lost, &asked),
                Err(error) => tracing::warn!(%error, "leases of {} could not be renewed", S::WHAT),
            }
        }
    }

    /// Hands back what is left: it is due again at once.
    pub async fn hand_back<S: LeaseStore<Key = K>>(&self, store: &S) {
        let left = self.tokens();
        self.lock().clear();
        if left.is_empty() {
            return;
        }
        match store.hand_back(&left).await {
            Ok(()) => tracing::info!(leases = left.len(), "leases of {} handed back", S::WHAT),
            Err(error) => {
                tracing::warn!(leases = left.len(), %error, "leases of {} could not be handed back: they expire", S::WHAT);
            }
        }
    }

    fn tokens(&self) -> Vec<(K, i64)> {
        self.lock().iter().map(|(key, held)| (*key, held.token)).collect()
    }

    /// Forgets leases that were lost. What was leased anew since they were asked for is held by another token.
    fn forget(&self, lost: &[K], asked: &[(K, i64)]) {
        let mut leases = self.lock();
        for key in lost {
            let token = asked.iter().find(|(asked, _)| asked == key).map(|(_, token)| *token);
            if leases.get(key).is_some_and(|held| Some(held.token) == token)
                && let Some(held) = leases.remove(key)
            {
                held.lost.notify_one();
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<K, Held>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// It was neither renewed nor handed back when the process stopped.
    #[test]
    fn what_is_leased_anew_is_not_forgotten_with_its_old_lease() {
        let held = HeldLeases::default();
        for (key, token) in [(1, 5), (2, 7), (3, 9)] {
            held.add(key, token);
        }
        let asked = held.tokens();
        held.add(2, 8);
        held.forget(&[1, 2], &asked);
        assert_eq!(held.tokens(), [(2, 8), (3, 9)]);
        held.remove(2, 7);
        held.remove(3, 9);
        assert_eq!(held.tokens(), [(2, 8)], "nor by the work that had it");
    }

    #[tokio::test]
    async fn a_lost_lease_is_reported_to_its_work() {
        let held = HeldLeases::default();
        let (one, two) = (held.add(1, 5), held.add(2, 7));
        held.forget(&[2], &held.tokens());
        two.notified().await;
        assert!(futures_now(one.notified()).is_none(), "and to no other");
    }

    fn futures_now<T>(future: impl Future<Output = T>) -> Option<T> {
        let mut future = std::pin::pin!(future);
        let mut context = std::task::Context::from_waker(std::task::Waker::noop());
        match future.as_mut().poll(&mut context) {
            std::task::Poll::Ready(done) => Some(done),
            std::task::Poll::Pending => None,
        }
    }
}
