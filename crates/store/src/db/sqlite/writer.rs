//! The writer thread: many batches, one transaction, one fsync.
//!
//! A group is whatever is queued, up to a count, a size and a time. A stale batch has written nothing (its fence is
//! its first step) and is skipped. Any other failure rolls the group back and replays each batch alone: no
//! savepoints (a third dearer, and a full disk rolls back everything anyway).

use super::open::Synchronous;
use super::run::{self, BatchError, Statements};
use super::statistics::analyse_if_grown;
use crate::StoreError;
use crate::db::batch::{Batch, Durable, Refused};
use crate::db::queue::{Lane, Queue, Results, Write};
use crate::db::wake::{Topics, Waiters};
use rusqlite::Connection;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

const GROUP_WRITES: usize = 128;
const GROUP_BYTES: usize = 4 << 20;
const GROUP_TIME: Duration = Duration::from_millis(10);
/// Where workers come in company, a group waits so long for as many as this: a transaction costs more than what one
/// visit writes in it.
const COMPANY: (usize, Duration) = (64, Duration::from_millis(6));

/// The first transaction after this long that writes anything is waited for, and all before it are on the disk with it.
const SOON: Duration = Duration::from_secs(1);

pub(super) fn spawn(
    name: String,
    connection: Connection,
    synchronous: Synchronous,
    queue: Arc<Queue>,
    waiters: Arc<Waiters>,
) -> JoinHandle<()> {
    let run = move || {
        let mut company = 1;
        let mut disk = Disk { synchronous, relaxed: false, synced: Instant::now() };
        while let Some(first) = queue.wait() {
            // Who comes alone, one after the other, soon waits no more.
            if company > 1 && first.lane == Lane::Commits {
                queue.gather(COMPANY.0, COMPANY.1);
            }
            if let Some(chore) = first.chore() {
                first.answer(vec![run::chore(&name, &connection, chore)]);
            } else {
                company = expected(company, group(&name, &connection, &mut disk, first, &queue, &waiters));
            }
        }
        // Leaves the file complete for copies; a failure here only means a longer WAL.
        let _ = analyse_if_grown(&connection);
        let _ = connection.execute_batch("PRAGMA wal_checkpoint(TRUNCATE)");
    };
    std::thread::Builder::new().name("store-writer".into()).spawn(run).expect("the system can start a thread")
}

/// How many are expected to come together next, after so many came where so many were expected. One that came alone, a
/// claim between two groups, is no reason to write each of the next group alone.
fn expected(before: usize, came: usize) -> usize {
    came.max(before / 2)
}

/// How the connection stands with the disk.
struct Disk {
    /// What was asked for.
    synchronous: Synchronous,
    /// Whether commits are left to the system for now.
    relaxed: bool,
    /// When a commit was last waited for.
    synced: Instant,
}

impl Disk {
    /// Makes the next transaction wait for the disk, or not. Only possible between transactions.
    fn prepare(&mut self, connection: &Connection, durable: Durable) -> rusqlite::Result<()> {
        let relaxed = durable == Durable::Soon && self.synced.elapsed() < SOON;
        if self.synchronous == Synchronous::Full && relaxed != self.relaxed {
            // What a relaxed commit has left to the system comes to the disk with the next one that waits: it is one file.
            let pragma = if relaxed { "PRAGMA synchronous = NORMAL" } else { "PRAGMA synchronous = FULL" };
            connection.execute_batch(pragma)?;
            self.relaxed = relaxed;
        }
        Ok(())
    }

    /// Notes that a transaction was committed. One that changed nothing has written nothing, so there was nothing to sync.
    fn committed(&mut self, changed: bool) {
        if changed && !self.relaxed {
            self.synced = Instant::now();
        }
    }
}

/// Runs `first` and what else is queued in one transaction, then answers everybody. Says how many there were.
fn group(
    name: &str,
    connection: &Connection,
    disk: &mut Disk,
    first: Write,
    queue: &Queue,
    waiters: &Waiters,
) -> usize {
    let began = Instant::now();
    // Where anybody wants it on the disk now, everybody has it there.
    let durable = if queue.has_lasting() { Durable::Now } else { first.durable() };
    let begun = disk.prepare(connection, durable).and_then(|()| connection.execute_batch("BEGIN IMMEDIATE"));
    if let Err(error) = begun {
        let mut results = vec![Err(Refused::Failed(run::explain(name, "begin a transaction", error)))];
        let too = || StoreError::Unavailable { database: name.to_owned(), why: "no transaction could be begun".into() };
        results.resize_with(first.batches.len(), || Err(Refused::Failed(too())));
        first.answer(results);
        return 1;
    }
    let changes = connection.total_changes();
    let mut statements = Statements::of(connection);
    let mut done: Vec<(Write, Results)> = Vec::new();
    let mut bytes = 0;
    let mut next = Some(first);
    while let Some(write) = next {
        bytes += write.weight;
        let mut results = Results::with_capacity(write.batches.len());
        for batch in &write.batches {
            results.push(match run::batch(&mut statements, batch) {
                Ok(answer) => Ok(answer),
                Err(BatchError::Stale) => Err(Refused::Stale),
                Err(error) => {
                    tracing::debug!(error = ?error, writes = done.len() + 1, "a batch failed: its group is replayed one by one");
                    replay(name, connection, done.into_iter().map(|(write, _)| write).chain([write]), waiters);
                    return 1;
                }
            });
        }
        done.push((write, results));
        let full = done.len() >= GROUP_WRITES || bytes >= GROUP_BYTES || began.elapsed() >= GROUP_TIME;
        let joins =
            |write: &Write| write.chore().is_none() && (durable == Durable::Now || write.durable() == Durable::Soon);
        next = if full { None } else { queue.take_if(joins) };
    }
    let count = done.len();
    match connection.execute_batch("COMMIT") {
        Ok(()) => {
            disk.committed(connection.total_changes() > changes);
            // All at once: each wakes somebody, and who is woken for one finds the others.
            let topics = done.iter().map(|(write, results)| woken(write, results)).fold(Topics::default(), Topics::and);
            waiters.wake(topics);
            let done: Vec<Vec<Batch>> = done.into_iter().map(|(write, results)| write.answer(results)).collect();
            drop(done);
        }
        Err(error) => {
            tracing::debug!(error = %error, writes = done.len(), "a group could not be committed: it is replayed one by one");
            replay(name, connection, done.into_iter().map(|(write, _)| write), waiters);
        }
    }
    count
}

/// Runs each batch in a transaction of its own.
fn replay(name: &str, connection: &Connection, writes: impl Iterator<Item = Write>, waiters: &Waiters) {
    run::roll_back(connection);
    for write in writes {
        let results: Results = write.batches.iter().map(|batch| run::alone(name, connection, batch)).collect();
        waiters.wake(woken(&write, &results));
        write.answer(results);
    }
}

/// The topics of the batches that happened.
fn woken(write: &Write, results: &Results) -> Topics {
    let happened = write.batches.iter().zip(results).filter(|(_, result)| result.is_ok());
    happened.map(|(batch, _)| batch.wakes).fold(Topics::default(), Topics::and)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A claim comes alone; the visits after it were then written one by one, each in a transaction of its own.
    #[test]
    fn one_that_comes_alone_does_not_end_the_company() {
        assert_eq!(expected(48, 1), 24);
        assert_eq!(expected(24, 60), 60);
        let lonely = std::iter::successors(Some(60), |company| Some(expected(*company, 1)));
        assert_eq!(lonely.take_while(|company| *company > 1).count(), 5, "who is always alone waits a few times only");
    }

    #[test]
    fn only_what_may_come_later_is_left_to_the_system() {
        let connection = Connection::open_in_memory().unwrap();
        let mut disk = Disk { synchronous: Synchronous::Full, relaxed: false, synced: Instant::now() };
        connection.execute_batch("PRAGMA synchronous = FULL").unwrap();
        let check = |case: &str, disk: &mut Disk, durable, waits: bool| {
            disk.prepare(&connection, durable).unwrap();
            let level: i64 = connection.query_row("PRAGMA synchronous", [], |row| row.get(0)).unwrap();
            assert_eq!(level == 2, waits, "{case}");
            disk.committed(true);
        };
        check("an entry", &mut disk, Durable::Now, true);
        check("a lease", &mut disk, Durable::Soon, false);
        check("another", &mut disk, Durable::Soon, false);
        check("an entry after it", &mut disk, Durable::Now, true);
        check("a lease", &mut disk, Durable::Soon, false);
        disk.synced = Instant::now().checked_sub(SOON * 2).unwrap();
        check("a lease, but nothing was waited for lately", &mut disk, Durable::Soon, true);
        check("the next", &mut disk, Durable::Soon, false);
        disk.synced = Instant::now().checked_sub(SOON * 2).unwrap();
        disk.prepare(&connection, Durable::Soon).unwrap();
        disk.committed(false);
        check(
            "one after a claim that found nothing, which brought nothing to the disk",
            &mut disk,
            Durable::Soon,
            true,
        );
    }
}
