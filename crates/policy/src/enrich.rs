//! Enrichments: what is wanted, who may ask a model when, what it may cost, and what follows a failure. Pure; `enrich` acts.
//!
//! Where to look: `wanted` (is the text worth it, and for whom), `admission` (may this job call now), `budget` (states and
//! money), `provider` (breaker and pace), `attempt` (after a failure), `shown` (what a reader is told).

mod admission;
mod attempt;
mod budget;
mod provider;
mod shown;
mod wanted;

pub use admission::{Admission, Candidate, admit};
pub use attempt::{Next, after_failure};
pub use budget::{BudgetState, Period, Price, Thresholds, budget_state, cost, forecast, period, served, share_used};
pub use provider::{MIN_PACE_RPM, Outcome, Pace, Slot, Transition, after_call, slot};
pub use shown::{Known, Shown, Status, shown};
pub use wanted::{Audience, SHORT_CHARS, Text, Wanted, asks_for, traffic, wanted};
