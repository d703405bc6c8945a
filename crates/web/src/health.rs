//! `GET /api/health`: for load balancers and operators; needs no login and reveals no secrets.

use crate::Web;
use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use serde::Serialize;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use store::HEALTH_WARNING;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

const PATIENCE: Duration = Duration::from_secs(2);

/// The health of the service.
pub(crate) enum Health {
    /// The database responds.
    Well {
        /// A problem that an operator should look at.
        warning: Option<String>,
    },
    /// The database does not respond.
    NoDatabase,
}

pub(crate) fn routes() -> OpenApiRouter<Web> {
    OpenApiRouter::new().routes(routes!(health))
}

/// The health of the service.
#[derive(Serialize, ToSchema)]
pub(crate) struct HealthBody {
    /// `ok` or `error`.
    db: &'static str,
    /// `ok` or `error`.
    status: &'static str,
    /// A problem that an operator should look at.
    #[serde(skip_serializing_if = "Option::is_none")]
    warning: Option<String>,
}

/// Whether the service works. Needs no login.
#[utoipa::path(get, path = "/api/health", tag = "system", security(()),
    responses((status = 200, body = HealthBody), (status = 503, body = HealthBody)))]
pub(crate) async fn health(State(web): State<Web>) -> (StatusCode, Json<HealthBody>) {
    match check(&web).await {
        // Still 200 with a warning: it serves requests, so load balancers must not remove it.
        Health::Well { warning } => (StatusCode::OK, Json(HealthBody { status: "ok", db: "ok", warning })),
        Health::NoDatabase => {
            let body = HealthBody { status: "error", db: "error", warning: None };
            (StatusCode::SERVICE_UNAVAILABLE, Json(body))
        }
    }
}

/// Queries the database, and logs when it became unavailable or available again.
pub(crate) async fn check(web: &Web) -> Health {
    // The store waits for a database that restarts; a health check needs an answer now.
    let query = async {
        web.store.ping().await?;
        web.store.setting(HEALTH_WARNING).await
    };
    let answered = tokio::time::timeout(PATIENCE, query).await;
    let is_change = web.outage.is_change(matches!(answered, Ok(Ok(_))));
    let error = match answered {
        Ok(Ok(warning)) => {
            if is_change {
                tracing::info!("the database responds again");
            }
            return Health::Well { warning };
        }
        Ok(Err(error)) => error.to_string(),
        Err(_) => format!("no answer within {} s", PATIENCE.as_secs()),
    };
    if is_change {
        tracing::warn!(error, "the database does not respond");
    }
    Health::NoDatabase
}

/// Whether the database is unavailable. Load balancers ask every second, and each change is logged once.
#[derive(Default)]
pub(crate) struct Outage(AtomicBool);

impl Outage {
    fn is_change(&self, answers: bool) -> bool {
        self.0.swap(!answers, Ordering::Relaxed) == answers
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_outage_is_logged_at_its_start_and_end() {
        let outage = Outage::default();
        let looks = [(true, false), (false, true), (false, false), (false, false), (true, true), (true, false)];
        for (n, (answers, news)) in looks.into_iter().enumerate() {
            assert_eq!(outage.is_change(answers), news, "check {n}");
        }
    }
}
