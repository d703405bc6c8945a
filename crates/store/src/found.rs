//! What a user's search finds: hits of the index, and conditions that only the database knows (read, saved, dates, authors,
//! feeds). The index lies in a file of its own, so the newest hits are taken from it and sifted here.
//!
//! At most [`MOST_HITS`] hits are looked at: with more of them, the total is a lower bound.

use crate::StoreError;
use crate::codes::json;
use crate::db::question::Question;
use crate::db::sql::{Text, both, json_ids, statements};
use crate::db::value::{Record, Value};
use crate::posts::{Post, columns, is_unread, marks_of_user, post, state};
use crate::store::Store;
use crate::viewer::not_hidden;
use jiff::Timestamp;
use model::{EntryId, FeedId, UserId, Viewer};
use std::collections::HashMap;

/// So many hits of a search are looked at.
pub const MOST_HITS: usize = 10_000;

/// Whether some of the texts in a JSON array are in the author's name (`> 0`), or some are not (`= 0`).
macro_rules! author_has {
    (sqlite $texts:literal $how:literal) => {
        concat!(
            "EXISTS (SELECT 1 FROM json_each(",
            $texts,
            ") a WHERE instr(lower(coalesce(e.author, '')), a.value) ",
            $how,
            ")"
        )
    };
    (postgres $texts:literal $how:literal) => {
        concat!(
            "EXISTS (SELECT 1 FROM jsonb_array_elements_text(",
            $texts,
            ") AS a(value)
                     WHERE strpos(lower(coalesce(e.author, '')), a.value) ",
            $how,
            ")"
        )
    };
}

/// Whether entry `e` meets the conditions: user $1, feeds $2 (NULL: all), unread $3 (NULL: either), saved $4, from $5 up
/// to $6, authors $7 and none of $8.
macro_rules! conditions {
    ($dialect:ident) => {
        concat!(
            "s.user_id = $1 AND s.feed_id = e.feed_id AND s.hidden_at IS NULL AND NOT coalesce(m.muted, FALSE)
             AND ($2 IS NULL OR e.feed_id IN ", json_ids!($dialect "$2"), ") AND ", not_hidden!("e.feed_id", "$1"), "
             AND ($3 IS NULL OR ", is_unread!(), " = $3)
             AND ($4 IS NULL OR EXISTS (SELECT 1 FROM bookmarks b WHERE b.user_id = $1 AND b.entry_id = e.id) = $4)
             AND e.sort_at >= $5 AND e.sort_at < $6
             AND NOT ", author_has!($dialect "$7" "= 0"), " AND NOT ", author_has!($dialect "$8" "> 0")
        )
    };
}

macro_rules! among_hits {
    ($dialect:ident) => {
        concat!(
            " FROM entries e CROSS JOIN subscriptions s ", marks_of_user!(), "
              WHERE e.id IN ", json_ids!($dialect "$9"), " AND ", conditions!($dialect)
        )
    };
}

macro_rules! list_hits {
    ($dialect:ident) => {
        concat!(
            "SELECT ",
            columns!(),
            ", ",
            state!(),
            among_hits!($dialect),
            "
             ORDER BY e.sort_at DESC, e.id DESC LIMIT $10 OFFSET $11"
        )
    };
}

macro_rules! count_hits {
    ($dialect:ident) => {
        concat!("SELECT count(*)", among_hits!($dialect))
    };
}

macro_rules! facet_hits {
    ($dialect:ident) => {
        concat!("SELECT e.feed_id, e.sort_at", among_hits!($dialect))
    };
}

macro_rules! facet_sifted {
    ($dialect:ident) => {
        concat!(
            "SELECT e.feed_id, e.sort_at FROM subscriptions s JOIN entries e ON e.feed_id = s.feed_id ",
            marks_of_user!(),
            " WHERE ",
            conditions!($dialect),
            " LIMIT $9"
        )
    };
}

macro_rules! texts {
    ($dialect:ident) => {
        concat!(
            "SELECT b.entry_id, substr(coalesce(b.content, b.summary, ''), 1, 100000),
                    substr(coalesce(b.full_text, ''), 1, 100000)
             FROM entry_bodies b JOIN entries e ON e.id = b.entry_id
             WHERE b.entry_id IN ", json_ids!($dialect "$2"), " AND ", not_hidden!("e.feed_id", "$1")
        )
    };
}

macro_rules! sift {
    ($dialect:ident) => {
        concat!(
            "SELECT ",
            columns!(),
            ", ",
            state!(),
            " FROM entries e CROSS JOIN subscriptions s ",
            marks_of_user!(),
            "
             WHERE ",
            conditions!($dialect),
            " ORDER BY e.sort_at DESC, e.id DESC LIMIT $9 OFFSET $10"
        )
    };
}

macro_rules! count_sifted {
    ($dialect:ident) => {
        concat!(
            "SELECT count(*) FROM (SELECT e.id FROM subscriptions s JOIN entries e ON e.feed_id = s.feed_id ",
            marks_of_user!(),
            " WHERE ",
            conditions!($dialect),
            " LIMIT $9) AS few"
        )
    };
}

statements! {
    LIST_HITS(Int, Json, Bool, Bool, Int, Int, Json, Json, Json, Int, Int) = both!(list_hits);
    COUNT_HITS(Int, Json, Bool, Bool, Int, Int, Json, Json, Json) = both!(count_hits);
    SIFT(Int, Json, Bool, Bool, Int, Int, Json, Json, Int, Int) = both!(sift);
    FACET_HITS(Int, Json, Bool, Bool, Int, Int, Json, Json, Json) = both!(facet_hits);
    FACET_SIFTED(Int, Json, Bool, Bool, Int, Int, Json, Json, Int) = both!(facet_sifted);
    /// What entries $2 say, their beginnings.
    TEXTS(Int, Json) = both!(texts);
    COUNT_SIFTED(Int, Json, Bool, Bool, Int, Int, Json, Json, Int) = both!(count_sifted);
}

/// What must be true of an entry besides its words.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Conditions {
    /// Only of these feeds; `None` is every feed that the user follows.
    pub feeds: Option<Vec<FeedId>>,
    /// Unread, or read.
    pub unread: Option<bool>,
    /// Saved, or not.
    pub saved: Option<bool>,
    /// With this date or a later one.
    pub since: Option<Timestamp>,
    /// With an earlier date.
    pub before: Option<Timestamp>,
    /// Texts that the author's name contains, in lower case.
    pub authors: Vec<String>,
    /// Texts that it does not contain.
    pub not_authors: Vec<String>,
}

/// What a search found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Found {
    /// The newest first.
    pub posts: Vec<Post>,
    /// How many there are, on all pages.
    pub total: u64,
    /// There may be more than `total`.
    pub is_at_least: bool,
}

impl Conditions {
    fn row(&self, user: UserId) -> Vec<Value> {
        let feeds = self.feeds.as_ref().map_or(Value::Null, |feeds| {
            // Not NULL where the list is empty: no feed is not every feed.
            Value::Text(serde_json::to_string(&feeds.iter().map(|id| id.0).collect::<Vec<_>>()).expect("numbers"))
        });
        let micros = |at: Option<Timestamp>, none| at.map_or(none, Timestamp::as_microsecond);
        vec![
            user.0.into(),
            feeds,
            self.unread.into(),
            self.saved.into(),
            micros(self.since, i64::MIN).into(),
            micros(self.before, i64::MAX).into(),
            json(&self.authors),
            json(&self.not_authors),
        ]
    }
}

impl Store {
    /// A page of what a user finds by words and conditions, the newest first. Without words, the conditions alone count.
    pub async fn find_posts(
        &self,
        user: UserId,
        words: &str,
        conditions: &Conditions,
        offset: u32,
        limit: u32,
    ) -> Result<Found, StoreError> {
        let row = conditions.row(user);
        let page = vec![limit.into(), offset.into()];
        if words.trim().is_empty() {
            let most = Value::Int(MOST_HITS as i64 + 1);
            let count = Question::new(&COUNT_SIFTED, [row.clone(), vec![most]].concat());
            return self.found(count, Question::new(&SIFT, [row, page].concat()), false).await;
        }
        let feed = conditions.feeds.as_ref().filter(|feeds| feeds.len() == 1).map(|feeds| feeds[0]);
        let hits = self.newest_hits(words, feed, MOST_HITS + 1).await?;
        let ids = json(&hits[..hits.len().min(MOST_HITS)]);
        let count = Question::new(&COUNT_HITS, [row.clone(), vec![ids.clone()]].concat());
        let list = Question::new(&LIST_HITS, [row, vec![ids], page].concat());
        self.found(count, list, hits.len() > MOST_HITS).await
    }

    /// The feed and the date of everything that a user finds by words and conditions, up to [`MOST_HITS`], in any order.
    pub async fn find_facets(
        &self,
        user: UserId,
        words: &str,
        conditions: &Conditions,
    ) -> Result<Vec<(FeedId, Timestamp)>, StoreError> {
        let row = conditions.row(user);
        let facet = |row: &mut Record| Ok((FeedId(row.next()?), row.next()?));
        if words.trim().is_empty() {
            return self.read_all(&FACET_SIFTED, [row, vec![(MOST_HITS as i64).into()]].concat(), facet).await;
        }
        let feed = conditions.feeds.as_ref().filter(|feeds| feeds.len() == 1).map(|feeds| feeds[0]);
        let hits = self.newest_hits(words, feed, MOST_HITS).await?;
        self.read_all(&FACET_HITS, [row, vec![json(&hits)]].concat(), facet).await
    }

    /// The beginnings of what entries say as cleaned HTML: what the feed says, and what the page says.
    pub async fn entry_texts(
        &self,
        viewer: Viewer,
        entries: &[EntryId],
    ) -> Result<HashMap<EntryId, (String, String)>, StoreError> {
        let ids: Vec<i64> = entries.iter().map(|id| id.0).collect();
        let text = |row: &mut Record| Ok((EntryId(row.next()?), (row.next()?, row.next()?)));
        Ok(self.read_all(&TEXTS, vec![viewer.into(), json(&ids)], text).await?.into_iter().collect())
    }

    async fn found(&self, count: Question, list: Question, is_at_least: bool) -> Result<Found, StoreError> {
        let mut answers = self.read_snapshot(vec![count, list]).await?;
        let posts = answers.pop().unwrap_or_default().iter_mut().map(post).collect::<Result<_, _>>()?;
        let total: u64 = answers.pop().unwrap_or_default().first_mut().map_or(Ok(0), Record::next)?;
        let most = MOST_HITS as u64;
        Ok(Found { posts, total: total.min(most), is_at_least: is_at_least || total > most })
    }
}
