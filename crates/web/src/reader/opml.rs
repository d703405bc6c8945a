//! `/api/feeds/import-opml` and `/api/feeds/export-opml`: lists of feeds in and out.
//!
//! An import is a job, which goes on when the request ends (`jobs`). A front end of others waits for its figures, so the
//! answer waits for a while.

use super::jobs::{JobBody, find};
use crate::body;
use crate::error::{ApiError, ErrorBody};
use crate::principal::Principal;
use crate::query::Query;
use crate::{Web, multipart};
use ::reader::Import;
use axum::Json;
use axum::body::Bytes;
use axum::extract::{Request, State};
use axum::http::header::{CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::response::{IntoResponse as _, Response};
use engine::{Exporting, Importing};
use http_body_util::BodyExt as _;
use model::feed::Origin;
use model::{ImportId, UserId};
use policy::permission::Permission;
use serde::{Deserialize, Serialize};
use std::time::Duration;
use syndication::opml;
use tokio::time::{Instant, sleep, timeout};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

/// The largest list.
const LIMIT_BYTES: usize = body::LARGE_BYTES;
/// Whoever imports a list waits this long for its figures.
const PATIENCE: Duration = Duration::from_secs(10);
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// What is read of a body that is refused, and for how long: a proxy that still sends it would not pass on our answer.
const DRAINED_BYTES: usize = 32 << 20;
const DRAINED_FOR: Duration = Duration::from_secs(10);

pub(crate) fn routes() -> OpenApiRouter<Web> {
    OpenApiRouter::new().routes(routes!(import)).routes(routes!(export))
}

#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct ImportQuery {
    /// Say what would be imported, and do nothing.
    #[serde(default)]
    dry_run: bool,
}

#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct ExportQuery {
    /// With the addresses of private feeds.
    #[serde(default)]
    private: bool,
}

/// What an import has brought so far.
#[derive(Debug, Clone, Serialize, ToSchema)]
struct ImportBody {
    /// Feeds that are new to the user.
    imported: u64,
    /// Feeds that the user had.
    skipped: u64,
    /// What could not be imported, and why.
    errors: Vec<String>,
    /// `/api/jobs/{id}` says how it goes on; null for a dry run.
    job_id: Option<i64>,
}

/// The form with the file. It is read as it comes, and not as this type.
#[derive(ToSchema)]
#[expect(dead_code, reason = "a type that is only described")]
#[schema(example = json!({ "file": "<opml version=\"2.0\"><body><outline xmlUrl=\"https://news.example/feed\"/></body></opml>" }))]
struct ImportForm {
    #[schema(format = Binary)]
    file: String,
}

/// Imports a list of feeds: field `file` of a form, or the file itself, of up to 16 MB.
#[utoipa::path(post, path = "/api/feeds/import-opml", tag = "feeds", params(ImportQuery),
    request_body(content = ImportForm, content_type = "multipart/form-data"),
    responses((status = 200, body = ImportBody), (status = 413, body = ErrorBody), (status = 422, body = ErrorBody)))]
async fn import(
    State(web): State<Web>,
    principal: Result<Principal, ApiError>,
    query: Result<Query<ImportQuery>, ApiError>,
    request: Request,
) -> Result<Json<ImportBody>, ApiError> {
    let allowed = principal.and_then(|principal| principal.may(Permission::WriteOwn).map(|()| principal.user));
    let (user, Query(query)) = match (allowed, query) {
        (Ok(user), Ok(query)) => (user, query),
        (Err(error), _) | (_, Err(error)) => {
            drain(request).await;
            return Err(error);
        }
    };
    let content_type = request.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).map(str::to_owned);
    let bytes = body::read(request, LIMIT_BYTES).await?;
    let document = document(&bytes, content_type.as_deref().unwrap_or_default())?;
    if query.dry_run { foreseen(&web, user, document).await } else { run(&web, user, document).await }
}

/// Reads what is left of a body, and forgets it.
async fn drain(request: Request) {
    let mut body = request.into_body();
    let all = async {
        let mut left = DRAINED_BYTES;
        while let Some(Ok(frame)) = body.frame().await {
            let Some(less) = left.checked_sub(frame.data_ref().map_or(0, Bytes::len)) else { return };
            left = less;
        }
    };
    let _ = timeout(DRAINED_FOR, all).await;
}

/// The file itself.
fn document<'a>(body: &'a [u8], content_type: &str) -> Result<&'a [u8], ApiError> {
    let found = match multipart::boundary(content_type) {
        Some(boundary) => multipart::field(body, boundary, "file"),
        None if multipart::is_form(content_type) => None,
        None => Some(body),
    };
    let found = found.filter(|found| !found.trim_ascii().is_empty());
    found.ok_or_else(|| {
        ApiError::unprocessable("There is no file: send it as the field `file` of a form").reason("file")
    })
}

fn not_a_list(why: &opml::NotOpml) -> ApiError {
    ApiError::unprocessable(format!("This cannot be imported: {why}")).code("not_opml")
}

async fn run(web: &Web, user: UserId, document: &[u8]) -> Result<Json<ImportBody>, ApiError> {
    let id = match ::reader::ask_import(&web.engine, user, document).await? {
        Import::Asked(id) => id,
        Import::NotAList(why) => return Err(not_a_list(&why)),
    };
    let job = finished(web, user, id).await?;
    let JobBody { imported, skipped, errors, .. } = job;
    Ok(Json(ImportBody { imported, skipped, errors, job_id: Some(id.0) }))
}

/// The job when it is done, or as far as it has come.
async fn finished(web: &Web, user: UserId, id: ImportId) -> Result<JobBody, ApiError> {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let job = find(web, user, id).await?;
        if job.is_over() || Instant::now() >= deadline {
            return Ok(job);
        }
        sleep(LOOK_EVERY).await;
    }
}

/// What an import would bring.
async fn foreseen(web: &Web, user: UserId, document: &[u8]) -> Result<Json<ImportBody>, ApiError> {
    let read = opml::read(document, &opml::Options::default(), &opml::Limits::default());
    let (list, told) = read.map_err(|why| not_a_list(&why))?;
    if list.rows.is_empty() && told.ended_early {
        return Err(not_a_list(&opml::NotOpml::NoList));
    }
    let how = (None, Importing::DryRun, Origin::Reader);
    let result = engine::import(&web.engine, user, &list, how, |_| ()).await?;
    let mut body = ImportBody { imported: 0, skipped: 0, errors: Vec::new(), job_id: None };
    for row in result.rows {
        match row.result {
            engine::Import::Added(_) | engine::Import::WouldAdd | engine::Import::Subscribed(_) => body.imported += 1,
            engine::Import::AlreadyThere(_) => body.skipped += 1,
            engine::Import::Refused(why) => body.errors.push(format!("{}: {why}", row.url)),
        }
    }
    Ok(Json(body))
}

/// The user's feeds as a list, which every reader can import.
#[utoipa::path(get, path = "/api/feeds/export-opml", tag = "feeds", params(ExportQuery),
    responses((status = 200, content_type = "application/xml", body = String)))]
async fn export(
    State(web): State<Web>,
    principal: Principal,
    Query(query): Query<ExportQuery>,
) -> Result<Response, ApiError> {
    principal.may(Permission::ReadOwn)?;
    let what = Exporting { private: query.private, unsubscribed: false };
    let exported = engine::export(&web.store, principal.user, what).await?;
    let headers = [
        (CONTENT_TYPE, "application/xml; charset=utf-8"),
        (CONTENT_DISPOSITION, "attachment; filename=\"courant.opml\""),
        (CACHE_CONTROL, "no-store"),
    ];
    Ok((headers, opml::write(&exported.list, web.now())).into_response())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_is_found_in_a_form_and_without_one() {
        let check = |content_type: &str, body: &str, expected: &str| {
            let found = document(body.as_bytes(), content_type);
            let said = found
                .map_or_else(|error| error.status.as_u16().to_string(), |found| String::from_utf8_lossy(found).into());
            assert_eq!(said, expected, "{content_type}");
        };
        let form = "--x\r\ncontent-disposition: form-data; name=\"file\"; filename=\"a\"\r\n\r\n<opml/>\r\n--x--\r\n";
        check("multipart/form-data; boundary=x", form, "<opml/>");
        check("multipart/form-data; boundary=y", form, "422");
        check("multipart/form-data", form, "422");
        check("text/x-opml", "<opml/>", "<opml/>");
        check("", "<opml/>", "<opml/>");
        check("text/xml", " \n", "422");
    }
}
