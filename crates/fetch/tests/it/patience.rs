//! The timeouts: which one ends an exchange, and after how many seconds.
//!
//! The limits are the real ones, but no real time passes: the clock advances whenever all tasks wait, which needs a
//! network without sockets.

use crate::network::{STAGE, Silent, Stage};
use crate::origin::{Caller, ok};
use crate::told;
use fetch::{Egress, Exchange, Fetch, Limits, Network, Options, Proxy, Request};
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::DuplexStream;
use tokio::time::sleep;

type Guest = Caller<DuplexStream>;

const SECOND: Duration = Duration::from_secs(1);

/// The result of an exchange and its duration, in whole seconds.
fn timed(exchange: &Exchange) -> String {
    format!("{}, {} s", told(exchange), exchange.timings.total.as_secs())
}

async fn visit_on(network: impl Network, request: Request<'_>) -> String {
    let fetch = Fetch::with_network(Options::default(), Arc::new(network)).unwrap();
    timed(&fetch.exchange(request).await)
}

/// A visit to a host that follows the script.
#[track_caller]
fn check<F, T>(script: F, expected: &str) -> impl Future<Output = ()>
where
    F: Fn(Guest) -> T + Send + Sync + 'static,
    T: Future<Output = ()> + Send + 'static,
{
    let at = std::panic::Location::caller();
    async move {
        let told = visit_on(Stage::playing(script), Request::new("http://feed.example/", Egress::Feed)).await;
        assert_eq!(told, expected, "{at}");
    }
}

async fn silent(mut guest: Guest) {
    guest.listen().await;
    guest.wait().await;
}

/// Sends `start`, then `again` at intervals.
fn drip(start: &'static str, again: Vec<u8>, pause: Duration) -> impl Fn(Guest) -> Promise + Send + Sync {
    move |mut guest: Guest| {
        let again = again.clone();
        Box::pin(async move {
            guest.listen().await;
            guest.say(start.as_bytes()).await;
            loop {
                sleep(pause).await;
                guest.say(&again).await;
            }
        })
    }
}

type Promise = std::pin::Pin<Box<dyn Future<Output = ()> + Send>>;

#[tokio::test(start_paused = true)]
async fn before_a_connection() {
    let request = |url| Request::new(url, Egress::Feed);
    let told = visit_on(Silent { addresses: None }, request("http://feed.example/")).await;
    assert_eq!(told, "timed out while resolving the name, 10 s");
    let addresses = |addresses: &str| {
        let addresses: Vec<IpAddr> = addresses.split_whitespace().map(|address| address.parse().unwrap()).collect();
        Silent { addresses: Some(addresses) }
    };
    let many = format!("{STAGE} 93.184.216.35 93.184.216.36 93.184.216.37 93.184.216.38 2606:4700::1");
    for all in [STAGE, &many] {
        let told = visit_on(addresses(all), request("http://feed.example/")).await;
        assert_eq!(told, "timed out while connecting, 10 s", "{all}");
    }
    // Reads and sends nothing: the handshake gets no response.
    let told = visit_on(Stage::playing(silent), request("https://feed.example/")).await;
    assert_eq!(told, "timed out while securing the connection, 10 s");
}

#[tokio::test(start_paused = true)]
async fn before_an_answer() {
    check(silent, "timed out while waiting for the answer, 15 s").await;
    let byte = || b"X".to_vec();
    check(drip("HTTP/1.1 200 OK\r\n", byte(), SECOND), "timed out while waiting for the answer, 15 s").await;
    let hint = b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n".to_vec();
    check(drip("", hint, SECOND), "timed out while waiting for the answer, 15 s").await;
    let late = |mut guest: Guest| async move {
        guest.listen().await;
        sleep(SECOND * 14).await;
        guest.say(&ok("", "hi")).await;
    };
    check(late, "200 identity 2/2, 14 s").await;
}

#[tokio::test(start_paused = true)]
async fn during_a_body() {
    let head = "HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n";
    let still = move |mut guest: Guest| async move {
        guest.listen().await;
        guest.say(head.as_bytes()).await;
        guest.say(&vec![b'a'; 100_000]).await;
        guest.wait().await;
    };
    check(still, "timed out while reading the body, 10 s").await;
    check(drip(head, b"a".to_vec(), SECOND), "timed out while reading the body, 10 s").await;
    // Never stalled, but below 1 KiB a second.
    check(drip(head, vec![b'a'; 1000], SECOND), "timed out while reading the body, 10 s").await;
    // Fast enough, but too long.
    check(drip(head, vec![b'a'; 2048], SECOND), "timed out while reading the body, 30 s").await;
    // Empty chunks are not progress.
    let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    check(drip(chunked, b"1;x".to_vec(), SECOND), "timed out while reading the body, 10 s").await;
    let slow = |mut guest: Guest| async move {
        guest.listen().await;
        guest.say(b"HTTP/1.1 200 OK\r\nContent-Length: 20000\r\n\r\n").await;
        for _ in 0..10 {
            sleep(SECOND).await;
            guest.say(&[b'a'; 2000]).await;
        }
    };
    check(slow, "200 identity 20000/20000, 10 s").await;
}

#[tokio::test(start_paused = true)]
async fn where_any_speed_will_do_the_total_ends_it() {
    let network = Stage::playing(drip("HTTP/1.1 200 OK\r\n\r\n", b"crumbs".to_vec(), SECOND));
    let limits = Limits { least_speed: 0, ..Limits::default() };
    let fetch = Fetch::with_network(Options { limits, ..Options::default() }, Arc::new(network)).unwrap();
    let exchange = fetch.exchange(Request::new("http://feed.example/", Egress::Feed)).await;
    assert_eq!(timed(&exchange), "timed out while reading the body, 30 s");
}

/// A network whose every step takes this long.
struct Slow(Duration);

impl Network for Slow {
    fn resolve<'a>(&'a self, _: &'a str) -> fetch::Promise<'a, Vec<IpAddr>> {
        Box::pin(async move {
            sleep(self.0).await;
            Ok(vec![STAGE.parse().unwrap()])
        })
    }

    fn dial(&self, address: std::net::SocketAddr) -> fetch::Promise<'_, fetch::Dialled> {
        Box::pin(async move {
            sleep(self.0).await;
            Stage::playing(silent).dial(address).await
        })
    }
}

#[tokio::test(start_paused = true)]
async fn the_total_names_the_phase_it_ended_in() {
    let request =
        |seconds| Request { timeout: Some(SECOND * seconds), ..Request::new("https://feed.example/", Egress::Feed) };
    for (seconds, expected) in [
        (5, "timed out while resolving the name, 5 s"),
        (12, "timed out while connecting, 12 s"),
        (20, "timed out while securing the connection, 20 s"),
    ] {
        assert_eq!(visit_on(Slow(SECOND * 9), request(seconds)).await, expected);
    }
    let plain = Request::new("http://feed.example/", Egress::Feed);
    assert_eq!(visit_on(Slow(SECOND * 9), plain).await, "timed out while waiting for the answer, 30 s");
}

#[tokio::test(start_paused = true)]
async fn a_request_may_be_more_or_less_patient() {
    let after = |seconds: u32| {
        Stage::playing(move |mut guest: Guest| async move {
            guest.listen().await;
            sleep(SECOND * seconds).await;
            guest.say(&ok("", "hi")).await;
        })
    };
    let request = |seconds: u32| Request {
        timeout: Some(SECOND * seconds),
        ..Request::new("http://model.example/", Egress::Model)
    };
    assert_eq!(visit_on(after(4), request(5)).await, "200 identity 2/2, 4 s");
    assert_eq!(visit_on(after(6), request(5)).await, "timed out while waiting for the answer, 5 s");
    assert_eq!(visit_on(after(20), request(25)).await, "timed out while waiting for the answer, 15 s");
    assert_eq!(visit_on(after(100), request(120)).await, "200 identity 2/2, 100 s");
    assert_eq!(visit_on(after(130), request(120)).await, "timed out while waiting for the answer, 120 s");
}

#[tokio::test(start_paused = true)]
async fn a_proxy_has_no_more_time_than_a_host() {
    for proxy in ["http://proxy.example:3128", "socks5://10.0.0.1"] {
        let proxy = Proxy::read(proxy).unwrap();
        let request = Request { proxy: Some(&proxy), ..Request::new("http://feed.example/", Egress::Feed) };
        let addresses = Some(vec![STAGE.parse().unwrap()]);
        assert_eq!(visit_on(Silent { addresses }, request).await, "the proxy failed: it does not respond, 5 s");
        let wait = |mut guest: Guest| async move { guest.wait().await };
        assert_eq!(visit_on(Stage::playing(wait), request).await, "timed out while connecting, 10 s");
    }
    let proxy = Proxy::read("http://10.0.0.1:3128").unwrap();
    let request = Request { proxy: Some(&proxy), ..Request::new("http://feed.example/", Egress::Feed) };
    let dripping = Stage::playing(drip("HTTP/1.1 200 OK\r\n", b"X".to_vec(), SECOND));
    assert_eq!(visit_on(dripping, request).await, "timed out while connecting, 10 s");
}
