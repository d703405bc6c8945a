//! `courant serve`, the real binary: starts from nothing, works, and stops on request. Polls with a deadline, because
//! another process has its own clock.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use testkit::{Origin, rss};

use crate::program::Program;

/// A serving process; killed when dropped.
pub(crate) struct Server {
    child: Child,
    address: String,
    printed: std::io::Lines<BufReader<std::process::ChildStdout>>,
}

impl Server {
    pub(crate) fn start(program: &Program, arguments: &[&str]) -> Self {
        Self::started(program.command(&[&["serve"], arguments].concat()))
    }

    /// Runs a shell command first.
    pub(crate) fn start_under(program: &Program, shell: &str, arguments: &[&str]) -> Self {
        let serve = program.command(&[&["serve"], arguments].concat());
        let mut shell = program.shell(&format!("{shell}; exec \"$0\" \"$@\""));
        shell.arg(serve.get_program()).args(serve.get_args());
        Self::started(shell)
    }

    fn started(mut command: Command) -> Self {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut printed = BufReader::new(child.stdout.take().unwrap()).lines();
        let line = printed.next().and_then(Result::ok).unwrap_or_default();
        let address = line.trim().strip_prefix("Courant is serving on http://").map(str::to_owned);
        let address = address.unwrap_or_else(|| panic!("{line:?} {}", stderr(&mut child)));
        Self { child, address, printed }
    }

    /// Sends JSON; status and body of the response.
    pub(crate) fn post(&self, path: &str, body: &str) -> (u16, String) {
        self.post_with(path, "", body)
    }

    /// The same, with header lines.
    pub(crate) fn post_with(&self, path: &str, headers: &str, body: &str) -> (u16, String) {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let head = format!("POST {path} HTTP/1.1\r\nhost: courant\r\ncontent-length: {}\r\n", body.len());
        write!(stream, "{head}{headers}connection: close\r\n\r\n{body}").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let status = answer.split(' ').nth(1).unwrap().parse().unwrap();
        (status, answer)
    }

    /// The next line that it prints.
    pub(crate) fn next_line(&mut self) -> String {
        self.printed.next().unwrap().unwrap()
    }

    /// Where it listens.
    pub(crate) fn address(&self) -> &str {
        &self.address
    }

    pub(crate) fn get(&self, path: &str) -> (u16, String) {
        get(&self.address, path, "accept: */*")
    }

    /// The same, with a header.
    pub(crate) fn get_with(&self, path: &str, header: &str) -> (u16, String) {
        get(&self.address, path, header)
    }

    /// Its log up to a line with these words.
    pub(crate) fn log_until(&mut self, words: &str) -> String {
        let mut log = String::new();
        let mut lines = BufReader::new(self.child.stderr.as_mut().unwrap()).lines();
        while let Some(Ok(line)) = lines.next() {
            log.push_str(&line);
            log.push('\n');
            if line.contains(words) {
                return log;
            }
        }
        panic!("it never said {words:?}:\n{log}");
    }

    /// Stops it; returns its exit code and its log.
    pub(crate) fn stop(mut self) -> (Option<i32>, String) {
        let pid = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
        let deadline = Instant::now() + Duration::from_secs(10);
        let code = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status.code();
            }
            assert!(Instant::now() < deadline, "it does not stop within 10 s");
            std::thread::yield_now();
        };
        (code, stderr(&mut self.child))
    }
}

impl Server {
    /// kill -9.
    fn kill(self) {
        drop(self);
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn stderr(child: &mut Child) -> String {
    let mut text = String::new();
    child.stderr.as_mut().unwrap().read_to_string(&mut text).unwrap();
    text
}

/// Status and body of a response.
pub(crate) fn get(address: &str, path: &str, header: &str) -> (u16, String) {
    let mut stream = TcpStream::connect(address).unwrap();
    write!(stream, "GET {path} HTTP/1.1\r\nhost: courant\r\n{header}\r\nconnection: close\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let status = answer.split(' ').nth(1).unwrap().parse().unwrap();
    (status, answer.split("\r\n\r\n").nth(1).unwrap_or_default().to_owned())
}

/// Polls until the result is right, or a minute has passed.
pub(crate) fn eventually<T: PartialEq + std::fmt::Debug>(expected: &T, mut ask: impl FnMut() -> T) {
    let deadline = Instant::now() + Duration::from_mins(1);
    loop {
        let found = ask();
        if found == *expected {
            return;
        }
        assert!(Instant::now() < deadline, "expected {expected:?}, still {found:?}");
        std::thread::yield_now();
    }
}

pub(crate) fn program() -> Program {
    Program::new()
        .env("COURANT_LISTEN", "127.0.0.1:0")
        .env("COURANT_ALLOW_PRIVATE", "127.0.0.0/8")
        .env("COURANT_HOST_RPS", "0")
}

pub(crate) fn titles(program: &Program) -> Vec<String> {
    let run = program.run(&["entries", "--json", "--limit", "100000"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let entries: Value = serde_json::from_str(&run.stdout).unwrap();
    let mut titles: Vec<_> =
        entries.as_array().unwrap().iter().map(|entry| entry["title"].as_str().unwrap().to_owned()).collect();
    titles.sort();
    titles
}

#[test]
fn a_warning_is_shown_until_it_is_over() {
    let program = program();
    let server = Server::start(&program, &["--min-free", "1000GiB", "--data", "data"]);
    let warning = r#"{"db":"ok","status":"ok","warning":"less than 1073 GB of the disk with the data is free"}"#;
    eventually(&(200, warning.to_owned()), || server.get("/api/health"));
    // A command cleans up beside it; it may have to wait for the server's own job.
    eventually(&0, || program.run(&["retain"]).code);
    let (code, log) = server.stop();
    assert_eq!(code, Some(0), "{log}");
    assert_eq!(log.matches("not everything is well").count(), 1, "{log}");
    let server = Server::start(&program, &["--min-free", "0"]);
    eventually(&(200, r#"{"db":"ok","status":"ok"}"#.to_owned()), || server.get("/api/health"));
    assert_eq!(server.stop().0, Some(0));
}

/// The whole story, with commands beside the running server.
async fn the_story(program: Program) {
    let origin = Origin::start().await;
    origin.at("/feed", rss(&["one", "two"]));
    let url = origin.url("/feed");
    let walk = move || {
        let server = Server::start(&program, &[]);
        assert_eq!(server.get("/api/health"), (200, r#"{"db":"ok","status":"ok"}"#.into()));
        assert_eq!(server.get("/api/nowhere").0, 404);
        let (status, page) = server.get("/");
        // The web app, or the page that says how to add it.
        let shown = page.contains("data-theme=") || page.contains("Everything is well.");
        assert!(status == 200 && page.starts_with("<!doctype html>") && shown, "{page}");

        let added = program.run(&["feed", "add", "--as-is", &url]);
        assert_eq!((added.code, added.stdout), (0, format!("1  {url}  added\n")), "{}", added.stderr);
        let again = program.run(&["feed", "add", "--as-is", &url]);
        assert_eq!(again.stdout, format!("1  {url}  already there\n"));
        eventually(&vec!["one".to_owned(), "two".to_owned()], || titles(&program));

        assert_eq!(program.run(&["feed", "sync", "1"]).code, 0);
        let visits = |origin: &Origin| origin.visits();
        eventually(&vec!["GET /feed 200".to_owned(), "GET /feed 304".to_owned()], || visits(&origin));
        let list = program.run(&["feed", "list"]);
        assert!(list.stdout.contains("One") && list.stdout.contains("active"), "{}", list.stdout);
        eventually(&true, || {
            let shown = program.run(&["feed", "show", "1"]).stdout;
            shown.contains("304  0 new  next 2") && shown.contains("because it publishes about")
        });

        let search = |words: &[&str]| program.run(&[&["search", "--json"], words].concat()).stdout;
        assert!(search(&["one"]).contains(r#""title": "one""#), "{}", search(&["one"]));
        assert_eq!(search(&["one", "--", "-one"]).trim(), "[]");
        assert_eq!(program.run(&["search", "nowhere"]).stdout, "nothing found\n");

        let (code, log) = server.stop();
        assert_eq!(code, Some(0), "{log}");
        assert!(log.contains("stopped"), "{log}");
        // Its data survived.
        assert_eq!(titles(&program), ["one", "two"]);
        let server = Server::start(&program, &["--role", "api"]);
        assert_eq!(server.get("/api/health").0, 200);
        assert_eq!(server.stop().0, Some(0));
    };
    tokio::task::spawn_blocking(walk).await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_real_binary_on_sqlite() {
    the_story(program()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_real_binary_on_postgres() {
    let database = testkit::services::postgres().await;
    let program =
        program().env("COURANT_DATABASE_URL", database.url()).env("COURANT_SECRET", "0123456789abcdef0123456789abcdef");
    the_story(program).await;
}

#[test]
fn a_visit_that_does_not_end_is_handed_back_when_asked_to_stop() {
    // Accepts connections and never responds.
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let program = program();
    let server = Server::start(&program, &[]);
    let url = format!("http://{}/feed", silent.local_addr().unwrap());
    assert_eq!(program.run(&["feed", "add", "--as-is", &url]).code, 0);
    let worker = || {
        let shown: Value = serde_json::from_str(&program.run(&["feed", "show", "1", "--json"]).stdout).unwrap();
        shown["worker"].clone()
    };
    let _connection = silent.accept().unwrap();
    assert!(worker().is_string(), "somebody is at it");
    let (code, log) = server.stop();
    assert_eq!(code, Some(0), "{log}");
    assert!(log.contains("leases of feeds handed back"), "{log}");
    assert_eq!(worker(), Value::Null);
}

#[test]
fn the_leases_of_a_killed_server_are_taken_back_at_once() {
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    silent.set_nonblocking(true).unwrap();
    // Kept open until the visitor is dead: a visit that ends is no longer in progress.
    let comes = || {
        let mut connection = None;
        eventually(&true, || {
            connection = silent.accept().ok();
            connection.is_some()
        });
        connection
    };
    let program = program();
    let url = format!("http://{}/feed", silent.local_addr().unwrap());
    assert_eq!(program.run(&["feed", "add", "--as-is", &url]).code, 0);
    // Its lease lasts two minutes; `comes` waits for one.
    for _ in 0..2 {
        let server = Server::start(&program, &[]);
        let _connection = comes();
        server.kill();
    }
    let mut fetch = program.command(&["fetch"]).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let _connection = comes();
    fetch.kill().unwrap();
    fetch.wait().unwrap();
}

/// A response with a feed with one entry.
fn answer(title: &str) -> String {
    let feed = format!(
        "<rss version='2.0'><channel><title>One</title><item><guid>{title}</guid><title>{title}</title></item></channel></rss>"
    );
    format!("HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{feed}", feed.len())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_worker_that_was_stopped_and_wakes_late_writes_nothing() {
    let database = testkit::services::postgres().await;
    let program =
        program().env("COURANT_DATABASE_URL", database.url()).env("COURANT_SECRET", "0123456789abcdef0123456789abcdef");
    let origin = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/feed", origin.local_addr().unwrap());
    let walk = move || {
        assert_eq!(program.run(&["feed", "add", "--as-is", &url]).code, 0);
        let first = Server::start(&program, &[]);
        let (mut held, _) = origin.accept().unwrap();
        // A response before the request would be ignored.
        assert_ne!(held.read(&mut [0; 2048]).unwrap(), 0);
        let pid = rustix::process::Pid::from_child(&first.child);
        rustix::process::kill_process(pid, rustix::process::Signal::STOP).unwrap();
        let (_, status) = rustix::process::waitpid(Some(pid), rustix::process::WaitOptions::UNTRACED).unwrap().unwrap();
        assert!(status.stopped());
        // The response arrives while it is stopped; meanwhile the lease ends, and another worker does the visit.
        held.write_all(answer("late").as_bytes()).unwrap();
        assert_eq!(program.run(&["feed", "sync", "1"]).code, 0);
        let other = std::thread::spawn(move || {
            let (mut connection, _) = origin.accept().unwrap();
            let _ = connection.read(&mut [0; 2048]);
            connection.write_all(answer("in time").as_bytes()).unwrap();
            origin
        });
        let fetched = program.run(&["fetch"]);
        assert!(fetched.stdout.contains("1 new entries"), "{}{}", fetched.stdout, fetched.stderr);
        let _origin = other.join().unwrap();
        rustix::process::kill_process(pid, rustix::process::Signal::CONT).unwrap();
        let mut first = first;
        let log = first.log_until("the lease was lost: nothing was written");
        assert_eq!(log.matches("the lease was lost").count(), 1, "{log}");
        assert_eq!(titles(&program), ["in time"]);
    };
    tokio::task::spawn_blocking(walk).await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_workers_share_the_work_and_no_feed_is_visited_twice() {
    let database = testkit::services::postgres().await;
    let program =
        program().env("COURANT_DATABASE_URL", database.url()).env("COURANT_SECRET", "0123456789abcdef0123456789abcdef");
    let origin = Origin::start().await;
    let paths: Vec<String> = (0..120).map(|n| format!("/{n}")).collect();
    for path in &paths {
        origin.at(path, rss(&[path]));
    }
    let urls: Vec<String> = paths.iter().map(|path| origin.url(path)).collect();
    let walk = move || {
        let add: Vec<&str> = ["feed", "add", "--as-is"].into_iter().chain(urls.iter().map(String::as_str)).collect();
        assert_eq!(program.run(&add).code, 0);
        let workers =
            [&["--role", "worker,api"][..], &["--role", "worker,api"]].map(|role| Server::start(&program, role));
        eventually(&120, || titles(&program).len());
        let shares = workers.map(|worker| worker.stop().1.matches("\"visited\"").count());
        assert_eq!(shares[0] + shares[1], 120, "{shares:?}");
    };
    tokio::task::spawn_blocking(walk).await.unwrap();
    assert_eq!(origin.visits().len(), 120, "each feed once");
}

/// Regression: every connection used a file, until none was left for visits and the database; and a stop waited for
/// each of them.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn idle_clients_do_not_block_visits() {
    let origin = Origin::start().await;
    origin.at("/feed", rss(&["one"]));
    let url = origin.url("/feed");
    let walk = move || {
        let program = program();
        let server = Server::start_under(&program, "ulimit -n 160", &["--concurrency", "4"]);
        let clients: Vec<TcpStream> = (0..150)
            .map(|_| {
                let mut client = TcpStream::connect(&server.address).unwrap();
                client.write_all(b"GET /api/health HTTP/1.1\r\nho").unwrap();
                client
            })
            .collect();
        assert_eq!(program.run(&["feed", "add", "--as-is", &url]).code, 0);
        eventually(&vec!["one".to_owned()], || titles(&program));
        let (code, log) = server.stop();
        assert_eq!(code, Some(0), "{log}");
        assert!(!log.contains("did not stop in time") && !log.contains("Too many open files"), "{log}");
        assert!(log.contains("all connections are in use"), "{log}");
        drop(clients);
    };
    tokio::task::spawn_blocking(walk).await.unwrap();
}

#[test]
fn a_second_server_on_one_sqlite_file_is_refused() {
    let program = program();
    let server = Server::start(&program, &[]);
    let second = program.run(&["serve"]);
    assert_eq!(second.code, 1);
    let expected = format!("(process {}): stop it first, or use PostgreSQL for several", server.child.id());
    assert!(second.stderr.contains(&expected), "{}", second.stderr);
    let api = Server::start(&program, &["--role", "api"]);
    assert_eq!(api.get("/api/health").0, 200, "one that only answers is welcome");
}

/// Regression: the error was only on standard error, in a form of its own; the log file and JSON logs showed a start
/// and then nothing (A-26, A-28).
#[test]
fn startup_errors_are_logged() {
    let check = |program: Program, prepare: &dyn Fn(&Program), expected: &str| {
        let program = program.env("COURANT_LOG_FILE", "logs/courant.log");
        prepare(&program);
        let run = program.run(&["serve"]);
        assert_eq!(run.code, 1, "{}", run.stderr);
        let file = std::fs::read_to_string(program.path("logs/courant.log")).unwrap();
        for log in [file.as_str(), run.stderr.as_str()] {
            let lines = log.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
            let errors: Vec<Value> = lines.filter(|line| line["level"] == "ERROR").collect();
            assert!(errors.len() == 1 && errors[0]["error"].as_str().unwrap().contains(expected), "{log}");
        }
    };
    check(program().file("data/courant.db", "dear diary"), &|_| {}, "is damaged (the file has only 10 bytes)");
    // Migration 18 creates a table that exists already. (Not every migration fails when it runs twice.)
    let spoil = |program: &Program| {
        assert_eq!(program.run(&["feed", "add", "--as-is", "https://one.example/feed"]).code, 0);
        let database = rusqlite::Connection::open(program.path("data/courant.db")).unwrap();
        database.execute_batch("DELETE FROM schema_migrations WHERE version >= 18").unwrap();
    };
    check(program(), &spoil, "could not be brought up to date (migration ");
    check(program().file("data", "a file"), &|_| {}, "cannot create the directory ./data");
}

#[test]
fn the_reader_logs_into_its_data_directory() {
    let program = program();
    let server = Server::start(&program, &["--preset", "reader"]);
    assert_eq!(server.stop().0, Some(0));
    let log = std::fs::read_to_string(program.path("data/app.log")).unwrap();
    assert!(log.contains("\"stopped\""), "{log}");
    assert_eq!(program.setting("log.file", &["--preset", "reader"]), "./data/app.log from preset reader");
    assert_eq!(program.setting("log.file", &[]), "none from default");
}

#[test]
fn startup_errors_are_one_sentence() {
    let check = |program: Program, arguments: &[&str], expected: &str| {
        let run = program.run(arguments);
        assert_eq!(run.code, 1, "{}", run.stderr);
        let said: Vec<&str> = run.stderr.lines().filter(|line| line.starts_with("error:")).collect();
        assert_eq!(said.len(), 1, "{}", run.stderr);
        assert!(said[0].contains(expected), "{}", said[0]);
    };
    check(program().file("data", "a file"), &["serve"], "cannot create the directory ./data");
    check(
        program().file("data/courant.db", "dear diary"),
        &["feed", "list"],
        "is damaged (the file has only 10 bytes)",
    );
    check(program(), &["feed", "show", "7"], "there is no database at ");
    check(program(), &["feed", "add", "--as-is", "ftp://one.example/"], "only http and https can be visited");
    check(
        program().env("COURANT_LISTEN", "192.0.2.1:1"),
        &["serve"],
        "cannot listen on 192.0.2.1:1; choose another address",
    );
    let nobody = "postgres://courant@127.0.0.1:1/courant";
    let secret = "0123456789abcdef0123456789abcdef";
    let program = program().env("COURANT_DATABASE_URL", nobody).env("COURANT_SECRET", secret);
    let mut waiting = program.command(&["serve", "--log-format", "text"]).stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(waiting.stderr.take().unwrap()).lines().map(Result::unwrap);
    let said = lines.find(|line| line.contains("waiting for the database"));
    assert!(said.is_some_and(|line| line.contains("courant at 127.0.0.1:1")), "it waits for a server, and says so");
    waiting.kill().unwrap();
    waiting.wait().unwrap();
}
