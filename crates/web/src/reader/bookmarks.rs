//! `/api/bookmarks`, and the stars and likes of posts. A starred post is a bookmark; any other page can be one as well.
//!
//! A bookmark that is there stays as it is when its page is saved again: the answer is 200 with the old one.

use super::shape::{DONE, Done, maybe_null, moment};
use super::{categories, tags};
use crate::Web;
use crate::body::{Body, OptionalBody};
use crate::error::{ApiError, ErrorBody};
use crate::principal::Principal;
use crate::query::{Path, Query, paging};
use ::reader::Saved;
use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use jiff::Timestamp;
use model::library::{Bookmark, NewBookmark};
use model::{BookmarkId, EntryId, FeedId, UserId};
use policy::permission::Permission;
use serde::{Deserialize, Serialize};
use std::time::Duration;
use store::{BookmarkChange, BookmarkFilter, BookmarkSlice, Made, StoreError};
use tokio::time::timeout;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

/// Bookmarks on a page.
const PAGE: u32 = 50;
const LONGEST_PAGE: u32 = 200;
const LONGEST_TITLE: usize = 1_000;
const LONGEST_NOTE: usize = 10_000;
/// Who saves a page waits this long for its article; then it is saved without.
const PATIENCE: Duration = Duration::from_secs(20);

pub(crate) fn routes() -> OpenApiRouter<Web> {
    OpenApiRouter::new()
        .routes(routes!(list, create))
        .routes(routes!(one, update, delete))
        .routes(routes!(star))
        .routes(routes!(like))
}

/// A page that a user saved: a snapshot, which outlives its post.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub(crate) struct BookmarkBody {
    id: i64,
    /// The post, while it is there.
    post_id: Option<i64>,
    feed_id: Option<i64>,
    url: Option<String>,
    title: String,
    /// Safe HTML.
    content: String,
    author: Option<String>,
    feed_title: String,
    published_at: Option<String>,
    note: Option<String>,
    tags: Vec<String>,
    created_at: String,
    /// Why it has no article, in the answer that saves it.
    #[serde(skip_serializing_if = "Option::is_none")]
    notice: Option<String>,
}

impl From<Bookmark> for BookmarkBody {
    fn from(bookmark: Bookmark) -> Self {
        Self {
            id: bookmark.id.0,
            post_id: bookmark.entry.map(|id| id.0),
            feed_id: bookmark.feed.map(|id| id.0),
            url: bookmark.link,
            title: bookmark.title,
            content: bookmark.content,
            author: bookmark.author,
            feed_title: bookmark.feed_name,
            published_at: bookmark.published_at.map(moment),
            note: bookmark.note,
            tags: bookmark.tags,
            created_at: moment(bookmark.created_at),
            notice: None,
        }
    }
}

/// A page of bookmarks, newest first.
#[derive(Debug, Clone, Serialize, ToSchema)]
struct BookmarksBody {
    bookmarks: Vec<BookmarkBody>,
    /// How many there are on all pages.
    total: u64,
    has_more: bool,
    /// Ask for the next page with it, as `before`.
    next_cursor: Option<String>,
}

#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct ListQuery {
    /// 50 unless given, at most 200.
    limit: Option<i64>,
    offset: Option<i64>,
    /// The `next_cursor` of the page before; `offset` is not counted then.
    before: Option<String>,
    feed_id: Option<i64>,
    /// With the categories below it.
    category_id: Option<i64>,
    /// The name of a tag.
    tag: Option<String>,
    /// A text in the title or the content.
    q: Option<String>,
}

/// Either a post, or any page by its address.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({ "url": "https://news.example/1", "title": "News", "content": "<p>News.</p>", "tags": ["later"] }))]
struct NewBookmarkBody {
    post_id: Option<i64>,
    url: Option<String>,
    /// Instead of the page's own.
    title: Option<String>,
    /// HTML; without it, the page is fetched.
    content: Option<String>,
    note: Option<String>,
    tags: Option<Vec<String>>,
}

#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct BookmarkUpdate {
    title: Option<String>,
    /// Null removes it.
    #[serde(default, deserialize_with = "maybe_null")]
    #[schema(value_type = Option<String>)]
    note: Option<Option<String>>,
    /// Exactly these.
    tags: Option<Vec<String>>,
}

/// Without a body: the opposite of what it is.
#[derive(Debug, Default, Deserialize, ToSchema)]
struct StarUpdate {
    is_starred: Option<bool>,
}

/// Without a body: the opposite of what it is.
#[derive(Debug, Default, Deserialize, ToSchema)]
struct LikeUpdate {
    is_liked: Option<bool>,
}

#[derive(Debug, Clone, Serialize, ToSchema)]
struct StarBody {
    is_starred: bool,
    starred_at: Option<String>,
    is_liked: bool,
}

#[derive(Debug, Clone, Serialize, ToSchema)]
struct LikeBody {
    is_liked: bool,
    liked_at: Option<String>,
}

pub(crate) fn no_such_post(error: StoreError) -> ApiError {
    match error {
        StoreError::NotFound { .. } => ApiError::not_found("Post not found"),
        error => error.into(),
    }
}

fn no_such_bookmark(error: StoreError) -> ApiError {
    match error {
        StoreError::NotFound { .. } => ApiError::not_found("Bookmark not found"),
        error => error.into(),
    }
}

fn no_longer(name: &str, text: &str, most: usize) -> Result<(), ApiError> {
    if text.chars().count() <= most {
        return Ok(());
    }
    Err(ApiError::unprocessable(format!("`{name}` has more than {most} characters")).reason(name))
}

fn valid_title(title: &str) -> Result<String, ApiError> {
    no_longer("title", title, LONGEST_TITLE)?;
    let title = title.trim();
    if title.is_empty() {
        return Err(ApiError::unprocessable("`title` is empty").reason("title"));
    }
    Ok(title.to_owned())
}

fn valid_note(note: String) -> Result<String, ApiError> {
    no_longer("note", &note, LONGEST_NOTE).map(|()| note)
}

/// `micros.id` of the last bookmark of a page.
fn cursor((at, id): (Timestamp, BookmarkId)) -> String {
    format!("{}.{id}", at.as_microsecond())
}

fn read_cursor(text: &str) -> Result<(Timestamp, BookmarkId), ApiError> {
    let parts = text.split_once('.').and_then(|(at, id)| {
        let at = Timestamp::from_microsecond(at.parse().ok()?).ok()?;
        Some((at, BookmarkId(id.parse().ok()?)))
    });
    parts
        .ok_or_else(|| ApiError::unprocessable("`before` is no cursor; send `next_cursor` as it came").reason("before"))
}

/// Bookmarks, newest first.
#[utoipa::path(get, path = "/api/bookmarks", tag = "bookmarks", params(ListQuery),
    responses((status = 200, body = BookmarksBody), (status = 404, body = ErrorBody), (status = 422, body = ErrorBody)))]
async fn list(
    State(web): State<Web>,
    principal: Principal,
    Query(query): Query<ListQuery>,
) -> Result<Json<BookmarksBody>, ApiError> {
    principal.may(Permission::ReadOwn)?;
    let page = paging(query.limit, query.offset, PAGE, LONGEST_PAGE)?;
    let after = query.before.as_deref().map(read_cursor).transpose()?;
    let offset = if after.is_some() { 0 } else { u64::from(page.offset) };
    let mut body = BookmarksBody { bookmarks: Vec::new(), total: 0, has_more: false, next_cursor: None };
    if let Some(filter) = filter(&web, principal.user, query).await? {
        let slice = BookmarkSlice { after, offset, limit: page.limit };
        let found = web.store.bookmarks(principal.user, &filter, slice).await?;
        body.total = found.total;
        body.next_cursor = found.next.filter(|_| page.limit > 0).map(cursor);
        body.has_more = body.next_cursor.is_some();
        body.bookmarks = found.bookmarks.into_iter().map(BookmarkBody::from).collect();
    }
    Ok(Json(body))
}

/// `None` if nothing can be found: there is no such tag.
async fn filter(web: &Web, user: UserId, query: ListQuery) -> Result<Option<BookmarkFilter>, ApiError> {
    let categories = match query.category_id {
        Some(id) => Some(categories::scope(web, user, id).await?),
        None => None,
    };
    let tag = match query.tag {
        Some(name) => match web.store.tag_named(user, &name).await? {
            Some(tag) => Some(tag.id),
            None => return Ok(None),
        },
        None => None,
    };
    Ok(Some(BookmarkFilter { feed: query.feed_id.map(FeedId), tag, categories, text: query.q }))
}

/// One bookmark.
#[utoipa::path(get, path = "/api/bookmarks/{id}", tag = "bookmarks", params(("id" = i64, Path)),
    responses((status = 200, body = BookmarkBody), (status = 404, body = ErrorBody)))]
async fn one(
    State(web): State<Web>,
    principal: Principal,
    Path(id): Path<i64>,
) -> Result<Json<BookmarkBody>, ApiError> {
    principal.may(Permission::ReadOwn)?;
    let found = web.store.bookmark(principal.user, BookmarkId(id)).await.map_err(no_such_bookmark)?;
    Ok(Json(found.into()))
}

/// Saves a post or a page. One that is saved already stays as it is.
#[utoipa::path(post, path = "/api/bookmarks", tag = "bookmarks", request_body = NewBookmarkBody,
    responses((status = 201, body = BookmarkBody), (status = 200, body = BookmarkBody), (status = 404, body = ErrorBody),
        (status = 422, body = ErrorBody)))]
async fn create(
    State(web): State<Web>,
    principal: Principal,
    Body(new): Body<NewBookmarkBody>,
) -> Result<(StatusCode, Json<BookmarkBody>), ApiError> {
    principal.may(Permission::WriteOwn)?;
    let user = principal.user;
    let title = new.title.as_deref().map(valid_title).transpose()?;
    let note = new.note.map(valid_note).transpose()?;
    let tags = new.tags.as_deref().map(tags::valid_names).transpose()?;
    let (bookmark, made, notice) = match (new.post_id, new.url) {
        (Some(post), None) if new.content.is_none() => {
            super::posts::found(&web, user, post).await?;
            let kept = web.store.star(user, EntryId(post), web.now()).await.map_err(no_such_post)?;
            (kept.0, kept.1, None)
        }
        (None, Some(url)) => save(&web, user, &url, title.as_deref(), new.content.as_deref()).await?,
        _ => return Err(ApiError::unprocessable("Send either `post_id`, or `url` with or without `content`")),
    };
    if made == Made::Existing {
        return Ok((StatusCode::OK, Json(bookmark.into())));
    }
    let change = BookmarkChange { title, note: note.map(Some) };
    let bookmark = change_bookmark(&web, user, bookmark.id, change, tags).await?;
    Ok((StatusCode::CREATED, Json(BookmarkBody { notice, ..bookmark.into() })))
}

/// Saves a page: with the content that is given, else with its article.
async fn save(
    web: &Web,
    user: UserId,
    url: &str,
    title: Option<&str>,
    content: Option<&str>,
) -> Result<(Bookmark, Made, Option<String>), ApiError> {
    let url = engine::typed_address(url)?;
    if content.is_none() {
        if let Ok(saved) = timeout(PATIENCE, ::reader::save_page(&web.engine, &web.cpu, user, &url)).await {
            return match saved? {
                Saved::Kept { bookmark, made, without_article } => Ok((*bookmark, made, without_article)),
                Saved::BadAddress(why) => Err(ApiError::unprocessable(why).reason("url")),
            };
        }
        tracing::debug!("a page was saved without its article: it did not arrive in time");
    }
    let clean = |html: &str| content::clean(html, Some(&url), &content::Limits::ENTRY).html;
    let html = web.cpu.run(content.map_or(0, str::len), || content.map(clean)).await;
    let notice = html.is_none().then(|| "The page did not arrive in time".to_owned());
    let host = url::Url::parse(&url).ok().and_then(|url| url.host_str().map(str::to_owned));
    let new = NewBookmark {
        title: title.unwrap_or(&url).to_owned(),
        content: html.unwrap_or_default(),
        feed_name: host.unwrap_or_default(),
        link: Some(url),
        ..NewBookmark::default()
    };
    let (bookmark, made) = web.store.add_bookmark(user, new, web.now()).await?;
    Ok((bookmark, made, notice))
}

/// Changes what is given; returns what the bookmark is then.
async fn change_bookmark(
    web: &Web,
    user: UserId,
    id: BookmarkId,
    change: BookmarkChange,
    tags: Option<Vec<String>>,
) -> Result<Bookmark, ApiError> {
    if change != BookmarkChange::default() {
        web.store.change_bookmark(user, id, change).await?;
    }
    if let Some(tags) = tags {
        web.store.set_bookmark_tags(user, id, &tags, web.now()).await.map_err(no_such_bookmark)?;
    }
    web.store.bookmark(user, id).await.map_err(no_such_bookmark)
}

/// Changes title, note or tags.
#[utoipa::path(patch, path = "/api/bookmarks/{id}", tag = "bookmarks", params(("id" = i64, Path)),
    request_body = BookmarkUpdate,
    responses((status = 200, body = BookmarkBody), (status = 404, body = ErrorBody), (status = 422, body = ErrorBody)))]
async fn update(
    State(web): State<Web>,
    principal: Principal,
    Path(id): Path<i64>,
    Body(update): Body<BookmarkUpdate>,
) -> Result<Json<BookmarkBody>, ApiError> {
    principal.may(Permission::WriteOwn)?;
    let title = update.title.as_deref().map(valid_title).transpose()?;
    let note = update.note.map(|note| note.map(valid_note).transpose()).transpose()?;
    let tags = update.tags.as_deref().map(tags::valid_names).transpose()?;
    let change = BookmarkChange { title, note };
    let changed = change_bookmark(&web, principal.user, BookmarkId(id), change, tags).await?;
    Ok(Json(changed.into()))
}

/// Forgets a bookmark.
#[utoipa::path(delete, path = "/api/bookmarks/{id}", tag = "bookmarks", params(("id" = i64, Path)),
    responses((status = 200, body = Done), (status = 404, body = ErrorBody)))]
async fn delete(State(web): State<Web>, principal: Principal, Path(id): Path<i64>) -> Result<Json<Done>, ApiError> {
    principal.may(Permission::WriteOwn)?;
    if !web.store.delete_bookmark(principal.user, BookmarkId(id)).await? {
        return Err(ApiError::not_found("Bookmark not found"));
    }
    Ok(Json(DONE))
}

/// Stars a post, or takes the star back. Who stars a post also likes it.
#[utoipa::path(patch, path = "/api/posts/{id}/star", tag = "bookmarks", params(("id" = i64, Path)),
    request_body = Option<StarUpdate>,
    responses((status = 200, body = StarBody), (status = 404, body = ErrorBody)))]
async fn star(
    State(web): State<Web>,
    principal: Principal,
    Path(id): Path<i64>,
    OptionalBody(update): OptionalBody<StarUpdate>,
) -> Result<Json<StarBody>, ApiError> {
    principal.may(Permission::WriteOwn)?;
    let (user, post, now) = (principal.user, EntryId(id), web.now());
    super::posts::found(&web, user, id).await?;
    let starred = web.store.bookmarked(user, &[post]).await?.contains_key(&post);
    if update.is_starred.unwrap_or(!starred) {
        let (bookmark, _) = web.store.star(user, post, now).await.map_err(no_such_post)?;
        web.store.like(user, post, now).await.map_err(no_such_post)?;
        let starred_at = Some(moment(bookmark.created_at));
        return Ok(Json(StarBody { is_starred: true, starred_at, is_liked: true }));
    }
    web.store.unstar(user, post).await?;
    let is_liked = web.store.liked(user, &[post]).await?.contains_key(&post);
    Ok(Json(StarBody { is_starred: false, starred_at: None, is_liked }))
}

/// Likes a post, or takes the like back.
#[utoipa::path(patch, path = "/api/posts/{id}/like", tag = "bookmarks", params(("id" = i64, Path)),
    request_body = Option<LikeUpdate>,
    responses((status = 200, body = LikeBody), (status = 404, body = ErrorBody)))]
async fn like(
    State(web): State<Web>,
    principal: Principal,
    Path(id): Path<i64>,
    OptionalBody(update): OptionalBody<LikeUpdate>,
) -> Result<Json<LikeBody>, ApiError> {
    principal.may(Permission::WriteOwn)?;
    let (user, post) = (principal.user, EntryId(id));
    super::posts::found(&web, user, id).await?;
    let liked = web.store.liked(user, &[post]).await?.contains_key(&post);
    if update.is_liked.unwrap_or(!liked) {
        let at = web.store.like(user, post, web.now()).await.map_err(no_such_post)?;
        return Ok(Json(LikeBody { is_liked: true, liked_at: Some(moment(at)) }));
    }
    web.store.unlike(user, post).await?;
    Ok(Json(LikeBody { is_liked: false, liked_at: None }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_is_read_as_it_is_written() {
        let place = (Timestamp::from_microsecond(1_767_225_600_123_456).unwrap(), BookmarkId(7));
        assert_eq!(read_cursor(&cursor(place)).unwrap(), place);
        for text in ["", ".", "7", "x.7", "1.x", "1.2.3", "99999999999999999999.1", "9223372036854775807.1"] {
            assert_eq!(read_cursor(text).unwrap_err().status.as_u16(), 422, "{text}");
        }
    }
}
