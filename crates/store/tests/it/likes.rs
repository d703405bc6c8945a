//! Likes.

use crate::support::{Database, HOUR, on_both, start};
use model::EntryId;

on_both!(a_like_remembers_its_first_moment);

async fn a_like_remembers_its_first_moment(db: Database) {
    let readers = db.readers(&["one", "two"]).await;
    let (store, ada, one) = (&db.store, readers.ada, readers.entries[0]);
    assert_eq!(store.like(ada, one, start()).await.unwrap(), start());
    assert_eq!(store.like(ada, one, start() + HOUR).await.unwrap(), start());
    let liked = store.liked(ada, &readers.entries).await.unwrap();
    assert_eq!(liked.into_iter().collect::<Vec<_>>(), [(one, start())]);
    assert!(store.liked(readers.bob, &readers.entries).await.unwrap().is_empty());
    assert!(!store.unlike(readers.bob, one).await.unwrap());
    assert!(store.unlike(ada, one).await.unwrap());
    assert!(!store.unlike(ada, one).await.unwrap());
    assert_eq!(store.like(ada, EntryId(99), start()).await.unwrap_err().to_string(), "no entry 99");
    store.set_owner(readers.feed, Some(readers.bob), start()).await.unwrap();
    assert!(store.like(ada, one, start()).await.is_err(), "what she may not see is not there");
}
