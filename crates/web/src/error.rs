//! Errors as HTTP: the one file that turns what went wrong into a status and a body `{error, code, detail}`.
//!
//! `error` is the status in words, `code` a word for programs, `detail` a sentence for people, always a string. The fields
//! `id` and `reason` are there where they help. Fallbacks for unknown paths and methods have the same shape. A failure of
//! ours is logged here, once, and its text never leaves the machine.

use accounts::LoginOutcome;
use axum::Json;
use axum::http::header::RETRY_AFTER;
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use engine::EngineError;
use policy::limits::Wait;
use policy::permission::Denied;
use reader::ReaderError;
use serde_json::{Map, Value};
use store::StoreError;

/// The body of an error, as the API's description shows it.
#[derive(serde::Serialize, utoipa::ToSchema)]
pub struct ErrorBody {
    /// The status in words.
    pub error: String,
    /// For programs; never changes.
    pub code: String,
    /// For people: what to do.
    pub detail: String,
    /// What it is about.
    pub id: Option<i64>,
    /// More for programs, where the code is not enough.
    pub reason: Option<String>,
}

/// Why a request is not answered as it was meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApiError {
    /// The status.
    pub status: StatusCode,
    /// For programs; never changes.
    pub code: &'static str,
    /// For people: what to do.
    pub detail: String,
    /// What it is about.
    pub id: Option<i64>,
    /// More for programs, where the code is not enough.
    pub reason: Option<String>,
    /// When to try again.
    pub retry_after: Option<Wait>,
}

impl ApiError {
    /// Any status, with a word for programs and a sentence for people.
    pub fn new(status: StatusCode, code: &'static str, detail: impl Into<String>) -> Self {
        Self { status, code, detail: detail.into(), id: None, reason: None, retry_after: None }
    }

    /// 400: the request cannot be read.
    pub fn bad_request(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "bad_request", detail)
    }

    /// 401: nobody is logged in.
    pub fn unauthorized(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::UNAUTHORIZED, "unauthorized", detail)
    }

    /// 403: somebody is, and may not.
    pub fn forbidden(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::FORBIDDEN, "forbidden", detail)
    }

    /// 404: it is not there, or not theirs.
    pub fn not_found(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, "not_found", detail)
    }

    /// 409: something else is in the way.
    pub fn conflict(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::CONFLICT, "conflict", detail)
    }

    /// 410: it was there.
    pub fn gone(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::GONE, "gone", detail)
    }

    /// 413: the body is too large.
    pub fn too_large(limit_bytes: usize) -> Self {
        let detail = format!("The request is too large; send at most {limit_bytes} bytes");
        Self::new(StatusCode::PAYLOAD_TOO_LARGE, "too_large", detail)
    }

    /// 422: it can be read, and a value is none that will do.
    pub fn unprocessable(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, "unprocessable", detail)
    }

    /// 429: too often.
    pub fn too_many(wait: Wait) -> Self {
        let detail = format!("Too many requests; try again in {wait}");
        Self { retry_after: Some(wait), ..Self::new(StatusCode::TOO_MANY_REQUESTS, "too_many_requests", detail) }
    }

    /// 408: the body did not arrive.
    pub fn timed_out() -> Self {
        Self::new(StatusCode::REQUEST_TIMEOUT, "timeout", "The request did not arrive in time; send it again")
    }

    /// 503: not now.
    pub fn unavailable(detail: impl Into<String>) -> Self {
        let wait = Wait::rounded_up(jiff::SignedDuration::from_secs(5));
        Self { retry_after: Some(wait), ..Self::new(StatusCode::SERVICE_UNAVAILABLE, "unavailable", detail) }
    }

    /// 500: our fault. The error is logged; the client learns that there was one.
    pub fn internal(error: &dyn std::error::Error) -> Self {
        tracing::error!(error = with_sources(error), "a request failed");
        let detail = "Something went wrong here; the log of the server says more";
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "internal", detail)
    }

    /// With another word for programs.
    #[must_use]
    pub fn code(self, code: &'static str) -> Self {
        Self { code, ..self }
    }

    /// About the thing with this id.
    #[must_use]
    pub fn id(self, id: i64) -> Self {
        Self { id: Some(id), ..self }
    }

    /// With a reason for programs.
    #[must_use]
    pub fn reason(self, reason: impl Into<String>) -> Self {
        Self { reason: Some(reason.into()), ..self }
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let mut body = Map::new();
        body.insert("error".into(), self.status.canonical_reason().unwrap_or("Error").into());
        body.insert("code".into(), self.code.into());
        body.insert("detail".into(), self.detail.as_str().into());
        if let Some(id) = self.id {
            body.insert("id".into(), id.into());
        }
        if let Some(reason) = &self.reason {
            body.insert("reason".into(), reason.as_str().into());
        }
        let mut response = (self.status, Json(Value::Object(body))).into_response();
        if let Some(wait) = self.retry_after {
            response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(wait.seconds()));
        }
        // Surfaces with a shape of their own make it anew (`reshaped`).
        response.extensions_mut().insert(self);
        response
    }
}

/// Errors of a surface whose clients want another body. Everything else of the response stays.
pub fn reshaped(response: Response, body: impl Fn(&ApiError) -> Value) -> Response {
    let Some(error) = response.extensions().get::<ApiError>().cloned() else { return response };
    let retry_after = response.headers().get(RETRY_AFTER).cloned();
    let mut response = (error.status, Json(body(&error))).into_response();
    if let Some(wait) = retry_after {
        response.headers_mut().insert(RETRY_AFTER, wait);
    }
    response
}

/// A path that nobody serves.
pub(crate) async fn no_such_path() -> ApiError {
    ApiError::not_found("There is nothing at this address")
}

/// A path that is served, with another method.
pub(crate) async fn no_such_method() -> ApiError {
    let detail = "This address does not take this method; the header Allow lists those that it takes";
    ApiError::new(StatusCode::METHOD_NOT_ALLOWED, "method_not_allowed", detail)
}

impl From<StoreError> for ApiError {
    fn from(error: StoreError) -> Self {
        match &error {
            StoreError::NotFound { what, .. } => Self::not_found(format!("There is no such {what}")),
            StoreError::Conflict { .. } => Self::conflict("This conflicts with what is there already"),
            StoreError::Unfit { .. } => Self::unprocessable("A value is too long, or none that can be stored"),
            StoreError::DeadlineExceeded { .. } => Self::unavailable("This took too long; ask for less, or try again"),
            StoreError::Unavailable { .. } => {
                tracing::warn!(%error, "a request failed");
                Self::unavailable("The database does not respond; try again")
            }
            StoreError::Full { .. } => {
                tracing::error!(%error, "a request failed");
                Self::unavailable("The disk of the server is full").code("storage_full")
            }
            _ => Self::internal(&error),
        }
    }
}

impl From<ReaderError> for ApiError {
    fn from(error: ReaderError) -> Self {
        match error {
            ReaderError::Engine(error) => error.into(),
            ReaderError::Store(error) => error.into(),
        }
    }
}

impl From<EngineError> for ApiError {
    fn from(error: EngineError) -> Self {
        match error {
            EngineError::Store(error) => error.into(),
            EngineError::Address { .. } => Self::unprocessable(error.to_string()).code("not_an_address"),
            EngineError::Changing { feed } => Self::conflict(error.to_string()).id(feed.0),
            error => Self::internal(&error),
        }
    }
}

impl From<Denied> for ApiError {
    fn from(denied: Denied) -> Self {
        let reason = match denied {
            Denied::Role { .. } => "role",
            Denied::Scope { .. } => "scope",
        };
        Self::forbidden(denied.to_string()).reason(reason)
    }
}

/// A login that did not succeed. The texts are the same for a user who does not exist.
impl From<LoginOutcome> for ApiError {
    fn from(outcome: LoginOutcome) -> Self {
        match outcome {
            LoginOutcome::Wait(wait) => {
                let detail = format!("Too many failed logins; try again in {wait}");
                Self { detail, ..Self::too_many(wait) }
            }
            LoginOutcome::Disabled => Self::forbidden("This account is disabled").code("account_disabled"),
            LoginOutcome::NameNeeded => {
                Self::bad_request("There are several users here; send `username` as well").code("username_needed")
            }
            // A welcome is no error; whoever makes one of it lets nobody in.
            LoginOutcome::WrongPassword | LoginOutcome::Welcome(_) => {
                Self::unauthorized("Invalid password").code("invalid_password")
            }
        }
    }
}

fn with_sources(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        text = format!("{text}: {error}");
        source = error.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use http_body_util::BodyExt as _;

    async fn body(response: Response) -> Value {
        serde_json::from_slice(&response.into_body().collect().await.unwrap().to_bytes()).unwrap()
    }

    #[tokio::test]
    async fn an_error_has_one_shape() {
        let wait = Wait::rounded_up(jiff::SignedDuration::from_secs(7));
        let response = ApiError::too_many(wait).id(3).reason("why").into_response();
        assert_eq!((response.status().as_u16(), &response.headers()[RETRY_AFTER]), (429, &HeaderValue::from(7)));
        let expected = serde_json::json!({
            "error": "Too Many Requests", "code": "too_many_requests",
            "detail": "Too many requests; try again in 7 s", "id": 3, "reason": "why",
        });
        assert_eq!(body(response).await, expected);
        let response = ApiError::too_many(wait).into_response();
        let response = reshaped(response, |error| serde_json::json!({ "error": error.detail }));
        assert_eq!((response.status().as_u16(), &response.headers()[RETRY_AFTER]), (429, &HeaderValue::from(7)));
        assert_eq!(body(response).await, serde_json::json!({ "error": "Too many requests; try again in 7 s" }));
    }

    #[tokio::test]
    async fn what_the_database_says_stays_here() {
        let error = StoreError::Database { doing: "read", source: "password of the server".into() };
        let response = ApiError::from(error).into_response();
        assert_eq!(response.status().as_u16(), 500);
        assert!(!body(response).await.to_string().contains("password"));
        let error = StoreError::NotFound { what: "feed", name: "7".into() };
        assert_eq!(ApiError::from(error).detail, "There is no such feed");
    }
}
