//! `/api/filters`.

use crate::support::{Api, ok};
use serde_json::{Value, json};
use testkit::World;

on_both!(
    filters_are_made_changed_and_ordered,
    a_filter_must_mean_something,
    a_filter_is_tried,
    a_filter_belongs_to_its_user
);

const PATH: &str = "/api/filters";

fn filter(name: &str) -> Value {
    json!({
        "name": name, "scope": "all", "condition": { "any": [{ "words": ["one"], "in": "title" }] },
        "actions": ["mute", { "tag": "later" }], "enabled": true,
    })
}

fn names(list: &Value) -> Vec<&str> {
    list.as_array().unwrap().iter().map(|filter| filter["name"].as_str().unwrap()).collect()
}

async fn filters_are_made_changed_and_ordered(world: World) {
    let api = Api::new(world).await;
    let feed = api.feed_of_ada(&["one"]).await;
    let made = api.post(&api.ada, PATH, filter("a")).await.expect(201);
    let mut expected = filter("a");
    for (field, value) in [("id", made["id"].clone()), ("hits", json!(0)), ("last_hit_at", Value::Null)] {
        expected[field] = value;
    }
    assert_eq!(made, expected);
    // On, and about everything, unless it says otherwise.
    let short = json!({ "name": "b", "condition": { "all": [{ "author": "x" }] }, "actions": ["star"] });
    let short = api.post(&api.ada, PATH, short).await.expect(201);
    assert_eq!((&short["scope"], &short["enabled"]), (&json!("all"), &json!(true)));

    let path = format!("{PATH}/{}", made["id"]);
    let mut change = filter("c");
    change["scope"] = json!({ "feed": feed.0 });
    change["enabled"] = json!(false);
    let changed = api.put(&api.ada, &path, change.clone()).await.expect(200);
    assert_eq!(
        (&changed["name"], &changed["scope"], &changed["enabled"]),
        (&json!("c"), &change["scope"], &json!(false))
    );
    let order = json!({ "ids": [short["id"], made["id"]] });
    assert_eq!(api.patch(&api.ada, &format!("{PATH}/reorder"), order).await.expect(200), ok());
    assert_eq!(names(&api.get(&api.ada, PATH).await.expect(200)), ["b", "c"]);
    assert_eq!(
        api.patch(&api.ada, &format!("{PATH}/reorder"), json!({ "ids": [99] })).await.detail(404),
        "Filter not found"
    );

    for scope in [json!({ "feed": 99 }), json!({ "category": 99 })] {
        change["scope"] = scope;
        assert_eq!(api.put(&api.ada, &path, change.clone()).await.expect(404)["reason"], "scope");
        assert_eq!(api.post(&api.ada, PATH, change.clone()).await.expect(404)["reason"], "scope");
    }
    assert_eq!(api.put(&api.ada, &format!("{PATH}/99"), filter("x")).await.detail(404), "Filter not found");
    assert_eq!(api.delete(&api.ada, &path).await.expect(200), ok());
    assert_eq!(api.delete(&api.ada, &path).await.detail(404), "Filter not found");
    assert_eq!(names(&api.get(&api.ada, PATH).await.expect(200)), ["b"]);
}

async fn a_filter_must_mean_something(world: World) {
    let api = Api::new(world).await;
    let check = async |field: &str, value: Value, expected: &str| {
        let mut wrong = filter("a");
        wrong[field] = value;
        let said = api.post(&api.ada, PATH, wrong.clone()).await.detail(422);
        assert!(said.contains(expected), "{wrong}: {said}");
        assert_eq!(
            api.post(&api.ada, &format!("{PATH}/try"), json!({ "filter": wrong })).await.status,
            if field == "name" { 200 } else { 422 }
        );
    };
    check("name", json!(""), "name").await;
    check("condition", json!({ "any": [] }), "the condition is empty").await;
    check("condition", json!({ "any": [{ "titel": "x" }] }), "unknown field `titel`").await;
    check("condition", json!({ "any": [{ "words": ["!"] }] }), "has no letter").await;
    check("actions", json!([]), "there is no action").await;
    check("actions", json!(["explode"]), "unknown variant `explode`").await;
    check("scope", json!({ "user": 1 }), "unknown variant `user`").await;
    check("user_id", json!(1), "unknown field `user_id`").await;
    assert_eq!(api.get(&api.ada, PATH).await.expect(200), json!([]));
}

async fn a_filter_is_tried(world: World) {
    let api = Api::new(world).await;
    api.feed_of_ada(&["one", "two", "one more"]).await;
    let trial =
        json!({ "filter": { "condition": { "any": [{ "words": ["one"], "in": "title" }] }, "actions": ["mute"] } });
    let path = format!("{PATH}/try");
    let tried = api.post(&api.ada, &path, trial.clone()).await.expect(200);
    assert_eq!((&tried["matched"], &tried["of"]), (&json!(2), &json!(3)));
    let mut titles: Vec<_> =
        tried["examples"].as_array().unwrap().iter().map(|one| one["title"].as_str().unwrap()).collect();
    titles.sort_unstable();
    assert_eq!(titles, ["one", "one more"]);
    assert!(tried["examples"][0]["post_id"].is_i64() && tried["examples"][0]["because"].is_string(), "{tried}");
    let none = json!({ "matched": 0, "of": 0, "examples": [] });
    assert_eq!(api.post(&api.bob, &path, trial).await.expect(200), none, "he follows nothing");
    assert_eq!(api.post(&api.ada, &path, json!({ "condition": {} })).await.status, 422);
    assert_eq!(api.get(&api.ada, PATH).await.expect(200), json!([]), "nothing is written");
}

async fn a_filter_belongs_to_its_user(world: World) {
    let api = Api::new(world).await;
    let id = api.post(&api.ada, PATH, filter("a")).await.expect(201)["id"].clone();
    let path = format!("{PATH}/{id}");
    assert_eq!(api.get(&api.bob, PATH).await.expect(200), json!([]));
    assert_eq!(api.put(&api.bob, &path, filter("x")).await.detail(404), "Filter not found");
    assert_eq!(api.delete(&api.bob, &path).await.detail(404), "Filter not found");
    assert_eq!(api.patch(&api.bob, &format!("{PATH}/reorder"), json!({ "ids": [id] })).await.status, 404);
    assert_eq!(names(&api.get(&api.ada, PATH).await.expect(200)), ["a"]);
}
