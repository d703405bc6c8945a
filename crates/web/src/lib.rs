//! HTTP inwards. So far: is anybody there, and what does it count? The APIs and the reader are not here yet.

mod health;
mod metrics;

pub use metrics::{figures, reference};

use axum::Router;
use axum::extract::connect_info::IntoMakeServiceWithConnectInfo;
use axum::routing::get;
use engine::Engine;
use ipnet::IpNet;
use std::net::SocketAddr;
use std::sync::Arc;

/// What handlers need. Cheap to clone.
#[derive(Clone)]
struct Web {
    engine: Engine,
    outage: Arc<health::Outage>,
    /// Who may see the figures.
    metrics_allow: Arc<[IpNet]>,
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

/// What answers requests, over an engine. `metrics_allow`: who may see the figures.
pub fn service(
    engine: Engine,
    routes: Routes,
    metrics_allow: &[IpNet],
) -> IntoMakeServiceWithConnectInfo<Router, SocketAddr> {
    let web = Web { engine, outage: Arc::default(), metrics_allow: metrics_allow.into() };
    let mut router = Router::new().route("/api/health", get(health::health));
    if routes != Routes::WithoutMetrics {
        router = router.route("/metrics", get(metrics::metrics));
    }
    router.with_state(web).into_make_service_with_connect_info()
}
