//! Old data is deleted, by rule and with a reason, and nothing else is.

use engine::{Engine, RetainReport, Retained, Wish};
use jiff::SignedDuration;
use model::event::EventKind;
use model::retention::Counters;
use model::{EventId, Viewer, WorkerId};
use std::collections::BTreeMap;
use testkit::{Response, World, rss};

use crate::program::Program;

on_both!(
    unread_entries_are_deleted_and_do_not_come_back,
    entries_that_left_keep_tombstones_for_half_a_year,
    a_limit_deletes_the_oldest_first,
    raw_documents_are_kept_by_number_and_by_body,
    entries_outlive_the_documents_they_stand_in,
    a_dry_run_changes_nothing,
    two_processes_never_clean_at_once,
    cleaning_is_done_once_a_day,
    a_database_that_cannot_fit_is_reported,
    a_database_with_free_pages_is_compacted,
    a_clock_that_leaps_does_not_empty_the_database,
    changes_of_health_are_announced,
);

const DAY: SignedDuration = SignedDuration::from_hours(24);
const FORCED: Wish = Wish { dry_run: false, force: true };

async fn clean(engine: &Engine, wish: Wish) -> RetainReport {
    match engine::retain(engine, engine.now(), wish).await.unwrap() {
        Retained::Done(report) => *report,
        other => panic!("{other:?}"),
    }
}

async fn visit_with(world: &World, titles: &[&str]) {
    world.origin.at("/feed", rss(titles));
    world.advance(DAY * 8);
    world.run_until_idle().await;
}

async fn unread_entries_are_deleted_and_do_not_come_back(world: World) {
    world.origin.at("/feed", rss(&["one", "two"]));
    let feed = world.add("/feed").await;
    world.run_until_idle().await;
    world.advance(DAY * 60);
    visit_with(&world, &["one", "two", "three"]).await;
    world.advance(DAY * 25);
    let report = clean(&world.engine, FORCED).await;
    assert_eq!(report.counters, Counters { unread_too_long: 2, ..Counters::default() });
    assert_eq!(
        report.feeds.iter().map(|report| (report.feed, report.counters.entries())).collect::<Vec<_>>(),
        [(feed, 2)]
    );
    assert_eq!(world.titles().await, ["three"]);
    let events = world.engine.store().events(Viewer::Operator, EventId(0), 100).await.unwrap();
    let gone = events.iter().filter(|event| event.kind == EventKind::EntryGone);
    assert_eq!(gone.filter_map(|event| event.said()).collect::<Vec<_>>(), ["unread_too_long"; 2]);
    let logged = world.engine.store().cleanups(9).await.unwrap();
    assert_eq!((logged.len(), logged[0].counters, logged[0].at), (1, report.counters, world.now()));

    // Its document still shows them, and may do so for years without changing.
    visit_with(&world, &["one", "two", "three", "four"]).await;
    assert_eq!(world.titles().await, ["three", "four"]);
    for _ in 0..6 {
        world.advance(DAY * 60);
        clean(&world.engine, FORCED).await;
        engine::tidy_up(&world.engine, world.now()).await.unwrap();
    }
    assert_eq!(world.titles().await, Vec::<String>::new());
    visit_with(&world, &["one", "two", "three", "four", "five"]).await;
    assert_eq!(world.titles().await, ["five"]);
}

async fn entries_that_left_keep_tombstones_for_half_a_year(world: World) {
    world.origin.at("/feed", rss(&["one", "two"]));
    world.add("/feed").await;
    world.run_until_idle().await;
    visit_with(&world, &["two"]).await;
    world.advance(DAY * 85);
    assert_eq!(clean(&world.engine, FORCED).await.counters.unread_too_long, 2);
    world.advance(DAY * 160);
    clean(&world.engine, FORCED).await;
    engine::tidy_up(&world.engine, world.now()).await.unwrap();
    visit_with(&world, &["one", "two", "three"]).await;
    assert_eq!(world.titles().await, ["three"], "within half a year neither is new");
    visit_with(&world, &["two", "three"]).await;
    world.advance(DAY * 30);
    clean(&world.engine, FORCED).await;
    engine::tidy_up(&world.engine, world.now()).await.unwrap();
    visit_with(&world, &["one", "two", "three"]).await;
    assert_eq!(world.titles().await, ["three", "one"], "then what had left is new again");
}

async fn a_limit_deletes_the_oldest_first(world: World) {
    world.origin.at("/feed", rss(&["one", "two", "three", "four"]));
    world.origin.at("/other", rss(&["five"]));
    let feed = world.add("/feed").await;
    world.run_until_idle().await;
    world.add("/other").await;
    world.run_until_idle().await;
    // Only the feed that has such a rule.
    let rules = [("retention.per_feed", "2"), ("retention.per_feed_takes", "any")];
    let rules: BTreeMap<String, String> = rules.map(|(key, value)| (key.into(), value.into())).into();
    world.engine.store().set_feed_rules(feed, &rules, None, world.now()).await.unwrap();
    let all = world.titles().await;
    let report = clean(&world.engine, Wish::default()).await;
    assert_eq!(report.counters, Counters { beyond_limit: 2, ..Counters::default() });
    assert_eq!(world.titles().await, all[2..]);
    assert!(clean(&world.engine, Wish::default()).await.counters.is_zero(), "and no more the next time");
}

async fn raw_documents_are_kept_by_number_and_by_body(mut world: World) {
    world.configure(|options| options.rules.retention.raw_samples = Some(2));
    world.configure(|options| options.maintenance.raw_budget_bytes = 0);
    world.origin.at("/feed", rss(&["1"]));
    let feed = world.add("/feed").await;
    world.run_until_idle().await;
    for titles in [&["2"][..], &["3"], &["2", "4"], &["5"]] {
        visit_with(&world, titles).await;
    }
    let store = world.engine.store();
    let before = store.raw_fetches(Viewer::Operator, feed, 10).await.unwrap();
    assert_eq!(before.len(), 5);
    world.configure(|options| options.maintenance.raw_budget_bytes = 1 << 20);
    let report = clean(&world.engine, Wish { dry_run: true, force: true }).await;
    assert_eq!(report.counters.raw_fetches, 0, "all different, and within the budget");
    world.configure(|options| options.maintenance.raw_budget_bytes = 0);
    let report = clean(&world.engine, FORCED).await;
    let bytes = before[2..].iter().map(|raw| raw.blob.stored_bytes).sum::<u64>();
    assert_eq!((report.counters.raw_fetches, report.counters.raw_bytes), (3, bytes));
    let store = world.engine.store();
    assert_eq!(store.raw_fetches(Viewer::Operator, feed, 10).await.unwrap(), before[..2]);
    // Their bytes are deleted by the next sweep that finds them old enough.
    world.advance(DAY * 2);
    engine::tidy_up(&world.engine, world.now()).await.unwrap();
    assert!(world.engine.blobs().wire(&before[1].blob).await.is_ok());
    assert!(world.engine.blobs().wire(&before[2].blob).await.is_err());
}

/// A document in Latin-1 with one entry of that title: positions in it count UTF-8 bytes.
fn latin(title: &str) -> (String, Response) {
    let item = format!("<item><guid>1</guid><title>Übung {title}</title></item>");
    let document =
        format!("<?xml version='1.0' encoding='iso-8859-1'?><rss><channel><title>Größe</title>{item}</channel></rss>");
    let bytes: Vec<u8> = document.chars().map(|c| c as u8).collect();
    (item, Response::body("application/rss+xml", bytes))
}

async fn entries_outlive_the_documents_they_stand_in(mut world: World) {
    let ((first, before), (second, after)) = (latin("eins"), latin("zwei"));
    world.origin.at("/feed", before);
    world.add("/feed").await;
    world.run_until_idle().await;
    world.origin.at("/feed", after);
    world.advance(DAY * 8);
    world.run_until_idle().await;
    let edited = world.now();
    let entry = world.engine.store().entries_named(Viewer::Operator, "1").await.unwrap().pop().unwrap();
    let found = async |world: &World| {
        let store = world.engine.store();
        let (body, revisions) = (
            store.entry_body(Viewer::Operator, entry.id).await.unwrap(),
            store.revisions(Viewer::Operator, entry.id).await.unwrap(),
        );
        let mut found = Vec::new();
        for place in engine::references(store, Viewer::Operator, &body, &revisions).await.unwrap() {
            found.push((place.note(), engine::passage(&world.engine, Viewer::Operator, &place.raw).await.unwrap()));
        }
        found
    };
    let (now, then) = ("what it says now".to_owned(), format!("what it said until {edited:.0}"));
    assert_eq!(found(&world).await, [(now.clone(), Some(second.clone())), (then.clone(), Some(first))]);
    world.configure(|options| options.rules.retention.raw_samples = Some(1));
    world.configure(|options| options.maintenance.raw_budget_bytes = 0);
    assert_eq!(clean(&world.engine, FORCED).await.counters.raw_fetches, 1);
    let then = format!("{then}; the document is no longer kept");
    assert_eq!(found(&world).await, [(now, Some(second)), (then, None)]);
}

async fn a_dry_run_changes_nothing(world: World) {
    world.origin.at("/feed", rss(&["one", "two"]));
    world.add("/feed").await;
    world.run_until_idle().await;
    world.advance(DAY * 91);
    let store = world.engine.store();
    let (events, settings) = (store.last_event().await.unwrap(), store.settings().await.unwrap());
    let report = clean(&world.engine, Wish { dry_run: true, force: false }).await;
    assert_eq!(report.counters.unread_too_long, 2, "it says what would go");
    assert_eq!(world.titles().await, ["one", "two"]);
    assert_eq!((store.last_event().await.unwrap(), store.settings().await.unwrap()), (events, settings));
    assert_eq!(
        (store.cleanups(9).await.unwrap().len(), store.lock_holder("maintenance.job").await.unwrap()),
        (0, None)
    );
    let done = clean(&world.engine, Wish::default()).await;
    assert_eq!((done.counters, done.feeds), (report.counters, report.feeds), "and that is what goes");
}

async fn two_processes_never_clean_at_once(world: World) {
    world.origin.at("/feed", rss(&["one"]));
    world.add("/feed").await;
    world.run_until_idle().await;
    world.advance(DAY * 91);
    let another = world.engine.another(WorkerId("another".into()));
    let lasting = SignedDuration::from_mins(1);
    world.engine.store().take_lock("maintenance.job", another.worker(), world.now(), lasting).await.unwrap().unwrap();
    let busy = engine::retain(&world.engine, world.now(), Wish::default()).await.unwrap();
    assert_eq!(busy, Retained::Busy(Some(another.worker().clone())));
    assert!(!engine::clean_up_if_due(&world.engine, world.now()).await.unwrap());
    assert_eq!(world.titles().await, ["one"]);
    // The other one crashed: its lock expires.
    world.advance(lasting);
    assert_eq!(clean(&world.engine, Wish::default()).await.counters.entries(), 1);
    assert_eq!(world.engine.store().lock_holder("maintenance.job").await.unwrap(), None, "and is given back");
    // Both at once: one of them does it.
    let (one, two) = tokio::join!(
        engine::retain(&world.engine, world.now(), Wish::default()),
        engine::retain(&another, world.now(), Wish::default())
    );
    let done = [one.unwrap(), two.unwrap()].iter().filter(|done| matches!(done, Retained::Done(_))).count();
    assert!(done >= 1, "{done}");
    assert_eq!(world.engine.store().cleanups(9).await.unwrap().len(), 1 + done);
}

async fn cleaning_is_done_once_a_day(world: World) {
    let another = world.engine.another(WorkerId("another".into()));
    let mut done = Vec::new();
    // The world begins at midnight; both processes check every hour, each with a lock that expires in between.
    for hour in 0..72 {
        for engine in [&world.engine, &another] {
            if engine::clean_up_if_due(engine, engine.now()).await.unwrap() {
                done.push(hour);
            }
        }
        world.advance(SignedDuration::from_hours(1));
    }
    assert_eq!(done, [0, 3, 27, 51], "the first time at once, then at three");
}

async fn a_database_that_cannot_fit_is_reported(mut world: World) {
    world.origin.at("/feed", rss(&["one", "two"]));
    world.add("/feed").await;
    world.run_until_idle().await;
    world.configure(|options| options.maintenance.max_db_bytes = Some(1));
    let report = clean(&world.engine, Wish::default()).await;
    assert!(report.too_large && report.counters.is_zero(), "{report:?}");
    assert_eq!(world.titles().await, ["one", "two"], "unread entries are not what makes room");
    let warning = world.engine.store().setting("db_size_warning").await.unwrap().unwrap();
    assert!(warning.ends_with("and may have 1"), "{warning}");
    world.configure(|options| options.maintenance.max_db_bytes = Some(u64::MAX));
    assert!(!clean(&world.engine, Wish::default()).await.too_large);
    assert_eq!(world.engine.store().setting("db_size_warning").await.unwrap(), None);
}

async fn a_database_with_free_pages_is_compacted(mut world: World) {
    let titles: Vec<String> = (0..2000).map(|n| format!("entry number {n} of a feed that says a lot")).collect();
    world.origin.at("/feed", rss(&titles.iter().map(String::as_str).collect::<Vec<_>>()));
    world.add("/feed").await;
    world.run_until_idle().await;
    world.advance(DAY * 91);
    let before = world.engine.store().size_bytes().await.unwrap();
    world.configure(|options| options.maintenance.max_db_bytes = Some(before - 100_000));
    let report = clean(&world.engine, Wish::default()).await;
    assert_eq!(report.counters.unread_too_long, 2000);
    // PostgreSQL returns no space; deleting more would not help.
    let on_a_server = world.engine.store().compact().await.unwrap() == store::Compacted::Reused;
    assert_eq!((report.too_large, report.read_for), (on_a_server, None), "{report:?}");
    assert!(on_a_server || report.bytes_after < before - 100_000, "{report:?}");
}

async fn a_clock_that_leaps_does_not_empty_the_database(world: World) {
    world.origin.at("/feed", rss(&["one", "two"]));
    world.add("/feed").await;
    world.run_until_idle().await;
    clean(&world.engine, Wish::default()).await;
    let noon = world.now();
    world.advance(DAY * 3650);
    let report = clean(&world.engine, Wish::default()).await;
    assert_eq!((report.as_of, report.counters), (noon + DAY * 3, Counters::default()));
    engine::tidy_up(&world.engine, world.now()).await.unwrap();
    assert_eq!(world.titles().await, ["one", "two"]);
    assert!(
        !world.engine.store().events(Viewer::Operator, EventId(0), 9).await.unwrap().is_empty(),
        "nor are events forgotten"
    );
    // An operator who knows that the time is right can force it.
    assert_eq!(clean(&world.engine, FORCED).await.counters.unread_too_long, 2);
}

async fn changes_of_health_are_announced(mut world: World) {
    let check = async |world: &World| {
        let told = engine::check_health(&world.engine, world.now()).await.unwrap();
        assert_eq!(world.engine.store().setting("health_warning").await.unwrap(), told, "it is remembered");
        told.unwrap_or_default()
    };
    assert_eq!(check(&world).await, "");
    world.configure(|options| options.maintenance.data = Some("/".into()));
    world.configure(|options| options.maintenance.min_free_bytes = u64::MAX / 2);
    world.configure(|options| options.maintenance.max_db_bytes = Some(1000));
    let warning = check(&world).await;
    let expected = "less than 9223372036 GB of the disk with the data is free; the database is larger than 1 kB";
    assert_eq!(warning, expected);
    world.configure(|options| options.maintenance.min_free_bytes = 0);
    assert_eq!(check(&world).await, "the database is larger than 1 kB");
    world.configure(|options| options.maintenance.max_db_bytes = None);
    assert_eq!(check(&world).await, "");
    // As left by a cleanup that ran while the clock was wrong.
    let ahead = (world.now() + DAY * 2).to_string();
    world.engine.store().set_setting("maintenance.last_cleanup", &ahead, world.now()).await.unwrap();
    assert_eq!(check(&world).await, "the clock has been set back by more than a day");
    world.advance(DAY * -365 * 50);
    assert_eq!(check(&world).await, "the clock is not set");
    let refused = engine::retain(&world.engine, world.now(), FORCED).await.unwrap();
    assert_eq!(refused, Retained::ClockNotSet);
}

/// Only PostgreSQL partitions its bodies.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_empty_range_is_dropped() {
    let mut world = World::postgres().await;
    world.configure(|options| options.maintenance.body_range = 10);
    world.configure(|options| options.maintenance.bodies_moved = 2);
    let ranges = async |world: &World| {
        let ranges = world.engine.store().body_ranges().await.unwrap();
        ranges.iter().map(|range| format!("{}..{}", range.from, range.to)).collect::<Vec<_>>().join(" ")
    };
    let keep: BTreeMap<String, String> = [("retention.unread_for".to_owned(), "never".to_owned())].into();
    // Two ranges of a million are full; one entry of each is to stay.
    for (path, arrived) in [("/one", 500_000), ("/two", 1_500_000)] {
        world.have_arrived(arrived).await;
        world.origin.at(path, rss(&["old"]));
        world.origin.at(&format!("{path}/kept"), rss(&["kept"]));
        let kept = world.add(&format!("{path}/kept")).await;
        world.engine.store().set_feed_rules(kept, &keep, None, world.now()).await.unwrap();
        world.add(path).await;
        world.run_until_idle().await;
    }
    world.have_arrived(2_500_000).await;
    world.origin.at("/three", rss(&["in the range that fills"]));
    world.add("/three").await;
    world.run_until_idle().await;
    world.advance(DAY * 91);

    let dry = clean(&world.engine, Wish { dry_run: true, force: true }).await;
    assert_eq!((dry.counters.unread_too_long, dry.ranges.dropped, dry.ranges.moved), (3, 2, 2), "{dry:?}");
    assert_eq!(ranges(&world).await, "0..1000000 1000000..2000000 2000000..3000000", "a dry run changes nothing");
    let done = clean(&world.engine, FORCED).await;
    assert_eq!((done.counters, done.ranges), (dry.counters, dry.ranges));
    assert_eq!(ranges(&world).await, "0..2000000 2000000..3000000");
    assert_eq!(world.engine.store().cleanups(1).await.unwrap()[0].ranges, 2);
    for entry in world
        .engine
        .store()
        .arrived(Viewer::Operator, store::EntryFilter::default(), model::EntryId(0), 9)
        .await
        .unwrap()
    {
        world.engine.store().entry_body(Viewer::Operator, entry.id).await.unwrap();
    }
    assert_eq!(world.titles().await, ["kept", "kept"]);
    assert_eq!(clean(&world.engine, FORCED).await.ranges.dropped, 0, "and then there is nothing to do");

    // Future entries have their ranges, even if they were created late.
    world.have_arrived(2_999_999).await;
    engine::tidy_up(&world.engine, world.now()).await.unwrap();
    assert_eq!(ranges(&world).await, "0..2000000 2000000..3000000 3000000..3000010 3000010..3000020");
    world.have_arrived(3_000_123).await;
    world.origin.at("/four", rss(&["late"]));
    world.add("/four").await;
    world.run_until_idle().await;
    engine::tidy_up(&world.engine, world.now()).await.unwrap();
    assert!(ranges(&world).await.ends_with("3000010..3000020 3000020..3000140 3000140..3000150"));
    let late = model::EntryId(3_000_124);
    assert_eq!(world.engine.store().entry(Viewer::Operator, late).await.unwrap().title.as_deref(), Some("late"));
    world.engine.store().entry_body(Viewer::Operator, late).await.unwrap();
}

#[test]
fn the_command_shows_what_would_be_deleted() {
    let program = Program::new();
    let run = program.run(&["retain", "--dry-run"]);
    assert_eq!((run.code, run.stdout.as_str()), (0, "nothing would be deleted\n"), "{}", run.stderr);
    assert!(!program.path("data").exists(), "and makes nothing");
    let run = program.run(&["feed", "add", "--as-is", "https://one.example/feed"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let run = program.run(&["cleanup", "--json"]);
    let answer: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!((run.code, &answer["dry_run"], &answer["counters"]["old"]), (0, &false.into(), &0.into()));
    assert_eq!(answer["feeds"], serde_json::json!([]));
    let again = program.run(&["retain"]);
    assert_eq!(again.code, 0, "{}", again.stderr);
    assert!(again.stdout.starts_with("nothing to delete\nit took "), "{}", again.stdout);
}

/// Regression: the log of cleanups contained neither their duration nor notes, and was not shown.
#[test]
fn past_cleanups_are_shown_with_their_duration_and_notes() {
    let program = Program::new();
    assert_eq!(program.run(&["feed", "add", "--as-is", "https://one.example/feed"]).code, 0);
    assert_eq!(program.run(&["retain", "--past"]).stdout, "no cleanup has run yet\n");
    assert_eq!(program.run(&["retain"]).code, 0);
    // The database cannot be this small.
    let run = program.run(&["retain", "--json", "--max-db-size", "1B"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let told: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    assert!(told["duration_seconds"].as_f64().unwrap() >= 0.0, "{told}");
    let log: serde_json::Value = serde_json::from_str(&program.run(&["retain", "--past", "--json"]).stdout).unwrap();
    let notes: Vec<Option<&str>> = log.as_array().unwrap().iter().map(|run| run["notes"].as_str()).collect();
    assert!(notes[0].unwrap().ends_with("the database is still larger than it may be"), "{log}");
    assert_eq!((notes.len(), notes[1]), (2, None), "{log}");
    assert_eq!(told["notes"], log[0]["notes"]);
    assert!(log[0]["duration_seconds"].is_f64() && log[0]["bytes_freed"].is_u64(), "{log}");
    let text = program.run(&["retain", "--past"]).stdout;
    assert!(text.contains("took") && text.contains("notes") && text.contains(" s "), "{text}");
}
