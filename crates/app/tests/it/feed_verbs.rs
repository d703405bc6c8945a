//! What can be changed about a feed, through the verbs of the engine that every door uses: address, owner, root domain,
//! rules, access, deletion. Switching on and off is `feed_switches.rs`.

use std::collections::BTreeMap;

use engine::{
    Access, AccessChange, AccessChanged, AccessMatch, Arrangement, Change, Credentials, Deleted, KEPT_AFTER_DELETION,
    Moved, OwnerChanged, Removal, RootDomainSet, RuleChanged, Wanted,
};
use jiff::SignedDuration;
use model::{FeedId, Viewer};
use policy::Rules;
use policy::rules::NoSuchRule;
use store::{FeedName, FeedStatus};
use testkit::{World, rss};

on_both!(
    a_feed_moves_as_a_whole,
    a_feed_with_secrets_is_never_shared,
    access_changes_where_it_is_named,
    rules_are_changed_one_by_one,
    a_root_domain_is_a_host_name,
    a_feed_is_deleted_once,
    a_feed_is_filed_and_named,
);

async fn status(world: &World, feed: FeedId) -> FeedStatus {
    world.engine.store().feed(Viewer::Operator, &FeedName::Id(feed)).await.unwrap()
}

async fn a_feed_moves_as_a_whole(world: World) {
    world.origin.at("/old", rss(&["one"]).with("etag", "\"old\""));
    world.origin.at("/new", rss(&["one", "two"]));
    let (old, other) = (world.add("/old").await, world.add("/other").await);
    world.run_until_idle().await;
    let store = world.engine.store();
    let to = async |url: &str| engine::move_feed(store, Viewer::Operator, old, url, world.now()).await.unwrap();
    assert_eq!(to(&world.origin.url("/old")).await, Moved::Already);
    let taken = world.origin.url("/other");
    assert_eq!(to(&taken).await, Moved::Taken { url: taken, by: Some(other) });
    assert!(matches!(to("nonsense").await, Moved::NotAnAddress(why) if why.contains("names no site")));
    assert!(matches!(to("http://ada:secret@one.example/").await, Moved::NotAnAddress(why) if !why.contains("secret")));
    assert_eq!(status(&world, old).await.feed.url, world.origin.url("/old"), "nothing was changed");
    assert_eq!(to(&world.origin.url("/new")).await, Moved::Done);
    world.run_until_idle().await;
    let asked = world.origin.requests();
    let last = asked.iter().rfind(|request| request.line == "GET /new").unwrap();
    assert_eq!(last.header("if-none-match"), None, "what the old document was called is forgotten");
    assert_eq!(world.titles().await, ["one", "two"], "what it said stays");

    // A root domain that was derived from the address follows it; one that an operator set stays.
    assert_eq!(to("https://feeds.one.example/").await, Moved::Done);
    assert_eq!(status(&world, old).await.feed.root_domain.as_deref(), Some("one.example"));
    engine::set_root_domain(store, Viewer::Operator, old, Some("ours.example"), world.now()).await.unwrap();
    assert_eq!(to("https://two.example/").await, Moved::Done);
    assert_eq!(status(&world, old).await.feed.root_domain.as_deref(), Some("ours.example"));
    engine::delete_feed(&world.engine, Viewer::Operator, old, Removal::Later).await.unwrap();
    assert_eq!(to("https://three.example/").await, Moved::Deleted);
}

async fn a_feed_with_secrets_is_never_shared(world: World) {
    let feed = world.add("/feed").await;
    let store = world.engine.store();
    let ada = store.owner().await.unwrap().id;
    let give = async |owner| engine::set_feed_owner(store, Viewer::Operator, feed, owner, world.now()).await.unwrap();
    assert_eq!(give(None).await, OwnerChanged::Already);
    assert_eq!(give(Some(ada)).await, OwnerChanged::Done);
    assert_eq!(status(&world, feed).await.feed.owner, Some(ada));
    let secret = AccessChange { credentials: Change::Set(Credentials::Bearer("t".into())), ..AccessChange::default() };
    engine::change_access(&world.engine, Viewer::Operator, feed, ada, secret).await.unwrap();
    assert_eq!(give(None).await, OwnerChanged::HasSecrets);
    assert_eq!(status(&world, feed).await.feed.owner, Some(ada));
    let none = AccessChange { credentials: Change::Remove, ..AccessChange::default() };
    engine::change_access(&world.engine, Viewer::Operator, feed, ada, none).await.unwrap();
    let public = world.add("/feed").await;
    assert_ne!(public, feed);
    assert_eq!(give(None).await, OwnerChanged::AddressTaken(public));
    engine::delete_feed(&world.engine, Viewer::Operator, feed, Removal::Later).await.unwrap();
    assert_eq!(give(None).await, OwnerChanged::Deleted);
}

async fn access_changes_where_it_is_named(world: World) {
    world.origin.at("/feed", rss(&["one"]));
    let feed = world.add("/feed").await;
    let ada = world.engine.store().owner().await.unwrap().id;
    let change =
        async |change| engine::change_access(&world.engine, Viewer::Operator, feed, ada, change).await.unwrap();
    let credentials = Credentials::Bearer("first".into());
    let given = Access { credentials: Some(credentials.clone()), ..Access::default() };
    let compared =
        async |given: &Access| engine::compare_access(&world.engine, Viewer::Operator, feed, given).await.unwrap();
    assert_eq!(compared(&given).await, AccessMatch::Public);
    let set = AccessChange { credentials: Change::Set(credentials), ..AccessChange::default() };
    assert!(matches!(change(set).await, AccessChanged::Done));
    assert_eq!(status(&world, feed).await.feed.owner, Some(ada), "the feed has an owner now");
    let name = AccessChange { user_agent: Change::Set("Another/1".into()), ..AccessChange::default() };
    assert!(matches!(change(name).await, AccessChanged::Done));
    world.run_until_idle().await;
    let asked = world.origin.requests();
    let last = asked.iter().rfind(|request| request.line == "GET /feed").unwrap();
    assert_eq!(last.header("user-agent"), Some("Another/1"));
    assert_eq!(last.header("authorization"), Some("Bearer first"), "what was not named stays");
    assert_eq!(compared(&given).await, AccessMatch::Same);
    assert_eq!(compared(&Access::default()).await, AccessMatch::Other);
    let proxy = AccessChange { proxy: Change::Set("gopher://old".into()), ..AccessChange::default() };
    assert!(matches!(change(proxy).await, AccessChanged::BadProxy(_)));

    // The same address with credentials is taken: a public feed there cannot become theirs.
    let public = world.add("/feed").await;
    let set =
        AccessChange { credentials: Change::Set(Credentials::Bearer("second".into())), ..AccessChange::default() };
    let taken = engine::change_access(&world.engine, Viewer::Operator, public, ada, set).await.unwrap();
    assert!(matches!(taken, AccessChanged::AddressTaken), "{taken:?}");
    assert!(
        world.engine.store().unscoped().peek(public).await.unwrap().dossier.access.is_none(),
        "nothing was written"
    );
}

async fn rules_are_changed_one_by_one(world: World) {
    let feed = world.add("/feed").await;
    let (store, global, now) = (world.engine.store(), Rules::default(), world.now());
    let set =
        async |key, value| engine::set_rule(store, Viewer::Operator, &global, feed, key, value, now).await.unwrap();
    assert_eq!(set("interval.min", "2h").await, RuleChanged::Done("2h".into()));
    // Two at once: each is written over the rules it was made from, so that both are kept.
    let (one, two) = tokio::join!(set("interval.max", "9d"), set("failure.disable_after", "7"));
    assert_eq!((one, two), (RuleChanged::Done("9d".into()), RuleChanged::Done("7".into())));
    let own = [("failure.disable_after", "7"), ("interval.max", "9d"), ("interval.min", "2h")];
    let own = own.map(|(key, value)| (key.to_owned(), value.to_owned()));
    assert_eq!(status(&world, feed).await.rules, BTreeMap::from(own));
    let unset = async |key| engine::unset_rule(store, Viewer::Operator, &global, feed, key, now).await.unwrap();
    assert!(matches!(unset("interval.min").await, RuleChanged::Done(_)));
    assert_eq!(unset("interval.min").await, RuleChanged::Refused(NoSuchRule::NotOwn { key: "interval.min".into() }));
    let refused = set("interval.min", "30d").await;
    assert!(matches!(refused, RuleChanged::Refused(NoSuchRule::BadValue { .. })), "above the maximum: {refused:?}");
    assert_eq!(status(&world, feed).await.rules.len(), 2);

    let seen = status(&world, feed).await.rules;
    assert!(!store.change_feed_rules(feed, &BTreeMap::new(), &seen, None, now).await.unwrap(), "they were not empty");
    assert!(store.change_feed_rules(feed, &seen, &BTreeMap::new(), None, now).await.unwrap());
    assert!(store.change_feed_rules(feed, &BTreeMap::new(), &seen, None, now).await.unwrap());
}

async fn a_root_domain_is_a_host_name(world: World) {
    let feed = world.add("/feed").await;
    let set = async |domain| {
        engine::set_root_domain(world.engine.store(), Viewer::Operator, feed, domain, world.now()).await.unwrap()
    };
    assert_eq!(set(Some("Example.ORG")).await, RootDomainSet::Done(Some("example.org".into())));
    assert_eq!(set(Some("http://two.example/")).await, RootDomainSet::NotAHost);
    assert_eq!(status(&world, feed).await.feed.root_domain.as_deref(), Some("example.org"));
    assert_eq!(set(None).await, RootDomainSet::Done(None));
    assert_eq!(status(&world, feed).await.feed.root_domain, None);
}

async fn a_feed_is_deleted_once(world: World) {
    let (feed, last) = (world.add("/feed").await, world.add("/last").await);
    let delete = async |removal| engine::delete_feed(&world.engine, Viewer::Operator, feed, removal).await;
    let until = world.now() + KEPT_AFTER_DELETION;
    assert_eq!(delete(Removal::Later).await.unwrap(), Deleted::Until(until));
    world.advance(SignedDuration::from_hours(24));
    assert_eq!(delete(Removal::Later).await.unwrap(), Deleted::Already(Some(until)), "not a day longer");
    // Nobody changes what is deleted: not even by a look from before.
    let store = world.engine.store();
    assert!(store.set_polling(feed, false, world.now()).await.is_err());
    assert!(store.set_access(feed, Some("Another/1"), None, world.now()).await.is_err());
    assert!(!store.set_url(feed, "https://one.example/", [None, None], world.now()).await.unwrap());
    assert_eq!(delete(Removal::Now).await.unwrap(), Deleted::Removed);
    assert!(delete(Removal::Now).await.is_err(), "there is none any more");
    let again = engine::add_feed(&world.engine, &Wanted::at(&world.origin.url("/feed"))).await.unwrap();
    assert!(matches!(again, store::Added::New(id) if id > last), "{again:?}");
}

async fn a_feed_is_filed_and_named(world: World) {
    let feed = world.add("/feed").await;
    let store = world.engine.store();
    let ada = store.owner().await.unwrap().id;
    let wanted = Arrangement { category: Some("News".into()), title: Some(" Mine ".into()) };
    engine::arrange(store, ada, feed, &wanted, world.now()).await.unwrap();
    let mine = store.subscriptions(ada).await.unwrap().pop().unwrap();
    assert_eq!((mine.feed, mine.title.as_deref()), (feed, Some("Mine")));
    let category = store.categories(ada).await.unwrap().into_iter().find(|category| category.id == mine.category);
    assert_eq!(category.unwrap().name, "News");
    let unnamed = Arrangement { title: Some(String::new()), ..Arrangement::default() };
    engine::arrange(store, ada, feed, &unnamed, world.now()).await.unwrap();
    let same = store.subscriptions(ada).await.unwrap().pop().unwrap();
    assert_eq!((same.title, same.category), (None, mine.category), "it stays where it was filed");
}
