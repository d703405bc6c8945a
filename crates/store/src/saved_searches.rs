//! Saved searches: queries that a user keeps under a name. They are run by whoever reads them; nothing is searched here.

use crate::StoreError;
use crate::db::batch::Batch;
use crate::db::sql::{Text, statements};
use crate::db::value::{Record, returned_id};
use crate::store::Store;
use crate::tags::{Renamed, folded};
use jiff::Timestamp;
use model::library::SavedSearch;
use model::{SavedSearchId, UserId};

statements! {
    LIST(Int) = Text::One(
        "SELECT id, name, query, position, created_at FROM saved_searches WHERE user_id = $1 ORDER BY position, id");
    /// At the end of the list.
    ADD(Int, Text, Text, Text, Int) = Text::One(
        "INSERT INTO saved_searches (user_id, name, folded, query, position, created_at)
         VALUES ($1, $2, $3, $4, (SELECT coalesce(max(position), -1) + 1 FROM saved_searches WHERE user_id = $1), $5)
         ON CONFLICT (user_id, folded) DO NOTHING RETURNING id");
    UPDATE(Int, Int, Text, Text, Text) = Text::One(
        "UPDATE saved_searches SET name = coalesce($3, name), folded = coalesce($4, folded), query = coalesce($5, query)
         WHERE user_id = $1 AND id = $2");
    DELETE(Int, Int) = Text::One("DELETE FROM saved_searches WHERE user_id = $1 AND id = $2");
    MOVE(Int, Int, Int) = Text::Rows("UPDATE saved_searches SET position = $3 WHERE user_id = $1 AND id = $2");
}

fn saved_search(row: &mut Record) -> Result<SavedSearch, StoreError> {
    Ok(SavedSearch {
        id: SavedSearchId(row.next()?),
        name: row.next()?,
        query: row.next()?,
        position: row.next()?,
        created_at: row.next()?,
    })
}

impl Store {
    /// A user's searches in their order.
    pub async fn saved_searches(&self, user: UserId) -> Result<Vec<SavedSearch>, StoreError> {
        self.read_all(&LIST, vec![user.0.into()], saved_search).await
    }

    /// Keeps a search, at the end of the list. `None` if another one has the name.
    pub async fn add_saved_search(
        &self,
        user: UserId,
        name: &str,
        query: &str,
        now: Timestamp,
    ) -> Result<Option<SavedSearchId>, StoreError> {
        let row = vec![user.0.into(), name.into(), folded(name).into(), query.into(), now.into()];
        let added = self.write_one(&ADD, row).await?;
        if added.is_empty() { Ok(None) } else { returned_id(added).map(|id| Some(SavedSearchId(id))) }
    }

    /// Changes the name or the query of a search; `None` leaves it.
    pub async fn change_saved_search(
        &self,
        user: UserId,
        id: SavedSearchId,
        name: Option<&str>,
        query: Option<&str>,
    ) -> Result<Renamed, StoreError> {
        let row = vec![user.0.into(), id.0.into(), name.into(), name.map(folded).into(), query.into()];
        Renamed::by(self.write_counted(&UPDATE, row).await)
    }

    /// Forgets a search. `false` if there is none.
    pub async fn delete_saved_search(&self, user: UserId, id: SavedSearchId) -> Result<bool, StoreError> {
        Ok(self.write_counted(&DELETE, vec![user.0.into(), id.0.into()]).await? > 0)
    }

    /// Puts a user's searches in this order; those that are not named stay where they are.
    pub async fn order_saved_searches(&self, user: UserId, order: &[SavedSearchId]) -> Result<(), StoreError> {
        let mut batch = Batch::default();
        let row = |(at, id): (usize, &SavedSearchId)| vec![user.0.into(), id.0.into(), (at as i64).into()];
        batch.step(&MOVE, order.iter().enumerate().map(row).collect());
        if batch.steps.is_empty() { Ok(()) } else { self.write(batch).await.map(|_| ()) }
    }
}
