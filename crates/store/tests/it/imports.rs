//! Imports: a list that is worked on, remembered for a while and undone once.

use crate::support::{Database, HOUR, on_both, start, worker};
use model::job::Priority;
use model::{CategoryId, FeedId};
use store::ImportProgress;

on_both!(an_import_is_asked_for_noted_and_undone_once, only_old_imports_that_are_done_are_forgotten);

async fn an_import_is_asked_for_noted_and_undone_once(db: Database) {
    let readers = db.readers(&[]).await;
    let (store, ada, bob) = (&db.store, readers.ada, readers.bob);
    let id = store.create_import(ada, "<opml/>", (3, &["row 1".into()]), "reader.import", start()).await.unwrap();
    let jobs =
        store.claim_jobs(&worker("w"), ("reader.import", Priority::Low), start(), start() + HOUR, 9).await.unwrap();
    assert_eq!(jobs.iter().map(|job| job.subject.as_str()).collect::<Vec<_>>(), [id.to_string()]);
    assert_eq!(store.unfinished_import(id).await.unwrap(), Some((ada, "<opml/>".into())));
    assert_eq!(store.import(ada, id).await.unwrap().errors, ["row 1"]);
    let progress = ImportProgress {
        total: 3,
        done: 2,
        imported: 1,
        skipped: 1,
        errors: vec!["x: not a feed\0".into()],
        feeds: vec![FeedId(7)],
        categories: vec![CategoryId(8)],
    };
    assert!(store.note_import_progress(id, &progress).await.unwrap());
    let run = store.import(ada, id).await.unwrap();
    assert_eq!((run.total, run.done, run.imported, run.skipped), (3, 2, 1, 1));
    assert_eq!(
        (run.errors, run.feeds, run.categories),
        (vec!["x: not a feed".to_owned()], vec![FeedId(7)], vec![CategoryId(8)])
    );
    assert_eq!((run.finished_at, run.undone_at), (None, None));
    assert!(store.import(bob, id).await.is_err());
    assert!(!store.mark_import_undone(ada, id, start()).await.unwrap(), "it is not done");
    assert!(store.finish_import(id, start() + HOUR).await.unwrap());
    assert!(!store.finish_import(id, start() + HOUR * 2).await.unwrap());
    assert!(
        !store.note_import_progress(id, &ImportProgress::default()).await.unwrap(),
        "a late worker changes nothing"
    );
    assert_eq!(store.unfinished_import(id).await.unwrap(), None);
    assert!(!store.mark_import_undone(bob, id, start()).await.unwrap());
    assert!(store.mark_import_undone(ada, id, start() + HOUR * 3).await.unwrap());
    assert!(!store.mark_import_undone(ada, id, start() + HOUR * 4).await.unwrap(), "once");
    let run = store.imports(ada).await.unwrap().remove(0);
    assert_eq!((run.finished_at, run.undone_at), (Some(start() + HOUR), Some(start() + HOUR * 3)));
}

async fn only_old_imports_that_are_done_are_forgotten(db: Database) {
    let readers = db.readers(&[]).await;
    let (store, ada) = (&db.store, readers.ada);
    let create = async |at| store.create_import(ada, "<opml/>", (1, &[]), "reader.import", at).await.unwrap();
    let (done, open, new) = (create(start()).await, create(start()).await, create(start() + HOUR).await);
    for id in [done, new] {
        store.finish_import(id, start() + HOUR).await.unwrap();
    }
    assert_eq!(store.forget_imports(start() + HOUR).await.unwrap(), 1);
    let left: Vec<_> = store.imports(ada).await.unwrap().into_iter().map(|run| run.id).collect();
    assert_eq!(left, [new, open]);
}
