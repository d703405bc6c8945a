//! `/admin/api/hosts`: which hosts were visited in a span, and which failed.

use super::health::sum_of;
use super::span::span;
use crate::Web;
use crate::error::{ApiError, ErrorBody};
use crate::principal::Principal;
use crate::query::{Query, paging};
use crate::reader::moment;
use axum::Json;
use axum::extract::State;
use policy::permission::Permission;
use serde::{Deserialize, Serialize};
use store::{HostFigure, HostOrder};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

const PAGE: u32 = 50;
const LONGEST_PAGE: u32 = 500;

pub(super) fn routes() -> OpenApiRouter<Web> {
    OpenApiRouter::new().routes(routes!(hosts))
}

#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
struct HostsQuery {
    /// Else a day before `to`.
    from: Option<String>,
    /// Else now.
    to: Option<String>,
    /// `errors` (those that failed, the default) or `visits` (all).
    sort: Option<String>,
    /// 0 to 500, else 50.
    limit: Option<i64>,
}

/// The visits to a host.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub(super) struct HostBody {
    /// Empty for hosts that are not named: those of private feeds, and what exceeds the bound of an hour.
    host: String,
    visits: u64,
    errors: u64,
    /// Of all visits that failed in the span, from 0 to 1.
    share: f64,
    /// How often it asked us to come later.
    busy: u64,
    bytes: u64,
    /// Visits in its busiest hour.
    most_per_hour: u64,
    /// The first failure.
    first_at: Option<String>,
    /// The last one.
    last_at: Option<String>,
}

pub(super) fn body(figure: HostFigure, all_errors: u64) -> HostBody {
    let (first, last) = figure.sum.failed.unzip();
    let share = figure.sum.errors as f64 / (all_errors.max(1) as f64);
    HostBody {
        host: figure.host,
        visits: figure.sum.visits,
        errors: figure.sum.errors,
        share: (share * 1_000.0).round() / 1_000.0,
        busy: figure.sum.busy,
        bytes: figure.sum.bytes,
        most_per_hour: figure.most_per_hour,
        first_at: first.map(moment),
        last_at: last.map(moment),
    }
}

/// The hosts that were visited in a span: those that failed most often, or those with most visits.
#[utoipa::path(get, path = "/admin/api/hosts", tag = "admin", params(HostsQuery),
    responses((status = 200, body = Vec<HostBody>), (status = 403, body = ErrorBody), (status = 422, body = ErrorBody)))]
async fn hosts(
    State(web): State<Web>,
    principal: Principal,
    Query(query): Query<HostsQuery>,
) -> Result<Json<Vec<HostBody>>, ApiError> {
    principal.may(Permission::System)?;
    let hours = span(query.from.as_deref(), query.to.as_deref(), web.now())?;
    let order = match query.sort.as_deref() {
        None | Some("errors") => HostOrder::Errors,
        Some("visits") => HostOrder::Visits,
        Some(_) => return Err(ApiError::unprocessable("`sort` may be errors or visits")),
    };
    let page = paging(query.limit, None, PAGE, LONGEST_PAGE)?;
    let errors = sum_of(&web.store, hours).await?.error;
    let hosts = web.store.visited_hosts(hours, order, page.limit).await?;
    Ok(Json(hosts.into_iter().map(|figure| body(figure, errors)).collect()))
}
