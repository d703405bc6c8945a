//! Every decision, as a pure function that returns its reason.
//!
//! No I/O, no clock, no randomness: what was known and what was seen come in, what to do and why goes out.
//! `engine` looks and commits around these functions.

mod challenge;
mod courtesy;
pub mod discover;
mod identity;
pub mod outage;
pub mod rate_groups;
mod refresh;
pub mod robots;
mod schedule;
mod site;

pub use challenge::challenge;
pub use courtesy::{Refusals, pause, was_refused};
pub use identity::{body_hash, entry_keys};
pub use refresh::{Seen, plan_refresh};
pub use schedule::{Limits, next_visit};
pub use site::{rate_group, root_domain};
