//! Imports: done in a job, remembered, taken back exactly.

use crate::support::{reading, runner, user};
use model::reader::Category;
use model::{ImportId, UserId};
use reader::{Import, Undone, ask_import, undo_import};
use syndication::opml;
use testkit::World;
use testkit::rss;

on_both!(
    a_list_is_imported_and_taken_back,
    an_import_that_was_interrupted_is_taken_back_as_well,
    what_is_no_list_is_refused
);

fn list(world: &World) -> String {
    let url = |path: &str| world.origin.url(path);
    format!(
        r#"<?xml version="1.0" encoding="ISO-8859-1"?><opml version="2.0"><body>
           <outline text="News"><outline text="Inner"><outline type="rss" text="A" xmlUrl="{}"/></outline></outline>
           <outline type="rss" text="B" xmlUrl="{}"/>
           <outline type="rss" text="Mine" xmlUrl="{}"/>
           <outline type="rss" text="ftp" xmlUrl="ftp://one.example/"/></body></opml>"#,
        url("/a"),
        url("/b"),
        url("/mine")
    )
}

async fn asked(world: &World, user: UserId) -> ImportId {
    let asked = ask_import(&world.engine, user, list(world).as_bytes()).await.unwrap();
    let Import::Asked(id) = asked else { panic!("{asked:?}") };
    id
}

async fn categories(world: &World, user: UserId) -> Vec<String> {
    let categories: Vec<Category> = world.engine.store().categories(user).await.unwrap();
    categories.into_iter().map(|category| category.name).collect()
}

async fn a_list_is_imported_and_taken_back(world: World) {
    let ada = user(&world, "ada").await;
    world.origin.at("/mine", rss(&["one"]));
    let mine = reading(&world, ada, "/mine").await;
    world.advance(jiff::SignedDuration::from_hours(1));
    let store = world.engine.store();
    store.add_category(ada, None, "Kept", world.now()).await.unwrap();
    let id = asked(&world, ada).await;
    let run = store.import(ada, id).await.unwrap();
    assert_eq!((run.total, run.done, run.finished_at), (3, 0, None));
    assert_eq!(run.errors, ["ftp: only http and https can be visited"]);
    assert_eq!(undo_import(&world.engine, ada, id).await.unwrap(), Undone::Refused, "it is not done");
    runner(&world).run_due().await;
    let run = store.import(ada, id).await.unwrap();
    assert_eq!((run.done, run.imported, run.skipped, run.feeds.len()), (3, 2, 1, 2));
    assert_eq!(run.errors, ["ftp: only http and https can be visited"]);
    assert!(run.finished_at.is_some() && !run.feeds.contains(&mine));
    assert_eq!(categories(&world, ada).await, ["Default", "Kept", "News", "Inner"]);
    assert_eq!(store.subscriptions(ada).await.unwrap().len(), 3);

    assert_eq!(undo_import(&world.engine, ada, id).await.unwrap(), Undone::Done(2));
    assert_eq!(undo_import(&world.engine, ada, id).await.unwrap(), Undone::Refused);
    let left: Vec<_> =
        store.subscriptions(ada).await.unwrap().into_iter().map(|subscription| subscription.feed).collect();
    assert_eq!(left, [mine]);
    assert_eq!(categories(&world, ada).await, ["Default", "Kept"]);
    assert_eq!(store.count_feeds().await.unwrap(), 1, "what nobody reads any more is deleted");
}

/// The job is run again after it was killed: what it did the first time is there already.
async fn an_import_that_was_interrupted_is_taken_back_as_well(world: World) {
    let ada = user(&world, "ada").await;
    world.origin.at("/mine", rss(&["one"]));
    let mine = reading(&world, ada, "/mine").await;
    world.advance(jiff::SignedDuration::from_hours(1));
    let id = asked(&world, ada).await;
    let (rows, _) = opml::read(list(&world).as_bytes(), &opml::Options::default(), &opml::Limits::default()).unwrap();
    let how = (None, engine::Importing::Write, model::feed::Origin::Reader);
    engine::import(&world.engine, ada, &rows, how, |_| ()).await.unwrap();
    runner(&world).run_due().await;
    let run = world.engine.store().import(ada, id).await.unwrap();
    assert_eq!((run.imported, run.skipped), (2, 1));
    assert_eq!(undo_import(&world.engine, ada, id).await.unwrap(), Undone::Done(2));
    let left: Vec<_> = world
        .engine
        .store()
        .subscriptions(ada)
        .await
        .unwrap()
        .into_iter()
        .map(|subscription| subscription.feed)
        .collect();
    assert_eq!((left, categories(&world, ada).await), (vec![mine], vec!["Default".to_owned()]));
}

async fn what_is_no_list_is_refused(world: World) {
    let ada = user(&world, "ada").await;
    let asked = ask_import(&world.engine, ada, b"<html>no</html>").await.unwrap();
    assert!(matches!(asked, Import::NotAList(_)), "{asked:?}");
    assert_eq!(world.engine.store().imports(ada).await.unwrap(), []);
}
