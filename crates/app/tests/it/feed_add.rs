//! `courant feed add`: the URL of a site is enough, the owner is subscribed, and a URL that is known with other
//! credentials is refused. `courant feed edit` changes existing feeds.

use serde_json::Value;
use testkit::{Origin, Response, rss};

use crate::program::{Program, Run};

async fn run(program: &Program, arguments: &[&str]) -> Run {
    let mut command = program.command(arguments);
    tokio::task::spawn_blocking(move || command.output().unwrap().into()).await.unwrap()
}

fn program() -> Program {
    Program::new().env("COURANT_ALLOW_PRIVATE", "127.0.0.0/8").env("COURANT_HOST_RPS", "0")
}

fn json(run: &Run) -> Value {
    serde_json::from_str(&run.stdout).unwrap_or_else(|_| panic!("{}{}", run.stdout, run.stderr))
}

fn page(links: &[&str]) -> Response {
    let link = |href: &&str| format!("<link rel=alternate type=application/rss+xml href={href}>");
    let links: String = links.iter().map(link).collect();
    Response::body("text/html; charset=utf-8", format!("<!doctype html><title>A site</title>{links}"))
}

#[tokio::test]
async fn the_address_of_a_site_is_enough() {
    let (origin, other) = (Origin::start().await, Origin::start().await);
    origin.at("/", page(&["/feed"])).at("/feed", rss(&["one"]));
    other.at("/empty", page(&[]));
    let program = program();
    let added = run(&program, &["feed", "add", &origin.url("/")]).await;
    assert_eq!((added.code, added.stdout), (0, format!("1  {}  added\n", origin.url("/feed"))), "{}", added.stderr);
    assert!(added.stderr.contains("no server is running: `courant serve`"), "{}", added.stderr);
    let again = run(&program, &["feed", "add", &origin.url("/feed")]).await;
    assert!(again.stdout.ends_with("already there\n"), "{}", again.stdout);
    assert_eq!(again.stderr, "", "nothing is new: nobody need be told who visits it");
    let none = run(&program, &["feed", "add", &other.url("/empty"), &other.url("/gone")]).await;
    assert_eq!((none.code, none.stdout.as_str()), (1, ""));
    assert!(none.stderr.contains("no feed was found at") && none.stderr.contains("answered 404"), "{}", none.stderr);
    let all_the_same = run(&program, &["feed", "add", "--as-is", &origin.url("/gone")]).await;
    assert_eq!(all_the_same.code, 0);
}

#[tokio::test]
async fn of_several_feeds_one_is_chosen() {
    let origin = Origin::start().await;
    origin.at("/", page(&["/a", "/b"])).at("/a", rss(&["one"])).at("/b", rss(&["two"]));
    let (program, site) = (program(), origin.url("/"));
    let open = run(&program, &["feed", "add", &site]).await;
    assert_eq!((open.code, open.stdout.as_str()), (3, ""), "{}", open.stderr);
    for part in [format!("  1  {}", origin.url("/a")), format!("  2  {}", origin.url("/b")), "--pick NUMBER".into()] {
        assert!(open.stderr.contains(&part), "{part} in\n{}", open.stderr);
    }
    let open = run(&program, &["feed", "add", &site, "--json"]).await;
    assert_eq!((open.code, &json(&open)[0]["feeds"][1]), (3, &origin.url("/b").into()));
    let none = run(&program, &["feed", "add", &site, "--pick", "3"]).await;
    assert!(none.code == 1 && none.stderr.contains("there is no number 3"), "{}", none.stderr);
    let second = run(&program, &["feed", "add", &site, "--pick", "2"]).await;
    assert_eq!(second.stdout, format!("1  {}  added\n", origin.url("/b")), "{}", second.stderr);
    let all = run(&program, &["feed", "add", &site, "--pick", "all", "--json"]).await;
    let rows = json(&all);
    let results: Vec<&str> = rows.as_array().unwrap().iter().map(|row| row["result"].as_str().unwrap()).collect();
    assert_eq!(results, ["added", "already there"]);
}

#[tokio::test]
async fn addresses_may_be_typed_loosely() {
    let origin = Origin::start().await;
    origin.at("/feed", rss(&["one"])).at("/other", rss(&["two"])).at("/third", rss(&["three"]));
    let program = program();
    let bare = |path: &str| origin.url(path).trim_start_matches("http://").to_owned();
    for typed in [bare("/feed"), format!("feed:{}", origin.url("/other")), format!("feed://{}", bare("/third"))] {
        let added = run(&program, &["feed", "add", &typed]).await;
        assert!(added.code == 0 && added.stdout.ends_with("  added\n"), "{typed}: {}{}", added.stdout, added.stderr);
    }
    let urls = json(&run(&program, &["feed", "list", "--json"]).await);
    assert_eq!(urls[0]["url"], origin.url("/feed"), "only there without https");
    assert_eq!(urls[1]["url"], origin.url("/other"));
    assert_eq!(urls[2]["url"], origin.url("/third"));
}

#[tokio::test]
async fn adding_a_feed_subscribes_the_owner() {
    let origin = Origin::start().await;
    origin.at("/a", rss(&["one"])).at("/b", rss(&["two"])).at("/c", rss(&["three"]));
    let program = program();
    let added = run(&program, &["feed", "add", &origin.url("/a"), "--json"]).await;
    assert_eq!(json(&added)[0]["subscribed"], true);
    let engine = run(&program, &["feed", "add", &origin.url("/b"), "--no-subscribe", "--json"]).await;
    assert_eq!(json(&engine)[0]["subscribed"], false);
    let list = run(&program, &["opml", "export"]).await;
    assert!(list.stdout.contains("/a\"") && !list.stdout.contains("/b\""), "{}", list.stdout);
    let deframer = run(&program, &["--preset", "deframer", "feed", "add", &origin.url("/c"), "--json"]).await;
    assert_eq!(json(&deframer)[0]["subscribed"], false);
    let visits = origin.visits();
    assert!(!visits.iter().any(|line| line.contains("/c")), "the deframer takes an address as it is: {visits:?}");
}

#[tokio::test]
async fn a_feed_on_a_server_that_is_down_can_be_added() {
    let origin = Origin::start().await;
    origin.at("/ill", Response::status(500));
    let program = program();
    let nobody = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let added = run(&program, &["feed", "add", &origin.url("/ill"), &format!("http://{nobody}/feed")]).await;
    assert_eq!(added.code, 0, "{}", added.stderr);
    assert!(added.stdout.contains("could not be visited yet (the server answered 500)"), "{}", added.stdout);
    let guarded = Program::new();
    let refused = run(&guarded, &["feed", "add", &origin.url("/ill")]).await;
    assert!(refused.code == 1 && refused.stderr.contains("--allow-private 127.0.0.1"), "{}", refused.stderr);
}

#[tokio::test]
async fn a_known_url_with_other_credentials_is_refused() {
    let program = Program::new().file("one", "hunter2\n").file("two", "swordfish\n");
    let url = "https://private.example/feed";
    let with = |secret| ["feed", "add", url, "--auth", "basic:ada", "--secret-file", secret];
    assert_eq!(run(&program, &with("one")).await.code, 0);
    let same = run(&program, &with("one")).await;
    assert!(same.code == 0 && same.stdout.contains("already there"), "{}{}", same.stdout, same.stderr);
    let other = run(&program, &with("two")).await;
    assert!(other.code == 1 && other.stderr.contains("`courant feed edit 1 --auth"), "{}", other.stderr);
    let plain = run(&program, &["feed", "add", url]).await;
    assert!(plain.code == 0 && plain.stdout.contains("already there"), "{}{}", plain.stdout, plain.stderr);
    assert_eq!(json(&run(&program, &["feed", "list", "--json"]).await).as_array().unwrap().len(), 1);

    let public = "https://public.example/feed";
    assert_eq!(run(&program, &["feed", "add", "--as-is", public]).await.code, 0);
    let secret = run(&program, &["feed", "add", public, "--auth", "bearer", "--secret-file", "two"]).await;
    assert!(secret.code == 1 && secret.stderr.contains("is feed 2 already, without credentials"), "{}", secret.stderr);
    let edited = run(&program, &["feed", "edit", "2", "--auth", "bearer", "--secret-file", "two"]).await;
    assert_eq!(edited.code, 0, "{}", edited.stderr);
    let now = run(&program, &["feed", "add", public, "--auth", "bearer", "--secret-file", "two"]).await;
    assert!(now.stdout.contains("already there"), "{}", now.stderr);
}

#[tokio::test]
async fn a_feed_is_edited() {
    let origin = Origin::start().await;
    origin.at("/old", rss(&["one"])).at("/new", rss(&["one", "two"]));
    let program = program();
    assert_eq!(run(&program, &["feed", "add", &origin.url("/old")]).await.code, 0);
    assert_eq!(run(&program, &["fetch"]).await.code, 0);
    let new = origin.url("/new");
    let edit = ["feed", "edit", "1", "--url", &new, "--title", "Mine", "--category", "News"];
    let edited = run(&program, &edit).await;
    assert_eq!(edited.code, 0, "{}", edited.stderr);
    assert!(edited.stdout.starts_with(&format!("1  {new}  filed in News; called Mine; ")), "{}", edited.stdout);
    let fetched = json(&run(&program, &["fetch", "--json"]).await);
    assert_eq!((&fetched["fresh"], &fetched["new_entries"]), (&1.into(), &1.into()), "the same feed elsewhere");
    let list = run(&program, &["feed", "list", "--category", "News"]).await.stdout;
    assert!(list.contains("Mine"), "{list}");
    let entries = run(&program, &["entry", "list"]).await.stdout;
    assert!(entries.contains("Mine") && entries.contains("two"), "entries name their feeds:\n{entries}");
    assert_eq!(run(&program, &["feed", "add", &origin.url("/old")]).await.code, 0);
    let taken = run(&program, &["feed", "edit", "2", "--url", &new]).await;
    assert!(taken.code == 1 && taken.stderr.contains("is the address of feed 1 already"), "{}", taken.stderr);
    let nothing = run(&program, &["feed", "edit", "1"]).await;
    assert_eq!(nothing.code, 2, "{}", nothing.stderr);
}

#[tokio::test]
async fn status_lists_paused_publishers() {
    let origin = Origin::start().await;
    origin.at("/busy", Response::status(429).with("retry-after", "3600"));
    let program = program();
    let added = run(&program, &["feed", "add", &origin.url("/busy")]).await;
    assert!(added.stdout.contains("could not be visited yet (the server asked to come later)"), "{}", added.stdout);
    let status = json(&run(&program, &["status", "--json"]).await);
    let moment = |value: &Value| value.as_str().unwrap().parse::<jiff::Timestamp>().unwrap();
    assert_eq!(status["paused"][0]["group"], origin.authority(), "{status}");
    assert!(moment(&status["next_visit_at"]) >= moment(&status["paused"][0]["until"]), "{status}");
    let text = run(&program, &["status"]).await.stdout;
    assert!(text.contains(" asked for a pause until "), "{text}");
}
