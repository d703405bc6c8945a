//! `courant doctor`, the real binary: what is well is said to be, what is not is named with what to do.

use serde_json::Value;

use crate::program::{Program, Run};
use crate::serve::{Server, program};

/// What was found about one thing, `state: words`; several are joined.
fn found(run: &Run, about: &str) -> String {
    let answer: Value = serde_json::from_str(&run.stdout).unwrap_or_else(|_| panic!("{} {}", run.stdout, run.stderr));
    let findings = answer["findings"].as_array().unwrap().iter().filter(|finding| finding["about"] == about);
    let text =
        |finding: &Value| format!("{}: {}", finding["state"].as_str().unwrap(), finding["says"].as_str().unwrap());
    findings.map(text).collect::<Vec<_>>().join("; ")
}

fn check(program: &Program, code: i32, expected: &[(&str, &str)]) {
    let run = program.run(&["doctor", "--json"]);
    assert_eq!(run.code, code, "{} {}", run.stdout, run.stderr);
    for (about, expected) in expected {
        let said = found(&run, about);
        assert!(said.contains(expected) || (expected.is_empty() && said.is_empty()), "{about}: {said}");
    }
}

/// A program with a database and a secret.
fn used() -> Program {
    let program = program();
    assert_eq!(program.run(&["feed", "add", "https://one.example/feed"]).code, 0);
    program
}

#[test]
fn an_empty_directory_is_fine() {
    let program = Program::new();
    check(
        &program,
        0,
        &[
            ("configuration", "ok: no file"),
            ("data", "warning: ./data is not there yet"),
            ("database", "warning: ./data/courant.db is not there yet"),
            ("clock", "ok: 20"),
        ],
    );
    assert!(!program.path("data").exists(), "looking makes nothing");
}

#[test]
fn a_running_server_is_well_and_one_that_was_cut_off_is_told() {
    let program = used();
    let server = Server::start(&program, &[]);
    let well = [
        ("data", "ok: "),
        ("space", " MiB free"),
        ("secret", "is for this user only"),
        ("server", "ok: running (process "),
        ("last stop", ""),
        ("blobs", "0 samples are whole"),
        ("database", "whole, schema "),
        ("feeds", "1 feeds: "),
    ];
    check(&program, 0, &well);
    // Dropped without being asked to stop: it is killed.
    drop(server);
    check(&program, 0, &[("server", "ok: not running"), ("last stop", "warning: the last server was cut off")]);
    let run = program.run(&["doctor"]);
    assert!(run.stdout.ends_with(" warnings\n") && run.stdout.contains("0 problems"), "{}", run.stdout);
}

#[test]
fn what_is_wrong_is_named() {
    let wrong = Program::new().env("COURANT_HOST_RPS", "many").env("COURANT_LISTEN", "nowhere");
    let run = wrong.run(&["doctor", "--json"]);
    assert_eq!((run.code, run.stderr.as_str()), (1, ""));
    assert_eq!(found(&run, "configuration").matches("problem: ").count(), 2, "all at once: {}", run.stdout);

    check(&Program::new().file("data", "a file"), 1, &[("data", "problem: ./data is no directory")]);
    check(&used().file("data/courant.db", "dear diary"), 1, &[("database", "problem: ./data/courant.db is damaged")]);
    check(&used().file("data/keys/secret", "short"), 1, &[("secret", "problem: ./data/keys/secret is damaged")]);
    check(&used().env("COURANT_BLOBS", "file:data/courant.db"), 1, &[("blobs", "problem: ")]);
    check(&used().env("COURANT_EVENTS", "nats://bus:4222"), 0, &[("events", "warning: ")]);
    let nobody = Program::new().env("COURANT_DATABASE_URL", "postgres://ada:hunter2@127.0.0.1:1/feeds");
    let expected = [("configuration", "problem: `auth.secret` is required"), ("database", "problem: ")];
    check(&nobody, 1, &expected);
    assert!(!nobody.run(&["doctor"]).stdout.contains("hunter2"));
}

#[cfg(unix)]
#[test]
fn a_secret_that_others_can_read_is_told() {
    use std::os::unix::fs::PermissionsExt as _;
    let program = used();
    let secret = program.path("data/keys/secret");
    std::fs::set_permissions(&secret, std::fs::Permissions::from_mode(0o644)).unwrap();
    check(&program, 0, &[("secret", "warning: ./data/keys/secret can be read by other users: chmod 600")]);
}

#[test]
fn a_clock_that_is_behind_is_told() {
    let program = used();
    let ahead = std::time::SystemTime::now() + std::time::Duration::from_hours(48);
    std::fs::File::open(program.path("data/courant.db")).unwrap().set_modified(ahead).unwrap();
    check(&program, 1, &[("clock", "problem: it says ")]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn on_postgres() {
    let database = testkit::services::postgres().await;
    let program =
        program().env("COURANT_DATABASE_URL", database.url()).env("COURANT_SECRET", "0123456789abcdef0123456789abcdef");
    let walk = move || {
        assert_eq!(program.run(&["feed", "add", "https://one.example/feed"]).code, 0);
        check(&program, 0, &[("database", "answers"), ("secret", "ok: configured"), ("feeds", "1 never visited")]);
    };
    tokio::task::spawn_blocking(walk).await.unwrap();
}
