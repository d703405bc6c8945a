//! Logins through an identity provider, for our own pages and for ReedMe's: whether there is one, the way there, the way back.
//!
//! Where the provider sends a browser back to is configuration; `Host` only chooses among those that are configured, because
//! each front end has an origin of its own.

use accounts::{Oidc, OidcError, OidcOutcome};
use axum::extract::State;
use axum::http::header::{CACHE_CONTROL, HOST, LOCATION, SET_COOKIE};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{AppendHeaders, IntoResponse as _, Response};
use axum::routing::get;
use axum::{Json, Router};
use policy::limits::Window;
use serde::{Deserialize, Serialize};
use serde_json::json;
use url::Url;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::auth::{begin, session_cookie};
use crate::client::Client;
use crate::error::{ApiError, ErrorBody};
use crate::pages::local_path;
use crate::query::Query;
use crate::{Web, cookie};

/// Where the provider sends browsers back to, on our own origin.
pub const CALLBACK: &str = "/api/auth/oidc/callback";
/// The same for ReedMe; its own origin has it at `/api/oidc/callback`.
pub const REEDME_CALLBACK: &str = "/reedme/api/oidc/callback";

/// Logins that one address may begin in a minute.
const BEGINNINGS: Window = Window::a_minute(20);

pub(crate) fn routes() -> OpenApiRouter<Web> {
    OpenApiRouter::new().routes(routes!(enabled)).routes(routes!(login)).routes(routes!(callback))
}

pub(crate) fn reedme_routes() -> Router<Web> {
    Router::new()
        .route("/reedme/api/oidc/enabled", get(reedme_enabled))
        .route("/reedme/api/oidc/login", get(reedme_login))
        .route(REEDME_CALLBACK, get(callback))
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct Wish {
    /// The path to go to after the login.
    next: Option<String>,
}

/// What a browser brings back.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct Back {
    state: Option<String>,
    code: Option<String>,
    error: Option<String>,
}

/// Whether there is an identity provider.
#[derive(Serialize, ToSchema)]
struct EnabledBody {
    enabled: bool,
}

/// Whether one can log in through an identity provider. Needs no login.
#[utoipa::path(get, path = "/api/auth/oidc", tag = "auth", security(()), responses((status = 200, body = EnabledBody)))]
async fn enabled(State(web): State<Web>) -> Json<EnabledBody> {
    Json(EnabledBody { enabled: web.oidc.is_some() })
}

async fn reedme_enabled(State(web): State<Web>) -> Json<serde_json::Value> {
    Json(json!({ "data": { "enabled": web.oidc.is_some() } }))
}

/// Sends the browser to the identity provider.
#[utoipa::path(get, path = "/api/auth/oidc/login", tag = "auth", security(()), params(Wish),
    responses((status = 303), (status = 404, body = ErrorBody), (status = 422, body = ErrorBody),
        (status = 429, body = ErrorBody), (status = 502, body = ErrorBody), (status = 503, body = ErrorBody)))]
async fn login(
    State(web): State<Web>,
    client: Client,
    headers: HeaderMap,
    Query(wish): Query<Wish>,
) -> Result<Response, ApiError> {
    let (auth_url, cookie) = away(&web, &client, &headers, CALLBACK, &local_path(wish.next.as_deref())).await?;
    let to = HeaderValue::try_from(auth_url).map_err(|error| ApiError::internal(&error))?;
    Ok((StatusCode::SEE_OTHER, [(LOCATION, to), (SET_COOKIE, cookie)], [(CACHE_CONTROL, "no-store")]).into_response())
}

/// Tells the page where to go.
async fn reedme_login(State(web): State<Web>, client: Client, headers: HeaderMap) -> Result<Response, ApiError> {
    let (auth_url, cookie) = away(&web, &client, &headers, REEDME_CALLBACK, "/").await?;
    let body = Json(json!({ "data": { "auth_url": auth_url } }));
    Ok(([(SET_COOKIE, cookie)], [(CACHE_CONTROL, "no-store")], body).into_response())
}

async fn away(
    web: &Web,
    client: &Client,
    headers: &HeaderMap,
    callback: &str,
    next: &str,
) -> Result<(String, HeaderValue), ApiError> {
    let oidc = provider(web)?;
    let now = web.accounts.clock().now();
    web.requests.take(("oidc", client.counted()), &BEGINNINGS, now).map_err(ApiError::too_many)?;
    let redirect_uri = redirect_uri(&oidc.options().redirect_uris, headers, callback)
        .ok_or_else(|| ApiError::unavailable("The address of this server is not configured (web.public_url)"))?;
    let begun = oidc.begin(redirect_uri, next).await.map_err(|error| match error {
        OidcError::Store(error) => error.into(),
        error => {
            tracing::warn!(%error, "a login through the identity provider could not begin");
            ApiError::new(StatusCode::BAD_GATEWAY, "identity_provider", "The identity provider does not answer")
        }
    })?;
    let cookie = cookie::build(cookie_name(client.https), &begun.browser_token, begun.lasts.as_secs(), client.https);
    Ok((begun.auth_url, cookie))
}

/// Takes the browser back, and sends it on: logged in, or to the login page.
#[utoipa::path(get, path = "/api/auth/oidc/callback", tag = "auth", security(()), params(Back),
    responses((status = 307), (status = 404, body = ErrorBody), (status = 422, body = ErrorBody)))]
async fn callback(
    State(web): State<Web>,
    client: Client,
    headers: HeaderMap,
    Query(back): Query<Back>,
) -> Result<Response, ApiError> {
    let oidc = provider(&web)?;
    let browser = cookie::named(&headers, cookie_name(client.https)).next().unwrap_or_default();
    let forget = cookie::build(cookie_name(client.https), "", 0, client.https);
    let failed = |forget: HeaderValue| {
        let to = [(LOCATION, HeaderValue::from_static("/login?error=oidc_failed")), (SET_COOKIE, forget)];
        (StatusCode::TEMPORARY_REDIRECT, to).into_response()
    };
    let (Some(state), Some(code), None) = (&back.state, &back.code, &back.error) else { return Ok(failed(forget)) };
    let (account, next) = match oidc.finish(state, code, browser).await? {
        OidcOutcome::Welcome { account, return_to } => (account, return_to),
        OidcOutcome::Refused(_) => return Ok(failed(forget)),
    };
    let (_, session) = begin(&web, &client, &headers, account).await?;
    let to = HeaderValue::try_from(next).unwrap_or(HeaderValue::from_static("/"));
    let cookies = AppendHeaders([(SET_COOKIE, session_cookie(&web, &client, &session)), (SET_COOKIE, forget)]);
    Ok((StatusCode::TEMPORARY_REDIRECT, [(LOCATION, to)], cookies).into_response())
}

fn provider(web: &Web) -> Result<&Oidc, ApiError> {
    web.oidc.as_ref().ok_or_else(|| ApiError::not_found("There is no identity provider here").code("no_provider"))
}

fn cookie_name(https: bool) -> &'static str {
    if https { "__Host-oidc" } else { "oidc" }
}

/// The configured address for this front end: the one on the host that was asked, else the one on our own origin.
fn redirect_uri<'a>(listed: &'a [String], headers: &HeaderMap, callback: &str) -> Option<&'a str> {
    let host = headers.get(HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    let asked = |uri: &&String| {
        Url::parse(uri).is_ok_and(|url| {
            let authority = url.authority();
            authority.eq_ignore_ascii_case(host) && callback.ends_with(url.path())
        })
    };
    let own = |uri: &&String| Url::parse(uri).is_ok_and(|url| url.path() == callback);
    listed.iter().find(asked).or_else(|| listed.iter().find(own)).map(String::as_str)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_browser_is_sent_back_where_it_came_from_if_that_is_listed() {
        let listed = [
            "https://news.example/api/auth/oidc/callback".to_owned(),
            "https://news.example/reedme/api/oidc/callback".to_owned(),
            "https://reedme.example/api/oidc/callback".to_owned(),
        ];
        let check = |host: &'static str, callback: &str, expected: &str| {
            let headers = HeaderMap::from_iter([(HOST, HeaderValue::from_static(host))]);
            assert_eq!(redirect_uri(&listed, &headers, callback), Some(expected), "{host} {callback}");
        };
        check("news.example", CALLBACK, &listed[0]);
        check("news.example", REEDME_CALLBACK, &listed[1]);
        check("reedme.example", REEDME_CALLBACK, &listed[2]);
        check("evil.example", CALLBACK, &listed[0]);
        check("evil.example", REEDME_CALLBACK, &listed[1]);
        check("reedme.example", CALLBACK, &listed[0]);
        assert_eq!(redirect_uri(&[], &HeaderMap::new(), CALLBACK), None);
    }
}
