//! Filters: what users want done to entries that arrive. `policy::filter` decides, one transaction writes what it decided.
//!
//! A job per user (`reader.filters`) begins behind the user's cursor and takes a part of what arrived since in their
//! subscriptions. A user may try a filter out before it is kept; that writes nothing.

use crate::error::report;
use jiff::Timestamp;
use model::entry::{Entry, EntryBody};
use model::filter::{Filter, Scope};
use model::reader::{Category, Subscription};
use model::{CategoryId, EntryId, FeedId, FilterId, UserId, Viewer};
use policy::filter::{Candidate, Compiled, Outcome as Decided};
use std::collections::HashMap;
use store::{EntryFilter, FilterDraft, FilterRun, Store, StoreError};
use work::Outcome;

/// The job that applies the filters of a user, who is its subject.
pub(crate) const FILTERS: &str = "reader.filters";
/// Entries in one transaction.
const AT_ONCE: u32 = 200;
/// Entries that a filter is tried on.
const TRIED: u32 = 500;

/// An entry that a filter would be about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Matched {
    /// The entry.
    pub entry: Entry,
    /// Why, in words for the user.
    pub because: String,
}

/// What a filter would be about, among the entries that it was tried on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tried {
    /// Those it would be about, newest first.
    pub matched: Vec<Matched>,
    /// How many it was tried on.
    pub of: usize,
}

/// Does a job: applies a user's filters to everything that has arrived.
pub(crate) async fn run(store: &Store, subject: &str, now: Timestamp) -> Outcome {
    let Ok(user) = subject.parse().map(UserId) else { return Outcome::Done(vec![]) };
    match filter_arrivals(store, user, now).await {
        Ok(()) => Outcome::Done(vec![]),
        Err(error) => Outcome::Failed(report(&error)),
    }
}

/// Applies a user's filters to everything that has arrived since they were applied last, part by part.
pub async fn filter_arrivals(store: &Store, user: UserId, now: Timestamp) -> Result<(), StoreError> {
    let filters: Vec<Filter> = store.filters(user).await?.into_iter().map(|stored| stored.filter).collect();
    let compiled = Compiled::new(&filters);
    for (filter, why) in compiled.refused() {
        tracing::warn!(filter.id = filter.0, why, "a filter does nothing");
    }
    while let Some(from) = store.filtered_upto(user).await? {
        // Read first: ids follow the order of commits, so that nothing can arrive below it afterwards.
        let last = store.last_entry().await?;
        if from >= last {
            break;
        }
        let subscribed = EntryFilter { subscriber: Some(user), ..EntryFilter::default() };
        let entries = store.arrived(Viewer::User(user), subscribed, from, AT_ONCE).await?;
        let full = entries.len() == AT_ONCE as usize;
        let to = entries.last().map(|entry| entry.id).filter(|_| full).unwrap_or(last);
        let ids: Vec<EntryId> = entries.iter().map(|entry| entry.id).filter(|id| *id <= to).collect();
        let mut run = FilterRun::default();
        for (entry, decided) in decide(store, user, &compiled, &ids).await? {
            note(&mut run, &entry, decided);
        }
        // If another process has done this part meanwhile, nothing is written, and the cursor is behind it.
        store.finish_filter_run(user, (from, to), &run, now).await?;
    }
    Ok(())
}

fn note(run: &mut FilterRun, entry: &Entry, decided: Decided) {
    if decided.mute {
        run.muted.push(entry.id);
    } else if decided.read {
        run.read.push(entry.id);
    }
    if decided.star {
        run.starred.push((entry.id, entry.link.clone()));
    }
    run.tagged.extend(decided.tags.into_iter().map(|tag| (entry.id, tag)));
    for hit in decided.hits {
        *run.hits.entry(hit).or_default() += 1;
    }
}

/// Which of a user's last 500 entries a filter would be about. Writes nothing.
pub async fn try_filter(store: &Store, user: UserId, draft: &FilterDraft) -> Result<Tried, StoreError> {
    let filter = Filter {
        id: FilterId(0),
        name: draft.name.clone(),
        scope: draft.scope,
        condition: draft.condition.clone(),
        actions: draft.actions.clone(),
        enabled: true,
    };
    let compiled = Compiled::new(std::slice::from_ref(&filter));
    let feed = match draft.scope {
        Scope::Feed(feed) => Some(feed),
        Scope::All | Scope::Category(_) => None,
    };
    let mine = EntryFilter { subscriber: Some(user), feed, ..EntryFilter::default() };
    let page = store.entries(Viewer::User(user), mine, None, TRIED).await?;
    let ids: Vec<EntryId> = page.entries.iter().map(|entry| entry.id).collect();
    let mut matched: Vec<Matched> = decide(store, user, &compiled, &ids)
        .await?
        .into_iter()
        .filter_map(|(entry, decided)| {
            let because = decided.because.into_iter().next()?.text;
            Some(Matched { entry, because })
        })
        .collect();
    matched.sort_by_key(|matched| std::cmp::Reverse((matched.entry.sort_at, matched.entry.id)));
    Ok(Tried { matched, of: ids.len() })
}

/// What filters do to entries.
async fn decide(
    store: &Store,
    user: UserId,
    filters: &Compiled,
    entries: &[EntryId],
) -> Result<Vec<(Entry, Decided)>, StoreError> {
    let (categories, subscriptions) = store.arrangement(user).await?;
    let folders = Folders::new(&categories, &subscriptions);
    let whole = store.entries_whole(Viewer::User(user), entries).await?;
    Ok(whole.into_iter().map(|(entry, body)| decide_one(filters, &folders, entry, &body)).collect())
}

fn decide_one(filters: &Compiled, folders: &Folders, entry: Entry, body: &EntryBody) -> (Entry, Decided) {
    let html = body.content.as_deref().or(body.summary.as_deref()).unwrap_or_default();
    let text = content::plain_text(html);
    let authors: Vec<&str> = body.authors.iter().filter_map(|author| author.name.as_deref()).collect();
    let category = folders.of_feed.get(&entry.feed).copied();
    let ancestors = category.map(|category| folders.above(category)).unwrap_or_default();
    let decided = filters.apply(&Candidate {
        feed: entry.feed,
        category,
        category_ancestors: &ancestors,
        title: entry.title.as_deref().unwrap_or_default(),
        text: &text,
        author: &authors.join(", "),
        tags: &body.categories,
        link: entry.link.as_deref().unwrap_or_default(),
        enclosures: &body.enclosures,
    });
    (entry, decided)
}

/// Where a user has their feeds.
struct Folders {
    of_feed: HashMap<FeedId, CategoryId>,
    parents: HashMap<CategoryId, CategoryId>,
}

impl Folders {
    fn new(categories: &[Category], subscriptions: &[Subscription]) -> Self {
        Self {
            of_feed: subscriptions.iter().map(|subscription| (subscription.feed, subscription.category)).collect(),
            parents: categories.iter().filter_map(|category| Some((category.id, category.parent?))).collect(),
        }
    }

    /// The categories above one.
    fn above(&self, mut category: CategoryId) -> Vec<CategoryId> {
        let mut above = Vec::new();
        // A circle cannot be made; if it were there, this would still end.
        while let Some(parent) = self.parents.get(&category).filter(|parent| !above.contains(*parent)) {
            above.push(*parent);
            category = *parent;
        }
        above
    }
}
