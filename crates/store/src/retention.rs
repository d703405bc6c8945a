//! Retention: what cleanups read, delete and note. `policy` decides which entries are deleted.
//!
//! Everything that deletes is fenced by the maintenance lock and bounded by its caller, a few hundred rows a
//! transaction, so that visits are not held up. Tombstones that expire are in `entries`.

use crate::StoreError;
use crate::codes::{self, json};
use crate::db::batch::Batch;
use crate::db::sql::{Text, statements};
use crate::db::value::{Record, Value};
use crate::locks::Lock;
use crate::outbox::{self, Draft};
use crate::store::Store;
use crate::{enrichments, likes, read_state, tags};
use jiff::Timestamp;
use model::blob::BlobHash;
use model::event::{EventKind, Subject};
use model::retention::{Burial, CleanupRun, Counters, Kept, KeptRaw};
use model::{EntryId, FeedId, FetchId};
use std::collections::BTreeMap;

/// When the last subscriber read entry `e`; NULL if one has not, or nobody follows its feed. Then whether somebody saved it.
macro_rules! read_and_bookmarked {
    () => {
        "(SELECT CASE WHEN count(*) = count(r.at) THEN max(r.at) END
          FROM (SELECT CASE WHEN m.entry_id IS NOT NULL THEN CASE WHEN m.read THEN m.at END
                            WHEN e.quiet OR e.id <= s.watermark THEN coalesce(s.swept_at, s.created_at) END AS at
                FROM subscriptions s
                LEFT JOIN marks m ON m.user_id = s.user_id AND m.feed_id = s.feed_id AND m.entry_id = e.id
                WHERE s.feed_id = e.feed_id AND s.hidden_at IS NULL) AS r),
         EXISTS (SELECT 1 FROM bookmarks b WHERE b.entry_id = e.id)"
    };
}

macro_rules! log_columns {
    () => {
        "at, old, read_long_ago, beyond_limit, unread_too_long, full_text_cleared, raw_fetches, raw_bytes, ranges,
         log_rows, bytes_before, bytes_after, read_for_us, took_us, notes"
    };
}

statements! {
    FEEDS(Int, Int) = Text::One("SELECT id, url, rules FROM feeds WHERE id > $1 AND state <> 'deleted' ORDER BY id LIMIT $2");
    KEPT(Int, Int, Int) = Text::One(concat!(
        "SELECT e.id, e.first_seen_at, e.published_at, ", read_and_bookmarked!(), ", e.full_text, e.last_seen_at IS NULL
         FROM entries e WHERE e.feed_id = $1 AND e.id > $2 ORDER BY e.id LIMIT $3"));
    COUNT_OF_FEED(Int) = Text::One("SELECT count(*) FROM entries WHERE feed_id = $1");
    /// Locks the feed against commits of its visits, so that the two cannot deadlock on the same rows.
    HOLD_FEED(Int) = Text::Two {
        sqlite: "SELECT feed_id FROM schedule WHERE feed_id = $1",
        postgres: "SELECT feed_id FROM schedule WHERE feed_id = $1 FOR UPDATE",
    };
    /// The keys of entries $2 of feed $1 stay as tombstones until $3. One walk over the feed's keys, however many entries.
    BURY_KEYS(Int, Json, Int) = Text::Two {
        sqlite: "UPDATE entry_keys SET entry_id = NULL, expires_at = $3
                 WHERE feed_id = $1 AND entry_id IN (SELECT value FROM json_each($2))",
        postgres: "UPDATE entry_keys SET entry_id = NULL, expires_at = $3
                   WHERE feed_id = $1 AND entry_id IN (SELECT id::bigint FROM jsonb_array_elements_text($2) AS t(id))",
    };
    DELETE_REVISIONS(Int) = Text::Rows("DELETE FROM entry_revisions WHERE entry_id = $1");
    DELETE_BODY(Int) = Text::Rows("DELETE FROM entry_bodies WHERE entry_id = $1");
    /// Not one that somebody has saved since it was decided to delete it.
    DELETE_ENTRY(Int) = Text::Rows(
        "DELETE FROM entries WHERE id = $1 AND NOT EXISTS (SELECT 1 FROM bookmarks b WHERE b.entry_id = $1)");
    /// Also what somebody has saved: the feed goes, and bookmarks are snapshots.
    DELETE_ANY_ENTRY(Int) = Text::Rows("DELETE FROM entries WHERE id = $1");
    CLEAR_FULL_TEXT(Int) = Text::Rows("UPDATE entry_bodies SET full_text = NULL WHERE entry_id = $1");
    NOTE_CLEARED(Int, Bool) = Text::Rows("UPDATE entries SET full_text = $2 WHERE id = $1");
    KEPT_RAW(Int, Int, Uuid, Int) = Text::One(
        "SELECT id, fetched_at, blob_hash, stored_bytes, understood FROM raw_fetches
         WHERE feed_id = $1 AND (fetched_at, id) < ($2, $3) ORDER BY fetched_at DESC, id DESC LIMIT $4");
    DELETE_RAW(Uuid) = Text::Rows("DELETE FROM raw_fetches WHERE id = $1");
    LOG(Int, Int, Int, Int, Int, Int, Int, Int, Int, Int, Int, Int, Int, Int, Text) = Text::One(concat!(
        "INSERT INTO cleanup_log (", log_columns!(), ")
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)"));
    LOGGED(Int) = Text::One(concat!("SELECT ", log_columns!(), " FROM cleanup_log ORDER BY id DESC LIMIT $1"));
    FORGET_LOG(Int) = Text::One("DELETE FROM cleanup_log WHERE at < $1");
}

/// A feed and the rules of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FeedRules {
    /// Which.
    pub id: FeedId,
    /// Where.
    pub url: String,
    /// By key.
    pub rules: BTreeMap<String, String>,
}

fn kept(row: &mut Record) -> Result<Kept, StoreError> {
    Ok(Kept {
        id: EntryId(row.next()?),
        first_seen_at: row.next()?,
        published_at: row.next()?,
        read_at: row.next()?,
        bookmarked: row.next()?,
        full_text: row.next()?,
        in_document: row.next()?,
    })
}

fn cleanup_run(row: &mut Record) -> Result<CleanupRun, StoreError> {
    Ok(CleanupRun {
        at: row.next()?,
        counters: Counters {
            old: row.next()?,
            read_long_ago: row.next()?,
            beyond_limit: row.next()?,
            unread_too_long: row.next()?,
            full_text_cleared: row.next()?,
            raw_fetches: row.next()?,
            raw_bytes: row.next()?,
        },
        ranges: row.next()?,
        log_rows: row.next()?,
        bytes_before: row.next()?,
        bytes_after: row.next()?,
        read_for: row.next()?,
        took: row.next()?,
        notes: row.next()?,
    })
}

/// Adds the steps that take entries of a feed out of what users keep about them, before they are deleted. Bookmarks stay.
pub(crate) fn forget_everywhere(batch: &mut Batch, feed: FeedId, entries: &[EntryId]) {
    read_state::forget(batch, feed, entries);
    likes::forget(batch, entries.iter().copied());
    tags::forget(batch, entries.iter().copied());
    enrichments::forget(batch, entries.iter().copied());
}

fn ids(entries: impl Iterator<Item = EntryId>) -> Vec<Vec<Value>> {
    entries.map(|id| vec![id.0.into()]).collect()
}

impl Store {
    /// Feeds with their own rules, in the order of their ids, without deleted ones.
    pub(crate) async fn feeds_with_rules(&self, after: FeedId, limit: u32) -> Result<Vec<FeedRules>, StoreError> {
        let feed = |row: &mut Record| {
            Ok(FeedRules { id: FeedId(row.next()?), url: row.next()?, rules: codes::rules(row.next()?)? })
        };
        self.read_all(&FEEDS, vec![after.0.into(), limit.into()], feed).await
    }

    /// A feed's entries as far as retention cares, oldest first.
    pub(crate) async fn kept(&self, feed: FeedId, after: EntryId, limit: u32) -> Result<Vec<Kept>, StoreError> {
        self.read_all(&KEPT, vec![feed.0.into(), after.0.into(), limit.into()], kept).await
    }

    /// How many entries a feed has.
    pub(crate) async fn count_entries_of(&self, feed: FeedId) -> Result<u64, StoreError> {
        Ok(self.read_first(&COUNT_OF_FEED, vec![feed.0.into()], |row| row.next()).await?.unwrap_or(0))
    }

    /// Deletes entries of a feed with their bodies, revisions and marks, writes `entry.gone` events, and leaves tombstones.
    /// Bodies of entries below `ranged` are deleted with their ranges (`ranges`). Fails with [`StoreError::RowCount`], and
    /// deletes nothing, if one of them was bookmarked meanwhile: read them again.
    pub async fn forget_entries(
        &self,
        lock: &Lock,
        now: Timestamp,
        feed: FeedId,
        burials: &[Burial],
        ranged: EntryId,
    ) -> Result<(), StoreError> {
        if burials.is_empty() {
            return Ok(());
        }
        let all = || ids(burials.iter().map(|burial| burial.id));
        let mut by_end: BTreeMap<Timestamp, Vec<i64>> = BTreeMap::new();
        for burial in burials {
            by_end.entry(burial.tombstone_until).or_default().push(burial.id.0);
        }
        let mut batch = lock.batch(now);
        batch.step(&HOLD_FEED, vec![vec![feed.0.into()]]);
        for (until, entries) in by_end {
            batch.step(&BURY_KEYS, vec![vec![feed.0.into(), json(&entries), until.into()]]);
        }
        batch.step(&DELETE_REVISIONS, all());
        batch.step(&DELETE_BODY, ids(burials.iter().map(|burial| burial.id).filter(|id| *id >= ranged)));
        let entries: Vec<EntryId> = burials.iter().map(|burial| burial.id).collect();
        forget_everywhere(&mut batch, feed, &entries);
        batch.step_exactly(burials.len() as u64, &DELETE_ENTRY, all());
        crate::index::queue(&mut batch, burials.iter().map(|burial| burial.id));
        let gone =
            |burial: &Burial| Draft::saying(EventKind::EntryGone, Subject::Entry(feed, burial.id), burial.why.as_str());
        outbox::record(&mut batch, now, burials.iter().map(gone).collect());
        self.write_under(lock, batch).await.map(|_| ())
    }

    /// Forgets the full text of articles; the entries stay.
    pub async fn clear_full_text(
        &self,
        lock: &Lock,
        now: Timestamp,
        feed: FeedId,
        entries: &[EntryId],
    ) -> Result<(), StoreError> {
        let mut batch = lock.batch(now);
        batch.step(&HOLD_FEED, vec![vec![feed.0.into()]]);
        batch.step(&CLEAR_FULL_TEXT, ids(entries.iter().copied()));
        batch.step(&NOTE_CLEARED, entries.iter().map(|id| vec![id.0.into(), false.into()]).collect());
        self.write_under(lock, batch).await.map(|_| ())
    }

    /// A feed's raw fetches as far as retention cares, newest first.
    pub(crate) async fn kept_raw(
        &self,
        feed: FeedId,
        before: Option<&KeptRaw>,
        limit: u32,
    ) -> Result<Vec<KeptRaw>, StoreError> {
        let (at, id) = before.map_or((i64::MAX, uuid::Uuid::max()), |raw| (raw.fetched_at.as_microsecond(), raw.id.0));
        let raw = |row: &mut Record| {
            Ok(KeptRaw {
                id: FetchId(row.next()?),
                fetched_at: row.next()?,
                body: BlobHash(row.next()?),
                stored_bytes: row.next()?,
                understood: row.next()?,
            })
        };
        self.read_all(&KEPT_RAW, vec![feed.0.into(), at.into(), id.into(), limit.into()], raw).await
    }

    /// Forgets raw fetches; their blobs are swept once nobody refers to them.
    pub async fn forget_raw_fetches(&self, lock: &Lock, now: Timestamp, raw: &[FetchId]) -> Result<(), StoreError> {
        let mut batch = lock.batch(now);
        batch.step(&DELETE_RAW, raw.iter().map(|id| vec![id.0.into()]).collect());
        self.write_under(lock, batch).await.map(|_| ())
    }

    /// Notes what a cleanup did.
    pub async fn log_cleanup(&self, lock: &Lock, now: Timestamp, run: &CleanupRun) -> Result<(), StoreError> {
        let counters = &run.counters;
        let mut batch = lock.batch(now);
        batch.step(
            &LOG,
            vec![vec![
                run.at.into(),
                counters.old.into(),
                counters.read_long_ago.into(),
                counters.beyond_limit.into(),
                counters.unread_too_long.into(),
                counters.full_text_cleared.into(),
                counters.raw_fetches.into(),
                counters.raw_bytes.into(),
                run.ranges.into(),
                run.log_rows.into(),
                run.bytes_before.into(),
                run.bytes_after.into(),
                run.read_for.into(),
                run.took.into(),
                run.notes.clone().into(),
            ]],
        );
        self.write_under(lock, batch).await.map(|_| ())
    }

    /// What the last cleanups did, newest first.
    pub async fn cleanups(&self, limit: u32) -> Result<Vec<CleanupRun>, StoreError> {
        self.read_all(&LOGGED, vec![limit.into()], cleanup_run).await
    }

    /// Deletes notes of cleanups before a moment; returns how many.
    pub async fn forget_cleanups(&self, before: Timestamp) -> Result<u64, StoreError> {
        self.write_counted(&FORGET_LOG, vec![before.into()]).await
    }
}
