//! Accounts: users, sessions, keys, given-back tokens, identities, links, failed logins.

use crate::support::{Database, HOUR, MINUTE, SECOND, on_both, start};
use jiff::Timestamp;
use model::account::Account;
use model::reader::Role;
use model::{FeedId, UserId};
use store::{Changed, Linked, NewFeed, NewKey, NewSession, OidcLogin, Store, StoreError};
use uuid::Uuid;

on_both!(
    names_are_compared_without_regard_to_case,
    a_change_of_an_account_ends_its_sessions_and_tokens,
    the_last_super_admin_stays,
    two_super_admins_cannot_demote_each_other_at_once,
    a_deleted_user_leaves_nothing_behind,
    a_new_user_with_an_old_id_has_another_generation,
    a_session_is_read_with_its_user_until_it_ends,
    a_session_is_touched_once_a_minute,
    a_login_that_was_overtaken_begins_no_session,
    a_user_ends_only_their_own_sessions,
    a_key_works_until_it_is_revoked_or_ends,
    a_token_that_was_given_back_is_refused,
    an_identity_belongs_to_one_user,
    a_login_at_a_provider_comes_back_once_and_in_time,
    a_setup_link_sets_one_password,
    failed_logins_are_counted_per_subject,
    settings_are_kept_per_user,
    what_has_expired_is_forgotten,
);

async fn user(store: &Store, name: &str, role: Role) -> UserId {
    store.add_account(name, role, Some("hash"), start()).await.unwrap()
}

async fn account(store: &Store, user: UserId) -> Account {
    store.account(user).await.unwrap().unwrap()
}

fn new_session(account: &Account, token: u8) -> NewSession<'static> {
    NewSession {
        token_hash: [token; 32],
        user: account.user,
        generation: account.generation,
        expires_at: start() + HOUR,
        address: Some("192.0.2.1"),
        agent: Some("Browser"),
    }
}

async fn begin(store: &Store, user: UserId, token: u8) -> model::SessionId {
    store.create_session(&new_session(&account(store, user).await, token), start()).await.unwrap().unwrap()
}

async fn names_are_compared_without_regard_to_case(db: Database) {
    let ada = user(&db.store, "Zoë.Ada", Role::User).await;
    for name in ["zoë.ada", "ZOË.ADA", "zoe\u{308}.ada"] {
        assert_eq!(db.store.user(name).await.unwrap().id, ada, "{name}");
        let (found, hash) = db.store.login(Some(name)).await.unwrap().unwrap();
        assert_eq!((found.user, found.name.as_str(), hash.as_deref()), (ada, "Zoë.Ada", Some("hash")));
        let twice = db.store.add_user(name, Role::User, start()).await;
        assert!(matches!(twice, Err(StoreError::Conflict { .. })), "{name}: {twice:?}");
    }
    assert!(db.store.login(Some("zoe.ada")).await.unwrap().is_none());
    assert!(db.store.login(None).await.unwrap().is_none(), "there are two users");
    let names: Vec<_> = db.store.accounts().await.unwrap().into_iter().map(|account| account.name).collect();
    assert_eq!(names, ["owner", "Zoë.Ada"]);
}

async fn a_change_of_an_account_ends_its_sessions_and_tokens(db: Database) {
    let store = &db.store;
    let ada = user(store, "ada", Role::User).await;
    let other = user(store, "other", Role::User).await;
    begin(store, other, 99).await;
    let mut token = 0;
    let mut check =
        async |what: &str, change: &dyn Fn() -> std::pin::Pin<Box<dyn Future<Output = Changed>>>, ends: bool| {
            token += 1;
            let before = account(store, ada).await;
            let session = store.create_session(&new_session(&before, token), start()).await.unwrap();
            assert_eq!(change().await, if ends { Changed::Done } else { Changed::Already }, "{what}");
            let after = account(store, ada).await;
            assert_eq!(after.generation > before.generation, ends, "{what}");
            let there = store.session(&[token; 32], start()).await.unwrap().is_some();
            assert_eq!(there, session.is_some() && !ends, "{what}");
        };
    macro_rules! verb {
        ($what:literal, $ends:literal, $($call:tt)*) => {{
            let one = store.clone();
            check($what, &move || { let store = one.clone(); Box::pin(async move { store.$($call)*.await.unwrap() }) }, $ends).await;
        }};
    }
    verb!("role", true, set_role(ada, Role::Moderator));
    verb!("the same role", false, set_role(ada, Role::Moderator));
    verb!("password", true, set_password(ada, "other hash"));
    verb!("disable", true, disable_user(ada, start()));
    verb!("disable again", false, disable_user(ada, start()));
    verb!("enable", true, enable_user(ada));
    verb!("enable again", false, enable_user(ada));
    assert!(store.session(&[99; 32], start()).await.unwrap().is_some(), "of another user");
    assert_eq!(store.set_password(UserId(999), "x").await.unwrap(), Changed::NoUser);
    assert_eq!(store.set_role(UserId(999), Role::Admin).await.unwrap(), Changed::NoUser);
    assert_eq!(account(store, ada).await.role, Role::Moderator);
}

async fn the_last_super_admin_stays(db: Database) {
    let store = &db.store;
    let owner = store.owner().await.unwrap().id;
    let admin = user(store, "admin", Role::Admin).await;
    let all_refused = async |user| {
        assert_eq!(store.set_role(user, Role::User).await.unwrap(), Changed::LastSuperAdmin);
        assert_eq!(store.disable_user(user, start()).await.unwrap(), Changed::LastSuperAdmin);
        assert_eq!(store.delete_user(user, start(), start()).await.unwrap(), Changed::LastSuperAdmin);
        let after = account(store, user).await;
        assert_eq!((after.role, after.disabled_at), (Role::SuperAdmin, None));
    };
    all_refused(owner).await;
    let second = user(store, "second", Role::SuperAdmin).await;
    assert_eq!(store.disable_user(second, start()).await.unwrap(), Changed::Done);
    all_refused(owner).await;
    assert_eq!(store.delete_user(second, start(), start()).await.unwrap(), Changed::Done, "it could not log in");
    assert_eq!(store.set_role(admin, Role::SuperAdmin).await.unwrap(), Changed::Done);
    assert_eq!(store.delete_user(owner, start(), start()).await.unwrap(), Changed::Done);
    all_refused(admin).await;
    assert_eq!(store.delete_user(owner, start(), start()).await.unwrap(), Changed::NoUser);
}

async fn two_super_admins_cannot_demote_each_other_at_once(db: Database) {
    for round in 0..20 {
        let one = user(&db.store, &format!("one{round}"), Role::SuperAdmin).await;
        let two = user(&db.store, &format!("two{round}"), Role::SuperAdmin).await;
        for account in db.store.accounts().await.unwrap() {
            if account.user != one && account.user != two {
                db.store.set_role(account.user, Role::User).await.unwrap();
            }
        }
        let (a, b) = (db.another().await, db.another().await);
        let both = tokio::join!(
            tokio::spawn(async move { a.set_role(one, Role::User).await.unwrap() }),
            tokio::spawn(async move { b.disable_user(two, start()).await.unwrap() }),
        );
        let mut both = [both.0.unwrap(), both.1.unwrap()];
        both.sort_by_key(|changed| *changed != Changed::Done);
        assert_eq!(both, [Changed::Done, Changed::LastSuperAdmin], "round {round}");
    }
}

async fn a_deleted_user_leaves_nothing_behind(db: Database) {
    let store = &db.store;
    let (ada, bob) = (user(store, "ada", Role::User).await, user(store, "bob", Role::User).await);
    let feed = async |n: u128, owner| {
        let new = NewFeed { uuid: Uuid::from_u128(n), owner, ..crate::support::feed("one.example", n) };
        store.add_feed(new, start()).await.unwrap().id()
    };
    let (private, alone, shared, operators) =
        (feed(1, Some(ada)).await, feed(2, None).await, feed(3, None).await, feed(4, None).await);
    db.meddle(&format!("UPDATE feeds SET origin = 'reader' WHERE id IN ({alone}, {shared})")).await;
    for (user, feeds) in [(ada, vec![private, alone, shared, operators]), (bob, vec![shared])] {
        let category = store.default_category(user).await.unwrap();
        for feed in feeds {
            store.subscribe(user, feed, category, None, start()).await.unwrap();
        }
        db.meddle(&format!(
            "INSERT INTO marks (user_id, feed_id, entry_id, read, quiet, at) VALUES ({user}, 1, 1, {0}, {0}, 1)",
            if matches!(db.address, store::Address::Sqlite(_)) { "1" } else { "TRUE" }
        ))
        .await;
        begin(store, user, user.0 as u8).await;
    }
    assert_eq!(store.delete_user(ada, start() + HOUR, start()).await.unwrap(), Changed::Done);
    for table in ["marks", "subscriptions", "categories", "sessions"] {
        let (of_ada, of_bob) = (
            format!("SELECT count(*) FROM {table} WHERE user_id = {ada}"),
            format!("SELECT count(*) FROM {table} WHERE user_id = {bob}"),
        );
        assert_eq!((db.number(&of_ada).await, db.number(&of_bob).await), (0, 1), "{table}");
    }
    assert!(store.account(ada).await.unwrap().is_none());
    let state = async |feed: FeedId| {
        db.number(&format!(
        "SELECT CAST(CASE WHEN state <> 'deleted' THEN 0 WHEN url LIKE 'purged:%' THEN 2 ELSE 1 END AS BIGINT) FROM feeds WHERE id = {feed}")).await
    };
    assert_eq!([state(private).await, state(alone).await, state(shared).await, state(operators).await], [2, 1, 0, 0]);
    let due = "SELECT count(*) FROM schedule WHERE runnable";
    assert_eq!(db.number(due).await, 2);
    let of_bob =
        format!("SELECT count(*) FROM feeds WHERE id = {private} AND owner_id = {}", store.owner().await.unwrap().id);
    assert_eq!(db.number(&of_bob).await, 1, "what happened to it is not everybody's to see");
}

async fn a_new_user_with_an_old_id_has_another_generation(db: Database) {
    let ada = user(&db.store, "ada", Role::User).await;
    let before = account(&db.store, ada).await.generation;
    db.store.delete_user(ada, start(), start()).await.unwrap();
    let new = db.store.add_user("eve", Role::User, start() + SECOND).await.unwrap();
    if matches!(db.address, store::Address::Sqlite(_)) {
        assert_eq!(new, ada, "SQLite uses the greatest id again");
    }
    assert!(account(&db.store, new).await.generation > before);
}

async fn a_session_is_read_with_its_user_until_it_ends(db: Database) {
    let store = &db.store;
    let ada = user(store, "ada", Role::Moderator).await;
    let id = begin(store, ada, 1).await;
    let (session, holder) = store.session(&[1; 32], start()).await.unwrap().unwrap();
    assert_eq!((session.id, session.user, holder.name.as_str(), holder.role), (id, ada, "ada", Role::Moderator));
    assert_eq!((session.address.as_deref(), session.agent.as_deref()), (Some("192.0.2.1"), Some("Browser")));
    assert_eq!(holder.last_login_at, Some(start()));
    assert!(store.session(&[2; 32], start()).await.unwrap().is_none());
    assert!(store.session(&[1; 32], start() + HOUR - SECOND).await.unwrap().is_some());
    assert!(store.session(&[1; 32], start() + HOUR).await.unwrap().is_none());
    // Disabled by a hand at the database, so that the row is still there.
    db.meddle(&format!("UPDATE users SET disabled_at = 1 WHERE id = {ada}")).await;
    assert!(store.session(&[1; 32], start()).await.unwrap().is_none());
}

async fn a_session_is_touched_once_a_minute(db: Database) {
    let store = &db.store;
    begin(store, UserId(1), 1).await;
    let seen = async || store.session(&[1; 32], start()).await.unwrap().unwrap().0;
    for (after, expected) in [(SECOND * 59, 0), (MINUTE, 60), (SECOND * 119, 60), (MINUTE * 3, 180)] {
        store.touch_session(&seen().await, start() + after).await.unwrap();
        assert_eq!(seen().await.last_seen_at, start() + SECOND * expected, "{after}");
    }
}

async fn a_login_that_was_overtaken_begins_no_session(db: Database) {
    let ada = user(&db.store, "ada", Role::User).await;
    let before = account(&db.store, ada).await;
    db.store.set_password(ada, "new").await.unwrap();
    assert_eq!(db.store.create_session(&new_session(&before, 1), start()).await.unwrap(), None);
    assert_eq!(db.number("SELECT count(*) FROM sessions").await, 0);
    db.store.disable_user(ada, start()).await.unwrap();
    let now = account(&db.store, ada).await;
    assert_eq!(db.store.create_session(&new_session(&now, 1), start()).await.unwrap(), None, "disabled");
}

async fn a_user_ends_only_their_own_sessions(db: Database) {
    let store = &db.store;
    let (ada, bob) = (user(store, "ada", Role::User).await, user(store, "bob", Role::User).await);
    let (first, second, third) = (begin(store, ada, 1).await, begin(store, ada, 2).await, begin(store, ada, 3).await);
    let bobs = begin(store, bob, 4).await;
    let ids = async |user| -> Vec<model::SessionId> {
        store.sessions(user, start()).await.unwrap().into_iter().map(|session| session.id).collect()
    };
    assert_eq!(ids(ada).await, [third, second, first]);
    assert!(!store.end_session(ada, bobs).await.unwrap());
    assert!(store.end_session(ada, first).await.unwrap());
    assert!(!store.end_session(ada, first).await.unwrap());
    assert_eq!(store.end_other_sessions(ada, Some(second)).await.unwrap(), 1);
    assert_eq!((ids(ada).await, ids(bob).await), (vec![second], vec![bobs]));
    assert_eq!(store.end_other_sessions(ada, None).await.unwrap(), 1);
    assert_eq!((ids(ada).await, ids(bob).await), (vec![], vec![bobs]));
}

async fn a_key_works_until_it_is_revoked_or_ends(db: Database) {
    let store = &db.store;
    let (ada, bob) = (user(store, "ada", Role::Admin).await, user(store, "bob", Role::User).await);
    let scopes = ["reader:read".to_owned(), "admin".to_owned()];
    let new = |user, token: u8, expires_at: Option<Timestamp>| NewKey {
        token_hash: [token; 32],
        user,
        name: "script",
        prefix: "courant_ab",
        scopes: &scopes,
        expires_at,
    };
    let key = store.create_key(&new(ada, 1, None), start()).await.unwrap();
    store.create_key(&new(bob, 2, Some(start() + HOUR)), start()).await.unwrap();
    let (found, holder) = store.api_key(&[1; 32], start()).await.unwrap().unwrap();
    assert_eq!((found.id, found.name.as_str(), found.scopes.as_slice()), (key, "script", scopes.as_slice()));
    assert_eq!((holder.user, holder.role, found.last_used_at), (ada, Role::Admin, None));
    store.touch_key(&found, start() + SECOND).await.unwrap();
    let (found, _) = store.api_key(&[1; 32], start()).await.unwrap().unwrap();
    assert_eq!(found.last_used_at, Some(start() + SECOND));
    store.touch_key(&found, start() + SECOND * 59).await.unwrap();
    assert_eq!(store.api_keys(Some(ada)).await.unwrap()[0].last_used_at, Some(start() + SECOND));
    assert!(store.api_key(&[2; 32], start() + HOUR - SECOND).await.unwrap().is_some());
    assert!(store.api_key(&[2; 32], start() + HOUR).await.unwrap().is_none());
    assert_eq!((store.api_keys(None).await.unwrap().len(), store.api_keys(Some(bob)).await.unwrap().len()), (2, 1));
    assert!(!store.revoke_key(Some(bob), key).await.unwrap(), "another user's");
    assert!(store.revoke_key(Some(ada), key).await.unwrap());
    assert!(store.api_key(&[1; 32], start()).await.unwrap().is_none());
    store.disable_user(bob, start()).await.unwrap();
    assert!(store.api_key(&[2; 32], start()).await.unwrap().is_none(), "of a user who may not log in");
}

async fn a_token_that_was_given_back_is_refused(db: Database) {
    let store = &db.store;
    let ada = user(store, "ada", Role::User).await;
    assert_eq!(store.token_holder(ada, [7; 16]).await.unwrap().unwrap().name, "ada");
    for _ in 0..2 {
        store.revoke_token([7; 16], start() + HOUR).await.unwrap();
    }
    assert!(store.token_holder(ada, [7; 16]).await.unwrap().is_none());
    assert!(store.token_holder(ada, [8; 16]).await.unwrap().is_some());
    store.disable_user(ada, start()).await.unwrap();
    assert!(store.token_holder(ada, [8; 16]).await.unwrap().is_none());
    assert!(store.token_holder(UserId(99), [8; 16]).await.unwrap().is_none());
}

async fn an_identity_belongs_to_one_user(db: Database) {
    let store = &db.store;
    let ada = user(store, "ada", Role::User).await;
    let link = async |user, subject| store.link_identity(user, "https://id.example", subject, start()).await.unwrap();
    assert_eq!(link(ada, "1").await, Linked::Done);
    assert_eq!(link(ada, "1").await, Linked::Already);
    assert!(matches!(link(UserId(1), "1").await, Linked::Taken(holder) if holder.user == ada));
    assert_eq!(link(ada, "2").await, Linked::Done, "a user may have several");
    assert_eq!(store.identity("https://id.example", "1").await.unwrap().unwrap().user, ada);
    assert!(store.identity("https://other.example", "1").await.unwrap().is_none());
    let new = store.add_identified_user("eve", Role::User, "https://id.example", "3", start()).await.unwrap();
    assert_eq!(store.identity("https://id.example", "3").await.unwrap().unwrap().user, new);
    store.default_category(new).await.unwrap();
    for (name, subject) in [("EVE", "4"), ("mallory", "3")] {
        let refused = store.add_identified_user(name, Role::User, "https://id.example", subject, start()).await;
        assert!(matches!(refused, Err(StoreError::Conflict { .. })), "{name} {subject}: {refused:?}");
    }
    assert_eq!(store.accounts().await.unwrap().len(), 3, "a refused addition leaves nothing");
}

async fn a_login_at_a_provider_comes_back_once_and_in_time(db: Database) {
    let store = &db.store;
    let login = OidcLogin {
        browser_hash: [5; 32],
        nonce: "n".into(),
        verifier: "v".into(),
        redirect_uri: "https://reader.example/back".into(),
        return_to: "/".into(),
        expires_at: start() + MINUTE * 10,
    };
    for state in [1, 2] {
        store.begin_oidc_login([state; 32], &login).await.unwrap();
    }
    assert_eq!(store.take_oidc_login(&[3; 32], start()).await.unwrap(), None);
    assert_eq!(store.take_oidc_login(&[1; 32], start()).await.unwrap(), Some(login));
    assert_eq!(store.take_oidc_login(&[1; 32], start()).await.unwrap(), None, "once");
    assert_eq!(store.take_oidc_login(&[2; 32], start() + MINUTE * 10).await.unwrap(), None, "too late");
}

async fn a_setup_link_sets_one_password(db: Database) {
    let store = &db.store;
    let owner = store.owner().await.unwrap().id;
    for token in [1, 2] {
        store.create_setup_link([token; 32], owner, start() + HOUR).await.unwrap();
    }
    assert_eq!(store.setup_link(&[1; 32], start()).await.unwrap(), Some(owner));
    assert_eq!(store.setup_link(&[1; 32], start() + HOUR).await.unwrap(), None);
    assert_eq!(store.setup_link(&[3; 32], start()).await.unwrap(), None);
    assert!(!store.use_setup_link(&[1; 32], owner, "late", start() + HOUR).await.unwrap());
    assert!(!account(store, owner).await.has_password);
    assert!(store.use_setup_link(&[1; 32], owner, "chosen", start()).await.unwrap());
    for token in [1, 2] {
        assert!(!store.use_setup_link(&[token; 32], owner, "again", start()).await.unwrap(), "used, or made useless");
    }
    assert_eq!(store.login(None).await.unwrap().unwrap().1.as_deref(), Some("chosen"));
}

async fn failed_logins_are_counted_per_subject(db: Database) {
    let store = &db.store;
    for second in 0..3 {
        let subjects = ["address:192.0.2.1", "account:1"];
        store
            .record_login_failure(&subjects[..if second == 0 { 1 } else { 2 }], start() + SECOND * second)
            .await
            .unwrap();
    }
    let failures = async |subject, since| store.login_failures(subject, since).await.unwrap().len();
    assert_eq!(failures("address:192.0.2.1", start() - SECOND).await, 3);
    assert_eq!(failures("address:192.0.2.1", start()).await, 2);
    assert_eq!(failures("account:1", start()).await, 2);
    assert_eq!(failures("account:2", start() - SECOND).await, 0);
    let newest = store.login_failures("account:1", start()).await.unwrap()[0];
    assert_eq!(newest, start() + SECOND * 2);
    let owner = UserId(1);
    assert!(!store.is_known_address(owner, "192.0.2.1").await.unwrap());
    store.record_login(owner, Some("192.0.2.1"), start()).await.unwrap();
    store.record_login(owner, Some("192.0.2.1"), start() + HOUR).await.unwrap();
    assert!(store.is_known_address(owner, "192.0.2.1").await.unwrap());
    assert!(!store.is_known_address(owner, "192.0.2.2").await.unwrap());
    assert_eq!(account(store, owner).await.last_login_at, Some(start() + HOUR));
}

async fn what_has_expired_is_forgotten(db: Database) {
    let store = &db.store;
    let owner = UserId(1);
    begin(store, owner, 1).await;
    store.revoke_token([1; 16], start() + HOUR).await.unwrap();
    store.create_setup_link([1; 32], owner, start() + HOUR).await.unwrap();
    store.record_login_failure(&["account:1"], start()).await.unwrap();
    store.record_login(owner, Some("192.0.2.1"), start()).await.unwrap();
    assert_eq!(store.forget_expired_logins(start() + HOUR - SECOND).await.unwrap(), 0);
    assert_eq!(store.forget_expired_logins(start() + HOUR).await.unwrap(), 4);
    assert!(store.is_known_address(owner, "192.0.2.1").await.unwrap());
    assert_eq!(store.forget_expired_logins(start() + HOUR * 24 * 90).await.unwrap(), 1);
}

async fn settings_are_kept_per_user(db: Database) {
    let (ada, bob) = (user(&db.store, "ada", Role::User).await, user(&db.store, "bob", Role::User).await);
    assert_eq!(db.store.settings_of(ada).await.unwrap(), None);
    let settings = serde_json::json!({ "theme": "dark", "split_ratio": 40, "locale": null, "name": "a\u{0}b" });
    db.store.set_settings(ada, &settings).await.unwrap();
    let kept = db.store.settings_of(ada).await.unwrap().unwrap();
    assert_eq!(
        (&kept["theme"], &kept["split_ratio"], &kept["locale"]),
        (&"dark".into(), &40.into(), &serde_json::Value::Null)
    );
    assert_eq!(db.store.settings_of(bob).await.unwrap(), None);
}
