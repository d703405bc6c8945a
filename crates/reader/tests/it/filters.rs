//! Filters: applied once to what arrives, in the job of their user.

use crate::support::{entry, feed, reading, runner, user};
use jiff::SignedDuration;
use model::filter::{Action, Condition, Place, Scope, Subject, Test};
use reader::{filter_arrivals, try_filter};
use store::FilterDraft;
use testkit::World;

on_both!(what_arrives_is_filtered_once, a_filter_is_tried_without_writing);

fn words(word: &str, actions: Vec<Action>) -> FilterDraft {
    let subject = Subject::Words { words: vec![word.into()], place: Place::Both };
    FilterDraft {
        name: word.into(),
        scope: Scope::All,
        condition: Condition::Any(vec![Test { subject, negated: false }]),
        actions,
        enabled: true,
    }
}

const OLD: (&str, &str, &str) = ("old", "https://one.example/old", "sport of yesterday");

async fn what_arrives_is_filtered_once(world: World) {
    let (ada, bob) = (user(&world, "ada").await, user(&world, "bob").await);
    world.origin.at("/feed", feed(&[OLD]));
    let id = reading(&world, ada, "/feed").await;
    let store = world.engine.store();
    let mute = words("sport", vec![Action::Mute]);
    store.add_filter(ada, &mute, world.now()).await.unwrap();
    store.add_filter(ada, &words("rust", vec![Action::Star, Action::Tag("Code".into())]), world.now()).await.unwrap();
    store.add_filter(bob, &words("sport", vec![Action::Tag("Bob".into())]), world.now()).await.unwrap();
    world.origin.at(
        "/feed",
        feed(&[
            OLD,
            ("ball", "https://one.example/ball", "about sport"),
            ("crab", "https://one.example/crab", "about Rust"),
            ("plain", "https://one.example/plain", "about nothing"),
        ]),
    );
    world.advance(SignedDuration::from_hours(24));
    world.run_until_idle().await;
    let (stop, stopping) = tokio::sync::watch::channel(false);
    let watching = tokio::spawn(reader::watch(store.clone(), world.engine.clock().clone(), stopping));
    while store.job_counts(world.now()).await.unwrap().iter().all(|counts| counts.kind != "reader.filters") {
        tokio::task::yield_now().await;
    }
    stop.send(true).unwrap();
    watching.await.unwrap();
    runner(&world).run_due().await;

    let [ball, crab] = [entry(store, "ball").await, entry(store, "crab").await];
    assert_eq!(store.bookmarked(ada, &[ball, crab]).await.unwrap().keys().copied().collect::<Vec<_>>(), [crab]);
    assert_eq!(store.entry_tags(ada, &[ball, crab]).await.unwrap()[&crab], ["Code"]);
    assert_eq!(store.tags(bob).await.unwrap(), [], "bob is not subscribed to {id}");
    let hits = async || store.filters(ada).await.unwrap().iter().map(|stored| stored.hits).collect::<Vec<_>>();
    assert_eq!(hits().await, [1, 1]);
    filter_arrivals(store, ada, world.now()).await.unwrap();
    assert_eq!(hits().await, [1, 1], "once");
    assert_eq!(store.filtered_upto(ada).await.unwrap(), Some(store.last_entry().await.unwrap()));
    assert_eq!(store.users_behind_filters(store.last_entry().await.unwrap(), 9).await.unwrap(), []);
}

async fn a_filter_is_tried_without_writing(world: World) {
    let (ada, bob) = (user(&world, "ada").await, user(&world, "bob").await);
    world.origin.at("/feed", feed(&[OLD, ("new", "https://one.example/new", "nothing")]));
    let id = reading(&world, ada, "/feed").await;
    let store = world.engine.store();
    let draft = words("sport", vec![Action::Mute]);
    let tried = try_filter(store, ada, &draft).await.unwrap();
    assert_eq!(tried.of, 2);
    let matched = tried.matched;
    assert_eq!(matched.iter().map(|matched| matched.entry.title.as_deref()).collect::<Vec<_>>(), [Some("old")]);
    assert!(!matched[0].because.is_empty());
    let of_feed = FilterDraft { scope: Scope::Feed(id), ..draft.clone() };
    assert_eq!(try_filter(store, ada, &of_feed).await.unwrap().matched.len(), 1);
    assert_eq!(try_filter(store, bob, &draft).await.unwrap().of, 0, "not his feeds");
    assert_eq!(store.filtered_upto(ada).await.unwrap(), None);
}
