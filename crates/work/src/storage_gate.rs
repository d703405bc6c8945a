//! Pauses work while the database or the blobs fail: a visit whose result cannot be stored is rude to its publisher.
//!
//! A failure is logged when it begins and when it is over, not in between. While it lasts, one piece of work at a time is
//! tried as a probe.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

/// Between two attempts while storage fails, or while our own network is away.
pub const REST: Duration = Duration::from_secs(10);

/// What may fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// The database.
    Store,
    /// The raw bytes.
    Blobs,
}

/// Why work was begun.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Aim {
    /// Because it was due.
    Work,
    /// To find out whether storage works again.
    Probe,
}

type OnChange = Arc<dyn Fn(Option<Part>) + Send + Sync>;

/// Open while storage works. One for each loop.
pub struct StorageGate {
    /// What is paused, for log lines: `fetching`.
    work: &'static str,
    failing: Mutex<Option<Failing>>,
    on_change: Option<OnChange>,
}

struct Failing {
    part: Part,
    last: Instant,
    why: String,
}

impl StorageGate {
    /// An open gate; `work` is what it pauses, in log lines.
    pub fn pausing(work: &'static str) -> Self {
        Self { work, failing: Mutex::default(), on_change: None }
    }

    /// Calls `on_change` with what fails, or with nothing when it is over: for metrics.
    #[must_use]
    pub fn reporting(self, on_change: impl Fn(Option<Part>) + Send + Sync + 'static) -> Self {
        Self { on_change: Some(Arc::new(on_change)), ..self }
    }

    /// Closes the gate: a part has failed.
    pub fn close(&self, part: Part, why: &str) {
        let mut failing = self.lock();
        self.changed(Some(part));
        let now = Failing { part, last: Instant::now(), why: why.to_owned() };
        if failing.replace(now).is_none() {
            tracing::error!(error = why, "storage unavailable; {} paused", self.work);
        }
    }

    /// Whether something fails.
    pub fn is_closed(&self) -> bool {
        self.lock().is_some()
    }

    /// Whether this part fails.
    pub fn is_failing(&self, part: Part) -> bool {
        self.lock().as_ref().is_some_and(|failing| failing.part == part)
    }

    /// Why it is closed.
    pub fn why(&self) -> Option<String> {
        self.lock().as_ref().map(|failing| failing.why.clone())
    }

    /// The store did what it was asked. Only a probe opens the gate: work that was begun before storage failed proves nothing.
    pub fn succeeded(&self, aim: Aim) {
        if aim == Aim::Probe && self.is_failing(Part::Store) {
            self.open();
        }
    }

    /// Opens the gate: storage works again.
    pub fn open(&self) {
        let mut failing = self.lock();
        self.changed(None);
        if failing.take().is_some() {
            tracing::info!("storage available again; {} resumed", self.work);
        }
    }

    /// Whether the last failure is so recent that another attempt would only be noise.
    pub fn is_resting(&self) -> bool {
        self.lock().as_ref().is_some_and(|failing| failing.last.elapsed() < REST)
    }

    fn changed(&self, part: Option<Part>) {
        self.on_change.iter().for_each(|report| report(part));
    }

    fn lock(&self) -> MutexGuard<'_, Option<Failing>> {
        self.failing.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn full(gate: &StorageGate, part: Part) {
        gate.close(part, "no space left");
    }

    /// A visit that was claimed before the disk was full, and was written in what was left of it, opened the gate, which
    /// closed again at once; and so did a claim that was under way and found nothing due.
    #[test]
    fn only_a_probe_opens_the_gate() {
        let gate = StorageGate::pausing("fetching");
        full(&gate, Part::Store);
        gate.succeeded(Aim::Work);
        assert!(gate.is_closed());
        gate.succeeded(Aim::Probe);
        assert!(!gate.is_closed());
    }

    /// A visit that brings no bytes can be written while there is no room for bytes.
    #[test]
    fn a_written_visit_says_nothing_about_blobs() {
        let gate = StorageGate::pausing("fetching");
        full(&gate, Part::Blobs);
        gate.succeeded(Aim::Probe);
        assert!(gate.is_failing(Part::Blobs));
        gate.open();
        assert!(!gate.is_closed());
    }

    #[tokio::test(start_paused = true)]
    async fn after_a_failure_it_rests_and_tries_again() {
        let gate = StorageGate::pausing("fetching");
        full(&gate, Part::Store);
        assert!(gate.is_resting());
        tokio::time::advance(REST).await;
        assert!(!gate.is_resting() && gate.is_closed(), "it is tried again, and not over");
    }

    #[test]
    fn every_change_is_reported() {
        let seen = Arc::new(Mutex::new(Vec::new()));
        let reported = Arc::clone(&seen);
        let gate = StorageGate::pausing("fetching").reporting(move |part| reported.lock().unwrap().push(part));
        full(&gate, Part::Blobs);
        gate.open();
        assert_eq!(*seen.lock().unwrap(), [Some(Part::Blobs), None]);
    }
}
