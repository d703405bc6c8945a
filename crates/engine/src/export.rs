//! A user's subscriptions become a list of feeds. The way back is `import.rs`; how a list is written is
//! `syndication::opml`'s.
//!
//! Invariant: credentials and proxies are not in the answer. An address that is private itself is only there when it is
//! asked for.

use model::feed::{Feed, FeedState};
use model::reader::Category;
use model::{CategoryId, FeedId, UserId, Viewer};
use std::collections::{BTreeMap, HashMap};
use store::{Store, StoreError};
use syndication::opml::{Folder, Opml, Row, Subscription};

/// Which feeds a list names.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Exporting {
    /// The addresses of the user's private feeds, too.
    pub private: bool,
    /// Public feeds that the user is not subscribed to, too.
    pub unsubscribed: bool,
}

/// A list, and what is not in it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Exported {
    /// The list.
    pub list: Opml,
    /// Feeds in it.
    pub feeds: usize,
    /// The user's private feeds that were left out.
    pub private_left_out: usize,
    /// Public feeds that the user is not subscribed to and that were left out.
    pub unsubscribed_left_out: usize,
}

/// Lists what a user reads, in their categories and order.
pub async fn export(store: &Store, user: UserId, what: Exporting) -> Result<Exported, StoreError> {
    let default = store.default_category(user).await?;
    // At one moment: a feed that is filed in a category that is added meanwhile would be left out.
    let (categories, subscriptions) = store.arrangement(user).await?;
    let subscriptions: HashMap<FeedId, (CategoryId, Option<String>)> =
        subscriptions.into_iter().map(|found| (found.feed, (found.category, found.title))).collect();
    let mut exported = Exported::default();
    let mut filed: HashMap<CategoryId, Vec<Row>> = HashMap::new();
    let mut pages = store.feed_pages(Viewer::User(user));
    while let Some(page) = pages.next().await? {
        for feed in page.iter().map(|status| &status.feed) {
            let subscribed = subscriptions.get(&feed.id);
            match feed.owner {
                Some(_) if !what.private => exported.private_left_out += 1,
                None if subscribed.is_none() && !what.unsubscribed => exported.unsubscribed_left_out += 1,
                _ => {
                    let (category, title) = subscribed.map_or((default, None), |(id, title)| (*id, title.as_deref()));
                    filed.entry(category).or_default().push(Row::Feed(row(feed, title)));
                    exported.feeds += 1;
                }
            }
        }
    }
    exported.list = Opml { title: Some("Courant".to_owned()), rows: arranged(&categories, default, filed) };
    Ok(exported)
}

fn row(feed: &Feed, title: Option<&str>) -> Subscription {
    let url = url::Url::parse(&feed.url).ok();
    let host = url.as_ref().and_then(|url| url.host_str()).unwrap_or(&feed.url);
    Subscription {
        name: title.or(feed.title.as_deref()).unwrap_or(host).to_owned(),
        url: feed.url.clone(),
        page: feed.site_url.clone(),
        description: feed.description.clone(),
        tags: Vec::new(),
        disabled: feed.state == FeedState::Paused,
    }
}

/// Categories as folders, siblings in their order. What lies in the permanent category lies in no folder.
fn arranged(categories: &[Category], default: CategoryId, mut filed: HashMap<CategoryId, Vec<Row>>) -> Vec<Row> {
    let unfiled = filed.remove(&default).unwrap_or_default();
    let mut children: BTreeMap<Option<CategoryId>, Vec<&Category>> = BTreeMap::new();
    for category in categories {
        children.entry(category.parent).or_default().push(category);
    }
    // Parents before children; built from the end, so that every folder is complete when its parent takes it.
    let mut order: Vec<&Category> = children.get(&None).cloned().unwrap_or_default();
    let mut next = 0;
    while let Some(category) = order.get(next) {
        next += 1;
        let inner: Vec<_> = children.get(&Some(category.id)).cloned().unwrap_or_default();
        order.extend(inner);
    }
    let mut rows: HashMap<Option<CategoryId>, Vec<Row>> = HashMap::new();
    for category in order.into_iter().rev() {
        let mut inner = rows.remove(&Some(category.id)).unwrap_or_default();
        inner.reverse();
        inner.extend(filed.remove(&category.id).unwrap_or_default());
        if category.id == default && inner.is_empty() {
            continue;
        }
        let folder = Folder { name: category.name.clone(), rows: inner };
        rows.entry(category.parent).or_default().push(Row::Folder(folder));
    }
    let mut top = rows.remove(&None).unwrap_or_default();
    top.reverse();
    top.extend(unfiled);
    top
}
