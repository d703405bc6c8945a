//! Icons: named by their hash, shown to those who may see a feed of the site. Who sees which is `viewers.rs`.

use crate::support::{Database, HOUR, on_both, start};
use model::Viewer;
use model::icon::Icon;

on_both!(an_icon_is_named_by_its_hash);

fn icon(byte: u8) -> Icon {
    Icon { url: "https://one.example/i.png".into(), media_type: "image/png".into(), bytes: vec![byte] }
}

async fn an_icon_is_named_by_its_hash(db: Database) {
    let (store, viewer, site) = (&db.store, Viewer::Operator, "https://one.example");
    let feeds = db.feeds(3, "one.example").await;
    store.keep_icon(feeds[0], site, Some(&icon(1)), start()).await.unwrap();
    store.share_icon(feeds[1], site).await.unwrap();
    let hashes = store.icon_hashes(viewer, &feeds).await.unwrap();
    assert_eq!(hashes.len(), 2, "the third was not asked for yet");
    assert_eq!(hashes[&feeds[0]], hashes[&feeds[1]]);
    let first = hashes[&feeds[0]];
    assert_eq!(store.icon_by_hash(viewer, first).await.unwrap(), Some(icon(1)));
    store.keep_icon(feeds[0], site, Some(&icon(2)), start() + HOUR).await.unwrap();
    assert_eq!(store.icon_by_hash(viewer, first).await.unwrap(), None, "the site has another one");
    assert_ne!(store.icon_hashes(viewer, &feeds).await.unwrap()[&feeds[1]], first);
    store.keep_icon(feeds[0], site, None, start() + HOUR * 2).await.unwrap();
    assert!(store.icon_hashes(viewer, &feeds).await.unwrap().is_empty());
}
