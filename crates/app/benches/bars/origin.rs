//! The origin of these benchmarks, in a process of its own so that its cost is not measured: files of a world with
//! ETag, Last-Modified, 304, gzip and keep-alive, on every address of 127.0.1.x that the world names.
//!
//! `/fNNNNN.xml` is the world in its current version, `/copy/K/fNNNNN.xml` the same under another URL, `/late/MS/N` a
//! small feed after MS milliseconds, `/large/N` a megabyte over a slow connection, and `/-/…` is for the harness. It
//! counts its responses: a run that should have been all 304 and was not has measured something else.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

use crate::large;

/// A running origin; ends when dropped.
pub(crate) struct Origin {
    process: Child,
    control: SocketAddr,
}

/// The responses of an origin since the last query.
#[derive(Debug, Clone, Default)]
pub(crate) struct Seen {
    pub(crate) fresh: usize,
    pub(crate) unchanged: usize,
    pub(crate) other: usize,
    /// Seconds between the first tenth of the responses and the last.
    pub(crate) middle: f64,
}

impl Seen {
    /// Responses per second, without the beginning and the end.
    pub(crate) fn rate(&self) -> f64 {
        0.8 * (self.fresh + self.unchanged + self.other) as f64 / self.middle.max(1e-9)
    }
}

impl Origin {
    pub(crate) fn start(world: &Path) -> Self {
        let control = *addresses(world).first().expect("a world has hosts");
        let mut process = Command::new(std::env::current_exe().expect("this program has a name"))
            .arg("origin")
            .arg(world)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("this program starts");
        let mut line = String::new();
        BufReader::new(process.stdout.as_mut().expect("a pipe")).read_line(&mut line).expect("it says when it listens");
        assert!(line.starts_with("listening"), "the origin could not start: is another one running?");
        Self { process, control }
    }

    /// Switches every document to that version at once.
    pub(crate) fn serve_version(&self, version: usize) {
        self.ask(&format!("/-/version/{version}"));
    }

    /// The responses since the last query.
    pub(crate) fn seen(&self) -> Seen {
        let said = self.ask("/-/seen");
        let mut numbers = said.split(' ').map(|number| number.trim().parse::<f64>().expect("a number"));
        let mut next = || numbers.next().expect("four numbers");
        let (fresh, unchanged, other, middle) = (next() as usize, next() as usize, next() as usize, next());
        Seen { fresh, unchanged, other, middle }
    }

    /// The number of responses that `seen` would report, without resetting.
    pub(crate) fn answered(&self) -> usize {
        self.ask("/-/answered").trim().parse().expect("a number")
    }

    #[expect(clippy::disallowed_methods, reason = "asks the origin that it has started")]
    fn ask(&self, path: &str) -> String {
        let mut stream = std::net::TcpStream::connect(self.control).expect("the origin listens");
        write!(stream, "GET {path} HTTP/1.1\r\nconnection: close\r\n\r\n").expect("a request");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("an answer");
        answer.split_once("\r\n\r\n").expect("an answer has a body").1.to_owned()
    }
}

impl Drop for Origin {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// The addresses of a world's feeds.
pub(crate) fn addresses(world: &Path) -> Vec<SocketAddr> {
    let urls = std::fs::read_to_string(world.join("urls.txt")).expect("a world has a list of addresses");
    let host = |url: &str| url.strip_prefix("http://")?.split('/').next()?.parse().ok();
    let all: BTreeSet<SocketAddr> = urls.lines().filter_map(host).collect();
    all.into_iter().collect()
}

/// The process itself: serves until its standard input ends.
pub(crate) fn serve(world: &Path) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let site = Arc::new(Site { world: world.to_owned(), begun: Instant::now(), state: Mutex::default() });
        for address in addresses(world) {
            let listener = TcpListener::bind(address).await.expect("an address of this machine that nobody uses");
            tokio::spawn(listen(listener, Arc::clone(&site)));
        }
        writeln!(std::io::stdout(), "listening").expect("the harness reads");
        // The parent holds the other end: this process ends with it.
        tokio::task::spawn_blocking(|| std::io::stdin().read_to_end(&mut Vec::new())).await.ok();
    });
}

struct Site {
    world: PathBuf,
    begun: Instant,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    version: usize,
    statuses: BTreeMap<u16, usize>,
    /// Seconds since the start, one for each response.
    moments: Vec<f64>,
}

async fn listen(listener: TcpListener, site: Arc<Site>) {
    while let Ok((stream, _)) = listener.accept().await {
        let site = Arc::clone(&site);
        tokio::spawn(async move {
            let _ = converse(stream, &site).await;
        });
    }
}

async fn converse(mut stream: TcpStream, site: &Site) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    let mut received = Vec::with_capacity(2048);
    loop {
        let end = loop {
            if let Some(at) = received.windows(4).position(|window| window == b"\r\n\r\n") {
                break at + 4;
            }
            if received.len() > 64 << 10 || stream.read_buf(&mut received).await? == 0 {
                return Ok(());
            }
        };
        let request = String::from_utf8_lossy(&received[..end]).into_owned();
        received.drain(..end);
        let path = request.split(' ').nth(1).unwrap_or("/");
        if let Some(asked) = path.strip_prefix("/-/") {
            let body = site.control(asked);
            let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\nconnection: close\r\n\r\n", body.len());
            return stream.write_all((head + &body).as_bytes()).await;
        }
        if let Some(number) = path.strip_prefix("/large/") {
            site.count(200);
            large::answer(&mut stream, number.parse().unwrap_or(0)).await?;
            continue;
        }
        if let Some(wait) = path.strip_prefix("/late/").and_then(|rest| rest.split('/').next()?.parse().ok()) {
            tokio::time::sleep(Duration::from_millis(wait)).await;
        }
        let answer = site.answer(path, &request);
        stream.write_all(&answer).await?;
    }
}

impl Site {
    fn answer(&self, path: &str, request: &str) -> Vec<u8> {
        let version = self.state.lock().expect("nobody panics").version;
        let field = |name: &str| {
            let of = |line: &str| {
                line.split_once(':').map(|(key, value)| (key.to_ascii_lowercase(), value.trim().to_owned()))
            };
            request.lines().filter_map(of).find_map(|(key, value)| (key == name).then_some(value))
        };
        let wants_gzip = field("accept-encoding").is_some_and(|codings| codings.contains("gzip"));
        let Some((body, coding)) = self.body(path, version, wants_gzip) else {
            self.count(404);
            return b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n".to_vec();
        };
        let etag = format!("\"{version}-{:x}\"", body.len());
        let modified = format!("Sun, 01 Nov 2026 {:02}:00:00 GMT", version % 24);
        let common = format!("etag: {etag}\r\nlast-modified: {modified}\r\n");
        if field("if-none-match").is_some_and(|known| known == etag) {
            self.count(304);
            return format!("HTTP/1.1 304 Not Modified\r\n{common}\r\n").into_bytes();
        }
        self.count(200);
        let head = format!(
            "HTTP/1.1 200 OK\r\ncontent-type: application/rss+xml\r\n{common}{coding}content-length: {}\r\n\r\n",
            body.len()
        );
        [head.as_bytes(), &body].concat()
    }

    fn body(&self, path: &str, version: usize, wants_gzip: bool) -> Option<(Vec<u8>, &'static str)> {
        if let Some(number) = path.strip_prefix("/late/") {
            let body = format!(
                "<rss version=\"2.0\"><channel><title>Late</title><item><guid isPermaLink=\"false\">{number}</guid>\
                 <title>One</title></item></channel></rss>"
            );
            return Some((body.into_bytes(), ""));
        }
        let file = path.rsplit('/').next().filter(|file| !file.contains(".."))?;
        let path = self.world.join(format!("v{version}")).join(file);
        if wants_gzip && let Ok(body) = std::fs::read(path.with_extension("xml.gz")) {
            return Some((body, "content-encoding: gzip\r\nvary: accept-encoding\r\n"));
        }
        std::fs::read(path).ok().map(|body| (body, ""))
    }

    fn count(&self, status: u16) {
        let moment = self.begun.elapsed().as_secs_f64();
        let mut state = self.state.lock().expect("nobody panics");
        *state.statuses.entry(status).or_default() += 1;
        state.moments.push(moment);
    }

    fn control(&self, asked: &str) -> String {
        let mut state = self.state.lock().expect("nobody panics");
        if let Some(version) = asked.strip_prefix("version/") {
            state.version = version.parse().unwrap_or(0);
            return String::new();
        }
        if asked == "answered" {
            return state.moments.len().to_string();
        }
        let statuses = std::mem::take(&mut state.statuses);
        let moments = std::mem::take(&mut state.moments);
        let of = |status: u16| statuses.get(&status).copied().unwrap_or(0);
        let other = moments.len() - of(200) - of(304);
        let at = |tenth: usize| moments.get(moments.len().saturating_sub(1) * tenth / 10).copied().unwrap_or(0.0);
        format!("{} {} {other} {}", of(200), of(304), at(9) - at(1))
    }
}
