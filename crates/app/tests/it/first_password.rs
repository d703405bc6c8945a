//! The owner's password on the real binary: chosen with a link, set by the environment, kept over restarts. And the commands
//! that make users and keys.

use serde_json::Value;

use crate::grammar::with_input;
use crate::program::Program;
use crate::serve::Server;

const PORT: [&str; 2] = ["--listen", "127.0.0.1:0"];

fn login(server: &Server, password: &str) -> u16 {
    server.post("/api/auth/login", &format!(r#"{{"password": "{password}"}}"#)).0
}

fn cookie(server: &Server, password: &str) -> String {
    let (_, answer) = server.post("/api/auth/session", &format!(r#"{{"password": "{password}"}}"#));
    let line = answer.lines().find_map(|line| line.strip_prefix("set-cookie: ")).unwrap_or_else(|| panic!("{answer}"));
    line.split(';').next().unwrap().to_owned()
}

fn is_logged_in(server: &Server, cookie: &str) -> bool {
    server.get_with("/api/auth/me", &format!("cookie: {cookie}")).0 == 200
}

#[test]
fn without_a_password_a_link_is_printed() {
    let program = Program::new();
    let mut server = Server::start(&program, &PORT);
    let line = server.next_line();
    let (base, token) = line.strip_prefix("Open ").unwrap().split_once("/setup?token=").unwrap();
    assert!(base.starts_with("http://127.0.0.1:"), "{line}");
    let (token, rest) = token.split_once(' ').unwrap();
    assert_eq!(rest, "to choose a password");
    assert_eq!(server.get(&format!("/setup?token={token}")).0, 200);
    assert_eq!(server.stop().0, Some(0));

    let program = program.env("COURANT_PUBLIC_URL", "https://news.example");
    let mut server = Server::start(&program, &PORT);
    assert!(server.next_line().starts_with("Open https://news.example/setup?token="));
    assert_eq!(server.get(&format!("/setup?token={token}")).0, 200, "the older link is good for a day");
}

#[test]
fn the_configured_password_is_applied_at_every_start() {
    let program = Program::new().file("password", "correct horse\n").env("COURANT_PASSWORD_FILE", "password");
    let server = Server::start(&program, &PORT);
    assert_eq!((login(&server, "wrong"), login(&server, "correct horse")), (401, 200));
    let session = cookie(&server, "correct horse");
    server.stop();
    let server = Server::start(&program, &PORT);
    assert!(is_logged_in(&server, &session), "a restart with the same password ends no session");
    server.stop();
    let program = program.file("password", "another horse");
    let server = Server::start(&program, &PORT);
    assert!(!is_logged_in(&server, &session), "another password does");
    assert_eq!((login(&server, "correct horse"), login(&server, "another horse")), (401, 200));
}

#[test]
fn users_and_keys_by_command() {
    let program = Program::new();
    let json = |arguments: &[&str], input: &str| -> Value {
        let run = with_input(&program, &[arguments, &["--json"]].concat(), input);
        serde_json::from_str(&run.stdout).unwrap_or_else(|_| panic!("{arguments:?}: {}{}", run.stdout, run.stderr))
    };
    let ada = json(&["user", "add", "Ada", "--role", "admin", "--password-file", "-"], "analytic engine\n");
    assert_eq!((&ada["role"], &ada["password"]), (&"admin".into(), &Value::Null));
    let bob = json(&["user", "add", "bob"], "");
    let made_up = bob["password"].as_str().unwrap().to_owned();
    assert_eq!(made_up.len(), 24, "{bob}");
    for (arguments, problem) in [
        (&["user", "add", "ADA"][..], "there is a user `ADA` already"),
        (&["user", "add", "a b"], "the user name has ' '"),
        (&["user", "add", "x", "--role", "emperor"], "emperor"),
        (&["user", "role", "owner", "user"], "last super_admin"),
        (&["user", "delete", "owner", "--yes"], "last super_admin"),
        (&["user", "delete", "bob"], "say --yes"),
        (&["user", "password", "nobody"], "there is no user `nobody`"),
        (&["token", "create", "--scope", "everything"], "there is no scope `everything`"),
        (&["token", "create", "--expires", "soon"], "`soon` is not a duration"),
    ] {
        let run = with_input(&program, arguments, "");
        assert!(run.code > 0 && run.stderr.contains(problem), "{arguments:?}: {} {}", run.stdout, run.stderr);
    }
    let weak = with_input(&program, &["user", "password", "ada", "--password-file", "-"], "short\n");
    assert!(weak.code == 1 && weak.stderr.contains("too short"), "{}", weak.stderr);

    let key = json(&["token", "create", "--user", "ada", "--scope", "admin"], "")["token"].as_str().unwrap().to_owned();
    let server = Server::start(&program, &PORT);
    let me = |server: &Server, header: &str| server.get_with("/api/auth/me", header).0;
    let bearer = format!("authorization: Bearer {key}");
    assert_eq!(me(&server, &bearer), 200);
    let (status, users) = server.get_with("/admin/api/users", &bearer);
    assert!(status == 200 && users.contains("\"Ada\"") && users.contains("\"bob\""), "{users}");
    let typed = format!(r#"{{"username": "BOB", "password": "{made_up}"}}"#);
    assert_eq!(server.post("/api/auth/login", &typed).0, 200);
    assert!(json(&["user", "disable", "bob", "nobody"], "")[1]["error"].as_str().is_some());
    assert_eq!(server.post("/api/auth/login", &typed).0, 403, "a running server knows at once");
    assert_eq!(json(&["user", "enable", "bob"], "")[0]["result"], "enabled");
    assert!(json(&["token", "list"], "")[0]["last_used_at"].is_string());
    assert_eq!(json(&["token", "revoke", "1"], "")[0]["result"], "revoked");
    assert_eq!(me(&server, &bearer), 401);
    assert_eq!(json(&["user", "delete", "ada", "bob", "--yes"], "").as_array().unwrap().len(), 2);
    assert_eq!(json(&["user", "list"], "").as_array().unwrap().len(), 1);
}
