//! One call to a language model: a prompt out, a checked answer and its usage back.
//!
//! Speaks to servers with OpenAI's `/chat/completions`, through `fetch`; opens no socket itself. It decides nothing: no
//! budget, no retries, no queue, no pace, and it logs nothing; `enrich` does. Where to look: `llm` (the call), `profile`
//! (how servers differ), `request` (what is sent), `answer`, `chunks`, `repair` and `schema` (how an answer is read),
//! `prompts` (the texts), `envelope` (articles are data, never instructions), `tokens`, `mock`.

mod answer;
mod chunks;
mod envelope;
mod error;
mod key;
mod llm;
mod mock;
mod options;
mod profile;
mod prompt;
mod prompts;
mod repair;
mod request;
mod schema;
mod tokens;

pub use answer::{Answer, Usage};
pub use envelope::{Article, Nonce};
pub use error::{CallError, SetupError};
pub use key::Key;
pub use llm::Llm;
pub use mock::{Mock, Step};
pub use options::Options;
pub use profile::{Format, PROFILES, Profile};
pub use prompt::{JsonSchema, Prompt};
pub use prompts::{CATEGORIES, Kind, SCORES, SENTIMENTS};
pub use tokens::estimate_tokens;
