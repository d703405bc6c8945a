//! What we ask: one request, and the header fields it goes out with.
//!
//! No cookies and no referrer of our own, ever. Credentials are fields that the caller gives to each hop, so that a
//! redirect elsewhere goes without them unless the caller says otherwise. Pure: who the request may reach is decided
//! elsewhere.

use crate::target::{self, Target};
use crate::{Egress, Header, Proxy};
use hyper::HeaderMap;
use hyper::header::{self, HeaderName, HeaderValue};
use model::raw::Headers;
use model::visit::{Failure, Validators};
use std::fmt;
use std::time::Duration;
use tokio::sync::Notify;

/// One request. `Request { proxy, ..Request::new(url, class) }` says what is special about one.
#[derive(Clone, Copy)]
pub struct Request<'a> {
    /// Where to.
    pub url: &'a str,
    /// What for.
    pub class: Egress,
    /// What the last answer gave us to ask "has it changed?", sent back verbatim.
    pub validators: &'a Validators,
    /// More header fields; they replace ours of the same name.
    pub headers: &'a [Header],
    /// Who to say we are, where the options' word will not do.
    pub user_agent: Option<&'a str>,
    /// The way there, where it is not the direct one.
    pub proxy: Option<&'a Proxy>,
    /// For everything, instead of the options' total. A longer one is also how long the first byte may take: who asks
    /// for it knows that the other side has to think.
    pub timeout: Option<Duration>,
    /// Told when the answer is whole, turned out to be large, and waits for memory from now on: the other side is done.
    pub large: Option<&'a Notify>,
}

impl<'a> Request<'a> {
    /// A plain request, for what is whole and public.
    pub fn new(url: &'a str, class: Egress) -> Self {
        static NOTHING_YET: Validators = Validators { etag: None, last_modified: None };
        Self {
            url,
            class,
            validators: &NOTHING_YET,
            headers: &[],
            user_agent: None,
            proxy: None,
            timeout: None,
            large: None,
        }
    }
}

impl fmt::Debug for Request<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { url, class, validators, headers, user_agent, proxy, timeout, large: _ } = self;
        // All parts but the URL know themselves what of them is secret.
        let mut shown = f.debug_struct("Request");
        shown.field("url", &target::shown(url)).field("class", class).field("validators", validators);
        shown.field("headers", headers).field("user_agent", user_agent).field("proxy", proxy);
        shown.field("timeout", timeout).finish()
    }
}

/// Fields that belong to the connection or the body: from outside they would only smuggle a second request.
const NOT_FROM_OUTSIDE: &[HeaderName] = &[
    header::CONNECTION,
    header::CONTENT_LENGTH,
    header::HOST,
    header::TE,
    header::TRAILER,
    header::TRANSFER_ENCODING,
    header::UPGRADE,
];

/// The fields to send. Secret values are marked as such, for the recording and for the compression of HTTP/2.
pub(crate) fn headers(request: &Request<'_>, user_agent: &HeaderValue) -> Result<HeaderMap, Failure> {
    let mut fields = HeaderMap::new();
    let user_agent = match request.user_agent {
        None => user_agent.clone(),
        Some(own) => HeaderValue::from_str(own)
            .map_err(|_| Failure::Request(format!("the user agent {own:?} cannot be sent")))?,
    };
    fields.insert(header::USER_AGENT, user_agent);
    fields.insert(header::ACCEPT, HeaderValue::from_static(request.class.accept()));
    fields.insert(header::ACCEPT_ENCODING, HeaderValue::from_static(coding::ACCEPTED));
    let Validators { etag, last_modified } = request.validators;
    for (name, value) in [(header::IF_NONE_MATCH, etag), (header::IF_MODIFIED_SINCE, last_modified)] {
        // What cannot be sent cannot have been received; without it the answer is merely whole.
        if let Some(value) = value.as_ref().and_then(|value| HeaderValue::from_bytes(value.as_bytes()).ok()) {
            fields.insert(name, value);
        }
    }
    let mut replaced = HeaderMap::new();
    for given in request.headers {
        let name = HeaderName::from_bytes(given.name.as_bytes()).ok().filter(|name| !NOT_FROM_OUTSIDE.contains(name));
        // The value stays out of the message: it may be a secret.
        let refusal = || Failure::Request(format!("the header field {:?} cannot be sent", given.name));
        let name = name.ok_or_else(refusal)?;
        let mut value = HeaderValue::from_bytes(given.value.as_bytes()).map_err(|_| refusal())?;
        value.set_sensitive(given.is_secret());
        replaced.append(name, value);
    }
    fields.extend(replaced);
    Ok(fields)
}

/// The fields as they are recorded: with the host, which hyper adds, and without secrets.
pub(crate) fn recorded(target: &Target, fields: &HeaderMap) -> Headers {
    let shown = |value: &HeaderValue| if value.is_sensitive() { "***".to_owned() } else { text(value) };
    let mut recorded = vec![("host".to_owned(), target.authority().to_owned())];
    recorded.extend(fields.iter().map(|(name, value)| (name.as_str().to_owned(), shown(value))));
    recorded
}

/// The fields of an answer.
pub(crate) fn plain(fields: &HeaderMap) -> Headers {
    fields.iter().map(|(name, value)| (name.as_str().to_owned(), text(value))).collect()
}

/// Bytes that are not UTF-8 are replaced rather than the field lost.
fn text(value: &HeaderValue) -> String {
    String::from_utf8_lossy(value.as_bytes()).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is sent and what is recorded of it, for fields that a caller gives.
    #[track_caller]
    fn check(given: Header, sent: &str, kept: &str) {
        let (name, headers) = (given.name.to_lowercase(), [given]);
        let request = Request { headers: &headers, ..Request::new("http://example.org/", Egress::Feed) };
        let fields = super::headers(&request, &HeaderValue::from_static("Courant/1")).unwrap();
        let target = Target::read(request.url, request.class).unwrap();
        let recorded = recorded(&target, &fields);
        let recorded = recorded.iter().find(|(field, _)| *field == name).map(|(_, value)| value.as_str());
        assert_eq!((fields[&name].to_str().unwrap(), recorded), (sent, Some(kept)), "{name}");
        assert!(sent == kept || !format!("{request:?}").contains(sent), "{request:?}");
    }

    #[test]
    fn secrets_are_sent_and_not_recorded() {
        check(Header::new("Authorization", "Bearer abc"), "Bearer abc", "***");
        check(Header::new("Proxy-Authorization", "Basic abc"), "Basic abc", "***");
        check(Header::new("COOKIE", "session=abc"), "session=abc", "***");
        check(Header::new("X-Api-Key", "abc"), "abc", "***");
        check(Header::secret("X-Feed-Token", "abc"), "abc", "***");
        check(Header::new("X-Feed-Token", "abc"), "abc", "abc");
        check(Header::secret("User-Agent", "Reader for Ada"), "Reader for Ada", "***");
        check(Header::new("Accept", "text/xml"), "text/xml", "text/xml");
    }

    #[test]
    fn a_request_shows_no_secret() {
        let proxy = Proxy::read("http://ada:s3cret@proxy.example:3128").unwrap();
        let headers = [Header::new("Authorization", "s3cret"), Header::secret("X-Token", "s3cret")];
        let url = "https://ada:s3cret@feed.example/";
        let request = Request { proxy: Some(&proxy), headers: &headers, ..Request::new(url, Egress::Feed) };
        let shown = format!("{request:?}");
        assert!(
            !shown.contains("s3cret") && shown.contains("feed.example") && shown.contains("X-Token: ***"),
            "{shown}"
        );
    }
}
