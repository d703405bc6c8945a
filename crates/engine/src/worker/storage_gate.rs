//! Whether the store or the blobs fail, since when and why: said when it begins and when it is over, not in between.

use crate::error::{EngineError, report};
use crate::figures::Figures;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

/// After the store or the blobs failed, and between two attempts while our own network is away.
pub(crate) const REST: Duration = Duration::from_secs(10);

/// What may fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    Store,
    Blobs,
}

/// What feeds were claimed for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Aim {
    /// To be visited, because they were due.
    Work,
    /// To find out whether the trouble is over.
    Probe,
}

#[derive(Default)]
pub(crate) struct StorageGate {
    failing: Mutex<Option<Failing>>,
    figures: Arc<Figures>,
}

struct Failing {
    part: Part,
    last: Instant,
    why: String,
}

impl StorageGate {
    pub(crate) fn shown_in(figures: &Arc<Figures>) -> Self {
        Self { failing: Mutex::default(), figures: Arc::clone(figures) }
    }

    pub(crate) fn say(&self, error: &EngineError) {
        let part = if matches!(error, EngineError::Blobs(_)) { Part::Blobs } else { Part::Store };
        let why = report(error);
        let now = Failing { part, last: Instant::now(), why: why.clone() };
        let mut failing = self.lock();
        self.figures.storage_failing(Some(part));
        if failing.replace(now).is_none() {
            tracing::error!(error = why, "storage unavailable; fetching paused");
        }
    }

    pub(crate) fn is_there(&self) -> bool {
        self.lock().is_some()
    }

    pub(crate) fn is_with(&self, part: Part) -> bool {
        self.lock().as_ref().is_some_and(|failing| failing.part == part)
    }

    pub(crate) fn what(&self) -> Option<String> {
        self.lock().as_ref().map(|failing| failing.why.clone())
    }

    /// The store did as it was asked. Who was under way, or was just being claimed, when the trouble began proves nothing.
    pub(crate) fn went_well(&self, aim: Aim) {
        if aim == Aim::Probe && self.is_with(Part::Store) {
            self.over();
        }
    }

    pub(crate) fn over(&self) {
        let mut failing = self.lock();
        self.figures.storage_failing(None);
        if failing.take().is_some() {
            tracing::info!("storage available again; fetching resumed");
        }
    }

    /// So recent that trying again would only be noise.
    pub(crate) fn is_fresh(&self) -> bool {
        self.lock().as_ref().is_some_and(|failing| failing.last.elapsed() < REST)
    }

    fn lock(&self) -> MutexGuard<'_, Option<Failing>> {
        self.failing.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use store::StoreError;

    fn full() -> EngineError {
        StoreError::Full { database: "a file".to_owned() }.into()
    }

    /// A visit that was claimed before the disk was full, and was written in what was left of it, ended the trouble, which
    /// was then said again; and so did a claim that was under way and found nothing due.
    #[test]
    fn only_a_probe_ends_the_trouble() {
        let trouble = StorageGate::default();
        trouble.say(&full());
        trouble.went_well(Aim::Work);
        assert!(trouble.is_there());
        trouble.went_well(Aim::Probe);
        assert!(!trouble.is_there());
    }

    /// A visit that brings no bytes can be written while there is no place for bytes.
    #[test]
    fn a_written_visit_says_nothing_about_blobs() {
        let trouble = StorageGate::default();
        let (place, source) = ("a directory".to_owned(), "no room".into());
        trouble.say(&EngineError::Blobs(blobs::BlobError::Full { place, source }));
        trouble.went_well(Aim::Probe);
        assert!(trouble.is_with(Part::Blobs));
        trouble.over();
        assert!(!trouble.is_there());
    }

    #[tokio::test(start_paused = true)]
    async fn who_failed_rests_and_tries_again() {
        let trouble = StorageGate::default();
        trouble.say(&full());
        assert!(trouble.is_fresh());
        tokio::time::advance(REST).await;
        assert!(!trouble.is_fresh() && trouble.is_there(), "it is tried again, and not over");
    }
}
