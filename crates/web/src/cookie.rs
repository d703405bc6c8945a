//! The session cookie: its name, how it is read and how it is set. Pure.
//!
//! On HTTPS it is `__Host-session`: no other host and no page without encryption can have set it. Cookies do not know ports,
//! so that another server on this host may have set one of the same name: all of them are looked at.

use axum::http::header::COOKIE;
use axum::http::{HeaderMap, HeaderValue};
use jiff::SignedDuration;

/// No browser of ours sends more of the same name.
const MOST: usize = 4;

fn name(https: bool) -> &'static str {
    if https { "__Host-session" } else { "session" }
}

/// The values of the session cookie of a request.
pub(crate) fn sessions(headers: &HeaderMap, https: bool) -> impl Iterator<Item = &str> {
    named(headers, name(https)).take(MOST)
}

/// The values of the cookies of that name.
pub(crate) fn named<'a>(headers: &'a HeaderMap, name: &'static str) -> impl Iterator<Item = &'a str> {
    let pairs = headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
    let pairs = pairs.flat_map(|value| value.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.filter(move |(found, value)| *found == name && !value.is_empty()).map(|(_, value)| value)
}

/// The header that sets the cookie.
pub(crate) fn set(token: &str, lasts: SignedDuration, https: bool) -> HeaderValue {
    build(name(https), token, lasts.as_secs(), https)
}

/// The header that makes the browser forget it.
pub(crate) fn clear(https: bool) -> HeaderValue {
    build(name(https), "", 0, https)
}

/// Any cookie of ours.
pub(crate) fn build(name: &str, value: &str, seconds: i64, https: bool) -> HeaderValue {
    let secure = if https { "; Secure" } else { "" };
    let text = format!("{name}={value}; Path=/; HttpOnly; SameSite=Lax; Max-Age={seconds}{secure}");
    HeaderValue::try_from(text).expect("our tokens are visible ASCII")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cookie_is_set_with_all_it_needs() {
        let day = SignedDuration::from_hours(24);
        assert_eq!(set("t", day, false), "session=t; Path=/; HttpOnly; SameSite=Lax; Max-Age=86400");
        assert_eq!(set("t", day, true), "__Host-session=t; Path=/; HttpOnly; SameSite=Lax; Max-Age=86400; Secure");
        assert_eq!(clear(false), "session=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0");
    }

    #[test]
    fn all_cookies_of_the_name_are_found() {
        let mut headers = HeaderMap::new();
        headers.append(COOKIE, HeaderValue::from_static("a=1; session=one;session=two; sessions=x; session="));
        headers.append(COOKIE, HeaderValue::from_static("__Host-session=three; session=four"));
        assert_eq!(sessions(&headers, false).collect::<Vec<_>>(), ["one", "two", "four"]);
        assert_eq!(sessions(&headers, true).collect::<Vec<_>>(), ["three"]);
    }
}
