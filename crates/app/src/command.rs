//! The commands, one module each. To add one: a module with `Args` (clap) and `run(context, args)`, a variant and an
//! arm here, its name in `GROUPS`. A command gets its settings and its log from `Context::start`; it answers through
//! `context.output` and fails with an error whose text is a sentence.

mod backup;
mod config;
mod discover;
mod doctor;
mod entries;
mod entry;
mod feed;
mod fetch;
mod moment;
mod opml;
mod parse;
mod progress;
mod reparse;
mod restore;
mod retain;
mod root_domain;
mod saved;
mod search;
mod serve;
mod table;
mod visit;

use clap::Subcommand;
use engine::Engine;
use store::{Purpose, Store};

use crate::clock::{self, Clock};
use crate::config::{Config, Loaded, Origin, Problems, Sources, Value as _, load};
use crate::log::{self, LogFilter, Role, Screen};
use crate::output::Output;
use crate::wiring::{self, Patience};

/// What `courant` can do. The first doc line is what help says.
#[derive(Subcommand)]
pub(crate) enum Command {
    /// Run the service: visit feeds, answer requests
    Serve(serve::Args),
    /// Add, list and show feeds
    #[command(subcommand)]
    Feed(feed::Args),
    /// Visit every feed once, now, and end with a summary
    Fetch(fetch::Args),
    /// List, set and clear the root domains that group feeds
    #[command(subcommand)]
    RootDomain(root_domain::Args),
    /// The commands about feeds and root domains, by another name
    #[command(subcommand, hide = true)]
    Admin(Admin),
    /// List what the feeds said, newest first
    Entries(entries::Args),
    /// Show one entry: what it says, what it said before, where it stands in what was fetched
    Entry(entry::Args),
    /// Find entries by their words
    Search(search::Args),
    /// Find the feeds of a site
    Discover(discover::Args),
    /// Import and export lists of feeds
    #[command(subcommand)]
    Opml(opml::Args),
    /// Say what a feed document means, and what is wrong with it
    Parse(parse::Args),
    /// Visit an address once and show everything about it
    Visit(visit::Args),
    /// Forget what has served its time, or say what would be forgotten
    Retain(retain::Args),
    /// Read what the feeds served again, with today's parser
    Reparse(reparse::Args),
    /// Save the database, beside a running server
    Backup(backup::Args),
    /// Bring a backup back, where there is no database
    Restore(restore::Args),
    /// Look for what is wrong, and say what to do
    Doctor(doctor::Args),
    /// Check, show and explain the configuration
    #[command(subcommand)]
    Config(config::Args),
}

/// `courant admin feed …` and `courant admin root-domain …`: how operators of the deframer know them.
#[derive(Subcommand)]
pub(crate) enum Admin {
    /// As `courant feed`
    #[command(subcommand)]
    Feed(feed::Args),
    /// As `courant root-domain`
    #[command(subcommand)]
    RootDomain(root_domain::Args),
}

/// How help lists the commands.
pub(crate) const GROUPS: &[(&str, &[&str])] = &[
    ("Run", &["serve", "fetch"]),
    ("Feeds", &["feed", "root-domain", "opml", "discover"]),
    ("Read", &["entries", "entry", "search", "parse", "visit"]),
    ("Keep", &["backup", "restore", "retain", "reparse", "doctor"]),
    ("Set up", &["config"]),
];

impl Command {
    /// Does what was asked.
    pub(crate) fn run(self, context: &Context) -> anyhow::Result<()> {
        match self {
            Self::Serve(args) => serve::run(context, &args),
            Self::Feed(args) | Self::Admin(Admin::Feed(args)) => feed::run(context, &args),
            Self::Fetch(args) => fetch::run(context, &args),
            Self::RootDomain(args) | Self::Admin(Admin::RootDomain(args)) => root_domain::run(context, &args),
            Self::Entries(args) => entries::run(context, &args),
            Self::Entry(args) => entry::run(context, &args),
            Self::Search(args) => search::run(context, &args),
            Self::Discover(args) => discover::run(context, &args),
            Self::Opml(args) => opml::run(context, &args),
            Self::Parse(args) => parse::run(context, &args),
            Self::Visit(args) => visit::run(context, &args),
            Self::Retain(args) => retain::run(context, &args),
            Self::Reparse(args) => reparse::run(context, &args),
            Self::Backup(args) => backup::run(context, &args),
            Self::Restore(args) => restore::run(context, &args),
            Self::Doctor(args) => doctor::run(context, &args),
            Self::Config(args) => config::run(context, &args),
        }
    }
}

/// What every command is given.
pub struct Context {
    /// Where the configuration comes from.
    pub sources: Sources,
    /// What time it is.
    pub clock: Clock,
    /// Where the answer goes.
    pub output: Output,
}

impl Context {
    /// With the clock of this machine.
    pub fn new(sources: Sources, output: Output) -> Self {
        Self { sources, clock: clock::system(), output }
    }

    /// Loads the configuration and starts logging: how a command begins.
    pub fn start(&self, role: Role) -> Result<Config, Problems> {
        self.start_loaded(role).map(|loaded| loaded.config)
    }

    /// How a command begins that works on the store: loads the configuration, opens the database, closes it after.
    pub(crate) fn with_store<T>(
        &self,
        work: impl AsyncFnOnce(Config, Store) -> anyhow::Result<T>,
    ) -> anyhow::Result<T> {
        let config = self.start(Role::Tool)?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        runtime.block_on(async {
            let store = wiring::open_store(&config, Purpose::Command, Patience::Command, &self.clock).await?;
            let result = work(config, store.clone()).await;
            store.close(self.clock.now()).await?;
            result
        })
    }

    /// How a command begins that visits somebody on the spot.
    pub(crate) fn with_visitor<T>(&self, work: impl AsyncFnOnce(Engine) -> anyhow::Result<T>) -> anyhow::Result<T> {
        let config = self.start(Role::Tool)?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        runtime.block_on(async {
            let engine = wiring::visitor(&config, &self.clock).await?;
            let result = work(engine.clone()).await;
            engine.store.close(self.clock.now()).await?;
            result
        })
    }

    /// As `start`, with the origin of every value.
    pub fn start_loaded(&self, role: Role) -> Result<Loaded, Problems> {
        let loaded = load(&self.sources)?;
        let mut log = loaded.config.log.clone();
        let chosen = loaded.settings.iter().any(|set| set.option.key == "log.level" && set.origin != Origin::Default);
        if role == Role::Tool && !chosen {
            // Who typed a command wants its answer; that the store was opened is news for a service's log.
            log.level = LogFilter::read("warn").expect("a level");
        }
        let no_color =
            self.sources.env.get("NO_COLOR".as_ref() as &std::ffi::OsStr).is_some_and(|value| !value.is_empty());
        log::start(&log, &self.clock, role, Screen::of_process(no_color));
        let file = loaded.file.as_ref().map_or_else(|| "none".into(), |path| path.display().to_string());
        tracing::info!(file, "configuration loaded");
        Ok(loaded)
    }
}
