//! Enrichments: summaries, tags and calm titles, by the local toolkit and, where one is configured, by a model.
//!
//! `docs/notes/enrichment.md` has the path of one. Decisions are `policy::enrich`, the toolkit is `prose`, calls are `llm`,
//! rows are in `store`; here they are put together as jobs. Where to look: `local` and `remote` (the two stages), `answer` (what
//! is believed of a model), `material` (what is looked at), `ask` (who asks for jobs), `usage` (what it cost), `control` (switch
//! and ceilings), `runner`. It never visits a publisher, and nothing of it runs while a request waits.

mod answer;
mod ask;
mod control;
mod enrich;
mod figures;
mod key;
mod local;
mod material;
mod options;
mod prompts;
mod remote;
mod runner;
mod usage;

pub use ask::{MODEL, Opened};
pub use control::{BudgetChange, STOPPED};
pub use enrich::{Enrich, Parts};
pub use local::{LOCAL_MODEL, LOCAL_PROVIDER};
pub use options::{ModelOptions, Options};
pub use prompts::Prompts;
pub use usage::{KindUsage, ModelUsage, Usage};
