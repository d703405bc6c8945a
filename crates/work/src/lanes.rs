//! Lanes: permits for work that is done at the same time, so that slow work cannot starve the rest.
//!
//! Three quarters of the permits may be taken by slow work: work that is expected to be slow (its feed failed last time),
//! and work that has taken longer than a moment. Work that is expected to be slow is not begun while the slow lane is full;
//! work that turns out to be slow goes on without a permit of that lane.
//! Work that only waits to be written gives its permit back; at most twice as many pieces of work are unwritten as there
//! are permits. Work on a large document that waits for memory gives its permit back, too.

use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};

/// Most answers are whole by then.
const A_MOMENT: Duration = Duration::from_secs(1);

/// At most this many pieces of work may wait with a large document; each has a file open, of up to 16 MB.
const LARGE: usize = 256;

/// The permits of one process.
#[derive(Clone)]
pub struct Lanes {
    all: Arc<Semaphore>,
    /// Work in progress, and work that waits to be written.
    unwritten: Arc<Semaphore>,
    slow: Arc<Semaphore>,
    large: Arc<Semaphore>,
}

/// How fast work is expected to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Speed {
    /// As fast as most.
    Usual,
    /// It failed last time, and may take long.
    Slow,
}

/// The right to do one piece of work; given back when it is dropped.
pub struct Permit {
    _any: OwnedSemaphorePermit,
    unwritten: Unwritten,
    slow: Option<OwnedSemaphorePermit>,
}

/// Work that is not written yet.
pub struct Unwritten(#[expect(dead_code, reason = "it is given back when it is dropped")] OwnedSemaphorePermit);

impl Lanes {
    /// As many permits as asked for.
    pub fn new(permits: u32) -> Self {
        let all = permits as usize;
        let semaphore = |count| Arc::new(Semaphore::new(count));
        Self {
            all: semaphore(all),
            unwritten: semaphore(all * 2),
            slow: semaphore((all * 3 / 4).max(1)),
            large: semaphore(LARGE),
        }
    }

    /// How many permits are free.
    pub fn free(&self) -> usize {
        self.all.available_permits().min(self.unwritten.available_permits())
    }

    /// A permit for one piece of work, if there is one.
    pub fn take(&self, speed: Speed) -> Option<Permit> {
        let slow = match speed {
            Speed::Slow => Some(Arc::clone(&self.slow).try_acquire_owned().ok()?),
            Speed::Usual => None,
        };
        let unwritten = Unwritten(Arc::clone(&self.unwritten).try_acquire_owned().ok()?);
        Arc::clone(&self.all).try_acquire_owned().ok().map(|any| Permit { _any: any, unwritten, slow })
    }

    /// Does the work; once it has taken long, it counts as slow. Its result is still to be written.
    /// When `large` is notified, the permit is given back and `given_back` is called: what follows needs memory, not a permit.
    pub async fn run<T>(
        &self,
        mut permit: Permit,
        large: &Notify,
        given_back: impl Fn(),
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
                done = &mut work => return (done, permit.unwritten),
                () = large.notified() => match Arc::clone(&self.large).try_acquire_owned() {
                    Ok(aside) => break aside,
                    Err(_) => return (work.await, permit.unwritten),
                },
                slow = &mut becoming_slow, if permit.slow.is_none() => permit.slow = slow,
            }
        };
        drop(permit);
        given_back();
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
        let (lanes, permit) = (lanes.clone(), lanes.take(Speed::Usual).unwrap());
        tokio::spawn(async move { lanes.run(permit, &Notify::new(), || (), ended).await });
        end
    }

    #[tokio::test]
    async fn slow_work_leaves_room_for_others() {
        pause();
        let lanes = Lanes::new(8);
        let tarpits: Vec<_> = (0..6).map(|_| begin(&lanes)).collect();
        settle().await;
        assert!(lanes.take(Speed::Slow).is_some(), "nobody is slow yet");
        advance(A_MOMENT * 2).await;
        settle().await;
        assert_eq!((lanes.free(), lanes.slow.available_permits()), (2, 0));
        assert!(lanes.take(Speed::Slow).is_none(), "the slow lane is full");
        assert!(lanes.take(Speed::Usual).is_some(), "the others have the rest");
        drop(tarpits);
        settle().await;
        assert_eq!((lanes.free(), lanes.slow.available_permits()), (8, 6));
    }

    #[tokio::test]
    async fn what_waits_to_be_written_gives_its_permit_back_within_limits() {
        let lanes = Lanes::new(2);
        let mut unwritten = Vec::new();
        for _ in 0..4 {
            assert!(lanes.free() > 0, "{} wait to be written", unwritten.len());
            let permit = lanes.take(Speed::Usual).unwrap();
            unwritten.push(lanes.run(permit, &Notify::new(), || (), async {}).await.1);
        }
        assert_eq!(lanes.free(), 0, "the writer does not keep up");
        assert!(lanes.take(Speed::Usual).is_none());
        unwritten.pop();
        assert_eq!(lanes.free(), 1);
    }

    #[tokio::test]
    async fn work_that_finds_the_slow_lane_full_goes_on() {
        pause();
        let lanes = Lanes::new(2);
        let known = lanes.take(Speed::Slow).unwrap();
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

    /// Large documents that waited for memory kept their permits, and no small feed was visited meanwhile.
    #[tokio::test]
    async fn a_large_document_that_waits_gives_its_permit_back() {
        let lanes = Lanes::new(2);
        let (end, ended) = oneshot::channel::<()>();
        let (waiting, permit) = (lanes.clone(), lanes.take(Speed::Usual).unwrap());
        let large = tokio::spawn(async move {
            let large = Notify::new();
            let work = async {
                large.notify_one();
                ended.await
            };
            waiting.run(permit, &large, || (), work).await.1
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
