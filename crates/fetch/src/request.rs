//! One request, and the header fields that are sent with it.
//!
//! No cookies and no referrer of our own, ever. Credentials are fields that the caller passes for each hop, so that a
//! redirect to another host is sent without them unless the caller decides otherwise. Pure: which addresses a request
//! may reach is decided elsewhere.

use crate::target::{self, Target};
use crate::{Egress, Header, Proxy};
use hyper::HeaderMap;
use hyper::header::{self, HeaderName, HeaderValue};
use model::raw::Headers;
use model::visit::{Failure, Validators};
use std::fmt;
use std::time::Duration;
use tokio::sync::Notify;

/// One request. Use `Request { proxy, ..Request::new(url, class) }` to set single fields.
#[derive(Clone, Copy)]
pub struct Request<'a> {
    /// The URL.
    pub url: &'a str,
    /// The purpose.
    pub class: Egress,
    /// The validators of the last response, sent back verbatim.
    pub validators: &'a Validators,
    /// Additional header fields; they replace ours of the same name.
    pub headers: &'a [Header],
    /// The `User-Agent`, instead of the one in the options.
    pub user_agent: Option<&'a str>,
    /// The proxy, if any.
    pub proxy: Option<&'a Proxy>,
    /// The total timeout, instead of the one in the options. A longer one also extends the timeout of the first byte:
    /// the caller knows that the server needs time.
    pub timeout: Option<Duration>,
    /// Notified when the response is complete, turned out to be large, and waits for memory: the server is done.
    pub large: Option<&'a Notify>,
}

impl<'a> Request<'a> {
    /// A plain request: unconditional and without credentials.
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
        // All parts but the URL hide their own secrets.
        let mut shown = f.debug_struct("Request");
        shown.field("url", &target::shown(url)).field("class", class).field("validators", validators);
        shown.field("headers", headers).field("user_agent", user_agent).field("proxy", proxy);
        shown.field("timeout", timeout).finish()
    }
}

/// Fields of the connection or the body: from a caller they could only smuggle a second request.
const NOT_FROM_OUTSIDE: &[HeaderName] = &[
    header::CONNECTION,
    header::CONTENT_LENGTH,
    header::HOST,
    header::TE,
    header::TRAILER,
    header::TRANSFER_ENCODING,
    header::UPGRADE,
];

/// The fields to send. Secret values are marked as sensitive, for recording and for HTTP/2 compression.
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
        // What cannot be sent cannot have been received; without it the response is merely unconditional.
        if let Some(value) = value.as_ref().and_then(|value| HeaderValue::from_bytes(value.as_bytes()).ok()) {
            fields.insert(name, value);
        }
    }
    let mut replaced = HeaderMap::new();
    for given in request.headers {
        let name = HeaderName::from_bytes(given.name.as_bytes()).ok().filter(|name| !NOT_FROM_OUTSIDE.contains(name));
        // The value is not in the message: it may be a secret.
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

/// The fields of a response.
pub(crate) fn plain(fields: &HeaderMap) -> Headers {
    fields.iter().map(|(name, value)| (name.as_str().to_owned(), text(value))).collect()
}

/// Invalid UTF-8 is replaced rather than the field lost.
fn text(value: &HeaderValue) -> String {
    String::from_utf8_lossy(value.as_bytes()).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is sent and what is recorded of fields that a caller adds.
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
