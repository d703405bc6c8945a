//! `/api/categories`: a user's folders. Deciding what may be moved where is `store`'s, in one statement each.

use super::shape::{DONE, Done, LooseId, maybe_null};
use crate::Web;
use crate::body::{Body, ListBody};
use crate::error::{ApiError, ErrorBody};
use crate::etag::tagged_as_it_is;
use crate::principal::Principal;
use crate::query::Path;
use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use model::reader::Category;
use model::{CategoryId, UserId};
use policy::permission::Permission;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use store::{CategoryChange, UnreadCount};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

/// A name is not longer than this.
const LONGEST_NAME: usize = 200;

pub(crate) fn routes() -> OpenApiRouter<Web> {
    OpenApiRouter::new().routes(routes!(list, create)).routes(routes!(one, update, delete)).routes(routes!(reorder))
}

/// A folder of feeds.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub(crate) struct CategoryBody {
    id: i64,
    name: String,
    /// The folder it is in.
    parent_id: Option<i64>,
    /// Order among its siblings.
    position: i64,
    /// Unread posts in it and in what is below it.
    unread_count: u64,
    /// The permanent one, which takes what is in no other.
    is_default: bool,
}

#[derive(Debug, Deserialize, ToSchema)]
struct NewCategory {
    name: String,
    #[serde(default)]
    #[schema(value_type = Option<i64>)]
    parent_id: Option<LooseId>,
}

#[derive(Debug, Deserialize, ToSchema)]
struct CategoryUpdate {
    name: Option<String>,
    /// Null moves it to the root; left out, it stays where it is.
    #[serde(default, deserialize_with = "maybe_null")]
    #[schema(value_type = Option<i64>)]
    parent_id: Option<Option<LooseId>>,
}

#[derive(Debug, Deserialize, ToSchema)]
struct Place {
    #[schema(value_type = i64)]
    id: LooseId,
    position: i64,
}

/// The categories below each of these, and itself: what a list of a category shows.
pub(crate) fn with_descendants(categories: &[Category], root: CategoryId) -> Vec<CategoryId> {
    let mut found = vec![root];
    let mut next = 0;
    while let Some(parent) = found.get(next).copied() {
        let children = categories.iter().filter(|category| category.parent == Some(parent)).map(|category| category.id);
        let new: Vec<CategoryId> = children.filter(|id| !found.contains(id)).collect();
        found.extend(new);
        next += 1;
    }
    found
}

/// The user's category with an id, with those below it.
pub(crate) async fn scope(web: &Web, user: UserId, category: i64) -> Result<Vec<CategoryId>, ApiError> {
    let all = web.store.categories(user).await?;
    if !all.iter().any(|found| found.id.0 == category) {
        return Err(no_such_category());
    }
    Ok(with_descendants(&all, CategoryId(category)))
}

pub(crate) fn no_such_category() -> ApiError {
    ApiError::not_found("Category not found")
}

/// `None` is the user's permanent category.
pub(crate) async fn category_or_default(
    web: &Web,
    user: UserId,
    category: Option<i64>,
) -> Result<CategoryId, ApiError> {
    match category {
        None => Ok(web.store.default_category(user).await?),
        Some(id) => {
            let known = web.store.categories(user).await?.iter().any(|found| found.id.0 == id);
            if known { Ok(CategoryId(id)) } else { Err(no_such_category()) }
        }
    }
}

fn is_default(category: &Category) -> bool {
    category.parent.is_none() && category.name == "Default"
}

fn bodies(categories: &[Category], counts: &[UnreadCount]) -> Vec<CategoryBody> {
    let mut unread: HashMap<CategoryId, u64> = HashMap::new();
    let parents: HashMap<CategoryId, Option<CategoryId>> =
        categories.iter().map(|category| (category.id, category.parent)).collect();
    for count in counts {
        let mut at = Some(count.category);
        // As deep as the tree is: a circle cannot be stored, and would end here.
        for _ in 0..=categories.len() {
            let Some(id) = at else { break };
            *unread.entry(id).or_default() += count.unread;
            at = parents.get(&id).copied().flatten();
        }
    }
    let mut sorted: Vec<&Category> = categories.iter().collect();
    sorted.sort_by_key(|category| (!is_default(category), category.position, category.id));
    let body = |category: &Category| CategoryBody {
        id: category.id.0,
        name: category.name.clone(),
        parent_id: category.parent.map(|id| id.0),
        position: category.position,
        unread_count: unread.get(&category.id).copied().unwrap_or(0),
        is_default: is_default(category),
    };
    sorted.into_iter().map(body).collect()
}

async fn all(web: &Web, user: UserId) -> Result<Vec<CategoryBody>, ApiError> {
    let categories = web.store.categories(user).await?;
    Ok(bodies(&categories, &web.store.unread_counts(user).await?))
}

async fn found(web: &Web, user: UserId, id: i64) -> Result<CategoryBody, ApiError> {
    all(web, user).await?.into_iter().find(|category| category.id == id).ok_or_else(no_such_category)
}

/// A name that a category may have.
pub(crate) fn valid_name(name: &str) -> Result<&str, ApiError> {
    let name = name.trim();
    if name.is_empty() || name.chars().count() > LONGEST_NAME || name.chars().any(char::is_control) {
        return Err(ApiError::unprocessable(format!("A category needs a name of 1 to {LONGEST_NAME} letters")));
    }
    Ok(name)
}

/// All categories, the permanent one first, with their unread posts.
#[utoipa::path(get, path = "/api/categories", tag = "categories", 
    responses((status = 200, body = Vec<CategoryBody>), (status = 304)))]
async fn list(State(web): State<Web>, principal: Principal) -> Result<Response, ApiError> {
    principal.may(Permission::ReadOwn)?;
    let all = all(&web, principal.user).await?;
    Ok(tagged_as_it_is(&all))
}

/// One category.
#[utoipa::path(get, path = "/api/categories/{id}", tag = "categories", params(("id" = i64, Path)),
    responses((status = 200, body = CategoryBody), (status = 404, body = ErrorBody)))]
async fn one(
    State(web): State<Web>,
    principal: Principal,
    Path(id): Path<i64>,
) -> Result<Json<CategoryBody>, ApiError> {
    principal.may(Permission::ReadOwn)?;
    found(&web, principal.user, id).await.map(Json)
}

/// Makes a category. A sibling of that name is a conflict.
#[utoipa::path(post, path = "/api/categories", tag = "categories", request_body = NewCategory,
    responses((status = 201, body = CategoryBody), (status = 404, body = ErrorBody), (status = 409, body = ErrorBody),
        (status = 422, body = ErrorBody)))]
async fn create(
    State(web): State<Web>,
    principal: Principal,
    Body(new): Body<NewCategory>,
) -> Result<(StatusCode, Json<CategoryBody>), ApiError> {
    principal.may(Permission::WriteOwn)?;
    let (name, parent) = (valid_name(&new.name)?, new.parent_id.map(|id| CategoryId(id.0)));
    let made = web.store.new_category(principal.user, parent, name, web.now()).await?;
    let id = made.map_err(refused)?;
    Ok((StatusCode::CREATED, Json(found(&web, principal.user, id.0).await?)))
}

fn refused(change: CategoryChange) -> ApiError {
    match change {
        CategoryChange::NameTaken => ApiError::conflict("A category of this name is there already"),
        CategoryChange::Refused | CategoryChange::Done => no_such_category(),
    }
}

/// Renames a category, or moves it below another.
#[utoipa::path(put, path = "/api/categories/{id}", tag = "categories", params(("id" = i64, Path)),
    request_body = CategoryUpdate,
    responses((status = 200, body = CategoryBody), (status = 404, body = ErrorBody), (status = 409, body = ErrorBody),
        (status = 422, body = ErrorBody)))]
async fn update(
    State(web): State<Web>,
    principal: Principal,
    Path(id): Path<i64>,
    Body(update): Body<CategoryUpdate>,
) -> Result<Json<CategoryBody>, ApiError> {
    principal.may(Permission::WriteOwn)?;
    let before = found(&web, principal.user, id).await?;
    let name = update.name.as_deref().map(valid_name).transpose()?;
    let parent = update.parent_id.map(|parent| parent.map(|id| CategoryId(id.0)));
    // Clients send what is there along with what they change.
    let parent = parent.filter(|parent| parent.map(|id| id.0) != before.parent_id);
    match web.store.change_category(principal.user, CategoryId(id), name, parent).await? {
        CategoryChange::Done => found(&web, principal.user, id).await.map(Json),
        CategoryChange::NameTaken => Err(refused(CategoryChange::NameTaken)),
        CategoryChange::Refused if before.is_default => {
            Err(ApiError::conflict("The permanent category can neither be renamed nor moved"))
        }
        CategoryChange::Refused => {
            let detail = "The new parent is none of your categories, or lies below this one; choose another";
            Err(ApiError::unprocessable(detail))
        }
    }
}

/// Deletes a category: its feeds go to the permanent one, its children up one level.
#[utoipa::path(delete, path = "/api/categories/{id}", tag = "categories", params(("id" = i64, Path)),
    responses((status = 200, body = Done), (status = 404, body = ErrorBody), (status = 409, body = ErrorBody)))]
async fn delete(State(web): State<Web>, principal: Principal, Path(id): Path<i64>) -> Result<Json<Done>, ApiError> {
    principal.may(Permission::WriteOwn)?;
    let before = found(&web, principal.user, id).await?;
    match web.store.delete_category(principal.user, CategoryId(id)).await? {
        CategoryChange::Done => Ok(Json(DONE)),
        _ if before.is_default => Err(ApiError::conflict("The permanent category cannot be deleted")),
        change => Err(refused(change)),
    }
}

/// Puts categories into an order.
#[utoipa::path(patch, path = "/api/categories/reorder", tag = "categories", request_body = Vec<Place>,
    responses((status = 200, body = Done), (status = 404, body = ErrorBody)))]
async fn reorder(
    State(web): State<Web>,
    principal: Principal,
    ListBody(places): ListBody<Place>,
) -> Result<Json<Done>, ApiError> {
    principal.may(Permission::WriteOwn)?;
    let places: Vec<(CategoryId, i64)> = places.iter().map(|place| (CategoryId(place.id.0), place.position)).collect();
    match web.store.place_categories(principal.user, &places).await? {
        CategoryChange::Done => Ok(Json(DONE)),
        change => Err(refused(change)),
    }
}
