//! `courant reparse`: what the feeds served is read again, and what is understood otherwise now is told and, without
//! `--dry-run`, written. Nobody is visited; works beside a running server.

use engine::{Engine, Reparsed, Reparsing, reparse};
use model::feed::Feed;
use serde_json::{Value, json};
use store::{FeedName, Store};

use super::table::printable;
use super::{Context, moment};
use crate::output::Output;
use crate::wiring;

/// What to read again.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Only this feed's documents: id, UUID or URL
    #[arg(long, value_name = "FEED")]
    feed: Option<String>,
    /// Only documents served since: a moment such as `2026-11-01T00:00:00Z`, a date, or an age such as `7d` or `12h`
    #[arg(long, value_name = "TIME")]
    since: Option<String>,
    /// Say what would change, and change nothing
    #[arg(long)]
    dry_run: bool,
}

/// More entries of one feed are not told one by one to a person; `--json` tells all.
const TOLD: usize = 10;

pub(super) fn run(context: &Context, args: &Args) -> anyhow::Result<()> {
    let now = context.clock.now();
    let since = args.since.as_deref().map(|text| moment::since(text, now)).transpose()?;
    let how = Reparsing { since, write: !args.dry_run };
    context.with_store(async |config, store| {
        let blobs = wiring::open_blobs(&config).await?;
        let engine = wiring::engine(&config, store, blobs, &context.clock)?;
        let mut answers = Vec::new();
        if let Some(name) = &args.feed {
            let feed = engine.store.feed(&FeedName::parse(name)).await?.feed;
            answers.push(one(&engine, feed, how).await?);
        } else {
            let mut after = None;
            while let Some(feed) = next(&engine.store, after).await? {
                after = Some(feed.id);
                answers.push(one(&engine, feed, how).await?);
            }
        }
        match context.output {
            Output::Json => context.output.json(&json!({
                "dry_run": args.dry_run, "feeds": answers.iter().map(body).collect::<Vec<Value>>(),
            })),
            Output::Text => context.output.print(told(&answers, args.dry_run)),
        }
    })
}

async fn next(store: &Store, after: Option<model::FeedId>) -> anyhow::Result<Option<Feed>> {
    Ok(store.feeds(after, 1).await?.pop().map(|status| status.feed))
}

async fn one(engine: &Engine, feed: Feed, how: Reparsing) -> anyhow::Result<(Feed, Reparsed)> {
    let reparsed = reparse(engine, feed.id, how).await?;
    Ok((feed, reparsed))
}

fn told(answers: &[(Feed, Reparsed)], dry_run: bool) -> String {
    let mut lines = Vec::new();
    let (mut documents, mut changed, mut new) = (0, 0, 0);
    for (feed, reparsed) in answers {
        (documents, changed) = (documents + reparsed.documents, changed + reparsed.changed.len());
        new += reparsed.new.len();
        if reparsed.interrupted {
            lines.push(format!("{}  {}: is being visited; run this again for it", feed.id, printable(&feed.url)));
        }
        if reparsed.changed.is_empty() && reparsed.new.is_empty() {
            continue;
        }
        let counts = format!("{} different, {} new", reparsed.changed.len(), reparsed.new.len());
        lines.push(format!("{}  {}: {counts}", feed.id, printable(&feed.url)));
        lines.extend(reparsed.changed.iter().take(TOLD).map(|difference| {
            let title = difference.title.as_deref().unwrap_or("without a title");
            format!("  {}  {}: {}", difference.entry, printable(title), difference.what.join(", "))
        }));
        lines.extend(reparsed.new.iter().take(TOLD).map(|title| format!("  new  {}", printable(title))));
    }
    let end = if dry_run { "; nothing was written" } else { "" };
    lines.push(format!("{documents} documents read: {changed} entries different, {new} new{end}"));
    lines.join("\n")
}

fn body((feed, reparsed): &(Feed, Reparsed)) -> Value {
    let changed = reparsed.changed.iter().map(
        |difference| json!({ "entry": difference.entry.0, "title": difference.title, "different": difference.what }),
    );
    json!({
        "id": feed.id.0, "url": feed.url, "documents": reparsed.documents, "unreadable": reparsed.unreadable,
        "changed": changed.collect::<Vec<_>>(), "new": reparsed.new, "interrupted": reparsed.interrupted,
    })
}
