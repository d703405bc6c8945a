//! `/api/posts`: the entries of a user's feeds, and what they have read. Stars, likes and tags are `bookmarks` and `tags`.

use super::categories;
use super::enrichment::{self, Said};
use super::search;
use super::shape::{DONE, Done, LooseId, moment, read_moment};
use crate::Web;
use crate::body::{Body, OptionalBody};
use crate::error::{ApiError, ErrorBody};
use crate::etag::tagged;
use crate::principal::Principal;
use crate::query::{Path, Query, paging};
use axum::Json;
use axum::extract::State;
use axum::response::Response;
use data_encoding::HEXLOWER;
use jiff::Timestamp;
use model::entry::{Attachment, EnclosureKind, Revision};
use model::reader::SortOrder;
use model::{EntryId, FeedId, SweepId, UserId, Viewer};
use policy::full_text::Decision;
use policy::permission::Permission;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use store::{FullTextState, Kept, Mark, PageStart, Position, Post, PostFilter, PostScope};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

/// Posts on a page.
const PAGE: u32 = 50;
const LONGEST_PAGE: u32 = 200;
/// Ids in one request.
const MOST_IDS: usize = 10_000;
/// Ids of a list in one answer.
const MOST_VIEW_IDS: u32 = 100_000;
/// Sweeps in an answer.
const MOST_RECENT: u32 = 50;

pub(crate) fn routes() -> OpenApiRouter<Web> {
    OpenApiRouter::new()
        .routes(routes!(list))
        .routes(routes!(one))
        .routes(routes!(read))
        .routes(routes!(mark_read))
        .routes(routes!(undo))
        .routes(routes!(history))
        .routes(routes!(ids))
        .routes(routes!(recent))
        .routes(routes!(revisions))
}

/// A post in a list.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub(crate) struct PostBody {
    pub(crate) id: i64,
    pub(crate) feed_id: i64,
    pub(crate) title: String,
    /// The page where a person reads it.
    pub(crate) url: Option<String>,
    pub(crate) author: Option<String>,
    /// The first words, as plain text.
    pub(crate) excerpt: Option<String>,
    pub(crate) published_at: Option<String>,
    pub(crate) fetched_at: String,
    /// By which lists are sorted.
    pub(crate) sort_date: String,
    pub(crate) is_read: bool,
    pub(crate) read_at: Option<String>,
    pub(crate) is_starred: bool,
    pub(crate) is_liked: bool,
    /// Always false: nothing is suggested.
    pub(crate) is_suggested: bool,
    pub(crate) suggestion_score: Option<f64>,
    /// What the post says, in a line.
    pub(crate) one_line_summary: Option<String>,
    pub(crate) translated_title: Option<String>,
    /// The title without bait and shouting, where that is another one.
    pub(crate) calm_title: Option<String>,
    /// How loud the title is, from 0 (calm) to 1.
    pub(crate) framing_score: Option<f64>,
    /// A picture, at the publisher's.
    pub(crate) image: Option<String>,
    /// Language tag.
    pub(crate) language: Option<String>,
    /// A page with comments.
    pub(crate) comments_url: Option<String>,
    /// `audio` or `video`, if something that can be played is attached.
    pub(crate) enclosure_kind: Option<&'static str>,
}

/// A page of posts.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub(crate) struct PostsBody {
    posts: Vec<PostBody>,
    /// How many there are on all pages.
    total: u64,
    /// There may be more than `total`: only so many hits of a search are counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    total_at_least: Option<u64>,
    has_more: bool,
    /// Ask for the next page with it.
    next_cursor: Option<String>,
    /// When the page was made: `mark-read` takes it.
    as_of: String,
    /// What a search could not make sense of.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    problems: Vec<String>,
    /// For clients that want to know; the list of feeds has them.
    #[schema(value_type = Option<Object>)]
    feed_unread_counts: Option<serde_json::Value>,
    starred_count: u64,
    suggested_count: u64,
}

/// A post with its text.
#[derive(Debug, Clone, Serialize, ToSchema)]
struct WholePost {
    #[serde(flatten)]
    post: PostBody,
    /// What the feed says, as safe HTML.
    content: Option<String>,
    /// What the page says, as safe HTML, once it was fetched.
    full_content: Option<String>,
    /// `none`, `pending`, `ready` or `failed`.
    full_content_status: &'static str,
    full_content_error: Option<String>,
    content_hash: String,
    /// About how long it takes to read.
    reading_minutes: u32,
    feed_title: Option<String>,
    tags: Vec<String>,
    categories: Vec<String>,
    enclosures: Vec<Enclosure>,
    #[serde(flatten)]
    said: Said,
}

/// Something attached to a post.
#[derive(Debug, Clone, Serialize, ToSchema)]
struct Enclosure {
    url: String,
    media_type: Option<String>,
    length: Option<u64>,
}

#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct ListQuery {
    feed_id: Option<i64>,
    /// With the categories below it.
    category_id: Option<i64>,
    #[serde(default)]
    unread_only: bool,
    #[serde(default)]
    starred_only: bool,
    #[serde(default)]
    liked_only: bool,
    /// Nothing is suggested.
    #[serde(default)]
    suggested_only: bool,
    /// The name of a tag.
    tag: Option<String>,
    /// As in `/api/search`.
    search: Option<String>,
    /// `newest` or `oldest`.
    order: Option<String>,
    /// Only posts with this date or a later one.
    since: Option<String>,
    /// Only posts with an earlier date.
    before: Option<String>,
    /// 0 to 200, else 50.
    limit: Option<i64>,
    offset: Option<i64>,
    /// The `next_cursor` of the page before.
    cursor: Option<String>,
    /// The posts with these ids, in this order, instead of all that: at most 200, with commas.
    ids: Option<String>,
}

impl From<&Post> for PostBody {
    fn from(post: &Post) -> Self {
        let entry = &post.entry;
        Self {
            id: entry.id.0,
            feed_id: entry.feed.0,
            title: entry.title.clone().filter(|title| !title.is_empty()).unwrap_or_else(|| "Untitled".into()),
            url: entry.link.clone(),
            author: entry.author.clone(),
            excerpt: entry.excerpt.clone(),
            published_at: entry.published_at.map(moment),
            fetched_at: moment(entry.first_seen_at),
            sort_date: moment(entry.sort_at),
            is_read: !post.unread,
            read_at: post.read_at.map(moment),
            is_starred: post.bookmark.is_some(),
            is_liked: post.liked,
            is_suggested: false,
            suggestion_score: None,
            one_line_summary: None,
            translated_title: None,
            calm_title: None,
            framing_score: None,
            image: entry.preview.image.clone(),
            language: entry.preview.language.clone(),
            comments_url: entry.preview.comments_url.clone(),
            enclosure_kind: entry.preview.enclosure_kind.map(EnclosureKind::as_str),
        }
    }
}

pub(crate) fn no_such_post() -> ApiError {
    ApiError::not_found("Post not found")
}

/// The post with an id, if the user follows its feed or has saved it.
pub(crate) async fn found(web: &Web, user: UserId, id: i64) -> Result<Post, ApiError> {
    web.store.post(user, EntryId(id)).await?.ok_or_else(no_such_post)
}

fn read_ids(text: &str) -> Result<Vec<EntryId>, ApiError> {
    let read = |part: &str| part.trim().parse().map(EntryId).ok();
    let parts = text.split(',').filter(|part| !part.trim().is_empty());
    let ids: Option<Vec<EntryId>> = parts.map(read).collect();
    ids.filter(|ids| ids.len() <= LONGEST_PAGE as usize)
        .ok_or_else(|| ApiError::unprocessable(format!("`ids` are at most {LONGEST_PAGE} numbers with commas")))
}

fn cursor(position: Position) -> String {
    format!("{}.{}", position.sort_at.as_microsecond(), position.id)
}

fn read_cursor(text: &str) -> Result<Position, ApiError> {
    let read = || {
        let (at, id) = text.split_once('.')?;
        Some(Position { sort_at: Timestamp::from_microsecond(at.parse().ok()?).ok()?, id: EntryId(id.parse().ok()?) })
    };
    read().ok_or_else(|| ApiError::unprocessable("`cursor` is none of ours; pass the `next_cursor` of a page"))
}

pub(crate) fn order(word: Option<&str>) -> Result<SortOrder, ApiError> {
    match word {
        None | Some("" | "newest") => Ok(SortOrder::Newest),
        Some("oldest") => Ok(SortOrder::Oldest),
        Some(_) => Err(ApiError::unprocessable("`order` may be newest or oldest")),
    }
}

/// Which posts a query is about; `None` is none at all.
async fn filter(web: &Web, user: UserId, query: &ListQuery) -> Result<Option<PostFilter>, ApiError> {
    let categories = match query.category_id {
        Some(id) => Some(categories::scope(web, user, id).await?),
        None => None,
    };
    let feed = query.feed_id.map(FeedId);
    if let Some(feed) = feed
        && web.store.subscription(user, feed).await?.is_none()
    {
        return Err(super::feeds::no_such_feed());
    }
    let tagged = match &query.tag {
        None => None,
        Some(name) => match web.store.tag_named(user, name).await? {
            Some(tag) => Some(Kept::Tagged(tag.id)),
            None => return Err(ApiError::not_found("Tag not found")),
        },
    };
    let kept = tagged.or(query.starred_only.then_some(Kept::Saved)).or(query.liked_only.then_some(Kept::Liked));
    let scope = match (kept, feed, categories) {
        (Some(how), feed, categories) => PostScope::Kept { how, feed, categories },
        (None, Some(feed), _) => PostScope::Feed(feed),
        (None, None, Some(categories)) => PostScope::Categories(categories),
        (None, None, None) => PostScope::All,
    };
    let when = |name, text: &Option<String>| text.as_deref().map(|text| read_moment(name, text)).transpose();
    Ok((!query.suggested_only).then_some(PostFilter {
        scope,
        only_unread: query.unread_only,
        since: when("since", &query.since)?,
        before: when("before", &query.before)?,
        order: order(query.order.as_deref())?,
    }))
}

/// Posts of the user's feeds, the newest first, with filters and search.
#[utoipa::path(get, path = "/api/posts", tag = "posts", params(ListQuery),
    responses((status = 200, body = PostsBody), (status = 304), (status = 404, body = ErrorBody), (status = 422, body = ErrorBody)))]
async fn list(
    State(web): State<Web>,
    principal: Principal,
    Query(query): Query<ListQuery>,
) -> Result<Response, ApiError> {
    principal.may(Permission::ReadOwn)?;
    let (user, as_of) = (principal.user, moment(web.now()));
    let page = paging(query.limit, query.offset, PAGE, LONGEST_PAGE)?;
    let starred = PostScope::Kept { how: Kept::Saved, feed: None, categories: None };
    let starred = PostFilter { scope: starred, ..PostFilter::default() };
    let starred_count = web.store.posts(user, &starred, PageStart::Offset(0), 0).await?.total;
    let mut body = PostsBody {
        posts: Vec::new(),
        total: 0,
        total_at_least: None,
        has_more: false,
        next_cursor: None,
        as_of,
        problems: Vec::new(),
        feed_unread_counts: None,
        starred_count,
        suggested_count: 0,
    };
    if let Some(text) = &query.ids {
        let ids = read_ids(text)?;
        let found = web.store.posts_named(user, &ids).await?;
        let found: HashMap<EntryId, &Post> = found.iter().map(|post| (post.entry.id, post)).collect();
        body.posts = ids.iter().filter_map(|id| found.get(id)).map(|post| PostBody::from(*post)).collect();
        body.total = body.posts.len() as u64;
        return Ok(polled(&body));
    }
    if let Some(words) = query.search.as_deref().filter(|words| !words.trim().is_empty()) {
        let within = search::Within { feed: query.feed_id, category: query.category_id, unread: query.unread_only };
        let (found, problems) = search::find(&web, user, words, within, page).await?;
        body.posts = found.posts.iter().map(PostBody::from).collect();
        enrichment::add_headlines(&web, user, &mut body.posts).await?;
        (body.total, body.problems) = (found.total, problems);
        body.total_at_least = found.is_at_least.then_some(found.total);
        body.has_more = u64::from(page.offset) + (body.posts.len() as u64) < found.total;
        return Ok(polled(&body));
    }
    let Some(filter) = filter(&web, user, &query).await? else { return Ok(polled(&body)) };
    let start = match &query.cursor {
        Some(text) => PageStart::After(read_cursor(text)?),
        None => PageStart::Offset(page.offset),
    };
    let found = web.store.posts(user, &filter, start, page.limit).await?;
    body.posts = found.posts.iter().map(PostBody::from).collect();
    enrichment::add_headlines(&web, user, &mut body.posts).await?;
    body.total = found.total;
    body.has_more = match query.cursor {
        Some(_) => found.next.is_some(),
        None => u64::from(page.offset) + (body.posts.len() as u64) < found.total,
    };
    body.next_cursor = found.next.filter(|_| body.has_more).map(cursor);
    Ok(polled(&body))
}

/// An answer that means the same whenever it is made: an older `as_of` is as good, if nothing came in between.
fn polled(body: &PostsBody) -> Response {
    tagged(body, &PostsBody { as_of: String::new(), ..body.clone() })
}

/// A post with its text. Asks for the full text of its page where the feed has little; the answer does not wait for it.
#[utoipa::path(get, path = "/api/posts/{id}", tag = "posts", params(("id" = i64, Path)),
    responses((status = 200, body = WholePost), (status = 404, body = ErrorBody)))]
async fn one(State(web): State<Web>, principal: Principal, Path(id): Path<i64>) -> Result<Json<WholePost>, ApiError> {
    principal.may(Permission::ReadOwn)?;
    let user = principal.user;
    let post = found(&web, user, id).await?;
    let viewer = Viewer::User(user);
    let body = web.store.entry_body(viewer, post.entry.id).await?;
    let opened = reader::open_entry(&web.store, user, post.entry.id, web.now()).await?;
    let (full, pending) = (opened.state, opened.decision == Decision::Fetch);
    let feed = web.store.followed_feed(user, post.entry.feed).await?;
    let tags = web.store.entry_tags(user, &[post.entry.id]).await?.remove(&post.entry.id).unwrap_or_default();
    let mut body_of_post = PostBody { language: body.language.clone(), ..PostBody::from(&post) };
    let said = enrichment::said(&web, user, post.entry.feed, &mut body_of_post).await?;
    let content = body.content.or(body.summary);
    let text = full.html.as_deref().or(content.as_deref()).map(content::words_of_clean).unwrap_or_default();
    Ok(Json(WholePost {
        content_hash: HEXLOWER.encode(&post.entry.content_hash),
        reading_minutes: content::reading_minutes(&text),
        full_content_status: full_status(&full, pending),
        full_content: full.html,
        full_content_error: full.error,
        content,
        feed_title: feed.map(|feed| feed.title().to_owned()),
        tags,
        categories: body.categories,
        enclosures: body.enclosures.into_iter().map(enclosure).collect(),
        said,
        post: body_of_post,
    }))
}

/// What a post said before it was edited.
#[derive(Debug, Clone, Serialize, ToSchema)]
struct RevisionBody {
    /// Counted from 1; the oldest may be gone.
    number: i64,
    /// Until when it said so.
    replaced_at: String,
    title: Option<String>,
    url: Option<String>,
    /// As safe HTML.
    content: Option<String>,
}

/// What a post said before, the oldest first.
#[utoipa::path(get, path = "/api/posts/{id}/revisions", tag = "posts", params(("id" = i64, Path)),
    responses((status = 200, body = Vec<RevisionBody>), (status = 404, body = ErrorBody)))]
async fn revisions(
    State(web): State<Web>,
    principal: Principal,
    Path(id): Path<i64>,
) -> Result<Json<Vec<RevisionBody>>, ApiError> {
    principal.may(Permission::ReadOwn)?;
    let post = found(&web, principal.user, id).await?;
    let revisions = web.store.revisions(Viewer::User(principal.user), post.entry.id).await?;
    let body = |revision: Revision| RevisionBody {
        number: revision.number,
        replaced_at: moment(revision.replaced_at),
        title: revision.title,
        url: revision.link,
        content: revision.body.content.or(revision.body.summary),
    };
    Ok(Json(revisions.into_iter().map(body).collect()))
}

fn full_status(full: &FullTextState, pending: bool) -> &'static str {
    match full {
        FullTextState { html: Some(_), .. } => "ready",
        _ if pending => "pending",
        FullTextState { error: Some(_), .. } => "failed",
        _ => "none",
    }
}

fn enclosure(attachment: Attachment) -> Enclosure {
    let Attachment { url, media_type, length } = attachment;
    Enclosure { url, media_type, length }
}

#[derive(Debug, Default, Deserialize, ToSchema)]
struct ReadState {
    /// Left out: read.
    is_read: Option<bool>,
}

/// Marks a post as read or unread.
#[utoipa::path(patch, path = "/api/posts/{id}/read", tag = "posts", params(("id" = i64, Path)), request_body = ReadState,
    responses((status = 200, body = Done), (status = 404, body = ErrorBody)))]
async fn read(
    State(web): State<Web>,
    principal: Principal,
    Path(id): Path<i64>,
    OptionalBody(state): OptionalBody<ReadState>,
) -> Result<Json<Done>, ApiError> {
    principal.may(Permission::WriteOwn)?;
    found(&web, principal.user, id).await?;
    let mark = if state.is_read.unwrap_or(true) { Mark::Read } else { Mark::Unread };
    web.store.mark(principal.user, &[EntryId(id)], mark, web.now()).await?;
    Ok(Json(DONE))
}

/// What to mark: exactly one of the first four.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[schema(example = json!({ "all": true }))]
struct MarkRead {
    #[schema(value_type = Option<Vec<i64>>)]
    post_ids: Option<Vec<LooseId>>,
    #[schema(value_type = Option<i64>)]
    feed_id: Option<LooseId>,
    /// With the categories below it.
    #[schema(value_type = Option<i64>)]
    category_id: Option<LooseId>,
    all: Option<bool>,
    /// Only what was first seen by this moment: the `as_of` of the list that the user saw.
    as_of: Option<String>,
}

/// What was marked.
#[derive(Debug, Clone, Serialize, ToSchema)]
struct MarkedBody {
    /// How many posts became read.
    marked: u64,
    /// The same, by its older name.
    marked_read: u64,
    /// Takes it back within seven days, by `POST /api/posts/mark-read/undo`. Posts marked by their ids have none.
    undo: Option<String>,
}

/// Marks posts as read: by their ids, of a feed, of a category, or all.
#[utoipa::path(post, path = "/api/posts/mark-read", tag = "posts", request_body = MarkRead,
    responses((status = 200, body = MarkedBody), (status = 404, body = ErrorBody), (status = 422, body = ErrorBody)))]
async fn mark_read(
    State(web): State<Web>,
    principal: Principal,
    Body(wish): Body<MarkRead>,
) -> Result<Json<MarkedBody>, ApiError> {
    principal.may(Permission::WriteOwn)?;
    let (user, now) = (principal.user, web.now());
    let as_of = wish.as_of.as_deref().map(|text| read_moment("as_of", text)).transpose()?;
    let feeds = match (&wish.post_ids, wish.feed_id, wish.category_id, wish.all.unwrap_or(false)) {
        (Some(ids), None, None, false) => {
            if ids.len() > MOST_IDS {
                return Err(ApiError::unprocessable(format!("Send at most {MOST_IDS} ids at a time")));
            }
            let ids: Vec<EntryId> = ids.iter().map(|id| EntryId(id.0)).collect();
            let marked = web.store.mark(user, &ids, Mark::Read, now).await?;
            return Ok(Json(MarkedBody { marked, marked_read: marked, undo: None }));
        }
        (None, Some(feed), None, false) => {
            let feed = FeedId(feed.0);
            web.store.subscription(user, feed).await?.ok_or_else(super::feeds::no_such_feed)?;
            Some(vec![feed])
        }
        (None, None, Some(category), false) => {
            let scope = categories::scope(&web, user, category.0).await?;
            let all = web.store.subscriptions(user).await?.into_iter();
            Some(all.filter(|feed| scope.contains(&feed.category)).map(|feed| feed.feed).collect())
        }
        (None, None, None, true) => None,
        _ => {
            let detail = "Say what to mark by one of `post_ids`, `feed_id`, `category_id` and `all`";
            return Err(ApiError::unprocessable(detail));
        }
    };
    let sweep = web.store.sweep(user, feeds.as_deref(), as_of, now).await?;
    let undo = Some(sweep.id.to_string());
    Ok(Json(MarkedBody { marked: sweep.marked, marked_read: sweep.marked, undo }))
}

#[derive(Debug, Deserialize, ToSchema)]
struct Undo {
    /// What `mark-read` gave.
    #[schema(value_type = String)]
    undo: LooseId,
}

/// How much was taken back.
#[derive(Debug, Clone, Serialize, ToSchema)]
struct Undone {
    ok: bool,
    restored: u64,
}

/// Takes a "mark as read" back. What was marked since stays marked.
#[utoipa::path(post, path = "/api/posts/mark-read/undo", tag = "posts", request_body = Undo,
    responses((status = 200, body = Undone), (status = 404, body = ErrorBody)))]
async fn undo(State(web): State<Web>, principal: Principal, Body(wish): Body<Undo>) -> Result<Json<Undone>, ApiError> {
    principal.may(Permission::WriteOwn)?;
    let restored = web.store.undo_sweep(principal.user, SweepId(wish.undo.0), web.now()).await?;
    let restored =
        restored.ok_or_else(|| ApiError::not_found("This was undone before, or is older than seven days"))?;
    Ok(Json(Undone { ok: true, restored }))
}

#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct HistoryQuery {
    /// 0 to 200, else 50.
    limit: Option<i64>,
    cursor: Option<String>,
}

/// What the user has read.
#[derive(Debug, Clone, Serialize, ToSchema)]
struct HistoryBody {
    posts: Vec<PostBody>,
    next_cursor: Option<String>,
}

/// What the user has read, the latest first, for about thirty days.
#[utoipa::path(get, path = "/api/posts/history", tag = "posts", params(HistoryQuery),
    responses((status = 200, body = HistoryBody), (status = 422, body = ErrorBody)))]
async fn history(
    State(web): State<Web>,
    principal: Principal,
    Query(query): Query<HistoryQuery>,
) -> Result<Json<HistoryBody>, ApiError> {
    principal.may(Permission::ReadOwn)?;
    let page = paging(query.limit, None, PAGE, LONGEST_PAGE)?;
    let before = query.cursor.as_deref().map(read_cursor).transpose()?.map(|at| (at.sort_at, at.id));
    let posts = web.store.reading_history(principal.user, before, page.limit).await?;
    let full = page.limit > 0 && posts.len() == page.limit as usize;
    let place = |post: &Post| Some(cursor(Position { sort_at: post.read_at?, id: post.entry.id }));
    let next_cursor = posts.last().filter(|_| full).and_then(place);
    let mut posts: Vec<PostBody> = posts.iter().map(PostBody::from).collect();
    enrichment::add_headlines(&web, principal.user, &mut posts).await?;
    Ok(Json(HistoryBody { posts, next_cursor }))
}

#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct IdsQuery {
    /// The ids of a list, in its order, with the filters of `/api/posts`.
    #[serde(default)]
    view: bool,
    /// Without `view`: only ids after this one.
    after: Option<i64>,
    feed_id: Option<i64>,
    /// With the categories below it.
    category_id: Option<i64>,
    #[serde(default)]
    unread_only: bool,
    #[serde(default)]
    starred_only: bool,
    #[serde(default)]
    liked_only: bool,
    /// The name of a tag.
    tag: Option<String>,
    /// `newest` or `oldest`.
    order: Option<String>,
    /// Only posts with this date or a later one.
    since: Option<String>,
    /// Only posts with an earlier date.
    before: Option<String>,
    /// 0 to 10,000, with `view` to 100,000, which is what you get if you do not say.
    limit: Option<i64>,
}

/// Ids of posts: in the order in which they arrived, or of a list, as differences.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(untagged)]
enum IdsBody {
    /// As they arrived.
    Arrived {
        /// The ids.
        ids: Vec<i64>,
        /// There are more after them.
        has_more: bool,
    },
    /// A list.
    View(ViewIds),
}

/// The ids of a list in its order. Each is the one before plus the difference.
#[derive(Debug, Clone, Serialize, ToSchema)]
struct ViewIds {
    /// The first id.
    first: Option<i64>,
    /// From each id to the next one.
    deltas: Vec<i64>,
    /// How many ids these are.
    count: u64,
    /// How many posts the list has.
    total: u64,
    /// These are all.
    complete: bool,
    /// When the list was read: `mark-read` takes it.
    as_of: String,
}

/// The ids of a list, each as the difference to the one before.
fn view_ids(ids: &[EntryId], total: u64, as_of: String) -> ViewIds {
    let count = ids.len() as u64;
    ViewIds {
        first: ids.first().map(|id| id.0),
        deltas: ids.windows(2).map(|pair| pair[1].0 - pair[0].0).collect(),
        count,
        total: total.max(count),
        complete: count >= total,
        as_of,
    }
}

/// Ids of the user's posts. In the order in which they arrived, for clients that keep a copy: nothing can slip in before an
/// id that was seen. With `view`, those of a list in its order, for clients that show a long one.
#[utoipa::path(get, path = "/api/posts/ids", tag = "posts", params(IdsQuery),
    responses((status = 200, body = IdsBody), (status = 404, body = ErrorBody), (status = 422, body = ErrorBody)))]
async fn ids(
    State(web): State<Web>,
    principal: Principal,
    Query(query): Query<IdsQuery>,
) -> Result<Json<IdsBody>, ApiError> {
    principal.may(Permission::ReadOwn)?;
    let user = principal.user;
    if query.view {
        let page = paging(query.limit, None, MOST_VIEW_IDS, MOST_VIEW_IDS)?;
        let as_of = moment(web.now());
        let list = ListQuery {
            feed_id: query.feed_id,
            category_id: query.category_id,
            unread_only: query.unread_only,
            starred_only: query.starred_only,
            liked_only: query.liked_only,
            tag: query.tag,
            order: query.order,
            since: query.since,
            before: query.before,
            ..ListQuery::default()
        };
        let Some(filter) = filter(&web, user, &list).await? else {
            return Ok(Json(IdsBody::View(view_ids(&[], 0, as_of))));
        };
        let total = web.store.posts(user, &filter, PageStart::Offset(0), 0).await?.total;
        let ids = web.store.view_ids(user, &filter, page.limit).await?;
        return Ok(Json(IdsBody::View(view_ids(&ids, total, as_of))));
    }
    let page = paging(query.limit, None, MOST_IDS as u32, MOST_IDS as u32)?;
    let after = EntryId(query.after.unwrap_or(0));
    let ids = web.store.post_ids(user, after, query.unread_only, page.limit).await?;
    let has_more = page.limit > 0 && ids.len() == page.limit as usize;
    Ok(Json(IdsBody::Arrived { ids: ids.into_iter().map(|id| id.0).collect(), has_more }))
}

/// What was marked as read lately.
#[derive(Debug, Clone, Serialize, ToSchema)]
struct RecentMarks {
    marks: Vec<RecentMark>,
}

/// A "mark as read" that can still be taken back.
#[derive(Debug, Clone, Serialize, ToSchema)]
struct RecentMark {
    /// Takes it back, by `POST /api/posts/mark-read/undo`.
    undo: String,
    at: String,
    /// How many posts became read.
    marked: u64,
    /// How many of them would be unread again: those of feeds that were marked again since stay.
    can_restore: u64,
    /// `all`, `category` or `feed`.
    scope: Option<String>,
    /// How many feeds it was about.
    feeds: u64,
    /// The feed, if it was one.
    feed_id: Option<i64>,
}

/// The last times that much was marked as read at once, the latest first, for seven days.
#[utoipa::path(get, path = "/api/posts/mark-read/recent", tag = "posts",
    responses((status = 200, body = RecentMarks)))]
async fn recent(State(web): State<Web>, principal: Principal) -> Result<Json<RecentMarks>, ApiError> {
    principal.may(Permission::ReadOwn)?;
    let sweeps = web.store.recent_sweeps(principal.user, web.now(), MOST_RECENT).await?;
    let mark = |sweep: store::RecentSweep| RecentMark {
        undo: sweep.id.to_string(),
        at: moment(sweep.at),
        marked: sweep.marked,
        can_restore: sweep.can_restore,
        feed_id: sweep.feed.filter(|_| sweep.feeds == 1).map(|feed| feed.0),
        scope: sweep.scope,
        feeds: sweep.feeds,
    };
    Ok(Json(RecentMarks { marks: sweeps.into_iter().map(mark).collect() }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_of_a_list_are_differences() {
        let ids: Vec<EntryId> = [1_000, 998, 1_200, 3].map(EntryId).to_vec();
        let view = view_ids(&ids, 9, String::new());
        assert_eq!(
            (view.first, view.deltas, view.count, view.complete),
            (Some(1_000), vec![-2, 202, -1_197], 4, false)
        );
        let none = view_ids(&[], 0, String::new());
        assert_eq!((none.first, none.deltas.len(), none.complete), (None, 0, true));
    }
}
