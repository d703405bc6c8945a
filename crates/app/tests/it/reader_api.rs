//! The reader's API by its contract: categories, feeds, posts, read state, search. The release check of both contracts is
//! here as well: log in, create a feed, refresh, search, bookmark, delete the feed, the bookmark is still there.

use model::reader::Role;
use serde_json::{Value, json};
use testkit::{Response, World, rss};

use crate::site::{Answer, Site};

on_both!(
    the_release_check_on_the_readers_contract,
    the_release_check_on_reedmes_contract,
    categories_nest_and_never_lose_feeds,
    a_feed_is_added_by_its_site_and_only_once,
    shared_feeds_are_changed_by_operators_only,
    posts_are_listed_filtered_and_paged,
    posts_are_marked_swept_and_brought_back,
    bad_input_is_refused_in_words,
    a_search_understands_its_operators,
    another_users_things_are_not_there,
    opening_a_post_asks_nobody_outside,
    risos_finds_what_it_needs,
);

const PASSWORD: &str = "correct horse";

/// A reader at a site, with a token.
struct Reader<'a> {
    site: &'a Site,
    world: &'a World,
    token: String,
}

async fn site(world: &World) -> Site {
    let site = Site::new(world);
    let owner = world.engine.store().owner().await.unwrap().id;
    site.accounts.set_password(owner, PASSWORD).await.unwrap();
    site
}

impl<'a> Reader<'a> {
    async fn owner(site: &'a Site, world: &'a World) -> Self {
        Self::named(site, world, "owner").await
    }

    async fn new(site: &'a Site, world: &'a World, name: &str) -> Self {
        site.accounts.add_user(name, Role::User, Some(PASSWORD)).await.unwrap();
        Self::named(site, world, name).await
    }

    async fn named(site: &'a Site, world: &'a World, name: &str) -> Self {
        let typed = json!({ "username": name, "password": PASSWORD });
        let answer = site.post("/api/auth/login", &typed).send().await;
        let token = answer.json()["token"].as_str().unwrap().to_owned();
        Self { site, world, token }
    }

    async fn ask(&self, method: &str, path: &str, body: Option<Value>) -> Answer {
        let ask = self.site.ask(method, path).bearer(&self.token);
        match body {
            Some(body) => ask.json(&body).send().await,
            None => ask.send().await,
        }
    }

    async fn get(&self, path: &str) -> Value {
        let answer = self.ask("GET", path, None).await;
        assert_eq!(answer.status, 200, "GET {path}: {}", answer.text);
        answer.json()
    }

    async fn sent(&self, method: &str, path: &str, body: Value, status: u16) -> Value {
        let answer = self.ask(method, path, Some(body)).await;
        assert_eq!(answer.status, status, "{method} {path}: {}", answer.text);
        if answer.text.is_empty() { Value::Null } else { answer.json() }
    }

    /// Asks while a worker makes the visits that become necessary.
    async fn visited(&self, method: &str, path: &str, body: Value) -> Answer {
        let asked = self.ask(method, path, Some(body));
        let worker = async {
            loop {
                self.world.run_until_idle().await;
                tokio::task::yield_now().await;
            }
        };
        tokio::select! { answer = asked => answer, () = worker => unreachable!("a worker does not stop") }
    }

    /// Follows the feed at a path of the origin.
    async fn follow(&self, path: &str) -> i64 {
        let answer = self.visited("POST", "/api/feeds", json!({ "url": self.world.origin.url(path) })).await;
        assert_eq!(answer.status, 201, "{}", answer.text);
        answer.json()["id"].as_i64().unwrap()
    }

    async fn post_ids(&self, query: &str) -> Vec<i64> {
        let page = self.get(&format!("/api/posts?{query}")).await;
        page["posts"].as_array().unwrap().iter().map(|post| post["id"].as_i64().unwrap()).collect()
    }
}

async fn index(world: &World) {
    while !matches!(engine::index_some(world.engine.store()).await.unwrap(), store::Indexed::Done(_)) {}
}

async fn the_release_check_on_the_readers_contract(world: World) {
    let site = site(&world).await;
    // A's login has no name while there is one user.
    let token = site.post("/api/auth/login", &json!({ "password": PASSWORD })).send().await.json();
    assert!(token["expires_at"].is_string());
    let owner = Reader::owner(&site, &world).await;
    world.origin.at("/feed", rss(&["one", "two"]));
    let feed = owner.follow("/feed").await;
    let listed = owner.get("/api/feeds").await;
    assert_eq!((listed[0]["unread_count"].as_u64(), listed[0]["title"].as_str()), (Some(2), Some("One")), "{listed}");
    assert!(listed[0]["fetch_state"]["last_checked_at"].as_i64().unwrap() > 0);
    for gone in ["last_build", "last_failure_at", "failure", "failures"] {
        assert!(listed[0].get(gone).is_none(), "{gone}");
    }
    world.origin.at("/feed", rss(&["one", "two", "three"]));
    let refreshed = owner.visited("POST", &format!("/api/feeds/{feed}/refresh"), json!({})).await.json();
    assert_eq!((refreshed["new_posts"].as_u64(), refreshed["skipped_duplicates"].as_u64()), (Some(1), Some(2)));
    index(&world).await;
    let found = owner.get("/api/search?q=three").await;
    let post = found["posts"][0]["id"].as_i64().unwrap();
    assert_eq!(found["total"], 1);
    let starred = owner.sent("PATCH", &format!("/api/posts/{post}/star"), json!({ "is_starred": true }), 200).await;
    assert_eq!(starred["is_starred"], true);
    owner.sent("DELETE", &format!("/api/feeds/{feed}"), json!({}), 200).await;
    assert_eq!(owner.get("/api/feeds").await, json!([]));
    let kept = owner.get("/api/bookmarks").await;
    assert_eq!((kept["total"].as_u64(), kept["bookmarks"][0]["title"].as_str()), (Some(1), Some("three")), "{kept}");
}

async fn the_release_check_on_reedmes_contract(world: World) {
    let site = site(&world).await;
    let answer = site.post("/reedme/api/sessions", &json!({ "password": PASSWORD })).own_page().send().await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    let (_, cookie, _) = answer.set_cookie();
    let cookie = cookie.to_owned();
    let ask = async |method: &str, path: &str, body: Option<Value>| {
        let ask = site.ask(method, &format!("/reedme/api{path}")).cookie(&cookie).own_page();
        match body {
            Some(body) => ask.json(&body).send().await,
            None => ask.send().await,
        }
    };
    let groups = ask("GET", "/groups", None).await.json();
    assert_eq!((groups["data"][0]["id"].as_i64(), groups["data"][0]["name"].as_str()), (Some(1), Some("Default")));
    let news = ask("POST", "/groups", Some(json!({ "name": "News" }))).await.json()["data"]["id"].clone();
    world.origin.at("/feed", rss(&["one", "two"]));
    let link = world.origin.url("/feed");
    let asked = ask("POST", "/feeds", Some(json!({ "link": link, "name": link, "group_id": news })));
    let worker = async {
        loop {
            world.run_until_idle().await;
            tokio::task::yield_now().await;
        }
    };
    let answer = tokio::select! { answer = asked => answer, () = worker => unreachable!() };
    assert_eq!(answer.status, 200, "{}", answer.text);
    let feed = answer.json()["data"].clone();
    assert_eq!((&feed["group_id"], feed["unread_count"].as_u64()), (&news, Some(2)));
    assert!(feed["fetch_state"]["last_checked_at"].as_i64().unwrap() > 0);
    assert_eq!(ask("POST", "/feeds/refresh", None).await.status, 202);
    let items = ask("GET", "/items?unread=true&limit=10&order_by=pub_date:desc", None).await.json();
    assert_eq!((items["total"].as_u64(), items["data"].as_array().unwrap().len()), (Some(2), 2));
    assert!(items["data"][0]["content"].is_string() && items["data"][0]["pub_date"].is_i64());
    let paged = ask("GET", "/items?limit=1", None).await.json();
    let next = paged["next_cursor"].as_str().unwrap().to_owned();
    let second = ask("GET", &format!("/items?limit=1&before={next}"), None).await.json();
    assert_ne!(paged["data"][0]["id"], second["data"][0]["id"]);
    let item = items["data"][0].clone();
    assert_eq!(ask("PATCH", "/items/-/read", Some(json!({ "ids": [item["id"]] }))).await.status, 204);
    assert_eq!(ask("GET", "/items?unread=true", None).await.json()["total"], 1);
    assert_eq!(ask("PATCH", "/items/-/unread", Some(json!({ "ids": [item["id"]] }))).await.status, 204);
    index(&world).await;
    let found = ask("GET", "/search?q=two&limit=10", None).await.json();
    assert_eq!(found["data"]["items"].as_array().unwrap().len(), 1, "{found}");
    let snapshot = json!({
        "item_id": item["id"], "link": item["link"], "title": item["title"], "content": item["content"],
        "pub_date": item["pub_date"], "feed_name": "Feed",
    });
    let bookmark = ask("POST", "/bookmarks", Some(snapshot.clone())).await;
    assert_eq!(bookmark.status, 200, "{}", bookmark.text);
    let again = ask("POST", "/bookmarks", Some(snapshot)).await.json();
    assert_eq!(again["data"]["id"], bookmark.json()["data"]["id"], "a known link is the existing bookmark");
    assert_eq!(ask("DELETE", &format!("/feeds/{}", feed["id"]), None).await.status, 204);
    let kept = ask("GET", "/bookmarks?limit=100&offset=0", None).await.json();
    assert_eq!((kept["total"].as_u64(), &kept["data"][0]["title"]), (Some(1), &item["title"]));
    let id = bookmark.json()["data"]["id"].clone();
    assert_eq!(ask("DELETE", &format!("/bookmarks/{id}"), None).await.status, 204);
    assert_eq!(ask("GET", "/bookmarks", None).await.json()["total"], 0);
    assert!(ask("GET", "/items/999", None).await.json()["error"].is_string());
    assert_eq!(ask("DELETE", "/groups/1", None).await.status, 409);
    assert_eq!(ask("DELETE", &format!("/groups/{news}"), None).await.status, 204);
    // A whole list at once, larger than other bodies may be.
    let feeds: Vec<Value> = (0..3_000)
        .map(|n| json!({ "link": format!("ftp://{n}.example/{}", "x".repeat(500)), "name": "x", "group_id": 1 }))
        .collect();
    let many = json!({ "feeds": feeds });
    assert!(many.to_string().len() > 1 << 20);
    let made = ask("POST", "/feeds/batch", Some(many)).await.json();
    assert_eq!((&made["data"]["created"], &made["data"]["failed"]), (&json!(0), &json!(3_000)), "no address of a feed");
}

async fn categories_nest_and_never_lose_feeds(world: World) {
    let site = site(&world).await;
    let owner = Reader::owner(&site, &world).await;
    world.origin.at("/feed", rss(&["one", "two"]));
    let feed = owner.follow("/feed").await;
    let news = owner.sent("POST", "/api/categories", json!({ "name": "News" }), 201).await["id"].clone();
    let tech =
        owner.sent("POST", "/api/categories", json!({ "name": "Tech", "parent_id": news }), 201).await["id"].clone();
    owner.sent("POST", "/api/categories", json!({ "name": " " }), 422).await;
    owner.sent("POST", "/api/categories", json!({ "name": "News" }), 409).await;
    owner.sent("POST", "/api/categories", json!({ "name": "X", "parent_id": 999 }), 404).await;
    let path = |id: &Value| format!("/api/categories/{id}");
    owner.sent("PUT", &path(&news), json!({ "parent_id": tech }), 422).await;
    owner.sent("PUT", &path(&news), json!({ "parent_id": news }), 422).await;
    owner.sent("PUT", &format!("/api/feeds/{feed}"), json!({ "category_id": format!("{tech}") }), 200).await;
    let all = owner.get("/api/categories").await;
    assert_eq!(all[0]["name"], "Default", "the permanent one is first: {all}");
    let unread = |id: &Value| {
        let found = all.as_array().unwrap().iter().find(|category| category["id"] == *id);
        found.unwrap()["unread_count"].as_u64().unwrap()
    };
    assert_eq!((unread(&news), unread(&tech)), (2, 2), "a parent counts what is below it");
    assert_eq!(owner.post_ids(&format!("category_id={news}")).await.len(), 2);
    owner.sent("PATCH", "/api/categories/reorder", json!([{ "id": news, "position": 7 }]), 200).await;
    owner.sent("PATCH", "/api/categories/reorder", json!([{ "id": 999, "position": 7 }]), 404).await;
    assert_eq!(owner.get(&path(&news)).await["position"], 7);
    owner.sent("DELETE", &path(&news), json!({}), 200).await;
    assert_eq!(owner.get(&path(&tech)).await["parent_id"], Value::Null, "children go up one level");
    owner.sent("DELETE", &path(&tech), json!({}), 200).await;
    assert_eq!(owner.get("/api/feeds").await[0]["category_id"], 1, "its feeds went to the permanent one");
    owner.sent("DELETE", "/api/categories/1", json!({}), 409).await;
    owner.sent("PUT", "/api/categories/1", json!({ "name": "Other" }), 409).await;
    owner.sent("PUT", "/api/categories/1", json!({ "name": "Default" }), 200).await;
}

async fn a_feed_is_added_by_its_site_and_only_once(world: World) {
    let site = site(&world).await;
    let owner = Reader::owner(&site, &world).await;
    let page = "<html><head><link rel=alternate type=application/rss+xml href=/feed></head><body>hello</body></html>";
    world.origin.at("/", Response::body("text/html", page)).at("/feed", rss(&["one"]));
    world.origin.at("/page", Response::body("text/html", "<html><body>nothing here</body></html>"));
    let found = owner.ask("POST", &format!("/api/feeds/discover?url={}", world.origin.url("/")), None).await;
    assert_eq!((found.status, found.json()["feed_url"].as_str()), (200, Some(world.origin.url("/feed").as_str())));
    let feed = owner.follow("/").await;
    let again =
        owner.sent("POST", "/api/feeds", json!({ "url": world.origin.url("/feed"), "category_id": "1" }), 409).await;
    assert_eq!(
        (again["id"].as_i64(), again["detail"].as_str()),
        (Some(feed), Some("Feed with this URL already exists"))
    );
    let valid = owner.sent("POST", "/api/feeds/validate", json!({ "url": world.origin.url("/feed") }), 200).await;
    assert_eq!((valid["valid"].as_bool(), valid["feeds"][0]["samples"][0].as_str()), (Some(true), Some("one")));
    owner.sent("POST", "/api/feeds", json!({ "url": "javascript:alert(1)" }), 422).await;
    owner.sent("POST", "/api/feeds", json!({ "url": world.origin.url("/feed2"), "category_id": 999 }), 404).await;
    let batch = json!({ "feeds": [{ "url": world.origin.url("/x") }, { "url": world.origin.url("/feed") }, { "url": "ftp://x" }] });
    let made = owner.sent("POST", "/api/feeds/batch", batch, 201).await;
    assert_eq!((made["created"].as_u64(), made["failed"].as_u64()), (Some(1), Some(2)), "{made}");
    let gone = owner.ask("GET", "/api/feeds/999", None).await;
    assert_eq!((gone.status, gone.json()["detail"].as_str()), (404, Some("Feed not found")));
}

async fn shared_feeds_are_changed_by_operators_only(world: World) {
    let site = site(&world).await;
    let (owner, ada) = (Reader::owner(&site, &world).await, Reader::new(&site, &world, "ada").await);
    world.origin.at("/feed", rss(&["one"])).at("/other", rss(&["other"]));
    let feed = owner.follow("/feed").await;
    assert_eq!(ada.follow("/feed").await, feed, "one feed for both");
    let path = format!("/api/feeds/{feed}");
    for shared in [
        json!({ "proxy": "http://127.0.0.1:1" }),
        json!({ "suspended": true }),
        json!({ "rules": { "interval.min": "10m" } }),
        json!({ "allow_duplicate_urls": true }),
    ] {
        ada.sent("PUT", &path, shared, 403).await;
    }
    let own = json!({ "title": "Mine", "in_all": false, "sort": "oldest", "full_text": "never" });
    let changed = ada.sent("PUT", &path, own, 200).await;
    assert_eq!((changed["title"].as_str(), changed["in_all"].as_bool()), (Some("Mine"), Some(false)));
    assert_eq!((changed["sort"].as_str(), changed["full_text"].as_str()), (Some("oldest"), Some("never")));
    ada.sent("PUT", &path, json!({ "full_text": "sometimes" }), 422).await;
    assert_eq!(owner.get(&path).await["title"], "One", "ada's title is hers");
    assert_eq!(ada.post_ids("").await.len(), 0, "not among all");
    assert_eq!(ada.post_ids(&format!("feed_id={feed}")).await.len(), 1);
    let moved = ada.visited("PUT", &path, json!({ "url": world.origin.url("/other") })).await;
    assert_eq!(moved.status, 200, "{}", moved.text);
    assert_ne!(moved.json()["id"].as_i64(), Some(feed), "only her subscription moved");
    assert_eq!(owner.get(&path).await["url"], world.origin.url("/feed"));
    owner.sent("PUT", &path, json!({ "suspended": true, "rules": { "interval.min": "10m" } }), 200).await;
    assert_eq!(owner.get(&path).await["suspended"], true);
    let refused = owner.sent("POST", &format!("{path}/refresh"), json!({}), 409).await;
    assert_eq!(refused["detail"], "Feed is disabled");
    for refused in
        [json!({ "rules": { "no.such.rule": "1" } }), json!({ "proxy": "gopher://x" }), json!({ "sort": "x" })]
    {
        let mut all = json!({ "title": "Half", "url": world.origin.url("/third"), "suspended": false });
        all.as_object_mut().unwrap().extend(refused.as_object().unwrap().clone());
        owner.sent("PUT", &path, all, 422).await;
        let after = owner.get(&path).await;
        assert_eq!(
            (&after["title"], &after["suspended"]),
            (&json!("One"), &json!(true)),
            "{refused}: nothing was changed"
        );
        assert_eq!(after["url"], world.origin.url("/feed"));
    }
    owner.sent("PUT", &path, json!({ "proxy": "http://127.0.0.1:1" }), 200).await;
    assert_eq!(owner.get(&path).await["private"], false, "a proxy takes a feed from nobody");
    ada.sent("POST", &format!("{path}/enable"), json!({}), 404).await;
}

async fn posts_are_listed_filtered_and_paged(world: World) {
    let site = site(&world).await;
    let owner = Reader::owner(&site, &world).await;
    world.origin.at("/feed", rss(&["1", "2", "3", "4", "5"]));
    let feed = owner.follow("/feed").await;
    let all = owner.get("/api/posts").await;
    assert_eq!((all["total"].as_u64(), all["has_more"].as_bool()), (Some(5), Some(false)));
    let ids = owner.post_ids("limit=200").await;
    let first = owner.get("/api/posts?limit=2").await;
    assert_eq!((first["has_more"].as_bool(), first["total"].as_u64()), (Some(true), Some(5)));
    let cursor = first["next_cursor"].as_str().unwrap();
    assert_eq!(owner.post_ids(&format!("limit=2&cursor={cursor}")).await, ids[2..4]);
    assert_eq!(owner.post_ids("limit=2&offset=2").await, ids[2..4], "an offset leads to the same");
    let oldest: Vec<i64> = ids.iter().rev().copied().collect();
    assert_eq!(owner.post_ids("order=oldest").await, oldest);
    assert_eq!(owner.post_ids("limit=0").await, Vec::<i64>::new());
    owner.sent("PATCH", &format!("/api/posts/{}/read", ids[0]), json!({ "is_read": true }), 200).await;
    assert_eq!(owner.post_ids("unread_only=true").await, ids[1..]);
    assert_eq!(owner.post_ids(&format!("feed_id={feed}&unread_only=true")).await, ids[1..]);
    owner.sent("PATCH", &format!("/api/posts/{}/star", ids[1]), json!({}), 200).await;
    assert_eq!(owner.post_ids("starred_only=true").await, ids[1..2]);
    assert_eq!(owner.post_ids("suggested_only=true").await, Vec::<i64>::new());
    let history = owner.get("/api/posts/history").await;
    assert_eq!(history["posts"][0]["id"], ids[0]);
    let synced = owner.get("/api/posts/ids?unread_only=true").await;
    assert_eq!(synced["ids"].as_array().unwrap().len(), 4);
    let whole = owner.get(&format!("/api/posts/{}", ids[1])).await;
    assert_eq!((whole["summary_status"].as_str(), whole["is_starred"].as_bool()), (Some("pending"), Some(true)));
    let status = owner.get("/api/status").await;
    assert_eq!((status["feeds_count"].as_u64(), status["unread_count"].as_u64()), (Some(1), Some(4)), "{status}");
}

async fn posts_are_marked_swept_and_brought_back(world: World) {
    let site = site(&world).await;
    let owner = Reader::owner(&site, &world).await;
    world.origin.at("/a", rss(&["1", "2", "3"])).at("/b", rss(&["4", "5"]));
    let (a, _) = (owner.follow("/a").await, owner.follow("/b").await);
    let ids = owner.post_ids("").await;
    let marked = owner.sent("POST", "/api/posts/mark-read", json!({ "post_ids": [ids[0], 999] }), 200).await;
    assert_eq!((marked["marked"].as_u64(), &marked["undo"]), (Some(1), &Value::Null));
    let of_feed = owner.sent("POST", "/api/posts/mark-read", json!({ "feed_id": a }), 200).await;
    let rest = owner.sent("POST", "/api/posts/mark-read", json!({ "all": true }), 200).await;
    assert_eq!(owner.post_ids("unread_only=true").await, Vec::<i64>::new());
    assert_eq!(of_feed["marked"].as_u64().unwrap() + rest["marked"].as_u64().unwrap(), 4);
    owner.sent("POST", "/api/posts/mark-read/undo", json!({ "undo": rest["undo"] }), 200).await;
    owner.sent("POST", "/api/posts/mark-read/undo", json!({ "undo": rest["undo"] }), 404).await;
    assert_eq!(owner.post_ids("unread_only=true").await.len() as u64, rest["marked"].as_u64().unwrap());
    owner.sent("POST", "/api/posts/mark-read/undo", json!({ "undo": of_feed["undo"] }), 200).await;
    assert_eq!(owner.post_ids("unread_only=true").await.len(), 4);
    let early =
        owner.sent("POST", "/api/posts/mark-read", json!({ "all": true, "as_of": "2020-01-01T00:00:00Z" }), 200);
    assert_eq!(early.await["marked"], 0, "nothing was there then");
    for wrong in [json!({}), json!({ "all": true, "feed_id": a }), json!({ "all": true, "as_of": "yesterday" })] {
        owner.sent("POST", "/api/posts/mark-read", wrong, 422).await;
    }
    owner.sent("POST", "/api/posts/mark-read", json!({ "feed_id": 999 }), 404).await;
    owner.sent("POST", "/api/posts/mark-read", json!({ "category_id": 999 }), 404).await;
}

async fn bad_input_is_refused_in_words(world: World) {
    let site = site(&world).await;
    let owner = Reader::owner(&site, &world).await;
    let check = async |method: &str, path: &str, body: &str, status: u16| {
        let ask = site.ask(method, path).bearer(&owner.token).body(body);
        let answer = ask.send().await;
        assert_eq!(answer.status, status, "{method} {path} {body}: {}", answer.text);
        let said = answer.json();
        for field in ["error", "code", "detail"] {
            assert!(said[field].as_str().is_some_and(|text| !text.is_empty()), "{method} {path}: {said}");
        }
    };
    check("GET", "/api/posts?offset=-1", "", 422).await;
    check("GET", "/api/posts?limit=1000000000", "", 422).await;
    check("GET", "/api/posts?limit=ten", "", 422).await;
    check("GET", "/api/posts?cursor=x", "", 422).await;
    check("GET", "/api/posts?feed_id=999", "", 404).await;
    check("GET", "/api/posts?category_id=999", "", 404).await;
    check("GET", "/api/posts?tag=none", "", 404).await;
    check("GET", "/api/posts?since=today", "", 422).await;
    check("GET", "/api/posts?order=random", "", 422).await;
    check("GET", "/api/posts/x", "", 404).await;
    check("GET", "/api/posts/9223372036854775808", "", 404).await;
    check("GET", "/api/search?q=%22%22%22", "", 422).await;
    check("GET", "/api/search", "", 422).await;
    check("POST", "/api/categories", r#"{"name": 7}"#, 422).await;
    check("POST", "/api/categories", "[]", 422).await;
    check("POST", "/api/categories", "{", 400).await;
    check("POST", "/api/categories", "", 400).await;
    check("PUT", "/api/categories/1", r#"{"parent_id": "No category"}"#, 422).await;
    check("POST", "/api/feeds", r#"{"url": ""}"#, 422).await;
    check("POST", "/api/feeds", &format!(r#"{{"url": "http://{}"}}"#, "a".repeat(70_000)), 422).await;
    check("POST", "/api/feeds/batch", r#"{"feeds": 1}"#, 422).await;
    check("POST", "/api/nowhere", "{}", 404).await;
    check("DELETE", "/api/posts", "", 405).await;
    assert_eq!(owner.get("/api/feeds").await, json!([]), "nothing was changed");
}

async fn a_search_understands_its_operators(world: World) {
    let site = site(&world).await;
    let owner = Reader::owner(&site, &world).await;
    world.origin.at("/a", rss(&["red apple", "green apple", "red pear"])).at("/b", rss(&["red car"]));
    let (a, b) = (owner.follow("/a").await, owner.follow("/b").await);
    owner.sent("PUT", &format!("/api/feeds/{a}"), json!({ "title": "Fruit" }), 200).await;
    let cars = owner.sent("POST", "/api/categories", json!({ "name": "Cars" }), 201).await["id"].clone();
    owner.sent("PUT", &format!("/api/feeds/{b}"), json!({ "category_id": cars, "title": "Wheels" }), 200).await;
    index(&world).await;
    let titles = async |query: &str| -> Vec<String> {
        let encoded: String = url::form_urlencoded::byte_serialize(query.as_bytes()).collect();
        let found = owner.get(&format!("/api/search?q={encoded}")).await;
        assert_eq!(found["total"].as_u64().unwrap() as usize, found["posts"].as_array().unwrap().len(), "{query}");
        let mut titles: Vec<String> =
            found["posts"].as_array().unwrap().iter().map(|post| post["title"].as_str().unwrap().into()).collect();
        titles.sort();
        titles
    };
    assert_eq!(titles("red").await, ["red apple", "red car", "red pear"]);
    assert_eq!(titles("red feed:fruit").await, ["red apple", "red pear"]);
    assert_eq!(titles("red in:cars").await, ["red car"]);
    assert_eq!(titles("red -in:cars").await, ["red apple", "red pear"]);
    assert_eq!(titles("red -apple").await, ["red car", "red pear"]);
    assert_eq!(titles("\"green apple\"").await, ["green apple"]);
    assert_eq!(titles("feed:wheels").await, ["red car"], "without words");
    let car = owner.get("/api/search?q=car").await["posts"][0]["id"].clone();
    owner.sent("PATCH", &format!("/api/posts/{car}/read"), json!({ "is_read": true }), 200).await;
    assert_eq!(titles("red is:unread").await, ["red apple", "red pear"]);
    assert_eq!(titles("red is:read").await, ["red car"]);
    owner.sent("PATCH", &format!("/api/posts/{car}/star"), json!({ "is_starred": true }), 200).await;
    assert_eq!(titles("is:saved").await, ["red car"]);
    assert_eq!(titles("red before:2000-01-01").await, Vec::<String>::new());
    assert_eq!(titles("red feed:nothing").await, Vec::<String>::new());
    let problems = owner.get("/api/search?q=red%20feed:nothing").await["problems"].clone();
    assert_eq!(problems[0], "none of your feeds is called `nothing`");
    assert_eq!(owner.get("/api/search?q=fruit").await["feeds"][0]["id"], a);
    assert_eq!(owner.get("/api/posts?search=pear").await["posts"][0]["title"], "red pear");
}

async fn another_users_things_are_not_there(world: World) {
    let site = site(&world).await;
    let (owner, ada) = (Reader::owner(&site, &world).await, Reader::new(&site, &world, "ada").await);
    world.origin.at("/feed", rss(&["one"]));
    let feed = owner.follow("/feed").await;
    let post = owner.post_ids("").await[0];
    let category = owner.sent("POST", "/api/categories", json!({ "name": "Mine" }), 201).await["id"].clone();
    let sweep = owner.sent("POST", "/api/posts/mark-read", json!({ "all": true }), 200).await["undo"].clone();
    for (method, path, body) in [
        ("GET", format!("/api/feeds/{feed}"), json!({})),
        ("PUT", format!("/api/feeds/{feed}"), json!({ "title": "x" })),
        ("DELETE", format!("/api/feeds/{feed}"), json!({})),
        ("POST", format!("/api/feeds/{feed}/refresh"), json!({})),
        ("GET", format!("/api/posts/{post}"), json!({})),
        ("PATCH", format!("/api/posts/{post}/read"), json!({ "is_read": true })),
        ("PATCH", format!("/api/posts/{post}/star"), json!({})),
        ("GET", format!("/api/categories/{category}"), json!({})),
        ("PUT", format!("/api/categories/{category}"), json!({ "name": "x" })),
        ("DELETE", format!("/api/categories/{category}"), json!({})),
        ("POST", "/api/posts/mark-read/undo".to_owned(), json!({ "undo": sweep })),
        ("POST", "/api/posts/mark-read".to_owned(), json!({ "feed_id": feed })),
    ] {
        assert_eq!(ada.ask(method, &path, Some(body)).await.status, 404, "{method} {path}");
    }
    assert_eq!(ada.sent("POST", "/api/posts/mark-read", json!({ "post_ids": [post] }), 200).await["marked"], 0);
    assert_eq!(owner.get(&format!("/api/feeds/{feed}")).await["title"], "One");
}

/// The page of a post is fetched by a job, never while somebody waits for an answer.
async fn opening_a_post_asks_nobody_outside(world: World) {
    let site = site(&world).await;
    let owner = Reader::owner(&site, &world).await;
    world.origin.at("/feed", rss(&["one"]));
    owner.follow("/feed").await;
    let before = world.origin.visits().len();
    let post = owner.post_ids("").await[0];
    let whole = owner.get(&format!("/api/posts/{post}")).await;
    assert_eq!(whole["full_content_status"], "pending", "{whole}");
    assert_eq!(world.origin.visits().len(), before);
    let jobs = world.engine.store().job_counts(world.now()).await.unwrap();
    assert!(format!("{jobs:?}").contains("reader.full_text"), "{jobs:?}");
}

async fn risos_finds_what_it_needs(world: World) {
    let site = site(&world).await;
    for public in ["/api/admin/locales", "/api/admin/languages", "/api/admin/config", "/health"] {
        assert_eq!(site.get(public).status().await, 200, "{public}");
    }
    assert!(site.get("/api/admin/config").send().await.json()["idle_refresh_seconds"].as_u64().unwrap() > 0);
    assert_eq!(site.post("/api/auth/logout", &json!({})).bearer("dead").status().await, 200, "or it asks for ever");
    let owner = Reader::owner(&site, &world).await;
    let preferences = owner.get("/api/preferences").await;
    assert_eq!(preferences["split_ratio"], Value::Null);
    let sent = json!({ "split_ratio": 60, "locale": null, "reading_mode": "split", "unknown": 1 });
    let kept = owner.sent("PUT", "/api/preferences", sent, 200).await;
    assert_eq!((kept["split_ratio"].as_u64(), kept.get("unknown")), (Some(60), None));
    owner.sent("PUT", "/api/preferences", json!({ "idle_refresh_seconds": 0 }), 422).await;
    assert_eq!(owner.get("/api/preferences").await["reading_mode"], "split");
    world.origin.at("/feed", rss(&["one"]));
    owner.follow("/feed").await;
    let feed = owner.get("/api/feeds").await[0].clone();
    assert!(feed["category_id"].is_i64() && feed["title"].is_string() && feed["starred_count"].is_u64());
    let page = owner.get("/api/posts?offset=0&limit=50&unread_only=true").await;
    for field in ["posts", "has_more", "feed_unread_counts", "starred_count", "suggested_count"] {
        assert!(page.get(field).is_some(), "{field}");
    }
    let post = page["posts"][0]["id"].clone();
    let toggled = owner.ask("PATCH", &format!("/api/posts/{post}/like"), None).await.json();
    assert_eq!(toggled["is_liked"], true);
    let summary = owner.ask("POST", &format!("/api/posts/{post}/regenerate-summary"), None).await;
    assert_eq!((summary.status, summary.json()["summary_pt"].clone()), (200, Value::Null));
    assert_eq!(owner.get("/api/admin/status").await["health_warning"], Value::Null);
    let suggested = owner.ask("POST", "/api/suggestions/admin/process-suggestions", None).await;
    assert_eq!(suggested.json()["success"], true);
}
