//! Two people, their feeds, and requests to the router.

use accounts::{Accounts, Passwords};
use axum::Router;
use axum::body::Body;
use axum::http::{HeaderMap, Request};
use data_encoding::HEXLOWER;
use http_body_util::BodyExt as _;
use model::access_scope::Scope;
use model::icon::Icon;
use model::reader::Role;
use model::{EntryId, FeedId, UserId, Viewer};
use policy::Preset;
use policy::limits::{RefreshLimits, RequestLimits, Window};
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
        Self::with(world, RequestLimits::preset(Preset::Courant)).await
    }

    /// A server that anybody may ask as often as they like.
    pub(crate) async fn unlimited(world: World) -> Self {
        let often = Window::a_minute(1_000_000);
        let limits = RequestLimits::preset(Preset::Courant);
        let refresh = RefreshLimits { same_feed: often, feeds: often };
        Self::with(world, RequestLimits { api: often, refresh, ..limits }).await
    }

    async fn with(world: World, limits: RequestLimits) -> Self {
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
            limits,
            app: web::AppSource::Nowhere,
        };
        let web = Web::new(Parts {
            store: engine.store().clone(),
            accounts: accounts.clone(),
            engine: engine.clone(),
            enrich: testkit::enrich_of(engine),
            oidc: None,
            metrics: engine.metrics(),
            options,
        });
        let (ada, bob) =
            (person(&world, &accounts, "ada", Role::User).await, person(&world, &accounts, "bob", Role::User).await);
        Self { router: web.router(Routes::All), world, ada, bob, accounts }
    }

    /// The response to a request, with its body still to come.
    pub(crate) async fn response(&self, request: Request<Body>) -> axum::response::Response {
        self.router.clone().call(request).await.unwrap()
    }

    /// Somebody with a new token: theirs may have ended while the clock was moved.
    pub(crate) async fn refreshed(&self, who: &Person) -> Person {
        let account = self.world.engine.store().account(who.user).await.unwrap().unwrap();
        Person { user: who.user, token: self.accounts.issue_token(&account).token }
    }

    /// Sends a request as it is.
    pub(crate) async fn send(&self, request: Request<Body>) -> Answer {
        let response = self.response(request).await;
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

    /// Sends a body as it is, while a worker makes the visits that become necessary.
    pub(crate) async fn ask_raw(&self, who: &Person, method: &str, path: &str, body: &str) -> Answer {
        let request =
            Request::builder().method(method).uri(path).header("authorization", format!("Bearer {}", who.token));
        let asked = self.send(request.body(Body::from(body.to_owned())).unwrap());
        if !path.ends_with("/enable") && !path.ends_with("/refresh") {
            return asked.await;
        }
        let worker = async {
            loop {
                self.world.run_until_idle().await;
                tokio::task::yield_now().await;
            }
        };
        tokio::select! { answer = asked => answer, () = worker => unreachable!("a worker does not stop") }
    }

    /// Somebody else.
    pub(crate) async fn person(&self, name: &str, role: Role) -> Person {
        person(&self.world, &self.accounts, name, role).await
    }

    /// A key of somebody.
    pub(crate) async fn key_of(&self, who: &Person, scopes: &[Scope]) -> Person {
        let key = self.accounts.create_key(who.user, "key", scopes, None).await.unwrap();
        Person { user: who.user, token: key.token }
    }

    /// A session of somebody.
    pub(crate) async fn session_of(&self, who: &Person) -> i64 {
        let store = self.world.engine.store();
        let account = store.account(who.user).await.unwrap().unwrap();
        self.accounts.open_session(&account, None, None).await.unwrap().unwrap();
        store.sessions(who.user, self.world.now()).await.unwrap().iter().map(|session| session.id.0).max().unwrap()
    }

    /// An import of somebody that is done.
    pub(crate) async fn import_of(&self, who: &Person) -> i64 {
        let store = self.world.engine.store();
        let import = store.create_import(who.user, "", (0, &[]), "test.import", self.world.now()).await.unwrap();
        assert!(store.finish_import(import, self.world.now()).await.unwrap());
        import.0
    }

    /// The hash of an icon that a feed gets.
    pub(crate) async fn icon_of(&self, feed: FeedId) -> String {
        let store = self.world.engine.store();
        let bytes = [&b"\x89PNG\r\n\x1a\n"[..], &feed.0.to_be_bytes()].concat();
        let icon = Icon { url: "https://one.example/i".into(), media_type: "image/png".into(), bytes };
        let site = format!("https://{feed}.example");
        store.keep_icon(feed, &site, Some(&icon), self.world.now()).await.unwrap();
        HEXLOWER.encode(&store.icon_hashes(Viewer::Operator, &[feed]).await.unwrap()[&feed])
    }

    /// A feed with one post that somebody follows, and that is not visited any more.
    pub(crate) async fn paused_feed(&self, who: &Person, path: &str, title: &str) -> FeedId {
        self.world.origin.at(path, testkit::rss(&[title]));
        let feed = self.follow(who, path).await;
        let store = self.world.engine.store();
        engine::disable_feed(store, Viewer::Operator, feed, self.world.now()).await.unwrap();
        feed
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
        // A claim on PostgreSQL passes over a row that another statement holds: what it left is there the next time.
        for _ in 0..100 {
            world.run_until_idle().await;
            if store.feed(Viewer::Operator, &store::FeedName::Id(feed)).await.unwrap().visits > 0 {
                return feed;
            }
        }
        panic!("{url} was not visited");
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

async fn person(world: &World, accounts: &Accounts, name: &str, role: Role) -> Person {
    let store = world.engine.store();
    let user = store.add_user(name, role, world.now()).await.unwrap();
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
