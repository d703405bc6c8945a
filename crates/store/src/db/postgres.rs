//! PostgreSQL: a pool, and committers that put many batches into one pipelined transaction.
//!
//! `open.rs` connects and migrates, `asking.rs` cancels what nobody waits for, `server.rs` only looks, `values.rs` speaks the binary protocol, `merge.rs` puts batches
//! together, `run.rs` runs a group of them or a question, `listen.rs` hears the wake-ups of other processes.
//! While the server restarts, callers wait, and that is logged; a fenced batch may be replayed after a lost
//! connection, because a commit that did happen has moved the token.

mod asking;
mod listen;
mod merge;
mod open;
mod run;
mod server;
mod values;

pub(crate) use open::open;
pub use server::{ServerFacts, inspect_server};
#[cfg(test)]
pub(crate) use values::type_of;

use crate::StoreError;
use crate::db::batch::{Answer, Batch, Refused};
use crate::db::question::{Answers, Question};
use crate::db::queue::{Lane, Queue, Results, Write};
use crate::db::value::Value;
use crate::db::wake::{Topics, Waiters};
use crate::store::Caller;
use asking::Asking;
use deadpool_postgres::{Client, Pool};
use open::POOL;
use std::future::Future;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::{AbortHandle, JoinHandle};

/// Committers take turns, because two at once make groups half as large. One whose group takes long is not waited for.
const COMMITTERS: usize = 4;
/// How many connections the others may have at once. With the committers that is less than the pool ([`POOL`]): a person
/// always finds one. Who has a share waits for its connection in order of arrival.
const FOR_LEASES: usize = 4;
const FOR_UPKEEP: usize = 2;
const FOR_BACKGROUND_READS: usize = 4;
const _: () =
    assert!(COMMITTERS + FOR_LEASES + FOR_UPKEEP + FOR_BACKGROUND_READS < POOL, "a person always finds a connection");
const LONG: Duration = Duration::from_millis(20);
/// Plans of several feeds share a transaction, and their statements.
const GROUP_BATCHES: usize = 32;
const GROUP_BYTES: usize = 4 << 20;

/// A database on a server, behind a pool.
pub(crate) struct Postgres {
    shared: Arc<Shared>,
    queue: Arc<Queue>,
    committers: Mutex<Vec<JoinHandle<()>>>,
    dialler: open::Dialler,
    /// Hears other processes, once somebody waits for them.
    listener: OnceLock<AbortHandle>,
}

struct Shared {
    name: String,
    pool: Pool,
    patience: Duration,
    for_leases: Arc<Semaphore>,
    for_upkeep: Arc<Semaphore>,
    for_background_reads: Semaphore,
    /// Set while callers wait, so that an outage is logged once.
    waiting: AtomicBool,
    waiters: Arc<Waiters>,
}

impl Postgres {
    fn start(name: String, pool: Pool, patience: Duration, dialler: open::Dialler) -> Self {
        let share = |connections| Arc::new(Semaphore::new(connections));
        let shared = Arc::new(Shared {
            name,
            pool,
            patience,
            for_leases: share(FOR_LEASES),
            for_upkeep: share(FOR_UPKEEP),
            for_background_reads: Semaphore::new(FOR_BACKGROUND_READS),
            waiting: AtomicBool::new(false),
            waiters: Arc::default(),
        });
        let queue = Queue::new();
        let turns = Arc::new(tokio::sync::Mutex::new(()));
        let committer = |_| tokio::spawn(commit_groups(Arc::clone(&shared), Arc::clone(&queue), Arc::clone(&turns)));
        let committers = Mutex::new((0..COMMITTERS).map(committer).collect());
        Self { shared, queue, committers, dialler, listener: OnceLock::new() }
    }

    pub(crate) async fn write(&self, lane: Lane, batch: Batch) -> Result<Answer, Refused> {
        match lane {
            Lane::Commits => {
                let gone = || Refused::Failed(StoreError::closed(&self.shared.name));
                let mut results =
                    self.queue.push(lane, vec![batch]).await.ok_or_else(gone)?.await.map_err(|_| gone())?;
                results.pop().expect("one batch, one result")
            }
            // In a task of its own: a caller that is cancelled must not return an open transaction to the pool.
            Lane::People | Lane::Leases | Lane::Upkeep => {
                let (shared, share) = (Arc::clone(&self.shared), self.shared.share(lane).await);
                let task = tokio::spawn(async move {
                    let _until_done = share;
                    shared.alone(&batch).await
                });
                task.await.unwrap_or_else(|_| Err(Refused::Failed(StoreError::closed(&self.shared.name))))
            }
        }
    }

    /// All of them in one transaction, without waiting for others; batch by batch where that fails.
    pub(crate) async fn write_together(&self, lane: Lane, batches: Vec<Batch>) -> Results {
        let (shared, share, count) = (Arc::clone(&self.shared), self.shared.share(lane).await, batches.len());
        let task = tokio::spawn(async move {
            let _until_done = share;
            shared.together(&batches.iter().collect::<Vec<_>>()).await
        });
        let gone = |_| (0..count).map(|_| Err(Refused::Failed(StoreError::closed(&self.shared.name)))).collect();
        task.await.unwrap_or_else(gone)
    }

    /// Asks; several questions are answered on one snapshot.
    pub(crate) async fn read(&self, caller: Caller, questions: Vec<Question>) -> Result<Answers, StoreError> {
        let shared = &self.shared;
        let _share = match caller {
            Caller::Person => None,
            Caller::Background => shared.for_background_reads.acquire().await.ok(),
        };
        let ask = || async {
            let asking = Asking::begin(shared.client().await?, &self.dialler);
            let answers = run::questions(asking.client(), &questions).await;
            asking.end();
            answers.map_err(|error| run::explain(&shared.name, "read", error))
        };
        shared.patiently(ask).await
    }

    pub(crate) fn waiters(&self) -> &Waiters {
        &self.shared.waiters
    }

    /// Hears the wake-ups of other processes from now on.
    pub(crate) fn listen(&self) {
        self.listener.get_or_init(|| {
            let listening = listen::listen(self.dialler.clone(), Arc::clone(&self.shared.waiters));
            tokio::spawn(listening).abort_handle()
        });
    }

    fn stop_listening(&self) {
        if let Some(listener) = self.listener.get() {
            listener.abort();
        }
    }

    /// Takes nothing more and finishes what is queued.
    pub(crate) async fn close(&self) {
        self.queue.close();
        self.stop_listening();
        let committers = std::mem::take(&mut *self.committers.lock().unwrap_or_else(PoisonError::into_inner));
        for committer in committers {
            let _ = committer.await;
        }
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        self.queue.close();
        self.stop_listening();
    }
}

impl Shared {
    /// Waits until one more of this lane may have a connection. People and committers need not ask.
    async fn share(&self, lane: Lane) -> Option<OwnedSemaphorePermit> {
        let share = match lane {
            Lane::People | Lane::Commits => return None,
            Lane::Leases => &self.for_leases,
            Lane::Upkeep => &self.for_upkeep,
        };
        Arc::clone(share).acquire_owned().await.ok()
    }

    async fn client(&self) -> Result<Client, StoreError> {
        self.pool.get().await.map_err(|error| run::explain_pool(&self.name, error))
    }

    /// Runs a batch in a transaction of its own, again and again while waiting helps.
    async fn alone(&self, batch: &Batch) -> Result<Answer, Refused> {
        let attempt = || async {
            match self.group(&[batch]).await {
                Ok(mut answers) => Ok(Ok(answers.pop().expect("one batch, one answer"))),
                Err(Refused::Stale) => Ok(Err(Refused::Stale)),
                Err(Refused::Failed(error)) => Err(error),
            }
        };
        self.patiently(attempt).await.map_err(Refused::Failed)?
    }

    /// Runs batches in one transaction; if that fails, each alone.
    async fn together(&self, batches: &[&Batch]) -> Results {
        if batches.len() > 1
            && let Ok(answers) = self.group(batches).await
        {
            return answers.into_iter().map(Ok).collect();
        }
        let mut results = Vec::with_capacity(batches.len());
        for batch in batches {
            results.push(self.alone(batch).await);
        }
        results
    }

    async fn group(&self, batches: &[&Batch]) -> Result<Vec<Answer>, Refused> {
        let client = self.client().await.map_err(Refused::Failed)?;
        let topics = batches.iter().map(|batch| batch.wakes).fold(Topics::default(), Topics::and);
        let ran = run::group(&client, batches, topics).await;
        // Where the answer to COMMIT was lost, it may have happened.
        if !matches!(ran, Err(run::GroupError::Stale | run::GroupError::WrongCount(_))) {
            self.waiters.wake(topics);
        }
        match ran {
            Ok(answers) => Ok(answers),
            Err(run::GroupError::Stale) => Err(Refused::Stale),
            Err(run::GroupError::WrongCount(wrong)) => Err(wrong.refused()),
            Err(run::GroupError::Postgres(error)) => Err(Refused::Failed(run::explain(&self.name, "write", error))),
        }
    }

    /// Repeats what fails because the server is away, and logs once that it waits.
    async fn patiently<T, F: Future<Output = Result<T, StoreError>>>(
        &self,
        attempt: impl Fn() -> F,
    ) -> Result<T, StoreError> {
        let began = Instant::now();
        let mut pause = Duration::from_millis(20);
        loop {
            match attempt().await {
                Err(StoreError::Unavailable { database, why }) if began.elapsed() < self.patience => {
                    if !self.waiting.swap(true, Ordering::Relaxed) {
                        tracing::warn!(%database, %why, "waiting for the database");
                    }
                    tokio::time::sleep(pause).await;
                    pause = (pause * 2).min(Duration::from_secs(1));
                }
                result => {
                    if result.is_ok() && self.waiting.swap(false, Ordering::Relaxed) {
                        tracing::info!(database = %self.name, "the database answers again");
                    }
                    return result;
                }
            }
        }
    }
}

/// Puts what is queued into shared transactions; a group that fails is replayed batch by batch.
async fn commit_groups(shared: Arc<Shared>, queue: Arc<Queue>, turns: Arc<tokio::sync::Mutex<()>>) {
    loop {
        let _turn = tokio::time::timeout(LONG, turns.lock()).await;
        let mut writes = queue.group(GROUP_BATCHES, GROUP_BYTES).await;
        if writes.is_empty() {
            return;
        }
        // By key, so that two groups lock rows in the same order.
        writes.sort_by_key(|write| write.batches.first().map(lock_order));
        let batches: Vec<&Batch> = writes.iter().flat_map(|write: &Write| &write.batches).collect();
        let mut results = shared.together(&batches).await.into_iter();
        for write in writes {
            let own = results.by_ref().take(write.batches.len()).collect();
            write.answer(own);
        }
    }
}

/// The key of the fence's row.
fn lock_order(batch: &Batch) -> i64 {
    match batch.steps.first().and_then(|step| step.rows.first()).and_then(|row| row.first()) {
        Some(Value::Int(key)) => *key,
        _ => 0,
    }
}
