//! `courant feed`: add feeds, list them, look at one. Works beside a running server: the store is shared.

use clap::Subcommand;
use engine::{Access, Engine, Wanted, subscribe};
use model::schedule::Because;
use serde_json::{Value, json};
use store::{Added, FeedName, FeedStatus, Store};

use super::{Context, access, table};
use crate::output::Output;
use crate::wiring;

/// What to do with feeds.
#[derive(Subcommand)]
pub(crate) enum Args {
    /// Add feeds; they are due at once
    Add {
        /// Addresses of feeds
        #[arg(required = true, value_name = "URL")]
        urls: Vec<String>,
        #[command(flatten)]
        access: access::Args,
    },
    /// List all feeds
    List,
    /// Visit a feed as soon as a worker is free, whatever its schedule says
    Sync {
        /// Id, UUID or URL
        #[arg(value_name = "FEED")]
        name: String,
    },
    /// Show one feed and its last visits
    Show {
        /// Id, UUID or URL
        #[arg(value_name = "FEED")]
        name: String,
    },
}

pub(super) fn run(context: &Context, args: &Args) -> anyhow::Result<()> {
    context.with_store(async |config, store| match args {
        Args::Add { urls, access } => {
            let access = access.read()?;
            let blobs = wiring::open_blobs(&config).await?;
            let engine = wiring::engine(&config, store, blobs, &context.clock)?;
            add(context, &engine, urls, &access).await
        }
        Args::List => list(context, &store).await,
        Args::Sync { name } => sync(context, &store, name).await,
        Args::Show { name } => show(context, &store, name).await,
    })
}

async fn add(context: &Context, engine: &Engine, urls: &[String], access: &Access) -> anyhow::Result<()> {
    let owner = if access.is_secret() { Some(engine.store.owner().await?.id) } else { None };
    let mut answers = Vec::new();
    for url in urls {
        let added = subscribe(engine, &Wanted { url: url.clone(), owner, access: access.clone() }).await?;
        let word = match added {
            Added::New(_) => "added",
            Added::Existing(_) => "already there",
            Added::Revived(_) => "back again",
        };
        match context.output {
            Output::Json => answers.push(json!({ "id": added.id().0, "url": url, "result": word })),
            Output::Text => context.output.print(format_args!("{}  {url}  {word}", added.id()))?,
        }
    }
    if context.output == Output::Json { context.output.json(&Value::Array(answers)) } else { Ok(()) }
}

async fn list(context: &Context, store: &Store) -> anyhow::Result<()> {
    let mut feeds: Vec<FeedStatus> = Vec::new();
    loop {
        let page = store.feeds(feeds.last().map(|status| status.feed.id), 500).await?;
        if page.is_empty() {
            break;
        }
        feeds.extend(page);
    }
    match context.output {
        Output::Json => context.output.json(&feeds.iter().map(body).collect()),
        Output::Text if feeds.is_empty() => context.output.print("no feeds yet: courant feed add URL"),
        Output::Text => {
            let rows = feeds.iter().map(|status| {
                vec![
                    status.feed.id.to_string(),
                    status.feed.title.clone().unwrap_or_else(|| status.feed.url.clone()),
                    state(status).to_owned(),
                    status.due_at.map_or_else(|| "never".into(), table::moment),
                    status.last_error.clone().unwrap_or_default(),
                ]
            });
            context.output.print(table::render(&["id", "feed", "state", "next visit", "last error"], rows))
        }
    }
}

async fn sync(context: &Context, store: &Store, name: &str) -> anyhow::Result<()> {
    let feed = store.feed(&FeedName::parse(name)).await?.feed;
    if !feed.state.is_runnable() {
        anyhow::bail!("feed {} is not visited: enable it first", feed.id);
    }
    let now = context.clock.now();
    store.make_due(feed.id, Some(now), Because::Manual, "somebody asked for it", now).await?;
    match context.output {
        Output::Json => context.output.json(&json!({ "id": feed.id.0, "due_at": now.to_string() })),
        Output::Text => context.output.print(format_args!("{}  {}  due now", feed.id, feed.url)),
    }
}

async fn show(context: &Context, store: &Store, name: &str) -> anyhow::Result<()> {
    let status = store.feed(&FeedName::parse(name)).await?;
    let visits = store.visits(status.feed.id, 20).await?;
    if context.output == Output::Json {
        let visits: Vec<Value> = visits
            .iter()
            .map(|visit| {
                json!({
                    "at": visit.at.to_string(), "status": visit.status, "result": format!("{:?}", visit.result).to_lowercase(),
                    "error": visit.error, "new_entries": visit.new_entries, "changed_entries": visit.changed_entries,
                    "wire_bytes": visit.wire_bytes, "next_at": visit.next_at.map(|at| at.to_string()), "reason": visit.reason,
                })
            })
            .collect();
        let mut feed = body(&status);
        feed["last_visits"] = visits.into();
        return context.output.json(&feed);
    }
    let feed = &status.feed;
    let mut lines = vec![
        feed.title.clone().unwrap_or_else(|| feed.url.clone()),
        format!("  id          {} ({})", feed.id, feed.uuid),
        format!("  url         {}", feed.url),
        format!("  state       {}", state(&status)),
        format!("  next visit  {}, {}", status.due_at.map_or_else(|| "never".into(), table::moment), status.reason),
    ];
    lines.extend(status.last_error.iter().map(|error| format!("  last error  {error}")));
    lines.extend(visits.iter().map(|visit| {
        let result = visit.status.map_or_else(|| "–".to_owned(), |status| status.to_string());
        format!("  {}  {result}  {} new  {}", table::moment(visit.at), visit.new_entries, visit.reason)
    }));
    context.output.print(lines.join("\n"))
}

fn state(status: &FeedStatus) -> &'static str {
    use model::feed::FeedState::{Active, AwaitingModeration, Deleted, Disabled, Gone, Paused, Rejected};
    match status.feed.state {
        Active => "active",
        Paused => "paused",
        Disabled { .. } => "disabled",
        AwaitingModeration => "awaiting moderation",
        Rejected { .. } => "rejected",
        Gone => "gone",
        Deleted => "deleted",
    }
}

fn body(status: &FeedStatus) -> Value {
    let feed = &status.feed;
    json!({
        "id": feed.id.0, "uuid": feed.uuid.to_string(), "url": feed.url, "title": feed.title, "site_url": feed.site_url,
        "state": state(status), "state_reason": feed.state.reason(), "root_domain": feed.root_domain,
        "rate_group": status.rate_group, "worker": status.worker, "due_at": status.due_at.map(|at| at.to_string()),
        "reason": status.reason, "visits": status.visits, "last_status": status.last_status,
        "last_success_at": status.last_success_at.map(|at| at.to_string()), "last_error": status.last_error,
        "failures": status.failures, "interval_seconds": status.interval.as_secs(),
    })
}
