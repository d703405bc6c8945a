//! Saving pages by their address.

use crate::support::{article, user};
use reader::{Saved, save_page};
use store::Made;
use testkit::World;
use work::Cpu;

on_both!(
    a_page_is_saved_with_its_article,
    a_page_that_cannot_be_fetched_is_saved_by_its_address,
    starred_items_of_other_programs_become_bookmarks,
);

async fn a_page_is_saved_with_its_article(world: World) {
    let ada = user(&world, "ada").await;
    world.origin.at("/a", article("A title", "elephant"));
    let url = world.origin.url("/a");
    let saved = save_page(&world.engine, &Cpu::default(), ada, &url).await.unwrap();
    let Saved::Kept { bookmark, made: Made::New, without_article: None } = saved else { panic!("{saved:?}") };
    assert_eq!((bookmark.title.as_str(), bookmark.link.as_deref()), ("A title", Some(url.as_str())));
    assert!(bookmark.content.contains("elephant"), "{}", bookmark.content);
    let before = world.origin.requests().len();
    let again = save_page(&world.engine, &Cpu::default(), ada, &url).await.unwrap();
    assert!(matches!(again, Saved::Kept { made: Made::Existing, .. }), "{again:?}");
    assert_eq!(world.origin.requests().len(), before, "it is not fetched again");
}

async fn a_page_that_cannot_be_fetched_is_saved_by_its_address(world: World) {
    let ada = user(&world, "ada").await;
    let url = world.origin.url("/missing");
    let saved = save_page(&world.engine, &Cpu::default(), ada, &url).await.unwrap();
    let Saved::Kept { bookmark, made: Made::New, without_article: Some(_) } = saved else { panic!("{saved:?}") };
    assert_eq!((bookmark.title.as_str(), bookmark.content.as_str()), (url.as_str(), ""));
    let bad = save_page(&world.engine, &Cpu::default(), ada, "nonsense").await.unwrap();
    assert!(matches!(bad, Saved::BadAddress(_)), "{bad:?}");
}

/// Starred items of Miniflux and of FreshRSS.
async fn starred_items_of_other_programs_become_bookmarks(world: World) {
    let (ada, store) = (user(&world, "ada").await, world.engine.store());
    let ask = async |json: &str| reader::import_stars(store, ada, json.as_bytes(), world.now()).await.unwrap();
    let miniflux = r#"{"total":2,"entries":[
        {"title":"A","url":"https://a.example/","content":"<p>a</p><script>x</script>","author":"Ada",
         "published_at":"2024-05-01T10:00:00Z","feed":{"title":"Feed"}},{"title":"nowhere"}]}"#;
    let told = ask(miniflux).await.unwrap();
    assert_eq!((told.bookmarks, told.known, told.left_out), (1, 0, 1));
    let kept = store.bookmark_of(ada, "https://a.example/").await.unwrap().unwrap();
    assert_eq!(
        (kept.content.as_str(), kept.author.as_deref(), kept.feed_name.as_str()),
        ("<p>a</p>", Some("Ada"), "Feed")
    );
    let freshrss = r#"{"id":"user/-/state/com.google/starred","items":[
        {"title":"A","alternate":[{"href":"https://a.example/"}]},
        {"title":"B","published":1714557600,"alternate":[{"href":"https://b.example/"}],"summary":{"content":"b"},
         "origin":{"title":"Other"}}]}"#;
    let told = ask(freshrss).await.unwrap();
    assert_eq!((told.bookmarks, told.known, told.left_out), (1, 1, 0));
    assert!(ask("{}").await.is_err() && ask("no").await.is_err());
}
