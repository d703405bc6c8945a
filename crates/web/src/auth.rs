//! `/api/auth`: log in, log out, who am I.
//!
//! A login with a signed token sets no cookie; one with a session gives no token. Unknown fields are ignored here, as the
//! front ends of others send them.

use accounts::{LoginOutcome, OpenedSession, Via};
use axum::extract::State;
use axum::http::header::{SET_COOKIE, USER_AGENT};
use axum::http::{HeaderMap, HeaderValue};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use jiff::Timestamp;
use model::UserId;
use model::account::Account;
use model::reader::Role;
use policy::permission::role_name;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::body::Body;
use crate::client::Client;
use crate::error::ApiError;
use crate::principal::{MaybePrincipal, Principal};
use crate::same_origin::{Source, source};
use crate::{Web, cookie};

pub(crate) fn routes() -> Router<Web> {
    Router::new()
        .route("/api/auth/login", post(login))
        .route("/api/auth/logout", post(logout))
        .route("/api/auth/me", get(me))
        .route("/api/auth/session", post(open).delete(close))
}

/// What somebody types.
#[derive(Deserialize)]
pub(crate) struct Typed {
    pub(crate) username: Option<String>,
    pub(crate) password: String,
}

#[derive(Serialize)]
struct Token {
    token: String,
    expires_at: Timestamp,
}

/// A user in answers.
#[derive(Serialize)]
pub(crate) struct UserBody {
    id: i64,
    name: String,
    role: &'static str,
}

impl UserBody {
    pub(crate) fn of(user: UserId, name: &str, role: Role) -> Self {
        Self { id: user.0, name: name.to_owned(), role: role_name(role) }
    }
}

async fn login(State(web): State<Web>, client: Client, Body(typed): Body<Typed>) -> Result<Json<Token>, ApiError> {
    let account = check(&web, &client, &typed).await?;
    let signed = web.accounts.issue_token(&account);
    Ok(Json(Token { token: signed.token, expires_at: signed.expires_at }))
}

/// Always 200 while the database works: a client that is told 401 here may log out again and again.
async fn logout(
    State(web): State<Web>,
    client: Client,
    headers: HeaderMap,
    MaybePrincipal(principal): MaybePrincipal,
) -> Result<Response, ApiError> {
    let mut response = Json(json!({ "ok": true })).into_response();
    if let Some(principal) = principal {
        let is_session = matches!(principal.via, Via::Session { .. });
        if !is_session || source(&headers, &web.options.cors_origins) == Source::Ours {
            web.accounts.logout(&principal).await?;
            if is_session {
                response.headers_mut().append(SET_COOKIE, cookie::clear(client.https));
            }
        }
    }
    Ok(response)
}

async fn me(principal: Principal) -> Json<Value> {
    let user = UserBody::of(principal.user, &principal.name, principal.role);
    let (via, csrf_token, expires_at) = match &principal.via {
        Via::Session { csrf_token, expires_at, .. } => ("session", Some(csrf_token), Some(*expires_at)),
        Via::Token { expires_at, .. } => ("token", None, Some(*expires_at)),
        Via::Key(_) => ("key", None, None),
    };
    let scopes: Option<Vec<&str>> =
        principal.scopes.as_ref().map(|all| all.iter().map(|scope| scope.as_str()).collect());
    Json(json!({
        "authenticated": true, "user": user, "via": via, "csrf_token": csrf_token, "expires_at": expires_at,
        "scopes": scopes,
    }))
}

async fn open(
    State(web): State<Web>,
    client: Client,
    headers: HeaderMap,
    Body(typed): Body<Typed>,
) -> Result<Response, ApiError> {
    let (account, session) = open_session(&web, &client, &headers, &typed).await?;
    let user = UserBody::of(account.user, &account.name, account.role);
    let body = json!({ "user": user, "csrf_token": session.csrf_token, "expires_at": session.expires_at });
    Ok(([(SET_COOKIE, session_cookie(&web, &client, &session))], Json(body)).into_response())
}

async fn close(State(web): State<Web>, client: Client, principal: Principal) -> Result<Response, ApiError> {
    web.accounts.logout(&principal).await?;
    Ok(([(SET_COOKIE, cookie::clear(client.https))], Json(json!({ "ok": true }))).into_response())
}

/// Checks a password.
async fn check(web: &Web, client: &Client, typed: &Typed) -> Result<Account, ApiError> {
    match web.accounts.login(typed.username.as_deref(), &typed.password, &client.counted()).await? {
        LoginOutcome::Welcome(account) => Ok(account),
        refused => Err(refused.into()),
    }
}

/// Begins a session for whoever knows a password. Another site may not log people in, not even as themselves.
pub(crate) async fn open_session(
    web: &Web,
    client: &Client,
    headers: &HeaderMap,
    typed: &Typed,
) -> Result<(Account, OpenedSession), ApiError> {
    if source(headers, &web.options.cors_origins) == Source::Foreign {
        return Err(ApiError::forbidden("This was sent by a page of another site").code("cross_origin"));
    }
    let account = check(web, client, typed).await?;
    begin(web, client, headers, account).await
}

/// Begins a session for somebody who has just proved who they are.
pub(crate) async fn begin(
    web: &Web,
    client: &Client,
    headers: &HeaderMap,
    account: Account,
) -> Result<(Account, OpenedSession), ApiError> {
    let agent = headers.get(USER_AGENT).and_then(|agent| agent.to_str().ok());
    let address = client.address.to_string();
    let session = web.accounts.open_session(&account, Some(&address), agent).await?;
    let session = session.ok_or_else(|| ApiError::from(LoginOutcome::WrongPassword))?;
    Ok((account, session))
}

pub(crate) fn session_cookie(web: &Web, client: &Client, session: &OpenedSession) -> HeaderValue {
    cookie::set(&session.token, web.accounts.options().session, client.https)
}
