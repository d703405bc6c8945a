//! The web server's router in a world: requests without sockets, with the clock of the world.

use accounts::{Accounts, Passwords};
use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::{HeaderMap, Request};
use engine::Clock;
use http_body_util::BodyExt as _;
use policy::limits::RequestLimits;
use serde_json::Value;
use std::net::SocketAddr;
use testkit::World;
use tower_service::Service as _;
use web::{Options, Parts, Routes, Web};

pub(crate) const SECRET: &[u8] = b"a secret that only tests have, long";
pub(crate) const HOST: &str = "courant.example";
/// A reverse proxy.
pub(crate) const PROXY: &str = "127.0.0.1";

/// A server.
pub(crate) struct Site {
    router: Router,
    pub(crate) accounts: Accounts,
}

/// A request that is being put together.
pub(crate) struct Ask<'a> {
    site: &'a Site,
    request: axum::http::request::Builder,
    peer: String,
    body: String,
}

/// An answer.
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) text: String,
}

impl Site {
    pub(crate) fn new(world: &World) -> Self {
        Self::with(world, |_| ())
    }

    /// With other options.
    pub(crate) fn with(world: &World, change: impl FnOnce(&mut Options)) -> Self {
        let mut options = Options {
            metrics_allow: vec![],
            trusted_proxies: vec!["127.0.0.0/8".parse().unwrap()],
            cors_origins: vec!["https://reader.example".into()],
            public_url: None,
            app: web::AppSource::Nowhere,
            limits: RequestLimits::preset(policy::Preset::Courant),
        };
        change(&mut options);
        let engine = world.engine.clone();
        let accounts = Accounts::new(accounts::Parts {
            store: world.engine.store().clone(),
            clock: Clock::by_hand(move || engine.now(), |_| ()),
            root_secret: SECRET,
            passwords: Passwords::cheap_for_tests(),
            options: accounts::Options { login_limits: options.limits.login, ..accounts::Options::default() },
        });
        let parts = Parts {
            store: world.engine.store().clone(),
            accounts: accounts.clone(),
            engine: world.engine.clone(),
            enrich: world.enrich(),
            oidc: None,
            metrics: world.engine.metrics(),
            options,
        };
        Self { router: Web::new(parts).router(Routes::All), accounts }
    }

    pub(crate) fn ask(&self, method: &str, path: &str) -> Ask<'_> {
        let request = Request::builder().method(method).uri(path).header("host", HOST);
        Ask { site: self, request, peer: "192.0.2.1".into(), body: String::new() }
    }

    pub(crate) fn get(&self, path: &str) -> Ask<'_> {
        self.ask("GET", path)
    }

    pub(crate) fn post(&self, path: &str, body: &Value) -> Ask<'_> {
        self.ask("POST", path).json(body)
    }
}

impl Ask<'_> {
    pub(crate) fn header(mut self, name: &str, value: &str) -> Self {
        self.request = self.request.header(name, value);
        self
    }

    pub(crate) fn bearer(self, token: &str) -> Self {
        self.header("authorization", &format!("Bearer {token}"))
    }

    pub(crate) fn cookie(self, token: &str) -> Self {
        self.header("cookie", &format!("session={token}"))
    }

    /// As a page of the server sends it.
    pub(crate) fn own_page(self) -> Self {
        self.header("origin", &format!("http://{HOST}"))
    }

    pub(crate) fn from(mut self, peer: &str) -> Self {
        self.peer = peer.into();
        self
    }

    pub(crate) fn json(mut self, body: &Value) -> Self {
        self.body = body.to_string();
        self
    }

    pub(crate) fn body(mut self, body: impl Into<String>) -> Self {
        self.body = body.into();
        self
    }

    pub(crate) async fn send(self) -> Answer {
        let mut request = self.request.body(Body::from(self.body)).unwrap();
        let peer = SocketAddr::new(self.peer.parse().unwrap(), 1);
        request.extensions_mut().insert(ConnectInfo(peer));
        let response = self.site.router.clone().call(request).await.unwrap();
        let (parts, body) = response.into_parts();
        let bytes = body.collect().await.unwrap().to_bytes();
        let text = String::from_utf8(bytes.to_vec()).unwrap();
        Answer { status: parts.status.as_u16(), headers: parts.headers, text }
    }

    pub(crate) async fn status(self) -> u16 {
        self.send().await.status
    }
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|_| panic!("{} {}", self.status, self.text))
    }

    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }

    /// The value of the cookie that it sets, and what follows it.
    pub(crate) fn set_cookie(&self) -> (&str, &str, &str) {
        let (pair, attributes) = self.header("set-cookie").split_once("; ").unwrap();
        let (name, value) = pair.split_once('=').unwrap();
        (name, value, attributes)
    }
}
