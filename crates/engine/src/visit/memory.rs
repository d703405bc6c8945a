//! What this process has noticed and may forget at a restart: recent refusals, whether our own network works, robots.txt
//! files, the shares of the daily visits. What must survive a restart is in the store.

use crate::visit::robots::Remembered;
use jiff::{SignedDuration, Timestamp};
use model::visit::{Failure, Outcome, Visit};
use policy::outage::{Outage, Reach};
use policy::{Budget, Refusals};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The same problem is logged at most this often.
const SAY_EVERY: SignedDuration = SignedDuration::from_mins(1);

/// Shared by all visits of a process.
#[derive(Default)]
pub(crate) struct Memory {
    refusals: Mutex<Refusals>,
    reach: Mutex<Reach>,
    robots: Mutex<Remembered>,
    budget: Mutex<Option<Budget>>,
    /// When it was last logged that no more connections can be opened.
    exhausted_said: Mutex<Option<Timestamp>>,
}

/// Whether our own network works.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Network {
    /// It works, as far as we know.
    There,
    /// It was found to be away just now; since when.
    Lost(Timestamp),
    /// It is still away.
    Away,
}

impl Memory {
    /// Whether any group refused us lately.
    pub(crate) fn was_refused_lately(&self) -> bool {
        !lock(&self.refusals).is_empty()
    }

    /// Notes whether a group refused us; returns how many of its URLs it refused lately.
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

    /// Notes whether a visit reached a server; reports whether our own network is to blame if it did not.
    pub(crate) fn note_reach(&self, group: &str, visit: &Visit, now: Timestamp) -> Network {
        let mut reach = lock(&self.reach);
        let before = reach.verdict(now);
        if let Some(reached) = reached_beyond_here(visit) {
            reach.note(group, now, reached);
        }
        match (before, reach.verdict(now)) {
            (_, Outage::None) => Network::There,
            (Outage::None, Outage::Local { since, .. }) => Network::Lost(since),
            (Outage::Local { .. }, Outage::Local { .. }) => Network::Away,
        }
    }

    /// Whether to log that no more connections can be opened: once a minute, however many visits find out.
    pub(crate) fn may_say_exhausted(&self, now: Timestamp) -> bool {
        let mut said = lock(&self.exhausted_said);
        let may = said.is_none_or(|last| now.duration_since(last).abs() >= SAY_EVERY);
        if may {
            *said = Some(now);
        }
        may
    }

    /// Whether our own network is away, in words.
    pub(crate) fn outage(&self, now: Timestamp) -> Option<String> {
        let verdict = lock(&self.reach).verdict(now);
        (verdict != Outage::None).then(|| verdict.to_string())
    }

    /// The shares of the daily visits, if they are limited.
    pub(crate) fn budget(&self) -> Option<Budget> {
        *lock(&self.budget)
    }

    pub(crate) fn set_budget(&self, budget: Budget) {
        *lock(&self.budget) = Some(budget);
    }

    pub(crate) fn robots(&self) -> MutexGuard<'_, Remembered> {
        lock(&self.robots)
    }
}

/// Whether a server beyond our own network answered; none where the visit says nothing about that.
fn reached_beyond_here(visit: &Visit) -> Option<bool> {
    let here = |hop: &model::visit::Hop| hop.address.is_some_and(|address| !fetch::guard::is_global(address.ip()));
    if visit.hops.iter().any(here) {
        return None;
    }
    match &visit.outcome {
        _ if visit.reached() => Some(true),
        Outcome::Failed(Failure::Dns(_) | Failure::Connect(_) | Failure::Tls(_) | Failure::Timeout(_)) => Some(false),
        _ => None,
    }
}

/// The state stays consistent if a holder panics: every change is a single call.
fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}
