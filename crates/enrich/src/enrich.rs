//! The service itself: what its jobs and verbs share. Cheap to clone.

use crate::figures::Figures;
use crate::options::{ModelOptions, Options};
use jiff::Timestamp;
use llm::Nonce;
use model::WorkerId;
use model::enrichment::Kind;
use policy::Rules;
use std::sync::Arc;
use store::Store;
use work::Clock;

/// What it is made of.
pub struct Parts {
    /// Where everything is kept.
    pub store: Store,
    /// What time it is.
    pub clock: Clock,
    /// The name of this process.
    pub worker: WorkerId,
    /// How entries are enriched.
    pub options: Options,
    /// Bytes that nobody can guess, anew at each call.
    pub random: fn() -> [u8; 16],
}

/// Makes summaries, tags and calm titles.
#[derive(Clone)]
pub struct Enrich {
    store: Store,
    clock: Clock,
    worker: WorkerId,
    options: Arc<Options>,
    random: fn() -> [u8; 16],
    figures: Arc<Figures>,
}

impl Enrich {
    /// One that has just been started.
    pub fn new(parts: Parts) -> Self {
        let Parts { store, clock, worker, options, random } = parts;
        Self { store, clock, worker, options: Arc::new(options), random, figures: Arc::default() }
    }

    pub(crate) fn store(&self) -> &Store {
        &self.store
    }

    /// The same for work that nobody waits for.
    pub(crate) fn behind(&self) -> Self {
        Self { store: self.store.in_background(), ..self.clone() }
    }

    pub(crate) fn clock(&self) -> &Clock {
        &self.clock
    }

    pub(crate) fn worker(&self) -> &WorkerId {
        &self.worker
    }

    /// How entries are enriched.
    pub fn options(&self) -> &Options {
        &self.options
    }

    pub(crate) fn rules(&self) -> &Rules {
        &self.options.rules
    }

    pub(crate) fn figures(&self) -> &Figures {
        &self.figures
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.clock.now()
    }

    pub(crate) fn nonce(&self) -> Nonce {
        Nonce::new((self.random)())
    }

    /// The model that is asked for a kind, if there is one.
    pub(crate) fn model_for(&self, kind: Kind) -> Option<&ModelOptions> {
        self.options.model.as_ref().filter(|model| model.kinds.contains(kind))
    }

    /// Puts what it counts on a page, and what the database knows; without an answer of the database that is left out.
    pub async fn show(&self, page: &mut meter::Page) {
        self.figures.show(page);
        if let Ok(usage) = self.usage().await {
            crate::figures::show_usage(page, &usage);
        }
    }
}
