//! Who asks, as an argument of handlers: `Principal` refuses a request of nobody with 401, `MaybePrincipal` does not.
//!
//! `Authorization: Bearer` comes first; only without that header the cookie counts. A write with a cookie needs proof that a
//! page of ours sent it and, outside of `/reedme/api`, whose page sends none, the CSRF token in `X-CSRF-Token`. The limit of
//! requests is taken here as well, for those who are logged in and those who tried to be.

use accounts::{Credential, Via};
use axum::extract::{FromRequestParts, OriginalUri};
use axum::http::header::AUTHORIZATION;
use axum::http::request::Parts;
use axum::http::{HeaderMap, Method};
use policy::limits::Counted;
use policy::permission::Permission;
use std::ops::Deref;

use crate::client::Client;
use crate::error::ApiError;
use crate::same_origin::{Source, source};
use crate::{Web, cookie};

/// Somebody who is logged in.
#[derive(Debug, Clone)]
pub struct Principal(pub accounts::Principal);

/// Somebody, logged in or not. For routes that are listed as public.
#[derive(Debug, Clone)]
pub struct MaybePrincipal(pub Option<Principal>);

impl Principal {
    /// Refuses with 403 unless they may do this.
    pub fn may(&self, permission: Permission) -> Result<(), ApiError> {
        Ok(self.0.may(permission)?)
    }
}

impl Deref for Principal {
    type Target = accounts::Principal;

    fn deref(&self) -> &accounts::Principal {
        &self.0
    }
}

impl FromRequestParts<Web> for Principal {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, web: &Web) -> Result<Self, ApiError> {
        let found = find(&parts.headers, Client::of(web, parts).https, web).await?;
        within_limit(parts, web, found.as_ref())?;
        let principal = found.ok_or_else(|| ApiError::unauthorized("Log in first"))?;
        proven(parts, web, &principal)?;
        Ok(Self(principal))
    }
}

impl FromRequestParts<Web> for MaybePrincipal {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, web: &Web) -> Result<Self, ApiError> {
        let https = Client::of(web, parts).https;
        Ok(Self(find(&parts.headers, https, web).await?.map(Principal)))
    }
}

/// Who asks, whatever they want.
pub(crate) async fn find(headers: &HeaderMap, https: bool, web: &Web) -> Result<Option<accounts::Principal>, ApiError> {
    if let Some(value) = headers.get(AUTHORIZATION) {
        let Some(token) = value.to_str().ok().and_then(bearer) else { return Ok(None) };
        return Ok(web.accounts.authenticate(Credential::Bearer(token)).await?);
    }
    for token in cookie::sessions(headers, https) {
        let found = web.accounts.authenticate(Credential::Session(token)).await?;
        if found.is_some() {
            return Ok(found);
        }
    }
    Ok(None)
}

fn bearer(value: &str) -> Option<&str> {
    let (scheme, token) = value.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then_some(token.trim())
}

/// A write with a cookie must come from a page of ours.
fn proven(parts: &Parts, web: &Web, principal: &accounts::Principal) -> Result<(), ApiError> {
    let reads = matches!(parts.method, Method::GET | Method::HEAD | Method::OPTIONS);
    if reads || !matches!(principal.via, Via::Session { .. }) {
        return Ok(());
    }
    if source(&parts.headers, &web.options.cors_origins) != Source::Ours {
        let detail = "This was not sent by a page of this server; open it here, or use a token instead of the cookie";
        return Err(ApiError::forbidden(detail).code("cross_origin"));
    }
    let uri = parts.extensions.get::<OriginalUri>().map_or(&parts.uri, |OriginalUri(uri)| uri);
    let needs_token = !uri.path().starts_with("/reedme/api/");
    let given = parts.headers.get("x-csrf-token").and_then(|value| value.to_str().ok());
    if needs_token && !principal.has_csrf_token(given) {
        let detail = "The header X-CSRF-Token is missing or wrong; /api/auth/me says what it has to be";
        return Err(ApiError::forbidden(detail).code("csrf"));
    }
    Ok(())
}

/// Takes one of the limit of requests.
fn within_limit(parts: &Parts, web: &Web, principal: Option<&accounts::Principal>) -> Result<(), ApiError> {
    let limits = &web.options.limits;
    let now = web.accounts.clock().now();
    let taken = match (principal.map(|principal| &principal.via), limits.api_counts) {
        (Some(Via::Session { id, .. }), Counted::SessionOrKey) => {
            web.requests.take(("session", id.0), &limits.api, now)
        }
        (Some(Via::Key(id)), Counted::SessionOrKey) => web.requests.take(("key", id.0), &limits.api, now),
        (Some(Via::Token { jti, .. }), Counted::SessionOrKey) => web.requests.take(("token", jti), &limits.api, now),
        (None, _) | (_, Counted::Address) => {
            web.requests.take(("address", Client::of(web, parts).counted()), &limits.api, now)
        }
    };
    taken.map_err(ApiError::too_many)
}
