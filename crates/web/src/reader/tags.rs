//! `/api/tags`: a user's labels, and those of a post. Names are compared without regard to case.

use super::bookmarks::no_such_post;
use super::shape::{DONE, Done};
use crate::Web;
use crate::body::Body;
use crate::error::{ApiError, ErrorBody};
use crate::principal::Principal;
use crate::query::Path;
use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use model::library::Tag;
use model::{EntryId, TagId, UserId};
use policy::permission::Permission;
use serde::{Deserialize, Serialize};
use store::{Made, Renamed};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

const LONGEST_NAME: usize = 100;
/// Tags on one post or bookmark.
const MOST_TAGS: usize = 50;

pub(crate) fn routes() -> OpenApiRouter<Web> {
    OpenApiRouter::new()
        .routes(routes!(list, create))
        .routes(routes!(rename, delete))
        .routes(routes!(of_post, set_of_post))
}

/// A label.
#[derive(Debug, Clone, Serialize, ToSchema)]
struct TagBody {
    id: i64,
    name: String,
    /// How many posts and bookmarks have it.
    uses: u64,
}

impl From<Tag> for TagBody {
    fn from(tag: Tag) -> Self {
        Self { id: tag.id.0, name: tag.name, uses: tag.uses }
    }
}

#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct TagName {
    name: String,
}

/// The names of tags.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct Tags {
    tags: Vec<String>,
}

fn valid_name(name: &str) -> Result<String, ApiError> {
    let name = name.trim();
    if name.is_empty() || name.chars().count() > LONGEST_NAME || name.chars().any(char::is_control) {
        return Err(ApiError::unprocessable(format!("A tag has a name of 1 to {LONGEST_NAME} letters")).reason("name"));
    }
    Ok(name.to_owned())
}

/// The tags that a post or a bookmark is to have.
pub(crate) fn valid_names(names: &[String]) -> Result<Vec<String>, ApiError> {
    if names.len() > MOST_TAGS {
        return Err(ApiError::unprocessable(format!("At most {MOST_TAGS} tags fit here")).reason("tags"));
    }
    names.iter().map(|name| valid_name(name)).collect()
}

async fn found(web: &Web, user: UserId, id: TagId) -> Result<TagBody, ApiError> {
    let tag = web.store.tags(user).await?.into_iter().find(|tag| tag.id == id);
    tag.map(TagBody::from).ok_or_else(no_such_tag)
}

fn no_such_tag() -> ApiError {
    ApiError::not_found("Tag not found")
}

/// All tags by name.
#[utoipa::path(get, path = "/api/tags", tag = "tags", responses((status = 200, body = Vec<TagBody>)))]
async fn list(State(web): State<Web>, principal: Principal) -> Result<Json<Vec<TagBody>>, ApiError> {
    principal.may(Permission::ReadOwn)?;
    Ok(Json(web.store.tags(principal.user).await?.into_iter().map(TagBody::from).collect()))
}

/// Makes a tag. One of that name that is there already is the answer, with 200.
#[utoipa::path(post, path = "/api/tags", tag = "tags", request_body = TagName,
    responses((status = 201, body = TagBody), (status = 200, body = TagBody), (status = 422, body = ErrorBody)))]
async fn create(
    State(web): State<Web>,
    principal: Principal,
    Body(new): Body<TagName>,
) -> Result<(StatusCode, Json<TagBody>), ApiError> {
    principal.may(Permission::WriteOwn)?;
    let (tag, made) = web.store.make_tag(principal.user, &valid_name(&new.name)?, web.now()).await?;
    let status = if made == Made::New { StatusCode::CREATED } else { StatusCode::OK };
    Ok((status, Json(tag.into())))
}

/// Renames a tag.
#[utoipa::path(put, path = "/api/tags/{id}", tag = "tags", params(("id" = i64, Path)), request_body = TagName,
    responses((status = 200, body = TagBody), (status = 404, body = ErrorBody), (status = 409, body = ErrorBody),
        (status = 422, body = ErrorBody)))]
async fn rename(
    State(web): State<Web>,
    principal: Principal,
    Path(id): Path<i64>,
    Body(new): Body<TagName>,
) -> Result<Json<TagBody>, ApiError> {
    principal.may(Permission::WriteOwn)?;
    match web.store.rename_tag(principal.user, TagId(id), &valid_name(&new.name)?).await? {
        Renamed::Done => found(&web, principal.user, TagId(id)).await.map(Json),
        Renamed::Taken => Err(ApiError::conflict("Another tag has this name")),
        Renamed::Missing => Err(no_such_tag()),
    }
}

/// Forgets a tag, wherever it is used.
#[utoipa::path(delete, path = "/api/tags/{id}", tag = "tags", params(("id" = i64, Path)),
    responses((status = 200, body = Done), (status = 404, body = ErrorBody)))]
async fn delete(State(web): State<Web>, principal: Principal, Path(id): Path<i64>) -> Result<Json<Done>, ApiError> {
    principal.may(Permission::WriteOwn)?;
    if !web.store.delete_tag(principal.user, TagId(id)).await? {
        return Err(no_such_tag());
    }
    Ok(Json(DONE))
}

async fn tags_of(web: &Web, user: UserId, post: EntryId) -> Result<Json<Tags>, ApiError> {
    let tags = web.store.entry_tags(user, &[post]).await?.remove(&post).unwrap_or_default();
    Ok(Json(Tags { tags }))
}

/// The tags of a post.
#[utoipa::path(get, path = "/api/posts/{id}/tags", tag = "tags", params(("id" = i64, Path)),
    responses((status = 200, body = Tags), (status = 404, body = ErrorBody)))]
async fn of_post(State(web): State<Web>, principal: Principal, Path(id): Path<i64>) -> Result<Json<Tags>, ApiError> {
    principal.may(Permission::ReadOwn)?;
    super::posts::found(&web, principal.user, id).await?;
    tags_of(&web, principal.user, EntryId(id)).await
}

/// Lets a post have exactly these tags; those that are new are made.
#[utoipa::path(put, path = "/api/posts/{id}/tags", tag = "tags", params(("id" = i64, Path)), request_body = Tags,
    responses((status = 200, body = Tags), (status = 404, body = ErrorBody), (status = 422, body = ErrorBody)))]
async fn set_of_post(
    State(web): State<Web>,
    principal: Principal,
    Path(id): Path<i64>,
    Body(wanted): Body<Tags>,
) -> Result<Json<Tags>, ApiError> {
    principal.may(Permission::WriteOwn)?;
    let names = valid_names(&wanted.tags)?;
    super::posts::found(&web, principal.user, id).await?;
    web.store.set_entry_tags(principal.user, EntryId(id), &names, web.now()).await.map_err(no_such_post)?;
    tags_of(&web, principal.user, EntryId(id)).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_bounds() {
        assert_eq!(valid_name("  Later ").unwrap(), "Later");
        for name in ["", "  ", "a\nb", &"a".repeat(LONGEST_NAME + 1)] {
            assert_eq!(valid_name(name).unwrap_err().status.as_u16(), 422, "{name}");
        }
        assert_eq!(valid_names(&vec!["a".to_owned(); MOST_TAGS]).unwrap().len(), MOST_TAGS);
        assert_eq!(valid_names(&vec!["a".to_owned(); MOST_TAGS + 1]).unwrap_err().reason.as_deref(), Some("tags"));
    }
}
