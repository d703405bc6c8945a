//! Full texts: kept beside what the feed says, found by search, tried again only when it is time.

use crate::search::index;
use crate::support::{Database, HOUR, on_both, start};
use model::{EntryId, Viewer};
use store::{FullTextState, SearchQuery};

on_both!(a_full_text_is_kept_and_found, a_failure_is_noted_and_takes_nothing_away);

async fn hits(db: &Database, words: &str) -> usize {
    let query = SearchQuery { words: words.into(), limit: 9, ..SearchQuery::default() };
    db.store.search(Viewer::Operator, &query).await.unwrap().entries.len()
}

async fn a_full_text_is_kept_and_found(db: Database) {
    let readers = db.readers(&["one", "two"]).await;
    let (store, entry, viewer) = (&db.store, readers.entries[0], Viewer::User(readers.ada));
    index(store).await;
    assert_eq!(store.full_text(viewer, entry).await.unwrap(), FullTextState::default());
    assert_eq!((hits(&db, "elephant").await, hits(&db, "one").await), (0, 1));
    assert!(store.put_full_text(entry, "<p>An elephant.</p>", &[], start()).await.unwrap());
    index(store).await;
    assert_eq!(hits(&db, "elephant").await, 1);
    assert_eq!(hits(&db, "one").await, 1, "what the feed said is found as before");
    let state = store.full_text(viewer, entry).await.unwrap();
    assert_eq!((state.html.as_deref(), state.tried_at), (Some("<p>An elephant.</p>"), Some(start())));
    assert_eq!(db.number("SELECT count(*) FROM entries WHERE full_text").await, 1);
    assert!(!store.put_full_text(EntryId(99), "x", &[], start()).await.unwrap());
    assert!(store.full_text(viewer, EntryId(99)).await.is_err());
}

async fn a_failure_is_noted_and_takes_nothing_away(db: Database) {
    let readers = db.readers(&["one"]).await;
    let (store, entry, viewer) = (&db.store, readers.entries[0], Viewer::User(readers.ada));
    assert!(store.note_full_text_failure(entry, &"é".repeat(400), start()).await.unwrap());
    let state = store.full_text(viewer, entry).await.unwrap();
    assert_eq!((state.html, state.tried_at), (None, Some(start())));
    assert_eq!(state.error.as_deref(), Some("é".repeat(250).as_str()), "cut between letters");
    assert_eq!(db.number("SELECT count(*) FROM entries WHERE full_text").await, 0);
    store.put_full_text(entry, "<p>text</p>", &[], start() + HOUR).await.unwrap();
    assert_eq!(store.full_text(viewer, entry).await.unwrap().error, None);
    store.note_full_text_failure(entry, "404", start() + HOUR * 2).await.unwrap();
    let state = store.full_text(viewer, entry).await.unwrap();
    assert_eq!((state.html.as_deref(), state.error.as_deref()), (Some("<p>text</p>"), Some("404")));
    assert_eq!(db.number("SELECT count(*) FROM entries WHERE full_text").await, 1);
    assert!(!store.note_full_text_failure(EntryId(99), "x", start()).await.unwrap());
}
