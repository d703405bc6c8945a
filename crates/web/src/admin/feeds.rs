//! `/admin/api/feeds`: all feeds of the installation, and one of them explained: its last visits, the interval chosen against
//! the rhythm of its entries, what its publisher asks for. Other users' private feeds are not there.

use super::politeness::reason;
use crate::Web;
use crate::body::Body;
use crate::error::{ApiError, ErrorBody};
use crate::principal::Principal;
use crate::query::{Path, Query, paging};
use crate::reader::{DONE, Done, RefreshBody, moment, posts_per_week, refresh_body, state_word, within_refresh_limit};
use axum::Json;
use axum::extract::State;
use engine::{Enabled, Insistence};
use http_semantics::CacheControl;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use model::FeedId;
use model::visit::PastVisit;
use policy::Rules;
use policy::permission::Permission;
use serde::{Deserialize, Serialize};
use store::{FeedName, PublisherHints, StoreError, SupervisedFeed, SupervisedFilter, SupervisedOrder, SupervisedQuery};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

const PAGE: u32 = 100;
const LONGEST_PAGE: u32 = 500;
/// Visits of a feed: all that are kept.
const VISITS: u32 = 50;
/// Entries whose time is told.
const ENTRIES: u32 = 500;
/// Without a new entry for so long, a feed is silent.
const SILENCE: SignedDuration = SignedDuration::from_hours(90 * 24);

pub(super) fn routes() -> OpenApiRouter<Web> {
    OpenApiRouter::new()
        .routes(routes!(list))
        .routes(routes!(one, change))
        .routes(routes!(refresh))
        .routes(routes!(enable))
}

#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
struct FeedsQuery {
    /// `failing`, `disabled`, `paused`, `silent`, `never` or `redirected`; else all.
    filter: Option<String>,
    /// In the title or the address.
    q: Option<String>,
    /// `id` (the default), `title`, `errors`, `interval`, `last_success`, `last_new` or `readers`.
    sort: Option<String>,
    /// 0 to 500, else 100.
    limit: Option<i64>,
    offset: Option<i64>,
}

/// A feed of the installation.
#[derive(Debug, Clone, Serialize, ToSchema)]
struct AdminFeed {
    id: i64,
    title: String,
    url: String,
    /// `active`, `paused`, `disabled`, `awaiting`, `rejected` or `gone`.
    state: &'static str,
    state_reason: Option<String>,
    /// Whose courtesy budget it shares.
    host: String,
    interval_seconds: i64,
    /// Smoothed time between its entries.
    ewma_seconds: Option<i64>,
    posts_per_week: Option<f64>,
    last_success_at: Option<String>,
    last_new_at: Option<String>,
    next_at: Option<String>,
    /// Why then.
    reason: String,
    /// Failures in a row.
    errors: u32,
    last_status: Option<u16>,
    last_error: Option<String>,
    /// How many users follow it.
    readers: u64,
    /// The address it had before it moved for good.
    redirected_from: Option<String>,
}

/// A page of feeds.
#[derive(Debug, Clone, Serialize, ToSchema)]
struct AdminFeeds {
    feeds: Vec<AdminFeed>,
    total: u64,
}

/// A feed, explained.
#[derive(Debug, Clone, Serialize, ToSchema)]
struct FeedDetail {
    feed: AdminFeed,
    /// Why it is visited when it is.
    sentence: String,
    /// The shortest interval that its rules allow.
    min_seconds: i64,
    /// The longest one.
    max_seconds: i64,
    /// What its publisher asks for at least.
    publisher_min_seconds: Option<i64>,
    publisher: PublisherBody,
    /// What each rule said at the last decision.
    rules: Vec<String>,
    pause: Option<FeedPause>,
    /// The newest first.
    visits: Vec<VisitBody>,
    /// When its last entries were seen first.
    entries: Vec<String>,
}

/// What its publisher asks for.
#[derive(Debug, Clone, Serialize, ToSchema)]
struct PublisherBody {
    ttl_seconds: Option<i64>,
    cache_control: Option<String>,
    expires_at: Option<String>,
    retry_after_at: Option<String>,
    /// Hours of the day (UTC) in which not to come.
    skip_hours: Vec<u8>,
    /// Days of the week on which not to come; 0 is Sunday.
    skip_days: Vec<u8>,
    etag: bool,
    last_modified: bool,
}

/// Its publisher is left alone.
#[derive(Debug, Clone, Serialize, ToSchema)]
struct FeedPause {
    until: String,
    reason: &'static str,
}

/// A visit.
#[derive(Debug, Clone, Serialize, ToSchema)]
struct VisitBody {
    at: String,
    status: Option<u16>,
    /// `fresh`, `unchanged`, `gone`, `busy`, `deferred` or `failed`.
    outcome: &'static str,
    error: Option<String>,
    problems: Option<String>,
    new_entries: u32,
    changed_entries: u32,
    bytes: u64,
    /// What a 304 was asked with: `etag` or `last-modified`.
    validator: Option<&'static str>,
    took_ms: i64,
    interval_seconds: i64,
    /// Smoothed time between entries, as it was known then.
    ewma_seconds: Option<i64>,
    next_at: Option<String>,
    /// Why the next visit was set to when it was.
    decision: String,
}

fn admin_feed(feed: SupervisedFeed) -> AdminFeed {
    let (state, state_reason) = state_word(&feed.state);
    AdminFeed {
        id: feed.feed.0,
        title: if feed.title.is_empty() { feed.url.clone() } else { feed.title },
        url: feed.url,
        state,
        state_reason,
        host: feed.rate_group,
        interval_seconds: feed.interval.as_secs(),
        ewma_seconds: feed.ewma.map(|gap| gap.as_secs()),
        posts_per_week: posts_per_week(feed.ewma),
        last_success_at: feed.last_success_at.map(moment),
        last_new_at: feed.last_arrival_at.map(moment),
        next_at: feed.due_at.map(moment),
        reason: feed.reason,
        errors: feed.failures,
        last_status: feed.last_status,
        last_error: feed.last_error,
        readers: feed.readers,
        redirected_from: feed.moved_from,
    }
}

fn filter(word: Option<&str>) -> Result<SupervisedFilter, ApiError> {
    Ok(match word {
        None | Some("" | "all") => SupervisedFilter::All,
        Some("failing") => SupervisedFilter::Failing,
        Some("disabled") => SupervisedFilter::Disabled,
        Some("paused") => SupervisedFilter::Paused,
        Some("silent") => SupervisedFilter::Silent,
        Some("never") => SupervisedFilter::Never,
        Some("redirected") => SupervisedFilter::Redirected,
        Some(_) => {
            let known = "all, failing, disabled, paused, silent, never or redirected";
            return Err(ApiError::unprocessable(format!("`filter` may be {known}")));
        }
    })
}

fn order(word: Option<&str>) -> Result<SupervisedOrder, ApiError> {
    Ok(match word {
        None | Some("" | "id") => SupervisedOrder::Added,
        Some("title") => SupervisedOrder::Title,
        Some("errors") => SupervisedOrder::Errors,
        Some("interval") => SupervisedOrder::Interval,
        Some("last_success") => SupervisedOrder::LastSuccess,
        Some("last_new") => SupervisedOrder::LastNew,
        Some("readers") => SupervisedOrder::Readers,
        Some(_) => {
            let known = "id, title, errors, interval, last_success, last_new or readers";
            return Err(ApiError::unprocessable(format!("`sort` may be {known}")));
        }
    })
}

/// Feeds of the installation, with filters.
#[utoipa::path(get, path = "/admin/api/feeds", tag = "admin", params(FeedsQuery),
    responses((status = 200, body = AdminFeeds), (status = 403, body = ErrorBody), (status = 422, body = ErrorBody)))]
async fn list(
    State(web): State<Web>,
    principal: Principal,
    Query(query): Query<FeedsQuery>,
) -> Result<Json<AdminFeeds>, ApiError> {
    principal.may(Permission::System)?;
    let page = paging(query.limit, query.offset, PAGE, LONGEST_PAGE)?;
    let asked = SupervisedQuery {
        filter: filter(query.filter.as_deref())?,
        text: query.q.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty()),
        order: order(query.sort.as_deref())?,
        silent_since: web.now().checked_sub(SILENCE).unwrap_or(Timestamp::MIN),
    };
    let (feeds, total) = web.store.supervised_feeds(principal.viewer(), &asked, page.offset, page.limit).await?;
    Ok(Json(AdminFeeds { feeds: feeds.into_iter().map(admin_feed).collect(), total }))
}

/// The numbers of the bits that are set.
fn bits(mask: u32, count: u8) -> impl Iterator<Item = u8> {
    (0..count).filter(move |bit| mask & (1 << bit) != 0)
}

fn publisher(asked: &PublisherHints) -> PublisherBody {
    PublisherBody {
        ttl_seconds: asked.hints.ttl_minutes.map(|minutes| i64::from(minutes) * 60),
        cache_control: asked.cache_control.clone(),
        expires_at: asked.expires_at.map(moment),
        retry_after_at: asked.retry_after.map(moment),
        skip_hours: bits(asked.hints.skip_hours, 24).collect(),
        // Ours begin with Monday.
        skip_days: bits(asked.hints.skip_days.into(), 7).map(|day| (day + 1) % 7).collect(),
        etag: asked.has_etag,
        last_modified: asked.has_last_modified,
    }
}

/// What its publisher asks for at least: the longer of the ttl of the document and the freshness of the answer.
fn publisher_min(asked: &PublisherHints, now: Timestamp) -> Option<i64> {
    let ttl = asked.hints.ttl_minutes.map(|minutes| i64::from(minutes) * 60);
    let control = CacheControl::read(asked.cache_control.as_deref().map(str::as_bytes));
    let fresh = match http_semantics::freshness(&control, asked.expires_at, now) {
        http_semantics::Freshness::Fresh(left, _) => Some(left.as_secs()),
        http_semantics::Freshness::Stale | http_semantics::Freshness::NotStated => None,
    };
    ttl.max(fresh)
}

fn visit_body(visit: PastVisit, asked: &PublisherHints) -> VisitBody {
    let validator = match (visit.status, asked.has_etag, asked.has_last_modified) {
        (Some(304), true, _) => Some("etag"),
        (Some(304), false, true) => Some("last-modified"),
        _ => None,
    };
    VisitBody {
        at: moment(visit.at),
        status: visit.status,
        outcome: visit.result.as_str(),
        error: visit.error,
        problems: visit.problems,
        new_entries: visit.new_entries,
        changed_entries: visit.changed_entries,
        bytes: visit.wire_bytes,
        validator,
        took_ms: visit.took.as_millis() as i64,
        interval_seconds: visit.interval.as_secs(),
        ewma_seconds: visit.ewma.map(|gap| gap.as_secs()),
        next_at: visit.next_at.map(moment),
        decision: visit.reason,
    }
}

/// A feed, explained.
#[utoipa::path(get, path = "/admin/api/feeds/{id}", tag = "admin", params(("id" = i64, Path)),
    responses((status = 200, body = FeedDetail), (status = 403, body = ErrorBody), (status = 404, body = ErrorBody)))]
async fn one(State(web): State<Web>, principal: Principal, Path(id): Path<i64>) -> Result<Json<FeedDetail>, ApiError> {
    principal.may(Permission::System)?;
    let (viewer, feed, now) = (principal.viewer(), FeedId(id), web.now());
    let missing = || ApiError::not_found("Feed not found");
    let (supervised, asked) = web.store.supervised_feed(viewer, feed).await?.ok_or_else(missing)?;
    let status = match web.store.feed(viewer, &FeedName::Id(feed)).await {
        Err(StoreError::NotFound { .. }) => return Err(missing()),
        found => found?,
    };
    let visits = web.store.visits(viewer, feed, VISITS).await?;
    let since = visits.last().map_or(now, |visit| visit.at);
    let entries = web.store.arrivals(viewer, feed, since, ENTRIES).await?;
    let (rules, _) = Rules::resolve(&web.engine.options().rules, &status.rules);
    let pause = status.pause.filter(|(until, _)| *until > now);
    Ok(Json(FeedDetail {
        sentence: engine::explain(&status, visits.first(), now, &TimeZone::UTC),
        min_seconds: rules.interval.min.as_secs(),
        max_seconds: rules.interval.max.as_secs(),
        publisher_min_seconds: publisher_min(&asked, now),
        publisher: publisher(&asked),
        rules: visits.first().map(|visit| visit.trace.clone()).unwrap_or_default(),
        pause: pause.map(|(until, why)| FeedPause { until: moment(until), reason: reason(why) }),
        visits: visits.into_iter().map(|visit| visit_body(visit, &asked)).collect(),
        entries: entries.into_iter().map(moment).collect(),
        feed: admin_feed(supervised),
    }))
}

/// A feed that the administrator may see, or 404.
async fn seen(web: &Web, principal: &Principal, id: i64) -> Result<FeedId, ApiError> {
    let found = web.store.supervised_feed(principal.viewer(), FeedId(id)).await?;
    found.map(|(feed, _)| feed.feed).ok_or_else(|| ApiError::not_found("Feed not found"))
}

/// What to change; what is left out stays as it is.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct AdminFeedChange {
    /// Whether it is switched off.
    suspended: Option<bool>,
}

/// Switches a feed off, or on again.
#[utoipa::path(patch, path = "/admin/api/feeds/{id}", tag = "admin", params(("id" = i64, Path)),
    request_body = AdminFeedChange,
    responses((status = 200, body = Done), (status = 403, body = ErrorBody), (status = 404, body = ErrorBody),
        (status = 409, body = ErrorBody)))]
async fn change(
    State(web): State<Web>,
    principal: Principal,
    Path(id): Path<i64>,
    Body(wish): Body<AdminFeedChange>,
) -> Result<Json<Done>, ApiError> {
    principal.may(Permission::FeedSettings)?;
    let feed = seen(&web, &principal, id).await?;
    match wish.suspended {
        Some(true) => {
            // Whatever it was, it is not visited from now on.
            engine::disable_feed(&web.store, principal.viewer(), feed, web.now()).await?;
        }
        Some(false) => switch_on(&web, &principal, feed).await?,
        None => {}
    }
    Ok(Json(DONE))
}

async fn switch_on(web: &Web, principal: &Principal, feed: FeedId) -> Result<(), ApiError> {
    match engine::enable_feed(&web.store, principal.viewer(), feed, web.now()).await? {
        Enabled::Refused(why) => Err(ApiError::conflict(format!("The feed cannot be switched on: {why}"))),
        Enabled::Done | Enabled::Already => Ok(()),
    }
}

/// Visits a feed now, unless its server asked to be left alone. Waits for up to ten seconds.
#[utoipa::path(post, path = "/admin/api/feeds/{id}/refresh", tag = "admin", params(("id" = i64, Path)),
    responses((status = 200, body = RefreshBody), (status = 403, body = ErrorBody), (status = 404, body = ErrorBody),
        (status = 409, body = ErrorBody), (status = 429, body = ErrorBody)))]
async fn refresh(
    State(web): State<Web>,
    principal: Principal,
    Path(id): Path<i64>,
) -> Result<Json<RefreshBody>, ApiError> {
    principal.may(Permission::FeedSettings)?;
    let feed = seen(&web, &principal, id).await?;
    within_refresh_limit(&web, principal.user, feed)?;
    let refreshed = ::reader::refresh(&web.engine, principal.viewer(), feed, Insistence::Polite).await?;
    match &refreshed.refused {
        Some(why) => Err(ApiError::conflict(why.clone()).code("not_visited")),
        None => Ok(Json(refresh_body(&refreshed))),
    }
}

/// Switches a feed on that was switched off after failures, and visits it.
#[utoipa::path(post, path = "/admin/api/feeds/{id}/enable", tag = "admin", params(("id" = i64, Path)),
    responses((status = 200, body = Done), (status = 403, body = ErrorBody), (status = 404, body = ErrorBody),
        (status = 409, body = ErrorBody)))]
async fn enable(State(web): State<Web>, principal: Principal, Path(id): Path<i64>) -> Result<Json<Done>, ApiError> {
    principal.may(Permission::FeedSettings)?;
    let feed = seen(&web, &principal, id).await?;
    switch_on(&web, &principal, feed).await?;
    ::reader::refresh(&web.engine, principal.viewer(), feed, Insistence::Polite).await?;
    Ok(Json(DONE))
}
