//! `courant search`: entries by their words. What just arrived is indexed first, so that it is found.

use engine::index_some;
use store::{FeedName, Indexed, SearchOrder, SearchQuery};

use super::{Context, entries};

/// At most so many parts of some thousand entries are indexed before the answer: some seconds.
const PARTS: u32 = 20;

/// What to look for.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Words that must all be there; "a phrase", -without, begin*
    #[arg(required = true, allow_hyphen_values = true, value_name = "WORDS")]
    words: Vec<String>,
    /// Only this feed's: id, UUID or URL
    #[arg(long, value_name = "FEED")]
    feed: Option<String>,
    /// The best of the newest hits first, instead of the newest
    #[arg(long)]
    ranked: bool,
    /// At most so many
    #[arg(long, value_name = "NUMBER", default_value = "50")]
    limit: u32,
}

pub(super) fn run(context: &Context, args: &Args) -> anyhow::Result<()> {
    context.with_store(async |_, store| {
        let feed = match &args.feed {
            Some(name) => Some(store.feed(&FeedName::parse(name)).await?.feed.id),
            None => None,
        };
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
        let query = SearchQuery {
            words: args.words.join(" "),
            feed,
            reader: Some(store.owner().await?.id),
            order: if args.ranked { SearchOrder::Ranked } else { SearchOrder::Newest },
            before: None,
            limit: args.limit,
        };
        entries::show(context, &store.search(&query).await?.entries, "nothing found")
    })
}
