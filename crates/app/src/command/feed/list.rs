//! `courant feed list`: all feeds, one line each, those in trouble easy to find.

use jiff::Timestamp;
use model::feed::FeedState;
use store::{FeedStatus, Store};

use super::super::{Context, table};
use super::next::next_visit;
use super::{body, state};
use crate::output::Output;

/// Which feeds to list.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Only those whose last visit failed, or that are not visited any more
    #[arg(long)]
    failing: bool,
}

pub(super) async fn run(context: &Context, store: &Store, args: &Args) -> anyhow::Result<()> {
    let mut feeds = all(store).await?;
    if args.failing {
        feeds.retain(|status| {
            status.failures > 0 || status.last_error.is_some() || status.feed.state != FeedState::Active
        });
    }
    let now = context.clock.now();
    match context.output {
        Output::Json => context.output.json(&feeds.iter().map(|status| body(status, now)).collect()),
        Output::Text if feeds.is_empty() && args.failing => context.output.print("no feed is failing"),
        Output::Text if feeds.is_empty() => context.output.print("no feeds yet: courant feed add URL"),
        Output::Text => {
            let header = ["id", "feed", "state", "polling", "root domain", "next visit", "last error"];
            let rows = feeds.iter().map(|status| row(status, now));
            context.output.print(table::render(&header, rows))?;
            let failing = feeds.iter().filter(|status| status.failures > 0).count();
            context.output.print(format_args!("{} feeds, {failing} failing", feeds.len()))
        }
    }
}

/// Every feed that was not deleted.
pub(in super::super) async fn all(store: &Store) -> anyhow::Result<Vec<FeedStatus>> {
    let mut feeds = Vec::new();
    let mut pages = store.feed_pages();
    while let Some(page) = pages.next().await? {
        feeds.extend(page);
    }
    Ok(feeds)
}

/// Long texts are cut, so that a terminal of a hundred columns shows a feed on a line or two.
fn row(status: &FeedStatus, now: Timestamp) -> Vec<String> {
    let feed = &status.feed;
    vec![
        feed.id.to_string(),
        table::cut(feed.title.as_deref().unwrap_or(&feed.url), 30),
        state(status).to_owned(),
        if feed.polling { "on" } else { "off" }.to_owned(),
        table::cut(feed.root_domain.as_deref().unwrap_or_default(), 18),
        next_visit(status, now).cell(),
        table::cut(status.last_error.as_deref().unwrap_or_default(), 24),
    ]
}
