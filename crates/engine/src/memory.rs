//! What this process has noticed and may forget at a restart: who refused us lately. What must survive is the store's.

use jiff::Timestamp;
use model::visit::Visit;
use policy::Refusals;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Shared by all visits of a process.
#[derive(Default)]
pub struct Memory {
    refusals: Mutex<Refusals>,
}

impl Memory {
    /// Notes whether a group refused us, and says how many of its URLs it refused lately.
    pub(crate) fn note_refusal(&self, group: &str, visit: &Visit, now: Timestamp) -> usize {
        let mut refusals = lock(&self.refusals);
        if policy::was_refused(visit) {
            return refusals.note(group, &visit.url, now);
        }
        if visit.reached() {
            refusals.forget(group);
        }
        0
    }
}

/// What a panicking holder left is still good: every change is a single call.
fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}
