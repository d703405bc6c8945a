//! Natural language without a network: what a text is written in, says and is about.
//!
//! Everything here is a pure function of its text: the same answer on every machine, no model server, no key, no cost.
//! English is done best; German, French, Spanish, Portuguese, Italian, Dutch and Danish well enough to show. For other
//! languages a function says `None` where it would have to guess.
//!
//! Text is plain text: whoever has HTML makes text of it first (`content`). All input is hostile: any length, any bytes
//! that are UTF-8, in bounded time.

mod analysis;
pub mod answer;
mod bait;
mod calm_title;
mod category;
pub mod clickbait;
mod faithful;
mod language;
mod lexicon;
mod score;
pub mod scores;
mod sentences;
mod sentiment;
mod stop_words;
mod summary;
mod topics;
mod word_lists;
mod words;

pub use analysis::{Analysis, analyse};
pub use answer::{Answer, answer};
pub use calm_title::calm_title;
pub use category::{Categorised, Category, category};
pub use clickbait::clickbait;
pub use faithful::{Unfaithful, faithful};
pub use language::{Language, language};
pub use score::Score;
pub use scores::{Scores, scores};
pub use sentences::sentences;
pub use sentiment::{Feeling, Sentiment, sentiment};
pub use summary::{LINE_CHARACTERS, Length, Ranked, one_line, ranked, summary};
pub use topics::topics;
pub use words::{Kind, Stemmer, Token, fold, tokens};
