//! Commits: all of a plan or nothing, and nobody else's business.

use crate::support::{Database, HOUR, claim, on_both, plan, start, titles, version};
use model::entry::{Entry, EntryBody, Lineage, RawRef};
use model::event::{EventKind, Payload, Subject};
use model::feed::{FeedKind, FeedState, GuidTrust};
use model::plan::{ChangedEntry, FeedEvent, FeedFacts, Keep, LineageChange, Redated};
use model::{EntryId, EventId, FetchId, Viewer};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use store::{FeedName, StoreError};

on_both!(
    a_stale_commit_leaves_its_neighbours_untouched,
    a_batch_that_violates_a_constraint_fails_alone,
    ids_follow_commit_order_under_concurrency,
    a_change_keeps_what_was_said_before,
    of_one_entry_the_last_fifty_revisions_are_kept,
    a_corrected_date_is_stored_and_nobody_is_told,
    a_commit_moves_the_feed_on,
    nul_in_a_title_is_dropped,
    quiet_entries_are_not_announced,
    entries_leave_and_come_back,
    a_cancelled_caller_leaves_no_open_transaction,
    a_replayed_commit_writes_once,
);

async fn a_stale_commit_leaves_its_neighbours_untouched(db: Database) {
    db.feeds(40, "one.example").await;
    let leases = claim(&db.store, "w", start(), 40).await;
    // Ten of them go to another worker, who does nothing with them.
    let stolen = claim(&db.store, "thief", start() + HOUR, 10).await;
    let mut commits = Vec::new();
    for lease in leases {
        let store = db.store.clone();
        commits.push(tokio::spawn(async move {
            let result = store.commit(&lease, plan(&lease, start(), &[&format!("of {}", lease.feed)])).await;
            (lease.feed, result)
        }));
    }
    for commit in commits {
        let (feed, result) = commit.await.unwrap();
        match result {
            Ok(done) => {
                assert!(stolen.iter().all(|lease| lease.feed != feed), "{feed} was stolen");
                assert_eq!(done.new.len(), 1);
            }
            Err(StoreError::LeaseLost { feed: lost }) => {
                assert_eq!(lost, feed);
                assert!(stolen.iter().any(|lease| lease.feed == feed), "{feed} was not stolen");
            }
            Err(other) => panic!("{other}"),
        }
    }
    assert_eq!(titles(&db.store).await.len(), 30);
    for lease in stolen {
        let status = db.store.feed(Viewer::Operator, &FeedName::Id(lease.feed)).await.unwrap();
        assert_eq!((status.visits, status.worker.as_deref()), (0, Some("thief")));
    }
}

async fn a_batch_that_violates_a_constraint_fails_alone(db: Database) {
    db.feeds(20, "one.example").await;
    let leases = claim(&db.store, "w", start(), 20).await;
    let bad = leases[7].feed;
    let mut commits = Vec::new();
    for lease in leases {
        let store = db.store.clone();
        let mut plan = plan(&lease, start(), &["fine", "fine too"]);
        if lease.feed == bad {
            // Two entries of one feed cannot have one name.
            let [first, second] = &mut plan.new[..] else { unreachable!("it brings two") };
            second.uid.clone_from(&first.uid);
        }
        commits.push(tokio::spawn(async move { (lease.feed, store.commit(&lease, plan).await) }));
    }
    for commit in commits {
        let (feed, result) = commit.await.unwrap();
        assert_eq!(result.is_err(), feed == bad, "{feed}: {result:?}");
        if let Err(error) = result {
            assert!(matches!(error, StoreError::Conflict { .. }), "{error:?}");
        }
    }
    assert_eq!(titles(&db.store).await.len(), 38);
    let status = db.store.feed(Viewer::Operator, &FeedName::Id(bad)).await.unwrap();
    assert_eq!(status.visits, 0, "not even the visit of the bad batch was written");
}

async fn ids_follow_commit_order_under_concurrency(db: Database) {
    db.feeds(120, "one.example").await;
    let leases = claim(&db.store, "w", start(), 120).await;
    let done = Arc::new(AtomicBool::new(false));
    // A consumer that pages by id while others commit: whatever it has passed must never gain an event.
    let consumer = {
        let (store, done) = (db.another().await, Arc::clone(&done));
        tokio::spawn(async move {
            let mut seen = Vec::new();
            loop {
                let last = done.load(Ordering::SeqCst);
                let after = seen.last().copied().unwrap_or(EventId(0));
                let events = store.events(Viewer::Operator, after, 10).await.unwrap();
                seen.extend(events.iter().map(|event| event.id));
                if events.is_empty() && last {
                    return seen;
                }
            }
        })
    };
    let stores = [db.another().await, db.another().await];
    let mut commits = Vec::new();
    for (i, lease) in leases.into_iter().enumerate() {
        let store = stores[i % 2].clone();
        commits.push(tokio::spawn(async move {
            store.commit(&lease, plan(&lease, start(), &["a", "b"])).await.unwrap().new
        }));
    }
    let mut ids = Vec::new();
    for commit in commits {
        let new = commit.await.unwrap();
        assert_eq!(new[1].0, new[0].0 + 1, "a plan's entries get their ids in its order");
        ids.extend(new);
    }
    done.store(true, Ordering::SeqCst);
    let seen = consumer.await.unwrap();
    let all = db.store.events(Viewer::Operator, EventId(0), 10_000).await.unwrap();
    assert_eq!(seen, all.iter().map(|event| event.id).collect::<Vec<_>>(), "the consumer missed nothing");
    assert_eq!(all.iter().filter(|event| event.kind == EventKind::EntryNew).count(), 240);
    ids.sort_unstable();
    assert_eq!(ids, (1..=240).map(EntryId).collect::<Vec<_>>(), "ids are dense");
}

async fn a_change_keeps_what_was_said_before(db: Database) {
    let lease = db.leased().await;
    let id = db.store.commit(&lease, plan(&lease, start(), &["first"])).await.unwrap().new[0];
    for (hour, (title, keep)) in
        [("second", Keep::Revision), ("third", Keep::Nothing), ("fourth", Keep::Revision)].into_iter().enumerate()
    {
        let now = start() + HOUR * (hour as i32 + 1);
        let lease = claim(&db.store, "w", now, 1).await.pop().unwrap();
        let mut plan = plan(&lease, now, &[]);
        plan.changed.push(ChangedEntry { id, version: version(title), keys: vec![], keep });
        db.store.commit(&lease, plan).await.unwrap();
    }
    let entry = db.store.entry(Viewer::Operator, id).await.unwrap();
    assert_eq!(entry.title.as_deref(), Some("fourth"));
    assert_eq!(entry.first_seen_at, start());
    assert_eq!(db.store.entry_body(Viewer::Operator, id).await.unwrap().content.as_deref(), Some("<p>fourth</p>"));
    let said: Vec<_> = db
        .store
        .revisions(Viewer::Operator, id)
        .await
        .unwrap()
        .into_iter()
        .map(|r| (r.number, r.title.unwrap(), r.body.content.unwrap()))
        .collect();
    assert_eq!(said, [(1, "first".into(), "<p>first</p>".into()), (2, "third".into(), "<p>third</p>".to_owned())]);
    let kinds: Vec<_> = db
        .store
        .events(Viewer::Operator, EventId(1), 10)
        .await
        .unwrap()
        .into_iter()
        .map(|event| (event.kind, event.subject))
        .collect();
    let of = |kind| (kind, Subject::Entry(lease.feed, id));
    let expected = [EventKind::EntryNew, EventKind::EntryChanged, EventKind::EntryChanged].map(of);
    assert_eq!(kinds, expected, "only revisions are announced");
}

async fn of_one_entry_the_last_fifty_revisions_are_kept(db: Database) {
    let lease = db.leased().await;
    let ids = db.store.commit(&lease, plan(&lease, start(), &["a", "b"])).await.unwrap().new;
    for visit in 1..=53 {
        let now = start() + HOUR * visit;
        let lease = claim(&db.store, "w", now, 1).await.pop().unwrap();
        let mut plan = plan(&lease, now, &[]);
        let changed = |id: EntryId| {
            let version = version(&format!("{id} said {visit}"));
            ChangedEntry { id, version, keys: vec![], keep: Keep::Revision }
        };
        // The other entry is edited once.
        plan.changed.extend(ids.iter().take(if visit == 1 { 2 } else { 1 }).map(|id| changed(*id)));
        db.store.commit(&lease, plan).await.unwrap();
    }
    let kept = db.store.revisions(Viewer::Operator, ids[0]).await.unwrap();
    let ends = [&kept[0], &kept[49]].map(|revision| (revision.number, revision.title.clone().unwrap()));
    assert_eq!((kept.len(), ends), (50, [(4, "1 said 3".into()), (53, "1 said 52".into())]));
    assert_eq!(db.store.revisions(Viewer::Operator, ids[1]).await.unwrap().len(), 1, "another entry's are its own");
}

async fn a_corrected_date_is_stored_and_nobody_is_told(db: Database) {
    let lease = db.leased().await;
    let id = db.store.commit(&lease, plan(&lease, start(), &["one"])).await.unwrap().new[0];
    let events = db.store.events(Viewer::Operator, EventId(0), 10).await.unwrap().len();
    let before = db.store.entry(Viewer::Operator, id).await.unwrap();
    let now = start() + HOUR;
    let lease = claim(&db.store, "w", now, 1).await.pop().unwrap();
    let mut plan = plan(&lease, now, &[]);
    let (published_at, updated_at) = (Some(start() - HOUR), Some(now));
    let raw = Some(RawRef { fetch: FetchId(uuid::Uuid::from_u128(7)), offset: 8, length: 9 });
    plan.redated.push(Redated { id, published_at, updated_at, raw_hash: [7; 16], raw });
    db.store.commit(&lease, plan).await.unwrap();
    let expected = Entry { published_at, updated_at, ..before };
    assert_eq!(db.store.entry(Viewer::Operator, id).await.unwrap(), expected, "its place in lists included");
    let EntryBody { content, raw: place, .. } = db.store.entry_body(Viewer::Operator, id).await.unwrap();
    assert_eq!((content.as_deref(), place), (Some("<p>one</p>"), raw));
    assert_eq!(db.store.unscoped().known(lease.feed, |_| Vec::new()).await.unwrap().entries[0].raw_hash, [7; 16]);
    assert_eq!(db.store.events(Viewer::Operator, EventId(0), 10).await.unwrap().len(), events);
    assert!(db.store.revisions(Viewer::Operator, id).await.unwrap().is_empty());
}

async fn a_commit_moves_the_feed_on(db: Database) {
    let lease = db.leased().await;
    let mut plan = plan(&lease, start(), &["one"]);
    plan.feed = Some(FeedFacts {
        kind: FeedKind::Atom,
        title: Some("One".into()),
        site_url: Some("https://one.example/".into()),
        description: Some("about one".into()),
        language: Some("en".into()),
        guids: GuidTrust { collisions: 2, unreliable: false },
    });
    plan.state = Some(FeedState::Disabled { reason: "ten failures in a row".into() });
    plan.schedule.next = model::schedule::Next::Never;
    plan.events
        .push(FeedEvent { kind: EventKind::FeedHealth, payload: Payload::of(&EventKind::FeedHealth, "disabled\0") });
    db.store.commit(&lease, plan).await.unwrap();
    let status = db.store.feed(Viewer::Operator, &FeedName::Id(lease.feed)).await.unwrap();
    assert_eq!(status.feed.title.as_deref(), Some("One"));
    assert_eq!(status.feed.kind, FeedKind::Atom);
    assert_eq!(status.feed.guids.collisions, 2);
    assert_eq!(status.feed.state, FeedState::Disabled { reason: "ten failures in a row".into() });
    assert_eq!((status.due_at, status.worker), (None, None));
    assert_eq!((status.because.as_str(), status.reason.as_str()), ("new-entries", "as usual"));
    assert!(claim(&db.store, "w", start() + HOUR * 2, 1).await.is_empty(), "a disabled feed without a probe");
    let events = db.store.events(Viewer::Operator, EventId(1), 10).await.unwrap();
    let said: Vec<_> = events.iter().map(|event| (&event.kind, event.said())).collect();
    assert_eq!(said, [(&EventKind::FeedHealth, Some("disabled")), (&EventKind::EntryNew, None)]);
}

async fn nul_in_a_title_is_dropped(db: Database) {
    let lease = db.leased().await;
    let mut plan = plan(&lease, start(), &["a\0b"]);
    plan.schedule.reason = "because\0".into();
    plan.new[0].version.body.categories = vec!["x\0y".into()];
    let id = db.store.commit(&lease, plan).await.unwrap().new[0];
    assert_eq!(titles(&db.store).await, ["ab"]);
    // Inside JSON it is an escape, which PostgreSQL refuses as well.
    assert_eq!(db.store.entry_body(Viewer::Operator, id).await.unwrap().categories, ["xy"]);
}

async fn quiet_entries_are_not_announced(db: Database) {
    let lease = db.leased().await;
    let mut plan = plan(&lease, start(), &["loud", "quiet", "loud too"]);
    plan.new[1].quiet = true;
    let new = db.store.commit(&lease, plan).await.unwrap().new;
    let events = db.store.events(Viewer::Operator, EventId(1), 10).await.unwrap();
    let about: Vec<_> = events.iter().filter_map(|event| event.subject.entry()).collect();
    assert_eq!(about, [new[0], new[2]]);
    assert!(db.store.entry(Viewer::Operator, new[1]).await.unwrap().quiet);
}

async fn entries_leave_and_come_back(db: Database) {
    let lease = db.leased().await;
    let id = db.store.commit(&lease, plan(&lease, start(), &["one"])).await.unwrap().new[0];
    assert_eq!(db.store.entry(Viewer::Operator, id).await.unwrap().lineage, Lineage::Present { since_reading: 1 });
    let steps = [Lineage::Left { last_seen_at: start() + HOUR, seen_count: 4 }, Lineage::Present { since_reading: 9 }];
    for (hour, lineage) in steps.into_iter().enumerate() {
        let now = start() + HOUR * (hour as i32 + 1);
        let lease = claim(&db.store, "w", now, 1).await.pop().unwrap();
        let mut plan = plan(&lease, now, &[]);
        plan.lineage.push(LineageChange { id, lineage });
        db.store.commit(&lease, plan).await.unwrap();
        assert_eq!(db.store.entry(Viewer::Operator, id).await.unwrap().lineage, lineage);
    }
    let now = start() + HOUR * 3;
    let lease = claim(&db.store, "w", now, 1).await.pop().unwrap();
    let mut plan = plan(&lease, now, &[]);
    plan.lineage.push(LineageChange { id, lineage: Lineage::Left { last_seen_at: start() - HOUR, seen_count: 1 } });
    db.store.commit(&lease, plan).await.unwrap();
    let expected = Lineage::Left { last_seen_at: start(), seen_count: 1 };
    assert_eq!(db.store.entry(Viewer::Operator, id).await.unwrap().lineage, expected, "not before it was seen first");
}

async fn a_cancelled_caller_leaves_no_open_transaction(db: Database) {
    db.feeds(50, "one.example").await;
    let leases = claim(&db.store, "w", start(), 50).await;
    for lease in &leases[..49] {
        let commit = db.store.commit(lease, plan(lease, start(), &["half way"]));
        // Polled once, then dropped: the batch is on its way, its caller is gone.
        tokio::select! { biased; _ = commit => {}, () = std::future::ready(()) => {} }
    }
    let last = &leases[49];
    db.store.commit(last, plan(last, start(), &["whole"])).await.unwrap();
    db.store.close(start()).await.unwrap();
    let store = db.another().await;
    let written = titles(&store).await;
    assert!(written.contains(&"whole".to_owned()));
    // What was half way is there whole or not at all: an entry, its visit and its event.
    let events = store.events(Viewer::Operator, EventId(0), 1000).await.unwrap();
    let news = events.iter().filter(|event| event.kind == EventKind::EntryNew).count();
    let mut visits = 0;
    for lease in &leases {
        visits += store.feed(Viewer::Operator, &FeedName::Id(lease.feed)).await.unwrap().visits as usize;
    }
    assert_eq!((news, visits), (written.len(), written.len()));
    assert_eq!(db.open_transactions().await, 0);
}

async fn a_replayed_commit_writes_once(db: Database) {
    let lease = db.leased().await;
    db.store.commit(&lease, plan(&lease, start(), &["once"])).await.unwrap();
    // The answer was lost on the way; the worker tries again with the same lease.
    let again = db.store.commit(&lease, plan(&lease, start(), &["once"])).await;
    assert!(matches!(again, Err(StoreError::LeaseLost { .. })), "{again:?}");
    assert_eq!(titles(&db.store).await, ["once"]);
}
