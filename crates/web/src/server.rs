//! What every handler needs, and the routes of a server.

use crate::app_files::{self, AppFiles};
use crate::limits::Buckets;
use crate::{cors, error, health, index, metrics, openapi, pages, reedme, risos};
use accounts::{Accounts, Oidc};
use axum::Router;
use axum::middleware::from_fn_with_state;
use axum::routing::{any, get};
use engine::{Engine, Metrics};
use enrich::Enrich;
use ipnet::IpNet;
use jiff::Timestamp;
use policy::limits::RequestLimits;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use store::Store;
use work::Cpu;

/// Reads of requests that take longer fail.
const LONGEST_READ: Duration = Duration::from_secs(10);

/// The state of handlers. Cheap to clone.
#[derive(Clone)]
pub struct Web {
    pub(crate) store: Store,
    pub(crate) accounts: Accounts,
    pub(crate) engine: Engine,
    pub(crate) enrich: Enrich,
    /// Logins through an identity provider, if there is one.
    pub(crate) oidc: Option<Oidc>,
    pub(crate) metrics: Metrics,
    /// For HTML of others.
    pub(crate) cpu: Cpu,
    pub(crate) options: Arc<Options>,
    /// How often each client has asked.
    pub(crate) requests: Arc<Buckets>,
    pub(crate) outage: Arc<health::Outage>,
    /// When this process began to serve.
    pub(crate) started_at: Timestamp,
    /// The web app, if it was built.
    pub(crate) app: Option<Arc<AppFiles>>,
    /// The routes of this server.
    pub(crate) routes: Routes,
}

/// What a server is made of.
pub struct Parts {
    /// Where everything is.
    pub store: Store,
    /// Who asks.
    pub accounts: Accounts,
    /// Verbs about feeds.
    pub engine: Engine,
    /// Summaries, tags and calm titles.
    pub enrich: Enrich,
    /// Logins through an identity provider, if there is one.
    pub oidc: Option<Oidc>,
    /// What it shows at `/metrics`.
    pub metrics: Metrics,
    /// What is configured.
    pub options: Options,
}

/// What can be configured.
#[derive(Debug, Clone)]
pub struct Options {
    /// The addresses that may see the metrics.
    pub metrics_allow: Vec<IpNet>,
    /// Peers whose X-Forwarded headers are believed.
    pub trusted_proxies: Vec<IpNet>,
    /// Origins whose pages may use the APIs with cookies, such as `https://reader.example`.
    pub cors_origins: Vec<String>,
    /// Where people reach this server, such as `https://news.example`, without a slash at the end.
    pub public_url: Option<String>,
    /// How often somebody may ask.
    pub limits: RequestLimits,
    /// Where the files of the web app are.
    pub app: AppSource,
}

/// Where the files of the web app are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AppSource {
    /// In the program, if they were there when it was built.
    Embedded,
    /// In a directory, where they may change: for who works on the app.
    Directory(PathBuf),
    /// There is none.
    Nowhere,
}

/// The routes of a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Routes {
    /// All of them.
    All,
    /// All but `/metrics`, which is served on another address.
    WithoutMetrics,
    /// `/metrics` and the health check.
    OnlyMetrics,
}

impl Web {
    /// A server.
    pub fn new(parts: Parts) -> Self {
        let Parts { store, accounts, engine, enrich, oidc, metrics, options } = parts;
        Self {
            started_at: engine.now(),
            store: store.with_deadline(LONGEST_READ),
            accounts,
            engine,
            enrich,
            oidc,
            metrics,
            cpu: Cpu::default(),
            app: AppFiles::load(&options.app).map(Arc::new),
            options: Arc::new(options),
            requests: Arc::default(),
            outage: Arc::default(),
            routes: Routes::All,
        }
    }

    /// The moment, by the clock of the program.
    pub(crate) fn now(&self) -> Timestamp {
        self.engine.now()
    }

    /// The router.
    pub fn router(&self, routes: Routes) -> Router {
        let web = Self { routes, ..self.clone() };
        let mut router = Router::new();
        if routes == Routes::OnlyMetrics {
            router = router.route("/api/health", get(health::health));
        } else {
            // With the app its shell is what `/`, `/login` and `/setup` show; their forms stay.
            router = if web.app.is_some() { router } else { router.route("/", get(index::index)) };
            router = router
                .merge(reedme::routes())
                .merge(pages::routes(web.app.is_some()))
                .merge(openapi::routes())
                .merge(risos::routes());
        }
        if routes != Routes::WithoutMetrics {
            router = router.route("/metrics", get(metrics::metrics));
        }
        router
            .fallback(if routes == Routes::OnlyMetrics { any(error::no_such_path) } else { any(app_files::serve) })
            .method_not_allowed_fallback(error::no_such_method)
            .layer(from_fn_with_state(web.clone(), cors::cors))
            .with_state(web)
    }
}
