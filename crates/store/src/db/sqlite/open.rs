//! Opens a database file: checks it, migrates it, and only then allows writes.
//!
//! Order matters: a file that is damaged, truncated or too new is refused before a byte of it is changed.

use super::run::explain;
use super::{Inline, Sqlite};
use crate::StoreError;
use crate::db::migrate::{self, MIGRATIONS};
use crate::db::sql::Dialect;
use crate::store::{Check, Options, Purpose};
use jiff::{SignedDuration, Timestamp};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags, OptionalExtension as _, params};
use std::io::Read as _;
use std::path::Path;

/// How sure a commit is before it is answered.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Synchronous {
    /// It is on the disk.
    #[default]
    Full,
    /// It survives a crash of the program, not of the machine.
    Normal,
}

/// One of them is never taken by background. Each has a page cache of its own, so more of them cost memory.
const READERS: usize = 3;
/// Above this, the check is the quick one.
const QUICK_CHECK_BYTES: u64 = 100 << 20;
const CHECKED_AT: &str = "store.checked_at";
const CHECK_EVERY: SignedDuration = SignedDuration::from_hours(7 * 24);

pub(crate) fn open(path: &Path, name: &str, options: &Options) -> Result<Sqlite, StoreError> {
    refuse_truncated(path, name)?;
    let mut writer = connect(path, name)?;
    refuse_foreign(&writer, name)?;
    configure(&writer, options.synchronous).map_err(|e| explain(name, "open it", e))?;
    let now = options.now;
    let serving = options.purpose == Purpose::Serve;
    if serving && needs_check(&writer, options.check, now).map_err(|e| explain(name, "read the settings", e))? {
        check(&writer, path, name)?;
        note(&writer, name, CHECKED_AT, &now.as_microsecond().to_string(), now)?;
    }
    migrate(&mut writer, name, now)?;
    if serving {
        note(&writer, name, crate::settings::LAST_STOP, "unclean", now)?;
    }
    if let Some(pages) = options.max_pages {
        writer.pragma_update(None, "max_page_count", pages).map_err(|e| explain(name, "limit its size", e))?;
    }
    let mut readers = Vec::with_capacity(READERS);
    for _ in 0..READERS {
        let reader = connect(path, name)?;
        configure(&reader, options.synchronous).map_err(|e| explain(name, "open it", e))?;
        readers.push(reader);
    }
    Ok(Sqlite::start(name.to_owned(), writer, options.synchronous, readers))
}

/// The same schema in memory, for a simulation.
pub(crate) fn open_inline(now: Timestamp) -> Result<Inline, StoreError> {
    let name = super::IN_MEMORY;
    let mut connection = Connection::open_in_memory().map_err(|e| explain(name, "open it", e))?;
    configure(&connection, Synchronous::Full).map_err(|e| explain(name, "configure it", e))?;
    migrate(&mut connection, name, now)?;
    connection.execute_batch(super::search_db::SCHEMA).map_err(|e| explain(name, "make its index", e))?;
    Ok(Inline::new(connection))
}

/// For reading and writing; the file is made when missing.
pub(super) fn connect(path: &Path, name: &str) -> Result<Connection, StoreError> {
    connect_with(path, name, OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE)
}

/// Opens the file and reads its header: one that is no database is told here, before anything is written.
pub(super) fn connect_with(path: &Path, name: &str, flags: OpenFlags) -> Result<Connection, StoreError> {
    let open = || {
        // Every connection stays on one thread.
        let connection = Connection::open_with_flags(path, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
        connection.busy_timeout(std::time::Duration::from_secs(5))?;
        connection.query_row("PRAGMA schema_version", [], |_| Ok(()))?;
        Ok(connection)
    };
    open().map_err(|e| explain(name, "open it", e))
}

pub(super) fn configure(connection: &Connection, synchronous: Synchronous) -> rusqlite::Result<()> {
    let synchronous = match synchronous {
        Synchronous::Full => "FULL",
        Synchronous::Normal => "NORMAL",
    };
    connection.set_prepared_statement_cache_capacity(128);
    // A plan may not depend on the values bound to it; else statements are prepared anew whenever a value changes.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    // Pages of 8 KiB (decided when the file is made) halve the frames that a body of some KiB takes, and are checkpointed
    // when 16 MiB of them are in the log: an index page that many commits touch is then written to the file once.
    connection.execute_batch(&format!(
        "PRAGMA page_size = 8192; PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 2048;
         PRAGMA synchronous = {synchronous}; PRAGMA foreign_keys = ON; PRAGMA temp_store = MEMORY;
         PRAGMA cache_size = -4096; PRAGMA journal_size_limit = 67108864;"
    ))
}

/// Refuses a database of another program, or of a newer Courant.
pub(super) fn refuse_foreign(connection: &Connection, name: &str) -> Result<(), StoreError> {
    let fail = |e| explain(name, "read its version", e);
    let (found, min_compatible) = version(connection).map_err(fail)?;
    migrate::pending(name, found, min_compatible, MIGRATIONS)?;
    let tables: i64 = connection.query_row("SELECT count(*) FROM sqlite_master", [], |row| row.get(0)).map_err(fail)?;
    if found == 0 && tables > 0 {
        return Err(StoreError::Denied {
            database: name.to_owned(),
            why: "the file is another program's database; name a file of its own".into(),
        });
    }
    Ok(())
}

/// The schema's version and the oldest one that may still use it.
pub(super) fn version(connection: &Connection) -> rusqlite::Result<(i64, i64)> {
    if !has_table(connection, "schema_migrations")? {
        return Ok((0, 0));
    }
    connection.query_row(migrate::FOUND, [], |row| Ok((row.get(0)?, row.get(1)?)))
}

/// A file shorter than its header says was cut. Only told when there is no WAL: a crash in the middle of a
/// checkpoint leaves a short file that the WAL makes whole.
pub(super) fn refuse_truncated(path: &Path, name: &str) -> Result<(), StoreError> {
    let denied = |error: std::io::Error| StoreError::Denied {
        database: name.to_owned(),
        why: format!("{error}; check that this user may read and write there"),
    };
    let mut file = match std::fs::File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(denied(error)),
    };
    let metadata = file.metadata().map_err(denied)?;
    if metadata.is_dir() {
        let why = "it is a directory; name a file in it".into();
        return Err(StoreError::Denied { database: name.to_owned(), why });
    }
    let length = metadata.len();
    let mut wal = path.as_os_str().to_owned();
    wal.push("-wal");
    if length == 0 || std::fs::metadata(wal).is_ok_and(|wal| wal.len() > 0) {
        return Ok(());
    }
    let corrupt = |why: String| StoreError::Corrupt { database: name.to_owned(), why };
    let mut header = [0; 100];
    file.read_exact(&mut header).map_err(|_| corrupt(format!("the file has only {length} bytes")))?;
    let page = match u64::from(u16::from_be_bytes([header[16], header[17]])) {
        1 => 65536,
        size => size,
    };
    let pages = u64::from(u32::from_be_bytes([header[28], header[29], header[30], header[31]]));
    // The count is only valid where the change counter (24..28) equals the version-valid-for number (92..96).
    if header[24..28] == header[92..96] && pages * page > length {
        return Err(corrupt(format!("the file was cut: {length} of {} bytes are there", pages * page)));
    }
    Ok(())
}

pub(super) fn setting(connection: &Connection, key: &str) -> rusqlite::Result<Option<String>> {
    connection.query_row("SELECT value FROM settings WHERE key = ?1", [key], |row| row.get(0)).optional()
}

fn note(connection: &Connection, name: &str, key: &str, value: &str, now: Timestamp) -> Result<(), StoreError> {
    let sql = crate::settings::SET.text(Dialect::Sqlite);
    connection
        .execute(sql, params![key, value, now.as_microsecond()])
        .map_err(|e| explain(name, "note a setting", e))?;
    Ok(())
}

fn has_table(connection: &Connection, table: &str) -> rusqlite::Result<bool> {
    connection.query_row("SELECT count(*) FROM sqlite_master WHERE name = ?1", [table], |row| row.get(0))
}

/// Whether the last stop was unclean or the last check too long ago.
fn needs_check(connection: &Connection, when: Check, now: Timestamp) -> rusqlite::Result<bool> {
    if !has_table(connection, "settings")? {
        return Ok(false);
    }
    if when == Check::Always || setting(connection, crate::settings::LAST_STOP)?.as_deref() == Some("unclean") {
        return Ok(true);
    }
    let checked = setting(connection, CHECKED_AT)?.and_then(|text| text.parse().ok());
    let checked = checked.and_then(|micros| Timestamp::from_microsecond(micros).ok()).unwrap_or(Timestamp::UNIX_EPOCH);
    Ok(now.duration_since(checked) > CHECK_EVERY)
}

pub(super) fn check(connection: &Connection, path: &Path, name: &str) -> Result<(), StoreError> {
    let bytes = std::fs::metadata(path).map_or(0, |file| file.len());
    let pragma = if bytes > QUICK_CHECK_BYTES { "PRAGMA quick_check(1)" } else { "PRAGMA integrity_check(1)" };
    tracing::info!(bytes, check = pragma, "checking the database");
    let verdict: String =
        connection.query_row(pragma, [], |row| row.get(0)).map_err(|e| explain(name, "check it", e))?;
    if verdict == "ok" { Ok(()) } else { Err(StoreError::Corrupt { database: name.to_owned(), why: verdict }) }
}

/// Runs what is pending in one transaction: all of it, or nothing.
pub(super) fn migrate(connection: &mut Connection, name: &str, now: Timestamp) -> Result<(), StoreError> {
    let fail = |e| explain(name, "read its version", e);
    let (found, min_compatible) = version(connection).map_err(fail)?;
    if migrate::pending(name, found, min_compatible, MIGRATIONS)?.is_empty() {
        return Ok(());
    }
    let transaction = connection
        .transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)
        .map_err(|e| explain(name, "begin a migration", e))?;
    transaction.execute_batch(migrate::CREATE_TABLE).map_err(|e| explain(name, "prepare for migrations", e))?;
    // Asked again under the lock: another process may have been first.
    let (found, min_compatible) = version(&transaction).map_err(fail)?;
    for migration in migrate::pending(name, found, min_compatible, MIGRATIONS)? {
        let broken = |e: rusqlite::Error| match explain(name, "migrate", e) {
            StoreError::Database { source, .. }
            | StoreError::Unfit { source, .. }
            | StoreError::Conflict { source, .. } => {
                StoreError::Migration { database: name.to_owned(), migration: migration.name.to_owned(), source }
            }
            telling => telling,
        };
        transaction.execute_batch(migration.sqlite).map_err(broken)?;
        let row = params![migration.version, migration.name, migration.min_compatible, now.as_microsecond()];
        transaction.execute(&migrate::RECORD.replace('$', "?"), row).map_err(broken)?;
        tracing::info!(migration = migration.name, "database brought up to date");
    }
    if found == 0 {
        // What was just made is whole.
        note(&transaction, name, CHECKED_AT, &now.as_microsecond().to_string(), now)?;
    }
    for seed in migrate::SEEDS {
        transaction
            .execute(seed.text(Dialect::Sqlite), [now.as_microsecond()])
            .map_err(|e| explain(name, "make the owner", e))?;
    }
    transaction.commit().map_err(|e| explain(name, "finish a migration", e))
}
