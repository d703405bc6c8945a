//! What every handler needs, and the routes of a server.

use crate::{health, index, metrics};
use axum::Router;
use axum::routing::get;
use engine::Engine;
use ipnet::IpNet;
use std::sync::Arc;

/// The state of handlers. Cheap to clone.
#[derive(Clone)]
pub struct Web {
    pub(crate) engine: Engine,
    pub(crate) outage: Arc<health::Outage>,
    /// The addresses that may see the metrics.
    pub(crate) metrics_allow: Arc<[IpNet]>,
    /// The routes of this server.
    pub(crate) routes: Routes,
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
    /// A server over an engine; `metrics_allow` lists the addresses that may see the metrics.
    pub fn new(engine: Engine, metrics_allow: &[IpNet]) -> Self {
        Self { engine, outage: Arc::default(), metrics_allow: metrics_allow.into(), routes: Routes::All }
    }

    /// The router.
    pub fn router(&self, routes: Routes) -> Router {
        let mut router = Router::new().route("/api/health", get(health::health));
        if routes != Routes::OnlyMetrics {
            router = router.route("/", get(index::index));
        }
        if routes != Routes::WithoutMetrics {
            router = router.route("/metrics", get(metrics::metrics));
        }
        router.with_state(Self { routes, ..self.clone() })
    }
}
