//! Feeds whose rate group was full.
//!
//! A group takes a few visits at once. The lease of a feed that finds it full is handed back for a second, and the feed is
//! noted here. When a visit of this process gives its permit of the group back (`GroupPermit`), the worker's loop makes the
//! feed due at once that has waited longest. A permit that another process gives back is found after the second.
//! In memory only: when it is lost, feeds wait up to a second longer.

use model::FeedId;
use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};
use tokio::sync::Notify;

/// At most this many are noted; others come again after their second.
const MOST: usize = 10_000;

/// Waiting feeds by group. One for each worker's loop.
#[derive(Default)]
pub(crate) struct GroupQueue {
    state: Mutex<State>,
    /// Notified when a feed can be made due.
    pub(crate) ready: Notify,
}

#[derive(Default)]
struct State {
    waiting: HashMap<String, VecDeque<FeedId>>,
    noted: HashSet<FeedId>,
    /// While a claim is in progress: permits given back in groups without waiting feeds. What the claim has read of these
    /// groups may be older.
    left: Option<HashMap<String, usize>>,
    ready: Vec<(String, FeedId)>,
}

impl State {
    /// Makes the next feed of a group ready, if one waits.
    fn next(&mut self, group: &str) -> bool {
        let Some(waiting) = self.waiting.get_mut(group) else { return false };
        let next = waiting.pop_front();
        if waiting.is_empty() {
            self.waiting.remove(group);
        }
        let Some(feed) = next else { return false };
        self.noted.remove(&feed);
        self.ready.push((group.to_owned(), feed));
        true
    }
}

impl GroupQueue {
    /// A claim begins: permits given back from now on may be unknown to it.
    pub(crate) fn claim_begins(&self) {
        self.lock().left = Some(HashMap::new());
    }

    /// A claim has ended, and these feeds found their groups full.
    pub(crate) fn claim_ended(&self, full: Vec<(String, FeedId)>) {
        let mut state = self.lock();
        let left = state.left.take().unwrap_or_default();
        for (group, feed) in full {
            if state.noted.len() < MOST && state.noted.insert(feed) {
                state.waiting.entry(group).or_default().push_back(feed);
            }
        }
        for (group, places) in left {
            for _ in 0..places {
                state.next(&group);
            }
        }
        self.tell(&state);
    }

    /// The feeds that can be made due now.
    pub(crate) fn take_ready(&self) -> Vec<(String, FeedId)> {
        std::mem::take(&mut self.lock().ready)
    }

    /// A permit of a group is free.
    pub(crate) fn left(&self, group: &str) {
        let mut state = self.lock();
        if state.next(group) {
            self.tell(&state);
        } else if let Some(left) = &mut state.left {
            *left.entry(group.to_owned()).or_default() += 1;
        }
    }

    fn tell(&self, state: &State) {
        if !state.ready.is_empty() {
            self.ready.notify_one();
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The permit of one visit in its rate group, given back when this is dropped, however the visit ended.
pub(crate) struct GroupPermit<'a> {
    queue: &'a GroupQueue,
    group: Mutex<String>,
}

impl<'a> GroupPermit<'a> {
    pub(crate) fn new(queue: &'a GroupQueue, group: &str) -> Self {
        Self { queue, group: Mutex::new(group.to_owned()) }
    }

    /// The visit was led to another group.
    pub(crate) fn move_to(&self, group: &str) {
        let mut own = self.group.lock().unwrap_or_else(PoisonError::into_inner);
        if *own != group {
            self.queue.left(&own);
            group.clone_into(&mut own);
        }
    }
}

impl Drop for GroupPermit<'_> {
    fn drop(&mut self) {
        self.queue.left(self.group.get_mut().unwrap_or_else(PoisonError::into_inner));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn full(group: &str, feeds: &[i64]) -> Vec<(String, FeedId)> {
        feeds.iter().map(|feed| (group.to_owned(), FeedId(*feed))).collect()
    }

    #[test]
    fn who_waited_longest_goes_first_and_once() {
        let queue = GroupQueue::default();
        queue.claim_begins();
        queue.claim_ended(full("a", &[1, 2, 3]));
        queue.claim_begins();
        queue.claim_ended(full("a", &[2, 1]));
        assert_eq!(queue.take_ready(), [], "nobody left");
        let place = GroupPermit::new(&queue, "a");
        queue.left("b");
        place.move_to("a");
        assert_eq!(queue.take_ready(), []);
        place.move_to("c");
        drop(GroupPermit::new(&queue, "a"));
        assert_eq!(queue.take_ready(), full("a", &[1, 2]));
        drop(place);
        queue.left("a");
        queue.left("a");
        assert_eq!(queue.take_ready(), full("a", &[3]), "the permit was of another group");
    }

    /// The feed was noted after the permit was given back, and waited for its whole second.
    #[test]
    fn a_place_that_is_left_during_a_claim_is_not_missed() {
        let queue = GroupQueue::default();
        queue.left("a");
        queue.claim_begins();
        queue.left("a");
        queue.left("b");
        queue.claim_ended(full("a", &[1, 2]));
        assert_eq!(queue.take_ready(), full("a", &[1]), "the claim has seen what was given back before it");
    }

    #[test]
    fn memory_is_bounded() {
        let queue = GroupQueue::default();
        queue.claim_begins();
        queue.claim_ended(full("a", &(0..20_000).collect::<Vec<_>>()));
        let state = queue.lock();
        assert_eq!((state.noted.len(), state.waiting["a"].len()), (MOST, MOST));
    }
}
