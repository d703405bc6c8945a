//! Untrusted URLs: made absolute, http or https, without user name and password; or dropped.
//!
//! Invariant: normalising the result again does not change it.

use std::borrow::Cow;

use url::Url;

/// Longer URLs are dropped.
const LONGEST: usize = 8 << 10;

/// The base of relative URLs; parsed when the first of them is found.
pub(crate) struct Base<'a> {
    /// Taken when it is parsed.
    text: Option<&'a str>,
    url: Option<Url>,
}

impl<'a> Base<'a> {
    pub(crate) fn new(text: Option<&'a str>) -> Self {
        Self { text, url: None }
    }

    /// The absolute URL of `value`.
    pub(crate) fn web_url<'v>(&mut self, value: &'v str) -> Option<Cow<'v, str>> {
        let value = value.trim_matches(|c: char| c <= ' ');
        if value.is_empty() || value.len() > LONGEST {
            return None;
        }
        if is_normal(value) {
            return Some(Cow::Borrowed(value));
        }
        let mut url = match Url::parse(value) {
            Ok(url) => url,
            Err(url::ParseError::RelativeUrlWithoutBase) => self.resolve(value)?,
            Err(_) => return None,
        };
        if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none_or(str::is_empty) {
            return None;
        }
        // They would only serve to look like another host, or to log a reader in.
        if !url.username().is_empty() || url.password().is_some() {
            url.set_username("").ok()?;
            url.set_password(None).ok()?;
        }
        let url = String::from(url);
        (url.len() <= LONGEST).then_some(Cow::Owned(url))
    }

    /// Makes `href` the base, itself resolved against the current one, if it is a web URL.
    pub(crate) fn replace(&mut self, href: &str) {
        let Some(url) = self.web_url(href) else { return };
        (self.text, self.url) = (None, Url::parse(&url).ok());
    }

    /// The base as text.
    pub(crate) fn as_str(&self) -> Option<&str> {
        self.text.or(self.url.as_ref().map(Url::as_str))
    }

    fn resolve(&mut self, value: &str) -> Option<Url> {
        if let Some(text) = self.text.take() {
            self.url = Url::parse(text).ok();
        }
        match &self.url {
            Some(base) => base.join(value).ok(),
            // Only the scheme is missing, and https is the better one.
            None if value.starts_with("//") => Url::parse(&format!("https:{value}")).ok(),
            None => None,
        }
    }
}

/// Whether it is written as the URL standard would write it. Answers no when in doubt. Most URLs in feeds are so plain
/// that parsing them properly would be a good part of the cost of cleaning.
fn is_normal(url: &str) -> bool {
    let Some(rest) = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://")) else { return false };
    let Some(slash) = rest.find('/') else { return false };
    let (host, path) = rest.split_at(slash);
    // A last label of letters cannot be a number, so the host cannot be an IPv4 address.
    let top = host.rsplit('.').next().unwrap_or_default();
    let is_label = |label: &str| {
        let bytes = label.as_bytes();
        !bytes.is_empty()
            && bytes.len() < 64
            && bytes.iter().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || *b == b'-')
            && bytes[0] != b'-'
            && bytes[bytes.len() - 1] != b'-'
            // Punycode has rules of its own, and so has a hyphen in third and fourth position.
            && bytes.get(2..4) != Some(b"--")
    };
    if host.len() > 200
        || top.is_empty()
        || !top.bytes().all(|b| b.is_ascii_lowercase())
        || !host.split('.').all(is_label)
    {
        return false;
    }
    let mut before = 0;
    for byte in path.bytes() {
        // `/.`, `/%2e`: may be a dot segment.
        if before == b'/' && matches!(byte, b'.' | b'%') {
            return false;
        }
        let plain = byte.is_ascii_alphanumeric() || b"-._~/?=&;:@!$()*+,%#".contains(&byte);
        if !plain {
            return false;
        }
        before = byte;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[track_caller]
    fn check(value: &str, base: Option<&str>, expected: &str) {
        assert_eq!(Base::new(base).web_url(value).as_deref().unwrap_or("-"), expected, "{value}");
    }

    #[test]
    fn addresses_are_absolute_or_none() {
        let base = Some("https://example.org/a/b?c#d");
        check("https://example.org/x?a=1&b=2#c", None, "https://example.org/x?a=1&b=2#c");
        check("x y", base, "https://example.org/a/x%20y");
        check("#note", base, "https://example.org/a/b?c#note");
        check("//cdn.example/x", base, "https://cdn.example/x");
        check("//cdn.example/x", None, "https://cdn.example/x");
        check("/x", None, "-");
        check("HTTP://EXAMPLE.org", None, "http://example.org/");
        check("https://user:secret@example.org/", None, "https://example.org/");
        check("http://0x7f.1/", None, "http://127.0.0.1/");
        check("", base, "-");
    }

    #[test]
    fn other_schemes_are_none() {
        let base = Some("https://example.org/");
        for value in [
            "javascript:alert(1)",
            " \u{1}java\nscript\t:alert(1)",
            "JaVaScRiPt:alert(1)",
            "data:text/html,x",
            "vbscript:x",
            "file:///etc/passwd",
            "mailto:a@b.example",
            "blob:https://example.org/x",
            "ftp://example.org/x",
            "about:blank",
            "https://",
        ] {
            check(value, base, "-");
        }
    }

    #[test]
    fn a_base_that_is_none_resolves_nothing() {
        check("x", Some("not a url"), "-");
        check("x", Some("javascript:alert(1)//"), "-");
        check("x", Some("data:text/html,"), "-");
    }

    proptest! {
        /// The fast check says yes only if the full parser changes nothing.
        #[test]
        fn normal_urls_are_normal(url in "https?://[a-z0-9.-]{1,12}[a-z]?/[a-zA-Z0-9/.?=&%#:@*+~-]{0,20}") {
            if is_normal(&url) {
                prop_assert_eq!(Url::parse(&url).map(String::from), Ok(url));
            }
        }

        #[test]
        fn what_comes_out_stays(value in "\\PC{0,40}", base in "https?://[a-z]{1,5}\\.example/\\PC{0,10}") {
            if let Some(url) = Base::new(Some(&base)).web_url(&value) {
                prop_assert!(url.starts_with("http"));
                let again = Base::new(None).web_url(&url).map(String::from);
                prop_assert_eq!(again.as_deref(), Some(url.as_ref()));
            }
        }
    }
}
