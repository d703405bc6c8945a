//! `/api/saved-searches`: queries that a user keeps under a name. A query that cannot be understood is not kept.

use super::shape::{DONE, Done, moment};
use crate::Web;
use crate::body::Body;
use crate::error::{ApiError, ErrorBody};
use crate::principal::Principal;
use crate::query::Path;
use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use model::library::SavedSearch;
use model::{SavedSearchId, UserId};
use policy::permission::Permission;
use policy::reader_query;
use serde::{Deserialize, Serialize};
use store::Renamed;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

const LONGEST_NAME: usize = 200;
/// Searches of one user.
const MOST: usize = 500;

pub(crate) fn routes() -> OpenApiRouter<Web> {
    OpenApiRouter::new().routes(routes!(list, create)).routes(routes!(update, delete)).routes(routes!(reorder))
}

/// A search under a name.
#[derive(Debug, Clone, Serialize, ToSchema)]
struct SavedSearchBody {
    id: i64,
    name: String,
    /// As typed into the search.
    query: String,
    position: i64,
    created_at: String,
}

impl From<SavedSearch> for SavedSearchBody {
    fn from(search: SavedSearch) -> Self {
        Self {
            id: search.id.0,
            name: search.name,
            query: search.query,
            position: search.position,
            created_at: moment(search.created_at),
        }
    }
}

#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct NewSavedSearch {
    name: String,
    query: String,
}

/// What is left out stays.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct SavedSearchUpdate {
    name: Option<String>,
    query: Option<String>,
}

#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct SearchOrder {
    /// In their new order.
    ids: Vec<i64>,
}

fn valid_name(name: &str) -> Result<&str, ApiError> {
    let name = name.trim();
    if name.is_empty() || name.chars().count() > LONGEST_NAME || name.chars().any(char::is_control) {
        let detail = format!("A search has a name of 1 to {LONGEST_NAME} letters");
        return Err(ApiError::unprocessable(detail).reason("name"));
    }
    Ok(name)
}

fn valid_query<'a>(web: &Web, query: &'a str) -> Result<&'a str, ApiError> {
    let problems = reader_query::parse(query, web.now()).problems;
    if problems.is_empty() { Ok(query) } else { Err(ApiError::unprocessable(problems.join("; ")).reason("query")) }
}

fn no_such_search() -> ApiError {
    ApiError::not_found("Saved search not found")
}

fn name_taken() -> ApiError {
    ApiError::conflict("Another search has this name")
}

async fn found(web: &Web, user: UserId, id: SavedSearchId) -> Result<Json<SavedSearchBody>, ApiError> {
    let search = web.store.saved_searches(user).await?.into_iter().find(|search| search.id == id);
    search.map(|search| Json(search.into())).ok_or_else(no_such_search)
}

/// All searches in their order.
#[utoipa::path(get, path = "/api/saved-searches", tag = "saved searches",
    responses((status = 200, body = Vec<SavedSearchBody>)))]
async fn list(State(web): State<Web>, principal: Principal) -> Result<Json<Vec<SavedSearchBody>>, ApiError> {
    principal.may(Permission::ReadOwn)?;
    Ok(Json(web.store.saved_searches(principal.user).await?.into_iter().map(SavedSearchBody::from).collect()))
}

/// Keeps a search.
#[utoipa::path(post, path = "/api/saved-searches", tag = "saved searches", request_body = NewSavedSearch,
    responses((status = 201, body = SavedSearchBody), (status = 409, body = ErrorBody), (status = 422, body = ErrorBody)))]
async fn create(
    State(web): State<Web>,
    principal: Principal,
    Body(new): Body<NewSavedSearch>,
) -> Result<(StatusCode, Json<SavedSearchBody>), ApiError> {
    principal.may(Permission::WriteOwn)?;
    let (user, name, query) = (principal.user, valid_name(&new.name)?, valid_query(&web, &new.query)?);
    if web.store.saved_searches(user).await?.len() >= MOST {
        return Err(ApiError::unprocessable(format!("There are {MOST} searches already; delete one first")));
    }
    let id = web.store.add_saved_search(user, name, query, web.now()).await?.ok_or_else(name_taken)?;
    Ok((StatusCode::CREATED, found(&web, user, id).await?))
}

/// Changes the name or the query.
#[utoipa::path(put, path = "/api/saved-searches/{id}", tag = "saved searches", params(("id" = i64, Path)),
    request_body = SavedSearchUpdate,
    responses((status = 200, body = SavedSearchBody), (status = 404, body = ErrorBody), (status = 409, body = ErrorBody),
        (status = 422, body = ErrorBody)))]
async fn update(
    State(web): State<Web>,
    principal: Principal,
    Path(id): Path<i64>,
    Body(update): Body<SavedSearchUpdate>,
) -> Result<Json<SavedSearchBody>, ApiError> {
    principal.may(Permission::WriteOwn)?;
    let (user, id) = (principal.user, SavedSearchId(id));
    let name = update.name.as_deref().map(valid_name).transpose()?;
    let query = update.query.as_deref().map(|query| valid_query(&web, query)).transpose()?;
    match web.store.change_saved_search(user, id, name, query).await? {
        Renamed::Done => found(&web, user, id).await,
        Renamed::Taken => Err(name_taken()),
        Renamed::Missing => Err(no_such_search()),
    }
}

/// Forgets a search.
#[utoipa::path(delete, path = "/api/saved-searches/{id}", tag = "saved searches", params(("id" = i64, Path)),
    responses((status = 200, body = Done), (status = 404, body = ErrorBody)))]
async fn delete(State(web): State<Web>, principal: Principal, Path(id): Path<i64>) -> Result<Json<Done>, ApiError> {
    principal.may(Permission::WriteOwn)?;
    if !web.store.delete_saved_search(principal.user, SavedSearchId(id)).await? {
        return Err(no_such_search());
    }
    Ok(Json(DONE))
}

/// Puts searches into an order.
#[utoipa::path(patch, path = "/api/saved-searches/reorder", tag = "saved searches", request_body = SearchOrder,
    responses((status = 200, body = Done), (status = 404, body = ErrorBody)))]
async fn reorder(
    State(web): State<Web>,
    principal: Principal,
    Body(order): Body<SearchOrder>,
) -> Result<Json<Done>, ApiError> {
    principal.may(Permission::WriteOwn)?;
    let known = web.store.saved_searches(principal.user).await?;
    let ids: Vec<SavedSearchId> = order.ids.into_iter().map(SavedSearchId).collect();
    if ids.iter().any(|id| !known.iter().any(|search| search.id == *id)) {
        return Err(no_such_search());
    }
    web.store.order_saved_searches(principal.user, &ids).await?;
    Ok(Json(DONE))
}
