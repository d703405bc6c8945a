//! `courant entries`: what the feeds said, newest first.

use model::entry::Entry;
use serde_json::json;
use store::EntryFilter;

use super::{Context, feed, moment, table};
use crate::output::Output;

/// Which entries.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Only this feed's: id, UUID or URL
    #[arg(long, value_name = "FEED")]
    feed: Option<String>,
    /// Only what is dated since then: `2026-01-31`, `2026-01-31T10:00:00Z`, or as long ago as `2h` or `3d`
    #[arg(long, value_name = "TIME")]
    since: Option<String>,
    /// At most so many
    #[arg(long, value_name = "NUMBER", default_value = "50")]
    limit: u32,
}

pub(super) fn run(context: &Context, args: &Args) -> anyhow::Result<()> {
    context.with_store(async |_, store| {
        let feed = feed::named(&store, args.feed.as_deref()).await?;
        let since = args.since.as_deref().map(|text| moment::since(text, context.clock.now())).transpose()?;
        let mut entries = store.entries(EntryFilter { feed }, None, args.limit).await?.entries;
        // Newest first: what is older than the first that is too old is older still.
        let kept = entries.iter().take_while(|entry| since.is_none_or(|since| entry.sort_at >= since)).count();
        entries.truncate(kept);
        show(context, &entries, "no entries yet")
    })
}

/// Entries as a table or as JSON; `none` is what a person reads if there are none.
pub(super) fn show(context: &Context, entries: &[Entry], none: &str) -> anyhow::Result<()> {
    match context.output {
        Output::Json => {
            let entry = |entry: &Entry| {
                json!({
                    "id": entry.id.0, "feed_id": entry.feed.0, "uid": entry.uid, "title": entry.title,
                    "link": entry.link, "author": entry.author, "excerpt": entry.excerpt,
                    "published_at": entry.published_at.map(|at| at.to_string()),
                    "first_seen_at": entry.first_seen_at.to_string(),
                })
            };
            context.output.json(&entries.iter().map(entry).collect())
        }
        Output::Text if entries.is_empty() => context.output.print(none),
        Output::Text => {
            let rows = entries.iter().map(|entry| {
                let title = entry.title.clone().or_else(|| entry.link.clone()).unwrap_or_else(|| entry.uid.clone());
                vec![entry.id.to_string(), entry.feed.to_string(), table::moment(entry.sort_at), title]
            });
            context.output.print(table::render(&["id", "feed", "date", "title"], rows))
        }
    }
}
