//! Categories: a user's folders of subscriptions, one tree per user. Subscriptions themselves are `subscriptions.rs`.
//!
//! Every user has a permanent `Default` at the root. Whatever changes the shape of a tree first locks its user, so that
//! two changes at once cannot make a circle.

use crate::StoreError;
use crate::codes::json;
use crate::db::batch::Batch;
use crate::db::sql::{Text, both, json_ids, statements};
use crate::db::value::{Record, returned_id};
use crate::store::Store;
use jiff::Timestamp;
use model::reader::Category;
use model::{CategoryId, UserId};

/// Whether a category is the permanent one of its user.
macro_rules! is_default {
    () => {
        "parent_id IS NULL AND name = 'Default'"
    };
}

macro_rules! delete_empty {
    ($dialect:ident) => {
        concat!(
            "DELETE FROM categories WHERE user_id = $1 AND NOT (",
            is_default!(),
            ") AND id IN ",
            json_ids!($dialect "$2"),
            " AND NOT EXISTS (SELECT 1 FROM subscriptions s WHERE s.category_id = categories.id)
              AND NOT EXISTS (SELECT 1 FROM filters f WHERE f.category_id = categories.id)
              AND NOT EXISTS (SELECT 1 FROM categories c WHERE c.parent_id = categories.id)"
        )
    };
}

/// Subscriptions that were ended do not keep a category: where there are no others, they go to the permanent one.
macro_rules! clear_hidden {
    ($dialect:ident) => {
        concat!(
            "UPDATE subscriptions SET category_id = (SELECT id FROM categories WHERE user_id = $1 AND ",
            is_default!(),
            ") WHERE user_id = $1 AND hidden_at IS NOT NULL AND category_id IN ",
            json_ids!($dialect "$2"),
            " AND NOT EXISTS (SELECT 1 FROM subscriptions o
                              WHERE o.category_id = subscriptions.category_id AND o.hidden_at IS NULL)"
        )
    };
}

statements! {
    LIST(Int) = Text::One(
        "SELECT id, user_id, parent_id, name, position, created_at FROM categories
         WHERE user_id = $1 ORDER BY coalesce(parent_id, 0), position, id");
    DEFAULT(Int) = Text::One(concat!("SELECT id FROM categories WHERE user_id = $1 AND ", is_default!()));
    /// Returns the category whether it was there or not.
    FIND_OR_ADD(Int, Int, Text, Int) = Text::One(
        "INSERT INTO categories (user_id, parent_id, name, position, created_at)
         VALUES ($1, $2, $3, (SELECT count(*) FROM categories WHERE user_id = $1), $4)
         ON CONFLICT (user_id, coalesce(parent_id, 0), name) DO UPDATE SET name = excluded.name RETURNING id");
    /// Nothing where the parent is not the user's.
    ADD(Int, Int, Text, Int) = Text::One(
        "INSERT INTO categories (user_id, parent_id, name, position, created_at)
         SELECT $1, $2, $3, (SELECT count(*) FROM categories WHERE user_id = $1), $4 FROM users
         WHERE id = $1 AND ($2 IS NULL OR $2 IN (SELECT id FROM categories WHERE user_id = $1)) RETURNING id");
    HOLD_USER(Int) = Text::Two {
        sqlite: "SELECT id FROM users WHERE id = $1",
        postgres: "SELECT id FROM users WHERE id = $1 FOR UPDATE",
    };
    RENAME(Int, Int, Text) = Text::One(concat!(
        "UPDATE categories SET name = $3 WHERE user_id = $1 AND id = $2 AND (name = $3 OR NOT (", is_default!(), "))"));
    /// Not below itself, nor below what is below it.
    MOVE(Int, Int, Int) = Text::One(concat!(
        "UPDATE categories SET parent_id = $3
         WHERE user_id = $1 AND id = $2 AND NOT (", is_default!(), ")
           AND ($3 IS NULL OR ($3 IN (SELECT id FROM categories WHERE user_id = $1) AND NOT EXISTS (
                WITH RECURSIVE above (id) AS (
                    SELECT CAST($3 AS BIGINT)
                    UNION SELECT c.parent_id FROM categories c JOIN above a ON c.id = a.id WHERE c.parent_id IS NOT NULL)
                SELECT 1 FROM above a WHERE a.id = $2)))"));
    PLACE(Int, Int, Int) = Text::Rows("UPDATE categories SET position = $3 WHERE user_id = $1 AND id = $2");
    FILE_UNDER_DEFAULT(Int, Int) = Text::One(concat!(
        "UPDATE subscriptions SET category_id = (SELECT id FROM categories WHERE user_id = $1 AND ", is_default!(), ")
         WHERE user_id = $1 AND category_id = $2"));
    /// Children go up one level; one whose name is taken there gets its id behind it.
    LIFT_CHILDREN(Int, Int) = Text::One(
        "UPDATE categories SET parent_id = (SELECT p.parent_id FROM categories p WHERE p.id = $2),
                name = CASE WHEN EXISTS (
                    SELECT 1 FROM categories o WHERE o.user_id = $1 AND o.name = categories.name AND o.id <> categories.id
                      AND coalesce(o.parent_id, 0) = (SELECT coalesce(p.parent_id, 0) FROM categories p WHERE p.id = $2))
                THEN name || ' (' || id || ')' ELSE name END
         WHERE user_id = $1 AND parent_id = $2");
    DELETE(Int, Int) = Text::One(concat!(
        "DELETE FROM categories WHERE user_id = $1 AND id = $2 AND NOT (", is_default!(), ")"));
    CLEAR_HIDDEN(Int, Json) = both!(clear_hidden);
    /// Those of categories $2 that have neither feeds nor children, and no filter is about.
    DELETE_EMPTY(Int, Json) = both!(delete_empty);
}

fn category(row: &mut Record) -> Result<Category, StoreError> {
    Ok(Category {
        id: CategoryId(row.next()?),
        user: UserId(row.next()?),
        parent: row.next::<Option<i64>>()?.map(CategoryId),
        name: row.next()?,
        position: row.next()?,
        created_at: row.next()?,
    })
}

/// Reads the rows of [`LIST`].
pub(crate) fn categories(rows: &mut [Record]) -> Result<Vec<Category>, StoreError> {
    rows.iter_mut().map(category).collect()
}

/// What became of a change of a category.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CategoryChange {
    /// It was made.
    Done,
    /// There is no such category of this user, the new parent is none of theirs or lies below the category, or it is the
    /// permanent one.
    Refused,
    /// A sibling has that name.
    NameTaken,
}

impl Store {
    /// A user's categories, siblings in their order.
    pub async fn categories(&self, user: UserId) -> Result<Vec<Category>, StoreError> {
        self.read_all(&LIST, vec![user.0.into()], category).await
    }

    /// A user's permanent category.
    pub async fn default_category(&self, user: UserId) -> Result<CategoryId, StoreError> {
        let found = self.read_first(&DEFAULT, vec![user.0.into()], |row| row.next().map(CategoryId)).await?;
        found.ok_or_else(|| StoreError::NotFound { what: "default category of user", name: user.to_string() })
    }

    /// Adds a category, or finds the one of that name in the same place.
    pub async fn add_category(
        &self,
        user: UserId,
        parent: Option<CategoryId>,
        name: &str,
        now: Timestamp,
    ) -> Result<CategoryId, StoreError> {
        let row = vec![user.0.into(), parent.map(|id| id.0).into(), name.into(), now.into()];
        returned_id(self.write_one(&FIND_OR_ADD, row).await?).map(CategoryId)
    }

    /// Adds a category that is not there yet; `Err` says why not.
    pub async fn new_category(
        &self,
        user: UserId,
        parent: Option<CategoryId>,
        name: &str,
        now: Timestamp,
    ) -> Result<Result<CategoryId, CategoryChange>, StoreError> {
        let row = vec![user.0.into(), parent.map(|id| id.0).into(), name.into(), now.into()];
        match self.write_one(&ADD, row).await {
            Ok(rows) if rows.is_empty() => Ok(Err(CategoryChange::Refused)),
            Ok(rows) => returned_id(rows).map(|id| Ok(CategoryId(id))),
            Err(StoreError::Conflict { .. }) => Ok(Err(CategoryChange::NameTaken)),
            Err(error) => Err(error),
        }
    }

    /// Renames a category, moves it below another (`Some(None)`: to the root), or both. The permanent one stays as it is.
    pub async fn change_category(
        &self,
        user: UserId,
        category: CategoryId,
        name: Option<&str>,
        parent: Option<Option<CategoryId>>,
    ) -> Result<CategoryChange, StoreError> {
        let mut batch = Batch::one(&HOLD_USER, vec![user.0.into()]);
        if let Some(name) = name {
            batch.step_exactly(1, &RENAME, vec![vec![user.0.into(), category.0.into(), name.into()]]);
        }
        if let Some(parent) = parent {
            let row = vec![user.0.into(), category.0.into(), parent.map(|id| id.0).into()];
            batch.step_exactly(1, &MOVE, vec![row]);
        }
        self.write_categories(batch).await
    }

    async fn write_categories(&self, batch: Batch) -> Result<CategoryChange, StoreError> {
        match self.write(batch).await {
            Ok(_) => Ok(CategoryChange::Done),
            Err(StoreError::RowCount { .. }) => Ok(CategoryChange::Refused),
            Err(StoreError::Conflict { .. }) => Ok(CategoryChange::NameTaken),
            Err(error) => Err(error),
        }
    }

    /// Gives categories their places among their siblings: all of them or, if one is not the user's, none.
    pub async fn place_categories(
        &self,
        user: UserId,
        places: &[(CategoryId, i64)],
    ) -> Result<CategoryChange, StoreError> {
        if places.is_empty() {
            return Ok(CategoryChange::Done);
        }
        let mut batch = Batch::one(&HOLD_USER, vec![user.0.into()]);
        let rows = places.iter().map(|(id, position)| vec![user.0.into(), id.0.into(), (*position).into()]);
        batch.step_exactly(places.len() as u64, &PLACE, rows.collect());
        self.write_categories(batch).await
    }

    /// Deletes a category: its feeds go to the permanent one, its children up one level.
    pub async fn delete_category(&self, user: UserId, category: CategoryId) -> Result<CategoryChange, StoreError> {
        let row = || vec![vec![user.0.into(), category.0.into()]];
        let mut batch = Batch::one(&HOLD_USER, vec![user.0.into()]);
        batch.step(&FILE_UNDER_DEFAULT, row());
        batch.step(&LIFT_CHILDREN, row());
        batch.step_exactly(1, &DELETE, row());
        self.write_categories(batch).await
    }

    /// Deletes those of these categories that are empty; returns how many.
    pub async fn delete_empty_categories(&self, user: UserId, those: &[CategoryId]) -> Result<u64, StoreError> {
        let ids: Vec<i64> = those.iter().map(|id| id.0).collect();
        if ids.is_empty() {
            return Ok(0);
        }
        self.write_one(&CLEAR_HIDDEN, vec![user.0.into(), json(&ids)]).await?;
        let mut deleted = 0;
        // A parent is empty once its children are gone.
        loop {
            let now = self.write_counted(&DELETE_EMPTY, vec![user.0.into(), json(&ids)]).await?;
            deleted += now;
            if now == 0 {
                return Ok(deleted);
            }
        }
    }
}
