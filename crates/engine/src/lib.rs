//! Verbs that look, decide and commit: subscribe, visit, refresh, run, index, maintain, retain.
//!
//! The effects are `store`, `blobs` and `fetch`, the decisions `policy`'s, the parsing `syndication`'s. The clock is
//! handed in. Nothing here knows who asked: the command line, the web and the tests call the same verbs.

mod access;
mod answer;
mod budget;
mod clock;
mod discover;
mod engine;
mod error;
mod export;
mod figures;
mod health;
mod held;
mod icon;
mod import;
mod index;
mod lanes;
mod maintain;
mod measured;
mod memory;
mod name;
mod once;
mod purge;
mod refresh;
mod reparse;
mod retain;
mod robots;
mod run;
mod run_now;
mod shown;
mod stored;
mod subscribe;
mod thinking;
mod trouble;
mod unbroken;
mod vault;
mod visit;

pub use access::{Access, Credentials};
pub use budget::measure_budget;
pub use clock::Clock;
pub use discover::{Discovery, FoundFeed, Reach, discover, typed_address};
pub use engine::{CONTENT_TYPES, Engine, IDLE, Maintenance, Options};
pub use error::EngineError;
pub use export::{Exported, Exporting, export};
pub use figures::Figures;
pub use health::{check_health, free_bytes};
pub use icon::icon;
pub use import::{Import, Imported, ImportedRow, import};
pub use index::{index, index_some};
pub use maintain::{Jobs, Upkeep, clean_up_if_due, maintain, tidy_up};
pub use measured::{Measured, show_measured};
pub use memory::Memory;
pub use name::Name;
pub use once::run_once;
pub use purge::{KEPT_AFTER_DELETION, Purged, delete_feed, purge_now};
pub use refresh::{Refreshed, refresh};
pub use reparse::{Difference, Reparsed, Reparsing, reparse};
pub use retain::{FeedReport, Ranges, RetainReport, Retained, Wish, retain};
pub use run::{Stop, Tally, round, run};
pub use run_now::{Insistence, RunNow, run_all_now, run_now};
pub use stored::{Reference, VisitHeaders, passage, references, visit_headers};
pub use subscribe::{RootDomain, Wanted, address, subscribe};
pub use thinking::Thinking;
pub use vault::{Locked, Vault};
pub use visit::{Chosen, Errand, visit};
