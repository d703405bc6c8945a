//! A list of feeds becomes a user's subscriptions: folders become categories, what is new is added, what is there is
//! kept as it is. A feed that is in no folder goes into the category that its first tag names. Nothing is visited here:
//! first visits are spread over some minutes, and workers make them.
//!
//! `syndication::opml` parses the list; this begins with the result. Importing the same list again does nothing, so an
//! interrupted import is simply repeated.

use crate::add_feed::{address, new_feed, redacted};
use crate::engine::Engine;
use crate::error::EngineError;
use jiff::Timestamp;
use model::feed::{FeedState, Origin};
use model::{CategoryId, FeedId, UserId, Viewer};
use std::collections::{HashMap, HashSet};
use store::{Added, NewFeed, Store, StoreError};
use syndication::opml::{Opml, Row, Subscription, feed_key};

/// What became of a list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Imported {
    /// Its feeds, in their order.
    pub rows: Vec<ImportedRow>,
    /// Categories that were not there before.
    pub categories_made: usize,
    /// Tags that were ignored, because a feed is in one category only.
    pub tags_left_out: usize,
}

/// What became of one feed of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportedRow {
    /// What the list calls it.
    pub name: String,
    /// Where it is, without a password.
    pub url: String,
    /// What became of it.
    pub result: Import,
}

/// What became of a feed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Import {
    /// New here, and visited soon.
    Added(FeedId),
    /// It would be added, if this were no dry run.
    WouldAdd,
    /// Known here; the user has it from now on.
    Subscribed(FeedId),
    /// The user had it already, arranged as it stays.
    AlreadyThere(FeedId),
    /// Cannot be a feed; says why.
    Refused(String),
}

/// Feeds in one transaction: few enough that other writers get their turn between.
const BATCH: usize = 200;
/// Categories inside each other that a path may name; as deep as folders of a list are read.
const DEPTH: usize = 32;

/// Whether anything is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Importing {
    /// It is.
    Write,
    /// Nothing is; the result says what would be done.
    DryRun,
}

/// Subscribes a user to a list, under a category (`A/B` is B in A) or where the list says. New feeds have the origin that is
/// given. Reports how many feeds are done.
pub async fn import(
    engine: &Engine,
    user: UserId,
    list: &Opml,
    (under, how, origin): (Option<&str>, Importing, Origin),
    mut done: impl FnMut(usize),
) -> Result<Imported, EngineError> {
    let now = engine.now();
    let known = Known::load(&engine.store, user).await?;
    let mut categories = Categories::load(&engine.store, user, how, now).await?;
    let filed = categories.file(list, under).await?;
    let (mut results, unknown) = foreseen(engine, &known, &filed);
    if how == Importing::DryRun {
        let mut new = HashSet::new();
        for (n, location) in unknown {
            results[n] = new.insert(location.url).then_some(Import::WouldAdd);
        }
        return Ok(told(&filed, results, categories.made));
    }

    let here = filed.iter().zip(&results).filter_map(|(filed, result)| match result {
        Some(Import::Subscribed(id)) => Some(filed.subscription(*id)),
        _ => None,
    });
    engine.store.subscribe_many(user, &here.collect::<Vec<_>>(), now).await?;
    let mut finished = filed.len() - unknown.len();
    done(finished);

    let groups: Vec<_> = unknown.iter().map(|(_, location)| (location.group.as_str(), location.spacing)).collect();
    let first = policy::first_visits(now, &groups);
    for (part, first) in unknown.chunks(BATCH).zip(first.chunks(BATCH)) {
        let feeds =
            part.iter().zip(first).map(|((n, location), at)| draft(filed[*n].feed, location, *at, origin)).collect();
        let added = engine.store.add_feeds(feeds, now).await?;
        let subscriptions: Vec<_> =
            part.iter().zip(&added).map(|((n, _), added)| filed[*n].subscription(added.id())).collect();
        engine.store.subscribe_many(user, &subscriptions, now).await?;
        for ((n, _), added) in part.iter().zip(added) {
            results[*n] = Some(known.import(added));
        }
        finished += part.len();
        done(finished);
    }
    Ok(told(&filed, results, categories.made))
}

/// The result for each feed of a list as far as it is known, and the locations of those that must be added.
fn foreseen(engine: &Engine, known: &Known, filed: &[Filed<'_>]) -> (Vec<Option<Import>>, Vec<(usize, Location)>) {
    let mut unknown = Vec::new();
    let sort = |(n, filed): (usize, &Filed<'_>)| match known.feeds.get(&feed_key(&filed.feed.url)) {
        Some(id) => Some(known.import(Added::Existing(*id))),
        None => match located(engine, &filed.feed.url) {
            Err(why) => Some(Import::Refused(why)),
            Ok(location) => {
                unknown.push((n, location));
                None
            }
        },
    };
    (filed.iter().enumerate().map(sort).collect(), unknown)
}

fn told(filed: &[Filed<'_>], results: Vec<Option<Import>>, categories_made: usize) -> Imported {
    let mut imported = Imported { categories_made, ..Imported::default() };
    for (Filed { feed, tags_left_out, .. }, result) in filed.iter().zip(results) {
        // Nothing only in a dry run, for a feed that the list names twice.
        let Some(result) = result else { continue };
        if matches!(result, Import::Added(_) | Import::WouldAdd | Import::Subscribed(_)) {
            imported.tags_left_out += tags_left_out;
        }
        imported.rows.push(ImportedRow { name: feed.name.clone(), url: redacted(&feed.url), result });
    }
    imported
}

/// A feed of a list, and where it goes.
struct Filed<'l> {
    feed: &'l Subscription,
    category: CategoryId,
    tags_left_out: usize,
}

impl Filed<'_> {
    fn subscription(&self, id: FeedId) -> (FeedId, CategoryId, Option<String>) {
        (id, self.category, title(self.feed))
    }
}

/// The address of a feed, and the rate group it belongs to.
struct Location {
    url: String,
    group: String,
    spacing: jiff::SignedDuration,
}

fn located(engine: &Engine, url: &str) -> Result<Location, String> {
    let url = address(url)?;
    let (group, pace) = engine.group(&url).ok_or("it names no host")?;
    Ok(Location { url, group: group.name, spacing: pace.spacing })
}

fn draft(feed: &Subscription, location: &Location, due_at: Timestamp, origin: Origin) -> NewFeed {
    NewFeed {
        title: title(feed),
        site_url: feed.page.clone(),
        state: if feed.disabled { FeedState::Paused } else { FeedState::Active },
        origin,
        ..new_feed(location.url.clone(), location.group.clone(), due_at)
    }
}

/// What the user calls the feed. A list without a name for it gives its host, which does not count.
fn title(feed: &Subscription) -> Option<String> {
    let host = url::Url::parse(&feed.url).ok();
    let host = host.as_ref().and_then(|url| url.host_str()).unwrap_or_default();
    Some(feed.name.clone()).filter(|name| !name.is_empty() && !name.eq_ignore_ascii_case(host))
}

/// The feeds that this user may have, by what makes two addresses the same.
struct Known {
    feeds: HashMap<String, FeedId>,
    subscribed: HashSet<FeedId>,
}

impl Known {
    async fn load(store: &Store, user: UserId) -> Result<Self, StoreError> {
        let subscribed: HashSet<FeedId> =
            store.subscriptions(user).await?.into_iter().map(|subscription| subscription.feed).collect();
        let mut feeds = HashMap::new();
        let mut pages = store.feed_pages(Viewer::User(user));
        while let Some(page) = pages.next().await? {
            for feed in page.into_iter().map(|status| status.feed) {
                let known = feeds.entry(feed_key(&feed.url)).or_insert(feed.id);
                if subscribed.contains(&feed.id) {
                    *known = feed.id;
                }
            }
        }
        Ok(Self { feeds, subscribed })
    }

    /// What a feed means to the user that was added, or was there.
    fn import(&self, added: Added) -> Import {
        match added {
            Added::Existing(id) if self.subscribed.contains(&id) => Import::AlreadyThere(id),
            Added::Existing(id) => Import::Subscribed(id),
            Added::New(id) | Added::Revived(id) => Import::Added(id),
        }
    }
}

/// A user's categories by parent and name, whatever the case of the letters.
struct Categories<'a> {
    store: &'a Store,
    user: UserId,
    how: Importing,
    now: Timestamp,
    default: CategoryId,
    by_name: HashMap<(Option<CategoryId>, String), CategoryId>,
    made: usize,
}

impl<'a> Categories<'a> {
    async fn load(store: &'a Store, user: UserId, how: Importing, now: Timestamp) -> Result<Self, StoreError> {
        let found = store.categories(user).await?;
        let by_name = found.into_iter().map(|found| ((found.parent, found.name.to_lowercase()), found.id)).collect();
        Ok(Self { store, user, how, now, default: store.default_category(user).await?, by_name, made: 0 })
    }

    /// The feeds of a list, each with its category.
    async fn file<'l>(&mut self, list: &'l Opml, under: Option<&str>) -> Result<Vec<Filed<'l>>, StoreError> {
        let root = self.path(None, under.unwrap_or_default()).await?;
        let mut feeds = Vec::new();
        // A stack instead of recursion: the rest of every open folder.
        let mut open = vec![(list.rows.iter(), root)];
        loop {
            let in_no_folder = open.len() == 1;
            let Some((rows, category)) = open.last_mut() else { break };
            let category = *category;
            match rows.next() {
                None => {
                    open.pop();
                }
                Some(Row::Feed(feed)) => {
                    let tag = feed.tags.first().filter(|_| in_no_folder);
                    let category = self.path(category, tag.map_or("", String::as_str)).await?.unwrap_or(self.default);
                    let tags_left_out = feed.tags.len() - usize::from(tag.is_some());
                    feeds.push(Filed { feed, category, tags_left_out });
                }
                Some(Row::Folder(folder)) => {
                    let inner = self.named(category, &folder.name).await?;
                    open.push((folder.rows.iter(), Some(inner)));
                }
            }
        }
        Ok(feeds)
    }

    /// The category at the end of a path: `A/B` is B in A, and nothing is where it begins.
    async fn path(&mut self, from: Option<CategoryId>, path: &str) -> Result<Option<CategoryId>, StoreError> {
        let mut category = from;
        for name in path.split('/').map(str::trim).filter(|name| !name.is_empty()).take(DEPTH) {
            category = Some(self.named(category, name).await?);
        }
        Ok(category)
    }

    async fn named(&mut self, parent: Option<CategoryId>, name: &str) -> Result<CategoryId, StoreError> {
        let key = (parent, name.to_lowercase());
        if let Some(id) = self.by_name.get(&key) {
            return Ok(*id);
        }
        self.made += 1;
        let id = match self.how {
            Importing::Write => self.store.add_category(self.user, parent, name, self.now).await?,
            // An id for a category that would be made, so that others can be inside it; no real one has such an id.
            Importing::DryRun => CategoryId(-(self.made as i64)),
        };
        self.by_name.insert(key, id);
        Ok(id)
    }
}
