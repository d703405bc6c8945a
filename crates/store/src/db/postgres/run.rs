//! Runs a question, or a group of batches as one pipelined transaction; says what errors mean.
//!
//! BEGIN and all steps leave in one go; every result and row count is checked, then COMMIT: two trips. COMMIT's own
//! answer would prove nothing: after an error the server says ROLLBACK and the client sees success.

use super::merge::{Merged, merged, wanted};
use super::values::{BatchRow, Column, Later, record, type_of};
use crate::StoreError;
use crate::db::batch::{Answer, Batch, StepResult, WrongCount};
use crate::db::question::{Answers, Question};
use crate::db::sql::{Dialect, Sql};
use crate::db::value::{Record, Value};
use crate::db::wake::Topics;
use deadpool_postgres::{Client, PoolError};
use std::borrow::Cow;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::error::Error as _;
use std::future::Future;
use std::pin::Pin;
use std::task::Poll;
use tokio_postgres::error::SqlState;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Error, Statement};

async fn prepare(client: &Client, sql: &Sql, form: Form) -> Result<Statement, Error> {
    let types: Vec<_> = sql.params.iter().map(|kind| type_of(*kind, form == Form::Arrays)).collect();
    let text = match form {
        Form::Arrays => sql.over_rows().expect("only asked for what has this form"),
        Form::Single => sql.text(Dialect::Postgres),
    };
    client.prepare_typed_cached(text, &types).await
}

/// How a statement gets its rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Form {
    /// All of them at once.
    Arrays,
    /// One at a time.
    Single,
}

/// A single row is cheaper without arrays.
fn form(sql: &Sql, rows: usize) -> Form {
    if rows > 1 && sql.over_rows().is_some() { Form::Arrays } else { Form::Single }
}

/// All questions of a transaction see what was committed before the first of them.
const BEGIN_SNAPSHOT: &str =
    "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL idle_in_transaction_session_timeout = '3s'";

/// Runs reads, several of them on one snapshot and in one trip.
pub(super) async fn questions(client: &Client, questions: &[Question]) -> Result<Answers, Error> {
    if let [Question { sql, rows }] = questions {
        return Ok(vec![question(client, sql, rows).await?]);
    }
    let mut statements = Vec::with_capacity(questions.len());
    let mut rows: Vec<Vec<BatchRow<'_>>> = Vec::with_capacity(questions.len());
    for question in questions {
        statements.push(prepare(client, question.sql, form(question.sql, question.rows.len())).await?);
        rows.push(question.rows.iter().map(|values| BatchRow { values, later: Later::default() }).collect());
    }
    let ran = async |text: &str| client.batch_execute(text).await.map(|()| Ran { records: Vec::new(), written: 0 });
    let mut running: Vec<Running<'_>> = Vec::with_capacity(questions.len() + 2);
    running.push(Box::pin(ran(BEGIN_SNAPSHOT)));
    for ((question, statement), rows) in questions.iter().zip(&statements).zip(&rows) {
        running.push(Box::pin(exchange(client, statement, columns(question.sql, rows))));
    }
    // After an error the server takes this for a ROLLBACK.
    running.push(Box::pin(ran("COMMIT")));
    let results = pipelined(running).await.into_iter().collect::<Result<Vec<Ran>, Error>>()?;
    Ok(results.into_iter().skip(1).take(questions.len()).map(|ran| ran.records).collect())
}

/// Runs a read: for all rows at once where it is written for rows, else for the only one.
async fn question(client: &Client, sql: &Sql, rows: &[Vec<Value>]) -> Result<Vec<Record>, Error> {
    let rows: Vec<BatchRow<'_>> = rows.iter().map(|values| BatchRow { values, later: Later::default() }).collect();
    let statement = prepare(client, sql, form(sql, rows.len())).await?;
    let columns = columns(sql, &rows);
    client.query(&statement, &parameters(&columns)).await?.iter().map(record).collect()
}

fn columns<'a>(sql: &Sql, rows: &'a [BatchRow<'a>]) -> Vec<Column<'a>> {
    (0..sql.params.len()).map(|index| Column { rows, index }).collect()
}

fn parameters<'a>(columns: &'a [Column<'a>]) -> Vec<&'a (dyn ToSql + Sync)> {
    columns.iter().map(|column| column as _).collect()
}

/// A process that is stopped in the middle (a frozen machine, SIGSTOP) must not keep its locks, among them that of the
/// arrival row, for which everybody waits: the server ends what lets it wait that long, and nothing of it was written.
/// Short, because the other transactions of such a process get the lock next, one after the other.
const BEGIN: &str = "BEGIN; SET LOCAL idle_in_transaction_session_timeout = '3s'";
/// Left alone, the server plans a statement over arrays anew each time, because it takes short ones for a better plan.
const BEGIN_GROUP: &str =
    "BEGIN; SET LOCAL idle_in_transaction_session_timeout = '3s'; SET LOCAL plan_cache_mode = force_generic_plan";

/// Why a group did not happen; nothing of it was written.
pub(super) enum GroupError {
    Stale,
    WrongCount(WrongCount),
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

/// Runs all batches in one transaction, the same step of all of them in one statement where that is possible, and wakes
/// whoever waits for these topics in another process.
pub(super) async fn group(client: &Client, batches: &[&Batch], topics: Topics) -> Result<Vec<Answer>, GroupError> {
    let wanted = wanted(batches);
    let merged = merged(batches, &wanted);
    let mut statements: HashMap<(usize, Form), Statement> = HashMap::new();
    for part in &merged {
        let key = (std::ptr::from_ref(part.sql).addr(), form(part.sql, part.rows.len()));
        if let Entry::Vacant(place) = statements.entry(key) {
            place.insert(prepare(client, part.sql, key.1).await?);
        }
    }
    let mut running: Vec<Running<'_>> = Vec::with_capacity(merged.len() + 1);
    running.push(Box::pin(async {
        client.batch_execute(if batches.len() > 1 { BEGIN_GROUP } else { BEGIN }).await?;
        Ok(Ran { records: Vec::new(), written: 0 })
    }));
    for part in &merged {
        let form = form(part.sql, part.rows.len());
        let statement = &statements[&(std::ptr::from_ref(part.sql).addr(), form)];
        let rows = if form == Form::Arrays { part.rows.len() } else { 1 };
        for rows in part.rows.chunks(rows) {
            running.push(Box::pin(exchange(client, statement, columns(part.sql, rows))));
        }
    }
    let results = pipelined(running).await;
    let committed = match check(&merged, batches, results) {
        Ok(answers) => client.batch_execute(&commit(topics)).await.map(|()| answers).map_err(GroupError::Postgres),
        Err(error) => Err(error),
    };
    if committed.is_err() {
        // If the connection is gone, so is the transaction.
        let _ = client.batch_execute("ROLLBACK").await;
    }
    committed
}

/// COMMIT, and with it, in the same trip, a NOTIFY for each topic. Such commits take turns on the server; those that bring
/// events do so anyway, because of the arrival row.
fn commit(topics: Topics) -> Cow<'static, str> {
    if topics == Topics::default() {
        return Cow::Borrowed("COMMIT");
    }
    let mut text = String::new();
    for topic in topics.iter() {
        text.push_str("NOTIFY ");
        text.push_str(topic.channel());
        text.push_str("; ");
    }
    text.push_str("COMMIT");
    Cow::Owned(text)
}

async fn exchange(client: &Client, statement: &Statement, columns: Vec<Column<'_>>) -> Result<Ran, Error> {
    let parameters = parameters(&columns);
    if statement.columns().is_empty() {
        Ok(Ran { records: Vec::new(), written: client.execute(statement, &parameters).await? })
    } else {
        let rows = client.query(statement, &parameters).await?;
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
    merged: &[Merged<'_>],
    batches: &[&Batch],
    results: Vec<Result<Ran, Error>>,
) -> Result<Vec<Answer>, GroupError> {
    let mut results = results.into_iter();
    results.next().expect("BEGIN has a result")?;
    let mut answers: Vec<Answer> = batches.iter().map(|batch| vec![StepResult::default(); batch.steps.len()]).collect();
    for part in merged {
        let exchanges = if form(part.sql, part.rows.len()) == Form::Arrays { 1 } else { part.rows.len() };
        let (mut records, mut written) = (Vec::new(), 0);
        for result in results.by_ref().take(exchanges) {
            let ran = result?;
            records.extend(ran.records);
            written += ran.written;
        }
        if part.fences.is_some_and(|fences| fences != written) {
            return Err(GroupError::Stale);
        }
        part.check(batches, written).map_err(GroupError::WrongCount)?;
        part.answer(records, written, &mut answers);
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
        } else if error.to_string().starts_with("error serializing parameter") {
            // The client's own words; it has no better way to say that a value cannot be sent.
            StoreError::Unfit { doing, source: error.into() }
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
    } else if class == "22" || class == "54" {
        // Data exceptions, and limits of the program such as the size of a search vector.
        StoreError::Unfit { doing, source: error.into() }
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
