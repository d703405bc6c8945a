//! Feeds that wait for a free place of their rate group.
//!
//! A group takes a few visits at once. A feed that finds it full is handed back for a moment and noted here; when a
//! visit of this process leaves its place (`GroupPlace`), the feed that has waited longest is made due at once, by the
//! worker's loop. A place that another process leaves is found when the moment is over.
//! In memory only: all that is lost with it is time.

use model::FeedId;
use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};
use tokio::sync::Notify;

/// More are not noted; they come again when their moment is over.
const MOST: usize = 10_000;

/// Who waits, by group. One for each worker's loop.
#[derive(Default)]
pub(crate) struct GroupQueue {
    state: Mutex<State>,
    /// Told when somebody can be made due.
    pub(crate) ready: Notify,
}

#[derive(Default)]
struct State {
    waiting: HashMap<String, VecDeque<FeedId>>,
    noted: HashSet<FeedId>,
    /// While a claim is under way: places that were left in groups for which nobody waited. What the claim has read of
    /// these groups may be older than that.
    left: Option<HashMap<String, usize>>,
    ready: Vec<(String, FeedId)>,
}

impl State {
    /// One feed of a group can be made due, if one waits.
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
    /// A claim begins: from now on, places that are left may be unknown to it.
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

    /// Who can be made due now.
    pub(crate) fn take_ready(&self) -> Vec<(String, FeedId)> {
        std::mem::take(&mut self.lock().ready)
    }

    /// A place of a group is free.
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

/// The place of one visit in a group, left when this is dropped, however the visit ended.
pub(crate) struct GroupPlace<'a> {
    queue: &'a GroupQueue,
    group: Mutex<String>,
}

impl<'a> GroupPlace<'a> {
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

impl Drop for GroupPlace<'_> {
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
        let place = GroupPlace::new(&queue, "a");
        queue.left("b");
        place.move_to("a");
        assert_eq!(queue.take_ready(), []);
        place.move_to("c");
        drop(GroupPlace::new(&queue, "a"));
        assert_eq!(queue.take_ready(), full("a", &[1, 2]));
        drop(place);
        queue.left("a");
        queue.left("a");
        assert_eq!(queue.take_ready(), full("a", &[3]), "the place that was left was in another group");
    }

    /// The feed was noted after the place was left, and waited until its moment was over.
    #[test]
    fn a_place_that_is_left_during_a_claim_is_not_missed() {
        let queue = GroupQueue::default();
        queue.left("a");
        queue.claim_begins();
        queue.left("a");
        queue.left("b");
        queue.claim_ended(full("a", &[1, 2]));
        assert_eq!(queue.take_ready(), full("a", &[1]), "what was left before the claim, the claim has seen");
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
