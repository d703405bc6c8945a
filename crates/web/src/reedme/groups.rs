//! `/reedme/api/groups`: categories, flat, `Default` first.

use super::{Data, data};
use crate::Web;
use crate::body::Body;
use crate::error::ApiError;
use crate::principal::Principal;
use crate::query::Path;
use axum::extract::State;
use axum::http::StatusCode;
use axum::routing::get;
use axum::{Json, Router};
use model::reader::Category;
use model::{CategoryId, UserId};
use policy::permission::Permission;
use serde::{Deserialize, Serialize};
use store::CategoryChange;

pub(crate) fn routes() -> Router<Web> {
    Router::new()
        .route("/reedme/api/groups", get(list).post(create))
        .route("/reedme/api/groups/{id}", get(one).patch(update).delete(delete))
}

#[derive(Serialize)]
struct Group {
    id: i64,
    name: String,
    created_at: i64,
    updated_at: i64,
}

#[derive(Deserialize)]
struct Named {
    name: String,
}

fn body(category: &Category) -> Group {
    let at = category.created_at.as_second();
    Group { id: category.id.0, name: category.name.clone(), created_at: at, updated_at: at }
}

async fn all(web: &Web, user: UserId) -> Result<Vec<Group>, ApiError> {
    let mut categories = web.store.categories(user).await?;
    categories.sort_by_key(|found| (found.parent.is_some() || found.name != "Default", found.position, found.id));
    Ok(categories.iter().map(body).collect())
}

async fn found(web: &Web, user: UserId, id: i64) -> Result<Group, ApiError> {
    let found = all(web, user).await?.into_iter().find(|group| group.id == id);
    found.ok_or_else(|| ApiError::not_found("There is no such group"))
}

fn refused(change: CategoryChange) -> ApiError {
    match change {
        CategoryChange::NameTaken => ApiError::conflict("There is a group of this name"),
        CategoryChange::Refused | CategoryChange::Done => ApiError::conflict("This group cannot be changed"),
    }
}

async fn list(State(web): State<Web>, principal: Principal) -> Result<Json<Data<Vec<Group>>>, ApiError> {
    principal.may(Permission::ReadOwn)?;
    all(&web, principal.user).await.map(data)
}

async fn one(State(web): State<Web>, principal: Principal, Path(id): Path<i64>) -> Result<Json<Data<Group>>, ApiError> {
    principal.may(Permission::ReadOwn)?;
    found(&web, principal.user, id).await.map(data)
}

async fn create(
    State(web): State<Web>,
    principal: Principal,
    Body(new): Body<Named>,
) -> Result<Json<Data<Group>>, ApiError> {
    principal.may(Permission::WriteOwn)?;
    let name = crate::reader::category_name(&new.name)?;
    let id = web.store.new_category(principal.user, None, name, web.now()).await?.map_err(refused)?;
    found(&web, principal.user, id.0).await.map(data)
}

async fn update(
    State(web): State<Web>,
    principal: Principal,
    Path(id): Path<i64>,
    Body(new): Body<Named>,
) -> Result<Json<Data<Group>>, ApiError> {
    principal.may(Permission::WriteOwn)?;
    found(&web, principal.user, id).await?;
    let name = crate::reader::category_name(&new.name)?;
    match web.store.change_category(principal.user, CategoryId(id), Some(name), None).await? {
        CategoryChange::Done => found(&web, principal.user, id).await.map(data),
        change => Err(refused(change)),
    }
}

async fn delete(State(web): State<Web>, principal: Principal, Path(id): Path<i64>) -> Result<StatusCode, ApiError> {
    principal.may(Permission::WriteOwn)?;
    found(&web, principal.user, id).await?;
    match web.store.delete_category(principal.user, CategoryId(id)).await? {
        CategoryChange::Done => Ok(StatusCode::NO_CONTENT),
        change => Err(refused(change)),
    }
}
