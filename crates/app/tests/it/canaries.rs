//! No path of the engine leads to a non-public address: no redirect, odd name, page, icon, list of feeds, nor anything
//! that a feed says. On a network inside the test, which records dialled addresses and connects nowhere.

use model::Viewer;
use std::collections::HashSet;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use engine::{Reach, Wanted};
use fetch::{Dialled, Fetch, Network, Options, Promise};
use jiff::SignedDuration;
use store::FeedName;
use testkit::World;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

const PUBLIC: &str = "93.184.216.34";

/// Public hosts that respond as scripted; any other dialled address is recorded.
#[derive(Default)]
struct Town {
    dialled: Mutex<HashSet<IpAddr>>,
    lookups: AtomicUsize,
}

impl Network for Town {
    fn resolve<'a>(&'a self, name: &'a str) -> Promise<'a, Vec<IpAddr>> {
        let addresses = match name {
            "both.example" => vec![PUBLIC, "127.0.0.1"],
            "six.example" => vec![PUBLIC, "::1"],
            "inside.example" => vec!["169.254.169.254"],
            "local.example" => vec!["fd00::1"],
            // Public when it is checked first, private when it is resolved again.
            "rebinding.example" if self.lookups.fetch_add(1, Ordering::Relaxed) % 2 == 1 => vec!["127.0.0.1"],
            _ => vec![PUBLIC],
        };
        Box::pin(async move { Ok(addresses.iter().map(|address| address.parse().unwrap()).collect()) })
    }

    fn dial(&self, address: SocketAddr) -> Promise<'_, Dialled> {
        self.dialled.lock().unwrap().insert(address.ip());
        Box::pin(async move {
            if address.ip() != PUBLIC.parse::<IpAddr>().unwrap() {
                return Err(io::ErrorKind::ConnectionRefused.into());
            }
            let (ours, mut theirs) = tokio::io::duplex(2 << 20);
            tokio::spawn(async move {
                let mut request = vec![0; 8192];
                if let Ok(read @ 1..) = theirs.read(&mut request).await {
                    let request = String::from_utf8_lossy(&request[..read]).into_owned();
                    let path = request.split(' ').nth(1).unwrap_or("/").to_owned();
                    let _ = theirs.write_all(answer(&path).as_bytes()).await;
                }
            });
            Ok(Dialled { stream: Box::new(ours), peer: address })
        })
    }
}

fn answer(path: &str) -> String {
    let whole = |kind: &str, body: &str| {
        format!(
            "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-type: {kind}\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        )
    };
    let to = |status: u16, location: &str| {
        format!("HTTP/1.1 {status} x\r\nconnection: close\r\nlocation: {location}\r\ncontent-length: 0\r\n\r\n")
    };
    match path {
        "/301" => to(301, "http://127.0.0.1:6379/"),
        "/302" => to(302, "http://169.254.169.254/latest/meta-data/"),
        "/307" => to(307, "http://[::1]:8100/"),
        "/308" => to(308, "http://0x7f.1/"),
        "/file" => to(302, "file:///etc/passwd"),
        "/relative" => to(302, "//127.0.0.1/"),
        "/name" => to(302, "http://inside.example/"),
        "/unicode" => to(302, "http://①②⑦.⓪.⓪.①/"),
        "/mapped" => to(302, "http://[::ffff:10.0.0.1]/"),
        "/huge" => to(302, &format!("http://127.0.0.1/{}", "a".repeat(60_000))),
        "/refresh" => whole("text/html", "<meta http-equiv=refresh content='0;url=http://127.0.0.1/'>"),
        "/site" => whole(
            "text/html",
            "<link rel=icon href=http://169.254.169.254/icon.png><link rel=alternate type=application/rss+xml \
             href=http://127.0.0.1/feed><link rel=alternate type=application/rss+xml href=http://local.example/feed>",
        ),
        "/feed" => whole(
            "application/rss+xml",
            "<rss version='2.0' xml:base='http://127.0.0.1/' xmlns:atom='http://www.w3.org/2005/Atom' \
             xmlns:itunes='http://www.itunes.com/dtds/podcast-1.0.dtd'><channel><title>One</title>\
             <itunes:new-feed-url>http://10.0.0.1/</itunes:new-feed-url><image><url>http://10.0.0.1/i.png</url></image>\
             <atom:link rel='hub' href='http://127.0.0.1/'/><atom:link rel='next' href='http://10.0.0.1/'/>\
             <item><guid>1</guid><title>one</title><enclosure url='http://10.0.0.1/a.mp3' type='audio/mpeg'/>\
             <description>&lt;img src='http://169.254.169.254/'&gt;</description></item></channel></rss>",
        ),
        _ => "HTTP/1.1 404 Not Found\r\nconnection: close\r\ncontent-length: 0\r\n\r\n".to_owned(),
    }
}

/// A world on such a network.
async fn town() -> (World, Arc<Town>) {
    let mut world = World::simulated().await;
    let town = Arc::<Town>::default();
    world.reach_by(Fetch::with_network(Options::default(), Arc::clone(&town) as Arc<dyn Network>).unwrap());
    (world, town)
}

impl Town {
    #[track_caller]
    fn expect_only_public(&self) {
        let dialled = self.dialled.lock().unwrap();
        assert!(dialled.iter().all(|address| address.to_string() == PUBLIC), "{dialled:?}");
    }
}

#[tokio::test]
async fn no_feed_reaches_a_private_address() {
    let (world, town) = town().await;
    let inside = [
        "http://127.0.0.1/",
        "http://[::1]/",
        "http://2130706433/",
        "http://169.254.169.254/",
        "http://both.example/feed",
        "http://six.example/feed",
        "http://inside.example/feed",
        "http://local.example/feed",
    ];
    let paths = ["301", "302", "307", "308", "file", "relative", "name", "unicode", "mapped", "huge", "refresh"];
    let redirects = paths.iter().map(|path| format!("http://public.example/{path}"));
    let urls: Vec<String> = inside.iter().map(|&url| url.to_owned()).chain(redirects).collect();
    for url in &urls {
        engine::add_feed(&world.engine, &Wanted::at(url)).await.unwrap();
    }
    let good = world.add_url("http://public.example/feed").await;
    // Eight at a time of one publisher; the others come a second later.
    for _ in 0..5 {
        world.run_until_idle().await;
        world.advance(SignedDuration::from_secs(2));
    }
    let mut errors = Vec::new();
    for url in &urls {
        let url = url::Url::parse(url).unwrap().to_string();
        let status = world.engine.store().feed(Viewer::Operator, &FeedName::Url(url.clone())).await.unwrap();
        if status.last_error.is_none() {
            errors.push(url);
        }
    }
    assert_eq!(errors, Vec::<String>::new(), "each is refused in words");
    let status = world.engine.store().feed(Viewer::Operator, &FeedName::Id(good)).await.unwrap();
    assert_eq!((status.last_error, status.new_entries), (None, 1), "the others do not notice");
    for _ in 0..6 {
        world.advance(SignedDuration::from_hours(30));
        world.run_until_idle().await;
    }
    town.expect_only_public();
}

#[tokio::test]
async fn dns_rebinding_dials_the_checked_address() {
    let (world, town) = town().await;
    world.add_url("http://rebinding.example/feed").await;
    for _ in 0..6 {
        world.run_until_idle().await;
        world.advance(SignedDuration::from_hours(30));
    }
    town.expect_only_public();
    assert!(town.lookups.load(Ordering::Relaxed) >= 4, "it was asked again and again");
}

#[tokio::test]
async fn pages_and_icons_reach_no_private_address() {
    let (world, town) = town().await;
    let found = engine::discover(&world.engine, "http://public.example/site", Reach::default()).await.unwrap();
    let failed: Vec<&str> = found.failed.iter().map(|(_, why)| why.as_str()).collect();
    assert_eq!(found.feeds.len(), 0);
    assert!(failed.len() == 2, "{failed:?}");
    let site = engine::add_feed(&world.engine, &Wanted::at("http://public.example/site")).await.unwrap().id();
    assert!(engine::icon(&world.engine, Viewer::Operator, site).await.unwrap().is_none());
    let opml = "<opml version='2.0'><body><outline xmlUrl='http://127.0.0.1:8100/'/></body></opml>";
    let (options, limits) = (syndication::opml::Options::default(), syndication::opml::Limits::default());
    let (list, _) = syndication::opml::read(opml.as_bytes(), &options, &limits).unwrap();
    let owner = world.engine.store().owner().await.unwrap().id;
    engine::import(
        &world.engine,
        owner,
        &list,
        (None, engine::Importing::Write, model::feed::Origin::Operator),
        |_| (),
    )
    .await
    .unwrap();
    world.advance(SignedDuration::from_hours(1));
    world.run_until_idle().await;
    town.expect_only_public();
}
