//! `/api/filters`: what a user wants done to entries that arrive. Conditions and actions are JSON as `model::filter` reads it,
//! what is allowed says `policy::filter`.

mod described;

use super::shape::{DONE, Done, moment};
use crate::Web;
use crate::body::Body;
use crate::error::{ApiError, ErrorBody};
use crate::principal::Principal;
use crate::query::Path;
use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use model::filter::{Action, Condition, Filter, Scope};
use model::{FilterId, UserId};
use policy::permission::Permission;
use serde::{Deserialize, Serialize};
use store::{FilterDraft, StoreError, StoredFilter};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use described::{ActionShape, ConditionShape, ScopeShape};

/// Filters of one user: each is asked about every entry.
const MOST: usize = 500;
/// Entries that are shown of those a filter would be about.
const EXAMPLES: usize = 20;

pub(crate) fn routes() -> OpenApiRouter<Web> {
    OpenApiRouter::new()
        .routes(routes!(list, create))
        .routes(routes!(update, delete))
        .routes(routes!(reorder))
        .routes(routes!(attempt))
}

/// A filter, and what came of it.
#[derive(Debug, Clone, Serialize, ToSchema)]
struct FilterBody {
    id: i64,
    name: String,
    /// `"all"`, `{"category": 3}` or `{"feed": 7}`.
    #[schema(value_type = ScopeShape)]
    scope: Scope,
    /// `{"any": [{"words": ["foo"], "in": "title"}, {"author": "bar", "not": true}]}`, or `all` of them.
    #[schema(value_type = ConditionShape)]
    condition: Condition,
    /// `"mute"`, `"mark_read"`, `"star"`, `{"tag": "later"}`.
    #[schema(value_type = Vec<ActionShape>)]
    actions: Vec<Action>,
    enabled: bool,
    /// How many entries it was about.
    hits: u64,
    last_hit_at: Option<String>,
}

impl From<StoredFilter> for FilterBody {
    fn from(stored: StoredFilter) -> Self {
        let Filter { id, name, scope, condition, actions, enabled } = stored.filter;
        let last_hit_at = stored.last_hit_at.map(moment);
        Self { id: id.0, name, scope, condition, actions, enabled, hits: stored.hits, last_hit_at }
    }
}

/// A filter to be made, or what one becomes.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({
    "name": "less noise", "condition": { "any": [{ "words": ["rumour*"], "in": "title" }] }, "actions": ["mark_read"],
}))]
struct FilterWish {
    /// Needed, but for a trial.
    #[serde(default)]
    name: String,
    /// `"all"` if left out.
    #[serde(default = "everything")]
    #[schema(value_type = ScopeShape)]
    scope: Scope,
    #[schema(value_type = ConditionShape)]
    condition: Condition,
    #[schema(value_type = Vec<ActionShape>)]
    actions: Vec<Action>,
    #[serde(default = "on")]
    enabled: bool,
}

#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct FilterTrial {
    filter: FilterWish,
}

#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct FilterOrder {
    /// In their new order.
    ids: Vec<i64>,
}

/// What a filter would be about.
#[derive(Debug, Clone, Serialize, ToSchema)]
struct TrialBody {
    matched: usize,
    /// The last posts that it was tried on.
    of: usize,
    examples: Vec<Example>,
}

#[derive(Debug, Clone, Serialize, ToSchema)]
struct Example {
    post_id: i64,
    title: String,
    /// Why.
    because: String,
}

fn everything() -> Scope {
    Scope::All
}

fn on() -> bool {
    true
}

/// What is stored, unless it is none that works.
fn draft(wish: FilterWish) -> Result<FilterDraft, ApiError> {
    let FilterWish { name, scope, condition, actions, enabled } = wish;
    let filter = Filter { id: FilterId(0), name: name.trim().to_owned(), scope, condition, actions, enabled };
    policy::filter::validate(&filter).map_err(ApiError::unprocessable)?;
    let Filter { name, scope, condition, actions, enabled, .. } = filter;
    Ok(FilterDraft { name, scope, condition, actions, enabled })
}

fn no_such_filter() -> ApiError {
    ApiError::not_found("Filter not found")
}

fn no_such_scope() -> ApiError {
    ApiError::not_found("The feed or category of this filter was not found").reason("scope")
}

async fn found(web: &Web, user: UserId, id: FilterId) -> Result<Json<FilterBody>, ApiError> {
    let stored = web.store.filters(user).await?.into_iter().find(|stored| stored.filter.id == id);
    stored.map(|stored| Json(stored.into())).ok_or_else(no_such_filter)
}

/// All filters in their order.
#[utoipa::path(get, path = "/api/filters", tag = "filters", responses((status = 200, body = Vec<FilterBody>)))]
async fn list(State(web): State<Web>, principal: Principal) -> Result<Json<Vec<FilterBody>>, ApiError> {
    principal.may(Permission::ReadOwn)?;
    Ok(Json(web.store.filters(principal.user).await?.into_iter().map(FilterBody::from).collect()))
}

/// Makes a filter, for what arrives from now on.
#[utoipa::path(post, path = "/api/filters", tag = "filters", request_body = FilterWish,
    responses((status = 201, body = FilterBody), (status = 404, body = ErrorBody), (status = 422, body = ErrorBody)))]
async fn create(
    State(web): State<Web>,
    principal: Principal,
    Body(wish): Body<FilterWish>,
) -> Result<(StatusCode, Json<FilterBody>), ApiError> {
    principal.may(Permission::WriteOwn)?;
    let (user, draft) = (principal.user, draft(wish)?);
    if web.store.filters(user).await?.len() >= MOST {
        return Err(ApiError::unprocessable(format!("There are {MOST} filters already; delete one first")));
    }
    let added = web.store.add_filter(user, &draft, web.now()).await.map_err(|error| match error {
        StoreError::NotFound { .. } => no_such_scope(),
        error => error.into(),
    });
    Ok((StatusCode::CREATED, found(&web, user, added?).await?))
}

/// Changes a filter as a whole.
#[utoipa::path(put, path = "/api/filters/{id}", tag = "filters", params(("id" = i64, Path)), request_body = FilterWish,
    responses((status = 200, body = FilterBody), (status = 404, body = ErrorBody), (status = 422, body = ErrorBody)))]
async fn update(
    State(web): State<Web>,
    principal: Principal,
    Path(id): Path<i64>,
    Body(wish): Body<FilterWish>,
) -> Result<Json<FilterBody>, ApiError> {
    principal.may(Permission::WriteOwn)?;
    let (user, id, draft) = (principal.user, FilterId(id), draft(wish)?);
    let _there = found(&web, user, id).await?;
    if !web.store.change_filter(user, id, &draft).await? {
        return Err(no_such_scope());
    }
    found(&web, user, id).await
}

/// Forgets a filter; what it did stays.
#[utoipa::path(delete, path = "/api/filters/{id}", tag = "filters", params(("id" = i64, Path)),
    responses((status = 200, body = Done), (status = 404, body = ErrorBody)))]
async fn delete(State(web): State<Web>, principal: Principal, Path(id): Path<i64>) -> Result<Json<Done>, ApiError> {
    principal.may(Permission::WriteOwn)?;
    if !web.store.delete_filter(principal.user, FilterId(id)).await? {
        return Err(no_such_filter());
    }
    Ok(Json(DONE))
}

/// Puts filters into an order.
#[utoipa::path(patch, path = "/api/filters/reorder", tag = "filters", request_body = FilterOrder,
    responses((status = 200, body = Done), (status = 404, body = ErrorBody)))]
async fn reorder(
    State(web): State<Web>,
    principal: Principal,
    Body(order): Body<FilterOrder>,
) -> Result<Json<Done>, ApiError> {
    principal.may(Permission::WriteOwn)?;
    let known = web.store.filters(principal.user).await?;
    let ids: Vec<FilterId> = order.ids.into_iter().map(FilterId).collect();
    if ids.iter().any(|id| !known.iter().any(|stored| stored.filter.id == *id)) {
        return Err(no_such_filter());
    }
    web.store.order_filters(principal.user, &ids).await?;
    Ok(Json(DONE))
}

/// Tries a filter on the last posts. Writes nothing.
#[utoipa::path(post, path = "/api/filters/try", tag = "filters", request_body = FilterTrial,
    responses((status = 200, body = TrialBody), (status = 422, body = ErrorBody)))]
async fn attempt(
    State(web): State<Web>,
    principal: Principal,
    Body(trial): Body<FilterTrial>,
) -> Result<Json<TrialBody>, ApiError> {
    principal.may(Permission::ReadOwn)?;
    let mut wish = trial.filter;
    if wish.name.trim().is_empty() {
        "a trial".clone_into(&mut wish.name);
    }
    let tried = ::reader::try_filter(&web.store, principal.user, &draft(wish)?).await?;
    let example = |matched: &::reader::Matched| Example {
        post_id: matched.entry.id.0,
        title: matched.entry.title.clone().unwrap_or_default(),
        because: matched.because.clone(),
    };
    let examples = tried.matched.iter().take(EXAMPLES).map(example).collect();
    Ok(Json(TrialBody { matched: tried.matched.len(), of: tried.of, examples }))
}
