//! HTTP inwards. So far: is anybody there? The APIs and the reader are not here yet.

mod health;

use axum::Router;
use axum::routing::get;
use std::sync::Arc;
use store::Store;

/// What handlers need. Cheap to clone.
#[derive(Clone)]
struct Web {
    store: Store,
    outage: Arc<health::Outage>,
}

/// All routes, over a database.
pub fn router(store: Store) -> Router {
    let web = Web { store, outage: Arc::default() };
    Router::new().route("/api/health", get(health::health)).with_state(web)
}
