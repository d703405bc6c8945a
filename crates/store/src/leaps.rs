//! A clock that was ahead: the times that it wrote are moved back (`docs/notes/clock-leaps.md`).
//!
//! Rows store the time from which their times were computed (`decided_at`, `paused_at`, `heartbeat_at`, `state_since`). If
//! that lies in the future, the clock was ahead: the same span is counted from now instead, so that a wait that a publisher
//! asked for stays as long as it was. In batches, and safe to repeat: what was moved is no longer in the future.

use crate::StoreError;
use crate::db::batch::Batch;
use crate::db::sql::{Text, statements};
use crate::db::value::Value;
use crate::store::Store;
use jiff::{SignedDuration, Timestamp};

/// The latest moment that somebody has read from a clock and written down.
const LATEST: &str = "clock.latest";
/// Clocks of machines that follow a time server differ by less.
const TOLERATED: SignedDuration = SignedDuration::from_mins(1);
/// Rows of a table looked at in one transaction.
const PART: u32 = 1_000;

/// What happened before a leap was noticed happened before now.
macro_rules! past {
    ($column:literal) => {
        concat!($column, " = CASE WHEN ", $column, " > $4 THEN $4 ELSE ", $column, " END")
    };
}

statements! {
    LAST_FEED(Int, Int) = Text::One(
        "SELECT max(feed_id) FROM (SELECT feed_id FROM schedule WHERE feed_id > $1 ORDER BY feed_id LIMIT $2) AS part");
    /// Of feeds after $1 up to $2 those whose times were reckoned from after $3; what happened did so by $4.
    MOVE_SCHEDULE(Int, Int, Int, Int) = Text::One(concat!(
        "UPDATE schedule SET due_at = due_at - decided_at + $3, slot_at = NULL,
             retry_after_at = CASE WHEN retry_after_at > decided_at THEN retry_after_at - decided_at + $3 ELSE retry_after_at END,
             going_at = CASE WHEN going_at > $3 THEN $3 ELSE going_at END, decided_at = $3, ",
             past!("last_visit_at"), ", ", past!("last_success_at"), ", ", past!("last_error_at"), ", ",
             past!("gone_since"), ", ", past!("move_since"), ", ", past!("last_arrival_at"), "
         WHERE feed_id > $1 AND feed_id <= $2 AND decided_at > $3"));
    /// Their visits keep their order: all were made by the clock that was ahead by $4.
    MOVE_VISITS(Int, Int, Int, Int) = Text::One(
        "UPDATE visits SET at = CASE WHEN at - $4 < $3 THEN at - $4 ELSE $3 END, next_at = next_at - $4
         WHERE feed_id > $1 AND feed_id <= $2 AND at > $3");
    LAST_GROUP(Text, Int) = Text::One(
        "SELECT max(name) FROM (SELECT name FROM rate_groups WHERE name > $1 ORDER BY name LIMIT $2) AS part");
    /// Groups after $1 up to $2: pauses are reckoned from $3, nobody has reserved anything after $4.
    MOVE_GROUPS(Text, Text, Int, Int) = Text::One(
        "UPDATE rate_groups SET
             next_free_at = CASE WHEN next_free_at > $4 THEN $4 ELSE next_free_at END,
             next_go_at = CASE WHEN next_go_at > $4 THEN $4 ELSE next_go_at END,
             paused_until = CASE WHEN paused_at > $3 THEN paused_until - paused_at + $3 ELSE paused_until END,
             paused_at = CASE WHEN paused_at > $3 THEN $3 ELSE paused_at END,
             mark = mark + 1
         WHERE name > $1 AND name <= $2 AND (next_free_at > $4 OR next_go_at > $4 OR paused_at > $3)");
    MOVE_LOCKS(Int) = Text::One(
        "UPDATE locks SET expires_at = expires_at - heartbeat_at + $1, heartbeat_at = $1 WHERE heartbeat_at > $1");
    MOVE_JOBS(Int) = Text::One(
        "UPDATE jobs SET due_at = due_at - decided_at + $1, decided_at = $1,
             wanted_at = CASE WHEN wanted_at > $1 THEN $1 ELSE wanted_at END
         WHERE decided_at > $1");
    MOVE_PURGES(Int) = Text::One(
        "UPDATE feeds SET purge_at = purge_at - state_since + $1, state_since = $1
         WHERE state = 'deleted' AND state_since > $1 AND purge_at IS NOT NULL");
    MOVE_ICONS(Int) = Text::One("UPDATE icons SET checked_at = $1 WHERE checked_at > $1");
    MOVE_EVENTS(Int, Int) = Text::One(
        "UPDATE outbox SET at = $1 WHERE id IN (SELECT id FROM outbox WHERE at > $1 LIMIT $2)");
    LAST_ENTRY() = Text::One("SELECT coalesce(max(id), 0) FROM entries");
    /// The index knows the date of each entry.
    QUEUE_MOVED(Int, Int, Int) = Text::One(
        "INSERT INTO index_queue (entry_id) SELECT id FROM entries WHERE id > $1 AND id <= $2 AND sort_at > $3");
    /// Entries from $1 up to $2, whose ids are in the order of arrival.
    MOVE_ENTRIES(Int, Int, Int) = Text::One(
        "UPDATE entries SET first_seen_at = $3, sort_at = CASE WHEN sort_at > $3 THEN $3 ELSE sort_at END,
             last_seen_at = CASE WHEN last_seen_at > $3 THEN $3 ELSE last_seen_at END
         WHERE id > $1 AND id <= $2 AND first_seen_at > $3");
    /// The index need not be built again because an entry was seen at another time.
    MOVE_INDEX(Int) = Text::One("UPDATE search_state SET seen_at = NULL WHERE seen_at > $1");
}

/// What a look at the clock came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClockCheck {
    /// It goes on.
    Fine,
    /// It is behind what was written: the times that were ahead were moved back.
    Repaired {
        /// The latest moment that somebody had written.
        latest: Timestamp,
        /// Feeds whose times were moved.
        feeds: u64,
        /// Rate groups whose times were moved.
        groups: u64,
    },
}

impl Store {
    /// Compares the clock with the latest moment that was written, and moves times back that a clock wrote that was ahead.
    /// Afterwards no slot of a rate group is booked for later than `spacing` from now.
    pub async fn check_clock(&self, now: Timestamp, spacing: SignedDuration) -> Result<ClockCheck, StoreError> {
        let latest = self.latest_clock().await?;
        if let Some(latest) = latest
            && latest.duration_since(now) > TOLERATED
        {
            let (feeds, groups) = self.move_back(now, latest.duration_since(now), spacing).await?;
            self.set_setting(LATEST, &now.to_string(), now).await?;
            return Ok(ClockCheck::Repaired { latest, feeds, groups });
        }
        if latest.is_none_or(|latest| now.duration_since(latest) >= TOLERATED) {
            self.set_setting(LATEST, &now.to_string(), now).await?;
        }
        Ok(ClockCheck::Fine)
    }

    /// The latest moment that somebody has read from a clock and written down.
    pub async fn latest_clock(&self) -> Result<Option<Timestamp>, StoreError> {
        Ok(self.setting(LATEST).await?.and_then(|text| text.parse().ok()))
    }

    async fn move_back(
        &self,
        now: Timestamp,
        leap: SignedDuration,
        spacing: SignedDuration,
    ) -> Result<(u64, u64), StoreError> {
        let before = now - SignedDuration::from_secs(1);
        let mut feeds = 0;
        let mut after = 0i64;
        while let Some(last) = self
            .read_first(&LAST_FEED, vec![after.into(), PART.into()], |row| row.next::<Option<i64>>())
            .await?
            .flatten()
        {
            let mut batch = Batch::default();
            let ends = || -> Vec<Value> { vec![after.into(), last.into()] };
            batch.step(&MOVE_SCHEDULE, vec![[ends(), vec![now.into(), before.into()]].concat()]);
            batch.step(&MOVE_VISITS, vec![[ends(), vec![before.into(), leap.into()]].concat()]);
            feeds += self.write(batch).await?[0].written.unwrap_or(0);
            after = last;
        }
        let mut groups = 0;
        let mut after = String::new();
        while let Some(last) = self
            .read_first(&LAST_GROUP, vec![after.as_str().into(), PART.into()], |row| row.next::<Option<String>>())
            .await?
            .flatten()
        {
            let row = vec![after.into(), last.as_str().into(), now.into(), (now + spacing).into()];
            groups += self.write_counted(&MOVE_GROUPS, row).await?;
            after = last;
        }
        let mut batch = Batch::default();
        batch.step(&MOVE_LOCKS, vec![vec![now.into()]]);
        batch.step(&MOVE_JOBS, vec![vec![now.into()]]);
        batch.step(&MOVE_PURGES, vec![vec![now.into()]]);
        batch.step(&MOVE_ICONS, vec![vec![before.into()]]);
        self.write(batch).await?;
        while self.write_counted(&MOVE_EVENTS, vec![before.into(), PART.into()]).await? == u64::from(PART) {}
        self.move_entries(before).await?;
        Ok((feeds, groups))
    }

    /// From the newest on, until a part has none that is ahead.
    async fn move_entries(&self, before: Timestamp) -> Result<(), StoreError> {
        let mut upto: i64 = self.read_first(&LAST_ENTRY, vec![], |row| row.next()).await?.unwrap_or(0);
        while upto > 0 {
            let from = upto - i64::from(PART);
            let row = || vec![from.into(), upto.into(), before.into()];
            let mut batch = Batch::one(&QUEUE_MOVED, row());
            batch.step(&MOVE_ENTRIES, vec![row()]);
            if self.write(batch).await?[1].written.unwrap_or(0) == 0 {
                break;
            }
            upto = from;
        }
        let index = self.search_write(Batch::one(&MOVE_INDEX, vec![before.into()])).await;
        if index.is_err() {
            // It is built again then, which only takes longer.
            tracing::debug!("the search index does not know that the clock was wrong");
        }
        Ok(())
    }
}
