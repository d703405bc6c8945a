//! Bookmarks: snapshots that outlive their entries and belong to one user.

use crate::support::{Database, HOUR, lock, on_both, start};
use model::library::NewBookmark;
use model::{BookmarkId, CategoryId, EntryId, FeedId};
use store::{BookmarkChange, BookmarkFilter, BookmarkSlice, Made, PurgeStep, StoreError};

on_both!(
    a_page_is_kept_once,
    a_star_is_a_snapshot_of_the_entry,
    two_entries_with_one_link_share_a_bookmark,
    a_list_is_filtered_and_counted,
    pages_of_a_list_meet_every_bookmark_once,
    a_bookmark_is_changed_and_deleted_by_its_user_alone,
    a_bookmark_outlives_its_feed,
    a_link_may_be_very_long,
);

fn page(link: &str, title: &str) -> NewBookmark {
    NewBookmark {
        link: Some(link.to_owned()),
        title: title.to_owned(),
        content: format!("<p>all of {title}</p>"),
        ..NewBookmark::default()
    }
}

const ALL: BookmarkSlice = BookmarkSlice { after: None, offset: 0, limit: 50 };

async fn titles(db: &Database, user: model::UserId, filter: &BookmarkFilter) -> Vec<String> {
    let page = db.store.bookmarks(user, filter, ALL).await.unwrap();
    assert_eq!(page.total, page.bookmarks.len() as u64);
    page.bookmarks.into_iter().map(|bookmark| bookmark.title).collect()
}

async fn a_page_is_kept_once(db: Database) {
    let readers = db.readers(&[]).await;
    let (first, made) = db.store.add_bookmark(readers.ada, page("https://a.example/", "A"), start()).await.unwrap();
    assert_eq!((made, first.title.as_str(), first.entry, first.created_at), (Made::New, "A", None, start()));
    let later = start() + HOUR;
    let (again, made) = db.store.add_bookmark(readers.ada, page("https://a.example/", "Z"), later).await.unwrap();
    assert_eq!((made, &again), (Made::Existing, &first), "it stays as it was");
    let (bobs, made) = db.store.add_bookmark(readers.bob, page("https://a.example/", "B"), later).await.unwrap();
    assert_eq!((made, bobs.title.as_str()), (Made::New, "B"), "unique per user");
    assert!(bobs.id != first.id);
}

async fn a_star_is_a_snapshot_of_the_entry(db: Database) {
    let readers = db.readers(&["one", "two"]).await;
    let (store, entry) = (&db.store, readers.entries[0]);
    store.rename_subscription(readers.ada, readers.feed, Some("Mine")).await.unwrap();
    let (kept, made) = store.star(readers.ada, entry, start()).await.unwrap();
    assert_eq!(made, Made::New);
    assert_eq!((kept.entry, kept.feed), (Some(entry), Some(readers.feed)));
    assert_eq!((kept.title.as_str(), kept.content.as_str()), ("one", "<p>one</p>"));
    assert_eq!((kept.link.as_deref(), kept.feed_name.as_str()), (Some("https://one.example/one"), "Mine"));
    let (again, made) = store.star(readers.ada, entry, start() + HOUR).await.unwrap();
    assert_eq!((made, &again), (Made::Existing, &kept));
    let marked = store.bookmarked(readers.ada, &readers.entries).await.unwrap();
    assert_eq!(marked.into_iter().collect::<Vec<_>>(), [(entry, kept.id)]);
    assert!(store.bookmarked(readers.bob, &readers.entries).await.unwrap().is_empty());
    let counts = store.starred_counts(readers.ada).await.unwrap();
    assert_eq!(counts.into_iter().collect::<Vec<_>>(), [(readers.feed, 1)]);
    assert!(!store.unstar(readers.bob, entry).await.unwrap(), "not his");
    assert!(store.unstar(readers.ada, entry).await.unwrap());
    assert!(!store.unstar(readers.ada, entry).await.unwrap());
    assert!(store.bookmarked(readers.ada, &readers.entries).await.unwrap().is_empty());
    let missing = store.star(readers.ada, EntryId(99), start()).await;
    assert!(matches!(missing, Err(StoreError::NotFound { .. })), "{missing:?}");
}

async fn two_entries_with_one_link_share_a_bookmark(db: Database) {
    let readers = db.readers(&["one", "two"]).await;
    let (store, [one, two]) = (&db.store, [readers.entries[0], readers.entries[1]]);
    db.meddle("UPDATE entries SET link = 'https://one.example/same'").await;
    let (first, _) = store.star(readers.ada, one, start()).await.unwrap();
    let (second, made) = store.star(readers.ada, two, start()).await.unwrap();
    assert_eq!((made, second.id, second.entry), (Made::Existing, first.id, Some(one)));
    assert_eq!(store.bookmarked(readers.ada, &[one, two]).await.unwrap().len(), 2, "both show that they are kept");
    assert!(store.unstar(readers.ada, two).await.unwrap());
    assert!(store.bookmarked(readers.ada, &[one, two]).await.unwrap().is_empty());
    // A page that was saved by its address becomes that of the entry.
    store.add_bookmark(readers.ada, page("https://one.example/same", "Saved"), start()).await.unwrap();
    let (attached, made) = store.star(readers.ada, two, start()).await.unwrap();
    assert_eq!((made, attached.entry, attached.title.as_str()), (Made::Existing, Some(two), "Saved"));
}

async fn a_list_is_filtered_and_counted(db: Database) {
    let readers = db.readers(&["one", "two"]).await;
    let (store, ada) = (&db.store, readers.ada);
    let news = store.add_category(ada, None, "News", start()).await.unwrap();
    store.file_subscription(ada, readers.feed, news).await.unwrap();
    store.star(ada, readers.entries[0], start()).await.unwrap();
    let (saved, _) = store.add_bookmark(ada, page("https://a.example/", "100 % Größe_"), start()).await.unwrap();
    store.add_bookmark(readers.bob, page("https://a.example/", "Bob's"), start()).await.unwrap();
    store.set_bookmark_tags(ada, saved.id, &["Work".into(), "art".into()], start()).await.unwrap();
    let all = BookmarkFilter::default();
    assert_eq!(titles(&db, ada, &all).await, ["100 % Größe_", "one"]);
    let of_feed = BookmarkFilter { feed: Some(readers.feed), ..all.clone() };
    assert_eq!(titles(&db, ada, &of_feed).await, ["one"]);
    let tag = store.tag_named(ada, "WORK").await.unwrap().unwrap();
    let tagged = BookmarkFilter { tag: Some(tag.id), ..all.clone() };
    assert_eq!(titles(&db, ada, &tagged).await, ["100 % Größe_"]);
    assert_eq!(titles(&db, readers.bob, &tagged).await, Vec::<String>::new(), "another user's tag finds nothing");
    assert_eq!(store.bookmark(ada, saved.id).await.unwrap().tags, ["art", "Work"]);
    let in_news = |categories: &[CategoryId]| BookmarkFilter { categories: Some(categories.to_vec()), ..all.clone() };
    assert_eq!(titles(&db, ada, &in_news(&[news, CategoryId(999)])).await, ["one"]);
    assert_eq!(titles(&db, ada, &in_news(&[])).await, Vec::<String>::new());
    let says = |text: &str| BookmarkFilter { text: Some(text.into()), ..all.clone() };
    for (text, expected) in [
        ("% gr", vec!["100 % Größe_"]),
        ("e_", vec!["100 % Größe_"]),
        ("n_e", vec![]),
        ("o%e", vec![]),
        ("ALL OF", vec!["100 % Größe_"]),
        ("\\", vec![]),
        ("", vec!["100 % Größe_", "one"]),
    ] {
        assert_eq!(titles(&db, ada, &says(text)).await, expected, "{text}");
    }
}

async fn pages_of_a_list_meet_every_bookmark_once(db: Database) {
    let readers = db.readers(&[]).await;
    let (store, ada) = (&db.store, readers.ada);
    for n in 0..7 {
        let at = start() + HOUR * (n / 3);
        store.add_bookmark(ada, page(&format!("https://a.example/{n}"), &n.to_string()), at).await.unwrap();
    }
    let (mut seen, mut after) = (Vec::new(), None);
    loop {
        let slice = BookmarkSlice { after, offset: 0, limit: 3 };
        let page = store.bookmarks(ada, &BookmarkFilter::default(), slice).await.unwrap();
        assert_eq!(page.total, 7, "of all pages");
        seen.extend(page.bookmarks.into_iter().map(|bookmark| bookmark.title));
        after = page.next;
        if after.is_none() {
            break;
        }
    }
    assert_eq!(seen, ["6", "5", "4", "3", "2", "1", "0"]);
    let slice = BookmarkSlice { after: None, offset: 5, limit: 3 };
    let rest = store.bookmarks(ada, &BookmarkFilter::default(), slice).await.unwrap();
    let rest_titles: Vec<_> = rest.bookmarks.iter().map(|bookmark| bookmark.title.as_str()).collect();
    assert_eq!((rest_titles, rest.total, rest.next), (vec!["1", "0"], 7, None));
}

async fn a_bookmark_is_changed_and_deleted_by_its_user_alone(db: Database) {
    let readers = db.readers(&[]).await;
    let (store, ada, bob) = (&db.store, readers.ada, readers.bob);
    let (kept, _) = store.add_bookmark(ada, page("https://a.example/", "A"), start()).await.unwrap();
    let change = |title: Option<&str>, note: Option<Option<&str>>| BookmarkChange {
        title: title.map(Into::into),
        note: note.map(|note| note.map(Into::into)),
    };
    assert!(!store.change_bookmark(bob, kept.id, change(Some("Bob"), None)).await.unwrap());
    assert!(store.bookmark(bob, kept.id).await.is_err());
    assert!(!store.delete_bookmark(bob, kept.id).await.unwrap());
    assert!(store.set_bookmark_tags(bob, kept.id, &["x".into()], start()).await.is_err());
    assert!(store.change_bookmark(ada, kept.id, change(None, Some(Some("read it")))).await.unwrap());
    assert!(store.change_bookmark(ada, kept.id, change(Some("Better"), None)).await.unwrap());
    let changed = store.bookmark(ada, kept.id).await.unwrap();
    assert_eq!((changed.title.as_str(), changed.note.as_deref()), ("Better", Some("read it")));
    assert!(store.change_bookmark(ada, kept.id, change(None, Some(None))).await.unwrap());
    assert_eq!(store.bookmark(ada, kept.id).await.unwrap().note, None);
    assert!(store.delete_bookmark(ada, kept.id).await.unwrap());
    assert!(!store.delete_bookmark(ada, kept.id).await.unwrap());
    assert!(store.bookmark(ada, BookmarkId(999)).await.is_err());
}

async fn a_bookmark_outlives_its_feed(db: Database) {
    let readers = db.readers(&["one"]).await;
    let (store, ada, entry) = (&db.store, readers.ada, readers.entries[0]);
    let (kept, _) = store.star(ada, entry, start()).await.unwrap();
    store.like(ada, entry, start()).await.unwrap();
    store.set_entry_tags(ada, entry, &["x".into()], start()).await.unwrap();
    store.delete_feed(readers.feed, start() + HOUR, start()).await.unwrap();
    let hidden = store.bookmark(ada, kept.id).await.unwrap();
    assert_eq!((hidden.entry, hidden.feed, hidden.content.as_str()), (None, None, "<p>one</p>"));
    assert!(store.starred_counts(ada).await.unwrap().is_empty());
    let now = start() + HOUR;
    let lock = lock(store, "m", now).await;
    let due = store.unscoped().due_purges(FeedId(0), now, 9).await.unwrap();
    assert!(store.begin_purge(&lock, now, &due[0], now, &[]).await.unwrap());
    while store.purge_step(&lock, now, readers.feed).await.unwrap() == PurgeStep::More {}
    let alone = store.bookmark(ada, kept.id).await.unwrap();
    assert_eq!((alone.entry, alone.feed, alone.title.as_str()), (None, None, "one"));
    assert_eq!(db.number("SELECT count(*) FROM bookmarks WHERE entry_id IS NOT NULL").await, 0);
    assert_eq!(db.number("SELECT count(*) FROM likes").await, 0);
    assert_eq!(db.number("SELECT count(*) FROM entry_tags").await, 0);
}

/// PostgreSQL indexes no text of more than 2,704 bytes.
async fn a_link_may_be_very_long(db: Database) {
    let readers = db.readers(&["one"]).await;
    // Not compressible: an index holds compressed texts.
    let noise: Vec<String> = (0u64..600).map(|n| n.wrapping_mul(0x9e37_79b9_7f4a_7c15).to_string()).collect();
    let link = format!("https://a.example/{}", noise.join("/"));
    let (first, _) = db.store.add_bookmark(readers.ada, page(&link, "Long"), start()).await.unwrap();
    assert_eq!(first.link.as_deref(), Some(link.as_str()));
    let (_, made) = db.store.add_bookmark(readers.ada, page(&link, "Long"), start()).await.unwrap();
    assert_eq!(made, Made::Existing);
}
