//! Through a proxy: the same checks, the same results, and no connection shared between proxies.

use crate::network::{STAGE, Scripted, Stage};
use crate::origin::{Caller, Origin, ok};
use crate::{at_home, failure, told};
use fetch::{Egress, Exchange, Fetch, Options, Proxy, Request};
use model::visit::Failure;
use std::sync::Arc;
use tokio::io::DuplexStream;
use tokio::net::TcpStream;

type Guest = Caller<DuplexStream>;

async fn through(fetch: &Fetch, proxy: &str, url: &str) -> Exchange {
    let proxy = Proxy::read(proxy).unwrap();
    fetch.exchange(Request { proxy: Some(&proxy), ..Request::new(url, Egress::Feed) }).await
}

/// Accepts every request of either protocol, and then acts as the target host.
async fn obliging(mut guest: Guest) {
    if guest.hear(1).await == [5] {
        guest.hear(2).await;
        guest.say(&[5, 0]).await;
        guest.hear(10).await;
        guest.say(&[5, 0, 0, 1, 0, 0, 0, 0, 0, 0]).await;
    } else {
        guest.listen().await;
        guest.say(b"HTTP/1.1 200 Connection established\r\n\r\n").await;
    }
    while guest.listen().await {
        guest.say(&ok("", "hi")).await;
    }
}

#[tokio::test]
async fn both_kinds_are_told_the_address_that_was_checked() {
    for (proxy, dialled) in [
        ("http://10.0.0.1:3128", "10.0.0.1:3128"),
        ("socks5://10.0.0.1", "10.0.0.1:1080"),
        ("socks5h://[fd00::1]:9050", "[fd00::1]:9050"),
        ("http://proxy.example:8080", "93.184.216.34:8080"),
    ] {
        let stage = Arc::new(Stage::playing(obliging));
        let fetch = Fetch::with_network(Options::default(), Arc::clone(&stage) as _).unwrap();
        let exchange = through(&fetch, proxy, "http://feed.example:8000/a").await;
        assert_eq!(told(&exchange), "200 identity 2/2", "{proxy}");
        assert_eq!(stage.dialled(), dialled, "only the proxy is dialled");
        assert_eq!(exchange.address, Some(format!("{STAGE}:8000").parse().unwrap()), "and asked for this");
        let heads = stage.heads();
        if proxy.starts_with("http") {
            assert!(heads[0].starts_with("ONNECT 93.184.216.34:8000 HTTP/1.1\r\n"), "{}", heads[0]);
            assert!(!heads[0].contains("feed.example"), "the proxy must not resolve the name: {}", heads[0]);
        }
        let asked = heads.last().unwrap();
        assert!(asked.starts_with("GET /a HTTP/1.1\r\n") && asked.contains("host: feed.example:8000\r\n"), "{asked}");
    }
}

#[tokio::test]
async fn the_target_is_checked_before_the_proxy_is_dialled() {
    for proxy in ["http://10.0.0.1:3128", "socks5h://proxy.example"] {
        for (addresses, url, refused) in [
            ("169.254.169.254", "http://feed.example/", "169.254.169.254"),
            ("93.184.216.34 127.0.0.1", "https://feed.example/", "127.0.0.1"),
            ("93.184.216.34", "http://127.0.0.1:8080/", "127.0.0.1"),
            ("93.184.216.34", "https://[fd00:ec2::254]/", "fd00:ec2::254"),
            ("93.184.216.34", "http://10.0.0.1:3128/", "10.0.0.1"),
        ] {
            let network = Arc::new(Scripted::with(addresses));
            let fetch = Fetch::with_network(Options::default(), Arc::clone(&network) as _).unwrap();
            let refusal = failure(through(&fetch, proxy, url).await);
            assert_eq!(refusal, Failure::PrivateAddress(refused.parse().unwrap()), "{proxy} {url}");
            assert_eq!(network.dialled(), "", "{proxy} {url}");
        }
    }
}

#[tokio::test]
async fn the_operators_list_is_about_targets_not_proxies() {
    let rules = vec![fetch::EgressRule::read("feed.example").unwrap()];
    let stage = Arc::new(Stage::playing(obliging));
    let options = Options { egress: Some(rules), ..Options::default() };
    let fetch = Fetch::with_network(options, Arc::clone(&stage) as _).unwrap();
    let proxy = "http://proxy.example:3128";
    assert_eq!(told(&through(&fetch, proxy, "http://feed.example/").await), "200 identity 2/2");
    let refused = failure(through(&fetch, proxy, "http://other.example/").await);
    assert_eq!(refused, Failure::NotAllowed("other.example".to_owned()));
    assert_eq!(stage.dialled(), "93.184.216.34:3128");
}

#[tokio::test]
async fn proxies_share_no_connections() {
    let stage = Arc::new(Stage::playing(obliging));
    let fetch = Fetch::with_network(Options::default(), Arc::clone(&stage) as _).unwrap();
    let url = "http://feed.example/";
    let ways =
        ["http://10.0.0.1:3128", "http://ada:one@10.0.0.1:3128", "http://ada:two@10.0.0.1:3128", "socks5://10.0.0.1"];
    for _ in 0..3 {
        for proxy in ways {
            assert_eq!(told(&through(&fetch, proxy, url).await), "200 identity 2/2");
        }
    }
    assert_eq!(
        stage.dialled(),
        "10.0.0.1:3128 10.0.0.1:3128 10.0.0.1:3128 10.0.0.1:1080",
        "each proxy has its own connections"
    );
}

#[tokio::test]
async fn more_proxies_than_are_kept_apart_still_work() {
    let stage = Arc::new(Stage::playing(obliging));
    let fetch = Fetch::with_network(Options::default(), Arc::clone(&stage) as _).unwrap();
    for port in 2000..2100 {
        let proxy = format!("http://10.0.0.1:{port}");
        assert_eq!(told(&through(&fetch, &proxy, "http://feed.example/").await), "200 identity 2/2");
    }
    assert_eq!(stage.dialled().split(' ').count(), 100);
}

#[tokio::test]
async fn what_goes_wrong_is_told_from_what_the_proxy_says() {
    for (answer, expected) in [
        ("HTTP/1.1 407 Login\r\n\r\n", "the proxy failed: it wants a login"),
        ("HTTP/1.1 403 Forbidden\r\n\r\n", "the proxy failed: it answered 403"),
        ("HTTP/1.1 504 Gateway Timeout\r\n\r\n", "no connection: the proxy reports: 504"),
        ("HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 200 OK\r\n", "the proxy failed: it sent data before the target could"),
        ("nonsense\r\n\r\n", "the proxy failed: it does not speak HTTP"),
        ("", "the proxy failed: it closed the connection"),
    ] {
        let stage = Stage::playing(move |mut guest: Guest| async move {
            guest.listen().await;
            guest.say(answer.as_bytes()).await;
        });
        let fetch = Fetch::with_network(Options::default(), Arc::new(stage)).unwrap();
        for url in ["http://feed.example/", "https://feed.example/"] {
            let exchange = through(&fetch, "http://10.0.0.1:3128", url).await;
            assert_eq!(told(&exchange), expected);
            assert_eq!(exchange.address, None);
        }
    }
}

#[tokio::test]
async fn a_proxy_that_is_not_there_is_not_the_feeds_fault() {
    let fetch = Fetch::with_network(Options::default(), Arc::new(Scripted::with("93.184.216.34"))).unwrap();
    let refused = told(&through(&fetch, "http://10.0.0.1:3128", "http://feed.example/").await);
    assert_eq!(refused, "the proxy failed: connection refused");
    let fetch = Fetch::with_network(
        Options::default(),
        Arc::new(Scripted::new(|name| match name {
            "feed.example" => vec!["93.184.216.34".parse().unwrap()],
            _ => Vec::new(),
        })),
    )
    .unwrap();
    let unknown = told(&through(&fetch, "http://proxy.example:3128", "http://feed.example/").await);
    assert_eq!(unknown, "the proxy failed: the host name cannot be resolved: the host has no address");
}

#[tokio::test]
async fn the_next_address_is_tried_when_the_proxy_cannot_reach_the_first() {
    for (reachable, expected) in [(34, "200 identity 2/2"), (99, "no connection: the proxy reports: host unreachable")]
    {
        let stage = Arc::new(Stage::at("93.184.216.33 93.184.216.34", move |mut guest: Guest| async move {
            guest.hear(3).await;
            guest.say(&[5, 0]).await;
            let reply = if guest.hear(10).await[7] == reachable { 0 } else { 4 };
            guest.say(&[5, reply, 0, 1, 0, 0, 0, 0, 0, 0]).await;
            guest.listen().await;
            guest.say(&ok("", "hi")).await;
        }));
        let fetch = Fetch::with_network(Options::default(), Arc::clone(&stage) as _).unwrap();
        assert_eq!(told(&through(&fetch, "socks5://10.0.0.1", "http://feed.example/").await), expected);
        assert_eq!(stage.dialled(), "10.0.0.1:1080 10.0.0.1:1080");
    }
}

#[tokio::test]
async fn a_proxy_that_fails_is_not_asked_for_the_next_address() {
    let stage = Arc::new(Stage::at("93.184.216.33 93.184.216.34", |mut guest: Guest| async move {
        guest.listen().await;
        guest.say(b"HTTP/1.1 407 Login\r\n\r\n").await;
    }));
    let fetch = Fetch::with_network(Options::default(), Arc::clone(&stage) as _).unwrap();
    let refused = told(&through(&fetch, "http://10.0.0.1:3128", "http://feed.example/").await);
    assert_eq!(refused, "the proxy failed: it wants a login");
    assert_eq!(stage.dialled(), "10.0.0.1:3128");
}

#[tokio::test]
async fn the_peer_must_be_the_proxy() {
    let proxy = loopback_proxy().await;
    let mut network = Scripted::with("93.184.216.34");
    network.claims = Some("10.0.0.1:3128".parse().unwrap());
    let fetch = Fetch::with_network(Options::default(), Arc::new(network)).unwrap();
    let way = format!("http://ada:s3cret@{}", proxy.address);
    let refused = told(&through(&fetch, &way, "http://feed.example/").await);
    assert_eq!(refused, "the proxy failed: another host than the one dialled answered");
    assert_eq!(proxy.heads(), [""; 0], "the login was not sent");
}

/// A real HTTP proxy on loopback: connects to the requested address.
async fn loopback_proxy() -> Origin {
    Origin::playing(|mut caller| async move {
        let head = caller.heads.lock().unwrap().last().cloned().unwrap();
        let target = head.strip_prefix("CONNECT ").and_then(|rest| rest.split(' ').next()).unwrap().to_owned();
        let mut far = TcpStream::connect(target).await.unwrap();
        caller.say(b"HTTP/1.1 200 OK\r\n\r\n").await;
        let _ = tokio::io::copy_bidirectional(&mut caller.stream, &mut far).await;
    })
    .await
}

#[tokio::test]
async fn over_real_sockets_and_tls() {
    let proxy = loopback_proxy().await;
    let plain = Origin::saying(ok("", "plain")).await;
    let secure = crate::secure::secure("h2").await;
    let options = Options { authorities: vec![secure.certificate.clone()], ..at_home() };
    let fetch = Fetch::with_network(options, Arc::new(Scripted::with("127.0.0.1"))).unwrap();
    let way = format!("http://{}", proxy.address);
    let port = plain.address.port();
    assert_eq!(told(&through(&fetch, &way, &format!("http://feed.example:{port}/")).await), "200 identity 5/5");
    let answer = through(&fetch, &way, &format!("https://feed.example:{}/", secure.port)).await.answer.unwrap();
    assert_eq!(String::from_utf8(answer.decoded.to_vec()).unwrap(), "HTTP/2.0 for feed.example");
    assert_eq!(proxy.connections(), 2);
}
