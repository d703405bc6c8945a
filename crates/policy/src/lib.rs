//! Every decision, as a pure function that returns its reason.
//!
//! No I/O, no clock, no randomness: what was known and what was seen go in, what to do and why comes out. `engine` does
//! the I/O around these functions.

mod canonical;
mod challenge;
mod client_address;
mod courtesy;
pub mod discover;
pub mod enrich;
mod failure;
pub mod filter;
mod first_visits;
pub mod full_text;
mod headers;
mod identity;
mod likeness;
pub mod limits;
mod moves;
pub mod outage;
pub mod password;
pub mod permission;
mod problems;
mod ranges;
pub mod rate_groups;
pub mod reader_query;
mod recognise;
mod refresh;
mod reparse;
mod retention;
mod retry;
pub mod robots;
pub mod rollup;
pub mod rules;
mod schedule;
mod site;
pub mod snippet;
mod switch;
#[cfg(test)]
mod testing;
mod version;

pub use canonical::{NoKey, canonical_url};
pub use challenge::challenge;
pub use client_address::{client_address, is_https};
pub use courtesy::{Refusals, may_pause, pause, was_refused};
pub use failure::{Judgement, Verdict, failure_delay, is_over_budget, judgement, next_state};
pub use first_visits::first_visits;
pub use headers::keeps_error;
pub use identity::{DocumentKeys, body_hash, link_key};
pub use moves::{Moving, Way, moving};
pub use ranges::{NewRange, RangeFate, RangeWork, full_ranges, range_work, ranges_ahead};
pub use refresh::{Seen, plan_refresh};
pub use reparse::{Different, Reread, backfill, differences, different_facts, reread};
pub use retention::{
    Cleanup, Forgotten, RawFate, RawKeeper, SizeStep, Tightening, cleanup, is_cleanup_due, next_cleanup,
    next_size_step, retention_clock, tombstone_until,
};
pub use retry::{RetryRule, retry};
pub use rules::{Preset, Rules};
pub use schedule::{
    Budget, Dice, Occasion, effort, first_schedule, learnt_rhythm, next_visit, smoothed_gap, wait_in_words,
};
pub use site::{LONGEST_URL, host_name, root_domain};
pub use switch::{Closed, Disabling, Enabling, FirstVisit, disabling, enabling};
