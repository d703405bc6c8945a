//! A question under way: when its caller goes away, the server is told to end it.
//!
//! The connection then leaves the pool, so that a cancel request that comes late ends nobody else's statement, and nobody
//! waits behind a statement that still runs.

use super::open::Dialler;
use deadpool_postgres::Client;
use std::time::Duration;

/// A server that does not take a cancel request in this time is not waited for.
const CANCEL_PATIENCE: Duration = Duration::from_secs(5);
/// A cancel request that comes before the statement does nothing, so it is repeated, after pauses that double.
const ATTEMPTS: u32 = 8;
const FIRST_PAUSE: Duration = Duration::from_millis(50);

/// Holds a connection while a question runs on it.
pub(super) struct Asking<'a> {
    client: Option<Client>,
    dialler: &'a Dialler,
}

impl<'a> Asking<'a> {
    pub(super) fn begin(client: Client, dialler: &'a Dialler) -> Self {
        Self { client: Some(client), dialler }
    }

    pub(super) fn client(&self) -> &Client {
        self.client.as_ref().expect("it is there until the end")
    }

    /// The question was answered: the connection goes back to the pool.
    pub(super) fn end(mut self) {
        self.client = None;
    }
}

impl Drop for Asking<'_> {
    fn drop(&mut self) {
        let Some(client) = self.client.take() else { return };
        // Without a runtime nothing runs on: the process ends.
        let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
        let (token, dialler) = (client.cancel_token(), self.dialler.clone());
        runtime.spawn(async move {
            let mut pause = FIRST_PAUSE;
            for attempt in 1.. {
                let _ = tokio::time::timeout(CANCEL_PATIENCE, dialler.cancel(&token)).await;
                // Answered once everything before it has ended, however it did.
                if tokio::time::timeout(pause, client.batch_execute("")).await.is_ok() {
                    break;
                }
                if attempt == ATTEMPTS {
                    tracing::debug!(database = dialler.name(), "a question that nobody waits for may run on");
                    break;
                }
                pause *= 2;
            }
            // Until here it counts as one of the pool, which therefore never has more connections than it may.
            drop(Client::take(client));
        });
    }
}
