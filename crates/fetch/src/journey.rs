//! How far one exchange has come: its phase, what each phase took, whom it reached.
//!
//! hyper's client tells a connector the URI and nothing of the request, so the request leaves its journey in a
//! task-local, and the connector picks it up. A connection that was kept from before leaves no marks but its peer.

use model::visit::Phase;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::Instant;

tokio::task_local! {
    static CURRENT: Arc<Journey>;
}

/// What an exchange took, phase by phase.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Timings {
    /// Resolving the name; none for addresses and for connections that were kept.
    pub dns: Option<Duration>,
    /// Connecting; none for connections that were kept.
    pub connect: Option<Duration>,
    /// Securing the connection.
    pub tls: Option<Duration>,
    /// From sending the request to the head of the answer.
    pub first_byte: Option<Duration>,
    /// Everything.
    pub total: Duration,
}

/// The marks that one exchange leaves.
pub(crate) struct Journey {
    phase: watch::Sender<Phase>,
    marks: Mutex<Marks>,
}

#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Marks {
    pub(crate) timings: Timings,
    pub(crate) peer: Option<SocketAddr>,
    /// When the request could be sent; none while it is connecting or when a kept connection was used.
    pub(crate) ready_at: Option<Instant>,
    /// A connection was begun for this exchange.
    pub(crate) dialled: bool,
}

impl Journey {
    /// Begins with the wait for an answer: only a connector knows better, and kept connections need none.
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self { phase: watch::Sender::new(Phase::FirstByte), marks: Mutex::default() })
    }

    /// The journey of the request being polled, if it is one of ours.
    pub(crate) fn current() -> Arc<Self> {
        CURRENT.try_with(Arc::clone).unwrap_or_else(|_| Self::new())
    }

    /// Runs a request so that a connector finds this journey.
    pub(crate) async fn run<F: Future>(self: &Arc<Self>, request: F) -> F::Output {
        CURRENT.scope(Arc::clone(self), request).await
    }

    pub(crate) fn enter(&self, phase: Phase) {
        self.phase.send_replace(phase);
    }

    pub(crate) fn phase(&self) -> Phase {
        *self.phase.borrow()
    }

    pub(crate) fn mark(&self, change: impl FnOnce(&mut Marks)) {
        change(&mut self.marks.lock().unwrap_or_else(PoisonError::into_inner));
    }

    pub(crate) fn marks(&self) -> Marks {
        *self.marks.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends when the answer has been waited for too long; the phases before have their own limits in the connector.
    pub(crate) async fn no_answer_within(&self, limit: Duration) {
        let mut phases = self.phase.subscribe();
        loop {
            let waiting = *phases.borrow_and_update() == Phase::FirstByte;
            if !waiting {
                // The sender lives in `self`, so there is always another change to wait for.
                let _ = phases.changed().await;
            } else if tokio::time::timeout(limit, phases.changed()).await.is_err() {
                return;
            }
        }
    }
}
