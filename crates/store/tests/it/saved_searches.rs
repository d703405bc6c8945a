//! Saved searches: kept in the order of their user, each name once.

use crate::support::{Database, on_both, start};
use model::UserId;
use store::Renamed;

on_both!(searches_are_kept_in_their_order);

async fn list(db: &Database, user: UserId) -> String {
    let searches = db.store.saved_searches(user).await.unwrap();
    searches.iter().map(|search| format!("{}={}", search.name, search.query)).collect::<Vec<_>>().join(", ")
}

async fn searches_are_kept_in_their_order(db: Database) {
    let readers = db.readers(&[]).await;
    let (store, ada, bob) = (&db.store, readers.ada, readers.bob);
    let add = async |user, name: &str| store.add_saved_search(user, name, "q", start()).await.unwrap();
    let (a, b) = (add(ada, "A").await.unwrap(), add(ada, "B").await.unwrap());
    assert_eq!(add(ada, "a").await, None, "the name is taken");
    assert!(add(bob, "a").await.is_some());
    assert_eq!(list(&db, ada).await, "A=q, B=q");
    store.order_saved_searches(ada, &[b, a]).await.unwrap();
    store.order_saved_searches(bob, &[a, b]).await.unwrap();
    store.order_saved_searches(ada, &[]).await.unwrap();
    assert_eq!(list(&db, ada).await, "B=q, A=q");
    let change = async |user, id, name, query| store.change_saved_search(user, id, name, query).await.unwrap();
    assert_eq!(change(ada, a, Some("b"), None).await, Renamed::Taken);
    assert_eq!(change(bob, a, Some("x"), None).await, Renamed::Missing);
    assert_eq!(change(ada, a, Some("a"), Some("words")).await, Renamed::Done);
    assert_eq!(change(ada, b, None, Some("other")).await, Renamed::Done);
    assert_eq!(list(&db, ada).await, "B=other, a=words");
    assert!(!store.delete_saved_search(bob, a).await.unwrap());
    assert!(store.delete_saved_search(ada, a).await.unwrap());
    assert_eq!(list(&db, ada).await, "B=other");
    assert_eq!(list(&db, bob).await, "a=q");
}
