//! The stream of events: what is new and what is unread, from where a client left off, for as long as its session lasts.

use crate::support::{Api, Person};
use axum::body::Body;
use axum::http::Request;
use http_body_util::BodyExt as _;
use serde_json::{Value, json};
use std::time::Duration;
use testkit::{World, rss};

on_both!(news_are_told, a_client_goes_on_where_it_left_off, a_stream_ends_with_its_session, others_hear_nothing);

/// Longer than a stream is ever quiet.
const PATIENCE: Duration = Duration::from_secs(40);

/// One event.
#[derive(Debug)]
struct Event {
    name: String,
    id: String,
    data: Value,
}

/// A stream that is being read.
struct Listener {
    body: Body,
    text: String,
}

impl Listener {
    async fn new(api: &Api, who: &Person, last: Option<&str>) -> Self {
        let mut request =
            Request::builder().uri("/api/events").header("authorization", format!("Bearer {}", who.token));
        if let Some(last) = last {
            request = request.header("last-event-id", last);
        }
        let response = api.response(request.body(Body::empty()).unwrap()).await;
        assert_eq!(response.status().as_u16(), 200);
        assert_eq!(response.headers()["content-type"], "text/event-stream");
        assert_eq!(response.headers()["x-accel-buffering"], "no");
        Self { body: response.into_body(), text: String::new() }
    }

    /// The next event, past comments; `None` when the stream ends.
    async fn next(&mut self) -> Option<Event> {
        loop {
            if let Some((block, rest)) = self.text.split_once("\n\n") {
                let (block, rest) = (block.to_owned(), rest.to_owned());
                self.text = rest;
                if !block.starts_with(':') {
                    let field = |name: &str| {
                        let line = block.lines().find_map(|line| line.strip_prefix(name));
                        line.unwrap_or_else(|| panic!("no {name} in {block}")).to_owned()
                    };
                    let data = serde_json::from_str(&field("data: ")).unwrap();
                    return Some(Event { name: field("event: "), id: field("id: "), data });
                }
                continue;
            }
            let frame = tokio::time::timeout(PATIENCE, self.body.frame()).await.expect("the stream is silent")?;
            self.text.push_str(std::str::from_utf8(frame.unwrap().data_ref().unwrap()).unwrap());
        }
    }

    /// The next event with this name.
    async fn named(&mut self, name: &str) -> Event {
        let found = async {
            loop {
                let event = self.next().await.unwrap_or_else(|| panic!("the stream ended before `{name}`"));
                if event.name == name {
                    return event;
                }
            }
        };
        tokio::time::timeout(PATIENCE, found).await.unwrap_or_else(|_| panic!("no `{name}` came"))
    }
}

async fn news_are_told(world: World) {
    let api = Api::new(world).await;
    let feed = api.feed_of_ada(&["one"]).await;
    let mut listener = Listener::new(&api, &api.ada, None).await;
    let counts = listener.named("counts").await.data;
    assert_eq!(counts, json!({ "unread": 1, "feeds": { feed.to_string(): 1 }, "gone": [] }));

    api.world.origin.at("/feed", rss(&["one", "two"]));
    api.world.advance(jiff::SignedDuration::from_hours(6));
    api.world.run_until_idle().await;
    assert_eq!(listener.named("posts").await.data, json!({ "feeds": [feed.0] }));
    assert_eq!(listener.named("counts").await.data["unread"], 2);

    let two = api.entry("two").await;
    let path = format!("/api/posts/{two}/read");
    api.patch(&api.refreshed(&api.ada).await, &path, json!({ "is_read": true })).await.expect(200);
    assert_eq!(listener.named("counts").await.data["unread"], 1);
}

async fn a_client_goes_on_where_it_left_off(world: World) {
    let api = Api::new(world).await;
    let feed = api.feed_of_ada(&["one"]).await;
    let mut listener = Listener::new(&api, &api.ada, None).await;
    let last = listener.named("counts").await.id;
    drop(listener);
    api.world.origin.at("/feed", rss(&["one", "two"]));
    api.world.advance(jiff::SignedDuration::from_hours(6));
    api.world.run_until_idle().await;
    let mut again = Listener::new(&api, &api.ada, Some(&last)).await;
    let missed = again.named("posts").await;
    assert_eq!(missed.data, json!({ "feeds": [feed.0] }));
    assert!(missed.id.parse::<i64>().unwrap() > last.parse::<i64>().unwrap());
    // What is no id is none.
    let mut odd = Listener::new(&api, &api.ada, Some("; DROP TABLE")).await;
    assert_eq!(odd.next().await.unwrap().name, "counts", "nothing was missed");
}

async fn a_stream_ends_with_its_session(world: World) {
    let api = Api::new(world).await;
    api.feed_of_ada(&["one"]).await;
    let mut listener = Listener::new(&api, &api.ada, None).await;
    listener.named("counts").await;
    api.post(&api.ada, "/api/auth/logout", Value::Null).await.expect(200);
    // Something happens that she would have been told.
    api.world.origin.at("/feed", rss(&["one", "two"]));
    api.world.advance(jiff::SignedDuration::from_hours(6));
    api.world.run_until_idle().await;
    assert!(listener.next().await.is_none(), "nothing is said after the logout");
}

async fn others_hear_nothing(world: World) {
    let api = Api::new(world).await;
    let bobs = {
        api.world.origin.at("/bob", rss(&["bob"]));
        api.follow(&api.bob, "/bob").await
    };
    api.feed_of_ada(&["one"]).await;
    let mut listener = Listener::new(&api, &api.bob, None).await;
    listener.named("counts").await;
    api.world.origin.at("/feed", rss(&["one", "two"])).at("/bob", rss(&["bob", "bob two"]));
    api.world.advance(jiff::SignedDuration::from_hours(6));
    api.world.run_until_idle().await;
    assert_eq!(listener.named("posts").await.data, json!({ "feeds": [bobs.0] }), "Ada's feed is not among them");
}
