//! Entries: writing them (as steps of a commit), recognising them, listing them.
//!
//! `entries` is narrow and is what lists walk; bodies, revisions and keys lie apart.

use crate::StoreError;
use crate::codes::{from_json, json};
use crate::db::batch::Batch;
use crate::db::compose::{Choice, Composed, Order, Part};
use crate::db::sql::{Text, statements};
use crate::db::value::{Kind, Record, Value};
use crate::store::Store;
use crate::viewer::{not_hidden, sees_living_feed};
use jiff::Timestamp;
use model::entry::{
    Attachment, Author, Entry, EntryBody, EntryKey, Hash, Known, KnownEntry, KnownKey, Lineage, Preview, RawRef,
    Revision,
};
use model::plan::{Alias, ChangedEntry, EntryVersion, Keep, LineageChange, NewEntry, Redated};
use model::{CategoryId, EntryId, FeedId, FetchId, UserId, Viewer};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeSet, HashSet};
use std::sync::OnceLock;

macro_rules! entry_columns {
    () => {
        "id, feed_id, uid, title, excerpt, link, author, published_at, updated_at, first_seen_at, sort_at, content_hash,
         quiet, since_reading, last_seen_at, seen_count, image, entries.language, comments_url, enclosure_kind"
    };
}

macro_rules! known_columns {
    () => {
        "id, content_hash, raw_hash, link, title, published_at, since_reading, last_seen_at, seen_count"
    };
}

/// What knows only its entry, of a feed that the viewer sees.
macro_rules! of_seen_entries {
    ($viewer:literal) => {
        concat!(
            "EXISTS (SELECT 1 FROM entries e WHERE e.id = entry_id AND ",
            sees_living_feed!("e.feed_id", $viewer),
            ")"
        )
    };
}

macro_rules! body_columns {
    () => {
        "summary, content, authors, categories, enclosures, language, raw_fetch, raw_offset, raw_length"
    };
}

statements! {
    INSERT(Int, Int, Text, Text, Text, Text, Text, Int, Int, Int, Int, Bytes, Bytes, Bool, Int, Text, Text, Text, Text) =
        Text::Rows(
        "INSERT INTO entries (id, feed_id, uid, title, excerpt, link, author, published_at, updated_at, first_seen_at,
                              sort_at, content_hash, raw_hash, quiet, since_reading, image, language, comments_url,
                              enclosure_kind)
         VALUES (new_entry($1), $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19)");
    INSERT_BODY(Int, Text, Text, Json, Json, Json, Text, Uuid, Int, Int) = Text::Rows(concat!(
        "INSERT INTO entry_bodies (entry_id, ", body_columns!(), ")
         VALUES (new_entry($1), $2, $3, $4, $5, $6, $7, $8, $9, $10)"));
    /// The first entry to claim a key keeps it.
    INSERT_KEY(Int, Int, Bytes, Int) = Text::Rows(
        "INSERT INTO entry_keys (feed_id, kind, hash, entry_id)
         VALUES ($1, $2, $3, new_entry($4)) ON CONFLICT (feed_id, kind, hash) DO NOTHING");
    /// Not for an entry that was forgotten since it was recognised: its keys are tombstones by now.
    ADD_KEY(Int, Int, Bytes, Int) = Text::Rows(
        "INSERT INTO entry_keys (feed_id, kind, hash, entry_id) SELECT $1, $2, $3, id FROM entries WHERE id = $4
         ON CONFLICT (feed_id, kind, hash) DO NOTHING");
    /// Keeps what entry $1 says until now ($2).
    KEEP_REVISION(Int, Int) = Text::One(concat!(
        "INSERT INTO entry_revisions (entry_id, number, replaced_at, title, link, content_hash, ", body_columns!(), ")
         SELECT e.id, (SELECT coalesce(max(number), 0) FROM entry_revisions WHERE entry_id = $1) + 1, $2, e.title,
                e.link, e.content_hash, summary, content, authors, categories, enclosures, b.language, raw_fetch, raw_offset,
                raw_length
         FROM entries e JOIN entry_bodies b ON b.entry_id = e.id WHERE e.id = $1"));
    /// Of entry $1 only the last $2 stay.
    FORGET_REVISIONS(Int, Int) = Text::One(
        "DELETE FROM entry_revisions
         WHERE entry_id = $1 AND number <= (SELECT max(number) FROM entry_revisions WHERE entry_id = $1) - $2");
    UPDATE(Int, Text, Text, Text, Text, Int, Int, Bytes, Bytes, Text, Text, Text, Text) = Text::Rows(
        "UPDATE entries SET title = $2, excerpt = $3, link = $4, author = $5, published_at = $6, updated_at = $7,
             content_hash = $8, raw_hash = $9, image = $10, language = $11, comments_url = $12, enclosure_kind = $13
         WHERE id = $1");
    UPDATE_BODY(Int, Text, Text, Json, Json, Json, Text, Uuid, Int, Int) = Text::Rows(
        "UPDATE entry_bodies SET summary = $2, content = $3, authors = $4, categories = $5, enclosures = $6,
             language = $7, raw_fetch = $8, raw_offset = $9, raw_length = $10
         WHERE entry_id = $1");
    REDATE(Int, Int, Int, Bytes) = Text::Rows(
        "UPDATE entries SET published_at = $2, updated_at = $3, raw_hash = $4 WHERE id = $1");
    SET_RAW_REF(Int, Uuid, Int, Int) = Text::Rows(
        "UPDATE entry_bodies SET raw_fetch = $2, raw_offset = $3, raw_length = $4 WHERE entry_id = $1");
    /// Nothing was last seen before it was seen first.
    SET_LINEAGE(Int, Int, Int, Int) = Text::Rows(
        "UPDATE entries SET since_reading = coalesce($2, since_reading), seen_count = $4,
             last_seen_at = CASE WHEN $3 IS NULL THEN NULL ELSE greatest($3, first_seen_at) END
         WHERE id = $1");
    SET_ORDER(Int, Int) = Text::Rows("UPDATE entries SET sort_at = $2 WHERE id = $1");
    KNOWN_KEYS(Int, Int, Bytes) = Text::Rows(
        "SELECT kind, hash, entry_id FROM entry_keys WHERE feed_id = $1 AND kind = $2 AND hash = $3");
    PRESENT(Int) = Text::One(concat!(
        "SELECT ", known_columns!(), " FROM entries WHERE feed_id = $1 AND last_seen_at IS NULL"));
    KNOWN_ENTRY(Int) = Text::Rows(concat!("SELECT ", known_columns!(), " FROM entries WHERE id = $1"));
    /// Entry $1.
    BY_ID(Int, Int) = Text::Rows(concat!(
        "SELECT ", entry_columns!(), " FROM entries WHERE id = $1 AND ", sees_living_feed!("feed_id", "$2")));
    BY_UID(Text, Int) = Text::One(concat!(
        "SELECT ", entry_columns!(), " FROM entries
         WHERE uid = $1 AND ", sees_living_feed!("feed_id", "$2"), " ORDER BY feed_id"));
    /// Entry $1 with its body.
    WHOLE(Int, Int) = Text::Rows(concat!(
        "SELECT ", entry_columns!(), ", summary, content, authors, categories, enclosures, b.language, raw_fetch, raw_offset, raw_length
         FROM entries JOIN entry_bodies b ON b.entry_id = entries.id
         WHERE entries.id = $1 AND ", sees_living_feed!("feed_id", "$2")));
    BODY(Int, Int) = Text::One(concat!(
        "SELECT ", body_columns!(), " FROM entry_bodies WHERE entry_id = $1 AND ", of_seen_entries!("$2")));
    REVISIONS(Int, Int) = Text::One(concat!(
        "SELECT number, replaced_at, title, link, content_hash, ", body_columns!(), "
         FROM entry_revisions WHERE entry_id = $1 AND ", of_seen_entries!("$2"), " ORDER BY number"));
    COUNT_PRESENT(Int, Int) = Text::One(concat!(
        "SELECT count(*) FROM entries WHERE feed_id = $1 AND last_seen_at IS NULL AND ", sees_living_feed!("$1", "$2")));
    COUNT() = Text::One(
        "SELECT (SELECT count(*) FROM entries)
              - (SELECT count(*) FROM entries WHERE feed_id IN (SELECT id FROM feeds WHERE state = 'deleted'))");
    /// Up to $2 of the tombstones that have expired at $1.
    FORGET_TOMBSTONES(Int, Int) = Text::Two {
        sqlite: "DELETE FROM entry_keys WHERE (feed_id, kind, hash) IN (
                     SELECT feed_id, kind, hash FROM entry_keys WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2)",
        postgres: "DELETE FROM entry_keys WHERE ctid = ANY (ARRAY(
                       SELECT ctid FROM entry_keys WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2))",
    };
}

/// Entries, without their bodies. Scopes are checked before anything else: who may not see a feed sees nothing of it.
pub(crate) static LIST: Composed = Composed {
    name: concat!(module_path!(), "::LIST"),
    base: concat!("SELECT ", entry_columns!(), " FROM entries"),
    scopes: &[&SEEN, &OF_FEED],
    parts: &[&SUBSCRIBED, &IN_CATEGORY, &SINCE, &STILL_PRESENT],
    orders: &[&NEWEST_FIRST, &AS_ARRIVED],
    made: OnceLock::new(),
};
/// All that viewer $1 may see.
static SEEN: Part = Part { name: "seen", text: not_hidden!("entries.feed_id", "$1"), params: &[Kind::Int] };
/// Those of feed $2, if viewer $1 may see it.
static OF_FEED: Part = Part {
    name: "of feed",
    text: concat!("feed_id = $2 AND ", sees_living_feed!("$2", "$1")),
    params: &[Kind::Int, Kind::Int],
};
// Counted, and not EXISTS or IN, which SQLite makes a join of: then it begins with the subscriptions and sorts the entries.
static SUBSCRIBED: Part = Part {
    name: "subscribed",
    text: "(SELECT count(*) FROM subscriptions s WHERE s.user_id = $1 AND s.feed_id = entries.feed_id AND s.hidden_at IS NULL) > 0",
    params: &[Kind::Int],
};
static IN_CATEGORY: Part = Part {
    name: "in category",
    // By the user and the feed, which is one row; a category may have very many.
    text: "(SELECT count(*) FROM subscriptions s
             WHERE s.user_id = (SELECT user_id FROM categories WHERE id = $1) AND s.feed_id = entries.feed_id
                   AND +s.category_id = $1 AND s.hidden_at IS NULL) > 0",
    params: &[Kind::Int],
};
static SINCE: Part = Part { name: "since", text: "sort_at >= $1", params: &[Kind::Int] };
static STILL_PRESENT: Part = Part { name: "present", text: "last_seen_at IS NULL", params: &[] };
static NEWEST_FIRST: Order = Order {
    name: "date",
    cursor: "(sort_at, id) < ($1, $2)",
    text: "ORDER BY sort_at DESC, id DESC LIMIT $3",
    params: &[Kind::Int, Kind::Int, Kind::Int],
};
static AS_ARRIVED: Order =
    Order { name: "arrival", cursor: "id > $1", text: "ORDER BY id LIMIT $2", params: &[Kind::Int, Kind::Int] };

/// So much of what an entry said before is kept.
const REVISIONS_KEPT: i64 = 50;
/// Tombstones forgotten in one transaction.
const STEP: u32 = 1_000;

/// Adds the steps that write new entries. Their ids were taken from the arrival row just before.
pub(crate) fn insert(batch: &mut Batch, feed: FeedId, reading: i64, entries: Vec<NewEntry>) {
    let count = entries.len();
    let (mut rows, mut bodies, mut keys) =
        (Vec::with_capacity(count), Vec::with_capacity(count), Vec::with_capacity(3 * count));
    for (i, entry) in entries.into_iter().enumerate() {
        let id = Value::NewEntry((count - 1 - i) as i64);
        keys.extend(entry.keys.iter().map(|key| key_row(feed, key, id.clone())));
        let author: Value = entry.version.author().into();
        let EntryVersion { title, excerpt, link, published_at, updated_at, content_hash, raw_hash, preview, body } =
            entry.version;
        rows.push(vec![
            id.clone(),
            feed.0.into(),
            entry.uid.into(),
            title.into(),
            excerpt.into(),
            link.into(),
            author,
            published_at.into(),
            updated_at.into(),
            entry.first_seen_at.into(),
            entry.sort_at.into(),
            content_hash.into(),
            raw_hash.into(),
            entry.quiet.into(),
            reading.into(),
            preview.image.into(),
            preview.language.into(),
            preview.comments_url.into(),
            preview.enclosure_kind.into(),
        ]);
        bodies.push(body_row(id, body));
    }
    batch.step(&INSERT, rows);
    batch.step(&INSERT_BODY, bodies);
    batch.step(&INSERT_KEY, keys);
}

/// Adds the steps that let entries say something else, keeping what they said where that is worth it.
pub(crate) fn change(batch: &mut Batch, feed: FeedId, changed: Vec<ChangedEntry>, now: Timestamp) {
    let kept = || changed.iter().filter(|changed| changed.keep == Keep::Revision);
    batch.step(&KEEP_REVISION, kept().map(|changed| vec![changed.id.0.into(), now.into()]).collect());
    batch.step(&FORGET_REVISIONS, kept().map(|changed| vec![changed.id.0.into(), REVISIONS_KEPT.into()]).collect());
    let (mut rows, mut bodies, mut keys) = (Vec::new(), Vec::new(), Vec::new());
    for ChangedEntry { id, version, keys: new_keys, .. } in changed {
        keys.extend(new_keys.iter().map(|key| key_row(feed, key, id.0.into())));
        let author: Value = version.author().into();
        let EntryVersion { title, excerpt, link, published_at, updated_at, content_hash, raw_hash, preview, body } =
            version;
        rows.push(vec![
            id.0.into(),
            title.into(),
            excerpt.into(),
            link.into(),
            author,
            published_at.into(),
            updated_at.into(),
            content_hash.into(),
            raw_hash.into(),
            preview.image.into(),
            preview.language.into(),
            preview.comments_url.into(),
            preview.enclosure_kind.into(),
        ]);
        bodies.push(body_row(id.0.into(), body));
    }
    batch.step(&UPDATE, rows);
    batch.step(&UPDATE_BODY, bodies);
    batch.step(&ADD_KEY, keys);
}

/// Adds the steps that correct the dates of entries that say what they said.
pub(crate) fn redate(batch: &mut Batch, redated: &[Redated]) {
    let row = |entry: &Redated| -> Vec<Value> {
        vec![entry.id.0.into(), entry.published_at.into(), entry.updated_at.into(), entry.raw_hash.into()]
    };
    batch.step(&REDATE, redated.iter().map(row).collect());
    let place = |entry: &Redated| -> Option<Vec<Value>> {
        let raw = entry.raw?;
        Some(vec![entry.id.0.into(), raw.fetch.0.into(), raw.offset.into(), raw.length.into()])
    };
    batch.step(&SET_RAW_REF, redated.iter().filter_map(place).collect());
}

/// Adds the step that lets known entries be recognised by further keys.
pub(crate) fn add_keys(batch: &mut Batch, feed: FeedId, aliases: &[Alias]) {
    batch.step(&ADD_KEY, aliases.iter().map(|alias| key_row(feed, &alias.key, alias.id.0.into())).collect());
}

/// Adds the steps that note which entries left the document or came back.
pub(crate) fn set_lineage(batch: &mut Batch, changes: &[LineageChange]) {
    let row = |change: &LineageChange| -> Vec<Value> {
        let (since, last, count) = match change.lineage {
            Lineage::Present { since_reading } => (Some(since_reading), None, None),
            Lineage::Left { last_seen_at, seen_count } => (None, Some(last_seen_at), Some(seen_count)),
        };
        vec![change.id.0.into(), since.into(), last.into(), count.into()]
    };
    batch.step(&SET_LINEAGE, changes.iter().map(row).collect());
}

/// Adds the step that gives entries another place in lists.
pub(crate) fn set_order(batch: &mut Batch, order: &[(EntryId, Timestamp)]) {
    batch.step(&SET_ORDER, order.iter().map(|(id, sort_at)| vec![id.0.into(), (*sort_at).into()]).collect());
}

fn key_row(feed: FeedId, key: &EntryKey, entry: Value) -> Vec<Value> {
    vec![feed.0.into(), key.kind.into(), key.hash.into(), entry]
}

#[derive(Serialize, Deserialize)]
struct AuthorRow {
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    email: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    uri: Option<String>,
}

#[derive(Serialize, Deserialize)]
struct AttachmentRow {
    url: String,
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    media_type: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    length: Option<u64>,
}

fn body_row(entry: Value, body: EntryBody) -> Vec<Value> {
    let authors: Vec<_> =
        body.authors.into_iter().map(|Author { name, email, uri }| AuthorRow { name, email, uri }).collect();
    let enclosure = |Attachment { url, media_type, length }| AttachmentRow { url, media_type, length };
    let enclosures: Vec<_> = body.enclosures.into_iter().map(enclosure).collect();
    vec![
        entry,
        body.summary.into(),
        body.content.into(),
        json(&authors),
        json(&body.categories),
        json(&enclosures),
        body.language.into(),
        body.raw.map(|raw| raw.fetch.0).into(),
        body.raw.map(|raw| raw.offset).into(),
        body.raw.map(|raw| raw.length).into(),
    ]
}

pub(crate) fn body(row: &mut Record) -> Result<EntryBody, StoreError> {
    let (summary, content) = (row.next()?, row.next()?);
    let author = |AuthorRow { name, email, uri }| Author { name, email, uri };
    let authors = from_json(row.next()?)?.into_iter().map(author).collect();
    let categories = from_json(row.next()?)?;
    let enclosure = |AttachmentRow { url, media_type, length }| Attachment { url, media_type, length };
    let enclosures = from_json(row.next()?)?.into_iter().map(enclosure).collect();
    let language = row.next()?;
    let (fetch, offset, length) = (row.next()?, row.next()?, row.next()?);
    let raw = match (fetch, offset, length) {
        (Some(fetch), Some(offset), Some(length)) => Some(RawRef { fetch: FetchId(fetch), offset, length }),
        _ => None,
    };
    Ok(EntryBody { summary, content, authors, categories, enclosures, language, raw })
}

fn lineage(row: &mut Record) -> Result<Lineage, StoreError> {
    let (since_reading, last_seen_at, seen_count) = (row.next()?, row.next()?, row.next::<Option<i64>>()?);
    Ok(match last_seen_at {
        None => Lineage::Present { since_reading },
        Some(last_seen_at) => Lineage::Left { last_seen_at, seen_count: seen_count.unwrap_or(0) },
    })
}

pub(crate) fn entry(row: &mut Record) -> Result<Entry, StoreError> {
    Ok(Entry {
        id: EntryId(row.next()?),
        feed: FeedId(row.next()?),
        uid: row.next()?,
        title: row.next()?,
        excerpt: row.next()?,
        link: row.next()?,
        author: row.next()?,
        published_at: row.next()?,
        updated_at: row.next()?,
        first_seen_at: row.next()?,
        sort_at: row.next()?,
        content_hash: row.next()?,
        quiet: row.next()?,
        lineage: lineage(row)?,
        preview: Preview {
            image: row.next()?,
            language: row.next()?,
            comments_url: row.next()?,
            enclosure_kind: row.next()?,
        },
    })
}

fn known_entry(row: &mut Record) -> Result<KnownEntry, StoreError> {
    Ok(KnownEntry {
        id: EntryId(row.next()?),
        content_hash: row.next()?,
        raw_hash: row.next()?,
        link: row.next()?,
        title: row.next()?,
        published_at: row.next()?,
        lineage: lineage(row)?,
    })
}

fn known_key(row: &mut Record) -> Result<(EntryKey, KnownKey), StoreError> {
    let key = EntryKey { kind: row.next()?, hash: row.next::<Hash>()? };
    let entry = row.next::<Option<i64>>()?;
    Ok((key, entry.map_or(KnownKey::Tombstone, |id| KnownKey::Entry(EntryId(id)))))
}

/// Those of these entries that are there and that the viewer may see. In any order.
pub(crate) async fn visible(store: &Store, viewer: Viewer, ids: &[i64]) -> Result<Vec<Entry>, StoreError> {
    let rows = ids.iter().map(|id| vec![(*id).into(), viewer.into()]).collect();
    store.read_each(&BY_ID, rows, entry).await
}

/// Which entries a list shows, newest first.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct EntryFilter {
    /// Only this feed's.
    pub feed: Option<FeedId>,
    /// Only those of feeds that this user is subscribed to.
    pub subscriber: Option<UserId>,
    /// Only those of feeds that are filed in this category.
    pub category: Option<CategoryId>,
    /// Only those with this date or a later one.
    pub since: Option<Timestamp>,
    /// Only those that are still in their feed's document.
    pub only_present: bool,
}

impl EntryFilter {
    /// The question for those entries, in an order.
    fn choose(self, viewer: Viewer, order: (&'static Order, Vec<Value>)) -> Choice {
        let Self { feed, subscriber, category, since, only_present } = self;
        let scope = match feed {
            None => (&SEEN, vec![viewer.into()]),
            Some(feed) => (&OF_FEED, vec![viewer.into(), feed.0.into()]),
        };
        let mut choice = LIST.choose(scope, order);
        if let Some(user) = subscriber {
            choice.filter(&SUBSCRIBED, vec![user.0.into()]);
        }
        if let Some(category) = category {
            choice.filter(&IN_CATEGORY, vec![category.0.into()]);
        }
        if let Some(since) = since {
            choice.filter(&SINCE, vec![since.into()]);
        }
        if only_present {
            choice.filter(&STILL_PRESENT, vec![]);
        }
        choice
    }
}

/// A place in a list that is ordered by date, then id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Position {
    /// The date.
    pub sort_at: Timestamp,
    /// The entry.
    pub id: EntryId,
}

/// A part of a list, and where the next one begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// The entries.
    pub entries: Vec<Entry>,
    /// Pass it on for the next page; `None` at the end.
    pub next: Option<Position>,
}

impl Store {
    /// Which entries the feed's last reading showed, and what is known under the keys that these leave open.
    pub(crate) async fn known(
        &self,
        feed: FeedId,
        open: impl FnOnce(&[KnownEntry]) -> Vec<EntryKey>,
    ) -> Result<Known, StoreError> {
        let mut entries = self.read_all(&PRESENT, vec![feed.0.into()], known_entry).await?;
        let row = |key: EntryKey| vec![feed.0.into(), key.kind.into(), key.hash.into()];
        let rows = open(&entries).into_iter().map(row).collect();
        let keys = self.read_each(&KNOWN_KEYS, rows, known_key).await?;
        let present: HashSet<EntryId> = entries.iter().map(|entry| entry.id).collect();
        let named = keys.iter().filter_map(|&(_, known)| match known {
            KnownKey::Entry(id) => Some(id),
            KnownKey::Tombstone => None,
        });
        let missing: BTreeSet<EntryId> = named.filter(|id| !present.contains(id)).collect();
        let rows = missing.into_iter().map(|id| vec![id.0.into()]).collect();
        entries.extend(self.read_each(&KNOWN_ENTRY, rows, known_entry).await?);
        Ok(Known { keys, entries })
    }

    /// An entry.
    pub async fn entry(&self, viewer: Viewer, id: EntryId) -> Result<Entry, StoreError> {
        let found = self.read_first(&BY_ID, vec![id.0.into(), viewer.into()], entry).await?;
        found.ok_or_else(|| StoreError::NotFound { what: "entry", name: id.to_string() })
    }

    /// The entries of that name: a publisher's id is unique within its feed only.
    pub async fn entries_named(&self, viewer: Viewer, uid: &str) -> Result<Vec<Entry>, StoreError> {
        self.read_all(&BY_UID, vec![uid.into(), viewer.into()], entry).await
    }

    /// Those of these entries that are there, with their heavy parts, in any order. One question.
    pub async fn entries_whole(&self, viewer: Viewer, ids: &[EntryId]) -> Result<Vec<(Entry, EntryBody)>, StoreError> {
        let rows = ids.iter().map(|id| vec![id.0.into(), viewer.into()]).collect();
        self.read_each(&WHOLE, rows, |row| Ok((entry(row)?, body(row)?))).await
    }

    /// The heavy part of an entry.
    pub async fn entry_body(&self, viewer: Viewer, id: EntryId) -> Result<EntryBody, StoreError> {
        let found = self.read_first(&BODY, vec![id.0.into(), viewer.into()], body).await?;
        found.ok_or_else(|| StoreError::NotFound { what: "body of entry", name: id.to_string() })
    }

    /// What an entry said before, oldest first.
    pub async fn revisions(&self, viewer: Viewer, id: EntryId) -> Result<Vec<Revision>, StoreError> {
        let revision = |row: &mut Record| {
            Ok(Revision {
                entry: id,
                number: row.next()?,
                replaced_at: row.next()?,
                title: row.next()?,
                link: row.next()?,
                content_hash: row.next()?,
                body: body(row)?,
            })
        };
        self.read_all(&REVISIONS, vec![id.0.into(), viewer.into()], revision).await
    }

    /// A page of entries, newest first. Entries that arrive meanwhile neither repeat nor hide any.
    pub async fn entries(
        &self,
        viewer: Viewer,
        filter: EntryFilter,
        after: Option<Position>,
        limit: u32,
    ) -> Result<Page, StoreError> {
        let (sort_at, id) = after.map_or((i64::MAX, i64::MAX), |at| (at.sort_at.as_microsecond(), at.id.0));
        let order = (&NEWEST_FIRST, vec![sort_at.into(), id.into(), limit.into()]);
        let entries = self.read_composed(filter.choose(viewer, order), entry).await?;
        let full = entries.len() == limit as usize;
        let next = entries.last().filter(|_| full).map(|last| Position { sort_at: last.sort_at, id: last.id });
        Ok(Page { entries, next })
    }

    /// Entries in the order in which they arrived, after an id: a cursor that misses nothing.
    pub async fn arrived(
        &self,
        viewer: Viewer,
        filter: EntryFilter,
        after: EntryId,
        limit: u32,
    ) -> Result<Vec<Entry>, StoreError> {
        let order = (&AS_ARRIVED, vec![after.0.into(), limit.into()]);
        self.read_composed(filter.choose(viewer, order), entry).await
    }

    /// How many entries are in the last document of a feed.
    pub async fn count_present(&self, viewer: Viewer, feed: FeedId) -> Result<u64, StoreError> {
        let row = vec![feed.0.into(), viewer.into()];
        Ok(self.read_first(&COUNT_PRESENT, row, |row| row.next()).await?.unwrap_or(0))
    }

    /// How many entries there are, without those of deleted feeds.
    pub async fn count_entries(&self) -> Result<i64, StoreError> {
        Ok(self.read_first(&COUNT, vec![], |row| row.next()).await?.unwrap_or(0))
    }

    /// Deletes expired tombstones, a few at a time: other writers wait for no more than these.
    pub async fn forget_tombstones(&self, now: Timestamp) -> Result<(), StoreError> {
        while self.write_counted(&FORGET_TOMBSTONES, vec![now.into(), STEP.into()]).await? == u64::from(STEP) {}
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::db::sql::Dialect;

    /// No shape of the list reads all entries, or sorts what it has read.
    #[test]
    fn every_list_walks_an_index_in_its_order() {
        let connection = rusqlite::Connection::open_in_memory().unwrap();
        for migration in crate::db::migrate::MIGRATIONS {
            connection.execute_batch(migration.sqlite).unwrap();
        }
        let mut shapes = 0;
        for shape in LIST.shapes() {
            let sql = LIST.sql(shape);
            let mut explain = connection.prepare(&format!("EXPLAIN QUERY PLAN {}", sql.text(Dialect::Sqlite))).unwrap();
            let row = rusqlite::params_from_iter(sql.params.iter().map(|_| 1));
            let steps: Vec<String> =
                explain.query_map(row, |row| row.get(3)).unwrap().collect::<Result<_, _>>().unwrap();
            let plan = steps.join("; ");
            let expected: &[&str] = match (sql.name.contains(" of feed"), sql.name.ends_with(" by date")) {
                (false, true) => &["SEARCH entries USING INDEX entries_sort (sort_at"],
                (true, true) => &["SEARCH entries USING INDEX entries_feed_sort (feed_id=? AND sort_at"],
                (false, false) => &["SEARCH entries USING INTEGER PRIMARY KEY (rowid>?)"],
                (true, false) => &[
                    "SEARCH entries USING INDEX entries_feed (feed_id=? AND id>?)",
                    "SEARCH entries USING INDEX entries_present (feed_id=? AND rowid>?)",
                ],
            };
            assert!(expected.iter().any(|walk| plan.contains(walk)), "{}: {plan}", sql.name);
            assert!(!plan.contains("TEMP B-TREE"), "{}: {plan}", sql.name);
            assert!(!plan.contains("subscriptions_category"), "{}: {plan}", sql.name);
            shapes += 1;
        }
        assert_eq!(shapes, 64);
    }
}
