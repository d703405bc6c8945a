//! The commands, one module each, `noun verb` where there is a noun. To add one: a module with `Args` (clap) and
//! `run(context, args)`, a variant and a match arm here, its name in `GROUPS`. A command gets its settings and its log
//! from `Context::start`; it prints through `context.output` and fails with an error whose text is a sentence.
//! Spellings of older versions are hidden commands or aliases: they work, and help does not name them.

mod ai;
mod analyse;
mod backup;
mod cleanup;
mod completion;
mod config;
mod demo;
mod discover;
mod doctor;
mod each;
mod enrich;
mod entry;
mod feed;
mod fetch;
mod help;
mod import;
mod job;
mod man;
mod moment;
mod opml;
mod parse;
mod place;
mod progress;
mod reparse;
mod restore;
mod root_domain;
mod saved;
mod search;
mod serve;
mod status;
mod storage;
mod subscriptions;
mod table;
mod token;
mod typed_password;
mod user;
mod visit;

use anyhow::Context as _;
use clap::Subcommand;
use engine::Engine;
use store::{Purpose, Store};

use crate::clock::{self, Clock};
use crate::config::{Config, DatabaseUrl, Loaded, Origin, Problems, Sources, Value as _, load};
use crate::log::{self, LogFilter, Role, Screen};
use crate::output::Output;
use crate::wiring::{self, Patience};

/// What `courant` can do. The first doc line is what help says.
#[derive(Subcommand)]
pub(crate) enum Command {
    /// Run the service: visit feeds, answer requests
    Serve(serve::Args),
    /// Try it out: sample feeds, a temporary directory, one link
    Demo(demo::Args),
    /// Visit due feeds once, now, and print a summary
    Fetch(fetch::Args),
    /// Show whether a server runs, what is due and what fails
    Status(status::Args),
    /// Check the installation, and say what to do about problems
    Doctor(doctor::Args),
    /// Add, list, show and change feeds
    #[command(subcommand)]
    Feed(feed::Args),
    /// List, set and clear the root domains that group feeds
    #[command(subcommand)]
    RootDomain(root_domain::Args),
    /// The commands for feeds and root domains, by another name
    #[command(subcommand, hide = true)]
    Admin(Admin),
    /// Import and export lists of feeds
    #[command(subcommand)]
    Opml(opml::Args),
    /// Take over what you have in another program
    #[command(subcommand)]
    Import(import::Args),
    /// Find the feeds of a site
    Discover(discover::Args),
    /// List and show entries
    Entry(entry::Args),
    /// As `courant entry list`
    #[command(hide = true)]
    Entries(entry::list::Args),
    /// Find entries by their words
    Search(search::Args),
    /// Show what a feed document contains, and its problems
    Parse(parse::Args),
    /// Summarise an article and score its headline, here
    Analyse(analyse::Args),
    /// Visit an address once and show everything about it
    Visit(visit::Args),
    /// Back up, restore and check what is stored
    #[command(subcommand)]
    Store(storage::Args),
    /// As `courant store backup`
    #[command(hide = true)]
    Backup(backup::Args),
    /// As `courant store restore`
    #[command(hide = true)]
    Restore(restore::Args),
    /// Delete what the rules no longer keep, or show what would go
    #[command(alias = "retain")]
    Cleanup(cleanup::Args),
    /// List background jobs, try one again, forget one
    #[command(subcommand)]
    Job(job::Args),
    /// Show and run the making of summaries, tags and calm titles
    #[command(subcommand)]
    Enrich(enrich::Args),
    /// Show and set what models may cost
    #[command(subcommand)]
    Ai(ai::Args),
    /// Add, list, change and delete users
    #[command(subcommand)]
    User(user::Args),
    /// Make, list and revoke keys for programs
    #[command(subcommand)]
    Token(token::Args),
    /// Parse stored documents again with the current parser
    Reparse(reparse::Args),
    /// Check, show and explain the configuration
    #[command(subcommand)]
    Config(config::Args),
    /// Print a completion script for a shell
    Completion(completion::Args),
    /// Write the manual pages
    Man(man::Args),
    /// Explain a command, or list the options of all commands
    Help(help::Args),
}

/// `courant admin feed …` and `courant admin root-domain …`: the names that operators of the deframer use.
#[derive(Subcommand)]
pub(crate) enum Admin {
    /// As `courant feed`
    #[command(subcommand)]
    Feed(feed::Args),
    /// As `courant root-domain`
    #[command(subcommand)]
    RootDomain(root_domain::Args),
}

/// The groups of commands in help.
pub(crate) const GROUPS: &[(&str, &[&str])] = &[
    ("Run", &["serve", "demo", "fetch", "status", "doctor"]),
    ("Feeds", &["feed", "root-domain", "opml", "import", "discover"]),
    ("Read", &["entry", "search", "parse", "analyse", "visit"]),
    ("AI", &["enrich", "ai"]),
    ("Keep", &["store", "cleanup", "reparse", "job"]),
    ("Users", &["user", "token"]),
    ("Set up", &["config", "completion", "man", "help"]),
];

impl Command {
    /// Runs the command.
    pub(crate) fn run(self, context: &Context) -> anyhow::Result<()> {
        match self {
            Self::Serve(args) => serve::run(context, &args),
            Self::Demo(args) => demo::run(context, &args),
            Self::Fetch(args) => fetch::run(context, &args),
            Self::Status(args) => status::run(context, &args),
            Self::Doctor(args) => doctor::run(context, &args),
            Self::Feed(args) | Self::Admin(Admin::Feed(args)) => feed::run(context, &args),
            Self::RootDomain(args) | Self::Admin(Admin::RootDomain(args)) => root_domain::run(context, &args),
            Self::Opml(args) => opml::run(context, &args),
            Self::Import(args) => import::run(context, &args),
            Self::Job(args) => job::run(context, &args),
            Self::Enrich(args) => enrich::run(context, &args),
            Self::Ai(args) => ai::run(context, &args),
            Self::User(args) => user::run(context, &args),
            Self::Token(args) => token::run(context, &args),
            Self::Discover(args) => discover::run(context, &args),
            Self::Entry(args) => entry::run(context, &args),
            Self::Entries(args) => entry::list::run(context, &args),
            Self::Search(args) => search::run(context, &args),
            Self::Parse(args) => parse::run(context, &args),
            Self::Analyse(args) => analyse::run(context, &args),
            Self::Visit(args) => visit::run(context, &args),
            Self::Store(args) => storage::run(context, &args),
            Self::Backup(args) => backup::run(context, &args),
            Self::Restore(args) => restore::run(context, &args),
            Self::Cleanup(args) => cleanup::run(context, &args),
            Self::Reparse(args) => reparse::run(context, &args),
            Self::Config(args) => config::run(context, &args),
            Self::Completion(args) => completion::run(context, &args),
            Self::Man(args) => man::run(context, &args),
            Self::Help(args) => help::run(context, &args),
        }
    }
}

/// What every command gets.
pub struct Context {
    /// The sources of the configuration.
    pub sources: Sources,
    /// The clock.
    pub clock: Clock,
    /// Where the output goes.
    pub output: Output,
}

impl Context {
    /// With the clock of this machine.
    pub fn new(sources: Sources, output: Output) -> Self {
        Self { sources, clock: clock::system(), output }
    }

    /// Loads the configuration and starts logging: the start of every command.
    pub fn start(&self, role: Role) -> Result<Config, Problems> {
        self.start_loaded(role).map(|loaded| loaded.config)
    }

    /// For commands that need an existing store. Without one they fail, and create nothing.
    pub(crate) fn with_store<T>(
        &self,
        work: impl AsyncFnOnce(Config, Store) -> anyhow::Result<T>,
    ) -> anyhow::Result<T> {
        let config = self.start(Role::Tool)?;
        must_be_there(&config)?;
        self.opened(config, work)
    }

    /// Like `with_store`, for commands that add the first feeds: creates the store if missing.
    pub(crate) fn with_new_store<T>(
        &self,
        work: impl AsyncFnOnce(Config, Store) -> anyhow::Result<T>,
    ) -> anyhow::Result<T> {
        let config = self.start(Role::Tool)?;
        self.opened(config, work)
    }

    /// Like `with_store`, for dry runs: without a store, a temporary empty one is used.
    pub(crate) fn with_store_or_empty<T>(
        &self,
        work: impl AsyncFnOnce(Config, Store) -> anyhow::Result<T>,
    ) -> anyhow::Result<T> {
        let mut config = self.start(Role::Tool)?;
        if must_be_there(&config).is_ok() {
            return self.opened(config, work);
        }
        let directory = tempfile::tempdir().context("cannot make a temporary directory")?;
        config.general.data = directory.path().to_path_buf();
        config.database.url = DatabaseUrl::Sqlite(directory.path().join("courant.db"));
        config.blobs.url = crate::config::BlobsUrl::Directory(directory.path().join("blobs"));
        self.opened(config, work)
    }

    fn opened<T>(
        &self,
        config: Config,
        work: impl AsyncFnOnce(Config, Store) -> anyhow::Result<T>,
    ) -> anyhow::Result<T> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        runtime.block_on(async {
            let store = wiring::open_store(&config, Purpose::Command, Patience::Command, &self.clock).await?;
            let result = work(config, store.clone()).await;
            store.close(self.clock.now()).await?;
            result
        })
    }

    /// For commands that visit a URL.
    pub(crate) fn with_visitor<T>(&self, work: impl AsyncFnOnce(Engine) -> anyhow::Result<T>) -> anyhow::Result<T> {
        let config = self.start(Role::Tool)?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        runtime.block_on(async {
            let engine = wiring::visitor(&config, &self.clock).await?;
            let result = work(engine.clone()).await;
            engine.store().close(self.clock.now()).await?;
            result
        })
    }

    /// Like `start`, with the origin of every value.
    pub fn start_loaded(&self, role: Role) -> Result<Loaded, Problems> {
        let loaded = load(&self.sources)?;
        let mut log = loaded.config.log.clone();
        let chosen = loaded.settings.iter().any(|set| set.option.key == "log.level" && set.origin != Origin::Default);
        if role == Role::Tool && !chosen {
            // The user of a command wants its result; that the store was opened is only for a service's log.
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

/// The error names the directory, and what to do.
fn must_be_there(config: &Config) -> anyhow::Result<()> {
    let DatabaseUrl::Sqlite(path) = &config.database.url else { return Ok(()) };
    let whole = std::path::absolute(path).unwrap_or_else(|_| path.clone());
    anyhow::ensure!(
        whole.exists(),
        "there is no database at {}: `courant feed add URL` makes one; if yours is elsewhere, name its directory with \
         --data or COURANT_DATA",
        whole.display()
    );
    Ok(())
}
