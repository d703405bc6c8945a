//! Politeness: redirects keep the spacing, validators are sent where they came from, secrets nowhere else, and pauses
//! are respected.

use engine::{Access, Credentials, Wanted};
use jiff::{SignedDuration, Timestamp};
use model::visit::VisitResult;
use model::{FeedId, Viewer};
use store::FeedName;
use testkit::{Origin, Response, World, rss};

on_both!(
    redirects_are_followed_up_to_a_limit,
    every_hop_waits_for_its_slot,
    a_hop_to_a_paused_publisher_is_deferred,
    a_deferred_hop_does_not_repeat_the_redirect_at_once,
    validators_go_to_the_url_they_came_from,
    credentials_stay_with_the_origin_they_were_given_for,
    a_retry_after_pauses_the_whole_group_for_exactly_as_long,
    a_burst_of_refusals_pauses_the_group,
    an_unsolicited_304_is_a_failure,
    the_user_agent_has_the_number_of_subscribers,
    pause_url_pauses_only_the_url,
    a_forced_visit_does_not_wake_other_feeds,
);

const HOUR: SignedDuration = SignedDuration::from_hours(1);
const SECOND: SignedDuration = SignedDuration::from_secs(1);

/// With one request a second to each publisher.
fn paced(mut world: World) -> World {
    world.configure(|options| options.pace = engine::Options::paced(1.0, 2));
    world
}

async fn error(world: &World, feed: FeedId) -> Option<String> {
    world.engine.store().feed(Viewer::Operator, &FeedName::Id(feed)).await.unwrap().last_error
}

async fn redirects_are_followed_up_to_a_limit(world: World) {
    let origin = &world.origin;
    origin.at("/old", Response::moved_to("/new")).at("/new", rss(&["one"]));
    origin.at("/a", Response::moved_to("/b")).at("/b", Response::moved_to("/a"));
    for n in 0..9 {
        origin.at(&format!("/{n}"), Response::moved_to(&format!("/{}", n + 1)));
    }
    origin.at("/nowhere", Response::status(302)).at("/void", Response::moved_to("http://[/"));
    world.add("/old").await;
    let (circle, chain) = (world.add("/a").await, world.add("/0").await);
    let (nowhere, void) = (world.add("/nowhere").await, world.add("/void").await);
    world.run_until_idle().await;
    assert_eq!(world.titles().await, ["one"]);
    let said = async |feed| error(&world, feed).await.unwrap_or_default();
    assert_eq!(said(circle).await, "the redirects lead nowhere: in a circle");
    assert_eq!(said(chain).await, "too many redirects");
    assert_eq!(said(nowhere).await, "the redirects lead nowhere: status 302 has no Location");
    assert_eq!(said(void).await, "the redirects lead nowhere: \"http://[/\": invalid IPv6 address");
    let visits = world.origin.visits();
    assert_eq!(visits.iter().filter(|line| line.starts_with("GET /a") || line.starts_with("GET /b")).count(), 2);
    assert!(visits.contains(&"GET /5 301".to_owned()) && !visits.contains(&"GET /6 301".to_owned()), "{visits:?}");
}

async fn every_hop_waits_for_its_slot(world: World) {
    let world = paced(world);
    world.origin.at("/a", Response::moved_to("/b")).at("/b", Response::moved_to("/c")).at("/c", rss(&["one"]));
    world.add("/a").await;
    let begun = world.now();
    world.run_until_idle().await;
    assert_eq!(world.titles().await, ["one"]);
    assert_eq!(world.now().duration_since(begun), SECOND * 2, "three requests, a second apart");
}

async fn a_hop_to_a_paused_publisher_is_deferred(world: World) {
    let other = Origin::start().await;
    other.at("/feed", rss(&["one"]));
    world.origin.at("/feed", Response::moved_to(&other.url("/feed")));
    let feed = world.add("/feed").await;
    let until = world.now() + HOUR;
    world.engine.store().pause_group(&other.authority(), until, world.now()).await.unwrap();
    let done = world.run_until_idle().await;
    assert_eq!(done[0].1.result, VisitResult::Deferred);
    assert!(other.visits().is_empty(), "a paused publisher is not asked");
    let status = world.engine.store().feed(Viewer::Operator, &FeedName::Id(feed)).await.unwrap();
    assert_eq!((status.failures, status.last_error, status.due_at), (0, None, Some(until)));
    assert_eq!(status.reason, "because the publisher it leads to has no room");
    world.advance(HOUR);
    world.run_until_idle().await;
    assert_eq!(world.titles().await, ["one"]);
}

async fn a_deferred_hop_does_not_repeat_the_redirect_at_once(world: World) {
    let other = Origin::start().await;
    world.origin.at("/feed", Response::moved_to(&other.url("/feed")));
    let feed = world.add("/feed").await;
    world.engine.store().pause_group(&other.authority(), world.now() + SECOND * 90, world.now()).await.unwrap();
    world.run_until_idle().await;
    let status = world.engine.store().feed(Viewer::Operator, &FeedName::Id(feed)).await.unwrap();
    assert_eq!(status.due_at, Some(world.now() + SECOND * 300), "five minutes lie between two visits to it");
}

async fn validators_go_to_the_url_they_came_from(world: World) {
    let origin = &world.origin;
    origin.at("/feed", rss(&["one"]).with("last-modified", "yesterday, more or less"));
    world.add("/feed").await;
    world.run_until_idle().await;
    // The feed is served from another URL for a while, then from its old one again.
    origin.at("/feed", Response::status(302).with("location", "/temporary")).at("/temporary", rss(&["one", "two"]));
    world.advance(HOUR * 24);
    world.run_until_idle().await;
    world.advance(HOUR * 24);
    world.run_until_idle().await;
    origin.at("/feed", rss(&["one", "two", "three"]));
    world.advance(HOUR * 24);
    world.run_until_idle().await;
    let asked: Vec<String> = origin
        .requests()
        .iter()
        .map(|seen| {
            let etag = seen.header("if-none-match").map_or("no etag", |_| "etag");
            format!("{} {} {etag} {:?}", seen.line, seen.status, seen.header("if-modified-since"))
        })
        .collect();
    assert_eq!(
        asked,
        [
            "GET /feed 200 no etag None",
            "GET /feed 302 etag Some(\"yesterday, more or less\")",
            "GET /temporary 200 no etag None",
            "GET /feed 302 no etag None",
            "GET /temporary 304 etag None",
            "GET /feed 200 no etag None",
        ]
    );
    assert_eq!(world.titles().await, ["one", "two", "three"]);
}

async fn credentials_stay_with_the_origin_they_were_given_for(world: World) {
    let other = Origin::start().await;
    other.at("/feed", rss(&["one"]));
    world.origin.at("/a", Response::moved_to("/b")).at("/b", Response::moved_to(&other.url("/feed")));
    let owner = world.engine.store().owner().await.unwrap().id;
    let credentials = Credentials::Basic { user: "ada".into(), password: "lovelace".into() };
    let access = Access { credentials: Some(credentials), ..Access::default() };
    let wanted = Wanted { owner: Some(owner), access, ..Wanted::at(&world.origin.url("/a")) };
    let public = engine::add_feed(&world.engine, &Wanted { owner: None, ..wanted.clone() }).await;
    assert!(public.unwrap_err().to_string().contains("belongs to somebody"));
    let feed = engine::add_feed(&world.engine, &wanted).await.unwrap().id();
    world.run_until_idle().await;
    let proof = |origin: &Origin| -> Vec<Option<String>> {
        origin.requests().iter().map(|seen| seen.header("authorization").map(str::to_owned)).collect()
    };
    let basic = Some("Basic YWRhOmxvdmVsYWNl".to_owned());
    assert_eq!(proof(&world.origin), [basic.clone(), basic], "the same origin, also after a redirect");
    assert_eq!(proof(&other), [None], "another origin");
    let raw = world.engine.store().raw_fetches(Viewer::Operator, feed, 1).await.unwrap().pop().unwrap();
    assert!(!format!("{raw:?}").contains("YWRhOmxvdmVsYWNl"), "secrets are not recorded");
}

async fn a_retry_after_pauses_the_whole_group_for_exactly_as_long(world: World) {
    let week = HOUR * 24 * 7;
    world.origin.at("/busy", Response::status(429).with("retry-after", &week.as_secs().to_string()));
    world.origin.at("/other", rss(&["one"]));
    let busy = world.add("/busy").await;
    world.run_until_idle().await;
    let asked_at = world.now();
    world.add("/other").await;
    world.run_until_idle().await;
    assert_eq!(world.origin.visits(), ["GET /busy 429"], "the other feed of the publisher waits too");
    world.advance(week - SECOND);
    world.run_until_idle().await;
    assert_eq!(world.origin.visits().len(), 1, "not a second earlier");
    let status = world.engine.store().feed(Viewer::Operator, &FeedName::Id(busy)).await.unwrap();
    assert_eq!((status.due_at, status.failures), (Some(asked_at + week), 0), "busy is no failure");
    // It is visited first; if it were still busy, the other one would keep waiting.
    world.origin.at("/busy", rss(&[]));
    world.advance(SECOND);
    world.run_until_idle().await;
    assert_eq!(world.titles().await, ["one"]);
}

/// `--force` is for one feed, wherever it leads: the publisher's other feeds keep waiting.
async fn a_forced_visit_does_not_wake_other_feeds(world: World) {
    let another = world.another_origin().await;
    world.origin.at("/moved", Response::moved_to(&another.url("/feed")));
    another.at("/busy", Response::status(429).with("retry-after", "86400"));
    another.at("/feed", rss(&["one"])).at("/other", rss(&["two"]));
    world.add_url(&another.url("/busy")).await;
    world.run_until_idle().await;
    let moved = world.add("/moved").await;
    world.add_url(&another.url("/other")).await;
    world.run_until_idle().await;
    assert_eq!(another.visits(), ["GET /busy 429"], "all wait");
    let status = world.engine.store().feed(Viewer::Operator, &FeedName::Id(moved)).await.unwrap();
    let ran = engine::run_now(&world.engine, Viewer::Operator, &status, engine::Insistence::Forced).await.unwrap();
    assert_eq!(ran, engine::RunNow::Due);
    world.run_until_idle().await;
    assert_eq!(another.visits(), ["GET /busy 429", "GET /feed 200"]);
    world.advance(HOUR * 23);
    world.run_until_idle().await;
    assert_eq!(another.visits().len(), 2, "once is once: the next visit waits like all");
}

async fn a_burst_of_refusals_pauses_the_group(world: World) {
    for n in 0..5 {
        world.origin.at(&format!("/{n}"), Response::status(403));
        world.add(&format!("/{n}")).await;
    }
    let paused = async || world.engine.store().paused_until(&world.origin.authority()).await.unwrap();
    assert_eq!(paused().await, None);
    let begun = world.now();
    world.run_until_idle().await;
    assert_eq!(paused().await, Some(begun + HOUR));
    let later: Option<Timestamp> = Some(begun + HOUR);
    world.advance(HOUR - SECOND * 2);
    let before = world.origin.visits().len();
    world.run_until_idle().await;
    assert_eq!((world.origin.visits().len(), paused().await), (before, later), "nobody goes while it is paused");
}

async fn an_unsolicited_304_is_a_failure(world: World) {
    world.origin.at("/feed", Response::status(304));
    let feed = world.add("/feed").await;
    world.run_until_idle().await;
    let said = error(&world, feed).await;
    assert_eq!(said.as_deref(), Some("the answer breaks the protocol: 304, although nothing was asked for"));
}

async fn the_user_agent_has_the_number_of_subscribers(world: World) {
    world.origin.at("/feed", rss(&["one"]));
    let feed = world.add("/feed").await;
    let store = world.engine.store();
    let owner = store.owner().await.unwrap().id;
    let category = store.default_category(owner).await.unwrap();
    store.subscribe(owner, feed, category, None, world.now()).await.unwrap();
    world.run_until_idle().await;
    assert_eq!(world.origin.requests()[0].header("user-agent"), Some("Courant/test (1 subscriber)"));
}

async fn pause_url_pauses_only_the_url(mut world: World) {
    world.configure(|options| {
        options.groups = policy::rate_groups::RateGroups::new(["127.0.0.1 = here, pause url"]).unwrap();
    });
    world.origin.at("/busy", Response::status(429).with("retry-after", "3600")).at("/other", rss(&["one"]));
    let busy = world.add("/busy").await;
    world.run_until_idle().await;
    world.add("/other").await;
    world.run_until_idle().await;
    assert_eq!(world.titles().await, ["one"], "the other feed of the publisher is visited");
    let status = world.engine.store().feed(Viewer::Operator, &FeedName::Id(busy)).await.unwrap();
    assert_eq!((status.rate_group.as_str(), status.due_at), ("here", Some(world.now() + HOUR)));
}
