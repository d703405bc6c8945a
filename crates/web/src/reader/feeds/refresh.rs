//! Visiting feeds on demand, and switching one on again.

use super::{found, may_change_feed};
use crate::Web;
use crate::error::{ApiError, ErrorBody};
use crate::principal::Principal;
use crate::query::Path;
use crate::reader::shape::{DONE, Done};
use axum::Json;
use axum::extract::State;
use engine::{Enabled, Insistence};
use model::{FeedId, UserId, Viewer};
use policy::permission::Permission;
use reader::Refreshed;
use serde::Serialize;
use utoipa::ToSchema;

/// Takes one of the visits that a user may ask for.
pub(crate) fn within_limit(web: &Web, user: UserId, feed: FeedId) -> Result<(), ApiError> {
    let (limits, now) = (&web.options.limits.refresh, web.now());
    web.requests.take(("refresh", user, feed), &limits.same_feed, now).map_err(ApiError::too_many)?;
    web.requests.take(("refreshes", user), &limits.feeds, now).map_err(ApiError::too_many)
}

/// What a visit on demand brought.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub(crate) struct RefreshBody {
    ok: bool,
    /// False if the visit had not ended when the answer was sent.
    finished: bool,
    new_posts: u64,
    /// Posts of the document that were known.
    skipped_duplicates: u64,
    errors: Vec<String>,
}

pub(crate) fn refresh_body(refreshed: &Refreshed) -> RefreshBody {
    RefreshBody {
        ok: refreshed.error.is_none(),
        finished: refreshed.finished,
        new_posts: refreshed.new,
        skipped_duplicates: refreshed.known,
        errors: refreshed.error.iter().cloned().collect(),
    }
}

/// Visits a feed now, unless its server asked to be left alone. Waits for up to ten seconds.
#[utoipa::path(post, path = "/api/feeds/{id}/refresh", tag = "feeds", params(("id" = i64, Path)),
    responses((status = 200, body = RefreshBody), (status = 404, body = ErrorBody), (status = 409, body = ErrorBody),
        (status = 429, body = ErrorBody)))]
pub(super) async fn refresh(
    State(web): State<Web>,
    principal: Principal,
    Path(id): Path<i64>,
) -> Result<Json<RefreshBody>, ApiError> {
    principal.may(Permission::WriteOwn)?;
    found(&web, principal.user, id).await?;
    within_limit(&web, principal.user, FeedId(id))?;
    let refreshed = reader::refresh(&web.engine, principal.viewer(), FeedId(id), Insistence::Polite).await?;
    if let Some(why) = &refreshed.refused {
        return Err(ApiError::conflict(why.clone()).code("not_visited"));
    }
    Ok(Json(refresh_body(&refreshed)))
}

/// What visits of all feeds brought so far.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub(super) struct RefreshAllBody {
    ok: bool,
    /// Feeds that are visited.
    feeds: u64,
    /// Of these, how many were when the answer was sent.
    finished: u64,
    new_posts: u64,
    errors: Vec<String>,
}

/// Visits all feeds of the user now. Answers after ten seconds at most; the rest goes on.
#[utoipa::path(post, path = "/api/feeds/refresh", tag = "feeds",
    responses((status = 200, body = RefreshAllBody), (status = 429, body = ErrorBody)))]
pub(super) async fn refresh_all(
    State(web): State<Web>,
    principal: Principal,
) -> Result<Json<RefreshAllBody>, ApiError> {
    principal.may(Permission::WriteOwn)?;
    // No feed has this id. How often each is visited is up to its rate group.
    within_limit(&web, principal.user, FeedId(0))?;
    let done = reader::refresh_all(&web.engine, principal.user).await?;
    let (feeds, finished) = (done.feeds, done.finished);
    Ok(Json(RefreshAllBody { ok: true, feeds, finished, new_posts: done.new, errors: done.errors }))
}

/// Switches a feed on that was switched off after failures, and visits it.
#[utoipa::path(post, path = "/api/feeds/{id}/enable", tag = "feeds", params(("id" = i64, Path)),
    responses((status = 200, body = Done), (status = 403, body = ErrorBody), (status = 404, body = ErrorBody),
        (status = 409, body = ErrorBody)))]
pub(super) async fn enable(
    State(web): State<Web>,
    principal: Principal,
    Path(id): Path<i64>,
) -> Result<Json<Done>, ApiError> {
    principal.may(Permission::WriteOwn)?;
    let feed = found(&web, principal.user, id).await?;
    may_change_feed(&principal, &feed)?;
    match engine::enable_feed(&web.store, Viewer::Operator, feed.feed, web.now()).await? {
        Enabled::Refused(why) => Err(ApiError::conflict(format!("The feed cannot be switched on: {why}"))),
        Enabled::Done | Enabled::Already => {
            reader::refresh(&web.engine, principal.viewer(), feed.feed, Insistence::Polite).await?;
            Ok(Json(DONE))
        }
    }
}
