//! Verbs that look, decide and commit: subscribe, visit, refresh, run, maintain.
//!
//! The effects are `store`, `blobs` and `fetch`, the decisions `policy`'s, the parsing `syndication`'s. The clock is
//! handed in. Nothing here knows who asked: the command line, the web and the tests call the same verbs.

mod access;
mod answer;
mod clock;
mod discover;
mod engine;
mod error;
mod export;
mod held;
mod icon;
mod import;
mod lanes;
mod maintain;
mod memory;
mod name;
mod refresh;
mod reparse;
mod robots;
mod run;
mod subscribe;
mod vault;
mod visit;

pub use access::{Access, Credentials};
pub use clock::Clock;
pub use discover::{Discovery, FoundFeed, Reach, discover};
pub use engine::{Engine, Options};
pub use error::EngineError;
pub use export::{Exported, Exporting, export};
pub use icon::icon;
pub use import::{Import, Imported, ImportedRow, import};
pub use maintain::{maintain, tidy_up};
pub use memory::Memory;
pub use name::Name;
pub use refresh::{Refreshed, refresh};
pub use reparse::{Difference, Reparsed, Reparsing, reparse};
pub use run::{Stop, round, run};
pub use subscribe::{Wanted, subscribe};
pub use vault::{Locked, Vault};
pub use visit::{Chosen, Errand, visit};
