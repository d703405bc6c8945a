//! The search index: a file beside the database with a writer and readers of its own, so that it is never in the way of
//! who visits. Opened when it is first needed; one that is missing, damaged or of another make is made anew, empty.
//!
//! Nobody misses what is in it: `index.rs` fills it from the entries.

use super::Sqlite;
use super::open::{self, Synchronous};
use super::run::explain;
use crate::StoreError;
use crate::db::batch::{Answer, Batch, Refused};
use crate::db::question::{Answers, Question};
use crate::db::queue::Lane;
use crate::store::Caller;
use rusqlite::Connection;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// Moves whenever the schema or what terms are does: a file of another make is thrown away.
const MAKE: i64 = 3;
const READERS: usize = 2;

/// Terms come ready, between spaces: the tokenizer has only to leave them and the marks alone. Merging small segments
/// into larger ones was half of the work: a part is written as one segment, and sixteen of a size are merged at once.
///
/// `search_entries` is what a search has to know of every hit, in rows of some twenty bytes: in the database an entry takes
/// half a kilobyte, and ten thousand hits were as many pages.
pub(crate) const SCHEMA: &str = "
    CREATE VIRTUAL TABLE entry_search USING fts5(terms, content='', contentless_delete=1,
        tokenize=\"ascii tokenchars '^+#'\");
    INSERT INTO entry_search (entry_search, rank)
        VALUES ('hashsize', 16777216), ('automerge', 16), ('crisismerge', 32);
    CREATE TABLE search_entries (
        id      INTEGER PRIMARY KEY,
        feed_id INTEGER NOT NULL,
        sort_at INTEGER NOT NULL,
        quiet   INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE search_words (
        word    TEXT PRIMARY KEY,
        entries INTEGER NOT NULL
    ) WITHOUT ROWID, STRICT;
    CREATE TABLE search_state (
        one     INTEGER PRIMARY KEY CHECK (one = 1),
        token   INTEGER NOT NULL,
        upto    INTEGER NOT NULL,
        seen_at INTEGER
    ) STRICT;
    INSERT INTO search_state (one, token, upto) VALUES (1, 0, 0);";

/// The file, opened or not.
pub(crate) struct SearchDb {
    path: PathBuf,
    opened: Mutex<Opened>,
}

enum Opened {
    NotYet,
    Open(Arc<Sqlite>, Option<FileId>),
    Closed,
}

/// Device and inode: whether the file under a name is still the one that was opened.
type FileId = (u64, u64);

impl SearchDb {
    /// The index of the database at `path`.
    pub(crate) fn of(path: &Path) -> Self {
        let name = path.file_name().unwrap_or_default();
        let path = if name == "courant.db" {
            path.with_file_name("search.db")
        } else {
            // Two databases in one directory are not one database.
            let mut name = name.to_owned();
            name.push(".search");
            path.with_file_name(name)
        };
        Self { path, opened: Mutex::new(Opened::NotYet) }
    }

    pub(crate) async fn read(&self, caller: Caller, questions: Vec<Question>) -> Result<Answers, StoreError> {
        let file = self.file()?;
        match file.read(caller, questions.clone()).await {
            Err(error @ StoreError::Corrupt { .. }) => {
                self.discard(&file, &error)?;
                self.file()?.read(caller, questions).await
            }
            result => result,
        }
    }

    pub(crate) async fn write(&self, batch: Batch) -> Result<Answer, Refused> {
        let file = self.file().map_err(Refused::Failed)?;
        match file.write(Lane::Upkeep, batch).await {
            Err(Refused::Failed(error @ StoreError::Corrupt { .. })) => {
                self.discard(&file, &error).map_err(Refused::Failed)?;
                // The new file is another one than the batch was made for.
                Err(Refused::Stale)
            }
            result => result,
        }
    }

    pub(crate) fn close(&self) {
        let opened = std::mem::replace(&mut *self.lock(), Opened::Closed);
        if let Opened::Open(file, _) = opened {
            file.close();
        }
    }

    /// The open file. It takes milliseconds to open, once.
    fn file(&self) -> Result<Arc<Sqlite>, StoreError> {
        let mut opened = self.lock();
        match &*opened {
            Opened::Open(file, id) if *id == file_id(&self.path) => return Ok(Arc::clone(file)),
            Opened::Open(..) => {
                tracing::warn!(file = %self.path.display(), "the search index is gone: it is built again");
            }
            Opened::NotYet => {}
            Opened::Closed => return Err(StoreError::closed(&self.name())),
        }
        *opened = Opened::NotYet;
        let file = match self.open() {
            Err(error @ StoreError::Corrupt { .. }) => {
                self.remove(&error)?;
                self.open()?
            }
            result => result?,
        };
        let file = Arc::new(file);
        *opened = Opened::Open(Arc::clone(&file), file_id(&self.path));
        Ok(file)
    }

    fn open(&self) -> Result<Sqlite, StoreError> {
        let name = self.name();
        open::refuse_truncated(&self.path, &name)?;
        let connect = || {
            let connection = open::connect(&self.path, &name)?;
            open::configure(&connection, Synchronous::Full).map_err(|e| explain(&name, "open it", e))?;
            Ok(connection)
        };
        let mut writer = connect()?;
        prepare(&mut writer, &name)?;
        let readers = (0..READERS).map(|_| connect()).collect::<Result<_, StoreError>>()?;
        Ok(Sqlite::start(name, writer, Synchronous::Full, readers))
    }

    /// Removes a file that was found damaged while it was open, unless somebody has replaced it already.
    fn discard(&self, file: &Arc<Sqlite>, why: &StoreError) -> Result<(), StoreError> {
        let mut opened = self.lock();
        if matches!(&*opened, Opened::Open(open, _) if Arc::ptr_eq(open, file)) {
            *opened = Opened::NotYet;
            file.close();
            self.remove(why)?;
        }
        Ok(())
    }

    fn remove(&self, why: &StoreError) -> Result<(), StoreError> {
        tracing::warn!(file = %self.path.display(), %why, "the search index cannot be used: it is built again");
        for end in ["", "-wal", "-shm"] {
            let mut path = self.path.as_os_str().to_owned();
            path.push(end);
            match std::fs::remove_file(path) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                    let why = format!("{error}; remove it by hand, it is built again");
                    return Err(StoreError::Denied { database: self.name(), why });
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn name(&self) -> String {
        format!("the search index {}", self.path.display())
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Opened> {
        self.opened.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Makes the tables of a new file; refuses, as damaged, one of another make.
fn prepare(connection: &mut Connection, name: &str) -> Result<(), StoreError> {
    let fail = |e| explain(name, "prepare it", e);
    // Under the lock: another process may be first.
    let transaction = connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate).map_err(fail)?;
    let make: i64 = transaction.query_row("PRAGMA user_version", [], |row| row.get(0)).map_err(fail)?;
    let tables: i64 =
        transaction.query_row("SELECT count(*) FROM sqlite_master", [], |row| row.get(0)).map_err(fail)?;
    match (make, tables) {
        (0, 0) => {
            transaction.execute_batch(SCHEMA).map_err(fail)?;
            transaction.pragma_update(None, "user_version", MAKE).map_err(fail)?;
            transaction.commit().map_err(fail)
        }
        (MAKE, _) => Ok(()),
        _ => Err(StoreError::Corrupt { database: name.to_owned(), why: format!("it is of make {make}, not {MAKE}") }),
    }
}

fn file_id(path: &Path) -> Option<FileId> {
    use std::os::unix::fs::MetadataExt as _;
    std::fs::metadata(path).ok().map(|file| (file.dev(), file.ino()))
}
