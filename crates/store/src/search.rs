//! Search: what entries are found by words, newest first or the best of the newest.
//!
//! `terms` cuts texts and queries, `query` reads what people type, `document` is what the index holds; `index.rs` keeps
//! it up to date. The index says which ids; whether the viewer may see them is asked of the entries themselves, so that
//! an index that lags behind shows nothing wrong.

mod document;
mod often;
mod query;
mod terms;

pub use document::IndexDocument;
pub(crate) use document::counts;

use crate::StoreError;
use crate::db::sql::{Dialect, Sql, Text, statements};
use crate::db::value::Record;
use crate::entries;
use crate::store::Store;
use model::entry::Entry;
use model::{EntryId, FeedId, Viewer};
use query::{End, Expression, Marks};
use std::collections::HashMap;

/// How many of the newest hits are ranked: a common word must not rank every hit.
const RANKED: usize = 2_000;
/// With this many times the hits that are asked for, a ranked search does not look for more among all entries.
const CHOICE: usize = 4;
/// How many terms of a query count for the rank.
const RANKING_TERMS: usize = 6;
/// A prefix whose words are in more entries than this stands for the most common of them. One entry in
/// [`document::SAMPLED`] is counted.
const MANY: i64 = 8_192 / document::SAMPLED;
/// A prefix then stands for this many of the most common words, if the query has only one prefix.
const COMMON: usize = 32;
/// How many of the newest documents are read for a phrase before the index is asked (PostgreSQL).
const WALKED: i64 = 1_024;
/// Hits are looked up in parts, at most this many for a page: other users' private entries must not cost without bound.
const ROUNDS: usize = 20;

/// What a user's search has to know of every hit (PostgreSQL).
macro_rules! dated {
    () => {
        " SELECT e.id, e.feed_id, e.sort_at, e.quiet FROM newest JOIN entries e ON e.id = newest.entry_id ORDER BY e.id DESC"
    };
}

statements! {
    /// The newest entries before $2 and from $4 on that match $1.
    HITS(Text, Int, Int, Int) = Text::Two {
        sqlite: "SELECT rowid FROM entry_search WHERE entry_search MATCH $1 AND rowid < $2 AND rowid >= $4
                 ORDER BY rowid DESC LIMIT $3",
        // Materialized: walking all ids from the end for a word that nobody says would take minutes.
        postgres: "WITH hits AS MATERIALIZED (SELECT entry_id FROM entry_search WHERE tsv @@ CAST($1 AS tsquery))
                   SELECT entry_id FROM hits WHERE entry_id < $2 AND entry_id >= $4 ORDER BY entry_id DESC LIMIT $3" };
    /// The same, with what a user's search has to know of every hit.
    DATED(Text, Int, Int, Int) = Text::Two {
        sqlite: "SELECT k.id, k.feed_id, k.sort_at, k.quiet
                 FROM entry_search CROSS JOIN search_entries k ON k.id = entry_search.rowid
                 WHERE entry_search MATCH $1 AND entry_search.rowid < $2 AND entry_search.rowid >= $4
                 ORDER BY entry_search.rowid DESC LIMIT $3",
        postgres: concat!("WITH hits AS MATERIALIZED (SELECT entry_id FROM entry_search WHERE tsv @@ CAST($1 AS tsquery)),
                          newest AS MATERIALIZED (
                              SELECT entry_id FROM hits WHERE entry_id < $2 AND entry_id >= $4
                              ORDER BY entry_id DESC LIMIT $3)", dated!()) };
    /// Entries from $2 on that match $1.
    HITS_FROM(Text, Int) = Text::Two {
        sqlite: "SELECT rowid FROM entry_search WHERE entry_search MATCH $1 AND rowid >= $2",
        postgres: "WITH hits AS MATERIALIZED (SELECT entry_id FROM entry_search WHERE tsv @@ CAST($1 AS tsquery))
                   SELECT entry_id FROM hits WHERE entry_id >= $2" };
    /// Of the newest $4 entries before $2 those that match $1: for what an index cannot decide (PostgreSQL).
    NEWEST(Text, Int, Int, Int) = Text::Two {
        sqlite: "SELECT rowid FROM entry_search WHERE entry_search MATCH $1 AND rowid < $2 AND rowid >= $2 - $4
                 ORDER BY rowid DESC LIMIT $3",
        postgres: "WITH newest AS MATERIALIZED (
                       SELECT entry_id, tsv FROM entry_search WHERE entry_id < $2 ORDER BY entry_id DESC LIMIT $4)
                   SELECT entry_id FROM newest WHERE tsv @@ CAST($1 AS tsquery) LIMIT $3" };
    /// The $3 most common words from $1 up to $2, and in how many counted entries all of them are.
    WORDS(Text, Text, Int) = Text::One(
        "SELECT word, CAST(sum(entries) OVER () AS BIGINT) FROM search_words WHERE word >= $1 AND word < $2
         ORDER BY entries DESC, word LIMIT $3");
}

/// What to look for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SearchQuery {
    /// As a person typed it: words that must all be there, `"a phrase"`, `-without`, `begin*`.
    pub words: String,
    /// Only this feed's entries.
    pub feed: Option<FeedId>,
    /// In which order.
    pub order: SearchOrder,
    /// Only what arrived before, for the next page. Ranked hits are one page.
    pub before: Option<EntryId>,
    /// At most this many.
    pub limit: u32,
}

/// In which order hits come.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum SearchOrder {
    /// What arrived last comes first.
    #[default]
    Newest,
    /// Of the newest few thousand hits, those first that have the words in the title or say them often.
    Ranked,
}

/// What was found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SearchPage {
    /// The entries.
    pub entries: Vec<Entry>,
    /// Ask again with it as `before`; `None` at the end.
    pub next: Option<EntryId>,
}

impl Store {
    /// Finds entries. No text is a wrong query; one without a word finds nothing.
    pub async fn search(&self, viewer: Viewer, query: &SearchQuery) -> Result<SearchPage, StoreError> {
        let mut expression = query::expression(&query.words);
        if expression.is_empty() || query.limit == 0 {
            return Ok(SearchPage::default());
        }
        self.choose_words(&mut expression).await?;
        match query.order {
            SearchOrder::Newest => self.newest(viewer, query, &expression).await,
            SearchOrder::Ranked => self.ranked(viewer, query, &expression).await,
        }
    }

    /// The newest entries that have the words, whoever may see them, the last to arrive first.
    pub(crate) async fn newest_hits(
        &self,
        words: &str,
        feed: Option<FeedId>,
        most: usize,
    ) -> Result<Vec<Hit>, StoreError> {
        let mut expression = query::expression(words);
        if expression.is_empty() {
            return Ok(Vec::new());
        }
        self.choose_words(&mut expression).await?;
        let hit = |row: &mut Record| {
            Ok(Hit { entry: row.next()?, feed: row.next()?, sort_at: row.next()?, quiet: row.next()? })
        };
        self.hits_by(&DATED, hit, &expression, feed, None, Wanted { most, enough: most }).await
    }

    /// Says which words beginnings stand for, where every word would be too many: both databases gather all hits of a
    /// beginning before they give the first.
    async fn choose_words(&self, expression: &mut Expression) -> Result<(), StoreError> {
        let share = COMMON / expression.beginnings().count().clamp(1, COMMON / 4);
        for (begin, end) in expression.beginnings() {
            let upto = format!("{begin}{}", char::MAX);
            let rows = self.search_read(&WORDS, vec![begin.into(), upto.into(), (share as i64).into()]).await?;
            let (mut words, mut entries) = (Vec::with_capacity(share), 0);
            for mut row in rows {
                words.push(row.next()?);
                entries = row.next()?;
            }
            if entries >= MANY {
                *end = End::OneOf(words);
            }
        }
        Ok(())
    }

    async fn newest(
        &self,
        viewer: Viewer,
        query: &SearchQuery,
        expression: &Expression,
    ) -> Result<SearchPage, StoreError> {
        let limit = query.limit as usize;
        let mut page = SearchPage { entries: Vec::new(), next: query.before };
        for _ in 0..ROUNDS {
            // Most hits may be seen; where not, the rest is asked for in larger parts.
            let part = if page.entries.is_empty() && page.next == query.before { limit } else { limit.max(200) };
            let hits = self.hits(expression, query.feed, page.next, Wanted { most: part, enough: part }).await?;
            let mut visible = entries::visible(self, viewer, &hits).await?;
            visible.sort_unstable_by_key(|entry| std::cmp::Reverse(entry.id));
            page.entries.extend(visible);
            page.next = hits.last().map(|id| EntryId(*id)).filter(|_| hits.len() == part);
            if page.entries.len() >= limit {
                if page.entries.len() > limit {
                    page.entries.truncate(limit);
                    page.next = page.entries.last().map(|entry| entry.id);
                }
                break;
            }
            if page.next.is_none() {
                break;
            }
        }
        Ok(page)
    }

    async fn ranked(
        &self,
        viewer: Viewer,
        query: &SearchQuery,
        expression: &Expression,
    ) -> Result<SearchPage, StoreError> {
        let wanted = Wanted { most: RANKED, enough: (CHOICE * query.limit as usize).min(RANKED) };
        let hits = self.hits(expression, query.feed, query.before, wanted).await?;
        let mut ranking = self.ranking(query.feed, expression, &hits).await?;
        let mut page = SearchPage::default();
        ranking.truncate(ROUNDS * query.limit as usize);
        for part in ranking.chunks(query.limit as usize) {
            let mut visible: HashMap<i64, Entry> =
                entries::visible(self, viewer, part).await?.into_iter().map(|entry| (entry.id.0, entry)).collect();
            page.entries.extend(part.iter().filter_map(|id| visible.remove(id)));
            if page.entries.len() >= query.limit as usize {
                page.entries.truncate(query.limit as usize);
                break;
            }
        }
        Ok(page)
    }

    /// The hits, best first: a word in the title counts four, one that is said often two, being the newest of them one.
    async fn ranking(
        &self,
        feed: Option<FeedId>,
        expression: &Expression,
        hits: &[i64],
    ) -> Result<Vec<i64>, StoreError> {
        let (Some(&newest), Some(&oldest)) = (hits.first(), hits.last()) else { return Ok(Vec::new()) };
        let age = |place: usize| 1.0 - place as f32 / hits.len() as f32;
        let mut scores: HashMap<i64, f32> = hits.iter().enumerate().map(|(i, id)| (*id, age(i))).collect();
        let eras = (document::era(oldest), document::era(newest));
        let eras = (self.dialect() == Dialect::Postgres && eras.1 - eras.0 < 64).then_some(eras);
        // Only what is a hit can gain: in which order the words stand need not be asked again.
        let loose = expression.loose();
        for (term, end) in expression.terms().take(RANKING_TERMS) {
            for (sigil, weight) in [('^', 4.0), ('+', 2.0)] {
                let text = loose.text(self.dialect(), Marks { feed, eras, strong: Some((sigil, term, end)) });
                for mut row in self.search_read(&HITS_FROM, vec![text.into(), oldest.into()]).await? {
                    if let Some(score) = scores.get_mut(&row.next()?) {
                        *score += weight;
                    }
                }
            }
        }
        let mut ranking: Vec<(i64, f32)> = scores.into_iter().collect();
        ranking.sort_unstable_by(|a, b| b.1.total_cmp(&a.1).then(b.0.cmp(&a.0)));
        Ok(ranking.into_iter().map(|(id, _)| id).collect())
    }

    /// The newest hits before an entry, newest first.
    async fn hits(
        &self,
        expression: &Expression,
        feed: Option<FeedId>,
        before: Option<EntryId>,
        wanted: Wanted,
    ) -> Result<Vec<i64>, StoreError> {
        if self.dialect() == Dialect::Postgres && expression.has_phrases() {
            // GIN knows which words are there and not where: every document that has them is read. Where the phrase is
            // common the newest few are enough.
            let text = expression.text(self.dialect(), Marks { feed, ..Marks::default() });
            let before = before.map_or(i64::MAX, |entry| entry.0);
            let row = vec![text.into(), before.into(), (wanted.most as i64).into(), WALKED.into()];
            let rows = self.search_read(&NEWEST, row).await?;
            if rows.len() >= wanted.enough {
                return rows.into_iter().map(|mut row| row.next()).collect();
            }
        }
        self.hits_by(&HITS, |row| row.next(), expression, feed, before, wanted).await
    }

    /// The same, as a statement tells of them.
    async fn hits_by<T>(
        &self,
        sql: &'static Sql,
        read: impl Fn(&mut Record) -> Result<T, StoreError>,
        expression: &Expression,
        feed: Option<FeedId>,
        before: Option<EntryId>,
        wanted: Wanted,
    ) -> Result<Vec<T>, StoreError> {
        let before = before.map_or(i64::MAX, |entry| entry.0);
        let mut hits = Vec::new();
        for window in self.windows(before, wanted).await? {
            // FTS5 walks from the end and stops when it has enough. GIN gives all hits or none: marks of eras keep them
            // few where the word is common; where it is not, the hits of all eras are few.
            let oldest = window.map_or(0, |(first, _)| document::first_of(first));
            let eras = window.filter(|_| self.dialect() == Dialect::Postgres);
            let text = expression.text(self.dialect(), Marks { feed, eras, strong: None });
            let row = vec![text.into(), before.into(), (wanted.most as i64).into(), oldest.into()];
            hits = self.search_read(sql, row).await?;
            if hits.len() >= wanted.enough {
                break;
            }
        }
        hits.iter_mut().map(read).collect()
    }

    /// Where to look, one after the other, until there are enough hits.
    async fn windows(&self, before: i64, wanted: Wanted) -> Result<Vec<Option<(i64, i64)>>, StoreError> {
        if self.dialect() == Dialect::Sqlite && wanted.enough == wanted.most {
            return Ok(vec![None]);
        }
        let eras: &[i64] = if self.dialect() == Dialect::Postgres { &[2, 4, 16, 64] } else { &[64] };
        let newest = self.indexed_upto().await?.min(before);
        Ok(query::windows(newest, eras).collect())
    }
}

/// How many hits to look for.
#[derive(Clone, Copy)]
struct Wanted {
    most: usize,
    /// This many are enough, if more are not nearby.
    enough: usize,
}

/// An entry that has the words, and what is needed of every hit to say which of them a user finds, and in which order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Hit {
    pub(crate) entry: i64,
    pub(crate) feed: i64,
    pub(crate) sort_at: i64,
    pub(crate) quiet: bool,
}
