//! What an operator asks about the database itself: which one it is, its schema, who holds leases and locks, how far the
//! search index has come.

use crate::StoreError;
use crate::db::migrate::MIGRATIONS;
use crate::db::sql::{Dialect, Text, statements};
use crate::db::value::Record;
use crate::store::Store;
use jiff::{SignedDuration, Timestamp};

statements! {
    SCHEMA() = Text::One("SELECT coalesce(max(version), 0) FROM schema_migrations");
    /// Feeds that workers have at $1, by worker.
    FEED_LEASES(Int) = Text::One(
        "SELECT worker, count(*), max(due_at) FROM schedule WHERE worker IS NOT NULL AND due_at > $1
         GROUP BY worker ORDER BY worker LIMIT 100");
    JOB_LEASES(Int) = Text::One(
        "SELECT kind, worker, count(*), max(due_at) FROM jobs WHERE worker IS NOT NULL AND due_at > $1
         GROUP BY kind, worker ORDER BY kind, worker LIMIT 100");
    LOCKS(Int) = Text::One("SELECT name, holder, expires_at FROM locks WHERE expires_at > $1 ORDER BY name LIMIT 100");
    /// How many entries come after $1, and when the first of them was seen.
    AFTER(Int) = Text::One(
        "SELECT a.entries - $1, (SELECT e.first_seen_at FROM entries e WHERE e.id > $1 ORDER BY e.id LIMIT 1)
         FROM arrival a");
}

/// Which database it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DatabaseKind {
    /// A file.
    Sqlite,
    /// A server.
    Postgres,
}

/// How far the schema has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Schema {
    /// The last migration of the database.
    pub at: i64,
    /// The last one that this program knows.
    pub of: i64,
}

/// Work that a process holds a lease for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeldWork {
    /// `feeds`, the kind of a job, or the name of a lock.
    pub work: String,
    /// The process.
    pub holder: String,
    /// How many.
    pub count: u64,
    /// When the last of them ends, unless renewed.
    pub until: Timestamp,
}

/// How far the search index is behind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct IndexLag {
    /// Entries that it does not know; some of them may be deleted by now.
    pub entries: u64,
    /// For how long the first of them has been there.
    pub behind: SignedDuration,
}

impl Store {
    /// Which database it is.
    pub fn kind(&self) -> DatabaseKind {
        match self.dialect() {
            Dialect::Sqlite => DatabaseKind::Sqlite,
            Dialect::Postgres => DatabaseKind::Postgres,
        }
    }

    /// How far the schema has come.
    pub async fn schema(&self) -> Result<Schema, StoreError> {
        let at = self.read_first(&SCHEMA, vec![], |row| row.next()).await?.unwrap_or(0);
        Ok(Schema { at, of: MIGRATIONS.last().map_or(0, |migration| migration.version) })
    }

    /// What processes are at.
    pub async fn held_work(&self, now: Timestamp) -> Result<Vec<HeldWork>, StoreError> {
        let feeds = |row: &mut Record| {
            let (holder, count, until) = (row.next()?, row.next()?, row.next()?);
            Ok(HeldWork { work: "feeds".to_owned(), holder, count, until })
        };
        let jobs = |row: &mut Record| {
            Ok(HeldWork { work: row.next()?, holder: row.next()?, count: row.next()?, until: row.next()? })
        };
        let locks =
            |row: &mut Record| Ok(HeldWork { work: row.next()?, holder: row.next()?, count: 1, until: row.next()? });
        let mut held = self.read_all(&FEED_LEASES, vec![now.into()], feeds).await?;
        held.extend(self.read_all(&JOB_LEASES, vec![now.into()], jobs).await?);
        held.extend(self.read_all(&LOCKS, vec![now.into()], locks).await?);
        Ok(held)
    }

    /// How far the search index is behind.
    pub async fn index_lag(&self, now: Timestamp) -> Result<IndexLag, StoreError> {
        let upto = self.indexed_upto().await?;
        let read = |row: &mut Record| Ok((row.next::<i64>()?, row.next::<Option<Timestamp>>()?));
        let Some((after, first)) = self.read_first(&AFTER, vec![upto.into()], read).await? else {
            return Ok(IndexLag::default());
        };
        // Ids of deleted entries are no backlog.
        let Some(first) = first else { return Ok(IndexLag::default()) };
        let behind = now.duration_since(first).max(SignedDuration::ZERO);
        Ok(IndexLag { entries: after.max(0) as u64, behind })
    }
}
