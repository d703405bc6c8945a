//! The feeds of a site, without following any.

use crate::Web;
use crate::body::OptionalBody;
use crate::error::{ApiError, ErrorBody};
use crate::principal::Principal;
use crate::query::Query;
use crate::reader::shape::moment;
use axum::Json;
use axum::extract::State;
use engine::Reach;
use policy::permission::Permission;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

#[derive(Debug, Default, Deserialize, ToSchema)]
pub(super) struct Address {
    url: Option<String>,
}

#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct AddressQuery {
    /// Instead of the one in the body.
    url: Option<String>,
}

/// A feed of a site.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub(crate) struct FoundFeed {
    pub(crate) url: String,
    pub(crate) title: Option<String>,
    /// Its dialect.
    version: &'static str,
    posts: usize,
    last_post_at: Option<String>,
    posts_per_week: Option<f64>,
    /// Its first headlines.
    samples: Vec<String>,
    /// How it was found.
    why: String,
}

/// The feeds of a site.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub(super) struct DiscoverBody {
    /// The likeliest.
    feed_url: String,
    title: Option<String>,
    feeds: Vec<FoundFeed>,
}

/// The feeds at an address, the likeliest first; and why there are none, if the address could not be visited.
pub(crate) async fn feeds_at(web: &Web, url: &str) -> Result<(Vec<FoundFeed>, Option<String>), ApiError> {
    let found = match engine::discover(&web.engine, url, Reach { sitemap_pages: 0 }).await {
        Ok(found) => found,
        Err(engine::EngineError::Address { why, .. }) => return Err(ApiError::unprocessable(why).code("bad_address")),
        Err(error) => return Err(error.into()),
    };
    let failure = found.failure.is_some().then(|| found.failed.first().map(|(_, why)| why.clone()).unwrap_or_default());
    let body = |feed: engine::FoundFeed| FoundFeed {
        url: feed.url,
        title: feed.title,
        version: feed.version,
        posts: feed.entries,
        last_post_at: feed.last_entry_at.map(moment),
        posts_per_week: feed.per_week,
        samples: feed.samples,
        why: feed.why,
    };
    Ok((found.feeds.into_iter().map(body).collect(), failure))
}

fn address(query: AddressQuery, body: Address) -> Result<String, ApiError> {
    let url = query.url.or(body.url).filter(|url| !url.trim().is_empty());
    url.ok_or_else(|| ApiError::unprocessable("Say which address to look at, by `url`"))
}

/// Looks for the feeds of a site.
#[utoipa::path(post, path = "/api/feeds/discover", tag = "feeds", params(AddressQuery), request_body = Address,
    responses((status = 200, body = DiscoverBody), (status = 404, body = ErrorBody), (status = 422, body = ErrorBody)))]
pub(super) async fn discover(
    State(web): State<Web>,
    principal: Principal,
    Query(query): Query<AddressQuery>,
    OptionalBody(body): OptionalBody<Address>,
) -> Result<Json<DiscoverBody>, ApiError> {
    principal.may(Permission::WriteOwn)?;
    let (feeds, failure) = feeds_at(&web, &address(query, body)?).await?;
    match (feeds.first(), failure) {
        (Some(first), _) => Ok(Json(DiscoverBody { feed_url: first.url.clone(), title: first.title.clone(), feeds })),
        (None, Some(why)) => Err(ApiError::unprocessable("Could not fetch URL").code("cannot_fetch").reason(why)),
        (None, None) => Err(ApiError::not_found("No RSS/Atom feed found").code("no_feed_found")),
    }
}

/// Whether there are feeds at an address.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub(super) struct ValidateBody {
    valid: bool,
    feeds: Vec<FoundFeed>,
    /// Why not.
    problem: Option<String>,
}

/// Says whether an address is a feed or has one, without following it.
#[utoipa::path(post, path = "/api/feeds/validate", tag = "feeds", params(AddressQuery), request_body = Address,
    responses((status = 200, body = ValidateBody), (status = 422, body = ErrorBody)))]
pub(super) async fn validate(
    State(web): State<Web>,
    principal: Principal,
    Query(query): Query<AddressQuery>,
    OptionalBody(body): OptionalBody<Address>,
) -> Result<Json<ValidateBody>, ApiError> {
    principal.may(Permission::WriteOwn)?;
    let (feeds, failure) = feeds_at(&web, &address(query, body)?).await?;
    let valid = !feeds.is_empty();
    let problem = failure.or_else(|| (!valid).then(|| "no feed was found".to_owned()));
    Ok(Json(ValidateBody { valid, feeds, problem }))
}
