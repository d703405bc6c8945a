//! Readers: the owner, categories, subscriptions.

use crate::support::{Database, on_both, start};
use model::reader::Role;
use model::{CategoryId, UserId};

on_both!(a_fresh_database_has_an_owner, categories_nest_and_are_found_again, a_subscription_stays_as_it_was_arranged);

async fn a_fresh_database_has_an_owner(db: Database) {
    let owner = db.store.owner().await.unwrap();
    assert_eq!((owner.id, owner.name.as_str(), owner.role), (UserId(1), "owner", Role::SuperAdmin));
    assert_eq!(db.store.default_category(owner.id).await.unwrap(), CategoryId(1));
    let again = db.another().await;
    assert_eq!(again.categories(owner.id).await.unwrap().len(), 1, "made once");
    let ada = again.add_user("ada", Role::User, start()).await.unwrap();
    assert_ne!(again.default_category(ada).await.unwrap(), CategoryId(1));
    assert_eq!(again.user("ada").await.unwrap().id, ada);
    assert_eq!(again.user("bob").await.unwrap_err().to_string(), "no user bob");
    let twice = again.add_user("ada", Role::User, start()).await;
    assert!(matches!(twice, Err(store::StoreError::Conflict { .. })), "{twice:?}");
    assert_eq!(again.owner().await.unwrap().id, UserId(1));
}

async fn categories_nest_and_are_found_again(db: Database) {
    let owner = db.store.owner().await.unwrap().id;
    let news = db.store.add_category(owner, None, "News", start()).await.unwrap();
    let local = db.store.add_category(owner, Some(news), "Local", start()).await.unwrap();
    assert_eq!(db.store.add_category(owner, Some(news), "Local", start()).await.unwrap(), local);
    let top = db.store.add_category(owner, None, "Local", start()).await.unwrap();
    assert_ne!(top, local, "a name is unique among its siblings only");
    let all: Vec<_> = db.store.categories(owner).await.unwrap().into_iter().map(|c| (c.name, c.parent)).collect();
    assert_eq!(
        all,
        [("Default".into(), None), ("News".into(), None), ("Local".into(), None), ("Local".to_owned(), Some(news))]
    );
}

async fn a_subscription_stays_as_it_was_arranged(db: Database) {
    let owner = db.store.owner().await.unwrap().id;
    let feed = db.feeds(1, "one.example").await[0];
    let news = db.store.add_category(owner, None, "News", start()).await.unwrap();
    let first = db.store.subscribe(owner, feed, news, Some("Mine"), start()).await.unwrap();
    let again = db.store.subscribe(owner, feed, CategoryId(1), None, start()).await.unwrap();
    assert_eq!(first, again);
    let all = db.store.subscriptions(owner).await.unwrap();
    assert_eq!((all.len(), all[0].category, all[0].title.as_deref()), (1, news, Some("Mine")));
    assert!(db.store.unsubscribe(owner, feed, start()).await.unwrap());
    assert_eq!(db.store.subscriptions(owner).await.unwrap(), []);
}
