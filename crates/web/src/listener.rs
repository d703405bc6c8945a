//! Takes connections, as many as there are places, and lets each be answered (`connection`). A lack of open files is
//! waited out: it ends when somebody hangs up.

use crate::connection::{Timeouts, converse};
use axum::Router;
use engine::Stop;
use std::io;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep};

/// What clients may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Connections at the same time; who comes later waits in the system's queue.
    pub connections: usize,
    /// How long each may take.
    pub timeouts: Timeouts,
}

/// After a connection could not be taken.
const REST: Duration = Duration::from_millis(250);
/// The same trouble is logged no more often: who knocks does not decide how much is logged.
const SAY_EVERY: Duration = Duration::from_mins(1);

/// Answers requests until told to stop, and ends at most `grace` after that.
pub async fn listen(listener: TcpListener, router: Router, limits: Limits, mut stop: Stop) {
    let places = Arc::new(Semaphore::new(limits.connections));
    let mut connections = JoinSet::new();
    let (mut crowded, mut failing) = (Sayer::default(), Sayer::default());
    loop {
        if places.available_permits() == 0 && crowded.may_say() {
            tracing::warn!(connections = limits.connections, "all places for connections are taken; others wait");
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
                // Answers are written whole: nothing is gained by waiting for more.
                let _ = stream.set_nodelay(true);
                let (router, stop) = (router.clone(), stop.clone());
                connections.spawn(async move {
                    converse(stream, peer, router, limits.timeouts, stop).await;
                    drop(place);
                });
            }
            Err(error) if hung_up(&error) => {}
            Err(error) => {
                if failing.may_say() {
                    tracing::error!(%error, "cannot take connections; trying again");
                }
                sleep(REST).await;
            }
        }
    }
    // Who comes now is refused at once.
    drop(listener);
    while connections.join_next().await.is_some() {}
}

/// Whoever knocked went away before the door was opened.
fn hung_up(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset)
}

#[derive(Default)]
struct Sayer(Option<Instant>);

impl Sayer {
    fn may_say(&mut self) -> bool {
        let now = Instant::now();
        let may = self.0.is_none_or(|last| now.duration_since(last) >= SAY_EVERY);
        if may {
            self.0 = Some(now);
        }
        may
    }
}
