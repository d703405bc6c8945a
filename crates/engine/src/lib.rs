//! Verbs that look, decide and commit: add_feed, visit, refresh, run, index, maintain, retain.
//!
//! The effects are `store`, `blobs` and `fetch`, the decisions `policy`'s, the parsing `syndication`'s. The clock is
//! handed in. Nothing here knows who asked: the command line, the web and the tests call the same verbs.

mod access;
mod add_feed;
mod backfill;
mod discover;
mod engine;
mod error;
mod export;
mod feed;
mod figures;
mod import;
mod measured;
mod redacted;
mod reparse;
mod rollups;
mod run_now;
mod stored;
mod upkeep;
mod user_agent;
mod vault;
mod visit;
mod worker;

pub use access::{Access, Credentials};
pub use add_feed::{RootDomain, Wanted, add_feed, address};
pub use backfill::{Backfilled, backfill};
pub use discover::{Discovery, FoundFeed, Reach, discover, typed_address};
pub use engine::{CONTENT_TYPES, Engine, IDLE, Maintenance, Options, Parts};
pub use error::EngineError;
pub use export::{Exported, Exporting, export};
pub use feed::access::{AccessChange, AccessChanged, AccessMatch, Change, change_access, compare_access};
pub use feed::arrange::{Arrangement, arrange};
pub use feed::delete::{Deleted, KEPT_AFTER_DELETION, Removal, delete_feed};
pub use feed::disable::{Disabled, disable_feed};
pub use feed::enable::{Enabled, enable_feed};
pub use feed::explain::{NextVisit, explain, next_visit, outcome_in_words, state_in_words};
pub use feed::move_to::{Moved, move_feed};
pub use feed::owner::{OwnerChanged, set_feed_owner};
pub use feed::root_domain::{RootDomainSet, set_root_domain};
pub use feed::rules::{RuleChanged, set_rule, unset_rule};
pub use import::{Import, Imported, ImportedRow, Importing, import};
pub use measured::Metrics;
pub use reparse::{Difference, Reparsed, Reparsing, reparse};
pub use rollups::flush_rollups;
pub use run_now::{Insistence, RunNow, run_all_now, run_now};
pub use stored::{Reference, VisitHeaders, passage, references, visit_headers};
pub use upkeep::health::{check_health, free_bytes};
pub use upkeep::index::{index, index_some};
pub use upkeep::leaps::check_clock;
pub use upkeep::retain::{FeedReport, Ranges, RetainReport, Retained, Wish, retain};
pub use upkeep::{clean_up_if_due, maintain, request_upkeep, tidy_up, upkeep};
pub use user_agent::UserAgent;
pub use vault::{Locked, Vault};
pub use visit::icon::icon;
pub use visit::refresh::{Refreshed, refresh};
pub use visit::{Chosen, VisitRequest, visit};
pub use work::{Clock, Stop};
pub use worker::budget::measure_budget;
pub use worker::due_at_start::run_once;
pub use worker::{Tally, run, run_until_idle};
