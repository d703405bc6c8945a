//! Truncated documents: complete entries are kept, missing ones have not left, and it is reported.

use jiff::SignedDuration;
use model::entry::Lineage;
use model::visit::PastVisit;
use model::{FeedId, Viewer};
use store::{FeedName, FeedStatus};
use testkit::{Origin, Response, World, rss};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

use crate::program::Program;

on_both!(
    a_truncated_title_renames_no_feed,
    entries_missing_from_a_truncated_document_have_not_left,
    a_truncated_transfer_is_not_parsed,
);

const DAY: SignedDuration = SignedDuration::from_hours(24);

async fn visited(world: &World) {
    world.advance(DAY * 2);
    world.run_until_idle().await;
}

async fn status(world: &World, feed: FeedId) -> FeedStatus {
    world.engine.store().feed(Viewer::Operator, &FeedName::Id(feed)).await.unwrap()
}

async fn last_visit(world: &World, feed: FeedId) -> PastVisit {
    world.engine.store().visits(Viewer::Operator, feed, 1).await.unwrap().remove(0)
}

/// Which entries left the document.
async fn left(world: &World) -> Vec<String> {
    let mut left = Vec::new();
    for title in world.titles().await {
        let entry =
            world.engine.store().entries_named(Viewer::Operator, &format!("guid-{title}")).await.unwrap().remove(0);
        if matches!(entry.lineage, Lineage::Left { .. }) {
            left.push(title);
        }
    }
    left
}

fn cut(document: &str) -> Response {
    Response::body("application/rss+xml", document).with("etag", &format!("\"{}\"", document.len()))
}

async fn a_truncated_title_renames_no_feed(world: World) {
    world.origin.at("/feed", rss(&["one", "two"]));
    let feed = world.add("/feed").await;
    world.run_until_idle().await;
    for document in ["<rss><channel><title>Flip", "<rss><channel><title>Flip</title><link>https://flip.example/</link>"]
    {
        world.origin.at("/feed", cut(document));
        visited(&world).await;
        let status = status(&world, feed).await;
        assert_eq!(status.feed.title.as_deref(), Some("One"), "{document}");
        assert_eq!(status.feed.site_url.as_deref(), Some("https://one.example/"), "{document}");
        let told = "the document is cut off before its first entry";
        assert_eq!(status.last_error.as_deref(), Some(told), "{document}");
        assert_eq!(last_visit(&world, feed).await.problems.as_deref(), Some("cut off before its first entry"));
        assert_eq!(left(&world).await, [] as [&str; 0], "{document}");
    }
    world.origin.at("/feed", rss(&["one", "two"]));
    visited(&world).await;
    assert_eq!((status(&world, feed).await.last_error, left(&world).await), (None, vec![]));
}

async fn entries_missing_from_a_truncated_document_have_not_left(world: World) {
    world.origin.at("/feed", rss(&["one", "two"]));
    let feed = world.add("/feed").await;
    world.run_until_idle().await;
    let three = "<item><guid isPermaLink=\"false\">guid-three</guid><title>three</title><pubDate>soon</pubDate></item>";
    let document = format!("<rss><channel><title>Flip</title><ttl>9</ttl>{three}<item><guid>guid-four</guid><title>fo");
    world.origin.at("/feed", cut(&document));
    visited(&world).await;
    assert_eq!(world.titles().await, ["one", "two", "three"], "what was whole is kept, and nothing else");
    assert_eq!(left(&world).await, [] as [&str; 0]);
    assert_eq!(status(&world, feed).await.feed.title.as_deref(), Some("One"));
    let told = "cut off after 1 entry; 1 date not understood";
    assert_eq!(last_visit(&world, feed).await.problems.as_deref(), Some(told));
    // The whole document is requested, unconditionally.
    visited(&world).await;
    let requests = world.origin.requests();
    assert_eq!(requests.last().unwrap().header("if-none-match"), None);
    // The same bytes again mean that it is complete: from then on requests are conditional.
    visited(&world).await;
    assert_eq!(world.origin.requests().last().unwrap().status, 304);
    world.origin.at("/feed", rss(&["two", "three"]));
    visited(&world).await;
    assert_eq!(left(&world).await, ["one"], "a whole document tells");
}

/// Sends these bytes to every client, and closes.
async fn saying(bytes: String) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut request = [0; 4096];
            let _ = stream.read(&mut request).await;
            let _ = stream.write_all(bytes.as_bytes()).await;
        }
    });
    format!("http://{address}/feed")
}

async fn a_truncated_transfer_is_not_parsed(world: World) {
    // Looks complete: only the transfer says that there is more.
    let document = "<rss><channel><title>Half</title><item><guid>1</guid><title>one</title></item></channel></rss>";
    let length = document.len();
    let check = async |what: &str, head: &str, body: &str| {
        let url = saying(format!("HTTP/1.1 200 OK\r\netag: \"a\"\r\nconnection: close\r\n{head}\r\n\r\n{body}")).await;
        let feed = world.add_url(&url).await;
        world.run_until_idle().await;
        let status = status(&world, feed).await;
        let told = "the answer breaks the protocol: the body ends early";
        assert_eq!(status.last_error.as_deref(), Some(told), "{what}");
        assert_eq!((status.feed.title, world.titles().await), (None, vec![]), "{what}");
        let raw = world.engine.store().raw_fetches(Viewer::Operator, feed, 9).await.unwrap();
        assert!(raw.len() == 1 && raw[0].truncated && !raw[0].understood, "{what}: {raw:?}");
    };
    check("a length", &format!("content-length: {}", length + 500), document).await;
    let chunk = format!("{length:x}\r\n{document}\r\n");
    check("chunks", "transfer-encoding: chunked", &chunk).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn problems_of_a_document_are_shown() {
    let origin = Origin::start().await;
    let item = "<item><guid>1</guid><title>one</title></item>";
    origin.at("/feed", cut(&format!("<rss><channel><title>Half</title>{item}<item>")));
    let url = origin.url("/feed");
    let run = move || {
        let program = Program::new().env("COURANT_ALLOW_PRIVATE", "127.0.0.0/8").env("COURANT_HOST_RPS", "0");
        let program = program.env("COURANT_LOG", "info");
        assert_eq!(program.run(&["feed", "add", "--as-is", &url]).code, 0);
        let fetched = program.run(&["fetch", "--all"]);
        let said = fetched.stderr.contains(r#""problems":"cut off after 1 entry""#);
        assert!(said, "{}", fetched.stderr);
        let shown = program.run(&["feed", "show", "1"]).stdout;
        assert!(shown.contains("  problems    cut off after 1 entry (read 2"), "{shown}");
        let told = program.run(&["feed", "explain", "1"]).stdout;
        assert!(told.contains("(1 new entry; cut off after 1 entry)"), "{told}");
        let shown: serde_json::Value =
            serde_json::from_str(&program.run(&["feed", "show", "1", "--json"]).stdout).unwrap();
        assert_eq!(shown["last_visits"][0]["problems"], "cut off after 1 entry");
    };
    tokio::task::spawn_blocking(run).await.unwrap();
}
