//! What every handler needs, and which routes a server has.

use crate::{health, index, metrics};
use axum::Router;
use axum::routing::get;
use engine::Engine;
use ipnet::IpNet;
use std::sync::Arc;

/// What handlers need. Cheap to clone.
#[derive(Clone)]
pub struct Web {
    pub(crate) engine: Engine,
    pub(crate) outage: Arc<health::Outage>,
    /// Who may see the figures.
    pub(crate) metrics_allow: Arc<[IpNet]>,
    /// Which routes there are where this one answers.
    pub(crate) routes: Routes,
}

/// Which routes a server has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Routes {
    /// All of them.
    All,
    /// All but `/metrics`, which has an address of its own.
    WithoutMetrics,
    /// `/metrics` and whether anybody is there.
    OnlyMetrics,
}

impl Web {
    /// Over an engine; `metrics_allow` is who may see the figures.
    pub fn new(engine: Engine, metrics_allow: &[IpNet]) -> Self {
        Self { engine, outage: Arc::default(), metrics_allow: metrics_allow.into(), routes: Routes::All }
    }

    /// What answers requests.
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
