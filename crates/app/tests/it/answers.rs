//! Responses are stored with the visit: header fields of documents, of 304s and of errors, and the beginning of an
//! error's body. They are bounded, contain no secrets, and displace no document.

use engine::{Retained, VisitHeaders, Wish};
use jiff::SignedDuration;
use model::{FeedId, Viewer};
use serde_json::Value;
use testkit::{Origin, Response, World, rss};

use crate::commands::Terminal;

on_both!(
    the_header_fields_of_a_304_are_kept,
    a_304_with_unchanged_fields_adds_no_row,
    the_body_of_an_error_is_kept,
    error_bodies_do_not_displace_documents,
    a_cookie_is_not_kept,
);

const DAY: SignedDuration = SignedDuration::from_hours(24);

async fn visited(world: &World) {
    world.advance(DAY * 8);
    world.run_until_idle().await;
}

/// The last visits, newest first: status and stored header fields.
async fn kept(world: &World, feed: FeedId) -> Vec<(Option<u16>, Option<VisitHeaders>)> {
    let visits = world.engine.store().visits(Viewer::Operator, feed, 50).await.unwrap();
    let headers = engine::visit_headers(world.engine.store(), Viewer::Operator, feed, &visits).await.unwrap();
    visits.iter().map(|visit| visit.status).zip(headers).collect()
}

fn field<'a>(fields: &'a [(String, String)], name: &str) -> Option<&'a str> {
    fields.iter().find(|(found, _)| found == name).map(|(_, value)| value.as_str())
}

async fn the_header_fields_of_a_304_are_kept(world: World) {
    world.origin.at("/feed", rss(&["one"]));
    let feed = world.add("/feed").await;
    world.run_until_idle().await;
    world.origin.at("/feed", rss(&["one"]).with("x-limit", "three a day"));
    visited(&world).await;
    let kept = kept(&world, feed).await;
    assert_eq!(kept.iter().map(|(status, _)| *status).collect::<Vec<_>>(), [Some(304), Some(200)]);
    let answer = kept[0].1.as_ref().unwrap();
    assert_eq!((answer.fields.status, field(&answer.fields.response, "x-limit")), (304, Some("three a day")));
    assert!(field(&answer.fields.request, "if-none-match").is_some(), "{:?}", answer.fields.request);
    assert!(answer.raw.is_none(), "there was no body");
    let document = kept[1].1.as_ref().unwrap();
    assert_eq!((document.fields.status, document.raw.is_some()), (200, true));
}

async fn a_304_with_unchanged_fields_adds_no_row(world: World) {
    let mut day = 0;
    let page = move |_| {
        day += 1;
        rss(&["one"]).with("date", &format!("day {day}")).with("x-request-id", &day.to_string())
    };
    world.origin.live("/feed", page);
    let feed = world.add("/feed").await;
    world.run_until_idle().await;
    for _ in 0..3 {
        visited(&world).await;
    }
    let store = world.engine.store();
    assert_eq!(store.visit_headers(Viewer::Operator, feed).await.unwrap(), [], "those of the document say it all");
    let kept = kept(&world, feed).await;
    assert_eq!(kept.len(), 4);
    assert!(kept.iter().all(|(_, headers)| headers == &kept[3].1 && headers.is_some()), "{kept:?}");
    // However often they change, the number of rows is limited.
    let mut turn = 0;
    let page = move |_| {
        turn += 1;
        rss(&["one"]).with("x-turn", &turn.to_string())
    };
    world.origin.live("/feed", page);
    for _ in 0..12 {
        visited(&world).await;
    }
    let sets = store.visit_headers(Viewer::Operator, feed).await.unwrap();
    assert_eq!(sets.len(), 8);
    assert_eq!(field(&sets[0].response, "x-turn"), Some("12"));
}

async fn the_body_of_an_error_is_kept(world: World) {
    let long = "<p>Sorry! ".repeat(20_000);
    world.origin.at("/feed", rss(&["one"]));
    let feed = world.add("/feed").await;
    world.run_until_idle().await;
    let error = Response::body("text/html", long.clone()).with("x-powered-by", "luck").answered(500);
    world.origin.at("/feed", error);
    visited(&world).await;
    visited(&world).await;
    let kept = kept(&world, feed).await;
    assert_eq!(kept.iter().map(|(status, _)| *status).collect::<Vec<_>>(), [Some(500), Some(500), Some(200)]);
    let answer = kept[0].1.as_ref().unwrap();
    assert_eq!((answer.fields.status, field(&answer.fields.response, "x-powered-by")), (500, Some("luck")));
    assert_eq!(answer, kept[1].1.as_ref().unwrap(), "the same once more is stored once");
    let raw = answer.raw.as_ref().unwrap();
    assert!(raw.truncated && !raw.understood && raw.decoded_bytes == 64 << 10, "{raw:?}");
    let wire = world.engine.blobs().wire(&raw.blob).await.unwrap();
    assert_eq!(&wire[..], &long.as_bytes()[..64 << 10]);
    // It is not treated as a document.
    let again = engine::reparse(&world.engine, feed, engine::Reparsing::default()).await.unwrap();
    assert_eq!((again.documents, again.unreadable), (1, 0));
}

async fn error_bodies_do_not_displace_documents(mut world: World) {
    world.configure(|options| options.rules.retention.raw_samples = Some(3));
    world.configure(|options| options.maintenance.raw_budget_bytes = 0);
    let feed = world.add("/feed").await;
    for n in 0..12_u16 {
        world.origin.at("/feed", rss(&[&n.to_string()]));
        visited(&world).await;
        let error = Response::body("text/html", format!("error {n}")).answered(500 + n);
        world.origin.at("/feed", error);
        visited(&world).await;
    }
    let statuses = async |world: &World| {
        let raw = world.engine.store().raw_fetches(Viewer::Operator, feed, 50).await.unwrap();
        let errors = raw.iter().filter(|raw| raw.status >= 500).count();
        (raw.len() - errors, errors)
    };
    assert_eq!(statuses(&world).await, (12, 5), "errors are bounded at once");
    let retained = engine::retain(&world.engine, world.now(), Wish { dry_run: false, force: true }).await.unwrap();
    assert!(matches!(retained, Retained::Done(_)), "{retained:?}");
    assert_eq!(statuses(&world).await, (3, 3), "and push no document out");
}

async fn a_cookie_is_not_kept(world: World) {
    world.origin.at("/feed", rss(&["one"]).with("set-cookie", "session=s3cret").with("x-auth-token", "s3cret"));
    let feed = world.add("/feed").await;
    world.run_until_idle().await;
    world.origin.at("/feed", Response::status(500).with("set-cookie", "session=s3cret"));
    visited(&world).await;
    let kept = format!("{:?}", kept(&world, feed).await);
    assert!(!kept.contains("s3cret") && kept.contains("(\"set-cookie\", \"***\")"), "{kept}");
}

#[tokio::test]
async fn responses_can_be_shown() {
    let origin = Origin::start().await;
    let busy = Response::body("text/plain", "not now").with("x-why", "maintenance").answered(503);
    origin.at("/feed", busy).at("/other", rss(&["one"]));
    let mut terminal = Terminal::new();
    terminal.says(&format!("feed add --as-is {} {}", origin.url("/feed"), origin.url("/other")), "added").await;
    terminal.says("fetch --all", "2 feeds").await;
    terminal.says("feed show 1 --headers", "< x-why: maintenance").await;
    terminal.says("feed show 1 --headers", "< 7 bytes kept as ").await;
    let shown = terminal.json("feed show 1 --headers").await;
    let headers = &shown["last_visits"][0]["headers"];
    assert_eq!((&headers["status"], &headers["body"]["decoded_bytes"]), (&503.into(), &7.into()), "{shown}");
    assert!(headers["response"].as_array().unwrap().contains(&serde_json::json!(["x-why", "maintenance"])), "{shown}");
    let shown = terminal.json("feed show 1").await;
    assert_eq!(shown["last_visits"][0].get("headers"), None::<&Value>);
}
