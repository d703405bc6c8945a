//! Bodies of requests: JSON with a limit of size and time. The content type is not looked at, because the front ends of
//! others set it as they like; that a browser meant to send it is checked elsewhere (`same_origin.rs`).

use axum::body::{Body as RawBody, Bytes};
use axum::extract::{FromRequest, Request};
use http_body_util::{BodyExt as _, LengthLimitError, Limited};
use serde::de::{DeserializeOwned, IgnoredAny};
use serde_json::error::Category;
use std::time::Duration;
use tokio::time::timeout;

use crate::error::ApiError;

/// The largest body, unless a handler allows more.
pub const LIMIT_BYTES: usize = 1 << 20;

/// The largest body of a list that somebody imports.
pub const LARGE_BYTES: usize = 16 << 20;

/// A body that has not arrived after this time never will.
const PATIENCE: Duration = Duration::from_secs(30);

/// A JSON body.
#[derive(Debug, Clone)]
pub struct Body<T>(pub T);

/// A JSON body that may be as large as a list of feeds.
#[derive(Debug, Clone)]
pub struct LargeBody<T>(pub T);

/// A JSON body that is a list.
#[derive(Debug, Clone)]
pub struct ListBody<T>(pub Vec<T>);

/// A JSON body, or none: then the default.
#[derive(Debug, Clone)]
pub struct OptionalBody<T>(pub T);

impl<S: Sync, T: DeserializeOwned> FromRequest<S> for Body<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, _: &S) -> Result<Self, ApiError> {
        object(&read(request, LIMIT_BYTES).await?).map(Self)
    }
}

impl<S: Sync, T: DeserializeOwned> FromRequest<S> for LargeBody<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, _: &S) -> Result<Self, ApiError> {
        object(&read(request, LARGE_BYTES).await?).map(Self)
    }
}

impl<S: Sync, T: DeserializeOwned> FromRequest<S> for ListBody<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, _: &S) -> Result<Self, ApiError> {
        json(&read(request, LIMIT_BYTES).await?).map(Self)
    }
}

impl<S: Sync, T: DeserializeOwned + Default> FromRequest<S> for OptionalBody<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, _: &S) -> Result<Self, ApiError> {
        let bytes = read(request, LIMIT_BYTES).await?;
        if bytes.trim_ascii().is_empty() { Ok(Self(T::default())) } else { object(&bytes).map(Self) }
    }
}

/// The bytes of a body, up to a limit.
pub async fn read(request: Request, limit_bytes: usize) -> Result<Bytes, ApiError> {
    let body: RawBody = request.into_body();
    let collected = timeout(PATIENCE, Limited::new(body, limit_bytes).collect()).await;
    match collected {
        Ok(Ok(body)) => Ok(body.to_bytes()),
        Ok(Err(error)) if error.is::<LengthLimitError>() => Err(ApiError::too_large(limit_bytes)),
        Ok(Err(_)) => Err(ApiError::bad_request("The request ended before its body did")),
        Err(_) => Err(ApiError::timed_out()),
    }
}

/// Reads a JSON object. A list would do for a struct as well, by the order of its fields, which is nobody's business.
fn object<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, ApiError> {
    if bytes.trim_ascii_start().first() == Some(&b'[') {
        return Err(ApiError::unprocessable("The body is a list; send an object"));
    }
    json(bytes)
}

/// Reads JSON: 400 if it is none, 422 if a value is not what it should be.
pub fn json<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, ApiError> {
    if bytes.trim_ascii().is_empty() {
        return Err(ApiError::bad_request("This needs a JSON body, and there is none"));
    }
    // An enum that finds `{}` complains about the syntax; that is about the value if there is nothing wrong with the JSON.
    let is_json = || serde_json::from_slice::<IgnoredAny>(bytes).is_ok();
    serde_json::from_slice(bytes).map_err(|error| match error.classify() {
        kind if kind == Category::Data || is_json() => {
            ApiError::unprocessable(format!("The body is not as expected: {error}"))
        }
        _ => ApiError::bad_request(format!("The body is no JSON: {error}")),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;

    #[derive(Debug, Default, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Name {
        #[serde(default)]
        name: String,
    }

    async fn said(text: String) -> String {
        let body = Body::<Name>::from_request(Request::new(text.into()), &()).await;
        body.map_or_else(|error| format!("{} {}", error.status.as_u16(), error.detail), |body| body.0.name)
    }

    #[tokio::test]
    async fn a_body_is_read_or_refused_in_words() {
        let check = async |text: &str, expected: &str| {
            let said = said(text.to_owned()).await;
            assert!(said.starts_with(expected), "{text}: {said}");
        };
        check(r#"{"name": "ada"}"#, "ada").await;
        check("", "400 This needs a JSON body").await;
        check("{", "400 The body is no JSON: EOF").await;
        check(r#"{"name": 7}"#, "422 The body is not as expected: invalid type: integer `7`, expected a string").await;
        check(r#"{"nom": "ada"}"#, "422 The body is not as expected: unknown field `nom`").await;
        check(r#" ["ada"]"#, "422 The body is a list; send an object").await;
        check(&format!(r#"{{"name": "{}"}}"#, "a".repeat(LIMIT_BYTES)), "413 The request is too large").await;
    }

    #[test]
    fn an_empty_object_in_place_of_a_choice_is_json() {
        #[derive(Deserialize)]
        enum Choice {
            One(u8),
        }
        let said = |text: &str| match json::<Vec<Choice>>(text.as_bytes()) {
            Ok(choices) => format!("{:?}", choices.iter().map(|Choice::One(one)| one).collect::<Vec<_>>()),
            Err(error) => format!("{} {}", error.status.as_u16(), error.detail),
        };
        assert_eq!(said(r#"[{"One": 1}]"#), "[1]");
        assert_eq!(said("[{}]"), "422 The body is not as expected: expected value at line 1 column 3");
        assert_eq!(said("[{]"), "400 The body is no JSON: key must be a string at line 1 column 3");
    }

    #[tokio::test(start_paused = true)]
    async fn a_body_that_never_ends_is_given_up() {
        let never = RawBody::from_stream(Never);
        let error = Body::<Name>::from_request(Request::new(never), &()).await.unwrap_err();
        assert_eq!(error.status.as_u16(), 408);
    }

    #[tokio::test]
    async fn no_body_is_the_default_where_that_is_wanted() {
        for (text, expected) in [("", ""), (" \n", ""), (r#"{"name": "ada"}"#, "ada")] {
            let OptionalBody(body) = OptionalBody::<Name>::from_request(Request::new(text.into()), &()).await.unwrap();
            assert_eq!(body.name, expected);
        }
    }

    struct Never;

    impl futures_util::Stream for Never {
        type Item = Result<Bytes, std::io::Error>;

        fn poll_next(
            self: std::pin::Pin<&mut Self>,
            _: &mut std::task::Context<'_>,
        ) -> std::task::Poll<Option<Self::Item>> {
            std::task::Poll::Pending
        }
    }
}
