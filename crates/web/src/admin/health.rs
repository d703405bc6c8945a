//! `/admin/api/health`: how the visits of a span went, from the sums that workers write (docs/notes/rollups.md).

use super::span::{before, span};
use crate::Web;
use crate::error::{ApiError, ErrorBody};
use crate::principal::Principal;
use crate::query::Query;
use crate::reader::moment;
use axum::Json;
use axum::extract::State;
use jiff::SignedDuration;
use model::rollup::{Latencies, VisitSums};
use policy::permission::Permission;
use policy::rollup::{code_in_words, percentile_ms, step_of, visits_saved};
use serde::{Deserialize, Serialize};
use store::{Hours, Store, StoreError};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

/// Codes and feeds in an answer.
const FEW: u32 = 50;

pub(super) fn routes() -> OpenApiRouter<Web> {
    OpenApiRouter::new().routes(routes!(health))
}

#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
struct HealthQuery {
    /// Else a day before `to`.
    from: Option<String>,
    /// Else now.
    to: Option<String>,
}

/// How visits went.
#[derive(Debug, Clone, Serialize, ToSchema)]
struct VisitHealth {
    from: String,
    to: String,
    step_seconds: i64,
    /// Without gaps.
    buckets: Vec<VisitBucket>,
    totals: VisitTotals,
    /// Of as long a time just before.
    before: VisitTotals,
    errors: Vec<VisitErrors>,
    /// The feeds that brought most.
    top_feeds: Vec<TopFeed>,
}

/// The visits of a part of the span.
#[derive(Debug, Clone, Serialize, ToSchema)]
struct VisitBucket {
    at: String,
    /// An answer with a body.
    success: u64,
    /// 304.
    not_modified: u64,
    error: u64,
    bytes: u64,
    bytes_saved: u64,
    new_entries: u64,
}

/// The visits of the whole span.
#[derive(Debug, Clone, Serialize, ToSchema)]
struct VisitTotals {
    visits: u64,
    success: u64,
    not_modified: u64,
    error: u64,
    /// All but the slowest twentieth took no longer.
    p95_ms: Option<f64>,
    p50_ms: Option<f64>,
    mean_ms: Option<f64>,
    bytes: u64,
    /// That a 304 spared.
    bytes_saved: u64,
    /// Against a visit every thirty minutes.
    visits_saved_per_day: f64,
    new_entries: u64,
    changed_entries: u64,
}

/// Visits that failed for the same reason.
#[derive(Debug, Clone, Serialize, ToSchema)]
struct VisitErrors {
    /// A status, or a word such as `dns`.
    code: String,
    text: &'static str,
    count: u64,
    first_at: String,
    last_at: String,
}

/// A feed and what it brought.
#[derive(Debug, Clone, Serialize, ToSchema)]
struct TopFeed {
    id: i64,
    title: String,
    url: String,
    new_entries: u64,
}

/// The sum of several.
pub(super) fn sum(all: impl Iterator<Item = VisitSums>) -> VisitSums {
    all.fold(VisitSums::default(), |one, other| VisitSums {
        success: one.success + other.success,
        not_modified: one.not_modified + other.not_modified,
        error: one.error + other.error,
        new_entries: one.new_entries + other.new_entries,
        changed_entries: one.changed_entries + other.changed_entries,
        bytes: one.bytes + other.bytes,
        bytes_saved: one.bytes_saved + other.bytes_saved,
        interval_s: one.interval_s + other.interval_s,
        took_us: one.took_us + other.took_us,
    })
}

/// The sum of a span.
pub(super) async fn sum_of(store: &Store, hours: Hours) -> Result<VisitSums, StoreError> {
    let buckets = store.visit_buckets(hours, hours.to.duration_since(hours.from)).await?;
    Ok(sum(buckets.into_iter().map(|(_, sums)| sums)))
}

fn rounded(value: f64) -> f64 {
    (value * 10.0).round() / 10.0
}

fn totals(sums: &VisitSums, latencies: &Latencies, length: SignedDuration) -> VisitTotals {
    let visits = sums.visits();
    VisitTotals {
        visits,
        success: sums.success,
        not_modified: sums.not_modified,
        error: sums.error,
        p95_ms: percentile_ms(latencies, 0.95).map(rounded),
        p50_ms: percentile_ms(latencies, 0.5).map(rounded),
        mean_ms: (visits > 0).then(|| rounded(sums.took_us as f64 / 1_000.0 / visits as f64)),
        bytes: sums.bytes,
        bytes_saved: sums.bytes_saved,
        visits_saved_per_day: rounded(visits_saved(sums) as f64 * 86_400.0 / length.as_secs_f64().max(1.0)),
        new_entries: sums.new_entries,
        changed_entries: sums.changed_entries,
    }
}

/// How the visits of a span went. Hours are the grain; the current one is behind by at most a minute.
#[utoipa::path(get, path = "/admin/api/health", tag = "admin", params(HealthQuery),
    responses((status = 200, body = VisitHealth), (status = 403, body = ErrorBody), (status = 422, body = ErrorBody)))]
async fn health(
    State(web): State<Web>,
    principal: Principal,
    Query(query): Query<HealthQuery>,
) -> Result<Json<VisitHealth>, ApiError> {
    principal.may(Permission::System)?;
    let hours = span(query.from.as_deref(), query.to.as_deref(), web.now())?;
    let earlier = before(hours);
    let length = hours.to.duration_since(hours.from);
    let step = step_of(length);
    let store = &web.store;
    let found = store.visit_buckets(hours, step).await?;
    let count = (length.as_secs() + step.as_secs() - 1) / step.as_secs();
    let mut sums = vec![VisitSums::default(); usize::try_from(count).unwrap_or(0)];
    for (place, bucket) in &found {
        if let Some(place) = sums.get_mut(*place) {
            *place = *bucket;
        }
    }
    let bucket = |(place, sums): (usize, &VisitSums)| VisitBucket {
        at: moment(hours.from + step * place as i32),
        success: sums.success,
        not_modified: sums.not_modified,
        error: sums.error,
        bytes: sums.bytes,
        bytes_saved: sums.bytes_saved,
        new_entries: sums.new_entries,
    };
    let (now, then) = (store.visit_latencies(hours).await?, store.visit_latencies(earlier).await?);
    let errors = store.visit_errors(hours, FEW).await?.into_iter().map(|error| VisitErrors {
        text: code_in_words(&error.code),
        code: error.code,
        count: error.visits,
        first_at: moment(error.first_at),
        last_at: moment(error.last_at),
    });
    let feeds = store.busiest_feeds(principal.viewer(), hours, FEW).await?.into_iter().map(|feed| TopFeed {
        id: feed.feed.0,
        title: feed.title.filter(|title| !title.is_empty()).unwrap_or_else(|| feed.url.clone()),
        url: feed.url,
        new_entries: feed.new_entries,
    });
    Ok(Json(VisitHealth {
        from: moment(hours.from),
        to: moment(hours.to),
        step_seconds: step.as_secs(),
        buckets: sums.iter().enumerate().map(bucket).collect(),
        totals: totals(&sum(sums.iter().copied()), &now, length),
        before: totals(&sum_of(store, earlier).await?, &then, length),
        errors: errors.collect(),
        top_feeds: feeds.collect(),
    }))
}
