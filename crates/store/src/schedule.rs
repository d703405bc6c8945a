//! The schedule: when feeds are due, and which of them are.
//!
//! Claiming, renewing and ending leases is `leases.rs`; when to visit a feed next is decided by `policy`.
//! Invariant: every statement that writes `due_at` also writes `decided_at`, the time from which it was computed
//! (`leaps.rs`).

use crate::StoreError;
use crate::db::batch::Batch;
use crate::db::sql::{Text, statements};
use crate::db::value::Record;
use crate::store::Store;
use jiff::{SignedDuration, Timestamp};
use model::FeedId;
use model::schedule::Because;

macro_rules! may_be_due {
    ($now:literal, $because:literal) => {
        concat!(
            "runnable AND worker IS NULL AND (",
            $because,
            " = 'forced' OR retry_after_at IS NULL OR retry_after_at <= ",
            $now,
            ") AND feed_id IN (SELECT id FROM feeds WHERE state = 'active')"
        )
    };
}

statements! {
    /// Makes a feed due, ending whatever lease there is.
    MAKE_DUE(Int, Int, Text, Text, Int) = Text::One(
        "UPDATE schedule SET due_at = $2, slot_at = NULL, going_at = NULL, worker = NULL, token = token + 1, last_error = NULL,
                last_error_at = NULL, because = $3, reason = $4, decided_at = $5
         WHERE feed_id = $1");
    /// Takes back failures without an answer since $1: our own network was away. The feeds are due at $2.
    FORGIVE(Int, Int, Text, Text) = Text::One(
        "UPDATE schedule SET failures = greatest(failures - 1, 0), last_error = NULL, last_error_at = NULL, due_at = $2,
                because = $3, reason = $4, outcomes = outcomes / 2, decided_at = $2
         WHERE last_error_at >= $1 AND last_status IS NULL AND worker IS NULL AND runnable");
    /// When the next feed is due, for a loop that has nothing to do.
    NEXT_DUE() = Text::One("SELECT min(due_at) FROM schedule WHERE runnable AND due_at IS NOT NULL");
    /// How many feeds are visited at all, how many of them are due at $1, and since when the first of all is.
    BEHIND(Int) = Text::One(
        "SELECT count(*), count(CASE WHEN due_at <= $1 THEN 1 END), min(due_at)
         FROM schedule WHERE runnable AND due_at IS NOT NULL");
    /// Makes all feeds due that are visited at all, ending no lease; those that were asked to wait only if forced.
    MAKE_ALL_DUE(Int, Text, Text) = Text::One(concat!(
        "UPDATE schedule SET due_at = $1, because = $2, reason = $3, decided_at = $1 WHERE ", may_be_due!("$1", "$2")));
    /// The rhythms of the feeds that are visited.
    RHYTHMS(Int, Int) = Text::One(
        "SELECT feed_id, rhythm FROM schedule WHERE feed_id > $1 AND runnable AND due_at IS NOT NULL
         ORDER BY feed_id LIMIT $2");
    DUE_FEEDS(Int) = Text::One("SELECT feed_id FROM schedule WHERE runnable AND due_at IS NOT NULL AND due_at <= $1");
    /// Feed $1, if it was not visited since $2 and is due by $3.
    WAITING(Int, Int, Int) = Text::Rows(
        "SELECT feed_id FROM schedule
         WHERE feed_id = $1 AND runnable AND due_at <= $3 AND coalesce(last_visit_at, 0) < $2");
}

/// Adds the step that makes a feed due.
pub(crate) fn make_due(
    batch: &mut Batch,
    feed: FeedId,
    at: Option<Timestamp>,
    because: Because,
    reason: &str,
    now: Timestamp,
) {
    batch.step(&MAKE_DUE, vec![vec![feed.0.into(), at.into(), because.as_str().into(), reason.into(), now.into()]]);
}

impl Store {
    /// Makes a feed due at a moment (`None`: never), ending its lease: a visit in progress cannot
    /// commit.
    pub async fn make_due(
        &self,
        feed: FeedId,
        at: Option<Timestamp>,
        because: Because,
        reason: &str,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let mut batch = Batch::default();
        make_due(&mut batch, feed, at, because, reason, now);
        if self.write(batch).await?.iter().all(|step| step.written == Some(0)) {
            return Err(StoreError::NotFound { what: "feed", name: feed.to_string() });
        }
        Ok(())
    }

    /// Takes back the failures of feeds whose last visit got no answer, since a moment; returns how many.
    pub async fn forgive(&self, since: Timestamp, due_at: Timestamp, reason: &str) -> Result<u64, StoreError> {
        let row = vec![since.into(), due_at.into(), Because::Outage.as_str().into(), reason.into()];
        self.write_counted(&FORGIVE, row).await
    }

    /// When the next feed is due.
    pub async fn next_due(&self) -> Result<Option<Timestamp>, StoreError> {
        Ok(self.read_first(&NEXT_DUE, vec![], |row| row.next()).await?.flatten())
    }

    /// How far the workers are behind.
    pub async fn behind(&self, now: Timestamp) -> Result<Behind, StoreError> {
        let read = |row: &mut Record| Ok((row.next()?, row.next()?, row.next::<Option<Timestamp>>()?));
        let (feeds, due, first) = self.read_first(&BEHIND, vec![now.into()], read).await?.unwrap_or_default();
        let late = first.map_or(SignedDuration::ZERO, |first| now.duration_since(first).max(SignedDuration::ZERO));
        Ok(Behind { feeds, due, late })
    }

    /// Makes every feed due that is visited at all; returns how many.
    pub async fn make_all_due(&self, now: Timestamp, because: Because, reason: &str) -> Result<u64, StoreError> {
        self.write_counted(&MAKE_ALL_DUE, vec![now.into(), because.as_str().into(), reason.into()]).await
    }

    /// The feeds that are due.
    pub(crate) async fn due_feeds(&self, now: Timestamp) -> Result<Vec<FeedId>, StoreError> {
        self.read_all(&DUE_FEEDS, vec![now.into()], |row| row.next().map(FeedId)).await
    }

    /// Which of these feeds were not visited since a moment and are due by another.
    pub(crate) async fn waiting(
        &self,
        feeds: impl IntoIterator<Item = FeedId>,
        since: Timestamp,
        due_by: Timestamp,
    ) -> Result<Vec<FeedId>, StoreError> {
        let rows = feeds.into_iter().map(|feed| vec![feed.0.into(), since.into(), due_by.into()]).collect();
        self.read_each(&WAITING, rows, |row| row.next().map(FeedId)).await
    }

    /// When feeds publish, for those that are visited, after an id.
    pub(crate) async fn rhythms(
        &self,
        after: FeedId,
        limit: u32,
    ) -> Result<Vec<(FeedId, Option<Vec<u8>>)>, StoreError> {
        let row = vec![after.0.into(), limit.into()];
        self.read_all(&RHYTHMS, row, |row| Ok((FeedId(row.next()?), row.next()?))).await
    }
}

/// How far the workers are behind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Behind {
    /// Feeds that are visited at all, those under way included.
    pub feeds: i64,
    /// Of them, those that are due and not under way.
    pub due: i64,
    /// For how long the first of them has been due.
    pub late: SignedDuration,
}
