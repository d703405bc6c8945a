//! `courant fetch` visits due feeds and ends, even if more feeds come due all the time.

use std::sync::atomic::{AtomicUsize, Ordering};

use jiff::SignedDuration;
use model::schedule::Because;
use testkit::{Origin, Response, World, rss};
use tokio::sync::watch;

on_both!(
    a_single_run_ends_although_more_feeds_are_due_soon,
    a_single_run_waits_for_postponed_feeds_only,
    a_run_without_due_feeds_ends_at_once,
);

/// Regression: it continued as long as any feed was due within two minutes, which among many feeds is always true.
async fn a_single_run_ends_although_more_feeds_are_due_soon(world: World) {
    world.origin.at("/now", rss(&["one"])).at("/soon", rss(&["two"]));
    world.add("/now").await;
    let soon = world.add("/soon").await;
    let at = world.now() + SignedDuration::from_secs(30);
    world.engine.store().make_due(soon, Some(at), Because::Manual, "soon", world.now()).await.unwrap();
    let (stop, stopping) = watch::channel(false);
    let looks = AtomicUsize::new(0);
    // The clock stands still: waiting for the other feed would poll for ever.
    let progress = |_: usize, _: &engine::Tally| {
        if looks.fetch_add(1, Ordering::Relaxed) == 20 {
            stop.send(true).unwrap();
        }
    };
    let tally = engine::run_once(world.engine.clone(), stopping, progress).await.unwrap();
    assert_eq!((tally.fresh, world.titles().await), (1, vec!["one".to_owned()]));
    assert!(!*stop.borrow(), "it had to be stopped");
}

async fn a_single_run_waits_for_postponed_feeds_only(mut world: World) {
    // One a second: of three at once, two are postponed.
    world.configure(|options| options.pace = engine::Options::paced(1.0, 2));
    let later: Vec<String> = (1..=60).map(|n| format!("/{n}")).collect();
    for path in ["/a", "/b", "/c"].into_iter().chain(later.iter().map(String::as_str)) {
        world.origin.at(path, rss(&[path]));
    }
    for (second, path) in (1..).zip(&later) {
        let feed = world.add(path).await;
        let at = world.now() + SignedDuration::from_secs(second);
        world.engine.store().make_due(feed, Some(at), Because::Manual, "later", world.now()).await.unwrap();
    }
    for path in ["/a", "/b", "/c"] {
        world.add(path).await;
    }
    let (_stop, stopping) = watch::channel(false);
    let progress = |_: usize, _: &engine::Tally| world.advance(SignedDuration::from_millis(500));
    let tally = engine::run_once(world.engine.clone(), stopping, progress).await.unwrap();
    let titles = world.titles().await;
    assert!(["/a", "/b", "/c"].iter().all(|title| titles.contains(&(*title).to_owned())), "{titles:?}");
    assert!(tally.fresh < 30, "it went on with what came due: {titles:?}");
}

async fn a_run_without_due_feeds_ends_at_once(world: World) {
    world.add("/feed").await;
    world.run_until_idle().await;
    let (_stop, stopping) = watch::channel(false);
    let tally = engine::run_once(world.engine.clone(), stopping, |_, _| {}).await.unwrap();
    assert_eq!((tally, world.origin.visits().len()), (engine::Tally::default(), 1));
}

/// Regression: the exit code was success, whatever happened.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_run_in_which_every_visit_failed_is_a_failure() {
    let origin = Origin::start().await;
    origin.at("/bad", Response::status(500)).at("/good", rss(&["one"]));
    let (bad, good) = (origin.url("/bad"), origin.url("/good"));
    let walk = move || {
        let program = crate::serve::program();
        assert_eq!(program.run(&["fetch"]).code, 0, "nothing to do is no failure");
        assert_eq!(program.run(&["feed", "add", "--as-is", &bad]).code, 0);
        let run = program.run(&["fetch"]);
        assert_eq!(run.code, 1, "{}", run.stdout);
        assert!(run.stdout.contains("1 failed") && run.stderr.contains("every visit failed"), "{}", run.stderr);
        assert_eq!(program.run(&["feed", "add", "--as-is", &good]).code, 0);
        let run = program.run(&["fetch", "--all"]);
        assert_eq!(run.code, 0, "one of two: {}{}", run.stdout, run.stderr);
    };
    tokio::task::spawn_blocking(walk).await.unwrap();
}
