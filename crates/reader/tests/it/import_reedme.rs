//! A database of ReedMe or Fusion, in its older and its newer form, becomes a user's; importing it again completes it.

use crate::support::{entry, user};
use model::Viewer;
use reader::{ReedmeImported, import_reedme};
use store::{BookmarkFilter, BookmarkSlice, EntryFilter, Mark, ReedmeFile};
use testkit::World;

on_both!(the_older_form_is_imported, the_newer_form_is_imported, importing_again_changes_nothing);

fn file(sql: &str) -> (tempfile::TempDir, ReedmeFile) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("old.db");
    rusqlite::Connection::open(&path).unwrap().execute_batch(sql).unwrap();
    (directory, ReedmeFile::open(&path).unwrap())
}

const OLDER: &str = "
    CREATE TABLE groups (id INTEGER PRIMARY KEY, name TEXT, created_at DATETIME, deleted_at INTEGER DEFAULT 0);
    CREATE TABLE feeds (id INTEGER PRIMARY KEY, name TEXT, link TEXT, failure TEXT, suspended NUMERIC, last_build DATETIME,
                        group_id INTEGER, deleted_at INTEGER DEFAULT 0);
    CREATE TABLE items (id INTEGER PRIMARY KEY, title TEXT, guid TEXT, link TEXT, content TEXT, pub_date DATETIME,
                        unread NUMERIC, bookmark NUMERIC, feed_id INTEGER, deleted_at INTEGER DEFAULT 0);
    CREATE TRIGGER evil AFTER INSERT ON items BEGIN SELECT 1; END;
    INSERT INTO groups (id, name) VALUES (1, 'Default'), (2, 'News');
    INSERT INTO feeds (id, name, link, suspended, group_id) VALUES
        (1, 'One', 'https://one.example/feed', 0, 2), (2, 'Two', 'https://two.example/feed', 1, 1),
        (3, 'Bad', 'ftp://three.example/', 0, 1);
    INSERT INTO items (id, title, guid, link, content, pub_date, unread, bookmark, feed_id) VALUES
        (1, 'a', 'g1', 'https://one.example/a', '<p>A &amp; B<script>x</script></p>', '2024-05-01 10:00:00+00:00', 1, 1, 1),
        (2, 'b', 'g2', 'https://one.example/b', 'B', '2024-05-02 10:00:00+00:00', 0, 0, 1),
        (3, 'c', '', 'https://two.example/c', 'C', NULL, 1, 0, 2);
    INSERT INTO items (id, title, guid, link, feed_id, deleted_at) VALUES (4, 'gone', 'g4', 'https://one.example/x', 1, 17);";

const NEWER: &str = "
    CREATE TABLE schema_migrations (version INTEGER);
    CREATE TABLE groups (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, created_at INTEGER, updated_at INTEGER);
    CREATE TABLE feeds (id INTEGER PRIMARY KEY, group_id INTEGER, name TEXT, link TEXT, site_url TEXT, suspended INTEGER,
                        proxy TEXT, created_at INTEGER, updated_at INTEGER);
    CREATE TABLE feed_fetch_state (feed_id INTEGER PRIMARY KEY, etag TEXT);
    CREATE TABLE items (id INTEGER PRIMARY KEY, feed_id INTEGER, guid TEXT, title TEXT, link TEXT, content TEXT,
                        pub_date INTEGER, unread INTEGER, created_at INTEGER);
    CREATE TABLE bookmarks (id INTEGER PRIMARY KEY, item_id INTEGER, link TEXT UNIQUE, title TEXT, content TEXT,
                            pub_date INTEGER, feed_name TEXT, created_at INTEGER);
    INSERT INTO groups (id, name) VALUES (1, 'Default');
    INSERT INTO feeds (id, group_id, name, link, suspended) VALUES (1, 1, 'One', 'https://one.example/feed', 0);
    INSERT INTO items VALUES (1, 1, 'g1', 'a', 'https://one.example/a', 'A', 1714557600, 1, 1714557600);
    INSERT INTO bookmarks VALUES (1, NULL, 'https://gone.example/', 'Kept', '<b>k</b><script>x</script>', 1714557600, 'Gone', 1714557601);";

async fn imported(world: &World, sql: &str) -> (model::UserId, ReedmeImported) {
    let ada = user(world, "ada").await;
    let (_directory, file) = file(sql);
    (ada, import_reedme(&world.engine, ada, &file).await.unwrap())
}

async fn the_older_form_is_imported(world: World) {
    let (ada, told) = imported(&world, OLDER).await;
    let store = world.engine.store();
    assert_eq!((told.feeds, told.categories, told.entries, told.unread, told.bookmarks), (2, 1, 3, 2, 1), "{told:?}");
    assert_eq!(told.refused.len(), 1, "{told:?}");
    let mut titles = world.titles().await;
    titles.sort();
    assert_eq!(titles, ["a", "b", "c"]);
    let a = entry(store, "a").await;
    let body = store.entry_body(Viewer::User(ada), a).await.unwrap();
    let html = body.content.or(body.summary).unwrap();
    assert!(html.contains("A &amp; B") && !html.contains("script"), "{html}");
    let found = store.entry(Viewer::User(ada), a).await.unwrap();
    assert_eq!(found.published_at.unwrap().to_string(), "2024-05-01T10:00:00Z");
    assert_eq!(store.bookmarked(ada, &[a]).await.unwrap().len(), 1);
    let names: Vec<_> = store.categories(ada).await.unwrap().into_iter().map(|category| category.name).collect();
    assert_eq!(names, ["Default", "News"]);
    for (title, again) in [("a", 1), ("b", 0), ("c", 1)] {
        let id = entry(store, title).await;
        assert_eq!(store.mark(ada, &[id], Mark::Read, world.now()).await.unwrap(), again, "{title} was unread, or not");
    }
}

async fn the_newer_form_is_imported(world: World) {
    let (ada, told) = imported(&world, NEWER).await;
    assert_eq!((told.feeds, told.entries, told.unread, told.bookmarks), (1, 1, 1, 1), "{told:?}");
    let slice = BookmarkSlice { after: None, offset: 0, limit: 9 };
    let kept =
        world.engine.store().bookmarks(ada, &BookmarkFilter::default(), slice).await.unwrap().bookmarks.remove(0);
    assert_eq!((kept.title.as_str(), kept.feed_name.as_str(), kept.content.as_str()), ("Kept", "Gone", "<b>k</b>"));
    assert_eq!(kept.created_at.as_second(), 1_714_557_601);
}

async fn importing_again_changes_nothing(world: World) {
    let (ada, _) = imported(&world, OLDER).await;
    let store = world.engine.store();
    let a = entry(store, "a").await;
    store.mark(ada, &[a], Mark::Read, world.now()).await.unwrap();
    let (_directory, file) = file(OLDER);
    let told = import_reedme(&world.engine, ada, &file).await.unwrap();
    assert_eq!((told.feeds, told.feeds_known, told.entries, told.unread, told.bookmarks), (0, 2, 0, 0, 0), "{told:?}");
    assert_eq!(store.mark(ada, &[a], Mark::Read, world.now()).await.unwrap(), 0, "what was read since stays read");
    assert_eq!(store.arrived(Viewer::Operator, EntryFilter::default(), model::EntryId(0), 9).await.unwrap().len(), 3);
}

#[test]
fn what_is_no_such_database_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("other.db");
    assert!(ReedmeFile::open(&path).is_err(), "there is none, and none is made");
    assert!(!path.exists());
    let view = "CREATE TABLE feeds (id INTEGER PRIMARY KEY); CREATE VIEW items AS SELECT 1 AS id, 1 AS feed_id;";
    rusqlite::Connection::open(&path).unwrap().execute_batch(view).unwrap();
    assert!(ReedmeFile::open(&path).is_err(), "a view is no table");
}
