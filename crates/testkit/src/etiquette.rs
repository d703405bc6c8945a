//! Rates a visitor's behaviour from the logs of origins: one line for everything that a publisher would object to.
//!
//! Knows nothing of Courant: it reads requests, responses and times.

use std::collections::HashMap;

use http_semantics::retry_after;
use jiff::{SignedDuration, Timestamp};

use crate::origin::Seen;

/// What a publisher expects of visitors.
#[derive(Debug, Clone, Copy)]
pub struct Manners {
    /// Between two requests to a host.
    pub spacing: SignedDuration,
    /// Between two requests for the same path, except after an error.
    pub interval: SignedDuration,
}

/// The objections, in order. `log` is everything that one host saw.
pub fn objections(log: &[Seen], manners: Manners) -> Vec<String> {
    let mut host = Host::default();
    log.iter().flat_map(|seen| host.judge(seen, manners)).collect()
}

#[derive(Default)]
struct Host {
    last_at: Option<Timestamp>,
    /// The publisher asked not to come before this time.
    not_before: Option<Timestamp>,
    pages: HashMap<String, Page>,
}

#[derive(Default)]
struct Page {
    last_at: Option<Timestamp>,
    etag: Option<String>,
    last_modified: Option<String>,
}

impl Host {
    fn judge(&mut self, seen: &Seen, manners: Manners) -> Vec<String> {
        let mut wrong = Vec::new();
        let mut object = |what: &str| wrong.push(format!("{} {}: {what}", seen.at, seen.line));
        let page = self.pages.entry(seen.line.clone()).or_default();
        if self.last_at.is_some_and(|last| seen.at.duration_since(last) < manners.spacing) {
            object("too soon after the last request");
        }
        if self.not_before.is_some_and(|until| seen.at < until) {
            object("before the time that was asked for");
        }
        if page.last_at.is_some_and(|last| seen.at.duration_since(last) < manners.interval) {
            object("the same again, too soon");
        }
        for (given, asked, what) in
            [(&page.etag, "if-none-match", "ETag"), (&page.last_modified, "if-modified-since", "Last-Modified")]
        {
            match (given.as_deref(), seen.header(asked)) {
                (Some(_), None) => object(&format!("without the {what} that was given")),
                (Some(given), Some(asked)) if given != asked => object(&format!("with an altered {what}")),
                (None, Some(_)) => object(&format!("with a {what} that was never given")),
                _ => {}
            }
        }
        for unwanted in ["cookie", "referer", "origin"] {
            if seen.header(unwanted).is_some() {
                object(&format!("with a {unwanted} header"));
            }
        }
        if seen.header("user-agent").is_none_or(|name| !name.contains("Courant/")) {
            object("without saying who it is");
        }
        if seen.status == 404 {
            object("an unknown path or query");
        }
        self.last_at = Some(seen.at);
        page.last_at = Some(seen.at);
        if seen.status == 200 {
            page.etag = seen.given("etag").map(str::to_owned);
            page.last_modified = seen.given("last-modified").map(str::to_owned);
        }
        let until = retry_after::read(seen.given("retry-after").map(str::as_bytes), seen.at);
        self.not_before = self.not_before.max(until);
        wrong
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MANNERS: Manners = Manners { spacing: SignedDuration::from_secs(1), interval: SignedDuration::from_mins(5) };

    fn seen(second: i64, line: &str, headers: &[(&str, &str)], status: u16, given: &[(&str, &str)]) -> Seen {
        let fields = |fields: &[(&str, &str)]| fields.iter().map(|(n, v)| ((*n).to_owned(), (*v).to_owned())).collect();
        let mut headers: Vec<(String, String)> = fields(headers);
        headers.push(("user-agent".into(), "Courant/1".into()));
        let at = Timestamp::from_second(second).unwrap();
        Seen { line: line.into(), headers, status, given: fields(given), at }
    }

    #[test]
    fn what_publishers_object_to() {
        let check = |what: &str, log: &[Seen], expected: &[&str]| {
            let found: Vec<String> = objections(log, MANNERS)
                .iter()
                .map(|line| line.split_once(": ").map_or("", |(_, why)| why).to_owned())
                .collect();
            assert_eq!(found, expected, "{what}");
        };
        let first = || seen(0, "GET /a", &[], 200, &[("etag", "W/\"1\"")]);
        let good = seen(300, "GET /a", &[("if-none-match", "W/\"1\"")], 304, &[]);
        check("nothing", &[first(), good.clone()], &[]);
        let bare = seen(300, "GET /a", &[], 200, &[]);
        check("unconditional", &[first(), bare], &["without the ETag that was given"]);
        let altered = seen(300, "GET /a", &[("if-none-match", "\"1\"")], 200, &[]);
        check("altered", &[first(), altered], &["with an altered ETag"]);
        check("invented", &[good], &["with a ETag that was never given"]);
        check("spacing", &[first(), seen(0, "GET /b", &[], 200, &[])], &["too soon after the last request"]);
        let early = seen(299, "GET /a", &[("if-none-match", "W/\"1\"")], 304, &[]);
        check("interval", &[first(), early], &["the same again, too soon"]);
        let busy = seen(0, "GET /a", &[], 429, &[("retry-after", "600")]);
        check("early", &[busy, seen(599, "GET /b", &[], 200, &[])], &["before the time that was asked for"]);
        check("cookies", &[seen(0, "GET /a", &[("cookie", "x")], 200, &[])], &["with a cookie header"]);
        let gone = "an unknown path or query";
        check("query", &[seen(0, "GET /a?utm=1", &[], 404, &[])], &[gone]);
    }
}
