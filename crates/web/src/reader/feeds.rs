//! `/api/feeds`: the feeds that a user follows. Verbs that visit or change a feed are `reader`'s and `engine`'s; here they
//! get their shape. What concerns a shared feed (address, proxy, policies, on and off) needs the right to change feeds.

use super::categories::{category_or_default, with_descendants};
use super::shape::{DONE, Done, LooseId, maybe_null, moment, posts_per_week, unix};
use crate::Web;
use crate::body::{Body, OptionalBody};
use crate::error::{ApiError, ErrorBody};
use crate::etag::tagged;
use crate::principal::Principal;
use crate::query::{Path, Query};
use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use data_encoding::HEXLOWER;
use engine::{Access, AccessChange, AccessChanged, Change, Disabled, Enabled, Insistence, Moved, Reach, RuleChanged};
use model::feed::FeedState;
use model::full_text::FullText;
use model::{FeedId, UserId, Viewer};
use policy::permission::Permission;
use reader::{Refreshed, Subscribed, Wanted};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap, HashSet};
use store::{FeedName, Followed, SubscriptionChange};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

/// Feeds in one batch.
const MOST_AT_ONCE: usize = 1_000;
/// Feeds that are put into an order.
const MOST_IN_ORDER: usize = 10_000;

pub(crate) fn routes() -> OpenApiRouter<Web> {
    OpenApiRouter::new()
        .routes(routes!(list, create))
        .routes(routes!(one, update, delete))
        .routes(routes!(refresh_all))
        .routes(routes!(refresh))
        .routes(routes!(enable))
        .routes(routes!(discover))
        .routes(routes!(validate))
        .routes(routes!(batch))
        .routes(routes!(reorder))
}

/// A feed that the user follows.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub(crate) struct FeedBody {
    pub(crate) id: i64,
    pub(crate) uuid: String,
    /// The user's own title, else the feed's, else its address.
    pub(crate) title: String,
    pub(crate) feed_title: Option<String>,
    pub(crate) url: String,
    pub(crate) site_url: Option<String>,
    pub(crate) description: Option<String>,
    pub(crate) language: Option<String>,
    pub(crate) category_id: i64,
    pub(crate) unread_count: u64,
    pub(crate) starred_count: u64,
    pub(crate) post_count: u64,
    /// Failures since the last success.
    pub(crate) error_count: u32,
    pub(crate) last_error: Option<String>,
    /// `active`, `paused`, `disabled`, `awaiting`, `rejected` or `gone`.
    pub(crate) state: &'static str,
    pub(crate) state_reason: Option<String>,
    /// When it was switched off after failures.
    pub(crate) disabled_at: Option<String>,
    /// Whether somebody switched it off.
    pub(crate) suspended: bool,
    /// Only this user sees it.
    pub(crate) private: bool,
    /// Whether it has a proxy or credentials of its own; these are never shown.
    pub(crate) has_access: bool,
    pub(crate) allow_duplicate_urls: bool,
    /// Whether its posts are shown among all.
    pub(crate) in_all: bool,
    /// `newest`, `oldest`, or null: as everywhere.
    pub(crate) sort: Option<&'static str>,
    /// `auto`, `always`, `never`, or null: as the feed's own rule says.
    pub(crate) full_text: Option<&'static str>,
    /// The address of its icon here.
    pub(crate) icon: Option<String>,
    pub(crate) created_at: String,
    pub(crate) updated_at: String,
    pub(crate) subscribed_at: String,
    /// Its place in the category.
    pub(crate) position: i64,
    /// When its newest post was published.
    pub(crate) last_post_at: Option<String>,
    pub(crate) posts_per_week: Option<f64>,
    /// The address it had before it moved for good.
    pub(crate) redirected_from: Option<String>,
    pub(crate) fetch_state: FetchStateBody,
}

/// How its visits go. Times are unix seconds; 0 is unknown.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub(crate) struct FetchStateBody {
    pub(crate) etag: Option<String>,
    pub(crate) last_modified: Option<String>,
    pub(crate) cache_control: Option<String>,
    pub(crate) expires_at: i64,
    pub(crate) retry_after_until: i64,
    pub(crate) last_checked_at: i64,
    pub(crate) next_check_at: i64,
    pub(crate) last_http_status: u16,
    pub(crate) last_success_at: i64,
    pub(crate) last_error_at: i64,
    pub(crate) last_error: Option<String>,
    pub(crate) consecutive_failures: u32,
    pub(crate) interval_seconds: i64,
    /// Why the next visit is when it is.
    pub(crate) reason: String,
}

pub(crate) fn no_such_feed() -> ApiError {
    ApiError::not_found("Feed not found")
}

pub(crate) fn state_word(state: &FeedState) -> (&'static str, Option<String>) {
    match state {
        FeedState::Active => ("active", None),
        FeedState::Paused => ("paused", None),
        FeedState::Disabled { reason } => ("disabled", Some(reason.clone())),
        FeedState::AwaitingModeration => ("awaiting", None),
        FeedState::Rejected { reason } => ("rejected", Some(reason.clone())),
        FeedState::Gone => ("gone", None),
        FeedState::Deleted => ("deleted", None),
    }
}

/// A feed's body, with what other tables know of it.
pub(crate) fn body(feed: &Followed, starred: &HashMap<FeedId, u64>, icons: &HashMap<FeedId, [u8; 32]>) -> FeedBody {
    let (state, state_reason) = state_word(&feed.state);
    let fetch = &feed.fetch;
    FeedBody {
        id: feed.feed.0,
        uuid: feed.uuid.to_string(),
        title: feed.title().to_owned(),
        feed_title: feed.feed_title.clone(),
        url: feed.url.clone(),
        site_url: feed.site_url.clone(),
        description: feed.description.clone(),
        language: feed.language.clone(),
        category_id: feed.category.0,
        unread_count: feed.unread,
        starred_count: starred.get(&feed.feed).copied().unwrap_or(0),
        post_count: feed.entries,
        error_count: fetch.failures,
        last_error: fetch.last_error.clone().filter(|_| fetch.failures > 0),
        state,
        state_reason,
        disabled_at: matches!(feed.state, FeedState::Disabled { .. }).then(|| moment(feed.state_since)),
        suspended: feed.state == FeedState::Paused,
        private: feed.owner.is_some(),
        has_access: feed.has_access,
        allow_duplicate_urls: feed.allow_duplicate_urls,
        in_all: feed.in_all,
        sort: feed.sort.map(|order| match order {
            model::reader::SortOrder::Newest => "newest",
            model::reader::SortOrder::Oldest => "oldest",
        }),
        full_text: feed.full_text.as_ref().map(FullText::as_str),
        icon: icons.get(&feed.feed).map(|hash| format!("/api/icons/{}", HEXLOWER.encode(hash))),
        created_at: moment(feed.created_at),
        updated_at: moment(feed.updated_at),
        subscribed_at: moment(feed.since),
        position: feed.position,
        last_post_at: feed.last_post_at.map(moment),
        posts_per_week: posts_per_week(feed.gap),
        redirected_from: feed.moved_from.clone(),
        fetch_state: FetchStateBody {
            etag: fetch.etag.clone(),
            last_modified: fetch.last_modified.clone(),
            cache_control: fetch.cache_control.clone(),
            expires_at: unix(fetch.expires_at),
            retry_after_until: unix(fetch.retry_after),
            last_checked_at: unix(fetch.last_visit_at),
            next_check_at: unix(fetch.due_at),
            last_http_status: fetch.last_status.unwrap_or(0),
            last_success_at: unix(fetch.last_success_at),
            last_error_at: unix(fetch.last_error_at),
            last_error: fetch.last_error.clone(),
            consecutive_failures: fetch.failures,
            interval_seconds: fetch.interval.as_secs(),
            reason: fetch.reason.clone(),
        },
    }
}

/// Bodies of feeds of a user.
pub(crate) async fn bodies(web: &Web, user: UserId, feeds: &[Followed]) -> Result<Vec<FeedBody>, ApiError> {
    let starred = web.store.starred_counts(user).await?;
    let ids: Vec<FeedId> = feeds.iter().map(|feed| feed.feed).collect();
    let icons = web.store.icon_hashes(Viewer::User(user), &ids).await?;
    Ok(feeds.iter().map(|feed| body(feed, &starred, &icons)).collect())
}

pub(crate) async fn found(web: &Web, user: UserId, id: i64) -> Result<Followed, ApiError> {
    web.store.followed_feed(user, FeedId(id)).await?.ok_or_else(no_such_feed)
}

async fn found_body(web: &Web, user: UserId, id: i64) -> Result<FeedBody, ApiError> {
    let feed = found(web, user, id).await?;
    bodies(web, user, &[feed]).await?.pop().ok_or_else(no_such_feed)
}

#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct ListQuery {
    /// With the categories below it.
    category_id: Option<i64>,
    /// Else only feeds that are visited; true if it is left out.
    include_disabled: Option<bool>,
}

/// The feeds that the user follows.
#[utoipa::path(get, path = "/api/feeds", tag = "feeds", params(ListQuery),
    responses((status = 200, body = Vec<FeedBody>), (status = 304), (status = 404, body = ErrorBody)))]
async fn list(
    State(web): State<Web>,
    principal: Principal,
    Query(query): Query<ListQuery>,
) -> Result<Response, ApiError> {
    principal.may(Permission::ReadOwn)?;
    let mut feeds = web.store.followed(principal.user).await?;
    if let Some(category) = query.category_id {
        let category = category_or_default(&web, principal.user, Some(category)).await?;
        let scope = with_descendants(&web.store.categories(principal.user).await?, category);
        feeds.retain(|feed| scope.contains(&feed.category));
    }
    if !query.include_disabled.unwrap_or(true) {
        feeds.retain(|feed| feed.state == FeedState::Active);
    }
    let bodies = bodies(&web, principal.user, &feeds).await?;
    Ok(tagged(&bodies, &bodies))
}

/// One of them.
#[utoipa::path(get, path = "/api/feeds/{id}", tag = "feeds", params(("id" = i64, Path)),
    responses((status = 200, body = FeedBody), (status = 404, body = ErrorBody)))]
async fn one(State(web): State<Web>, principal: Principal, Path(id): Path<i64>) -> Result<Json<FeedBody>, ApiError> {
    principal.may(Permission::ReadOwn)?;
    found_body(&web, principal.user, id).await.map(Json)
}

#[derive(Debug, Deserialize, ToSchema)]
struct NewFeed {
    /// The address of a feed, or of a site that has one.
    url: String,
    /// Left out or null: the permanent category.
    #[serde(default)]
    #[schema(value_type = Option<i64>)]
    category_id: Option<LooseId>,
    title: Option<String>,
}

/// Why a feed was not added.
fn not_added(subscribed: &Subscribed) -> Option<ApiError> {
    match subscribed {
        Subscribed::New(_) | Subscribed::Known(_) => None,
        Subscribed::AlreadySubscribed(feed) => {
            Some(ApiError::conflict("Feed with this URL already exists").id(feed.0).reason("already_subscribed"))
        }
        Subscribed::NoFeedFound => {
            Some(ApiError::unprocessable("No RSS/Atom feed found at this address").code("no_feed_found"))
        }
        Subscribed::CannotFetch(why) => {
            Some(ApiError::unprocessable("Could not fetch URL").code("cannot_fetch").reason(why.clone()))
        }
        Subscribed::BadAddress(why) => Some(ApiError::unprocessable(why.clone()).code("bad_address")),
    }
}

/// A title of a user's own; an empty one is none.
fn own_title(title: Option<&str>) -> Result<Option<String>, ApiError> {
    let title = title.map(str::trim).filter(|title| !title.is_empty());
    match title {
        Some(title) if title.chars().count() > 500 => {
            Err(ApiError::unprocessable("A title may have at most 500 letters"))
        }
        title => Ok(title.map(str::to_owned)),
    }
}

/// Follows a feed, found by its own address or by that of its site. The first visit is part of it, for up to ten seconds.
#[utoipa::path(post, path = "/api/feeds", tag = "feeds", request_body = NewFeed,
    responses((status = 201, body = FeedBody), (status = 404, body = ErrorBody), (status = 409, body = ErrorBody),
        (status = 422, body = ErrorBody)))]
async fn create(
    State(web): State<Web>,
    principal: Principal,
    Body(new): Body<NewFeed>,
) -> Result<(StatusCode, Json<FeedBody>), ApiError> {
    principal.may(Permission::WriteOwn)?;
    let user = principal.user;
    let category = category_or_default(&web, user, new.category_id.map(|id| id.0)).await?;
    let wanted = Wanted { category: Some(category), title: own_title(new.title.as_deref())?, ..Wanted::at(&new.url) };
    let subscribed = reader::subscribe(&web.engine, user, &wanted).await?;
    if let Some(error) = not_added(&subscribed) {
        return Err(error);
    }
    let id = subscribed.feed().ok_or_else(no_such_feed)?;
    Ok((StatusCode::CREATED, Json(found_body(&web, user, id.0).await?)))
}

/// What to change; what is left out stays as it is.
#[derive(Debug, Default, Deserialize, ToSchema)]
pub(crate) struct FeedUpdate {
    /// Null: what the feed calls itself.
    #[serde(default, deserialize_with = "maybe_null")]
    #[schema(value_type = Option<String>)]
    pub(crate) title: Option<Option<String>>,
    /// Null: the permanent category.
    #[serde(default, deserialize_with = "maybe_null")]
    #[schema(value_type = Option<i64>)]
    pub(crate) category_id: Option<Option<LooseId>>,
    /// Another address. Who may not change feeds moves only their own subscription.
    pub(crate) url: Option<String>,
    /// Switches the feed off for everybody.
    pub(crate) suspended: Option<bool>,
    /// `http://` or `socks5://`; empty or null takes it away.
    #[serde(default, deserialize_with = "maybe_null")]
    #[schema(value_type = Option<String>)]
    pub(crate) proxy: Option<Option<String>>,
    pub(crate) allow_duplicate_urls: Option<bool>,
    /// Policies of the feed's own, by key; null takes one away. `courant feed rule list` lists them.
    #[schema(value_type = Option<Object>)]
    pub(crate) rules: Option<BTreeMap<String, Option<String>>>,
    pub(crate) in_all: Option<bool>,
    #[serde(default, deserialize_with = "maybe_null")]
    #[schema(value_type = Option<String>)]
    pub(crate) sort: Option<Option<String>>,
    #[serde(default, deserialize_with = "maybe_null")]
    #[schema(value_type = Option<String>)]
    pub(crate) full_text: Option<Option<String>>,
}

impl FeedUpdate {
    /// Whether it is about what all subscribers share, beside the address.
    pub(crate) fn is_about_the_feed(&self) -> bool {
        self.suspended.is_some() || self.proxy.is_some() || self.allow_duplicate_urls.is_some() || self.rules.is_some()
    }
}

/// Changes a subscription or, with the right to, its feed.
#[utoipa::path(put, path = "/api/feeds/{id}", tag = "feeds", params(("id" = i64, Path)), request_body = FeedUpdate,
    responses((status = 200, body = FeedBody), (status = 403, body = ErrorBody), (status = 404, body = ErrorBody),
        (status = 409, body = ErrorBody), (status = 422, body = ErrorBody)))]
async fn update(
    State(web): State<Web>,
    principal: Principal,
    Path(id): Path<i64>,
    Body(update): Body<FeedUpdate>,
) -> Result<Json<FeedBody>, ApiError> {
    principal.may(Permission::WriteOwn)?;
    let feed = change(&web, &principal, id, update).await?;
    found_body(&web, principal.user, feed.0).await.map(Json)
}

/// Changes a feed as far as the principal may; returns the feed that the subscription is to afterwards.
pub(crate) async fn change(web: &Web, principal: &Principal, id: i64, update: FeedUpdate) -> Result<FeedId, ApiError> {
    let user = principal.user;
    let before = found(web, user, id).await?;
    let may_change = may_change_feed(principal, &before);
    if update.is_about_the_feed() {
        may_change.clone()?;
    }
    // Everything is checked before anything is changed.
    let mut change = SubscriptionChange { in_all: update.in_all, ..SubscriptionChange::default() };
    if let Some(category) = update.category_id {
        change.category = Some(category_or_default(web, user, category.map(|id| id.0)).await?);
    }
    if let Some(title) = &update.title {
        let title = own_title(title.as_deref())?;
        // Clients send the title that they were shown along with what they change.
        change.title = Some(title.filter(|title| Some(title) != before.feed_title.as_ref()));
    }
    if let Some(sort) = &update.sort {
        change.sort = Some(sort.as_deref().map(|word| super::posts::order(Some(word))).transpose()?);
    }
    if let Some(switch) = &update.full_text {
        let named = |word: &str| {
            let detail = "`full_text` may be auto, always or never";
            FullText::named(word).ok_or_else(|| ApiError::unprocessable(detail))
        };
        change.full_text = Some(switch.as_deref().map(named).transpose()?);
    }
    check_settings(web, before.feed, &update).await?;
    let url = update.url.as_deref().map(str::trim).filter(|url| !url.is_empty() && *url != before.url);
    let mut feed = before.feed;
    if let Some(url) = url {
        feed = if may_change.is_ok() {
            move_feed(web, feed, url).await?
        } else {
            move_own(web, user, &before, url).await?
        };
    }
    if !web.store.change_subscription(user, feed, change).await? {
        return Err(no_such_feed());
    }
    change_settings(web, user, feed, update).await?;
    Ok(feed)
}

/// Whether somebody may change what all subscribers of a feed share: with the right to, or if it is theirs alone.
fn may_change_feed(principal: &Principal, feed: &Followed) -> Result<(), ApiError> {
    if feed.owner == Some(principal.user) { Ok(()) } else { principal.may(Permission::FeedSettings) }
}

async fn move_feed(web: &Web, feed: FeedId, url: &str) -> Result<FeedId, ApiError> {
    match engine::move_feed(&web.store, Viewer::Operator, feed, url, web.now()).await? {
        Moved::Done | Moved::Already => Ok(feed),
        Moved::Taken { by, .. } => {
            let taken = ApiError::conflict("Feed with this URL already exists");
            Err(ApiError { id: by.map(|feed| feed.0), ..taken })
        }
        Moved::NotAnAddress(why) => Err(ApiError::unprocessable(why).code("bad_address")),
        Moved::Deleted => Err(no_such_feed()),
    }
}

/// Moves the subscription of one user to the feed at another address.
async fn move_own(web: &Web, user: UserId, before: &Followed, url: &str) -> Result<FeedId, ApiError> {
    let wanted = Wanted { category: Some(before.category), title: before.own_title.clone(), ..Wanted::at(url) };
    let subscribed = reader::subscribe(&web.engine, user, &wanted).await?;
    if let Some(error) = not_added(&subscribed) {
        return Err(error);
    }
    let feed = subscribed.feed().ok_or_else(no_such_feed)?;
    if feed != before.feed {
        reader::unsubscribe(&web.engine, user, before.feed).await?;
    }
    Ok(feed)
}

/// Refuses what could not be set, before anything is.
async fn check_settings(web: &Web, feed: FeedId, update: &FeedUpdate) -> Result<(), ApiError> {
    if let Some(rules) = &update.rules {
        let global = &web.engine.options().rules;
        let mut own = web.store.feed(Viewer::Operator, &FeedName::Id(feed)).await?.rules;
        for (key, value) in rules {
            let changed = match value {
                Some(value) => policy::rules::with_own(global, &own, key, value),
                None => policy::rules::without_own(global, &own, key),
            };
            own = changed.map_err(|why| ApiError::unprocessable(format!("`rules.{key}`: {why}")).reason("rules"))?.own;
        }
    }
    let proxy = update.proxy.clone().flatten().filter(|proxy| !proxy.trim().is_empty());
    match (Access { proxy, ..Access::default() }).problem() {
        Some(why) => Err(ApiError::unprocessable(format!("`proxy`: {why}")).reason("proxy")),
        None => Ok(()),
    }
}

/// What all subscribers share.
async fn change_settings(web: &Web, user: UserId, feed: FeedId, update: FeedUpdate) -> Result<(), ApiError> {
    let (viewer, now) = (Viewer::Operator, web.now());
    for (key, value) in update.rules.unwrap_or_default() {
        let global = &web.engine.options().rules;
        let changed = match value {
            Some(value) => engine::set_rule(&web.store, viewer, global, feed, &key, &value, now).await?,
            None => engine::unset_rule(&web.store, viewer, global, feed, &key, now).await?,
        };
        if let RuleChanged::Refused(why) = changed {
            return Err(ApiError::unprocessable(format!("`rules.{key}`: {why}")));
        }
    }
    if let Some(proxy) = update.proxy {
        let proxy = proxy.filter(|proxy| !proxy.trim().is_empty());
        let access = AccessChange { proxy: proxy.map_or(Change::Remove, Change::Set), ..AccessChange::default() };
        match engine::change_access(&web.engine, viewer, feed, user, access).await? {
            AccessChanged::Done => {}
            AccessChanged::BadProxy(why) => return Err(ApiError::unprocessable(format!("`proxy`: {why}"))),
            AccessChanged::Sealed(_) => {
                return Err(ApiError::conflict(
                    "What is stored was sealed with another secret; set it by the command line",
                ));
            }
            AccessChanged::AddressTaken => return Err(ApiError::conflict("Feed with this URL already exists")),
        }
    }
    if let Some(allow) = update.allow_duplicate_urls {
        web.store.set_duplicate_urls(feed, allow, now).await?;
    }
    match update.suspended {
        Some(true) => match engine::disable_feed(&web.store, viewer, feed, now).await? {
            Disabled::Done | Disabled::Already | Disabled::NotVisited(_) => Ok(()),
        },
        Some(false) => match engine::enable_feed(&web.store, viewer, feed, now).await? {
            Enabled::Done | Enabled::Already => Ok(()),
            Enabled::Refused(why) => Err(ApiError::conflict(format!("The feed cannot be switched on: {why}"))),
        },
        None => Ok(()),
    }
}

/// Stops following a feed. Bookmarks stay. Following it again within thirty days brings back what was read.
#[utoipa::path(delete, path = "/api/feeds/{id}", tag = "feeds", params(("id" = i64, Path)),
    responses((status = 200, body = Done), (status = 404, body = ErrorBody)))]
async fn delete(State(web): State<Web>, principal: Principal, Path(id): Path<i64>) -> Result<Json<Done>, ApiError> {
    principal.may(Permission::WriteOwn)?;
    found(&web, principal.user, id).await?;
    reader::unsubscribe(&web.engine, principal.user, FeedId(id)).await?;
    Ok(Json(DONE))
}

/// Takes one of the visits that a user may ask for.
pub(crate) fn within_limit(web: &Web, user: UserId, feed: FeedId) -> Result<(), ApiError> {
    let (limits, now) = (&web.options.limits.refresh, web.now());
    web.requests.take(("refresh", user, feed), &limits.same_feed, now).map_err(ApiError::too_many)?;
    web.requests.take(("refreshes", user), &limits.feeds, now).map_err(ApiError::too_many)
}

/// What a visit on demand brought.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub(crate) struct RefreshBody {
    ok: bool,
    /// False if the visit had not ended when the answer was sent.
    finished: bool,
    new_posts: u64,
    /// Posts of the document that were known.
    skipped_duplicates: u64,
    errors: Vec<String>,
}

pub(crate) fn refresh_body(refreshed: &Refreshed) -> RefreshBody {
    RefreshBody {
        ok: refreshed.error.is_none(),
        finished: refreshed.finished,
        new_posts: refreshed.new,
        skipped_duplicates: refreshed.known,
        errors: refreshed.error.iter().cloned().collect(),
    }
}

/// Visits a feed now, unless its server asked to be left alone. Waits for up to ten seconds.
#[utoipa::path(post, path = "/api/feeds/{id}/refresh", tag = "feeds", params(("id" = i64, Path)),
    responses((status = 200, body = RefreshBody), (status = 404, body = ErrorBody), (status = 409, body = ErrorBody),
        (status = 429, body = ErrorBody)))]
async fn refresh(
    State(web): State<Web>,
    principal: Principal,
    Path(id): Path<i64>,
) -> Result<Json<RefreshBody>, ApiError> {
    principal.may(Permission::WriteOwn)?;
    found(&web, principal.user, id).await?;
    within_limit(&web, principal.user, FeedId(id))?;
    let refreshed = reader::refresh(&web.engine, principal.viewer(), FeedId(id), Insistence::Polite).await?;
    if let Some(why) = &refreshed.refused {
        return Err(ApiError::conflict(why.clone()).code("not_visited"));
    }
    Ok(Json(refresh_body(&refreshed)))
}

/// What visits of all feeds brought so far.
#[derive(Debug, Clone, Serialize, ToSchema)]
struct RefreshAllBody {
    ok: bool,
    /// Feeds that are visited.
    feeds: u64,
    /// Of these, how many were when the answer was sent.
    finished: u64,
    new_posts: u64,
    errors: Vec<String>,
}

/// Visits all feeds of the user now. Answers after ten seconds at most; the rest goes on.
#[utoipa::path(post, path = "/api/feeds/refresh", tag = "feeds",
    responses((status = 200, body = RefreshAllBody), (status = 429, body = ErrorBody)))]
async fn refresh_all(State(web): State<Web>, principal: Principal) -> Result<Json<RefreshAllBody>, ApiError> {
    principal.may(Permission::WriteOwn)?;
    // No feed has this id. How often each is visited is up to its rate group.
    within_limit(&web, principal.user, FeedId(0))?;
    let done = reader::refresh_all(&web.engine, principal.user).await?;
    let (feeds, finished) = (done.feeds, done.finished);
    Ok(Json(RefreshAllBody { ok: true, feeds, finished, new_posts: done.new, errors: done.errors }))
}

/// Switches a feed on that was switched off after failures, and visits it.
#[utoipa::path(post, path = "/api/feeds/{id}/enable", tag = "feeds", params(("id" = i64, Path)),
    responses((status = 200, body = Done), (status = 403, body = ErrorBody), (status = 404, body = ErrorBody),
        (status = 409, body = ErrorBody)))]
async fn enable(State(web): State<Web>, principal: Principal, Path(id): Path<i64>) -> Result<Json<Done>, ApiError> {
    principal.may(Permission::WriteOwn)?;
    let feed = found(&web, principal.user, id).await?;
    may_change_feed(&principal, &feed)?;
    match engine::enable_feed(&web.store, Viewer::Operator, feed.feed, web.now()).await? {
        Enabled::Refused(why) => Err(ApiError::conflict(format!("The feed cannot be switched on: {why}"))),
        Enabled::Done | Enabled::Already => {
            reader::refresh(&web.engine, principal.viewer(), feed.feed, Insistence::Polite).await?;
            Ok(Json(DONE))
        }
    }
}

#[derive(Debug, Default, Deserialize, ToSchema)]
struct Address {
    url: Option<String>,
}

#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct AddressQuery {
    /// Instead of the one in the body.
    url: Option<String>,
}

/// A feed of a site.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub(crate) struct FoundFeed {
    pub(crate) url: String,
    pub(crate) title: Option<String>,
    /// Its dialect.
    version: &'static str,
    posts: usize,
    last_post_at: Option<String>,
    posts_per_week: Option<f64>,
    /// Its first headlines.
    samples: Vec<String>,
    /// How it was found.
    why: String,
}

/// The feeds of a site.
#[derive(Debug, Clone, Serialize, ToSchema)]
struct DiscoverBody {
    /// The likeliest.
    feed_url: String,
    title: Option<String>,
    feeds: Vec<FoundFeed>,
}

/// The feeds at an address, the likeliest first; and why there are none, if the address could not be visited.
pub(crate) async fn feeds_at(web: &Web, url: &str) -> Result<(Vec<FoundFeed>, Option<String>), ApiError> {
    let found = match engine::discover(&web.engine, url, Reach { sitemap_pages: 0 }).await {
        Ok(found) => found,
        Err(engine::EngineError::Address { why, .. }) => return Err(ApiError::unprocessable(why).code("bad_address")),
        Err(error) => return Err(error.into()),
    };
    let failure = found.failure.is_some().then(|| found.failed.first().map(|(_, why)| why.clone()).unwrap_or_default());
    let body = |feed: engine::FoundFeed| FoundFeed {
        url: feed.url,
        title: feed.title,
        version: feed.version,
        posts: feed.entries,
        last_post_at: feed.last_entry_at.map(moment),
        posts_per_week: feed.per_week,
        samples: feed.samples,
        why: feed.why,
    };
    Ok((found.feeds.into_iter().map(body).collect(), failure))
}

fn address(query: AddressQuery, body: Address) -> Result<String, ApiError> {
    let url = query.url.or(body.url).filter(|url| !url.trim().is_empty());
    url.ok_or_else(|| ApiError::unprocessable("Say which address to look at, by `url`"))
}

/// Looks for the feeds of a site.
#[utoipa::path(post, path = "/api/feeds/discover", tag = "feeds", params(AddressQuery), request_body = Address,
    responses((status = 200, body = DiscoverBody), (status = 404, body = ErrorBody), (status = 422, body = ErrorBody)))]
async fn discover(
    State(web): State<Web>,
    principal: Principal,
    Query(query): Query<AddressQuery>,
    OptionalBody(body): OptionalBody<Address>,
) -> Result<Json<DiscoverBody>, ApiError> {
    principal.may(Permission::WriteOwn)?;
    let (feeds, failure) = feeds_at(&web, &address(query, body)?).await?;
    match (feeds.first(), failure) {
        (Some(first), _) => Ok(Json(DiscoverBody { feed_url: first.url.clone(), title: first.title.clone(), feeds })),
        (None, Some(why)) => Err(ApiError::unprocessable("Could not fetch URL").code("cannot_fetch").reason(why)),
        (None, None) => Err(ApiError::not_found("No RSS/Atom feed found").code("no_feed_found")),
    }
}

/// Whether there are feeds at an address.
#[derive(Debug, Clone, Serialize, ToSchema)]
struct ValidateBody {
    valid: bool,
    feeds: Vec<FoundFeed>,
    /// Why not.
    problem: Option<String>,
}

/// Says whether an address is a feed or has one, without following it.
#[utoipa::path(post, path = "/api/feeds/validate", tag = "feeds", params(AddressQuery), request_body = Address,
    responses((status = 200, body = ValidateBody), (status = 422, body = ErrorBody)))]
async fn validate(
    State(web): State<Web>,
    principal: Principal,
    Query(query): Query<AddressQuery>,
    OptionalBody(body): OptionalBody<Address>,
) -> Result<Json<ValidateBody>, ApiError> {
    principal.may(Permission::WriteOwn)?;
    let (feeds, failure) = feeds_at(&web, &address(query, body)?).await?;
    let valid = !feeds.is_empty();
    let problem = failure.or_else(|| (!valid).then(|| "no feed was found".to_owned()));
    Ok(Json(ValidateBody { valid, feeds, problem }))
}

#[derive(Debug, Deserialize, ToSchema)]
struct Batch {
    feeds: Vec<NewFeed>,
}

/// What became of many feeds.
#[derive(Debug, Clone, Serialize, ToSchema)]
struct BatchBody {
    created: usize,
    failed: usize,
    errors: Vec<String>,
    ids: Vec<i64>,
}

/// Follows many feeds by their own addresses. They are visited soon, and not before the answer.
#[utoipa::path(post, path = "/api/feeds/batch", tag = "feeds", request_body = Batch,
    responses((status = 201, body = BatchBody), (status = 404, body = ErrorBody), (status = 422, body = ErrorBody)))]
async fn batch(
    State(web): State<Web>,
    principal: Principal,
    Body(batch): Body<Batch>,
) -> Result<(StatusCode, Json<BatchBody>), ApiError> {
    principal.may(Permission::WriteOwn)?;
    if batch.feeds.len() > MOST_AT_ONCE {
        return Err(ApiError::unprocessable(format!("Send at most {MOST_AT_ONCE} feeds at a time, or import a list")));
    }
    let user = principal.user;
    let mut body = BatchBody { created: 0, failed: 0, errors: Vec::new(), ids: Vec::new() };
    for new in &batch.feeds {
        let category = category_or_default(&web, user, new.category_id.map(|id| id.0)).await?;
        match reader::subscribe_at(&web.engine, user, &new.url, category, own_title(new.title.as_deref())?).await? {
            Subscribed::New(feed) | Subscribed::Known(feed) => {
                body.created += 1;
                body.ids.push(feed.0);
            }
            refused => {
                body.failed += 1;
                let why = not_added(&refused).map(|error| error.detail).unwrap_or_default();
                body.errors.push(format!("{}: {why}", new.url));
            }
        }
    }
    Ok((StatusCode::CREATED, Json(body)))
}

/// The order of feeds in a category.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(example = json!({ "category_id": 1, "ids": [3, 1, 2] }))]
struct FeedOrder {
    #[schema(value_type = i64)]
    category_id: LooseId,
    #[schema(value_type = Vec<i64>)]
    ids: Vec<LooseId>,
}

/// Puts feeds into a category, in this order. Others that are in it follow after them.
#[utoipa::path(patch, path = "/api/feeds/reorder", tag = "feeds", request_body = FeedOrder,
    responses((status = 200, body = Done), (status = 404, body = ErrorBody), (status = 422, body = ErrorBody)))]
async fn reorder(
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
