//! Who may do what: every route, asked by everybody, about what is theirs and what is not.
//!
//! `ROUTES` lists each route with the least right that it needs and what its `{id}` names. A test compares the list with the
//! sources, so that a route cannot be added without its row. The rows of `MENTIONS` name things of others in the query or in
//! the body of routes.

use crate::support::{Answer, Api, Person};
use axum::body::Body;
use axum::http::Request;
use model::access_scope::Scope;
use model::reader::Role;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use testkit::World;

on_both!(everybody_gets_what_is_theirs);

/// What a route needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Needs {
    /// Nothing.
    Nothing,
    /// To read one's own things.
    Read,
    /// To change one's own things.
    Write,
    /// The same, by a person: no key may do it.
    Person,
    /// To be an administrator.
    Admin,
}

/// What an `{id}` names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum About {
    Nothing,
    Feed,
    Post,
    Category,
    Bookmark,
    Tag,
    Search,
    Filter,
    Import,
    Session,
    Key,
    User,
    Icon,
    Sweep,
    /// Administrators see those of everybody.
    PublicFeed,
}

use About as A;
use Needs::{Admin, Nothing, Person as Human, Read, Write};

/// Method, path, what it needs, what `{id}` names, and a body that it takes.
type Row = (&'static str, &'static str, Needs, About, &'static str);

#[rustfmt::skip]
const ROUTES: &[Row] = &[
    // What everybody may see.
    ("GET", "/", Nothing, A::Nothing, ""),
    ("GET", "/api/health", Nothing, A::Nothing, ""),
    ("GET", "/health", Nothing, A::Nothing, ""),
    ("GET", "/openapi.json", Nothing, A::Nothing, ""),
    ("GET", "/openapi.yaml", Nothing, A::Nothing, ""),
    ("GET", "/docs/api", Nothing, A::Nothing, ""),
    ("GET", "/login", Nothing, A::Nothing, ""),
    ("POST", "/login", Nothing, A::Nothing, "username=x&password=x"),
    ("GET", "/setup", Nothing, A::Nothing, ""),
    ("POST", "/setup", Nothing, A::Nothing, "token=x&password=x"),
    ("GET", "/assets/plain.css", Nothing, A::Nothing, ""),
    ("POST", "/api/auth/login", Nothing, A::Nothing, r#"{"username":"nobody","password":"x"}"#),
    ("POST", "/api/auth/logout", Nothing, A::Nothing, ""),
    ("POST", "/api/auth/session", Nothing, A::Nothing, r#"{"username":"nobody","password":"x"}"#),
    ("GET", "/api/auth/options", Nothing, A::Nothing, ""),
    ("GET", "/api/auth/setup", Nothing, A::Nothing, ""),
    ("POST", "/api/auth/setup", Nothing, A::Nothing, r#"{"token":"x","password":"x"}"#),
    ("POST", "/api/auth/link", Nothing, A::Nothing, r#"{"token":"x"}"#),
    ("GET", "/api/auth/oidc", Nothing, A::Nothing, ""),
    ("GET", "/api/auth/oidc/login", Nothing, A::Nothing, ""),
    ("GET", "/api/auth/oidc/callback", Nothing, A::Nothing, ""),
    ("GET", "/api/admin/locales", Nothing, A::Nothing, ""),
    ("GET", "/api/admin/languages", Nothing, A::Nothing, ""),
    ("GET", "/api/admin/config", Nothing, A::Nothing, ""),
    ("POST", "/reedme/api/sessions", Nothing, A::Nothing, r#"{"password":"x"}"#),
    ("GET", "/reedme/api/oidc/enabled", Nothing, A::Nothing, ""),
    ("GET", "/reedme/api/oidc/login", Nothing, A::Nothing, ""),
    ("GET", "/reedme/api/oidc/callback", Nothing, A::Nothing, ""),
    // Who asks.
    ("GET", "/api/auth/me", Read, A::Nothing, ""),
    ("GET", "/api/me/sessions", Human, A::Nothing, ""),
    ("DELETE", "/api/me/sessions/{id}", Human, A::Session, ""),
    ("DELETE", "/api/me/sessions", Human, A::Nothing, ""),
    ("GET", "/api/me/keys", Human, A::Nothing, ""),
    ("POST", "/api/me/keys", Human, A::Nothing, r#"{"name":"k"}"#),
    ("DELETE", "/api/me/keys/{id}", Human, A::Key, ""),
    ("PUT", "/api/me/password", Human, A::Nothing, r#"{"current":"","new":"x"}"#),
    ("GET", "/api/me/settings", Read, A::Nothing, ""),
    ("PUT", "/api/me/settings", Write, A::Nothing, "{}"),
    ("PATCH", "/api/me/settings", Write, A::Nothing, "{}"),
    ("GET", "/api/preferences", Read, A::Nothing, ""),
    ("PUT", "/api/preferences", Write, A::Nothing, "{}"),
    // The reader.
    ("GET", "/api/status", Read, A::Nothing, ""),
    ("GET", "/api/admin/status", Read, A::Nothing, ""),
    ("GET", "/api/admin/models", Read, A::Nothing, ""),
    ("POST", "/api/admin/vacuum", Admin, A::Nothing, ""),
    ("POST", "/api/admin/reprocess-summary", Admin, A::Nothing, r#"{"content_hash":"00"}"#),
    ("GET", "/api/categories", Read, A::Nothing, ""),
    ("POST", "/api/categories", Write, A::Nothing, r#"{"name":"new"}"#),
    ("GET", "/api/categories/{id}", Read, A::Category, ""),
    ("PUT", "/api/categories/{id}", Write, A::Category, r#"{"name":"renamed"}"#),
    ("DELETE", "/api/categories/{id}", Write, A::Category, ""),
    ("PATCH", "/api/categories/reorder", Write, A::Nothing, "[]"),
    ("GET", "/api/feeds", Read, A::Nothing, ""),
    ("POST", "/api/feeds", Write, A::Nothing, r#"{"url":"ftp://one.example"}"#),
    ("GET", "/api/feeds/{id}", Read, A::Feed, ""),
    ("PUT", "/api/feeds/{id}", Write, A::Feed, r#"{"title":"mine"}"#),
    ("DELETE", "/api/feeds/{id}", Write, A::Feed, ""),
    ("POST", "/api/feeds/refresh", Write, A::Nothing, ""),
    ("POST", "/api/feeds/{id}/refresh", Write, A::Feed, ""),
    ("POST", "/api/feeds/{id}/enable", Admin, A::Feed, ""),
    ("POST", "/api/feeds/discover", Write, A::Nothing, r#"{"url":"ftp://one.example"}"#),
    ("POST", "/api/feeds/validate", Write, A::Nothing, r#"{"url":"ftp://one.example"}"#),
    ("POST", "/api/feeds/batch", Write, A::Nothing, r#"{"feeds":[]}"#),
    ("PATCH", "/api/feeds/reorder", Write, A::Category, r#"{"category_id":{id},"ids":[]}"#),
    ("POST", "/api/feeds/import-opml", Write, A::Nothing, "no list"),
    ("GET", "/api/feeds/export-opml", Read, A::Nothing, ""),
    ("GET", "/api/jobs/{id}", Read, A::Import, ""),
    ("POST", "/api/jobs/{id}/undo", Write, A::Import, ""),
    ("GET", "/api/posts", Read, A::Nothing, ""),
    ("GET", "/api/posts/{id}", Read, A::Post, ""),
    ("GET", "/api/posts/{id}/revisions", Read, A::Post, ""),
    ("PATCH", "/api/posts/{id}/read", Write, A::Post, r#"{"is_read":true}"#),
    ("POST", "/api/posts/mark-read", Write, A::Nothing, r#"{"post_ids":[]}"#),
    ("POST", "/api/posts/mark-read/undo", Write, A::Sweep, r#"{"undo":"{id}"}"#),
    ("GET", "/api/posts/mark-read/recent", Read, A::Nothing, ""),
    ("GET", "/api/posts/history", Read, A::Nothing, ""),
    ("GET", "/api/posts/ids", Read, A::Nothing, ""),
    ("PATCH", "/api/posts/{id}/star", Write, A::Post, ""),
    ("PATCH", "/api/posts/{id}/like", Write, A::Post, ""),
    ("GET", "/api/posts/{id}/tags", Read, A::Post, ""),
    ("PUT", "/api/posts/{id}/tags", Write, A::Post, r#"{"tags":["a"]}"#),
    ("POST", "/api/posts/{id}/regenerate-summary", Write, A::Post, ""),
    ("POST", "/api/posts/{id}/summary", Write, A::Post, ""),
    ("POST", "/api/suggestions/admin/process-suggestions", Write, A::Nothing, ""),
    ("GET", "/api/search", Read, A::Nothing, ""),
    ("GET", "/api/events", Read, A::Nothing, ""),
    ("GET", "/api/proxy", Read, A::Nothing, ""),
    ("GET", "/api/icons/{hash}", Read, A::Icon, ""),
    ("GET", "/api/bookmarks", Read, A::Nothing, ""),
    ("POST", "/api/bookmarks", Write, A::Nothing, r#"{"url":"https://one.example/","content":"x"}"#),
    ("GET", "/api/bookmarks/{id}", Read, A::Bookmark, ""),
    ("PATCH", "/api/bookmarks/{id}", Write, A::Bookmark, r#"{"title":"x"}"#),
    ("DELETE", "/api/bookmarks/{id}", Write, A::Bookmark, ""),
    ("GET", "/api/tags", Read, A::Nothing, ""),
    ("POST", "/api/tags", Write, A::Nothing, r#"{"name":"b"}"#),
    ("PUT", "/api/tags/{id}", Write, A::Tag, r#"{"name":"renamed"}"#),
    ("DELETE", "/api/tags/{id}", Write, A::Tag, ""),
    ("GET", "/api/saved-searches", Read, A::Nothing, ""),
    ("POST", "/api/saved-searches", Write, A::Nothing, r#"{"name":"new","query":"x"}"#),
    ("PUT", "/api/saved-searches/{id}", Write, A::Search, r#"{"name":"renamed"}"#),
    ("DELETE", "/api/saved-searches/{id}", Write, A::Search, ""),
    ("PATCH", "/api/saved-searches/reorder", Write, A::Nothing, r#"{"ids":[]}"#),
    ("GET", "/api/filters", Read, A::Nothing, ""),
    ("POST", "/api/filters", Write, A::Nothing, FILTER),
    ("POST", "/api/filters/try", Read, A::Nothing, FILTER),
    ("PUT", "/api/filters/{id}", Write, A::Filter, FILTER),
    ("DELETE", "/api/filters/{id}", Write, A::Filter, ""),
    ("PATCH", "/api/filters/reorder", Write, A::Nothing, r#"{"ids":[]}"#),
    // ReedMe.
    ("DELETE", "/reedme/api/sessions", Read, A::Nothing, ""),
    ("GET", "/reedme/api/groups", Read, A::Nothing, ""),
    ("POST", "/reedme/api/groups", Write, A::Nothing, r#"{"name":"group"}"#),
    ("GET", "/reedme/api/groups/{id}", Read, A::Category, ""),
    ("PATCH", "/reedme/api/groups/{id}", Write, A::Category, r#"{"name":"other"}"#),
    ("DELETE", "/reedme/api/groups/{id}", Write, A::Category, ""),
    ("GET", "/reedme/api/feeds", Read, A::Nothing, ""),
    ("POST", "/reedme/api/feeds", Write, A::Nothing, r#"{"link":"ftp://one.example","name":"x"}"#),
    ("GET", "/reedme/api/feeds/{id}", Read, A::Feed, ""),
    ("PATCH", "/reedme/api/feeds/{id}", Write, A::Feed, r#"{"name":"x"}"#),
    ("DELETE", "/reedme/api/feeds/{id}", Write, A::Feed, ""),
    ("POST", "/reedme/api/feeds/validate", Write, A::Nothing, r#"{"url":"ftp://one.example"}"#),
    ("POST", "/reedme/api/feeds/batch", Write, A::Nothing, r#"{"feeds":[]}"#),
    ("POST", "/reedme/api/feeds/refresh", Write, A::Nothing, ""),
    ("POST", "/reedme/api/feeds/{id}/refresh", Write, A::Feed, ""),
    ("GET", "/reedme/api/items", Read, A::Nothing, ""),
    ("GET", "/reedme/api/items/{id}", Read, A::Post, ""),
    ("PATCH", "/reedme/api/items/-/read", Write, A::Nothing, r#"{"ids":[]}"#),
    ("PATCH", "/reedme/api/items/-/unread", Write, A::Nothing, r#"{"ids":[]}"#),
    ("GET", "/reedme/api/search", Read, A::Nothing, ""),
    ("GET", "/reedme/api/bookmarks", Read, A::Nothing, ""),
    ("POST", "/reedme/api/bookmarks", Write, A::Nothing, r#"{"link":"https://two.example/","title":"x"}"#),
    ("GET", "/reedme/api/bookmarks/{id}", Read, A::Bookmark, ""),
    ("DELETE", "/reedme/api/bookmarks/{id}", Write, A::Bookmark, ""),
    // Administrators.
    ("GET", "/admin/api/ai-usage", Admin, A::Nothing, ""),
    ("GET", "/admin/api/ai-usage/history", Admin, A::Nothing, ""),
    ("PATCH", "/admin/api/ai-usage/{month}/budget", Admin, A::Nothing, "{}"),
    ("PATCH", "/admin/api/ai", Admin, A::Nothing, r#"{"enabled":true}"#),
    ("POST", "/admin/api/ai/breaker/reset", Admin, A::Nothing, ""),
    ("GET", "/admin/api/users", Admin, A::Nothing, ""),
    ("POST", "/admin/api/users", Admin, A::Nothing, r#"{"name":""}"#),
    ("PATCH", "/admin/api/users/{id}", Admin, A::User, "{}"),
    ("DELETE", "/admin/api/users/{id}", Admin, A::User, ""),
    ("GET", "/admin/api/health", Admin, A::Nothing, ""),
    ("GET", "/admin/api/hosts", Admin, A::Nothing, ""),
    ("GET", "/admin/api/politeness", Admin, A::Nothing, ""),
    ("GET", "/admin/api/feeds", Admin, A::Nothing, ""),
    ("GET", "/admin/api/feeds/{id}", Admin, A::PublicFeed, ""),
    ("PATCH", "/admin/api/feeds/{id}", Admin, A::PublicFeed, "{}"),
    ("POST", "/admin/api/feeds/{id}/refresh", Admin, A::PublicFeed, ""),
    ("POST", "/admin/api/feeds/{id}/enable", Admin, A::PublicFeed, ""),
    ("GET", "/admin/api/system", Admin, A::Nothing, ""),
];

/// Routes that name something in their query or body. `{id}` stands where it does.
#[rustfmt::skip]
const MENTIONS: &[Row] = &[
    ("GET", "/api/posts?feed_id={id}", Read, A::Feed, ""),
    ("GET", "/api/posts?category_id={id}", Read, A::Category, ""),
    ("GET", "/api/posts/ids?view=true&feed_id={id}", Read, A::Feed, ""),
    ("GET", "/api/posts/ids?view=true&category_id={id}", Read, A::Category, ""),
    ("GET", "/api/feeds?category_id={id}", Read, A::Category, ""),
    ("POST", "/api/posts/mark-read", Write, A::Feed, r#"{"feed_id":{id}}"#),
    ("POST", "/api/posts/mark-read", Write, A::Category, r#"{"category_id":{id}}"#),
    ("POST", "/api/bookmarks", Write, A::Post, r#"{"post_id":{id}}"#),
    ("POST", "/api/categories", Write, A::Category, r#"{"name":"below","parent_id":{id}}"#),
    ("POST", "/api/feeds", Write, A::Category, r#"{"url":"ftp://one.example","category_id":{id}}"#),
    ("GET", "/reedme/api/items?feed_id={id}", Read, A::Feed, ""),
    ("GET", "/reedme/api/items?group_id={id}", Read, A::Category, ""),
];

const FILTER: &str = r#"{"name":"f","condition":{"any":[{"author":"x"}]},"actions":["mute"]}"#;

/// Routes whose answer does not end, or that end the token that asks.
const NOT_ASKED_TO_THE_END: &[&str] = &["/api/events", "/reedme/api/sessions", "/api/auth/logout"];

#[test]
fn every_route_has_its_row() {
    let mut found = BTreeSet::new();
    sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut |text| routes_of(text, &mut found));
    // Written by name, or for another address.
    for (method, path) in [("GET", "/reedme/api/oidc/callback"), ("DELETE", "/api/auth/session")] {
        found.insert((method.to_owned(), path.to_owned()));
    }
    for unlisted in ["/slow", "/metrics"] {
        found.remove(&("GET".to_owned(), unlisted.to_owned()));
    }
    let own = ("DELETE".to_owned(), "/api/auth/session".to_owned());
    let listed = ROUTES.iter().map(|(method, path, ..)| ((*method).to_owned(), (*path).to_owned()));
    let listed: BTreeSet<_> = listed.chain([own]).collect();
    assert_eq!(found.difference(&listed).collect::<Vec<_>>(), Vec::<&(String, String)>::new(), "without a row");
    assert_eq!(listed.difference(&found).collect::<Vec<_>>(), Vec::<&(String, String)>::new(), "without a route");
}

fn sources(directory: &Path, each: &mut impl FnMut(&str)) {
    for file in std::fs::read_dir(directory).unwrap() {
        let path = file.unwrap().path();
        if path.is_dir() {
            sources(&path, each);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            each(&std::fs::read_to_string(&path).unwrap());
        }
    }
}

/// Finds `#[utoipa::path(get, path = "…"` and `.route("…", get(…).post(…))`.
fn routes_of(text: &str, found: &mut BTreeSet<(String, String)>) {
    for part in text.split("#[utoipa::path(").skip(1) {
        let method = part.split(',').next().unwrap().trim().to_uppercase();
        let path = part.split("path = \"").nth(1).unwrap().split('"').next().unwrap();
        found.insert((method, path.to_owned()));
    }
    for part in text.split(".route(\"").skip(1) {
        let (path, rest) = part.split_once('"').unwrap();
        let handlers = rest.split(".route(").next().unwrap().split('\n').next().unwrap();
        for method in ["get", "post", "put", "patch", "delete"] {
            if handlers.contains(&format!("{method}(")) {
                found.insert((method.to_uppercase(), path.to_owned()));
            }
        }
    }
}

/// What somebody has: ids by what they name, several of each, so that one may be deleted.
type Things = BTreeMap<About, Vec<String>>;

const EACH: usize = 3;

async fn everybody_gets_what_is_theirs(world: World) {
    let api = Api::unlimited(world).await;
    let (bobs, private) = (things(&api, &api.bob, "bob").await, private(&api).await);
    nobody(&api, &bobs).await;
    for role in [Role::User, Role::Moderator, Role::Admin, Role::SuperAdmin] {
        let name = format!("{role:?}").to_lowercase();
        let person = api.person(&name, role).await;
        let mut own = things(&api, &person, &name).await;
        for row in MENTIONS.iter().chain(ROUTES) {
            theirs(&api, &person, role, row, &mut own, &bobs, &private).await;
        }
        keys(&api, &person, role, &bobs).await;
    }
}

/// Without a login, or with a token that is none, nothing but what everybody may see.
async fn nobody(api: &Api, bobs: &Things) {
    let dead = Person { user: api.ada.user, token: format!("{}x", api.ada.token) };
    for row in ROUTES {
        let (method, path, needs, about, body) = *row;
        let path = filled(path, id_of(bobs, about));
        let request = Request::builder().method(method).uri(&path).body(Body::from(body)).unwrap();
        let anonymous = api.send(request).await;
        let forged = api.ask_raw(&dead, method, &path, body).await;
        if needs == Nothing {
            assert!(anonymous.status < 500, "{method} {path}: {}", anonymous.text());
        } else {
            assert_eq!((anonymous.status, forged.status), (401, 401), "{method} {path}");
        }
    }
}

/// One person, one route: their own thing, one of another's, one of a private feed, and one that does not exist.
async fn theirs(api: &Api, person: &Person, role: Role, row: &Row, own: &mut Things, bobs: &Things, private: &Things) {
    let (method, path, needs, about, body) = *row;
    if NOT_ASKED_TO_THE_END.iter().any(|ends| path == *ends && method != "POST") || path == "/api/auth/logout" {
        return;
    }
    let case = |whose: &str, answer: &Answer| {
        format!("{role:?} {method} {path}, {whose}: {} {}", answer.status, answer.text())
    };
    let ask = async |id: &str| api.ask_raw(person, method, &filled(path, id), &filled(body, id)).await;
    let allowed = needs != Admin || matches!(role, Role::Admin | Role::SuperAdmin);
    if !matches!(about, A::Nothing | A::User | A::PublicFeed) {
        let unknown = ask(UNKNOWN_ID).await;
        // ReedMe shows an empty list.
        let missing = if path.starts_with("/reedme/api/items?feed_id") { 200 } else { 404 };
        assert_eq!(unknown.status, missing, "{}", case("unknown", &unknown));
        for (whose, things) in [("another user's", bobs), ("a private feed's", private)] {
            let Some(id) = things.get(&about).and_then(|ids| ids.first()) else { continue };
            // Icons of feeds that are not private are everybody's.
            if about == A::Icon && std::ptr::eq(things, bobs) {
                continue;
            }
            let answer = ask(id).await;
            assert_eq!(answer.status, missing, "{}", case(whose, &answer));
            let without_ids = |answer: &Answer, id: &str| answer.text().replace(id, "ID");
            assert_eq!(without_ids(&answer, id), without_ids(&unknown, UNKNOWN_ID), "{}", case(whose, &answer));
        }
    }
    let id = match own.get_mut(&about) {
        Some(ids) if method == "DELETE" && ids.len() > 1 => ids.pop().unwrap(),
        Some(ids) => ids[0].clone(),
        None => String::new(),
    };
    let answer = ask(&id).await;
    if !allowed {
        assert_eq!((answer.status, &answer.json()["reason"]), (403, &json!("role")), "{}", case("own", &answer));
    } else if needs != Nothing {
        let refused = [401, 403, 404, 405].contains(&answer.status);
        // A password that is wrong is refused for what it is.
        assert!(answer.status < 500 && (!refused || path == "/api/me/password"), "{}", case("own", &answer));
    }
}

/// A key does what its scope says, never what only a person may, and never more than its user.
async fn keys(api: &Api, person: &Person, role: Role, bobs: &Things) {
    let reads = api.key_of(person, &[Scope::ReaderRead]).await;
    for row in ROUTES {
        let (method, path, needs, about, body) = *row;
        if NOT_ASKED_TO_THE_END.contains(&path) {
            continue;
        }
        let id = id_of(bobs, about);
        let answer = api.ask_raw(&reads, method, &filled(path, id), &filled(body, id)).await;
        let reason = if answer.status == 403 { answer.json()["reason"].clone() } else { Value::Null };
        let case = format!("key of {role:?}: {method} {path}: {} {}", answer.status, answer.text());
        match needs {
            Nothing => assert!(answer.status < 500, "{case}"),
            Read => assert!(![401, 403, 405].contains(&answer.status), "{case}"),
            Human => assert_eq!((answer.status, reason), (403, json!("key")), "{case}"),
            // The thing is another's: either reason to refuse will do.
            Write | Admin => assert!(answer.status == 403 || (about != A::Nothing && answer.status == 404), "{case}"),
        }
    }
}

const UNKNOWN_ID: &str = "987654321";

fn id_of(things: &Things, about: About) -> &str {
    things.get(&about).map_or(UNKNOWN_ID, |ids| &ids[0])
}

fn filled(text: &str, id: &str) -> String {
    text.replace("{id}", id).replace("{hash}", id).replace("{month}", "2026-11")
}

/// Some of everything for somebody.
async fn things(api: &Api, person: &Person, name: &str) -> Things {
    let mut things = Things::new();
    let mut add = |about, id: String| things.entry(about).or_default().push(id);
    for number in 0..EACH {
        let feed = api.paused_feed(person, &format!("/{name}-{number}"), &format!("{name} {number}")).await;
        add(A::Feed, feed.0.to_string());
        add(A::PublicFeed, feed.0.to_string());
        add(A::Post, api.entry(&format!("{name} {number}")).await.to_string());
        let made = async |path: &str, body: Value| {
            let made = api.post(person, path, body).await;
            assert!(made.status == 201 || made.status == 200, "{path}: {}", made.text());
            made.json()["id"].to_string()
        };
        add(A::Category, made("/api/categories", json!({ "name": format!("c{number}") })).await);
        add(A::Tag, made("/api/tags", json!({ "name": format!("t{number}") })).await);
        let search = json!({ "name": format!("s{number}"), "query": "x" });
        add(A::Search, made("/api/saved-searches", search).await);
        add(A::Filter, made("/api/filters", serde_json::from_str(FILTER).unwrap()).await);
        let page = json!({ "url": format!("https://{name}.example/{number}"), "content": "x" });
        add(A::Bookmark, made("/api/bookmarks", page).await);
        add(A::Key, made("/api/me/keys", json!({ "name": "k" })).await);
        add(A::Session, api.session_of(person).await.to_string());
        add(A::Import, api.import_of(person).await.to_string());
        add(A::Icon, api.icon_of(feed).await);
        let swept = api.post(person, "/api/posts/mark-read", json!({ "all": true })).await.expect(200);
        add(A::Sweep, swept["undo"].as_str().unwrap().to_owned());
        add(A::User, api.person(&format!("{name}-{number}"), Role::User).await.user.0.to_string());
    }
    things
}

/// A private feed of Bob's, its post and its icon.
async fn private(api: &Api) -> Things {
    let feed = api.paused_feed(&api.bob, "/private", "secret").await;
    let store = api.world.engine.store();
    assert!(store.set_owner(feed, Some(api.bob.user), api.world.now()).await.unwrap());
    let post = api.entry("secret").await.to_string();
    let icon = api.icon_of(feed).await;
    Things::from([(A::Feed, vec![feed.0.to_string()]), (A::Post, vec![post]), (A::Icon, vec![icon])])
}
