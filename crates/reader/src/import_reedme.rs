//! A database of ReedMe or Fusion becomes a user's: groups, feeds, items with what was read of them, bookmarks.
//!
//! Items become entries by the keys that a visit would give them, so that a second import, and the next visit, find them. What
//! was read is taken over with the part of items that it belongs to; a part that was interrupted is noted, and done again.

use crate::error::ReaderError;
use content::Limits;
use engine::{Engine, Importing, backfill};
use jiff::Timestamp;
use model::feed::Origin;
use model::library::NewBookmark;
use model::{EntryId, FeedId, UserId};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use store::{Made, Mark, ReedmeFeed, ReedmeFile, ReedmeItem};
use syndication::opml::{Folder, Opml, Row, Subscription, feed_key};

/// Items in one transaction.
const AT_ONCE: u32 = 100;
/// The part of items whose state is being taken over.
const PENDING: &str = "import.reedme";

/// What an import brought.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReedmeImported {
    /// Feeds that the user has because of it.
    pub feeds: u64,
    /// Feeds that the user had.
    pub feeds_known: u64,
    /// Categories.
    pub categories: u64,
    /// Entries that were not stored before.
    pub entries: u64,
    /// Of these, unread ones.
    pub unread: u64,
    /// Bookmarks that are new.
    pub bookmarks: u64,
    /// What could not be imported, and why.
    pub refused: Vec<String>,
}

/// Imports a database of ReedMe or Fusion for a user.
pub async fn import_reedme(engine: &Engine, user: UserId, file: &ReedmeFile) -> Result<ReedmeImported, ReaderError> {
    let mut told = ReedmeImported::default();
    let feeds = file.feeds()?;
    let list = list(&file.groups()?, &feeds);
    let how = (None, Importing::Write, Origin::Reader);
    let imported = engine::import(engine, user, &list, how, |_| ()).await?;
    told.categories = imported.categories_made as u64;
    let mut known: BTreeMap<String, FeedId> = BTreeMap::new();
    for row in imported.rows {
        match row.result {
            engine::Import::Added(feed) | engine::Import::Subscribed(feed) => {
                told.feeds += 1;
                known.insert(feed_key(&row.url), feed);
            }
            engine::Import::AlreadyThere(feed) => {
                told.feeds_known += 1;
                known.insert(feed_key(&row.url), feed);
            }
            engine::Import::Refused(why) => told.refused.push(format!("{}: {why}", row.url)),
            engine::Import::WouldAdd => {}
        }
    }
    for old in &feeds {
        if let Some(feed) = known.get(&feed_key(&old.link)) {
            items(engine, user, file, old, *feed, &mut told).await?;
        }
    }
    bookmarks(engine, user, file, &mut told).await?;
    Ok(told)
}

/// The feeds in their groups; those of the permanent group are in no folder.
fn list(groups: &[store::ReedmeGroup], feeds: &[ReedmeFeed]) -> Opml {
    let subscription = |feed: &ReedmeFeed| {
        Row::Feed(Subscription {
            name: feed.name.clone(),
            url: feed.link.clone(),
            page: feed.site_url.clone(),
            disabled: feed.suspended,
            ..Subscription::default()
        })
    };
    let folder = |feed: &ReedmeFeed| {
        let group = groups.iter().find(|group| Some(group.id) == feed.group);
        let name = group.map(|group| group.name.replace('/', "-").trim().to_owned());
        name.filter(|name| !name.is_empty() && !name.eq_ignore_ascii_case("default"))
    };
    let mut folders: BTreeMap<String, Vec<Row>> = BTreeMap::new();
    let mut rows = Vec::new();
    for feed in feeds {
        match folder(feed) {
            Some(name) => folders.entry(name).or_default().push(subscription(feed)),
            None => rows.push(subscription(feed)),
        }
    }
    rows.extend(folders.into_iter().map(|(name, rows)| Row::Folder(Folder { name, rows })));
    Opml { title: None, rows }
}

async fn items(
    engine: &Engine,
    user: UserId,
    file: &ReedmeFile,
    old: &ReedmeFeed,
    feed: FeedId,
    told: &mut ReedmeImported,
) -> Result<(), ReaderError> {
    let (store, mut after) = (engine.store(), 0);
    loop {
        let part = file.items(old.id, after, AT_ONCE)?;
        let Some(last) = part.last() else { return Ok(()) };
        let name = format!("{user}:{feed}:{after}");
        let again = store.setting(PENDING).await?.as_deref() == Some(&name);
        store.set_setting(PENDING, &name, engine.now()).await?;
        let brought = backfill(engine, feed, document(&part).as_bytes()).await?;
        let pairs: Vec<(&ReedmeItem, EntryId)> =
            part.iter().zip(&brought.entries).filter_map(|(item, entry)| Some((item, (*entry)?))).collect();
        let unread: Vec<EntryId> = pairs
            .iter()
            .filter(|(item, entry)| item.unread && (again || brought.new.contains(entry)))
            .map(|(_, entry)| *entry)
            .collect();
        if !unread.is_empty() {
            told.unread += store.mark(user, &unread, Mark::Unread, engine.now()).await?;
        }
        for (item, entry) in pairs.iter().filter(|(item, _)| item.bookmarked) {
            let at = item.published_at.unwrap_or_else(|| engine.now());
            let new = NewBookmark {
                entry: Some(*entry),
                feed: Some(feed),
                feed_name: old.name.clone(),
                ..snapshot(&item.link, &item.title, &item.content, item.published_at)
            };
            told.bookmarks += u64::from(store.add_bookmark(user, new, at).await?.1 == Made::New);
        }
        told.entries += brought.new.len() as u64;
        store.delete_setting(PENDING).await?;
        after = last.id;
    }
}

async fn bookmarks(
    engine: &Engine,
    user: UserId,
    file: &ReedmeFile,
    told: &mut ReedmeImported,
) -> Result<(), ReaderError> {
    let mut after = 0;
    loop {
        let part = file.bookmarks(after, AT_ONCE)?;
        let Some(last) = part.last() else { return Ok(()) };
        after = last.id;
        for old in part {
            let new = NewBookmark {
                feed_name: old.feed_name,
                ..snapshot(&old.link, &old.title, &old.content, old.published_at)
            };
            let at = old.created_at.unwrap_or_else(|| engine.now());
            told.bookmarks += u64::from(engine.store().add_bookmark(user, new, at).await?.1 == Made::New);
        }
    }
}

/// A bookmark of what a stranger's database says: cleaned.
pub(crate) fn snapshot(link: &str, title: &str, html: &str, published_at: Option<Timestamp>) -> NewBookmark {
    let is_web = link.starts_with("http://") || link.starts_with("https://");
    NewBookmark {
        link: is_web.then(|| link.to_owned()),
        title: content::plain_text(title),
        content: content::clean(html, is_web.then_some(link), &Limits::ENTRY).html,
        published_at,
        ..NewBookmark::default()
    }
}

/// Items as a feed.
fn document(items: &[ReedmeItem]) -> String {
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?><rss version=\"2.0\"><channel>");
    for item in items {
        let guid = if item.guid.is_empty() { &item.link } else { &item.guid };
        let _ = write!(
            out,
            "<item><guid isPermaLink=\"false\">{}</guid><title>{}</title><link>{}</link><description>{}</description>",
            Escaped(guid),
            Escaped(&item.title),
            Escaped(&item.link),
            Escaped(&item.content)
        );
        if let Some(at) = item.published_at {
            let _ = write!(out, "<pubDate>{at}</pubDate>");
        }
        out.push_str("</item>");
    }
    out + "</channel></rss>"
}

/// Text in XML: without what XML cannot say.
struct Escaped<'a>(&'a str);

impl std::fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for c in self.0.chars() {
            match c {
                '&' => f.write_str("&amp;")?,
                '<' => f.write_str("&lt;")?,
                '>' => f.write_str("&gt;")?,
                '\t' | '\n' | '\r' => f.write_char(c)?,
                c if c < ' ' || matches!(c, '\u{fffe}' | '\u{ffff}') => {}
                c => f.write_char(c)?,
            }
        }
        Ok(())
    }
}
