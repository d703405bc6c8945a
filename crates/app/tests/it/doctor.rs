//! `courant doctor`, the real binary: what works is reported as ok, problems with what to do.

use std::io::{Read as _, Write as _};

use serde_json::Value;

use crate::program::{Program, Run};
use crate::serve::{Server, program};

/// The findings about one subject, `state: words`; several are joined.
fn found(run: &Run, about: &str) -> String {
    let answer: Value = serde_json::from_str(&run.stdout).unwrap_or_else(|_| panic!("{} {}", run.stdout, run.stderr));
    let findings = answer["findings"].as_array().unwrap().iter().filter(|finding| finding["about"] == about);
    let text =
        |finding: &Value| format!("{}: {}", finding["state"].as_str().unwrap(), finding["says"].as_str().unwrap());
    findings.map(text).collect::<Vec<_>>().join("; ")
}

/// Checks for words about each subject; without words there must be no finding about it.
fn check(program: &Program, code: i32, expected: &[(&str, &str)]) {
    let run = program.run(&["doctor", "--json"]);
    assert_eq!(run.code, code, "{} {}", run.stdout, run.stderr);
    for (about, expected) in expected {
        let said = found(&run, about);
        let as_expected = if expected.is_empty() { said.is_empty() } else { said.contains(expected) };
        assert!(as_expected, "{about}: {said}");
    }
}

/// A program with a database and a secret.
fn used() -> Program {
    let program = program();
    assert_eq!(program.run(&["feed", "add", "--as-is", "https://one.example/feed"]).code, 0);
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
            ("data", "warning: ./data does not exist yet"),
            ("database", "warning: ./data/courant.db does not exist yet"),
            ("clock", "ok: 20"),
        ],
    );
    assert!(!program.path("data").exists(), "looking makes nothing");
}

#[test]
fn a_running_server_is_ok_and_an_unclean_stop_is_reported() {
    let program = used();
    let server = Server::start(&program, &[]);
    let well = [
        ("data", "ok: "),
        ("space", " MiB free"),
        ("secret", "is for this user only"),
        ("server", "ok: running (process "),
        ("last stop", ""),
        ("blobs", "0 samples are intact"),
        ("database", "intact, schema "),
        ("feeds", "1 feeds: "),
    ];
    check(&program, 0, &well);
    // Dropped without a stop signal: it is killed.
    drop(server);
    check(
        &program,
        0,
        &[("server", "ok: not running"), ("last stop", "warning: the last server did not stop cleanly")],
    );
    let run = program.run(&["doctor"]);
    assert!(run.stdout.ends_with(" warnings\n") && run.stdout.contains("0 problems"), "{}", run.stdout);
}

/// Regression: it was reported as an unclean stop, and the next start checked for damage.
#[test]
fn a_failed_start_is_not_an_unclean_stop() {
    let program = used();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let run = program.run(&["serve", "--listen", &taken.local_addr().unwrap().to_string()]);
    assert!(run.code == 1 && run.stderr.contains("cannot listen on "), "{}", run.stderr);
    check(&program, 0, &[("server", "ok: not running"), ("last stop", "")]);
}

#[test]
fn what_is_wrong_is_named() {
    let wrong = Program::new().env("COURANT_HOST_RPS", "many").env("COURANT_LISTEN", "nowhere");
    let run = wrong.run(&["doctor", "--json"]);
    assert_eq!((run.code, run.stderr.as_str()), (1, ""));
    assert_eq!(found(&run, "configuration").matches("problem: ").count(), 2, "all at once: {}", run.stdout);

    check(&Program::new().file("data", "a file"), 1, &[("data", "problem: ./data is not a directory")]);
    check(&used().file("data/courant.db", "dear diary"), 1, &[("database", "problem: ./data/courant.db is damaged")]);
    check(&used().file("data/keys/secret", "short"), 1, &[("secret", "problem: ./data/keys/secret is damaged")]);
    check(&used().env("COURANT_BLOBS", "file:data/courant.db"), 1, &[("blobs", "problem: ")]);
    let nobody = Program::new().env("COURANT_DATABASE_URL", "postgres://ada:hunter2@127.0.0.1:1/feeds");
    let expected = [
        ("configuration", "problem: `auth.secret` is required"),
        ("database", "Connection refused (os error 111); start the server, or correct `database.url`"),
    ];
    check(&nobody, 1, &expected);
    assert!(!nobody.run(&["doctor"]).stdout.contains("hunter2"));
}

#[test]
fn a_data_directory_that_cannot_be_created_is_reported() {
    let program = Program::new().env("COURANT_DATA", "/proc/courant/data");
    check(&program, 1, &[("data", "problem: /proc/courant/data does not exist and cannot be created")]);
    let program = Program::new().env("COURANT_DATA", "a/b/data").env("COURANT_BLOBS", "file:/proc/courant/blobs");
    check(&program, 1, &[("data", "warning: a/b/data does not exist yet"), ("blobs", "problem: cannot create /proc/")]);
    assert!(!program.path("a").exists(), "what was made to try is removed");
}

/// Regression: it was checked only if there was a database already.
#[test]
fn a_missing_bucket_is_reported() {
    let s3 = testkit::services::s3();
    let with = |program: Program, bucket: &str| {
        program
            .env("COURANT_BLOBS", &format!("s3://{bucket}/{}", s3.prefix))
            .env("COURANT_S3_ENDPOINT", &s3.endpoint)
            .env("COURANT_S3_ACCESS_KEY", s3.access_key)
            .env("COURANT_S3_SECRET_KEY", s3.secret_key)
            .env("COURANT_S3_ALLOW_HTTP", "true")
    };
    check(&with(Program::new(), "not-there"), 1, &[("blobs", "problem: "), ("blobs", "not-there")]);
    check(&with(used(), "not-there"), 1, &[("blobs", "problem: "), ("blobs", "not-there")]);
    check(&with(Program::new(), s3.bucket), 0, &[("blobs", "can be written to")]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_deep_look_reads_every_document() {
    let origin = testkit::Origin::start().await;
    let paths: Vec<String> = (0..30).map(|n| format!("/{n}")).collect();
    for path in &paths {
        origin.at(path, testkit::rss(&[path]));
    }
    let urls: Vec<String> = paths.iter().map(|path| origin.url(path)).collect();
    let walk = move || {
        let program = program();
        let add: Vec<&str> = ["feed", "add", "--as-is"].into_iter().chain(urls.iter().map(String::as_str)).collect();
        assert_eq!(program.run(&add).code, 0);
        assert_eq!(program.run(&["fetch"]).code, 0);
        let deep = |code: i32, expected: &str| {
            let run = program.run(&["doctor", "--deep", "--json"]);
            let said = found(&run, "blobs");
            assert!(run.code == code && said.contains(expected), "{said} {}", run.stderr);
            said
        };
        deep(0, "30 raw documents (0 MiB) were read, all intact");
        // All of a sample of twenty may be intact.
        let mut files = files(&program.path("data/blobs"));
        files.retain(|file| !std::fs::read(file).unwrap().is_empty());
        files.sort();
        assert_eq!(files.len(), 30);
        std::fs::remove_file(&files[3]).unwrap();
        std::fs::write(&files[17], "something else").unwrap();
        let said = deep(1, "30 raw documents (0 MiB) were read, 2 of them damaged: feed ");
        assert_eq!(said.matches("feed ").count(), 2, "{said}");
        let text = program.run(&["doctor", "--deep"]).stdout;
        assert!(text.contains("2 of them damaged"), "{text}");
    };
    tokio::task::spawn_blocking(walk).await.unwrap();
}

/// All files below a directory.
fn files(directory: &std::path::Path) -> Vec<std::path::PathBuf> {
    let entries = std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

#[cfg(unix)]
#[test]
fn a_secret_readable_by_others_is_reported() {
    use std::os::unix::fs::PermissionsExt as _;
    let program = used();
    let secret = program.path("data/keys/secret");
    std::fs::set_permissions(&secret, std::fs::Permissions::from_mode(0o644)).unwrap();
    check(&program, 0, &[("secret", "warning: ./data/keys/secret can be read by other users: chmod 600")]);
}

#[test]
fn a_clock_that_is_behind_is_reported() {
    let program = used();
    let ahead = std::time::SystemTime::now() + std::time::Duration::from_hours(48);
    std::fs::File::open(program.path("data/courant.db")).unwrap().set_modified(ahead).unwrap();
    check(&program, 0, &[("clock", "warning: it says ")]);
}

#[test]
fn a_damaged_database_file_is_reported() {
    let program = used();
    meddle(&program, "DROP INDEX schedule_due");
    check(&program, 1, &[("database", "problem: somebody has removed schedule_due: restore a backup, or make them")]);
}

/// Changes the database directly.
fn meddle(program: &Program, sql: &str) {
    rusqlite::Connection::open(program.path("data/courant.db")).unwrap().execute_batch(sql).unwrap();
}

const SECRET: &str = "0123456789abcdef0123456789abcdef";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_database_server_is_checked_without_changes() {
    let database = testkit::services::postgres().await;
    let url = database.url().to_owned();
    let program = program().env("COURANT_DATABASE_URL", &url).env("COURANT_SECRET", SECRET);
    let walk = move || {
        let empty = [("database", "warning: "), ("database", "responds and is empty"), ("feeds", "")];
        check(&program, 0, &empty);
        check(&program, 0, &empty);
        assert_eq!(program.run(&["feed", "add", "--as-is", "https://one.example/feed"]).code, 0);
        let well = [
            ("database", "responds: PostgreSQL "),
            ("clock", "the database's clock agrees with ours"),
            ("secret", "ok: configured"),
            ("feeds", "1 never visited"),
        ];
        check(&program, 0, &well);
        assert!(!program.run(&["doctor"]).stdout.contains("database's clock is"));
        program
    };
    let program = tokio::task::spawn_blocking(walk).await.unwrap();
    let (client, connection) = tokio_postgres::connect(&url, tokio_postgres::NoTls).await.unwrap();
    tokio::spawn(connection);
    client.batch_execute("DELETE FROM schedule").await.unwrap();
    let walk = move || check(&program, 1, &[("database", "problem: 1 feeds have no schedule")]);
    tokio::task::spawn_blocking(walk).await.unwrap();
}

#[test]
fn the_events_server_is_checked() {
    let said = |url: &str| found(&used().env("COURANT_EVENTS", url).run(&["doctor", "--json"]), "events");
    let nats = said(&testkit::services::nats().url);
    assert!(nats.starts_with("ok: nats://127.0.0.1:") && nats.contains("with JetStream; a login was not"), "{nats}");

    let check = |greeting: Greeting, user: &str, expected: &str| {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("nats://{user}{}", listener.local_addr().unwrap());
        let server = std::thread::spawn(move || {
            let (mut connection, _) = listener.accept().unwrap();
            match greeting {
                // A client that has read enough disconnects.
                Greeting::Says(text) => drop(connection.write_all(text.as_bytes())),
                // Until the other side gives up.
                Greeting::Nothing => drop(connection.read_to_end(&mut Vec::new()).unwrap()),
            }
        });
        let run = used().env("COURANT_EVENTS", &url).run(&["doctor", "--json"]);
        let events = found(&run, "events");
        assert!(events.contains(expected), "{events}");
        assert_eq!(run.code, i32::from(!events.starts_with("ok: ")), "{events}");
        assert!(!events.contains("hunter2"), "{events}");
        server.join().unwrap();
    };
    let info = |rest: &str| Greeting::Says(format!("INFO {{\"version\":\"2.9.10\"{rest}}}\r\n"));
    check(info(",\"jetstream\":true"), "", "ok: ");
    check(info(""), "", "is NATS 2.9.10: JetStream is off");
    check(info(",\"jetstream\":true,\"auth_required\":true"), "", "it requires a login: put a user name");
    check(info(",\"jetstream\":true,\"auth_required\":true"), "ada:hunter2@", "ok: nats://ada:***@127.0.0.1:");
    check(info(",\"jetstream\":true,\"tls_required\":true"), "", "TLS and a login were not tried");
    let long = Greeting::Says(format!("INFO {}", "x".repeat(1 << 20)));
    check(long, "", "the server there does not speak NATS");
    check(Greeting::Says("HTTP/1.1 400 Bad Request\r\n".into()), "", "does not speak NATS: correct `events.url`");
    check(Greeting::Says(String::new()), "", "does not speak NATS");
    check(Greeting::Nothing, "", "it accepts the connection and sends nothing within 2 s");
    assert!(said("nats://127.0.0.1:1").contains("problem: nats://127.0.0.1:1: Connection refused"));
    assert!(said("nats://nowhere.invalid:4222").contains(": start the server, or correct `events.url`"));
}

/// What is sent to a client.
enum Greeting {
    Says(String),
    Nothing,
}
