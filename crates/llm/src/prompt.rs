//! What a model is asked: a system text, the user's text, the shape of the answer. Plain data.

use serde_json::Value;

/// One question.
#[derive(Debug, Clone, PartialEq)]
pub struct Prompt {
    /// What to do.
    pub system: String,
    /// What to do it with.
    pub user: String,
    /// The shape of the answer; without one the answer is text.
    pub schema: Option<JsonSchema>,
    /// The most tokens of the answer; the options may allow less.
    pub max_tokens: u32,
}

/// The shape of an answer.
#[derive(Debug, Clone, PartialEq)]
pub struct JsonSchema {
    /// Its name: letters, digits, `-` and `_`.
    pub name: String,
    /// The schema: `type`, `properties`, `required`, `items`, `enum` and limits. Other keywords are sent, and not
    /// checked.
    pub schema: Value,
}
