//! `courant backup` and `courant restore`, the real binary: a snapshot of a busy server; existing data is never
//! replaced.

use std::path::Path;

use serde_json::Value;
use testkit::{Origin, rss};

use crate::program::Program;
use crate::serve::{Server, eventually, program, titles};

/// A program whose data directory has a database with one feed.
fn with_a_feed() -> Program {
    let program = program();
    assert_eq!(program.run(&["feed", "add", "--as-is", "https://one.example/feed"]).code, 0);
    program
}

/// A path of another program's directory, as an argument.
fn at(program: &Program, name: &str) -> String {
    program.path(name).display().to_string()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_backup_of_a_busy_server_contains_everything_it_had_reported() {
    let origin = Origin::start().await;
    let urls: Vec<String> = (0..60)
        .map(|n| {
            let titles: Vec<String> = (0..20).map(|entry| format!("{n}-{entry}")).collect();
            origin.at(&format!("/{n}"), rss(&titles.iter().map(String::as_str).collect::<Vec<_>>()));
            origin.url(&format!("/{n}"))
        })
        .collect();
    let walk = move || {
        let here = program().env("COURANT_HOST_MAX_CONCURRENCY", "32");
        let server = Server::start(&here, &[]);
        let add: Vec<&str> = ["feed", "add", "--as-is"].into_iter().chain(urls.iter().map(String::as_str)).collect();
        assert_eq!(here.run(&add).code, 0);
        // During the run.
        eventually(&true, || titles(&here).len() >= 100);
        let told = titles(&here);
        let saved = here.run(&["backup", "saved", "--with-blobs", "--with-keys", "--json"]);
        assert_eq!(saved.code, 0, "{}", saved.stderr);
        let saved: Value = serde_json::from_str(&saved.stdout).unwrap();
        eventually(&1200, || titles(&here).len());
        assert_eq!(server.stop().0, Some(0));

        let there = program().env("COURANT_HOST_MAX_CONCURRENCY", "32");
        let restored = there.run(&["restore", &at(&here, "saved")]);
        assert_eq!(restored.code, 0, "{}", restored.stderr);
        let expected = format!("restored: 60 feeds, {} entries\n", saved["entries"]);
        assert!(restored.stdout.contains(&expected), "{} {expected}", restored.stdout);
        let found = titles(&there);
        let lost: Vec<&String> = told.iter().filter(|title| found.binary_search(title).is_err()).collect();
        assert!(lost.is_empty(), "{lost:?}");
        assert_eq!(found.len() as u64, saved["entries"].as_u64().unwrap());
        // It opens clean and continues where the other one was: no waiting for leases of workers that do not exist.
        let server = Server::start(&there, &[]);
        assert_eq!(server.get("/api/health").0, 200);
        eventually(&1200, || titles(&there).len());
        assert_eq!(server.stop().0, Some(0));
        assert_eq!(
            std::fs::read(here.path("data/keys/secret")).unwrap(),
            std::fs::read(there.path("data/keys/secret")).unwrap()
        );
    };
    tokio::task::spawn_blocking(walk).await.unwrap();
}

#[test]
fn the_write_ahead_log_is_saved() {
    let here = with_a_feed();
    // As a running server has it: written, acknowledged, and not yet in the file itself.
    let writer = rusqlite::Connection::open(here.path("data/courant.db")).unwrap();
    writer.execute_batch("PRAGMA wal_autocheckpoint = 0; UPDATE feeds SET title = 'just now'").unwrap();
    assert!(!here.run(&["backup", "saved"]).stdout.is_empty());
    let there = Program::new();
    assert_eq!(there.run(&["restore", &at(&here, "saved")]).code, 0);
    let list = there.run(&["feed", "list"]).stdout;
    assert!(list.contains("just now"), "{list}");
}

/// Regression: the draft was created inside of its own future name.
#[test]
fn a_directory_may_be_named_with_a_slash_at_its_end() {
    let here = with_a_feed();
    let saved = here.run(&["backup", "saved/"]);
    assert_eq!(saved.code, 0, "{}", saved.stderr);
    assert!(here.path("saved/courant.db").exists() && !here.path("saved/.partial").exists());
    let restored = Program::new().run(&["restore", &at(&here, "saved/")]);
    assert_eq!(restored.code, 0, "{}", restored.stderr);
}

#[test]
fn a_backup_says_what_it_holds_and_what_not() {
    let program = with_a_feed();
    let run = program.run(&["backup", "saved"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let lines: Vec<&str> = run.stdout.lines().collect();
    assert_eq!(lines[0], "saved to saved, and verified");
    assert!(lines[1].starts_with("  database  1 feeds, 0 entries, "), "{}", run.stdout);
    assert!(
        lines[2].contains("not saved (--with-blobs") && lines[3].contains("not saved (--with-keys"),
        "{}",
        run.stdout
    );
    assert!(!program.path("saved/keys").exists() && !program.path("saved.partial").exists());
    let there = Program::new();
    let run = there.run(&["restore", &at(&program, "saved")]);
    assert!(run.stdout.contains("the secret key is not in the backup"), "{} {}", run.stdout, run.stderr);
    assert!(there.run(&["feed", "list"]).stdout.contains("https://one.example/feed"));
    // The bare file is a backup, too.
    let there = Program::new();
    assert_eq!(there.run(&["restore", &at(&program, "saved/courant.db")]).code, 0);
    assert!(there.run(&["feed", "list"]).stdout.contains("https://one.example/feed"));
}

#[test]
fn nothing_is_overwritten_and_foreign_files_are_refused() {
    let saved = with_a_feed();
    assert_eq!(saved.run(&["backup", "saved", "--with-keys"]).code, 0);
    let check = |case: &str, program: &Program, arguments: &[&str], expected: &str| {
        let before = std::fs::read(program.path("data/courant.db")).ok();
        let run = program.run(arguments);
        assert_eq!(run.code, 1, "{case}: {}", run.stderr);
        assert!(run.stderr.contains(expected), "{case}: {}", run.stderr);
        assert_eq!(std::fs::read(program.path("data/courant.db")).ok(), before, "{case}");
    };
    let from = at(&saved, "saved");
    check("a database is there", &saved, &["restore", &from], "a backup never replaces a database");
    check("a backup is there", &saved, &["backup", "saved"], "saved exists already");
    check("nothing to save", &Program::new(), &["backup", "saved"], "there is no database at ./data/courant.db");
    check("no backup", &Program::new(), &["restore", "nowhere"], "cannot read nowhere");
    let other =
        Program::new().file("other/text", "hello").file("cut.db", "SQLite format 3\0").file("text.db", "dear diary");
    check("another directory", &other, &["restore", "other"], "was not made by `courant store backup`");
    check("cut", &other, &["restore", "cut.db"], "the file has only 16 bytes");
    check("no database at all", &other, &["restore", "text.db"], "is damaged");
    let keyed = Program::new().file("data/keys/secret", &"another key, and long enough ".repeat(3));
    check("another key", &keyed, &["restore", &from], "is another key than");

    let damaged = Program::new();
    let mut bytes = std::fs::read(saved.path("saved/courant.db")).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle..middle + 20_000].fill(0x5a);
    std::fs::write(damaged.path("damaged.db"), bytes).unwrap();
    check("damaged", &damaged, &["restore", "damaged.db"], "is damaged");
}

#[test]
fn feeds_that_were_being_visited_are_due_where_it_is_restored() {
    // Accepts connections and never responds.
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/feed", silent.local_addr().unwrap());
    let here = program();
    let server = Server::start(&here, &[]);
    assert_eq!(here.run(&["feed", "add", "--as-is", &url, "https://later.example/feed"]).code, 0);
    assert_eq!(here.run(&["feed", "disable", "2"]).code, 0);
    let _connection = silent.accept().unwrap();
    let shown = |program: &Program, feed: &str| -> Value {
        serde_json::from_str(&program.run(&["feed", "show", feed, "--json"]).stdout).unwrap()
    };
    assert!(shown(&here, "1")["worker"].is_string(), "somebody is at it");
    assert_eq!(here.run(&["backup", "saved"]).code, 0);

    let there = program();
    let restored = there.run(&["restore", &at(&here, "saved")]);
    let expected = "1 feeds were being visited during the backup: they are due again";
    assert!(restored.stdout.contains(expected), "{} {}", restored.stdout, restored.stderr);
    let feed = shown(&there, "1");
    let due: jiff::Timestamp = feed["due_at"].as_str().unwrap().parse().unwrap();
    assert!(feed["worker"].is_null() && due <= jiff::Timestamp::now(), "{feed}");
    assert_eq!(shown(&there, "2"), shown(&here, "2"), "nothing else is changed");
    assert!(!there.run(&["doctor"]).stdout.contains("cut off"), "and no server was cut off there");
    drop(server);
}

/// A program with a database, a key and the raw bytes of two visits.
async fn with_blobs() -> Program {
    let origin = Origin::start().await;
    origin.at("/1", rss(&["one"])).at("/2", rss(&["two"]));
    let urls = [origin.url("/1"), origin.url("/2")];
    let walk = move || {
        let program = program();
        assert_eq!(program.run(&["feed", "add", "--as-is", &urls[0], &urls[1]]).code, 0);
        let run = program.run(&["fetch"]);
        assert_eq!(titles(&program), ["one", "two"], "{}{}", run.stdout, run.stderr);
        program
    };
    tokio::task::spawn_blocking(walk).await.unwrap()
}

/// The blobs below a directory, by their names.
fn blobs(directory: &Path) -> Vec<String> {
    let files =
        |directory: &Path| std::fs::read_dir(directory).into_iter().flatten().map(|entry| entry.unwrap().path());
    let shards = files(directory).filter(|path| path.is_dir());
    let mut names: Vec<String> = shards
        .flat_map(|shard| files(&shard).collect::<Vec<_>>())
        .map(|file| file.strip_prefix(directory).unwrap().display().to_string())
        .collect();
    names.sort();
    names
}

/// What a failed restore leaves: nothing but the lock file.
fn check_nothing_is_left(program: &Program) {
    let left: Vec<_> =
        std::fs::read_dir(program.path("data")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["courant.lock"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_damaged_body_is_named_and_nothing_is_half_restored() {
    let here = with_blobs().await;
    let walk = move || {
        assert_eq!(here.run(&["backup", "saved", "--with-blobs", "--with-keys"]).code, 0);
        let names = blobs(&here.path("saved/blobs"));
        assert_eq!(names.len(), 2);
        let damaged = here.path("saved/blobs").join(&names[1]);
        let whole = std::fs::read(&damaged).unwrap();
        let mut bytes = whole.clone();
        *bytes.last_mut().unwrap() ^= 1;
        std::fs::write(&damaged, &bytes).unwrap();
        let (there, from) = (program(), at(&here, "saved"));
        let run = there.run(&["restore", &from]);
        assert_eq!(run.code, 1, "{}", run.stdout);
        assert!(run.stderr.contains("the backup is damaged, and nothing was restored: "), "{}", run.stderr);
        assert!(run.stderr.contains(&names[1]) && !run.stderr.contains(&names[0]), "{}", run.stderr);
        check_nothing_is_left(&there);

        // As an interrupted one would leave it.
        let there =
            there.file("data/blobs.restoring/ab/left", "x").file("data/courant.db.restoring", &"x".repeat(9999));
        std::fs::write(&damaged, &whole).unwrap();
        let run = there.run(&["restore", &from]);
        assert_eq!(run.code, 0, "{}", run.stderr);
        assert!(run.stdout.contains("2 raw bodies restored and verified"), "{}", run.stdout);
        assert_eq!(blobs(&there.path("data/blobs")), names);
        let left = |name: &str| there.path(name).exists();
        assert!(!left("data/blobs.restoring") && !left("data/courant.db.restoring") && !left("data/keys/secret.new"));
        assert!(there.run(&["reparse"]).stdout.starts_with("2 documents read: 0 entries different"));

        // Existing blobs are kept, the others are added.
        let there = program().file(&format!("data/blobs/{}", names[0]), "damaged").file("data/blobs/ab/notes", "mine");
        std::fs::remove_file(&damaged).unwrap();
        let run = there.run(&["restore", &from]);
        assert!(run.stdout.contains("1 raw bodies are missing from the backup"), "{} {}", run.stdout, run.stderr);
        assert_eq!(blobs(&there.path("data/blobs")).len(), 2);
        assert_eq!(
            std::fs::read(there.path("data/blobs").join(&names[0])).unwrap(),
            std::fs::read(here.path("data/blobs").join(&names[0])).unwrap()
        );
    };
    tokio::task::spawn_blocking(walk).await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_damaged_body_is_not_saved() {
    let here = with_blobs().await;
    let walk = move || {
        let name = blobs(&here.path("data/blobs")).remove(0);
        std::fs::write(here.path("data/blobs").join(&name), "short").unwrap();
        let run = here.run(&["backup", "saved", "--with-blobs"]);
        let expected = format!("1 raw bodies are damaged and were not saved, such as {name} (");
        assert!(run.code == 0 && run.stdout.contains(&expected), "{} {}", run.stdout, run.stderr);
        let there = program();
        let run = there.run(&["restore", &at(&here, "saved"), "--json"]);
        let answer: Value = serde_json::from_str(&run.stdout).unwrap_or_else(|_| panic!("{}", run.stderr));
        assert_eq!((&answer["blobs"], &answer["blobs_missing"]), (&1.into(), &0.into()), "{answer}");
    };
    tokio::task::spawn_blocking(walk).await.unwrap();
}

#[test]
fn a_backup_of_a_newer_program_is_refused_in_one_sentence() {
    let here = with_a_feed();
    assert_eq!(here.run(&["backup", "saved", "--with-keys"]).code, 0);
    let newer = "INSERT INTO schema_migrations VALUES (999, '0999_future', 999, 0)";
    rusqlite::Connection::open(here.path("saved/courant.db")).unwrap().execute_batch(newer).unwrap();
    let there = Program::new();
    let run = there.run(&["restore", &at(&here, "saved")]);
    assert_eq!((run.code, run.stderr.lines().count()), (1, 1), "{}", run.stderr);
    let expected = "was written by a newer Courant (schema 999, this one knows up to ";
    assert!(run.stderr.starts_with("error: the backup cannot be used, caused by: "), "{}", run.stderr);
    assert!(run.stderr.contains(expected), "{}", run.stderr);
    assert!(!there.path("data").exists(), "nothing was made");
}

#[test]
fn postgres_has_its_own_tools() {
    let check = |url: &str, arguments: &[&str], expected: &str| {
        let program = Program::new().env("COURANT_DATABASE_URL", url);
        let run = program.run(arguments);
        assert_eq!(run.code, 2, "{}", run.stderr);
        assert!(run.stderr.contains(expected), "{}", run.stderr);
        assert!(!run.stderr.contains("hunter2"), "{}", run.stderr);
    };
    check(
        "postgres://ada:hunter2@db/feeds?sslmode=require",
        &["backup", "today"],
        "pg_dump --format=custom --file=today --dbname='postgres://ada@db/feeds?sslmode=require'\n",
    );
    check(
        "postgres:///feeds?host=/run&password=hunter2",
        &["restore", "today"],
        "pg_restore --dbname='postgres:///feeds?host=%2Frun' today\n",
    );
}
