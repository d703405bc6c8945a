//! Switching feeds on and off: a feed that a moderator rejected or has not decided about stays closed, for one feed or many,
//! also when the state changes between the look and the write.

use std::sync::{Arc, Mutex};

use engine::{Disabled, Enabled, Removal, disable_feed, enable_feed};
use jiff::{SignedDuration, Timestamp};
use model::feed::FeedState;
use model::schedule::Because;
use model::{FeedId, Viewer};
use policy::Closed;
use store::{Address, FaultyLink, FeedName, Options, Store, Transfer};
use testkit::{World, rss};

use crate::program::Program;

const AWAITING: FeedState = FeedState::AwaitingModeration;
const HOUR: SignedDuration = SignedDuration::from_hours(1);

fn rejected() -> FeedState {
    FeedState::Rejected { reason: "advertising only".into() }
}

/// Three feeds: one is off, one awaits moderation, one was rejected.
async fn moderated(database: Option<&str>) -> (Program, Store) {
    let program = Program::new().env("COURANT_SECRET", "0123456789abcdef0123456789abcdef");
    let program = match database {
        Some(url) => program.env("COURANT_DATABASE_URL", url),
        None => program,
    };
    let run = program.run(&["feed", "add", "--as-is", "off.example/feed", "new.example/feed", "spam.example/feed"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let address =
        database.map_or_else(|| format!("sqlite:{}", program.path("data/courant.db").display()), str::to_owned);
    let now = Timestamp::now();
    let store = Store::open(&Address::parse(&address).unwrap(), &Options::at(now)).await.unwrap();
    for (id, state) in [(1, FeedState::Paused), (2, AWAITING), (3, rejected())] {
        assert!(store.change_feed_state(FeedId(id), &FeedState::Active, &state, now).await.unwrap());
    }
    (program, store)
}

async fn states(store: &Store) -> Vec<FeedState> {
    let feeds = store.feeds(Viewer::Operator, None, 10).await.unwrap();
    feeds.into_iter().map(|status| status.feed.state).collect()
}

/// Several names at once, as arguments and from standard input.
async fn the_command_leaves_the_moderator_s_word_alone(database: Option<&str>) {
    let (program, store) = moderated(database).await;
    let run = program.run(&["feed", "enable", "1", "2", "3"]);
    assert_eq!(states(&store).await, [FeedState::Active, AWAITING, rejected()], "{}", run.stdout);
    assert_eq!((run.code, run.stdout.as_str()), (1, "1  https://off.example/feed  enabled\n"));
    assert!(run.stderr.contains("2: ") && run.stderr.contains("awaits moderation"), "{}", run.stderr);
    assert!(run.stderr.contains("a moderator rejected it (advertising only)"), "{}", run.stderr);

    let run = crate::grammar::with_input(&program, &["feed", "enable", "-", "--json"], "2\n3\n1\n");
    let rows: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    assert!(rows[0]["error"].as_str().unwrap().contains("awaits moderation"), "{rows}");
    assert!(rows[1]["error"].as_str().unwrap().contains("rejected"), "{rows}");
    assert_eq!(rows[2]["result"], "was enabled already");

    let run = crate::grammar::with_input(&program, &["feed", "disable", "-"], "1\n2\n3\n");
    assert_eq!(states(&store).await, [FeedState::Paused, AWAITING, rejected()], "{}", run.stdout);
    assert!(run.stdout.contains("awaits moderation") && run.stdout.contains("nothing was changed"), "{}", run.stdout);
    store.close(Timestamp::now()).await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_command_leaves_the_moderator_s_word_alone_on_sqlite() {
    the_command_leaves_the_moderator_s_word_alone(None).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_command_leaves_the_moderator_s_word_alone_on_postgres() {
    let database = World::postgres().await;
    the_command_leaves_the_moderator_s_word_alone(Some(database.database().url())).await;
}

on_both!(
    only_what_nobody_closed_is_switched_on,
    switching_off_forgets_nothing_that_a_moderator_said,
    what_was_given_up_and_switched_off_is_visited_when_it_is_switched_on,
    a_visit_under_way_does_not_open_what_was_closed_meanwhile,
);

async fn state(world: &World, feed: FeedId) -> FeedState {
    let name = FeedName::Id(feed);
    let store = world.engine.store();
    match store.deleted_feed(Viewer::Operator, &name).await.unwrap() {
        Some(deleted) => deleted.feed.state,
        None => store.feed(Viewer::Operator, &name).await.unwrap().feed.state,
    }
}

async fn put(world: &World, feed: FeedId, to: &FeedState) {
    let from = state(world, feed).await;
    assert!(world.engine.store().change_feed_state(feed, &from, to, world.now()).await.unwrap());
}

async fn only_what_nobody_closed_is_switched_on(world: World) {
    world.origin.at("/feed", rss(&["one"]));
    let feed = world.add("/feed").await;
    let enable = async || enable_feed(world.engine.store(), Viewer::Operator, feed, world.now()).await.unwrap();
    assert_eq!(enable().await, Enabled::Already);
    for closed in [AWAITING, rejected()] {
        put(&world, feed, &closed).await;
        let why = match &closed {
            FeedState::Rejected { reason } => Closed::Rejected { reason: reason.clone() },
            _ => Closed::AwaitingModeration,
        };
        assert_eq!(enable().await, Enabled::Refused(why));
        assert_eq!(state(&world, feed).await, closed);
        assert_eq!(world.run_until_idle().await.len(), 0, "{closed:?} is not visited");
        put(&world, feed, &FeedState::Active).await;
    }
    for open in [FeedState::Paused, FeedState::Disabled { reason: "ten failures".into() }, FeedState::Gone] {
        put(&world, feed, &open).await;
        assert_eq!(enable().await, Enabled::Done, "{open:?}");
        assert_eq!(state(&world, feed).await, FeedState::Active);
    }
    engine::delete_feed(&world.engine, Viewer::Operator, feed, Removal::Later).await.unwrap();
    assert_eq!(enable().await, Enabled::Refused(Closed::Deleted));
    assert_eq!(state(&world, feed).await, FeedState::Deleted);
    assert_eq!(world.add("/feed").await, feed, "adding it again brings it back");
    assert_eq!(state(&world, feed).await, FeedState::Active);
}

async fn switching_off_forgets_nothing_that_a_moderator_said(world: World) {
    let feed = world.add("/feed").await;
    let disable = async || disable_feed(world.engine.store(), Viewer::Operator, feed, world.now()).await.unwrap();
    put(&world, feed, &AWAITING).await;
    assert_eq!(disable().await, Disabled::NotVisited(Closed::AwaitingModeration));
    assert_eq!(state(&world, feed).await, AWAITING);
    put(&world, feed, &rejected()).await;
    assert_eq!(disable().await, Disabled::NotVisited(Closed::Rejected { reason: "advertising only".into() }));
    assert_eq!(state(&world, feed).await, rejected());
    for open in [FeedState::Active, FeedState::Disabled { reason: "ten failures".into() }, FeedState::Gone] {
        put(&world, feed, &open).await;
        assert_eq!(disable().await, Disabled::Done, "{open:?}");
        assert_eq!(state(&world, feed).await, FeedState::Paused);
    }
    assert_eq!(disable().await, Disabled::Already);
    engine::delete_feed(&world.engine, Viewer::Operator, feed, Removal::Later).await.unwrap();
    assert_eq!(disable().await, Disabled::NotVisited(Closed::Deleted));
    assert_eq!(state(&world, feed).await, FeedState::Deleted);
}

/// It had no next visit when it was switched off, and must not stay without one.
async fn what_was_given_up_and_switched_off_is_visited_when_it_is_switched_on(world: World) {
    world.origin.at("/feed", rss(&["one"]));
    let feed = world.add("/feed").await;
    let (store, now) = (world.engine.store(), world.now());
    store.make_due(feed, None, Because::Manual, "its publisher says that it is gone", now).await.unwrap();
    put(&world, feed, &FeedState::Gone).await;
    assert_eq!(disable_feed(store, Viewer::Operator, feed, now).await.unwrap(), Disabled::Done);
    assert_eq!(enable_feed(store, Viewer::Operator, feed, now).await.unwrap(), Enabled::Done);
    world.run_until_idle().await;
    assert_eq!(world.titles().await, ["one"]);
}

/// The visit was claimed while the feed was open; what it decides about the state comes too late.
async fn a_visit_under_way_does_not_open_what_was_closed_meanwhile(world: World) {
    let feed = world.add("/feed").await;
    let (store, now) = (world.engine.store(), world.now());
    for (before, closed) in [
        (FeedState::Disabled { reason: "ten failures".into() }, rejected()),
        (FeedState::Disabled { reason: "ten failures".into() }, FeedState::Paused),
        (FeedState::Active, AWAITING),
    ] {
        put(&world, feed, &before).await;
        store.make_due(feed, Some(now), Because::Manual, "now", now).await.unwrap();
        let lease = store.unscoped().claim_due(world.engine.worker(), now, now + HOUR, 1).await.unwrap().pop().unwrap();
        world.origin.at("/feed", rss(&["one"]));
        let peeked = store.unscoped().peek(feed).await.unwrap();
        assert_eq!(peeked.dossier.state, before);
        put(&world, feed, &closed).await;
        let refreshed = engine::refresh(&world.engine, &lease).await.unwrap();
        assert_eq!(state(&world, feed).await, closed, "{before:?}: {refreshed:?}");
        assert_eq!(store.unscoped().due_feeds(now + HOUR * 9999).await.unwrap(), [], "{closed:?} is not claimed");
    }
}

/// Changes the state of a feed just before the first change of its state arrives at the database.
struct Interferes {
    with: Store,
    feed: FeedId,
    to: Mutex<Option<FeedState>>,
}

impl FaultyLink for Interferes {
    fn request(&self, statement: &'static str) -> Transfer<'_> {
        Box::pin(async move {
            let to = self.to.lock().unwrap().take_if(|_| statement == "store::feed_state::CHANGE_STATE");
            if let Some(to) = to {
                let now = self.with.feed(Viewer::Operator, &FeedName::Id(self.feed)).await.unwrap().feed;
                assert!(self.with.change_feed_state(self.feed, &now.state, &to, now.updated_at).await.unwrap());
            }
            Ok(())
        })
    }

    fn answer(&self, _statement: &'static str) -> Transfer<'_> {
        Box::pin(async { Ok(()) })
    }
}

/// Switched on while a moderator rejects it, switched off while it is sent back to moderation: the moderator wins.
#[tokio::test]
async fn a_state_that_changes_between_look_and_write_is_looked_at_again() {
    let world = World::simulated().await;
    let feed = world.add("/feed").await;
    let store = world.engine.store();
    let interfered = |to: FeedState| {
        let link = Interferes { with: store.clone(), feed, to: Mutex::new(Some(to)) };
        store.over_link(Arc::new(link))
    };
    put(&world, feed, &FeedState::Paused).await;
    let enabled = enable_feed(&interfered(rejected()), Viewer::Operator, feed, world.now()).await.unwrap();
    assert_eq!(enabled, Enabled::Refused(Closed::Rejected { reason: "advertising only".into() }));
    assert_eq!(state(&world, feed).await, rejected());

    put(&world, feed, &FeedState::Active).await;
    let disabled = disable_feed(&interfered(AWAITING), Viewer::Operator, feed, world.now()).await.unwrap();
    assert_eq!(disabled, Disabled::NotVisited(Closed::AwaitingModeration));
    assert_eq!(state(&world, feed).await, AWAITING);

    put(&world, feed, &FeedState::Paused).await;
    let enabled = enable_feed(&interfered(FeedState::Gone), Viewer::Operator, feed, world.now()).await.unwrap();
    assert_eq!(enabled, Enabled::Done, "what may be enabled is, after another look");
}
