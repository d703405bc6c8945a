//! What an answer means: a pure reading of status, headers and body. Nothing is fetched or decided here.

use bytes::Bytes;
use coding::Stopped;
use fetch::{Answer, Exchange, Header};
use jiff::{SignedDuration, Timestamp};
use model::raw::Headers;
use model::visit::{Body, Cut, Failure, Freshness, Outcome, Validators};
use url::Url;

/// Where an answer sends us, if it does, and whether for good.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Redirect {
    pub(crate) target: String,
    pub(crate) permanent: bool,
}

/// Reads a redirect. One that names no place, or a place that is no URL, is a failure.
pub(crate) fn redirect(exchange: &Exchange) -> Option<Result<Redirect, Failure>> {
    let answer = exchange.answer.as_ref().ok()?;
    if !matches!(answer.status, 301 | 302 | 303 | 307 | 308) {
        return None;
    }
    let Some(location) = header(&answer.headers, "location") else {
        return Some(Err(Failure::Redirect(format!("status {} names no place", answer.status))));
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

/// So much is kept of what a server says instead of a document: enough to see what it was.
const ERROR_BYTES: usize = 64 << 10;

/// What the last answer of a visit comes to, and what there is of a body that was cut off, or of an error. Takes the
/// body with it.
pub(crate) fn outcome(answer: &mut Answer) -> (Outcome, Option<Cut>) {
    let headers = answer.headers.iter().map(|(name, value)| (name.as_str(), value.as_str()));
    // Also with 200, 429 or 503: who asks for a browser is not asking to come later.
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

/// The beginning of what a server says instead of a document, if it says anything.
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

/// The fields of an answer as they are kept and shown: without what lets somebody in.
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
        cache_control: header(headers, "cache-control").map(str::to_owned),
        expires_at: header(headers, "expires").and_then(http_date),
        retry_after: header(headers, "retry-after").and_then(|value| retry_after(value, now)),
    }
}

/// The first field of a name.
pub(crate) fn header<'a>(headers: &'a Headers, name: &str) -> Option<&'a str> {
    headers.iter().find(|(found, _)| found == name).map(|(_, value)| value.as_str())
}

/// A body that was cut is no feed; what it was cut for says what to do.
fn failure(stopped: Stopped) -> Failure {
    match stopped {
        Stopped::TooLarge { limit_bytes } => Failure::TooLarge { limit_bytes },
        Stopped::RatioExceeded { ratio } => Failure::TooDense { ratio },
        other => Failure::Protocol(other.to_string()),
    }
}

/// The three forms that HTTP knows, and what else servers write.
fn http_date(text: &str) -> Option<Timestamp> {
    syndication::date::parse(text.trim())
}

/// Both forms: seconds from now, or a moment. A number that leads past the end of time is as far off as a moment can be.
fn retry_after(text: &str, now: Timestamp) -> Option<Timestamp> {
    let text = text.trim();
    if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
        let seconds = text.parse().unwrap_or(i64::MAX);
        return Some(now.checked_add(SignedDuration::from_secs(seconds)).unwrap_or(Timestamp::MAX));
    }
    match text.parse::<i64>() {
        Ok(_) => Some(now),
        Err(_) => http_date(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn retry_after_has_two_forms() {
        let now: Timestamp = "2026-01-01T00:00:00Z".parse().unwrap();
        let check = |text: &str, expected: &str| {
            let at = retry_after(text, now).map_or("none".into(), |at| format!("{at:.0}"));
            assert_eq!(at, expected, "{text}");
        };
        check("120", "2026-01-01T00:02:00Z");
        check(" 0 ", "2026-01-01T00:00:00Z");
        check("-5", "2026-01-01T00:00:00Z");
        check("Thu, 01 Jan 2026 07:00:00 GMT", "2026-01-01T07:00:00Z");
        check("Thursday, 01-Jan-26 07:00:00 GMT", "2026-01-01T07:00:00Z");
        check("Thu Jan  1 07:00:00 2026", "2026-01-01T07:00:00Z");
        check("soon", "none");
        check("", "none");
        check("99999999999999", "9999-12-30T22:00:00Z");
        check("99999999999999999999999999", "9999-12-30T22:00:00Z");
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
        check(301, None, "the redirects lead nowhere: status 301 names no place");
        check(300, Some("/x"), "stay");
        check(200, Some("/x"), "stay");
    }
}
