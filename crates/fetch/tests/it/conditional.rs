//! Conditional requests and their responses.

use crate::origin::{Origin, ok};
use crate::{at_home, told, visit_with};
use bytes::Bytes;
use fetch::{Egress, Fetch, Header, Request};
use model::visit::{Failure, Validators};

#[tokio::test]
async fn a_request_says_who_we_are_and_what_we_read() {
    let origin = Origin::saying(ok("Content-Type: application/rss+xml\r\n", "<rss/>")).await;
    let exchange = visit_with(at_home(), &origin.url("/feed?a=b#top")).await;
    let address = origin.address;
    assert_eq!(told(&exchange), "200 identity 6/6");
    assert_eq!(exchange.url, format!("http://{address}/feed?a=b"));
    assert_eq!(exchange.address, Some(address));
    let head = origin.heads().remove(0);
    assert!(head.starts_with("GET /feed?a=b HTTP/1.1\r\n"), "{head}");
    assert!(head.contains("\r\naccept-encoding: gzip, br, zstd, deflate\r\n"), "{head}");
    assert!(head.contains("\r\naccept: application/atom+xml, application/rss+xml"), "{head}");
    for (name, value) in &exchange.request_headers {
        assert!(head.contains(&format!("\r\n{name}: {value}\r\n")), "{name} is recorded but was not sent: {head}");
    }
    assert_eq!(head.lines().count(), exchange.request_headers.len() + 2, "something was sent but not recorded: {head}");
    for unwanted in ["cookie", "referer", "authorization", "if-"] {
        assert!(!head.contains(&format!("\r\n{unwanted}")), "{head}");
    }
    let timings = exchange.timings;
    assert_eq!((timings.dns, timings.tls), (None, None));
    assert!(timings.connect.is_some() && timings.first_byte.is_some());
}

#[tokio::test]
async fn validators_go_back_verbatim_and_a_304_has_no_body() {
    let origin = Origin::saying("HTTP/1.1 304 Not Modified\r\nETag: W/\"x\"\r\nContent-Length: 900\r\n\r\n").await;
    let validators = Validators {
        etag: Some("W/\"caf\u{e9}, 1\"".to_owned()),
        last_modified: Some("Sunday, 06-Nov-94 08:49:37 GMT".to_owned()),
    };
    let url = origin.url("/");
    let request = Request { validators: &validators, ..Request::new(&url, Egress::Feed) };
    let exchange = Fetch::new(at_home()).unwrap().exchange(request).await;
    assert_eq!(told(&exchange), "304 identity 0/0");
    let head = origin.heads().remove(0);
    assert!(head.contains("\r\nif-none-match: W/\"caf\u{e9}, 1\"\r\n"), "{head}");
    assert!(head.contains("\r\nif-modified-since: Sunday, 06-Nov-94 08:49:37 GMT\r\n"), "{head}");
}

#[tokio::test]
async fn statuses_and_redirects_are_handed_up() {
    for (answer, expected) in [
        ("HTTP/1.1 204 No Content\r\n\r\n", "204 identity 0/0"),
        ("HTTP/1.1 301 Moved\r\nLocation: http://10.0.0.1/\r\nContent-Length: 4\r\n\r\nmove", "301 identity 4/4"),
        ("HTTP/1.1 410 Gone\r\nContent-Length: 0\r\n\r\n", "410 identity 0/0"),
        ("HTTP/1.1 429 Slow\r\nRetry-After: 9\r\nContent-Length: 0\r\n\r\n", "429 identity 0/0"),
        ("HTTP/1.1 599 Odd\r\nContent-Length: 1\r\n\r\nx", "599 identity 1/1"),
        ("HTTP/1.0 200 OK\r\n\r\nto the end", "200 identity 10/10"),
        ("HTTP/1.1 103 Early\r\nLink: </x>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", "200 identity 2/2"),
        ("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 0\r\n\r\n", "200 gzip 0/0"),
    ] {
        let origin = Origin::saying(answer).await;
        assert_eq!(told(&visit_with(at_home(), &origin.url("/")).await), expected, "{answer}");
        assert_eq!(origin.heads().len(), 1, "one visit is one request: {answer}");
    }
}

#[tokio::test]
async fn odd_header_fields_are_kept_as_well_as_possible() {
    let answer = b"HTTP/1.1 200 OK\r\nX-Latin: caf\xe9\r\nSet-Cookie: a=1\r\nset-cookie: b=2\r\nBad Name: x\r\n\
                   X-Spaced : y\r\nX-Folded: one\r\n  two\r\nContent-Length: 0\r\n\r\n";
    let origin = Origin::saying(answer).await;
    let headers = visit_with(at_home(), &origin.url("/")).await.answer.unwrap().headers;
    let values = |name: &str| -> Vec<&str> {
        headers.iter().filter(|(field, _)| field == name).map(|(_, value)| value.as_str()).collect()
    };
    assert_eq!(values("x-latin"), ["caf\u{fffd}"]);
    assert_eq!(values("set-cookie"), ["a=1", "b=2"]);
    assert_eq!(values("x-spaced"), ["y"]);
    assert_eq!(values("x-folded").len(), 1);
}

#[tokio::test]
async fn more_header_fields_replace_ours_and_secrets_are_not_recorded() {
    let origin = Origin::saying(ok("", "")).await;
    let headers = [
        Header::new("Authorization", "Bearer s3cret"),
        Header::secret("X-Feed-Token", "s3cret too"),
        Header::new("Accept", "text/xml"),
        Header::new("X-A", "1"),
    ];
    let url = origin.url("/");
    let request = Request { headers: &headers, ..Request::new(&url, Egress::Model) };
    let exchange = Fetch::new(at_home()).unwrap().exchange(request).await;
    assert_eq!(told(&exchange), "200 identity 0/0");
    let head = origin.heads().remove(0);
    for sent in ["authorization: Bearer s3cret", "x-feed-token: s3cret too", "accept: text/xml", "x-a: 1"] {
        assert!(head.contains(&format!("\r\n{sent}\r\n")), "{head}");
    }
    assert_eq!(head.matches("\r\naccept:").count(), 1, "{head}");
    assert!(!format!("{request:?} {exchange:?}").contains("s3cret"));
    for (name, value) in [("authorization", "***"), ("x-feed-token", "***"), ("x-a", "1")] {
        assert!(exchange.request_headers.contains(&(name.to_owned(), value.to_owned())), "{name}");
    }
}

#[tokio::test]
async fn a_request_may_have_a_user_agent_of_its_own() {
    let origin = Origin::saying(ok("", "")).await;
    let fetch = Fetch::new(at_home()).unwrap();
    let url = origin.url("/");
    let plain = Request::new(&url, Egress::Feed);
    let own = [Header::new("user-agent", "Third/3")];
    for (request, expected) in [
        (plain, concat!("Courant/", env!("CARGO_PKG_VERSION"))),
        (Request { user_agent: Some("Second/2 (+https://example.org)"), ..plain }, "Second/2 (+https://example.org)"),
        (Request { user_agent: Some("Second/2"), headers: &own, ..plain }, "Third/3"),
    ] {
        let exchange = fetch.exchange(request).await;
        assert!(exchange.request_headers.contains(&("user-agent".to_owned(), expected.to_owned())), "{expected}");
        let head = origin.heads().pop().unwrap();
        assert!(head.contains(&format!("\r\nuser-agent: {expected}\r\n")), "{head}");
    }
    let smuggled = Request { user_agent: Some("A\r\nX-B: 1"), ..plain };
    assert!(matches!(fetch.exchange(smuggled).await.answer, Err(Failure::Request(_))));
    assert_eq!(origin.heads().len(), 3);
}

#[tokio::test]
async fn a_login_in_a_url_is_neither_sent_nor_kept() {
    let origin = Origin::saying(ok("", "")).await;
    let exchange = visit_with(at_home(), &format!("http://ada:s3cret@{}/feed", origin.address)).await;
    assert_eq!((told(&exchange).as_str(), &exchange.url), ("200 identity 0/0", &origin.url("/feed")));
    let head = origin.heads().remove(0);
    assert!(!format!("{head} {exchange:?}").contains("s3cret") && !head.contains("authorization"), "{head}");
}

#[tokio::test]
async fn head_asks_for_no_body() {
    // Some servers send a body anyway; then the connection is not reused.
    for answer in [
        "HTTP/1.1 200 OK\r\nContent-Length: 900\r\nContent-Encoding: gzip\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Encoding: gzip\r\n\r\nhello",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Encoding: gzip\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
    ] {
        let origin = Origin::saying(answer).await;
        let fetch = Fetch::new(at_home()).unwrap();
        let url = origin.url("/feed");
        for _ in 0..2 {
            let exchange = fetch.head(Request::new(&url, Egress::Feed)).await;
            assert_eq!(told(&exchange), "200 gzip 0/0", "{answer}");
        }
        assert!(origin.heads().iter().all(|head| head.starts_with("HEAD /feed HTTP/1.1\r\n")));
    }
}

#[tokio::test]
async fn what_cannot_be_sent_is_not_sent() {
    let origin = Origin::saying(ok("", "")).await;
    let fetch = Fetch::new(at_home()).unwrap();
    let url = origin.url("/");
    for (name, value) in [
        ("X-A", "1\r\nX-B: 2"),
        ("X A", "1"),
        ("", "1"),
        ("Host", "other.example"),
        ("Content-Length", "7"),
        ("Transfer-Encoding", "chunked"),
        ("Connection", "upgrade"),
    ] {
        let headers = [Header::new(name, value)];
        let request = Request { headers: &headers, ..Request::new(&url, Egress::Feed) };
        let answer = fetch.exchange(request).await.answer;
        assert!(matches!(answer, Err(Failure::Request(_))), "{name}: {answer:?}");
    }
    assert_eq!(origin.connections(), 0);
}

#[tokio::test]
async fn a_post_carries_its_body() {
    let origin = Origin::saying("HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n").await;
    let url = origin.url("/hub");
    let headers = [Header::new("Content-Type", "application/x-www-form-urlencoded")];
    let request = Request { headers: &headers, ..Request::new(&url, Egress::Hub) };
    let exchange = Fetch::new(at_home()).unwrap().post(request, Bytes::from_static(b"hub.mode=subscribe")).await;
    assert_eq!(told(&exchange), "202 identity 0/0");
    let head = origin.heads().remove(0);
    assert!(head.starts_with("POST /hub HTTP/1.1\r\n") && head.contains("\r\ncontent-length: 18\r\n"), "{head}");
}
