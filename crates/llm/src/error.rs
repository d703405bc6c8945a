//! Why there is no answer, cut by what the caller can do about it.
//!
//! Every error says why in words, without the key and in a bounded length. Errors of setting up are apart: an operator
//! must act.

use crate::answer::Usage;
use jiff::Timestamp;

/// Why a call has no answer that can be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CallError {
    /// Try again later: no connection, too slow, or a failure of the server.
    #[error("the model cannot be reached: {why}")]
    Temporary {
        /// Why, in words.
        why: String,
        /// What it may have cost: the server had the whole request, and may go on with it although nobody waits.
        usage: Option<Usage>,
    },
    /// Wait first: the server has had enough of us for now.
    #[error("the model's server asks to wait: {why}")]
    RateLimited {
        /// Why, in words.
        why: String,
        /// When it wants to be asked again, if it said so. Not limited: the caller decides how much of it to believe.
        retry_at: Option<Timestamp>,
    },
    /// The same request will be refused again: a wrong key, an unknown model, an invalid request, a forbidden address.
    #[error("the model's server refuses the request: {why}")]
    Permanent {
        /// Why, in words.
        why: String,
    },
    /// There is an answer, and it is of no use: empty, cut off, refused by the model, not what the schema asks for.
    #[error("the model's answer cannot be used: {why}")]
    BadAnswer {
        /// Why, in words.
        why: String,
        /// What it cost all the same.
        usage: Usage,
    },
}

impl CallError {
    /// The error in one word.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Temporary { .. } => "temporary",
            Self::RateLimited { .. } => "rate-limited",
            Self::Permanent { .. } => "permanent",
            Self::BadAnswer { .. } => "bad-answer",
        }
    }
}

/// An option cannot be used; an operator must act.
#[derive(Debug, thiserror::Error)]
pub enum SetupError {
    /// An option is missing or wrong.
    #[error("the option {option} for the model cannot be used: {why}")]
    Option {
        /// Its name.
        option: &'static str,
        /// What is wrong with it.
        why: String,
    },
    /// Nothing can be fetched at all.
    #[error("cannot set up requests to the model")]
    Fetch(#[from] fetch::FetchError),
}
