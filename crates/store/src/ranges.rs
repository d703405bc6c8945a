//! Ranges of bodies: on PostgreSQL `entry_bodies` is partitioned by entry id, so that old bodies can be dropped as a table.
//!
//! `policy` decides what becomes of each range; functions of the database do it (`0006_ranges`, `0010_gathering`). Dropping
//! a range locks out readers and commits, so it waits for them no longer than `PATIENCE` and then asks its caller to try
//! again later. On SQLite there are no ranges: the list is empty.

use crate::StoreError;
use crate::db::batch::Batch;
use crate::db::sql::{Sql, Text, statements};
use crate::db::value::{Record, Value};
use crate::locks::Lock;
use crate::store::Store;
use jiff::Timestamp;
use model::EntryId;
use model::retention::BodyRange;

statements! {
    RANGES() = Text::Two {
        sqlite: "SELECT 0, 0, FALSE, 0 WHERE FALSE",
        postgres: r"SELECT bound[1]::bigint, bound[2]::bigint, starts_with(c.relname, 'entry_bodies_kept_'),
                           pg_total_relation_size(c.oid)
                    FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid,
                         regexp_match(pg_get_expr(c.relpartbound, c.oid), '\(''(\d+)''\) TO \(''(\d+)''\)') AS bound
                    WHERE i.inhparent = 'entry_bodies'::regclass AND bound IS NOT NULL
                    ORDER BY 1",
    };
    COUNTS(Int, Int) = Text::One(
        "SELECT (SELECT count(*) FROM entries WHERE id >= $1 AND id < $2),
                (SELECT count(*) FROM entry_bodies WHERE entry_id >= $1 AND entry_id < $2)");
    LAST_ENTRY() = Text::One("SELECT entries FROM arrival");
    /// For the rest of the transaction no lock is waited for any longer: others would queue behind it.
    PATIENCE() = Text::Two { sqlite: "SELECT 1", postgres: "SELECT set_config('lock_timeout', '200ms', TRUE)" };
    MAKE(Int, Int) = Text::Two { sqlite: "SELECT $1 > $2", postgres: "SELECT make_body_range($1, $2)" };
    ADOPT(Int, Int) = Text::Two { sqlite: "SELECT $1 > $2", postgres: "SELECT adopt_body_range($1, $2)" };
    GATHER(Int, Int, Int) = Text::Two {
        sqlite: "SELECT NULL WHERE $1 + $2 < $3",
        postgres: "SELECT gather_body_ranges($1, $2, $3)",
    };
    /// Deletes up to $3 bodies in [$1, $2) that lost their entry. A visit that is just writing to one is not waited for:
    /// the next cleanup finds it again.
    SWEEP(Int, Int, Int) = Text::Two {
        sqlite: "DELETE FROM entry_bodies WHERE entry_id IN (
                     SELECT b.entry_id FROM entry_bodies b WHERE b.entry_id >= $1 AND b.entry_id < $2
                     AND NOT EXISTS (SELECT 1 FROM entries e WHERE e.id = b.entry_id) ORDER BY b.entry_id LIMIT $3)
                 RETURNING entry_id",
        postgres: "DELETE FROM entry_bodies WHERE entry_id IN (
                       SELECT b.entry_id FROM entry_bodies b WHERE b.entry_id >= $1 AND b.entry_id < $2
                       AND NOT EXISTS (SELECT 1 FROM entries e WHERE e.id = b.entry_id) ORDER BY b.entry_id LIMIT $3
                       FOR UPDATE OF b SKIP LOCKED)
                   RETURNING entry_id",
    };
}

/// The result of an operation that needs an exclusive lock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LockAttempt<T> {
    /// It was done.
    Done(T),
    /// The table was locked, and nothing was changed: try again later.
    Busy,
}

impl Store {
    /// The ranges that bodies lie in, oldest first, not counted yet; none where bodies are not divided.
    pub async fn body_ranges(&self) -> Result<Vec<BodyRange>, StoreError> {
        let range = |row: &mut Record| {
            Ok(BodyRange {
                from: EntryId(row.next()?),
                to: EntryId(row.next()?),
                gathered: row.next()?,
                bytes: row.next()?,
                entries: 0,
                bodies: 0,
            })
        };
        self.read_all(&RANGES, vec![], range).await
    }

    /// The range with its rows counted.
    pub async fn counted(&self, range: BodyRange) -> Result<BodyRange, StoreError> {
        let counts = |row: &mut Record| Ok((row.next::<u64>()?, row.next::<u64>()?));
        let found = self.read_first(&COUNTS, vec![range.from.0.into(), range.to.0.into()], counts).await?;
        let (entries, bodies) = found.unwrap_or_default();
        Ok(BodyRange { entries, bodies, ..range })
    }

    /// The last entry that got an id, whether it is still there or not.
    pub async fn last_entry(&self) -> Result<EntryId, StoreError> {
        Ok(EntryId(self.read_first(&LAST_ENTRY, vec![], |row| row.next()).await?.unwrap_or(0)))
    }

    /// Makes a range for entries to come.
    pub async fn make_body_range(&self, from: EntryId, to: EntryId) -> Result<LockAttempt<()>, StoreError> {
        self.attempt(&MAKE, vec![from.0.into(), to.0.into()]).await
    }

    /// Makes a range of what arrived while there was none for it.
    pub async fn adopt_body_range(&self, from: EntryId, to: EntryId) -> Result<LockAttempt<()>, StoreError> {
        self.attempt(&ADOPT, vec![from.0.into(), to.0.into()]).await
    }

    /// Drops the ranges between two entries; bodies that still have an entry move to one small range, if they are at most
    /// `most`. Returns how many moved.
    pub async fn gather_bodies(
        &self,
        lock: &Lock,
        now: Timestamp,
        from: EntryId,
        to: EntryId,
        most: u64,
    ) -> Result<LockAttempt<u64>, StoreError> {
        let mut batch = lock.batch(now);
        batch.step(&PATIENCE, vec![vec![]]);
        batch.step(&GATHER, vec![vec![from.0.into(), to.0.into(), most.into()]]);
        let answer = self.write_under(lock, batch).await?.pop();
        let mut moved = answer.into_iter().flat_map(|step| step.records);
        let moved: Option<u64> = moved.next().map(|mut row| row.next()).transpose()?.flatten();
        Ok(moved.map_or(LockAttempt::Busy, LockAttempt::Done))
    }

    /// Deletes up to `limit` bodies between two entries whose entries were deleted; returns which.
    pub async fn sweep_bodies(
        &self,
        lock: &Lock,
        now: Timestamp,
        from: EntryId,
        to: EntryId,
        limit: u32,
    ) -> Result<Vec<EntryId>, StoreError> {
        let mut batch = lock.batch(now);
        batch.step(&SWEEP, vec![vec![from.0.into(), to.0.into(), limit.into()]]);
        let answer = self.write_under(lock, batch).await?.pop();
        answer.into_iter().flat_map(|step| step.records).map(|mut row| row.next().map(EntryId)).collect()
    }

    async fn attempt(&self, sql: &'static Sql, row: Vec<Value>) -> Result<LockAttempt<()>, StoreError> {
        let mut batch = Batch::one(&PATIENCE, vec![]);
        batch.step(sql, vec![row]);
        let answer = self.write(batch).await?.pop();
        let done = answer.into_iter().flat_map(|step| step.records).next().map_or(Ok(false), |mut row| row.next())?;
        Ok(if done { LockAttempt::Done(()) } else { LockAttempt::Busy })
    }
}
