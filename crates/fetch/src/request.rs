//! What we ask: one request, and the header fields it goes out with.
//!
//! No cookies and no referrer, ever. Pure: who the request may reach is decided elsewhere.

use crate::Egress;
use crate::target::Target;
use hyper::HeaderMap;
use hyper::header::{self, HeaderName, HeaderValue};
use model::raw::Headers;
use model::visit::{Failure, Validators};

/// One request.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    /// Where to.
    pub url: &'a str,
    /// What for.
    pub class: Egress,
    /// What the last answer gave us to ask "has it changed?", sent back verbatim.
    pub validators: &'a Validators,
    /// More header fields; they replace ours of the same name.
    pub headers: &'a [(String, String)],
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

/// Fields whose values are secrets: sent, but not recorded.
const SECRET: &[&str] = &["authorization", "cookie", "proxy-authorization", "x-api-key", "x-auth-token"];

/// The fields to send.
pub(crate) fn headers(request: &Request<'_>, user_agent: &HeaderValue) -> Result<HeaderMap, Failure> {
    let mut fields = HeaderMap::new();
    fields.insert(header::USER_AGENT, user_agent.clone());
    fields.insert(header::ACCEPT, HeaderValue::from_static(request.class.accept()));
    fields.insert(header::ACCEPT_ENCODING, HeaderValue::from_static(ACCEPT_ENCODING));
    let Validators { etag, last_modified } = request.validators;
    for (name, value) in [(header::IF_NONE_MATCH, etag), (header::IF_MODIFIED_SINCE, last_modified)] {
        // What cannot be sent cannot have been received; without it the answer is merely whole.
        if let Some(value) = value.as_ref().and_then(|value| HeaderValue::from_bytes(value.as_bytes()).ok()) {
            fields.insert(name, value);
        }
    }
    let mut replaced = HeaderMap::new();
    for (name, value) in request.headers {
        let field = HeaderName::from_bytes(name.as_bytes()).ok().filter(|name| !NOT_FROM_OUTSIDE.contains(name));
        // The value stays out of the message: it may be a secret.
        let refusal = || Failure::Request(format!("the header field {name:?} cannot be sent"));
        let field = field.ok_or_else(refusal)?;
        let value = HeaderValue::from_bytes(value.as_bytes()).map_err(|_| refusal())?;
        replaced.append(field, value);
    }
    fields.extend(replaced);
    Ok(fields)
}

/// Every coding that we decode; gzip first, because some servers know only the first they read.
pub(crate) const ACCEPT_ENCODING: &str = "gzip, br, zstd, deflate";

/// The fields as they are recorded: with the host, which hyper adds, and without secrets.
pub(crate) fn recorded(target: &Target, fields: &HeaderMap) -> Headers {
    let mut recorded = vec![("host".to_owned(), target.authority().to_owned())];
    recorded.extend(plain(fields));
    for (name, value) in &mut recorded {
        if SECRET.contains(&name.as_str()) {
            "***".clone_into(value);
        }
    }
    recorded
}

/// Fields as text; bytes that are not UTF-8 are replaced rather than the field lost.
pub(crate) fn plain(fields: &HeaderMap) -> Headers {
    let text = |value: &HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
    fields.iter().map(|(name, value)| (name.as_str().to_owned(), text(value))).collect()
}
