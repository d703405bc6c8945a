//! `/api/me`: one's own sessions, keys and password. Unknown fields are refused: a field that is ignored may be one that
//! somebody relies on.
//!
//! A key may not do any of this, whatever its scopes: what leaks must not be able to make more of itself.

use accounts::{ChangedPassword, Via};
use axum::Json;
use axum::extract::State;
use axum::http::header::SET_COOKIE;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse as _, Response};
use jiff::Timestamp;
use model::access_scope::Scope;
use model::account::{ApiKey, Session};
use model::{KeyId, SessionId};
use policy::permission::Permission;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::Web;
use crate::auth::{begin, session_cookie};
use crate::body::Body;
use crate::client::Client;
use crate::error::{ApiError, ErrorBody};
use crate::principal::Principal;
use crate::query::Path;

pub(crate) fn routes() -> OpenApiRouter<Web> {
    OpenApiRouter::new()
        .routes(routes!(sessions, end_others))
        .routes(routes!(end))
        .routes(routes!(keys, make_key))
        .routes(routes!(revoke))
        .routes(routes!(change_password))
}

/// The longest name of a key.
const LONGEST_NAME_CHARS: usize = 200;

/// A key to be made.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct NewKey {
    name: String,
    /// Of `reader:read`, `reader:write`, `engine:read`, `engine:write`, `publish:read`, `admin`; else `reader:read`.
    scopes: Option<Vec<String>>,
    #[schema(value_type = Option<String>, format = DateTime)]
    expires_at: Option<Timestamp>,
}

/// A session of the user.
#[derive(Serialize, ToSchema)]
struct SessionBody {
    id: i64,
    #[schema(value_type = String, format = DateTime)]
    created_at: Timestamp,
    #[schema(value_type = String, format = DateTime)]
    expires_at: Timestamp,
    #[schema(value_type = String, format = DateTime)]
    last_seen_at: Timestamp,
    address: Option<String>,
    agent: Option<String>,
    /// Whether it is the one that asks.
    current: bool,
}

/// How many sessions have ended.
#[derive(Serialize, ToSchema)]
struct Ended {
    ended: u64,
}

/// A key of the user.
#[derive(Serialize, ToSchema)]
struct KeyBody {
    id: i64,
    name: String,
    /// The first letters of its token.
    prefix: String,
    scopes: Vec<String>,
    #[schema(value_type = String, format = DateTime)]
    created_at: Timestamp,
    #[schema(value_type = Option<String>, format = DateTime)]
    expires_at: Option<Timestamp>,
    #[schema(value_type = Option<String>, format = DateTime)]
    last_used_at: Option<Timestamp>,
}

/// A key that was made.
#[derive(Serialize, ToSchema)]
struct MadeKey {
    #[serde(flatten)]
    key: KeyBody,
    /// Shown once.
    token: String,
}

/// A password was changed.
#[derive(Serialize, ToSchema)]
struct ChangedBody {
    ok: bool,
    /// Of the new session, for who asked with one.
    #[serde(skip_serializing_if = "Option::is_none")]
    csrf_token: Option<String>,
}

/// Another password.
#[derive(Deserialize, ToSchema)]
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

/// The sessions of the user.
#[utoipa::path(get, path = "/api/me/sessions", tag = "me",
    responses((status = 200, body = Vec<SessionBody>), (status = 403, body = ErrorBody)))]
async fn sessions(State(web): State<Web>, principal: Principal) -> Result<Json<Vec<SessionBody>>, ApiError> {
    person(&principal, Permission::ReadOwn)?;
    let own = current(&principal);
    let row = |session: Session| SessionBody {
        id: session.id.0,
        created_at: session.created_at,
        expires_at: session.expires_at,
        last_seen_at: session.last_seen_at,
        current: Some(session.id) == own,
        address: session.address,
        agent: session.agent,
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

/// Ends one of them.
#[utoipa::path(delete, path = "/api/me/sessions/{id}", tag = "me", params(("id" = i64, Path)),
    responses((status = 204), (status = 403, body = ErrorBody), (status = 404, body = ErrorBody)))]
async fn end(State(web): State<Web>, principal: Principal, Path(id): Path<i64>) -> Result<StatusCode, ApiError> {
    person(&principal, Permission::WriteOwn)?;
    if !web.store.end_session(principal.user, SessionId(id)).await? {
        return Err(ApiError::not_found("There is no such session").id(id));
    }
    Ok(StatusCode::NO_CONTENT)
}

/// Ends all but the one that asks.
#[utoipa::path(delete, path = "/api/me/sessions", tag = "me",
    responses((status = 200, body = Ended), (status = 403, body = ErrorBody)))]
async fn end_others(State(web): State<Web>, principal: Principal) -> Result<Json<Ended>, ApiError> {
    person(&principal, Permission::WriteOwn)?;
    let ended = web.store.end_other_sessions(principal.user, current(&principal)).await?;
    Ok(Json(Ended { ended }))
}

fn key_body(key: &ApiKey) -> KeyBody {
    KeyBody {
        id: key.id.0,
        name: key.name.clone(),
        prefix: key.prefix.clone(),
        scopes: key.scopes.clone(),
        created_at: key.created_at,
        expires_at: key.expires_at,
        last_used_at: key.last_used_at,
    }
}

/// The keys of the user, for programs.
#[utoipa::path(get, path = "/api/me/keys", tag = "me",
    responses((status = 200, body = Vec<KeyBody>), (status = 403, body = ErrorBody)))]
async fn keys(State(web): State<Web>, principal: Principal) -> Result<Json<Vec<KeyBody>>, ApiError> {
    person(&principal, Permission::ReadOwn)?;
    Ok(Json(web.store.api_keys(Some(principal.user)).await?.iter().map(key_body).collect()))
}

/// Makes a key for a program.
#[utoipa::path(post, path = "/api/me/keys", tag = "me", request_body = NewKey,
    responses((status = 201, body = MadeKey), (status = 403, body = ErrorBody), (status = 422, body = ErrorBody)))]
async fn make_key(
    State(web): State<Web>,
    principal: Principal,
    Body(new): Body<NewKey>,
) -> Result<(StatusCode, Json<MadeKey>), ApiError> {
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
    let all = web.store.api_keys(Some(principal.user)).await?;
    let key = all.iter().find(|key| key.id == made.id).ok_or_else(|| ApiError::gone("The key was revoked at once"))?;
    Ok((StatusCode::CREATED, Json(MadeKey { key: key_body(key), token: made.token })))
}

/// Revokes a key.
#[utoipa::path(delete, path = "/api/me/keys/{id}", tag = "me", params(("id" = i64, Path)),
    responses((status = 204), (status = 403, body = ErrorBody), (status = 404, body = ErrorBody)))]
async fn revoke(State(web): State<Web>, principal: Principal, Path(id): Path<i64>) -> Result<StatusCode, ApiError> {
    person(&principal, Permission::WriteOwn)?;
    if !web.store.revoke_key(Some(principal.user), KeyId(id)).await? {
        return Err(ApiError::not_found("There is no such key").id(id));
    }
    Ok(StatusCode::NO_CONTENT)
}

/// Changes the password. All sessions and signed tokens end; who asked with a cookie gets a new session at once.
#[utoipa::path(put, path = "/api/me/password", tag = "me", request_body = NewPassword,
    responses((status = 200, body = ChangedBody), (status = 403, body = ErrorBody), (status = 422, body = ErrorBody),
        (status = 429, body = ErrorBody)))]
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
        return Ok(Json(ChangedBody { ok: true, csrf_token: None }).into_response());
    }
    let (_, session) = begin(&web, &client, &headers, account).await?;
    let cookie = session_cookie(&web, &client, &session);
    let body = ChangedBody { ok: true, csrf_token: Some(session.csrf_token) };
    Ok(([(SET_COOKIE, cookie)], Json(body)).into_response())
}
