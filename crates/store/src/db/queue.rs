//! The queue in front of a writer: four lanes by who waits, bounded in bytes.
//!
//! SQLite's writer thread takes from it one by one while a transaction is open; PostgreSQL's committers take a
//! group at a time. Pushing waits while the lane is full: back-pressure reaches the workers as waiting, not memory.
//! The first lane that has something goes first, but a lane that was passed over often enough is served next.

use crate::db::batch::{Answer, Batch, Chore, Durable, Refused};
use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore, oneshot};

/// Who waits for a write, the most urgent first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lane {
    /// A person: a request or a command.
    People,
    /// A worker that cannot go on without it: claims, renewals, appointments, locks.
    Leases,
    /// A worker that has other visits to make meanwhile.
    Commits,
    /// No caller in a hurry: deletes, VACUUM, statistics and other background work.
    Upkeep,
}

const LANES: usize = 4;

impl Lane {
    const ALL: [Self; LANES] = [Self::People, Self::Leases, Self::Commits, Self::Upkeep];

    /// The size of the lane in KiB. Each lane has its own, so that none waits for room behind another.
    fn most_kib(self) -> usize {
        match self {
            Self::Commits => 16 * 1024,
            Self::People | Self::Leases | Self::Upkeep => 4 * 1024,
        }
    }

    /// After this many writes of more urgent lanes it is this lane's turn.
    fn patience(self) -> u32 {
        match self {
            Self::People => 0,
            Self::Leases | Self::Commits => 32,
            Self::Upkeep => 128,
        }
    }
}

/// Batches that come together, and who waits for them. Each happens or not.
pub(crate) struct Write {
    pub(crate) lane: Lane,
    pub(crate) batches: Vec<Batch>,
    pub(crate) weight: usize,
    reply: oneshot::Sender<Results>,
    _room: OwnedSemaphorePermit,
}

/// The result of each batch.
pub(crate) type Results = Vec<Result<Answer, Refused>>;

impl Write {
    /// Answers the caller, if it is still there, and returns the batches.
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
    room: [Arc<Semaphore>; LANES],
}

#[derive(Default)]
struct State {
    lanes: [VecDeque<Write>; LANES],
    /// How many writes of more urgent lanes were taken while each lane waited.
    passed_over: [u32; LANES],
    /// Whether the thread waits: a needless wake-up costs a system call.
    waiting: bool,
    /// The thread that waits is not woken for fewer commits than this.
    enough: usize,
    closed: bool,
}

impl State {
    fn lane(&self, lane: Lane) -> &VecDeque<Write> {
        &self.lanes[lane as usize]
    }

    /// Which lane goes next: the first that has something, unless another has waited for too long.
    fn next_lane(&self) -> Option<Lane> {
        let overdue = |lane: Lane| !self.lane(lane).is_empty() && self.passed_over[lane as usize] >= lane.patience();
        // A chore may take minutes: it waits until no person waits, however long that takes.
        let may_begin = |lane: Lane| {
            self.lane(Lane::People).is_empty() || self.lane(lane).front().is_some_and(|write| write.chore().is_none())
        };
        let urgent = || Lane::ALL.into_iter().find(|lane| !self.lane(*lane).is_empty());
        Lane::ALL[1..].iter().copied().find(|lane| overdue(*lane) && may_begin(*lane)).or_else(urgent)
    }

    fn take(&mut self) -> Option<Write> {
        let lane = self.next_lane()?;
        self.passed_over[lane as usize] = 0;
        for other in Lane::ALL {
            if (other as usize) > lane as usize && !self.lane(other).is_empty() {
                self.passed_over[other as usize] += 1;
            }
        }
        self.lanes[lane as usize].pop_front()
    }

    fn next(&self) -> Option<&Write> {
        self.lane(self.next_lane()?).front()
    }

    /// Whether a caller waits that cannot go on without an answer.
    fn is_urgent(&self) -> bool {
        !self.lane(Lane::People).is_empty() || !self.lane(Lane::Leases).is_empty()
    }

    fn is_empty(&self) -> bool {
        self.lanes.iter().all(VecDeque::is_empty)
    }
}

impl Queue {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self {
            state: Mutex::default(),
            for_thread: Condvar::new(),
            for_tasks: Notify::new(),
            room: Lane::ALL.map(|lane| Arc::new(Semaphore::new(lane.most_kib()))),
        })
    }

    /// Queues batches once there is room; the receiver gives their results. `None` once the queue is closed.
    pub(crate) async fn push(&self, lane: Lane, batches: Vec<Batch>) -> Option<oneshot::Receiver<Results>> {
        let weight = batches.iter().map(Batch::weight).sum::<usize>();
        let kib = (weight / 1024 + 1).min(lane.most_kib()) as u32;
        let room = Arc::clone(&self.room[lane as usize]).acquire_many_owned(kib).await.ok()?;
        let (reply, answer) = oneshot::channel();
        let worth_waking = {
            let mut state = self.lock();
            if state.closed {
                return None;
            }
            state.lanes[lane as usize].push_back(Write { lane, batches, weight, reply, _room: room });
            let worth_it = state.is_urgent() || state.lane(Lane::Commits).len() >= state.enough;
            worth_it && std::mem::take(&mut state.waiting)
        };
        if worth_waking {
            self.for_thread.notify_one();
        }
        self.for_tasks.notify_one();
        Some(answer)
    }

    /// The next write, waiting on this thread; `None` when closed and empty.
    pub(crate) fn wait(&self) -> Option<Write> {
        let mut state = self.lock();
        loop {
            if let Some(write) = state.take() {
                return Some(write);
            }
            if state.closed {
                return None;
            }
            state.waiting = true;
            state = self.for_thread.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Waits on this thread until this many commits are queued, a caller waits that cannot go on without an answer, or this
    /// long has passed.
    pub(crate) fn gather(&self, count: usize, within: Duration) {
        let mut state = self.lock();
        state.enough = count;
        let few = |state: &mut State| {
            state.waiting = !state.is_urgent() && state.lane(Lane::Commits).len() < count && !state.closed;
            state.waiting
        };
        // Whatever is queued is taken, also after a time-out.
        let waited = self.for_thread.wait_timeout_while(state, within, few);
        let mut state = waited.unwrap_or_else(PoisonError::into_inner).0;
        (state.enough, state.waiting) = (0, false);
    }

    /// The next write, if `will_do` accepts it.
    pub(crate) fn take_if(&self, will_do: impl FnOnce(&Write) -> bool) -> Option<Write> {
        let mut state = self.lock();
        state.next().is_some_and(will_do).then(|| state.take()).flatten()
    }

    /// Whether a queued write must be on the disk before it is answered.
    pub(crate) fn has_lasting(&self) -> bool {
        let state = self.lock();
        state.lanes.iter().flatten().any(|write| write.durable() == Durable::Now)
    }

    /// Up to `count` writes of at most `bytes` together (but at least one), waiting as a task; empty when closed and empty.
    pub(crate) async fn group(&self, count: usize, bytes: usize) -> Vec<Write> {
        loop {
            let notified = self.for_tasks.notified();
            {
                let mut state = self.lock();
                let mut group = Vec::new();
                let mut weight = 0;
                while group.len() < count && weight < bytes {
                    let Some(write) = state.take() else { break };
                    weight += write.weight;
                    group.push(write);
                }
                if !state.is_empty() || state.closed {
                    // One wake-up may stand for many writes: pass it on.
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
        self.room.iter().for_each(|room| room.close());
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

    /// A thread that gathers two writes and has decided to wait for more; it would wait for an hour.
    fn gathering(queue: &Arc<Queue>) -> thread::JoinHandle<()> {
        let gatherer = Arc::clone(queue);
        let gatherer = thread::spawn(move || gatherer.gather(2, Duration::from_hours(1)));
        // It sets `waiting` under the lock, by what it saw, and lets go of the lock only in order to wait.
        while !queue.lock().waiting {
            assert!(!gatherer.is_finished(), "it did not wait");
            thread::yield_now();
        }
        gatherer
    }

    #[tokio::test]
    async fn one_job_is_not_enough_to_end_the_gathering_of_two() {
        let queue = Queue::new();
        let _one = queue.push(Lane::Commits, vec![Batch::default()]).await;
        let gatherer = gathering(&queue);
        let _two = queue.push(Lane::Commits, vec![Batch::default()]).await;
        gatherer.join().unwrap();
        let state = queue.lock();
        assert_eq!((state.lane(Lane::Commits).len(), state.enough), (2, 0), "from now on every write wakes the thread");
    }

    /// Without a thread, which would hide a needless wake-up by waiting again.
    #[tokio::test]
    async fn a_gathering_thread_is_not_woken_before_there_are_enough_jobs() {
        let queue = Queue::new();
        (queue.lock().enough, queue.lock().waiting) = (2, true);
        let _one = queue.push(Lane::Commits, vec![Batch::default()]).await;
        assert!(queue.lock().waiting, "one is not enough");
        let _two = queue.push(Lane::Commits, vec![Batch::default()]).await;
        assert!(!queue.lock().waiting, "two are");
    }

    /// Whoever wanted an answer soon waited for room behind all visits that did.
    #[tokio::test]
    async fn a_queue_full_of_visits_has_room_for_a_person() {
        let queue = Queue::new();
        let all = Arc::clone(&queue.room[Lane::Commits as usize]);
        let _all = all.acquire_many_owned(Lane::Commits.most_kib() as u32).await.unwrap();
        let soon = queue.push(Lane::People, vec![Batch::default()]);
        assert!(soon.now_or_never().is_some());
        let visit = queue.push(Lane::Commits, vec![Batch::default()]);
        assert!(visit.now_or_never().is_none(), "visits wait for room");
    }

    #[tokio::test]
    async fn who_gathers_keeps_no_person_waiting() {
        let queue = Queue::new();
        let gatherer = gathering(&queue);
        let _soon = queue.push(Lane::People, vec![Batch::default()]).await;
        gatherer.join().unwrap();
        let queue = Queue::new();
        let gatherer = gathering(&queue);
        queue.close();
        gatherer.join().unwrap();
    }

    /// Queues one write for each letter: people, leases, commits, upkeep, and V for a VACUUM.
    async fn queued(queue: &Queue, letters: &str) {
        for letter in letters.chars() {
            let (lane, batch) = match letter {
                'p' => (Lane::People, Batch::default()),
                'l' => (Lane::Leases, Batch::default()),
                'c' => (Lane::Commits, Batch::default()),
                'u' => (Lane::Upkeep, Batch::default()),
                _ => (Lane::Upkeep, Batch::chore(Chore::Compact)),
            };
            // Nobody waits for the answer.
            drop(queue.push(lane, vec![batch]).await);
        }
    }

    fn letter(write: &Write) -> char {
        match write.lane {
            Lane::People => 'p',
            Lane::Leases => 'l',
            Lane::Commits => 'c',
            Lane::Upkeep if write.chore().is_some() => 'V',
            Lane::Upkeep => 'u',
        }
    }

    #[tokio::test]
    async fn who_cannot_go_on_is_served_first() {
        let queue = Queue::new();
        queued(&queue, "uVcclpupl").await;
        let order: String = std::iter::from_fn(|| queue.take_if(|_| true)).map(|write| letter(&write)).collect();
        assert_eq!(order, "ppllccuVu");
    }

    #[tokio::test]
    async fn no_lane_starves() {
        let queue = Queue::new();
        queued(&queue, "uclllll").await;
        let mut order = String::new();
        for _ in 0..300 {
            // There is always a person.
            queued(&queue, "p").await;
            order.extend(queue.take_if(|_| true).map(|write| letter(&write)));
        }
        let first = |lane| order.find(lane).expect(&order);
        assert_eq!(first('l'), 32, "leases wait for 32 people: {order}");
        assert!(first('c') <= 2 * 32, "commits: {order}");
        assert!(first('u') <= 2 * 128, "upkeep: {order}");
        assert!(order.matches('p').count() > 280, "and people are hardly kept waiting: {order}");
    }

    /// A VACUUM of minutes would begin just when somebody presses a button.
    #[tokio::test]
    async fn a_chore_does_not_begin_while_a_person_waits() {
        let queue = Queue::new();
        queued(&queue, "V").await;
        for _ in 0..500 {
            queued(&queue, "p").await;
            assert_eq!(queue.take_if(|_| true).map(|write| letter(&write)), Some('p'));
        }
        queued(&queue, "c").await;
        assert_eq!(queue.take_if(|_| true).map(|write| letter(&write)), Some('V'), "as soon as no person waits");
    }

    /// Deletes come step by step: a person waits for the one under way, not for the rest.
    #[tokio::test]
    async fn a_person_gets_in_between_the_steps_of_upkeep() {
        let queue = Queue::new();
        queued(&queue, "uuu").await;
        let under_way = queue.wait();
        queued(&queue, "p").await;
        assert_eq!(under_way.map(|write| letter(&write)), Some('u'));
        assert_eq!(queue.wait().map(|write| letter(&write)), Some('p'));
    }
}
