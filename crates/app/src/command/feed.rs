//! `courant feed`: everything about feeds, one file per thing one does with them. Works beside a running server: the
//! store is shared. Feeds are named by id, UUID or URL.

mod access;
mod add;
mod change;
mod explain;
pub(super) mod list;
mod next;
mod show;
mod sync;

use clap::{Subcommand, ValueEnum};
use jiff::Timestamp;
use model::FeedId;
use model::feed::{DomainRule, FeedState};
use serde_json::{Value, json};
use store::{FeedName, FeedStatus, Store};

use super::{Context, table};
use crate::output::Output;

/// What to do with feeds.
#[derive(Subcommand)]
pub(crate) enum Args {
    /// Add feeds
    Add(add::Args),
    /// List all feeds
    List(list::Args),
    /// Show one feed and its last visits
    Show(show::Args),
    /// Say why a feed is visited when it is: the last decisions and what each rule said
    Explain(Named),
    /// Visit a feed as soon as a worker is free, whatever its schedule says
    Sync(sync::Args),
    /// Visit a feed again that was switched off, disabled or gone
    Enable(Named),
    /// Switch a feed off: nobody visits it, nothing of it is lost
    Disable(Named),
    /// Whether a visit that succeeded is followed by another; without a word it toggles
    Polling {
        #[command(flatten)]
        feed: Named,
        /// On or off
        #[arg(value_name = "on|off")]
        switch: Option<Switch>,
    },
    /// Give a feed a rule of its own, or take it back with an empty value; without a key, list the rules
    Set {
        #[command(flatten)]
        feed: Named,
        /// Such as `interval.min`
        #[arg(value_name = "KEY")]
        key: Option<String>,
        /// Such as `2h`
        #[arg(value_name = "VALUE", requires = "key")]
        value: Option<String>,
    },
    /// Which links of a feed's entries are taken: any, those on its own site, or those on its very host
    Links {
        #[command(flatten)]
        feed: Named,
        /// Which
        #[arg(value_name = "any|site|exact")]
        links: change::Links,
    },
    /// Whether several entries of a feed may share one link
    DuplicateUrls {
        #[command(flatten)]
        feed: Named,
        /// On or off
        #[arg(value_name = "on|off")]
        switch: Switch,
    },
    /// Delete a feed; adding it again finds its history
    Delete(Named),
}

/// Which feed.
#[derive(clap::Args)]
pub(crate) struct Named {
    /// Id, UUID or URL
    #[arg(value_name = "FEED")]
    name: String,
}

impl Named {
    pub(super) async fn find(&self, store: &Store) -> anyhow::Result<FeedStatus> {
        Ok(store.feed(&FeedName::parse(&self.name)).await?)
    }
}

/// On or off.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Switch {
    /// On
    On,
    /// Off
    Off,
}

/// The feed that was named on the command line, if one was.
pub(super) async fn named(store: &Store, name: Option<&str>) -> anyhow::Result<Option<FeedId>> {
    Ok(match name {
        Some(name) => Some(store.feed(&FeedName::parse(name)).await?.feed.id),
        None => None,
    })
}

pub(super) fn run(context: &Context, args: &Args) -> anyhow::Result<()> {
    match args {
        Args::Add(args) => add::run(context, args),
        Args::Sync(args) => sync::run(context, args),
        Args::List(args) => context.with_store(async |_, store| list::run(context, &store, args).await),
        Args::Show(args) => context.with_store(async |_, store| show::run(context, &store, args).await),
        Args::Explain(feed) => context.with_store(async |_, store| explain::run(context, &store, feed).await),
        Args::Enable(feed) => context.with_store(async |_, store| change::enable(context, &store, feed).await),
        Args::Disable(feed) => context.with_store(async |_, store| change::disable(context, &store, feed).await),
        Args::Delete(feed) => context.with_store(async |_, store| change::delete(context, &store, feed).await),
        Args::Polling { feed, switch } => {
            context.with_store(async |_, store| change::polling(context, &store, feed, *switch).await)
        }
        Args::Links { feed, links } => {
            context.with_store(async |_, store| change::links(context, &store, feed, *links).await)
        }
        Args::DuplicateUrls { feed, switch } => {
            context.with_store(async |_, store| change::duplicate_urls(context, &store, feed, *switch).await)
        }
        Args::Set { feed, key, value } => context.with_store(async |config, store| {
            change::set(context, &config, &store, feed, key.as_deref(), value.as_deref()).await
        }),
    }
}

/// One line about what was done to a feed.
fn say(context: &Context, feed: &FeedStatus, what: &str) -> anyhow::Result<()> {
    match context.output {
        Output::Json => context.output.json(&json!({ "id": feed.feed.id.0, "url": feed.feed.url, "result": what })),
        Output::Text => context.output.print(table::printable(&format!("{}  {}  {what}", feed.feed.id, feed.feed.url))),
    }
}

fn state(status: &FeedStatus) -> &'static str {
    match status.feed.state {
        FeedState::Active => "active",
        FeedState::Paused => "off",
        FeedState::Disabled { .. } => "disabled",
        FeedState::AwaitingModeration => "awaiting",
        FeedState::Rejected { .. } => "rejected",
        FeedState::Gone => "gone",
        FeedState::Deleted => "deleted",
    }
}

/// Which links of its entries are taken, in the word one sets it with.
fn links(rule: DomainRule) -> &'static str {
    match rule {
        DomainRule::Any => "any",
        DomainRule::Registrable => "site",
        DomainRule::Exact => "exact",
    }
}

/// What is wrong with the feed's ids, if something is.
fn distrust(feed: &model::feed::Feed) -> Option<&'static str> {
    let why = "its ids are unreliable (one stood for several entries, or they changed): entries are recognised by link \
               and words";
    feed.guids.unreliable.then_some(why)
}

/// A feed as JSON, for every command that shows one. When it is visited next is as it stands now.
fn body(status: &FeedStatus, now: Timestamp) -> Value {
    let feed = &status.feed;
    let next = next::next_visit(status, now);
    let visited = !matches!(
        feed.state,
        FeedState::Paused | FeedState::AwaitingModeration | FeedState::Rejected { .. } | FeedState::Deleted
    );
    json!({
        "id": feed.id.0, "uuid": feed.uuid.to_string(), "url": feed.url, "title": feed.title, "site_url": feed.site_url,
        "state": state(status), "state_reason": feed.state.reason(), "enabled": visited, "polling": feed.polling,
        "root_domain": feed.root_domain, "links": links(feed.domain_rule), "duplicate_urls": feed.allow_duplicate_urls,
        "guids": { "collisions": feed.guids.collisions, "unreliable": feed.guids.unreliable }, "rules": status.rules,
        "rate_group": status.rate_group, "worker": status.worker, "due_at": next.at.map(|at| at.to_string()),
        "being_visited": next.being_visited, "reason": next.reason, "visits": status.visits, "last_status": status.last_status,
        "last_success_at": status.last_success_at.map(|at| at.to_string()), "last_error": status.last_error,
        "last_error_at": status.last_error_at.map(|at| at.to_string()),
        "failures": status.failures, "interval_seconds": status.interval.as_secs(),
    })
}
