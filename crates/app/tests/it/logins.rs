//! Logins over HTTP: passwords, signed tokens, sessions, keys, limits, and what a page of another site cannot do.

use data_encoding::BASE64URL_NOPAD;
use jiff::SignedDuration;
use model::UserId;
use model::access_scope::Scope;
use model::reader::Role;
use policy::limits::Window;
use serde_json::{Value, json};
use testkit::World;

use crate::site::{HOST, PROXY, Site};

on_both!(
    a_password_gives_a_token,
    too_many_failed_logins_have_to_wait,
    a_blocked_account_spares_known_addresses,
    a_flood_of_guesses_gets_no_more_than_its_limit,
    a_token_ends_with_what_it_was_given_for,
    a_forged_token_is_refused,
    a_logout_is_always_answered,
    a_cookie_says_what_it_is_for,
    a_page_of_another_site_cannot_write,
    a_cookie_of_another_server_is_no_harm,
    a_huge_password_is_not_hashed,
    sessions_are_listed_and_ended,
    a_password_is_changed_by_who_knows_it,
    a_key_does_what_its_scopes_say,
    users_are_managed_by_their_betters,
    requests_are_limited_for_each_session,
    the_reader_counts_addresses,
    pages_of_listed_origins_may_read,
    reedme_has_its_own_shape,
    a_first_password_is_chosen_once,
    people_log_in_with_a_form,
    what_nobody_serves_has_the_shape_of_errors,
    everybody_sees_what_their_login_is_good_for,
    a_restart_ends_no_login,
);

const PASSWORD: &str = "correct horse";

/// A site with a user for each role; all have the same password.
async fn site(world: &World) -> Site {
    with(world, |_| ()).await
}

async fn with(world: &World, change: impl FnOnce(&mut web::Options)) -> Site {
    let site = Site::with(world, change);
    let owner = world.engine.store().owner().await.unwrap().id;
    site.accounts.set_password(owner, PASSWORD).await.unwrap();
    for (name, role) in [("ada", Role::User), ("mod", Role::Moderator), ("admin", Role::Admin)] {
        site.accounts.add_user(name, role, Some(PASSWORD)).await.unwrap();
    }
    site
}

async fn id(site: &Site, name: &str) -> UserId {
    site.accounts.store().user(name).await.unwrap().id
}

fn typed(name: &str) -> Value {
    json!({ "username": name, "password": PASSWORD })
}

fn wrong(name: &str) -> Value {
    json!({ "username": name, "password": "wrong" })
}

async fn token(site: &Site, name: &str) -> String {
    let answer = site.post("/api/auth/login", &typed(name)).send().await;
    answer.json()["token"].as_str().unwrap_or_else(|| panic!("{}", answer.text)).to_owned()
}

/// The cookie and the CSRF token of a new session.
async fn session(site: &Site, name: &str) -> (String, String) {
    let answer = site.post("/api/auth/session", &typed(name)).own_page().send().await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    (answer.set_cookie().1.to_owned(), answer.json()["csrf_token"].as_str().unwrap().to_owned())
}

fn secs(seconds: i64) -> SignedDuration {
    SignedDuration::from_secs(seconds)
}

async fn a_password_gives_a_token(world: World) {
    let site = Site::new(&world);
    site.accounts.set_password(UserId(1), PASSWORD).await.unwrap();
    let answer = site.post("/api/auth/login", &json!({ "password": PASSWORD, "remember": true })).send().await;
    assert_eq!((answer.status, answer.header("set-cookie")), (200, ""), "{}", answer.text);
    assert_eq!(answer.json()["expires_at"], "2026-01-02T00:00:00Z");
    let token = answer.json()["token"].as_str().unwrap().to_owned();
    let me = site.get("/api/auth/me").bearer(&token).send().await.json();
    assert_eq!(
        (&me["authenticated"], &me["user"]["name"], &me["user"]["role"]),
        (&true.into(), &"owner".into(), &"super_admin".into())
    );
    assert_eq!(site.get("/api/auth/me").send().await.status, 401);
    let refused = site.post("/api/auth/login", &json!({ "password": "wrong" })).send().await;
    assert_eq!((refused.status, &refused.json()["detail"]), (401, &"Invalid password".into()));
    assert_eq!(refused.json()["code"], "invalid_password");
    site.accounts.add_user("Ada", Role::User, Some("another horse")).await.unwrap();
    let several = site.post("/api/auth/login", &json!({ "password": PASSWORD })).send().await;
    assert_eq!((several.status, &several.json()["code"]), (400, &"username_needed".into()), "whose password is it?");
    let unknown = site.post("/api/auth/login", &wrong("nobody")).send().await;
    assert_eq!(unknown.text, refused.text, "an unknown user looks like a wrong password");
    let others = json!({ "username": "ada", "password": PASSWORD });
    assert_eq!(site.post("/api/auth/login", &others).status().await, 401);
    let own = json!({ "username": " ADA", "password": "another horse" });
    assert_eq!(site.post("/api/auth/login", &own).status().await, 200);
    for (body, status) in [("", 400), ("{", 400), (r#"{"password": 7}"#, 422), ("{}", 422)] {
        let answer = site.ask("POST", "/api/auth/login").body(body).send().await;
        assert_eq!(answer.status, status, "{body}");
        assert!(answer.json()["detail"].is_string(), "{}", answer.text);
    }
}

async fn too_many_failed_logins_have_to_wait(world: World) {
    let site = site(&world).await;
    let attempt = async |body: &Value, peer: &str| site.post("/api/auth/login", body).from(peer).send().await;
    for second in 0..5 {
        assert_eq!(attempt(&wrong("ada"), "192.0.2.1").await.status, 401, "attempt {second}");
        world.advance(secs(1));
    }
    // Five seconds after the first of five.
    for body in [wrong("ada"), typed("ada"), typed("admin"), wrong("nobody")] {
        let refused = attempt(&body, "192.0.2.1").await;
        assert_eq!((refused.status, refused.header("retry-after")), (429, "55"), "{body}");
    }
    assert_eq!(attempt(&typed("ada"), "192.0.2.2").await.status, 200, "from elsewhere");
    let behind = site.post("/api/auth/login", &typed("ada")).from(PROXY).header("x-forwarded-for", "192.0.2.1");
    assert_eq!(behind.status().await, 429, "the same address behind a proxy");
    let forged = site.post("/api/auth/login", &typed("ada")).from("192.0.2.1").header("x-forwarded-for", "192.0.2.9");
    assert_eq!(forged.status().await, 429, "a header of no proxy");
    world.advance(secs(54));
    assert_eq!(attempt(&typed("ada"), "192.0.2.1").await.status, 429);
    world.advance(secs(1));
    assert_eq!(attempt(&typed("ada"), "192.0.2.1").await.status, 200, "refused attempts did not prolong the wait");
    for _ in 0..20 {
        assert_eq!(attempt(&typed("ada"), "192.0.2.3").await.status, 200, "successful ones do not count");
    }
}

async fn a_blocked_account_spares_known_addresses(world: World) {
    let site = site(&world).await;
    let attempt = async |body: &Value, peer: &str| site.post("/api/auth/login", body).from(peer).send().await;
    assert_eq!(attempt(&typed("ada"), "198.51.100.1").await.status, 200);
    for address in 0..10 {
        assert_eq!(attempt(&wrong("ada"), &format!("192.0.2.{address}")).await.status, 401);
        assert_eq!(attempt(&wrong("nobody"), &format!("203.0.113.{address}")).await.status, 401);
    }
    let blocked = attempt(&typed("ada"), "192.0.2.99").await;
    assert_eq!((blocked.status, blocked.header("retry-after")), (429, "300"));
    let unknown = attempt(&typed("nobody"), "192.0.2.98").await;
    assert_eq!((unknown.status, unknown.text), (429, blocked.text), "an unknown user is blocked the same way");
    assert_eq!(attempt(&typed("admin"), "192.0.2.99").await.status, 200, "another account");
    assert_eq!(attempt(&typed("ada"), "198.51.100.1").await.status, 200, "from where she has logged in before");
    world.advance(secs(300));
    assert_eq!(attempt(&typed("ada"), "192.0.2.99").await.status, 200);
}

async fn a_flood_of_guesses_gets_no_more_than_its_limit(world: World) {
    let site = std::sync::Arc::new(site(&world).await);
    let guesses = (0..40).map(|_| {
        let site = std::sync::Arc::clone(&site);
        tokio::spawn(async move { site.post("/api/auth/login", &wrong("ada")).status().await })
    });
    let mut tried = 0;
    for guess in guesses.collect::<Vec<_>>() {
        tried += usize::from(guess.await.unwrap() == 401);
    }
    // Two are hashed at once, so that one may slip through beside the fifth.
    assert!((5..=6).contains(&tried), "{tried} passwords were tried");
}

async fn a_token_ends_with_what_it_was_given_for(world: World) {
    let site = site(&world).await;
    let works = async |token: &str| site.get("/api/auth/me").bearer(token).status().await == 200;
    let store = site.accounts.store().clone();
    let (ada, other) = (id(&site, "ada").await, token(&site, "mod").await);

    let given = token(&site, "ada").await;
    let kept = token(&site, "ada").await;
    assert_eq!(site.ask("POST", "/api/auth/logout").bearer(&given).status().await, 200);
    assert!(!works(&given).await && works(&kept).await, "a logout ends one token");

    let given = token(&site, "ada").await;
    site.accounts.set_password(ada, PASSWORD).await.unwrap();
    assert!(!works(&given).await && !works(&kept).await, "a new password");
    let given = token(&site, "ada").await;
    store.set_role(ada, Role::Moderator).await.unwrap();
    assert!(!works(&given).await, "another role");
    let given = token(&site, "ada").await;
    assert!(works(&given).await);
    store.disable_user(ada, world.now()).await.unwrap();
    assert!(!works(&given).await, "disabled");
    assert_eq!(site.post("/api/auth/login", &typed("ada")).send().await.json()["code"], "account_disabled");
    assert_eq!(site.post("/api/auth/login", &wrong("ada")).send().await.json()["code"], "invalid_password");
    store.enable_user(ada).await.unwrap();
    assert!(!works(&given).await, "enabled again");
    let given = token(&site, "ada").await;
    store.delete_user(ada, world.now(), world.now()).await.unwrap();
    assert!(!works(&given).await, "deleted");
    world.advance(secs(1));
    site.accounts.add_user("ada", Role::User, Some(PASSWORD)).await.unwrap();
    assert!(!works(&given).await, "a new user of the same name, and on SQLite with the same id");

    assert!(works(&other).await, "nobody else was concerned");
    world.advance(SignedDuration::from_hours(24) - secs(2));
    assert!(works(&other).await);
    world.advance(secs(1));
    assert!(!works(&other).await, "a day has passed");
}

async fn a_forged_token_is_refused(world: World) {
    let site = site(&world).await;
    let good = token(&site, "ada").await;
    let parts: Vec<&str> = good.split('.').collect();
    let mut claims: Value = serde_json::from_slice(&BASE64URL_NOPAD.decode(parts[1].as_bytes()).unwrap()).unwrap();
    claims["sub"] = "1".into();
    let claims = BASE64URL_NOPAD.encode(claims.to_string().as_bytes());
    let none = BASE64URL_NOPAD.encode(br#"{"typ":"JWT","alg":"none"}"#);
    let other_site = World::sqlite().await;
    let elsewhere = accounts::Accounts::new(accounts::Parts {
        store: other_site.engine.store().clone(),
        clock: site.accounts.clock().clone(),
        root_secret: b"the secret of another installation",
        passwords: accounts::Passwords::cheap_for_tests(),
        options: accounts::Options::default(),
    });
    let account = world.engine.store().account(UserId(1)).await.unwrap().unwrap();
    for forged in [
        format!("{}.{claims}.{}", parts[0], parts[2]),
        format!("{none}.{claims}."),
        format!("{none}.{}.", parts[1]),
        format!("{none}.{}.{}", parts[1], parts[2]),
        elsewhere.issue_token(&account).token,
        good[..good.len() - 1].to_owned(),
        format!("courant_{}", "a".repeat(52)),
        String::new(),
    ] {
        assert_eq!(site.get("/api/auth/me").bearer(&forged).status().await, 401, "{forged}");
    }
    assert_eq!(site.get("/api/auth/me").header("authorization", &format!("bearer {good}")).status().await, 200);
    for other in [format!("Basic {good}"), good.clone(), "Bearer".into()] {
        assert_eq!(site.get("/api/auth/me").header("authorization", &other).status().await, 401, "{other}");
    }
    let (cookie, _) = session(&site, "ada").await;
    let both = site.get("/api/auth/me").bearer("wrong").cookie(&cookie);
    assert_eq!(both.status().await, 401, "a wrong token is not made good by a cookie");
}

async fn a_logout_is_always_answered(world: World) {
    let site = site(&world).await;
    let token = token(&site, "ada").await;
    let (cookie, _) = session(&site, "ada").await;
    let logout = || site.ask("POST", "/api/auth/logout");
    let revoked = || logout().bearer(&token);
    for ask in [revoked(), revoked(), logout(), logout().bearer("nonsense"), logout().header("authorization", "x")] {
        let answer = ask.send().await;
        assert_eq!((answer.status, answer.json()), (200, json!({ "ok": true })));
    }
    let me = async || site.get("/api/auth/me").cookie(&cookie).status().await;
    assert_eq!(logout().cookie(&cookie).header("origin", "https://evil.example").status().await, 200);
    assert_eq!(me().await, 200, "another site cannot log somebody out");
    let answer = logout().cookie(&cookie).own_page().send().await;
    assert_eq!(
        (answer.status, answer.set_cookie()),
        (200, ("session", "", "Path=/; HttpOnly; SameSite=Lax; Max-Age=0"))
    );
    assert_eq!(me().await, 401);
}

async fn a_cookie_says_what_it_is_for(world: World) {
    let site = site(&world).await;
    let login = || site.post("/api/auth/session", &typed("ada"));
    let attributes = "Path=/; HttpOnly; SameSite=Lax; Max-Age=2592000";
    let answer = login().send().await;
    let (name, plain, found) = answer.set_cookie();
    assert_eq!((name, found), ("session", attributes));
    assert!(!answer.text.contains(plain), "the body does not say the secret");
    let answer = login().from(PROXY).header("x-forwarded-proto", "https").send().await;
    let (name, value, found) = answer.set_cookie();
    assert_eq!((name, found), ("__Host-session", format!("{attributes}; Secure").as_str()));
    let secure = site.get("/api/auth/me").from(PROXY).header("x-forwarded-proto", "https");
    let cookie = format!("__Host-session={value}");
    assert_eq!(secure.header("cookie", &cookie).status().await, 200);
    assert_eq!(site.get("/api/auth/me").header("cookie", &cookie).status().await, 401, "only by HTTPS");
    let secure = site.get("/api/auth/me").from(PROXY).header("x-forwarded-proto", "https");
    assert_eq!(secure.cookie(plain).status().await, 401, "a plain cookie may be anybody's");
    let answer = login().from("192.0.2.7").header("x-forwarded-proto", "https").send().await;
    assert_eq!(answer.set_cookie().0, "session", "who is no proxy is not believed");
    let other = login().send().await;
    assert_ne!(other.set_cookie().1, plain, "each login has a session of its own");
    world.advance(SignedDuration::from_hours(30 * 24) - secs(1));
    assert_eq!(site.get("/api/auth/me").cookie(plain).status().await, 200);
    world.advance(secs(1));
    assert_eq!(site.get("/api/auth/me").cookie(plain).status().await, 401, "after 30 days");
}

async fn a_page_of_another_site_cannot_write(world: World) {
    let site = site(&world).await;
    let (cookie, csrf) = session(&site, "ada").await;
    let (_, others_csrf) = session(&site, "mod").await;
    let bearer = token(&site, "ada").await;
    let write = || site.ask("DELETE", "/api/me/sessions").cookie(&cookie);
    let own = format!("http://{HOST}");
    let check = async |case: &str, headers: &[(&str, &str)], expected: (u16, &str)| {
        let ask = headers.iter().fold(write(), |ask, (name, value)| ask.header(name, value));
        let answer = ask.send().await;
        assert_eq!((answer.status, answer.json()["code"].as_str().unwrap_or_default()), expected, "{case}");
    };
    let token = ("x-csrf-token", csrf.as_str());
    check("a page of ours", &[("origin", &own), token], (200, "")).await;
    check("by HTTPS, behind a proxy", &[("origin", &format!("https://{HOST}")), token], (200, "")).await;
    check("a browser that says where", &[("sec-fetch-site", "same-origin"), token], (200, "")).await;
    check("a listed origin", &[("origin", "https://reader.example"), token], (200, "")).await;
    check("neither header", &[token], (403, "cross_origin")).await;
    check("another site", &[("origin", "https://evil.example"), token], (403, "cross_origin")).await;
    check("another port", &[("origin", &format!("http://{HOST}:81")), token], (403, "cross_origin")).await;
    check("nowhere", &[("origin", "null"), token], (403, "cross_origin")).await;
    check("a neighbour", &[("sec-fetch-site", "same-site"), token], (403, "cross_origin")).await;
    check("no token", &[("origin", &own)], (403, "csrf")).await;
    check("a wrong token", &[("origin", &own), ("x-csrf-token", "x")], (403, "csrf")).await;
    check("another session's", &[("origin", &own), ("x-csrf-token", &others_csrf)], (403, "csrf")).await;
    let read = site.get("/api/me/sessions").cookie(&cookie).header("origin", "https://evil.example");
    assert_eq!(read.status().await, 200, "reading needs no proof; the other page does not see the answer");
    let both = write().bearer(&bearer).header("origin", "https://evil.example");
    assert_eq!(both.status().await, 200, "a token is proof enough, whatever cookies come along");
    let evil = site.post("/api/auth/session", &typed("ada")).header("origin", "https://evil.example");
    assert_eq!(evil.status().await, 403, "nor may it log somebody in");
    let (cookie, _) = session(&site, "ada").await;
    let logout = || site.ask("DELETE", "/reedme/api/sessions").cookie(&cookie);
    assert_eq!(logout().header("origin", "https://evil.example").status().await, 403);
    assert_eq!(logout().own_page().status().await, 204, "ReedMe sends no CSRF token");
}

async fn a_cookie_of_another_server_is_no_harm(world: World) {
    let site = site(&world).await;
    let (cookie, _) = session(&site, "ada").await;
    let me = async |header: String| site.get("/api/auth/me").header("cookie", &header).status().await;
    assert_eq!(me(format!("session=of-another-server; theme=dark; session={cookie}")).await, 200);
    assert_eq!(me(format!("session={cookie}; session=of-another-server")).await, 200);
    assert_eq!(me("session=of-another-server".into()).await, 401);
    assert_eq!(me(format!("Session={cookie}")).await, 401);
    assert_eq!(me(format!("session={}", "x".repeat(10_000))).await, 401);
}

async fn a_huge_password_is_not_hashed(world: World) {
    let site = site(&world).await;
    let huge = json!({ "username": "ada", "password": "x".repeat(10 << 20) });
    let answer = site.post("/api/auth/login", &huge).send().await;
    assert_eq!((answer.status, &answer.json()["code"]), (413, &"too_large".into()));
    let long = json!({ "username": "ada", "password": "x".repeat(1_025) });
    assert_eq!(site.post("/api/auth/login", &long).status().await, 401);
    let token = token(&site, "ada").await;
    let change = json!({ "current": PASSWORD, "new": "xy".repeat(600) });
    let answer = site.ask("PUT", "/api/me/password").json(&change).bearer(&token).send().await;
    assert_eq!((answer.status, &answer.json()["reason"]), (422, &"new".into()), "{}", answer.text);
}

async fn sessions_are_listed_and_ended(world: World) {
    let site = site(&world).await;
    let (first, csrf) = session(&site, "ada").await;
    let (second, _) = session(&site, "ada").await;
    let (others, _) = session(&site, "mod").await;
    let list = site.get("/api/me/sessions").cookie(&first).header("user-agent", "x").send().await.json();
    let list = list.as_array().unwrap();
    let current: Vec<bool> = list.iter().map(|row| row["current"].as_bool().unwrap()).collect();
    assert_eq!(current, [false, true]);
    assert_eq!(list[0]["address"], "192.0.2.1");
    let end = |id: &Value| {
        let ask = site.ask("DELETE", &format!("/api/me/sessions/{id}")).cookie(&first).own_page();
        ask.header("x-csrf-token", &csrf)
    };
    let of_mod = site.get("/api/me/sessions").cookie(&others).send().await.json()[0]["id"].clone();
    assert_eq!(end(&of_mod).status().await, 404, "another user's");
    assert_eq!(end(&list[0]["id"]).status().await, 204);
    assert_eq!(end(&list[0]["id"]).status().await, 404);
    let works = async |cookie: &str| site.get("/api/auth/me").cookie(cookie).status().await == 200;
    assert!(works(&first).await && !works(&second).await && works(&others).await);
    let (third, _) = session(&site, "ada").await;
    let rest = site.ask("DELETE", "/api/me/sessions").cookie(&first).own_page().header("x-csrf-token", &csrf);
    assert_eq!(rest.send().await.json(), json!({ "ended": 1 }));
    assert!(works(&first).await && !works(&third).await && works(&others).await);
}

async fn a_password_is_changed_by_who_knows_it(world: World) {
    let site = site(&world).await;
    let (cookie, csrf) = session(&site, "ada").await;
    let (other, _) = session(&site, "ada").await;
    let change = async |current: &str, new: &str| {
        let body = json!({ "current": current, "new": new });
        let ask = site.ask("PUT", "/api/me/password").json(&body).cookie(&cookie).own_page();
        ask.header("x-csrf-token", &csrf).send().await
    };
    let wrong = change("wrong", "a new password").await;
    assert_eq!((wrong.status, &wrong.json()["code"]), (403, &"invalid_password".into()));
    let weak = change(PASSWORD, "short").await;
    assert_eq!((weak.status, &weak.json()["reason"]), (422, &"new".into()));
    let changed = change(PASSWORD, "a new password").await;
    assert_eq!(changed.status, 200, "{}", changed.text);
    let me = async |cookie: &str| site.get("/api/auth/me").cookie(cookie).status().await;
    assert_eq!((me(&cookie).await, me(&other).await), (401, 401), "all sessions have ended");
    assert_eq!(me(changed.set_cookie().1).await, 200, "but for the new one");
    assert_eq!(site.post("/api/auth/login", &typed("ada")).status().await, 401);
    let new = json!({ "username": "ada", "password": "a new password" });
    assert_eq!(site.post("/api/auth/login", &new).status().await, 200);
}

async fn a_key_does_what_its_scopes_say(world: World) {
    let site = site(&world).await;
    let (cookie, csrf) = session(&site, "ada").await;
    let make = async |body: Value| {
        let ask = site.post("/api/me/keys", &body).cookie(&cookie).own_page().header("x-csrf-token", &csrf);
        ask.send().await
    };
    let made = make(json!({ "name": "script" })).await;
    assert_eq!((made.status, &made.json()["scopes"]), (201, &json!(["reader:read"])), "{}", made.text);
    let key = made.json()["token"].as_str().unwrap().to_owned();
    assert!(key.starts_with("courant_") && key.len() == 60, "{key}");
    for (body, reason) in [
        (json!({ "name": "" }), "name"),
        (json!({ "name": "x", "scopes": ["everything"] }), "scopes"),
        (json!({ "name": "x", "expires_at": "2020-01-01T00:00:00Z" }), "expires_at"),
    ] {
        let refused = make(body).await;
        assert_eq!((refused.status, refused.json()["reason"].as_str()), (422, Some(reason)), "{}", refused.text);
    }
    let unknown = make(json!({ "name": "x", "scope": "admin" })).await;
    assert!(unknown.status == 422 && unknown.text.contains("unknown field"), "{}", unknown.text);
    let me = site.get("/api/auth/me").bearer(&key).send().await.json();
    assert_eq!((&me["via"], &me["scopes"]), (&"key".into(), &json!(["reader:read"])));
    let more = site.post("/api/me/keys", &json!({ "name": "more" })).bearer(&key).send().await;
    assert_eq!((more.status, &more.json()["reason"]), (403, &"key".into()), "a key makes no keys");
    let list = site.get("/api/me/keys").cookie(&cookie).send().await;
    assert!(list.json()[0]["prefix"].as_str().is_some_and(|prefix| key.starts_with(prefix)), "{}", list.text);
    assert!(!list.text.contains(&key) && list.json()[0]["last_used_at"].is_string(), "{}", list.text);
    let path = format!("/api/me/keys/{}", made.json()["id"]);
    let revoke =
        async || site.ask("DELETE", &path).cookie(&cookie).own_page().header("x-csrf-token", &csrf).status().await;
    assert_eq!((revoke().await, revoke().await), (204, 404));
    assert_eq!(site.get("/api/auth/me").bearer(&key).status().await, 401);

    let users = async |user: &str, scopes: &[Scope]| {
        let key = site.accounts.create_key(id(&site, user).await, "k", scopes, None).await.unwrap();
        let answer = site.get("/admin/api/users").bearer(&key.token).send().await;
        (answer.status, answer.json()["reason"].as_str().map(str::to_owned))
    };
    assert_eq!(users("admin", &[Scope::Admin]).await, (200, None));
    assert_eq!(users("admin", &[Scope::ReaderWrite, Scope::EngineWrite]).await, (403, Some("scope".into())));
    assert_eq!(users("ada", &[Scope::Admin]).await, (403, Some("role".into())), "a scope adds nothing to a role");
    let ends = Some(world.now() + secs(60));
    let key = site.accounts.create_key(id(&site, "ada").await, "k", &[Scope::ReaderRead], ends).await.unwrap();
    world.advance(secs(60));
    assert_eq!(site.get("/api/auth/me").bearer(&key.token).status().await, 401, "it has ended");
}

async fn users_are_managed_by_their_betters(world: World) {
    let site = site(&world).await;
    let (owner, admin, moderator) =
        (token(&site, "owner").await, token(&site, "admin").await, token(&site, "mod").await);
    let new = |name: &str, role: &str| json!({ "name": name, "role": role, "password": PASSWORD });
    let add = async |token: &str, body: &Value| site.post("/admin/api/users", body).bearer(token).send().await;
    assert_eq!(site.get("/admin/api/users").status().await, 401);
    assert_eq!(add(&moderator, &new("x", "user")).await.status, 403);
    assert_eq!(add(&admin, &new("x", "admin")).await.status, 403);
    let added = add(&admin, &new("eve", "moderator")).await;
    assert_eq!((added.status, &added.json()["role"]), (201, &"moderator".into()), "{}", added.text);
    assert_eq!(add(&admin, &new("EVE", "user")).await.json()["code"], "name_taken");
    assert_eq!(add(&admin, &new("a b", "user")).await.json()["reason"], "name");
    assert_eq!(add(&admin, &json!({ "name": "weak", "password": "short" })).await.json()["reason"], "password");
    assert_eq!(add(&admin, &new("x", "emperor")).await.json()["reason"], "role");
    let unknown = add(&admin, &json!({ "name": "x", "is_admin": true })).await;
    assert_eq!(unknown.status, 422, "{}", unknown.text);
    assert_eq!(add(&owner, &new("second", "super_admin")).await.status, 201);

    let change = async |token: &str, user: UserId, body: Value| {
        site.ask("PATCH", &format!("/admin/api/users/{user}")).json(&body).bearer(token).send().await
    };
    let eve = id(&site, "eve").await;
    assert_eq!(change(&admin, eve, json!({ "role": "admin" })).await.status, 403);
    assert_eq!(change(&admin, eve, json!({ "role": "user" })).await.json()["role"], "user");
    assert_eq!(change(&admin, UserId(1), json!({ "password": "another horse" })).await.status, 403);
    let eves = token(&site, "eve").await;
    assert_eq!(change(&admin, eve, json!({ "disabled": true })).await.json()["disabled"], true);
    assert_eq!(site.get("/api/auth/me").bearer(&eves).status().await, 401);
    assert_eq!(change(&admin, eve, json!({ "disabled": false })).await.json()["disabled"], false);
    assert_eq!(change(&admin, UserId(99), json!({})).await.status, 404);
    assert_eq!(change(&admin, eve, json!({ "id": 1 })).await.status, 422);

    let remove = async |token: &str, user: UserId| {
        site.ask("DELETE", &format!("/admin/api/users/{user}")).bearer(token).send().await
    };
    assert_eq!(remove(&admin, UserId(1)).await.status, 403);
    assert_eq!(remove(&admin, eve).await.status, 204);
    assert_eq!(remove(&admin, eve).await.status, 404);
    let second = id(&site, "second").await;
    assert_eq!(remove(&owner, second).await.status, 204);
    for answer in [
        remove(&owner, UserId(1)).await,
        change(&owner, UserId(1), json!({ "role": "user" })).await,
        change(&owner, UserId(1), json!({ "disabled": true })).await,
    ] {
        assert_eq!((answer.status, &answer.json()["code"]), (409, &"last_super_admin".into()));
    }
    let names = site.get("/admin/api/users").bearer(&admin).send().await.json();
    assert_eq!(names.as_array().unwrap().len(), 4);
    assert!(!names.to_string().contains("argon2"), "{names}");
}

async fn requests_are_limited_for_each_session(world: World) {
    let site = with(&world, |options| options.limits.api = Window::a_minute(3)).await;
    let (first, second) = (token(&site, "ada").await, token(&site, "ada").await);
    let (cookie, _) = session(&site, "ada").await;
    for _ in 0..3 {
        assert_eq!(site.get("/api/auth/me").bearer(&first).status().await, 200);
    }
    let refused = site.get("/api/auth/me").bearer(&first).send().await;
    assert_eq!((refused.status, refused.header("retry-after")), (429, "20"), "{}", refused.text);
    assert_eq!(site.get("/api/auth/me").bearer(&second).status().await, 200, "another token");
    assert_eq!(site.get("/api/auth/me").cookie(&cookie).status().await, 200, "a session");
    assert_eq!(site.get("/api/health").status().await, 200);
    world.advance(secs(20));
    assert_eq!(site.get("/api/auth/me").bearer(&first).status().await, 200);
    for n in 0..3 {
        assert_eq!(site.get("/api/auth/me").bearer(&format!("guess {n}")).status().await, 401);
    }
    assert_eq!(site.get("/api/auth/me").bearer("guess 4").status().await, 429, "guesses count for their address");
    assert_eq!(site.get("/api/auth/me").bearer("guess 4").from("192.0.2.2").status().await, 401);
    assert_eq!(site.ask("POST", "/api/auth/logout").status().await, 200, "a logout is never too much");
}

async fn the_reader_counts_addresses(world: World) {
    let site = with(&world, |options| {
        options.limits = policy::limits::RequestLimits::preset(policy::Preset::Reader);
    })
    .await;
    let (one, two) = (token(&site, "ada").await, token(&site, "mod").await);
    for n in 0..100 {
        let token = if n % 2 == 0 { &one } else { &two };
        assert_eq!(site.get("/api/auth/me").bearer(token).status().await, 200, "{n}");
    }
    assert_eq!(site.get("/api/auth/me").bearer(&one).status().await, 429);
    assert_eq!(site.get("/api/auth/me").bearer(&one).from("192.0.2.2").status().await, 200);
}

async fn pages_of_listed_origins_may_read(world: World) {
    let site = site(&world).await;
    let token = token(&site, "ada").await;
    let preflight = async |origin: &str| {
        let ask = site.ask("OPTIONS", "/api/me/keys").header("origin", origin);
        ask.header("access-control-request-method", "PATCH").send().await
    };
    let allowed = preflight("https://reader.example").await;
    assert_eq!((allowed.status, allowed.header("access-control-allow-origin")), (204, "https://reader.example"));
    assert_eq!(allowed.header("access-control-allow-credentials"), "true");
    for method in ["PATCH", "DELETE", "PUT"] {
        assert!(allowed.header("access-control-allow-methods").contains(method));
    }
    assert!(allowed.header("access-control-allow-headers").contains("content-type"));
    let refused = preflight("https://evil.example").await;
    assert_eq!((refused.status, refused.header("access-control-allow-origin")), (405, ""));
    let read = async |origin: &str| {
        let answer = site.get("/api/auth/me").bearer(&token).header("origin", origin).send().await;
        (answer.header("access-control-allow-origin").to_owned(), answer.header("vary").to_owned())
    };
    assert_eq!(read("https://reader.example").await, ("https://reader.example".into(), "Origin".into()));
    assert_eq!(read("https://evil.example").await, (String::new(), "Origin".into()));
    assert_eq!(read(&format!("http://{HOST}")).await.0, "");
}

async fn reedme_has_its_own_shape(world: World) {
    let site = Site::new(&world);
    site.accounts.set_password(UserId(1), PASSWORD).await.unwrap();
    let refused = site.post("/reedme/api/sessions", &json!({ "password": "wrong" })).own_page().send().await;
    assert_eq!((refused.status, refused.json()), (401, json!({ "error": "Invalid password" })));
    let answer = site.post("/reedme/api/sessions", &json!({ "password": PASSWORD })).own_page().send().await;
    assert_eq!((answer.status, &answer.json()["data"]["user"]["name"]), (200, &"owner".into()));
    assert_eq!(answer.set_cookie().2, "Path=/; HttpOnly; SameSite=Lax; Max-Age=2592000");
    let bad = site.ask("POST", "/reedme/api/sessions").body("{").own_page().send().await;
    assert!(bad.status == 400 && bad.json()["error"].is_string(), "{}", bad.text);
    for _ in 0..4 {
        site.post("/reedme/api/sessions", &json!({ "password": "wrong" })).status().await;
    }
    let limited = site.post("/reedme/api/sessions", &json!({ "password": PASSWORD })).send().await;
    assert_eq!((limited.status, limited.header("retry-after")), (429, "60"), "{}", limited.text);
    assert!(limited.json()["error"].is_string());
}

async fn a_first_password_is_chosen_once(world: World) {
    let site = Site::new(&world);
    let token = site.accounts.setup_token().await.unwrap().unwrap();
    let second = site.accounts.setup_token().await.unwrap().unwrap();
    let page = site.get(&format!("/setup?token={token}")).send().await;
    assert!(page.status == 200 && page.text.contains("Choose a password for <strong>owner"), "{}", page.text);
    assert!(
        !page.text.contains("<script") && !page.text.contains("style="),
        "the content security policy forbids them"
    );
    let login = site.get("/login").send().await;
    assert!(login.text.contains("Nobody has chosen a password yet"), "{}", login.text);
    let form = |token: &str, one: &str, two: &str| {
        let body = format!("token={token}&password={one}&again={two}");
        site.ask("POST", "/setup").body(body)
    };
    assert_eq!(form(&token, "correct+horse", "correct+horse").status().await, 403, "no proof of origin");
    let differ = form(&token, "correct+horse", "other").own_page().send().await;
    assert!(differ.status == 422 && differ.text.contains("The two passwords differ"), "{}", differ.text);
    let weak = form(&token, "short", "short").own_page().send().await;
    assert!(weak.status == 422 && weak.text.contains("at least 8 characters"), "{}", weak.text);
    let done = form(&token, "correct+horse", "correct+horse").own_page().send().await;
    assert_eq!((done.status, done.header("location")), (303, "/"), "{}", done.text);
    assert_eq!(site.get("/api/auth/me").cookie(done.set_cookie().1).status().await, 200, "and is logged in");
    for token in [token.as_str(), second.as_str(), "nonsense", ""] {
        assert_eq!(site.get(&format!("/setup?token={token}")).status().await, 410);
        assert_eq!(form(token, "correct+horse", "correct+horse").own_page().status().await, 410);
    }
    assert_eq!(site.accounts.setup_token().await.unwrap(), None, "no links any more");
    assert_eq!(site.post("/api/auth/login", &json!({ "password": PASSWORD })).status().await, 200);
}

async fn people_log_in_with_a_form(world: World) {
    let site = site(&world).await;
    let page = site.get("/login?next=/read").send().await;
    assert!(page.text.contains("name=\"username\"") && page.text.contains("value=\"/read\""), "{}", page.text);
    let form = |body: &str| site.ask("POST", "/login").body(body).own_page();
    let done = form("username=ada&password=correct+horse&next=%2Fread").send().await;
    assert_eq!((done.status, done.header("location")), (303, "/read"));
    let cookie = done.set_cookie().1.to_owned();
    assert!(site.get("/login").cookie(&cookie).send().await.text.contains("logged in as <strong>ada</strong>"));
    let away = form("username=ada&password=correct+horse&next=%2F%2Fevil.example").send().await;
    assert_eq!((away.status, away.header("location")), (303, "/"));
    for n in 0..5 {
        let wrong = form("username=%3Cada%3E&password=wrong").send().await;
        assert!(wrong.status == 401 && wrong.text.contains("password is wrong"), "{n}: {}", wrong.text);
        assert!(wrong.text.contains("value=\"&lt;ada&gt;\""), "{}", wrong.text);
    }
    let wait = form("username=ada&password=correct+horse").send().await;
    assert_eq!((wait.status, wait.header("retry-after")), (429, "60"));
    assert!(wait.text.contains("try again in 60 s"), "{}", wait.text);
    let evil = site.ask("POST", "/login").body("username=ada&password=correct+horse");
    assert_eq!(evil.header("origin", "https://evil.example").status().await, 403);
    let style = site.get("/assets/plain.css").send().await;
    assert_eq!((style.status, style.header("content-type")), (200, "text/css; charset=utf-8"));
}

async fn what_nobody_serves_has_the_shape_of_errors(world: World) {
    let site = Site::new(&world);
    for (method, path, status, code) in [
        ("GET", "/nowhere", 404, "not_found"),
        ("POST", "/api/nowhere", 404, "not_found"),
        ("PUT", "/api/auth/login", 405, "method_not_allowed"),
        ("GET", "/api/me/keys", 401, "unauthorized"),
    ] {
        let answer = site.ask(method, path).send().await;
        let body = answer.json();
        assert_eq!((answer.status, body["code"].as_str()), (status, Some(code)), "{method} {path}");
        assert!(body["error"].is_string() && body["detail"].is_string(), "{body}");
    }
    assert_eq!(site.ask("PUT", "/api/auth/login").send().await.header("allow"), "POST");
}

/// Two tabs of one session, another user, a session that has expired, a token that was given back, and a user who is gone.
async fn everybody_sees_what_their_login_is_good_for(world: World) {
    let site = site(&world).await;
    let store = site.accounts.store().clone();
    let (old, _) = session(&site, "ada").await;
    world.advance(SignedDuration::from_hours(29 * 24));
    let (tab, csrf) = session(&site, "ada").await;
    let (other, _) = session(&site, "mod").await;
    let revoked = token(&site, "ada").await;
    site.ask("POST", "/api/auth/logout").bearer(&revoked).send().await;
    let gone = site.accounts.add_user("gone", Role::User, Some(PASSWORD)).await;
    assert!(matches!(gone, Ok(accounts::AddedUser::Added(_))));
    let (left, _) = session(&site, "gone").await;
    store.delete_user(id(&site, "gone").await, world.now(), world.now()).await.unwrap();
    world.advance(SignedDuration::from_hours(2 * 24));

    let made = site.post("/api/categories", &json!({ "name": "News" })).cookie(&tab).own_page();
    assert_eq!(made.header("x-csrf-token", &csrf).status().await, 201, "the first tab writes");
    let names = async |cookie: &str| -> Vec<String> {
        let listed = site.get("/api/categories").cookie(cookie).send().await.json();
        listed.as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(names(&tab).await, ["Default", "News"], "the second tab sees it");
    assert_eq!(names(&other).await, ["Default"], "another user does not");
    for (who, cookie) in [("an expired session", &old), ("a deleted user", &left)] {
        let refused = site.get("/api/categories").cookie(cookie).send().await;
        assert_eq!((refused.status, &refused.json()["code"]), (401, &json!("unauthorized")), "{who}");
    }
    assert_eq!(site.get("/api/categories").bearer(&revoked).status().await, 401, "a token that was given back");
    assert_eq!(site.get("/api/auth/me").cookie(&tab).status().await, 200, "nobody else is concerned");
}

async fn a_restart_ends_no_login(world: World) {
    let before = site(&world).await;
    let ((cookie, csrf), token) = (session(&before, "ada").await, token(&before, "ada").await);
    let key =
        before.accounts.create_key(id(&before, "ada").await, "key", &[Scope::ReaderRead], None).await.unwrap().token;
    drop(before);
    let after = Site::new(&world);
    assert_eq!(after.get("/api/auth/me").cookie(&cookie).send().await.json()["csrf_token"], csrf);
    for bearer in [&token, &key] {
        assert_eq!(after.get("/api/auth/me").bearer(bearer).status().await, 200);
    }
}
