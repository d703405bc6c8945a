//! `courant entry list`: entries, newest first. `courant search` shows its results in the same way.

use std::collections::HashMap;
use std::collections::hash_map::Entry::Vacant;

use clap::ValueEnum;
use model::entry::{Entry, Lineage};
use model::{FeedId, Viewer};
use serde_json::json;
use store::{EntryFilter, FeedName, Store, StoreError};

use super::super::subscriptions::{Subscriptions, has};
use super::super::{Context, feed, moment, table};
use crate::output::Output;

/// Which entries.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Only this feed's: id, UUID or URL
    #[arg(long, value_name = "FEED")]
    feed: Option<String>,
    /// Only entries dated since then: `2026-01-31`, `2026-01-31T10:00:00Z`, or as long ago as `2h` or `3d`
    #[arg(long, value_name = "TIME")]
    since: Option<String>,
    /// Only those that are still in their feed's document, or that left it
    #[arg(long, value_name = "STATE")]
    state: Option<State>,
    /// Only feeds of this category, and of those below it
    #[arg(long, value_name = "NAME")]
    category: Option<String>,
    /// Only those with this text in their title or link
    #[arg(long = "match", value_name = "TEXT")]
    matching: Option<String>,
    /// The order
    #[arg(long, value_name = "ORDER", default_value = "newest")]
    sort: Sort,
    /// The maximum number
    #[arg(long, value_name = "NUMBER", default_value = "50")]
    limit: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum State {
    Present,
    Left,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Sort {
    Newest,
    Oldest,
    Title,
}

/// Entries read at once.
const PAGE: u32 = 1000;

pub(in super::super) fn run(context: &Context, args: &Args) -> anyhow::Result<()> {
    context.with_store(async |_, store| {
        let subscriptions = Subscriptions::of_owner(&store).await?;
        let entries = select(context, &store, &subscriptions, args).await?;
        let none = match store.count_entries().await? {
            0 => "no entries yet: `courant serve` or `courant fetch` visits the feeds",
            _ => "no such entries",
        };
        show(context, &store, Viewer::Operator, &subscriptions, &entries, none).await
    })
}

/// Iterates the entries newest first, and keeps at most twice as many as are shown.
async fn select(
    context: &Context,
    store: &Store,
    subscriptions: &Subscriptions,
    args: &Args,
) -> anyhow::Result<Vec<Entry>> {
    let feed = feed::named(store, args.feed.as_deref()).await?;
    let since = args.since.as_deref().map(|text| moment::since(text, context.clock.now())).transpose()?;
    let chosen = args.category.as_deref().map(|name| subscriptions.feeds_in(name)).transpose()?;
    let limit = args.limit as usize;
    let wanted = |entry: &Entry| {
        let state = if matches!(entry.lineage, Lineage::Left { .. }) { State::Left } else { State::Present };
        let texts = [entry.title.as_deref(), entry.link.as_deref()];
        let matches = |part: &str| texts.iter().flatten().any(|text| has(text, part));
        args.state.is_none_or(|wanted| wanted == state)
            && chosen.as_ref().is_none_or(|feeds| feeds.contains(&entry.feed))
            && args.matching.as_deref().is_none_or(matches)
    };
    let every = args.state.is_none() && chosen.is_none() && args.matching.is_none() && args.sort == Sort::Newest;
    let (mut entries, mut after) = (Vec::new(), None);
    loop {
        let page = store
            .entries(
                Viewer::Operator,
                EntryFilter { feed, ..EntryFilter::default() },
                after,
                if every { args.limit.min(PAGE) } else { PAGE },
            )
            .await?;
        // Newest first: after the first that is too old, all others are older.
        let young = page.entries.iter().take_while(|entry| since.is_none_or(|since| entry.sort_at >= since)).count();
        let ended = young < page.entries.len();
        entries.extend(page.entries.into_iter().take(young).filter(wanted));
        after = page.next;
        if ended || after.is_none() || (args.sort == Sort::Newest && entries.len() >= limit) {
            break;
        }
        if entries.len() > 2 * limit.max(PAGE as usize) {
            sort(&mut entries, args.sort);
            entries.truncate(limit);
        }
    }
    sort(&mut entries, args.sort);
    entries.truncate(limit);
    Ok(entries)
}

fn sort(entries: &mut [Entry], by: Sort) {
    match by {
        Sort::Newest => {}
        Sort::Oldest => entries.sort_by_key(|entry| (entry.sort_at, entry.id)),
        Sort::Title => entries.sort_by_cached_key(|entry| (known_as(entry).to_lowercase(), entry.id)),
    }
}

fn known_as(entry: &Entry) -> &str {
    entry.title.as_deref().or(entry.link.as_deref()).unwrap_or(&entry.uid)
}

/// Entries as a table or as JSON; `none` is the text if there are none.
pub(in super::super) async fn show(
    context: &Context,
    store: &Store,
    viewer: Viewer,
    subscriptions: &Subscriptions,
    entries: &[Entry],
    none: &str,
) -> anyhow::Result<()> {
    let mut feeds: HashMap<FeedId, String> = HashMap::new();
    for entry in entries {
        if let Vacant(place) = feeds.entry(entry.feed) {
            place.insert(match store.feed(viewer, &FeedName::Id(entry.feed)).await {
                Ok(status) => subscriptions.name(&status).to_owned(),
                // Deleted since its entries were read.
                Err(StoreError::NotFound { .. }) => entry.feed.to_string(),
                Err(error) => return Err(error.into()),
            });
        }
    }
    match context.output {
        Output::Json(_) => {
            let entry = |entry: &Entry| {
                json!({
                    "id": entry.id.0, "feed_id": entry.feed.0, "feed": feeds[&entry.feed], "uid": entry.uid,
                    "title": entry.title, "link": entry.link, "author": entry.author, "excerpt": entry.excerpt,
                    "published_at": entry.published_at.map(|at| at.to_string()),
                    "first_seen_at": entry.first_seen_at.to_string(),
                })
            };
            context.output.json(&entries.iter().map(entry).collect())
        }
        Output::Text if entries.is_empty() => context.output.print(none),
        Output::Text => {
            let rows = entries.iter().map(|entry| {
                let feed = &feeds[&entry.feed];
                // The title gets most of the width.
                let feed = if table::terminal_width().is_some() { table::cut(feed, 20) } else { feed.clone() };
                vec![entry.id.to_string(), table::in_table(entry.sort_at), feed, known_as(entry).to_owned()]
            });
            let date = table::header("date", entries.iter().map(|entry| entry.sort_at));
            context.output.print(table::render(&["id", &date, "feed", "title"], rows))
        }
    }
}
