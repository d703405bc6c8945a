//! A call that fails: what the caller can do about it.

use crate::{client, now, options, prompt, summary, told};
use llm::{Llm, Options};
use std::time::Duration;
use testkit::{ModelServer, Reply};

#[tokio::test]
async fn a_server_that_has_had_enough_says_until_when() {
    let server = ModelServer::start().await;
    let llm = client(&server);
    let busy = || Reply::error(429, "Too many requests");
    for (reply, expected) in [
        (busy().with("Retry-After", "30"), "rate-limited until 2026-11-18T09:00:30Z"),
        (busy().with("retry-after", "Wed, 18 Nov 2026 09:10:00 GMT"), "rate-limited until 2026-11-18T09:10:00Z"),
        (busy().with("retry-after", "in a while"), "rate-limited until -"),
        (busy(), "rate-limited until -"),
    ] {
        server.then(reply);
        assert_eq!(told(&llm.complete(&prompt()).await), expected);
    }
    assert_eq!(server.count(), 4, "nothing is tried twice");
}

#[tokio::test]
async fn failures_of_the_server_are_temporary_and_refusals_are_not() {
    let server = ModelServer::start().await;
    let llm = client(&server);
    let refused = "permanent: the model's server refuses the request: it answered";
    for (reply, expected) in [
        (Reply::error(500, "out of memory"), "temporary: the model cannot be reached: it answered 500: out of memory"),
        (Reply::raw(503, "<html>"), "temporary: the model cannot be reached: it answered 503"),
        (Reply::error(404, "no model m"), &format!("{refused} 404: no model m")),
        (Reply::error(400, "bad field"), &format!("{refused} 400: bad field")),
        (Reply::error(401, "Who?"), &format!("{refused} 401: the key is missing, wrong or not allowed")),
    ] {
        server.then(reply);
        assert_eq!(told(&llm.complete(&prompt()).await), expected);
    }
    server.then(Reply::json(&summary()));
    assert_eq!(
        told(&llm.complete(&prompt()).await),
        "\"Rain on Monday.\" by scripted",
        "a failure leaves nothing behind"
    );
    assert_eq!(server.count(), 6, "nothing is tried twice");
}

#[tokio::test]
async fn a_server_that_never_answers_is_left_at_the_time_limit() {
    let server = ModelServer::start().await;
    server.then(Reply::Silence);
    let options = Options { timeout: Duration::from_millis(200), ..options(&server.url()) };
    let llm = Llm::new(options, fetch::Options::default(), now).unwrap();
    let result = told(&llm.complete(&prompt()).await);
    assert!(result.starts_with("temporary: the model cannot be reached: timed out while waiting"), "{result}");
    assert_eq!(server.count(), 1);
}

#[tokio::test]
async fn a_connection_that_is_refused_or_breaks_is_temporary() {
    let server = ModelServer::start().await;
    server.then(Reply::HangUp);
    let result = told(&client(&server).complete(&prompt()).await);
    assert!(result.starts_with("temporary: the model cannot be reached: "), "{result}");
    assert_eq!(server.count(), 1, "a request that may have been worked on is not repeated");

    // A port that was free a moment ago.
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let free = listener.local_addr().unwrap();
    drop(listener);
    let llm = Llm::new(options(&format!("http://{free}/v1")), fetch::Options::default(), now).unwrap();
    let expected = "temporary: the model cannot be reached: no connection: connection refused";
    assert_eq!(told(&llm.complete(&prompt()).await), expected);
}
