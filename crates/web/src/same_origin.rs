//! Proof that a page of ours, or of an origin that the operator lists, sent a request. Browsers say where a request comes
//! from (`Origin`, `Sec-Fetch-Site`), and a page cannot change that. Pure.

use axum::http::HeaderMap;
use axum::http::header::{HOST, ORIGIN};

/// What a request says about where it comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Source {
    /// A page of ours, or of a listed origin.
    Ours,
    /// Another page.
    Foreign,
    /// It does not say: no browser of the last years.
    Unknown,
}

/// Where a request comes from. `listed` are origins beside our own, such as `https://reader.example`.
pub(crate) fn source(headers: &HeaderMap, listed: &[String]) -> Source {
    let text = |name| headers.get(name).map(|value: &axum::http::HeaderValue| value.to_str().unwrap_or_default());
    // A form on a page without a referrer says `null`; then the other header must speak for it.
    if let Some(origin) = text(ORIGIN).filter(|origin| *origin != "null" || !headers.contains_key("sec-fetch-site")) {
        let host = text(HOST).unwrap_or_default();
        let own = origin
            .split_once("://")
            .is_some_and(|(_, authority)| !host.is_empty() && authority.eq_ignore_ascii_case(host));
        let listed = listed.iter().any(|listed| listed.eq_ignore_ascii_case(origin));
        return if own || listed { Source::Ours } else { Source::Foreign };
    }
    match headers.get("sec-fetch-site").map(|value| value.as_bytes()) {
        Some(b"same-origin") => Source::Ours,
        Some(_) => Source::Foreign,
        None => Source::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderValue;

    #[test]
    fn where_a_request_comes_from() {
        let check = |origin: Option<&str>, site: Option<&str>, expected: Source| {
            let mut headers = HeaderMap::new();
            headers.insert(HOST, HeaderValue::from_static("courant.example:8100"));
            if let Some(origin) = origin {
                headers.insert(ORIGIN, HeaderValue::from_str(origin).unwrap());
            }
            if let Some(site) = site {
                headers.insert("sec-fetch-site", HeaderValue::from_str(site).unwrap());
            }
            let listed = ["https://reader.example".to_owned()];
            assert_eq!(source(&headers, &listed), expected, "{origin:?} {site:?}");
        };
        check(Some("http://courant.example:8100"), None, Source::Ours);
        // A proxy ends TLS, and need not say so.
        check(Some("https://Courant.example:8100"), None, Source::Ours);
        check(Some("https://reader.example"), Some("same-site"), Source::Ours);
        check(Some("http://courant.example"), None, Source::Foreign);
        check(Some("http://courant.example:8101"), Some("same-site"), Source::Foreign);
        check(Some("http://evil.example"), Some("same-origin"), Source::Foreign);
        check(Some("https://reader.example.evil.example"), None, Source::Foreign);
        check(Some("null"), None, Source::Foreign);
        check(Some("null"), Some("same-origin"), Source::Ours);
        check(Some("null"), Some("cross-site"), Source::Foreign);
        check(Some(""), None, Source::Foreign);
        check(None, Some("same-origin"), Source::Ours);
        for site in ["same-site", "cross-site", "none", ""] {
            check(None, Some(site), Source::Foreign);
        }
        check(None, None, Source::Unknown);
    }
}
