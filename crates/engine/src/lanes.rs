//! Lanes: places for visits, so that slow hosts cannot starve others.
//!
//! Every visit begins in the fast lane, unless its feed failed last time; one that takes longer than a moment moves
//! over to the slow lane and leaves its place to somebody else. The slow lane is bounded too: what finds no place
//! there stays where it is until one is free, and a failing feed that finds none is not begun.

use model::lease::Lease;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Most answers are whole by then.
const A_MOMENT: Duration = Duration::from_secs(1);
/// Slow visits cost a socket and some memory, hardly any work.
const SLOW_PER_FAST: usize = 4;

/// The places of one process.
#[derive(Clone)]
pub(crate) struct Lanes {
    fast: Arc<Semaphore>,
    slow: Arc<Semaphore>,
}

/// A place in a lane; free again when it is dropped.
pub(crate) enum Place {
    Fast(OwnedSemaphorePermit),
    Slow(OwnedSemaphorePermit),
}

impl Lanes {
    pub(crate) fn new(fast: u32) -> Self {
        let fast = fast as usize;
        Self { fast: Arc::new(Semaphore::new(fast)), slow: Arc::new(Semaphore::new(fast * SLOW_PER_FAST)) }
    }

    /// Places that are free in the fast lane.
    pub(crate) fn free(&self) -> usize {
        self.fast.available_permits()
    }

    /// A place for a leased feed, if there is one.
    pub(crate) fn place(&self, lease: &Lease) -> Option<Place> {
        let fast = || Arc::clone(&self.fast).try_acquire_owned().ok().map(Place::Fast);
        let slow = || Arc::clone(&self.slow).try_acquire_owned().ok().map(Place::Slow);
        if lease.dossier.history.failures > 0 { slow() } else { fast() }
    }

    /// Does the work, moving over when it takes long.
    pub(crate) async fn run<T>(&self, place: Place, work: impl Future<Output = T>) -> T {
        let mut work = std::pin::pin!(work);
        let Place::Fast(fast) = place else {
            let _slow = place;
            return work.await;
        };
        tokio::select! {
            done = &mut work => return done,
            () = tokio::time::sleep(A_MOMENT) => {}
        }
        let slow = tokio::select! {
            done = &mut work => return done,
            slow = Arc::clone(&self.slow).acquire_owned() => slow,
        };
        drop(fast);
        let done = work.await;
        drop(slow);
        done
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::sync::oneshot;
    use tokio::time::{advance, pause};

    async fn settle() {
        for _ in 0..10 {
            tokio::task::yield_now().await;
        }
    }

    #[tokio::test]
    async fn who_takes_long_makes_room() {
        pause();
        let lanes = Lanes::new(1);
        let (end, ended) = oneshot::channel::<()>();
        let place = Place::Fast(Arc::clone(&lanes.fast).try_acquire_owned().unwrap());
        let slow = tokio::spawn({
            let lanes = lanes.clone();
            async move { lanes.run(place, ended).await }
        });
        settle().await;
        assert_eq!(lanes.free(), 0, "it may still be quick");
        advance(A_MOMENT * 2).await;
        settle().await;
        assert_eq!((lanes.free(), lanes.slow.available_permits()), (1, 3), "it moved over");
        end.send(()).unwrap();
        slow.await.unwrap().unwrap();
        assert_eq!((lanes.free(), lanes.slow.available_permits()), (1, 4), "and left");
    }

    #[tokio::test]
    async fn a_full_slow_lane_is_waited_for_where_one_is() {
        pause();
        let lanes = Lanes::new(1);
        let full = Arc::clone(&lanes.slow).try_acquire_many_owned(4).unwrap();
        let (_end, ended) = oneshot::channel::<()>();
        let place = Place::Fast(Arc::clone(&lanes.fast).try_acquire_owned().unwrap());
        tokio::spawn({
            let lanes = lanes.clone();
            async move { lanes.run(place, ended).await }
        });
        settle().await;
        advance(A_MOMENT * 5).await;
        settle().await;
        assert_eq!(lanes.free(), 0, "there is nowhere to move to");
        drop(full);
        settle().await;
        assert_eq!(lanes.free(), 1);
    }
}
