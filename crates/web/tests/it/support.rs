//! Two people, their feeds, and requests to the router.

use accounts::{Accounts, Passwords};
use axum::Router;
use axum::body::Body;
use axum::http::{HeaderMap, Request};
use http_body_util::BodyExt as _;
use model::access_scope::Scope;
use model::reader::Role;
use model::{EntryId, FeedId, UserId, Viewer};
use policy::Preset;
use policy::limits::RequestLimits;
use serde_json::{Value, json};
use store::EntryFilter;
use testkit::{Response, World};
use tower_service::Service as _;
use web::{Options, Parts, Routes, Web};

/// A server in a world, with two users.
pub(crate) struct Api {
    pub(crate) world: World,
    pub(crate) ada: Person,
    pub(crate) bob: Person,
    pub(crate) accounts: Accounts,
    router: Router,
}

/// Somebody with a token.
pub(crate) struct Person {
    pub(crate) user: UserId,
    pub(crate) token: String,
}

/// An answer.
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) bytes: Vec<u8>,
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.bytes).unwrap_or_else(|_| panic!("{} {}", self.status, self.text()))
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes).into_owned()
    }

    /// The body of an answer with this status.
    #[track_caller]
    pub(crate) fn expect(&self, status: u16) -> Value {
        assert_eq!(self.status, status, "{}", self.text());
        self.json()
    }

    /// The detail of an error with this status.
    #[track_caller]
    pub(crate) fn detail(&self, status: u16) -> String {
        self.expect(status)["detail"].as_str().unwrap_or_else(|| panic!("{}", self.text())).to_owned()
    }

    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }
}

impl Api {
    pub(crate) async fn new(world: World) -> Self {
        let engine = &world.engine;
        let accounts = Accounts::new(accounts::Parts {
            store: engine.store().clone(),
            clock: engine.clock().clone(),
            root_secret: b"a secret that only tests have, long",
            passwords: Passwords::cheap_for_tests(),
            options: accounts::Options::default(),
        });
        let options = Options {
            metrics_allow: vec![],
            trusted_proxies: vec![],
            cors_origins: vec![],
            public_url: None,
            limits: RequestLimits::preset(Preset::Courant),
        };
        let web = Web::new(Parts {
            store: engine.store().clone(),
            accounts: accounts.clone(),
            engine: engine.clone(),
            oidc: None,
            metrics: engine.metrics(),
            options,
        });
        let (ada, bob) = (person(&world, &accounts, "ada").await, person(&world, &accounts, "bob").await);
        Self { router: web.router(Routes::All), world, ada, bob, accounts }
    }

    /// Sends a request as it is.
    pub(crate) async fn send(&self, request: Request<Body>) -> Answer {
        let response = self.router.clone().call(request).await.unwrap();
        let (head, body) = response.into_parts();
        let bytes = body.collect().await.unwrap().to_bytes().to_vec();
        Answer { status: head.status.as_u16(), headers: head.headers, bytes }
    }

    /// Sends a request of somebody; null is no body.
    pub(crate) async fn ask(&self, who: &Person, method: &str, path: &str, body: Value) -> Answer {
        let body = if body.is_null() { Body::empty() } else { Body::from(body.to_string()) };
        let request = Request::builder().method(method).uri(path).header("content-type", "application/json");
        self.send(request.header("authorization", format!("Bearer {}", who.token)).body(body).unwrap()).await
    }

    pub(crate) async fn get(&self, who: &Person, path: &str) -> Answer {
        self.ask(who, "GET", path, Value::Null).await
    }

    pub(crate) async fn post(&self, who: &Person, path: &str, body: Value) -> Answer {
        self.ask(who, "POST", path, body).await
    }

    pub(crate) async fn put(&self, who: &Person, path: &str, body: Value) -> Answer {
        self.ask(who, "PUT", path, body).await
    }

    pub(crate) async fn patch(&self, who: &Person, path: &str, body: Value) -> Answer {
        self.ask(who, "PATCH", path, body).await
    }

    pub(crate) async fn delete(&self, who: &Person, path: &str) -> Answer {
        self.ask(who, "DELETE", path, Value::Null).await
    }

    /// A key of Ada's that may only read.
    pub(crate) async fn reading_key(&self) -> Person {
        let key = self.accounts.create_key(self.ada.user, "reads", &[Scope::ReaderRead], None).await.unwrap();
        Person { user: self.ada.user, token: key.token }
    }

    /// Somebody follows the feed at a path, which is visited.
    pub(crate) async fn follow(&self, who: &Person, path: &str) -> FeedId {
        self.follow_url(who, &self.world.origin.url(path)).await
    }

    /// The same, anywhere.
    pub(crate) async fn follow_url(&self, who: &Person, url: &str) -> FeedId {
        let (world, store) = (&self.world, self.world.engine.store());
        let feed = world.add_url(url).await;
        let category = store.default_category(who.user).await.unwrap();
        store.subscribe(who.user, feed, category, None, world.now()).await.unwrap();
        world.run_until_idle().await;
        feed
    }

    /// A feed with these posts that Ada follows.
    pub(crate) async fn feed_of_ada(&self, titles: &[&str]) -> FeedId {
        self.world.origin.at("/feed", testkit::rss(titles));
        self.follow(&self.ada, "/feed").await
    }

    /// A private feed of Ada's with one post.
    pub(crate) async fn private_post(&self) -> i64 {
        self.world.origin.at("/private", testkit::rss(&["secret"]));
        let feed = self.follow(&self.ada, "/private").await;
        let store = self.world.engine.store();
        assert!(store.set_owner(feed, Some(self.ada.user), self.world.now()).await.unwrap());
        self.entry("secret").await
    }

    /// The post with a title.
    pub(crate) async fn entry(&self, title: &str) -> i64 {
        let store = self.world.engine.store();
        let all = store.arrived(Viewer::Operator, EntryFilter::default(), EntryId(0), 1_000).await.unwrap();
        all.into_iter().find(|entry| entry.title.as_deref() == Some(title)).unwrap().id.0
    }
}

async fn person(world: &World, accounts: &Accounts, name: &str) -> Person {
    let store = world.engine.store();
    let user = store.add_user(name, Role::User, world.now()).await.unwrap();
    let account = store.account(user).await.unwrap().unwrap();
    Person { user, token: accounts.issue_token(&account).token }
}

/// A page with an article of many words.
pub(crate) fn article(title: &str, word: &str) -> Response {
    let words = format!("{word} and more words of this article that go on, ").repeat(40);
    let html = format!(
        "<html><head><title>{title}</title></head><body><article><h1>{title}</h1><p>{words}</p><p>{words}</p>\
         <script>alert(1)</script></article></body></html>"
    );
    Response::body("text/html; charset=utf-8", html)
}

/// `{"ok": true}`.
pub(crate) fn ok() -> Value {
    json!({ "ok": true })
}
