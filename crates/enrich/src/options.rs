//! How entries are enriched: what an operator configured, checked elsewhere. Plain data.

use crate::prompts::Prompts;
use jiff::SignedDuration;
use llm::Llm;
use model::enrichment::{Ceilings, Kinds};
use policy::Rules;
use policy::enrich::{Pace, Price, Thresholds};

/// How entries are enriched.
#[derive(Debug, Clone)]
pub struct Options {
    /// The rules of feeds that have none of their own; `ai.enabled` is the switch of the instance.
    pub rules: Rules,
    /// The model that is asked after the local toolkit, if there is one.
    pub model: Option<ModelOptions>,
    /// Of each feed, so many of its newest entries are looked at without having been opened.
    pub newest: u32,
}

impl Default for Options {
    fn default() -> Self {
        Self { rules: Rules::default(), model: None, newest: 100 }
    }
}

/// A model, and what it may cost.
#[derive(Debug, Clone)]
pub struct ModelOptions {
    /// Whom to ask.
    pub llm: Llm,
    /// For what.
    pub kinds: Kinds,
    /// What it costs; `None` is not known, and then nobody is asked.
    pub price: Option<Price>,
    /// How often it may be asked.
    pub pace: Pace,
    /// How many calls at once.
    pub at_once: usize,
    /// How long a call may take.
    pub timeout: SignedDuration,
    /// How much of a text is sent.
    pub most_chars: usize,
    /// Prompts of the operator's own.
    pub prompts: Prompts,
    /// What the configuration allows; an operator may have set something else for a month, or for all.
    pub ceilings: Ceilings,
    /// Who is served while the budget runs out.
    pub thresholds: Thresholds,
}
