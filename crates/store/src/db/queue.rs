//! The queue in front of a writer: two lanes, interactive first, bounded in bytes.
//!
//! SQLite's writer thread takes from it one by one while a transaction is open; PostgreSQL's committers take a
//! group at a time. Pushing waits while the queue is full: back-pressure reaches the workers as waiting, not memory.

use crate::db::batch::{Answer, Batch, Chore, Durable, Refused};
use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore, oneshot};

/// What each lane holds at most, in KiB: whoever wants an answer soon does not wait for room behind visits.
const BULK_KIB: usize = 16 * 1024;
const INTERACTIVE_KIB: usize = 4 * 1024;

/// Who waits for the answer: a person, or a worker with more to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lane {
    Interactive,
    Bulk,
}

/// Batches that come together, and who waits for them. Each happens or not.
pub(crate) struct Job {
    pub(crate) lane: Lane,
    pub(crate) batches: Vec<Batch>,
    pub(crate) weight: usize,
    reply: oneshot::Sender<Results>,
    _room: OwnedSemaphorePermit,
}

/// What came of each batch.
pub(crate) type Results = Vec<Result<Answer, Refused>>;

impl Job {
    /// Answers, and gives back what was done; a caller that went away is no reason to stop.
    pub(crate) fn answer(self, results: Results) -> Vec<Batch> {
        let _ = self.reply.send(results);
        self.batches
    }

    /// When it is on the disk: as soon as any of its batches wants to be.
    pub(crate) fn durable(&self) -> Durable {
        let now = self.batches.iter().any(|batch| batch.durable == Durable::Now);
        if now { Durable::Now } else { Durable::Soon }
    }

    /// Whether it is outside of transactions.
    pub(crate) fn chore(&self) -> Option<Chore> {
        self.batches.iter().find_map(|batch| batch.chore)
    }
}

pub(crate) struct Queue {
    state: Mutex<State>,
    for_thread: Condvar,
    for_tasks: Notify,
    bulk_room: Arc<Semaphore>,
    interactive_room: Arc<Semaphore>,
}

#[derive(Default)]
struct State {
    interactive: VecDeque<Job>,
    bulk: VecDeque<Job>,
    /// Whether the thread waits: waking nobody costs a system call, too.
    waiting: bool,
    /// The thread that waits is not woken for fewer bulk jobs than this.
    enough: usize,
    closed: bool,
}

impl State {
    fn take(&mut self) -> Option<Job> {
        self.interactive.pop_front().or_else(|| self.bulk.pop_front())
    }

    fn next(&self) -> Option<&Job> {
        self.interactive.front().or_else(|| self.bulk.front())
    }
}

impl Queue {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self {
            state: Mutex::default(),
            for_thread: Condvar::new(),
            for_tasks: Notify::new(),
            bulk_room: Arc::new(Semaphore::new(BULK_KIB)),
            interactive_room: Arc::new(Semaphore::new(INTERACTIVE_KIB)),
        })
    }

    /// Queues batches once there is room; the receiver gives their results. `None` once the queue is closed.
    pub(crate) async fn push(&self, lane: Lane, batches: Vec<Batch>) -> Option<oneshot::Receiver<Results>> {
        let weight = batches.iter().map(Batch::weight).sum::<usize>();
        let (room, most) = match lane {
            Lane::Interactive => (&self.interactive_room, INTERACTIVE_KIB),
            Lane::Bulk => (&self.bulk_room, BULK_KIB),
        };
        let room = Arc::clone(room).acquire_many_owned((weight / 1024 + 1).min(most) as u32).await.ok()?;
        let (reply, answer) = oneshot::channel();
        let worth_waking = {
            let mut state = self.lock();
            if state.closed {
                return None;
            }
            let job = Job { lane, batches, weight, reply, _room: room };
            match lane {
                Lane::Interactive => state.interactive.push_back(job),
                Lane::Bulk => state.bulk.push_back(job),
            }
            let worth_it = !state.interactive.is_empty() || state.bulk.len() >= state.enough;
            worth_it && std::mem::take(&mut state.waiting)
        };
        if worth_waking {
            self.for_thread.notify_one();
        }
        self.for_tasks.notify_one();
        Some(answer)
    }

    /// The next job, waiting on this thread; `None` when closed and empty.
    pub(crate) fn wait(&self) -> Option<Job> {
        let mut state = self.lock();
        loop {
            if let Some(job) = state.take() {
                return Some(job);
            }
            if state.closed {
                return None;
            }
            state.waiting = true;
            state = self.for_thread.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Waits on this thread until so many bulk jobs are there, somebody wants an answer soon, or this long has passed.
    pub(crate) fn gather(&self, count: usize, within: Duration) {
        let mut state = self.lock();
        state.enough = count;
        let few = |state: &mut State| {
            state.waiting = state.interactive.is_empty() && state.bulk.len() < count && !state.closed;
            state.waiting
        };
        // What there is is taken whether or not the time was up.
        let waited = self.for_thread.wait_timeout_while(state, within, few);
        let mut state = waited.unwrap_or_else(PoisonError::into_inner).0;
        (state.enough, state.waiting) = (0, false);
    }

    /// The next job if there is one now that will do.
    pub(crate) fn take_if(&self, will_do: impl FnOnce(&Job) -> bool) -> Option<Job> {
        let mut state = self.lock();
        state.next().is_some_and(will_do).then(|| state.take()).flatten()
    }

    /// Whether somebody waits for what must be on the disk before it is answered.
    pub(crate) fn has_lasting(&self) -> bool {
        let state = self.lock();
        state.interactive.iter().chain(&state.bulk).any(|job| job.durable() == Durable::Now)
    }

    /// Up to `count` jobs of at most `bytes` together (but at least one), waiting as a task; empty when closed and empty.
    pub(crate) async fn group(&self, count: usize, bytes: usize) -> Vec<Job> {
        loop {
            let notified = self.for_tasks.notified();
            {
                let mut state = self.lock();
                let mut group = Vec::new();
                let mut weight = 0;
                while group.len() < count && weight < bytes {
                    let Some(job) = state.take() else { break };
                    weight += job.weight;
                    group.push(job);
                }
                let more = !state.interactive.is_empty() || !state.bulk.is_empty();
                if more || state.closed {
                    // One wake-up may stand for many jobs: pass it on.
                    self.for_tasks.notify_one();
                }
                if !group.is_empty() || state.closed {
                    return group;
                }
            }
            notified.await;
        }
    }

    /// Takes nothing more; what is queued is still done.
    pub(crate) fn close(&self) {
        self.lock().closed = true;
        self.bulk_room.close();
        self.interactive_room.close();
        self.for_thread.notify_all();
        self.for_tasks.notify_one();
    }

    /// The state stays sound even if a holder panicked: every change is a single push or pop.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt as _;
    use std::thread;

    /// A thread that gathers two jobs, and has begun to wait; it would wait for an hour.
    fn gathering(queue: &Arc<Queue>) -> thread::JoinHandle<()> {
        let gatherer = Arc::clone(queue);
        let gatherer = thread::spawn(move || gatherer.gather(2, Duration::from_hours(1)));
        while queue.lock().enough == 0 {
            thread::yield_now();
        }
        gatherer
    }

    #[tokio::test]
    async fn who_gathers_waits_for_enough_of_them() {
        let queue = Queue::new();
        let gatherer = gathering(&queue);
        let _one = queue.push(Lane::Bulk, vec![Batch::default()]).await;
        assert!(!gatherer.is_finished(), "one is not enough");
        let _two = queue.push(Lane::Bulk, vec![Batch::default()]).await;
        gatherer.join().unwrap();
        let state = queue.lock();
        assert_eq!((state.bulk.len(), state.enough), (2, 0), "from now on each is told of");
    }

    /// Whoever wanted an answer soon waited for room behind all visits that did.
    #[tokio::test]
    async fn a_queue_full_of_visits_has_room_for_a_person() {
        let queue = Queue::new();
        let _all = Arc::clone(&queue.bulk_room).acquire_many_owned(BULK_KIB as u32).await.unwrap();
        let soon = queue.push(Lane::Interactive, vec![Batch::default()]);
        assert!(soon.now_or_never().is_some());
        let visit = queue.push(Lane::Bulk, vec![Batch::default()]);
        assert!(visit.now_or_never().is_none(), "visits wait for room");
    }

    #[tokio::test]
    async fn who_gathers_keeps_no_person_waiting() {
        let queue = Queue::new();
        let gatherer = gathering(&queue);
        let _soon = queue.push(Lane::Interactive, vec![Batch::default()]).await;
        gatherer.join().unwrap();
        let queue = Queue::new();
        let gatherer = gathering(&queue);
        queue.close();
        gatherer.join().unwrap();
    }
}
