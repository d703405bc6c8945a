//! The owner's subscriptions and categories, for lists that show or filter by them.

use std::collections::{HashMap, HashSet};

use model::reader::Subscription;
use model::{CategoryId, FeedId};
use store::{FeedStatus, Store};

/// The owner's subscriptions and categories.
pub(super) struct Subscriptions {
    by_feed: HashMap<FeedId, Subscription>,
    /// `A/B` is B in A.
    paths: HashMap<CategoryId, String>,
}

impl Subscriptions {
    pub(super) async fn of_owner(store: &Store) -> anyhow::Result<Self> {
        let owner = store.owner().await?.id;
        let (categories, subscriptions) = store.arrangement(owner).await?;
        let mut paths: HashMap<CategoryId, String> = HashMap::new();
        // Parents first: as many rounds as there are levels.
        while paths.len() < categories.len() {
            let before = paths.len();
            for category in &categories {
                let path = match category.parent {
                    None => Some(category.name.clone()),
                    Some(parent) => paths.get(&parent).map(|parent| format!("{parent}/{}", category.name)),
                };
                if let Some(path) = path {
                    paths.insert(category.id, path);
                }
            }
            if paths.len() == before {
                break;
            }
        }
        let by_feed = subscriptions.into_iter().map(|subscription| (subscription.feed, subscription)).collect();
        Ok(Self { by_feed, paths })
    }

    /// The category of a feed, if the owner is subscribed to it.
    pub(super) fn category(&self, feed: FeedId) -> Option<&str> {
        self.paths.get(&self.by_feed.get(&feed)?.category).map(String::as_str)
    }

    /// The owner's name for a feed, else its own title, else its URL.
    pub(super) fn name<'a>(&'a self, status: &'a FeedStatus) -> &'a str {
        let own = self.by_feed.get(&status.feed.id).and_then(|subscription| subscription.title.as_deref());
        own.or(status.feed.title.as_deref()).unwrap_or(&status.feed.url)
    }

    /// The feeds in a category and its subcategories.
    pub(super) fn feeds_in(&self, category: &str) -> anyhow::Result<HashSet<FeedId>> {
        let wanted = category.trim_matches('/').to_lowercase();
        let is_it = |path: &str| {
            let path = path.to_lowercase();
            let below = path.strip_prefix(&wanted).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
            below || path.split('/').any(|name| name == wanted)
        };
        let chosen: HashSet<CategoryId> =
            self.paths.iter().filter(|(_, path)| is_it(path)).map(|(id, _)| *id).collect();
        if chosen.is_empty() {
            let mut names: Vec<&str> = self.paths.values().map(String::as_str).collect();
            names.sort_unstable();
            anyhow::bail!("there is no category `{category}`; there are {}", names.join(", "));
        }
        let filed = self.by_feed.values().filter(|subscription| chosen.contains(&subscription.category));
        Ok(filed.map(|subscription| subscription.feed).collect())
    }
}

/// Whether a text contains another, ignoring case.
pub(super) fn has(text: &str, part: &str) -> bool {
    text.to_lowercase().contains(&part.to_lowercase())
}
