//! Users and pages for the suites.

use model::reader::Role;
use model::{EntryId, FeedId, UserId, Viewer};
use store::{EntryFilter, Store};
use testkit::{Response, World};
use work::JobRunner;

/// A user.
pub(crate) async fn user(world: &World, name: &str) -> UserId {
    world.engine.store().add_user(name, Role::User, world.now()).await.unwrap()
}

/// Subscribes a user to the feed at a path, which is visited.
pub(crate) async fn reading(world: &World, user: UserId, path: &str) -> FeedId {
    let feed = world.add(path).await;
    let store = world.engine.store();
    let category = store.default_category(user).await.unwrap();
    store.subscribe(user, feed, category, None, world.now()).await.unwrap();
    world.run_until_idle().await;
    feed
}

/// The readers' jobs.
pub(crate) fn runner(world: &World) -> JobRunner {
    reader::jobs(reader::Parts { engine: world.engine.clone(), chores: vec![] })
}

/// The entry with a title.
pub(crate) async fn entry(store: &Store, title: &str) -> EntryId {
    let entries = store.arrived(Viewer::Operator, EntryFilter::default(), EntryId(0), 1_000).await.unwrap();
    entries.into_iter().find(|entry| entry.title.as_deref() == Some(title)).unwrap().id
}

/// An RSS feed with entries: title, link, description.
pub(crate) fn feed(entries: &[(&str, &str, &str)]) -> Response {
    let items: Vec<String> = entries
        .iter()
        .map(|(title, link, text)| {
            format!("<item><guid isPermaLink=\"false\">{title}</guid><title>{title}</title><link>{link}</link><description>{text}</description></item>")
        })
        .collect();
    let text = format!("<rss version=\"2.0\"><channel><title>One</title>{}</channel></rss>", items.concat());
    Response::body("application/rss+xml", text)
}

/// A page with an article of many words.
pub(crate) fn article(title: &str, word: &str) -> Response {
    let words = format!("{word} and more words of this article that go on, ").repeat(40);
    let html = format!(
        "<html><head><title>{title}</title></head><body><article><h1>{title}</h1><p>{words}</p><p>{words}</p></article></body></html>"
    );
    Response::body("text/html; charset=utf-8", html)
}
