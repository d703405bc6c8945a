//! Keeping the search index up to date: what it does not know yet, and writing that.
//!
//! Ids of entries are given out in the order of their commits, so that new entries need no queue: the index says up to
//! which id it has come. Only changes and deletions are queued, in the transaction that makes them. Who indexes reads the
//! index's token first and the entries after it; the write moves the token and is refused if somebody else wrote in
//! between: an older text can never replace a newer one. Queue rows go last; a crash before that repeats some work.
//!
//! Invariant: nothing here is the only copy of anything. An index that is lost, damaged or of another database (a backup
//! was restored beside it) is emptied and built again.

use crate::StoreError;
use crate::batch::{Batch, Refused};
use crate::codes::from_json;
use crate::search::IndexDocument;
use crate::sql::{Text, statements};
use crate::store::Store;
use crate::value::{Record, Value};
use model::{EntryId, FeedId};

/// What a part of the backlog holds at most, unless one entry alone is larger.
const PART_BYTES: i64 = 8 << 20;
/// Changes are few; new entries get the rest of a part.
const QUEUED: u32 = 50;

macro_rules! texts {
    () => {
        "SELECT e.id, e.feed_id, e.title, e.author, e.first_seen_at, b.categories, coalesce(b.content, b.summary)
         FROM entries e JOIN entry_bodies b ON b.entry_id = e.id "
    };
}

statements! {
    QUEUE(Int) = Text::Rows("INSERT INTO index_queue (entry_id) VALUES ($1)");
    QUEUED_ENTRIES(Int) = Text::One("SELECT id, entry_id FROM index_queue ORDER BY id LIMIT $1");
    UNQUEUE(Int) = Text::Rows("DELETE FROM index_queue WHERE id = $1");
    /// New entries and how large they are.
    SIZES(Int, Int) = Text::One(
        "SELECT e.id, coalesce(octet_length(coalesce(b.content, b.summary)), 0)
         FROM entries e JOIN entry_bodies b ON b.entry_id = e.id WHERE e.id > $1 ORDER BY e.id LIMIT $2");
    TEXTS(Int, Int) = Text::One(concat!(texts!(), "WHERE e.id > $1 AND e.id <= $2 ORDER BY e.id"));
    TEXT(Int) = Text::Rows(concat!(texts!(), "WHERE e.id = $1"));
    /// Whether entry $1 is there, when it was seen first, and how far ids have come.
    LAST(Int) = Text::One("SELECT entries, (SELECT first_seen_at FROM entries WHERE id = $1) FROM arrival");
    STATE() = Text::One("SELECT token, upto, seen_at FROM search_state");
    /// The fence of every write.
    ADVANCE(Int, Int, Int) = Text::One(
        "UPDATE search_state SET token = token + 1, upto = $2, seen_at = $3 WHERE token = $1");
    PUT(Int, Text) = Text::Two {
        sqlite: "INSERT OR REPLACE INTO entry_search (rowid, terms) VALUES ($1, $2)",
        postgres: "INSERT INTO entry_search (entry_id, tsv) VALUES ($1, CAST($2 AS tsvector))
                   ON CONFLICT (entry_id) DO UPDATE SET tsv = excluded.tsv" };
    REMOVE(Int) = Text::Two {
        sqlite: "DELETE FROM entry_search WHERE rowid = $1",
        postgres: "DELETE FROM entry_search WHERE entry_id = $1" };
    CLEAR() = Text::Two {
        sqlite: "INSERT INTO entry_search (entry_search) VALUES ('delete-all')",
        postgres: "DELETE FROM entry_search" };
}

/// Adds the step that lets the index know that entries changed or are gone.
pub(crate) fn queue(batch: &mut Batch, entries: impl Iterator<Item = EntryId>) {
    batch.step(&QUEUE, entries.map(|entry| vec![entry.0.into()]).collect());
}

/// A part of what the index does not know yet.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Backlog {
    /// What is new or changed.
    pub entries: Vec<Unindexed>,
    gone: Vec<EntryId>,
    queued: Vec<i64>,
    token: i64,
    upto: i64,
    seen_at: Option<i64>,
}

impl Backlog {
    /// Whether the index is up to date.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty() && self.queued.is_empty()
    }
}

/// An entry as it is stored; whoever indexes makes plain text of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unindexed {
    /// Which.
    pub entry: EntryId,
    /// Whose.
    pub feed: FeedId,
    /// Plain text.
    pub title: Option<String>,
    /// Plain text.
    pub author: Option<String>,
    /// Plain texts.
    pub categories: Vec<String>,
    /// The content, else the summary.
    pub html: Option<String>,
    seen_at: i64,
}

/// What became of writing to the index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Indexed {
    /// So many entries were written or removed.
    Done(usize),
    /// Somebody else was faster: nothing was written.
    Overtaken,
}

fn unindexed(row: &mut Record) -> Result<Unindexed, StoreError> {
    let (entry, feed) = (EntryId(row.next()?), FeedId(row.next()?));
    let (title, author, seen_at) = (row.next()?, row.next()?, row.next()?);
    Ok(Unindexed { entry, feed, title, author, seen_at, categories: from_json(row.next()?)?, html: row.next()? })
}

struct State {
    token: i64,
    upto: i64,
    seen_at: Option<i64>,
}

impl Store {
    /// What the index does not know yet: changes first, then up to `limit` new entries of some MiB together.
    pub async fn backlog(&self, limit: u32) -> Result<Backlog, StoreError> {
        let mut state = self.search_state().await?;
        if !self.is_index_of_this(&state).await? {
            tracing::warn!("the search index is of another database or of a later state of it: it is built again");
            self.forget_index().await?;
            state = self.search_state().await?;
        }
        let pair = |row: &mut Record| Ok((row.next::<i64>()?, row.next::<i64>()?));
        let rows = self.read_all(&QUEUED_ENTRIES, vec![QUEUED.into()], pair).await?;
        let queued = rows.iter().map(|(id, _)| *id).collect();
        let mut changed: Vec<i64> = rows.into_iter().map(|(_, entry)| entry).collect();
        changed.sort_unstable();
        changed.dedup();
        let texts = changed.iter().map(|entry| vec![(*entry).into()]).collect();
        let mut entries = self.read_each(&TEXT, texts, unindexed).await?;
        let gone = changed.into_iter().map(EntryId).filter(|id| !entries.iter().any(|found| found.entry == *id));
        let gone = gone.collect();

        let sizes = self.read_all(&SIZES, vec![state.upto.into(), limit.into()], pair).await?;
        let mut bytes = 0;
        let part = sizes.iter().take_while(|(_, size)| {
            let fits = bytes == 0 || bytes + size <= PART_BYTES;
            bytes += size;
            fits
        });
        if let Some((last, _)) = part.last() {
            let new = self.read_all(&TEXTS, vec![state.upto.into(), (*last).into()], unindexed).await?;
            state.upto = *last;
            state.seen_at = new.last().filter(|entry| entry.entry.0 == *last).map(|entry| entry.seen_at);
            entries.extend(new);
        }
        let State { token, upto, seen_at } = state;
        Ok(Backlog { entries, gone, queued, token, upto, seen_at })
    }

    /// Writes a part of the backlog; `documents` are its entries as plain text.
    pub async fn index(&self, backlog: Backlog, documents: &[IndexDocument]) -> Result<Indexed, StoreError> {
        let mut batch = Batch::default();
        let Backlog { gone, queued, token, upto, seen_at, .. } = backlog;
        batch.fence(&ADVANCE, vec![token.into(), upto.into(), seen_at.into()]);
        batch.step(&REMOVE, gone.iter().map(|entry| vec![entry.0.into()]).collect());
        let put = |document: &IndexDocument| -> Vec<Value> {
            vec![document.entry.0.into(), document.terms(self.dialect()).into()]
        };
        batch.step(&PUT, documents.iter().map(put).collect());
        match self.search_write(batch).await {
            Ok(_) => {}
            Err(Refused::Stale) => return Ok(Indexed::Overtaken),
            Err(Refused::Failed(error)) => return Err(error),
        }
        let mut batch = Batch::default();
        batch.step(&UNQUEUE, queued.into_iter().map(|id| vec![id.into()]).collect());
        if !batch.steps.is_empty() {
            self.write(batch).await?;
        }
        Ok(Indexed::Done(documents.len() + gone.len()))
    }

    /// Empties the index: all entries are indexed anew.
    pub async fn forget_index(&self) -> Result<(), StoreError> {
        let token = self.search_state().await?.token;
        let mut batch = Batch::default();
        batch.fence(&ADVANCE, vec![token.into(), 0i64.into(), Value::Null]);
        batch.step(&CLEAR, vec![vec![]]);
        match self.search_write(batch).await {
            // Whoever was faster may have emptied it as well; if not, it is noticed again.
            Ok(_) | Err(Refused::Stale) => Ok(()),
            Err(Refused::Failed(error)) => Err(error),
        }
    }

    /// Up to which entry the index has come.
    pub(crate) async fn indexed_upto(&self) -> Result<i64, StoreError> {
        Ok(self.search_state().await?.upto)
    }

    async fn search_state(&self) -> Result<State, StoreError> {
        let rows = self.search_read(&STATE, vec![]).await?;
        let mut row = rows.into_iter().next().ok_or_else(|| StoreError::row("the search index has no state"))?;
        Ok(State { token: row.next()?, upto: row.next()?, seen_at: row.next()? })
    }

    /// Whether the last entry it knows is the one that has this id here.
    async fn is_index_of_this(&self, state: &State) -> Result<bool, StoreError> {
        if state.upto == 0 {
            return Ok(true);
        }
        let last = |row: &mut Record| Ok((row.next::<i64>()?, row.next::<Option<i64>>()?));
        let (arrived, seen_at) = self.read_first(&LAST, vec![state.upto.into()], last).await?.unwrap_or((0, None));
        // An entry that was purged since leaves nothing to compare.
        Ok(state.upto <= arrived && (seen_at.is_none() || state.seen_at.is_none() || seen_at == state.seen_at))
    }
}
