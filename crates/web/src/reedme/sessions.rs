//! `/reedme/api/sessions`: log in with a cookie, log out.

use axum::extract::State;
use axum::http::header::SET_COOKIE;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse as _, Response};
use axum::routing::post;
use axum::{Json, Router};
use serde_json::json;

use crate::auth::{Typed, UserBody, open_session, session_cookie};
use crate::body::Body;
use crate::client::Client;
use crate::error::ApiError;
use crate::principal::Principal;
use crate::{Web, cookie};

pub(super) fn routes() -> Router<Web> {
    Router::new().route("/reedme/api/sessions", post(open).delete(close))
}

async fn open(
    State(web): State<Web>,
    client: Client,
    headers: HeaderMap,
    Body(typed): Body<Typed>,
) -> Result<Response, ApiError> {
    let (account, session) = open_session(&web, &client, &headers, &typed).await?;
    let user = UserBody::of(account.user, &account.name, account.role);
    let cookie = session_cookie(&web, &client, &session);
    Ok(([(SET_COOKIE, cookie)], Json(json!({ "data": { "user": user } }))).into_response())
}

async fn close(State(web): State<Web>, client: Client, principal: Principal) -> Result<Response, ApiError> {
    web.accounts.logout(&principal).await?;
    Ok((StatusCode::NO_CONTENT, [(SET_COOKIE, cookie::clear(client.https))]).into_response())
}
