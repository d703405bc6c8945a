//! `/admin/api/politeness`: how we behave towards publishers: how often we come, what we spare them, who asked to be left
//! alone, and the rules that we keep.

use super::health::sum_of;
use super::hosts::{HostBody, body};
use super::span::span;
use crate::Web;
use crate::error::{ApiError, ErrorBody};
use crate::principal::Principal;
use crate::query::Query;
use crate::reader::moment;
use axum::Json;
use axum::extract::State;
use model::plan::PauseReason;
use policy::permission::Permission;
use serde::{Deserialize, Serialize};
use store::HostOrder;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

const HOSTS: u32 = 50;
const PAUSED: u32 = 100;

pub(super) fn routes() -> OpenApiRouter<Web> {
    OpenApiRouter::new().routes(routes!(politeness))
}

#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
struct PolitenessQuery {
    /// Else a day before `to`.
    from: Option<String>,
    /// Else now.
    to: Option<String>,
}

/// How we behave towards publishers.
#[derive(Debug, Clone, Serialize, ToSchema)]
struct PolitenessBody {
    from: String,
    to: String,
    visits: u64,
    errors: u64,
    /// How much of what worked was answered 304, from 0 to 1.
    conditional_share: Option<f64>,
    /// How often we were asked to come later.
    busy: u64,
    bytes: u64,
    bytes_saved: u64,
    rules: PoliteRules,
    /// Publishers that are left alone now.
    paused: Vec<PausedPublisher>,
    /// Those with most visits.
    hosts: Vec<HostBody>,
}

/// The rules that we keep.
#[derive(Debug, Clone, Serialize, ToSchema)]
struct PoliteRules {
    /// No feed is visited more often by itself.
    floor_seconds: i64,
    /// Between two requests to a publisher.
    spacing_ms: i64,
    /// Requests to a publisher at once.
    at_once_per_group: u32,
    /// Where robots.txt is asked.
    robots: &'static str,
    /// How we introduce ourselves.
    user_agent: String,
}

/// A publisher that is left alone.
#[derive(Debug, Clone, Serialize, ToSchema)]
struct PausedPublisher {
    group: String,
    until: String,
    reason: &'static str,
}

pub(super) fn reason(why: PauseReason) -> &'static str {
    match why {
        PauseReason::Asked => "the server asked for it",
        PauseReason::TooOften => "it reported too many requests",
        PauseReason::Refused => "it refused several visits",
    }
}

/// How we behave towards publishers.
#[utoipa::path(get, path = "/admin/api/politeness", tag = "admin", params(PolitenessQuery),
    responses((status = 200, body = PolitenessBody), (status = 403, body = ErrorBody), (status = 422, body = ErrorBody)))]
async fn politeness(
    State(web): State<Web>,
    principal: Principal,
    Query(query): Query<PolitenessQuery>,
) -> Result<Json<PolitenessBody>, ApiError> {
    principal.may(Permission::System)?;
    let hours = span(query.from.as_deref(), query.to.as_deref(), web.now())?;
    let store = &web.store;
    let sums = sum_of(store, hours).await?;
    let worked = sums.success + sums.not_modified;
    let hosts = store.visited_hosts(hours, HostOrder::Visits, HOSTS).await?;
    let paused = store.paused_publishers(principal.viewer(), web.now(), PAUSED).await?;
    let options = web.engine.options();
    Ok(Json(PolitenessBody {
        from: moment(hours.from),
        to: moment(hours.to),
        visits: sums.visits(),
        errors: sums.error,
        conditional_share: (worked > 0).then(|| (sums.not_modified as f64 / worked as f64 * 1_000.0).round() / 1_000.0),
        busy: store.busy_answers(hours).await?,
        bytes: sums.bytes,
        bytes_saved: sums.bytes_saved,
        rules: PoliteRules {
            floor_seconds: options.rules.interval.min.as_secs(),
            spacing_ms: options.pace.spacing.as_millis() as i64,
            at_once_per_group: options.pace.at_once,
            robots: "before pages that nobody typed",
            user_agent: options.user_agent.for_subscribers(0),
        },
        paused: paused
            .into_iter()
            .map(|pause| PausedPublisher { group: pause.group, until: moment(pause.until), reason: reason(pause.why) })
            .collect(),
        hosts: hosts.into_iter().map(|figure| body(figure, sums.error)).collect(),
    }))
}
