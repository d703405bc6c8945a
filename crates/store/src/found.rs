//! What a user's search finds: hits of the index, and conditions that only the database knows (read, saved, dates, authors,
//! feeds).
//!
//! With words, the index names the newest hits with their feeds and dates; these are sifted (`found/sift.rs`) by what is
//! known of the user's feeds (`found/scope.rs`) and, where a condition asks for it, by marks, bookmarks and authors. Only the
//! page itself is read entry by entry. Without words, conditions that few entries meet are the source instead of the index;
//! otherwise entries are walked by date, and counters say how many there are.
//! At most [`MOST_HITS`] hits are looked at: with more of them, the total is a lower bound.

pub(crate) mod scope;
mod sift;

use crate::StoreError;
use crate::codes::json;
use crate::db::question::Question;
use crate::db::sql::{Sql, Text, both, json_ids, statements};
use crate::db::value::{Record, Value};
use crate::posts::{FEW_FEEDS, FEW_UNREAD, NEAR, Post, columns, is_unread, marks_of_user, post, state, unread_marks};
use crate::search::Hit;
use crate::store::Store;
use crate::viewer::{not_hidden, sees_living_feed};
use jiff::Timestamp;
use model::{FeedId, UserId};
use scope::Scope;
use sift::{Marked, sifted};
use std::collections::HashMap;

/// So many hits of a search are looked at.
pub const MOST_HITS: usize = 10_000;
/// Where entries of a page are gone since they were indexed, others are looked for in parts of at least this many.
const PART: usize = 200;

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

macro_rules! walk {
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

macro_rules! of_feed {
    ($dialect:ident) => {
        concat!(
            "SELECT ",
            columns!(),
            ", ",
            state!(),
            " FROM entries e CROSS JOIN subscriptions s ",
            marks_of_user!(),
            "
             WHERE e.feed_id = $10 AND ",
            conditions!($dialect),
            " ORDER BY e.sort_at DESC, e.id DESC LIMIT $9"
        )
    };
}

macro_rules! count {
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

/// The unread entries of the feeds $2 of user $1, as hits.
macro_rules! unread {
    ($dialect:ident) => {
        concat!(
            "SELECT e.id, e.feed_id, e.sort_at, e.quiet FROM subscriptions s CROSS JOIN entries e ", marks_of_user!(), "
             WHERE e.feed_id = s.feed_id AND e.id > s.watermark AND s.user_id = $1 AND s.hidden_at IS NULL
               AND s.feed_id IN ", json_ids!($dialect "$2"), " AND NOT e.quiet AND m.entry_id IS NULL
             UNION ALL
             SELECT e.id, e.feed_id, e.sort_at, e.quiet FROM ", unread_marks!($dialect), " CROSS JOIN entries e
             WHERE e.id = m.entry_id AND m.user_id = $1 AND m.feed_id IN ", json_ids!($dialect "$2"), " AND NOT m.read"
        )
    };
}

macro_rules! marked {
    (sqlite) => {
        concat!("SELECT m.entry_id, m.read, m.muted FROM marks m INDEXED BY marks_entry
                 WHERE m.entry_id IN ", json_ids!(sqlite "$2"), " AND m.user_id = $1")
    };
    (postgres) => {
        concat!("SELECT m.entry_id, m.read, m.muted FROM marks m
                 WHERE m.entry_id IN ", json_ids!(postgres "$2"), " AND m.user_id = $1")
    };
}

macro_rules! saved_among {
    (sqlite) => {
        concat!("SELECT b.entry_id FROM bookmarks b INDEXED BY bookmarks_entry
                 WHERE b.entry_id IS NOT NULL AND b.entry_id IN ", json_ids!(sqlite "$2"), " AND b.user_id = $1")
    };
    (postgres) => {
        concat!("SELECT b.entry_id FROM bookmarks b
                 WHERE b.entry_id IN ", json_ids!(postgres "$2"), " AND b.user_id = $1")
    };
}

macro_rules! by_authors {
    ($dialect:ident) => {
        concat!(
            "SELECT e.id FROM entries e WHERE e.id IN ", json_ids!($dialect "$3"),
            " AND NOT ", author_has!($dialect "$1" "= 0"), " AND NOT ", author_has!($dialect "$2" "> 0")
        )
    };
}

macro_rules! page {
    ($dialect:ident) => {
        concat!(
            "SELECT ", columns!(), ", ", state!(), " FROM entries e CROSS JOIN subscriptions s ", marks_of_user!(), "
             WHERE e.id IN ", json_ids!($dialect "$2"), " AND s.user_id = $1 AND s.feed_id = e.feed_id
               AND s.hidden_at IS NULL AND NOT coalesce(m.muted, FALSE) AND ", sees_living_feed!("e.feed_id", "$1")
        )
    };
}

statements! {
    /// All entries by date; those that do not meet the conditions are passed over.
    WALK(Int, Json, Bool, Bool, Int, Int, Json, Json, Int, Int) = both!(walk);
    /// The same for feed $10 alone.
    OF_FEED(Int, Json, Bool, Bool, Int, Int, Json, Json, Int, Int) = both!(of_feed);
    COUNT(Int, Json, Bool, Bool, Int, Int, Json, Json, Int) = both!(count);
    UNREAD(Int, Json) = both!(unread);
    /// The $2 entries that user $1 saved last, as hits.
    SAVED(Int, Int) = Text::One(
        "SELECT e.id, e.feed_id, e.sort_at, e.quiet FROM entries e WHERE e.id IN (
             SELECT b.entry_id FROM bookmarks b WHERE b.user_id = $1 AND b.entry_id IS NOT NULL
             ORDER BY b.created_at DESC, b.id DESC LIMIT $2)");
    MARKED(Int, Json) = both!(marked);
    SAVED_AMONG(Int, Json) = both!(saved_among);
    BY_AUTHORS(Json, Json, Json) = both!(by_authors);
    PAGE(Int, Json) = both!(page);
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
        let (since, before) = self.between();
        vec![
            user.0.into(),
            feeds,
            self.unread.into(),
            self.saved.into(),
            since.into(),
            before.into(),
            json(&self.authors),
            json(&self.not_authors),
        ]
    }

    /// From which date up to which, in microseconds.
    fn between(&self) -> (i64, i64) {
        let micros = |at: Option<Timestamp>, none| at.map_or(none, Timestamp::as_microsecond);
        (micros(self.since, i64::MIN), micros(self.before, i64::MAX))
    }

    fn ask_about_authors(&self) -> bool {
        !self.authors.is_empty() || !self.not_authors.is_empty()
    }

    /// Whether the counters of the feeds say how many entries meet them.
    fn are_counted(&self) -> bool {
        self.saved.is_none() && self.since.is_none() && self.before.is_none() && !self.ask_about_authors()
    }
}

/// Which part of what is found.
#[derive(Debug, Clone, Copy)]
struct Part {
    offset: u32,
    limit: u32,
}

fn hit(row: &mut Record) -> Result<Hit, StoreError> {
    Ok(Hit { entry: row.next()?, feed: row.next()?, sort_at: row.next()?, quiet: row.next()? })
}

fn ids(hits: &[Hit]) -> Value {
    json(&hits.iter().map(|hit| hit.entry).collect::<Vec<_>>())
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
        let (scope, part) = (self.search_scope(user, conditions.feeds.as_deref()).await?, Part { offset, limit });
        let unread = (conditions.unread == Some(true)).then(|| scope.unread());
        if scope.is_empty() || unread == Some(0) {
            return Ok(Found::default());
        }
        let mut hits = if !words.trim().is_empty() {
            self.newest_hits(words, scope.only_feed(), MOST_HITS + 1).await?
        } else if conditions.saved == Some(true) {
            self.read_all(&SAVED, vec![user.0.into(), (MOST_HITS as i64 + 1).into()], hit).await?
        } else if unread.is_some_and(|unread| unread <= FEW_UNREAD) {
            self.read_all(&UNREAD, vec![user.0.into(), json(&scope.with_unread())], hit).await?
        } else {
            return self.walk(user, &scope, conditions, part).await;
        };
        let is_at_least = hits.len() > MOST_HITS;
        hits.truncate(MOST_HITS);
        let found = self.sift(user, &scope, conditions, hits).await?;
        self.page(user, found, part, is_at_least).await
    }

    /// Those of the hits that the user finds, the newest first.
    async fn sift(
        &self,
        user: UserId,
        scope: &Scope,
        conditions: &Conditions,
        mut hits: Vec<Hit>,
    ) -> Result<Vec<Hit>, StoreError> {
        hits.retain(|hit| scope.may_find(hit, conditions));
        // One answer after the other: what one leaves out is not asked for in the next.
        let mut marks = HashMap::new();
        let unsure: Vec<Hit> = hits.iter().filter(|hit| scope.needs_mark(hit, conditions)).copied().collect();
        if !unsure.is_empty() {
            let mark = |row: &mut Record| Ok((row.next()?, Marked { read: row.next()?, muted: row.next()? }));
            marks = self.read_all(&MARKED, vec![user.0.into(), ids(&unsure)], mark).await?.into_iter().collect();
        }
        let mut hits = sifted(hits, scope, conditions, &marks);
        if let Some(saved) = conditions.saved {
            let among = self.read_all(&SAVED_AMONG, vec![user.0.into(), ids(&hits)], |row| row.next()).await?;
            sift::keep(&mut hits, &among.into_iter().collect(), saved);
        }
        if conditions.ask_about_authors() {
            let row = vec![json(&conditions.authors), json(&conditions.not_authors), ids(&hits)];
            let theirs = self.read_all(&BY_AUTHORS, row, |row| row.next()).await?;
            sift::keep(&mut hits, &theirs.into_iter().collect(), true);
        }
        hits.sort_unstable_by_key(|hit| std::cmp::Reverse((hit.sort_at, hit.entry)));
        Ok(hits)
    }

    /// A page of what was found. What is gone since it was indexed is neither shown nor counted.
    async fn page(&self, user: UserId, found: Vec<Hit>, part: Part, is_at_least: bool) -> Result<Found, StoreError> {
        let (mut total, limit) = (found.len(), part.limit as usize);
        let mut rest = found.get(part.offset as usize..).unwrap_or_default();
        let mut posts = Vec::with_capacity(limit.min(rest.len()));
        let mut size = limit;
        while posts.len() < limit && !rest.is_empty() {
            let (now, later) = rest.split_at(size.min(rest.len()));
            let rows = self.read_all(&PAGE, vec![user.0.into(), ids(now)], post).await?;
            let mut there: HashMap<i64, Post> = rows.into_iter().map(|post| (post.entry.id.0, post)).collect();
            total -= now.len() - there.len();
            posts.extend(now.iter().filter_map(|hit| there.remove(&hit.entry)));
            (rest, size) = (later, PART);
        }
        posts.truncate(limit);
        Ok(Found { posts, total: total as u64, is_at_least })
    }

    /// By date over the entries of the scope, until there are enough.
    async fn walk(
        &self,
        user: UserId,
        scope: &Scope,
        conditions: &Conditions,
        part: Part,
    ) -> Result<Found, StoreError> {
        let (row, most) = (conditions.row(user), MOST_HITS as u64);
        let total: u64 = if conditions.are_counted() {
            scope.count(conditions.unread)
        } else {
            let row = [row.clone(), vec![(most as i64 + 1).into()]].concat();
            self.read_first(&COUNT, row, |row| row.next()).await?.unwrap_or(0)
        };
        let end = part.offset.saturating_add(part.limit);
        let question = |sql: &'static Sql, last: i64| {
            let limit = if std::ptr::eq(sql, &raw const WALK) { part.limit } else { end };
            Question::new(sql, [row.clone(), vec![limit.into(), last.into()]].concat())
        };
        let few = scope.feeds().len() as u64 <= FEW_FEEDS && part.offset <= NEAR;
        let questions = match (part.limit, few) {
            (0, _) => Vec::new(),
            (_, true) => scope.feeds().into_iter().map(|feed| question(&OF_FEED, feed)).collect(),
            (_, false) => vec![question(&WALK, part.offset.into())],
        };
        let answers = if questions.is_empty() { Vec::new() } else { self.read_snapshot(questions).await? };
        let mut posts: Vec<Post> =
            answers.into_iter().flatten().map(|mut row| post(&mut row)).collect::<Result<_, _>>()?;
        if few {
            posts.sort_unstable_by_key(|post| std::cmp::Reverse((post.entry.sort_at, post.entry.id)));
            posts.truncate(end as usize);
            posts.drain(..posts.len().min(part.offset as usize));
        }
        Ok(Found { posts, total: total.min(most), is_at_least: total > most })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::db::sql::Dialect;

    /// The steps of a statement on an empty database, where the planner knows no sizes.
    fn plan(sql: &Sql) -> String {
        let connection = rusqlite::Connection::open_in_memory().unwrap();
        for migration in crate::db::migrate::MIGRATIONS {
            connection.execute_batch(migration.sqlite).unwrap();
        }
        connection.execute_batch(crate::db::sqlite::search_db::SCHEMA).unwrap();
        let mut explain = connection.prepare(&format!("EXPLAIN QUERY PLAN {}", sql.text(Dialect::Sqlite))).unwrap();
        let row = rusqlite::params_from_iter(sql.params.iter().map(|_| 1));
        let steps: Vec<String> = explain.query_map(row, |row| row.get(3)).unwrap().map(Result::unwrap).collect();
        steps.into_iter().filter(|step| !step.contains("SUBQUERY")).collect::<Vec<_>>().join("; ")
    }

    /// What is asked for each of ten thousand hits is a step in a small index; entries are read for a page alone.
    #[test]
    fn hits_are_sifted_without_reading_entries() {
        let check = |sql: &Sql, expected: &str| assert_eq!(plan(sql), expected, "{}", sql.name);
        check(
            &crate::search::DATED,
            "SCAN entry_search VIRTUAL TABLE INDEX 192:M1<>; SEARCH k USING INTEGER PRIMARY KEY (rowid=?)",
        );
        check(
            &MARKED,
            "SEARCH m USING INDEX marks_entry (entry_id=? AND user_id=?); SCAN json_each VIRTUAL TABLE INDEX 1:",
        );
        check(&SAVED_AMONG, "SEARCH b USING INDEX bookmarks_entry (entry_id=?); SCAN json_each VIRTUAL TABLE INDEX 1:");
        let muted = "INDEX marks_muted (user_id=? AND feed_id=?)";
        assert!(plan(&scope::SCOPE).ends_with(muted), "{}", plan(&scope::SCOPE));
    }

    /// "Unread" without words begins with the feeds that have something unread.
    #[test]
    fn few_unread_entries_are_gathered_feed_by_feed() {
        let plan = plan(&UNREAD);
        let above = "SEARCH s USING INDEX subscriptions_feed (user_id=? AND feed_id=?)";
        let marked = "SEARCH m USING INDEX marks_unread (user_id=? AND feed_id=?)";
        for step in [above, "SEARCH e USING INDEX entries_feed (feed_id=? AND id>?)", marked] {
            assert!(plan.contains(step), "{step}: {plan}");
        }
        assert!(!plan.contains("SCAN e"), "{plan}");
    }

    /// The hash of an icon is found without its bytes.
    #[test]
    fn a_list_of_feeds_reads_no_icon() {
        let plan = plan(&crate::followed::LIST);
        assert!(plan.contains("SEARCH i USING COVERING INDEX icons_of_site (site=?) LEFT-JOIN"), "{plan}");
    }
}
