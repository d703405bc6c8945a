//! Filters: kept for their user; a run of them is one transaction, and none is done twice.

use crate::support::{Database, HOUR, claim, on_both, plan, start};
use model::filter::{Action, Condition, Scope, Subject, Test};
use model::{CategoryId, EntryId, FeedId, FilterId, UserId};
use store::{FilterDraft, FilterRun, Mark, StoreError};

on_both!(
    filters_are_kept_in_their_order,
    a_scope_must_be_the_users,
    filters_begin_behind_what_is_there,
    a_run_is_written_once_with_everything_it_did,
    counters_change_by_what_was_unread,
);

fn draft(name: &str, scope: Scope) -> FilterDraft {
    FilterDraft {
        name: name.into(),
        scope,
        condition: Condition::Any(vec![Test { subject: Subject::Author("x\0y".into()), negated: true }]),
        actions: vec![Action::Mute, Action::Tag("later".into())],
        enabled: true,
    }
}

async fn names(db: &Database, user: UserId) -> Vec<String> {
    db.store.filters(user).await.unwrap().into_iter().map(|stored| stored.filter.name).collect()
}

async fn filters_are_kept_in_their_order(db: Database) {
    let readers = db.readers(&[]).await;
    let (store, ada, bob) = (&db.store, readers.ada, readers.bob);
    let a = store.add_filter(ada, &draft("A", Scope::All), start()).await.unwrap();
    let b = store.add_filter(ada, &draft("B", Scope::Feed(readers.feed)), start()).await.unwrap();
    let kept = store.filters(ada).await.unwrap();
    assert_eq!(
        (kept[0].filter.id, kept[0].filter.scope, kept[1].filter.scope),
        (a, Scope::All, Scope::Feed(readers.feed))
    );
    assert_eq!(kept[0].filter.actions, draft("", Scope::All).actions);
    let Condition::Any(tests) = &kept[0].filter.condition else { panic!("{:?}", kept[0]) };
    assert_eq!(tests[0], Test { subject: Subject::Author("xy".into()), negated: true });
    assert_eq!((kept[0].hits, kept[0].last_hit_at, kept[0].created_at), (0, None, start()));
    store.order_filters(ada, &[b, a]).await.unwrap();
    store.order_filters(bob, &[a, b]).await.unwrap();
    assert_eq!(names(&db, ada).await, ["B", "A"]);
    let changed = FilterDraft { enabled: false, ..draft("C", Scope::All) };
    assert!(!store.change_filter(bob, a, &changed).await.unwrap());
    assert!(store.change_filter(ada, a, &changed).await.unwrap());
    assert_eq!(names(&db, ada).await, ["B", "C"]);
    assert!(!store.filters(ada).await.unwrap()[1].filter.enabled);
    assert!(!store.delete_filter(bob, a).await.unwrap());
    assert!(store.delete_filter(ada, a).await.unwrap());
    assert_eq!(names(&db, ada).await, ["B"]);
    assert_eq!(names(&db, bob).await, [""; 0]);
}

async fn a_scope_must_be_the_users(db: Database) {
    let readers = db.readers(&[]).await;
    let (store, ada, bob) = (&db.store, readers.ada, readers.bob);
    let mine = store.add_category(ada, None, "Mine", start()).await.unwrap();
    let id = store.add_filter(ada, &draft("A", Scope::Category(mine)), start()).await.unwrap();
    store.set_owner(readers.feed, Some(ada), start()).await.unwrap();
    for scope in
        [Scope::Category(mine), Scope::Category(CategoryId(999)), Scope::Feed(readers.feed), Scope::Feed(FeedId(99))]
    {
        let refused = store.add_filter(bob, &draft("B", scope), start()).await;
        assert!(matches!(refused, Err(StoreError::NotFound { .. })), "{scope:?}: {refused:?}");
    }
    assert!(!store.change_filter(ada, id, &draft("A", Scope::Feed(FeedId(99)))).await.unwrap());
    assert!(store.change_filter(ada, id, &draft("A", Scope::Feed(readers.feed))).await.unwrap());
}

async fn filters_begin_behind_what_is_there(db: Database) {
    let readers = db.readers(&["one", "two"]).await;
    let (store, ada) = (&db.store, readers.ada);
    let last = *readers.entries.last().unwrap();
    assert_eq!(store.filtered_upto(ada).await.unwrap(), None);
    assert_eq!(store.users_behind_filters(EntryId(99), 9).await.unwrap(), []);
    let id = store.add_filter(ada, &draft("A", Scope::All), start()).await.unwrap();
    assert_eq!(store.filtered_upto(ada).await.unwrap(), Some(last));
    assert_eq!(store.users_behind_filters(last, 9).await.unwrap(), []);
    assert_eq!(store.users_behind_filters(EntryId(last.0 + 1), 9).await.unwrap(), [ada]);
    let off = FilterDraft { enabled: false, ..draft("A", Scope::All) };
    store.change_filter(ada, id, &off).await.unwrap();
    assert_eq!(store.users_behind_filters(EntryId(last.0 + 1), 9).await.unwrap(), []);
    let more = more(&db, &["three"]).await;
    // What came while nothing was enabled is left alone.
    store.change_filter(ada, id, &draft("A", Scope::All)).await.unwrap();
    assert_eq!(store.filtered_upto(ada).await.unwrap(), Some(more[0]));
}

async fn more(db: &Database, titles: &[&str]) -> Vec<EntryId> {
    let lease = claim(&db.store, "w", start() + HOUR, 1).await.pop().unwrap();
    db.store.commit(&lease, plan(&lease, start() + HOUR, titles)).await.unwrap().new
}

async fn a_run_is_written_once_with_everything_it_did(db: Database) {
    let readers = db.readers(&["one"]).await;
    let (store, ada) = (&db.store, readers.ada);
    let id = store.add_filter(ada, &draft("A", Scope::All), start()).await.unwrap();
    let from = readers.entries[0];
    let new = more(&db, &["two", "three"]).await;
    let run = FilterRun {
        read: vec![],
        muted: vec![new[0]],
        starred: vec![(new[1], Some("https://one.example/three".into()))],
        tagged: vec![(new[0], "Later".into()), (new[1], "later".into())],
        hits: [(id, 2), (FilterId(99), 1)].into(),
    };
    assert!(store.finish_filter_run(ada, (from, new[1]), &run, start()).await.unwrap());
    assert!(!store.finish_filter_run(ada, (from, new[1]), &run, start()).await.unwrap(), "once");
    assert_eq!(store.filtered_upto(ada).await.unwrap(), Some(new[1]));
    let kept = store.filters(ada).await.unwrap().remove(0);
    assert_eq!((kept.hits, kept.last_hit_at), (2, Some(start())));
    assert_eq!(store.bookmarked(ada, &new).await.unwrap().keys().copied().collect::<Vec<_>>(), [new[1]]);
    assert_eq!(store.tags(ada).await.unwrap()[0].uses, 2);
    assert_eq!(db.number(&format!("SELECT count(*) FROM marks WHERE user_id = {ada} AND muted AND read")).await, 1);
    assert_eq!(db.number("SELECT count(*) FROM marks").await, 1);
}

async fn counters_change_by_what_was_unread(db: Database) {
    let readers = db.readers(&["one"]).await;
    let (store, ada) = (&db.store, readers.ada);
    store.add_filter(ada, &draft("A", Scope::All), start()).await.unwrap();
    let from = readers.entries[0];
    let new = more(&db, &["two", "three", "four", "five"]).await;
    db.meddle(&format!("UPDATE entries SET quiet = TRUE WHERE id = {}", new[1])).await;
    store.mark(ada, &[new[2]], Mark::Read, start()).await.unwrap();
    let unread = |user: UserId| format!("SELECT unread FROM subscriptions WHERE user_id = {user}");
    let (before, bobs) = (db.number(&unread(ada)).await, db.number(&unread(readers.bob)).await);
    let run = FilterRun { read: new[1..3].to_vec(), muted: vec![new[0]], ..FilterRun::default() };
    assert!(store.finish_filter_run(ada, (from, new[3]), &run, start()).await.unwrap());
    assert_eq!(db.number(&unread(ada)).await, before - 1, "one was quiet, one was read, one is not in the run");
    assert_eq!(db.number(&unread(readers.bob)).await, bobs, "another user's stays");
    assert_eq!(db.number("SELECT count(*) FROM marks WHERE read").await, 3);
    assert_eq!(db.number("SELECT count(*) FROM marks WHERE muted").await, 1);
}
