//! What can go wrong with a store, cut by what the caller can do about it.
//!
//! Each message names its subject and, where a person can act, says how. Expected life (nothing due, a duplicate, an
//! appointment refused) is not here: those are return values.

use model::FeedId;
use std::error::Error as StdError;

type BoxError = Box<dyn StdError + Send + Sync>;

/// Something a person, or a caller with a plan B, must act on.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The caller asked for something that is not there.
    #[error("no {what} {name}")]
    NotFound {
        /// A noun.
        what: &'static str,
        /// As asked for.
        name: String,
    },
    /// The caller's lease ended and another worker may have the feed: nothing was written.
    #[error("the lease on feed {feed} went to another worker")]
    LeaseLost {
        /// Which feed.
        feed: FeedId,
    },
    /// The caller's lease of a job ended and another worker may have it: nothing was written.
    #[error("the lease on job {kind} {subject} went to another worker")]
    JobLost {
        /// Which kind of job.
        kind: String,
        /// What it is about.
        subject: String,
    },
    /// The caller's lock ended and another process may have the job: nothing was written.
    #[error("the lock `{name}` went to another process")]
    LockLost {
        /// Which lock.
        name: String,
    },
    /// A unique name or a reference stands in the way: nothing was written.
    #[error("cannot {doing}: it conflicts with what is there")]
    Conflict {
        /// What was being done.
        doing: &'static str,
        /// What the database said.
        source: BoxError,
    },
    /// A value is none that the database takes (too long, out of range, no such text): nothing was written.
    #[error("cannot {doing}: the database does not take these values")]
    Unfit {
        /// What was being done.
        doing: &'static str,
        /// What the database said.
        source: BoxError,
    },
    /// A statement did not write as many rows as it had to: nothing was written.
    #[error("{statement} wrote {found} rows instead of {expected}: nothing was written")]
    RowCount {
        /// Which statement.
        statement: &'static str,
        /// How many rows it had to write.
        expected: u64,
        /// How many it wrote.
        found: u64,
    },
    /// A read was not answered in time. Nothing is wrong with the database: ask for less, or allow more time.
    #[error("{database} did not answer within {after:?}")]
    DeadlineExceeded {
        /// Which database.
        database: String,
        /// How long the caller was prepared to wait.
        after: std::time::Duration,
    },
    /// The database cannot be reached or is busy: waiting helps.
    #[error("{database} cannot be reached: {why}")]
    Unavailable {
        /// Which database, without secrets.
        database: String,
        /// What it said.
        why: String,
    },
    /// No space left: free some and it goes on by itself.
    #[error("no space left for {database}: free some space, then it goes on by itself")]
    Full {
        /// Which database.
        database: String,
    },
    /// The database is damaged: restore a backup.
    #[error("{database} is damaged ({why}): stop Courant, keep a copy of the file and restore the last backup")]
    Corrupt {
        /// Which database.
        database: String,
        /// What was found.
        why: String,
    },
    /// Not allowed in.
    #[error("{database} refuses: {why}")]
    Denied {
        /// Which database.
        database: String,
        /// What to do.
        why: String,
    },
    /// Written by a newer program.
    #[error(
        "{database} was written by a newer Courant (schema {found}, this one knows up to {known}): run that version, or restore a backup from before the upgrade"
    )]
    TooNew {
        /// Which database.
        database: String,
        /// Its schema.
        found: i64,
        /// Ours.
        known: i64,
    },
    /// A migration failed: nothing was changed.
    #[error("{database} could not be brought up to date (migration {migration}): nothing was changed")]
    Migration {
        /// Which database.
        database: String,
        /// Which migration.
        migration: String,
        /// What the database said.
        source: BoxError,
    },
    /// The address is not one of a store.
    #[error("{0}")]
    Address(String),
    /// Anything else the database says: no fault of what was to be written.
    #[error("cannot {doing}")]
    Database {
        /// What was being done.
        doing: &'static str,
        /// What the database said.
        source: BoxError,
    },
}

impl StoreError {
    /// A row that does not read as the type it was written from: a bug or a foreign hand.
    pub(crate) fn row(why: impl Into<BoxError>) -> Self {
        Self::Database { doing: "understand a row", source: why.into() }
    }

    /// Nobody is there any more who would answer.
    pub(crate) fn closed(database: &str) -> Self {
        Self::Unavailable { database: database.to_owned(), why: "it is being closed".into() }
    }

    /// Whether the database works but will not have these rows: they conflict with others, are none that it takes, or do
    /// not meet what they were written for. Everything else (no memory, a statement that was cancelled, a table that is
    /// gone) says nothing about them.
    pub fn is_about_the_data(&self) -> bool {
        matches!(self, Self::Conflict { .. } | Self::Unfit { .. } | Self::RowCount { .. })
    }
}
