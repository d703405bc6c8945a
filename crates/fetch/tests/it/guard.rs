//! No connection to an address that is not global, however it is written.

use crate::network::Scripted;
use crate::origin::{Canary, Origin, ok};
use crate::{at_home, failure, told, visit, visit_with};
use fetch::{Egress, Fetch, Options, Request};
use model::visit::Failure;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

fn on(options: Options, network: Scripted) -> (Fetch, Arc<Scripted>) {
    let network = Arc::new(network);
    (Fetch::with_network(options, Arc::clone(&network) as _).unwrap(), network)
}

#[tokio::test]
async fn private_addresses_are_never_contacted() {
    let fetch = Fetch::new(Options::default()).unwrap();
    let check = async |canary: &Canary, hosts: &[&str]| {
        for host in hosts {
            for scheme in ["http", "https"] {
                let url = format!("{scheme}://{host}:{}/", canary.port());
                let answer = visit(&fetch, &url).await.answer;
                assert!(matches!(answer, Err(Failure::PrivateAddress(_))), "{url}: {answer:?}");
            }
        }
        canary.expect_silence();
    };
    let spellings = ["127.0.0.1", "2130706433", "0x7f000001", "017700000001", "0x7f.1", "127.1", "0177.0.0.01"];
    let canary = Canary::at("127.0.0.1:0");
    check(&canary, &spellings).await;
    check(&canary, &["①②⑦.⓪.⓪.①", "１２７.0.0.1", "127。0。0。1", "127.0.0.1.", "%31%32%37.0.0.1", "0", "0.0.0.0"])
        .await;
    check(&canary, &["[::ffff:127.0.0.1]", "[::127.0.0.1]", "[::ffff:7f00:1]", "[64:ff9b::7f00:1]", "localhost"]).await;
    check(&Canary::at("127.0.0.2:0"), &["127.0.0.2", "127.2", "2130706434"]).await;
    if std::net::TcpListener::bind("[::1]:0").is_ok() {
        check(&Canary::at("[::1]:0"), &["[::1]", "[0:0:0:0:0:0:0:1]", "[::]"]).await;
    }
}

#[tokio::test]
async fn an_opened_network_is_opened_and_no_other() {
    let origin = Origin::saying(ok("", "hi")).await;
    let canary = Canary::at("127.0.0.2:0");
    let options = || Options { allow_private: vec!["127.0.0.1/32".parse().unwrap()], ..Options::default() };
    assert_eq!(told(&visit_with(options(), &origin.url("/")).await), "200 identity 2/2");
    let refused = failure(visit_with(options(), &format!("http://127.0.0.2:{}/", canary.port())).await);
    assert_eq!(refused, Failure::PrivateAddress("127.0.0.2".parse().unwrap()));
    canary.expect_silence();
}

#[tokio::test]
async fn one_private_address_rejects_the_name() {
    for (addresses, refused) in [
        ("10.0.0.1", "10.0.0.1"),
        ("93.184.216.34 10.0.0.1", "10.0.0.1"),
        ("169.254.169.254 93.184.216.34", "169.254.169.254"),
        ("93.184.216.34 ::1", "::1"),
        ("2606:4700::1111 fd00:ec2::254", "fd00:ec2::254"),
        ("::ffff:8.8.8.8", "::ffff:8.8.8.8"),
        ("168.63.129.16", "168.63.129.16"),
        ("0.0.0.0", "0.0.0.0"),
    ] {
        let (fetch, network) = on(Options::default(), Scripted::with(addresses));
        for url in ["http://feed.example/", "https://feed.example/"] {
            let exchange = visit(&fetch, url).await;
            assert_eq!(exchange.address, None);
            assert_eq!(failure(exchange), Failure::PrivateAddress(refused.parse().unwrap()), "{addresses}");
        }
        assert_eq!(network.dialled(), "", "{addresses}");
    }
}

#[tokio::test]
async fn dns_rebinding_gains_nothing() {
    // Public at the first query, loopback after that: DNS rebinding.
    let asked = AtomicUsize::new(0);
    let canary = Canary::at("127.0.0.1:0");
    let (fetch, network) = on(
        Options::default(),
        Scripted::new(move |_| {
            let first = asked.fetch_add(1, Ordering::Relaxed) == 0;
            vec![IpAddr::from(if first { [93, 184, 216, 34] } else { [127, 0, 0, 1] })]
        }),
    );
    let url = format!("http://rebind.example:{}/", canary.port());
    assert_eq!(failure(visit(&fetch, &url).await), Failure::Connect("connection refused".to_owned()));
    assert_eq!(network.resolved(), ["rebind.example"], "one exchange resolves once");
    assert_eq!(network.dialled(), format!("93.184.216.34:{}", canary.port()));
    assert_eq!(failure(visit(&fetch, &url).await), Failure::PrivateAddress([127, 0, 0, 1].into()));
    assert_eq!(network.dialled(), format!("93.184.216.34:{}", canary.port()), "and the next one dials nothing");
    canary.expect_silence();
}

#[tokio::test]
async fn the_peer_must_be_the_dialled_address() {
    let origin = Origin::saying(ok("", "hi")).await;
    for (claims, expected) in [
        ("10.0.0.1:80", Failure::PrivateAddress([10, 0, 0, 1].into())),
        ("93.184.216.34:80", Failure::Connect("another host than the one dialled answered".to_owned())),
    ] {
        let mut network = Scripted::with("127.0.0.1");
        network.claims = Some(claims.parse().unwrap());
        let (fetch, _) = on(at_home(), network);
        let url = format!("http://feed.example:{}/", origin.address.port());
        assert_eq!(failure(visit(&fetch, &url).await), expected);
    }
    assert_eq!(origin.heads(), [""; 0], "not a byte was sent");
}

#[tokio::test]
async fn urls_that_are_refused_are_not_even_resolved() {
    let (fetch, network) = on(Options::default(), Scripted::with("93.184.216.34"));
    for url in [
        "ftp://feed.example/",
        "file:///etc/passwd",
        "gopher://feed.example/",
        "feed:http://feed.example/",
        "ftp://ada:secret@feed.example/",
        "http://feed.example:22/",
        "http://feed.example:6667/",
        "http://",
        "feed.example",
        "",
    ] {
        let exchange = visit(&fetch, url).await;
        assert!(!exchange.url.contains("secret"), "{}", exchange.url);
        assert!(matches!(exchange.answer, Err(Failure::Url(_))), "{url}: {:?}", exchange.answer);
    }
    let proxied = Request::new("http://feed.example:8080/", Egress::Proxy);
    assert!(matches!(fetch.exchange(proxied).await.answer, Err(Failure::Url(_))));
    assert_eq!((network.resolved().len(), network.dialled()), (0, String::new()));
}

#[tokio::test]
async fn a_name_without_addresses_has_none() {
    let (fetch, _) = on(Options::default(), Scripted::with(""));
    let exchange = visit(&fetch, "http://feed.example/").await;
    assert_eq!(told(&exchange), "the host name cannot be resolved: the host has no address");
    assert!(exchange.timings.dns.is_some());
}
