//! Nobody gets in without a token, and a key that may read does not write.

use crate::support::{Api, Person};
use axum::body::Body;
use axum::http::Request;
use serde_json::json;
use testkit::World;

on_both!(nobody_gets_in, a_key_that_reads_does_not_write);

const READS: &[&str] = &[
    "/api/bookmarks",
    "/api/bookmarks/1",
    "/api/tags",
    "/api/posts/1/tags",
    "/api/saved-searches",
    "/api/filters",
    "/api/icons/00",
    "/api/feeds/export-opml",
    "/api/jobs/1",
    "/api/proxy?url=https://one.example/",
    "/api/me/settings",
];

const WRITES: &[(&str, &str)] = &[
    ("POST", "/api/bookmarks"),
    ("PATCH", "/api/bookmarks/1"),
    ("DELETE", "/api/bookmarks/1"),
    ("PATCH", "/api/posts/1/star"),
    ("PATCH", "/api/posts/1/like"),
    ("POST", "/api/tags"),
    ("PUT", "/api/tags/1"),
    ("DELETE", "/api/tags/1"),
    ("PUT", "/api/posts/1/tags"),
    ("POST", "/api/saved-searches"),
    ("PUT", "/api/saved-searches/1"),
    ("DELETE", "/api/saved-searches/1"),
    ("PATCH", "/api/saved-searches/reorder"),
    ("POST", "/api/filters"),
    ("PUT", "/api/filters/1"),
    ("DELETE", "/api/filters/1"),
    ("PATCH", "/api/filters/reorder"),
    ("POST", "/api/feeds/import-opml"),
    ("POST", "/api/jobs/1/undo"),
    ("PUT", "/api/me/settings"),
    ("PATCH", "/api/me/settings"),
];

async fn nobody_gets_in(world: World) {
    let api = Api::new(world).await;
    let reads = READS.iter().map(|path| ("GET", *path));
    for (method, path) in reads.chain(WRITES.iter().copied()).chain([("POST", "/api/filters/try")]) {
        let request = Request::builder().method(method).uri(path).body(Body::from("{}")).unwrap();
        let answer = api.send(request).await;
        assert_eq!(answer.expect(401)["code"], "unauthorized", "{method} {path}");
        let dead = Person { user: api.ada.user, token: format!("{}x", api.ada.token) };
        assert_eq!(api.ask(&dead, method, path, json!({})).await.status, 401, "{method} {path}");
    }
}

async fn a_key_that_reads_does_not_write(world: World) {
    let api = Api::new(world).await;
    let key = api.reading_key().await;
    for path in READS {
        let status = api.get(&key, path).await.status;
        assert!(![401, 403, 405].contains(&status), "{path} {status}");
    }
    // Bodies that each of them takes: what is missing is the right alone.
    let bodies = [
        json!({ "url": "https://one.example/", "content": "x" }),
        json!({ "name": "x" }),
        json!({ "tags": [] }),
        json!({ "ids": [] }),
        json!({ "name": "x", "query": "x" }),
        json!({ "name": "x", "condition": { "any": [{ "author": "x" }] }, "actions": ["mute"] }),
        json!({}),
    ];
    for (method, path) in WRITES {
        let mut refused = 0;
        for body in &bodies {
            let answer = api.ask(&key, method, path, body.clone()).await;
            assert!(answer.status >= 400, "{method} {path} {body}");
            refused += usize::from(answer.status == 403 && answer.json()["reason"] == "scope");
        }
        assert!(refused > 0, "{method} {path}");
    }
}
