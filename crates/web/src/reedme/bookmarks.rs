//! `/reedme/api/bookmarks`: snapshots of items, which outlive them.

use super::{Data, Listed, data};
use crate::Web;
use crate::body::Body;
use crate::error::ApiError;
use crate::principal::Principal;
use crate::query::{Path, Query, paging};
use crate::reader::category_scope;
use axum::extract::State;
use axum::http::StatusCode;
use axum::routing::get;
use axum::{Json, Router};
use jiff::Timestamp;
use model::library::{Bookmark, NewBookmark};
use model::{BookmarkId, EntryId, FeedId};
use policy::permission::Permission;
use serde::{Deserialize, Serialize};
use store::{BookmarkFilter, BookmarkSlice};

pub(crate) fn routes() -> Router<Web> {
    Router::new()
        .route("/reedme/api/bookmarks", get(list).post(create))
        .route("/reedme/api/bookmarks/{id}", get(one).delete(delete))
}

#[derive(Serialize)]
struct Saved {
    id: i64,
    item_id: Option<i64>,
    feed_id: Option<i64>,
    link: String,
    title: String,
    content: String,
    pub_date: i64,
    feed_name: String,
    created_at: i64,
    unread: bool,
}

fn body(bookmark: Bookmark) -> Saved {
    Saved {
        id: bookmark.id.0,
        item_id: bookmark.entry.map(|id| id.0),
        feed_id: bookmark.feed.map(|id| id.0),
        link: bookmark.link.unwrap_or_default(),
        title: bookmark.title,
        content: bookmark.content,
        pub_date: bookmark.published_at.map_or(0, Timestamp::as_second),
        feed_name: bookmark.feed_name,
        created_at: bookmark.created_at.as_second(),
        unread: false,
    }
}

#[derive(Deserialize)]
struct ListQuery {
    limit: Option<i64>,
    offset: Option<i64>,
    feed_id: Option<i64>,
    group_id: Option<i64>,
    before: Option<String>,
}

async fn list(
    State(web): State<Web>,
    principal: Principal,
    Query(query): Query<ListQuery>,
) -> Result<Json<Listed<Saved>>, ApiError> {
    principal.may(Permission::ReadOwn)?;
    let page = paging(query.limit, query.offset, 100, 200)?;
    let categories = match query.group_id {
        Some(group) => Some(category_scope(&web, principal.user, group).await?),
        None => None,
    };
    let filter = BookmarkFilter { feed: query.feed_id.map(FeedId), categories, ..BookmarkFilter::default() };
    let after = match query.before.as_deref().map(read_cursor) {
        None => None,
        Some(None) => return Err(ApiError::bad_request("`before` is none of our cursors")),
        Some(cursor) => cursor,
    };
    let slice = BookmarkSlice { after, offset: u64::from(page.offset), limit: page.limit };
    let found = web.store.bookmarks(principal.user, &filter, slice).await?;
    let next_cursor = found.next.map(|(at, id)| format!("{}.{id}", at.as_microsecond()));
    Ok(Json(Listed { data: found.bookmarks.into_iter().map(body).collect(), total: found.total, next_cursor }))
}

fn read_cursor(text: &str) -> Option<(Timestamp, BookmarkId)> {
    let (at, id) = text.split_once('.')?;
    Some((Timestamp::from_microsecond(at.parse().ok()?).ok()?, BookmarkId(id.parse().ok()?)))
}

async fn one(State(web): State<Web>, principal: Principal, Path(id): Path<i64>) -> Result<Json<Data<Saved>>, ApiError> {
    principal.may(Permission::ReadOwn)?;
    Ok(data(body(web.store.bookmark(principal.user, BookmarkId(id)).await?)))
}

#[derive(Deserialize)]
struct New {
    item_id: Option<i64>,
    link: Option<String>,
    title: Option<String>,
    content: Option<String>,
    pub_date: Option<i64>,
    feed_name: Option<String>,
}

/// The entry is the source where the user can see it; else what was sent is, cleaned.
async fn create(
    State(web): State<Web>,
    principal: Principal,
    Body(new): Body<New>,
) -> Result<Json<Data<Saved>>, ApiError> {
    principal.may(Permission::WriteOwn)?;
    let user = principal.user;
    if let Some(id) = new.item_id
        && web.store.post(user, EntryId(id)).await?.is_some()
    {
        let (bookmark, _) = web.store.star(user, EntryId(id), web.now()).await?;
        return Ok(data(body(bookmark)));
    }
    let link = new.link.as_deref().map(str::trim).filter(|link| !link.is_empty());
    let link = link.map(crate::reader::web_address).transpose()?;
    let Some(link) = link else { return Err(ApiError::bad_request("A bookmark needs a link, or the id of an item")) };
    let html = new.content.unwrap_or_default();
    let clean = || content::clean(&html, Some(&link), &content::Limits::ENTRY).html;
    let content = web.cpu.run(html.len(), clean).await;
    let title = new.title.map(|title| content::plain_text(&title)).filter(|title| !title.trim().is_empty());
    let bookmark = NewBookmark {
        title: title.unwrap_or_else(|| link.clone()),
        content,
        feed_name: new.feed_name.unwrap_or_default(),
        published_at: new.pub_date.filter(|at| *at > 0).and_then(|at| Timestamp::from_second(at).ok()),
        link: Some(link),
        ..NewBookmark::default()
    };
    let (bookmark, _) = web.store.add_bookmark(user, bookmark, web.now()).await?;
    Ok(data(body(bookmark)))
}

async fn delete(State(web): State<Web>, principal: Principal, Path(id): Path<i64>) -> Result<StatusCode, ApiError> {
    principal.may(Permission::WriteOwn)?;
    let there = web.store.delete_bookmark(principal.user, BookmarkId(id)).await?;
    if there { Ok(StatusCode::NO_CONTENT) } else { Err(ApiError::not_found("There is no such bookmark")) }
}
