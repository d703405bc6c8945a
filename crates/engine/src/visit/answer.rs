//! What an answer means: a pure reading of status, headers and body. Nothing is fetched or decided here.

use bytes::Bytes;
use coding::Stopped;
use fetch::{Answer, Exchange, Header};
use http_semantics::{expires, retry_after};
use jiff::Timestamp;
use model::raw::Headers;
use model::visit::{Body, Cut, Failure, Freshness, Outcome, Validators};
use std::borrow::Cow;
use url::Url;

/// Where an answer sends us, if it does, and whether for good.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Redirect {
    pub(crate) target: String,
    pub(crate) permanent: bool,
}

/// Reads a redirect. One without a Location, or with one that is no URL, is a failure.
pub(crate) fn redirect(exchange: &Exchange) -> Option<Result<Redirect, Failure>> {
    let answer = exchange.answer.as_ref().ok()?;
    if !matches!(answer.status, 301 | 302 | 303 | 307 | 308) {
        return None;
    }
    let Some(location) = header(&answer.headers, "location") else {
        return Some(Err(Failure::Redirect(format!("status {} has no Location", answer.status))));
    };
    let target = Url::parse(&exchange.url).and_then(|base| base.join(location.trim()));
    Some(match target {
        Ok(mut target) => {
            target.set_fragment(None);
            Ok(Redirect { target: target.into(), permanent: matches!(answer.status, 301 | 308) })
        }
        Err(error) => {
            // A header may have 64 KiB, and this is stored, logged and shown.
            let location: String = location.chars().take(200).collect();
            Err(Failure::Redirect(format!("{location:?}: {error}")))
        }
    })
}

/// At most this much is kept of an answer that is no document: enough to see what it was.
const ERROR_BYTES: usize = 64 << 10;

/// The outcome of the last answer of a visit, with the beginning of its body if it was cut off or an error. Takes the body.
pub(crate) fn outcome(answer: &mut Answer) -> (Outcome, Option<Cut>) {
    let headers = answer.headers.iter().map(|(name, value)| (name.as_str(), value.as_str()));
    // Also with 200, 429 or 503: a page for browsers does not ask us to come later.
    if let Some(challenge) = policy::challenge(answer.status, headers, &answer.decoded) {
        return (Outcome::Failed(Failure::Challenge(challenge.by)), error_body(answer));
    }
    let outcome = match answer.status {
        200..300 => {
            let body = body(answer);
            return match answer.stopped.take().map(failure) {
                Some(failure) => (Outcome::Failed(failure), Some(Cut { body, truncated: true })),
                None => (Outcome::Fresh(body), None),
            };
        }
        304 => return (Outcome::Unchanged, None),
        410 => Outcome::Gone,
        429 | 503 => Outcome::Busy,
        status => Outcome::Failed(Failure::Status(status)),
    };
    (outcome, error_body(answer))
}

fn body(answer: &mut Answer) -> Body {
    Body {
        content_type: header(&answer.headers, "content-type").map(str::to_owned),
        wire: std::mem::take(&mut answer.wire),
        coding: answer.coding,
        decoded: std::mem::take(&mut answer.decoded),
    }
}

/// The beginning of the body of an error, if there is one.
fn error_body(answer: &mut Answer) -> Option<Cut> {
    let mut body = body(answer);
    if body.wire.is_empty() {
        return None;
    }
    let truncated = body.wire.len() > ERROR_BYTES || answer.stopped.is_some();
    // Copies: a slice would hold on to the rest.
    if body.wire.len() > ERROR_BYTES {
        body.wire = Bytes::copy_from_slice(&body.wire[..ERROR_BYTES]);
    }
    if body.decoded.len() > ERROR_BYTES {
        body.decoded = Bytes::copy_from_slice(&body.decoded[..ERROR_BYTES]);
    }
    Some(Cut { body, truncated })
}

/// The fields of an answer as they are stored and shown: without secrets.
pub(crate) fn recorded(headers: Headers) -> Headers {
    let is_secret = |name: &str| name.starts_with("set-cookie") || Header::new(name, "").is_secret();
    let shown = |(name, value): (String, String)| {
        let value = if is_secret(&name) { "***".to_owned() } else { value };
        (name, value)
    };
    headers.into_iter().map(shown).collect()
}

/// What the answer offers for the next conditional request, verbatim.
pub(crate) fn validators(headers: &Headers) -> Validators {
    let text = |name| header(headers, name).map(str::to_owned);
    Validators { etag: text("etag"), last_modified: text("last-modified") }
}

/// What the answer says about when to come again.
pub(crate) fn freshness(headers: &Headers, now: Timestamp) -> Freshness {
    Freshness {
        cache_control: cache_control(headers),
        expires_at: expires::read(lines(headers, "expires").map(str::as_bytes), now),
        retry_after: retry_after::read(lines(headers, "retry-after").map(str::as_bytes), now),
    }
}

/// All lines of `Cache-Control` as one.
pub(crate) fn cache_control(headers: &Headers) -> Option<String> {
    http_semantics::combined(lines(headers, "cache-control")).map(Cow::into_owned)
}

/// The lines of one field.
pub(crate) fn lines<'a>(headers: &'a Headers, name: &str) -> impl Iterator<Item = &'a str> {
    headers.iter().filter(move |(found, _)| found == name).map(|(_, value)| value.as_str())
}

/// The first field of a name.
pub(crate) fn header<'a>(headers: &'a Headers, name: &str) -> Option<&'a str> {
    headers.iter().find(|(found, _)| found == name).map(|(_, value)| value.as_str())
}

/// A body that was cut is no feed; the reason for the cut says what to do.
fn failure(stopped: Stopped) -> Failure {
    match stopped {
        Stopped::TooLarge { limit_bytes } => Failure::TooLarge { limit_bytes },
        Stopped::RatioExceeded { ratio } => Failure::TooDense { ratio },
        other => Failure::Protocol(other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn when_to_come_again() {
        let now: Timestamp = "2026-01-01T00:00:00Z".parse().unwrap();
        let check = |fields: &[(&str, &str)], expected: &str| {
            let headers = fields.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
            let Freshness { cache_control, expires_at, retry_after } = freshness(&headers, now);
            let moment = |at: Option<Timestamp>| at.map_or("none".to_owned(), |at| format!("{at:.0}"));
            let said = format!("{cache_control:?} {} {}", moment(expires_at), moment(retry_after));
            assert_eq!(said, expected, "{fields:?}");
        };
        check(&[], "None none none");
        check(&[("retry-after", "120")], "None none 2026-01-01T00:02:00Z");
        check(&[("retry-after", "soon")], "None none none");
        check(&[("expires", "Thu, 01 Jan 2026 07:00:00 GMT")], "None 2026-01-01T07:00:00Z none");
        check(&[("expires", "0")], "None 2026-01-01T00:00:00Z none");
        let two = [("cache-control", "private"), ("server", "x"), ("cache-control", "max-age=60")];
        check(&two, "Some(\"private, max-age=60\") none none");
    }

    #[test]
    fn where_an_answer_sends_us() {
        let check = |status: u16, location: Option<&str>, expected: &str| {
            let headers = location.map(|to| ("location".to_owned(), to.to_owned())).into_iter().collect();
            let (wire, decoded, coding, stopped) = (Bytes::new(), Bytes::new(), coding::Coding::Identity, None);
            let exchange = Exchange {
                url: "http://one.example/a/b?c".into(),
                request_headers: vec![],
                answer: Ok(Answer {
                    status,
                    headers,
                    wire,
                    wire_bytes: 0,
                    coding,
                    decoded,
                    stopped,
                    room: fetch::Room::default(),
                }),
                timings: model::visit::Timings::default(),
                address: None,
            };
            let said = match redirect(&exchange) {
                None => "stay".into(),
                Some(Ok(Redirect { target, permanent })) => format!("{target} {permanent}"),
                Some(Err(failure)) => failure.to_string(),
            };
            assert_eq!(said, expected, "{status} {location:?}");
        };
        check(301, Some("https://two.example/"), "https://two.example/ true");
        check(308, Some("../x#y"), "http://one.example/x true");
        check(302, Some(" //two.example/z "), "http://two.example/z false");
        check(307, Some("?d"), "http://one.example/a/b?d false");
        check(303, Some("http://[bad/"), "the redirects lead nowhere: \"http://[bad/\": invalid IPv6 address");
        let endless = format!("http://[{}", "x".repeat(60_000));
        let cut = format!("the redirects lead nowhere: {:?}: invalid IPv6 address", &endless[..200]);
        check(303, Some(&endless), &cut);
        check(301, None, "the redirects lead nowhere: status 301 has no Location");
        check(300, Some("/x"), "stay");
        check(200, Some("/x"), "stay");
    }
}
