//! `/api/status`: how the installation is, in A's words; `/api/admin/…`: what an operator asks for over HTTP.

use super::shape::Done;
use crate::Web;
use crate::body::OptionalBody;
use crate::error::{ApiError, ErrorBody};
use crate::etag::tagged_as_it_is;
use crate::principal::Principal;
use axum::Json;
use axum::extract::State;
use axum::response::Response;
use policy::permission::Permission;
use serde::{Deserialize, Serialize};
use store::HEALTH_WARNING;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

pub(crate) fn routes() -> OpenApiRouter<Web> {
    OpenApiRouter::new()
        .routes(routes!(status))
        .routes(routes!(admin_status))
        .routes(routes!(vacuum))
        .routes(routes!(reprocess_summary))
}

/// How the installation is.
#[derive(Debug, Clone, Serialize, ToSchema)]
struct StatusBody {
    /// Feeds that the user follows.
    feeds_count: u64,
    /// Posts in them.
    posts_count: u64,
    unread_count: u64,
    /// Summaries that wait to be written.
    queue_size: u64,
    /// Whether summaries are paused: `closed`, `open` or `half`.
    circuit_breaker: &'static str,
    ai: AiBody,
    /// What an operator should look at.
    health_warning: Option<String>,
    db_size_mb: f64,
    version: &'static str,
}

/// What makes summaries, and whether the budget allows them.
#[derive(Debug, Clone, Serialize, ToSchema)]
struct AiBody {
    enabled: bool,
    /// `local`, or who is asked besides.
    provider: &'static str,
    /// `normal`, `reduced`, `queued` or `stopped`.
    budget_state: &'static str,
}

async fn figures(web: &Web, principal: &Principal) -> Result<StatusBody, ApiError> {
    let feeds = web.store.followed(principal.user).await?;
    let bytes = web.store.size_bytes().await?;
    let ai = AiBody {
        enabled: web.enrich.options().rules.ai.enabled && !web.enrich.is_stopped().await?,
        provider: web.enrich.provider(),
        budget_state: web.enrich.budget_state().await?.as_str(),
    };
    let waiting = web.enrich.waiting().await?;
    Ok(StatusBody {
        feeds_count: feeds.len() as u64,
        posts_count: feeds.iter().map(|feed| feed.entries).sum(),
        unread_count: feeds.iter().map(|feed| feed.unread).sum(),
        queue_size: if ai.enabled { waiting } else { 0 },
        circuit_breaker: web.enrich.breaker().await?.as_str(),
        ai,
        health_warning: web.store.setting(HEALTH_WARNING).await?,
        db_size_mb: (bytes as f64 / 1024.0 / 1024.0 * 100.0).round() / 100.0,
        version: env!("CARGO_PKG_VERSION"),
    })
}

/// How the installation is, for the user who asks.
#[utoipa::path(get, path = "/api/status", tag = "status",
    responses((status = 200, body = StatusBody), (status = 304)))]
async fn status(State(web): State<Web>, principal: Principal) -> Result<Response, ApiError> {
    principal.may(Permission::ReadOwn)?;
    let figures = figures(&web, &principal).await?;
    Ok(tagged_as_it_is(&figures))
}

/// The same, by its older name.
#[utoipa::path(get, path = "/api/admin/status", tag = "status", responses((status = 200, body = StatusBody)))]
async fn admin_status(State(web): State<Web>, principal: Principal) -> Result<Json<StatusBody>, ApiError> {
    principal.may(Permission::ReadOwn)?;
    figures(&web, &principal).await.map(Json)
}

/// How much smaller the database is.
#[derive(Debug, Clone, Serialize, ToSchema)]
struct VacuumBody {
    ok: bool,
    freed_bytes: u64,
}

/// Gives the space of deleted rows back to the disk.
#[utoipa::path(post, path = "/api/admin/vacuum", tag = "admin",
    responses((status = 200, body = VacuumBody), (status = 403, body = ErrorBody)))]
async fn vacuum(State(web): State<Web>, principal: Principal) -> Result<Json<VacuumBody>, ApiError> {
    principal.may(Permission::System)?;
    let before = web.store.size_bytes().await?;
    web.store.compact().await?;
    let after = web.store.size_bytes().await?;
    Ok(Json(VacuumBody { ok: true, freed_bytes: before.saturating_sub(after) }))
}

#[derive(Debug, Default, Deserialize, ToSchema)]
struct Reprocess {
    /// As `GET /api/posts/{id}` gives it.
    content_hash: Option<String>,
}

/// What was asked for again.
#[derive(Debug, Clone, Serialize, ToSchema)]
struct ReprocessBody {
    #[serde(flatten)]
    done: Done,
    /// How many posts with this content are looked at again.
    queued: u64,
}

/// Asks for the summaries of a content again, also those that failed.
#[utoipa::path(post, path = "/api/admin/reprocess-summary", tag = "admin", request_body = Reprocess,
    responses((status = 200, body = ReprocessBody), (status = 403, body = ErrorBody), (status = 422, body = ErrorBody)))]
async fn reprocess_summary(
    State(web): State<Web>,
    principal: Principal,
    OptionalBody(wish): OptionalBody<Reprocess>,
) -> Result<Json<ReprocessBody>, ApiError> {
    principal.may(Permission::System)?;
    let unreadable =
        || ApiError::unprocessable("`content_hash` must be the 32 digits that a post has").reason("content_hash");
    let text = wish.content_hash.ok_or_else(unreadable)?;
    let bytes = data_encoding::HEXLOWER_PERMISSIVE.decode(text.trim().as_bytes()).map_err(|_| unreadable())?;
    let hash = bytes.try_into().map_err(|_| unreadable())?;
    let queued = if web.enrich.options().rules.ai.enabled { web.enrich.reprocess(hash).await? as u64 } else { 0 };
    Ok(Json(ReprocessBody { done: super::shape::DONE, queued }))
}
