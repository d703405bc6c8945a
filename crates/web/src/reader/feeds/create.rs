//! Following feeds: one, found by its own address or by that of its site, or many by their own.

use super::body::FeedBody;
use super::{found_body, no_such_feed, own_title};
use crate::Web;
use crate::body::Body;
use crate::error::{ApiError, ErrorBody};
use crate::principal::Principal;
use crate::reader::categories::category_or_default;
use crate::reader::shape::LooseId;
use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use policy::permission::Permission;
use reader::{Subscribed, Wanted};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Feeds in one batch.
const MOST_AT_ONCE: usize = 1_000;

#[derive(Debug, Deserialize, ToSchema)]
pub(super) struct NewFeed {
    /// The address of a feed, or of a site that has one.
    url: String,
    /// Left out or null: the permanent category.
    #[serde(default)]
    #[schema(value_type = Option<i64>)]
    category_id: Option<LooseId>,
    title: Option<String>,
}

/// Why a feed was not added.
pub(super) fn not_added(subscribed: &Subscribed) -> Option<ApiError> {
    match subscribed {
        Subscribed::New(_) | Subscribed::Known(_) => None,
        Subscribed::AlreadySubscribed(feed) => {
            Some(ApiError::conflict("Feed with this URL already exists").id(feed.0).reason("already_subscribed"))
        }
        Subscribed::NoFeedFound => {
            Some(ApiError::unprocessable("No RSS/Atom feed found at this address").code("no_feed_found"))
        }
        Subscribed::CannotFetch(why) => {
            Some(ApiError::unprocessable("Could not fetch URL").code("cannot_fetch").reason(why.clone()))
        }
        Subscribed::BadAddress(why) => Some(ApiError::unprocessable(why.clone()).code("bad_address")),
    }
}

/// Follows a feed, found by its own address or by that of its site. The first visit is part of it, for up to ten seconds.
#[utoipa::path(post, path = "/api/feeds", tag = "feeds", request_body = NewFeed,
    responses((status = 201, body = FeedBody), (status = 404, body = ErrorBody), (status = 409, body = ErrorBody),
        (status = 422, body = ErrorBody)))]
pub(super) async fn create(
    State(web): State<Web>,
    principal: Principal,
    Body(new): Body<NewFeed>,
) -> Result<(StatusCode, Json<FeedBody>), ApiError> {
    principal.may(Permission::WriteOwn)?;
    let user = principal.user;
    let category = category_or_default(&web, user, new.category_id.map(|id| id.0)).await?;
    let wanted = Wanted { category: Some(category), title: own_title(new.title.as_deref())?, ..Wanted::at(&new.url) };
    let subscribed = reader::subscribe(&web.engine, user, &wanted).await?;
    if let Some(error) = not_added(&subscribed) {
        return Err(error);
    }
    let id = subscribed.feed().ok_or_else(no_such_feed)?;
    Ok((StatusCode::CREATED, Json(found_body(&web, user, id.0).await?)))
}

#[derive(Debug, Deserialize, ToSchema)]
pub(super) struct Batch {
    feeds: Vec<NewFeed>,
}

/// What became of many feeds.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub(super) struct BatchBody {
    created: usize,
    failed: usize,
    errors: Vec<String>,
    ids: Vec<i64>,
}

/// Follows many feeds by their own addresses. They are visited soon, and not before the answer.
#[utoipa::path(post, path = "/api/feeds/batch", tag = "feeds", request_body = Batch,
    responses((status = 201, body = BatchBody), (status = 404, body = ErrorBody), (status = 422, body = ErrorBody)))]
pub(super) async fn batch(
    State(web): State<Web>,
    principal: Principal,
    Body(batch): Body<Batch>,
) -> Result<(StatusCode, Json<BatchBody>), ApiError> {
    principal.may(Permission::WriteOwn)?;
    if batch.feeds.len() > MOST_AT_ONCE {
        return Err(ApiError::unprocessable(format!("Send at most {MOST_AT_ONCE} feeds at a time, or import a list")));
    }
    let user = principal.user;
    let mut body = BatchBody { created: 0, failed: 0, errors: Vec::new(), ids: Vec::new() };
    for new in &batch.feeds {
        let category = category_or_default(&web, user, new.category_id.map(|id| id.0)).await?;
        match reader::subscribe_at(&web.engine, user, &new.url, category, own_title(new.title.as_deref())?).await? {
            Subscribed::New(feed) | Subscribed::Known(feed) => {
                body.created += 1;
                body.ids.push(feed.0);
            }
            refused => {
                body.failed += 1;
                let why = not_added(&refused).map(|error| error.detail).unwrap_or_default();
                body.errors.push(format!("{}: {why}", new.url));
            }
        }
    }
    Ok((StatusCode::CREATED, Json(body)))
}
