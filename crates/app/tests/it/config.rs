//! The configuration is found, layered and checked, and all problems are reported at once.

use crate::program::Program;

#[test]
fn flags_win_over_environment_over_file_over_preset_over_default() {
    let timeout = |program: &Program, flags: &[&str]| program.setting("fetch.timeout", flags);
    let mut program = Program::new();
    assert_eq!(timeout(&program, &[]), "30s from default");
    assert_eq!(timeout(&program, &["--preset", "reader"]), "10s from preset reader");
    program = program.file("courant.toml", "preset = \"reader\"\n[fetch]\ntimeout = \"20s\"\n");
    assert_eq!(timeout(&program, &[]), "20s from courant.toml line 3");
    program = program.env("COURANT_FETCH_TIMEOUT", "40s");
    assert_eq!(timeout(&program, &[]), "40s from COURANT_FETCH_TIMEOUT");
    assert_eq!(timeout(&program, &["--fetch-timeout", "2m"]), "2m from --fetch-timeout");
}

#[test]
fn an_empty_variable_counts_as_unset() {
    let program = Program::new().env("COURANT_LISTEN", "").env("COURANT_SECRET_FILE", "").env("COURANT_CONFIG", "");
    assert_eq!(program.setting("web.listen", &[]), "127.0.0.1:8100 from default");
}

#[test]
fn the_database_and_the_raw_bytes_follow_the_data_directory() {
    let program = Program::new().env("COURANT_DATA", "/srv/feeds/");
    assert_eq!(program.setting("database.url", &[]), "sqlite:/srv/feeds/courant.db from default");
    assert_eq!(program.setting("blobs.url", &[]), "file:/srv/feeds/blobs from default");
    assert_eq!(program.setting("database.url", &["--store", "sqlite:x.db"]), "sqlite:x.db from --store");
}

#[test]
fn the_first_file_found_is_used() {
    // From the last location to the first: each new file hides the ones before.
    let mut program = Program::new();
    let home = program.path("home").display().to_string();
    program = program.env("HOME", &home);
    let used = |program: &Program, flags: &[&str]| {
        let run = program.run(&[&["config", "check"], flags].concat());
        run.stdout.replace(&program.path("").display().to_string(), "").trim_end().to_owned() + &run.stderr
    };
    assert_eq!(used(&program, &[]), "ok: no file, only defaults, environment and flags");
    program = program.file("home/.config/courant/courant.toml", "");
    assert_eq!(used(&program, &[]), "ok: home/.config/courant/courant.toml");
    let xdg = program.path("xdg").display().to_string();
    program = program.env("XDG_CONFIG_HOME", &xdg).file("xdg/courant/courant.toml", "");
    assert_eq!(used(&program, &[]), "ok: xdg/courant/courant.toml");
    program = program.file("data/courant.toml", "").file("elsewhere/courant.toml", "");
    assert_eq!(used(&program, &[]), "ok: ./data/courant.toml");
    assert_eq!(used(&program, &["--data", "elsewhere"]), "ok: elsewhere/courant.toml");
    program = program.file("courant.toml", "");
    assert_eq!(used(&program, &[]), "ok: courant.toml");
    program = program.file("named.toml", "").env("COURANT_CONFIG", "named.toml");
    assert_eq!(used(&program, &[]), "ok: named.toml");
    assert_eq!(used(&program, &["--config", "courant.toml"]), "ok: courant.toml");
    assert_eq!(
        used(&program, &["--config", "no.toml"]),
        "error: there is no configuration file no.toml, named by --config\n"
    );
}

#[test]
fn every_problem_is_reported_at_once_with_its_origin() {
    let program = Program::new()
        .file("courant.toml", "[databse]\nurl = \"x\"\n\n[fetch]\ntimeout = \"soon\"\nconcurrency = [1]\n")
        .env("COURANT_LISTN", "x")
        .env("COURANT_HOST_RPS", "fast")
        .env("COURANT_TEST_SOMETHING", "ignored");
    let run = program.run(&["config", "check", "--store", "mysql://db/feeds", "--log-file-keep", "-1"]);
    let expected = [
        "error: unknown variable `COURANT_LISTN` in the environment: did you mean `COURANT_LISTEN`?",
        "error: unknown key `databse.url` in courant.toml line 2: did you mean `database.url`?",
        "error: `fetch.concurrency` from courant.toml line 6 is an array, expected a whole number",
        "error: `database.url` from --store is `mysql://db/feeds`, expected `sqlite:PATH` or `postgres://USER@HOST/DATABASE`",
        "error: `fetch.timeout` from courant.toml line 5 is `soon`, expected a duration such as `30s`, `5m` or `2h`",
        "error: `fetch.host_rps` from COURANT_HOST_RPS is `fast`, expected a number such as `1` or `0.5`",
        "error: `log.file_keep` from --log-file-keep is `-1`, expected a whole number",
    ];
    assert_eq!(run.stderr.lines().collect::<Vec<_>>(), expected);
    assert_eq!((run.code, run.stdout.as_str()), (1, ""));
}

#[test]
fn a_file_that_is_not_toml_is_refused_without_quoting_it() {
    let program = Program::new().file("courant.toml", "[auth]\npassword = hunter2 \"\n");
    let run = program.run(&["config", "show"]);
    assert!(run.stderr.starts_with("error: courant.toml line 2 is not TOML: "), "{}", run.stderr);
    assert!(!run.stderr.contains("hunter2"), "{}", run.stderr);
    assert_eq!(run.code, 1);
}

#[test]
fn check_says_whether_serve_would_start() {
    let postgres = &["config", "check", "--store", "postgres://ada@db/feeds"];
    let run = Program::new().run(postgres);
    assert!(
        run.stderr.starts_with("error: `auth.secret` is required with PostgreSQL: set COURANT_SECRET"),
        "{}",
        run.stderr
    );
    assert_eq!(run.code, 1);
    let run = Program::new().env("COURANT_SECRET", &"s".repeat(32)).run(postgres);
    assert_eq!(run.code, 0, "{}", run.stderr);
}

#[test]
fn checking_and_showing_touch_nothing() {
    let program = Program::new();
    program.run(&["config", "check"]);
    program.run(&["config", "show"]);
    assert_eq!(std::fs::read_dir(program.path("")).unwrap().count(), 0);
}

/// Regression: `config check` said ok, and `serve` refused to start.
#[test]
fn what_serve_would_refuse_is_found_by_check() {
    let check = |env: &[(&str, &str)], expected: &str| {
        let program = env.iter().fold(Program::new(), |program, (name, value)| program.env(name, value));
        let checked = program.run(&["config", "check"]);
        assert_eq!(checked.code, 1, "{env:?}: {}", checked.stdout);
        assert!(checked.stderr.contains(expected), "{env:?}: {}", checked.stderr);
        let served = program.run(&["serve"]);
        assert!(served.code == 1 && served.stderr.contains(expected), "{env:?}: {}", served.stderr);
        let found = program.run(&["doctor"]);
        assert!(found.code == 1 && found.stdout.contains(expected), "{env:?}: {}", found.stdout);
    };
    let governed = ("COURANT_PRESET", "governance");
    check(&[governed, ("COURANT_RULES", "interval.initial = 10m")], "expected between 15 and 1440 minutes");
    check(&[governed, ("COURANT_RULES", "interval.max = 2d")], "expected between 15 and 1440 minutes");
    let listen = "127.0.0.1:1";
    check(&[("COURANT_LISTEN", listen), ("COURANT_METRICS_LISTEN", listen)], "choose another port for one of them");
    let bucket = [("COURANT_BLOBS", "s3://feeds"), ("COURANT_S3_ENDPOINT", "http://127.0.0.1:1")];
    check(&bucket, "`blobs.s3_endpoint` is not encrypted");
}

/// G-09, however an interval is set.
#[test]
fn a_governed_interval_stays_within_its_range() {
    let program = Program::new().env("COURANT_PRESET", "governance");
    assert_eq!(program.run(&["feed", "add", "--as-is", "https://one.example/feed"]).code, 0);
    for refused in ["14m", "25h"] {
        let run = program.run(&["feed", "set", "1", "interval.initial", refused]);
        assert!(run.code == 1 && run.stderr.contains("between 15 and 1440 minutes"), "{}", run.stderr);
    }
    assert_eq!(program.run(&["feed", "set", "1", "interval.initial", "30m"]).code, 0);
    let database = rusqlite::Connection::open(program.path("data/courant.db")).unwrap();
    let minutes = || database.query_row("SELECT refresh_minutes FROM feeds", [], |row| row.get::<_, Option<i64>>(0));
    assert_eq!(minutes().unwrap(), Some(30));
    let by_hand = database.execute("UPDATE feeds SET refresh_minutes = 10", []).unwrap_err().to_string();
    assert!(by_hand.contains("CHECK constraint failed"), "{by_hand}");
    assert_eq!(program.run(&["feed", "set", "1", "interval.initial", ""]).code, 0);
    assert_eq!(minutes().unwrap(), None);
}
