//! What stands in the address: parts of the path, and parameters, read into types and refused in words. Unknown parameters
//! are ignored: foreign clients send some.

use crate::error::ApiError;
use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use serde::de::DeserializeOwned;

/// The parameters of a request.
#[derive(Debug, Clone)]
pub(crate) struct Query<T>(pub T);

impl<S: Sync, T: DeserializeOwned> FromRequestParts<S> for Query<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ApiError> {
        let read = axum::extract::Query::<T>::try_from_uri(&parts.uri);
        let refused = |error: axum::extract::rejection::QueryRejection| {
            ApiError::unprocessable(format!("A parameter is not as expected: {}", error.body_text()))
        };
        read.map(|axum::extract::Query(query)| Self(query)).map_err(refused)
    }
}

/// A part of the path, such as an id. What cannot be one belongs to nothing: 404.
#[derive(Debug, Clone)]
pub(crate) struct Path<T>(pub T);

impl<S: Send + Sync, T: DeserializeOwned + Send> FromRequestParts<S> for Path<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        match axum::extract::Path::<T>::from_request_parts(parts, state).await {
            Ok(axum::extract::Path(part)) => Ok(Self(part)),
            Err(_) => Err(crate::error::no_such_path().await),
        }
    }
}

/// Which part of a list is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Paging {
    /// At most this many.
    pub limit: u32,
    /// After this many.
    pub offset: u32,
}

/// A page of at most `most`, `default` where nothing is said. Beyond these bounds it is refused and not cut: a client that
/// asks for more would take what it gets for everything.
pub(crate) fn paging(limit: Option<i64>, offset: Option<i64>, default: u32, most: u32) -> Result<Paging, ApiError> {
    let limit = limit.unwrap_or(i64::from(default));
    let offset = offset.unwrap_or(0);
    if !(0..=i64::from(most)).contains(&limit) {
        return Err(ApiError::unprocessable(format!("`limit` is {limit}; it may be 0 to {most}")));
    }
    let offset = i32::try_from(offset).ok().and_then(|offset| u32::try_from(offset).ok());
    let offset =
        offset.ok_or_else(|| ApiError::unprocessable("`offset` must be 0 or more, and less than 2147483648"))?;
    Ok(Paging { limit: limit as u32, offset })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_has_bounds() {
        let check = |limit, offset, expected: &str| {
            let said = match paging(limit, offset, 50, 200) {
                Ok(Paging { limit, offset }) => format!("{limit} after {offset}"),
                Err(error) => format!("{} {}", error.status.as_u16(), error.detail),
            };
            assert!(said.starts_with(expected), "{said}");
        };
        check(None, None, "50 after 0");
        check(Some(200), Some(3), "200 after 3");
        check(Some(0), None, "0 after 0");
        check(Some(1_000_000_000), None, "422 `limit` is 1000000000; it may be 0 to 200");
        check(Some(-1), None, "422 `limit`");
        check(None, Some(-1), "422 `offset`");
        check(None, Some(1 << 40), "422 `offset`");
    }
}
