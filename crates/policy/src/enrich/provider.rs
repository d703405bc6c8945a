//! The breaker and the pace of a provider: whether it may be asked now, and what its answer changes.
//!
//! All processes share one [`ProviderState`]; whoever decides on an old one is refused and decides again. A call takes its
//! slot before it is made, so that two processes never make it together.

use jiff::{SignedDuration, Timestamp};
use model::enrichment::{Breaker, ProviderState};

/// So many failures in a row open the breaker.
const FAILURE_THRESHOLD: u32 = 5;
/// It stays open for so long.
const RECOVERY: SignedDuration = SignedDuration::from_secs(300);
/// So many good answers close it again.
const HALF_OPEN_SUCCESSES: u32 = 3;
/// How long to wait after a 429 that does not say, and at the most.
const RATE_LIMITED: SignedDuration = SignedDuration::from_secs(60);
const LONGEST_RATE_LIMIT: SignedDuration = SignedDuration::from_hours(24);
/// Calls that leave evenly may arrive unevenly: this much of the interval is added, so that a server that counts a minute
/// sees no more than were allowed although one call was three seconds late.
const MARGIN: f64 = 0.05;
/// The slowest pace: one call an hour is no service.
pub const MIN_PACE_RPM: u32 = 1;

/// How often a provider may be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pace {
    /// Requests a minute; `None` is no limit.
    pub rpm: Option<u32>,
}

impl Pace {
    /// The least time between two calls, and a little more.
    pub fn interval(self) -> SignedDuration {
        let Some(rpm) = self.rpm else { return SignedDuration::ZERO };
        let seconds = 60.0 / f64::from(rpm.max(MIN_PACE_RPM)) * (1.0 + MARGIN);
        SignedDuration::from_millis((seconds * 1e3).round() as i64)
    }
}

/// Whether a call may be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Slot {
    /// Yes, if this state can be written.
    Go(ProviderState),
    /// Not before a moment, and why.
    Wait {
        /// When it is worth asking again.
        until: Timestamp,
        /// Why not now.
        why: &'static str,
    },
}

/// Takes a slot for one call, if there is one.
pub fn slot(state: &ProviderState, pace: Pace, now: Timestamp) -> Slot {
    let later = |at: Timestamp, wait: SignedDuration| at.saturating_add(wait).unwrap_or(Timestamp::MAX);
    // A moment in the future is a clock that was put back: it counts as now.
    let past = |at: Option<Timestamp>| at.map(|at| at.min(now));
    if let Some(until) = state.rate_limited_until
        && until > now
    {
        return Slot::Wait { until: until.min(later(now, LONGEST_RATE_LIMIT)), why: "the server asked to wait" };
    }
    let opened = past(state.opened_at).unwrap_or(now);
    if state.breaker == Breaker::Open && later(opened, RECOVERY) > now {
        return Slot::Wait { until: later(opened, RECOVERY), why: "the breaker is open after several failures" };
    }
    if let Some(last) = past(state.last_call_at)
        && later(last, pace.interval()) > now
    {
        return Slot::Wait { until: later(last, pace.interval()), why: "the pace allows no call yet" };
    }
    let mut next = ProviderState { last_call_at: Some(now), ..state.clone() };
    if next.breaker == Breaker::Open {
        (next.breaker, next.half_successes) = (Breaker::HalfOpen, 0);
    }
    Slot::Go(next)
}

/// What came of a call, as far as the provider is concerned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// It answered; whether the answer is of use is another question.
    Answered,
    /// It could not be reached, or failed, or refused.
    Failed,
    /// It asked to wait, perhaps until a moment.
    RateLimited(Option<Timestamp>),
}

/// A change that an operator wants to know of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Transition {
    /// It is not asked any more.
    Opened,
    /// It is asked again as before.
    Closed,
}

/// The state after a call.
pub fn after_call(state: &ProviderState, outcome: Outcome, now: Timestamp) -> (ProviderState, Option<Transition>) {
    let mut next = state.clone();
    let open = |next: &mut ProviderState| {
        (next.breaker, next.opened_at, next.half_successes) = (Breaker::Open, Some(now), 0);
        Some(Transition::Opened)
    };
    let transition = match (outcome, state.breaker) {
        (Outcome::Answered, breaker) => {
            next.last_success_at = Some(now);
            match breaker {
                Breaker::Closed => {
                    next.failures = 0;
                    None
                }
                // An answer to a call that was made before it opened says nothing about now.
                Breaker::Open => None,
                Breaker::HalfOpen => {
                    next.half_successes = state.half_successes.saturating_add(1);
                    (next.half_successes >= HALF_OPEN_SUCCESSES).then(|| {
                        (next.breaker, next.failures, next.half_successes, next.opened_at) =
                            (Breaker::Closed, 0, 0, None);
                        Transition::Closed
                    })
                }
            }
        }
        (Outcome::Failed, breaker) => {
            next.last_failure_at = Some(now);
            next.failures = state.failures.saturating_add(1);
            match breaker {
                Breaker::Closed if next.failures >= FAILURE_THRESHOLD => open(&mut next),
                Breaker::HalfOpen => open(&mut next),
                Breaker::Closed | Breaker::Open => None,
            }
        }
        (Outcome::RateLimited(until), _) => {
            let latest = now.saturating_add(LONGEST_RATE_LIMIT).unwrap_or(Timestamp::MAX);
            let asked = until.filter(|until| *until > now);
            let until = asked.unwrap_or_else(|| now.saturating_add(RATE_LIMITED).unwrap_or(Timestamp::MAX)).min(latest);
            // Two processes may be told different times: the later one holds.
            next.rate_limited_until =
                Some(state.rate_limited_until.map_or(until, |before| before.min(latest).max(until)));
            None
        }
    };
    (next, transition)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const PACE: Pace = Pace { rpm: Some(20) };

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_second(1_790_000_000 + seconds).expect("a moment")
    }

    fn state(breaker: Breaker, failures: u32, half: u32) -> ProviderState {
        let opened_at = (breaker == Breaker::Open).then(|| at(0));
        ProviderState { breaker, failures, half_successes: half, opened_at, ..ProviderState::default() }
    }

    #[test]
    fn the_transition_table_is_complete() {
        use Breaker::{Closed, HalfOpen, Open};
        let check = |before: (Breaker, u32, u32), outcome, after: (Breaker, u32, u32), told| {
            let (next, transition) = after_call(&state(before.0, before.1, before.2), outcome, at(1));
            let shown = (next.breaker, next.failures, next.half_successes);
            assert_eq!((shown, transition), (after, told), "{before:?} {outcome:?}");
        };
        let (answered, failed, limited) = (Outcome::Answered, Outcome::Failed, Outcome::RateLimited(None));
        check((Closed, 0, 0), answered, (Closed, 0, 0), None);
        check((Closed, 4, 0), answered, (Closed, 0, 0), None);
        check((Closed, 0, 0), failed, (Closed, 1, 0), None);
        check((Closed, 3, 0), failed, (Closed, 4, 0), None);
        check((Closed, 4, 0), failed, (Open, 5, 0), Some(Transition::Opened));
        check((Closed, 4, 0), limited, (Closed, 4, 0), None);
        check((Open, 5, 0), answered, (Open, 5, 0), None);
        check((Open, 5, 0), failed, (Open, 6, 0), None);
        check((Open, 5, 0), limited, (Open, 5, 0), None);
        check((HalfOpen, 5, 0), answered, (HalfOpen, 5, 1), None);
        check((HalfOpen, 5, 1), answered, (HalfOpen, 5, 2), None);
        check((HalfOpen, 5, 2), answered, (Closed, 0, 0), Some(Transition::Closed));
        check((HalfOpen, 5, 2), failed, (Open, 6, 0), Some(Transition::Opened));
        check((HalfOpen, 5, 2), limited, (HalfOpen, 5, 2), None);
    }

    #[test]
    fn an_open_breaker_lets_a_call_through_after_300_seconds() {
        let open = state(Breaker::Open, 5, 2);
        assert!(matches!(slot(&open, PACE, at(299)), Slot::Wait { until, .. } if until == at(300)));
        let Slot::Go(next) = slot(&open, PACE, at(300)) else { panic!("no slot") };
        assert_eq!((next.breaker, next.half_successes), (Breaker::HalfOpen, 0));
        // The clock was put back by an hour: it waits 300 s, not an hour and 300 s.
        assert!(matches!(slot(&open, PACE, at(-3600)), Slot::Wait { until, .. } if until == at(-3600 + 300)));
    }

    #[test]
    fn a_429_is_waited_for_as_told_within_a_day() {
        let check = |told: Option<i64>, expected: i64| {
            let (next, _) = after_call(&ProviderState::default(), Outcome::RateLimited(told.map(at)), at(0));
            assert_eq!(next.rate_limited_until, Some(at(expected)), "{told:?}");
            assert!(matches!(slot(&next, PACE, at(expected - 1)), Slot::Wait { until, .. } if until == at(expected)));
            assert!(matches!(slot(&next, PACE, at(expected)), Slot::Go(_)));
        };
        check(None, 60);
        check(Some(30), 30);
        check(Some(-5), 60);
        check(Some(10_000_000), 86_400);
    }

    #[test]
    fn the_pace_is_a_little_slower_than_allowed() {
        assert_eq!(PACE.interval(), SignedDuration::from_millis(3_150));
        assert_eq!(Pace { rpm: None }.interval(), SignedDuration::ZERO);
        assert_eq!(Pace { rpm: Some(0) }.interval(), SignedDuration::from_secs(63));
    }

    proptest! {
        /// However many try at whatever moments, no minute has more calls than the pace allows, even where calls arrive up to
        /// three seconds late.
        #[test]
        fn no_minute_has_more_calls_than_allowed(gaps in prop::collection::vec((0_i64..4_000, 0_i64..3_000), 1..400), rpm in 1_u32..200) {
            let (pace, mut state, mut now, mut arrived) = (Pace { rpm: Some(rpm) }, ProviderState::default(), at(0), Vec::new());
            for (gap, late) in gaps {
                now += SignedDuration::from_millis(gap);
                if let Slot::Go(next) = slot(&state, pace, now) {
                    state = next;
                    arrived.push(now + SignedDuration::from_millis(late));
                }
            }
            arrived.sort();
            for first in &arrived {
                let within = arrived.iter().filter(|at| *at >= first && at.duration_since(*first) < SignedDuration::from_secs(60)).count();
                prop_assert!(within <= rpm as usize, "{within} calls in a minute at {rpm} a minute");
            }
        }
    }
}
