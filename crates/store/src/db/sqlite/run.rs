//! Runs a question or a batch on one connection, and translates errors.

use super::statistics::analyse_if_grown;
use crate::StoreError;
use crate::db::batch::{Answer, Batch, Chore, Expect, Refused, Step, StepResult, WrongCount};
use crate::db::question::{Answers, Question};
use crate::db::sql::{Dialect, Sql};
use crate::db::value::{Record, Value};
use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{CachedStatement, Connection, ErrorCode, Row, Statement, params_from_iter};

/// The last ids that the batch was given; what it brings counts back from them.
#[derive(Debug, Clone, Copy, Default)]
struct Arrived {
    entries: i64,
    events: i64,
}

impl Arrived {
    fn bind(self, value: &Value) -> ToSqlOutput<'_> {
        ToSqlOutput::Borrowed(match value {
            Value::Null => ValueRef::Null,
            Value::Int(value) => ValueRef::Integer(*value),
            Value::Text(value) => ValueRef::Text(value.as_bytes()),
            Value::Word(value) => ValueRef::Text(value.as_bytes()),
            Value::Bytes(value) => ValueRef::Blob(value),
            Value::Hash(value) => ValueRef::Blob(value),
            Value::Bool(value) => ValueRef::Integer(i64::from(*value)),
            Value::Uuid(value) => ValueRef::Blob(value.as_bytes()),
            Value::NewEntry(back) => ValueRef::Integer(self.entries - back),
            Value::NewEvent(back) => ValueRef::Integer(self.events - back),
        })
    }
}

/// Runs reads, several of them on one state of the file.
pub(super) fn questions(connection: &Connection, questions: &[Question]) -> rusqlite::Result<Answers> {
    // Deferred: the first question decides which state that is.
    let one_state = (questions.len() > 1 && connection.is_autocommit()).then(|| connection.unchecked_transaction());
    let _until_read = one_state.transpose()?;
    questions.iter().map(|Question { sql, rows }| question(connection, sql, rows)).collect()
}

/// Runs a read for each row, all of them on one state of the file: taking and leaving its locks for each costs as much as
/// the rest of a small one.
fn question(connection: &Connection, sql: &Sql, rows: &[Vec<Value>]) -> rusqlite::Result<Vec<Record>> {
    let mut statement = connection.prepare_cached(sql.text(Dialect::Sqlite))?;
    // Inside a transaction there is one state already.
    let one_state = (rows.len() > 1 && connection.is_autocommit()).then(|| connection.unchecked_transaction());
    let _until_read = one_state.transpose()?;
    let mut out = Vec::new();
    for row in rows {
        fetch(&mut statement, row, Arrived::default(), &mut out)?;
    }
    Ok(out)
}

/// The statements of a transaction, at hand: finding one in the connection's cache costs as much as running a small one.
pub(super) struct Statements<'c> {
    connection: &'c Connection,
    prepared: Vec<(&'static Sql, CachedStatement<'c>)>,
}

impl<'c> Statements<'c> {
    pub(super) fn of(connection: &'c Connection) -> Self {
        Self { connection, prepared: Vec::new() }
    }

    fn get(&mut self, sql: &'static Sql) -> rusqlite::Result<&mut CachedStatement<'c>> {
        let known = self.prepared.iter().position(|(known, _)| std::ptr::eq(*known, sql));
        let place = known.unwrap_or(self.prepared.len());
        if known.is_none() {
            self.prepared.push((sql, self.connection.prepare_cached(sql.text(Dialect::Sqlite))?));
        }
        Ok(&mut self.prepared[place].1)
    }
}

/// Runs a batch inside the open transaction. `Stale` means that nothing was written.
pub(super) fn batch(statements: &mut Statements<'_>, batch: &Batch) -> Result<Answer, BatchError> {
    let mut arrived = Arrived::default();
    let mut answer = Answer::with_capacity(batch.steps.len());
    for (i, step) in batch.steps.iter().enumerate() {
        let result = run_step(statements, step, arrived)?;
        if batch.arrival.is_some_and(|arrival| arrival.step == i) {
            arrived = last_ids(&result.records).unwrap_or_default();
        }
        answer.push(result);
    }
    Ok(answer)
}

fn last_ids(records: &[Record]) -> Option<Arrived> {
    let mut record = records.first()?.clone();
    Some(Arrived { entries: record.next().ok()?, events: record.next().ok()? })
}

fn run_step(statements: &mut Statements<'_>, step: &Step, arrived: Arrived) -> Result<StepResult, BatchError> {
    let statement = statements.get(step.sql).map_err(BatchError::Sqlite)?;
    let returns = statement.column_count() > 0;
    let mut written = 0;
    let mut records = Vec::new();
    for row in &step.rows {
        if returns {
            fetch(statement, row, arrived, &mut records).map_err(BatchError::Sqlite)?;
        } else {
            let row = params_from_iter(row.iter().map(|value| arrived.bind(value)));
            written += statement.execute(row).map_err(BatchError::Sqlite)?;
        }
    }
    let written = if returns { records.len() } else { written } as u64;
    if step.expect == Expect::Fence && written != 1 {
        return Err(BatchError::Stale);
    }
    step.check(written).map_err(BatchError::WrongCount)?;
    Ok(StepResult { records, written: Some(written) })
}

fn fetch(
    statement: &mut Statement<'_>,
    row: &[Value],
    arrived: Arrived,
    out: &mut Vec<Record>,
) -> rusqlite::Result<()> {
    let columns = statement.column_count();
    let mut rows = statement.query(params_from_iter(row.iter().map(|value| arrived.bind(value))))?;
    while let Some(row) = rows.next()? {
        out.push(record(row, columns)?);
    }
    Ok(())
}

fn record(row: &Row<'_>, columns: usize) -> rusqlite::Result<Record> {
    let mut values = Vec::with_capacity(columns);
    for column in 0..columns {
        values.push(match row.get_ref(column)? {
            ValueRef::Null => Value::Null,
            ValueRef::Integer(value) => Value::Int(value),
            // No column is REAL; an aggregate that overflowed would arrive here and be refused when read.
            ValueRef::Real(value) => Value::Text(value.to_string()),
            ValueRef::Text(value) => Value::Text(text(value)),
            ValueRef::Blob(value) => Value::Bytes(value.to_vec()),
        });
    }
    Ok(Record::new(values))
}

/// What is no UTF-8 was written by another program, and is shown as well as it can be.
fn text(value: &[u8]) -> String {
    match std::str::from_utf8(value) {
        Ok(text) => text.to_owned(),
        Err(_) => String::from_utf8_lossy(value).into_owned(),
    }
}

/// Why a batch stopped.
#[derive(Debug)]
pub(super) enum BatchError {
    Stale,
    WrongCount(WrongCount),
    Sqlite(rusqlite::Error),
}

/// Does a chore.
pub(super) fn chore(name: &str, connection: &Connection, chore: Chore) -> Result<Answer, Refused> {
    match chore {
        Chore::Compact => compact(name, connection),
        Chore::Analyse => match analyse_if_grown(connection) {
            Ok(_) => Ok(Answer::new()),
            Err(error) => Err(Refused::Failed(explain(name, "look at its statistics", error))),
        },
    }
}

/// Rewrites the file without its holes. Writers wait meanwhile, readers do not.
fn compact(name: &str, connection: &Connection) -> Result<Answer, Refused> {
    // A copy of the whole database does not belong in memory, where other temporary things are kept.
    let result = connection.execute_batch("PRAGMA temp_store = FILE; VACUUM; PRAGMA wal_checkpoint(TRUNCATE)");
    let back = connection.execute_batch("PRAGMA temp_store = MEMORY");
    let failed = |error| Refused::Failed(explain(name, "compact it", error));
    result.and(back).map(|()| Answer::new()).map_err(failed)
}

/// Runs a batch in a transaction of its own.
pub(super) fn alone(name: &str, connection: &Connection, description: &Batch) -> Result<Answer, Refused> {
    let failed = |error| Refused::Failed(explain(name, "write", error));
    connection.execute_batch("BEGIN IMMEDIATE").map_err(failed)?;
    let result = match batch(&mut Statements::of(connection), description) {
        Ok(answer) => connection.execute_batch("COMMIT").map(|()| answer).map_err(failed),
        Err(BatchError::Stale) => Err(Refused::Stale),
        Err(BatchError::WrongCount(wrong)) => Err(wrong.refused()),
        Err(BatchError::Sqlite(error)) => Err(failed(error)),
    };
    if result.is_err() {
        roll_back(connection);
    }
    result
}

/// Gives the lease of a commit the token that the commit comes with, so that its fence holds whoever has the lease.
#[cfg(feature = "simulation")]
pub(super) fn accept_any_token(connection: &Connection, batch: &Batch) {
    if let Some(step) = batch.steps.first().filter(|step| std::ptr::eq(step.sql, &raw const crate::commit::FENCE)) {
        let row = step.rows[0][..2].iter().map(|value| Arrived::default().bind(value));
        // A feed that is not there has no token to change.
        let _ = connection.execute("UPDATE schedule SET token = ?2 WHERE feed_id = ?1", params_from_iter(row));
    }
}

/// Ends a transaction that failed. Some errors (a full disk among them) have rolled it back already.
pub(super) fn roll_back(connection: &Connection) {
    if !connection.is_autocommit() {
        // If even this fails, the next BEGIN fails too and says why.
        let _ = connection.execute_batch("ROLLBACK");
    }
}

/// Says what an error means for the caller.
pub(super) fn explain(database: &str, doing: &'static str, error: rusqlite::Error) -> StoreError {
    let database = database.to_owned();
    match error.sqlite_error_code() {
        Some(ErrorCode::DiskFull) => StoreError::Full { database },
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
            StoreError::Unavailable { database, why: "another process has been writing for more than 5 s".into() }
        }
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
            StoreError::Corrupt { database, why: error.to_string() }
        }
        Some(ErrorCode::CannotOpen | ErrorCode::PermissionDenied | ErrorCode::ReadOnly) => {
            StoreError::Denied { database, why: format!("{error}; check that this user may read and write there") }
        }
        // A full disk may show like this, too, where SQLite writes more than the data.
        Some(ErrorCode::SystemIoFailure | ErrorCode::OutOfMemory | ErrorCode::FileLockingProtocolFailed) => {
            StoreError::Unavailable { database, why: format!("{error}; look at the disk, and at the system's log") }
        }
        Some(ErrorCode::ConstraintViolation) => StoreError::Conflict { doing, source: error.into() },
        Some(ErrorCode::TooBig | ErrorCode::TypeMismatch | ErrorCode::ParameterOutOfRange) => {
            StoreError::Unfit { doing, source: error.into() }
        }
        None if matches!(error, rusqlite::Error::ToSqlConversionFailure(_)) => {
            StoreError::Unfit { doing, source: error.into() }
        }
        _ => StoreError::Database { doing, source: error.into() },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rusqlite::ffi;

    /// A disk error was taken for a fault of whatever feed was being written, which was then visited half an hour later.
    #[test]
    fn no_feed_is_blamed_for_the_disk() {
        let check = |code, about_the_data: bool| {
            let error = rusqlite::Error::SqliteFailure(ffi::Error::new(code), None);
            assert_eq!(explain("a file", "write", error).is_about_the_data(), about_the_data, "{code}");
        };
        check(ffi::SQLITE_IOERR, false);
        check(ffi::SQLITE_IOERR_WRITE, false);
        check(ffi::SQLITE_IOERR_FSYNC, false);
        check(ffi::SQLITE_FULL, false);
        check(ffi::SQLITE_NOMEM, false);
        check(ffi::SQLITE_BUSY, false);
        check(ffi::SQLITE_CONSTRAINT_UNIQUE, true);
        check(ffi::SQLITE_TOOBIG, true);
        check(ffi::SQLITE_MISMATCH, true);
        check(ffi::SQLITE_ERROR, false);
        check(ffi::SQLITE_INTERRUPT, false);
        check(ffi::SQLITE_SCHEMA, false);
    }
}
