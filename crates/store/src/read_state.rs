//! What users have read: marks, watermarks, sweeps ("mark all as read") and the counts of unread entries.
//!
//! The design, and why the counts stay right, is docs/notes/read-state.md. In short: an entry is unread if the user's mark
//! says so; without a mark, if its id is above the watermark and it is not quiet.
//! Invariant: a transaction that changes marks, watermarks or counts first locks the subscriptions that it is about, in the
//! order of their ids, and computes in a later statement, which has a snapshot of its own (PostgreSQL).

use crate::StoreError;
use crate::categories;
use crate::codes::json;
use crate::db::batch::Batch;
use crate::db::sql::{Text, both, json_ids, statements};
use crate::db::value::{Record, Value};
use crate::db::wake::Topic;
use crate::store::Store;
use crate::viewer::sees_living_feed;
use jiff::{SignedDuration, Timestamp};
use model::{EntryId, FeedId, SweepId, UserId};

/// Whether entry `e` is unread for the user of subscription `s`; `m` is their mark, if there is one.
macro_rules! is_unread {
    () => {
        "(CASE WHEN m.entry_id IS NULL THEN e.id > s.watermark AND NOT e.quiet ELSE NOT m.read END)"
    };
}

/// How many entries of the feed of subscription `s` are above `$mark` and not quiet.
macro_rules! loud_above {
    ($mark:literal) => {
        concat!("(SELECT count(*) FROM entries e WHERE e.feed_id = s.feed_id AND e.id > ", $mark, " AND NOT e.quiet)")
    };
}

/// How many of the user's marks on such entries are above `$mark`.
macro_rules! marked_above {
    ($mark:literal) => {
        concat!(
            "(SELECT count(*) FROM marks m WHERE m.user_id = s.user_id AND m.feed_id = s.feed_id AND m.entry_id > ",
            $mark,
            " AND NOT m.quiet)"
        )
    };
}

/// How many of the user's marks say unread.
macro_rules! marked_unread {
    ($more:literal) => {
        concat!(
            "(SELECT count(*) FROM marks m WHERE m.user_id = s.user_id AND m.feed_id = s.feed_id AND NOT m.read",
            $more,
            ")"
        )
    };
}

/// The subscriptions `s` of user $1 in a scope: those of feeds $2 or, without any, all.
macro_rules! in_scope {
    ($dialect:ident) => {
        concat!(
            "s.user_id = $1 AND s.hidden_at IS NULL AND ($2 IS NULL OR s.feed_id IN ",
            json_ids!($dialect "$2"),
            ")"
        )
    };
}

/// Locks the subscriptions of user $1 to the feeds of entries $2.
macro_rules! hold_of_entries {
    (sqlite) => {
        concat!("SELECT id FROM subscriptions WHERE user_id = $1 AND feed_id IN (
                     SELECT feed_id FROM entries WHERE id IN ", json_ids!(sqlite "$2"), ")")
    };
    (postgres) => {
        concat!("SELECT id FROM subscriptions WHERE user_id = $1 AND feed_id IN (
                     SELECT feed_id FROM entries WHERE id IN ", json_ids!(postgres "$2"), ") ORDER BY id FOR UPDATE")
    };
}

/// How many of entries $2 get another state when they become read ($3) or unread, by feed.
macro_rules! differences {
    ($dialect:ident) => {
        concat!("SELECT e.feed_id AS feed, sum(CASE WHEN ", is_unread!(), " = $3 THEN 1 ELSE 0 END) AS changed
                 FROM entries e
                 JOIN subscriptions s ON s.user_id = $1 AND s.feed_id = e.feed_id AND s.hidden_at IS NULL
                 LEFT JOIN marks m ON m.user_id = $1 AND m.feed_id = e.feed_id AND m.entry_id = e.id
                 WHERE e.id IN ", json_ids!($dialect "$2"), " GROUP BY e.feed_id")
    };
}

macro_rules! count_changed {
    ($dialect:ident) => {
        concat!("SELECT CAST(coalesce(sum(d.changed), 0) AS BIGINT) FROM (", differences!($dialect), ") AS d")
    };
}

macro_rules! adjust_unread {
    ($dialect:ident) => {
        concat!(
            "UPDATE subscriptions SET unread = subscriptions.unread + CASE WHEN $3 THEN -d.changed ELSE d.changed END
                 FROM (",
            differences!($dialect),
            ") AS d
                 WHERE subscriptions.user_id = $1 AND subscriptions.feed_id = d.feed AND d.changed > 0"
        )
    };
}

macro_rules! mark {
    ($dialect:ident) => {
        concat!("INSERT INTO marks (user_id, feed_id, entry_id, read, muted, quiet, at)
                 SELECT $1, e.feed_id, e.id, $3, $4, e.quiet, $5
                 FROM entries e
                 JOIN subscriptions s ON s.user_id = $1 AND s.feed_id = e.feed_id AND s.hidden_at IS NULL
                 WHERE e.id IN ", json_ids!($dialect "$2"), "
                 ON CONFLICT (user_id, feed_id, entry_id)
                 DO UPDATE SET read = excluded.read, muted = excluded.muted, at = excluded.at")
    };
}

/// What the sweeps of user $1 know about the feeds of entries $2 has to be counted anew.
macro_rules! recount_own_sweeps {
    ($dialect:ident) => {
        concat!("UPDATE sweep_feeds SET unmarked_between = NULL
                 WHERE unmarked_between IS NOT NULL AND sweep_id IN (SELECT w.id FROM sweeps w WHERE w.user_id = $1)
                   AND feed_id IN (SELECT e.feed_id FROM entries e WHERE e.id IN ", json_ids!($dialect "$2"), ")")
    };
}

macro_rules! hold_scope {
    (sqlite) => {
        concat!("SELECT s.id FROM subscriptions s WHERE ", in_scope!(sqlite))
    };
    (postgres) => {
        concat!("SELECT s.id FROM subscriptions s WHERE ", in_scope!(postgres), " ORDER BY s.id FOR UPDATE")
    };
}

/// The sweep that this transaction has just begun; its user is locked.
macro_rules! this_sweep {
    () => {
        "(SELECT max(w.id) FROM sweeps w WHERE w.user_id = $1)"
    };
}

/// Notes of each subscription in scope where its watermark was and goes, and how many entries without a mark lie between.
/// These are known without counting them or their marks: they are all that is unread, less what is unread by mark, less
/// what lies above the new watermark.
macro_rules! sweep_feeds {
    ($dialect:ident, $target:expr) => {
        concat!(
            "INSERT INTO sweep_feeds (sweep_id, feed_id, watermark_before, watermark_after, swept_before, marked,
                                          unmarked_between)
                 SELECT ",
            this_sweep!(),
            ", t.feed_id, t.watermark, t.target, t.swept_at,
                        t.unread - t.loud_above + t.marked_above - t.unread_above,
                        t.unread - t.unread_marks - t.loud_above + t.marked_above
                 FROM (SELECT s.*, ",
            loud_above!("s.target"),
            " AS loud_above,
                              ",
            marked_above!("s.target"),
            " AS marked_above,
                              ",
            marked_unread!(" AND m.entry_id > s.target"),
            " AS unread_above,
                              ",
            marked_unread!(""),
            " AS unread_marks
                       FROM (SELECT s.user_id, s.feed_id, s.watermark, s.swept_at,
                                    s.unread + c.arrivals - s.seen_arrivals AS unread,
                                    greatest(s.watermark, ",
            $target,
            ") AS target
                             FROM subscriptions s JOIN schedule c ON c.feed_id = s.feed_id
                             WHERE ",
            in_scope!($dialect),
            ") AS s) AS t"
        )
    };
}

macro_rules! sweep_feeds_now {
    ($dialect:ident) => {
        sweep_feeds!($dialect, "(SELECT a.entries FROM arrival a)")
    };
}

macro_rules! sweep_feeds_as_of {
    ($dialect:ident) => {
        sweep_feeds!(
            $dialect,
            "coalesce((SELECT e.id FROM entries e WHERE e.feed_id = s.feed_id AND e.first_seen_at <= $3
                       ORDER BY e.id DESC LIMIT 1), 0)"
        )
    };
}

/// Feeds `f` of sweep $2 that no later sweep of user $1 has moved.
macro_rules! undoable {
    () => {
        "f.sweep_id = $2 AND EXISTS (SELECT 1 FROM sweeps w WHERE w.id = $2 AND w.user_id = $1)
         AND NOT EXISTS (SELECT 1 FROM sweeps w JOIN sweep_feeds l ON l.sweep_id = w.id AND l.feed_id = f.feed_id
                         WHERE w.user_id = $1 AND w.id > $2)"
    };
}

/// The unread ones among deleted entries $2 leave the counts of every subscriber of feed $1.
macro_rules! uncount {
    ($dialect:ident) => {
        concat!("UPDATE subscriptions SET unread = subscriptions.unread - d.lost
                 FROM (SELECT s.id, count(*) AS lost
                       FROM subscriptions s JOIN entries e ON e.feed_id = s.feed_id AND e.id IN ", json_ids!($dialect "$2"), "
                       LEFT JOIN marks m ON m.user_id = s.user_id AND m.feed_id = e.feed_id AND m.entry_id = e.id
                       WHERE s.feed_id = $1 AND ", is_unread!(), " GROUP BY s.id) AS d
                 WHERE subscriptions.id = d.id")
    };
}

statements! {
    /// Entry $2, if user $1 follows its feed.
    FOLLOWED(Int, Int) = Text::Rows(concat!(
        "SELECT e.id FROM entries e JOIN subscriptions s ON s.feed_id = e.feed_id
         WHERE s.user_id = $1 AND e.id = $2 AND s.hidden_at IS NULL AND ", sees_living_feed!("e.feed_id", "$1")));
    HOLD_OF_ENTRIES(Int, Json) = both!(hold_of_entries);
    COUNT_CHANGED(Int, Json, Bool) = both!(count_changed);
    ADJUST_UNREAD(Int, Json, Bool) = both!(adjust_unread);
    MARK(Int, Json, Bool, Bool, Int) = both!(mark);
    RECOUNT_OWN_SWEEPS(Int, Json) = both!(recount_own_sweeps);
    HOLD_SCOPE(Int, Json) = both!(hold_scope);
    BEGIN_SWEEP(Int, Int, Text) = Text::One("INSERT INTO sweeps (user_id, at, scope) VALUES ($1, $2, $3) RETURNING id");
    /// The sweeps of user $1 since $2: what each marked, what an undo would bring back, and how many feeds it was about.
    RECENT_SWEEPS(Int, Int, Int) = Text::One(
        "SELECT w.id, w.at, w.scope,
                (SELECT CAST(coalesce(sum(f.marked), 0) AS BIGINT) FROM sweep_feeds f WHERE f.sweep_id = w.id),
                (SELECT CAST(coalesce(sum(f.marked), 0) AS BIGINT) FROM sweep_feeds f
                 WHERE f.sweep_id = w.id AND NOT EXISTS (
                     SELECT 1 FROM sweeps l JOIN sweep_feeds g ON g.sweep_id = l.id AND g.feed_id = f.feed_id
                     WHERE l.user_id = $1 AND l.id > w.id)),
                (SELECT count(*) FROM sweep_feeds f WHERE f.sweep_id = w.id),
                (SELECT min(f.feed_id) FROM sweep_feeds f WHERE f.sweep_id = w.id)
         FROM sweeps w WHERE w.user_id = $1 AND w.at >= $2 ORDER BY w.id DESC LIMIT $3");
    SWEEP_FEEDS(Int, Json) = both!(sweep_feeds_now);
    SWEEP_FEEDS_AS_OF(Int, Json, Int) = both!(sweep_feeds_as_of);
    /// Unread marks that lie below the new watermarks move into the sweep.
    TAKE_MARKS(Int) = Text::One(concat!(
        "INSERT INTO sweep_marks (sweep_id, feed_id, entry_id, at)
         SELECT f.sweep_id, m.feed_id, m.entry_id, m.at
         FROM sweep_feeds f JOIN marks m ON m.user_id = $1 AND m.feed_id = f.feed_id AND NOT m.read
         WHERE f.sweep_id = ", this_sweep!(), " AND m.entry_id <= f.watermark_after"));
    DROP_TAKEN(Int) = Text::One(concat!(
        "DELETE FROM marks WHERE user_id = $1 AND NOT read AND (feed_id, entry_id) IN (
             SELECT t.feed_id, t.entry_id FROM sweep_marks t WHERE t.sweep_id = ", this_sweep!(), ")"));
    /// Counted anew above the new watermark, in a snapshot that also says how many have arrived.
    MOVE_WATERMARKS(Int, Int) = Text::One(concat!(
        "UPDATE subscriptions SET watermark = t.target, swept_at = $2, seen_arrivals = t.arrivals,
                unread = t.loud - t.marked + t.unread_marks
         FROM (SELECT s.id, f.watermark_after AS target, c.arrivals, ", loud_above!("f.watermark_after"), " AS loud,
                      ", marked_above!("f.watermark_after"), " AS marked, ", marked_unread!(""), " AS unread_marks
               FROM sweep_feeds f JOIN subscriptions s ON s.user_id = $1 AND s.feed_id = f.feed_id
               JOIN schedule c ON c.feed_id = f.feed_id
               WHERE f.sweep_id = ", this_sweep!(), ") AS t
         WHERE subscriptions.id = t.id"));
    SWEPT(Int) = Text::One(concat!(
        "SELECT CAST(coalesce(sum(marked), 0) AS BIGINT) FROM sweep_feeds WHERE sweep_id = ", this_sweep!()));
    HOLD_SWEPT(Int, Int) = Text::Two {
        sqlite: "SELECT id FROM subscriptions WHERE user_id = $1 AND feed_id IN (
                     SELECT feed_id FROM sweep_feeds WHERE sweep_id = $2)",
        postgres: "SELECT id FROM subscriptions WHERE user_id = $1 AND feed_id IN (
                       SELECT feed_id FROM sweep_feeds WHERE sweep_id = $2) ORDER BY id FOR UPDATE",
    };
    /// Of what the sweep took away, what is still there and has not been marked again.
    RESTORE_MARKS(Int, Int) = Text::One(concat!(
        "INSERT INTO marks (user_id, feed_id, entry_id, read, muted, quiet, at)
         SELECT $1, t.feed_id, t.entry_id, FALSE, FALSE, e.quiet, t.at
         FROM sweep_feeds f JOIN sweep_marks t ON t.sweep_id = f.sweep_id AND t.feed_id = f.feed_id
         JOIN entries e ON e.id = t.entry_id
         WHERE ", undoable!(), "
         ON CONFLICT (user_id, feed_id, entry_id) DO NOTHING"));
    /// Entries between the two watermarks, and the marks on them, are counted only if some were deleted or marked since.
    RESTORE_WATERMARKS(Int, Int) = Text::One(concat!(
        "UPDATE subscriptions SET watermark = t.watermark_before, swept_at = t.swept_before, seen_arrivals = t.arrivals,
                unread = t.unmarked + t.unread_marks
         FROM (SELECT s.id, f.watermark_before, f.swept_before, c.arrivals,
                      CASE WHEN f.unmarked_between IS NULL
                           THEN ", loud_above!("f.watermark_before"), " - ", marked_above!("f.watermark_before"), "
                           ELSE f.unmarked_between + ", loud_above!("f.watermark_after"), "
                                - ", marked_above!("f.watermark_after"), " END AS unmarked,
                      ", marked_unread!(""), " AS unread_marks
               FROM sweep_feeds f JOIN subscriptions s ON s.user_id = $1 AND s.feed_id = f.feed_id
               JOIN schedule c ON c.feed_id = f.feed_id
               WHERE ", undoable!(), ") AS t
         WHERE subscriptions.id = t.id"));
    UNSWEPT(Int, Int) = Text::One(concat!(
        "SELECT CAST(coalesce(sum(f.marked), 0) AS BIGINT) FROM sweep_feeds f WHERE ", undoable!()));
    /// The fence of an undo: the sweep is the user's, and not too old.
    TOUCH_SWEEP(Int, Int, Int) = Text::One("UPDATE sweeps SET at = at WHERE user_id = $1 AND id = $2 AND at >= $3");
    END_SWEEP(Int, Int) = Text::One("DELETE FROM sweeps WHERE user_id = $1 AND id = $2");
    FORGET_SWEEPS(Int) = Text::One("DELETE FROM sweeps WHERE at < $1");
    /// What is about entries that retention deletes.
    HOLD_SUBSCRIBERS(Int) = Text::Two {
        sqlite: "SELECT id FROM subscriptions WHERE feed_id = $1",
        postgres: "SELECT id FROM subscriptions WHERE feed_id = $1 ORDER BY id FOR UPDATE",
    };
    UNCOUNT(Int, Json) = both!(uncount);
    FORGET_MARKS(Int) = Text::Rows("DELETE FROM marks WHERE entry_id = $1");
    FORGET_SWEEP_MARKS(Int) = Text::Rows("DELETE FROM sweep_marks WHERE entry_id = $1");
    RECOUNT_SWEEPS(Int) = Text::One("UPDATE sweep_feeds SET unmarked_between = NULL WHERE feed_id = $1");
    UNSTORE(Int, Int) = Text::One("UPDATE schedule SET entries = entries - $2 WHERE feed_id = $1");
    /// Subscriptions with more than $1 read marks from before $2, and no sweep that could still be undone.
    CROWDED(Int, Int, Int) = Text::One(
        "SELECT s.user_id, s.feed_id FROM subscriptions s
         WHERE s.hidden_at IS NULL AND (
                   SELECT count(*) FROM marks m
                   WHERE m.user_id = s.user_id AND m.feed_id = s.feed_id AND m.read AND NOT m.muted AND m.at < $2) > $1
               AND NOT EXISTS (SELECT 1 FROM sweeps w JOIN sweep_feeds f ON f.sweep_id = w.id AND f.feed_id = s.feed_id
                               WHERE w.user_id = s.user_id)
         ORDER BY s.id LIMIT $3");
    HOLD_ONE(Int, Int) = Text::Two {
        sqlite: "SELECT id FROM subscriptions WHERE user_id = $1 AND feed_id = $2",
        postgres: "SELECT id FROM subscriptions WHERE user_id = $1 AND feed_id = $2 FOR UPDATE",
    };
    /// The state of no entry changes: what is unread below the end gets a mark that says so, then the watermark moves there.
    SPELL_OUT(Int, Int, Int) = Text::One(
        "INSERT INTO marks (user_id, feed_id, entry_id, read, muted, quiet, at)
         SELECT s.user_id, s.feed_id, e.id, FALSE, FALSE, e.quiet, $3
         FROM subscriptions s JOIN entries e ON e.feed_id = s.feed_id AND e.id > s.watermark AND NOT e.quiet
         WHERE s.user_id = $1 AND s.feed_id = $2 AND NOT EXISTS (
               SELECT 1 FROM marks m WHERE m.user_id = s.user_id AND m.feed_id = s.feed_id AND m.entry_id = e.id)
         ON CONFLICT (user_id, feed_id, entry_id) DO NOTHING");
    MOVE_TO_END(Int, Int) = Text::One(
        "UPDATE subscriptions SET watermark = greatest(watermark, coalesce((
             SELECT max(m.entry_id) FROM marks m WHERE m.user_id = $1 AND m.feed_id = $2), 0))
         WHERE user_id = $1 AND feed_id = $2");
    DROP_OLD_MARKS(Int, Int, Int) = Text::One(
        "DELETE FROM marks WHERE user_id = $1 AND feed_id = $2 AND read AND NOT muted AND at < $3
           AND entry_id <= (SELECT s.watermark FROM subscriptions s WHERE s.user_id = $1 AND s.feed_id = $2)");
    RECOUNT(Int, Int) = Text::One(concat!(
        "SELECT s.unread + c.arrivals - s.seen_arrivals,
                (SELECT count(*) FROM entries e
                 LEFT JOIN marks m ON m.user_id = s.user_id AND m.feed_id = e.feed_id AND m.entry_id = e.id
                 WHERE e.feed_id = s.feed_id AND ", is_unread!(), ")
         FROM subscriptions s JOIN schedule c ON c.feed_id = s.feed_id WHERE s.user_id = $1 AND s.feed_id = $2"));
}

/// A sweep can be undone for this long.
pub const UNDO_FOR: SignedDuration = SignedDuration::from_hours(7 * 24);
/// Read marks are kept for this long, as the history of a reader, whatever the watermark says.
pub const HISTORY_FOR: SignedDuration = SignedDuration::from_hours(30 * 24);
/// A subscription with more old marks than this is given a watermark instead.
const CROWD: i64 = 100;
/// Subscriptions compacted in one go.
const AT_ONCE: i64 = 200;

/// What a mark says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    /// Read.
    Read,
    /// Unread.
    Unread,
    /// Read, and out of the user's lists.
    Muted,
}

/// A "mark all as read" that was done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sweep {
    /// Undo it by this.
    pub id: SweepId,
    /// How many entries became read.
    pub marked: u64,
}

/// A sweep that can still be undone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecentSweep {
    /// Undo it by this.
    pub id: SweepId,
    /// When it was.
    pub at: Timestamp,
    /// What it was about: `all`, `category` or `feed`; unknown of older ones.
    pub scope: Option<String>,
    /// How many entries became read.
    pub marked: u64,
    /// How many of them an undo would bring back now.
    pub can_restore: u64,
    /// How many feeds it was about.
    pub feeds: u64,
    /// The first of them.
    pub feed: Option<FeedId>,
}

/// Adds the steps that take deleted entries of a feed out of everything that counts them. Before the entries themselves go.
pub(crate) fn forget(batch: &mut Batch, feed: FeedId, entries: &[EntryId]) {
    let ids: Vec<i64> = entries.iter().map(|id| id.0).collect();
    let each = || entries.iter().map(|id| vec![id.0.into()]).collect();
    batch.step(&HOLD_SUBSCRIBERS, vec![vec![feed.0.into()]]);
    batch.step(&UNCOUNT, vec![vec![feed.0.into(), json(&ids)]]);
    batch.step(&FORGET_MARKS, each());
    batch.step(&FORGET_SWEEP_MARKS, each());
    batch.step(&RECOUNT_SWEEPS, vec![vec![feed.0.into()]]);
    batch.step(&UNSTORE, vec![vec![feed.0.into(), (entries.len() as i64).into()]]);
}

/// Adds the steps that mark entries for a user. The second of them returns how many get another state.
pub(crate) fn mark(batch: &mut Batch, user: UserId, entries: &[EntryId], mark: Mark, now: Timestamp) {
    let ids: Vec<i64> = entries.iter().map(|id| id.0).collect();
    let (read, muted) = (mark != Mark::Unread, mark == Mark::Muted);
    let row = || -> Vec<Value> { vec![user.0.into(), json(&ids), read.into()] };
    batch.step(&HOLD_OF_ENTRIES, vec![vec![user.0.into(), json(&ids)]]);
    batch.step(&COUNT_CHANGED, vec![row()]);
    batch.step(&ADJUST_UNREAD, vec![row()]);
    batch.step(&MARK, vec![[row(), vec![muted.into(), now.into()]].concat()]);
    batch.step(&RECOUNT_OWN_SWEEPS, vec![vec![user.0.into(), json(&ids)]]);
    batch.wakes(Topic::ReadState);
}

fn number(records: Option<&mut Record>) -> Result<i64, StoreError> {
    records.map_or(Ok(0), Record::next)
}

impl Store {
    /// Marks entries of feeds that the user follows; others are left out. Returns how many got another state.
    pub async fn mark(&self, user: UserId, entries: &[EntryId], mark: Mark, now: Timestamp) -> Result<u64, StoreError> {
        // Only what is there now: an entry that arrived between two steps would be marked and not counted.
        let entries = self.followed_entries(user, entries).await?;
        if entries.is_empty() {
            return Ok(0);
        }
        let mut batch = Batch::default();
        self::mark(&mut batch, user, &entries, mark, now);
        let mut answer = self.write(batch).await?;
        number(answer[1].records.first_mut()).map(|changed| changed.max(0) as u64)
    }

    /// Those of these entries that belong to feeds the user follows, in any order.
    pub async fn followed_entries(&self, user: UserId, entries: &[EntryId]) -> Result<Vec<EntryId>, StoreError> {
        let rows = entries.iter().map(|id| vec![user.0.into(), id.0.into()]).collect();
        self.read_each(&FOLLOWED, rows, |row| row.next().map(EntryId)).await
    }

    /// Marks everything as read that was first seen by a moment, or everything there is: in some feeds, or in all.
    pub async fn sweep(
        &self,
        user: UserId,
        feeds: Option<&[FeedId]>,
        as_of: Option<Timestamp>,
        now: Timestamp,
    ) -> Result<Sweep, StoreError> {
        // An empty list is nothing, and not everything.
        let scope = feeds.map_or(Value::Null, |feeds| {
            Value::Text(serde_json::to_string(&feeds.iter().map(|id| id.0).collect::<Vec<_>>()).expect("numbers"))
        });
        let of_user = || vec![user.0.into()];
        let in_scope = || vec![user.0.into(), scope.clone()];
        let mut batch = Batch::one(&categories::HOLD_USER, of_user());
        batch.step(&HOLD_SCOPE, vec![in_scope()]);
        let about = match feeds {
            None => "all",
            Some([_]) => "feed",
            Some(_) => "category",
        };
        batch.step(&BEGIN_SWEEP, vec![vec![user.0.into(), now.into(), about.into()]]);
        match as_of {
            None => batch.step(&SWEEP_FEEDS, vec![in_scope()]),
            Some(at) => batch.step(&SWEEP_FEEDS_AS_OF, vec![[in_scope(), vec![at.into()]].concat()]),
        }
        batch.step(&TAKE_MARKS, vec![of_user()]);
        batch.step(&DROP_TAKEN, vec![of_user()]);
        batch.step(&MOVE_WATERMARKS, vec![vec![user.0.into(), now.into()]]);
        batch.step(&SWEPT, vec![of_user()]);
        batch.wakes(Topic::ReadState);
        let mut answer = self.write(batch).await?;
        let id = number(answer[2].records.first_mut())?;
        let marked = number(answer[7].records.first_mut())?.max(0) as u64;
        Ok(Sweep { id: SweepId(id), marked })
    }

    /// The sweeps of a user that can still be undone, the latest first.
    pub async fn recent_sweeps(
        &self,
        user: UserId,
        now: Timestamp,
        limit: u32,
    ) -> Result<Vec<RecentSweep>, StoreError> {
        let since = now.checked_sub(UNDO_FOR).unwrap_or(Timestamp::MIN);
        let sweep = |row: &mut Record| {
            Ok(RecentSweep {
                id: SweepId(row.next()?),
                at: row.next()?,
                scope: row.next()?,
                marked: row.next::<i64>()?.max(0) as u64,
                can_restore: row.next::<i64>()?.max(0) as u64,
                feeds: row.next()?,
                feed: row.next::<Option<i64>>()?.map(FeedId),
            })
        };
        self.read_all(&RECENT_SWEEPS, vec![user.0.into(), since.into(), limit.into()], sweep).await
    }

    /// Undoes a sweep, but for feeds that a later sweep was about: what was marked since stays marked. Returns how many
    /// entries it had marked there; `None` if there is no such sweep of this user, or it is too old.
    pub async fn undo_sweep(&self, user: UserId, sweep: SweepId, now: Timestamp) -> Result<Option<u64>, StoreError> {
        let row = || vec![user.0.into(), sweep.0.into()];
        let oldest = now.checked_sub(UNDO_FOR).unwrap_or(Timestamp::MIN);
        let mut batch = Batch::default();
        batch.fence(&TOUCH_SWEEP, [row(), vec![oldest.into()]].concat());
        batch.step(&categories::HOLD_USER, vec![vec![user.0.into()]]);
        batch.step(&HOLD_SWEPT, vec![row()]);
        batch.step(&UNSWEPT, vec![row()]);
        batch.step(&RESTORE_MARKS, vec![row()]);
        batch.step(&RESTORE_WATERMARKS, vec![row()]);
        batch.step_exactly(1, &END_SWEEP, vec![row()]);
        batch.wakes(Topic::ReadState);
        match self.submit(self.lane(), batch).await {
            Ok(mut answer) => Ok(Some(number(answer[3].records.first_mut())?.max(0) as u64)),
            Err(crate::db::batch::Refused::Stale) => Ok(None),
            Err(crate::db::batch::Refused::Failed(error)) => Err(error),
        }
    }

    /// Forgets sweeps that cannot be undone any more, and moves the watermarks of subscriptions with many old marks.
    /// Changes the state of no entry.
    pub async fn compact_read_state(&self, now: Timestamp) -> Result<(), StoreError> {
        let before = |age: SignedDuration| now.checked_sub(age).unwrap_or(Timestamp::MIN);
        self.write_one(&FORGET_SWEEPS, vec![before(UNDO_FOR).into()]).await?;
        let old = before(HISTORY_FOR);
        loop {
            let row = vec![CROWD.into(), old.into(), AT_ONCE.into()];
            let crowded: Vec<(i64, i64)> = self.read_all(&CROWDED, row, |row| Ok((row.next()?, row.next()?))).await?;
            for (user, feed) in &crowded {
                let row = || vec![(*user).into(), (*feed).into()];
                let mut batch = Batch::one(&HOLD_ONE, row());
                batch.step(&SPELL_OUT, vec![[row(), vec![now.into()]].concat()]);
                batch.step(&MOVE_TO_END, vec![row()]);
                batch.step(&DROP_OLD_MARKS, vec![[row(), vec![old.into()]].concat()]);
                self.write(batch).await?;
            }
            if crowded.len() < AT_ONCE as usize {
                return Ok(());
            }
        }
    }

    /// A subscription's count of unread entries, and the same counted entry by entry: for tests and `doctor`.
    pub async fn recount(&self, user: UserId, feed: FeedId) -> Result<Option<(i64, i64)>, StoreError> {
        self.read_first(&RECOUNT, vec![user.0.into(), feed.0.into()], |row| Ok((row.next()?, row.next()?))).await
    }
}
