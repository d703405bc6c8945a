//! The operator's room: figures of visits, hosts, feeds explained, the system. Real visits, summed and written as the worker
//! does it.

use crate::support::Api;
use engine::flush_rollups;
use jiff::SignedDuration;
use model::reader::Role;
use serde_json::{Value, json};
use testkit::{Response, World, rss};

on_both!(
    visits_are_told_by_what_they_came_to,
    a_flush_that_is_repeated_adds_nothing,
    hosts_that_fail_are_named_and_private_ones_are_not,
    a_feed_is_explained,
    feeds_are_filtered_sorted_and_paged,
    the_system_says_what_it_is,
    what_is_unknown_is_refused,
);

const HOUR: SignedDuration = SignedDuration::from_hours(1);

/// An answer that knows its validator.
fn tagged(titles: &[&str]) -> Response {
    rss(titles).with("etag", "\"one\"")
}

async fn visits_are_told_by_what_they_came_to(world: World) {
    let api = Api::new(world).await;
    let admin = api.person("admin", Role::Admin).await;
    let empty = api.get(&admin, "/admin/api/health").await.expect(200);
    assert_eq!((&empty["totals"]["visits"], &empty["totals"]["p95_ms"]), (&json!(0), &Value::Null));
    assert_eq!(empty["buckets"].as_array().unwrap().len(), 25, "a day and the hour that has begun, without gaps");

    api.world.origin.at("/feed", tagged(&["one", "two"]));
    let feed = api.follow(&api.ada, "/feed").await;
    let size = api.world.engine.store().visits(model::Viewer::Operator, feed, 1).await.unwrap()[0].wire_bytes;
    api.world.origin.at("/feed", Response::status(304));
    api.world.advance(HOUR * 24);
    api.world.run_until_idle().await;
    api.world.origin.at("/feed", Response::status(404));
    api.world.advance(HOUR * 24);
    api.world.run_until_idle().await;
    flush_rollups(&api.world.engine).await.unwrap();

    let admin = api.refreshed(&admin).await;
    let from = "2026-01-01T00:00:00Z";
    let told = api.get(&admin, &format!("/admin/api/health?from={from}")).await.expect(200);
    let totals = &told["totals"];
    for (field, expected) in [("visits", 3), ("success", 1), ("not_modified", 1), ("error", 1), ("new_entries", 2)] {
        assert_eq!(totals[field], expected, "{field}: {totals}");
    }
    assert_eq!(totals["bytes_saved"], size, "the last full answer less nothing");
    assert!(totals["p95_ms"].as_f64().unwrap() > 0.0);
    assert_eq!(told["step_seconds"], 3_600);
    let buckets = told["buckets"].as_array().unwrap();
    let sum = |field: &str| buckets.iter().map(|bucket| bucket[field].as_u64().unwrap()).sum::<u64>();
    assert_eq!((sum("success"), sum("not_modified"), sum("error")), (1, 1, 1));
    assert_eq!(buckets[0]["success"], 1, "in the hour in which it was");
    assert_eq!((&told["errors"][0]["code"], &told["errors"][0]["text"]), (&json!("404"), &json!("not found")));
    assert_eq!((&told["top_feeds"][0]["id"], &told["top_feeds"][0]["new_entries"]), (&json!(feed.0), &json!(2)));
    let later = api.get(&admin, "/admin/api/health").await.expect(200);
    assert_eq!((&later["totals"]["error"], &later["before"]["success"]), (&json!(1), &json!(1)));
}

async fn a_flush_that_is_repeated_adds_nothing(world: World) {
    let api = Api::new(world).await;
    let admin = api.person("admin", Role::Admin).await;
    api.feed_of_ada(&["one"]).await;
    for _ in 0..3 {
        flush_rollups(&api.world.engine).await.unwrap();
    }
    assert_eq!(api.get(&admin, "/admin/api/health").await.expect(200)["totals"]["visits"], 1);
}

async fn hosts_that_fail_are_named_and_private_ones_are_not(world: World) {
    let api = Api::new(world).await;
    let admin = api.person("admin", Role::Admin).await;
    api.private_post().await;
    // The publisher's other feeds wait then.
    api.world.origin.at("/busy", Response::status(429).with("retry-after", "7200"));
    api.follow(&api.ada, "/busy").await;
    api.world.advance(HOUR * 24);
    api.world.origin.at("/busy", rss(&["calm"]));
    api.world.origin.at("/private", Response::status(500));
    api.world.run_until_idle().await;
    flush_rollups(&api.world.engine).await.unwrap();
    let admin = api.refreshed(&admin).await;
    let hosts = api.get(&admin, "/admin/api/hosts").await.expect(200);
    let hosts = hosts.as_array().unwrap();
    let named = hosts.iter().find(|host| host["host"] == "127.0.0.1").unwrap();
    assert!(named["busy"].as_u64().unwrap() >= 1 && named["share"].as_f64().unwrap() > 0.0, "{named}");
    let other = hosts.iter().find(|host| host["host"] == "").unwrap();
    assert_eq!((&other["errors"], &other["visits"]), (&json!(1), &json!(1)), "the private feed's visit since");
    let polite = api.get(&admin, "/admin/api/politeness").await.expect(200);
    assert!(polite["busy"].as_u64().unwrap() >= 1, "{polite}");
    assert_eq!(polite["rules"]["floor_seconds"], 300);
    assert!(polite["rules"]["user_agent"].as_str().unwrap().starts_with("Courant/"));
    let paused = polite["paused"].as_array().unwrap();
    assert!(paused.len() <= 1 && paused.iter().all(|one| one["until"].is_string()), "{polite}");
}

async fn a_feed_is_explained(world: World) {
    let api = Api::new(world).await;
    let admin = api.person("admin", Role::Admin).await;
    api.world.origin.at("/feed", tagged(&["one"]).with("cache-control", "max-age=7200"));
    let feed = api.follow(&api.ada, "/feed").await;
    let path = format!("/admin/api/feeds/{feed}");
    let told = api.get(&admin, &path).await.expect(200);
    let sentence = told["sentence"].as_str().unwrap();
    assert!(sentence.contains("It was last visited on 2026-01-01 00:00 UTC (1 new entry)."), "{sentence}");
    assert!(sentence.contains("Its next visit is on"), "{sentence}");
    assert_eq!((&told["min_seconds"], &told["publisher_min_seconds"]), (&json!(300), &json!(7_200)));
    assert_eq!(told["publisher"]["etag"], true);
    let visit = &told["visits"][0];
    assert_eq!((&visit["outcome"], &visit["status"], &visit["new_entries"]), (&json!("fresh"), &json!(200), &json!(1)));
    assert!(visit["interval_seconds"].as_i64().unwrap() >= 300 && visit["decision"].is_string(), "{visit}");
    assert!(visit["ewma_seconds"].is_null() || visit["ewma_seconds"].is_number());
    assert_eq!(told["entries"].as_array().unwrap().len(), 1);
    assert_eq!((&told["feed"]["readers"], &told["feed"]["state"]), (&json!(1), &json!("active")));
    assert_eq!(api.get(&admin, "/admin/api/feeds/99999").await.detail(404), "Feed not found");
    let store = api.world.engine.store();
    assert!(store.set_owner(feed, Some(api.ada.user), api.world.now()).await.unwrap());
    assert_eq!(api.get(&admin, &path).await.detail(404), "Feed not found", "a private feed is not another's");
    assert_eq!(api.get(&admin, "/admin/api/feeds").await.expect(200)["total"], 0);
}

async fn feeds_are_filtered_sorted_and_paged(world: World) {
    let api = Api::new(world).await;
    let admin = api.person("admin", Role::Admin).await;
    for name in ["bread", "apples", "cider"] {
        api.world.origin.at(&format!("/{name}"), rss(&[name]));
        api.follow(&api.ada, &format!("/{name}")).await;
    }
    api.world.origin.at("/broken", Response::status(500));
    let broken = api.follow(&api.ada, "/broken").await;
    let list = async |query: &str| {
        let page = api.get(&admin, &format!("/admin/api/feeds?{query}")).await.expect(200);
        let ids = page["feeds"].as_array().unwrap().iter().map(|feed| feed["id"].as_i64().unwrap()).collect::<Vec<_>>();
        (ids, page["total"].as_u64().unwrap())
    };
    let (all, total) = list("").await;
    assert_eq!((all.len(), total), (4, 4));
    assert_eq!(list("limit=2&offset=1").await, (all[1..3].to_vec(), 4));
    assert_eq!(list("filter=failing").await, (vec![broken.0], 1));
    assert_eq!(list("filter=never").await, (vec![broken.0], 1));
    assert_eq!(list("filter=disabled").await, (vec![], 0));
    assert_eq!(list("sort=errors&limit=1").await, (vec![broken.0], 4));
    assert_eq!(list("q=APPLES").await.1, 1, "in the address, whatever the case");
    assert_eq!(list("q=%25").await.1, 0, "a text, not a pattern");
    for sort in ["id", "title", "interval", "last_success", "last_new", "readers"] {
        assert_eq!(list(&format!("sort={sort}")).await.0.len(), 4, "{sort}");
    }
    for filter in ["paused", "silent", "redirected"] {
        assert_eq!(list(&format!("filter={filter}")).await.1, 0, "{filter}");
    }
}

async fn the_system_says_what_it_is(world: World) {
    let api = Api::new(world).await;
    let admin = api.person("admin", Role::Admin).await;
    engine::request_upkeep(&api.world.engine).await.unwrap();
    api.feed_of_ada(&["one"]).await;
    flush_rollups(&api.world.engine).await.unwrap();
    api.world.advance(SignedDuration::from_mins(10));
    let told = api.get(&admin, "/admin/api/system").await.expect(200);
    assert!(["SQLite", "PostgreSQL"].contains(&told["database"]["kind"].as_str().unwrap()));
    assert!(told["database"]["bytes"].as_u64().unwrap() > 0);
    assert_eq!(told["migrations"]["at"], told["migrations"]["of"]);
    let tidy = told["queues"].as_array().unwrap().iter().find(|queue| queue["name"] == "upkeep.tidy").unwrap();
    assert_eq!((&tidy["waiting"], &tidy["oldest_seconds"]), (&json!(1), &json!(600)));
    assert_eq!((&told["sinks"][0]["entries"], &told["sinks"][0]["lag_seconds"]), (&json!(1), &json!(600)));
    assert_eq!((&told["feeds"]["total"], &told["started_at"]), (&json!(1), &json!("2026-01-01T00:00:00Z")));
    assert_eq!(told["rollups"]["since"], "2026-01-01T00:00:00Z");
}

async fn what_is_unknown_is_refused(world: World) {
    let api = Api::new(world).await;
    let admin = api.person("admin", Role::Admin).await;
    for path in [
        "health?form=x",
        "health?from=yesterday",
        "health?from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z",
        "health?from=2020-01-01T00:00:00Z",
        "hosts?sort=name",
        "hosts?limit=501",
        "hosts?x=1",
        "politeness?x=1",
        "feeds?filter=odd",
        "feeds?sort=odd",
        "feeds?limit=-1",
        "feeds?page=2",
        "system?x=1",
    ] {
        assert_eq!(api.get(&admin, &format!("/admin/api/{path}")).await.status, 422, "{path}");
    }
}
