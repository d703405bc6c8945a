//! Answers that clients ask for again and again: an entity tag of what they say, and 304 for who has it already.
//!
//! A handler opts in by answering with [`tagged`]. The tag is weak: two answers with one tag mean the same, but may differ in
//! the moment at which they were given.

use axum::Json;
use axum::extract::Request;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, IF_NONE_MATCH};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use http_semantics::{EntityTag, IfNoneMatch};
use serde::Serialize;
use twox_hash::XxHash3_128;

/// A JSON answer with the tag of `meaning`: what of the answer matters.
pub(crate) fn tagged<T: Serialize>(body: &T, meaning: &impl Serialize) -> Response {
    let bytes = serde_json::to_vec(meaning).unwrap_or_default();
    (headers(&bytes), Json(body)).into_response()
}

/// A JSON answer all of which matters. It is written once: a list of thousands of feeds is megabytes.
pub(crate) fn tagged_as_it_is<T: Serialize>(body: &T) -> Response {
    match serde_json::to_vec(body) {
        Ok(bytes) => {
            let kind = [(CONTENT_TYPE, HeaderValue::from_static("application/json"))];
            (headers(&bytes), kind, bytes).into_response()
        }
        // It says so itself.
        Err(_) => Json(body).into_response(),
    }
}

fn headers(meaning: &[u8]) -> [(HeaderName, HeaderValue); 2] {
    let tag = format!("W/\"{:032x}\"", XxHash3_128::oneshot(meaning));
    let tag = HeaderValue::try_from(tag).expect("hexadecimal digits");
    // Kept by the client alone, and asked about every time.
    [(ETAG, tag), (CACHE_CONTROL, HeaderValue::from_static("private, no-cache"))]
}

/// Answers 304 where the client has what the answer says.
pub(crate) async fn not_modified(request: Request, next: Next) -> Response {
    if !matches!(*request.method(), Method::GET | Method::HEAD) || !request.headers().contains_key(IF_NONE_MATCH) {
        return next.run(request).await;
    }
    let known: Vec<HeaderValue> = request.headers().get_all(IF_NONE_MATCH).iter().cloned().collect();
    let response = next.run(request).await;
    if response.status() == StatusCode::OK && is_known(&known, response.headers()) {
        let (mut head, _) = response.into_parts();
        head.status = StatusCode::NOT_MODIFIED;
        head.headers.remove(axum::http::header::CONTENT_TYPE);
        head.headers.remove(axum::http::header::CONTENT_LENGTH);
        return Response::from_parts(head, axum::body::Body::empty());
    }
    response
}

fn is_known(known: &[HeaderValue], headers: &HeaderMap) -> bool {
    let Some(tag) = headers.get(ETAG).and_then(|tag| EntityTag::read(tag.as_bytes())) else { return false };
    IfNoneMatch::read(known.iter().map(HeaderValue::as_bytes)).is_some_and(|known| known.matches(Some(tag)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tag(meaning: &str) -> HeaderValue {
        tagged(&"body", &meaning).headers()[ETAG].clone()
    }

    #[test]
    fn a_tag_is_of_what_is_meant() {
        assert_eq!(tag("a"), tag("a"));
        assert_ne!(tag("a"), tag("b"));
        let answer = tagged(&"body", &"a");
        assert!(is_known(&[tag("b"), tag("a")], answer.headers()));
        assert!(is_known(&[HeaderValue::from_static("*")], answer.headers()));
        assert!(!is_known(&[tag("b")], answer.headers()));
        assert!(!is_known(&[HeaderValue::from_static("nonsense")], answer.headers()));
        assert!(!is_known(&[tag("a")], &HeaderMap::new()), "an answer without a tag");
    }

    #[tokio::test]
    async fn an_answer_that_is_its_own_meaning_is_the_same_answer() {
        let (once, twice) = (tagged_as_it_is(&["a"]), tagged(&["a"], &["a"]));
        assert_eq!(once.headers(), twice.headers());
        let bytes = async |answer: Response| axum::body::to_bytes(answer.into_body(), 100).await.unwrap();
        assert_eq!(bytes(once).await, bytes(twice).await);
    }
}
