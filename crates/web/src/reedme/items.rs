//! `/reedme/api/items`: entries with their whole content, because opening one from a list fetches nothing more.

use super::{Data, Listed, data};
use crate::Web;
use crate::body::Body;
use crate::error::ApiError;
use crate::principal::Principal;
use crate::query::{Path, Query, paging};
use crate::reader::{category_scope, post_found};
use axum::extract::State;
use axum::http::StatusCode;
use axum::routing::{get, patch};
use axum::{Json, Router};
use jiff::Timestamp;
use model::entry::{Entry, EntryBody};
use model::reader::SortOrder;
use model::{EntryId, FeedId, UserId, Viewer};
use policy::permission::Permission;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use store::{Mark, PageStart, Position, Post, PostFilter, PostScope};

const MOST_IDS: usize = 10_000;

pub(crate) fn routes() -> Router<Web> {
    Router::new()
        .route("/reedme/api/items", get(list))
        .route("/reedme/api/items/{id}", get(one))
        .route("/reedme/api/items/-/read", patch(mark_read))
        .route("/reedme/api/items/-/unread", patch(mark_unread))
}

#[derive(Serialize)]
struct Item {
    id: i64,
    feed_id: i64,
    guid: String,
    title: String,
    link: String,
    content: String,
    pub_date: i64,
    unread: bool,
    created_at: i64,
}

#[derive(Deserialize)]
struct ListQuery {
    #[serde(default)]
    unread: bool,
    feed_id: Option<i64>,
    group_id: Option<i64>,
    limit: Option<i64>,
    offset: Option<i64>,
    /// `pub_date:desc` or `pub_date:asc`.
    order_by: Option<String>,
    /// Fusion's cursor: what `next_cursor` said.
    before: Option<String>,
}

/// The date that lists sort by.
fn date(entry: &Entry) -> i64 {
    entry.published_at.unwrap_or(entry.sort_at).as_second()
}

fn item(post: &Post, bodies: &mut HashMap<EntryId, EntryBody>) -> Item {
    let entry = &post.entry;
    let body = bodies.remove(&entry.id).unwrap_or_default();
    Item {
        id: entry.id.0,
        feed_id: entry.feed.0,
        guid: entry.uid.clone(),
        title: entry.title.clone().unwrap_or_default(),
        link: entry.link.clone().unwrap_or_default(),
        content: body.content.or(body.summary).unwrap_or_default(),
        pub_date: date(entry),
        unread: post.unread,
        created_at: entry.first_seen_at.as_second(),
    }
}

async fn items(web: &Web, user: UserId, posts: &[Post]) -> Result<Vec<Item>, ApiError> {
    let ids: Vec<EntryId> = posts.iter().map(|post| post.entry.id).collect();
    let whole = web.store.entries_whole(Viewer::User(user), &ids).await?;
    let mut bodies: HashMap<EntryId, EntryBody> = whole.into_iter().map(|(entry, body)| (entry.id, body)).collect();
    Ok(posts.iter().map(|post| item(post, &mut bodies)).collect())
}

fn read_cursor(text: &str) -> Option<Position> {
    let (at, id) = text.split_once('.')?;
    Some(Position { sort_at: Timestamp::from_microsecond(at.parse().ok()?).ok()?, id: EntryId(id.parse().ok()?) })
}

async fn list(
    State(web): State<Web>,
    principal: Principal,
    Query(query): Query<ListQuery>,
) -> Result<Json<Listed<Item>>, ApiError> {
    principal.may(Permission::ReadOwn)?;
    let user = principal.user;
    let page = paging(query.limit, query.offset, 50, 200)?;
    let scope = match (query.feed_id, query.group_id) {
        (Some(feed), _) => PostScope::Feed(FeedId(feed)),
        (None, Some(group)) => PostScope::Categories(category_scope(&web, user, group).await?),
        (None, None) => PostScope::Everything,
    };
    let order = if query.order_by.as_deref() == Some("pub_date:asc") { SortOrder::Oldest } else { SortOrder::Newest };
    let filter = PostFilter { scope, only_unread: query.unread, order, ..PostFilter::default() };
    let start = match &query.before {
        Some(text) => {
            let cursor = read_cursor(text).ok_or_else(|| ApiError::bad_request("`before` is none of our cursors"))?;
            PageStart::After(cursor)
        }
        None => PageStart::Offset(page.offset),
    };
    let found = web.store.posts(user, &filter, start, page.limit).await?;
    let next_cursor = found.next.map(|at| format!("{}.{}", at.sort_at.as_microsecond(), at.id));
    Ok(Json(Listed { data: items(&web, user, &found.posts).await?, total: found.total, next_cursor }))
}

async fn one(State(web): State<Web>, principal: Principal, Path(id): Path<i64>) -> Result<Json<Data<Item>>, ApiError> {
    principal.may(Permission::ReadOwn)?;
    let post = post_found(&web, principal.user, id).await?;
    let item = items(&web, principal.user, &[post]).await?.pop();
    item.map(data).ok_or_else(|| ApiError::not_found("There is no such item"))
}

#[derive(Deserialize)]
struct Ids {
    ids: Vec<i64>,
}

async fn mark(web: &Web, principal: &Principal, ids: &Ids, mark: Mark) -> Result<StatusCode, ApiError> {
    principal.may(Permission::WriteOwn)?;
    if ids.ids.len() > MOST_IDS {
        return Err(ApiError::bad_request(format!("Send at most {MOST_IDS} ids at a time")));
    }
    let ids: Vec<EntryId> = ids.ids.iter().copied().map(EntryId).collect();
    web.store.mark(principal.user, &ids, mark, web.now()).await?;
    Ok(StatusCode::NO_CONTENT)
}

async fn mark_read(State(web): State<Web>, principal: Principal, Body(ids): Body<Ids>) -> Result<StatusCode, ApiError> {
    mark(&web, &principal, &ids, Mark::Read).await
}

async fn mark_unread(
    State(web): State<Web>,
    principal: Principal,
    Body(ids): Body<Ids>,
) -> Result<StatusCode, ApiError> {
    mark(&web, &principal, &ids, Mark::Unread).await
}
