//! `GET /api/health`: for load balancers and people in a hurry; needs no login and tells no secrets.

use crate::Web;
use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use serde_json::{Value, json};
use std::time::Duration;

const PATIENCE: Duration = Duration::from_secs(2);

pub(crate) async fn health(State(web): State<Web>) -> (StatusCode, Json<Value>) {
    // The store waits for a database that restarts; who asks for our health wants to know now.
    let answer = tokio::time::timeout(PATIENCE, web.store.ping()).await;
    if let Ok(Ok(())) = answer {
        return (StatusCode::OK, Json(json!({ "status": "ok", "db": "ok" })));
    }
    tracing::warn!(
        error = answer.ok().and_then(Result::err).map(|error| error.to_string()),
        "the database does not answer"
    );
    (StatusCode::SERVICE_UNAVAILABLE, Json(json!({ "status": "error", "db": "error" })))
}
