//! The promises of `fetch`, shown with misbehaving origins on loopback. A file per promise.
//!
//! Nothing here leaves the machine: other addresses are dialled on a fake network that only records.

#![allow(clippy::unwrap_used, reason = "a test may")]
#![expect(clippy::disallowed_methods, reason = "origins, proxies and canaries on loopback")]

mod conditional;
mod crowd;
mod egress;
mod guard;
mod kept;
mod limits;
mod network;
mod origin;
mod patience;
mod proxied;
mod secure;
mod wire;

use fetch::{Egress, Exchange, Fetch, Options, Request};
use model::visit::Failure;

/// Options that may visit loopback.
fn at_home() -> Options {
    Options { allow_private: vec!["127.0.0.0/8".parse().unwrap()], ..Options::default() }
}

/// One exchange for a feed.
async fn visit(fetch: &Fetch, url: &str) -> Exchange {
    fetch.exchange(Request::new(url, Egress::Feed)).await
}

/// The same on a `Fetch` of its own.
async fn visit_with(options: Options, url: &str) -> Exchange {
    visit(&Fetch::new(options).unwrap(), url).await
}

/// An exchange in one line: `200 identity 5/5`, `200 gzip 20/0 the body ends early`, or the failure.
fn told(exchange: &Exchange) -> String {
    match &exchange.answer {
        Err(failure) => failure.to_string(),
        Ok(answer) => {
            let (wire, decoded) = (answer.wire_bytes, answer.decoded.len());
            let stopped = answer.stopped.as_ref().map_or_else(String::new, |stopped| format!(" {stopped}"));
            format!("{} {} {wire}/{decoded}{stopped}", answer.status, answer.coding)
        }
    }
}

fn failure(exchange: Exchange) -> Failure {
    exchange.answer.expect_err("the visit should have failed")
}
