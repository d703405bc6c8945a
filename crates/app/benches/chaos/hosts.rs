//! Ten thousand hosts, one feed each, half of them slow: silent, dripping, or late. The others must not be affected:
//! memory and sockets stay within bounds, and their visits are hardly later than without the slow ones.
//!
//! With `--slow=20` it is P10: one host in five.

use std::collections::HashMap;
use std::net::{Ipv4Addr, SocketAddr};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use jiff::{SignedDuration, Timestamp};
use store::{Address, NewFeed, Options, Store};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

use crate::{Verdict, judge};

/// The number of hosts, and the percentage of slow ones.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Crowd {
    pub(crate) hosts: usize,
    pub(crate) slow_percent: usize,
}

/// Over this time the feeds come due, one after the other.
const SPREAD: SignedDuration = SignedDuration::from_secs(60);
/// Startup time of the program before the first feed is due.
const START: SignedDuration = SignedDuration::from_secs(4);
/// More than the slow ones keep busy at any time (about 500 if they are half): the question is whether they disturb,
/// not whether they fit.
const AT_ONCE: usize = 1024;
/// Lateness below this, in milliseconds, is not distinguished: a busy worker claims no more often.
const NOTICEABLE: f64 = 20.0;

pub(crate) fn run(crowd: Crowd) -> Vec<Verdict> {
    let Crowd { hosts, slow_percent } = crowd;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    println!(
        "hosts: {hosts} on loopback, {slow_percent} % slow, due over {SPREAD:#}, at most {AT_ONCE} visits at once"
    );
    let calm = runtime.block_on(scene(crowd, Company::Good));
    println!("  without the slow: {calm}");
    let rough = runtime.block_on(scene(crowd, Company::All));
    println!("  with the slow:    {rough}");
    let good = crowd.good();
    let ratio = rough.p95.max(NOTICEABLE) / calm.p95.max(NOTICEABLE);
    let note = format!(
        "{hosts} hosts, {slow_percent} % slow; {:.0} ms with and {:.0} ms without them, below {NOTICEABLE} ms not told apart",
        rough.p95, calm.p95
    );
    trial::figure(
        "P10",
        "p95 lateness of the good, with over without the slow",
        ratio,
        trial::Bar::AtMost(1.10),
        &note,
    );
    vec![
        judge("feeds of good hosts that were not visited", (good - rough.visited.min(good)) as f64, 0.0),
        judge("p95 lateness of the good, with over without the slow", ratio, 1.10),
        judge("most sockets open at once", rough.most_open as f64, AT_ONCE as f64),
        judge("most resident memory, MB", rough.megabytes, 150.0),
    ]
}

/// The result of one run.
struct Scene {
    visited: usize,
    /// Milliseconds.
    p50: f64,
    p95: f64,
    most_open: usize,
    megabytes: f64,
}

impl std::fmt::Display for Scene {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{} good hosts visited, late by p50 {:.0} ms, p95 {:.0} ms; {} sockets, {:.0} MB",
            self.visited, self.p50, self.p95, self.most_open, self.megabytes
        )
    }
}

/// How a host behaves.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Host {
    Good,
    Silent,
    Dripping,
    Late,
}

/// Which hosts are present.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Company {
    Good,
    All,
}

impl Crowd {
    /// The slow ones are spread evenly among the good: half of them silent, a quarter each dripping and late.
    fn behaviour(self, n: usize) -> Host {
        let slow_before = |n: usize| n * self.slow_percent / 100;
        if slow_before(n + 1) == slow_before(n) {
            return Host::Good;
        }
        match slow_before(n) % 4 {
            0 | 1 => Host::Silent,
            2 => Host::Dripping,
            _ => Host::Late,
        }
    }

    fn good(self) -> usize {
        (0..self.hosts).filter(|n| self.behaviour(*n) == Host::Good).count()
    }

    fn due(self, first: Timestamp, n: usize) -> Timestamp {
        first + SPREAD * n as i32 / self.hosts as i32
    }
}

fn address(n: usize, port: u16) -> SocketAddr {
    let (b, c, d) = (20 + n / 62_500, n / 250 % 250, n % 250 + 1);
    SocketAddr::from((Ipv4Addr::new(127, b as u8, c as u8, d as u8), port))
}

/// What the origins recorded.
#[derive(Default)]
struct Ledger {
    came: Mutex<HashMap<usize, Timestamp>>,
    open: AtomicUsize,
    most_open: AtomicUsize,
}

async fn scene(crowd: Crowd, company: Company) -> Scene {
    let ledger = Arc::new(Ledger::default());
    let port = free_port().await;
    let chosen: Vec<usize> =
        (0..crowd.hosts).filter(|n| company == Company::All || crowd.behaviour(*n) == Host::Good).collect();
    let mut origins = tokio::task::JoinSet::new();
    for &n in &chosen {
        let listener = TcpListener::bind(address(n, port)).await.unwrap();
        origins.spawn(host(listener, n, crowd.behaviour(n), Arc::clone(&ledger)));
    }
    let directory = tempfile::tempdir().unwrap();
    let first = add_feeds(directory.path(), crowd, &chosen, port).await;
    let mut courant = start(directory.path());
    let (mut megabytes, begun) = (0.0f64, Instant::now());
    let enough = Duration::try_from(START + SPREAD + SignedDuration::from_secs(30)).unwrap();
    let good = crowd.good();
    while begun.elapsed() < enough && ledger.came.lock().unwrap().len() < good {
        tokio::time::sleep(Duration::from_millis(500)).await;
        megabytes = megabytes.max(resident(&courant));
    }
    courant.kill().unwrap();
    courant.wait().unwrap();
    let came = std::mem::take(&mut *ledger.came.lock().unwrap());
    let mut late: Vec<f64> =
        came.iter().map(|(n, at)| at.duration_since(crowd.due(first, *n)).as_secs_f64() * 1000.0).collect();
    late.sort_by(f64::total_cmp);
    let quantile = |q: f64| late.get((late.len() as f64 * q) as usize).copied().unwrap_or(f64::NAN);
    Scene {
        visited: late.len(),
        p50: quantile(0.5),
        p95: quantile(0.95),
        most_open: ledger.most_open.load(Ordering::Relaxed),
        megabytes,
    }
}

async fn add_feeds(directory: &std::path::Path, crowd: Crowd, chosen: &[usize], port: u16) -> Timestamp {
    let url = format!("sqlite:{}", directory.join("courant.db").display());
    let now = Timestamp::now();
    let first = now + START;
    let store = Store::open(&Address::parse(&url).unwrap(), &Options::at(now)).await.unwrap();
    let feed = |n: usize| {
        let host = address(n, port).to_string();
        NewFeed::public(uuid::Uuid::from_u128(n as u128 + 1), format!("http://{host}/feed"), host, crowd.due(first, n))
    };
    for part in chosen.chunks(500) {
        store.add_feeds(part.iter().map(|n| feed(*n)).collect(), now).await.unwrap();
    }
    store.close(now).await.unwrap();
    first
}

fn start(directory: &std::path::Path) -> Child {
    Command::new(env!("CARGO_BIN_EXE_courant"))
        .args(["serve", "--role", "worker"])
        .env_clear()
        .env("COURANT_DATA", directory)
        .env("COURANT_ALLOW_PRIVATE", "127.0.0.0/8")
        .env("COURANT_CONCURRENCY", AT_ONCE.to_string())
        .env("COURANT_FIRST_BYTE_TIMEOUT", "5s")
        .env("COURANT_FETCH_TIMEOUT", "10s")
        .env("COURANT_LOG", "warn")
        .stdout(Stdio::null())
        .spawn()
        .unwrap()
}

fn resident(child: &Child) -> f64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or("0 kB");
    line.trim().trim_end_matches(" kB").parse::<f64>().unwrap_or(0.0) / 1024.0
}

async fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    listener.local_addr().unwrap().port()
}

async fn host(listener: TcpListener, n: usize, manner: Host, ledger: Arc<Ledger>) {
    while let Ok((stream, _)) = listener.accept().await {
        let ledger = Arc::clone(&ledger);
        tokio::spawn(async move {
            let open = ledger.open.fetch_add(1, Ordering::Relaxed) + 1;
            ledger.most_open.fetch_max(open, Ordering::Relaxed);
            answer(stream, n, manner, &ledger).await;
            ledger.open.fetch_sub(1, Ordering::Relaxed);
        });
    }
}

const FEED: &str = "<rss version=\"2.0\"><channel><title>A host</title><item><guid>1</guid><title>One</title>\
                    <link>http://one.example/1</link></item></channel></rss>";

async fn answer(mut stream: TcpStream, n: usize, manner: Host, ledger: &Ledger) {
    let mut request = [0; 2048];
    if !matches!(stream.read(&mut request).await, Ok(1..)) {
        return;
    }
    let head =
        format!("HTTP/1.1 200 OK\r\ncontent-type: application/rss+xml\r\ncontent-length: {}\r\n\r\n", FEED.len());
    match manner {
        Host::Good => {
            ledger.came.lock().unwrap().entry(n).or_insert_with(Timestamp::now);
            let _ = stream.write_all(format!("{head}{FEED}").as_bytes()).await;
        }
        Host::Silent => {}
        Host::Dripping => {
            let _ = stream.write_all(head.as_bytes()).await;
            for byte in FEED.as_bytes() {
                if stream.write_all(&[*byte]).await.is_err() {
                    return;
                }
                tokio::time::sleep(Duration::from_millis(500)).await;
            }
        }
        Host::Late => {
            tokio::time::sleep(Duration::from_secs(4)).await;
            let _ = stream.write_all(format!("{head}{FEED}").as_bytes()).await;
        }
    }
    // Until the visitor disconnects.
    while matches!(stream.read(&mut request).await, Ok(1..)) {}
}
