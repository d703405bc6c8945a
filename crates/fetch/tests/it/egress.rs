//! For every class and every method: no connection to an address that is not global, and one to every address that is.
//! Nothing here is really dialled; `guard.rs` shows the same with real listeners.

use crate::network::{STAGE, Scripted, Stage};
use crate::origin::{Caller, Canary, Origin, ok};
use crate::{at_home, failure, told, visit};
use bytes::Bytes;
use fetch::{Egress, EgressRule, Exchange, Fetch, Options, Proxy, Request};
use model::visit::Failure;
use std::net::IpAddr;
use std::sync::Arc;
use tokio::io::DuplexStream;

const CLASSES: [Egress; 10] = [
    Egress::Feed,
    Egress::Article,
    Egress::Proxy,
    Egress::Media,
    Egress::Icon,
    Egress::Robots,
    Egress::Hub,
    Egress::Webhook,
    Egress::Oidc,
    Egress::Model,
];

/// One or two of every kind of address that is not global, and the clouds' metadata services.
const REFUSED: &str = "
    0.0.0.0 0.1.2.3 10.0.0.1 10.255.255.255 100.64.0.1 100.100.100.200 127.0.0.1 127.255.255.254 168.63.129.16
    169.254.0.1 169.254.169.254 172.16.0.1 172.31.255.255 192.0.0.192 192.0.2.1 192.88.99.1 192.168.0.1
    192.168.255.255 198.18.0.1 198.19.255.255 198.51.100.1 203.0.113.1 224.0.0.1 239.255.255.255 240.0.0.1
    255.255.255.255 :: ::1 ::7f00:1 ::ffff:7f00:1 ::ffff:808:808 ::ffff:0:7f00:1 64:ff9b::a9fe:a9fe 64:ff9b::808:808
    64:ff9b:1::7f00:1 100::1 100:0:0:1::1 2001::1 2001:2::1 2001:10::1 2001:20::1 2001:db8::1 2002:7f00:1::
    2002:808:808::1 2a00:1450::5efe:7f00:1 2a00:1450::200:5efe:7f00:1 3fff::1 5f00::1 fc00::1 fd00:ec2::254
    fd20:ce::254 fe80::1 fe80::5efe:a00:1 febf::1 fec0::1 ff02::1 4000::1 8000::1";

/// Their neighbours, and some addresses of the public internet.
const ALLOWED: &str = "
    1.0.0.1 1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.1 93.184.216.34 100.63.255.255 100.128.0.1 126.255.255.255 128.0.0.1
    168.63.129.15 168.63.129.17 169.253.255.255 169.255.0.1 172.15.255.255 172.32.0.1 191.255.255.255 192.0.1.1
    192.0.3.1 192.88.98.1 192.88.100.1 192.167.255.255 192.169.0.1 198.17.255.255 198.20.0.1 198.51.99.1 198.51.101.1
    203.0.112.1 203.0.114.1 223.255.255.255 2000::1 2001:200::1 2001:4860:4860::8888 2001:db7::1 2001:db9::1 2003::1
    2606:4700:4700::1111 2a00:1450:4001:800::200e 3ffe::1 3ffe:ffff::1";

fn addresses(table: &str) -> Vec<IpAddr> {
    table.split_whitespace().map(|address| address.parse().unwrap()).collect()
}

fn literal(address: IpAddr) -> String {
    match address {
        IpAddr::V4(address) => address.to_string(),
        IpAddr::V6(address) => format!("[{address}]"),
    }
}

/// By every method.
async fn by_every_method(fetch: &Fetch, request: Request<'_>) -> [Exchange; 3] {
    [fetch.exchange(request).await, fetch.head(request).await, fetch.post(request, Bytes::from_static(b"{}")).await]
}

#[tokio::test]
async fn nothing_is_dialled_for_any_class_by_any_method_on_any_way() {
    let proxies = ["http://10.0.0.1:3128", "socks5h://proxy.example"].map(|proxy| Proxy::read(proxy).unwrap());
    let [http, socks] = &proxies;
    for address in addresses(REFUSED) {
        let network = Arc::new(Scripted::new(move |_| vec![address]));
        let fetch = Fetch::with_network(Options::default(), Arc::clone(&network) as _).unwrap();
        for class in CLASSES {
            let urls = ["http://feed.example/".to_owned(), format!("https://{}/", literal(address))];
            for (url, proxy) in urls.iter().zip([None, Some(http)]).chain(urls.iter().zip([Some(socks), None])) {
                for exchange in by_every_method(&fetch, Request { proxy, ..Request::new(url, class) }).await {
                    assert_eq!(failure(exchange), Failure::PrivateAddress(address), "{class:?} {url} {proxy:?}");
                }
            }
        }
        assert_eq!(network.dialled(), "", "{address}");
    }
}

#[tokio::test]
async fn the_internet_is_open_to_every_class() {
    for address in addresses(ALLOWED) {
        let network = Arc::new(Scripted::new(move |_| vec![address]));
        let fetch = Fetch::with_network(Options::default(), Arc::clone(&network) as _).unwrap();
        for class in CLASSES {
            for url in ["http://feed.example/".to_owned(), format!("https://{}/", literal(address))] {
                let exchange = fetch.exchange(Request::new(&url, class)).await;
                assert_eq!(told(&exchange), "no connection: connection refused", "{class:?} {url}");
            }
        }
        let both = [80, 443].map(|port| format!("{}:{port}", literal(address))).join(" ");
        assert_eq!(network.dialled(), [both.as_str(); CLASSES.len()].join(" "));
    }
}

#[tokio::test]
async fn every_hop_is_checked() {
    // The target of a redirect is checked like any other URL; the engine follows, and every hop comes through here.
    let canary = Canary::at("127.0.0.2:0");
    for location in [
        format!("http://127.0.0.2:{}/admin", canary.port()),
        format!("//127.0.0.2:{}/", canary.port()),
        format!("http://2130706434:{}/", canary.port()),
        format!("http://[::ffff:127.0.0.2]:{}/", canary.port()),
    ] {
        let origin =
            Origin::saying(format!("HTTP/1.1 307 Go\r\nLocation: {location}\r\nContent-Length: 0\r\n\r\n")).await;
        let only_the_origin = Options { allow_private: vec!["127.0.0.1/32".parse().unwrap()], ..Options::default() };
        let fetch = Fetch::new(only_the_origin).unwrap();
        let first = visit(&fetch, &origin.url("/")).await;
        assert_eq!(told(&first), "307 identity 0/0");
        let next = url::Url::parse(&first.url).unwrap().join(&location).unwrap();
        for hop in by_every_method(&fetch, Request::new(next.as_str(), Egress::Hub)).await {
            assert!(matches!(failure(hop), Failure::PrivateAddress(_)), "{location}");
        }
    }
    canary.expect_silence();
    for location in
        ["file:///etc/passwd", "gopher://127.0.0.1/", "data:text/xml,<rss/>", "ftp://example.org/", "javascript:1"]
    {
        let refused = failure(visit(&Fetch::new(at_home()).unwrap(), location).await);
        assert!(matches!(refused, Failure::Url(_)), "{location}: {refused:?}");
    }
}

#[tokio::test]
async fn a_kept_connection_stays_with_whom_it_was_made() {
    let origin = Origin::playing(|mut caller| async move {
        caller.say(&ok("Alt-Svc: h2=\"127.0.0.2:443\"; ma=86400\r\n", "one")).await;
        while caller.listen().await {
            caller.say(&ok("", "two")).await;
        }
    })
    .await;
    // After the first visit the name resolves to a private address; the open connection still leads to the old one.
    let asked = std::sync::atomic::AtomicUsize::new(0);
    let network = Arc::new(Scripted::new(move |_| {
        let first = asked.fetch_add(1, std::sync::atomic::Ordering::Relaxed) == 0;
        addresses(if first { "127.0.0.1" } else { "10.0.0.1" })
    }));
    let options = Options { allow_private: vec!["127.0.0.1/32".parse().unwrap()], ..Options::default() };
    let fetch = Fetch::with_network(options, Arc::clone(&network) as _).unwrap();
    let url = format!("http://feed.example:{}/", origin.address.port());
    for _ in 0..2 {
        let exchange = visit(&fetch, &url).await;
        assert_eq!((told(&exchange).as_str(), exchange.address), ("200 identity 3/3", Some(origin.address)));
    }
    // Another port needs another connection, which is checked anew.
    let other = failure(visit(&fetch, "http://feed.example:8000/").await);
    assert_eq!(other, Failure::PrivateAddress([10, 0, 0, 1].into()));
    assert_eq!(network.dialled(), origin.address.to_string());
}

#[tokio::test]
async fn the_operators_list_narrows() {
    let polite = |mut guest: Caller<DuplexStream>| async move {
        guest.listen().await;
        guest.say(&ok("", "hi")).await;
    };
    for (rules, url, expected) in [
        ("feed.example", "http://feed.example/", "200 identity 2/2"),
        ("*.example", "http://a.feed.example/", "200 identity 2/2"),
        ("93.184.216.0/24", "http://feed.example/", "200 identity 2/2"),
        ("93.184.216.0/24", "http://93.184.216.34/", "200 identity 2/2"),
        (
            "feed.example",
            "http://www.feed.example/",
            "www.feed.example is not on the operator's list of hosts to visit",
        ),
        ("feed.example", "http://93.184.216.34/", "93.184.216.34 is not on the operator's list of hosts to visit"),
        ("1.1.1.0/24", "http://feed.example/", "feed.example is not on the operator's list of hosts to visit"),
        ("", "http://feed.example/", "feed.example is not on the operator's list of hosts to visit"),
        // It does not allow what the guard refuses.
        ("10.0.0.0/8", "http://10.0.0.1/", "10.0.0.1 is not an address that visits may reach"),
    ] {
        let stage = Arc::new(Stage::at(STAGE, polite));
        let rules_read = rules.split_whitespace().map(|rule| EgressRule::read(rule).unwrap()).collect();
        let options = Options { egress: Some(rules_read), ..Options::default() };
        let fetch = Fetch::with_network(options, Arc::clone(&stage) as _).unwrap();
        assert_eq!(told(&visit(&fetch, url).await), expected, "{url} by {rules:?}");
        assert_eq!(stage.dialled().is_empty(), !expected.starts_with("200"), "{url} by {rules:?}");
    }
    let network = Arc::new(Scripted::with("10.0.0.1"));
    let options = Options { egress: Some(vec![EgressRule::read("feed.example").unwrap()]), ..Options::default() };
    let fetch = Fetch::with_network(options, Arc::clone(&network) as _).unwrap();
    assert_eq!(failure(visit(&fetch, "http://feed.example/").await), Failure::PrivateAddress([10, 0, 0, 1].into()));
    visit(&fetch, "http://other.example/").await;
    assert_eq!(network.resolved(), ["feed.example"], "a host that is not on the list is not resolved");
}

#[tokio::test]
async fn a_configured_host_may_be_private_on_its_port_alone() {
    let check = async |configured: &str, address: &str, url: &str, expected: &str| {
        let network = Arc::new(Scripted::with(address));
        let options = Options { configured: Some(url::Url::parse(configured).unwrap()), ..Options::default() };
        let fetch = Fetch::with_network(options, Arc::clone(&network) as _).unwrap();
        for exchange in by_every_method(&fetch, Request::new(url, Egress::Model)).await {
            assert_eq!(told(&exchange), expected, "{url} where {configured} is configured and at {address}");
        }
        assert_eq!(network.dialled().is_empty(), expected.contains("may reach"), "{url} at {address}");
    };
    let (dialled, refused) = ("no connection: connection refused", "10.0.0.1 is not an address that visits may reach");
    check("http://gpu.lan:8000/v1", "10.0.0.1", "http://gpu.lan:8000/v1/chat/completions", dialled).await;
    check("http://10.0.0.1:8000/v1", "", "http://10.0.0.1:8000/", dialled).await;
    check("http://gpu.lan:8000/v1", "10.0.0.1", "http://gpu.lan:8001/", refused).await;
    check("http://gpu.lan:8000/v1", "10.0.0.1", "http://gpu.lan/", refused).await;
    check("http://gpu.lan:8000/v1", "10.0.0.1", "http://other.lan:8000/", refused).await;
    check("http://gpu.lan:8000/v1", "10.0.0.1", "http://10.0.0.1:8000/", refused).await;
    // A name that begins to lead to the machine's credentials is not followed there, nor is one of several addresses.
    let metadata = "169.254.169.254 is not an address that visits may reach";
    check("http://gpu.lan:8000/v1", "169.254.169.254", "http://gpu.lan:8000/", metadata).await;
    check("http://gpu.lan:8000/v1", "10.0.0.1 169.254.169.254", "http://gpu.lan:8000/", metadata).await;
}
