//! `/api/saved-searches`.

use crate::support::{Api, ok};
use serde_json::{Value, json};
use testkit::World;

on_both!(searches_are_kept_in_order, a_query_must_be_understood, a_search_belongs_to_its_user);

const PATH: &str = "/api/saved-searches";

fn names(list: &Value) -> Vec<&str> {
    list.as_array().unwrap().iter().map(|search| search["name"].as_str().unwrap()).collect()
}

async fn searches_are_kept_in_order(world: World) {
    let api = Api::new(world).await;
    let mut ids = Vec::new();
    for name in ["a", "b", "c"] {
        let made = api.post(&api.ada, PATH, json!({ "name": name, "query": format!("feed:{name} is:unread") })).await;
        ids.push(made.expect(201)["id"].clone());
    }
    let list = api.get(&api.ada, PATH).await.expect(200);
    assert_eq!(names(&list), ["a", "b", "c"]);
    assert_eq!(
        (&list[0]["query"], &list[0]["created_at"]),
        (&json!("feed:a is:unread"), &json!("2026-01-01T00:00:00Z"))
    );
    assert_eq!(api.post(&api.ada, PATH, json!({ "name": "A", "query": "x" })).await.status, 409);

    let order = json!({ "ids": [ids[2], ids[0], ids[1]] });
    assert_eq!(api.patch(&api.ada, &format!("{PATH}/reorder"), order).await.expect(200), ok());
    assert_eq!(names(&api.get(&api.ada, PATH).await.expect(200)), ["c", "a", "b"]);
    let strange = json!({ "ids": [ids[0], 99] });
    assert_eq!(api.patch(&api.ada, &format!("{PATH}/reorder"), strange).await.detail(404), "Saved search not found");
    assert_eq!(api.patch(&api.ada, &format!("{PATH}/reorder"), json!({ "order": [] })).await.status, 422);

    let path = format!("{PATH}/{}", ids[0]);
    let changed = api.put(&api.ada, &path, json!({ "name": "z" })).await.expect(200);
    assert_eq!((&changed["name"], &changed["query"]), (&json!("z"), &json!("feed:a is:unread")));
    assert_eq!(api.put(&api.ada, &path, json!({ "query": "y" })).await.expect(200)["query"], "y");
    assert_eq!(api.put(&api.ada, &path, json!({ "name": "B" })).await.status, 409);
    assert_eq!(api.delete(&api.ada, &path).await.expect(200), ok());
    assert_eq!(api.delete(&api.ada, &path).await.detail(404), "Saved search not found");
    assert_eq!(api.put(&api.ada, &path, json!({ "name": "n" })).await.detail(404), "Saved search not found");
}

async fn a_query_must_be_understood(world: World) {
    let api = Api::new(world).await;
    let made = api.post(&api.ada, PATH, json!({ "name": "a", "query": "bread" })).await.expect(201);
    let path = format!("{PATH}/{}", made["id"]);
    let check = async |query: &str, expected: &str| {
        let said = api.post(&api.ada, PATH, json!({ "name": "n", "query": query })).await.detail(422);
        assert!(said.contains(expected), "{query}: {said}");
        assert!(api.put(&api.ada, &path, json!({ "query": query })).await.detail(422).contains(expected), "{query}");
    };
    check("", "type a word").await;
    check("x is:funny", "is:funny is not known").await;
    check("x before:soon", "before:soon is no date").await;
    check(&"a ".repeat(600), "the query is long").await;
    let bodies = [
        json!({ "name": "", "query": "x" }),
        json!({ "name": "a".repeat(201), "query": "x" }),
        json!({ "name": "n" }),
        json!({ "name": "n", "query": "x", "user_id": 1 }),
    ];
    for body in bodies {
        assert_eq!(api.post(&api.ada, PATH, body.clone()).await.status, 422, "{body}");
    }
    assert_eq!(names(&api.get(&api.ada, PATH).await.expect(200)), ["a"]);
}

async fn a_search_belongs_to_its_user(world: World) {
    let api = Api::new(world).await;
    let id = api.post(&api.ada, PATH, json!({ "name": "a", "query": "bread" })).await.expect(201)["id"].clone();
    let path = format!("{PATH}/{id}");
    assert_eq!(api.get(&api.bob, PATH).await.expect(200), json!([]));
    assert_eq!(api.put(&api.bob, &path, json!({ "name": "x" })).await.status, 404);
    assert_eq!(api.delete(&api.bob, &path).await.status, 404);
    assert_eq!(api.patch(&api.bob, &format!("{PATH}/reorder"), json!({ "ids": [id] })).await.status, 404);
    assert_eq!(names(&api.get(&api.ada, PATH).await.expect(200)), ["a"]);
}
