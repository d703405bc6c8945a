//! Logins through a real identity provider (npm: oidc-provider), on the real binary behind a proxy that says HTTPS. A
//! browser is played by hand: it follows redirects, and keeps the cookies of each host.
//!
//! What the store does with identities is tested there, on both databases.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::sync::atomic::{AtomicU8, Ordering};

use serde_json::{Value, json};
use testkit::Origin;
use testkit::services::{IdentityProvider, identity_provider};
use url::Url;

use crate::program::Program;
use crate::serve::Server;

const PORT: [&str; 2] = ["--listen", "127.0.0.1:0"];
const SECRET: &str = "a secret of thirty-two characters";
const OURS: &str = "https://news.example";
const REEDME: &str = "https://reedme.example";
const FAILED: &str = "/login?error=oidc_failed";

/// A provider that knows our addresses.
fn provider() -> IdentityProvider {
    let uris = [
        format!("{OURS}/api/auth/oidc/callback"),
        format!("{OURS}/reedme/api/oidc/callback"),
        format!("{REEDME}/api/oidc/callback"),
    ];
    identity_provider("courant", SECRET, &uris.each_ref().map(String::as_str))
}

/// The program that trusts that provider.
fn program(provider: &IdentityProvider) -> Program {
    Program::new()
        .env("COURANT_PUBLIC_URL", OURS)
        .env("COURANT_OIDC_ISSUER", provider.issuer())
        .env("COURANT_OIDC_CLIENT_ID", "courant")
        .env("COURANT_OIDC_CLIENT_SECRET", SECRET)
        .env("COURANT_OIDC_PRIVATE", "127.0.0.0/8")
        .env("COURANT_OIDC_ALLOW_SUBJECTS", "ada, bob")
}

/// Says who logs in.
fn is(provider: &IdentityProvider, subject: &str, claims: &Value) {
    provider.set(&json!({ "subject": subject, "claims": claims }).to_string());
}

/// A browser of somebody.
struct Browser<'a> {
    server: &'a Server,
    address: String,
    cookies: Vec<(String, String, String)>,
}

struct Answer {
    status: u16,
    head: String,
    body: String,
}

impl Answer {
    fn headers<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        let fields = self.head.lines().filter_map(|line| line.split_once(": "));
        fields.filter(move |(found, _)| found.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }

    fn location(&self) -> &str {
        self.headers("location").next().unwrap_or_default()
    }

    fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|_| panic!("{} {}", self.head, self.body))
    }
}

impl<'a> Browser<'a> {
    fn new(server: &'a Server) -> Self {
        // Each has an address of its own: one address may not begin many logins.
        static BROWSERS: AtomicU8 = AtomicU8::new(1);
        let number = BROWSERS.fetch_add(1, Ordering::Relaxed);
        Self { server, address: format!("192.0.2.{number}"), cookies: Vec::new() }
    }

    /// One request, without following redirects.
    fn get(&mut self, url: &str) -> Answer {
        let (scheme, rest) = url.split_once("://").unwrap();
        let (host, path) = rest.split_at(rest.find('/').unwrap());
        let (to, proxy) = match scheme {
            // A proxy would be in front of us; it is played as well.
            "https" => {
                (self.server.address(), format!("x-forwarded-proto: https\r\nx-forwarded-for: {}\r\n", self.address))
            }
            _ => (host, String::new()),
        };
        let cookies: Vec<String> = self.of(host).map(|(name, value)| format!("{name}={value}")).collect();
        let mut stream = TcpStream::connect(to).unwrap();
        let head = format!("GET {path} HTTP/1.0\r\nhost: {host}\r\ncookie: {}\r\n{proxy}\r\n", cookies.join("; "));
        stream.write_all(head.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        let answer = Answer { status, head: head.to_owned(), body: body.to_owned() };
        for cookie in answer.headers("set-cookie") {
            let (name, value) = cookie.split(';').next().unwrap().split_once('=').unwrap();
            self.cookies.retain(|(of, found, _)| of != host || found != name);
            if !value.is_empty() {
                self.cookies.push((host.to_owned(), name.to_owned(), value.to_owned()));
            }
        }
        answer
    }

    fn of(&self, host: &str) -> impl Iterator<Item = (&str, &str)> {
        self.cookies.iter().filter(move |(of, _, _)| of == host).map(|(_, name, value)| (&**name, &**value))
    }

    /// Begins a login; the address at the provider.
    fn begin(&mut self) -> String {
        let answer = self.get(&format!("{OURS}/api/auth/oidc/login?next=/feeds"));
        assert_eq!(answer.status, 303, "{} {}", answer.head, answer.body);
        answer.location().to_owned()
    }

    /// Follows the provider's redirects until it sends the browser back to us; that address.
    fn at_the_provider(&mut self, away: &str) -> String {
        let mut url = Url::parse(away).unwrap();
        for _ in 0..10 {
            let answer = self.get(url.as_str());
            assert!((302..=303).contains(&answer.status), "{url}: {} {}", answer.head, answer.body);
            url = url.join(answer.location()).unwrap();
            if url.scheme() == "https" {
                return url.into();
            }
        }
        panic!("no end of redirects: {url}");
    }

    /// A whole login; where it ends.
    fn login(&mut self) -> String {
        let away = self.begin();
        let back = self.at_the_provider(&away);
        self.back(&back)
    }

    /// Comes back from the provider; where it is sent.
    fn back(&mut self, url: &str) -> String {
        let answer = self.get(url);
        assert_eq!(answer.status, 307, "{} {}", answer.head, answer.body);
        answer.location().to_owned()
    }

    /// Who it is: id and name.
    fn who(&mut self) -> Option<(i64, String)> {
        let answer = self.get(&format!("{OURS}/api/auth/me"));
        let user = (answer.status == 200).then(|| answer.json()["user"].clone())?;
        Some((user["id"].as_i64().unwrap(), user["name"].as_str().unwrap().to_owned()))
    }
}

/// The value of a parameter in a URL.
fn parameter<'a>(url: &'a str, name: &str) -> &'a str {
    let pairs = url.split_once('?').unwrap().1.split('&').filter_map(|pair| pair.split_once('='));
    pairs.into_iter().find(|(found, _)| *found == name).unwrap().1
}

/// Stops the server; why it refused logins, in order.
fn refusals(server: Server) -> Vec<String> {
    let (_, log) = server.stop();
    let lines = log.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let refused = lines.filter(|line| line["message"] == "a login through the identity provider was refused");
    refused.map(|line| line["reason"].as_str().unwrap().to_owned()).collect()
}

/// Compares reasons by how they begin.
#[track_caller]
fn begin_with(found: &[String], expected: &[&str]) {
    let agree = found.len() == expected.len() && found.iter().zip(expected).all(|(one, other)| one.starts_with(other));
    assert!(agree, "found {found:#?}\nexpected {expected:#?}");
}

const UNKNOWN_STATE: &str = "this login was used before, is too old, or was begun by another browser";
const REFUSED_CODE: &str = "the identity provider: Server returned error response: invalid_grant";

#[test]
fn a_person_is_a_subject_whatever_the_mail_address_says() {
    let provider = provider();
    let program = program(&provider);
    let server = Server::start(&program, &PORT);
    is(&provider, "ada", &json!({ "preferred_username": "Ada", "email": "ada@one.example" }));
    let mut browser = Browser::new(&server);
    assert_eq!(browser.get(&format!("{OURS}/api/auth/oidc")).json(), json!({ "enabled": true }));
    assert_eq!(browser.who(), None);
    assert_eq!(browser.login(), "/feeds");
    let names: Vec<_> = browser.of("news.example").map(|(name, _)| name).collect();
    assert_eq!(names, ["__Host-session"], "the cookie of the way there is gone");
    let ada = browser.who().unwrap();
    assert_eq!(ada.1, "Ada");

    // The same subject under another name and mail address.
    is(&provider, "ada", &json!({ "preferred_username": "Lovelace", "email": "ada@two.example" }));
    let mut browser = Browser::new(&server);
    assert_eq!(browser.login(), "/feeds");
    assert_eq!(browser.who(), Some(ada.clone()));

    // Another subject under her name and mail address.
    is(&provider, "bob", &json!({ "preferred_username": "Ada", "email": "ada@one.example" }));
    let mut browser = Browser::new(&server);
    assert_eq!(browser.login(), "/feeds");
    let (bob, name) = browser.who().unwrap();
    assert!(bob != ada.0 && name == "Ada-2", "{bob} {name}");
    let users = browser.get(&format!("{OURS}/admin/api/users"));
    assert_eq!(users.status, 403, "a first login makes a user, nothing more: {}", users.body);
    begin_with(&refusals(server), &[]);
}

#[test]
fn only_subjects_and_groups_that_are_allowed_become_users() {
    let provider = provider();
    let program = program(&provider).env("COURANT_OIDC_ALLOW_GROUPS", "readers, staff");
    let server = Server::start(&program, &PORT);
    let login = |subject: &str, claims: Value| {
        is(&provider, subject, &claims);
        let mut browser = Browser::new(&server);
        let to = browser.login();
        (to, browser.who().map(|(_, name)| name))
    };
    let failed = || (FAILED.to_owned(), None);
    let welcome = |name: &str| ("/feeds".to_owned(), Some(name.to_owned()));
    assert_eq!(login("eve", json!({ "email": "ada@one.example" })), failed());
    assert_eq!(login("eve", json!({ "groups": ["reader", "readers "], "preferred_username": "ada" })), failed());
    assert_eq!(login("eve", json!({ "groups": { "readers": true } })), failed());
    assert_eq!(login("cyd", json!({ "groups": ["others", "staff"], "preferred_username": "cyd" })), welcome("cyd"));
    assert_eq!(login("dan", json!({ "groups": "readers" })), welcome("dan"));
    // Who has an account keeps it; the operator disables it.
    assert_eq!(login("cyd", json!({ "groups": [] })), welcome("cyd"));
    assert_eq!(program.run(&["user", "disable", "cyd"]).code, 0);
    assert_eq!(login("cyd", json!({ "groups": ["staff"] })), failed());
    // One that exists, bound by the operator.
    assert_eq!(login("0815", json!({})), failed());
    assert_eq!(program.run(&["user", "link", "owner", "0815"]).code, 0);
    assert_eq!(login("0815", json!({ "preferred_username": "eve" })), welcome("owner"));
    let nobody = "subject `eve` is no user here";
    let found = refusals(server);
    begin_with(&found, &[nobody, nobody, nobody, "the account is disabled", "subject `0815` is no user here"]);
}

#[test]
fn a_login_ends_once_and_in_the_browser_that_began_it() {
    let provider = provider();
    let program = program(&provider);
    let server = Server::start(&program, &PORT);
    is(&provider, "ada", &json!({}));
    let callback = |state: &str, code: &str| format!("{OURS}/api/auth/oidc/callback?state={state}&code={code}");
    let mut browser = Browser::new(&server);

    // A state that nobody gave out.
    let away = browser.begin();
    let back = browser.at_the_provider(&away);
    let cookies = browser.cookies.clone();
    assert_eq!(browser.back(&callback("another", parameter(&back, "code"))), FAILED);
    assert_eq!(browser.who(), None);
    // The failure made the browser forget its cookie, and without it nothing is believed.
    assert_eq!(browser.back(&back), FAILED);
    // A state that was tried is used up, also for the right browser.
    browser.cookies = cookies;
    assert_eq!(browser.back(&back), FAILED);
    assert_eq!(browser.who(), None);

    // Another browser is sent here with a login that is not its own.
    let away = browser.begin();
    let back = browser.at_the_provider(&away);
    let mut other = Browser::new(&server);
    other.begin();
    assert_eq!(other.back(&back), FAILED);
    assert_eq!(other.who(), None);

    // The same answer of the provider twice.
    let away = browser.begin();
    let back = browser.at_the_provider(&away);
    let cookies = browser.cookies.clone();
    assert_eq!(browser.back(&back), "/feeds");
    assert!(browser.who().is_some());
    let used = parameter(&back, "code");
    browser.cookies = cookies;
    assert_eq!(browser.back(&back), FAILED);

    // A code that was used, in a login that was not; and one that belongs to another login.
    let away = browser.begin();
    assert_eq!(browser.back(&callback(parameter(&away, "state"), used)), FAILED);
    let theirs = other.begin();
    let theirs = other.at_the_provider(&theirs);
    let away = browser.begin();
    assert_eq!(browser.back(&callback(parameter(&away, "state"), parameter(&theirs, "code"))), FAILED);
    assert_eq!(browser.who(), None);

    // The person says no at the provider.
    let away = browser.begin();
    let no = format!("{OURS}/api/auth/oidc/callback?state={}&error=access_denied", parameter(&away, "state"));
    assert_eq!(browser.back(&no), FAILED);
    let expected = [&[UNKNOWN_STATE; 5][..], &[REFUSED_CODE; 2]].concat();
    begin_with(&refusals(server), &expected);
}

#[test]
fn a_token_that_cannot_be_believed_lets_nobody_in() {
    let provider = provider();
    let program = program(&provider);
    let server = Server::start(&program, &PORT);
    is(&provider, "ada", &json!({ "preferred_username": "ada" }));
    let login = |token: &str| {
        provider.set(&json!({ "token": token }).to_string());
        let mut browser = Browser::new(&server);
        let to = browser.login();
        (to, browser.who())
    };
    // That the provider signs anew is no reason in itself.
    let (to, ada) = login("signed again");
    assert_eq!((to.as_str(), ada.is_some()), ("/feeds", true));
    let expected = [
        ("unsigned", "Signature verification failed: No signature found"),
        ("another payload", "Signature verification failed: Crypto error: bad signature"),
        ("another key", "Signature verification failed: Crypto error: bad signature"),
        ("our own secret", "Signature verification failed: Disallowed signature algorithm: algorithm `HS256`"),
        ("another nonce", "Invalid nonce: nonce mismatch"),
        ("no nonce", "Invalid nonce: missing nonce claim"),
        ("another issuer", "Invalid issuer"),
        ("another audience", "Invalid audiences: must contain `courant`"),
        ("several audiences", "Invalid audiences: `another` is not a trusted audience"),
        ("expired", "Expired: ID token expired"),
        ("missing", "the answer has no ID token"),
    ];
    for (token, _) in expected {
        assert_eq!(login(token), (FAILED.to_owned(), None), "{token}");
    }
    assert_eq!(login("as it is"), ("/feeds".to_owned(), ada));
    let reasons = expected.map(|(_, reason)| format!("the identity provider: {reason}"));
    begin_with(&refusals(server), &reasons.each_ref().map(String::as_str));
}

#[test]
fn a_private_provider_is_asked_only_if_the_operator_says_so() {
    let provider = provider();
    let begin = |program: &Program| {
        let server = Server::start(program, &PORT);
        let answer = Browser::new(&server).get(&format!("{OURS}/api/auth/oidc/login"));
        (answer.status, server.stop().1)
    };
    // That feeds may be in that network says nothing about the provider.
    let (status, log) = begin(
        &program(&provider).env("COURANT_OIDC_PRIVATE", "10.0.0.0/8").env("COURANT_ALLOW_PRIVATE", "127.0.0.0/8"),
    );
    assert_eq!((status, provider.requests().as_str()), (502, "[]"), "{log}");
    assert!(log.contains("a login through the identity provider could not begin"), "{log}");
    let (status, log) = begin(&program(&provider));
    assert_eq!(status, 303, "{log}");
    assert_eq!(provider.requests(), r#"["/.well-known/openid-configuration","/jwks"]"#);
}

/// The provider names an address elsewhere, as a forged discovery document would.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn endpoints_on_another_host_are_not_asked() {
    let elsewhere = Origin::start().await;
    let url = elsewhere.url("/").replace("127.0.0.1", "localhost");
    let visits = move || elsewhere.visits();
    let walk = move || {
        let provider = provider();
        is(&provider, "ada", &json!({}));
        for (field, begins) in [("authorization_endpoint", 502), ("jwks_uri", 502), ("token_endpoint", 303)] {
            let mut wish = json!({ "discovery": {} });
            wish["discovery"][field] = url.as_str().into();
            provider.set(&wish.to_string());
            let program = program(&provider);
            let server = Server::start(&program, &PORT);
            let mut browser = Browser::new(&server);
            let answer = browser.get(&format!("{OURS}/api/auth/oidc/login"));
            assert_eq!(answer.status, begins, "{field}: {}", answer.body);
            if begins == 303 {
                let back = browser.at_the_provider(answer.location());
                assert_eq!(browser.back(&back), FAILED, "{field}");
                let why = refusals(server);
                assert!(why.len() == 1 && why[0].contains("is not on the host of the issuer"), "{field}: {why:?}");
            } else {
                let (_, log) = server.stop();
                assert!(log.contains("is not on the host of the issuer"), "{field}: {log}");
            }
        }
        // Who calls itself otherwise is not whom the operator trusts.
        provider.set(&json!({ "discovery": { "issuer": "https://login.example" } }).to_string());
        let program = program(&provider);
        let server = Server::start(&program, &PORT);
        assert_eq!(Browser::new(&server).get(&format!("{OURS}/api/auth/oidc/login")).status, 502);
    };
    tokio::task::spawn_blocking(walk).await.unwrap();
    assert_eq!(visits(), Vec::<String>::new());
}

#[test]
fn reedmes_page_logs_in_on_its_own_origin() {
    let provider = provider();
    let program = program(&provider).env("COURANT_OIDC_REDIRECT_URIS", &format!("{REEDME}/api/oidc/callback"));
    let server = Server::start(&program, &PORT);
    is(&provider, "ada", &json!({ "preferred_username": "ada" }));
    // Its proxy serves the surface as `/api`.
    let path = |url: &str| url.replace("reedme.example/api/", "reedme.example/reedme/api/");
    let check = |origin: &str, expected: &str| {
        let mut browser = Browser::new(&server);
        let enabled = browser.get(&format!("{origin}/reedme/api/oidc/enabled")).json();
        assert_eq!(enabled, json!({ "data": { "enabled": true } }));
        let begun = browser.get(&format!("{origin}/reedme/api/oidc/login")).json();
        let back = browser.at_the_provider(begun["data"]["auth_url"].as_str().unwrap());
        assert!(back.starts_with(expected), "{back}");
        assert_eq!(browser.back(&path(&back)), "/");
        let host = origin.strip_prefix("https://").unwrap();
        assert!(browser.of(host).any(|(name, _)| name == "__Host-session"));
    };
    check(REEDME, "https://reedme.example/api/oidc/callback?");
    check(OURS, "https://news.example/reedme/api/oidc/callback?");
    // A host that somebody made up does not decide where a browser goes.
    let begun = Browser::new(&server).get("https://evil.example/api/auth/oidc/login");
    let uri = parameter(begun.location(), "redirect_uri");
    assert_eq!(uri, "https%3A%2F%2Fnews.example%2Fapi%2Fauth%2Foidc%2Fcallback");
}
