//! Nobody gets more of our time than the options say. Limits are tiny here; what is checked is the outcome.

use crate::network::{Scripted, Silent};
use crate::origin::Origin;
use crate::{at_home, failure};
use fetch::{Exchange, Fetch, Limits, Options, Timeouts};
use model::visit::{Failure, Phase};
use std::sync::Arc;
use std::time::Duration;

const SHORT: Duration = Duration::from_millis(60);

/// Long enough for a busy machine to get past the phases before the one that is meant.
const MODEST: Duration = Duration::from_secs(1);

/// Never the limit that strikes.
const LONG: Duration = Duration::from_hours(1);

const PATIENT: Timeouts = Timeouts { connect: LONG, first_byte: LONG, total: LONG, stall: LONG, idle: LONG };

fn with(timeouts: Timeouts) -> Options {
    Options { timeouts, ..at_home() }
}

/// A visit that some limit must end; without it this would take an hour, and fails long before.
async fn visit(fetch: &Fetch, url: &str) -> Exchange {
    let visit = crate::visit(fetch, url);
    tokio::time::timeout(Duration::from_secs(20), visit).await.expect("no limit struck")
}

async fn visit_with(options: Options, url: &str) -> Exchange {
    visit(&Fetch::new(options).unwrap(), url).await
}

async fn silent() -> Origin {
    Origin::playing(|mut caller| async move { caller.wait().await }).await
}

#[tokio::test]
async fn a_name_that_does_not_resolve_in_time() {
    let options = with(Timeouts { connect: SHORT, ..PATIENT });
    let fetch = Fetch::with_network(options, Arc::new(Silent { address: None })).unwrap();
    assert_eq!(failure(visit(&fetch, "http://feed.example/").await), Failure::Timeout(Phase::Dns));
}

#[tokio::test]
async fn a_host_that_does_not_pick_up() {
    let options = with(Timeouts { connect: SHORT, ..PATIENT });
    let network = Silent { address: Some("93.184.216.34".parse().unwrap()) };
    let fetch = Fetch::with_network(options, Arc::new(network)).unwrap();
    assert_eq!(failure(visit(&fetch, "http://feed.example/").await), Failure::Timeout(Phase::Connect));
}

#[tokio::test]
async fn the_total_names_the_phase_it_ended_in() {
    let options = with(Timeouts { total: SHORT, ..PATIENT });
    let fetch = Fetch::with_network(options, Arc::new(Silent { address: None })).unwrap();
    assert_eq!(failure(visit(&fetch, "http://feed.example/").await), Failure::Timeout(Phase::Dns));
    let origin = silent().await;
    let exchange = visit_with(with(Timeouts { total: MODEST, ..PATIENT }), &origin.url("/")).await;
    assert_eq!(exchange.address, Some(origin.address));
    assert_eq!(failure(exchange), Failure::Timeout(Phase::FirstByte));
}

#[tokio::test]
async fn a_host_that_never_shakes_hands() {
    // Reads and says nothing: the head of a request never comes, because a handshake does not look like one.
    let origin = silent().await;
    let options = with(Timeouts { connect: MODEST, ..PATIENT });
    let exchange = visit_with(options, &format!("https://{}/", origin.address)).await;
    assert_eq!(exchange.address, Some(origin.address));
    assert_eq!(failure(exchange), Failure::Timeout(Phase::Tls));
}

#[tokio::test]
async fn a_slow_first_byte() {
    let origin = silent().await;
    let exchange = visit_with(with(Timeouts { first_byte: SHORT, ..PATIENT }), &origin.url("/")).await;
    assert_eq!(failure(exchange), Failure::Timeout(Phase::FirstByte));
}

#[tokio::test]
async fn a_head_that_drips_is_a_slow_first_byte() {
    let origin = Origin::playing(|mut caller| async move {
        caller.say(b"HTTP/1.1 200 OK\r\n").await;
        for _ in 0..10_000 {
            caller.say(b"X").await;
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    })
    .await;
    let exchange = visit_with(with(Timeouts { first_byte: SHORT, ..PATIENT }), &origin.url("/")).await;
    assert_eq!(failure(exchange), Failure::Timeout(Phase::FirstByte));
}

#[tokio::test]
async fn early_hints_for_ever_are_no_answer() {
    let origin = Origin::playing(|mut caller| async move {
        for _ in 0..10_000 {
            caller.say(b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n").await;
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    })
    .await;
    let exchange = visit_with(with(Timeouts { first_byte: SHORT, ..PATIENT }), &origin.url("/")).await;
    assert_eq!(failure(exchange), Failure::Timeout(Phase::FirstByte));
}

#[tokio::test]
async fn a_body_that_stands_still() {
    let origin = Origin::playing(|mut caller| async move {
        caller.say(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n").await;
        caller.say(&vec![b'a'; 100_000]).await;
        caller.wait().await;
    })
    .await;
    let exchange = visit_with(with(Timeouts { stall: SHORT, ..PATIENT }), &origin.url("/")).await;
    assert_eq!(failure(exchange), Failure::Timeout(Phase::Body));
}

#[tokio::test]
async fn a_body_that_drips() {
    let drip = || {
        Origin::playing(|mut caller| async move {
            caller.say(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n").await;
            for _ in 0..10_000 {
                caller.say(b"a").await;
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        })
    };
    // Never still for as long as the stall, but two hundred bytes a second are too few.
    let exchange = visit_with(with(Timeouts { stall: SHORT, ..PATIENT }), &drip().await.url("/")).await;
    assert_eq!(failure(exchange), Failure::Timeout(Phase::Body));
    // Where any speed will do, the total ends it.
    let mut options = with(Timeouts { total: MODEST, ..PATIENT });
    options.limits = Limits { least_speed: 0, ..options.limits };
    assert_eq!(failure(visit_with(options, &drip().await.url("/")).await), Failure::Timeout(Phase::Body));
}

#[tokio::test]
async fn the_second_address_gets_its_share_when_the_first_refuses() {
    let origin = Origin::saying(crate::origin::ok("", "hi")).await;
    let network = Arc::new(Scripted::with("93.184.216.34 127.0.0.1 2606:4700::1111"));
    let fetch = Fetch::with_network(at_home(), Arc::clone(&network) as _).unwrap();
    let url = format!("http://feed.example:{}/", origin.address.port());
    assert_eq!(crate::told(&visit(&fetch, &url).await), "200 identity 2/2");
    let port = origin.address.port();
    assert_eq!(network.dialled(), format!("93.184.216.34:{port} [2606:4700::1111]:{port} 127.0.0.1:{port}"));
}
