//! The progress of one exchange: its phase, the duration of each phase, its peer.
//!
//! hyper's client passes a connector only the URI, so the request puts its progress into a task-local, where the
//! connector finds it. For a reused connection only the peer is recorded.

use model::visit::{Phase, Timings};
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

tokio::task_local! {
    static CURRENT: Arc<Progress>;
}

/// What is recorded of one exchange.
pub(crate) struct Progress {
    marks: Mutex<Marks>,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Marks {
    pub(crate) phase: Phase,
    pub(crate) timings: Timings,
    pub(crate) peer: Option<SocketAddr>,
    /// When the request got a connection.
    pub(crate) ready_at: Option<Instant>,
    /// Whether a connection was opened for this exchange; false for a reused one.
    pub(crate) dialled: bool,
    /// How long the response waited for memory after it had arrived.
    pub(crate) waited: Duration,
}

impl Progress {
    /// Begins with the wait for a response: a reused connection needs nothing before it.
    pub(crate) fn new() -> Arc<Self> {
        let (timings, phase) = (Timings::default(), Phase::FirstByte);
        let marks = Marks { phase, timings, peer: None, ready_at: None, dialled: false, waited: Duration::ZERO };
        Arc::new(Self { marks: Mutex::new(marks) })
    }

    /// The progress of the request being polled, or an unused one.
    pub(crate) fn current() -> Arc<Self> {
        CURRENT.try_with(Arc::clone).unwrap_or_else(|_| Self::new())
    }

    /// Runs a request so that a connector finds this progress.
    pub(crate) async fn run<F: Future>(self: &Arc<Self>, request: F) -> F::Output {
        CURRENT.scope(Arc::clone(self), request).await
    }

    pub(crate) fn enter(&self, phase: Phase) {
        self.mark(|marks| marks.phase = phase);
    }

    pub(crate) fn mark(&self, change: impl FnOnce(&mut Marks)) {
        change(&mut self.marks.lock().unwrap_or_else(PoisonError::into_inner));
    }

    pub(crate) fn marks(&self) -> Marks {
        *self.marks.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
