//! Tags: a user's own labels, unique whatever the case of their letters.

use crate::support::{Database, HOUR, on_both, start};
use model::UserId;
use store::{Made, Renamed, StoreError};

on_both!(
    a_tag_is_found_whatever_its_letters,
    tags_of_an_entry_are_replaced,
    tags_belong_to_their_user,
    many_entries_are_tagged_at_once
);

async fn list(db: &Database, user: UserId) -> String {
    let tags = db.store.tags(user).await.unwrap();
    tags.iter().map(|tag| format!("{} {}", tag.name, tag.uses)).collect::<Vec<_>>().join(", ")
}

async fn a_tag_is_found_whatever_its_letters(db: Database) {
    let readers = db.readers(&[]).await;
    let (store, ada) = (&db.store, readers.ada);
    let (first, made) = store.make_tag(ada, "Äpfel", start()).await.unwrap();
    assert_eq!((made, first.name.as_str(), first.uses), (Made::New, "Äpfel", 0));
    let (again, made) = store.make_tag(ada, "äPFEL", start()).await.unwrap();
    assert_eq!((made, again), (Made::Existing, first.clone()));
    let (other, _) = store.make_tag(ada, "Birnen", start()).await.unwrap();
    assert_eq!(store.rename_tag(ada, other.id, "ÄPFEL").await.unwrap(), Renamed::Taken);
    assert_eq!(store.rename_tag(ada, first.id, "ÄPFEL").await.unwrap(), Renamed::Done, "its own name in other letters");
    assert_eq!(store.rename_tag(readers.bob, first.id, "x").await.unwrap(), Renamed::Missing);
    assert_eq!(list(&db, ada).await, "Birnen 0, ÄPFEL 0");
    assert!(!store.delete_tag(readers.bob, first.id).await.unwrap());
    assert!(store.delete_tag(ada, first.id).await.unwrap());
    assert_eq!(store.tag_named(ada, "äpfel").await.unwrap(), None);
}

async fn tags_of_an_entry_are_replaced(db: Database) {
    let readers = db.readers(&["one"]).await;
    let (store, ada, entry) = (&db.store, readers.ada, readers.entries[0]);
    let set = async |names: &[&str], at| {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        store.set_entry_tags(ada, entry, &names, at).await.unwrap();
        store.entry_tags(ada, &[entry]).await.unwrap().remove(&entry).unwrap_or_default().join(", ")
    };
    assert_eq!(set(&["Work", "art", "WORK"], start()).await, "art, Work");
    assert_eq!(set(&["art", "new"], start() + HOUR).await, "art, new");
    assert_eq!(list(&db, ada).await, "art 1, new 1, Work 0");
    let later = (start() + HOUR).as_microsecond();
    assert_eq!(db.number(&format!("SELECT count(*) FROM entry_tags WHERE at = {later}")).await, 1, "the other stays");
    assert_eq!(set(&[], start()).await, "");
    let missing = store.set_entry_tags(ada, model::EntryId(99), &["x".into()], start()).await;
    assert!(matches!(missing, Err(StoreError::NotFound { .. })), "{missing:?}");
}

async fn tags_belong_to_their_user(db: Database) {
    let readers = db.readers(&["one"]).await;
    let (store, entry) = (&db.store, readers.entries[0]);
    store.set_entry_tags(readers.ada, entry, &["secret".into()], start()).await.unwrap();
    store.set_entry_tags(readers.bob, entry, &["mine".into()], start()).await.unwrap();
    store.set_entry_tags(readers.bob, entry, &[], start()).await.unwrap();
    assert_eq!(store.entry_tags(readers.ada, &[entry]).await.unwrap()[&entry], ["secret"]);
    assert!(store.entry_tags(readers.bob, &[entry]).await.unwrap().is_empty());
    assert_eq!(list(&db, readers.bob).await, "mine 0");
}

async fn many_entries_are_tagged_at_once(db: Database) {
    let readers = db.readers(&["one", "two"]).await;
    let [one, two] = [readers.entries[0], readers.entries[1]];
    let tagged = [(one, "A".to_owned()), (two, "a".into()), (two, "b".into()), (two, "B".into())];
    db.store.tag_entries(readers.ada, &tagged, start()).await.unwrap();
    db.store.tag_entries(readers.ada, &tagged, start()).await.unwrap();
    db.store.tag_entries(readers.ada, &[], start()).await.unwrap();
    assert_eq!(list(&db, readers.ada).await, "A 2, b 1");
    let tags = db.store.entry_tags(readers.ada, &[one, two]).await.unwrap();
    assert_eq!((tags[&one].join(","), tags[&two].join(",")), ("A".into(), "A,b".into()));
}
