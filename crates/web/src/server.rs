//! What every handler needs, and the routes of a server.

use crate::{health, index, metrics};
use axum::Router;
use axum::routing::get;
use engine::Metrics;
use ipnet::IpNet;
use std::sync::Arc;
use std::time::Duration;
use store::Store;

/// Reads of requests that take longer fail.
const LONGEST_READ: Duration = Duration::from_secs(10);

/// The state of handlers. Cheap to clone.
#[derive(Clone)]
pub struct Web {
    pub(crate) store: Store,
    pub(crate) metrics: Metrics,
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
    /// A server over a store. It shows these metrics to the addresses in `metrics_allow`.
    pub fn new(store: &Store, metrics: Metrics, metrics_allow: &[IpNet]) -> Self {
        let store = store.with_deadline(LONGEST_READ);
        Self { store, metrics, outage: Arc::default(), metrics_allow: metrics_allow.into(), routes: Routes::All }
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
