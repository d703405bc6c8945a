//! `GET /api/health`: for load balancers and people in a hurry; needs no login and tells no secrets.

use crate::Web;
use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use serde_json::{Value, json};

pub(crate) async fn health(State(web): State<Web>) -> (StatusCode, Json<Value>) {
    match web.store.ping().await {
        Ok(()) => (StatusCode::OK, Json(json!({ "status": "ok", "db": "ok" }))),
        Err(error) => {
            tracing::warn!(%error, "the database does not answer");
            (StatusCode::SERVICE_UNAVAILABLE, Json(json!({ "status": "error", "db": "error" })))
        }
    }
}
