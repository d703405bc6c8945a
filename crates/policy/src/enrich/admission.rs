//! Whether a job may call a model now: the switches, the budget and the provider, in this order.

use super::budget::{BudgetState, Period, Thresholds, budget_state, served};
use super::provider::{Pace, Slot, slot};
use jiff::Timestamp;
use model::enrichment::{Ceilings, Kind, ProviderState, Spent, Why};
use model::job::Priority;

/// A job that wants to call.
#[derive(Debug, Clone, Copy)]
pub struct Candidate<'a> {
    /// What it would make.
    pub kind: Kind,
    /// How urgent it is.
    pub priority: Priority,
    /// The operator has stopped all calls.
    pub stopped: bool,
    /// Whether the model's price is known.
    pub priced: bool,
    /// What was spent.
    pub spent: &'a Spent,
    /// What may be.
    pub ceilings: &'a Ceilings,
    /// Who is served while the budget runs out.
    pub thresholds: Thresholds,
    /// What is known of the provider.
    pub provider: &'a ProviderState,
    /// How often it may be asked.
    pub pace: Pace,
    /// The month and the day.
    pub period: &'a Period,
}

/// The decision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Admission {
    /// Take the slot, by writing this state of the provider; then reserve, then call.
    Go(ProviderState),
    /// Not before a moment.
    Wait {
        /// When it is worth asking again.
        until: Timestamp,
        /// Why not now, for the reader.
        why: Why,
        /// The same in words.
        detail: String,
    },
    /// Never, as things are configured.
    Refuse {
        /// Why, for the reader.
        why: Why,
        /// The same in words.
        detail: &'static str,
    },
}

/// Whether a job may call now.
pub fn admit(candidate: &Candidate<'_>, now: Timestamp) -> Admission {
    if candidate.stopped {
        return Admission::Refuse { why: Why::Admin, detail: "an operator has stopped all calls to models" };
    }
    if !candidate.priced {
        return Admission::Refuse { why: Why::Admin, detail: "the price of the model is not configured (ai.prices)" };
    }
    let state = budget_state(candidate.spent, candidate.ceilings, candidate.thresholds, Some(candidate.kind));
    if served(state).is_none_or(|least| candidate.priority < least) {
        let of_the_day = candidate.ceilings.day.is_some_and(|day| candidate.spent.day.share_of(day) >= 1.0);
        let of_the_month = candidate.ceilings.month.is_some_and(|month| candidate.spent.month.share_of(month) >= 1.0);
        let until = if of_the_day && !of_the_month { candidate.period.next_day } else { candidate.period.next_month };
        let detail = match state {
            BudgetState::Stopped => "the budget is used up".to_owned(),
            state => format!("the budget is running out ({}): more urgent texts come first", state.as_str()),
        };
        return Admission::Wait { until, why: Why::Budget, detail };
    }
    match slot(candidate.provider, candidate.pace, now) {
        Slot::Go(next) => Admission::Go(next),
        Slot::Wait { until, why } => Admission::Wait { until, why: Why::Waiting, detail: why.to_owned() },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::enrich::period;
    use model::enrichment::Breaker;
    use model::job::Priority::{High, Low, Normal};
    use model::money::Money;

    #[test]
    fn who_may_call_and_who_waits_for_what() {
        let now: Timestamp = "2026-11-18T12:00:00Z".parse().expect("a moment");
        let period = period(now);
        let ceilings = Ceilings { month: Some(Money(100)), day: Some(Money(10)), ..Ceilings::default() };
        let check = |month: i64, day: i64, priority, stopped, priced, breaker, expected: &str| {
            let spent = Spent { month: Money(month), day: Money(day), ..Spent::default() };
            let provider = ProviderState { breaker, opened_at: Some(now), ..ProviderState::default() };
            let candidate = Candidate {
                kind: Kind::Summary,
                priority,
                stopped,
                priced,
                spent: &spent,
                ceilings: &ceilings,
                thresholds: Thresholds::default(),
                provider: &provider,
                pace: Pace { rpm: Some(20) },
                period: &period,
            };
            let told = match admit(&candidate, now) {
                Admission::Go(next) => format!("go, called {}", next.last_call_at == Some(now)),
                Admission::Wait { until, why, .. } => format!("wait until {until} for {}", why.as_str()),
                Admission::Refuse { why, .. } => format!("refuse: {}", why.as_str()),
            };
            assert_eq!(told, expected, "{month} {day} {priority:?}");
        };
        let (closed, open) = (Breaker::Closed, Breaker::Open);
        check(0, 0, Low, false, true, closed, "go, called true");
        check(0, 0, High, true, true, closed, "refuse: admin");
        check(0, 0, High, false, false, closed, "refuse: admin");
        let month = "wait until 2026-12-01T00:00:00Z for budget";
        check(75, 0, Low, false, true, closed, month);
        check(75, 0, Normal, false, true, closed, "go, called true");
        check(90, 0, Normal, false, true, closed, month);
        check(90, 0, High, false, true, closed, "go, called true");
        check(100, 0, High, false, true, closed, month);
        check(50, 10, High, false, true, closed, "wait until 2026-11-19T00:00:00Z for budget");
        check(100, 10, High, false, true, closed, month);
        check(0, 0, High, false, true, open, "wait until 2026-11-18T12:05:00Z for waiting");
    }
}
