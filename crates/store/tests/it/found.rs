//! What a user's search finds: the same by every way, counted rightly, and nothing that is gone.

use crate::search::index;
use crate::support::{Database, HOUR, claim, new_entry, on_both, plan, start};
use model::entry::Author;
use model::reader::Role;
use model::{EntryId, FeedId, UserId};
use store::{Conditions, Mark, PageStart, Post, PostFilter, PostScope, Rewrite};
use trial::Dice;

on_both!(
    every_way_finds_the_same,
    a_user_of_few_feeds_finds_only_theirs,
    what_is_gone_is_neither_shown_nor_counted,
    an_entry_that_gets_another_date_is_found_by_it,
);

const FEEDS: u128 = 3;

struct Scene {
    user: UserId,
    feeds: Vec<FeedId>,
    entries: Vec<EntryId>,
}

/// Feeds that a user follows, and one that nobody does. Each entry says `common`; their dates are in no order, every
/// fourth is quiet, and every third is by Ada.
/// Conditions, and which posts meet them.
type Case<'s> = (Conditions, Box<dyn Fn(&Post) -> bool + 's>);

async fn scene(db: &Database) -> Scene {
    let store = &db.store;
    let feeds = db.feeds(FEEDS + 1, "one.example").await;
    let user = store.add_user("ada", Role::User, start()).await.unwrap();
    let category = store.default_category(user).await.unwrap();
    for feed in &feeds[..FEEDS as usize] {
        store.subscribe(user, *feed, category, None, start()).await.unwrap();
    }
    let mut entries = Vec::new();
    for lease in claim(store, "w", start(), 10).await {
        let mut plan = plan(&lease, start(), &[]);
        plan.new = (0..12).map(|n| new_entry(&format!("common {} {n}", lease.feed), start())).collect();
        for (n, new) in plan.new.iter_mut().enumerate() {
            new.sort_at = start() - HOUR * ((n as i32 * 7 + lease.feed.0 as i32) % 12);
            new.quiet = n % 4 == 0;
            let author = Author { name: Some("Ada L.".into()), ..Author::default() };
            new.version.body.authors = if n % 3 == 0 { vec![author] } else { Vec::new() };
        }
        let arrived = store.commit(&lease, plan).await.unwrap().new;
        entries.extend(arrived.into_iter().filter(|_| lease.feed != feeds[FEEDS as usize]));
    }
    index(store).await;
    Scene { user, feeds, entries }
}

/// All that the user has, by the list.
async fn all(db: &Database, scene: &Scene) -> Vec<Post> {
    let filter = PostFilter { scope: PostScope::Everything, ..PostFilter::default() };
    db.store.posts(scene.user, &filter, PageStart::Offset(0), 1_000).await.unwrap().posts
}

fn ids(posts: &[Post]) -> Vec<i64> {
    posts.iter().map(|post| post.entry.id.0).collect()
}

/// Each way to a search, with words and without, is compared with a list that is filtered here.
async fn every_way_finds_the_same(db: Database) {
    let (scene, store) = (scene(&db).await, &db.store);
    let mut dice = Dice::new(5);
    let feed = |n: usize| Some(vec![scene.feeds[n]]);
    let none = Conditions::default;
    for round in 0..12 {
        let entry = scene.entries[dice.roll(scene.entries.len())];
        match dice.roll(5) {
            0 => drop(store.star(scene.user, entry, start()).await.unwrap()),
            1 => drop(store.sweep(scene.user, Some(&[scene.feeds[dice.roll(3)]]), None, start()).await.unwrap()),
            n => {
                let mark = [Mark::Read, Mark::Unread, Mark::Muted][n - 2];
                store.mark(scene.user, &[entry], mark, start()).await.unwrap();
            }
        }
        let all = all(&db, &scene).await;
        let (since, before) = (start() - HOUR * 8, start() - HOUR * 3);
        let is_ada = |post: &Post| post.entry.author.as_deref() == Some("Ada L.");
        let ada = || vec!["ada".to_owned()];
        let cases: Vec<Case<'_>> = vec![
            (none(), Box::new(|_| true)),
            (Conditions { unread: Some(true), ..none() }, Box::new(|post| post.unread)),
            (Conditions { unread: Some(false), ..none() }, Box::new(|post| !post.unread)),
            (Conditions { saved: Some(true), ..none() }, Box::new(|post| post.bookmark.is_some())),
            (Conditions { saved: Some(false), ..none() }, Box::new(|post| post.bookmark.is_none())),
            (
                Conditions { saved: Some(true), unread: Some(true), ..none() },
                Box::new(|post| post.bookmark.is_some() && post.unread),
            ),
            (
                Conditions { since: Some(since), before: Some(before), ..none() },
                Box::new(move |post| post.entry.sort_at >= since && post.entry.sort_at < before),
            ),
            (
                Conditions { unread: Some(true), before: Some(before), authors: ada(), ..none() },
                Box::new(move |post| post.unread && post.entry.sort_at < before && is_ada(post)),
            ),
            (Conditions { not_authors: ada(), ..none() }, Box::new(move |post| !is_ada(post))),
            (
                Conditions { feeds: feed(1), unread: Some(true), ..none() },
                Box::new(|post| post.entry.feed == scene.feeds[1] && post.unread),
            ),
            (Conditions { feeds: feed(2), ..none() }, Box::new(|post| post.entry.feed == scene.feeds[2])),
            (Conditions { feeds: Some(Vec::new()), ..none() }, Box::new(|_| false)),
        ];
        for (conditions, meets) in &cases {
            let expected: Vec<Post> = all.iter().filter(|post| meets(post)).cloned().collect();
            for words in ["common", ""] {
                let found = store.find_posts(scene.user, words, conditions, 0, 100).await.unwrap();
                let what = format!("round {round}, `{words}`, {conditions:?}");
                assert_eq!(ids(&found.posts), ids(&expected), "{what}");
                assert_eq!(found.posts, expected, "{what}");
                assert_eq!((found.total, found.is_at_least), (expected.len() as u64, false), "{what}");
                let part = store.find_posts(scene.user, words, conditions, 2, 3).await.unwrap();
                let expected_part = ids(&expected[expected.len().min(2)..expected.len().min(5)]);
                assert_eq!((ids(&part.posts), part.total), (expected_part, found.total), "{what}");
                let count = store.find_posts(scene.user, words, conditions, 0, 0).await.unwrap();
                assert_eq!((count.posts.len(), count.total), (0, found.total), "{what}");
            }
        }
    }
}

async fn a_user_of_few_feeds_finds_only_theirs(db: Database) {
    let (scene, store) = (scene(&db).await, &db.store);
    let found = store.find_posts(scene.user, "common", &Conditions::default(), 0, 100).await.unwrap();
    assert_eq!(found.total, 36, "three feeds of four");
    assert!(found.posts.iter().all(|post| post.entry.feed != scene.feeds[3]));
    store.unsubscribe(scene.user, scene.feeds[0], start()).await.unwrap();
    store.unsubscribe(scene.user, scene.feeds[1], start()).await.unwrap();
    let found = store.find_posts(scene.user, "common", &Conditions::default(), 0, 100).await.unwrap();
    assert_eq!(found.total, 12, "the feed that is left");
    store.unsubscribe(scene.user, scene.feeds[2], start()).await.unwrap();
    let found = store.find_posts(scene.user, "common", &Conditions::default(), 0, 100).await.unwrap();
    assert_eq!((found.total, found.posts.len()), (0, 0));
}

/// The index does not know it yet.
async fn what_is_gone_is_neither_shown_nor_counted(db: Database) {
    let (scene, store) = (scene(&db).await, &db.store);
    let before = store.find_posts(scene.user, "common", &Conditions::default(), 0, 5).await.unwrap();
    let gone = ids(&before.posts)[..3].iter().map(i64::to_string).collect::<Vec<_>>().join(", ");
    db.meddle(&format!(
        "DELETE FROM entry_bodies WHERE entry_id IN ({gone}); DELETE FROM entries WHERE id IN ({gone})"
    ))
    .await;
    let after = store.find_posts(scene.user, "common", &Conditions::default(), 0, 5).await.unwrap();
    assert_eq!(after.posts.len(), 5, "the page is full");
    assert_eq!(after.posts[..2], before.posts[3..]);
    assert_eq!(after.total, before.total - 3);
}

async fn an_entry_that_gets_another_date_is_found_by_it(db: Database) {
    let (scene, store) = (scene(&db).await, &db.store);
    let before = store.find_posts(scene.user, "common", &Conditions::default(), 0, 100).await.unwrap();
    let last = before.posts.last().unwrap();
    let peeked = store.unscoped().peek(last.entry.feed).await.unwrap();
    let sorted = vec![(last.entry.id, start() + HOUR)];
    store.rewrite(&peeked, Rewrite { sorted, ..Rewrite::default() }, start()).await.unwrap();
    index(store).await;
    let after = store.find_posts(scene.user, "common", &Conditions::default(), 0, 100).await.unwrap();
    assert_eq!(after.posts[0].entry.id, last.entry.id);
    assert_eq!(after.total, before.total);
}
