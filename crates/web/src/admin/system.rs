//! `/admin/api/system`: the installation itself: version, database, queues, leases, how far the search index has come.

use crate::Web;
use crate::error::{ApiError, ErrorBody};
use crate::principal::Principal;
use crate::query::Query;
use crate::reader::moment;
use axum::Json;
use axum::extract::State;
use jiff::{SignedDuration, Timestamp};
use model::job::JobCounts;
use policy::permission::Permission;
use serde::{Deserialize, Serialize};
use store::{DatabaseKind, HeldWork};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

pub(super) fn routes() -> OpenApiRouter<Web> {
    OpenApiRouter::new().routes(routes!(system))
}

/// Takes nothing.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct NoQuery {}

/// The installation.
#[derive(Debug, Clone, Serialize, ToSchema)]
struct SystemBody {
    version: &'static str,
    /// When this process began to serve.
    started_at: String,
    now: String,
    migrations: Migrations,
    database: DatabaseBody,
    queues: Vec<QueueBody>,
    leases: Vec<LeaseBody>,
    sinks: Vec<SinkBody>,
    feeds: FeedsBody,
    rollups: RollupsBody,
}

/// How far the schema has come.
#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
struct Migrations {
    at: i64,
    of: i64,
}

/// The database.
#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
struct DatabaseBody {
    /// `SQLite` or `PostgreSQL`.
    kind: &'static str,
    bytes: u64,
}

/// Jobs of a kind.
#[derive(Debug, Clone, Serialize, ToSchema)]
struct QueueBody {
    name: String,
    /// Due, and nobody is at them.
    waiting: i64,
    running: i64,
    /// Due later.
    scheduled: i64,
    /// Given up.
    failed: i64,
    /// For how long the first of those that wait has been due.
    oldest_seconds: Option<i64>,
}

/// Work that a process is at.
#[derive(Debug, Clone, Serialize, ToSchema)]
struct LeaseBody {
    /// `feeds`, the kind of a job, or the name of a lock.
    work: String,
    holder: String,
    count: u64,
    ends_in_seconds: i64,
}

/// Something that follows what is written.
#[derive(Debug, Clone, Serialize, ToSchema)]
struct SinkBody {
    name: &'static str,
    lag_seconds: i64,
    entries: u64,
}

/// The schedule as a whole.
#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
struct FeedsBody {
    /// Visited at all.
    total: i64,
    due: i64,
    late_seconds: i64,
}

/// Sums of visits.
#[derive(Debug, Clone, Serialize, ToSchema)]
struct RollupsBody {
    /// The first hour of which there are any.
    since: Option<String>,
}

fn seconds_since(then: Timestamp, now: Timestamp) -> i64 {
    now.duration_since(then).max(SignedDuration::ZERO).as_secs()
}

fn queue(counts: JobCounts, now: Timestamp) -> QueueBody {
    QueueBody {
        name: counts.kind,
        waiting: counts.due,
        running: counts.running,
        scheduled: counts.waiting,
        failed: counts.failed,
        oldest_seconds: counts.oldest_due.map(|due| seconds_since(due, now)),
    }
}

fn lease(held: HeldWork, now: Timestamp) -> LeaseBody {
    LeaseBody {
        work: held.work,
        holder: held.holder,
        count: held.count,
        ends_in_seconds: seconds_since(now, held.until),
    }
}

/// The installation: version, database, queues, leases.
#[utoipa::path(get, path = "/admin/api/system", tag = "admin",
    responses((status = 200, body = SystemBody), (status = 403, body = ErrorBody)))]
async fn system(
    State(web): State<Web>,
    principal: Principal,
    Query(NoQuery {}): Query<NoQuery>,
) -> Result<Json<SystemBody>, ApiError> {
    principal.may(Permission::System)?;
    let (store, now) = (&web.store, web.now());
    let schema = store.schema().await?;
    let behind = store.behind(now).await?;
    let lag = store.index_lag(now).await?;
    let kind = match store.kind() {
        DatabaseKind::Sqlite => "SQLite",
        DatabaseKind::Postgres => "PostgreSQL",
    };
    Ok(Json(SystemBody {
        version: env!("CARGO_PKG_VERSION"),
        started_at: moment(web.started_at),
        now: moment(now),
        migrations: Migrations { at: schema.at, of: schema.of },
        database: DatabaseBody { kind, bytes: store.size_bytes().await? },
        queues: store.job_counts(now).await?.into_iter().map(|counts| queue(counts, now)).collect(),
        leases: store.held_work(now).await?.into_iter().map(|held| lease(held, now)).collect(),
        sinks: vec![SinkBody { name: "search index", lag_seconds: lag.behind.as_secs(), entries: lag.entries }],
        feeds: FeedsBody { total: behind.feeds, due: behind.due, late_seconds: behind.late.as_secs() },
        rollups: RollupsBody { since: store.first_rollup().await?.map(moment) },
    }))
}
