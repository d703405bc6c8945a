//! `courant search`: finds entries by their words. New entries are indexed first.

use engine::index_some;
use model::Viewer;
use model::entry::Entry;
use store::{Indexed, SearchOrder, SearchQuery};

use super::subscriptions::Subscriptions;
use super::{Context, entry, feed};

/// The maximum of batches (some thousand entries each) that are indexed before the answer: some seconds.
const PARTS: u32 = 20;

/// What to look for.
#[derive(clap::Args)]
#[command(after_help = "\
A phrase stands in quotes, a word that must not be there has a - before it, all in
quotes for the shell or after --:
  courant search '\"climate change\" -football'
  courant search volcano --limit 3 -- -iceland")]
pub(crate) struct Args {
    /// Words that must all occur; begin* matches words that begin so
    #[arg(required = true, value_name = "WORDS")]
    words: Vec<String>,
    /// Only this feed's: id, UUID or URL
    #[arg(long, value_name = "FEED")]
    feed: Option<String>,
    /// Only feeds of this category, and of those below it
    #[arg(long, value_name = "NAME")]
    category: Option<String>,
    /// Rank the newest hits by relevance, instead of by date
    #[arg(long)]
    ranked: bool,
    /// The maximum number
    #[arg(long, value_name = "NUMBER", default_value = "50")]
    limit: u32,
}

pub(super) fn run(context: &Context, args: &Args) -> anyhow::Result<()> {
    context.with_store(async |_, store| {
        let feed = feed::named(&store, args.feed.as_deref()).await?;
        let mut behind = true;
        for _ in 0..PARTS {
            behind = !matches!(index_some(&store).await?, Indexed::Done(_));
            if !behind {
                break;
            }
        }
        if behind {
            tracing::warn!("the search index is still being built: some entries are not found yet");
        }
        // A private feed is searched for its owner alone, though the operator could list its entries.
        let viewer = Viewer::User(store.owner().await?.id);
        let mut query = SearchQuery {
            words: args.words.join(" "),
            feed,
            order: if args.ranked { SearchOrder::Ranked } else { SearchOrder::Newest },
            before: None,
            limit: args.limit,
        };
        let subscriptions = Subscriptions::of_owner(&store).await?;
        let chosen = args.category.as_deref().map(|name| subscriptions.feeds_in(name)).transpose()?;
        let mut found = Vec::new();
        loop {
            let page = store.search(viewer, &query).await?;
            let wanted = |entry: &Entry| chosen.as_ref().is_none_or(|feeds| feeds.contains(&entry.feed));
            found.extend(page.entries.into_iter().filter(wanted));
            query.before = page.next;
            // Without a category the first page is enough.
            if chosen.is_none() || page.next.is_none() || found.len() >= args.limit as usize {
                break;
            }
        }
        found.truncate(args.limit as usize);
        entry::list::show(context, &store, viewer, &subscriptions, &found, "nothing found").await
    })
}
