//! Files are private to the user who runs the program, whatever the umask is, and also in a directory that existed before.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use testkit::{Origin, rss};

use crate::program::Program;
use crate::serve::{self, Server, eventually, titles};

/// Everything below a directory, itself included, with its mode.
fn modes(directory: &Path) -> Vec<(PathBuf, u32)> {
    let mut found = vec![(directory.to_owned(), mode(directory))];
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { found.extend(modes(&path)) } else { found.push((path.clone(), mode(&path))) }
    }
    found
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o7777
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}

fn assert_closed(data: &Path) {
    for (path, mode) in modes(data) {
        let expected = if path.is_dir() { 0o700 } else { 0o600 };
        assert_eq!(format!("{mode:o}"), format!("{expected:o}"), "{}", path.display());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_is_open_to_others_whatever_the_umask() {
    let origin = Origin::start().await;
    origin.at("/feed", rss(&["one"]));
    let url = origin.url("/feed");
    let walk = move || {
        let program = serve::program().env("COURANT_LOG_FILE", "data/logs/courant.log");
        let server = Server::start_under(&program, "umask 0", &[]);
        assert_eq!(program.run(&["feed", "add", "--as-is", &url]).code, 0);
        eventually(&vec!["one".to_owned()], || titles(&program));
        let data = program.path("data");
        let names: Vec<String> = modes(&data).iter().map(|(path, _)| path.display().to_string()).collect();
        for name in
            ["courant.db", "courant.db-wal", "courant.db-shm", "search.db", "courant.log", "secret", "courant.lock"]
        {
            assert!(names.iter().any(|path| path.ends_with(name)), "no {name}: {names:?}");
        }
        assert!(names.iter().any(|path| path.contains("/blobs/")), "{names:?}");
        assert_closed(&data);
        assert_eq!(server.stop().0, Some(0));
        assert_closed(&data);
    };
    tokio::task::spawn_blocking(walk).await.unwrap();
}

#[test]
fn a_directory_that_was_open_to_others_is_closed_with_a_notice() {
    let program = Program::new();
    assert_eq!(program.run(&["feed", "add", "--as-is", "https://one.example/feed"]).code, 0);
    let data = program.path("data");
    // Deeper files are protected by the closed directory.
    fs::remove_dir_all(data.join("blobs")).unwrap();
    for (path, _) in modes(&data) {
        set_mode(&path, if path.is_dir() { 0o755 } else { 0o644 });
    }
    let said = program.run(&["feed", "list"]).stderr;
    assert!(said.contains("other users of this machine could read these") && said.contains("courant.db"), "{said}");
    assert_eq!(said.lines().count(), 1, "{said}");
    assert_closed(&data);
    assert_eq!(program.run(&["feed", "list"]).stderr, "", "it is said once");
}

#[test]
fn a_shared_directory_is_not_changed() {
    let program = Program::new().file("shared/something else", "of others");
    let shared = program.path("shared");
    set_mode(&shared, 0o755);
    let run = program.run(&["feed", "add", "--as-is", "https://one.example/feed", "--data", "shared"]);
    assert_eq!((run.code, mode(&shared)), (0, 0o755), "{}", run.stderr);
    assert_eq!(mode(&shared.join("courant.db")), 0o600);
    let everybodys = Program::new().file("tmp/x", "");
    let tmp = everybodys.path("tmp");
    fs::remove_file(tmp.join("x")).unwrap();
    set_mode(&tmp, 0o1777);
    let add = ["feed", "add", "--as-is", "https://one.example/feed", "--data", "tmp"];
    assert_eq!(everybodys.run(&add).code, 0);
    assert_eq!(mode(&tmp), 0o1777);
}

#[test]
fn a_password_on_the_command_line_is_refused() {
    let check = |flags: &[&str], instead: &str| {
        let run = Program::new().run(&[&["config", "check"], flags].concat());
        assert_eq!(run.code, 1, "{}", run.stderr);
        assert!(run.stderr.contains("`ps`") && run.stderr.contains(instead), "{}", run.stderr);
        assert!(!run.stderr.contains("hunter2"), "{}", run.stderr);
    };
    check(&["--store", "postgres://ada:hunter2@db/feeds"], "COURANT_DATABASE_PASSWORD");
    check(&["--store", "postgres://ada@db/feeds?password=hunter2"], "COURANT_DATABASE_PASSWORD_FILE");
    check(&["--events", "nats://ada:hunter2@events"], "COURANT_EVENTS");
    let fine = Program::new().env("COURANT_DATABASE_URL", "postgres://ada:hunter2@db/feeds");
    assert_eq!(fine.env("COURANT_SECRET", &"x".repeat(32)).run(&["config", "check"]).code, 0);
}
