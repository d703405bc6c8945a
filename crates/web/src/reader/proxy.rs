//! `/api/proxy?url=`: the page of a post, fetched by the server and cleaned.
//!
//! Only for pages that a feed of the user has named, on hosts of the user's feeds: neither a way to read other sites nor one
//! to look around in our network. `fetch` guards the address that is dialled. Errors have constant bodies, so that they say
//! nothing about what is there.

use super::icons::NOTHING_RUNS;
use crate::Web;
use crate::error::{ApiError, ErrorBody};
use crate::principal::Principal;
use crate::query::Query;
use axum::extract::State;
use axum::http::StatusCode;
use axum::http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, X_CONTENT_TYPE_OPTIONS};
use axum::response::{IntoResponse as _, Response};
use engine::{Engine, VisitRequest};
use fetch::Egress;
use model::UserId;
use model::visit::{Body, Failure, Outcome};
use policy::permission::Permission;
use serde::Deserialize;
use std::time::Duration;
use url::{Host, Url};
use utoipa::IntoParams;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

/// The largest page.
const LIMIT_BYTES: usize = 5 << 20;
const TIMEOUT: Duration = Duration::from_secs(10);
const USER_AGENT: &str = "RSSReader/1.0";

pub(crate) fn routes() -> OpenApiRouter<Web> {
    OpenApiRouter::new().routes(routes!(proxy))
}

#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct ProxyQuery {
    /// The address of a post.
    url: String,
}

fn not_allowed() -> ApiError {
    ApiError::bad_request("URL not allowed").code("not_allowed")
}

fn not_available() -> ApiError {
    ApiError::bad_request("Resource not available").code("not_available")
}

fn too_large() -> ApiError {
    ApiError::new(StatusCode::PAYLOAD_TOO_LARGE, "too_large", "Resource too large")
}

/// The page of a post as safe HTML.
#[utoipa::path(get, path = "/api/proxy", tag = "posts", params(ProxyQuery),
    responses((status = 200, content_type = "text/html", body = String), (status = 400, body = ErrorBody),
        (status = 413, body = ErrorBody)))]
async fn proxy(
    State(web): State<Web>,
    principal: Principal,
    Query(query): Query<ProxyQuery>,
) -> Result<Response, ApiError> {
    principal.may(Permission::ReadOwn)?;
    let url = allowed_address(&query.url).ok_or_else(not_allowed)?;
    if !is_post_of(&web, principal.user, &query.url, &url).await? {
        return Err(not_allowed());
    }
    let (page, body) = visit(&web.engine, url.as_str()).await?;
    let html = web.cpu.run(body.decoded.len(), || cleaned(&body, &page)).await;
    let headers = [
        (CONTENT_TYPE, "text/html; charset=utf-8"),
        (CONTENT_SECURITY_POLICY, NOTHING_RUNS),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (CACHE_CONTROL, "private, no-store"),
    ];
    Ok((headers, html).into_response())
}

/// An address that may be asked for at all: http or https, a name and no number, the usual ports, no credentials.
fn allowed_address(text: &str) -> Option<Url> {
    let url = Url::parse(text).ok()?;
    let usual = matches!(url.scheme(), "http" | "https") && matches!(url.port(), None | Some(80 | 443));
    let named = matches!(url.host(), Some(Host::Domain(name)) if !name.is_empty());
    let anonymous = url.username().is_empty() && url.password().is_none();
    (usual && named && anonymous).then_some(url)
}

/// Whether a feed of the user has named this page, and one of their feeds is of this host.
async fn is_post_of(web: &Web, user: UserId, text: &str, url: &Url) -> Result<bool, ApiError> {
    let Some(key) = policy::link_key(text) else { return Ok(false) };
    let links = web.store.links_with_key(user, key).await?;
    let named = |link: &String| link == text || policy::canonical_url(link).is_ok_and(|canonical| canonical == text);
    if !links.iter().any(named) {
        return Ok(false);
    }
    // Parsing makes both sides punycode in small letters.
    let host_of = |address: &str| Url::parse(address).ok().and_then(|url| url.host_str().map(str::to_owned));
    let host = url.host_str().map(str::to_owned);
    let feeds = web.store.feed_labels(user).await?;
    Ok(feeds.iter().any(|feed| host_of(&feed.url) == host || feed.site_url.as_deref().and_then(host_of) == host))
}

/// Fetches the page, without following redirects; where it is, and its bytes.
async fn visit(engine: &Engine, url: &str) -> Result<(String, Body), ApiError> {
    let options = engine::Options { redirects: 0, timeout: TIMEOUT, ..engine.options().clone() };
    let engine = engine.clone().with_options(options);
    let request = VisitRequest { user_agent: Some(USER_AGENT.to_owned()), ..VisitRequest::to(url, Egress::Proxy) };
    let seen = engine::visit(&engine, &request).await?;
    let body = match seen.outcome {
        Outcome::Fresh(body) if seen.status.is_some_and(|status| (200..300).contains(&status)) => body,
        Outcome::Failed(Failure::TooLarge { .. }) => return Err(too_large()),
        _ => return Err(not_available()),
    };
    if body.decoded.len() > LIMIT_BYTES {
        return Err(too_large());
    }
    let media_type = body.content_type.as_deref().unwrap_or("text/html").trim().to_ascii_lowercase();
    let is_page = ["text/html", "application/xhtml+xml", "text/plain"].iter().any(|kind| media_type.starts_with(kind));
    if is_page { Ok((seen.url, body)) } else { Err(not_available()) }
}

fn cleaned(body: &Body, url: &str) -> String {
    let html = syndication::utf8_form(&body.decoded, body.content_type.as_deref(), Some(url));
    let article = content::article(&html, url).map(|article| article.html);
    article.unwrap_or_else(|| content::clean(&html, Some(url), &content::Limits::PAGE).html)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_that_may_be_asked_for() {
        let check = |text: &str, expected| assert_eq!(allowed_address(text).is_some(), expected, "{text}");
        for text in
            ["https://one.example/a", "http://one.example:80/", "https://one.example:443/", "http://one.example:443/"]
        {
            check(text, true);
        }
        check("https://bücher.example/", true);
        let refused = [
            "",
            "one.example/a",
            "//one.example/",
            "ftp://one.example/",
            "file:///etc/passwd",
            "javascript:alert(1)",
            "https://one.example:8443/",
            "http://one.example:22/",
            "http://127.0.0.1/",
            "http://0x7f.1/",
            "http://2130706433/",
            "http://017700000001/",
            "http://[::1]/",
            "http://[::ffff:10.0.0.1]/",
            "http://①②⑦.⓪.⓪.①/",
            "http://ada@one.example/",
            "http://ada:x@one.example/",
            "data:text/html,x",
        ];
        for text in refused {
            check(text, false);
        }
    }
}
