//! `GET /api/health`: for load balancers and people in a hurry; needs no login and tells no secrets.

use crate::Web;
use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use serde_json::{Value, json};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use store::HEALTH_WARNING;

const PATIENCE: Duration = Duration::from_secs(2);

/// How the service is.
pub(crate) enum Health {
    /// The database answers.
    Well {
        /// What somebody should see to all the same.
        warning: Option<String>,
    },
    /// It does not.
    NoDatabase,
}

pub(crate) async fn health(State(web): State<Web>) -> (StatusCode, Json<Value>) {
    match look(&web).await {
        Health::Well { warning } => {
            // It serves all the same: whoever balances load must not take it away.
            let mut body = json!({ "status": "ok", "db": "ok" });
            if let Some(warning) = warning {
                body["warning"] = warning.into();
            }
            (StatusCode::OK, Json(body))
        }
        Health::NoDatabase => (StatusCode::SERVICE_UNAVAILABLE, Json(json!({ "status": "error", "db": "error" }))),
    }
}

/// Asks the database, and logs when it went away or came back.
pub(crate) async fn look(web: &Web) -> Health {
    // The store waits for a database that restarts; who asks for our health wants to know now.
    let look = async {
        web.engine.store.ping().await?;
        web.engine.store.setting(HEALTH_WARNING).await
    };
    let looked = tokio::time::timeout(PATIENCE, look).await;
    let is_news = web.outage.is_news(matches!(looked, Ok(Ok(_))));
    let error = match looked {
        Ok(Ok(warning)) => {
            if is_news {
                tracing::info!("the database answers again");
            }
            return Health::Well { warning };
        }
        Ok(Err(error)) => error.to_string(),
        Err(_) => format!("no answer within {} s", PATIENCE.as_secs()),
    };
    if is_news {
        tracing::warn!(error, "the database does not answer");
    }
    Health::NoDatabase
}

/// Whether the database is away: load balancers ask every second, and that it went or came back is said once.
#[derive(Default)]
pub(crate) struct Outage(AtomicBool);

impl Outage {
    fn is_news(&self, answers: bool) -> bool {
        self.0.swap(!answers, Ordering::Relaxed) == answers
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_outage_is_said_when_it_comes_and_when_it_goes() {
        let outage = Outage::default();
        let looks = [(true, false), (false, true), (false, false), (false, false), (true, true), (true, false)];
        for (n, (answers, news)) in looks.into_iter().enumerate() {
            assert_eq!(outage.is_news(answers), news, "look {n}");
        }
    }
}
