//! `courant feed list`: one line per feed; failing feeds are easy to find.

use clap::ValueEnum;
use jiff::Timestamp;
use model::Viewer;
use model::feed::FeedState;
use store::{FeedStatus, Store};

use super::super::subscriptions::{Subscriptions, has};
use super::super::{Context, table};
use super::next::{cell, next_visit};
use super::{body, state};
use crate::output::Output;

/// Which feeds to list, and how.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Only feeds in this state
    #[arg(long, value_name = "STATE")]
    state: Option<State>,
    /// Only those whose last visit failed, or that are not visited any more; as `--state failing`
    #[arg(long, hide = true, conflicts_with = "state")]
    failing: bool,
    /// Only feeds of this category, and of those below it
    #[arg(long, value_name = "NAME")]
    category: Option<String>,
    /// Only those with this text in their title or address
    #[arg(long = "match", value_name = "TEXT")]
    matching: Option<String>,
    /// The order
    #[arg(long, value_name = "ORDER", default_value = "id")]
    sort: Sort,
    /// The maximum number
    #[arg(long, value_name = "NUMBER")]
    limit: Option<usize>,
}

/// States that can be asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum State {
    /// Visited
    Active,
    /// Switched off
    Off,
    /// Failed too often
    Disabled,
    /// Given up by its publisher
    Gone,
    /// The last visit failed, or it is not visited any more
    Failing,
    /// To be visited now
    Due,
    /// Never visited yet
    New,
    /// Deleted, and can still be restored
    Deleted,
}

/// Orders that can be asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Sort {
    /// As they were added
    Id,
    /// By name
    Name,
    /// The next visit first
    Next,
    /// The last visit first
    Last,
}

pub(super) async fn run(context: &Context, store: &Store, args: &Args) -> anyhow::Result<()> {
    let deleted = args.state == Some(State::Deleted);
    let mut feeds = if deleted { all_deleted(store).await? } else { all(store).await? };
    let now = context.clock.now();
    let subscriptions = Subscriptions::of_owner(store).await?;
    let some = !feeds.is_empty();
    let wanted = if args.failing { Some(State::Failing) } else { args.state };
    let chosen = args.category.as_deref().map(|name| subscriptions.feeds_in(name)).transpose()?;
    feeds.retain(|status| {
        let names = [subscriptions.name(status), &status.feed.url];
        wanted.is_none_or(|wanted| is_in(status, wanted, now))
            && chosen.as_ref().is_none_or(|feeds| feeds.contains(&status.feed.id))
            && args.matching.as_deref().is_none_or(|part| names.iter().any(|name| has(name, part)))
    });
    match args.sort {
        Sort::Id => {}
        Sort::Name => feeds.sort_by_cached_key(|status| subscriptions.name(status).to_lowercase()),
        Sort::Next => feeds.sort_by_key(|status| (status.due_at.is_none(), status.due_at)),
        Sort::Last => feeds.sort_by_key(|status| std::cmp::Reverse(status.last_visit_at)),
    }
    feeds.truncate(args.limit.unwrap_or(usize::MAX));
    match context.output {
        Output::Json(_) => {
            let row = |status: &FeedStatus| {
                let mut row = body(status, now);
                row["category"] = subscriptions.category(status.feed.id).into();
                row
            };
            context.output.json(&feeds.iter().map(row).collect())
        }
        Output::Text if feeds.is_empty() && wanted == Some(State::Failing) => {
            context.output.print("no feed is failing")
        }
        Output::Text if feeds.is_empty() && deleted => context.output.print("no deleted feeds"),
        Output::Text if feeds.is_empty() && some => context.output.print("no such feeds"),
        Output::Text if feeds.is_empty() => context.output.print("no feeds yet: courant feed add URL"),
        Output::Text => {
            context.output.print(shown(&feeds, &subscriptions, now))?;
            let failing = feeds.iter().filter(|status| status.failures > 0).count();
            context.output.print(format_args!("{}, {failing} failing", table::count(feeds.len(), "feed")))
        }
    }
}

fn is_in(status: &FeedStatus, wanted: State, now: Timestamp) -> bool {
    let active = status.feed.state == FeedState::Active;
    match wanted {
        State::Active => active,
        State::Off => status.feed.state == FeedState::Paused,
        State::Disabled => matches!(status.feed.state, FeedState::Disabled { .. }),
        State::Gone => status.feed.state == FeedState::Gone,
        State::Failing => status.failures > 0 || status.last_error.is_some() || !active,
        State::Due => active && status.worker.is_none() && status.due_at.is_some_and(|at| at <= now),
        State::New => active && status.last_visit_at.is_none(),
        State::Deleted => status.feed.state == FeedState::Deleted,
    }
}

/// Every feed that is not deleted.
pub(in super::super) async fn all(store: &Store) -> anyhow::Result<Vec<FeedStatus>> {
    let mut feeds = Vec::new();
    let mut pages = store.feed_pages(Viewer::Operator);
    while let Some(page) = pages.next().await? {
        feeds.extend(page);
    }
    Ok(feeds)
}

/// Every deleted feed that can still be restored.
async fn all_deleted(store: &Store) -> anyhow::Result<Vec<FeedStatus>> {
    let mut feeds: Vec<FeedStatus> = Vec::new();
    loop {
        let page = store.deleted_feeds(Viewer::Operator, feeds.last().map(|status| status.feed.id), 1000).await?;
        if page.is_empty() {
            return Ok(feeds);
        }
        feeds.extend(page);
    }
}

/// In a terminal, columns without content are omitted.
fn shown(feeds: &[FeedStatus], subscriptions: &Subscriptions, now: Timestamp) -> String {
    let whole = table::terminal_width().is_none();
    let polling = whole || feeds.iter().any(|status| !status.feed.polling);
    let errors = whole || feeds.iter().any(|status| status.last_error.is_some());
    let next = table::header("next visit", feeds.iter().filter_map(|status| status.due_at));
    let columns = [true, true, true, polling, true, true, errors];
    let kept = |row: Vec<String>| row.into_iter().zip(columns).filter(|(_, kept)| *kept).map(|(cell, _)| cell);
    let header = ["id", "feed", "state", "polling", "root domain", &next, "last error"];
    let header: Vec<String> = kept(header.iter().map(|name| (*name).to_owned()).collect()).collect();
    let rows = feeds.iter().map(|status| {
        let (feed, name) = (&status.feed, subscriptions.name(status));
        kept(vec![
            feed.id.to_string(),
            if whole { name.to_owned() } else { without_scheme(name).to_owned() },
            state(status).to_owned(),
            if feed.polling { "on" } else { "off" }.to_owned(),
            feed.root_domain.clone().unwrap_or_default(),
            cell(&next_visit(status, now)),
            status.last_error.clone().unwrap_or_default(),
        ])
        .collect()
    });
    table::render(&header.iter().map(String::as_str).collect::<Vec<_>>(), rows)
}

/// A URL used as a title is shown without its scheme.
fn without_scheme(name: &str) -> &str {
    name.strip_prefix("https://").or_else(|| name.strip_prefix("http://")).unwrap_or(name)
}
