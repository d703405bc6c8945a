//! `/api/feeds`: the feeds that a user follows. Verbs that visit or change a feed are `reader`'s and `engine`'s; here they
//! get their shape. What concerns a shared feed (address, proxy, policies, on and off) needs the right to change feeds.

mod body;
mod create;
mod discover;
mod refresh;
mod reorder;
mod update;

pub(crate) use body::{FeedBody, bodies, state_word};
pub(crate) use discover::{FoundFeed, feeds_at};
pub(crate) use refresh::{RefreshBody, refresh_body, within_limit};
pub(crate) use update::{FeedUpdate, change};

use super::categories::{category_or_default, with_descendants};
use super::shape::{DONE, Done};
use crate::Web;
use crate::error::{ApiError, ErrorBody};
use crate::etag::tagged_as_it_is;
use crate::principal::Principal;
use crate::query::{Path, Query};
use axum::Json;
use axum::extract::State;
use axum::response::Response;
use model::feed::FeedState;
use model::{FeedId, UserId};
use policy::permission::Permission;
use serde::Deserialize;
use store::Followed;
use utoipa::IntoParams;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

pub(crate) fn routes() -> OpenApiRouter<Web> {
    OpenApiRouter::new()
        .routes(routes!(list, create::create))
        .routes(routes!(one, update::update, delete))
        .routes(routes!(refresh::refresh_all))
        .routes(routes!(refresh::refresh))
        .routes(routes!(refresh::enable))
        .routes(routes!(discover::discover))
        .routes(routes!(discover::validate))
        .routes(routes!(create::batch))
        .routes(routes!(reorder::reorder))
}

pub(crate) fn no_such_feed() -> ApiError {
    ApiError::not_found("Feed not found")
}

pub(crate) async fn found(web: &Web, user: UserId, id: i64) -> Result<Followed, ApiError> {
    web.store.followed_feed(user, FeedId(id)).await?.ok_or_else(no_such_feed)
}

async fn found_body(web: &Web, user: UserId, id: i64) -> Result<FeedBody, ApiError> {
    let feed = found(web, user, id).await?;
    bodies(web, user, vec![feed]).await?.pop().ok_or_else(no_such_feed)
}

#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct ListQuery {
    /// With the categories below it.
    category_id: Option<i64>,
    /// Else only feeds that are visited; true if it is left out.
    include_disabled: Option<bool>,
}

/// The feeds that the user follows.
#[utoipa::path(get, path = "/api/feeds", tag = "feeds", params(ListQuery),
    responses((status = 200, body = Vec<FeedBody>), (status = 304), (status = 404, body = ErrorBody)))]
async fn list(
    State(web): State<Web>,
    principal: Principal,
    Query(query): Query<ListQuery>,
) -> Result<Response, ApiError> {
    principal.may(Permission::ReadOwn)?;
    let mut feeds = web.store.followed(principal.user).await?;
    if let Some(category) = query.category_id {
        let category = category_or_default(&web, principal.user, Some(category)).await?;
        let scope = with_descendants(&web.store.categories(principal.user).await?, category);
        feeds.retain(|feed| scope.contains(&feed.category));
    }
    if !query.include_disabled.unwrap_or(true) {
        feeds.retain(|feed| feed.state == FeedState::Active);
    }
    let bodies = bodies(&web, principal.user, feeds).await?;
    Ok(tagged_as_it_is(&bodies))
}

/// One of them.
#[utoipa::path(get, path = "/api/feeds/{id}", tag = "feeds", params(("id" = i64, Path)),
    responses((status = 200, body = FeedBody), (status = 404, body = ErrorBody)))]
async fn one(State(web): State<Web>, principal: Principal, Path(id): Path<i64>) -> Result<Json<FeedBody>, ApiError> {
    principal.may(Permission::ReadOwn)?;
    found_body(&web, principal.user, id).await.map(Json)
}

/// A title of a user's own; an empty one is none.
fn own_title(title: Option<&str>) -> Result<Option<String>, ApiError> {
    let title = title.map(str::trim).filter(|title| !title.is_empty());
    match title {
        Some(title) if title.chars().count() > 500 => {
            Err(ApiError::unprocessable("A title may have at most 500 letters"))
        }
        title => Ok(title.map(str::to_owned)),
    }
}

/// Whether somebody may change what all subscribers of a feed share: with the right to, or if it is theirs alone.
fn may_change_feed(principal: &Principal, feed: &Followed) -> Result<(), ApiError> {
    if feed.owner == Some(principal.user) { Ok(()) } else { principal.may(Permission::FeedSettings) }
}

/// Stops following a feed. Bookmarks stay. Following it again within thirty days brings back what was read.
#[utoipa::path(delete, path = "/api/feeds/{id}", tag = "feeds", params(("id" = i64, Path)),
    responses((status = 200, body = Done), (status = 404, body = ErrorBody)))]
async fn delete(State(web): State<Web>, principal: Principal, Path(id): Path<i64>) -> Result<Json<Done>, ApiError> {
    principal.may(Permission::WriteOwn)?;
    found(&web, principal.user, id).await?;
    reader::unsubscribe(&web.engine, principal.user, FeedId(id)).await?;
    Ok(Json(DONE))
}
