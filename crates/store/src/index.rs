//! Keeping the search index up to date: what it does not know yet, and writing that.
//!
//! Ids of entries are given out in the order of their commits, so that new entries need no queue: the index says up to
//! which id it has come. Only changes and deletions are queued, in the transaction that makes them. An indexer reads the
//! index's token first and the entries after it; the write moves the token and is refused if another one wrote in between:
//! an older text can never replace a newer one. Queue rows are deleted last; a crash before that repeats some work.
//!
//! An entry that the database refuses is left out, with the reason in the log: it never holds up those behind it.
//!
//! Invariant: nothing here is the only copy of anything. An index that is lost, damaged or of another database (a backup
//! was restored beside it) is emptied and built again.

use crate::StoreError;
use crate::codes::from_json;
use crate::db::batch::{Batch, Refused};
use crate::db::sql::{Dialect, Text, statements};
use crate::db::value::{Record, Value};
use crate::search::{IndexDocument, counts};
use crate::store::Store;
use jiff::Timestamp;
use model::{EntryId, FeedId};
use std::collections::{HashMap, HashSet};

/// What a part of the backlog holds at most, unless one entry alone is larger.
const PART_BYTES: i64 = 8 << 20;
/// Changes in a part; new entries get the rest of it.
const QUEUED: u32 = 500;

/// What the feed says, and what the page says where it was fetched: an entry is found by the words of either.
macro_rules! html {
    () => {
        "CASE WHEN b.full_text IS NULL THEN coalesce(b.content, b.summary)
              ELSE coalesce(b.content, b.summary, '') || '<br>' || b.full_text END"
    };
}
macro_rules! texts {
    () => {
        concat!(
            "SELECT e.id, e.feed_id, e.sort_at, e.quiet, e.title, e.author, e.first_seen_at, b.categories, ",
            html!(),
            " FROM entries e JOIN entry_bodies b ON b.entry_id = e.id "
        )
    };
}
macro_rules! sizes {
    () => {
        "SELECT e.id, coalesce(octet_length(coalesce(b.content, b.summary)), 0) + coalesce(octet_length(b.full_text), 0)
         FROM entries e JOIN entry_bodies b ON b.entry_id = e.id "
    };
}

statements! {
    QUEUE(Int) = Text::Rows("INSERT INTO index_queue (entry_id) VALUES ($1)");
    QUEUED_ENTRIES(Int) = Text::One("SELECT id, entry_id FROM index_queue ORDER BY id LIMIT $1");
    UNQUEUE(Int) = Text::Rows("DELETE FROM index_queue WHERE id = $1");
    /// New entries and how large they are.
    SIZES(Int, Int) = Text::One(concat!(sizes!(), "WHERE e.id > $1 ORDER BY e.id LIMIT $2"));
    SIZE(Int) = Text::Rows(concat!(sizes!(), "WHERE e.id = $1"));
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
    /// What a search has to know of every hit, beside the index (SQLite): see `search_db::SCHEMA`.
    NOTE(Int, Int, Int, Bool) = Text::Two {
        sqlite: "INSERT OR REPLACE INTO search_entries (id, feed_id, sort_at, quiet) VALUES ($1, $2, $3, $4)",
        postgres: "SELECT $1, $2, $3, $4" };
    FORGET(Int) = Text::Two {
        sqlite: "DELETE FROM search_entries WHERE id = $1",
        postgres: "SELECT $1" };
    COUNT(Text, Int) = Text::Rows(
        "INSERT INTO search_words (word, entries) VALUES ($1, $2)
         ON CONFLICT (word) DO UPDATE SET entries = search_words.entries + excluded.entries");
    /// Merges what waits into the index: every search reads it otherwise.
    MERGE() = Text::Two {
        sqlite: "SELECT 0",
        postgres: "SELECT gin_clean_pending_list('entry_search_tsv')" };
    CLEAR_WORDS() = Text::One("DELETE FROM search_words");
    CLEAR_NOTES() = Text::Two {
        sqlite: "DELETE FROM search_entries",
        postgres: "SELECT 0" };
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
    is_all: bool,
    before: State,
    upto: i64,
    seen_at: Option<i64>,
}

impl Backlog {
    /// Whether the index is up to date.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty() && self.queued.is_empty()
    }
}

/// An entry as it is stored; the caller makes plain text of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unindexed {
    /// Which.
    pub entry: EntryId,
    /// Whose.
    pub feed: FeedId,
    /// Its date in lists.
    pub sort_at: Timestamp,
    /// Whether it was there before anybody followed the feed.
    pub quiet: bool,
    /// Plain text.
    pub title: Option<String>,
    /// Plain text.
    pub author: Option<String>,
    /// Plain texts.
    pub categories: Vec<String>,
    /// The content, else the summary; then the full text, if there is one.
    pub html: Option<String>,
    seen_at: i64,
}

/// The result of writing to the index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Indexed {
    /// This many entries were written or removed, and that was all.
    Done(usize),
    /// This many were, and there are more.
    Part(usize),
    /// Another indexer wrote meanwhile: nothing was written.
    Overtaken,
}

fn unindexed(row: &mut Record) -> Result<Unindexed, StoreError> {
    let (entry, feed) = (EntryId(row.next()?), FeedId(row.next()?));
    let (sort_at, quiet) = (row.next()?, row.next()?);
    let (title, author, seen_at) = (row.next()?, row.next()?, row.next()?);
    let categories = from_json(row.next()?).unwrap_or_else(|error| {
        tracing::warn!(entry.id = entry.0, %error, "the categories of an entry cannot be read: it is found without them");
        Vec::new()
    });
    Ok(Unindexed { entry, feed, sort_at, quiet, title, author, seen_at, categories, html: row.next()? })
}

fn note(document: &IndexDocument) -> Vec<Value> {
    let IndexDocument { entry, feed, sort_at, quiet, .. } = document;
    vec![entry.0.into(), feed.0.into(), (*sort_at).into(), (*quiet).into()]
}

/// How far the index has come.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct State {
    token: i64,
    upto: i64,
    seen_at: Option<i64>,
}

/// Whether a part is all there is.
#[derive(PartialEq, Eq)]
enum Rest {
    Nothing,
    More,
}

fn pair(row: &mut Record) -> Result<(i64, i64), StoreError> {
    Ok((row.next()?, row.next()?))
}

/// What a part may still hold.
struct Room(i64);

impl Room {
    /// Whether this many bytes fit. The first entry always fits: else it would never be read.
    fn takes(&mut self, bytes: i64) -> bool {
        let fits = self.0 == PART_BYTES || bytes <= self.0;
        self.0 -= bytes.max(1);
        fits
    }
}

impl Store {
    /// What the index does not know yet: some changes, then up to `limit` new entries, of some MiB together.
    pub(crate) async fn backlog(&self, limit: u32) -> Result<Backlog, StoreError> {
        let mut state = self.search_state().await?;
        if !self.is_index_of_this(&state).await? {
            tracing::warn!("the search index is of another database or of a later state of it: it is built again");
            self.forget_index().await?;
            state = self.search_state().await?;
        }
        let mut backlog = Backlog { before: state, upto: state.upto, seen_at: state.seen_at, ..Backlog::default() };
        let mut room = Room(PART_BYTES);
        let changes = self.changes(&mut backlog, &mut room).await?;

        let sizes = self.read_all(&SIZES, vec![state.upto.into(), limit.into()], pair).await?;
        let part: Vec<i64> = sizes.iter().take_while(|(_, size)| room.takes(*size)).map(|(id, _)| *id).collect();
        if let Some(last) = part.last() {
            let new = self.read_all(&TEXTS, vec![state.upto.into(), (*last).into()], unindexed).await?;
            backlog.upto = *last;
            backlog.seen_at = new.last().filter(|entry| entry.entry.0 == *last).map(|entry| entry.seen_at);
            backlog.entries.extend(new);
        }
        backlog.is_all = changes == Rest::Nothing && part.len() == sizes.len() && sizes.len() < limit as usize;
        Ok(backlog)
    }

    /// Adds changes to a part; returns whether there are more.
    async fn changes(&self, backlog: &mut Backlog, room: &mut Room) -> Result<Rest, StoreError> {
        let rows = self.read_all(&QUEUED_ENTRIES, vec![QUEUED.into()], pair).await?;
        let mut changed: Vec<i64> = rows.iter().map(|(_, entry)| *entry).collect();
        changed.sort_unstable();
        changed.dedup();
        let each = |entries: &[i64]| entries.iter().map(|entry| vec![(*entry).into()]).collect();
        let sizes: HashMap<i64, i64> = self.read_each(&SIZE, each(&changed), pair).await?.into_iter().collect();
        changed.retain(|entry| room.takes(sizes.get(entry).copied().unwrap_or(0)));
        backlog.entries = self.read_each(&TEXT, each(&changed), unindexed).await?;
        let found: HashSet<i64> = backlog.entries.iter().map(|entry| entry.entry.0).collect();
        backlog.gone = changed.iter().filter(|entry| !found.contains(entry)).map(|entry| EntryId(*entry)).collect();
        let taken = rows.iter().filter(|(_, entry)| changed.binary_search(entry).is_ok());
        backlog.queued = taken.map(|(id, _)| *id).collect();
        let is_all = rows.len() < QUEUED as usize && backlog.queued.len() == rows.len();
        Ok(if is_all { Rest::Nothing } else { Rest::More })
    }

    /// Writes a part of the backlog; `documents` are its entries as plain text.
    pub async fn index(&self, backlog: Backlog, documents: &[IndexDocument]) -> Result<Indexed, StoreError> {
        let Backlog { before, upto, seen_at, .. } = backlog;
        let after = State { token: before.token, upto, seen_at };
        let written = match self.write_documents(after, &backlog.gone, documents).await {
            Err(Refused::Failed(error)) if error.is_about_the_data() && !documents.is_empty() => {
                self.write_apart(before, after, backlog.gone, documents).await
            }
            result => result.map(|()| documents.len() + backlog.gone.len()),
        };
        let written = match written {
            Ok(written) => written,
            Err(Refused::Stale) => return Ok(Indexed::Overtaken),
            Err(Refused::Failed(error)) => return Err(error),
        };
        let mut batch = Batch::default();
        batch.step(&UNQUEUE, backlog.queued.into_iter().map(|id| vec![id.into()]).collect());
        if !batch.steps.is_empty() {
            self.write(batch).await?;
        }
        Ok(if backlog.is_all { Indexed::Done(written) } else { Indexed::Part(written) })
    }

    /// Brings the index to `after`, whose token is the one that was seen, in one transaction.
    async fn write_documents(
        &self,
        after: State,
        gone: &[EntryId],
        documents: &[IndexDocument],
    ) -> Result<(), Refused> {
        let mut batch = Batch::default();
        batch.fence(&ADVANCE, vec![after.token.into(), after.upto.into(), after.seen_at.into()]);
        batch.step(&REMOVE, gone.iter().map(|entry| vec![entry.0.into()]).collect());
        let put = |document: &IndexDocument| -> Vec<Value> {
            vec![document.entry.0.into(), document.terms(self.dialect()).into()]
        };
        batch.step(&PUT, documents.iter().map(put).collect());
        if self.dialect() == Dialect::Sqlite {
            batch.step(&FORGET, gone.iter().map(|entry| vec![entry.0.into()]).collect());
            batch.step(&NOTE, documents.iter().map(note).collect());
        }
        let counts = counts(documents);
        // What waits is merged once in as many entries as are counted once: it stays short, and merging is worth it.
        let merges = !counts.is_empty() && self.dialect() == Dialect::Postgres;
        batch.step(&COUNT, counts.into_iter().map(|(word, entries)| vec![word.into(), entries.into()]).collect());
        self.search_write(batch).await?;
        if merges && let Err(error) = self.search_read(&MERGE, vec![]).await {
            tracing::debug!(%error, "the search index could not be merged; the server does it in time");
        }
        Ok(())
    }

    /// The same in several transactions, after the database refused one because of its content: halves, and halves of halves,
    /// until the refused entry stands alone. It is left out of the index. The index reaches `after` only at the end, so that
    /// an interrupted run begins again.
    async fn write_apart(
        &self,
        mut before: State,
        after: State,
        mut gone: Vec<EntryId>,
        documents: &[IndexDocument],
    ) -> Result<usize, Refused> {
        let mut parts = vec![documents];
        let mut refused: Vec<(&IndexDocument, StoreError)> = Vec::new();
        while let Some(part) = parts.pop() {
            match (self.write_documents(before, &[], part).await, part) {
                (Ok(()), _) => before.token += 1,
                (Err(Refused::Failed(error)), [alone]) if error.is_about_the_data() => refused.push((alone, error)),
                (Err(Refused::Failed(error)), _) if error.is_about_the_data() => {
                    let (first, second) = part.split_at(part.len() / 2);
                    parts.extend([second, first]);
                }
                (Err(other), _) => return Err(other),
            }
        }
        let written = documents.len() - refused.len() + gone.len();
        let is_about_all = documents.len() > 1 && refused.len() == documents.len();
        // If many entries are refused and none is indexed, their content is not the cause.
        if is_about_all && let Some((_, error)) = refused.pop() {
            return Err(Refused::Failed(error));
        }
        if let Some((document, error)) = refused.first() {
            // One line for all of them: what strangers write must not decide how much is logged.
            let (entry, feed) = (document.entry.0, document.feed.0);
            tracing::warn!(entries = refused.len(), entry.id = entry, feed.id = feed, %error, "entries cannot be indexed: no word finds them");
        }
        gone.extend(refused.iter().map(|(document, _)| document.entry));
        self.write_documents(State { token: before.token, ..after }, &gone, &[]).await.map(|()| written)
    }

    /// Empties the index: all entries are indexed anew.
    pub async fn forget_index(&self) -> Result<(), StoreError> {
        let token = self.search_state().await?.token;
        let mut batch = Batch::default();
        batch.fence(&ADVANCE, vec![token.into(), 0i64.into(), Value::Null]);
        batch.step(&CLEAR, vec![vec![]]);
        if self.dialect() == Dialect::Sqlite {
            batch.step(&CLEAR_NOTES, vec![vec![]]);
        }
        batch.step(&CLEAR_WORDS, vec![vec![]]);
        match self.search_write(batch).await {
            // Another indexer may have emptied it as well; if not, it is noticed again.
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
