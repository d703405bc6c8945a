//! Secrets are read from the right sources, never printed, and the root secret is generated once and kept private.

use std::collections::HashSet;
use std::path::Path;
use std::sync::Barrier;

use courant::config::keys::root_secret;
use courant::config::{Config, Loaded, OPTIONS, Problems, Sources, load};

use crate::program::Program;

const PASSWORD: &str = "hunter2-hunter2-hunter2-hunter2-hunter2";

fn load_in(directory: &Path, env: &[(&str, &str)]) -> Result<Loaded, Problems> {
    let env = env.iter().map(|(name, value)| (name.into(), value.into())).collect();
    load(&Sources { env, directory: directory.to_owned(), ..Sources::default() })
}

/// A configuration whose data directory is inside `directory`.
fn config_in(directory: &Path) -> Config {
    load_in(directory, &[("COURANT_DATA", directory.join("data").to_str().unwrap())]).unwrap().config
}

#[test]
fn no_secret_is_ever_printed() {
    let url = format!("postgres://ada:{PASSWORD}@db/feeds");
    let mut right = Program::new().env("COURANT_LOG", "trace").env("COURANT_DATABASE_URL", &url);
    right = right.env("COURANT_EVENTS", &format!("nats://{PASSWORD}@bus:4222")).env("COURANT_S3_ACCESS_KEY", "id");
    let mut wrong = Program::new().env("COURANT_DATABASE_URL", &format!("mysql://ada:{PASSWORD}@db"));
    for option in OPTIONS.iter().filter(|option| option.secret) {
        match option.env {
            "COURANT_DATABASE_PASSWORD" => {}
            "COURANT_PROXY" => right = right.env(option.env, &format!("http://ada:{PASSWORD}@proxy:3128")),
            _ => right = right.env(option.env, PASSWORD),
        }
        wrong = wrong.env(option.env, PASSWORD).env(&option.env_file().unwrap(), "/x");
    }
    for arguments in [&["config", "show"][..], &["config", "show", "--json"], &["config", "check"]] {
        let runs = [right.run(arguments), wrong.run(arguments)];
        assert_eq!(runs.each_ref().map(|run| run.code), [0, 1], "{arguments:?}: {}", runs[0].stderr);
        for run in runs {
            assert!(!run.stdout.contains("hunter2") && !run.stderr.contains("hunter2"), "{}{}", run.stdout, run.stderr);
        }
    }
    assert!(right.run(&["config", "show"]).stdout.contains("postgres://ada:***@db/feeds"));
    assert_eq!(right.setting("auth.secret", &[]), "*** from COURANT_SECRET");

    let loaded =
        load_in(Path::new("/nonexistent"), &[("COURANT_SECRET", PASSWORD), ("COURANT_DATABASE_URL", &url)]).unwrap();
    assert!(!format!("{loaded:?}").contains("hunter2"));
}

#[test]
fn a_short_secret_is_refused_by_its_length_only() {
    let run = Program::new().env("COURANT_SECRET", "hunter2").run(&["config", "check"]);
    assert_eq!(run.stderr, "error: `auth.secret` from COURANT_SECRET is ***, expected at least 32 bytes, not 7\n");
}

#[test]
fn a_secret_may_come_from_a_file() {
    let directory = tempfile::tempdir().unwrap();
    let check = |case: &str, contents: &[u8], expected: &str| {
        std::fs::write(directory.path().join("password"), contents).unwrap();
        let got = match load_in(directory.path(), &[("COURANT_PASSWORD_FILE", "password")]) {
            Ok(loaded) => loaded.config.auth.password.unwrap().expose().to_owned(),
            Err(problems) => problems.to_string(),
        };
        assert_eq!(got, expected, "{case}");
    };
    check("no newline", b"pass word", "pass word");
    check("one newline", b"pass\n", "pass");
    check("only one is removed", b"pass\n\n", "pass\n");
    check("from Windows", b"pass\r\n", "pass");
    check("empty", b"\n", "`auth.password` from COURANT_PASSWORD_FILE: cannot read password: it is empty");
    check("binary", b"\xff", "`auth.password` from COURANT_PASSWORD_FILE: cannot read password: it is not text");
}

#[test]
fn a_secret_given_twice_is_refused() {
    let program = Program::new().env("COURANT_PASSWORD", "a").env("COURANT_PASSWORD_FILE", "b");
    let run = program.run(&["config", "check"]);
    assert_eq!(run.stderr, "error: COURANT_PASSWORD and COURANT_PASSWORD_FILE are both set: keep one of them\n");
    // Not twice: a later layer replaces an earlier one, in whatever form.
    let program =
        Program::new().env("COURANT_PASSWORD", "a").file("courant.toml", "[auth]\npassword_file = \"nowhere\"\n");
    assert_eq!(program.setting("auth.password", &[]), "*** from COURANT_PASSWORD");
}

#[test]
fn many_first_starts_at_once_agree_on_one_root_secret() {
    for round in 0..20 {
        let directory = tempfile::tempdir().unwrap();
        let config = config_in(directory.path());
        let together = Barrier::new(8);
        let start = || {
            together.wait();
            root_secret(&config).unwrap().expose().to_owned()
        };
        let secrets: HashSet<String> = std::thread::scope(|scope| {
            let starts: Vec<_> = (0..8).map(|_| scope.spawn(start)).collect();
            starts.into_iter().map(|start| start.join().unwrap()).collect()
        });
        assert_eq!(secrets.len(), 1, "round {round}");
        let keys = std::fs::read_dir(directory.path().join("data/keys")).unwrap();
        let names: Vec<_> = keys.map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(names, ["secret"], "no drafts are left behind");
    }
}

#[cfg(unix)]
#[test]
fn only_its_owner_can_read_the_root_secret() {
    use std::os::unix::fs::PermissionsExt as _;
    let directory = tempfile::tempdir().unwrap();
    assert_eq!(root_secret(&config_in(directory.path())).unwrap().expose().len(), 64);
    let mode = |name: &str| std::fs::metadata(directory.path().join(name)).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode("data/keys"), mode("data/keys/secret")), (0o700, 0o600));
}

#[test]
fn a_damaged_root_secret_is_never_replaced() {
    let directory = tempfile::tempdir().unwrap();
    let config = config_in(directory.path());
    root_secret(&config).unwrap();
    let path = directory.path().join("data/keys/secret");
    std::fs::write(&path, "").unwrap();
    let error = root_secret(&config).unwrap_err().to_string();
    assert!(error.contains("is damaged, expected at least 32 bytes, not 0"), "{error}");
    assert_eq!(std::fs::read(&path).unwrap(), b"");
}
