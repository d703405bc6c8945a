//! Lanes: places for visits, so that slow hosts cannot starve others.
//!
//! Of all places, three quarters may be taken by slow visits: those of feeds that failed last time, and those that
//! have taken longer than a moment. A failing feed that finds no place among the slow is not begun; a visit that turns
//! out to be slow while there is none stays where it is, and the next one like it is known.
//! A visit that only waits to be written takes no place; but those that wait and those that visit are at most twice as
//! many as there are places. Nor does one whose document is large and waits on the disk for memory: small ones go on.

use model::lease::Lease;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};

/// Most answers are whole by then.
const A_MOMENT: Duration = Duration::from_secs(1);

/// So many visits may leave their places with a large document; each has a file open, of up to 16 MB.
const LARGE: usize = 256;

/// The places of one process.
#[derive(Clone)]
pub(crate) struct Lanes {
    all: Arc<Semaphore>,
    /// Those that wait to be written included.
    unwritten: Arc<Semaphore>,
    slow: Arc<Semaphore>,
    large: Arc<Semaphore>,
}

/// A place for a visit; free again when it is dropped.
pub(crate) struct Place {
    _any: OwnedSemaphorePermit,
    unwritten: Unwritten,
    slow: Option<OwnedSemaphorePermit>,
}

/// A visit that is not written yet.
pub(crate) struct Unwritten(#[expect(dead_code, reason = "it is given back when it is dropped")] OwnedSemaphorePermit);

impl Lanes {
    pub(crate) fn new(places: u32) -> Self {
        let all = places as usize;
        let semaphore = |permits| Arc::new(Semaphore::new(permits));
        Self {
            all: semaphore(all),
            unwritten: semaphore(all * 2),
            slow: semaphore((all * 3 / 4).max(1)),
            large: semaphore(LARGE),
        }
    }

    /// Places that are free.
    pub(crate) fn free(&self) -> usize {
        self.all.available_permits().min(self.unwritten.available_permits())
    }

    /// A place for a leased feed, if there is one.
    pub(crate) fn place(&self, lease: &Lease) -> Option<Place> {
        self.take(lease.dossier.history.failures > 0)
    }

    fn take(&self, slow: bool) -> Option<Place> {
        let slow = if slow { Some(Arc::clone(&self.slow).try_acquire_owned().ok()?) } else { None };
        let unwritten = Unwritten(Arc::clone(&self.unwritten).try_acquire_owned().ok()?);
        Arc::clone(&self.all).try_acquire_owned().ok().map(|any| Place { _any: any, unwritten, slow })
    }

    /// Does the work; once it has taken long, it counts among the slow. Then there is only something to write.
    /// When `large` is told, the place is left, which `left` says to others; what follows needs memory, not a place.
    pub(crate) async fn run<T>(
        &self,
        mut place: Place,
        large: &Notify,
        left: impl Fn(),
        work: impl Future<Output = T>,
    ) -> (T, Unwritten) {
        let mut work = std::pin::pin!(work);
        let becoming_slow = async {
            tokio::time::sleep(A_MOMENT).await;
            Arc::clone(&self.slow).acquire_owned().await.ok()
        };
        let mut becoming_slow = std::pin::pin!(becoming_slow);
        let aside = loop {
            tokio::select! {
                biased;
                done = &mut work => return (done, place.unwritten),
                () = large.notified() => match Arc::clone(&self.large).try_acquire_owned() {
                    Ok(aside) => break aside,
                    Err(_) => return (work.await, place.unwritten),
                },
                slow = &mut becoming_slow, if place.slow.is_none() => place.slow = slow,
            }
        };
        drop(place);
        left();
        (work.await, Unwritten(aside))
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

    /// Begins work that ends when the sender says so, or is dropped.
    fn begin(lanes: &Lanes) -> oneshot::Sender<()> {
        let (end, ended) = oneshot::channel();
        let (lanes, place) = (lanes.clone(), lanes.take(false).unwrap());
        tokio::spawn(async move { lanes.run(place, &Notify::new(), || (), ended).await });
        end
    }

    #[tokio::test]
    async fn slow_visits_leave_room_for_others() {
        pause();
        let lanes = Lanes::new(8);
        let tarpits: Vec<_> = (0..6).map(|_| begin(&lanes)).collect();
        settle().await;
        assert!(lanes.take(true).is_some(), "nobody is slow yet");
        advance(A_MOMENT * 2).await;
        settle().await;
        assert_eq!((lanes.free(), lanes.slow.available_permits()), (2, 0));
        assert!(lanes.take(true).is_none(), "the slow have all the places they get");
        assert!(lanes.take(false).is_some(), "the others have the rest");
        drop(tarpits);
        settle().await;
        assert_eq!((lanes.free(), lanes.slow.available_permits()), (8, 6));
    }

    #[tokio::test]
    async fn what_waits_to_be_written_leaves_its_place_but_not_for_ever() {
        let lanes = Lanes::new(2);
        let mut unwritten = Vec::new();
        for _ in 0..4 {
            assert!(lanes.free() > 0, "{} wait to be written", unwritten.len());
            let place = lanes.take(false).unwrap();
            unwritten.push(lanes.run(place, &Notify::new(), || (), async {}).await.1);
        }
        assert_eq!(lanes.free(), 0, "the writer does not keep up");
        assert!(lanes.take(false).is_none());
        unwritten.pop();
        assert_eq!(lanes.free(), 1);
    }

    #[tokio::test]
    async fn a_visit_that_finds_the_slow_lane_full_goes_on() {
        pause();
        let lanes = Lanes::new(2);
        let known = lanes.take(true).unwrap();
        let end = begin(&lanes);
        advance(A_MOMENT * 5).await;
        settle().await;
        assert_eq!(lanes.free(), 0);
        end.send(()).unwrap();
        settle().await;
        assert_eq!((lanes.free(), lanes.slow.available_permits()), (1, 0), "it ended, the known one is still there");
        drop(known);
        assert_eq!((lanes.free(), lanes.slow.available_permits()), (2, 1));
    }

    /// Large documents that waited for memory kept their places, and no small feed was visited meanwhile.
    #[tokio::test]
    async fn a_large_document_that_waits_leaves_its_place() {
        let lanes = Lanes::new(2);
        let (end, ended) = oneshot::channel::<()>();
        let (waiting, place) = (lanes.clone(), lanes.take(false).unwrap());
        let large = tokio::spawn(async move {
            let large = Notify::new();
            let work = async {
                large.notify_one();
                ended.await
            };
            waiting.run(place, &large, || (), work).await.1
        });
        settle().await;
        assert_eq!((lanes.free(), lanes.unwritten.available_permits()), (2, 4));
        assert_eq!(lanes.large.available_permits(), LARGE - 1);
        end.send(()).unwrap();
        let unwritten = large.await.unwrap();
        assert_eq!(lanes.large.available_permits(), LARGE - 1, "until it is written");
        drop(unwritten);
        assert_eq!(lanes.large.available_permits(), LARGE);
    }
}
