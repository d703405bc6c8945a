//! What users have read: marks, sweeps and their undo, and counts that are never wrong.

use crate::support::{Database, HOUR, MINUTE, burial, claim, lock, new_entry, on_both, plan, start};
use jiff::Timestamp;
use model::reader::{Role, SortOrder};
use model::{EntryId, FeedId, SweepId, UserId};
use std::collections::{BTreeMap, BTreeSet};
use store::{Mark, PageStart, PostFilter, PostScope, Store};
use trial::Dice;

on_both!(
    new_entries_are_unread_until_they_are_marked,
    a_new_subscriber_starts_with_the_last_twenty,
    a_sweep_and_its_undo_keep_later_marks,
    a_later_sweep_is_not_undone_with_an_earlier_one,
    as_of_leaves_what_came_later_unread,
    another_users_sweep_cannot_be_undone,
    an_ended_subscription_comes_back_as_it_was,
    every_state_is_what_replaying_says,
    counts_are_right_whoever_interleaves,
    old_marks_become_a_watermark_and_nothing_changes,
    what_everybody_has_read_has_a_time,
    pages_of_few_unread_entries_are_the_same_by_every_way,
);

/// A feed with readers.
struct Scene {
    store: Store,
    feeds: Vec<FeedId>,
    users: Vec<UserId>,
}

impl Scene {
    async fn new(db: &Database, feeds: u128, users: &[&str]) -> Self {
        let store = db.store.clone();
        let feeds = db.feeds(feeds, "one.example").await;
        let mut ids = Vec::new();
        for name in users {
            let user = store.add_user(name, Role::User, start()).await.unwrap();
            let category = store.default_category(user).await.unwrap();
            for feed in &feeds {
                store.subscribe(user, *feed, category, None, start()).await.unwrap();
            }
            ids.push(user);
        }
        Self { store, feeds, users: ids }
    }

    /// Entries arrive in a feed; those whose name ends in q are quiet.
    async fn arrive(&self, store: &Store, feed: FeedId, titles: &[String], now: Timestamp) -> Vec<EntryId> {
        store.make_due(feed, Some(now), model::schedule::Because::Manual, "", now).await.unwrap();
        let lease = claim(store, "w", now, 100).await.into_iter().find(|lease| lease.feed == feed);
        let Some(lease) = lease else { return Vec::new() };
        let mut plan = plan(&lease, now, &[]);
        plan.new = titles.iter().map(|title| new_entry(title, now)).collect();
        for entry in &mut plan.new {
            entry.quiet = entry.uid.ends_with('q');
        }
        store.commit(&lease, plan).await.map(|committed| committed.new).unwrap_or_default()
    }

    async fn count(&self, user: UserId) -> u64 {
        self.store.unread_counts(user).await.unwrap().iter().map(|count| count.unread).sum()
    }

    /// The unread entries of a user, by the list.
    async fn unread(&self, user: UserId) -> BTreeSet<EntryId> {
        let filter = PostFilter { scope: PostScope::Everything, only_unread: true, ..PostFilter::default() };
        let page = self.store.posts(user, &filter, PageStart::Offset(0), 10_000).await.unwrap();
        assert_eq!(page.total, page.posts.len() as u64, "the total is the length of the list");
        page.posts.into_iter().map(|post| post.entry.id).collect()
    }
}

fn titles(prefix: &str, count: usize) -> Vec<String> {
    (0..count).map(|n| format!("{prefix}{n}")).collect()
}

async fn new_entries_are_unread_until_they_are_marked(db: Database) {
    let scene = Scene::new(&db, 1, &["ada", "bob"]).await;
    let (ada, bob, feed) = (scene.users[0], scene.users[1], scene.feeds[0]);
    let new = scene.arrive(&scene.store, feed, &titles("a", 3), start()).await;
    assert_eq!((scene.count(ada).await, scene.count(bob).await), (3, 3));
    assert_eq!(scene.store.mark(ada, &new[..2], Mark::Read, start()).await.unwrap(), 2);
    assert_eq!(scene.store.mark(ada, &new[..2], Mark::Read, start()).await.unwrap(), 0, "they were read");
    assert_eq!((scene.count(ada).await, scene.count(bob).await), (1, 3), "bob has read nothing");
    assert_eq!(scene.unread(ada).await, BTreeSet::from([new[2]]));
    assert_eq!(scene.store.mark(ada, &[new[0], EntryId(999)], Mark::Unread, start()).await.unwrap(), 1);
    assert_eq!(scene.count(ada).await, 2);
    scene.store.mark(ada, &new[2..], Mark::Muted, start()).await.unwrap();
    let all = scene.store.posts(ada, &PostFilter::default(), PageStart::Offset(0), 9).await.unwrap();
    assert_eq!((all.total, all.posts.len()), (2, 2), "a muted entry is in no list");
    let stranger = scene.store.add_user("eve", Role::User, start()).await.unwrap();
    assert_eq!(scene.store.mark(stranger, &new, Mark::Read, start()).await.unwrap(), 0, "eve does not follow the feed");
    let oldest = PostFilter { order: SortOrder::Oldest, ..PostFilter::default() };
    let first = scene.store.posts(bob, &oldest, PageStart::Offset(1), 1).await.unwrap();
    assert_eq!(first.posts[0].entry.id, new[1]);
    let second = scene.store.posts(bob, &oldest, PageStart::After(first.next.unwrap()), 9).await.unwrap();
    assert_eq!(second.posts.iter().map(|post| post.entry.id).collect::<Vec<_>>(), [new[2]]);
}

async fn a_new_subscriber_starts_with_the_last_twenty(db: Database) {
    let scene = Scene::new(&db, 1, &[]).await;
    let new = scene.arrive(&scene.store, scene.feeds[0], &titles("a", 30), start()).await;
    scene.arrive(&scene.store, scene.feeds[0], &["quietq".to_owned()], start() + HOUR).await;
    let ada = scene.store.add_user("ada", Role::User, start()).await.unwrap();
    let category = scene.store.default_category(ada).await.unwrap();
    scene.store.subscribe(ada, scene.feeds[0], category, None, start()).await.unwrap();
    assert_eq!(scene.count(ada).await, 20);
    assert_eq!(scene.unread(ada).await, new[10..].iter().copied().collect());
}

async fn a_sweep_and_its_undo_keep_later_marks(db: Database) {
    let scene = Scene::new(&db, 2, &["ada"]).await;
    let (store, ada) = (&scene.store, scene.users[0]);
    let new = scene.arrive(store, scene.feeds[0], &titles("a", 4), start()).await;
    scene.arrive(store, scene.feeds[1], &titles("b", 2), start()).await;
    store.mark(ada, &new[..1], Mark::Read, start()).await.unwrap();
    let sweep = store.sweep(ada, None, None, start()).await.unwrap();
    assert_eq!((sweep.marked, scene.count(ada).await), (5, 0));
    // Read again, although it counts as read: an undo must not forget it.
    store.mark(ada, &new[1..2], Mark::Read, start()).await.unwrap();
    store.mark(ada, &new[2..3], Mark::Unread, start()).await.unwrap();
    assert_eq!(scene.count(ada).await, 1);
    assert_eq!(store.undo_sweep(ada, sweep.id, start()).await.unwrap(), Some(5));
    assert_eq!(scene.count(ada).await, 4, "of feed a two, of feed b two");
    assert!(!scene.unread(ada).await.contains(&new[1]));
    assert_eq!(store.undo_sweep(ada, sweep.id, start()).await.unwrap(), None, "a sweep is undone once");
    let late = store.sweep(ada, Some(&scene.feeds[1..]), None, start()).await.unwrap();
    assert_eq!((late.marked, scene.count(ada).await), (2, 2));
    assert_eq!(store.undo_sweep(ada, late.id, start() + HOUR * 200).await.unwrap(), None, "seven days are over");
    assert_eq!(store.sweep(ada, Some(&[]), None, start()).await.unwrap().marked, 0, "no feed is not every feed");
    assert_eq!(scene.count(ada).await, 2);
}

async fn a_later_sweep_is_not_undone_with_an_earlier_one(db: Database) {
    let scene = Scene::new(&db, 1, &["ada"]).await;
    let (store, ada) = (&scene.store, scene.users[0]);
    scene.arrive(store, scene.feeds[0], &titles("a", 3), start()).await;
    let first = store.sweep(ada, None, None, start()).await.unwrap();
    let second = store.sweep(ada, None, None, start() + MINUTE).await.unwrap();
    assert_eq!(second.marked, 0);
    store.undo_sweep(ada, first.id, start() + MINUTE).await.unwrap();
    assert_eq!(scene.count(ada).await, 0, "the later sweep still holds");
}

async fn as_of_leaves_what_came_later_unread(db: Database) {
    let scene = Scene::new(&db, 1, &["ada"]).await;
    let (store, ada) = (&scene.store, scene.users[0]);
    scene.arrive(store, scene.feeds[0], &titles("a", 3), start()).await;
    let later = scene.arrive(store, scene.feeds[0], &titles("b", 2), start() + HOUR).await;
    let sweep = store.sweep(ada, None, Some(start() + MINUTE), start() + HOUR * 2).await.unwrap();
    assert_eq!(sweep.marked, 3);
    assert_eq!(scene.unread(ada).await, later.iter().copied().collect());
    assert_eq!(scene.count(ada).await, 2);
    store.undo_sweep(ada, sweep.id, start() + HOUR * 2).await.unwrap();
    assert_eq!(scene.count(ada).await, 5);
}

async fn another_users_sweep_cannot_be_undone(db: Database) {
    let scene = Scene::new(&db, 1, &["ada", "bob"]).await;
    let (ada, bob) = (scene.users[0], scene.users[1]);
    scene.arrive(&scene.store, scene.feeds[0], &titles("a", 3), start()).await;
    let sweep = scene.store.sweep(ada, None, None, start()).await.unwrap();
    assert_eq!(scene.store.undo_sweep(bob, sweep.id, start()).await.unwrap(), None);
    assert_eq!((scene.count(ada).await, scene.count(bob).await), (0, 3));
}

async fn an_ended_subscription_comes_back_as_it_was(db: Database) {
    let scene = Scene::new(&db, 1, &["ada"]).await;
    let (store, ada, feed) = (&scene.store, scene.users[0], scene.feeds[0]);
    let new = scene.arrive(store, feed, &titles("a", 3), start()).await;
    store.mark(ada, &new[..1], Mark::Read, start()).await.unwrap();
    let news = store.add_category(ada, None, "News", start()).await.unwrap();
    assert!(store.file_subscription(ada, feed, news).await.unwrap());
    assert!(store.unsubscribe(ada, feed, start()).await.unwrap());
    assert!(!store.unsubscribe(ada, feed, start()).await.unwrap(), "it had ended");
    assert_eq!((scene.count(ada).await, store.count_subscribers(feed).await.unwrap()), (0, 0));
    assert_eq!(store.post(ada, new[0]).await.unwrap(), None);
    scene.arrive(store, feed, &titles("b", 2), start() + HOUR).await;
    let default = store.default_category(ada).await.unwrap();
    store.subscribe(ada, feed, default, None, start() + HOUR).await.unwrap();
    assert_eq!(scene.count(ada).await, 4, "two were unread, and two came");
    assert_eq!(store.subscription(ada, feed).await.unwrap().unwrap().category, news);
    assert_eq!(store.recount(ada, feed).await.unwrap(), Some((4, 4)));
    store.unsubscribe(ada, feed, start() + HOUR).await.unwrap();
    assert_eq!(store.forget_hidden_subscriptions(start() + HOUR * 2).await.unwrap(), 1);
    assert_eq!(db.number("SELECT count(*) FROM marks").await, 0, "its marks went with it");
    store.subscribe(ada, feed, default, None, start() + HOUR).await.unwrap();
    assert_eq!(store.subscription(ada, feed).await.unwrap().unwrap().category, default);
}

/// What a user did, in order: the state of an entry is what these say when they are done again.
#[derive(Debug, Clone)]
enum Done {
    Arrived(EntryId, FeedId, bool),
    Marked(EntryId, bool),
    Swept { sweep: SweepId, feeds: BTreeSet<FeedId>, upto: EntryId },
    Forgotten(EntryId),
}

fn replay(done: &[Done]) -> BTreeSet<EntryId> {
    let mut unread: BTreeMap<EntryId, (FeedId, bool)> = BTreeMap::new();
    for step in done {
        match step {
            Done::Arrived(id, feed, quiet) => {
                unread.insert(*id, (*feed, !quiet));
            }
            Done::Marked(id, read) => {
                if let Some(state) = unread.get_mut(id) {
                    state.1 = !read;
                }
            }
            Done::Swept { feeds, upto, .. } => {
                for (_, state) in unread.range_mut(..=*upto).filter(|(_, state)| feeds.contains(&state.0)) {
                    state.1 = false;
                }
            }
            Done::Forgotten(id) => {
                unread.remove(id);
            }
        }
    }
    unread.into_iter().filter(|(_, (_, unread))| *unread).map(|(id, _)| id).collect()
}

/// Random histories of one user. An undo takes the sweep out of the history, in the feeds that no later sweep was about.
async fn every_state_is_what_replaying_says(db: Database) {
    for seed in 0..6 {
        let mut dice = Dice::new(seed);
        let name = format!("user{seed}");
        let before = db.number("SELECT coalesce(max(id), 0) FROM feeds").await as u128;
        let feeds: Vec<FeedId> = {
            let feeds = (0..3).map(|n| crate::support::feed("one.example", before + n + 1000)).collect();
            db.store.add_feeds(feeds, start()).await.unwrap().into_iter().map(store::Added::id).collect()
        };
        let scene = Scene { store: db.store.clone(), feeds, users: Vec::new() };
        let user = scene.store.add_user(&name, Role::User, start()).await.unwrap();
        let category = scene.store.default_category(user).await.unwrap();
        for feed in &scene.feeds {
            scene.store.subscribe(user, *feed, category, None, start()).await.unwrap();
        }
        let (mut done, mut known, mut sweeps) = (Vec::<Done>::new(), Vec::<(EntryId, FeedId)>::new(), Vec::new());
        for step in 0..60 {
            let now = start() + MINUTE * (step + 1);
            let feed = scene.feeds[dice.roll(3)];
            match dice.roll(10) {
                0 | 1 => {
                    let names: Vec<String> = (0..=dice.roll(4))
                        .map(|n| format!("{seed}.{step}.{n}{}", if dice.roll(4) == 0 { "q" } else { "" }))
                        .collect();
                    for (id, name) in scene.arrive(&scene.store, feed, &names, now).await.into_iter().zip(&names) {
                        known.push((id, feed));
                        done.push(Done::Arrived(id, feed, name.ends_with('q')));
                    }
                }
                2..=5 if !known.is_empty() => {
                    let (id, _) = known[dice.roll(known.len())];
                    let read = dice.roll(2) == 0;
                    let mark = if read { Mark::Read } else { Mark::Unread };
                    scene.store.mark(user, &[id], mark, now).await.unwrap();
                    done.push(Done::Marked(id, read));
                }
                6 => {
                    let some = [feed];
                    let scope = (dice.roll(2) == 0).then_some(&some[..]);
                    let sweep = scene.store.sweep(user, scope, None, now).await.unwrap();
                    let upto = EntryId(db.number("SELECT entries FROM arrival").await);
                    let feeds = scope.unwrap_or(&scene.feeds).iter().copied().collect();
                    sweeps.push(sweep.id);
                    done.push(Done::Swept { sweep: sweep.id, feeds, upto });
                }
                7 | 8 if !sweeps.is_empty() => {
                    let id = sweeps.remove(dice.roll(sweeps.len()));
                    scene.store.undo_sweep(user, id, now).await.unwrap().unwrap();
                    let at =
                        done.iter().position(|done| matches!(done, Done::Swept { sweep, .. } if *sweep == id)).unwrap();
                    let later: BTreeSet<FeedId> = done[at + 1..]
                        .iter()
                        .filter_map(|done| match done {
                            // A sweep that was undone where it could be says nothing about the rest any more.
                            Done::Swept { sweep, feeds, .. } if sweeps.contains(sweep) => Some(feeds.clone()),
                            _ => None,
                        })
                        .flatten()
                        .collect();
                    if let Done::Swept { feeds, .. } = &mut done[at] {
                        feeds.retain(|feed| later.contains(feed));
                    }
                }
                9 if !known.is_empty() => {
                    let (id, feed) = known.remove(dice.roll(known.len()));
                    let lock = lock(&scene.store, "w", now).await;
                    let gone = [burial(id, now + HOUR)];
                    scene.store.forget_entries(&lock, now, feed, &gone, EntryId(0)).await.unwrap();
                    scene.store.release_lock("maintenance", &model::WorkerId("w".into())).await.unwrap();
                    done.push(Done::Forgotten(id));
                }
                _ => {}
            }
            let expected = replay(&done);
            assert_eq!(scene.unread(user).await, expected, "seed {seed}, step {step}: {done:#?}");
            assert_eq!(scene.count(user).await, expected.len() as u64, "seed {seed}, step {step}: {done:#?}");
        }
    }
}

/// Two processes at once: entries arrive and go, two users mark, sweep and undo. Then every count is what is counted.
async fn counts_are_right_whoever_interleaves(db: Database) {
    let scene = std::sync::Arc::new(Scene::new(&db, 3, &["ada", "bob"]).await);
    for seed in 0..4 {
        let mut tasks = tokio::task::JoinSet::new();
        for side in 0..4u64 {
            let store = if side % 2 == 0 { db.store.clone() } else { db.another().await };
            let scene = std::sync::Arc::clone(&scene);
            tasks.spawn(async move {
                let mut dice = Dice::new(seed * 10 + side);
                let mut sweeps = Vec::new();
                for step in 0..25 {
                    let now = start() + MINUTE * (step + 1);
                    let (user, feed) = (scene.users[dice.roll(2)], scene.feeds[dice.roll(3)]);
                    let last = store.last_entry().await.unwrap().0.max(1);
                    let some: Vec<EntryId> = (0..4).map(|_| EntryId(1 + dice.roll(last as usize + 3) as i64)).collect();
                    match dice.roll(8) {
                        0 | 1 => {
                            let names = titles(&format!("{seed}.{side}.{step}."), 1 + dice.roll(3));
                            scene.arrive(&store, feed, &names, now).await;
                        }
                        2 | 3 => drop(store.mark(user, &some, Mark::Read, now).await.unwrap()),
                        4 => drop(store.mark(user, &some, Mark::Unread, now).await.unwrap()),
                        5 => sweeps.push((user, store.sweep(user, None, None, now).await.unwrap().id)),
                        6 if !sweeps.is_empty() => {
                            let (user, sweep) = sweeps.remove(dice.roll(sweeps.len()));
                            store.undo_sweep(user, sweep, now).await.unwrap();
                        }
                        _ => {
                            let filter = store::EntryFilter { feed: Some(feed), ..store::EntryFilter::default() };
                            let one = store.arrived(model::Viewer::Operator, filter, EntryId(0), 1).await.unwrap();
                            let worker = model::WorkerId(format!("{side}"));
                            let lock = store.take_lock("maintenance", &worker, now, MINUTE).await.unwrap();
                            if let (Some(lock), Some(entry)) = (lock, one.first()) {
                                // It may have gone meanwhile: then nothing is deleted.
                                let gone = [burial(entry.id, now + HOUR)];
                                let _ = store.forget_entries(&lock, now, feed, &gone, EntryId(0)).await;
                                let _ = store.release_lock("maintenance", &worker).await;
                            }
                        }
                    }
                }
            });
        }
        while let Some(done) = tasks.join_next().await {
            done.unwrap();
        }
        for user in &scene.users {
            for feed in &scene.feeds {
                let (kept, counted) = scene.store.recount(*user, *feed).await.unwrap().unwrap();
                assert_eq!(kept, counted, "seed {seed}: user {user}, feed {feed}");
            }
            assert_eq!(scene.unread(*user).await.len() as u64, scene.count(*user).await, "seed {seed}");
        }
        let wrong = "SELECT count(*) FROM schedule c WHERE entries <> (SELECT count(*) FROM entries e WHERE e.feed_id = c.feed_id)";
        assert_eq!(db.number(wrong).await, 0, "seed {seed}: how many entries are stored");
    }
}

async fn old_marks_become_a_watermark_and_nothing_changes(db: Database) {
    let scene = Scene::new(&db, 1, &["ada"]).await;
    let (store, ada) = (&scene.store, scene.users[0]);
    let new = scene.arrive(store, scene.feeds[0], &titles("a", 150), start()).await;
    scene.arrive(store, scene.feeds[0], &["quietq".to_owned()], start()).await;
    let read: Vec<EntryId> = new.iter().copied().filter(|id| id.0 % 10 != 0).collect();
    store.mark(ada, &read, Mark::Read, start()).await.unwrap();
    let before = scene.unread(ada).await;
    store.compact_read_state(start() + HOUR * 24).await.unwrap();
    assert_eq!(db.number("SELECT count(*) FROM marks").await, 135, "young marks are the history of a reader");
    store.compact_read_state(start() + HOUR * 24 * 31).await.unwrap();
    assert_eq!(db.number("SELECT count(*) FROM marks").await, 15, "only the unread ones have marks");
    assert_eq!(scene.unread(ada).await, before);
    assert_eq!(store.recount(ada, scene.feeds[0]).await.unwrap(), Some((15, 15)));
    scene.arrive(store, scene.feeds[0], &titles("b", 2), start() + HOUR).await;
    assert_eq!(scene.count(ada).await, 17);
}

async fn what_everybody_has_read_has_a_time(db: Database) {
    let scene = Scene::new(&db, 1, &["ada", "bob"]).await;
    let (store, ada, bob, feed) = (&scene.store, scene.users[0], scene.users[1], scene.feeds[0]);
    let new = scene.arrive(store, feed, &titles("a", 3), start()).await;
    store.mark(ada, &new[..2], Mark::Read, start() + MINUTE).await.unwrap();
    store.mark(bob, &new[..1], Mark::Read, start() + HOUR).await.unwrap();
    let read_at = async || -> Vec<Option<Timestamp>> {
        let kept = store.unscoped().kept(feed, EntryId(0), 9).await.unwrap();
        kept.into_iter().map(|kept| kept.read_at).collect()
    };
    assert_eq!(read_at().await, [Some(start() + HOUR), None, None], "only the first was read by both");
    store.sweep(bob, None, None, start() + HOUR * 2).await.unwrap();
    assert_eq!(read_at().await, [Some(start() + HOUR), Some(start() + HOUR * 2), None]);
    store.unsubscribe(ada, feed, start()).await.unwrap();
    assert_eq!(read_at().await[2], Some(start() + HOUR * 2), "who left does not count");
}

/// Where unread entries are few in many feeds, a page is found among the first entries by date, or gathered.
async fn pages_of_few_unread_entries_are_the_same_by_every_way(db: Database) {
    let scene = Scene::new(&db, 70, &["ada"]).await;
    let (store, user) = (&scene.store, scene.users[0]);
    for lease in claim(store, "w", start(), 100).await {
        let mut plan = plan(&lease, start(), &[]);
        plan.new = (0..8).map(|n| new_entry(&format!("{} {n}", lease.feed), start())).collect();
        for (n, new) in plan.new.iter_mut().enumerate() {
            new.sort_at = start() - MINUTE * ((n as i32 * 131 + lease.feed.0 as i32 * 17) % 500);
        }
        store.commit(&lease, plan).await.unwrap();
    }
    let list = async |only_unread: bool, order: SortOrder, page: PageStart, limit: u32| {
        let filter = PostFilter { only_unread, order, ..PostFilter::default() };
        store.posts(user, &filter, page, limit).await.unwrap()
    };
    let mut dice = Dice::new(7);
    // All are unread, then ever fewer, until the first entries by date do not fill a page.
    for round in 0..5 {
        for order in [SortOrder::Newest, SortOrder::Oldest] {
            let all = list(false, order, PageStart::Offset(0), 1_000).await.posts;
            let unread: Vec<EntryId> = all.iter().filter(|post| post.unread).map(|post| post.entry.id).collect();
            for (offset, limit) in [(0, 20), (30, 20), (380, 20), (390, 20), (0, 1_000)] {
                let page = list(true, order, PageStart::Offset(offset), limit).await;
                let ids: Vec<EntryId> = page.posts.iter().map(|post| post.entry.id).collect();
                let from = unread.len().min(offset as usize);
                let upto = unread.len().min((offset + limit) as usize);
                assert_eq!(ids, unread[from..upto], "round {round}, {order:?}, {limit} from {offset}");
                assert_eq!(page.total, unread.len() as u64, "round {round}");
            }
            let first = list(true, order, PageStart::Offset(0), 10).await;
            let Some(next) = first.next else { continue };
            let second = list(true, order, PageStart::After(next), 10).await;
            let ids: Vec<EntryId> = second.posts.iter().map(|post| post.entry.id).collect();
            assert_eq!(ids, unread[10..unread.len().min(20)], "round {round}, {order:?}, after the first page");
        }
        let all = list(true, SortOrder::Newest, PageStart::Offset(0), 1_000).await.posts;
        let read: Vec<EntryId> = all.iter().filter(|_| dice.roll(4) > 0).map(|post| post.entry.id).collect();
        store.mark(user, &read, Mark::Read, start()).await.unwrap();
    }
}
