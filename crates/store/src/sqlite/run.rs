//! Runs a question or a batch on one connection, and says what went wrong in the store's words.

use crate::StoreError;
use crate::batch::{Answer, Batch, Expect, Refused, Step};
use crate::sql::{Dialect, Sql};
use crate::value::{Record, Value};
use rusqlite::types::{ToSql, ToSqlOutput, ValueRef};
use rusqlite::{Connection, ErrorCode, Row, Statement, params_from_iter};

impl ToSql for Value {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self {
            Self::Null => ValueRef::Null,
            Self::Int(value) => ValueRef::Integer(*value),
            Self::Text(value) => ValueRef::Text(value.as_bytes()),
            Self::Bytes(value) => ValueRef::Blob(value),
            Self::Bool(value) => ValueRef::Integer(i64::from(*value)),
            Self::Uuid(value) => ValueRef::Blob(value.as_bytes()),
        }))
    }
}

/// Runs a read for each row.
pub(super) fn question(connection: &Connection, sql: &Sql, rows: &[Vec<Value>]) -> rusqlite::Result<Vec<Record>> {
    let mut statement = connection.prepare_cached(sql.text(Dialect::Sqlite))?;
    let mut out = Vec::new();
    for row in rows {
        fetch(&mut statement, row, &mut out)?;
    }
    Ok(out)
}

/// Runs a batch inside the open transaction. `Stale` means that nothing was written.
pub(super) fn batch(connection: &Connection, batch: &Batch) -> Result<Answer, BatchError> {
    batch.steps.iter().map(|step| run_step(connection, step)).collect()
}

fn run_step(connection: &Connection, step: &Step) -> Result<Vec<Record>, BatchError> {
    let mut statement = connection.prepare_cached(step.sql.text(Dialect::Sqlite)).map_err(BatchError::Sqlite)?;
    let returns = statement.column_count() > 0;
    let mut written = 0;
    let mut out = Vec::new();
    for row in &step.rows {
        if returns {
            fetch(&mut statement, row, &mut out).map_err(BatchError::Sqlite)?;
        } else {
            written += statement.execute(params_from_iter(row)).map_err(BatchError::Sqlite)?;
        }
    }
    match step.expect {
        Expect::Fence if written != 1 => Err(BatchError::Stale),
        _ => Ok(out),
    }
}

fn fetch(statement: &mut Statement<'_>, row: &[Value], out: &mut Vec<Record>) -> rusqlite::Result<()> {
    let columns = statement.column_count();
    let mut rows = statement.query(params_from_iter(row))?;
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
pub(super) enum BatchError {
    Stale,
    Sqlite(rusqlite::Error),
}

/// Rewrites the file without its holes. Everybody who writes waits meanwhile; who reads does not.
pub(super) fn compact(name: &str, connection: &Connection) -> Result<Answer, Refused> {
    // A copy of the whole database does not belong in memory, where other temporary things are kept.
    let result = connection.execute_batch("PRAGMA temp_store = FILE; VACUUM; PRAGMA wal_checkpoint(TRUNCATE)");
    let back = connection.execute_batch("PRAGMA temp_store = MEMORY");
    let failed = |error| Refused::Failed(explain(name, "compact it", error));
    result.and(back).map(|()| Answer::new()).map_err(failed)
}

/// Runs a batch in a transaction of its own.
pub(super) fn alone(name: &str, connection: &mut Connection, job: &Batch) -> Result<Answer, Refused> {
    let failed = |error| Refused::Failed(explain(name, "write", error));
    connection.execute_batch("BEGIN IMMEDIATE").map_err(failed)?;
    let result = match batch(connection, job) {
        Ok(answer) => connection.execute_batch("COMMIT").map(|()| answer).map_err(failed),
        Err(BatchError::Stale) => Err(Refused::Stale),
        Err(BatchError::Sqlite(error)) => Err(failed(error)),
    };
    if result.is_err() {
        roll_back(connection);
    }
    result
}

/// Makes the fence of a commit accept the token it comes with, whatever the lease's is: as if nobody compared them.
pub(super) fn accept_any_token(connection: &Connection, batch: &Batch) {
    if let Some(step) = batch.steps.first().filter(|step| step.sql.name == "FENCE") {
        let row = &step.rows[0][..2];
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
        Some(ErrorCode::ConstraintViolation) => StoreError::Conflict { doing, source: error.into() },
        _ => StoreError::Database { doing, source: error.into() },
    }
}
