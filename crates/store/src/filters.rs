//! Filters: what a user wants done to entries that arrive, and how far that has been done.
//!
//! `policy::filter` decides, `reader::filters` asks it. What a run of the filters does is one transaction, fenced by the
//! user's cursor: entries up to it went through the filters, and none goes through twice.
//! Invariant: filters are about what arrives. Whoever has none that is enabled has no cursor that matters: the first one
//! begins behind the last entry there is.

use crate::StoreError;
use crate::bookmarks;
use crate::db::batch::Batch;
use crate::db::sql::{Text, statements};
use crate::db::value::{Record, Value, returned_id};
use crate::read_state::{self, Mark};
use crate::store::Store;
use crate::tags;
use crate::viewer::sees_living_feed;
use jiff::Timestamp;
use model::filter::{Action, Condition, Filter, Scope};
use model::{CategoryId, EntryId, FeedId, FilterId, UserId};
use std::collections::BTreeMap;

/// Whether what a filter is about is the user's: category $3, feed $4.
macro_rules! in_scope {
    () => {
        concat!(
            "($3 IS NULL OR EXISTS (SELECT 1 FROM categories c WHERE c.id = $3 AND c.user_id = $1)) AND ($4 IS NULL OR ",
            sees_living_feed!("$4", "$1"),
            ")"
        )
    };
}

statements! {
    LIST(Int) = Text::One(
        "SELECT id, name, category_id, feed_id, condition, actions, enabled, position, hits, last_hit_at, created_at
         FROM filters WHERE user_id = $1 ORDER BY position, id");
    /// The fence: whoever has no filter that is enabled begins behind the last entry.
    BEGIN(Int) = Text::One(
        "UPDATE users SET filtered_upto = CASE
             WHEN filtered_upto IS NULL OR NOT EXISTS (SELECT 1 FROM filters WHERE user_id = $1 AND enabled)
             THEN (SELECT entries FROM arrival) ELSE filtered_upto END
         WHERE id = $1");
    ADD(Int, Text, Int, Int, Json, Json, Bool, Int) = Text::One(concat!(
        "INSERT INTO filters (user_id, name, category_id, feed_id, condition, actions, enabled, position, created_at)
         SELECT $1, $2, $3, $4, $5, $6, $7,
                (SELECT coalesce(max(position), -1) + 1 FROM filters WHERE user_id = $1), $8
         WHERE ", in_scope!(), " RETURNING id"));
    UPDATE(Int, Text, Int, Int, Json, Json, Bool, Int) = Text::One(concat!(
        "UPDATE filters SET name = $2, category_id = $3, feed_id = $4, condition = $5, actions = $6, enabled = $7
         WHERE user_id = $1 AND id = $8 AND ", in_scope!()));
    DELETE(Int, Int) = Text::One("DELETE FROM filters WHERE user_id = $1 AND id = $2");
    MOVE(Int, Int, Int) = Text::Rows("UPDATE filters SET position = $3 WHERE user_id = $1 AND id = $2");
    CURSOR(Int) = Text::One("SELECT filtered_upto FROM users WHERE id = $1 AND filtered_upto IS NOT NULL");
    BEHIND(Int, Int) = Text::One(
        "SELECT u.id FROM users u WHERE u.filtered_upto < $1
             AND EXISTS (SELECT 1 FROM filters f WHERE f.user_id = u.id AND f.enabled) ORDER BY u.id LIMIT $2");
    /// The fence of a run.
    ADVANCE(Int, Int, Int) = Text::One("UPDATE users SET filtered_upto = $3 WHERE id = $1 AND filtered_upto = $2");
    HIT(Int, Int, Int, Int) = Text::Rows(
        "UPDATE filters SET hits = hits + $3, last_hit_at = $4 WHERE user_id = $1 AND id = $2");
}

/// A filter that is to be made, or what one becomes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilterDraft {
    /// As the user calls it.
    pub name: String,
    /// Which entries it looks at.
    pub scope: Scope,
    /// Which of those it is about.
    pub condition: Condition,
    /// What is done to them.
    pub actions: Vec<Action>,
    /// Whether it is on.
    pub enabled: bool,
}

/// A filter of a user, and what came of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredFilter {
    /// The filter.
    pub filter: Filter,
    /// Its place in the list.
    pub position: i64,
    /// How many entries it was about.
    pub hits: u64,
    /// When it was about one last.
    pub last_hit_at: Option<Timestamp>,
    /// When it was made.
    pub created_at: Timestamp,
}

/// What a run of a user's filters did to entries.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FilterRun {
    /// Entries that are read from now on.
    pub read: Vec<EntryId>,
    /// Entries that are left out of lists, and read.
    pub muted: Vec<EntryId>,
    /// Entries that are kept, each with its link.
    pub starred: Vec<(EntryId, Option<String>)>,
    /// Entries that get a tag.
    pub tagged: Vec<(EntryId, String)>,
    /// How many entries each filter was about.
    pub hits: BTreeMap<FilterId, u64>,
}

fn stored(row: &mut Record) -> Result<StoredFilter, StoreError> {
    let (id, name) = (FilterId(row.next()?), row.next()?);
    let (category, feed): (Option<i64>, Option<i64>) = (row.next()?, row.next()?);
    let scope = match (category, feed) {
        (Some(category), _) => Scope::Category(CategoryId(category)),
        (None, Some(feed)) => Scope::Feed(FeedId(feed)),
        (None, None) => Scope::All,
    };
    let condition = serde_json::from_str(&row.next::<String>()?).map_err(StoreError::row)?;
    let actions = serde_json::from_str(&row.next::<String>()?).map_err(StoreError::row)?;
    let filter = Filter { id, name, scope, condition, actions, enabled: row.next()? };
    Ok(StoredFilter {
        filter,
        position: row.next()?,
        hits: row.next()?,
        last_hit_at: row.next()?,
        created_at: row.next()?,
    })
}

/// The first seven values of a filter's row.
fn values(user: UserId, draft: &FilterDraft) -> Vec<Value> {
    let (category, feed) = match draft.scope {
        Scope::All => (None, None),
        Scope::Category(category) => (Some(category.0), None),
        Scope::Feed(feed) => (None, Some(feed.0)),
    };
    vec![
        user.0.into(),
        draft.name.as_str().into(),
        category.into(),
        feed.into(),
        as_json(&draft.condition),
        as_json(&draft.actions),
        draft.enabled.into(),
    ]
}

fn as_json<T: serde::Serialize>(value: &T) -> Value {
    crate::codes::payload(&serde_json::to_value(value).expect("plain data has a JSON form"))
}

impl Store {
    /// A user's filters in their order.
    pub async fn filters(&self, user: UserId) -> Result<Vec<StoredFilter>, StoreError> {
        self.read_all(&LIST, vec![user.0.into()], stored).await
    }

    /// Adds a filter at the end. One about a category that is not the user's, or a feed that they may not see, is not found.
    pub async fn add_filter(&self, user: UserId, draft: &FilterDraft, now: Timestamp) -> Result<FilterId, StoreError> {
        let mut batch = Batch::default();
        batch.step(&BEGIN, vec![vec![user.0.into()]]);
        batch.step(&ADD, vec![[values(user, draft), vec![now.into()]].concat()]);
        let added = self.write(batch).await?.pop().expect("two steps").records;
        if added.is_empty() {
            return Err(StoreError::NotFound { what: "scope of filter", name: draft.name.clone() });
        }
        returned_id(added).map(FilterId)
    }

    /// Changes a filter. `false` if there is none, or its scope is not the user's.
    pub async fn change_filter(&self, user: UserId, id: FilterId, draft: &FilterDraft) -> Result<bool, StoreError> {
        let mut batch = Batch::default();
        batch.step(&BEGIN, vec![vec![user.0.into()]]);
        batch.step(&UPDATE, vec![[values(user, draft), vec![id.0.into()]].concat()]);
        Ok(self.write(batch).await?.pop().expect("two steps").written > Some(0))
    }

    /// Forgets a filter; what it did stays. `false` if there is none.
    pub async fn delete_filter(&self, user: UserId, id: FilterId) -> Result<bool, StoreError> {
        Ok(self.write_counted(&DELETE, vec![user.0.into(), id.0.into()]).await? > 0)
    }

    /// Puts a user's filters in this order; those that are not named stay where they are.
    pub async fn order_filters(&self, user: UserId, order: &[FilterId]) -> Result<(), StoreError> {
        let mut batch = Batch::default();
        let row = |(at, id): (usize, &FilterId)| vec![user.0.into(), id.0.into(), (at as i64).into()];
        batch.step(&MOVE, order.iter().enumerate().map(row).collect());
        if batch.steps.is_empty() { Ok(()) } else { self.write(batch).await.map(|_| ()) }
    }

    /// Up to which entry everything went through a user's filters; `None` if they never had one.
    pub async fn filtered_upto(&self, user: UserId) -> Result<Option<EntryId>, StoreError> {
        self.read_first(&CURSOR, vec![user.0.into()], |row| row.next().map(EntryId)).await
    }

    /// Users with filters that are enabled whose cursor is before an entry.
    pub async fn users_behind_filters(&self, upto: EntryId, limit: u32) -> Result<Vec<UserId>, StoreError> {
        self.read_all(&BEHIND, vec![upto.0.into(), limit.into()], |row| row.next().map(UserId)).await
    }

    /// Writes what a run of a user's filters did to the entries after `from`, up to `to`, in one transaction. `false` if the
    /// cursor is not at `from` any more: nothing was written.
    pub async fn finish_filter_run(
        &self,
        user: UserId,
        (from, to): (EntryId, EntryId),
        run: &FilterRun,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        let mut batch = Batch::default();
        batch.fence(&ADVANCE, vec![user.0.into(), from.0.into(), to.0.into()]);
        for (entries, mark) in [(&run.read, Mark::Read), (&run.muted, Mark::Muted)] {
            if !entries.is_empty() {
                read_state::mark(&mut batch, user, entries, mark, now);
            }
        }
        for (entry, link) in &run.starred {
            bookmarks::star_step(&mut batch, user, *entry, link.as_deref(), now);
        }
        tags::tag_more(&mut batch, user, &run.tagged, now);
        let row = |(id, hits): (&FilterId, &u64)| vec![user.0.into(), id.0.into(), (*hits).into(), now.into()];
        batch.step(&HIT, run.hits.iter().map(row).collect());
        self.write_if(batch).await
    }
}
