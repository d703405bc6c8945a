//! The clock that is handed in: what time it is, and how to wait for a moment.
//!
//! Waiting belongs to it because a test that moves the clock by hand must be able to make waiting take no time. Only
//! `app` makes one from the system's clock.

use jiff::{SignedDuration, Timestamp};
use std::pin::Pin;
use std::sync::Arc;

/// Says what time it is, and waits. Cheap to clone.
#[derive(Clone)]
pub struct Clock {
    now: Arc<dyn Fn() -> Timestamp + Send + Sync>,
    wait: Arc<dyn Fn(Timestamp) -> Waiting + Send + Sync>,
}

type Waiting = Pin<Box<dyn Future<Output = ()> + Send>>;

impl Clock {
    /// One that moves by itself: waiting is sleeping.
    pub fn ticking(now: impl Fn() -> Timestamp + Send + Sync + 'static) -> Self {
        let now: Arc<dyn Fn() -> Timestamp + Send + Sync> = Arc::new(now);
        let read = Arc::clone(&now);
        let wait = move |until: Timestamp| -> Waiting {
            let wait = until.duration_since(read()).max(SignedDuration::ZERO);
            Box::pin(tokio::time::sleep(wait.try_into().unwrap_or_default()))
        };
        Self { now, wait: Arc::new(wait) }
    }

    /// One that is moved by hand: `moved` is called with the moment that somebody waits for.
    pub fn by_hand(
        now: impl Fn() -> Timestamp + Send + Sync + 'static,
        moved: impl Fn(Timestamp) + Send + Sync + 'static,
    ) -> Self {
        let wait = move |until| -> Waiting {
            moved(until);
            Box::pin(std::future::ready(()))
        };
        Self { now: Arc::new(now), wait: Arc::new(wait) }
    }

    /// What time it is.
    pub fn now(&self) -> Timestamp {
        (self.now)()
    }

    /// Only the time, for callers that never wait.
    pub fn reader(&self) -> impl Fn() -> Timestamp + Send + Sync + 'static {
        let now = Arc::clone(&self.now);
        move || now()
    }

    /// Waits until a moment; not at all for one that is past.
    pub async fn wait_until(&self, moment: Timestamp) {
        if moment > self.now() {
            (self.wait)(moment).await;
        }
    }
}
