//! Long computations, run so that visits, heartbeats and answers go on meanwhile.
//!
//! Most documents are parsed in less than a millisecond, on the thread that has them. A large one, which may be hostile,
//! waits for one of a few permits and blocks only its own thread.

use std::sync::Arc;
use std::thread::available_parallelism;
use tokio::runtime::{Handle, RuntimeFlavor};
use tokio::sync::Semaphore;

/// Documents up to this size are read in place: even hostile ones take a few milliseconds.
const LIGHT_BYTES: usize = 128 << 10;

/// The permits for long computations of one process. Cheap to clone.
#[derive(Clone)]
pub struct Cpu(Arc<Semaphore>);

impl Default for Cpu {
    /// As many permits as there are processors.
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(available_parallelism().map_or(2, usize::from))))
    }
}

impl Cpu {
    /// Runs work on this many bytes.
    pub async fn run<T>(&self, bytes: usize, work: impl FnOnce() -> T) -> T {
        if bytes <= LIGHT_BYTES {
            return work();
        }
        // Never closed; without a permit the work is done all the same.
        let _permit = self.0.acquire().await;
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

    /// One thread serves all tasks here: if it were blocked, the other task could not run.
    #[tokio::test(flavor = "multi_thread", worker_threads = 1)]
    async fn a_large_document_blocks_no_other_task() {
        let ((begun, begins), (say, hear)) = (mpsc::channel(), mpsc::channel());
        let busy = tokio::spawn(async move {
            let work = move || begun.send(()).is_ok() && hear.recv_timeout(Duration::from_secs(10)).is_ok();
            Cpu::default().run(LIGHT_BYTES + 1, work).await
        });
        begins.recv().unwrap();
        tokio::spawn(async move { say.send(()) });
        assert!(busy.await.unwrap(), "the other task went on while this one was busy");
    }
}
