//! The real binary against its own description: schemathesis (PyPI) makes requests from `/openapi.json`, good and bad ones,
//! and checks that no answer is outside it, and none a 500.
//!
//! The requests follow from a seed, so that a run can be repeated. They reach only this machine: the server may visit no
//! private address, and what would make it look up made-up names is left out.

use std::process::Command;

use serde_json::{Value, json};
use testkit::{Origin, rss};

use crate::program::Program;
use crate::serve::{Server, eventually, titles};

/// What is not asked, and why.
const LEFT_OUT: &[&str] = &[
    // A stream that does not end.
    "/api/events",
    // End the token of the run, or change the password that it was given for.
    "/api/auth/logout",
    "/api/auth/session",
    "/api/me/password",
    "/api/me/sessions",
    "/api/me/sessions/{id}",
    // Look up any host that they are given, one after the other.
    "/api/feeds/discover",
    "/api/feeds/validate",
    "/api/proxy",
];

/// What must be true of every answer. Bad data need not be refused: under `/api` unknown fields are ignored on purpose.
const CHECKS: &str = "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance";

/// Users are changed and deleted, but not the one who asks: with another super_admin there, nothing else protects them.
const SETTINGS: &str = r#"
[[operations]]
include-path = "/admin/api/users/{id}"
parameters = { "path.id" = 2 }
"#;

fn program() -> Program {
    Program::new()
        .file("schemathesis.toml", SETTINGS)
        .env("COURANT_LISTEN", "127.0.0.1:0")
        .env("COURANT_HOST_RPS", "0")
        .env("COURANT_PASSWORD", "correct horse")
        .env("COURANT_API_LIMIT", "1000000")
        .env("COURANT_REFRESH_LIMIT", "1000000")
        .env("COURANT_LOGIN_LIMIT", "1000")
        .env("COURANT_ACCOUNT_LOGIN_LIMIT", "100")
}

/// The owner, with a token.
struct Owner<'a> {
    server: &'a Server,
    token: String,
}

impl<'a> Owner<'a> {
    fn new(server: &'a Server) -> Self {
        let (status, answer) = server.post("/api/auth/login", r#"{"username": "owner", "password": "correct horse"}"#);
        assert_eq!(status, 200, "{answer}");
        let body: Value = serde_json::from_str(answer.split_once("\r\n\r\n").unwrap().1).unwrap();
        Self { server, token: body["token"].as_str().unwrap().to_owned() }
    }

    /// Makes something; its path and what it is made of.
    fn make(&self, path: &str, body: &Value) {
        let (status, answer) =
            self.server.post_with(path, &format!("authorization: Bearer {}\r\n", self.token), &body.to_string());
        assert!((200..=201).contains(&status), "{path}: {answer}");
    }

    fn is_logged_in(&self) -> bool {
        self.server.get_with("/api/auth/me", &format!("authorization: Bearer {}", self.token)).0 == 200
    }
}

/// One of everything that has an id, so that requests with ids find something.
fn make_one_of_each(owner: &Owner<'_>) {
    let condition = json!({ "any": [{ "words": ["one"], "in": "title" }, { "has_media": true, "not": true }] });
    owner.make("/api/categories", &json!({ "name": "News" }));
    owner.make("/api/tags", &json!({ "name": "later" }));
    let actions = json!(["mark_read", { "tag": "later" }]);
    owner.make(
        "/api/filters",
        &json!({ "name": "one feed", "scope": { "feed": 1 }, "condition": condition, "actions": actions }),
    );
    owner.make(
        "/api/filters",
        &json!({ "name": "all", "condition": { "all": [{ "author": "ada" }] }, "actions": ["mute"] }),
    );
    owner.make("/api/saved-searches", &json!({ "name": "ones", "query": "one" }));
    owner.make("/api/bookmarks", &json!({ "post_id": 1, "tags": ["later"] }));
    owner
        .make("/api/bookmarks", &json!({ "url": "https://news.example/", "title": "News", "content": "<p>News.</p>" }));
    owner.make("/api/posts/mark-read", &json!({ "feed_id": 1 }));
    owner.make("/admin/api/users", &json!({ "name": "bob", "password": "correct horse" }));
    owner.make("/api/me/keys", &json!({ "name": "a program", "scopes": ["reader:read"] }));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_answer_is_outside_the_description() {
    let origin = Origin::start().await;
    origin.at("/one", rss(&["one", "two"]));
    origin.at("/two", rss(&["three"]));
    let urls = [origin.url("/one"), origin.url("/two")];
    tokio::task::spawn_blocking(move || walk(&urls)).await.unwrap();
}

fn walk(urls: &[String]) {
    let program = program();
    // The feeds are visited now, and never again: later the server may not reach them.
    let visiting = Server::start(&program, &["--allow-private", "127.0.0.0/8"]);
    for url in urls {
        assert_eq!(program.run(&["feed", "add", "--as-is", url]).code, 0);
    }
    eventually(&3, || titles(&program).len());
    assert_eq!(visiting.stop().0, Some(0));

    let server = Server::start(&program, &[]);
    let owner = Owner::new(&server);
    make_one_of_each(&owner);
    let mut command = schemathesis(&program, &server, &owner.token);
    let run = command.output().unwrap();
    let said = format!("{}{}", String::from_utf8_lossy(&run.stdout), String::from_utf8_lossy(&run.stderr));
    assert!(run.status.success(), "{said}");
    // A run whose requests were all refused would prove nothing.
    assert!(owner.is_logged_in(), "the run has ended its own token:\n{said}");
    assert!(!said.contains("Authentication failed"), "{said}");
    let (code, log) = server.stop();
    assert_eq!(code, Some(0), "{log}");
    assert!(!log.contains("panicked"), "{log}");
}

fn schemathesis(program: &Program, server: &Server, token: &str) -> Command {
    let mut command = Command::new(testkit::services::python());
    // Through Python rather than its script: the first line of a script cannot hold a long path.
    command.args(["-c", "from schemathesis.cli import schemathesis; schemathesis()", "run"]);
    command.arg(format!("http://{}/openapi.json", server.address()));
    command.args(["--header", &format!("Authorization: Bearer {token}"), "--checks", CHECKS]);
    command.args(["--seed", "1", "--max-examples", "15", "--phases", "examples,coverage,fuzzing", "--workers", "1"]);
    command.args(["--generation-database", "none", "--request-timeout", "20", "--no-color"]);
    for path in LEFT_OUT {
        command.args(["--exclude-path", path]);
    }
    // Its home is empty: no settings of this machine.
    command
        .env_clear()
        .env("HOME", program.path("."))
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .current_dir(program.path("."));
    command
}
