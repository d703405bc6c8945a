//! `/api/me`: one's own sessions, keys and password. Unknown fields are refused: a field that is ignored may be one that
//! somebody relies on.
//!
//! A key may not do any of this, whatever its scopes: what leaks must not be able to make more of itself.

use accounts::{ChangedPassword, Via};
use axum::extract::{Path, State};
use axum::http::header::SET_COOKIE;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{delete, get, put};
use axum::{Json, Router};
use jiff::Timestamp;
use model::access_scope::Scope;
use model::account::{ApiKey, Session};
use model::{KeyId, SessionId};
use policy::permission::Permission;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::Web;
use crate::auth::{begin, session_cookie};
use crate::body::Body;
use crate::client::Client;
use crate::error::ApiError;
use crate::principal::Principal;

pub(crate) fn routes() -> Router<Web> {
    Router::new()
        .route("/api/me/sessions", get(sessions).delete(end_others))
        .route("/api/me/sessions/{id}", delete(end))
        .route("/api/me/keys", get(keys).post(make_key))
        .route("/api/me/keys/{id}", delete(revoke))
        .route("/api/me/password", put(change_password))
}

/// The longest name of a key.
const LONGEST_NAME_CHARS: usize = 200;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NewKey {
    name: String,
    scopes: Option<Vec<String>>,
    expires_at: Option<Timestamp>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NewPassword {
    current: String,
    new: String,
}

/// Refuses keys of programs.
fn person(principal: &Principal, permission: Permission) -> Result<(), ApiError> {
    if matches!(principal.via, Via::Key(_)) {
        return Err(ApiError::forbidden("A key may not do this; log in instead").reason("key"));
    }
    principal.may(permission)
}

async fn sessions(State(web): State<Web>, principal: Principal) -> Result<Json<Vec<Value>>, ApiError> {
    person(&principal, Permission::ReadOwn)?;
    let own = current(&principal);
    let row = |session: Session| {
        json!({
            "id": session.id.0, "created_at": session.created_at, "expires_at": session.expires_at,
            "last_seen_at": session.last_seen_at, "address": session.address, "agent": session.agent,
            "current": Some(session.id) == own,
        })
    };
    let all = web.store.sessions(principal.user, web.accounts.clock().now()).await?;
    Ok(Json(all.into_iter().map(row).collect()))
}

fn current(principal: &Principal) -> Option<SessionId> {
    match principal.via {
        Via::Session { id, .. } => Some(id),
        Via::Token { .. } | Via::Key(_) => None,
    }
}

async fn end(State(web): State<Web>, principal: Principal, Path(id): Path<i64>) -> Result<StatusCode, ApiError> {
    person(&principal, Permission::WriteOwn)?;
    if !web.store.end_session(principal.user, SessionId(id)).await? {
        return Err(ApiError::not_found("There is no such session").id(id));
    }
    Ok(StatusCode::NO_CONTENT)
}

/// Ends all but the one that asks.
async fn end_others(State(web): State<Web>, principal: Principal) -> Result<Json<Value>, ApiError> {
    person(&principal, Permission::WriteOwn)?;
    let ended = web.store.end_other_sessions(principal.user, current(&principal)).await?;
    Ok(Json(json!({ "ended": ended })))
}

fn key_body(key: &ApiKey) -> Value {
    json!({
        "id": key.id.0, "name": key.name, "prefix": key.prefix, "scopes": key.scopes, "created_at": key.created_at,
        "expires_at": key.expires_at, "last_used_at": key.last_used_at,
    })
}

async fn keys(State(web): State<Web>, principal: Principal) -> Result<Json<Vec<Value>>, ApiError> {
    person(&principal, Permission::ReadOwn)?;
    Ok(Json(web.store.api_keys(Some(principal.user)).await?.iter().map(key_body).collect()))
}

async fn make_key(
    State(web): State<Web>,
    principal: Principal,
    Body(new): Body<NewKey>,
) -> Result<(StatusCode, Json<Value>), ApiError> {
    person(&principal, Permission::WriteOwn)?;
    let name = new.name.trim();
    if name.is_empty() || name.chars().count() > LONGEST_NAME_CHARS {
        let detail = format!("The name of a key has 1 to {LONGEST_NAME_CHARS} characters");
        return Err(ApiError::unprocessable(detail).reason("name"));
    }
    let scopes: Result<Vec<Scope>, _> = match &new.scopes {
        Some(words) => words.iter().map(|word| word.parse()).collect(),
        None => Ok(vec![Scope::ReaderRead]),
    };
    let scopes = scopes.map_err(|error| ApiError::unprocessable(error.to_string()).reason("scopes"))?;
    if new.expires_at.is_some_and(|at| at <= web.accounts.clock().now()) {
        return Err(ApiError::unprocessable("The key would have ended already").reason("expires_at"));
    }
    let made = web.accounts.create_key(principal.user, name, &scopes, new.expires_at).await?;
    let mut body = match web.store.api_keys(Some(principal.user)).await?.iter().find(|key| key.id == made.id) {
        Some(key) => key_body(key),
        None => json!({ "id": made.id.0 }),
    };
    body["token"] = made.token.into();
    Ok((StatusCode::CREATED, Json(body)))
}

async fn revoke(State(web): State<Web>, principal: Principal, Path(id): Path<i64>) -> Result<StatusCode, ApiError> {
    person(&principal, Permission::WriteOwn)?;
    if !web.store.revoke_key(Some(principal.user), KeyId(id)).await? {
        return Err(ApiError::not_found("There is no such key").id(id));
    }
    Ok(StatusCode::NO_CONTENT)
}

/// All sessions and signed tokens end; whoever asked with a cookie gets a new session at once.
async fn change_password(
    State(web): State<Web>,
    client: Client,
    headers: HeaderMap,
    principal: Principal,
    Body(typed): Body<NewPassword>,
) -> Result<Response, ApiError> {
    person(&principal, Permission::WriteOwn)?;
    let changed = web.accounts.change_password(principal.user, &typed.current, &typed.new, &client.counted()).await?;
    let account = match changed {
        ChangedPassword::Changed(account) => account,
        // Not 401: the caller is logged in, and clients log out on that.
        ChangedPassword::Refused(accounts::LoginOutcome::WrongPassword) => {
            return Err(ApiError::forbidden("Invalid password").code("invalid_password"));
        }
        ChangedPassword::Refused(refused) => return Err(refused.into()),
        ChangedPassword::Weak(weak) => return Err(ApiError::unprocessable(weak.to_string()).reason("new")),
    };
    if current(&principal).is_none() {
        return Ok(Json(json!({ "ok": true })).into_response());
    }
    let (_, session) = begin(&web, &client, &headers, account).await?;
    let body = json!({ "ok": true, "csrf_token": session.csrf_token });
    Ok(([(SET_COOKIE, session_cookie(&web, &client, &session))], Json(body)).into_response())
}
