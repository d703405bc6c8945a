//! Connections are reused, and it does no harm when the server has closed them meanwhile.

use crate::network::Stage;
use crate::origin::{Caller, Origin, ok};
use crate::{at_home, failure, told, visit};
use bytes::Bytes;
use fetch::{Egress, Fetch, Options, Request};
use model::visit::Failure;
use std::sync::Arc;
use tokio::io::DuplexStream;

#[tokio::test]
async fn the_next_request_takes_the_same_connection() {
    let origin = Origin::playing(|mut caller| async move {
        caller.say(&ok("", "one")).await;
        while caller.listen().await {
            caller.say(&ok("", "more")).await;
        }
    })
    .await;
    let fetch = Fetch::new(at_home()).unwrap();
    let first = visit(&fetch, &origin.url("/1")).await;
    assert_eq!(told(&first), "200 identity 3/3");
    let second = visit(&fetch.clone(), &origin.url("/2")).await;
    assert_eq!(told(&second), "200 identity 4/4");
    assert_eq!(origin.connections(), 1);
    assert_eq!(second.address, first.address, "a reused connection has a peer, too");
    assert_eq!(second.timings.connect, None);
    assert!(second.timings.first_byte.is_some());
}

/// Responds once per connection and closes it on the second request.
async fn forgetful() -> Origin {
    Origin::playing(|mut caller| async move {
        caller.say(&ok("", "one")).await;
        caller.listen().await;
    })
    .await
}

#[tokio::test]
async fn a_kept_connection_that_was_closed_is_replaced() {
    let origin = forgetful().await;
    let fetch = Fetch::new(at_home()).unwrap();
    for _ in 0..3 {
        assert_eq!(told(&visit(&fetch, &origin.url("/")).await), "200 identity 3/3");
    }
    assert_eq!(origin.connections(), 3);
}

#[tokio::test]
async fn a_post_is_not_sent_twice() {
    let origin = forgetful().await;
    let fetch = Fetch::new(at_home()).unwrap();
    let url = origin.url("/");
    visit(&fetch, &url).await;
    let posted = failure(fetch.post(Request::new(&url, Egress::Webhook), Bytes::from_static(b"{}")).await);
    assert!(matches!(posted, Failure::Protocol(_) | Failure::Connect(_)), "{posted:?}");
    assert_eq!(origin.heads().iter().filter(|head| head.starts_with("POST")).count(), 1);
}

#[tokio::test]
async fn a_connection_with_an_unread_body_is_not_used_again() {
    let origin = Origin::playing(|mut caller| async move {
        caller.say(&ok("Content-Encoding: gzip, gzip\r\n", vec![0; 100_000])).await;
        while caller.listen().await {
            caller.say(&ok("", "wrong")).await;
        }
    })
    .await;
    let fetch = Fetch::new(at_home()).unwrap();
    for _ in 0..2 {
        assert!(told(&visit(&fetch, &origin.url("/")).await).starts_with("200 identity 0/0 the body is corrupt"));
    }
    assert_eq!(origin.connections(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_kept_connection_that_falls_silent_is_a_slow_answer() {
    let stage = Stage::playing(|mut guest: Caller<DuplexStream>| async move {
        guest.listen().await;
        guest.say(&ok("", "one")).await;
        guest.wait().await;
    });
    let fetch = Fetch::with_network(Options::default(), Arc::new(stage)).unwrap();
    assert_eq!(told(&visit(&fetch, "http://feed.example/").await), "200 identity 3/3");
    let second = visit(&fetch, "http://feed.example/").await;
    assert_eq!(told(&second), "timed out while waiting for the answer");
    assert_eq!((second.timings.connect, second.timings.total.as_secs()), (None, 15));
}
