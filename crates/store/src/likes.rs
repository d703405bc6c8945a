//! Likes: what a user found good. A like belongs to its entry and goes with it; what is to be kept is a bookmark.

use crate::StoreError;
use crate::db::batch::Batch;
use crate::db::sql::{Text, statements};
use crate::db::value::Record;
use crate::store::Store;
use crate::viewer::sees_living_feed;
use jiff::Timestamp;
use model::{EntryId, UserId};
use std::collections::HashMap;

statements! {
    /// Returns when it was liked first.
    LIKE(Int, Int, Int) = Text::One(concat!(
        "INSERT INTO likes (user_id, entry_id, at) SELECT $1, e.id, $3 FROM entries e
         WHERE e.id = $2 AND ", sees_living_feed!("e.feed_id", "$1"), "
         ON CONFLICT (user_id, entry_id) DO UPDATE SET at = likes.at RETURNING at"));
    UNLIKE(Int, Int) = Text::One("DELETE FROM likes WHERE user_id = $1 AND entry_id = $2");
    LIKED(Int, Int) = Text::Rows("SELECT entry_id, at FROM likes WHERE user_id = $1 AND entry_id = $2");
    FORGET(Int) = Text::Rows("DELETE FROM likes WHERE entry_id = $1");
}

/// Adds the step that forgets the likes of entries that are deleted.
pub(crate) fn forget(batch: &mut Batch, entries: impl Iterator<Item = EntryId>) {
    batch.step(&FORGET, entries.map(|entry| vec![entry.0.into()]).collect());
}

impl Store {
    /// Likes an entry; returns since when. An entry that the user may not see is not found.
    pub async fn like(&self, user: UserId, entry: EntryId, now: Timestamp) -> Result<Timestamp, StoreError> {
        let mut rows = self.write_one(&LIKE, vec![user.0.into(), entry.0.into(), now.into()]).await?;
        let found = rows.first_mut().map(Record::next).transpose()?;
        found.ok_or_else(|| StoreError::NotFound { what: "entry", name: entry.to_string() })
    }

    /// Takes a like back. `false` if there was none.
    pub async fn unlike(&self, user: UserId, entry: EntryId) -> Result<bool, StoreError> {
        Ok(self.write_counted(&UNLIKE, vec![user.0.into(), entry.0.into()]).await? > 0)
    }

    /// Which of these entries the user likes, and since when.
    pub async fn liked(&self, user: UserId, entries: &[EntryId]) -> Result<HashMap<EntryId, Timestamp>, StoreError> {
        let rows = entries.iter().map(|entry| vec![user.0.into(), entry.0.into()]).collect();
        let pair = |row: &mut Record| Ok((EntryId(row.next()?), row.next()?));
        Ok(self.read_each(&LIKED, rows, pair).await?.into_iter().collect())
    }
}
