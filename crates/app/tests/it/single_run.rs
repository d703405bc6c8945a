//! `courant fetch` visits what is due and ends, also where more feeds come due all the time.

use std::sync::atomic::{AtomicUsize, Ordering};

use jiff::SignedDuration;
use model::schedule::Because;
use testkit::{World, rss};
use tokio::sync::watch;

on_both!(a_single_run_ends_though_more_will_be_due_soon);

/// It went on for as long as any feed was due within two minutes, which among many feeds there always is.
async fn a_single_run_ends_though_more_will_be_due_soon(world: World) {
    world.origin.at("/now", rss(&["one"])).at("/soon", rss(&["two"]));
    world.add("/now").await;
    let soon = world.add("/soon").await;
    let at = world.now() + SignedDuration::from_secs(30);
    world.engine.store.make_due(soon, Some(at), Because::Manual, "soon", world.now()).await.unwrap();
    let (stop, stopping) = watch::channel(false);
    let looks = AtomicUsize::new(0);
    // The clock stands still: who waits for the other feed looks again and again.
    let progress = |_: i64, _: &engine::Tally| {
        if looks.fetch_add(1, Ordering::Relaxed) == 20 {
            stop.send(true).unwrap();
        }
    };
    let tally = engine::run_once(world.engine.clone(), stopping, progress).await.unwrap();
    assert_eq!((tally.fresh, world.titles().await), (1, vec!["one".to_owned()]));
    assert!(!*stop.borrow(), "it had to be stopped");
}
