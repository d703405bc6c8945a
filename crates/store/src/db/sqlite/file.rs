//! A database file from outside: what it holds, whether it is whole, and a copy of it while somebody writes to it.
//!
//! Nothing here changes the file: it is opened for reading only, and neither migrated nor configured. For backups and
//! for `courant doctor`; a store that works is opened in `open.rs`.

use super::open::{check, connect_with, refuse_foreign, refuse_truncated, setting, version};
use super::run::explain;
use crate::StoreError;
use crate::db::migrate::MIGRATIONS;
use crate::db::soundness::{QUESTIONS, missing};
use crate::db::sql::Dialect;
use rusqlite::{Connection, OpenFlags};
use std::path::Path;

/// What a database file holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileFacts {
    /// Its size, without what is still in the log beside it.
    pub bytes: u64,
    /// Its schema.
    pub schema: i64,
    /// The schema that this program would bring it to.
    pub newest: i64,
    /// How the last serving process ended, if one did: `clean` or `unclean`.
    pub last_stop: Option<String>,
    /// Feeds, without deleted ones.
    pub feeds: i64,
    /// Entries, without those of deleted feeds.
    pub entries: i64,
    /// What is wrong though the file is whole, and what to do, one sentence each.
    pub troubles: Vec<String>,
}

/// Good for every schema.
const LIVING_ENTRIES: &str = "SELECT (SELECT count(*) FROM entries)
    - (SELECT count(*) FROM entries WHERE feed_id IN (SELECT id FROM feeds WHERE state = 'deleted'))";

/// Looks at a SQLite file: is it ours, is it whole, what is in it. Blocks; a large file takes a while.
pub fn inspect_file(path: &Path) -> Result<FileFacts, StoreError> {
    let name = path.display().to_string();
    refuse_truncated(path, &name)?;
    let connection = connect(path, &name)?;
    refuse_foreign(&connection, &name)?;
    check(&connection, path, &name)?;
    let fail = |error| explain(&name, "read it", error);
    let (schema, _) = version(&connection).map_err(fail)?;
    if schema == 0 {
        return Err(StoreError::Denied { database: name, why: "the file is empty: it is no database yet".into() });
    }
    let troubles = troubles(&connection, schema).map_err(fail)?;
    // Missing tables were reported already.
    let or_none =
        |asked: rusqlite::Result<i64>| if troubles.is_empty() { asked.map_err(fail) } else { Ok(asked.unwrap_or(0)) };
    let count = |sql: &str| or_none(connection.query_row(sql, [], |row| row.get(0)));
    let (feeds, entries) = (count("SELECT count(*) FROM feeds WHERE state <> 'deleted'")?, count(LIVING_ENTRIES)?);
    Ok(FileFacts {
        bytes: std::fs::metadata(path).map_or(0, |file| file.len()),
        schema,
        newest: MIGRATIONS.last().map_or(0, |migration| migration.version),
        last_stop: setting(&connection, crate::settings::LAST_STOP).map_err(fail)?,
        feeds,
        entries,
        troubles,
    })
}

fn troubles(connection: &Connection, schema: i64) -> rusqlite::Result<Vec<String>> {
    let mut statement = connection.prepare("SELECT name FROM sqlite_master")?;
    let found = statement.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
    // Without its tables there is nothing more to ask.
    if let Some(trouble) = missing(schema, Dialect::Sqlite, &found) {
        return Ok(vec![trouble]);
    }
    let mut troubles = Vec::new();
    for question in QUESTIONS {
        troubles.extend(question.trouble(connection.query_row(question.sql, [], |row| row.get(0))?));
    }
    Ok(troubles)
}

/// Writes what a SQLite file holds at this moment to a file that is not there yet. Others may read and write
/// meanwhile: the copy is one moment of theirs, with everything that was acknowledged before. Blocks.
pub fn copy_file(from: &Path, to: &Path) -> Result<(), StoreError> {
    let name = from.display().to_string();
    refuse_truncated(from, &name)?;
    let connection = connect(from, &name)?;
    refuse_foreign(&connection, &name)?;
    let target = to.to_str().ok_or_else(|| StoreError::Address(format!("{} is no file name", to.display())))?;
    // One read transaction from the first page to the last. The page-by-page copy would begin anew at every write of
    // another process, and beside a busy server never end.
    connection.execute("VACUUM INTO ?1", [target]).map_err(|error| explain(&name, "copy it", error))?;
    let sync = std::fs::File::open(to).and_then(|file| file.sync_all());
    sync.map_err(|error| StoreError::Database { doing: "copy it", source: error.into() })
}

fn connect(path: &Path, name: &str) -> Result<Connection, StoreError> {
    connect_with(path, name, OpenFlags::SQLITE_OPEN_READ_ONLY)
}
