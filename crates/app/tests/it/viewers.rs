//! Verbs of the engine on behalf of a user: another user's private feed is neither attached to nor revealed.
//!
//! What the store's reads show to whom is tested there (`store/tests/it/viewers.rs`).

use engine::{AccessChange, EngineError, Exporting, Import, Importing, RootDomain, Wanted};
use model::reader::Role;
use model::{FeedId, UserId, Viewer};
use store::{Added, EntryFilter, StoreError};
use syndication::opml::{Limits, Opml, Options, Row};
use testkit::{World, rss};

on_both!(adding_the_address_of_a_private_feed_makes_another, what_was_kept_is_shown_to_its_owner);

/// Ada's private feed, visited once, and Bob.
async fn scene(world: &World) -> (UserId, UserId, FeedId) {
    let store = world.engine.store();
    let ada = store.add_user("ada", Role::User, world.now()).await.unwrap();
    let bob = store.add_user("bob", Role::User, world.now()).await.unwrap();
    world.origin.at("/feed", rss(&["secret"]));
    let wanted = Wanted { owner: Some(ada), root_domain: RootDomain::None, ..Wanted::at(&world.origin.url("/feed")) };
    let feed = engine::add_feed(&world.engine, &wanted).await.unwrap().id();
    world.run_until_idle().await;
    (ada, bob, feed)
}

fn list(url: &str) -> Opml {
    let opml = format!("<opml version='2.0'><body><outline text='Mine' xmlUrl='{url}'/></body></opml>");
    syndication::opml::read(opml.as_bytes(), &Options::default(), &Limits::default()).unwrap().0
}

fn urls(list: &Opml) -> Vec<&str> {
    let rows = list.rows.iter().map(|row| match row {
        Row::Feed(feed) => feed.url.as_str(),
        Row::Folder(folder) => panic!("{}: nothing was filed", folder.name),
    });
    rows.collect()
}

async fn adding_the_address_of_a_private_feed_makes_another(world: World) {
    let (ada, bob, feed) = scene(&world).await;
    let (engine, url) = (&world.engine, world.origin.url("/feed"));
    let import = async |user, how| {
        let imported = engine::import(engine, user, &list(&url), (None, how, model::feed::Origin::Operator), |_| ())
            .await
            .unwrap();
        imported.rows[0].result.clone()
    };
    assert_eq!(import(ada, Importing::DryRun).await, Import::Subscribed(feed));
    assert_eq!(import(bob, Importing::DryRun).await, Import::WouldAdd, "as if nobody had it");
    let Import::Added(public) = import(bob, Importing::Write).await else { panic!("it is new to Bob") };
    assert_ne!(public, feed);
    assert_eq!(engine::add_feed(engine, &Wanted::at(&url)).await.unwrap(), Added::Existing(public));
    let bobs = Wanted { owner: Some(bob), ..Wanted::at(&url) };
    let bobs = engine::add_feed(engine, &bobs).await.unwrap();
    assert!(matches!(bobs, Added::New(id) if id != feed && id != public), "{bobs:?}");
    let all = Exporting { private: true, unsubscribed: true };
    let exported = engine::export(engine.store(), bob, all).await.unwrap();
    assert_eq!(urls(&exported.list), [&url, &url], "the public one and Bob's, not Ada's");
    let none = engine::export(engine.store(), bob, Exporting::default()).await.unwrap();
    assert_eq!((none.feeds, none.private_left_out), (1, 1), "nor is Ada's counted");
}

async fn what_was_kept_is_shown_to_its_owner(world: World) {
    let (ada, bob, feed) = scene(&world).await;
    let (engine, store) = (&world.engine, world.engine.store());
    let (ada, bob) = (Viewer::User(ada), Viewer::User(bob));
    let entry = store.entries(ada, EntryFilter::default(), None, 1).await.unwrap().entries.remove(0);
    let body = store.entry_body(ada, entry.id).await.unwrap();
    let visits = store.visits(ada, feed, 9).await.unwrap();
    let place = body.raw.unwrap();
    for (viewer, sees) in [(ada, true), (Viewer::Operator, true), (bob, false)] {
        let places = engine::references(store, viewer, &body, &[]).await.unwrap();
        assert_eq!(places.iter().filter(|place| place.kept).count(), usize::from(sees), "references, {viewer:?}");
        assert_eq!(engine::passage(engine, viewer, &place).await.unwrap().is_some(), sees, "passage, {viewer:?}");
        let headers = engine::visit_headers(store, viewer, feed, &visits).await.unwrap();
        assert_eq!(headers.iter().flatten().count() > 0, sees, "visit_headers, {viewer:?}");
        let icon = is_there(engine::icon(engine, viewer, feed).await);
        assert_eq!(icon, sees, "icon, {viewer:?}");
        let changed = engine::change_access(engine, viewer, feed, UserId(1), AccessChange::default()).await;
        assert_eq!(is_there(changed), sees, "change_access, {viewer:?}");
        let compared = engine::compare_access(engine, viewer, feed, &engine::Access::default()).await;
        assert_eq!(is_there(compared), sees, "compare_access, {viewer:?}");
    }
}

fn is_there<T>(answer: Result<T, EngineError>) -> bool {
    match answer {
        Ok(_) => true,
        Err(EngineError::Store(StoreError::NotFound { .. })) => false,
        Err(error) => panic!("{error}"),
    }
}
