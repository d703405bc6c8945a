//! `/api/bookmarks`, stars and likes.

use crate::support::{Api, article, ok};
use jiff::SignedDuration;
use serde_json::{Value, json};
use testkit::World;

on_both!(
    a_star_is_a_bookmark_and_a_like,
    a_like_is_toggled_or_set,
    bookmarks_are_listed_page_by_page,
    bookmarks_are_filtered,
    a_page_is_saved_by_its_address,
    what_a_client_sends_is_cleaned,
    a_bookmark_is_changed_and_deleted,
    what_is_wrong_with_a_bookmark_is_said,
    a_bookmark_belongs_to_its_user,
);

async fn a_star_is_a_bookmark_and_a_like(world: World) {
    let api = Api::new(world).await;
    api.feed_of_ada(&["one"]).await;
    let path = format!("/api/posts/{}/star", api.entry("one").await);
    let starred = json!({ "is_starred": true, "starred_at": "2026-01-01T00:00:00Z", "is_liked": true });
    assert_eq!(api.patch(&api.ada, &path, Value::Null).await.expect(200), starred);
    api.world.advance(SignedDuration::from_hours(1));
    assert_eq!(api.patch(&api.ada, &path, json!({ "is_starred": true })).await.expect(200), starred, "as it was");
    let list = api.get(&api.ada, "/api/bookmarks").await.expect(200);
    assert_eq!((&list["total"], &list["bookmarks"][0]["title"]), (&json!(1), &json!("one")));
    assert_eq!(list["bookmarks"][0]["content"], "about one");
    assert_eq!(list["bookmarks"][0]["feed_title"], "One");

    // The like stays.
    let plain = json!({ "is_starred": false, "starred_at": null, "is_liked": true });
    assert_eq!(api.patch(&api.ada, &path, Value::Null).await.expect(200), plain);
    assert_eq!(api.patch(&api.ada, &path, json!({ "is_starred": false })).await.expect(200), plain);
    assert_eq!(api.get(&api.ada, "/api/bookmarks").await.expect(200)["total"], 0);

    assert_eq!(api.patch(&api.ada, "/api/posts/99/star", Value::Null).await.detail(404), "Post not found");
    assert_eq!(api.patch(&api.ada, &path, json!({ "is_starred": "yes" })).await.status, 422);
    let private = format!("/api/posts/{}/star", api.private_post().await);
    assert_eq!(api.patch(&api.bob, &private, Value::Null).await.detail(404), "Post not found");
    assert_eq!(api.patch(&api.bob, &private, json!({ "is_starred": false })).await.detail(404), "Post not found");
    assert_eq!(api.patch(&api.ada, &private, Value::Null).await.status, 200);
}

async fn a_like_is_toggled_or_set(world: World) {
    let api = Api::new(world).await;
    api.feed_of_ada(&["one"]).await;
    let path = format!("/api/posts/{}/like", api.entry("one").await);
    let liked = json!({ "is_liked": true, "liked_at": "2026-01-01T00:00:00Z" });
    let plain = json!({ "is_liked": false, "liked_at": null });
    assert_eq!(api.patch(&api.ada, &path, Value::Null).await.expect(200), liked);
    api.world.advance(SignedDuration::from_hours(1));
    assert_eq!(
        api.patch(&api.ada, &path, json!({ "is_liked": true })).await.expect(200),
        liked,
        "since the first time"
    );
    assert_eq!(api.patch(&api.ada, &path, Value::Null).await.expect(200), plain);
    assert_eq!(api.patch(&api.ada, &path, json!({ "is_liked": false })).await.expect(200), plain);
    assert_eq!(api.patch(&api.ada, "/api/posts/99/like", Value::Null).await.detail(404), "Post not found");
    let private = format!("/api/posts/{}/like", api.private_post().await);
    assert_eq!(api.patch(&api.bob, &private, Value::Null).await.detail(404), "Post not found");
}

/// Saves pages with these titles, an hour apart.
async fn save(api: &Api, titles: &[&str]) {
    for title in titles {
        let url = format!("https://pages.example/{title}");
        let body =
            json!({ "url": url, "title": title, "content": format!("<p>about {title}</p>"), "tags": ["all", title] });
        api.post(&api.ada, "/api/bookmarks", body).await.expect(201);
        api.world.advance(SignedDuration::from_hours(1));
    }
}

fn titles(list: &Value) -> String {
    let titles = list["bookmarks"].as_array().unwrap().iter().map(|bookmark| bookmark["title"].as_str().unwrap());
    titles.collect::<Vec<_>>().join(" ")
}

async fn bookmarks_are_listed_page_by_page(world: World) {
    let api = Api::new(world).await;
    save(&api, &["a", "b", "c", "d", "e"]).await;
    let first = api.get(&api.ada, "/api/bookmarks?limit=2").await.expect(200);
    assert_eq!((titles(&first).as_str(), &first["total"], &first["has_more"]), ("e d", &json!(5), &json!(true)));
    let path = format!("/api/bookmarks?limit=2&before={}", first["next_cursor"].as_str().unwrap());
    let second = api.get(&api.ada, &path).await.expect(200);
    assert_eq!(titles(&second), "c b");
    let path = format!("/api/bookmarks?limit=2&before={}", second["next_cursor"].as_str().unwrap());
    let last = api.get(&api.ada, &path).await.expect(200);
    assert_eq!((titles(&last).as_str(), &last["has_more"], &last["next_cursor"]), ("a", &json!(false), &Value::Null));
    assert_eq!(titles(&api.get(&api.ada, "/api/bookmarks?limit=2&offset=3").await.expect(200)), "b a");
    assert_eq!(titles(&api.get(&api.ada, "/api/bookmarks").await.expect(200)), "e d c b a");
    assert_eq!(api.get(&api.bob, "/api/bookmarks").await.expect(200)["total"], 0);
    for path in ["limit=201", "limit=-1", "limit=x", "offset=-1", "before=x", "feed_id=x"] {
        assert_eq!(api.get(&api.ada, &format!("/api/bookmarks?{path}")).await.status, 422, "{path}");
    }
    assert_eq!(titles(&api.get(&api.ada, "/api/bookmarks?limit=200&unknown=1").await.expect(200)), "e d c b a");
}

async fn bookmarks_are_filtered(world: World) {
    let api = Api::new(world).await;
    let feed = api.feed_of_ada(&["post"]).await;
    save(&api, &["a", "b"]).await;
    let star = format!("/api/posts/{}/star", api.entry("post").await);
    api.patch(&api.ada, &star, Value::Null).await.expect(200);
    let store = api.world.engine.store();
    let outer = store.add_category(api.ada.user, None, "Outer", api.world.now()).await.unwrap();
    let inner = store.add_category(api.ada.user, Some(outer), "Inner", api.world.now()).await.unwrap();
    store.file_subscription(api.ada.user, feed, inner).await.unwrap();
    let of_bob = store.default_category(api.bob.user).await.unwrap();
    let check = async |query: &str, expected: &str| {
        let list = api.get(&api.ada, &format!("/api/bookmarks?{query}")).await.expect(200);
        assert_eq!(titles(&list), expected, "{query}");
        assert_eq!(list["total"], expected.split_whitespace().count(), "{query}");
    };
    check(&format!("feed_id={feed}"), "post").await;
    check("feed_id=99", "").await;
    check(&format!("category_id={outer}"), "post").await;
    check(&format!("category_id={}", store.default_category(api.ada.user).await.unwrap()), "").await;
    check("tag=ALL", "b a").await;
    check("tag=a", "a").await;
    check("tag=nothing", "").await;
    check("q=about%20B", "b").await;
    check("q=%25", "").await;
    let path = format!("/api/bookmarks?category_id={of_bob}");
    assert_eq!(api.get(&api.ada, &path).await.detail(404), "Category not found");
}

async fn a_page_is_saved_by_its_address(world: World) {
    let api = Api::new(world).await;
    api.world
        .origin
        .at("/page", article("A page", "bread"))
        .at("/short", testkit::Response::body("text/html", "<p>no"));
    let url = api.world.origin.url("/page");
    let made = api.post(&api.ada, "/api/bookmarks", json!({ "url": url, "note": "later", "tags": ["x", "X"] })).await;
    let made = made.expect(201);
    assert_eq!((&made["title"], &made["url"], &made["note"]), (&json!("A page"), &json!(url), &json!("later")));
    assert_eq!((&made["tags"], &made["post_id"]), (&json!(["x"]), &Value::Null));
    let content = made["content"].as_str().unwrap();
    assert!(content.contains("bread and more words") && !content.contains("script"), "{content}");
    assert_eq!(made.get("notice"), None);
    assert_eq!(api.get(&api.ada, &format!("/api/bookmarks/{}", made["id"])).await.expect(200), made);

    // Once more: neither fetched nor changed.
    let again = api.post(&api.ada, "/api/bookmarks", json!({ "url": url, "note": "never", "title": "Other" })).await;
    assert_eq!(again.expect(200), made);
    assert_eq!(api.world.origin.visits(), ["GET /page 200"]);

    // What has no article is kept with its address, and says why.
    let short =
        api.post(&api.ada, "/api/bookmarks", json!({ "url": api.world.origin.url("/short"), "title": "Mine" })).await;
    let short = short.expect(201);
    assert_eq!((&short["title"], &short["content"]), (&json!("Mine"), &json!("")));
    assert!(short["notice"].as_str().is_some_and(|why| why.contains("article")), "{short}");
}

async fn what_a_client_sends_is_cleaned(world: World) {
    let api = Api::new(world).await;
    let html = "<p onclick=alert(1)>Text <a href='/more'>more</a><script>alert(1)</script><img src=x onerror=alert(1)>";
    let body = json!({ "url": "https://pages.example/a", "content": html });
    let made = api.post(&api.ada, "/api/bookmarks", body).await.expect(201);
    let content = made["content"].as_str().unwrap();
    assert!(content.contains("https://pages.example/more"), "{content}");
    assert!(!["script", "onclick", "onerror", "alert"].iter().any(|word| content.contains(word)), "{content}");
    assert_eq!((&made["title"], &made["feed_title"]), (&json!("https://pages.example/a"), &json!("pages.example")));
}

async fn a_bookmark_is_changed_and_deleted(world: World) {
    let api = Api::new(world).await;
    api.feed_of_ada(&["one"]).await;
    let body = json!({ "post_id": api.entry("one").await, "note": "n", "tags": ["t"] });
    let made = api.post(&api.ada, "/api/bookmarks", body.clone()).await.expect(201);
    assert_eq!((&made["note"], &made["tags"], &made["post_id"]), (&json!("n"), &json!(["t"]), &body["post_id"]));
    assert_eq!(api.post(&api.ada, "/api/bookmarks", body).await.expect(200)["id"], made["id"]);
    let path = format!("/api/bookmarks/{}", made["id"]);
    let check = async |change: Value, expected: [Value; 3]| {
        let changed = api.patch(&api.ada, &path, change.clone()).await.expect(200);
        assert_eq!(
            [&changed["title"], &changed["note"], &changed["tags"]],
            [&expected[0], &expected[1], &expected[2]],
            "{change}"
        );
    };
    check(json!({ "title": " New " }), [json!("New"), json!("n"), json!(["t"])]).await;
    check(json!({ "note": null }), [json!("New"), Value::Null, json!(["t"])]).await;
    check(json!({ "note": "m", "tags": ["v", "u"] }), [json!("New"), json!("m"), json!(["u", "v"])]).await;
    check(json!({}), [json!("New"), json!("m"), json!(["u", "v"])]).await;
    check(json!({ "tags": [] }), [json!("New"), json!("m"), json!([])]).await;
    assert_eq!(api.delete(&api.ada, &path).await.expect(200), ok());
    assert_eq!(api.delete(&api.ada, &path).await.detail(404), "Bookmark not found");
    assert_eq!(api.get(&api.ada, &path).await.detail(404), "Bookmark not found");
}

async fn what_is_wrong_with_a_bookmark_is_said(world: World) {
    let api = Api::new(world).await;
    api.feed_of_ada(&["one"]).await;
    let post = api.entry("one").await;
    let check = async |body: Value, status: u16| {
        assert_eq!(api.post(&api.ada, "/api/bookmarks", body.clone()).await.status, status, "{body}");
    };
    check(Value::Null, 400).await;
    check(json!({}), 422).await;
    check(json!({ "post_id": post, "url": "https://one.example/" }), 422).await;
    check(json!({ "post_id": post, "content": "x" }), 422).await;
    check(json!({ "post_id": 99 }), 404).await;
    check(json!({ "post_id": post, "user_id": 1 }), 422).await;
    check(json!({ "url": "javascript:alert(1)", "content": "x" }), 422).await;
    check(json!({ "url": "javascript:alert(1)" }), 422).await;
    check(json!({ "url": "", "content": "x" }), 422).await;
    check(json!({ "url": "https://a.example/", "content": "x", "title": "" }), 422).await;
    check(json!({ "url": "https://a.example/", "content": "x", "title": "a".repeat(1_001) }), 422).await;
    check(json!({ "url": "https://a.example/", "content": "x", "note": "a".repeat(10_001) }), 422).await;
    check(json!({ "url": "https://a.example/", "content": "x", "tags": [""] }), 422).await;
    check(json!({ "url": "https://a.example/", "content": "x", "tags": vec!["a"; 51] }), 422).await;
    check(json!({ "url": "https://a.example/", "content": "a".repeat(1 << 20) }), 413).await;
    assert_eq!(api.get(&api.ada, "/api/bookmarks").await.expect(200)["total"], 0, "nothing of it was saved");
}

async fn a_bookmark_belongs_to_its_user(world: World) {
    let api = Api::new(world).await;
    save(&api, &["a"]).await;
    let list = api.get(&api.ada, "/api/bookmarks").await.expect(200);
    let path = format!("/api/bookmarks/{}", list["bookmarks"][0]["id"]);
    assert_eq!(api.get(&api.bob, &path).await.detail(404), "Bookmark not found");
    assert_eq!(api.patch(&api.bob, &path, json!({ "title": "x" })).await.detail(404), "Bookmark not found");
    assert_eq!(api.patch(&api.bob, &path, json!({ "tags": ["x"] })).await.detail(404), "Bookmark not found");
    assert_eq!(api.delete(&api.bob, &path).await.detail(404), "Bookmark not found");
    assert_eq!(api.get(&api.ada, &path).await.expect(200)["title"], "a");
    let private = api.private_post().await;
    assert_eq!(api.post(&api.bob, "/api/bookmarks", json!({ "post_id": private })).await.detail(404), "Post not found");
}
