//! `/api/icons/{hash}`: the icons of feeds, by their SHA-256. Bytes of others: only raster images, known by what they are
//! and not by what a server called them, under a policy that lets them do nothing.

use crate::Web;
use crate::error::{ApiError, ErrorBody};
use crate::principal::Principal;
use crate::query::Path;
use axum::extract::State;
use axum::http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG};
use axum::response::{IntoResponse as _, Response};
use data_encoding::HEXLOWER;
use model::Viewer;
use policy::permission::Permission;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

/// For everything that others have made: nothing in it is loaded or run.
pub(crate) const NOTHING_RUNS: &str = "default-src 'none'; sandbox";

pub(crate) fn routes() -> OpenApiRouter<Web> {
    OpenApiRouter::new().routes(routes!(icon))
}

/// The icon of a feed.
#[utoipa::path(get, path = "/api/icons/{hash}", tag = "feeds",
    params(("hash" = String, Path, description = "SHA-256, hexadecimal")),
    responses((status = 200, content_type = "image/*", body = Vec<u8>), (status = 304), (status = 404, body = ErrorBody)))]
async fn icon(State(web): State<Web>, principal: Principal, Path(hash): Path<String>) -> Result<Response, ApiError> {
    principal.may(Permission::ReadOwn)?;
    let missing = || ApiError::not_found("Icon not found");
    let bytes = HEXLOWER.decode(hash.as_bytes()).ok().and_then(|bytes| <[u8; 32]>::try_from(bytes).ok());
    let found = web.store.icon_by_hash(Viewer::User(principal.user), bytes.ok_or_else(missing)?).await?;
    let icon = found.ok_or_else(missing)?;
    let media_type = content::raster(&icon.bytes).ok_or_else(missing)?;
    let etag = format!("\"{hash}\"");
    let same = [(ETAG, etag.as_str()), (CACHE_CONTROL, "private, max-age=604800, immutable")];
    let policy = [(CONTENT_SECURITY_POLICY, NOTHING_RUNS)];
    Ok((same, policy, [(CONTENT_TYPE, media_type)], icon.bytes).into_response())
}
