//! The writer thread: many batches, one transaction, one fsync.
//!
//! A group is whatever is queued, up to a count, a size and a time. A stale batch has written nothing (its fence is
//! its first step) and is skipped. Any other failure rolls the group back and replays each batch alone: no
//! savepoints (a third dearer, and a full disk rolls back everything anyway).

use super::run::{self, BatchError, Statements};
use crate::batch::{Answer, Refused};
use crate::queue::{Job, Lane, Queue};
use rusqlite::Connection;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

const GROUP_BATCHES: usize = 128;
const GROUP_BYTES: usize = 4 << 20;
const GROUP_TIME: Duration = Duration::from_millis(10);
/// Where workers come in company, a group waits so long for as many as this: a transaction costs more than what one
/// visit writes in it.
const COMPANY: (usize, Duration) = (48, Duration::from_millis(6));

pub(super) fn spawn(name: String, connection: Connection, queue: Arc<Queue>) -> JoinHandle<()> {
    let run = move || {
        let mut last = 1;
        while let Some(first) = queue.wait() {
            // Who comes alone, one after the other, never waits.
            if last > 1 && first.lane == Lane::Bulk {
                queue.gather(COMPANY.0, COMPANY.1);
            }
            let mut next = Some(first);
            while let Some(job) = next {
                next = if job.batch.compacts {
                    job.answer(run::compact(&name, &connection));
                    None
                } else {
                    let (count, apart) = group(&name, &connection, job, &queue);
                    last = count;
                    apart
                };
            }
        }
        // Leaves the file whole for whoever copies it; a failure here costs nothing but a longer WAL.
        let _ = connection.execute_batch("PRAGMA optimize; PRAGMA wal_checkpoint(TRUNCATE)");
    };
    std::thread::Builder::new().name("store-writer".into()).spawn(run).expect("the system can start a thread")
}

/// Runs `first` and what else is queued in one transaction, then answers everybody. Says how many there were, and gives back
/// a job that wants to be outside of transactions.
fn group(name: &str, connection: &Connection, first: Job, queue: &Queue) -> (usize, Option<Job>) {
    let began = Instant::now();
    if let Err(error) = connection.execute_batch("BEGIN IMMEDIATE") {
        first.answer(Err(Refused::Failed(run::explain(name, "begin a transaction", error))));
        return (1, None);
    }
    let mut statements = Statements::of(connection);
    let mut done: Vec<(Job, Result<Answer, Refused>)> = Vec::new();
    let mut bytes = 0;
    let mut next = Some(first);
    let mut apart = None;
    while let Some(job) = next {
        bytes += job.weight;
        match run::batch(&mut statements, &job.batch) {
            Ok(answer) => done.push((job, Ok(answer))),
            Err(BatchError::Stale) => done.push((job, Err(Refused::Stale))),
            Err(BatchError::Sqlite(error)) => {
                tracing::debug!(error = %error, batches = done.len() + 1, "a batch failed: its group is replayed one by one");
                replay(name, connection, done.into_iter().map(|(job, _)| job).chain([job]));
                return (1, None);
            }
        }
        let full = done.len() >= GROUP_BATCHES || bytes >= GROUP_BYTES || began.elapsed() >= GROUP_TIME;
        next = if full { None } else { queue.take() };
        if next.as_ref().is_some_and(|job| job.batch.compacts) {
            apart = next.take();
        }
    }
    let count = done.len();
    match connection.execute_batch("COMMIT") {
        Ok(()) => done.into_iter().for_each(|(job, result)| job.answer(result)),
        Err(error) => {
            tracing::debug!(error = %error, batches = done.len(), "a group could not be committed: it is replayed one by one");
            replay(name, connection, done.into_iter().map(|(job, _)| job));
        }
    }
    (count, apart)
}

/// Runs each batch in a transaction of its own.
fn replay(name: &str, connection: &Connection, jobs: impl Iterator<Item = Job>) {
    run::roll_back(connection);
    for job in jobs {
        let result = run::alone(name, connection, &job.batch);
        job.answer(result);
    }
}
