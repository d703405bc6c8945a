//! SQLite: one writer thread with group commit, a few reader threads, or both on the caller's thread (simulation).
//!
//! `open.rs` opens and checks the file, `search_db.rs` the search index, `writer.rs` and `readers.rs` are the threads,
//! `run.rs` runs a step or a question on a connection. Nothing here knows a table, but for the search index and what
//! looks at a file from outside: `file.rs`, `adopt.rs`, `reedme.rs`.

mod adopt;
mod file;
mod open;
mod readers;
mod reedme;
mod run;
pub(crate) mod search_db;
mod statistics;
mod writer;

pub use adopt::adopt_file;
pub use file::{FileFacts, copy_file, inspect_file};
pub use open::Synchronous;
pub(crate) use open::{open, open_inline};
pub use reedme::{ReedmeBookmark, ReedmeFeed, ReedmeFile, ReedmeGroup, ReedmeItem};
pub(crate) use search_db::SearchDb;

use crate::db::batch::{Answer, Batch, Refused};
use crate::db::question::{Answers, Question};
use crate::db::queue::{Lane, Queue, Results};
use crate::db::wake::Waiters;
use crate::error::StoreError;
use crate::store::Caller;
use rusqlite::Connection;
use std::sync::{Arc, Mutex, PoisonError};

/// A database file behind its threads.
pub(crate) struct Sqlite {
    name: String,
    queue: Arc<Queue>,
    readers: readers::Readers,
    writer: Mutex<Option<std::thread::JoinHandle<()>>>,
    waiters: Arc<Waiters>,
}

impl Sqlite {
    /// Takes the opened writing connection and `readers` more of them.
    pub(crate) fn start(name: String, writer: Connection, synchronous: Synchronous, readers: Vec<Connection>) -> Self {
        let (queue, waiters) = (Queue::new(), Arc::<Waiters>::default());
        let thread = writer::spawn(name.clone(), writer, synchronous, Arc::clone(&queue), Arc::clone(&waiters));
        let readers = readers::Readers::start(name.clone(), readers);
        Self { readers, name, queue, writer: Mutex::new(Some(thread)), waiters }
    }

    pub(crate) async fn write(&self, lane: Lane, batch: Batch) -> Result<Answer, Refused> {
        let mut results = self.write_together(lane, vec![batch]).await;
        results.pop().expect("one batch, one result")
    }

    /// Batches that come together: each happens or not.
    pub(crate) async fn write_together(&self, lane: Lane, batches: Vec<Batch>) -> Results {
        let count = batches.len();
        let results = match self.queue.push(lane, batches).await {
            Some(answer) => answer.await.ok(),
            None => None,
        };
        results.unwrap_or_else(|| (0..count).map(|_| Err(Refused::Failed(StoreError::closed(&self.name)))).collect())
    }

    /// Asks; several questions are answered on one snapshot.
    pub(crate) async fn read(&self, caller: Caller, questions: Vec<Question>) -> Result<Answers, StoreError> {
        self.readers.read(caller, questions).await
    }

    pub(crate) fn waiters(&self) -> &Waiters {
        &self.waiters
    }

    /// Finishes what is queued, then closes the file.
    pub(crate) fn close(&self) {
        self.queue.close();
        self.readers.close();
        let thread = self.writer.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(thread) = thread {
            let _ = thread.join();
        }
    }
}

impl Drop for Sqlite {
    fn drop(&mut self) {
        self.close();
    }
}

/// What to call a database in memory.
pub(crate) const IN_MEMORY: &str = "the simulation's database";

/// The same SQL in memory, on the caller's thread: what makes a simulation deterministic.
pub(crate) struct Inline {
    connection: Mutex<Connection>,
    waiters: Waiters,
}

impl Inline {
    pub(crate) fn new(connection: Connection) -> Self {
        Self { connection: Mutex::new(connection), waiters: Waiters::default() }
    }

    pub(crate) fn write(&self, batch: &Batch) -> Result<Answer, Refused> {
        let connection = self.connection.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(chore) = batch.chore {
            return run::chore(IN_MEMORY, &connection, chore);
        }
        let answer = run::alone(IN_MEMORY, &connection, batch)?;
        self.waiters.wake(batch.wakes);
        Ok(answer)
    }

    pub(crate) fn waiters(&self) -> &Waiters {
        &self.waiters
    }

    /// Makes the fence of the commit that follows accept its token, as if tokens were not compared.
    #[cfg(feature = "simulation")]
    pub(crate) fn accept_any_token(&self, batch: &Batch) {
        run::accept_any_token(&self.connection.lock().unwrap_or_else(PoisonError::into_inner), batch);
    }

    pub(crate) fn read(&self, questions: &[Question]) -> Result<Answers, StoreError> {
        let connection = self.connection.lock().unwrap_or_else(PoisonError::into_inner);
        run::questions(&connection, questions).map_err(|error| run::explain(IN_MEMORY, "read", error))
    }
}
