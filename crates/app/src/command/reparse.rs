//! `courant reparse`: reads stored documents again, reports what is parsed differently now and, without `--dry-run`,
//! writes it. Makes no visits; works beside a running server.

use engine::{Difference, Reparsed, Reparsing, reparse};
use model::feed::Feed;
use model::{FeedId, Viewer};
use serde_json::{Value, json};

use super::progress::bar;
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
    /// Show what would change, and change nothing
    #[arg(long)]
    dry_run: bool,
}

/// How many entries of each kind are listed, in text mode and in JSON.
const TOLD: usize = 10;
const TOLD_TO_PROGRAMS: usize = 100;

pub(super) fn run(context: &Context, args: &Args) -> anyhow::Result<()> {
    let now = context.clock.now();
    let since = args.since.as_deref().map(|text| moment::since(text, now)).transpose()?;
    let examples = if context.output.is_json() { TOLD_TO_PROGRAMS } else { TOLD };
    let how = Reparsing { since, write: !args.dry_run, examples };
    context.with_store(async |config, store| {
        let blobs = wiring::open_blobs(&config).await?;
        let engine = wiring::engine(&config, store, blobs, &context.clock)?;
        let mut told = Told::default();
        if let Some(name) = &args.feed {
            let feed = super::feed::find(engine.store(), name).await?.feed;
            told.add(&feed, reparse(&engine, feed.id, how).await?);
        } else {
            let bar = bar(context.output, engine.store().count_feeds().await? as u64);
            let mut pages = engine.store().feed_pages(Viewer::Operator);
            while let Some(page) = pages.next().await? {
                for status in page {
                    told.add(&status.feed, reparse(&engine, status.feed.id, how).await?);
                    bar.inc(1);
                }
            }
            bar.finish_and_clear();
        }
        match context.output {
            Output::Json(_) => context.output.json(&told.body(args.dry_run)),
            Output::Text => context.output.print(told.text(args.dry_run)),
        }
    })
}

/// The results of all feeds: counts of all, details of those with differences.
#[derive(Default)]
struct Told {
    total: Reparsed,
    feeds: Vec<(FeedId, String, Reparsed)>,
}

impl Told {
    fn add(&mut self, feed: &Feed, reparsed: Reparsed) {
        self.total.add(reparsed.clone(), 0);
        if !reparsed.says_the_same() || reparsed.unreadable > 0 || reparsed.interrupted {
            self.feeds.push((feed.id, feed.url.clone(), reparsed));
        }
    }

    fn text(&self, dry_run: bool) -> String {
        let mut lines = Vec::new();
        for (id, url, reparsed) in &self.feeds {
            let url = printable(url);
            if reparsed.interrupted {
                lines.push(format!("{id}  {url}: is being visited; run this again later"));
            }
            if reparsed.says_the_same() {
                continue;
            }
            lines.push(format!(
                "{id}  {url}: {} different, {} new{}",
                reparsed.changed,
                reparsed.new,
                fields(reparsed)
            ));
            lines.extend(reparsed.examples.iter().map(|difference| {
                let title = difference.title.as_deref().unwrap_or("without a title");
                format!("  {}  {}: {}", difference.entry, printable(title), difference.what.join(", "))
            }));
            lines.extend(reparsed.new_titles.iter().map(|title| format!("  new  {}", printable(title))));
        }
        let Reparsed { documents, unreadable, changed, new, .. } = &self.total;
        let lost = if *unreadable > 0 { format!(" ({unreadable} cannot be)") } else { String::new() };
        let end = if dry_run { "; nothing was written" } else { "" };
        let fields = fields(&self.total);
        lines.push(format!("{documents} documents read{lost}: {changed} entries different, {new} new{fields}{end}"));
        lines.join("\n")
    }

    fn body(&self, dry_run: bool) -> Value {
        let feed = |(id, url, reparsed): &(FeedId, String, Reparsed)| {
            let mut body = counts(reparsed);
            let example = |one: &Difference| json!({ "entry": one.entry.0, "title": one.title, "different": one.what });
            body["id"] = id.0.into();
            body["url"] = url.as_str().into();
            body["examples"] = reparsed.examples.iter().map(example).collect();
            body["new_titles"] = reparsed.new_titles.iter().map(String::as_str).collect();
            body
        };
        let mut body = counts(&self.total);
        body["dry_run"] = dry_run.into();
        body["feeds"] = self.feeds.iter().map(feed).collect();
        body
    }
}

fn counts(reparsed: &Reparsed) -> Value {
    json!({
        "documents": reparsed.documents, "unreadable": reparsed.unreadable, "changed": reparsed.changed,
        "new": reparsed.new, "fields": reparsed.fields, "interrupted": reparsed.interrupted,
    })
}

/// ` (title 3, date 1)`: in how many entries each field differs.
fn fields(reparsed: &Reparsed) -> String {
    let fields: Vec<String> = reparsed.fields.iter().map(|(field, count)| format!("{field} {count}")).collect();
    if fields.is_empty() { String::new() } else { format!(" ({})", fields.join(", ")) }
}
