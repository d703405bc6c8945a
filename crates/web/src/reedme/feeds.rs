//! `/reedme/api/feeds`. What a user may not change about a shared feed (its proxy, whether it is visited) is ignored here:
//! this front end sends it along with the rest.

use super::{Data, data};
use crate::Web;
use crate::body::{Body, LargeBody, OptionalBody};
use crate::error::ApiError;
use crate::principal::Principal;
use crate::query::Path;
use crate::reader::{
    FeedBody, FeedUpdate, category_or_default, change_feed, feed_bodies, feed_found, feeds_at, within_refresh_limit,
};
use axum::extract::State;
use axum::http::StatusCode;
use axum::routing::{get, post};
use axum::{Json, Router};
use engine::Insistence;
use model::{FeedId, UserId};
use policy::permission::Permission;
use reader::{Subscribed, Wanted};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// Feeds in one batch: this front end sends a whole list at once.
const MOST_AT_ONCE: usize = 10_000;

pub(crate) fn routes() -> Router<Web> {
    Router::new()
        .route("/reedme/api/feeds", get(list).post(create))
        .route("/reedme/api/feeds/{id}", get(one).patch(update).delete(delete))
        .route("/reedme/api/feeds/validate", post(validate))
        .route("/reedme/api/feeds/batch", post(batch))
        .route("/reedme/api/feeds/refresh", post(refresh_all))
        .route("/reedme/api/feeds/{id}/refresh", post(refresh))
}

#[derive(Serialize)]
struct Feed {
    id: i64,
    group_id: i64,
    name: String,
    link: String,
    site_url: String,
    suspended: bool,
    unread_count: u64,
    item_count: u64,
    created_at: i64,
    updated_at: i64,
    fetch_state: FetchState,
}

#[derive(Serialize)]
struct FetchState {
    etag: String,
    last_modified: String,
    cache_control: String,
    expires_at: i64,
    retry_after_until: i64,
    last_checked_at: i64,
    next_check_at: i64,
    last_http_status: u16,
    last_success_at: i64,
    last_error_at: i64,
    last_error: String,
    consecutive_failures: u32,
}

impl From<FeedBody> for Feed {
    fn from(feed: FeedBody) -> Self {
        let fetch = feed.fetch_state;
        let unix = |text: &str| text.parse::<jiff::Timestamp>().map_or(0, jiff::Timestamp::as_second);
        Self {
            id: feed.id,
            group_id: feed.category_id,
            name: feed.title,
            link: feed.url,
            site_url: feed.site_url.unwrap_or_default(),
            suspended: feed.suspended,
            unread_count: feed.unread_count,
            item_count: feed.post_count,
            created_at: unix(&feed.created_at),
            updated_at: unix(&feed.updated_at),
            fetch_state: FetchState {
                etag: fetch.etag.unwrap_or_default(),
                last_modified: fetch.last_modified.unwrap_or_default(),
                cache_control: fetch.cache_control.unwrap_or_default(),
                expires_at: fetch.expires_at,
                retry_after_until: fetch.retry_after_until,
                last_checked_at: fetch.last_checked_at,
                next_check_at: fetch.next_check_at,
                last_http_status: fetch.last_http_status,
                last_success_at: fetch.last_success_at,
                last_error_at: fetch.last_error_at,
                // The front end takes any text for a failure of now.
                last_error: fetch.last_error.filter(|_| fetch.consecutive_failures > 0).unwrap_or_default(),
                consecutive_failures: fetch.consecutive_failures,
            },
        }
    }
}

async fn found(web: &Web, user: UserId, id: i64) -> Result<Feed, ApiError> {
    let feed = feed_found(web, user, id).await?;
    let body = feed_bodies(web, user, vec![feed]).await?.pop();
    body.map(Feed::from).ok_or_else(|| ApiError::not_found("Feed not found"))
}

async fn list(State(web): State<Web>, principal: Principal) -> Result<Json<Data<Vec<Feed>>>, ApiError> {
    principal.may(Permission::ReadOwn)?;
    let feeds = web.store.followed(principal.user).await?;
    let bodies = feed_bodies(&web, principal.user, feeds).await?;
    Ok(data(bodies.into_iter().map(Feed::from).collect()))
}

async fn one(State(web): State<Web>, principal: Principal, Path(id): Path<i64>) -> Result<Json<Data<Feed>>, ApiError> {
    principal.may(Permission::ReadOwn)?;
    found(&web, principal.user, id).await.map(data)
}

#[derive(Deserialize)]
struct New {
    link: String,
    name: Option<String>,
    group_id: Option<i64>,
}

/// The front end sends the address as the name where none was typed.
fn own_name(new: &New) -> Option<String> {
    let name = new.name.as_deref().map(str::trim);
    name.filter(|name| !name.is_empty() && *name != new.link.trim()).map(|name| name.chars().take(500).collect())
}

fn not_added(subscribed: &Subscribed) -> Option<ApiError> {
    match subscribed {
        Subscribed::New(_) | Subscribed::Known(_) => None,
        Subscribed::AlreadySubscribed(feed) => Some(ApiError::conflict("You have this feed already").id(feed.0)),
        Subscribed::NoFeedFound => Some(ApiError::bad_request("No feed was found at this address")),
        Subscribed::CannotFetch(why) => Some(ApiError::bad_request(format!("The address cannot be fetched: {why}"))),
        Subscribed::BadAddress(why) => Some(ApiError::bad_request(why.clone())),
    }
}

async fn create(
    State(web): State<Web>,
    principal: Principal,
    Body(new): Body<New>,
) -> Result<Json<Data<Feed>>, ApiError> {
    principal.may(Permission::WriteOwn)?;
    let category = category_or_default(&web, principal.user, new.group_id).await?;
    let wanted = Wanted { category: Some(category), title: own_name(&new), ..Wanted::at(&new.link) };
    let subscribed = reader::subscribe(&web.engine, principal.user, &wanted).await?;
    if let Some(error) = not_added(&subscribed) {
        return Err(error);
    }
    let id = subscribed.feed().map_or(0, |feed| feed.0);
    found(&web, principal.user, id).await.map(data)
}

#[derive(Default, Deserialize)]
struct Changed {
    link: Option<String>,
    name: Option<String>,
    group_id: Option<i64>,
    suspended: Option<bool>,
    proxy: Option<String>,
}

async fn update(
    State(web): State<Web>,
    principal: Principal,
    Path(id): Path<i64>,
    OptionalBody(changed): OptionalBody<Changed>,
) -> Result<Json<Data<Feed>>, ApiError> {
    principal.may(Permission::WriteOwn)?;
    let may_change = principal.may(Permission::FeedSettings).is_ok();
    let update = FeedUpdate {
        title: changed.name.map(Some),
        category_id: changed.group_id.map(|id| Some(crate::reader::LooseId(id))),
        url: changed.link,
        suspended: changed.suspended.filter(|_| may_change),
        proxy: changed.proxy.filter(|_| may_change).map(Some),
        ..FeedUpdate::default()
    };
    let feed = change_feed(&web, &principal, id, update).await?;
    found(&web, principal.user, feed.0).await.map(data)
}

async fn delete(State(web): State<Web>, principal: Principal, Path(id): Path<i64>) -> Result<StatusCode, ApiError> {
    principal.may(Permission::WriteOwn)?;
    feed_found(&web, principal.user, id).await?;
    reader::unsubscribe(&web.engine, principal.user, FeedId(id)).await?;
    Ok(StatusCode::NO_CONTENT)
}

#[derive(Deserialize)]
struct Address {
    url: String,
}

#[derive(Serialize)]
struct Valid {
    feeds: Vec<Candidate>,
}

#[derive(Serialize)]
struct Candidate {
    title: String,
    link: String,
}

async fn validate(
    State(web): State<Web>,
    principal: Principal,
    Body(address): Body<Address>,
) -> Result<Json<Data<Valid>>, ApiError> {
    principal.may(Permission::WriteOwn)?;
    let (feeds, _) = feeds_at(&web, &address.url).await?;
    let candidate =
        |feed: crate::reader::FoundFeed| Candidate { title: feed.title.unwrap_or_default(), link: feed.url };
    Ok(data(Valid { feeds: feeds.into_iter().map(candidate).collect() }))
}

#[derive(Deserialize)]
struct Many {
    feeds: Vec<New>,
}

#[derive(Serialize)]
struct Made {
    created: usize,
    failed: usize,
    errors: Vec<String>,
}

async fn batch(
    State(web): State<Web>,
    principal: Principal,
    LargeBody(many): LargeBody<Many>,
) -> Result<Json<Data<Made>>, ApiError> {
    principal.may(Permission::WriteOwn)?;
    if many.feeds.len() > MOST_AT_ONCE {
        return Err(ApiError::bad_request(format!("Send at most {MOST_AT_ONCE} feeds at a time")));
    }
    let mut made = Made { created: 0, failed: 0, errors: Vec::new() };
    for new in &many.feeds {
        let category = category_or_default(&web, principal.user, new.group_id).await?;
        let subscribed = reader::subscribe_at(&web.engine, principal.user, &new.link, category, own_name(new)).await?;
        match not_added(&subscribed) {
            None => made.created += 1,
            Some(error) => {
                made.failed += 1;
                made.errors.push(format!("{}: {}", new.link, error.detail));
            }
        }
    }
    Ok(data(made))
}

async fn refresh(State(web): State<Web>, principal: Principal, Path(id): Path<i64>) -> Result<StatusCode, ApiError> {
    principal.may(Permission::WriteOwn)?;
    feed_found(&web, principal.user, id).await?;
    within_refresh_limit(&web, principal.user, FeedId(id))?;
    reader::refresh(&web.engine, principal.viewer(), FeedId(id), Insistence::Forced).await?;
    Ok(StatusCode::ACCEPTED)
}

/// Answered at once; the visits follow.
async fn refresh_all(State(web): State<Web>, principal: Principal) -> Result<StatusCode, ApiError> {
    principal.may(Permission::WriteOwn)?;
    within_refresh_limit(&web, principal.user, FeedId(0))?;
    // Making feeds due takes a moment for thousands of them; waiting for the visits is not for this answer.
    let _ = tokio::time::timeout(Duration::from_secs(1), reader::refresh_all(&web.engine, principal.user)).await;
    Ok(StatusCode::ACCEPTED)
}
