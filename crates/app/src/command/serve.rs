//! `courant serve`: the program as a service. Starts its roles, stops them on request, and hands back leases. The work
//! is in other crates; this file only has the order of starting and stopping.

use std::net::SocketAddr;
use std::time::Duration;

use accounts::{Accounts, OwnerPassword};
use anyhow::Context as _;
use clap::ValueEnum;
use engine::{Engine, Stop};
use jiff::SignedDuration;
use reader::Chore;
use store::{Purpose, Store};
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;
use tokio::task::JoinSet;
use web::{Routes, Web};

use super::Context;
use crate::config::{Config, DatabaseUrl, keys};
use crate::demo::{self, Origin};
use crate::lock::ServeLock;
use crate::log::Role as LogRole;
use crate::open_files;
use crate::output::Closed;
use crate::wiring::{self, Patience};

/// The arguments of `serve`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// What this process does; several may be given
    #[arg(long = "role", value_name = "ROLE", value_delimiter = ',', default_value = "all")]
    roles: Vec<Role>,
}

/// The roles of a serving process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Role {
    /// Everything
    All,
    /// Answer HTTP requests
    Api,
    /// Visit feeds
    Worker,
    /// Write summaries, tags and calm headlines
    Enrich,
    /// Delete old data, sweep orphaned bytes
    Maintenance,
}

const WEB: &str = "the web server";
const FIGURES: &str = "the metrics server";

/// Connections for clients that collect metrics.
const FOR_FIGURES: usize = 8;

/// An ended subscription comes back as it was for this long.
const KEEP_HIDDEN: SignedDuration = SignedDuration::from_hours(30 * 24);

/// Tasks get this long to stop; together with closing, a stop takes less than ten seconds.
const STOPPING: Duration = Duration::from_secs(8);

pub(super) fn run(context: &Context, args: &Args) -> anyhow::Result<()> {
    let config = context.start(LogRole::Service)?;
    let served = start(context, args, &config, None);
    // Standard error may be discarded, so the reason is also logged.
    if let Err(error) = served.as_ref()
        && !error.is::<Closed>()
    {
        tracing::error!(error = format!("{error:#}"), "courant serve ends with an error");
    }
    served
}

/// Runs everything around the demo's publishers; `show` gets the link that logs in, once.
pub(super) fn run_demo(context: &Context, config: &Config, show: Show<'_>) -> anyhow::Result<()> {
    start(context, &Args { roles: vec![Role::All] }, config, Some(show))
}

/// Shows somebody the link of a demonstration.
type Show<'a> = &'a dyn Fn(&str) -> anyhow::Result<()>;

fn start(context: &Context, args: &Args, config: &Config, demo: Option<Show<'_>>) -> anyhow::Result<()> {
    let files = open_files::shares(open_files::limit(), config.fetch.concurrency as usize);
    if files.missing > 0 {
        let (limit, missing) = (open_files::limit(), files.missing);
        tracing::warn!(
            limit,
            missing,
            "the limit of open files is low; raise it (ulimit -n), or lower fetch.concurrency"
        );
    }
    wiring::make_directory(&config.general.data)?;
    let has = |role| args.roles.iter().any(|given| *given == role || *given == Role::All);
    // A process that only answers requests may run beside the worker: it does not record a clean stop.
    let purpose = if has(Role::Worker) || has(Role::Maintenance) { Purpose::Serve } else { Purpose::Command };
    let lock = match &config.database.url {
        DatabaseUrl::Sqlite(_) if purpose == Purpose::Serve => Some(ServeLock::take(&config.general.data)?),
        _ => None,
    };
    // Before the database is opened: a wrong setting is reported before any waiting.
    keys::root_secret(config)?;
    let threads = runtime_threads(std::thread::available_parallelism().map_or(2, usize::from));
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(threads).enable_all().build()?;
    runtime.block_on(serve(context, config, purpose, lock.as_ref(), &has, demo))
}

/// Threads that run the roles: as many as there are processors for this process (a container may have fewer than its
/// machine). At least two, so that one long computation does not stop the rest; at most 16, because visits wait more than
/// they compute.
fn runtime_threads(processors: usize) -> usize {
    processors.clamp(2, 16)
}

async fn serve(
    context: &Context,
    config: &Config,
    purpose: Purpose,
    lock: Option<&ServeLock>,
    has: &impl Fn(Role) -> bool,
    demo: Option<Show<'_>>,
) -> anyhow::Result<()> {
    let mut stop_signal = StopSignal::listen()?;
    // An unavailable database is waited for; a signal still stops us.
    let store = tokio::select! {
        store = wiring::open_store(config, purpose, Patience::Service, &context.clock) => store?,
        name = stop_signal.wait() => {
            tracing::info!(signal = name, "stopped before the database was available");
            return Ok(());
        }
    };
    let served = run_roles(context, config, &store, lock, has, stop_signal, demo).await;
    // Also after a failed start: nothing was interrupted, and the next start need not check for damage.
    let closed = store.close(context.clock.now()).await;
    served?;
    closed?;
    tracing::info!("stopped");
    Ok(())
}

async fn run_roles(
    context: &Context,
    config: &Config,
    store: &Store,
    lock: Option<&ServeLock>,
    has: &impl Fn(Role) -> bool,
    mut stop_signal: StopSignal,
    demo: Option<Show<'_>>,
) -> anyhow::Result<()> {
    wiring::take_back_leases(lock, store, &context.clock).await?;
    let blobs = wiring::open_blobs(config).await?;
    let origin = match demo {
        Some(_) => Some(Origin::listen(&context.clock).await.context("cannot listen on loopback")?),
        None => None,
    };
    let engine = match &origin {
        Some(origin) => wiring::demo_engine(config, store.clone(), blobs, &context.clock, origin.url())?,
        None => wiring::engine(config, store.clone(), blobs, &context.clock)?,
    };
    let (stop, stopping) = watch::channel(false);
    let mut roles = Roles::default();
    let accounts = wiring::accounts(config, store.clone(), &context.clock)?;
    let enrich = wiring::enrich(config, store.clone(), engine.worker().clone(), &context.clock)?;
    if has(Role::Api) {
        owner_password(config, &accounts).await?;
    }
    let web = Web::new(web::Parts {
        store: store.clone(),
        oidc: wiring::oidc(config, &accounts)?,
        accounts: accounts.clone(),
        engine: engine.clone(),
        enrich: enrich.clone(),
        metrics: engine.metrics(),
        options: wiring::web_options(config)?,
    });
    let own = config.metrics.listen;
    let files = open_files::shares(open_files::limit(), config.fetch.concurrency as usize);
    let listener = if has(Role::Api) { Some(listen(config.web.listen, "COURANT_LISTEN").await?) } else { None };
    if let Some(address) = own {
        let listener = listen(address, "COURANT_METRICS_LISTEN").await?;
        tracing::info!(address = %listener.local_addr()?, "serving metrics");
        let limits = web::Limits { connections: FOR_FIGURES, timeouts: web::Timeouts::default() };
        roles.start(FIGURES, web::listen(listener, web.router(Routes::OnlyMetrics), limits, stopping.clone()));
    }
    if let Some(listener) = listener {
        let address = listener.local_addr()?;
        let routes = if own.is_some() { Routes::WithoutMetrics } else { Routes::All };
        let limits = web::Limits { connections: files.web, timeouts: web::Timeouts::default() };
        roles.start(WEB, web::listen(listener, web.router(routes), limits, stopping.clone()));
        tracing::info!(address = %address, "listening");
        if let (Some(show), Some(origin)) = (demo, origin) {
            let publishers = origin.publishers();
            roles.start("the demo's publishers", origin.serve(stopping.clone()));
            show(&demo::prepare(&engine, &accounts, &publishers, address).await?)?;
        } else {
            context.output.print(format_args!("Courant is serving on http://{address}"))?;
        }
        if demo.is_none()
            && let Some(token) = accounts.setup_token().await?
        {
            let base = config.web.public_url.as_ref().map_or_else(|| format!("http://{address}"), |url| url.0.clone());
            context.output.print(format_args!("Open {base}/setup?token={token} to choose a password"))?;
        }
        roles.start("the reader's jobs", reader_jobs(engine.clone(), accounts, stopping.clone()));
        let watch = reader::watch(store.clone(), context.clock.clone(), stopping.clone());
        roles.start("the watch for new entries", watch);
    }
    if has(Role::Worker) {
        roles.start("the worker", engine::run(engine.clone(), stopping.clone()));
    }
    if has(Role::Enrich) && config.ai.enabled {
        enrich.request_tidy().await?;
        roles.start("enrichments", enrich.run(stopping.clone()));
    }
    if has(Role::Maintenance) {
        roles.start("maintenance", engine::maintain(engine.clone(), stopping.clone()));
        roles.start("the indexer", engine::index(engine.clone(), stopping.clone()));
    }
    tracing::info!(worker = %engine.worker(), database = store.name(), "started");

    let ended = roles.until(stop_signal.wait()).await;
    tracing::info!(signal = ended.as_ref().ok(), "stopping");
    let _ = stop.send(true);
    if tokio::time::timeout(STOPPING, roles.end()).await.is_err() {
        tracing::warn!("some tasks did not stop in time: their leases will expire");
    }
    ended.map(|_| ())
}

/// Applies the owner's password of the configuration. One that is the owner's already ends no session.
async fn owner_password(config: &Config, accounts: &Accounts) -> anyhow::Result<()> {
    let Some(password) = &config.auth.password else { return Ok(()) };
    match accounts.apply_owner_password(password.expose()).await? {
        OwnerPassword::Unchanged => {}
        OwnerPassword::Set => tracing::info!("the owner has a new password (COURANT_PASSWORD)"),
        OwnerPassword::Unusable => anyhow::bail!("COURANT_PASSWORD is longer than 1024 bytes: choose a shorter one"),
    }
    let owner = accounts.store().owner().await?.name;
    if let Err(weak) = policy::password::password(password.expose(), &owner) {
        tracing::warn!(problem = %weak, "COURANT_PASSWORD is easy to guess");
    }
    Ok(())
}

/// The jobs of readers, with the hourly chores that belong to accounts and read state.
async fn reader_jobs(engine: Engine, accounts: Accounts, stop: Stop) {
    let store = engine.store().in_background();
    let (logins, hidden, marks) = (accounts.store().clone(), store.clone(), store.clone());
    let chores = vec![
        Chore::new("expired logins", move |now| {
            let store = logins.clone();
            async move { store.forget_expired_logins(now).await.map(|_| ()) }
        }),
        Chore::new("ended subscriptions", move |now| {
            let store = hidden.clone();
            async move { store.forget_hidden_subscriptions(now - KEEP_HIDDEN).await.map(|_| ()) }
        }),
        Chore::new("read state", move |now| {
            let store = marks.clone();
            async move { store.compact_read_state(now).await }
        }),
    ];
    if let Err(error) = reader::request_tidy(&store, engine.now()).await {
        tracing::warn!(%error, "the hourly chores of readers begin later");
    }
    reader::jobs(reader::Parts { engine, chores }).run(stop).await;
}

/// Binds an address; `variable` configures another one.
async fn listen(address: SocketAddr, variable: &str) -> anyhow::Result<TcpListener> {
    let listener = TcpListener::bind(address).await;
    listener.with_context(|| format!("cannot listen on {address}; choose another address with {variable}"))
}

/// Named tasks that run until they are told to stop.
#[derive(Default)]
struct Roles(JoinSet<&'static str>);

impl Roles {
    fn start(&mut self, name: &'static str, role: impl Future<Output = ()> + Send + 'static) {
        self.0.spawn(async move {
            role.await;
            name
        });
    }

    /// Waits for the stop signal. A role that ends earlier is an error: otherwise the service would look healthy and do
    /// half of its work, and its supervisor would not restart it.
    async fn until(&mut self, told: impl Future<Output = &'static str>) -> anyhow::Result<&'static str> {
        tokio::select! {
            told = told => Ok(told),
            Some(ended) = self.0.join_next() => match ended {
                Ok(name) => Err(anyhow::anyhow!("{name} ended unexpectedly; start courant again")),
                Err(broken) => Err(anyhow::Error::new(broken).context("a task panicked; start courant again")),
            },
        }
    }

    async fn end(&mut self) {
        while self.0.join_next().await.is_some() {}
    }
}

/// SIGTERM and SIGINT.
struct StopSignal {
    terminate: tokio::signal::unix::Signal,
    interrupt: tokio::signal::unix::Signal,
}

impl StopSignal {
    fn listen() -> std::io::Result<Self> {
        Ok(Self { terminate: signal(SignalKind::terminate())?, interrupt: signal(SignalKind::interrupt())? })
    }

    async fn wait(&mut self) -> &'static str {
        tokio::select! {
            _ = self.terminate.recv() => "SIGTERM",
            _ = self.interrupt.recv() => "SIGINT",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::future::{pending, ready};

    #[test]
    fn threads_follow_the_processors() {
        assert_eq!([1, 2, 4, 16, 128].map(runtime_threads), [2, 2, 4, 16, 16]);
    }

    #[tokio::test]
    async fn a_role_that_ends_by_itself_ends_the_service() {
        let check = async |roles: &mut Roles, told: bool, expected: &str| {
            let told = async { if told { "SIGTERM" } else { pending().await } };
            let said = roles.until(told).await.unwrap_or_else(|error| error.to_string().leak());
            assert!(said.starts_with(expected), "{said}");
        };
        let mut roles = Roles::default();
        roles.start("the worker", pending());
        check(&mut roles, true, "SIGTERM").await;
        roles.start("maintenance", ready(()));
        check(&mut roles, false, "maintenance ended").await;
        roles.start("the indexer", async { panic!("on purpose") });
        check(&mut roles, false, "a task panicked").await;
        check(&mut Roles::default(), true, "SIGTERM").await;
    }
}
