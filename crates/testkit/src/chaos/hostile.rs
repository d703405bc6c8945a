//! Many normal publishers, and one of every hostile kind beside them. How late the normal ones are visited and how
//! much memory it takes tells whether the hostile ones are in anybody's way.
//!
//! What the hostile ones do is in `hostile/tricks.rs`. Each publisher has an address of its own on loopback.

mod tricks;

use std::collections::HashMap;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::process::Command;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use jiff::{SignedDuration, Timestamp};
use model::feed::{DomainRule, FeedState};
use store::{Address, NewFeed, Options, Store};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tricks::{TRICKS, Trick};

use super::worker::{Limits, Worker};

/// Before the first feed is due, the program starts.
const START: SignedDuration = SignedDuration::from_secs(4);

/// What one run came to.
#[derive(Debug, Clone)]
pub struct Lateness {
    /// Normal publishers that were visited.
    pub visited: usize,
    /// How late half of them were visited at most, in milliseconds.
    pub p50: f64,
    /// How late nineteen of twenty were.
    pub p95: f64,
    /// The most memory that the worker had at a time.
    pub megabytes: f64,
    /// Visits to hostile publishers.
    pub endured: usize,
    /// Hostile kinds that were never visited.
    pub unmet: Vec<&'static str>,
    /// Whether the worker panicked or ended.
    pub broke: Option<String>,
}

/// Whether the hostile are there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Company {
    /// Normal publishers only.
    Normal,
    /// And one of each hostile kind.
    Hostile,
}

/// Visits so many normal publishers once, due over a time, in some company.
pub async fn hostile(binary: &Path, normals: usize, over: SignedDuration, company: Company) -> Lateness {
    let seen = Arc::new(Seen::default());
    let port = free_port().await;
    let mut publishers = JoinSet::new();
    let count = if company == Company::Hostile { normals + TRICKS.len() } else { normals };
    for n in 0..count {
        let listener = TcpListener::bind(address(n, port)).await.expect("loopback has many addresses");
        let trick = n.checked_sub(normals).map(|kind| TRICKS[kind]);
        publishers.spawn(publish(listener, n, trick, Arc::clone(&seen)));
    }
    let directory = tempfile::tempdir().expect("a temporary directory");
    let url = format!("sqlite:{}", directory.path().join("courant.db").display());
    let now = Timestamp::now();
    let address = Address::parse(&url).expect("a store's address");
    let store = Store::open(&address, &Options::at(now)).await.expect("the store opens");
    let due = |n: usize| now + START + over * n as i32 / normals as i32;
    // The hostile come in between, and then when their schedules let them.
    let hostile = |n: usize| now + START + over * (n - normals) as i32 / TRICKS.len() as i32;
    add_feeds(&store, (count, port), |n| if n < normals { due(n) } else { hostile(n) }, now).await;
    store.close(now).await.expect("the store can be closed");
    let mut worker = start(binary, directory.path());
    let (begun, mut megabytes) = (Instant::now(), 0.0f64);
    let enough = Duration::try_from(START + over + SignedDuration::from_secs(60)).unwrap_or_default();
    let unmet = || company == Company::Hostile && seen.met() < TRICKS.len();
    while begun.elapsed() < enough && (seen.normal() < normals || unmet()) {
        tokio::time::sleep(Duration::from_millis(200)).await;
        megabytes = megabytes.max(resident(worker.id()));
    }
    let panicked = worker.has_ended() || worker.said("panicked") > 0;
    let broke = panicked.then(|| worker.last_words());
    worker.kill();
    seen.lateness(due, normals, company, megabytes, broke)
}

/// Who was visited: the normal ones when, the hostile ones how often.
#[derive(Default)]
struct Seen {
    came: Mutex<HashMap<usize, Timestamp>>,
    endured: Mutex<HashMap<&'static str, usize>>,
}

impl Seen {
    fn normal(&self) -> usize {
        self.came.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    fn met(&self) -> usize {
        self.endured.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    fn lateness(
        &self,
        due: impl Fn(usize) -> Timestamp,
        normals: usize,
        company: Company,
        megabytes: f64,
        broke: Option<String>,
    ) -> Lateness {
        let came = self.came.lock().unwrap_or_else(PoisonError::into_inner);
        let mut late: Vec<f64> = came.iter().map(|(n, at)| at.duration_since(due(*n)).as_secs_f64() * 1000.0).collect();
        late.sort_by(f64::total_cmp);
        let quantile = |q: f64| late.get((normals as f64 * q) as usize).copied().unwrap_or(f64::INFINITY);
        let endured = self.endured.lock().unwrap_or_else(PoisonError::into_inner);
        let mut unmet: Vec<&str> = TRICKS.iter().map(|trick| trick.name).collect();
        unmet.retain(|name| company == Company::Hostile && !endured.contains_key(name));
        Lateness {
            visited: late.len(),
            p50: quantile(0.5),
            p95: quantile(0.95),
            megabytes,
            endured: endured.values().sum(),
            unmet,
            broke,
        }
    }
}

fn address(n: usize, port: u16) -> SocketAddr {
    let (b, c, d) = (40 + n / 62_500, n / 250 % 250, n % 250 + 1);
    SocketAddr::from((Ipv4Addr::new(127, b as u8, c as u8, d as u8), port))
}

async fn add_feeds(store: &Store, (count, port): (usize, u16), due: impl Fn(usize) -> Timestamp, now: Timestamp) {
    let feed = |n: usize| NewFeed {
        uuid: uuid::Uuid::from_u128(n as u128 + 1),
        url: format!("http://{}/feed", address(n, port)),
        owner: None,
        title: None,
        site_url: None,
        root_domain: None,
        domain_rule: DomainRule::Any,
        polling: true,
        state: FeedState::Active,
        rate_group: address(n, port).to_string(),
        due_at: Some(due(n)),
        user_agent: None,
        access: None,
    };
    store.add_feeds((0..count).map(feed).collect(), now).await.expect("feeds can be added");
}

/// One that is free on 127.0.0.1, and so, most likely, on the others.
async fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("loopback has a free port");
    listener.local_addr().expect("a bound listener has an address").port()
}

fn start(binary: &Path, directory: &Path) -> Worker {
    let mut command = Command::new(binary);
    command
        .args(["serve", "--role", "worker"])
        .env_clear()
        .env("COURANT_DATA", directory)
        .env("COURANT_ALLOW_PRIVATE", "127.0.0.0/8")
        .env("COURANT_CONCURRENCY", "256")
        .env("COURANT_FIRST_BYTE_TIMEOUT", "5s")
        .env("COURANT_FETCH_TIMEOUT", "10s")
        .env("COURANT_LOG", "warn");
    Worker::start("beside".to_owned(), &command, Limits::None)
}

fn resident(process: u32) -> f64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or("0 kB");
    line.trim().trim_end_matches(" kB").parse::<f64>().unwrap_or(0.0) / 1024.0
}

async fn publish(listener: TcpListener, n: usize, trick: Option<Trick>, seen: Arc<Seen>) {
    let mut visits = 0;
    while let Ok((stream, _)) = listener.accept().await {
        visits += 1;
        let seen = Arc::clone(&seen);
        tokio::spawn(async move {
            match trick {
                None => normal(stream, n, &seen).await,
                Some(trick) => {
                    *seen.endured.lock().unwrap_or_else(PoisonError::into_inner).entry(trick.name).or_default() += 1;
                    // Until the visitor goes: the server never tires first.
                    let _ = (trick.play)(stream, visits).await;
                }
            }
        });
    }
}

async fn normal(mut stream: TcpStream, n: usize, seen: &Seen) {
    const FEED: &str = "<rss version=\"2.0\"><channel><title>A host</title><item><guid>1</guid><title>One</title>\
                        <link>http://one.example/1</link></item></channel></rss>";
    let mut request = [0; 2048];
    if matches!(stream.read(&mut request).await, Ok(1..)) {
        seen.came.lock().unwrap_or_else(PoisonError::into_inner).entry(n).or_insert_with(Timestamp::now);
        let head = "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-type: application/rss+xml\r\ncontent-length";
        let _ = stream.write_all(format!("{head}: {}\r\n\r\n{FEED}", FEED.len()).as_bytes()).await;
    }
}
