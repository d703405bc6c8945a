//! Bookmarks: pages that users keep. Each is a snapshot of its own, so that it outlives its entry and its feed.
//!
//! Invariant: a bookmark is read and written by its user alone. The snapshot stays readable whatever happens to the feed; the
//! entry and the feed are named only as long as the user may see them.

use crate::StoreError;
use crate::codes::{from_json, json};
use crate::db::batch::Batch;
use crate::db::question::Question;
use crate::db::sql::{Text, statements};
use crate::db::value::{Record, Value};
use crate::store::Store;
use crate::viewer::sees_living_feed;
use jiff::Timestamp;
use model::library::{Bookmark, NewBookmark};
use model::{BookmarkId, CategoryId, EntryId, FeedId, TagId, UserId};
use sha2::{Digest as _, Sha256};
use std::collections::HashMap;
use std::fmt::Write as _;

/// A link that is longer than this is known by its hash: PostgreSQL indexes no text of more than 2.7 KB.
const LONGEST_KEY: usize = 1_000;

/// Names its entry and its feed while user $1 may see them.
macro_rules! columns {
    () => {
        concat!(
            "b.id, CASE WHEN ",
            sees_living_feed!("b.feed_id", "$1"),
            " THEN b.entry_id END, CASE WHEN ",
            sees_living_feed!("b.feed_id", "$1"),
            " THEN b.feed_id END, b.link, b.title, b.content, b.author, b.feed_name, b.published_at, b.note, b.created_at, "
        )
    };
}

macro_rules! columns_sqlite {
    () => {
        concat!(
            columns!(),
            "(SELECT json_group_array(name) FROM (
                  SELECT t.name FROM bookmark_tags bt JOIN tags t ON t.id = bt.tag_id
                  WHERE bt.bookmark_id = b.id ORDER BY t.folded))"
        )
    };
}

macro_rules! columns_postgres {
    () => {
        concat!(
            columns!(),
            "(SELECT jsonb_agg(t.name ORDER BY t.folded) FROM bookmark_tags bt JOIN tags t ON t.id = bt.tag_id
              WHERE bt.bookmark_id = b.id)"
        )
    };
}

/// The bookmarks of user $1: of feed $2, with tag $3, of feeds in categories $4, with text $5; each NULL for all.
macro_rules! chosen {
    ($listed:literal, $like:literal) => {
        concat!(
            " FROM bookmarks b WHERE b.user_id = $1 AND ($2 IS NULL OR b.feed_id = $2)
               AND ($3 IS NULL OR EXISTS (SELECT 1 FROM bookmark_tags bt JOIN tags t ON t.id = bt.tag_id
                                          WHERE bt.bookmark_id = b.id AND bt.tag_id = $3 AND t.user_id = $1))
               AND ($4 IS NULL OR b.feed_id IN (SELECT s.feed_id FROM subscriptions s
                                                WHERE s.user_id = $1 AND s.category_id IN (",
            $listed,
            "))) AND ($5 IS NULL OR b.title ",
            $like,
            " $5 ESCAPE '\\' OR b.content ",
            $like,
            " $5 ESCAPE '\\')"
        )
    };
}

macro_rules! chosen_sqlite {
    () => {
        chosen!("SELECT value FROM json_each($4)", "LIKE")
    };
}

macro_rules! chosen_postgres {
    () => {
        chosen!("SELECT id::bigint FROM jsonb_array_elements_text($4) AS c(id)", "ILIKE")
    };
}

macro_rules! page {
    () => {
        " AND (b.created_at, b.id) < ($6, $7) ORDER BY b.created_at DESC, b.id DESC LIMIT $8 OFFSET $9"
    };
}

macro_rules! inserted {
    () => {
        "INSERT INTO bookmarks (user_id, key, entry_id, feed_id, link, title, content, author, feed_name, published_at, note,
                                created_at)"
    };
}

statements! {
    ADD(Int, Text, Int, Int, Text, Text, Text, Text, Text, Int, Text, Int) = Text::One(concat!(
        inserted!(), "
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) ON CONFLICT (user_id, key) DO NOTHING"));
    /// Keeps what entry $3 says now, if user $1 may see it.
    STAR(Int, Text, Int, Int) = Text::One(concat!(
        inserted!(), "
         SELECT $1, $2, e.id, e.feed_id, e.link, coalesce(e.title, e.link, ''),
                coalesce(b.full_text, b.content, b.summary, ''), e.author, coalesce(s.title, f.title, f.url),
                e.published_at, NULL, $4
         FROM entries e JOIN entry_bodies b ON b.entry_id = e.id JOIN feeds f ON f.id = e.feed_id
              LEFT JOIN subscriptions s ON s.user_id = $1 AND s.feed_id = e.feed_id
         WHERE e.id = $3 AND ", sees_living_feed!("e.feed_id", "$1"), "
         ON CONFLICT (user_id, key) DO NOTHING"));
    /// A page that was saved by its link, or whose entry is gone, belongs to the entry that is starred now.
    ATTACH(Int, Text, Int) = Text::One(
        "UPDATE bookmarks SET entry_id = $3, feed_id = (SELECT feed_id FROM entries WHERE id = $3)
         WHERE user_id = $1 AND key = $2 AND entry_id IS NULL AND EXISTS (SELECT 1 FROM entries WHERE id = $3)");
    BY_KEY(Int, Text) = Text::Two {
        sqlite: concat!("SELECT ", columns_sqlite!(), " FROM bookmarks b WHERE b.user_id = $1 AND b.key = $2"),
        postgres: concat!("SELECT ", columns_postgres!(), " FROM bookmarks b WHERE b.user_id = $1 AND b.key = $2"),
    };
    GET(Int, Int) = Text::Two {
        sqlite: concat!("SELECT ", columns_sqlite!(), " FROM bookmarks b WHERE b.user_id = $1 AND b.id = $2"),
        postgres: concat!("SELECT ", columns_postgres!(), " FROM bookmarks b WHERE b.user_id = $1 AND b.id = $2"),
    };
    LIST(Int, Int, Int, Json, Text, Int, Int, Int, Int) = Text::Two {
        sqlite: concat!("SELECT ", columns_sqlite!(), chosen_sqlite!(), page!()),
        postgres: concat!("SELECT ", columns_postgres!(), chosen_postgres!(), page!()),
    };
    TOTAL(Int, Int, Int, Json, Text) = Text::Two {
        sqlite: concat!("SELECT count(*)", chosen_sqlite!()),
        postgres: concat!("SELECT count(*)", chosen_postgres!()),
    };
    UPDATE(Int, Int, Text, Bool, Text) = Text::One(
        "UPDATE bookmarks SET title = coalesce($3, title), note = CASE WHEN $4 THEN $5 ELSE note END
         WHERE user_id = $1 AND id = $2");
    DELETE(Int, Int) = Text::One("DELETE FROM bookmarks WHERE user_id = $1 AND id = $2");
    /// Also the bookmark that another entry with the same link has.
    UNSTAR(Int, Int) = Text::One(
        "DELETE FROM bookmarks WHERE user_id = $1
             AND (entry_id = $2 OR key = (SELECT e.link FROM entries e WHERE e.id = $2))");
    BOOKMARKED(Int, Int) = Text::Rows(
        "SELECT e.id, b.id FROM entries e JOIN bookmarks b ON b.entry_id = e.id OR b.key = e.link
         WHERE b.user_id = $1 AND e.id = $2");
    COUNTS(Int) = Text::One(concat!(
        "SELECT b.feed_id, count(*) FROM bookmarks b WHERE b.user_id = $1 AND ", sees_living_feed!("b.feed_id", "$1"), "
         GROUP BY b.feed_id"));
    DETACH(Int) = Text::Rows("UPDATE bookmarks SET entry_id = NULL WHERE entry_id = $1");
}

/// Whether something was made, or was there before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Made {
    /// It is new.
    New,
    /// It was there, and stays as it was.
    Existing,
}

/// Which bookmarks a list shows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BookmarkFilter {
    /// Only this feed's.
    pub feed: Option<FeedId>,
    /// Only those with this tag of the user.
    pub tag: Option<TagId>,
    /// Only those of feeds that are filed in one of these.
    pub categories: Option<Vec<CategoryId>>,
    /// Only those with this text in their title or content.
    pub text: Option<String>,
}

/// Which part of a list is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BookmarkSlice {
    /// After the one that a page named as `next`.
    pub after: Option<(Timestamp, BookmarkId)>,
    /// Without the first so many.
    pub offset: u64,
    /// At most this many.
    pub limit: u32,
}

/// A part of a list, newest first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BookmarkPage {
    /// The bookmarks.
    pub bookmarks: Vec<Bookmark>,
    /// Pass it on for the next page; `None` at the end.
    pub next: Option<(Timestamp, BookmarkId)>,
    /// How many there are on all pages.
    pub total: u64,
}

/// What a user changes about a bookmark; `None` leaves it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BookmarkChange {
    /// Another title.
    pub title: Option<String>,
    /// Another remark, or none.
    pub note: Option<Option<String>>,
}

fn bookmark(row: &mut Record) -> Result<Bookmark, StoreError> {
    Ok(Bookmark {
        id: BookmarkId(row.next()?),
        entry: row.next::<Option<i64>>()?.map(EntryId),
        feed: row.next::<Option<i64>>()?.map(FeedId),
        link: row.next()?,
        title: row.next()?,
        content: row.next()?,
        author: row.next()?,
        feed_name: row.next()?,
        published_at: row.next()?,
        note: row.next()?,
        created_at: row.next()?,
        tags: from_json(row.next()?)?,
    })
}

/// What is unique per user.
fn key(link: Option<&str>, entry: Option<EntryId>, title: &str) -> String {
    match (link.filter(|link| !link.is_empty()), entry) {
        (Some(link), _) if link.len() <= LONGEST_KEY => link.to_owned(),
        (Some(link), _) => hashed(link),
        (None, Some(entry)) => format!("entry:{entry}"),
        (None, None) => hashed(title),
    }
}

fn hashed(text: &str) -> String {
    Sha256::digest(text.as_bytes()).iter().fold("sha256:".to_owned(), |mut key, byte| {
        let _ = write!(key, "{byte:02x}");
        key
    })
}

/// A pattern of LIKE that finds the text itself wherever it stands.
fn pattern(text: &str) -> String {
    let escaped = text.replace('\\', "\\\\").replace('%', "\\%").replace('_', "\\_");
    format!("%{escaped}%")
}

/// Adds the steps that keep what an entry with this link says now, if the user may see it.
pub(crate) fn star_step(batch: &mut Batch, user: UserId, entry: EntryId, link: Option<&str>, now: Timestamp) {
    let key = key(link, Some(entry), "");
    batch.step(&STAR, vec![vec![user.0.into(), key.as_str().into(), entry.0.into(), now.into()]]);
    batch.step(&ATTACH, vec![vec![user.0.into(), key.into(), entry.0.into()]]);
}

/// Adds the step that lets bookmarks stand alone: their entries are deleted.
pub(crate) fn detach(batch: &mut Batch, entries: impl Iterator<Item = EntryId>) {
    batch.step(&DETACH, entries.map(|entry| vec![entry.0.into()]).collect());
}

impl Store {
    /// Keeps a page; one that the user has under the same link stays as it is.
    pub async fn add_bookmark(
        &self,
        user: UserId,
        new: NewBookmark,
        now: Timestamp,
    ) -> Result<(Bookmark, Made), StoreError> {
        let key = key(new.link.as_deref(), new.entry, &new.title);
        let row = vec![
            user.0.into(),
            key.as_str().into(),
            new.entry.map(|entry| entry.0).into(),
            new.feed.map(|feed| feed.0).into(),
            new.link.into(),
            new.title.into(),
            new.content.into(),
            new.author.into(),
            new.feed_name.into(),
            new.published_at.into(),
            new.note.into(),
            now.into(),
        ];
        self.keep(Batch::one(&ADD, row), user, key).await
    }

    /// Keeps what an entry says now; a bookmark with its link stays as it is. An entry that the user may not see is not found.
    pub async fn star(&self, user: UserId, entry: EntryId, now: Timestamp) -> Result<(Bookmark, Made), StoreError> {
        let link = self.entry(model::Viewer::User(user), entry).await?.link;
        let key = key(link.as_deref(), Some(entry), "");
        let mut batch = Batch::default();
        star_step(&mut batch, user, entry, link.as_deref(), now);
        self.keep(batch, user, key).await
    }

    /// Runs a batch whose first step makes the bookmark; returns what is under its key.
    async fn keep(&self, mut batch: Batch, user: UserId, key: String) -> Result<(Bookmark, Made), StoreError> {
        batch.step(&BY_KEY, vec![vec![user.0.into(), key.as_str().into()]]);
        let mut answer = self.write(batch).await?;
        let made = if answer[0].written > Some(0) { Made::New } else { Made::Existing };
        let found = answer.pop().expect("the last step reads").records.first_mut().map(bookmark).transpose()?;
        found.map(|bookmark| (bookmark, made)).ok_or(StoreError::NotFound { what: "bookmark", name: key })
    }

    /// Forgets the bookmark of an entry. `false` if there is none.
    pub async fn unstar(&self, user: UserId, entry: EntryId) -> Result<bool, StoreError> {
        Ok(self.write_counted(&UNSTAR, vec![user.0.into(), entry.0.into()]).await? > 0)
    }

    /// A bookmark of a user.
    pub async fn bookmark(&self, user: UserId, id: BookmarkId) -> Result<Bookmark, StoreError> {
        let found = self.read_first(&GET, vec![user.0.into(), id.0.into()], bookmark).await?;
        found.ok_or_else(|| StoreError::NotFound { what: "bookmark", name: id.to_string() })
    }

    /// A user's bookmark of a page.
    pub async fn bookmark_of(&self, user: UserId, link: &str) -> Result<Option<Bookmark>, StoreError> {
        self.read_first(&BY_KEY, vec![user.0.into(), key(Some(link), None, "").into()], bookmark).await
    }

    /// A user's bookmarks, newest first, and how many there are.
    pub async fn bookmarks(
        &self,
        user: UserId,
        filter: &BookmarkFilter,
        slice: BookmarkSlice,
    ) -> Result<BookmarkPage, StoreError> {
        let categories = filter.categories.as_ref().map(|categories| {
            let ids: Vec<i64> = categories.iter().map(|category| category.0).collect();
            // No category at all is not all of them.
            if ids.is_empty() { Value::Text("[]".into()) } else { json(&ids) }
        });
        let chosen = vec![
            user.0.into(),
            filter.feed.map(|feed| feed.0).into(),
            filter.tag.map(|tag| tag.0).into(),
            categories.unwrap_or(Value::Null),
            filter.text.as_deref().filter(|text| !text.is_empty()).map(pattern).into(),
        ];
        let (at, id) = slice.after.map_or((i64::MAX, i64::MAX), |(at, id)| (at.as_microsecond(), id.0));
        let page = vec![at.into(), id.into(), slice.limit.into(), slice.offset.into()];
        let listed = Question::new(&LIST, [chosen.clone(), page].concat());
        let mut answers = self.read_snapshot(vec![listed, Question::new(&TOTAL, chosen)]).await?;
        let total = answers.pop().unwrap_or_default().first_mut().map_or(Ok(0), |row| row.next())?;
        let mut rows = answers.pop().unwrap_or_default();
        let bookmarks: Vec<Bookmark> = rows.iter_mut().map(bookmark).collect::<Result<_, _>>()?;
        let full = bookmarks.len() == slice.limit as usize;
        let next = bookmarks.last().filter(|_| full).map(|last| (last.created_at, last.id));
        Ok(BookmarkPage { bookmarks, next, total })
    }

    /// Changes a bookmark. `false` if there is none.
    pub async fn change_bookmark(
        &self,
        user: UserId,
        id: BookmarkId,
        change: BookmarkChange,
    ) -> Result<bool, StoreError> {
        let (noted, note) = (change.note.is_some(), change.note.flatten());
        let row = vec![user.0.into(), id.0.into(), change.title.into(), noted.into(), note.into()];
        Ok(self.write_counted(&UPDATE, row).await? > 0)
    }

    /// Forgets a bookmark. `false` if there is none.
    pub async fn delete_bookmark(&self, user: UserId, id: BookmarkId) -> Result<bool, StoreError> {
        Ok(self.write_counted(&DELETE, vec![user.0.into(), id.0.into()]).await? > 0)
    }

    /// Which of these entries the user has bookmarked, by the entry or by its link.
    pub async fn bookmarked(
        &self,
        user: UserId,
        entries: &[EntryId],
    ) -> Result<HashMap<EntryId, BookmarkId>, StoreError> {
        let rows = entries.iter().map(|entry| vec![user.0.into(), entry.0.into()]).collect();
        let pair = |row: &mut Record| Ok((EntryId(row.next()?), BookmarkId(row.next()?)));
        Ok(self.read_each(&BOOKMARKED, rows, pair).await?.into_iter().collect())
    }

    /// How many bookmarks a user has of each feed that they may see.
    pub async fn starred_counts(&self, user: UserId) -> Result<HashMap<FeedId, u64>, StoreError> {
        let pair = |row: &mut Record| Ok((FeedId(row.next()?), row.next()?));
        Ok(self.read_all(&COUNTS, vec![user.0.into()], pair).await?.into_iter().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bookmark_is_known_by_its_link() {
        let check = |link: Option<&str>, entry: Option<i64>, expected: &str| {
            assert_eq!(key(link, entry.map(EntryId), "title"), expected);
        };
        check(Some("https://a.example/1"), Some(7), "https://a.example/1");
        check(None, Some(7), "entry:7");
        check(Some(""), Some(7), "entry:7");
        assert_eq!(key(None, None, "title"), hashed("title"));
        assert_eq!(key(Some(&"a".repeat(1_001)), None, "").len(), "sha256:".len() + 64);
    }

    #[test]
    fn wildcards_of_a_text_are_letters() {
        assert_eq!(pattern("100 %_\\"), "%100 \\%\\_\\\\%");
    }
}
