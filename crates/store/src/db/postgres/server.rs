//! A database on a server from outside: what it holds, whether it is sound, and what time it says it is.
//!
//! Nothing here changes the database: it is neither migrated nor filled. For whoever wants to know what is wrong; a
//! store that works is opened in `open.rs`. One attempt: whether anybody answers is the question.

use super::{open, run};
use crate::StoreError;
use crate::db::address::Address;
use crate::db::migrate::{self, MIGRATIONS};
use crate::db::soundness::{QUESTIONS, missing};
use crate::db::sql::Dialect;
use crate::store::Options;
use jiff::{SignedDuration, Timestamp};
use std::collections::BTreeSet;
use tokio_postgres::{Client, Error};

/// What a database on a server holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerFacts {
    /// What the server calls its version.
    pub version: String,
    /// The database's schema; 0 if it has none yet.
    pub schema: i64,
    /// The schema that this program would bring it to.
    pub newest: i64,
    /// How far the server's clock is ahead of ours.
    pub ahead: SignedDuration,
    /// How exactly that is known: half of what the question took.
    pub give_or_take: SignedDuration,
    /// What is wrong, and what to do, one sentence each.
    pub troubles: Vec<String>,
}

// The one statement of ours that reads a clock: telling that it differs from ours is what it is for (`xtask tidy` knows
// this file). Nothing is decided by it.
const CLOCK: &str = "SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000000 AS BIGINT)";
const TABLES_AND_INDEXES: &str = "SELECT c.relname::text FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname = current_schema() AND c.relkind IN ('r', 'p', 'i', 'I')";
const INVALID: &str = "SELECT c.relname::text FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
    JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname = current_schema() AND NOT (i.indisvalid AND i.indisready) ORDER BY 1";

/// Looks at a PostgreSQL database: is it ours, is it sound, what is in it. `clock` says what time it is here.
pub async fn inspect_server(
    address: &Address,
    options: &Options,
    clock: impl Fn() -> Timestamp,
) -> Result<ServerFacts, StoreError> {
    let name = address.to_string();
    let Address::Postgres(config) = address else {
        return Err(StoreError::Address(format!("{name} is no server")));
    };
    let (client, connection) = open::connect(config, &name, options).await?;
    let looked = look(&client, &name, clock).await;
    drop(client);
    let _ = connection.await;
    looked
}

async fn look(client: &Client, name: &str, clock: impl Fn() -> Timestamp) -> Result<ServerFacts, StoreError> {
    let fail = |error: Error| run::explain(name, "look at it", error);
    let version: String = client.query_one("SHOW server_version", &[]).await.map_err(fail)?.get(0);
    // Asked twice: what the first answer took is mostly the statement's own making.
    ahead(client, &clock).await.map_err(fail)?;
    let (ahead, give_or_take) = ahead(client, &clock).await.map_err(fail)?;
    let (schema, min_compatible) = open::version(client).await.map_err(fail)?;
    migrate::pending(name, schema, min_compatible, MIGRATIONS)?;
    let troubles = if schema == 0 { Vec::new() } else { troubles(client, schema).await.map_err(fail)? };
    let newest = MIGRATIONS.last().map_or(0, |migration| migration.version);
    Ok(ServerFacts { version, schema, newest, ahead, give_or_take, troubles })
}

async fn ahead(client: &Client, clock: impl Fn() -> Timestamp) -> Result<(SignedDuration, SignedDuration), Error> {
    let before = clock();
    let there: i64 = client.query_one(CLOCK, &[]).await?.get(0);
    let half = clock().duration_since(before) / 2;
    let here = before.checked_add(half).unwrap_or(before);
    let there = Timestamp::from_microsecond(there).unwrap_or(Timestamp::MAX);
    Ok((there.duration_since(here), half.abs()))
}

async fn troubles(client: &Client, schema: i64) -> Result<Vec<String>, Error> {
    let names = async |sql: &str| -> Result<BTreeSet<String>, Error> {
        Ok(client.query(sql, &[]).await?.iter().map(|row| row.get(0)).collect())
    };
    // Without its tables there is nothing more to ask.
    if let Some(trouble) = missing(schema, Dialect::Postgres, &names(TABLES_AND_INDEXES).await?) {
        return Ok(vec![trouble]);
    }
    let mut troubles = Vec::new();
    for index in names(INVALID).await? {
        troubles
            .push(format!("the index {index} is not valid and is not used: run REINDEX INDEX CONCURRENTLY {index}"));
    }
    for question in QUESTIONS {
        troubles.extend(question.trouble(client.query_one(question.sql, &[]).await?.get(0)));
    }
    Ok(troubles)
}
