//! `courant backup` and `courant restore`, the real binary: one moment of a busy server, never over what is there.

use serde_json::Value;
use testkit::{Origin, rss};

use crate::program::Program;
use crate::serve::{Server, eventually, program, titles};

/// A program whose data directory has a database with one feed.
fn with_a_feed() -> Program {
    let program = program();
    assert_eq!(program.run(&["feed", "add", "https://one.example/feed"]).code, 0);
    program
}

/// Where another program keeps things, as an argument.
fn at(program: &Program, name: &str) -> String {
    program.path(name).display().to_string()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_backup_of_a_busy_server_holds_everything_it_had_told() {
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
        let add: Vec<&str> = ["feed", "add"].into_iter().chain(urls.iter().map(String::as_str)).collect();
        assert_eq!(here.run(&add).code, 0);
        // In the midst of it.
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
        // It opens clean and serves. Feeds that were being visited at that moment are leased to a worker that is not
        // there: they are due again when those leases have expired, which is not waited for here.
        let server = Server::start(&there, &[]);
        assert_eq!(server.get("/api/health").0, 200);
        assert_eq!(server.stop().0, Some(0));
        assert_eq!(
            std::fs::read(here.path("data/keys/secret")).unwrap(),
            std::fs::read(there.path("data/keys/secret")).unwrap()
        );
    };
    tokio::task::spawn_blocking(walk).await.unwrap();
}

#[test]
fn a_backup_says_what_it_holds_and_what_not() {
    let program = with_a_feed();
    let run = program.run(&["backup", "saved"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let lines: Vec<&str> = run.stdout.lines().collect();
    assert_eq!(lines[0], "saved to saved, and read again");
    assert!(lines[1].starts_with("  database  1 feeds, 0 entries, "), "{}", run.stdout);
    assert!(
        lines[2].contains("left out (--with-blobs)") && lines[3].contains("left out (--with-keys)"),
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
fn nothing_is_overwritten_and_nothing_foreign_is_taken() {
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
    check("a database is there", &saved, &["restore", &from], "a backup is never restored over a database");
    check("a backup is there", &saved, &["backup", "saved"], "saved is there already");
    check("nothing to save", &Program::new(), &["backup", "saved"], "there is no database at ./data/courant.db");
    check("no backup", &Program::new(), &["restore", "nowhere"], "cannot read nowhere");
    let other =
        Program::new().file("other/text", "hello").file("cut.db", "SQLite format 3\0").file("text.db", "dear diary");
    check("another directory", &other, &["restore", "other"], "was not made by `courant backup`");
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
