//! `courant visit` and `courant parse URL`: one visit as an operator sees it, without side effects.

use serde_json::Value;
use testkit::{Origin, Response, rss};

use crate::program::{Program, Run};

/// A directory to run in; loopback may be visited.
fn program() -> Program {
    Program::new().env("COURANT_ALLOW_PRIVATE", "127.0.0.0/8").env("COURANT_HOST_RPS", "0")
}

async fn run(program: Program, arguments: &[&str]) -> (Program, Run) {
    let arguments: Vec<String> = arguments.iter().map(|text| (*text).to_owned()).collect();
    let run = move || {
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let run = program.run(&arguments);
        (program, run)
    };
    tokio::task::spawn_blocking(run).await.unwrap()
}

#[tokio::test]
async fn a_visit_is_shown_hop_by_hop_and_leaves_nothing_behind() {
    let origin = Origin::start().await;
    origin.at("/old", Response::moved_to("/new")).at("/new", rss(&["one", "two"]));
    let (program, run) = run(program(), &["visit", &origin.url("/old")]).await;
    assert_eq!(run.code, 0, "{}", run.stderr);
    let expected = [
        format!("1  301  {}", origin.url("/old")),
        format!("2  200  {}", origin.url("/new")),
        format!("        {}, ", origin.authority()),
        "first byte".to_owned(),
        "content-type  application/rss+xml".to_owned(),
        "etag          \"".to_owned(),
        "bytes over the wire".to_owned(),
        format!("rate group    {}", origin.authority()),
        format!("moved         permanently, to {}", origin.url("/new")),
        "verdict       a feed (rss20) with 2 entries and 0 problems".to_owned(),
        "next visit    in 2 h, because it publishes about once a day".to_owned(),
    ];
    for line in expected {
        assert!(run.stdout.contains(&line), "{line:?} is missing in\n{}", run.stdout);
    }
    assert_eq!(std::fs::read_dir(program.path(".")).unwrap().count(), 0, "no data directory was made");
}

#[tokio::test]
async fn a_program_gets_the_same_as_json() {
    let origin = Origin::start().await;
    origin.at("/busy", Response::status(429).with("Retry-After", "60"));
    let (_, run) = run(program(), &["visit", "--json", &origin.url("/busy")]).await;
    assert_eq!(run.code, 1, "not what one comes for");
    let body: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!((&body["status"], &body["ok"]), (&429.into(), &false.into()));
    assert_eq!(body["verdict"], "the server asked to come later");
    assert!(body["pause"].as_str().unwrap().contains("is paused until"), "{body}");
    assert!(body["hops"][0]["ms"]["total"].as_f64().unwrap() > 0.0, "{body}");
    assert_eq!(body["hops"][0]["address"], origin.authority());
}

#[tokio::test]
async fn forbidden_urls_are_reported_and_not_dialled() {
    let origin = Origin::start().await;
    let (_, refused) = run(Program::new(), &["visit", &origin.url("/feed")]).await;
    assert_eq!(refused.code, 1);
    assert!(refused.stdout.contains("not reached"), "{}", refused.stdout);
    let why = "127.0.0.1 is not an address that visits may reach";
    assert!(refused.stdout.contains(&format!("verdict       {why}")), "{}", refused.stdout);
    assert!(origin.visits().is_empty());
}

#[tokio::test]
async fn addresses_and_files_are_parsed_alike() {
    let origin = Origin::start().await;
    origin.at("/feed", rss(&["one"])).at("/page", Response::body("text/html", "<!doctype html><p>hello"));
    let program = program().file("feed.xml", "<rss><channel><title>Here</title></channel></rss>");
    let (_, run) =
        run(program, &["parse", &origin.url("/feed"), "feed.xml", &origin.url("/page"), &origin.url("/no")]).await;
    assert_eq!(run.code, 1);
    assert!(run.stdout.contains("One\n") && run.stdout.contains("Here\n"), "{}", run.stdout);
    assert!(run.stderr.contains("/page: this is a web page, not a feed"), "{}", run.stderr);
    assert!(run.stderr.contains("/no: the server answered 404"), "{}", run.stderr);
    assert!(run.stderr.contains("2 of 4 files could not be read as feeds"), "{}", run.stderr);
}
