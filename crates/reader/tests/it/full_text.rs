//! Full texts: asked for when an entry is opened, fetched in a job, politely.

use crate::support::{article, entry, feed, reading, runner, user};
use jiff::SignedDuration;
use model::full_text::FullText;
use model::{EntryId, FeedId, UserId, Viewer};
use policy::full_text::{Because, Decision};
use reader::open_entry;
use store::SubscriptionChange;
use testkit::Response;
use testkit::World;

on_both!(
    an_opened_entry_gets_its_full_text,
    robots_are_respected_and_a_failure_rests_for_a_day,
    a_switch_decides,
    pages_are_fetched_on_arrival_where_that_is_wanted,
);

const DAY: SignedDuration = SignedDuration::from_hours(24);

async fn open(world: &World, user: UserId, entry: EntryId) -> reader::Opened {
    open_entry(world.engine.store(), user, entry, world.now()).await.unwrap()
}

fn asked(world: &World, path: &str) -> usize {
    world.origin.requests().iter().filter(|seen| seen.line == format!("GET {path}")).count()
}

async fn an_opened_entry_gets_its_full_text(world: World) {
    let ada = user(&world, "ada").await;
    world.origin.at("/a", article("A", "elephant"));
    world.origin.at(
        "/feed",
        feed(&[
            ("short", &world.origin.url("/a"), "the beginning"),
            ("long", &world.origin.url("/b"), &"word ".repeat(100)),
        ]),
    );
    reading(&world, ada, "/feed").await;
    let short = entry(world.engine.store(), "short").await;
    let opened = open(&world, ada, short).await;
    assert_eq!((opened.decision, opened.state.html), (Decision::Fetch, None));
    assert_eq!(asked(&world, "/a"), 0, "nothing is fetched while somebody waits");
    runner(&world).run_due().await;
    let opened = open(&world, ada, short).await;
    assert_eq!(opened.decision, Decision::No(Because::Present));
    assert!(opened.state.html.unwrap().contains("elephant"));
    let long = entry(world.engine.store(), "long").await;
    assert_eq!(open(&world, ada, long).await.decision, Decision::No(Because::LongEnough));
    runner(&world).run_due().await;
    assert_eq!((asked(&world, "/a"), asked(&world, "/b")), (1, 0));
}

async fn robots_are_respected_and_a_failure_rests_for_a_day(world: World) {
    let ada = user(&world, "ada").await;
    world.origin.at("/robots.txt", Response::body("text/plain", "User-agent: *\nDisallow: /private/\n"));
    world.origin.at("/private/a", article("A", "elephant"));
    world.origin.at(
        "/feed",
        feed(&[("no", &world.origin.url("/private/a"), "x"), ("gone", &world.origin.url("/missing"), "x")]),
    );
    reading(&world, ada, "/feed").await;
    let store = world.engine.store();
    let (no, gone) = (entry(store, "no").await, entry(store, "gone").await);
    open(&world, ada, no).await;
    open(&world, ada, gone).await;
    runner(&world).run_due().await;
    assert_eq!((asked(&world, "/private/a"), asked(&world, "/missing")), (0, 1));
    for entry in [no, gone] {
        let opened = open(&world, ada, entry).await;
        assert!(opened.state.error.is_some() && opened.state.html.is_none(), "{opened:?}");
        assert!(matches!(opened.decision, Decision::Wait { .. }), "{opened:?}");
    }
    runner(&world).run_due().await;
    assert_eq!(asked(&world, "/missing"), 1);
    world.origin.at("/missing", article("B", "tiger"));
    world.advance(DAY);
    assert_eq!(open(&world, ada, gone).await.decision, Decision::Fetch);
    runner(&world).run_due().await;
    assert!(open(&world, ada, gone).await.state.html.unwrap().contains("tiger"));
}

async fn a_switch_decides(world: World) {
    let (ada, bob) = (user(&world, "ada").await, user(&world, "bob").await);
    world.origin.at("/feed", feed(&[("one", &world.origin.url("/a"), "x")]));
    let feed = reading(&world, ada, "/feed").await;
    let one = entry(world.engine.store(), "one").await;
    // Somebody who is not subscribed, but may see it.
    assert_eq!(open(&world, bob, one).await.decision, Decision::Fetch);
    set_switch(&world, ada, feed, FullText::Never).await;
    assert_eq!(open(&world, ada, one).await.decision, Decision::No(Because::SwitchedOff));
    world.engine.store().set_owner(feed, Some(ada), world.now()).await.unwrap();
    let hidden = open_entry(world.engine.store(), bob, one, world.now()).await;
    assert!(hidden.is_err(), "what bob may not see is not there");
    assert!(world.engine.store().full_text(Viewer::User(bob), one).await.is_err());
}

async fn pages_are_fetched_on_arrival_where_that_is_wanted(world: World) {
    let ada = user(&world, "ada").await;
    world.origin.at("/a", article("A", "elephant")).at("/b", article("B", "tiger"));
    world.origin.at("/feed", feed(&[("one", &world.origin.url("/a"), "x")]));
    let id = reading(&world, ada, "/feed").await;
    set_switch(&world, ada, id, FullText::Always).await;
    let arrivals = async || {
        let job = model::job::NewJob::new("reader.arrivals", world.now());
        world.engine.store().enqueue_jobs(&[job], world.now()).await.unwrap();
        runner(&world).run_due().await;
    };
    arrivals().await;
    assert_eq!(asked(&world, "/a"), 0, "it was there before");
    world.origin.at("/feed", feed(&[("one", &world.origin.url("/a"), "x"), ("two", &world.origin.url("/b"), "x")]));
    world.advance(DAY);
    world.run_until_idle().await;
    arrivals().await;
    assert_eq!((asked(&world, "/a"), asked(&world, "/b")), (0, 1));
    let two = entry(world.engine.store(), "two").await;
    assert!(open(&world, ada, two).await.state.html.unwrap().contains("tiger"));
}

async fn set_switch(world: &World, user: UserId, feed: FeedId, switch: FullText) {
    let change = SubscriptionChange { full_text: Some(Some(switch)), ..SubscriptionChange::default() };
    assert!(world.engine.store().change_subscription(user, feed, change).await.unwrap());
}
