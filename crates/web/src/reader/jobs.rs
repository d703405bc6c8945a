//! `/api/jobs`: work that outlives the request which asked for it. Today these are imports of lists of feeds.

use super::shape::moment;
use crate::Web;
use crate::error::{ApiError, ErrorBody};
use crate::principal::Principal;
use crate::query::Path;
use ::reader::Undone;
use axum::Json;
use axum::extract::State;
use model::library::{ImportLine, ImportRun};
use model::{ImportId, UserId};
use policy::permission::Permission;
use serde::Serialize;
use store::StoreError;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

pub(crate) fn routes() -> OpenApiRouter<Web> {
    OpenApiRouter::new().routes(routes!(one)).routes(routes!(undo))
}

/// Work in the background, and what it has brought.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub(crate) struct JobBody {
    id: i64,
    /// `import`.
    kind: &'static str,
    state: JobState,
    /// Feeds of the list.
    total: u64,
    /// Feeds that are done.
    done: u64,
    pub(crate) imported: u64,
    pub(crate) skipped: u64,
    pub(crate) errors: Vec<String>,
    created_at: String,
    finished_at: Option<String>,
    /// What became of each line, once it is done.
    rows: Vec<ImportRow>,
}

/// What became of one line of a list.
#[derive(Debug, Clone, Serialize, ToSchema)]
struct ImportRow {
    title: Option<String>,
    /// Empty if it has none.
    url: String,
    /// `imported`, `skipped` or `failed`.
    state: &'static str,
    reason: Option<String>,
    feed_id: Option<i64>,
}

impl From<ImportLine> for ImportRow {
    fn from(line: ImportLine) -> Self {
        let ImportLine { title, url, result, reason, feed } = line;
        Self { title, url, state: result.as_str(), reason, feed_id: feed.map(|feed| feed.0) }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
enum JobState {
    Pending,
    Running,
    Done,
    Undone,
}

impl JobBody {
    /// Nothing will change any more.
    pub(crate) fn is_over(&self) -> bool {
        matches!(self.state, JobState::Done | JobState::Undone)
    }
}

impl From<ImportRun> for JobBody {
    fn from(run: ImportRun) -> Self {
        let state = match (run.undone_at, run.finished_at) {
            (Some(_), _) => JobState::Undone,
            (None, Some(_)) => JobState::Done,
            (None, None) if run.done > 0 => JobState::Running,
            (None, None) => JobState::Pending,
        };
        Self {
            id: run.id.0,
            kind: "import",
            state,
            total: run.total,
            done: run.done,
            imported: run.imported,
            skipped: run.skipped,
            errors: run.errors,
            created_at: moment(run.created_at),
            finished_at: run.finished_at.map(moment),
            rows: Vec::new(),
        }
    }
}

/// A job of a user.
pub(crate) async fn find(web: &Web, user: UserId, id: ImportId) -> Result<JobBody, ApiError> {
    match web.store.import(user, id).await {
        Ok(run) => Ok(run.into()),
        Err(StoreError::NotFound { .. }) => Err(ApiError::not_found("Job not found")),
        Err(error) => Err(error.into()),
    }
}

/// How far a job has come.
#[utoipa::path(get, path = "/api/jobs/{id}", tag = "jobs", params(("id" = i64, Path)),
    responses((status = 200, body = JobBody), (status = 404, body = ErrorBody)))]
async fn one(State(web): State<Web>, principal: Principal, Path(id): Path<i64>) -> Result<Json<JobBody>, ApiError> {
    principal.may(Permission::ReadOwn)?;
    let mut job = find(&web, principal.user, ImportId(id)).await?;
    if job.is_over() {
        let lines = web.store.import_lines(principal.user, ImportId(id)).await?;
        job.rows = lines.into_iter().map(ImportRow::from).collect();
    }
    Ok(Json(job))
}

/// Takes an import back: ends the subscriptions that it made.
#[utoipa::path(post, path = "/api/jobs/{id}/undo", tag = "jobs", params(("id" = i64, Path)),
    responses((status = 200, body = JobBody), (status = 404, body = ErrorBody), (status = 409, body = ErrorBody)))]
async fn undo(State(web): State<Web>, principal: Principal, Path(id): Path<i64>) -> Result<Json<JobBody>, ApiError> {
    principal.may(Permission::WriteOwn)?;
    let (user, id) = (principal.user, ImportId(id));
    find(&web, user, id).await?;
    match ::reader::undo_import(&web.engine, user, id).await? {
        Undone::Done(_) => find(&web, user, id).await.map(Json),
        Undone::Refused => Err(ApiError::conflict("This is not done yet, or was undone before")),
    }
}
