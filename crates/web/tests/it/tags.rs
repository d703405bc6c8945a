//! `/api/tags` and the tags of posts.

use crate::support::{Api, ok};
use serde_json::{Value, json};
use testkit::World;

on_both!(tags_are_made_renamed_and_deleted, a_post_has_exactly_its_tags, a_tag_belongs_to_its_user);

async fn tags_are_made_renamed_and_deleted(world: World) {
    let api = Api::new(world).await;
    let make = async |name: &str| api.post(&api.ada, "/api/tags", json!({ "name": name })).await;
    let later = make(" Later ").await.expect(201);
    assert_eq!((&later["name"], &later["uses"]), (&json!("Later"), &json!(0)));
    assert_eq!(make("LATER").await.expect(200), later, "whatever the case");
    make("bread").await.expect(201);
    let list = api.get(&api.ada, "/api/tags").await.expect(200);
    assert_eq!(list.as_array().unwrap().iter().map(|tag| &tag["name"]).collect::<Vec<_>>(), ["bread", "Later"]);

    let path = format!("/api/tags/{}", later["id"]);
    assert_eq!(api.put(&api.ada, &path, json!({ "name": "Now" })).await.expect(200)["name"], "Now");
    assert_eq!(api.put(&api.ada, &path, json!({ "name": "BREAD" })).await.status, 409);
    assert_eq!(api.put(&api.ada, "/api/tags/99", json!({ "name": "x" })).await.detail(404), "Tag not found");
    let long = "a".repeat(101);
    for body in [
        json!({ "name": "" }),
        json!({ "name": long }),
        json!({ "name": "x", "id": 1 }),
        json!({}),
        json!({ "name": 7 }),
    ] {
        assert_eq!(api.put(&api.ada, &path, body.clone()).await.status, 422, "{body}");
        assert_eq!(api.post(&api.ada, "/api/tags", body.clone()).await.status, 422, "{body}");
    }
    assert_eq!(api.delete(&api.ada, &path).await.expect(200), ok());
    assert_eq!(api.delete(&api.ada, &path).await.detail(404), "Tag not found");
    assert_eq!(api.get(&api.ada, "/api/tags").await.expect(200).as_array().unwrap().len(), 1);
}

async fn a_post_has_exactly_its_tags(world: World) {
    let api = Api::new(world).await;
    api.feed_of_ada(&["one"]).await;
    let path = format!("/api/posts/{}/tags", api.entry("one").await);
    assert_eq!(api.get(&api.ada, &path).await.expect(200), json!({ "tags": [] }));
    let set = async |tags: Value| api.put(&api.ada, &path, json!({ "tags": tags })).await;
    assert_eq!(set(json!(["b", "A", "B"])).await.expect(200), json!({ "tags": ["A", "b"] }));
    assert_eq!(set(json!(["c", "a"])).await.expect(200), json!({ "tags": ["A", "c"] }));
    assert_eq!(api.get(&api.ada, &path).await.expect(200), json!({ "tags": ["A", "c"] }));
    let uses = api.get(&api.ada, "/api/tags").await.expect(200);
    let uses: Vec<_> = uses.as_array().unwrap().iter().map(|tag| tag["uses"].as_u64().unwrap()).collect();
    assert_eq!(uses, [1, 0, 1], "A, b, c");
    assert_eq!(api.get(&api.bob, &path).await.detail(404), "Post not found", "he does not follow the feed");
    api.follow(&api.bob, "/feed").await;
    assert_eq!(api.get(&api.bob, &path).await.expect(200), json!({ "tags": [] }), "his own");
    for tags in [json!([""]), json!(vec!["a"; 51]), json!("a")] {
        assert_eq!(set(tags.clone()).await.status, 422, "{tags}");
    }
    assert_eq!(api.put(&api.ada, &path, json!({ "tags": [], "more": 1 })).await.status, 422);
    assert_eq!(api.get(&api.ada, "/api/posts/99/tags").await.detail(404), "Post not found");
    assert_eq!(api.put(&api.ada, "/api/posts/99/tags", json!({ "tags": [] })).await.detail(404), "Post not found");
    let private = format!("/api/posts/{}/tags", api.private_post().await);
    assert_eq!(api.get(&api.bob, &private).await.detail(404), "Post not found");
    assert_eq!(api.put(&api.bob, &private, json!({ "tags": ["x"] })).await.detail(404), "Post not found");
}

async fn a_tag_belongs_to_its_user(world: World) {
    let api = Api::new(world).await;
    let made = api.post(&api.ada, "/api/tags", json!({ "name": "mine" })).await.expect(201);
    let path = format!("/api/tags/{}", made["id"]);
    assert_eq!(api.put(&api.bob, &path, json!({ "name": "his" })).await.detail(404), "Tag not found");
    assert_eq!(api.delete(&api.bob, &path).await.detail(404), "Tag not found");
    assert_eq!(api.get(&api.bob, "/api/tags").await.expect(200), json!([]));
    assert_eq!(api.get(&api.ada, "/api/tags").await.expect(200)[0]["name"], "mine");
}
