//! How far one exchange has come: its phase, what each phase took, whom it reached.
//!
//! hyper's client tells a connector the URI and nothing of the request, so the request leaves its progress in a
//! task-local, and the connector picks it up. A connection that was kept from before leaves no marks but its peer.

use model::visit::{Phase, Timings};
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

tokio::task_local! {
    static CURRENT: Arc<Progress>;
}

/// The marks that one exchange leaves.
pub(crate) struct Progress {
    marks: Mutex<Marks>,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Marks {
    pub(crate) phase: Phase,
    pub(crate) timings: Timings,
    pub(crate) peer: Option<SocketAddr>,
    /// When the request was given a connection.
    pub(crate) ready_at: Option<Instant>,
    /// A connection was begun for this exchange; none is when one was kept.
    pub(crate) dialled: bool,
    /// How long the answer waited for memory, once it was there.
    pub(crate) waited: Duration,
}

impl Progress {
    /// Begins with the wait for an answer: a connection that was kept needs nothing before it.
    pub(crate) fn new() -> Arc<Self> {
        let (timings, phase) = (Timings::default(), Phase::FirstByte);
        let marks = Marks { phase, timings, peer: None, ready_at: None, dialled: false, waited: Duration::ZERO };
        Arc::new(Self { marks: Mutex::new(marks) })
    }

    /// The progress of the request being polled, if it is one of ours.
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
