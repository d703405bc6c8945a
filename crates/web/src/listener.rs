//! Accepts connections up to a limit and serves each (`connection`). If open files run out, it waits and retries: the
//! shortage ends when a client disconnects.

use crate::connection::{Timeouts, serve};
use axum::Router;
use engine::Stop;
use std::io;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep};

/// Limits for clients.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Concurrent connections; further clients wait in the system's queue.
    pub connections: usize,
    /// Timeouts of each.
    pub timeouts: Timeouts,
}

/// Delay after a failed accept.
const REST: Duration = Duration::from_millis(250);
/// The same problem is logged at most this often: clients must not decide how much is logged.
const LOG_EVERY: Duration = Duration::from_mins(1);

/// Serves requests until told to stop, and ends at most `grace` after that.
pub async fn listen(listener: TcpListener, router: Router, limits: Limits, mut stop: Stop) {
    let places = Arc::new(Semaphore::new(limits.connections));
    let mut connections = JoinSet::new();
    let (mut crowded, mut failing) = (LogThrottle::default(), LogThrottle::default());
    loop {
        if places.available_permits() == 0 && crowded.may_log() {
            tracing::warn!(connections = limits.connections, "all connections are in use; further clients wait");
        }
        let next = async {
            let place = Arc::clone(&places).acquire_owned().await;
            (place, listener.accept().await)
        };
        let (place, accepted) = tokio::select! {
            next = next => next,
            _ = stop.wait_for(|stop| *stop) => break,
        };
        while connections.try_join_next().is_some() {}
        match accepted {
            Ok((stream, peer)) => {
                // Responses are written whole, so there is nothing to gain from Nagle's algorithm.
                let _ = stream.set_nodelay(true);
                let (router, stop) = (router.clone(), stop.clone());
                connections.spawn(async move {
                    serve(stream, peer, router, limits.timeouts, stop).await;
                    drop(place);
                });
            }
            Err(error) if hung_up(&error) => {}
            Err(error) => {
                if failing.may_log() {
                    tracing::error!(%error, "cannot accept connections; trying again");
                }
                sleep(REST).await;
            }
        }
    }
    // From here on new clients are refused.
    drop(listener);
    while connections.join_next().await.is_some() {}
}

/// The client disconnected before the connection was accepted.
fn hung_up(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset)
}

#[derive(Default)]
struct LogThrottle(Option<Instant>);

impl LogThrottle {
    fn may_log(&mut self) -> bool {
        let now = Instant::now();
        let may = self.0.is_none_or(|last| now.duration_since(last) >= LOG_EVERY);
        if may {
            self.0 = Some(now);
        }
        may
    }
}
