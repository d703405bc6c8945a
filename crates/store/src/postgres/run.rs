//! Runs a question, or a group of batches as one pipelined transaction; says what errors mean.
//!
//! BEGIN and all steps leave in one go; every result and row count is checked, then COMMIT: two trips. COMMIT's own
//! answer would prove nothing: after an error the server says ROLLBACK and the client sees success.

use super::values::{Column, record, type_of};
use crate::StoreError;
use crate::batch::{Answer, Batch, Expect, Step};
use crate::sql::{Dialect, Sql};
use crate::value::{Record, Value};
use deadpool_postgres::{Client, PoolError};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::error::Error as _;
use std::future::Future;
use std::pin::Pin;
use std::task::Poll;
use tokio_postgres::error::SqlState;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Error, Statement};

/// A process that is stopped in the middle (a frozen machine, SIGSTOP) must not keep its locks, among them that of the
/// arrival row, for which everybody waits: the server ends what lets it wait that long, and nothing of it was written.
/// Short, because the other transactions of such a process get the lock next, one after the other.
const BEGIN: &str = "BEGIN; SET LOCAL idle_in_transaction_session_timeout = '3s'";

async fn prepare(client: &Client, sql: &Sql) -> Result<Statement, Error> {
    let types: Vec<_> = sql.params.iter().map(|kind| type_of(*kind, sql.takes_arrays())).collect();
    client.prepare_typed_cached(sql.text(Dialect::Postgres), &types).await
}

/// Runs a read: for all rows at once where it is written for rows, else for the only one.
pub(super) async fn question(client: &Client, sql: &Sql, rows: &[Vec<Value>]) -> Result<Vec<Record>, Error> {
    let statement = prepare(client, sql).await?;
    let columns: Vec<_> = (0..sql.params.len()).map(|index| Column { rows, index }).collect();
    let params: Vec<&(dyn ToSql + Sync)> = if sql.takes_arrays() {
        columns.iter().map(|column| column as _).collect()
    } else {
        rows.iter().flatten().map(|value| value as _).collect()
    };
    client.query(&statement, &params).await?.iter().map(record).collect()
}

/// Why a group did not happen; nothing of it was written.
pub(super) enum GroupError {
    Stale,
    Postgres(Error),
}

impl From<Error> for GroupError {
    fn from(error: Error) -> Self {
        Self::Postgres(error)
    }
}

/// What one statement came to.
struct Ran {
    records: Vec<Record>,
    written: u64,
}

type Running<'a> = Pin<Box<dyn Future<Output = Result<Ran, Error>> + Send + 'a>>;

/// Runs all batches in one transaction: the steps before the arrival row of every batch first, then, batch by batch,
/// those that hold it.
pub(super) async fn group(client: &Client, batches: &[&Batch]) -> Result<Vec<Answer>, GroupError> {
    let mut statements: HashMap<usize, Statement> = HashMap::new();
    for step in batches.iter().flat_map(|batch| &batch.steps) {
        if let Entry::Vacant(place) = statements.entry(std::ptr::from_ref(step.sql).addr()) {
            place.insert(prepare(client, step.sql).await?);
        }
    }
    let early = batches.iter().enumerate().flat_map(|(b, batch)| batch.halves().0.iter().map(move |step| (b, step)));
    let late = batches.iter().enumerate().flat_map(|(b, batch)| batch.halves().1.iter().map(move |step| (b, step)));
    let order: Vec<(usize, &Step)> = early.chain(late).collect();

    let mut running: Vec<Running<'_>> = Vec::with_capacity(order.len() + 1);
    running.push(Box::pin(async {
        client.batch_execute(BEGIN).await?;
        Ok(Ran { records: Vec::new(), written: 0 })
    }));
    for (_, step) in &order {
        let statement = &statements[&std::ptr::from_ref(step.sql).addr()];
        running.extend(start(client, statement, step));
    }
    let result = check(&order, batches.len(), pipelined(running).await);
    match result {
        Ok(answers) => client.batch_execute("COMMIT").await.map(|()| answers).map_err(GroupError::Postgres),
        Err(error) => {
            // If the connection is gone, so is the transaction.
            let _ = client.batch_execute("ROLLBACK").await;
            Err(error)
        }
    }
}

/// One exchange for a rows statement, one per row for others.
fn start<'a>(client: &'a Client, statement: &'a Statement, step: &'a Step) -> Vec<Running<'a>> {
    if step.sql.takes_arrays() {
        let columns: Vec<_> = (0..step.sql.params.len()).map(|index| Column { rows: &step.rows, index }).collect();
        vec![Box::pin(async move {
            let params: Vec<&(dyn ToSql + Sync)> = columns.iter().map(|column| column as _).collect();
            exchange(client, statement, &params).await
        })]
    } else {
        let one = |row: &'a Vec<Value>| -> Running<'a> {
            Box::pin(async move {
                let params: Vec<&(dyn ToSql + Sync)> = row.iter().map(|value| value as _).collect();
                exchange(client, statement, &params).await
            })
        };
        step.rows.iter().map(one).collect()
    }
}

async fn exchange(client: &Client, statement: &Statement, params: &[&(dyn ToSql + Sync)]) -> Result<Ran, Error> {
    if statement.columns().is_empty() {
        Ok(Ran { records: Vec::new(), written: client.execute(statement, params).await? })
    } else {
        let rows = client.query(statement, params).await?;
        Ok(Ran { written: rows.len() as u64, records: rows.iter().map(record).collect::<Result<_, _>>()? })
    }
}

/// Polls all futures, in order: each sends its request when it is first polled, so the order of sending is ours.
async fn pipelined(mut running: Vec<Running<'_>>) -> Vec<Result<Ran, Error>> {
    let mut done: Vec<Option<Result<Ran, Error>>> = running.iter().map(|_| None).collect();
    std::future::poll_fn(move |context| {
        let mut pending = false;
        for (future, slot) in running.iter_mut().zip(&mut done) {
            if slot.is_none() {
                match future.as_mut().poll(context) {
                    Poll::Ready(result) => *slot = Some(result),
                    Poll::Pending => pending = true,
                }
            }
        }
        if pending { Poll::Pending } else { Poll::Ready(std::mem::take(&mut done).into_iter().flatten().collect()) }
    })
    .await
}

/// Sorts the results back to their batches. The first thing that went wrong is the one that matters: what came after
/// it was sent without knowing.
fn check(
    order: &[(usize, &Step)],
    batches: usize,
    results: Vec<Result<Ran, Error>>,
) -> Result<Vec<Answer>, GroupError> {
    let mut results = results.into_iter();
    results.next().expect("BEGIN has a result")?;
    let mut answers: Vec<Answer> = (0..batches).map(|_| Vec::new()).collect();
    for (batch, step) in order {
        let exchanges = if step.sql.takes_arrays() { 1 } else { step.rows.len() };
        let mut records = Vec::new();
        let mut written = 0;
        for result in results.by_ref().take(exchanges) {
            let ran = result?;
            records.extend(ran.records);
            written += ran.written;
        }
        if step.expect == Expect::Fence && written != 1 {
            return Err(GroupError::Stale);
        }
        answers[*batch].push(records);
    }
    Ok(answers)
}

/// Says what an error means for the caller.
pub(super) fn explain(database: &str, doing: &'static str, error: Error) -> StoreError {
    let database = database.to_owned();
    let Some(state) = error.code() else {
        // No SQLSTATE: the connection itself failed, or a value could not be written or read.
        let io = error.source().is_some_and(|source| source.is::<std::io::Error>());
        return if error.is_closed() || io {
            StoreError::Unavailable { database, why: chain(&error) }
        } else {
            StoreError::Database { doing, source: error.into() }
        };
    };
    let class = &state.code()[..2];
    let waiting_helps = [
        SqlState::ADMIN_SHUTDOWN,
        SqlState::CRASH_SHUTDOWN,
        SqlState::CANNOT_CONNECT_NOW,
        SqlState::IDLE_IN_TRANSACTION_SESSION_TIMEOUT,
        SqlState::TOO_MANY_CONNECTIONS,
        SqlState::T_R_DEADLOCK_DETECTED,
        SqlState::T_R_SERIALIZATION_FAILURE,
        SqlState::LOCK_NOT_AVAILABLE,
    ];
    if waiting_helps.contains(state) || class == "08" {
        StoreError::Unavailable { database, why: chain(&error) }
    } else if *state == SqlState::DISK_FULL {
        StoreError::Full { database }
    } else if *state == SqlState::INVALID_PASSWORD {
        StoreError::Denied { database, why: "the password is wrong; set COURANT_DATABASE_PASSWORD".into() }
    } else if class == "28" {
        StoreError::Denied { database, why: format!("{}; check user, password and pg_hba.conf", chain(&error)) }
    } else if *state == SqlState::INVALID_CATALOG_NAME {
        StoreError::Denied { database, why: "it does not exist; create it with `createdb` or change the URL".into() }
    } else if *state == SqlState::INSUFFICIENT_PRIVILEGE {
        StoreError::Denied { database, why: format!("{}; the user needs to own the schema", chain(&error)) }
    } else if class == "XX" {
        StoreError::Corrupt { database, why: chain(&error) }
    } else if class == "23" {
        StoreError::Conflict { doing, source: error.into() }
    } else {
        StoreError::Database { doing, source: error.into() }
    }
}

/// The same for an attempt to connect, where an error without a code is about the address or the handshake.
pub(super) fn explain_connect(database: &str, error: Error) -> StoreError {
    match explain(database, "connect", error) {
        StoreError::Database { source, .. } => {
            let why = source.source().map_or_else(|| source.to_string(), ToString::to_string);
            StoreError::Denied { database: database.to_owned(), why }
        }
        telling => telling,
    }
}

pub(super) fn explain_pool(database: &str, error: PoolError) -> StoreError {
    match error {
        PoolError::Backend(error) => explain_connect(database, error),
        other => StoreError::Unavailable { database: database.to_owned(), why: other.to_string() },
    }
}

/// The error with its causes, on one line.
fn chain(error: &Error) -> String {
    match (error.as_db_error(), error.source()) {
        (Some(said), _) => said.message().to_owned(),
        (None, Some(source)) => source.to_string(),
        (None, None) => error.to_string(),
    }
}
