//! `/api/proxy`, on a network inside the test: names are public hosts, and what is dialled is recorded.

use crate::support::Api;
use fetch::{Dialled, Fetch, Network, Options, Promise};
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex};
use testkit::World;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

on_both!(a_page_of_a_post_is_fetched_and_cleaned, nothing_else_is_asked_for, what_servers_do_is_said_in_constants);

const PUBLIC: &str = "93.184.216.34";

/// Public hosts that respond as scripted, and one that is not public.
#[derive(Default)]
struct Town {
    requests: Arc<Mutex<Vec<String>>>,
    /// Addresses that are not public.
    inside: Mutex<Vec<SocketAddr>>,
}

impl Network for Town {
    fn resolve<'a>(&'a self, name: &'a str) -> Promise<'a, Vec<IpAddr>> {
        let address = if name == "inside.example" { "10.0.0.1" } else { PUBLIC };
        Box::pin(async move { Ok(vec![address.parse().unwrap()]) })
    }

    fn dial(&self, address: SocketAddr) -> Promise<'_, Dialled> {
        Box::pin(async move {
            if address.ip() != PUBLIC.parse::<IpAddr>().unwrap() {
                self.inside.lock().unwrap().push(address);
                return Err(io::ErrorKind::ConnectionRefused.into());
            }
            let (ours, mut theirs) = tokio::io::duplex(1 << 20);
            let requests = Arc::clone(&self.requests);
            tokio::spawn(async move {
                let mut request = vec![0; 8192];
                if let Ok(read @ 1..) = theirs.read(&mut request).await {
                    let request = String::from_utf8_lossy(&request[..read]).into_owned();
                    let path = request.split(' ').nth(1).unwrap_or("/").to_owned();
                    requests.lock().unwrap().push(request);
                    let _ = theirs.write_all(&answer(&path)).await;
                }
            });
            Ok(Dialled { stream: Box::new(ours), peer: address })
        })
    }
}

impl Town {
    /// The last request.
    fn last(&self) -> String {
        self.requests.lock().unwrap().last().cloned().unwrap_or_default()
    }
}

fn answer(path: &str) -> Vec<u8> {
    let whole = |status: &str, kind: &str, body: &str| {
        let head = format!(
            "HTTP/1.1 {status}\r\nconnection: close\r\ncontent-type: {kind}\r\ncontent-length: {}\r\n\r\n",
            body.len()
        );
        [head.as_bytes(), body.as_bytes()].concat()
    };
    let words = "These are many words of an article that somebody has written for people who read, ".repeat(20);
    match path {
        "/feed" => {
            let links = ["/page", "/page?a=1&utm_source=feed", "/moved", "/missing", "/large", "/picture", "/short"];
            let links = links.map(|path| format!("http://one.example{path}"));
            let other = [
                "http://other.example/page",
                "http://10.0.0.1/page",
                "http://one.example:8080/page",
                "http://inside.example/page",
            ];
            let items: Vec<String> = links
                .iter()
                .map(String::as_str)
                .chain(other)
                .map(|link| {
                    format!(
                        "<item><guid>{link}</guid><title>{link}</title><link>{}</link></item>",
                        link.replace('&', "&amp;")
                    )
                })
                .collect();
            let feed = format!(
                "<rss version='2.0'><channel><title>One</title><link>http://one.example/</link>{}</channel></rss>",
                items.concat()
            );
            whole("200 OK", "application/rss+xml", &feed)
        }
        "/moved" => {
            b"HTTP/1.1 302 Found\r\nconnection: close\r\nlocation: http://one.example/page\r\ncontent-length: 0\r\n\r\n"
                .to_vec()
        }
        "/large" => whole("200 OK", "text/html", &"<p>words ".repeat(5 << 17)),
        "/picture" => whole("200 OK", "image/svg+xml", "<svg><script>alert(1)</script></svg>"),
        "/short" => whole("200 OK", "text/html", "<p>Few <b onclick=alert(1)>words</b><script>alert(1)</script>"),
        path if path.starts_with("/page") => {
            let page = format!(
                "<html><head><title>T</title></head><body><nav>Menu</nav><article><p>{words}</p><p onclick=alert(1)>{words}<a href='/x'>x</a></p><script>alert(1)</script></article></body></html>"
            );
            whole("200 OK", "text/html; charset=utf-8", &page)
        }
        _ => whole("404 Not Found", "text/html", "a secret of the server"),
    }
}

/// Ada follows a feed of that network.
async fn scene(mut world: World) -> (Api, Arc<Town>) {
    let town = Arc::<Town>::default();
    world.reach_by(Fetch::with_network(Options::default(), Arc::clone(&town) as Arc<dyn Network>).unwrap());
    let api = Api::new(world).await;
    api.follow_url(&api.ada, "http://one.example/feed").await;
    (api, town)
}

fn path(url: &str) -> String {
    format!("/api/proxy?url={}", url::form_urlencoded::byte_serialize(url.as_bytes()).collect::<String>())
}

async fn a_page_of_a_post_is_fetched_and_cleaned(world: World) {
    let (api, town) = scene(world).await;
    // As the feed has it, and as it is compared.
    for url in ["http://one.example/page", "http://one.example/page?a=1&utm_source=feed", "http://one.example/page?a=1"]
    {
        let answer = api.get(&api.ada, &path(url)).await;
        let html = answer.text();
        assert_eq!(answer.status, 200, "{url}: {html}");
        assert!(html.contains("many words of an article") && html.contains("http://one.example/x"), "{html}");
        assert!(!["script", "onclick", "alert", "Menu"].iter().any(|word| html.contains(word)), "{html}");
        assert_eq!(answer.header("content-type"), "text/html; charset=utf-8");
        assert_eq!(answer.header("content-security-policy"), "default-src 'none'; sandbox");
        assert_eq!(answer.header("x-content-type-options"), "nosniff");
        let request = town.last().to_lowercase();
        assert!(request.contains("\r\nuser-agent: rssreader/1.0\r\n"), "{request}");
        assert!(!request.contains("\r\ncookie:") && !request.contains("\r\nauthorization:"), "{request}");
    }
    // A page without an article is cleaned as a whole.
    let short = api.get(&api.ada, &path("http://one.example/short")).await;
    assert_eq!((short.status, short.text().trim()), (200, "<p>Few <b>words</b></p>"));
}

async fn nothing_else_is_asked_for(world: World) {
    let (api, town) = scene(world).await;
    let asked = town.requests.lock().unwrap().len();
    let refused = [
        "http://one.example/other",
        "http://one.example/page?a=1&utm_source=other",
        "http://one.example/page#x",
        "http://ONE.example/page",
        "https://one.example/page",
        "http://other.example/page",
        "http://10.0.0.1/page",
        "http://one.example:8080/page",
        "http://inside.example/page",
        "file:///etc/passwd",
        "http://[::1]/",
        "one.example/page",
        "",
    ];
    for url in refused {
        assert_eq!(api.get(&api.ada, &path(url)).await.detail(400), "URL not allowed", "{url}");
    }
    assert_eq!(api.get(&api.ada, "/api/proxy").await.status, 422);
    // Who does not follow the feed has no such post.
    assert_eq!(api.get(&api.bob, &path("http://one.example/page")).await.detail(400), "URL not allowed");
    assert_eq!(town.requests.lock().unwrap().len(), asked, "nobody was asked");
    assert!(town.inside.lock().unwrap().is_empty());
}

async fn what_servers_do_is_said_in_constants(world: World) {
    let (api, town) = scene(world).await;
    for url in ["http://one.example/moved", "http://one.example/missing", "http://one.example/picture"] {
        let answer = api.get(&api.ada, &path(url)).await;
        assert_eq!(answer.detail(400), "Resource not available", "{url}");
        assert!(!answer.text().contains("secret"), "{url}");
    }
    assert_eq!(api.get(&api.ada, &path("http://one.example/large")).await.detail(413), "Resource too large");
    // A host of a feed whose name leads inside now: the guard of `fetch` refuses it.
    let store = api.world.engine.store();
    let feed = store.followed(api.ada.user).await.unwrap()[0].feed;
    assert!(store.set_url(feed, "http://inside.example/feed", [None, None], api.world.now()).await.unwrap());
    assert_eq!(api.get(&api.ada, &path("http://inside.example/page")).await.detail(400), "Resource not available");
    assert!(town.inside.lock().unwrap().is_empty(), "not even dialled");
}
