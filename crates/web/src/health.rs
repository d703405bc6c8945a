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
    let look = async {
        web.store.ping().await?;
        web.store.setting("health_warning").await
    };
    let answer = tokio::time::timeout(PATIENCE, look).await;
    match answer {
        Ok(Ok(None)) => return (StatusCode::OK, Json(json!({ "status": "ok", "db": "ok" }))),
        // It serves all the same: whoever balances load must not take it away.
        Ok(Ok(Some(warning))) => {
            return (StatusCode::OK, Json(json!({ "status": "ok", "db": "ok", "warning": warning })));
        }
        _ => {}
    }
    tracing::warn!(
        error = answer.ok().and_then(Result::err).map(|error| error.to_string()),
        "the database does not answer"
    );
    (StatusCode::SERVICE_UNAVAILABLE, Json(json!({ "status": "error", "db": "error" })))
}
