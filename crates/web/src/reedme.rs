//! `/reedme/api`: the API of the front ends ReedMe and Fusion, as thin shapes over the same verbs. Answers are `{data}` or
//! `{data, total}`, errors `{error: "a sentence"}`. Times are unix seconds, 0 is unknown. A category is a *group* here, an
//! entry an *item*.

mod bookmarks;
mod feeds;
mod groups;
mod items;
mod search;
mod sessions;

use axum::middleware::map_response;
use axum::response::Response;
use axum::{Json, Router};
use serde::Serialize;
use serde_json::json;

use crate::error::reshaped;
use crate::{Web, oidc};

pub(crate) fn routes() -> Router<Web> {
    Router::new()
        .merge(sessions::routes())
        .merge(oidc::reedme_routes())
        .merge(groups::routes())
        .merge(feeds::routes())
        .merge(items::routes())
        .merge(bookmarks::routes())
        .merge(search::routes())
        .layer(map_response(shape))
}

/// Errors in the shape of this surface.
pub(crate) async fn shape(response: Response) -> Response {
    reshaped(response, |error| json!({ "error": error.detail }))
}

/// An answer.
#[derive(Serialize)]
pub(crate) struct Data<T> {
    data: T,
}

/// An answer that is a page of a list.
#[derive(Serialize)]
pub(crate) struct Listed<T> {
    data: Vec<T>,
    total: u64,
    /// For Fusion, which pages by cursor.
    next_cursor: Option<String>,
}

pub(crate) fn data<T>(data: T) -> Json<Data<T>> {
    Json(Data { data })
}
