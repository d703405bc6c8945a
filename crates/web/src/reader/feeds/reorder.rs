//! The order of feeds in a category.

use super::no_such_feed;
use crate::Web;
use crate::body::Body;
use crate::error::{ApiError, ErrorBody};
use crate::principal::Principal;
use crate::reader::categories::category_or_default;
use crate::reader::shape::{DONE, Done, LooseId};
use axum::Json;
use axum::extract::State;
use model::FeedId;
use policy::permission::Permission;
use serde::Deserialize;
use std::collections::HashSet;
use utoipa::ToSchema;

/// Feeds that are put into an order.
const MOST_IN_ORDER: usize = 10_000;

/// The order of feeds in a category.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(example = json!({ "category_id": 1, "ids": [3, 1, 2] }))]
pub(super) struct FeedOrder {
    #[schema(value_type = i64)]
    category_id: LooseId,
    #[schema(value_type = Vec<i64>)]
    ids: Vec<LooseId>,
}

/// Puts feeds into a category, in this order. Others that are in it follow after them.
#[utoipa::path(patch, path = "/api/feeds/reorder", tag = "feeds", request_body = FeedOrder,
    responses((status = 200, body = Done), (status = 404, body = ErrorBody), (status = 422, body = ErrorBody)))]
pub(super) async fn reorder(
    State(web): State<Web>,
    principal: Principal,
    Body(wish): Body<FeedOrder>,
) -> Result<Json<Done>, ApiError> {
    principal.may(Permission::WriteOwn)?;
    if wish.ids.len() > MOST_IN_ORDER {
        return Err(ApiError::unprocessable(format!("Send at most {MOST_IN_ORDER} feeds at a time")));
    }
    let feeds: Vec<FeedId> = wish.ids.iter().map(|id| FeedId(id.0)).collect();
    if feeds.iter().collect::<HashSet<_>>().len() < feeds.len() {
        return Err(ApiError::unprocessable("A feed is named twice"));
    }
    let category = category_or_default(&web, principal.user, Some(wish.category_id.0)).await?;
    if web.store.arrange_feeds(principal.user, category, &feeds).await? { Ok(Json(DONE)) } else { Err(no_such_feed()) }
}
