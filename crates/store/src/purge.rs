//! Deleting feeds: they are hidden at once, and removed later with all their rows.
//!
//! A removal is many small transactions under the maintenance lock, and can be continued after a crash: it clears the feed's
//! address first, so that a feed that is half removed cannot be brought back. The row of the feed is deleted last.
//! Unreferenced blobs are swept by `blobs`, rows of the search index by its queue.
//! Invariant: the id of a feed is never used again, because leases and events name feeds by it. SQLite would reuse the
//! greatest id, so that row stays, empty, until there is a newer feed.

use crate::StoreError;
use crate::bookmarks;
use crate::db::batch::Batch;
use crate::db::sql::{Sql, Text, statements};
use crate::db::value::Value;
use crate::index;
use crate::locks::Lock;
use crate::outbox::{self, Draft};
use crate::retention::{DELETE_ANY_ENTRY, DELETE_BODY, DELETE_REVISIONS, forget_everywhere};
use crate::store::Store;
use jiff::Timestamp;
use model::event::{EventKind, Payload, Subject};
use model::{EntryId, FeedId};

statements! {
    /// A visit under way cannot commit any more, and no other begins.
    STOP_VISITS(Int, Text) = Text::One(
        "UPDATE schedule SET runnable = FALSE, due_at = NULL, slot_at = NULL, going_at = NULL, going_group = NULL,
                worker = NULL, token = token + 1, reason = $2
         WHERE feed_id = $1");
    /// The fence of a deletion: it was not deleted before.
    DELETE(Int, Int, Int) = Text::One(
        "UPDATE feeds SET state = 'deleted', state_reason = NULL, state_since = $2, updated_at = $2, purge_at = $3
         WHERE id = $1 AND state <> 'deleted'");
    /// The same for a feed that a reader brought, if nobody is subscribed to it any more.
    DELETE_UNREAD(Int, Int, Int) = Text::One(
        "UPDATE feeds SET state = 'deleted', state_reason = NULL, state_since = $2, updated_at = $2, purge_at = $3
         WHERE id = $1 AND state <> 'deleted' AND origin = 'reader'
             AND NOT EXISTS (SELECT 1 FROM subscriptions s WHERE s.feed_id = $1 AND s.hidden_at IS NULL)");
    PURGE_AT(Int, Int) = Text::One("UPDATE feeds SET purge_at = $2 WHERE id = $1 AND state = 'deleted'");
    /// Deleted feeds after $1 that are to be removed by $2.
    DUE(Int, Int, Int) = Text::One(
        "SELECT id, url, site_url, root_domain FROM feeds
         WHERE state = 'deleted' AND id > $1 AND purge_at <= $2 ORDER BY id LIMIT $3");
    /// The icon of site $1, unless another feed than $2 is of the same root domain $3.
    DELETE_ICON(Text, Int, Text) = Text::Rows(
        "DELETE FROM icons WHERE site = $1 AND NOT EXISTS (
             SELECT 1 FROM feeds o WHERE o.root_domain = $3 AND o.id <> $2 AND o.state <> 'deleted')");
    /// Takes the feed's address away, and what else was said about it. Nothing if it was brought back.
    BEGIN(Int, Int) = Text::One(
        "UPDATE feeds SET url = 'purged:' || id, title = NULL, site_url = NULL, description = NULL, root_domain = NULL,
                user_agent = NULL, access = NULL, rules = NULL, icon_site = NULL, moved_from = NULL
         WHERE id = $1 AND state = 'deleted' AND purge_at <= $2");
    ENTRIES(Int, Int) = Text::One("SELECT id FROM entries WHERE feed_id = $1 ORDER BY id LIMIT $2");
    /// Up to $2 keys of feed $1, tombstones among them.
    DELETE_KEYS(Int, Int) = Text::Two {
        sqlite: "DELETE FROM entry_keys WHERE (feed_id, kind, hash) IN (
                     SELECT feed_id, kind, hash FROM entry_keys WHERE feed_id = $1 LIMIT $2)",
        postgres: "DELETE FROM entry_keys WHERE ctid = ANY (ARRAY(
                       SELECT ctid FROM entry_keys WHERE feed_id = $1 LIMIT $2))",
    };
    DELETE_RAW_OF_FEED(Int, Int) = Text::One(
        "DELETE FROM raw_fetches WHERE id IN (SELECT id FROM raw_fetches WHERE feed_id = $1 LIMIT $2)");
    DELETE_VISITS(Int) = Text::One("DELETE FROM visits WHERE feed_id = $1");
    DELETE_HEADERS(Int) = Text::One("DELETE FROM visit_headers WHERE feed_id = $1");
    DELETE_SUMS(Int) = Text::One("DELETE FROM visit_hour_feeds WHERE feed_id = $1");
    DELETE_SUBSCRIPTIONS(Int) = Text::One("DELETE FROM subscriptions WHERE feed_id = $1");
    /// Its schedule goes with it.
    DELETE_FEED(Int) = Text::One(
        "DELETE FROM feeds WHERE id = $1 AND state = 'deleted' AND id < (SELECT max(id) FROM feeds)");
}

/// Rows removed in one transaction: other writers wait for no more than these.
const STEP: u32 = 500;

/// A deleted feed that is to be removed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DuePurge {
    /// Which.
    pub feed: FeedId,
    /// Where it was.
    pub url: String,
    /// The page it belonged to.
    pub site_url: Option<String>,
    /// The site it was grouped with.
    pub root_domain: Option<String>,
}

/// How far the removal of a feed has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PurgeStep {
    /// Some rows were removed; there are more.
    More,
    /// Nothing is left.
    Done,
}

impl Store {
    /// Deletes a feed: nobody sees it or its entries any more. What it said is removed at `purge_at`; until then adding
    /// it again brings it back. False if it is not there, or was deleted before: nothing was written.
    pub async fn delete_feed(&self, feed: FeedId, purge_at: Timestamp, now: Timestamp) -> Result<bool, StoreError> {
        self.delete_by(&DELETE, feed, purge_at, now).await
    }

    /// Deletes a feed that a reader brought, if nobody is subscribed to it any more. False if that is not so.
    pub async fn delete_unread_feed(
        &self,
        feed: FeedId,
        purge_at: Timestamp,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        self.delete_by(&DELETE_UNREAD, feed, purge_at, now).await
    }

    async fn delete_by(
        &self,
        fence: &'static Sql,
        feed: FeedId,
        purge_at: Timestamp,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        let mut batch = Batch::default();
        batch.fence(fence, vec![feed.0.into(), now.into(), purge_at.into()]);
        batch.step(&STOP_VISITS, vec![vec![feed.0.into(), "the feed was deleted".into()]]);
        let deleted = Draft::about(EventKind::FeedDeleted, Subject::Feed(feed), Payload::none());
        outbox::record(&mut batch, now, vec![deleted]);
        self.write_if(batch).await
    }

    /// Moves the removal of a deleted feed to another moment; false if it is not deleted.
    pub async fn set_purge_at(&self, feed: FeedId, at: Timestamp) -> Result<bool, StoreError> {
        Ok(self.write_counted(&PURGE_AT, vec![feed.0.into(), at.into()]).await? > 0)
    }

    /// Deleted feeds that are to be removed by a moment, in the order of their ids.
    pub(crate) async fn due_purges(
        &self,
        after: FeedId,
        by: Timestamp,
        limit: u32,
    ) -> Result<Vec<DuePurge>, StoreError> {
        let row = vec![after.0.into(), by.into(), limit.into()];
        let due = |row: &mut crate::db::value::Record| {
            let (feed, url) = (FeedId(row.next()?), row.next()?);
            Ok(DuePurge { feed, url, site_url: row.next()?, root_domain: row.next()? })
        };
        self.read_all(&DUE, row, due).await
    }

    /// Begins the removal of a feed that is due to be removed `by` then: its address is free, and the icons of `sites` go
    /// where no other feed needs them. False if somebody has brought the feed back.
    pub async fn begin_purge(
        &self,
        lock: &Lock,
        now: Timestamp,
        due: &DuePurge,
        by: Timestamp,
        sites: &[String],
    ) -> Result<bool, StoreError> {
        let mut batch = lock.batch(now);
        let icon = |site: &String| -> Vec<Value> {
            vec![site.as_str().into(), due.feed.0.into(), due.root_domain.as_deref().into()]
        };
        // If somebody has brought the feed back, its icon stays, too.
        batch.step_exactly(1, &BEGIN, vec![vec![due.feed.0.into(), by.into()]]);
        batch.step(&DELETE_ICON, sites.iter().map(icon).collect());
        match self.write_under(lock, batch).await {
            Ok(_) => Ok(true),
            Err(StoreError::RowCount { .. }) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Removes some rows of a feed whose removal has begun.
    pub async fn purge_step(&self, lock: &Lock, now: Timestamp, feed: FeedId) -> Result<PurgeStep, StoreError> {
        let id = || -> Value { feed.0.into() };
        let mut batch = lock.batch(now);
        let entries = self.read_all(&ENTRIES, vec![id(), STEP.into()], |row| Ok(EntryId(row.next()?))).await?;
        if !entries.is_empty() {
            let all = || entries.iter().map(|entry| vec![entry.0.into()]).collect::<Vec<Vec<Value>>>();
            batch.step(&DELETE_REVISIONS, all());
            batch.step(&DELETE_BODY, all());
            forget_everywhere(&mut batch, feed, &entries);
            batch.step(&DELETE_ANY_ENTRY, all());
            index::queue(&mut batch, entries.iter().copied());
            // Bookmarks are snapshots: they stay without their entry.
            bookmarks::detach(&mut batch, entries.iter().copied());
            self.write_under(lock, batch).await?;
            return Ok(PurgeStep::More);
        }
        batch.step(&DELETE_KEYS, vec![vec![id(), STEP.into()]]);
        batch.step(&DELETE_RAW_OF_FEED, vec![vec![id(), STEP.into()]]);
        let answer = self.write_under(lock, batch).await?;
        if answer[1..].iter().any(|step| step.written != Some(0)) {
            return Ok(PurgeStep::More);
        }
        let mut batch = lock.batch(now);
        batch.step(&DELETE_VISITS, vec![vec![id()]]);
        batch.step(&DELETE_HEADERS, vec![vec![id()]]);
        batch.step(&DELETE_SUMS, vec![vec![id()]]);
        batch.step(&DELETE_SUBSCRIPTIONS, vec![vec![id()]]);
        batch.step(&DELETE_FEED, vec![vec![id()]]);
        self.write_under(lock, batch).await?;
        Ok(PurgeStep::Done)
    }
}
