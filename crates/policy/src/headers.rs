//! Which header fields of a visit are stored. Those of a document, or of an error whose body is kept, are stored with
//! the bytes. All others are stored once, and again only when they change: nearly every visit is a 304 whose fields
//! equal those of the response before, except for the date. Also here: which error pages are kept.

use model::lease::History;
use model::raw::{HeadersMark, KeptHeaders, RawFetch};
use model::visit::{Outcome, Visit};
use twox_hash::XxHash3_128;

/// Fields that change with every response, or that a 304 leaves out: they are not compared.
const IGNORED: &[&str] = &[
    "age",
    "alt-svc",
    "cf-cache-status",
    "cf-ray",
    "connection",
    "content-encoding",
    "content-length",
    "content-type",
    "date",
    "expires",
    "fly-request-id",
    "if-modified-since",
    "if-none-match",
    "keep-alive",
    "nel",
    "report-to",
    "server-timing",
    "set-cookie",
    "traceparent",
    "transfer-encoding",
    "via",
    "x-amz-cf-id",
    "x-amz-cf-pop",
    "x-amz-id-2",
    "x-amz-request-id",
    "x-amzn-requestid",
    "x-amzn-trace-id",
    "x-cache",
    "x-cache-hits",
    "x-correlation-id",
    "x-envoy-upstream-service-time",
    "x-fastly-request-id",
    "x-github-request-id",
    "x-request-id",
    "x-response-time",
    "x-runtime",
    "x-served-by",
    "x-timer",
    "x-trace-id",
    "x-varnish",
    "x-vercel-id",
];

/// Which fields to store, if any; the mark of the fields stored last; and the visit under which the fields of this one
/// are stored.
pub(crate) fn headers_to_keep(
    before: Option<HeadersMark>,
    visit: &Visit,
    raw: Option<&RawFetch>,
) -> (Option<KeptHeaders>, Option<HeadersMark>, Option<jiff::Timestamp>) {
    let Some(status) = visit.status else { return (None, before, None) };
    let last = HeadersMark { at: visit.at, mark: mark(visit, status) };
    match (raw, before) {
        (Some(_), _) => (None, Some(last), Some(visit.at)),
        (None, Some(before)) if before.mark == last.mark => (None, Some(before), Some(before.at)),
        (None, _) => {
            let (request, response) = (visit.request_headers.clone(), visit.response_headers.clone());
            let kept = KeptHeaders { at: visit.at, url: visit.url.clone(), status, request, response };
            (Some(kept), Some(last), Some(visit.at))
        }
    }
}

/// A 304 describes the same document as its 200; every other status is a response of its own.
fn mark(visit: &Visit, status: u16) -> i64 {
    let mut hasher = XxHash3_128::new();
    hasher.write(&if status == 304 { 200 } else { status }.to_be_bytes());
    hasher.write(visit.url.as_bytes());
    let fields = visit.request_headers.iter().chain(&visit.response_headers);
    for (name, value) in fields.filter(|(name, _)| IGNORED.binary_search(&name.as_str()).is_err()) {
        hasher.write(name.as_bytes());
        hasher.write(&[0]);
        hasher.write(value.as_bytes());
        hasher.write(&[0]);
    }
    (hasher.finish_128() as u64).cast_signed()
}

/// Whether the body of an error is kept: the first one in a run of failures, and when the status changes. A feed that
/// fails for a month repeats the same page.
pub fn keeps_error(history: &History, visit: &Visit) -> bool {
    let first = history.failures == 0 && history.busy == 0;
    visit.outcome != Outcome::Unchanged && (first || history.last_status != visit.status)
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::{SignedDuration, Timestamp};

    const NOW: Timestamp = Timestamp::UNIX_EPOCH;

    fn answered(status: u16, fields: &str) -> Visit {
        let field =
            |field: &str| field.split_once('=').map(|(name, value)| (name.to_owned(), value.to_owned())).unwrap();
        let response_headers = fields.split_whitespace().map(field).collect();
        Visit { status: Some(status), response_headers, ..Visit::none(NOW) }
    }

    #[test]
    fn the_list_can_be_searched() {
        assert!(IGNORED.is_sorted());
    }

    #[test]
    fn the_same_fields_are_stored_once() {
        let document = answered(200, "etag=a date=1 content-type=text/xml server=x");
        let before = HeadersMark { at: NOW - SignedDuration::from_hours(1), mark: mark(&document, 200) };
        let check = |what: &str, visit: &Visit, expected: bool| {
            let (kept, last, at) = headers_to_keep(Some(before), visit, None);
            assert_eq!(kept.is_some(), expected, "{what}");
            assert_eq!(at, last.map(|last| last.at), "{what}");
            assert_eq!(last == Some(before), !expected, "{what}");
        };
        check("a 304, but for its date and type", &answered(304, "etag=a date=2 server=x"), false);
        check("the same document again", &answered(200, "etag=a date=2 content-type=text/xml server=x"), false);
        check("another server", &answered(304, "etag=a server=y"), true);
        check("a field more", &answered(304, "etag=a server=x link=b"), true);
        check("an error", &answered(500, "etag=a server=x"), true);
        let nobody = Visit { status: None, ..document };
        assert_eq!(headers_to_keep(Some(before), &nobody, None), (None, Some(before), None));
        assert!(headers_to_keep(None, &answered(304, ""), None).0.is_some(), "the first ones");
    }

    #[test]
    fn a_month_of_the_same_error_is_kept_once() {
        let failing = |failures, last_status| History { failures, last_status, ..History::default() };
        let check = |history: History, status: u16, expected: bool| {
            assert_eq!(keeps_error(&history, &answered(status, "")), expected, "{status} after {history:?}");
        };
        check(failing(0, Some(200)), 500, true);
        check(failing(1, Some(500)), 500, false);
        check(failing(30, Some(500)), 502, true);
    }
}
