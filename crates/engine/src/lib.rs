//! Verbs that look, decide and commit: subscribe, visit, refresh, run, maintain.
//!
//! The effects are `store`, `blobs` and `fetch`, the decisions `policy`'s, the parsing `syndication`'s. The clock is
//! handed in. Nothing here knows who asked: the command line, the web and the tests call the same verbs.

mod engine;
mod error;
mod maintain;
mod refresh;
mod run;
mod subscribe;
mod visit;

pub use engine::{Clock, Engine, Options};
pub use error::EngineError;
pub use maintain::{maintain, tidy_up};
pub use refresh::{Refreshed, refresh};
pub use run::{Stop, round, run};
pub use subscribe::subscribe;
