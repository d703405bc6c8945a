//! Thinking: work that needs a processor for long, done so that visits, heartbeats and answers go on beside it.
//!
//! Most documents are read in less than a millisecond, where they are. A large one, which may be hostile, waits for one
//! of few turns and keeps only its own thread.

use std::sync::Arc;
use std::thread::available_parallelism;
use tokio::runtime::{Handle, RuntimeFlavor};
use tokio::sync::Semaphore;

/// Documents up to this size are read in place: even hostile ones take a few milliseconds.
const LIGHT_BYTES: usize = 128 << 10;

/// The turns of one process. Cheap to clone.
#[derive(Clone)]
pub struct Thinking(Arc<Semaphore>);

impl Default for Thinking {
    /// As many turns as there are processors.
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(available_parallelism().map_or(2, usize::from))))
    }
}

impl Thinking {
    /// Does work on so many bytes.
    pub(crate) async fn about<T>(&self, bytes: usize, work: impl FnOnce() -> T) -> T {
        if bytes <= LIGHT_BYTES {
            return work();
        }
        // Never closed; without a turn the work is done all the same.
        let _turn = self.0.acquire().await;
        match Handle::current().runtime_flavor() {
            RuntimeFlavor::MultiThread => tokio::task::block_in_place(work),
            _ => work(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;
    use std::time::Duration;

    /// One thread serves all tasks here: were it kept, nobody would be left to say anything.
    #[tokio::test(flavor = "multi_thread", worker_threads = 1)]
    async fn a_large_document_keeps_nobody_from_going_on() {
        let ((begun, begins), (say, hear)) = (mpsc::channel(), mpsc::channel());
        let thinking = tokio::spawn(async move {
            let work = move || begun.send(()).is_ok() && hear.recv_timeout(Duration::from_secs(10)).is_ok();
            Thinking::default().about(LIGHT_BYTES + 1, work).await
        });
        begins.recv().unwrap();
        tokio::spawn(async move { say.send(()) });
        assert!(thinking.await.unwrap(), "the other task went on while this one thought");
    }
}
