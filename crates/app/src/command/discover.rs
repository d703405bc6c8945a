//! `courant discover`: finds the feeds of a site; each is read before it is shown. `engine` does the search.

use engine::{Discovery, FoundFeed, Reach};
use serde_json::{Value, json};

use super::{Context, table};
use crate::output::Output;

/// Where to search.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Address of a site, a page or a feed; `https://` may be left out
    #[arg(value_name = "URL")]
    url: String,
    /// Visit this many pages of the site's sitemap if the page itself has no feeds
    #[arg(long, value_name = "PAGES", default_value_t = 0)]
    sitemap: usize,
}

pub(super) fn run(context: &Context, args: &Args) -> anyhow::Result<()> {
    context.with_visitor(async |engine| {
        let reach = Reach { sitemap_pages: args.sitemap.min(50) };
        let found = engine::discover(&engine, &args.url, reach).await?;
        match context.output {
            Output::Json(_) => context.output.json(&body(&found))?,
            Output::Text if found.feeds.is_empty() => {}
            Output::Text => context.output.print(text(&found))?,
        }
        anyhow::ensure!(!found.feeds.is_empty(), "{}", nothing(&found));
        Ok(())
    })
}

fn text(found: &Discovery) -> String {
    let mut lines = Vec::new();
    for feed in &found.feeds {
        lines.push(table::printable(&feed.url));
        let title = feed.title.as_deref().unwrap_or("(no title)");
        lines.push(format!("  {} ({}, {})", table::printable(title), feed.version, rhythm(feed)));
        lines.extend(feed.samples.iter().map(|sample| format!("  · {}", table::printable(sample))));
        lines.push(format!("  found because: {}", table::printable(&feed.why)));
    }
    lines.extend(found.failed.iter().map(|(url, why)| table::printable(&format!("not a feed: {url}: {why}"))));
    lines.join("\n")
}

/// `20 entries, last 2026-01-31 10:00, 3 a week`
fn rhythm(feed: &FoundFeed) -> String {
    let mut parts = vec![match feed.entries {
        1 => "1 entry".to_owned(),
        count => format!("{count} entries"),
    }];
    parts.extend(feed.last_entry_at.map(|at| format!("last {}", table::moment(at))));
    parts.extend(feed.per_week.map(|rate| match rate {
        rate if rate >= 9.5 => format!("{rate:.0} a week"),
        rate if rate >= 0.95 => format!("{rate:.1} a week"),
        rate => format!("{:.1} a year", rate * 365.25 / 7.0),
    }));
    parts.join(", ")
}

/// Why nothing was found, for the user who entered the URL.
pub(super) fn nothing(found: &Discovery) -> String {
    match found.failed.as_slice() {
        [(url, why)] if *url == found.url => format!("cannot visit {url}: {why}"),
        [] => format!("no feed was found at {}; if you know its URL, use that", found.url),
        failed => {
            let tried: Vec<String> = failed.iter().map(|(url, why)| format!("{url}: {why}")).collect();
            format!("no feed was found at {}; tried {}", found.url, tried.join("; "))
        }
    }
}

fn body(found: &Discovery) -> Value {
    let feed = |feed: &FoundFeed| {
        json!({
            "url": feed.url, "title": feed.title, "version": feed.version, "entries": feed.entries,
            "last_entry_at": feed.last_entry_at.map(|at| at.to_string()), "entries_per_week": feed.per_week,
            "samples": feed.samples, "why": feed.why,
        })
    };
    let failed: Vec<Value> = found.failed.iter().map(|(url, why)| json!({ "url": url, "error": why })).collect();
    json!({
        "url": found.url, "title": found.title, "feeds": found.feeds.iter().map(feed).collect::<Vec<_>>(),
        "failed": failed,
    })
}
