//! Tags: a user's labels on entries and bookmarks. A name is unique per user, whatever the case of its letters.
//!
//! Invariant: tags are read and written by their user alone; an entry gets one only while the user may see it.

use crate::StoreError;
use crate::bookmarks::Made;
use crate::codes::json;
use crate::db::batch::Batch;
use crate::db::sql::{Text, statements};
use crate::db::value::{Record, Value};
use crate::store::Store;
use crate::viewer::sees_living_feed;
use jiff::Timestamp;
use model::library::Tag;
use model::{BookmarkId, EntryId, TagId, UserId};
use std::collections::{BTreeSet, HashMap, HashSet};

macro_rules! columns {
    () => {
        "t.id, t.name, (SELECT count(*) FROM entry_tags et WHERE et.tag_id = t.id)
                     + (SELECT count(*) FROM bookmark_tags bt WHERE bt.tag_id = t.id)"
    };
}

/// Takes user $1's tags other than $3 (names in small letters) off something.
macro_rules! others {
    ($table:literal, $of:literal, $listed:literal) => {
        concat!(
            "DELETE FROM ",
            $table,
            " WHERE ",
            $of,
            " = $2 AND tag_id IN (SELECT t.id FROM tags t WHERE t.user_id = $1 AND t.folded NOT IN (",
            $listed,
            "))"
        )
    };
}

statements! {
    LIST(Int) = Text::One(concat!("SELECT ", columns!(), " FROM tags t WHERE t.user_id = $1 ORDER BY t.folded, t.id"));
    NAMED(Int, Text) = Text::One(concat!("SELECT ", columns!(), " FROM tags t WHERE t.user_id = $1 AND t.folded = $2"));
    MAKE(Int, Text, Text, Int) = Text::Rows(
        "INSERT INTO tags (user_id, name, folded, created_at) VALUES ($1, $2, $3, $4)
         ON CONFLICT (user_id, folded) DO NOTHING");
    RENAME(Int, Int, Text, Text) = Text::One(
        "UPDATE tags SET name = $3, folded = $4 WHERE user_id = $1 AND id = $2");
    DELETE(Int, Int) = Text::One("DELETE FROM tags WHERE user_id = $1 AND id = $2");
    KEEP_OF_ENTRY(Int, Int, Json) = Text::Two {
        sqlite: others!("entry_tags", "entry_id", "SELECT value FROM json_each($3)"),
        postgres: others!("entry_tags", "entry_id", "SELECT jsonb_array_elements_text($3)"),
    };
    KEEP_OF_BOOKMARK(Int, Int, Json) = Text::Two {
        sqlite: others!("bookmark_tags", "bookmark_id", "SELECT value FROM json_each($3)"),
        postgres: others!("bookmark_tags", "bookmark_id", "SELECT jsonb_array_elements_text($3)"),
    };
    TAG_ENTRY(Int, Int, Text, Int) = Text::Rows(concat!(
        "INSERT INTO entry_tags (tag_id, entry_id, at) SELECT t.id, e.id, $4 FROM tags t, entries e
         WHERE t.user_id = $1 AND t.folded = $3 AND e.id = $2 AND ", sees_living_feed!("e.feed_id", "$1"), "
         ON CONFLICT (tag_id, entry_id) DO NOTHING"));
    TAG_BOOKMARK(Int, Int, Text) = Text::Rows(
        "INSERT INTO bookmark_tags (tag_id, bookmark_id) SELECT t.id, b.id FROM tags t, bookmarks b
         WHERE t.user_id = $1 AND t.folded = $3 AND b.id = $2 AND b.user_id = $1
         ON CONFLICT (tag_id, bookmark_id) DO NOTHING");
    OF_ENTRIES(Int, Int) = Text::Rows(
        "SELECT et.entry_id, t.folded, t.name FROM entry_tags et JOIN tags t ON t.id = et.tag_id
         WHERE t.user_id = $1 AND et.entry_id = $2");
    FORGET(Int) = Text::Rows("DELETE FROM entry_tags WHERE entry_id = $1");
}

/// What became of another name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Renamed {
    /// It has that name.
    Done,
    /// Another one of the user has it.
    Taken,
    /// The user has no such thing.
    Missing,
}

impl Renamed {
    /// What a statement that changes a name came to.
    pub(crate) fn by(written: Result<u64, StoreError>) -> Result<Self, StoreError> {
        match written {
            Ok(0) => Ok(Self::Missing),
            Ok(_) => Ok(Self::Done),
            Err(StoreError::Conflict { .. }) => Ok(Self::Taken),
            Err(error) => Err(error),
        }
    }
}

fn tag(row: &mut Record) -> Result<Tag, StoreError> {
    Ok(Tag { id: TagId(row.next()?), name: row.next()?, uses: row.next()? })
}

/// What names are compared by.
pub(crate) fn folded(name: &str) -> String {
    name.to_lowercase()
}

fn make(batch: &mut Batch, user: UserId, names: &[String], now: Timestamp) {
    let mut seen = HashSet::new();
    let new = names.iter().map(|name| (name, folded(name))).filter(|(_, folded)| seen.insert(folded.clone()));
    let rows = new.map(|(name, folded)| vec![user.0.into(), name.as_str().into(), folded.into(), now.into()]);
    batch.step(&MAKE, rows.collect());
}

/// Names in small letters, each once.
fn distinct(names: &[String]) -> BTreeSet<String> {
    names.iter().map(|name| folded(name)).collect()
}

fn listed(names: &BTreeSet<String>) -> Value {
    if names.is_empty() { Value::Text("[]".into()) } else { json(&names.iter().collect::<Vec<_>>()) }
}

/// Adds the step that takes tags off entries that are deleted.
pub(crate) fn forget(batch: &mut Batch, entries: impl Iterator<Item = EntryId>) {
    batch.step(&FORGET, entries.map(|entry| vec![entry.0.into()]).collect());
}

impl Store {
    /// A user's tags by name, with how often each is used.
    pub async fn tags(&self, user: UserId) -> Result<Vec<Tag>, StoreError> {
        self.read_all(&LIST, vec![user.0.into()], tag).await
    }

    /// A user's tag of a name, whatever the case of its letters.
    pub async fn tag_named(&self, user: UserId, name: &str) -> Result<Option<Tag>, StoreError> {
        self.read_first(&NAMED, vec![user.0.into(), folded(name).into()], tag).await
    }

    /// Makes a tag, or finds the one of that name.
    pub async fn make_tag(&self, user: UserId, name: &str, now: Timestamp) -> Result<(Tag, Made), StoreError> {
        let mut batch = Batch::default();
        make(&mut batch, user, &[name.to_owned()], now);
        batch.step(&NAMED, vec![vec![user.0.into(), folded(name).into()]]);
        let mut answer = self.write(batch).await?;
        let made = if answer[0].written > Some(0) { Made::New } else { Made::Existing };
        let found = answer.pop().expect("the last step reads").records.first_mut().map(tag).transpose()?;
        found.map(|tag| (tag, made)).ok_or_else(|| StoreError::NotFound { what: "tag", name: name.to_owned() })
    }

    /// Calls a tag something else.
    pub async fn rename_tag(&self, user: UserId, id: TagId, name: &str) -> Result<Renamed, StoreError> {
        let row = vec![user.0.into(), id.0.into(), name.into(), folded(name).into()];
        Renamed::by(self.write_counted(&RENAME, row).await)
    }

    /// Forgets a tag, wherever it is used. `false` if there is none.
    pub async fn delete_tag(&self, user: UserId, id: TagId) -> Result<bool, StoreError> {
        Ok(self.write_counted(&DELETE, vec![user.0.into(), id.0.into()]).await? > 0)
    }

    /// Lets an entry have exactly these tags of the user; makes those that are new. An entry that the user may not see is
    /// not found.
    pub async fn set_entry_tags(
        &self,
        user: UserId,
        entry: EntryId,
        names: &[String],
        now: Timestamp,
    ) -> Result<(), StoreError> {
        self.entry(model::Viewer::User(user), entry).await?;
        let mut batch = Batch::default();
        make(&mut batch, user, names, now);
        let wanted = distinct(names);
        batch.step(&KEEP_OF_ENTRY, vec![vec![user.0.into(), entry.0.into(), listed(&wanted)]]);
        let row = |name: String| vec![user.0.into(), entry.0.into(), name.into(), now.into()];
        batch.step(&TAG_ENTRY, wanted.into_iter().map(row).collect());
        self.write(batch).await.map(|_| ())
    }

    /// Gives entries further tags; makes those that are new. Entries that the user may not see are left out.
    pub async fn tag_entries(
        &self,
        user: UserId,
        tagged: &[(EntryId, String)],
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let mut batch = Batch::default();
        tag_more(&mut batch, user, tagged, now);
        if batch.steps.is_empty() {
            return Ok(());
        }
        self.write(batch).await.map(|_| ())
    }

    /// Lets a bookmark have exactly these tags; makes those that are new. `false` if there is no such bookmark.
    pub async fn set_bookmark_tags(
        &self,
        user: UserId,
        bookmark: BookmarkId,
        names: &[String],
        now: Timestamp,
    ) -> Result<(), StoreError> {
        self.bookmark(user, bookmark).await?;
        let mut batch = Batch::default();
        make(&mut batch, user, names, now);
        let wanted = distinct(names);
        batch.step(&KEEP_OF_BOOKMARK, vec![vec![user.0.into(), bookmark.0.into(), listed(&wanted)]]);
        let row = |name: String| vec![user.0.into(), bookmark.0.into(), name.into()];
        batch.step(&TAG_BOOKMARK, wanted.into_iter().map(row).collect());
        self.write(batch).await.map(|_| ())
    }

    /// The names of the user's tags on each of these entries, in the order of the alphabet.
    pub async fn entry_tags(
        &self,
        user: UserId,
        entries: &[EntryId],
    ) -> Result<HashMap<EntryId, Vec<String>>, StoreError> {
        let rows = entries.iter().map(|entry| vec![user.0.into(), entry.0.into()]).collect();
        let named = |row: &mut Record| Ok((EntryId(row.next()?), row.next::<String>()?, row.next::<String>()?));
        let mut found = self.read_each(&OF_ENTRIES, rows, named).await?;
        found.sort_unstable();
        let mut tags: HashMap<EntryId, Vec<String>> = HashMap::new();
        for (entry, _, name) in found {
            tags.entry(entry).or_default().push(name);
        }
        Ok(tags)
    }
}

/// Adds the steps that give entries further tags.
pub(crate) fn tag_more(batch: &mut Batch, user: UserId, tagged: &[(EntryId, String)], now: Timestamp) {
    let names: Vec<String> = tagged.iter().map(|(_, name)| name.clone()).collect();
    make(batch, user, &names, now);
    let distinct: BTreeSet<(EntryId, String)> = tagged.iter().map(|(entry, name)| (*entry, folded(name))).collect();
    let row = |(entry, name): (EntryId, String)| vec![user.0.into(), entry.0.into(), name.into(), now.into()];
    batch.step(&TAG_ENTRY, distinct.into_iter().map(row).collect());
}
