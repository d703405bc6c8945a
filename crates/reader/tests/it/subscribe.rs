//! Subscribing by the address of a feed or of a site, and leaving again.

use crate::support::user;
use model::Viewer;
use reader::{Subscribed, Unsubscribed, Wanted, subscribe, unsubscribe};
use std::time::Duration;
use store::FeedName;
use testkit::World;
use testkit::{Response, rss};

on_both!(
    a_feed_is_subscribed_to_and_visited_at_once,
    a_site_is_searched_for_its_feed,
    a_known_feed_is_not_asked_again,
    what_is_no_feed_is_an_outcome,
    a_feed_that_a_reader_brought_goes_with_its_last_subscriber,
);

/// Without waiting for a visit that nobody makes.
fn hasty(url: &str) -> Wanted {
    Wanted { patience: Duration::ZERO, ..Wanted::at(url) }
}

async fn a_feed_is_subscribed_to_and_visited_at_once(world: World) {
    let ada = user(&world, "ada").await;
    world.origin.at("/feed", rss(&["one", "two"]));
    let wanted = Wanted { title: Some("Mine".into()), ..Wanted::at(&world.origin.url("/feed")) };
    let worker = async {
        // As the worker of another process: it sees the feed when it is due.
        while world.engine.store().count_entries().await.unwrap() == 0 {
            world.run_until_idle().await;
            tokio::task::yield_now().await;
        }
    };
    let (subscribed, ()) = tokio::join!(subscribe(&world.engine, ada, &wanted), worker);
    let Subscribed::New(feed) = subscribed.unwrap() else { panic!("it is new") };
    assert_eq!(world.titles().await, ["one", "two"]);
    let subscriptions = world.engine.store().subscriptions(ada).await.unwrap();
    assert_eq!((subscriptions[0].feed, subscriptions[0].title.as_deref()), (feed, Some("Mine")));
    let again = subscribe(&world.engine, ada, &wanted).await.unwrap();
    assert_eq!(again, Subscribed::AlreadySubscribed(feed));
}

async fn a_site_is_searched_for_its_feed(world: World) {
    let ada = user(&world, "ada").await;
    let page = "<html><head><link rel=alternate type=application/rss+xml href=/feed></head><body>hello</body></html>";
    world.origin.at("/", Response::body("text/html", page)).at("/feed", rss(&["one"]));
    let subscribed = subscribe(&world.engine, ada, &hasty(&world.origin.url("/"))).await.unwrap();
    let Subscribed::New(feed) = subscribed else { panic!("{subscribed:?}") };
    let status = world.engine.store().feed(Viewer::User(ada), &FeedName::Id(feed)).await.unwrap();
    assert_eq!(status.feed.url, world.origin.url("/feed"));
    world.run_until_idle().await;
    assert_eq!(world.titles().await, ["one"]);
}

async fn a_known_feed_is_not_asked_again(world: World) {
    let (ada, bob) = (user(&world, "ada").await, user(&world, "bob").await);
    world.origin.at("/feed", rss(&["one"]));
    let wanted = hasty(&world.origin.url("/feed"));
    let Subscribed::New(feed) = subscribe(&world.engine, ada, &wanted).await.unwrap() else { panic!("it is new") };
    world.run_until_idle().await;
    let before = world.origin.requests().len();
    assert_eq!(subscribe(&world.engine, bob, &wanted).await.unwrap(), Subscribed::Known(feed));
    assert_eq!(world.origin.requests().len(), before);
}

async fn what_is_no_feed_is_an_outcome(world: World) {
    let ada = user(&world, "ada").await;
    world.origin.at("/page", Response::body("text/html", "<html><body>no feed here</body></html>"));
    let ask = async |url: String| subscribe(&world.engine, ada, &hasty(&url)).await.unwrap();
    assert_eq!(ask(world.origin.url("/page")).await, Subscribed::NoFeedFound);
    assert!(matches!(ask(world.origin.url("/missing")).await, Subscribed::CannotFetch(_)));
    assert!(matches!(ask("nonsense".into()).await, Subscribed::BadAddress(_)));
    assert!(matches!(ask("ftp://one.example/".into()).await, Subscribed::BadAddress(_)));
    assert_eq!(world.engine.store().count_feeds().await.unwrap(), 0);
}

async fn a_feed_that_a_reader_brought_goes_with_its_last_subscriber(world: World) {
    let (ada, bob) = (user(&world, "ada").await, user(&world, "bob").await);
    world.origin.at("/feed", rss(&["one"])).at("/operators", rss(&["two"]));
    let wanted = hasty(&world.origin.url("/feed"));
    let feed = subscribe(&world.engine, ada, &wanted).await.unwrap().feed().unwrap();
    subscribe(&world.engine, bob, &wanted).await.unwrap();
    assert_eq!(unsubscribe(&world.engine, ada, feed).await.unwrap(), Unsubscribed::Done);
    assert_eq!(world.engine.store().subscriptions(ada).await.unwrap(), []);
    assert_eq!(unsubscribe(&world.engine, bob, feed).await.unwrap(), Unsubscribed::LastLeft);
    assert!(world.engine.store().deleted_feed(Viewer::User(ada), &FeedName::Id(feed)).await.unwrap().is_some());
    assert_eq!(subscribe(&world.engine, ada, &wanted).await.unwrap(), Subscribed::New(feed), "it comes back");
    let operators = world.add("/operators").await;
    subscribe(&world.engine, ada, &hasty(&world.origin.url("/operators"))).await.unwrap();
    assert_eq!(unsubscribe(&world.engine, ada, operators).await.unwrap(), Unsubscribed::Done, "it stays");
}
