//! The hourly job: old imports are forgotten, and the chores of others are done, whatever becomes of one of them.

use crate::support::user;
use jiff::SignedDuration;
use reader::{Chore, Parts};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use store::StoreError;
use testkit::World;

on_both!(every_hour_it_is_tidied_up);

async fn every_hour_it_is_tidied_up(world: World) {
    let (ada, store) = (user(&world, "ada").await, world.engine.store());
    let id = store.create_import(ada, "<opml/>", (0, &[]), "reader.import", world.now()).await.unwrap();
    let count = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&count);
    let failing =
        Chore::new("failing", |_| async { Err(StoreError::NotFound { what: "chore", name: "of this test".into() }) });
    let counting = Chore::new("counting", move |_| {
        counted.fetch_add(1, Ordering::Relaxed);
        async { Ok(()) }
    });
    let runner = reader::jobs(Parts { engine: world.engine.clone(), chores: vec![failing, counting] });
    reader::request_tidy(store, world.now()).await.unwrap();
    runner.run_due().await;
    assert_eq!(count.load(Ordering::Relaxed), 1);
    assert!(store.import(ada, id).await.unwrap().finished_at.is_some());
    world.advance(SignedDuration::from_hours(31 * 24));
    runner.run_due().await;
    assert_eq!(count.load(Ordering::Relaxed), 2);
    assert_eq!(store.imports(ada).await.unwrap(), []);
}
