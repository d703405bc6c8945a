//! What applies to every response: the request must name one host, and security headers for browsers are set, on errors
//! as well. Handlers set none of them, but for a stricter policy.

use axum::Router;
use axum::extract::ConnectInfo;
use axum::http::header::{HOST, HeaderName};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderValue, Request, StatusCode, Version};
use axum::response::{IntoResponse as _, Response};
use hyper::body::Incoming;
use std::net::SocketAddr;
use tower_service::Service as _;

/// Set on every response. Names in lower case, as hyper writes them.
pub(crate) const HEADERS: &[(&str, &str)] = &[
    (
        "content-security-policy",
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' https: data:; media-src 'self' https:; \
         connect-src 'self'; font-src 'self'; manifest-src 'self'; worker-src 'self'; base-uri 'none'; \
         form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types reader-article courant-worker",
    ),
    ("x-content-type-options", "nosniff"),
    ("referrer-policy", "no-referrer"),
    ("x-frame-options", "DENY"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
    ("permissions-policy", "camera=(), microphone=(), geolocation=(), payment=(), usb=()"),
];

/// Passes a valid request to the router.
pub(crate) async fn answer(mut router: Router, peer: SocketAddr, mut request: Request<Incoming>) -> Response {
    let mut response = if let Some(why) = host_error(request.version(), request.headers()) {
        (StatusCode::BAD_REQUEST, why).into_response()
    } else {
        request.extensions_mut().insert(ConnectInfo(peer));
        match router.call(request).await {
            Ok(response) => response,
            Err(never) => match never {},
        }
    };
    protect(response.headers_mut());
    response
}

/// Sets our headers. A response with bytes of others has a stricter policy of its own, which stays.
fn protect(headers: &mut HeaderMap) {
    for (name, value) in HEADERS {
        headers.entry(HeaderName::from_static(name)).or_insert(HeaderValue::from_static(value));
    }
}

/// What is wrong with the `Host` of a request (RFC 9112, 3.2). Load balancers send HTTP/1.0 without one.
fn host_error(version: Version, headers: &HeaderMap) -> Option<&'static str> {
    let mut hosts = headers.get_all(HOST).iter();
    match (hosts.next(), hosts.next()) {
        (None, _) if version < Version::HTTP_11 => None,
        (None, _) => Some("a request needs a Host header\n"),
        (Some(_), Some(_)) => Some("a request has one Host header only\n"),
        (Some(host), None) => {
            let reads = Authority::try_from(host.as_bytes()).is_ok_and(|host| !host.as_str().contains('@'));
            (!reads).then_some("the Host header names no host\n")
        }
    }
}

/// The head of a response with our headers added. `None` if they are there already.
pub(crate) fn protected_head(bytes: &[u8]) -> Option<Vec<u8>> {
    let (first, _) = HEADERS.first()?;
    let is_there = bytes.windows(first.len()).any(|part| part == first.as_bytes());
    if is_there || !bytes.starts_with(b"HTTP/1.1 4") {
        return None;
    }
    let status_line = bytes.windows(2).position(|pair| pair == b"\r\n")? + 2;
    let mut head = bytes[..status_line].to_vec();
    for (name, value) in HEADERS {
        head.extend_from_slice(format!("{name}: {value}\r\n").as_bytes());
    }
    head.extend_from_slice(&bytes[status_line..]);
    Some(head)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_policy_of_its_own_stays() {
        let mut headers = HeaderMap::new();
        headers.insert("content-security-policy", HeaderValue::from_static("default-src 'none'; sandbox"));
        protect(&mut headers);
        assert_eq!(headers.len(), HEADERS.len());
        assert_eq!(headers["content-security-policy"], "default-src 'none'; sandbox");
        assert_eq!(headers["x-frame-options"], "DENY");
    }

    #[test]
    fn a_request_names_one_host() {
        let check = |version, hosts: &[&str], expected: Option<&str>| {
            let mut headers = HeaderMap::new();
            for host in hosts {
                headers.append(HOST, HeaderValue::from_str(host).unwrap());
            }
            assert_eq!(host_error(version, &headers).map(str::trim_end), expected, "{version:?} {hosts:?}");
        };
        check(Version::HTTP_11, &["one.example"], None);
        check(Version::HTTP_11, &["[::1]:8100"], None);
        check(Version::HTTP_11, &[], Some("a request needs a Host header"));
        check(Version::HTTP_11, &["one.example", "one.example"], Some("a request has one Host header only"));
        check(Version::HTTP_11, &["one.example/two"], Some("the Host header names no host"));
        check(Version::HTTP_11, &["ada@one.example"], Some("the Host header names no host"));
        check(Version::HTTP_11, &[""], Some("the Host header names no host"));
        check(Version::HTTP_10, &[], None);
        check(Version::HTTP_10, &["one.example", "two.example"], Some("a request has one Host header only"));
    }
}
