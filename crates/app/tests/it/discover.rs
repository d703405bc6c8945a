//! From the URL of a site to its feeds; and the icon of a site. Everything found is visited before it is shown,
//! politely: robots.txt is checked, guessing stops at the first feed.

use crate::program::Program;
use engine::{Discovery, Reach};
use jiff::SignedDuration;
use model::Viewer;
use serde_json::Value;
use testkit::{Response, World, rss};

on_both!(
    a_feed_url_needs_no_discovery,
    a_page_names_its_feeds,
    robots_txt_is_checked_for_discovered_pages,
    guessing_stops_at_the_first_feed,
    a_crawl_delay_is_kept,
    an_icon_is_recognised_by_its_bytes,
);

fn html(body: &str) -> Response {
    Response::body("text/html; charset=utf-8", format!("<!doctype html>{body}"))
}

async fn discover(world: &World, path: &str) -> Discovery {
    engine::discover(&world.engine, &world.origin.url(path), Reach::default()).await.unwrap()
}

async fn a_feed_url_needs_no_discovery(world: World) {
    world.origin.at("/feed", rss(&["one", "two", "three", "four"]));
    let found = discover(&world, "/feed").await;
    assert_eq!(found.feeds.len(), 1);
    let feed = &found.feeds[0];
    assert_eq!((feed.title.as_deref(), feed.version, feed.entries), (Some("One"), "rss20", 4));
    assert_eq!(feed.samples, ["one", "two", "three"]);
    assert_eq!(world.origin.visits(), ["GET /feed 200"], "nobody else is asked");
}

async fn a_page_names_its_feeds(world: World) {
    let page = "<title>A site</title><link rel=alternate type=application/rss+xml href=/a title=All>\
                <link rel=alternate type=application/atom+xml href=gone><a href=/page>RSS</a>";
    world.origin.at("/", html(page).with("link", "</b>; rel=\"alternate\"; type=\"application/rss+xml\""));
    world.origin.at("/a", Response::moved_to("/c")).at("/c", rss(&["one"])).at("/b", rss(&["two"]));
    world.origin.at("/page", html("<p>how to subscribe"));
    let found = discover(&world, "/").await;
    let urls: Vec<&str> = found.feeds.iter().map(|feed| feed.url.as_str()).collect();
    assert_eq!(urls, [world.origin.url("/c"), world.origin.url("/b")], "where they are now");
    assert_eq!(found.title.as_deref(), Some("A site"));
    let failed: Vec<String> = found.failed.iter().map(|(url, why)| format!("{url} {why}")).collect();
    assert_eq!(
        failed,
        [
            format!("{} the server answered 404", world.origin.url("/gone")),
            format!("{} this is a web page, not a feed", world.origin.url("/page")),
        ]
    );
}

async fn robots_txt_is_checked_for_discovered_pages(world: World) {
    world.origin.at("/robots.txt", Response::body("text/plain", "User-agent: *\nDisallow: /private"));
    let page = "<link rel=alternate type=application/rss+xml href=/private/feed>\
                <link rel=alternate type=application/rss+xml href=/public>";
    world.origin.at("/private/page", html(page)).at("/private/feed", rss(&["no"])).at("/public", rss(&["yes"]));
    let found = discover(&world, "/private/page").await;
    assert_eq!(found.feeds.len(), 1);
    assert_eq!(found.failed.len(), 1);
    let (url, why) = &found.failed[0];
    assert_eq!(*url, world.origin.url("/private/feed"));
    assert!(why.starts_with("robots.txt does not allow it: "), "{why}");
    let asked = world.origin.visits();
    assert_eq!(
        asked,
        ["GET /private/page 200", "GET /robots.txt 200", "GET /public 200"],
        "once, and not for the page"
    );

    world.advance(SignedDuration::from_hours(23));
    discover(&world, "/private/page").await;
    let count = || world.origin.visits().iter().filter(|line| *line == "GET /robots.txt 200").count();
    assert_eq!(count(), 1, "remembered for a day");
    world.advance(SignedDuration::from_hours(2));
    discover(&world, "/private/page").await;
    assert_eq!(count(), 2);

    // A feed that a user entered is visited anyway.
    world.add("/private/feed").await;
    world.run_until_idle().await;
    assert_eq!(world.titles().await, ["no"]);
}

async fn guessing_stops_at_the_first_feed(world: World) {
    world.origin.at("/robots.txt", Response::status(404)).at("/", html("<p>nothing said"));
    world.origin.at("/atom.xml", rss(&["one"])).at("/feed.xml", rss(&["one"]));
    let found = discover(&world, "/").await;
    assert_eq!(found.feeds.len(), 1, "{found:?}");
    let tried = ["GET / 200", "GET /robots.txt 404", "GET /feed 404", "GET /rss.xml 404", "GET /atom.xml 200"];
    assert_eq!(world.origin.visits(), tried);
}

async fn a_crawl_delay_is_kept(mut world: World) {
    world.configure(|options| options.pace = engine::Options::paced(1.0, 2));
    world.origin.at("/robots.txt", Response::body("text/plain", "User-agent: *\nCrawl-delay: 10"));
    let page =
        "<link rel=alternate type=application/rss+xml href=/a><link rel=alternate type=application/rss+xml href=/b>";
    world.origin.at("/", html(page)).at("/a", rss(&["one"])).at("/b", rss(&["two"]));
    discover(&world, "/").await;
    let at: Vec<i64> = world.origin.requests().iter().map(|seen| seen.at.as_second()).collect();
    let gaps: Vec<i64> = at.windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert_eq!(gaps, [1, 1, 10], "the page, robots.txt, and from then on at its pace");
}

async fn an_icon_is_recognised_by_its_bytes(world: World) {
    let svg = Response::body("image/png", "<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>");
    let png = Response::body("text/plain", b"\x89PNG\r\n\x1a\nrest".to_vec());
    let huge = Response::body("image/png", [b"\x89PNG\r\n\x1a\n".as_slice(), &vec![0; 300 << 10]].concat());
    world
        .origin
        .at("/", html("<link rel='shortcut icon' href=/svg><link rel=icon href=/huge><link rel=icon href=/png>"));
    world.origin.at("/svg", svg).at("/huge", huge).at("/png", png);
    let feed = world.add("/some/feed").await;
    let icon = async |world: &World| engine::icon(&world.engine, Viewer::Operator, feed).await.unwrap();
    let found = icon(&world).await.unwrap();
    assert_eq!((found.media_type.as_str(), found.url), ("image/png", world.origin.url("/png")));
    let asked = world.origin.visits().len();
    world.advance(SignedDuration::from_hours(24 * 29));
    assert!(icon(&world).await.is_some());
    assert_eq!(world.origin.visits().len(), asked, "kept for a month");
    for path in ["/", "/svg", "/huge", "/png"] {
        world.origin.at(path, Response::status(500));
    }
    world.advance(SignedDuration::from_hours(24 * 2));
    assert!(icon(&world).await.is_some(), "a site that is ill still has its icon");
    assert!(world.origin.visits().len() > asked, "it was asked again");
}

#[tokio::test]
async fn the_program_shows_feeds_to_choose_from() {
    let origin = testkit::Origin::start().await;
    origin.at("/", html("<link rel=alternate type=application/rss+xml href=/feed>")).at("/feed", rss(&["one", "two"]));
    let url = origin.url("/");
    let run = |arguments: &[&str]| {
        let program = Program::new().env("COURANT_ALLOW_PRIVATE", "127.0.0.0/8").env("COURANT_HOST_RPS", "0");
        let arguments: Vec<String> = arguments.iter().map(|text| (*text).to_owned()).collect();
        tokio::task::spawn_blocking(move || program.run(&arguments.iter().map(String::as_str).collect::<Vec<_>>()))
    };
    let shown = run(&["discover", &url]).await.unwrap();
    assert_eq!(shown.code, 0, "{}", shown.stderr);
    for part in [&origin.url("/feed"), "  One (rss20, 2 entries)", "  · one", "  · two", "found because"] {
        assert!(shown.stdout.contains(part), "{part} is missing in\n{}", shown.stdout);
    }
    let body: Value = serde_json::from_str(&run(&["discover", "--json", &url]).await.unwrap().stdout).unwrap();
    assert_eq!(body["feeds"][0]["url"], origin.url("/feed"));
    assert_eq!(body["feeds"][0]["samples"][1], "two");

    let nothing = run(&["discover", &origin.url("/none")]).await.unwrap();
    assert_eq!(nothing.code, 1);
    assert!(nothing.stderr.contains("/none: the server answered 404"), "{}", nothing.stderr);
}
