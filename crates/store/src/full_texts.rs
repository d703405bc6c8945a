//! Full texts: what the page of an entry says where its feed has only the beginning; shared by all who read the feed.
//!
//! `reader::full_text` fetches and extracts. `entries.full_text` says in the narrow table that there is one; retention
//! clears both.

use crate::StoreError;
use crate::db::batch::Batch;
use crate::db::sql::{Text, statements};
use crate::db::value::Record;
use crate::store::Store;
use crate::viewer::sees_living_feed;
use crate::{index, jobs};
use jiff::Timestamp;
use model::job::NewJob;
use model::{EntryId, Viewer};

statements! {
    GET(Int, Int) = Text::One(concat!(
        "SELECT b.full_text, e.full_text_tried_at, b.full_text_error
         FROM entries e JOIN entry_bodies b ON b.entry_id = e.id
         WHERE e.id = $1 AND ", sees_living_feed!("e.feed_id", "$2")));
    /// Entries after $1, up to $2, whose page was not tried and is wanted by a subscriber as soon as they arrive.
    WANTED(Int, Int, Int) = Text::One(
        "SELECT e.id FROM entries e
         WHERE e.id > $1 AND e.id <= $2 AND e.full_text_tried_at IS NULL AND e.link IS NOT NULL
             AND EXISTS (SELECT 1 FROM subscriptions s
                         WHERE s.feed_id = e.feed_id AND s.full_text = 'always' AND s.hidden_at IS NULL)
         ORDER BY e.id LIMIT $3");
    /// The fence: an entry that was deleted meanwhile gets nothing.
    NOTE(Int, Bool, Int) = Text::One("UPDATE entries SET full_text = full_text OR $2, full_text_tried_at = $3 WHERE id = $1");
    PUT(Int, Text) = Text::One("UPDATE entry_bodies SET full_text = $2, full_text_error = NULL WHERE entry_id = $1");
    FAIL(Int, Text) = Text::One("UPDATE entry_bodies SET full_text_error = $2 WHERE entry_id = $1");
}

/// An error may be no longer than this.
const LONGEST_ERROR: usize = 500;

/// What is known of the page of an entry.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FullTextState {
    /// Cleaned HTML.
    pub html: Option<String>,
    /// When the page was asked last.
    pub tried_at: Option<Timestamp>,
    /// Why the last try brought nothing.
    pub error: Option<String>,
}

impl Store {
    /// The full text of an entry, or how the last try ended.
    pub async fn full_text(&self, viewer: Viewer, entry: EntryId) -> Result<FullTextState, StoreError> {
        let state =
            |row: &mut Record| Ok(FullTextState { html: row.next()?, tried_at: row.next()?, error: row.next()? });
        let found = self.read_first(&GET, vec![entry.0.into(), viewer.into()], state).await?;
        found.ok_or_else(|| StoreError::NotFound { what: "entry", name: entry.to_string() })
    }

    /// Entries after one, up to another, whose pages are wanted as soon as they arrive.
    pub(crate) async fn wanted_on_arrival(
        &self,
        (after, upto): (EntryId, EntryId),
        limit: u32,
    ) -> Result<Vec<EntryId>, StoreError> {
        let row = vec![after.0.into(), upto.0.into(), limit.into()];
        self.read_all(&WANTED, row, |row| row.next().map(EntryId)).await
    }

    /// Keeps the full text of an entry, lets the index know, and asks for the jobs that follow. `false` if the entry is gone.
    pub async fn put_full_text(
        &self,
        entry: EntryId,
        html: &str,
        next: &[NewJob],
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        let mut batch = Batch::default();
        batch.fence(&NOTE, vec![entry.0.into(), true.into(), now.into()]);
        batch.step(&PUT, vec![vec![entry.0.into(), html.into()]]);
        index::queue(&mut batch, [entry].into_iter());
        if !next.is_empty() {
            jobs::enqueue(&mut batch, next, now);
        }
        self.write_if(batch).await
    }

    /// Notes that the page of an entry brought nothing; a full text that is there stays. `false` if the entry is gone.
    pub async fn note_full_text_failure(
        &self,
        entry: EntryId,
        error: &str,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        let mut batch = Batch::default();
        batch.fence(&NOTE, vec![entry.0.into(), false.into(), now.into()]);
        let error = &error[..error.floor_char_boundary(LONGEST_ERROR)];
        batch.step(&FAIL, vec![vec![entry.0.into(), error.into()]]);
        self.write_if(batch).await
    }
}
