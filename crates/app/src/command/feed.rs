//! `courant feed`: everything about feeds, one file per verb. Works beside a running server: the store is shared. Feeds
//! are named by id, UUID or URL; verbs that change feeds take several, and `-` reads their names from standard input.
//! Each feed is tried and reported on its own.

mod access;
mod add;
mod change;
mod edit;
mod explain;
pub(super) mod list;
pub(super) mod next;
mod rule;
mod show;
mod sync;

use std::io::BufRead as _;

use anyhow::Context as _;
use clap::{Subcommand, ValueEnum};
use jiff::Timestamp;
use model::feed::{DomainRule, FeedState};
use model::{FeedId, Viewer};
use serde_json::{Value, json};
use store::{FeedName, FeedStatus, Store};

use super::{Context, table};
use crate::output::Output;
use crate::report::{Choice, Told, Undecided, complain};

/// What to do with feeds.
#[derive(Subcommand)]
pub(crate) enum Args {
    /// Add feeds: by their own address or by that of their site
    Add(add::Args),
    /// List feeds
    List(list::Args),
    /// Show feeds and their last visits
    Show(show::Args),
    /// Change address, title, category, credentials or proxy of a feed
    Edit(edit::Args),
    /// Explain when a feed is visited: the last decisions and what each rule said
    Explain(Names),
    /// Visit feeds as soon as a worker is free, whatever their schedule says
    Sync(sync::Args),
    /// Visit feeds again that were switched off, disabled or gone
    Enable(Names),
    /// Switch feeds off: they are not visited, and nothing is deleted
    Disable(Names),
    /// Whether another visit follows a successful one; without on or off it toggles
    #[command(override_usage = "courant feed polling <FEED>... [on|off]")]
    Polling {
        /// Ids, UUIDs or URLs, then `on` or `off`
        #[arg(value_name = "FEED", required = true)]
        words: Vec<String>,
    },
    /// Show and change the rules of a feed: how often it is visited, what is kept
    #[command(subcommand)]
    Rule(rule::Args),
    /// As `courant feed rule`
    #[command(hide = true)]
    Set(rule::SetArgs),
    /// Which links of a feed's entries are accepted: any, those on its own site, or those on exactly its host
    Links {
        #[command(flatten)]
        feeds: Names,
        /// Which
        #[arg(value_name = "any|site|exact")]
        links: change::Links,
    },
    /// Whether several entries of a feed may share one link
    DuplicateUrls {
        #[command(flatten)]
        feeds: Names,
        /// On or off
        #[arg(value_name = "on|off")]
        switch: Switch,
    },
    /// Delete feeds and their entries; adding one again within 30 days restores them
    Delete(change::DeleteArgs),
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
        find(store, &self.name).await
    }
}

/// Which feeds.
#[derive(clap::Args)]
pub(crate) struct Names {
    /// Ids, UUIDs or URLs; `-` reads them from standard input, one a line
    #[arg(value_name = "FEED", required = true)]
    names: Vec<String>,
}

/// On or off.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Switch {
    /// On
    On,
    /// Off
    Off,
}

/// The feed of that name. A URL may be written as it is typed. If it was deleted, the error says so and what can be
/// done.
pub(super) async fn find(store: &Store, name: &str) -> anyhow::Result<FeedStatus> {
    let parsed = FeedName::parse(name);
    let found = store.feed(Viewer::Operator, &parsed).await;
    if let (Err(_), FeedName::Url(typed)) = (&found, &parsed)
        && let Ok(understood) = engine::typed_address(typed)
        && let Ok(status) = store.feed(Viewer::Operator, &FeedName::Url(understood)).await
    {
        return Ok(status);
    }
    if let Some(status) = find_deleted(store, name).await?.filter(|_| found.is_err()) {
        anyhow::bail!(
            "feed {} was deleted on {}; `courant feed add {}` restores it until {}",
            status.feed.id,
            table::moment(status.feed.state_since),
            status.feed.url,
            status.purge_at.map_or_else(|| "it is removed".to_owned(), table::moment),
        );
    }
    Ok(found?)
}

/// The deleted feed of that name, if it can still be restored.
async fn find_deleted(store: &Store, name: &str) -> anyhow::Result<Option<FeedStatus>> {
    let parsed = FeedName::parse(name);
    let found = store.deleted_feed(Viewer::Operator, &parsed).await?;
    match (&found, &parsed) {
        (None, FeedName::Url(typed)) => match engine::typed_address(typed) {
            Ok(understood) => Ok(store.deleted_feed(Viewer::Operator, &FeedName::Url(understood)).await?),
            Err(_) => Ok(None),
        },
        _ => Ok(found),
    }
}

/// The feed that was named on the command line, if any.
pub(super) async fn named(store: &Store, name: Option<&str>) -> anyhow::Result<Option<FeedId>> {
    Ok(match name {
        Some(name) => Some(find(store, name).await?.feed.id),
        None => None,
    })
}

/// The given names, with those from standard input in place of `-`.
fn expanded(names: &[String]) -> anyhow::Result<Vec<String>> {
    let mut all = Vec::new();
    for name in names {
        if name == "-" {
            let lines = std::io::stdin().lock().lines().collect::<Result<Vec<_>, _>>();
            let lines = lines.context("cannot read names from standard input")?;
            all.extend(lines.iter().map(|line| line.trim()).filter(|line| !line.is_empty()).map(str::to_owned));
        } else {
            all.push(name.clone());
        }
    }
    Ok(all)
}

/// The results of several operations. In text mode they are printed as they come, in JSON they are one list.
struct Answers<'a> {
    context: &'a Context,
    several: bool,
    rows: Vec<Value>,
    /// The last failure; a required choice only if nothing else failed.
    failed: Option<anyhow::Error>,
}

impl<'a> Answers<'a> {
    fn new(context: &'a Context, names: &[String]) -> Self {
        Self { context, several: names.len() > 1, rows: Vec::new(), failed: None }
    }

    /// A success: a row for JSON, a line for people.
    fn done(&mut self, row: Value, line: &str) -> anyhow::Result<()> {
        self.shown(row, &table::printable(line))
    }

    /// The same with lines that are already printable.
    fn shown(&mut self, row: Value, lines: &str) -> anyhow::Result<()> {
        match self.context.output {
            Output::Json(_) => self.rows.push(row),
            Output::Text => self.context.output.print(lines)?,
        }
        Ok(())
    }

    /// A failure. A single one fails the command; of several, each is reported.
    fn failed(&mut self, name: &str, error: anyhow::Error) {
        let choice = error.downcast_ref::<Choice>();
        match self.context.output {
            Output::Json(_) => {
                let feeds = choice.map(|choice| &choice.feeds);
                self.rows.push(json!({ "feed": name, "error": format!("{error:#}"), "feeds": feeds }));
            }
            Output::Text if self.several => complain(&format!("error: {name}: {error:#}")),
            Output::Text => {}
        }
        if choice.is_none() || self.failed.is_none() {
            self.failed = Some(error);
        }
    }

    fn end(self) -> anyhow::Result<()> {
        if self.context.output.is_json() {
            self.context.output.json(&Value::Array(self.rows))?;
        }
        match self.failed {
            None => Ok(()),
            Some(error) if !self.several && !self.context.output.is_json() => Err(error),
            Some(error) if error.is::<Choice>() => Err(Undecided.into()),
            Some(_) => Err(Told.into()),
        }
    }
}

/// Shows feeds one after the other: one feed is one JSON object, several are a list.
async fn show_each(
    context: &Context,
    names: &Names,
    show: impl AsyncFn(&str) -> anyhow::Result<(Value, String)>,
) -> anyhow::Result<()> {
    let names = expanded(&names.names)?;
    if let [name] = names.as_slice() {
        let (body, lines) = show(name).await?;
        return if context.output.is_json() { context.output.json(&body) } else { context.output.print(lines) };
    }
    let mut answers = Answers::new(context, &names);
    for (n, name) in names.iter().enumerate() {
        match show(name).await {
            Ok((body, lines)) => answers.shown(body, &format!("{}{lines}", if n > 0 { "\n" } else { "" }))?,
            Err(error) => answers.failed(name, error),
        }
    }
    answers.end()
}

/// Changes feeds one after the other; `change` returns what was done.
async fn each(
    context: &Context,
    store: &Store,
    names: &[String],
    change: impl AsyncFn(&FeedStatus) -> anyhow::Result<String>,
) -> anyhow::Result<()> {
    each_found(context, names, async |name| find(store, name).await, change).await
}

/// The same for feeds that `find` returns.
async fn each_found(
    context: &Context,
    names: &[String],
    find: impl AsyncFn(&str) -> anyhow::Result<FeedStatus>,
    change: impl AsyncFn(&FeedStatus) -> anyhow::Result<String>,
) -> anyhow::Result<()> {
    let names = expanded(names)?;
    let mut answers = Answers::new(context, &names);
    for name in &names {
        let changed = async {
            let status = find(name).await?;
            let what = change(&status).await?;
            anyhow::Ok((status, what))
        };
        match changed.await {
            Ok((FeedStatus { feed, .. }, what)) => answers.done(
                json!({ "id": feed.id.0, "url": feed.url, "result": what }),
                &format!("{}  {}  {what}", feed.id, feed.url),
            )?,
            Err(error) => answers.failed(name, error),
        }
    }
    answers.end()
}

pub(super) fn run(context: &Context, args: &Args) -> anyhow::Result<()> {
    match args {
        Args::Add(args) => add::run(context, args),
        Args::Edit(args) => edit::run(context, args),
        Args::Sync(args) => sync::run(context, args),
        Args::Rule(args) => rule::run(context, args),
        Args::Set(args) => rule::set_or_show(context, args),
        Args::List(args) => context.with_store(async |_, store| list::run(context, &store, args).await),
        Args::Show(args) => context.with_store(async |_, store| show::run(context, &store, args).await),
        Args::Explain(feeds) => context.with_store(async |_, store| explain::run(context, &store, feeds).await),
        Args::Enable(feeds) => context.with_store(async |_, store| change::enable(context, &store, feeds).await),
        Args::Disable(feeds) => context.with_store(async |_, store| change::disable(context, &store, feeds).await),
        Args::Delete(args) => change::delete(context, args),
        Args::Polling { words } => context.with_store(async |_, store| change::polling(context, &store, words).await),
        Args::Links { feeds, links } => {
            context.with_store(async |_, store| change::links(context, &store, feeds, *links).await)
        }
        Args::DuplicateUrls { feeds, switch } => {
            context.with_store(async |_, store| change::duplicate_urls(context, &store, feeds, *switch).await)
        }
    }
}

pub(super) fn state(status: &FeedStatus) -> &'static str {
    engine::state_in_words(&status.feed.state)
}

/// Which links of its entries are accepted, as the word for setting it.
fn links(rule: DomainRule) -> &'static str {
    match rule {
        DomainRule::Any => "any",
        DomainRule::Registrable => "site",
        DomainRule::Exact => "exact",
    }
}

/// What is wrong with the feed's ids, if anything.
fn distrust(feed: &model::feed::Feed) -> Option<&'static str> {
    let why = "its ids are unreliable (one stood for several entries, or they changed): entries are recognised by link \
               and words";
    feed.guids.unreliable.then_some(why)
}

/// A feed as JSON, for every command that shows one. The next visit is as of now.
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
        "removed_at": status.purge_at.map(|at| at.to_string()),
    })
}
