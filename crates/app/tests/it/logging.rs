//! Log lines go to standard error and, for the service, to a file of limited size.

use std::io;
use std::path::Path;
use std::process::Stdio;

use courant::clock;
use courant::config::{Bytes, Log, LogFormat, Value as _};
use courant::log::{LogFilter, Role, Screen, subscriber};
use serde_json::Value;
use testkit::{Origin, Response, rss};

use crate::program::Program;
use crate::serve;

#[test]
fn logs_do_not_go_to_standard_output() {
    let run = Program::new().env("COURANT_LOG", "trace").run(&["config", "check"]);
    assert_eq!(run.stdout, "ok: no file, only defaults, environment and flags\n");
    assert_eq!(run.stderr.lines().count(), 1, "{}", run.stderr);
}

#[test]
fn away_from_a_terminal_a_line_is_json_with_the_time_in_utc() {
    let run = Program::new().env("COURANT_LOG", "info").run(&["config", "check"]);
    let line: Value = serde_json::from_str(&run.stderr).unwrap();
    let time = line["timestamp"].as_str().unwrap();
    assert!(time.len() == 24 && time.ends_with('Z') && time.parse::<jiff::Timestamp>().is_ok(), "{time}");
    assert_eq!((&line["level"], &line["message"]), (&"INFO".into(), &"configuration loaded".into()));
    assert_eq!(line["file"], "none");

    let run = Program::new().env("COURANT_LOG", "info").run(&["config", "check", "--log-format", "text"]);
    assert!(run.stderr.contains("Z  INFO courant::command: configuration loaded file=\"none\""), "{}", run.stderr);
    assert!(!run.stderr.contains('\x1b'), "no colours in a pipe: {}", run.stderr);
}

#[test]
fn a_command_is_quiet_unless_asked() {
    assert_eq!(Program::new().run(&["config", "check"]).stderr, "");
}

#[test]
fn a_closed_standard_error_is_not_a_failure() {
    let program = Program::new().env("COURANT_LOG", "trace");
    let (reader, writer) = io::pipe().unwrap();
    drop(reader);
    let output = program.command(&["config", "check"]).stderr(Stdio::from(writer)).output().unwrap();
    assert!(output.status.success(), "{output:?}");
}

#[test]
fn the_service_logs_to_a_file_that_rotates() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("logs/courant.log");
    let log = log_to(&path);
    log_lines(&log, Role::Service, 100);
    let size = |name: &str| std::fs::metadata(path.with_file_name(name)).map_or(0, |found| found.len());
    assert!((1..=4096).contains(&size("courant.log")), "{}", size("courant.log"));
    assert!((3000..=4096).contains(&size("courant.log.1")) && (3000..=4096).contains(&size("courant.log.2")));
    assert_eq!(size("courant.log.3"), 0, "two are kept");
    // Whole lines only, and the newest line is the last.
    let newest = std::fs::read_to_string(&path).unwrap();
    let lines: Vec<Value> = newest.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let last = lines.last().unwrap();
    assert_eq!(
        (&last["message"], &last["number"], &last["timestamp"]),
        (&"visited".into(), &99.into(), &"2026-01-02T03:04:05.000Z".into())
    );
}

#[test]
fn a_command_does_not_write_to_the_file_of_the_service() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("courant.log");
    log_lines(&log_to(&path), Role::Tool, 1);
    assert!(!path.exists());
}

#[test]
fn an_unwritable_log_file_is_reported_once() {
    let directory = tempfile::tempdir().unwrap();
    // A file in place of a directory: refused for every user, root included.
    std::fs::write(directory.path().join("logs"), "").unwrap();
    let trouble = log_lines(&log_to(&directory.path().join("logs/courant.log")), Role::Service, 3).unwrap();
    assert!(trouble.starts_with("cannot write the log file ") && trouble.contains("courant.log: "), "{trouble}");
}

/// The log shows why a feed was visited when it was, and where the time went.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_visit_is_logged_with_its_decision_and_spans() {
    let origin = Origin::start().await;
    origin.at("/feed?key=hunter2", rss(&["one"])).at("/old", Response::moved_to("/feed?key=hunter2"));
    origin.at("/void", Response::moved_to("http://[/?key=hunter2"));
    let (url, void) = (origin.url("/old"), origin.url("/void"));
    let authority = origin.authority();
    let walk = move || {
        let program = serve::program();
        assert_eq!(program.run(&["feed", "add", "--as-is", &void]).code, 0);
        let failed = program.run(&["fetch", "--log", "info"]);
        let said = failed.stderr.lines().find(|line| line.contains("\"visited\"")).unwrap();
        assert!(said.contains("the redirects lead nowhere") && !said.contains("hunter2"), "{said}");
        assert_eq!(program.run(&["feed", "delete", "1"]).code, 0);
        assert_eq!(program.run(&["feed", "add", "--as-is", &url]).code, 0);
        let run = program.run(&["fetch", "--log", "info,engine=debug"]);
        assert_eq!(run.code, 0, "{}", run.stderr);
        assert!(!run.stderr.contains("hunter2"), "keys are in queries: {}", run.stderr);
        let lines: Vec<Value> = run.stderr.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let visited = lines.iter().find(|line| line["message"] == "visited").unwrap();
        let told =
            ["feed.id", "url", "result", "status", "new", "interval_before_s", "because"].map(|key| &visited[key]);
        let told: Vec<String> = told.iter().map(ToString::to_string).collect();
        assert_eq!(told.join(" "), format!(r#"2 "{url}" "fresh" 200 1 0 "new-entries""#));
        assert!(visited["interval_s"].as_i64().unwrap() > 60 && visited["took_ms"].is_u64(), "{visited}");
        assert!(visited["reason"].as_str().unwrap().contains("because"), "{visited}");

        let ended = lines.iter().filter(|line| line["message"] == "close" && line["span"]["name"] != "claim");
        let steps: Vec<&str> = ended.clone().map(|line| line["span"]["name"].as_str().unwrap()).collect();
        let expected = ["turn", "request", "turn", "request", "put", "read", "known", "plan", "commit", "visit"];
        assert_eq!(steps, expected);
        for line in ended {
            assert!(line["time.busy"].is_string() && line["time.idle"].is_string(), "{line}");
            let whose = if line["span"]["name"] == "visit" { &line["span"] } else { &line["spans"][0] };
            assert_eq!(whose["feed.id"], 2, "{line}");
        }
        let requests: Vec<&Value> =
            lines.iter().map(|line| &line["span"]).filter(|span| span["name"] == "request").collect();
        assert_eq!(requests[1]["url"], format!("http://{authority}/feed?…"));
    };
    tokio::task::spawn_blocking(walk).await.unwrap();
}

/// Regression: html5ever warns about every misplaced tag: a document of 15 MB wrote a log of 1.3 GB.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_publisher_does_not_decide_how_much_is_logged() {
    let item = |n: u32| {
        let misplaced = "&lt;br&gt;".repeat(45);
        format!("<item><guid>{n}</guid><title>{n}</title><description>&lt;table&gt;{misplaced}</description></item>")
    };
    // And refused entries, each with a reason that quotes it.
    let refused =
        |n: u32| format!("<item><guid>r{n}</guid><title>r{n}</title><link>http://a:b@c.example/</link></item>");
    let items: String = (0..1900).map(item).chain((0..100).map(refused)).collect();
    let feed = format!("<rss version='2.0'><channel><title>One</title>{items}</channel></rss>");
    let origin = Origin::start().await;
    origin.at("/feed", Response::body("application/rss+xml", feed));
    let url = origin.url("/feed");
    let walk = move || {
        let program = serve::program();
        assert_eq!(program.run(&["feed", "add", "--as-is", &url]).code, 0);
        let run = program.run(&["fetch", "--log", "info"]);
        assert!(run.stdout.contains("1900 new entries"), "{}{}", run.stdout, cut(&run.stderr));
        assert!(run.stderr.lines().count() < 10, "{} lines: {}", run.stderr.lines().count(), cut(&run.stderr));
        assert!(run.stderr.len() < 8000, "{} bytes: {}", run.stderr.len(), cut(&run.stderr));
        // A library logs if it is named.
        assert_eq!(program.run(&["feed", "delete", "1"]).code, 0);
        assert_eq!(program.run(&["feed", "add", "--as-is", &url.replace("/feed", "/few")]).code, 0);
        let run = program.run(&["fetch", "--log", "warn,html5ever=warn"]);
        assert!(run.stderr.contains("html5ever"), "{}{}", run.stdout, cut(&run.stderr));
    };
    let few = format!("<rss version='2.0'><channel><title>Few</title>{}</channel></rss>", item(1));
    origin.at("/few", Response::body("application/rss+xml", few));
    tokio::task::spawn_blocking(walk).await.unwrap();
}

/// The beginning of a text that may be long.
fn cut(text: &str) -> &str {
    text.get(..2000).unwrap_or(text)
}

/// A small file, two old ones kept.
fn log_to(path: &Path) -> Log {
    Log {
        level: LogFilter::read("info").unwrap(),
        format: LogFormat::Auto,
        file: Some(path.to_owned()),
        file_max_bytes: Bytes(4096),
        file_keep: 2,
    }
}

/// Logs this many lines at a fixed time, and returns the problem with the file, if any.
fn log_lines(log: &Log, role: Role, lines: usize) -> Option<String> {
    let clock = clock::stopped_at("2026-01-02T03:04:05Z".parse().unwrap());
    let (subscriber, trouble) = subscriber(log, &clock, role, Screen::NoTerminal, io::sink);
    tracing::subscriber::with_default(subscriber, || {
        for number in 0..lines {
            tracing::info!(target: "engine", number, "visited");
        }
    });
    trouble
}
