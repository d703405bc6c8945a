//! HTTP inwards. So far: is anybody there? The APIs and the reader come with their issues.

mod health;

use axum::Router;
use axum::routing::get;
use store::Store;

/// What handlers need. Cheap to clone.
#[derive(Clone)]
pub struct Web {
    /// The database.
    pub store: Store,
}

/// All routes.
pub fn router(web: Web) -> Router {
    Router::new().route("/api/health", get(health::health)).with_state(web)
}
