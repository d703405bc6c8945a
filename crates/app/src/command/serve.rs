//! `courant serve`: the program as a service. Starts the roles it is given, stops them when asked, hands back what it
//! holds. Everything it runs lives in other crates; here are only the order of starting and the order of stopping.

use std::time::Duration;

use anyhow::Context as _;
use clap::ValueEnum;
use engine::Stop;
use store::Purpose;
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;
use tokio::task::JoinSet;

use super::Context;
use crate::config::{Config, DatabaseUrl, keys};
use crate::lock::ServeLock;
use crate::log::Role as LogRole;
use crate::wiring::{self, Patience};

/// What `serve` is told.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// What this process does; several may be given
    #[arg(long = "role", value_name = "ROLE", value_delimiter = ',', default_value = "all")]
    roles: Vec<Role>,
}

/// What a serving process may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Role {
    /// Everything
    All,
    /// Answer HTTP requests
    Api,
    /// Visit feeds
    Worker,
    /// Summaries and tags (nothing to do yet)
    Enrich,
    /// Forget what has served its time, sweep orphaned bytes
    Maintenance,
}

/// Loops get this long to stop; together with closing, a stop takes less than ten seconds.
const STOPPING: Duration = Duration::from_secs(8);

pub(super) fn run(context: &Context, args: &Args) -> anyhow::Result<()> {
    let config = context.start(LogRole::Service)?;
    wiring::make_directory(&config.general.data)?;
    let has = |role| args.roles.iter().any(|given| *given == role || *given == Role::All);
    // A process that only answers may stand beside the one that works: how that one stopped is not for it to say.
    let purpose = if has(Role::Worker) || has(Role::Maintenance) { Purpose::Serve } else { Purpose::Command };
    let lock = match &config.database.url {
        DatabaseUrl::Sqlite(_) if purpose == Purpose::Serve => Some(ServeLock::take(&config.general.data)?),
        _ => None,
    };
    // Before the database is opened: a wrong setting is told before anything is waited for.
    keys::root_secret(&config)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    runtime.block_on(serve(context, &config, purpose, lock.as_ref(), &has))
}

async fn serve(
    context: &Context,
    config: &Config,
    purpose: Purpose,
    lock: Option<&ServeLock>,
    has: &impl Fn(Role) -> bool,
) -> anyhow::Result<()> {
    let mut stop_signal = StopSignal::listen()?;
    // A database that is not there yet is waited for; whoever loses patience can still stop us.
    let store = tokio::select! {
        store = wiring::open_store(config, purpose, Patience::Service, &context.clock) => store?,
        name = stop_signal.wait() => {
            tracing::info!(signal = name, "stopped before the database was there");
            return Ok(());
        }
    };
    wiring::take_back_leases(lock, &store, &context.clock).await?;
    let blobs = wiring::open_blobs(config).await?;
    let engine = wiring::engine(config, store.clone(), blobs, &context.clock)?;
    let (stop, stopping) = watch::channel(false);
    let mut roles = JoinSet::new();
    if has(Role::Api) {
        let listener = TcpListener::bind(config.web.listen).await.with_context(|| {
            format!("cannot listen on {}; choose another address with COURANT_LISTEN", config.web.listen)
        })?;
        let address = listener.local_addr()?;
        let app = web::router(store.clone());
        let stopping = stopping.clone();
        roles.spawn(async move {
            let result = axum::serve(listener, app).with_graceful_shutdown(stopped(stopping)).await;
            if let Err(error) = result {
                tracing::error!(%error, "the web server stopped");
            }
        });
        tracing::info!(address = %address, "listening");
        context.output.print(format_args!("Courant is serving on http://{address}"))?;
    }
    if has(Role::Worker) {
        roles.spawn(engine::run(engine.clone(), stopping.clone()));
    }
    if has(Role::Maintenance) {
        roles.spawn(engine::maintain(engine.clone(), stopping.clone()));
        roles.spawn(engine::index(engine.clone(), stopping.clone()));
    }
    tracing::info!(worker = %engine.worker, database = store.name(), "started");

    let name = stop_signal.wait().await;
    tracing::info!(signal = name, "stopping");
    let _ = stop.send(true);
    let all = async { while roles.join_next().await.is_some() {} };
    if tokio::time::timeout(STOPPING, all).await.is_err() {
        tracing::warn!("some work did not stop in time: its leases expire");
    }
    store.close(context.clock.now()).await?;
    tracing::info!("stopped");
    Ok(())
}

async fn stopped(mut stop: Stop) {
    // An error means that the sender is gone, which is a stop as well.
    let _ = stop.wait_for(|stop| *stop).await;
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
