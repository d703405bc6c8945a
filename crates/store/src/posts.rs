//! Entries as a user sees them: in the feeds that they follow, read or unread, saved, liked. The reader's lists.
//!
//! There are several ways to a page; which one is chosen follows from figures that are known before
//! (docs/notes/read-state.md). Every way gives the same entries in the same order. Muted entries are in no list.

use crate::StoreError;
use crate::codes::json;
use crate::db::question::Question;
use crate::db::sql::{Sql, Text, both, json_ids, statements};
use crate::db::value::{Record, Value};
use crate::entries::{self, Position};
use crate::store::Store;
use crate::viewer::{not_hidden, sees_living_feed};
use jiff::Timestamp;
use model::entry::Entry;
use model::reader::SortOrder;
use model::{BookmarkId, CategoryId, EntryId, FeedId, TagId, UserId};

/// With at most this many feeds in scope, each is read by itself and the results are merged.
pub(crate) const FEW_FEEDS: u64 = 64;
/// With at most this many unread entries in scope they are gathered and sorted.
pub(crate) const FEW_UNREAD: u64 = 2_000;
/// Few unread entries are looked for among this many of the newest (or oldest) ones first: often they are the last to arrive.
const NEARBY: i64 = 400;
/// Beyond this offset merging would read too much of each feed.
pub(crate) const NEAR: u32 = 1_000;

macro_rules! columns {
    () => {
        "e.id, e.feed_id, e.uid, e.title, e.excerpt, e.link, e.author, e.published_at, e.updated_at, e.first_seen_at,
         e.sort_at, e.content_hash, e.quiet, e.since_reading, e.last_seen_at, e.seen_count, e.image, e.language,
         e.comments_url, e.enclosure_kind"
    };
}

macro_rules! is_unread {
    () => {
        "(CASE WHEN m.entry_id IS NOT NULL THEN NOT m.read
               ELSE s.id IS NOT NULL AND e.id > s.watermark AND NOT e.quiet END)"
    };
}

/// What user $1 has done with entry `e`.
macro_rules! state {
    () => {
        concat!(
            is_unread!(),
            ", CASE WHEN m.read THEN m.at END,
             (SELECT min(b.id) FROM bookmarks b WHERE b.user_id = $1 AND b.entry_id = e.id),
             EXISTS (SELECT 1 FROM likes l WHERE l.user_id = $1 AND l.entry_id = e.id)"
        )
    };
}

macro_rules! marks_of_user {
    () => {
        " LEFT JOIN marks m ON m.user_id = $1 AND m.feed_id = e.feed_id AND m.entry_id = e.id "
    };
}

/// The subscriptions `s` of user $1 in categories $2 (NULL: all), only those shown among all if $3.
macro_rules! in_scope {
    ($dialect:ident) => {
        concat!(
            "s.user_id = $1 AND s.hidden_at IS NULL AND ($2 IS NULL OR s.category_id IN ",
            json_ids!($dialect "$2"),
            ") AND (s.in_all OR NOT $3)"
        )
    };
}

macro_rules! newest {
    (cursor $at:literal $id:literal) => {
        concat!("(e.sort_at, e.id) < (", $at, ", ", $id, ")")
    };
    (order) => {
        "ORDER BY e.sort_at DESC, e.id DESC"
    };
}

macro_rules! oldest {
    (cursor $at:literal $id:literal) => {
        concat!("(e.sort_at, e.id) > (", $at, ", ", $id, ")")
    };
    (order) => {
        "ORDER BY e.sort_at, e.id"
    };
}

/// All entries by date; those out of scope are passed over. `$4`: only unread ones.
macro_rules! walk {
    ($dialect:ident $order:ident) => {
        concat!(
            "SELECT ", columns!(), ", ", state!(), " FROM entries e CROSS JOIN subscriptions s ", marks_of_user!(), "
             WHERE s.feed_id = e.feed_id AND ", in_scope!($dialect), " AND ", not_hidden!("e.feed_id", "$1"), "
               AND e.sort_at >= $5 AND e.sort_at < $6 AND ", $order!(cursor "$7" "$8"), "
               AND NOT coalesce(m.muted, FALSE) AND (NOT $4 OR ", is_unread!(), ") ",
            $order!(order), " LIMIT $9 OFFSET $10"
        )
    };
}

/// The unread ones among the first $10 entries by date, up to $9 of them.
macro_rules! nearby {
    ($dialect:ident $order:ident) => {
        concat!(
            "SELECT ", columns!(), ", ", state!(), " FROM (
                 SELECT e.id AS id FROM entries e
                 WHERE e.sort_at >= $5 AND e.sort_at < $6 AND ", $order!(cursor "$7" "$8"), " ", $order!(order), " LIMIT $10) AS n
             CROSS JOIN entries e CROSS JOIN subscriptions s ", marks_of_user!(), "
             WHERE e.id = n.id AND s.feed_id = e.feed_id AND ", in_scope!($dialect), " AND ", not_hidden!("e.feed_id", "$1"), "
               AND NOT coalesce(m.muted, FALSE) AND (NOT $4 OR ", is_unread!(), ") ",
            $order!(order), " LIMIT $9"
        )
    };
}

macro_rules! nearby_newest {
    ($dialect:ident) => {
        nearby!($dialect newest)
    };
}

macro_rules! nearby_oldest {
    ($dialect:ident) => {
        nearby!($dialect oldest)
    };
}

macro_rules! walk_newest {
    ($dialect:ident) => {
        walk!($dialect newest)
    };
}

macro_rules! walk_oldest {
    ($dialect:ident) => {
        walk!($dialect oldest)
    };
}

/// One feed's entries by date.
macro_rules! of_feed {
    ($order:ident) => {
        concat!(
            "SELECT ", columns!(), ", ", state!(), " FROM entries e CROSS JOIN subscriptions s ", marks_of_user!(), "
             WHERE e.feed_id = $2 AND s.user_id = $1 AND s.feed_id = $2 AND s.hidden_at IS NULL
               AND ", sees_living_feed!("$2", "$1"), "
               AND e.sort_at >= $4 AND e.sort_at < $5 AND ", $order!(cursor "$6" "$7"), "
               AND NOT coalesce(m.muted, FALSE) AND (NOT $3 OR ", is_unread!(), ") ",
            $order!(order), " LIMIT $8"
        )
    };
}

/// The marks `m` that say unread. Without being told, SQLite may look for them among all marks of a feed.
macro_rules! unread_marks {
    (sqlite) => {
        "marks m INDEXED BY marks_unread"
    };
    (postgres) => {
        "marks m"
    };
}

/// The unread entries: those above the watermarks of feeds that have any, and those that are unread by mark. Joined in this
/// order: with statistics of many entries and few marks, SQLite began with all entries of every feed.
macro_rules! unread_ids {
    ($dialect:ident) => {
        concat!(
            "SELECT e.id AS id FROM subscriptions s CROSS JOIN schedule c CROSS JOIN entries e ",
            marks_of_user!(),
            "
             WHERE c.feed_id = s.feed_id AND e.feed_id = s.feed_id AND e.id > s.watermark AND ",
            in_scope!($dialect),
            "
               AND s.unread + c.arrivals - s.seen_arrivals > 0 AND NOT e.quiet AND m.entry_id IS NULL
             UNION ALL
             SELECT m.entry_id FROM subscriptions s CROSS JOIN ",
            unread_marks!($dialect),
            "
             WHERE m.user_id = $1 AND m.feed_id = s.feed_id AND NOT m.read AND ",
            in_scope!($dialect)
        )
    };
}

/// A page of them: its ids first, so that no others are looked up as a whole.
macro_rules! gather {
    ($dialect:ident $order:ident) => {
        concat!(
            "SELECT ", columns!(), ", ", state!(), " FROM (
                 SELECT e.id AS id FROM (", unread_ids!($dialect), ") AS u CROSS JOIN entries e
                 WHERE e.id = u.id AND ", not_hidden!("e.feed_id", "$1"), " AND e.sort_at >= $4 AND e.sort_at < $5
                   AND ", $order!(cursor "$6" "$7"), " ", $order!(order), " LIMIT $8 OFFSET $9) AS p
             CROSS JOIN entries e CROSS JOIN subscriptions s ", marks_of_user!(), "
             WHERE e.id = p.id AND s.user_id = $1 AND s.feed_id = e.feed_id ", $order!(order)
        )
    };
}

macro_rules! gather_newest {
    ($dialect:ident) => {
        gather!($dialect newest)
    };
}

macro_rules! gather_oldest {
    ($dialect:ident) => {
        gather!($dialect oldest)
    };
}

/// Entries `e` that user $1 has saved ($2 is 0), liked (1) or tagged with $3 (2), of feed $4 and categories $5 where these
/// are given; only unread ones if $6.
macro_rules! kept {
    ($dialect:ident) => {
        concat!(
            "FROM (SELECT b.entry_id AS id FROM bookmarks b WHERE $2 = 0 AND b.user_id = $1 AND b.entry_id IS NOT NULL
                   UNION ALL SELECT l.entry_id FROM likes l WHERE $2 = 1 AND l.user_id = $1
                   UNION ALL SELECT t.entry_id FROM entry_tags t JOIN tags g ON g.id = t.tag_id
                   WHERE $2 = 2 AND t.tag_id = $3 AND g.user_id = $1) AS k
             JOIN entries e ON e.id = k.id
             LEFT JOIN subscriptions s ON s.user_id = $1 AND s.feed_id = e.feed_id AND s.hidden_at IS NULL ",
            marks_of_user!(), "
             WHERE ", not_hidden!("e.feed_id", "$1"), " AND ($4 IS NULL OR e.feed_id = $4)
               AND ($5 IS NULL OR s.category_id IN ", json_ids!($dialect "$5"), ") AND (NOT $6 OR ", is_unread!(), ")
               AND e.sort_at >= $7 AND e.sort_at < $8"
        )
    };
}

macro_rules! kept_list {
    ($dialect:ident $order:ident) => {
        concat!(
            "SELECT ", columns!(), ", ", state!(), " ", kept!($dialect), " AND ", $order!(cursor "$9" "$10"), " ",
            $order!(order), " LIMIT $11 OFFSET $12"
        )
    };
}

macro_rules! kept_newest {
    ($dialect:ident) => {
        kept_list!($dialect newest)
    };
}

macro_rules! kept_oldest {
    ($dialect:ident) => {
        kept_list!($dialect oldest)
    };
}

macro_rules! kept_count {
    ($dialect:ident) => {
        concat!("SELECT count(*) ", kept!($dialect))
    };
}

macro_rules! scope_figures {
    ($dialect:ident) => {
        concat!(
            "SELECT count(*), CAST(coalesce(sum(s.unread + c.arrivals - s.seen_arrivals), 0) AS BIGINT),
                    CAST(coalesce(sum(c.entries), 0) AS BIGINT), min(s.feed_id)
             FROM subscriptions s JOIN schedule c ON c.feed_id = s.feed_id
             WHERE ",
            in_scope!($dialect),
            " AND ",
            sees_living_feed!("s.feed_id", "$1")
        )
    };
}

macro_rules! scope_feeds {
    ($dialect:ident) => {
        concat!(
            "SELECT s.feed_id FROM subscriptions s WHERE ",
            in_scope!($dialect),
            " AND ",
            sees_living_feed!("s.feed_id", "$1"),
            " ORDER BY s.feed_id LIMIT 64"
        )
    };
}

macro_rules! muted {
    ($dialect:ident) => {
        concat!(
            "SELECT count(*) FROM subscriptions s JOIN marks m ON m.user_id = $1 AND m.feed_id = s.feed_id AND m.muted
             WHERE ",
            in_scope!($dialect)
        )
    };
}

/// How many entries in scope have a date between $5 and $6; only unread ones if $4.
macro_rules! count_between {
    ($dialect:ident) => {
        concat!(
            "SELECT count(*) FROM subscriptions s JOIN entries e ON e.feed_id = s.feed_id ",
            marks_of_user!(),
            "
             WHERE ",
            in_scope!($dialect),
            " AND ",
            sees_living_feed!("s.feed_id", "$1"),
            "
               AND e.sort_at >= $5 AND e.sort_at < $6
               AND NOT coalesce(m.muted, FALSE) AND (NOT $4 OR ",
            is_unread!(),
            ")"
        )
    };
}

macro_rules! named {
    ($dialect:ident) => {
        concat!(
            "SELECT ",
            columns!(),
            ", ",
            state!(),
            " FROM entries e
             LEFT JOIN subscriptions s ON s.user_id = $1 AND s.feed_id = e.feed_id AND s.hidden_at IS NULL ",
            marks_of_user!(),
            " WHERE e.id IN ",
            json_ids!($dialect "$2"),
            " AND ",
            sees_living_feed!("e.feed_id", "$1"),
            " AND (s.id IS NOT NULL OR EXISTS (SELECT 1 FROM bookmarks b WHERE b.user_id = $1 AND b.entry_id = e.id))"
        )
    };
}

pub(crate) use {columns, in_scope, is_unread, kept, marks_of_user, newest, oldest, state, unread_ids, unread_marks};

statements! {
    WALK_NEWEST(Int, Json, Bool, Bool, Int, Int, Int, Int, Int, Int) = both!(walk_newest);
    WALK_OLDEST(Int, Json, Bool, Bool, Int, Int, Int, Int, Int, Int) = both!(walk_oldest);
    NEARBY_NEWEST(Int, Json, Bool, Bool, Int, Int, Int, Int, Int, Int) = both!(nearby_newest);
    NEARBY_OLDEST(Int, Json, Bool, Bool, Int, Int, Int, Int, Int, Int) = both!(nearby_oldest);
    FEED_NEWEST(Int, Int, Bool, Int, Int, Int, Int, Int) = Text::One(of_feed!(newest));
    FEED_OLDEST(Int, Int, Bool, Int, Int, Int, Int, Int) = Text::One(of_feed!(oldest));
    GATHER_NEWEST(Int, Json, Bool, Int, Int, Int, Int, Int, Int) = both!(gather_newest);
    GATHER_OLDEST(Int, Json, Bool, Int, Int, Int, Int, Int, Int) = both!(gather_oldest);
    KEPT_NEWEST(Int, Int, Int, Int, Json, Bool, Int, Int, Int, Int, Int, Int) = both!(kept_newest);
    KEPT_OLDEST(Int, Int, Int, Int, Json, Bool, Int, Int, Int, Int, Int, Int) = both!(kept_oldest);
    KEPT_COUNT(Int, Int, Int, Int, Json, Bool, Int, Int) = both!(kept_count);
    SCOPE_FIGURES(Int, Json, Bool) = both!(scope_figures);
    SCOPE_FEEDS(Int, Json, Bool) = both!(scope_feeds);
    MUTED(Int, Json, Bool) = both!(muted);
    COUNT_BETWEEN(Int, Json, Bool, Bool, Int, Int) = both!(count_between);
    /// The same for one feed.
    FEED_FIGURES(Int, Int) = Text::One(concat!(
        "SELECT 1, s.unread + c.arrivals - s.seen_arrivals,
                c.entries - (SELECT count(*) FROM marks m WHERE m.user_id = $1 AND m.feed_id = $2 AND m.muted), s.feed_id
         FROM subscriptions s JOIN schedule c ON c.feed_id = s.feed_id
         WHERE s.user_id = $1 AND s.feed_id = $2 AND s.hidden_at IS NULL AND ", sees_living_feed!("$2", "$1")));
    FEED_COUNT_BETWEEN(Int, Int, Bool, Int, Int) = Text::One(concat!(
        "SELECT count(*) FROM entries e JOIN subscriptions s ON s.user_id = $1 AND s.feed_id = $2 AND s.hidden_at IS NULL ",
        marks_of_user!(), "
         WHERE e.feed_id = $2 AND ", sees_living_feed!("$2", "$1"), " AND e.sort_at >= $4 AND e.sort_at < $5
           AND NOT coalesce(m.muted, FALSE) AND (NOT $3 OR ", is_unread!(), ")"));
    /// Those of entries $2 whose feeds user $1 follows, and those that they have saved.
    NAMED(Int, Json) = both!(named);
    /// What the user has read, the latest first.
    HISTORY(Int, Int, Int, Int) = Text::One(concat!(
        "SELECT ", columns!(), ", ", state!(), " FROM marks m
         JOIN entries e ON e.id = m.entry_id
         LEFT JOIN subscriptions s ON s.user_id = $1 AND s.feed_id = e.feed_id AND s.hidden_at IS NULL
         WHERE m.user_id = $1 AND m.read AND NOT m.muted AND (m.at, m.entry_id) < ($2, $3)
           AND ", sees_living_feed!("e.feed_id", "$1"), "
         ORDER BY m.at DESC, m.entry_id DESC LIMIT $4"));
    /// Ids after $2 in the order in which they arrived; only unread ones if $3.
    SYNC_IDS(Int, Int, Bool, Int) = Text::One(concat!(
        "SELECT e.id FROM entries e CROSS JOIN subscriptions s ", marks_of_user!(), "
         WHERE e.id > $2 AND s.user_id = $1 AND s.feed_id = e.feed_id AND s.hidden_at IS NULL
           AND ", not_hidden!("e.feed_id", "$1"), "
           AND NOT coalesce(m.muted, FALSE) AND (NOT $3 OR ", is_unread!(), ") ORDER BY e.id LIMIT $4"));
}

/// An entry, and what a user has done with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Post {
    /// The entry.
    pub entry: Entry,
    /// Whether the user has yet to read it.
    pub unread: bool,
    /// When the user marked it as read, if they did so by itself.
    pub read_at: Option<Timestamp>,
    /// The user's bookmark of it.
    pub bookmark: Option<BookmarkId>,
    /// Whether the user likes it.
    pub liked: bool,
}

/// Which entries a list shows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PostFilter {
    /// Which feeds, and what of them.
    pub scope: PostScope,
    /// Only unread ones.
    pub only_unread: bool,
    /// Only those with this date or a later one.
    pub since: Option<Timestamp>,
    /// Only those with an earlier date.
    pub before: Option<Timestamp>,
    /// In which order.
    pub order: SortOrder,
}

/// The part of a user's entries that a list is about.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum PostScope {
    /// Of all feeds, but for those that the user took out of this list.
    #[default]
    All,
    /// Of every feed that the user follows.
    Everything,
    /// Of one feed.
    Feed(FeedId),
    /// Of the feeds in these categories.
    Categories(Vec<CategoryId>),
    /// What the user keeps, of a feed and of categories where these are given.
    Kept {
        /// How it is kept.
        how: Kept,
        /// Only of this feed.
        feed: Option<FeedId>,
        /// Only of feeds in these categories.
        categories: Option<Vec<CategoryId>>,
    },
}

/// How a user keeps an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kept {
    /// By a bookmark.
    Saved,
    /// By liking it.
    Liked,
    /// By a tag.
    Tagged(TagId),
}

/// Where a page begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PageStart {
    /// After a place in the list.
    After(Position),
    /// After this many entries.
    Offset(u32),
}

/// A part of a user's list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PostPage {
    /// The entries.
    pub posts: Vec<Post>,
    /// How many there are on all pages.
    pub total: u64,
    /// Pass it on for the next page; `None` at the end.
    pub next: Option<Position>,
}

pub(crate) fn post(row: &mut Record) -> Result<Post, StoreError> {
    Ok(Post {
        entry: entries::entry(row)?,
        unread: row.next()?,
        read_at: row.next()?,
        bookmark: row.next::<Option<i64>>()?.map(BookmarkId),
        liked: row.next()?,
    })
}

/// What is known of a scope before anything is listed.
struct Figures {
    feeds: u64,
    unread: u64,
    entries: u64,
}

fn figures(row: &mut Record) -> Result<Figures, StoreError> {
    let (feeds, unread, entries) = (row.next::<i64>()?, row.next::<i64>()?, row.next::<i64>()?);
    Ok(Figures { feeds: feeds.max(0) as u64, unread: unread.max(0) as u64, entries: entries.max(0) as u64 })
}

fn list_of(ids: &[CategoryId]) -> Value {
    // Not NULL where the list is empty: no category is not every category.
    Value::Text(
        serde_json::to_string(&ids.iter().map(|id| id.0).collect::<Vec<_>>()).expect("numbers have a JSON form"),
    )
}

/// A list that was asked for, as the statements take it.
pub(crate) struct Asked<'a> {
    user: UserId,
    filter: &'a PostFilter,
    since: i64,
    before: i64,
    cursor: (i64, i64),
    offset: u32,
    limit: u32,
}

impl<'a> Asked<'a> {
    pub(crate) fn new(user: UserId, filter: &'a PostFilter, start: PageStart, limit: u32) -> Self {
        let first = match filter.order {
            SortOrder::Newest => (i64::MAX, i64::MAX),
            SortOrder::Oldest => (i64::MIN, i64::MIN),
        };
        let (cursor, offset) = match start {
            PageStart::After(at) => ((at.sort_at.as_microsecond(), at.id.0), 0),
            PageStart::Offset(offset) => (first, offset),
        };
        let micros = |at: Option<Timestamp>, none| at.map_or(none, Timestamp::as_microsecond);
        let (since, before) = (micros(filter.since, i64::MIN), micros(filter.before, i64::MAX));
        Self { user, filter, since, before, cursor, offset, limit }
    }

    fn is_dated(&self) -> bool {
        self.filter.since.is_some() || self.filter.before.is_some()
    }

    /// By the order that was asked for.
    pub(crate) fn by_order(&self, newest: &'static Sql, oldest: &'static Sql) -> &'static Sql {
        match self.filter.order {
            SortOrder::Newest => newest,
            SortOrder::Oldest => oldest,
        }
    }

    pub(crate) fn between(&self) -> Vec<Value> {
        vec![self.since.into(), self.before.into()]
    }

    fn after(&self) -> Vec<Value> {
        vec![self.cursor.0.into(), self.cursor.1.into()]
    }

    /// User, categories, whether only what is shown among all: the first parameters of lists over many feeds.
    pub(crate) fn scope(&self) -> Vec<Value> {
        let (categories, only_in_all) = match &self.filter.scope {
            PostScope::Categories(categories) => (list_of(categories), false),
            PostScope::All => (Value::Null, true),
            PostScope::Everything | PostScope::Feed(_) | PostScope::Kept { .. } => (Value::Null, false),
        };
        vec![self.user.0.into(), categories, only_in_all.into()]
    }

    fn of_feed(&self, feed: FeedId) -> Question {
        let (first, limit) = (vec![self.user.0.into(), feed.0.into(), self.filter.only_unread.into()], self.end());
        let row = [first, self.between(), self.after(), vec![limit.into()]].concat();
        Question::new(self.by_order(&FEED_NEWEST, &FEED_OLDEST), row)
    }

    /// How many entries there are up to the end of the page.
    fn end(&self) -> u32 {
        self.offset.saturating_add(self.limit)
    }

    fn gather(&self) -> Question {
        let page = vec![self.limit.into(), self.offset.into()];
        let row = [self.scope(), self.between(), self.after(), page].concat();
        Question::new(self.by_order(&GATHER_NEWEST, &GATHER_OLDEST), row)
    }

    /// The first entries by date, whatever comes after them.
    fn nearby(&self) -> Question {
        let (unread, page) = (vec![self.filter.only_unread.into()], vec![self.end().into(), NEARBY.into()]);
        let row = [self.scope(), unread, self.between(), self.after(), page].concat();
        Question::new(self.by_order(&NEARBY_NEWEST, &NEARBY_OLDEST), row)
    }

    fn walk(&self) -> Question {
        let (unread, page) = (vec![self.filter.only_unread.into()], vec![self.limit.into(), self.offset.into()]);
        let row = [self.scope(), unread, self.between(), self.after(), page].concat();
        Question::new(self.by_order(&WALK_NEWEST, &WALK_OLDEST), row)
    }

    /// The parameters of lists of what is kept, up to the dates.
    pub(crate) fn kept(&self, how: Kept, feed: Option<FeedId>, categories: Option<&[CategoryId]>) -> Vec<Value> {
        let (kind, tag): (i64, Value) = match how {
            Kept::Saved => (0, Value::Null),
            Kept::Liked => (1, Value::Null),
            Kept::Tagged(tag) => (2, tag.0.into()),
        };
        let categories = categories.map_or(Value::Null, list_of);
        let first = vec![self.user.0.into(), kind.into(), tag, feed.map(|id| id.0).into(), categories];
        [first, vec![self.filter.only_unread.into()], self.between()].concat()
    }

    fn sort(&self, posts: &mut [Post]) {
        posts.sort_unstable_by_key(|post| (post.entry.sort_at, post.entry.id));
        if self.filter.order == SortOrder::Newest {
            posts.reverse();
        }
    }
}

impl Store {
    /// A page of a user's entries, with how many there are in all. Entries that arrive meanwhile neither repeat nor hide
    /// any if the page begins after a place.
    pub async fn posts(
        &self,
        user: UserId,
        filter: &PostFilter,
        start: PageStart,
        limit: u32,
    ) -> Result<PostPage, StoreError> {
        let asked = Asked::new(user, filter, start, limit);
        let (total, posts) = match &filter.scope {
            PostScope::Feed(feed) => self.posts_of_feed(&asked, *feed).await?,
            PostScope::Kept { how, feed, categories } => {
                let first = asked.kept(*how, *feed, categories.as_deref());
                let page = vec![limit.into(), asked.offset.into()];
                let list = asked.by_order(&KEPT_NEWEST, &KEPT_OLDEST);
                let list = Question::new(list, [first.clone(), asked.after(), page].concat());
                self.count_and_list(Question::new(&KEPT_COUNT, first), list).await?
            }
            PostScope::All | PostScope::Everything | PostScope::Categories(_) => self.posts_of_many(&asked).await?,
        };
        let full = limit > 0 && posts.len() == limit as usize;
        let place = |post: &Post| Position { sort_at: post.entry.sort_at, id: post.entry.id };
        Ok(PostPage { next: posts.last().filter(|_| full).map(place), total, posts })
    }

    /// A count and a list on one snapshot.
    async fn count_and_list(&self, count: Question, list: Question) -> Result<(u64, Vec<Post>), StoreError> {
        let mut answers = self.read_snapshot(vec![count, list]).await?;
        let posts = answers.pop().unwrap_or_default().iter_mut().map(post).collect::<Result<_, _>>()?;
        let total = answers.pop().unwrap_or_default().first_mut().map_or(Ok(0), Record::next)?;
        Ok((total, posts))
    }

    async fn posts_of_feed(&self, asked: &Asked<'_>, feed: FeedId) -> Result<(u64, Vec<Post>), StoreError> {
        let (user, only_unread) = (asked.user.0, asked.filter.only_unread);
        let count = if asked.is_dated() {
            let first = vec![user.into(), feed.0.into(), only_unread.into()];
            Question::new(&FEED_COUNT_BETWEEN, [first, asked.between()].concat())
        } else {
            Question::new(&FEED_FIGURES, vec![user.into(), feed.0.into()])
        };
        let mut answers = self.read_snapshot(vec![count, asked.of_feed(feed)]).await?;
        let mut posts: Vec<Post> = answers.pop().unwrap_or_default().iter_mut().map(post).collect::<Result<_, _>>()?;
        posts.drain(..posts.len().min(asked.offset as usize));
        let total = match answers.pop().unwrap_or_default().first_mut() {
            None => 0,
            Some(row) if asked.is_dated() => row.next()?,
            Some(row) => figures(row).map(|found| if only_unread { found.unread } else { found.entries })?,
        };
        Ok((total, posts))
    }

    async fn posts_of_many(&self, asked: &Asked<'_>) -> Result<(u64, Vec<Post>), StoreError> {
        let known = self.read_first(&SCOPE_FIGURES, asked.scope(), figures).await?;
        let Some(known) = known.filter(|known| known.feeds > 0) else { return Ok((0, Vec::new())) };
        let only_unread = asked.filter.only_unread;
        let total = if asked.is_dated() {
            let row = [asked.scope(), vec![only_unread.into()], asked.between()].concat();
            self.read_first(&COUNT_BETWEEN, row, |row| row.next()).await?.unwrap_or(0)
        } else if only_unread {
            known.unread
        } else {
            let muted: u64 = self.read_first(&MUTED, asked.scope(), |row| row.next()).await?.unwrap_or(0);
            known.entries.saturating_sub(muted)
        };
        if asked.limit == 0 || (only_unread && known.unread == 0) {
            return Ok((total, Vec::new()));
        }
        let posts = if only_unread && known.unread <= FEW_UNREAD {
            self.few_unread(asked, &known).await?
        } else if known.feeds <= FEW_FEEDS && asked.offset <= NEAR {
            self.merged(asked).await?
        } else {
            self.read_posts(asked.walk()).await?
        };
        Ok((total, posts))
    }

    async fn read_posts(&self, question: Question) -> Result<Vec<Post>, StoreError> {
        let mut answers = self.read_snapshot(vec![question]).await?;
        answers.pop().unwrap_or_default().iter_mut().map(post).collect()
    }

    /// A page of few unread entries: what is nearby, if that fills it, else gathered.
    async fn few_unread(&self, asked: &Asked<'_>, known: &Figures) -> Result<Vec<Post>, StoreError> {
        // Fewer than a page are gathered in any case, and those of few feeds are gathered as quickly.
        if known.feeds > FEW_FEEDS && known.unread >= u64::from(asked.end()) && i64::from(asked.end()) <= NEARBY {
            let mut posts = self.read_posts(asked.nearby()).await?;
            if posts.len() == asked.end() as usize {
                posts.drain(..asked.offset as usize);
                return Ok(posts);
            }
        }
        self.read_posts(asked.gather()).await
    }

    /// The newest of each feed, merged.
    async fn merged(&self, asked: &Asked<'_>) -> Result<Vec<Post>, StoreError> {
        let feeds = self.read_all(&SCOPE_FEEDS, asked.scope(), |row| row.next().map(FeedId)).await?;
        let questions = feeds.into_iter().map(|feed| asked.of_feed(feed)).collect();
        let answers = self.read_snapshot(questions).await?;
        let mut posts: Vec<Post> = Vec::new();
        for mut rows in answers {
            for row in &mut rows {
                posts.push(post(row)?);
            }
        }
        asked.sort(&mut posts);
        posts.truncate(asked.end() as usize);
        posts.drain(..posts.len().min(asked.offset as usize));
        Ok(posts)
    }

    /// An entry as a user sees it: of a feed that they follow, or one that they have saved.
    pub async fn post(&self, user: UserId, id: EntryId) -> Result<Option<Post>, StoreError> {
        Ok(self.posts_named(user, &[id]).await?.pop())
    }

    /// Those of these entries that a user follows or has saved, in any order.
    pub async fn posts_named(&self, user: UserId, ids: &[EntryId]) -> Result<Vec<Post>, StoreError> {
        let ids: Vec<i64> = ids.iter().map(|id| id.0).collect();
        self.read_all(&NAMED, vec![user.0.into(), json(&ids)], post).await
    }

    /// What a user has read, the latest first, before a place given as time and entry.
    pub async fn reading_history(
        &self,
        user: UserId,
        before: Option<(Timestamp, EntryId)>,
        limit: u32,
    ) -> Result<Vec<Post>, StoreError> {
        let (at, id) = before.map_or((i64::MAX, i64::MAX), |(at, id)| (at.as_microsecond(), id.0));
        self.read_all(&HISTORY, vec![user.0.into(), at.into(), id.into(), limit.into()], post).await
    }

    /// The ids of a user's entries in the order in which they arrived, after one of them: a cursor for clients that sync.
    pub async fn post_ids(
        &self,
        user: UserId,
        after: EntryId,
        only_unread: bool,
        limit: u32,
    ) -> Result<Vec<EntryId>, StoreError> {
        let row = vec![user.0.into(), after.0.into(), only_unread.into(), limit.into()];
        self.read_all(&SYNC_IDS, row, |row| row.next().map(EntryId)).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::db::sql::Dialect;

    /// Statistics of a million entries and no marks made SQLite begin with all entries of every feed: a list of a thousand
    /// unread ones took five seconds.
    #[test]
    fn unread_entries_are_gathered_above_the_watermarks_whatever_the_statistics() {
        let connection = rusqlite::Connection::open_in_memory().unwrap();
        for migration in crate::db::migrate::MIGRATIONS {
            connection.execute_batch(migration.sqlite).unwrap();
        }
        connection
            .execute_batch(
                "ANALYZE;
                 INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
                     ('marks', 'marks_unread', '0 0 0 0'), ('marks', 'marks_history', '0 0 0 0'),
                     ('entries', 'entries_sort', '1000000 1 1'), ('entries', 'entries_feed_sort', '1000000 1001 1 1'),
                     ('entries', 'entries_feed', '1000000 1001 1'), ('schedule', NULL, '2000'),
                     ('subscriptions', 'subscriptions_of_feed', '2005 1'),
                     ('subscriptions', 'subscriptions_feed', '2005 503 1');
                 ANALYZE sqlite_schema;",
            )
            .unwrap();
        for sql in [&GATHER_NEWEST, &GATHER_OLDEST, &crate::found::UNREAD] {
            let text = format!("EXPLAIN QUERY PLAN {}", sql.text(Dialect::Sqlite));
            let mut explain = connection.prepare(&text).unwrap();
            let row = rusqlite::params_from_iter(sql.params.iter().map(|_| 1));
            let steps: Vec<String> = explain.query_map(row, |row| row.get(3)).unwrap().map(Result::unwrap).collect();
            let place = |step: &str| {
                let found = steps.iter().position(|there| there.starts_with(step));
                found.unwrap_or_else(|| panic!("{}: no `{step}` in {steps:#?}", sql.name))
            };
            assert!(
                place("SEARCH s USING INDEX subscriptions_feed (user_id=?")
                    < place("SEARCH e USING INDEX entries_feed (feed_id=? AND id>?)"),
                "{steps:#?}"
            );
            place("SEARCH m USING INDEX marks_unread (user_id=? AND feed_id=?)");
            assert!(
                !steps.iter().any(|step| step.contains("entries_feed_sort") || step.contains("SCAN e")),
                "{steps:#?}"
            );
        }
    }
}
