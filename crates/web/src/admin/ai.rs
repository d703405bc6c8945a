//! `/admin/api/ai-usage`, `/admin/api/ai`: what models cost, what they may, and the stop for all of it. Money is in dollars.

use crate::Web;
use crate::body::Body;
use crate::error::{ApiError, ErrorBody};
use crate::principal::Principal;
use crate::query::{Path, Query};
use crate::reader::shape::moment;
use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use enrich::{BudgetChange, KindUsage, Usage};
use model::enrichment::{Breaker, Kind};
use model::money::Money;
use policy::permission::Permission;
use serde::{Deserialize, Deserializer, Serialize};
use std::collections::BTreeMap;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

pub(super) fn routes() -> OpenApiRouter<Web> {
    OpenApiRouter::new()
        .routes(routes!(usage))
        .routes(routes!(history))
        .routes(routes!(set_budget))
        .routes(routes!(switch))
        .routes(routes!(reset_breaker))
}

/// How a month stands.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub(crate) struct AiUsageBody {
    /// `2026-11`.
    month: String,
    currency: &'static str,
    enabled: bool,
    /// `normal`, `reduced`, `queued` or `stopped`.
    state: &'static str,
    provider: String,
    model: Option<String>,
    /// Spent, and reserved for calls under way.
    spent: f64,
    reserved: f64,
    cap: Option<f64>,
    today: f64,
    today_cap: Option<f64>,
    /// What the month will have cost, if it goes on like this.
    forecast: Option<f64>,
    kinds: Vec<AiKindBody>,
    days: Vec<AiDayBody>,
    models: Vec<AiModelBody>,
    /// How attempts that made nothing ended.
    reasons: Vec<AiReasonBody>,
    /// Jobs that wait for the model.
    waiting: u64,
    /// Jobs that wait for the local toolkit.
    waiting_local: u64,
    /// How long the oldest of them has waited.
    oldest_seconds: Option<i64>,
    breaker: AiBreakerBody,
    rate_limited_until: Option<String>,
    /// Calls a minute.
    pace_rpm: Option<u32>,
}

/// What was made of one kind.
#[derive(Debug, Clone, Serialize, ToSchema)]
struct AiKindBody {
    kind: &'static str,
    cap: Option<f64>,
    spent: f64,
    calls: u64,
    failed: u64,
    tokens_in: u64,
    tokens_out: u64,
    /// Calls that were not needed.
    cached: u64,
}

/// A day.
#[derive(Debug, Clone, Default, Serialize, ToSchema)]
struct AiDayBody {
    day: String,
    spent: f64,
    calls: u64,
}

/// A model and what it made.
#[derive(Debug, Clone, Serialize, ToSchema)]
struct AiModelBody {
    provider: String,
    model: String,
    kind: &'static str,
    calls: u64,
    tokens_in: u64,
    tokens_out: u64,
    spent: f64,
}

/// How often something happened.
#[derive(Debug, Clone, Serialize, ToSchema)]
struct AiReasonBody {
    reason: &'static str,
    count: u64,
}

/// Whether the model is asked.
#[derive(Debug, Clone, Serialize, ToSchema)]
struct AiBreakerBody {
    /// `closed`, `open` or `half`.
    state: &'static str,
    failures: u32,
    opened_at: Option<String>,
    /// When it is tried again.
    retry_at: Option<String>,
}

fn money(amount: Money) -> f64 {
    amount.dollars()
}

fn kind_name(figures: &KindUsage) -> &'static str {
    figures.kind.unwrap_or(Kind::Summary).as_str()
}

impl From<&Usage> for AiUsageBody {
    fn from(usage: &Usage) -> Self {
        let kind = |figures: &KindUsage| AiKindBody {
            kind: kind_name(figures),
            cap: figures.kind.and_then(|kind| usage.ceilings.of(kind)).map(money),
            spent: money(figures.spent),
            calls: figures.calls,
            failed: figures.failed,
            tokens_in: figures.tokens_in,
            tokens_out: figures.tokens_out,
            cached: figures.cached,
        };
        let mut days: BTreeMap<&str, AiDayBody> = BTreeMap::new();
        for day in &usage.days {
            let sum =
                days.entry(&day.day).or_insert_with(|| AiDayBody { day: day.day.clone(), ..AiDayBody::default() });
            sum.spent += money(day.spent);
            sum.calls += day.calls;
        }
        let state = &usage.provider_state;
        let open = state.breaker == Breaker::Open;
        let retry_at = state
            .opened_at
            .filter(|_| open)
            .and_then(|at| at.saturating_add(jiff::SignedDuration::from_secs(300)).ok());
        Self {
            month: usage.month.clone(),
            currency: "USD",
            enabled: usage.enabled,
            state: usage.state.as_str(),
            provider: usage.provider.clone(),
            model: usage.model.clone(),
            spent: money(usage.spent.month),
            reserved: money(usage.reserved),
            cap: usage.ceilings.month.map(money),
            today: money(usage.spent.day),
            today_cap: usage.ceilings.day.map(money),
            forecast: usage.forecast.map(money),
            kinds: usage.kinds.iter().map(kind).collect(),
            days: days.into_values().collect(),
            models: usage
                .models
                .iter()
                .map(|used| AiModelBody {
                    provider: used.provider.clone(),
                    model: used.model.clone(),
                    kind: kind_name(&used.figures),
                    calls: used.figures.calls,
                    tokens_in: used.figures.tokens_in,
                    tokens_out: used.figures.tokens_out,
                    spent: money(used.figures.spent),
                })
                .collect(),
            reasons: usage
                .ends
                .iter()
                .filter(|(end, _)| *end != model::enrichment::AttemptEnd::Ok)
                .map(|(end, count)| AiReasonBody { reason: end.as_str(), count: *count })
                .collect(),
            waiting: usage.waiting,
            waiting_local: usage.waiting_local,
            oldest_seconds: usage.oldest.map(|age| age.as_secs()),
            breaker: AiBreakerBody {
                state: state.breaker.as_str(),
                failures: state.failures,
                opened_at: state.opened_at.map(moment),
                retry_at: retry_at.map(moment),
            },
            rate_limited_until: state.rate_limited_until.map(moment),
            pace_rpm: usage.rpm,
        }
    }
}

/// The same as JSON, for the command line.
pub fn usage_json(usage: &Usage) -> serde_json::Value {
    serde_json::to_value(AiUsageBody::from(usage)).unwrap_or_default()
}

/// What models cost this month, and how the rest stands.
#[utoipa::path(get, path = "/admin/api/ai-usage", tag = "admin",
    responses((status = 200, body = AiUsageBody), (status = 403, body = ErrorBody)))]
async fn usage(State(web): State<Web>, principal: Principal) -> Result<Json<AiUsageBody>, ApiError> {
    principal.may(Permission::Budget)?;
    Ok(Json(AiUsageBody::from(&web.enrich.usage().await?)))
}

#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct HistoryQuery {
    /// 1 to 120, else 12.
    months: Option<u32>,
}

/// Past months, the latest first.
#[derive(Debug, Clone, Serialize, ToSchema)]
struct AiHistoryBody {
    months: Vec<AiMonthBody>,
}

/// A month.
#[derive(Debug, Clone, Serialize, ToSchema)]
struct AiMonthBody {
    month: String,
    spent: f64,
    /// The ceiling that was set for this month alone.
    cap: Option<f64>,
    calls: u64,
    failed: u64,
}

/// What models have cost, month by month.
#[utoipa::path(get, path = "/admin/api/ai-usage/history", tag = "admin", params(HistoryQuery),
    responses((status = 200, body = AiHistoryBody), (status = 403, body = ErrorBody), (status = 422, body = ErrorBody)))]
async fn history(
    State(web): State<Web>,
    principal: Principal,
    Query(query): Query<HistoryQuery>,
) -> Result<Json<AiHistoryBody>, ApiError> {
    principal.may(Permission::Budget)?;
    let count = query.months.unwrap_or(12);
    if !(1..=120).contains(&count) {
        return Err(ApiError::unprocessable("`months` may be 1 to 120").reason("months"));
    }
    let months = web.enrich.past_months(count).await?;
    let months = months.into_iter().map(|past| AiMonthBody {
        month: past.month,
        spent: money(past.spent),
        cap: past.ceiling.map(money),
        calls: past.calls,
        failed: past.failed,
    });
    Ok(Json(AiHistoryBody { months: months.collect() }))
}

/// Ceilings in dollars. What is left out stays; null is what the configuration says.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({ "month_cap": 20.0 }))]
struct AiBudgetBody {
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = Option<f64>)]
    month_cap: Option<Option<f64>>,
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = Option<f64>)]
    day_cap: Option<Option<f64>>,
    #[serde(default)]
    kinds: AiKindCaps,
}

/// Ceilings of single kinds.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct AiKindCaps {
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = Option<f64>)]
    summary: Option<Option<f64>>,
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = Option<f64>)]
    tags: Option<Option<f64>>,
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = Option<f64>)]
    deframe: Option<Option<f64>>,
}

/// Null is a value, too.
fn given<'d, D: Deserializer<'d>>(value: D) -> Result<Option<Option<f64>>, D::Error> {
    Option::<f64>::deserialize(value).map(Some)
}

fn amount(name: &'static str, value: Option<Option<f64>>) -> Result<Option<Option<Money>>, ApiError> {
    let read = |dollars: f64| {
        let bad = || ApiError::unprocessable(format!("`{name}` may be an amount in dollars, 0 or more")).reason(name);
        Money::from_dollars(dollars).ok_or_else(bad)
    };
    value.map(|value| value.map(read).transpose()).transpose()
}

fn is_month(text: &str) -> bool {
    let digits = |part: &str, count: usize| part.len() == count && part.bytes().all(|byte| byte.is_ascii_digit());
    text.split_once('-')
        .is_some_and(|(year, month)| digits(year, 4) && digits(month, 2) && ("01"..="12").contains(&month))
}

/// Sets the ceilings of a month.
#[utoipa::path(patch, path = "/admin/api/ai-usage/{month}/budget", tag = "admin",
    params(("month" = String, Path, description = "Such as `2026-11`")), request_body = AiBudgetBody,
    responses((status = 200, body = AiUsageBody), (status = 403, body = ErrorBody), (status = 404, body = ErrorBody),
        (status = 422, body = ErrorBody)))]
async fn set_budget(
    State(web): State<Web>,
    principal: Principal,
    Path(month): Path<String>,
    Body(wanted): Body<AiBudgetBody>,
) -> Result<Json<AiUsageBody>, ApiError> {
    principal.may(Permission::Budget)?;
    if !is_month(&month) {
        return Err(ApiError::not_found("There is no such month; write it as 2026-11"));
    }
    let change = BudgetChange {
        month: amount("month_cap", wanted.month_cap)?,
        day: amount("day_cap", wanted.day_cap)?,
        summary: amount("summary", wanted.kinds.summary)?,
        tags: amount("tags", wanted.kinds.tags)?,
        deframe: amount("deframe", wanted.kinds.deframe)?,
    };
    web.enrich.change_month_budget(&month, change).await?;
    Ok(Json(AiUsageBody::from(&web.enrich.usage_of(Some(&month)).await?)))
}

/// The switch for all of it.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct AiSwitchBody {
    enabled: bool,
}

/// Whether anything is made.
#[derive(Debug, Clone, Serialize, ToSchema)]
struct AiEnabledBody {
    /// False also where the configuration has switched it off.
    enabled: bool,
}

/// Stops everything, on all processes, or lets it go on.
#[utoipa::path(patch, path = "/admin/api/ai", tag = "admin", request_body = AiSwitchBody,
    responses((status = 200, body = AiEnabledBody), (status = 403, body = ErrorBody), (status = 422, body = ErrorBody)))]
async fn switch(
    State(web): State<Web>,
    principal: Principal,
    Body(wanted): Body<AiSwitchBody>,
) -> Result<Json<AiEnabledBody>, ApiError> {
    principal.may(Permission::Budget)?;
    web.enrich.set_stopped(!wanted.enabled).await?;
    Ok(Json(AiEnabledBody { enabled: wanted.enabled && web.enrich.options().rules.ai.enabled }))
}

/// Asks the model again, although it failed several times.
#[utoipa::path(post, path = "/admin/api/ai/breaker/reset", tag = "admin",
    responses((status = 204), (status = 403, body = ErrorBody), (status = 409, body = ErrorBody)))]
async fn reset_breaker(State(web): State<Web>, principal: Principal) -> Result<StatusCode, ApiError> {
    principal.may(Permission::Budget)?;
    if web.enrich.reset_breaker().await? {
        return Ok(StatusCode::NO_CONTENT);
    }
    Err(ApiError::conflict("No model is configured: there is no breaker").code("no_model"))
}
