//! One visit: hops, at most five redirects, and what it all means. What servers do is an outcome, never an error.
//!
//! Validators go to the feed's own URL only, verbatim: the target of a redirect has its own.

use crate::engine::Engine;
use fetch::{Answer, Egress, Exchange, Request};
use jiff::{SignedDuration, Timestamp};
use model::lease::Dossier;
use model::raw::Headers;
use model::visit::{Body, Failure, Freshness, Outcome, Validators, Visit};

const REDIRECTS: usize = 5;

/// Visits a feed.
pub(crate) async fn visit(engine: &Engine, dossier: &Dossier) -> Visit {
    let at = engine.now();
    let none = Validators::default();
    let mut url = dossier.url.clone();
    let mut validators = &dossier.history.validators;
    for _ in 0..=REDIRECTS {
        let request = Request { validators, ..Request::new(&url, Egress::Feed) };
        let exchange = engine.fetch.exchange(request).await;
        match redirect(&exchange) {
            Some(target) => url = target,
            None => return conclude(engine, at, exchange),
        }
        validators = &none;
    }
    let outcome = Outcome::Failed(Failure::TooManyRedirects);
    Visit { url, ..concluded(engine, at, outcome) }
}

/// Where an answer sends us, if it does.
fn redirect(exchange: &Exchange) -> Option<String> {
    let answer = exchange.answer.as_ref().ok()?;
    if !matches!(answer.status, 301 | 302 | 303 | 307 | 308) {
        return None;
    }
    let location = header(&answer.headers, "location")?;
    url::Url::parse(&exchange.url).ok()?.join(location).ok().map(String::from)
}

fn conclude(engine: &Engine, at: Timestamp, exchange: Exchange) -> Visit {
    let Exchange { url, request_headers, answer, .. } = exchange;
    match answer {
        Err(failure) => Visit { url, request_headers, ..concluded(engine, at, Outcome::Failed(failure)) },
        Ok(answer) => {
            let text = |name| header(&answer.headers, name).map(str::to_owned);
            let validators = Validators { etag: text("etag"), last_modified: text("last-modified") };
            let freshness = Freshness {
                cache_control: text("cache-control"),
                expires_at: header(&answer.headers, "expires").and_then(http_date),
                retry_after: header(&answer.headers, "retry-after").and_then(|value| retry_after(value, engine.now())),
            };
            let (status, response_headers) = (Some(answer.status), answer.headers.clone());
            let outcome = outcome(answer);
            Visit {
                url,
                status,
                validators,
                freshness,
                request_headers,
                response_headers,
                ..concluded(engine, at, outcome)
            }
        }
    }
}

fn concluded(engine: &Engine, at: Timestamp, outcome: Outcome) -> Visit {
    Visit {
        at,
        took: engine.now().duration_since(at).max(SignedDuration::ZERO),
        url: String::new(),
        status: None,
        outcome,
        validators: Validators::default(),
        freshness: Freshness::default(),
        request_headers: Headers::new(),
        response_headers: Headers::new(),
    }
}

fn outcome(answer: Answer) -> Outcome {
    match answer.status {
        200..300 => match answer.stopped.map(failure) {
            Some(failure) => Outcome::Failed(failure),
            None => Outcome::Fresh(Body {
                content_type: header(&answer.headers, "content-type").map(str::to_owned),
                wire: answer.wire,
                coding: answer.coding,
                decoded: answer.decoded,
            }),
        },
        304 => Outcome::Unchanged,
        410 => Outcome::Gone,
        429 | 503 => Outcome::Busy,
        status => Outcome::Failed(Failure::Status(status)),
    }
}

/// A body that was cut is no feed; what it was cut for says what to do.
fn failure(stopped: coding::Stopped) -> Failure {
    match stopped {
        coding::Stopped::TooLarge { limit_bytes } => Failure::TooLarge { limit_bytes },
        other => Failure::Protocol(other.to_string()),
    }
}

fn header<'a>(headers: &'a Headers, name: &str) -> Option<&'a str> {
    headers.iter().find(|(found, _)| found == name).map(|(_, value)| value.as_str())
}

fn http_date(text: &str) -> Option<Timestamp> {
    jiff::fmt::rfc2822::parse(text).ok().map(|date| date.timestamp())
}

/// Both forms: seconds from now, or a moment.
fn retry_after(text: &str, now: Timestamp) -> Option<Timestamp> {
    match text.trim().parse::<i64>() {
        Ok(seconds) => now.checked_add(SignedDuration::from_secs(seconds.max(0))).ok(),
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
            let at = retry_after(text, now).map_or("none".into(), |at| at.to_string());
            assert_eq!(at, expected, "{text}");
        };
        check("120", "2026-01-01T00:02:00Z");
        check(" 0 ", "2026-01-01T00:00:00Z");
        check("-5", "2026-01-01T00:00:00Z");
        check("Thu, 01 Jan 2026 07:00:00 GMT", "2026-01-01T07:00:00Z");
        check("soon", "none");
        check("99999999999999", "none");
    }
}
