//! The target: a URL that was parsed once and may be visited. Pure; addresses are checked by the guard.
//!
//! Everything after this uses what the WHATWG parser understood, never the text again, so that the URL that was checked
//! and the URL that is dialled cannot be two readings of one string.

use crate::Egress;
use hyper::Uri;
use hyper::http::uri::PathAndQuery;
use std::fmt::Write;
use url::Url;

/// The target of one request.
#[derive(Debug, Clone)]
pub(crate) struct Target {
    /// As parsed, without fragment.
    pub(crate) url: Url,
    /// The same for hyper.
    pub(crate) uri: Uri,
}

impl Target {
    /// Parses a URL; the error says why, for the user who typed it.
    pub(crate) fn read(text: &str, class: Egress) -> Result<Self, String> {
        let mut url = Url::parse(text).map_err(|error| error.to_string())?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(format!("its scheme is {}, not http or https", url.scheme()));
        }
        without_login(&mut url);
        let port = url.port_or_known_default().ok_or("it has no port")?;
        if !class.may_use(port) {
            return Err(format!("port {port} is not one that visits may use"));
        }
        url.set_fragment(None);
        let uri = uri(&url)?;
        Ok(Self { url, uri })
    }

    /// The value of the `Host` header.
    pub(crate) fn authority(&self) -> &str {
        self.uri.authority().map_or("", |authority| authority.as_str())
    }
}

/// The URL without what must not be stored or shown: user name and password.
pub(crate) fn shown(text: &str) -> String {
    match Url::parse(text) {
        Ok(mut url) if !url.username().is_empty() || url.password().is_some() => {
            without_login(&mut url);
            url.into()
        }
        _ => text.to_owned(),
    }
}

/// A login in a URL is neither sent nor stored: a redirect can contain one as well as user input. Callers that want to
/// send one pass it as a header field.
fn without_login(url: &mut Url) {
    // Both fail only for URLs that cannot have them.
    let _ = url.set_username("");
    let _ = url.set_password(None);
}

fn uri(url: &Url) -> Result<Uri, String> {
    let host = url.host_str().ok_or("it has no host")?;
    let authority = url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"));
    let mut path = escaped(url.path());
    if let Some(query) = url.query() {
        path.push('?');
        path.push_str(&escaped(query));
    }
    let path = PathAndQuery::try_from(path).map_err(|error| error.to_string())?;
    let uri = Uri::builder().scheme(url.scheme()).authority(authority).path_and_query(path).build();
    uri.map_err(|error| error.to_string())
}

/// Escapes characters that WHATWG allows in a URL, but hyper refuses.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if c == '`' || c == '"' || c == '<' || c == '>' {
            let _ = write!(out, "%{:02X}", u32::from(c));
        } else {
            out.push(c);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[track_caller]
    fn check(class: Egress, text: &str, expected: &str) {
        let said = Target::read(text, class).map_or_else(|why| why, |target| target.uri.to_string());
        assert_eq!(said, expected, "{text:?}");
    }

    #[test]
    fn urls() {
        let feed = |text, expected| check(Egress::Feed, text, expected);
        feed("http://example.org", "http://example.org/");
        feed(" HTTPS://Example.ORG:443/a b?c=`d`\"#e\n", "https://example.org/a%20b?c=%60d%60%22");
        feed("http://example.org:8080/^|{}", "http://example.org:8080/^|%7B%7D");
        feed("http://bücher.example/ü?ü", "http://xn--bcher-kva.example/%C3%BC?%C3%BC");
        feed("http://[2001:DB8::1]:81/", "http://[2001:db8::1]:81/");
        feed("http://0x7f.1/", "http://127.0.0.1/");
        feed("http:\\\\example.org\\a", "http://example.org/a");
        feed("ftp://example.org/", "its scheme is ftp, not http or https");
        feed("file:///etc/passwd", "its scheme is file, not http or https");
        feed("feed:http://example.org/", "its scheme is feed, not http or https");
        feed("javascript:alert(1)", "its scheme is javascript, not http or https");
        feed("http://ada:secret@example.org/", "http://example.org/");
        feed("http://:secret@example.org:81/", "http://example.org:81/");
        feed("http://127.0.0.1@example.org/", "http://example.org/");
        feed("http://example.org:80@127.0.0.1/", "http://127.0.0.1/");
        feed("http://127.0.0.1\\@example.org/", "http://127.0.0.1/@example.org/");
        feed("http://example.org:22/", "port 22 is not one that visits may use");
        feed("https://example.org:0/", "port 0 is not one that visits may use");
        feed("//example.org/", "relative URL without a base");
        feed("http://", "empty host");
        feed("http://256.1.1.1/", "invalid IPv4 address");
        feed("http://example.org:99999/", "invalid port number");
        check(Egress::Proxy, "http://example.org:8080/", "port 8080 is not one that visits may use");
        check(Egress::Proxy, "https://example.org/", "https://example.org/");
    }

    #[test]
    fn secrets_are_not_shown() {
        assert_eq!(shown("http://ada:secret@example.org/x"), "http://example.org/x");
        assert_eq!(shown("http://example.org/x#y"), "http://example.org/x#y");
        assert_eq!(shown("no url"), "no url");
    }

    proptest! {
        /// hyper and the connector each parse the target again; they must not find another host in it.
        #[test]
        fn every_reader_finds_the_same_host(
            host in "(\\[[0-9a-f:.]{2,12}\\]|[a-z0-9.%@:;\\\\?#\\-_①。ü]{1,16})",
            rest in "[/\\\\?#]\\PC{0,20}",
        ) {
            if let Ok(target) = Target::read(&format!("http://{host}{rest}"), Egress::Feed) {
                let again = Url::parse(&target.uri.to_string()).unwrap();
                prop_assert_eq!(again.host(), target.url.host());
                prop_assert_eq!(again.port(), target.url.port());
                prop_assert_eq!(target.uri.host(), target.url.host_str());
                prop_assert_eq!(target.uri.port_u16(), target.url.port());
            }
        }

        #[test]
        fn any_text_is_read_or_refused(text in "\\PC*") {
            let _ = Target::read(&text, Egress::Feed);
            let _ = Target::read(&format!("http://example.org/{text}?{text}"), Egress::Proxy).unwrap();
        }
    }
}
