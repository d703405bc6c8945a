//! Wake-ups: a commit that brings something wakes the tasks that wait for it, instead of leaving them to the next poll.
//!
//! A batch says which topics it wakes. Once it is committed, waiters of the same process are woken; on PostgreSQL the
//! transaction also sends a NOTIFY, and other processes hear it (`postgres/listen.rs`). Two processes on one SQLite file
//! do not wake each other. A wake-up is therefore only a hint: a waiter reads, waits for at most the interval of its
//! poll, and reads again. It may also be woken for nothing.

use std::time::Duration;
use tokio::sync::watch;

/// What a task can wait for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Topic {
    /// Events were written to the outbox.
    Events,
    /// Jobs were queued.
    Jobs,
    /// A user marked entries.
    ReadState,
}

impl Topic {
    pub(crate) const ALL: [Self; 3] = [Self::Events, Self::Jobs, Self::ReadState];

    /// The channel of its NOTIFY (PostgreSQL).
    pub(crate) fn channel(self) -> &'static str {
        match self {
            Self::Events => "courant_events",
            Self::Jobs => "courant_jobs",
            Self::ReadState => "courant_read_state",
        }
    }
}

/// Some topics.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Topics {
    events: bool,
    jobs: bool,
    read_state: bool,
}

impl Topics {
    pub(crate) fn add(&mut self, topic: Topic) {
        match topic {
            Topic::Events => self.events = true,
            Topic::Jobs => self.jobs = true,
            Topic::ReadState => self.read_state = true,
        }
    }

    pub(crate) fn has(self, topic: Topic) -> bool {
        match topic {
            Topic::Events => self.events,
            Topic::Jobs => self.jobs,
            Topic::ReadState => self.read_state,
        }
    }

    /// Those of either.
    pub(crate) fn and(self, other: Self) -> Self {
        Self {
            events: self.events || other.events,
            jobs: self.jobs || other.jobs,
            read_state: self.read_state || other.read_state,
        }
    }

    pub(crate) fn iter(self) -> impl Iterator<Item = Topic> {
        Topic::ALL.into_iter().filter(move |topic| self.has(*topic))
    }
}

/// The waiters of one store: how often each topic was woken.
#[derive(Debug, Default)]
pub(crate) struct Waiters {
    events: watch::Sender<u64>,
    jobs: watch::Sender<u64>,
    read_state: watch::Sender<u64>,
}

impl Waiters {
    /// Wakes the waiters of these topics.
    pub(crate) fn wake(&self, topics: Topics) {
        for topic in topics.iter() {
            self.of(topic).send_modify(|times| *times = times.wrapping_add(1));
        }
    }

    pub(crate) fn subscribe(&self, topic: Topic) -> watch::Receiver<u64> {
        self.of(topic).subscribe()
    }

    fn of(&self, topic: Topic) -> &watch::Sender<u64> {
        match topic {
            Topic::Events => &self.events,
            Topic::Jobs => &self.jobs,
            Topic::ReadState => &self.read_state,
        }
    }
}

/// Waits for a topic, again and again. What is committed after it was made, or after its last wait, ends the next wait at
/// once: nothing is missed between reading and waiting.
pub struct Waiter {
    store: crate::Store,
    woken: watch::Receiver<u64>,
}

/// Why a wait ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Woken {
    /// Something may have come.
    Called,
    /// Nothing was heard; look anyway.
    TimedOut,
}

impl crate::Store {
    /// Waits for what is committed from now on: make it, then read, then wait.
    pub fn waiter(&self, topic: Topic) -> Waiter {
        Waiter { store: self.clone(), woken: self.waiters().subscribe(topic) }
    }
}

impl Waiter {
    /// Waits until something may have come, for at most this long: the interval of a poll, because not every wake-up
    /// arrives.
    pub async fn wait(&mut self, at_most: Duration) -> Woken {
        self.store.listen();
        match tokio::time::timeout(at_most, self.woken.changed()).await {
            // The sender lives as long as the store, which this waiter has.
            Ok(_) => Woken::Called,
            Err(_) => Woken::TimedOut,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_topics_that_were_named_are_woken() {
        let waiters = Waiters::default();
        let (events, jobs) = (waiters.subscribe(Topic::Events), waiters.subscribe(Topic::Jobs));
        waiters.wake(Topics::default());
        assert_eq!((events.has_changed().unwrap(), jobs.has_changed().unwrap()), (false, false));
        let mut topics = Topics::default();
        topics.add(Topic::Jobs);
        waiters.wake(topics);
        assert_eq!((events.has_changed().unwrap(), jobs.has_changed().unwrap()), (false, true));
        topics = topics.and({
            let mut events = Topics::default();
            events.add(Topic::Events);
            events
        });
        assert_eq!(topics.iter().collect::<Vec<_>>(), [Topic::Events, Topic::Jobs]);
    }

    /// Time is tokio's own and stands still: only a wake-up that was remembered can end the first wait at once.
    #[tokio::test(start_paused = true)]
    async fn a_wake_up_between_reading_and_waiting_is_not_lost() {
        let store = crate::Store::simulated(jiff::Timestamp::UNIX_EPOCH).unwrap();
        let mut waiter = store.waiter(Topic::Jobs);
        let mut topics = Topics::default();
        topics.add(Topic::Jobs);
        store.waiters().wake(topics);
        assert_eq!(waiter.wait(Duration::from_secs(1)).await, Woken::Called);
        assert_eq!(waiter.wait(Duration::from_secs(1)).await, Woken::TimedOut, "one wake-up ends one wait");
    }
}
