//! `courant demo`, the real binary: one link, a reader that is alive, publishers that misbehave, and nothing left behind.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Child, ChildStdout, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::program::Program;

/// A demonstration that runs; killed when dropped.
struct Demo {
    child: Child,
    printed: BufReader<ChildStdout>,
    url: String,
    data: Option<PathBuf>,
    program: Program,
}

impl Demo {
    fn start(arguments: &[&str]) -> Self {
        // The environment of an installation must not matter.
        let program = Program::new().env("COURANT_LISTEN", "no address").env("COURANT_DATA", "/nonexistent/place");
        let temporary = program.path("tmp");
        std::fs::create_dir(&temporary).unwrap();
        let mut command = program.command(&[&["demo", "--no-open"], arguments].concat());
        command.env("TMPDIR", &temporary).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut printed = BufReader::new(child.stdout.take().unwrap());
        let mut said = String::new();
        while printed.read_line(&mut said).unwrap() > 0 {
            if !arguments.contains(&"--json") || said.ends_with("}\n") {
                break;
            }
        }
        let (url, data) = match serde_json::from_str::<Value>(&said) {
            Ok(told) => (told["url"].as_str().unwrap().to_owned(), Some(PathBuf::from(told["data"].as_str().unwrap()))),
            Err(_) => (said.trim().to_owned(), None),
        };
        if !url.starts_with("http://127.0.0.1:") {
            let mut log = String::new();
            let _ = child.kill();
            child.stderr.take().unwrap().read_to_string(&mut log).unwrap();
            panic!("{said:?} {log}");
        }
        Self { child, printed, url, data, program }
    }

    fn address(&self) -> &str {
        self.url.strip_prefix("http://").unwrap().split('/').next().unwrap()
    }

    fn token(&self) -> &str {
        self.url.split_once("#login=").unwrap().1
    }

    /// Sends a request; status, header and body.
    fn ask(&self, method: &str, path: &str, headers: &str, body: &str) -> (u16, String, String) {
        let mut stream = TcpStream::connect(self.address()).unwrap();
        let address = self.address();
        let length = body.len();
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nhost: {address}\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n{headers}connection: close\r\n\r\n{body}"
        )
        .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        (head.split(' ').nth(1).unwrap().parse().unwrap(), head.to_owned(), body.to_owned())
    }

    /// Uses the link; the cookie of the session.
    fn log_in(&self) -> String {
        let body = format!("{{\"token\":\"{}\"}}", self.token());
        let (status, head, body) = self.ask("POST", "/api/auth/link", "", &body);
        assert_eq!(status, 200, "{body}");
        let cookie = head.lines().find_map(|line| line.strip_prefix("set-cookie: ")).unwrap();
        format!("cookie: {}\r\n", cookie.split(';').next().unwrap())
    }

    fn get(&self, cookie: &str, path: &str) -> Value {
        let (status, _, body) = self.ask("GET", path, cookie, "");
        assert_eq!(status, 200, "{path}: {body}");
        serde_json::from_str(&body).unwrap_or_else(|error| panic!("{path}: {error}: {body}"))
    }

    /// Ctrl-C; what it printed besides.
    fn stop(mut self) -> String {
        let pid = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
        let deadline = Instant::now() + Duration::from_secs(10);
        let code = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status.code();
            }
            assert!(Instant::now() < deadline, "it does not stop within 10 s");
            std::thread::yield_now();
        };
        assert_eq!(code, Some(0));
        let mut rest = String::new();
        self.printed.read_to_string(&mut rest).unwrap();
        let left: Vec<_> = std::fs::read_dir(self.program.path("tmp")).unwrap().collect();
        assert!(left.is_empty(), "{left:?}");
        rest
    }
}

impl Drop for Demo {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn one_link_logs_in_once_and_nothing_is_left_behind() {
    let demo = Demo::start(&[]);
    let cookie = demo.log_in();
    let again = format!("{{\"token\":\"{}\"}}", demo.token());
    let (status, _, body) = demo.ask("POST", "/api/auth/link", "", &again);
    assert_eq!((status, body.contains("link_used")), (401, true), "{body}");
    assert_eq!(demo.get(&cookie, "/api/auth/me")["user"]["role"], "super_admin");
    let (status, ..) = demo.ask("GET", "/api/posts", "", "");
    assert_eq!(status, 401, "nobody else is let in");
    assert_eq!(demo.stop(), "", "one line and no more");
}

#[test]
fn the_reader_is_alive_at_once() {
    let demo = Demo::start(&["--json"]);
    let data = demo.data.clone().unwrap();
    assert!(data.join("courant.db").exists());
    let cookie = demo.log_in();
    let feeds = demo.get(&cookie, "/api/feeds");
    let feeds = feeds.as_array().cloned().unwrap_or_else(|| feeds["feeds"].as_array().unwrap().clone());
    assert!(feeds.len() >= 12, "{}", feeds.len());
    let posts = demo.get(&cookie, "/api/posts?limit=200");
    let posts = posts["posts"].as_array().unwrap();
    assert!(posts.len() >= 40, "{}", posts.len());
    let has = |text: &str| posts.iter().any(|post| post["title"].as_str().unwrap().contains(text));
    assert!(has("BELIEVE") && has("灯台") && has("الجسر") && has("tidepool 2.4.0"));
    assert!(posts.iter().any(|post| post["enclosure_kind"] == "audio"));
    let feed = |title: &str| feeds.iter().find(|feed| feed["title"] == title).unwrap();
    assert!(feed("Old Weather Vane")["error_count"].as_u64().unwrap() > 0, "the broken one");
    assert_eq!(feed("Overrun Observer")["fetch_state"]["last_http_status"], 429);
    let (from, to) = ("2020-01-01T00:00:00Z", "x");
    assert_eq!(demo.ask("GET", &format!("/admin/api/health?from={from}&to={to}"), &cookie, "").0, 422);
    let month = jiff::Timestamp::now() - jiff::SignedDuration::from_hours(30 * 24);
    let health = demo.get(&cookie, &format!("/admin/api/health?from={month:.0}"));
    assert!(health["totals"]["visits"].as_u64().unwrap() > 5_000, "{}", health["totals"]);
    assert!(health["totals"]["bytes_saved"].as_u64().unwrap() > 0 && health["top_feeds"].as_array().unwrap().len() > 3);
    assert!(health["errors"].as_array().unwrap().iter().any(|error| error["code"] == "429"));

    // The restless one goes on publishing, and the worker goes on visiting.
    let ticker = feed("Quayside Ticker")["id"].clone();
    let count = || demo.get(&cookie, &format!("/api/posts?feed_id={ticker}&limit=0"))["total"].as_u64().unwrap();
    let arrived = || {
        let (_, _, page) = demo.ask("GET", "/metrics", "", "");
        let line = page.lines().find_map(|line| line.strip_prefix("courant_entries_total{change=\"new\"} "));
        line.unwrap_or_else(|| panic!("{page}")).trim().parse::<u64>().unwrap()
    };
    let (before, arrived_before, deadline) = (count(), arrived(), Instant::now() + Duration::from_mins(1));
    while arrived() <= arrived_before {
        assert!(Instant::now() < deadline, "nothing new came within a minute");
        std::thread::yield_now();
    }
    assert!(count() > before);
    demo.stop();
    assert!(!data.exists());
}

#[test]
fn only_its_own_publishers_are_reached() {
    let demo = Demo::start(&[]);
    let cookie = demo.log_in();
    let me = demo.get(&cookie, "/api/auth/me");
    let csrf = me["csrf_token"].as_str().unwrap();
    let address = demo.address().to_owned();
    let headers = format!("{cookie}x-csrf-token: {csrf}\r\norigin: http://{address}\r\n");
    // Its own web server is on loopback, too, on another port.
    let body = format!("{{\"url\":\"http://{address}/api/health\"}}");
    let (status, _, answer) = demo.ask("POST", "/api/feeds", &headers, &body);
    assert!(status >= 400, "{status} {answer}");
    assert!(!answer.contains("\"id\":"), "{answer}");
}
