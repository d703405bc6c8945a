//! Many normal publishers, with hostile ones beside them. The lateness of normal visits and the memory show whether the
//! hostile ones disturb the others.
//!
//! The work is the same with and without hostile publishers: every normal publisher comes due once, at the same
//! distance from its neighbours, with a new document; and the worker is measured for the same time. The hostile
//! behaviours are in `hostile/tricks.rs`. Each publisher has an address of its own on loopback, and normal ones have a
//! thread of their own, so that they record requests promptly however busy the hostile ones are.

mod bytes;
mod normal;
mod tricks;

use std::collections::HashMap;
use std::net::{Ipv4Addr, SocketAddr, TcpListener as Bound};
use std::path::Path;
use std::process::Command;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use jiff::{SignedDuration, Timestamp};
use model::FeedId;
use model::feed::{DomainRule, FeedState};
use normal::Normal;
use store::{Address, NewFeed, Options, Store};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use tricks::{TRICKS, Trick};

use super::worker::{Limits, Worker};

/// Startup time of the program before the first feed is due.
const START: SignedDuration = SignedDuration::from_secs(4);
/// Time after the last due time, for visits in progress.
const TAIL: SignedDuration = SignedDuration::from_secs(6);
/// The minimum duration of a run, however soon all feeds are due.
const LEAST: SignedDuration = SignedDuration::from_secs(20);
/// A feed that is not visited after this time will not be.
const PATIENCE: Duration = Duration::from_mins(1);

/// The result of one run.
#[derive(Debug, Clone)]
pub struct Lateness {
    /// The number of normal publishers.
    pub normals: usize,
    /// How many of them were visited.
    pub visited: usize,
    /// Of how many every entry is stored.
    pub stored: usize,
    /// The median lateness, in milliseconds.
    pub p50: f64,
    /// The 95th percentile.
    pub p95: f64,
    /// The worker's peak memory as the system reports it.
    pub megabytes: f64,
    /// Processor time of the worker, in seconds.
    pub processor: f64,
    /// Visits to hostile publishers.
    pub endured: usize,
    /// Hostile kinds that were never visited.
    pub unmet: Vec<&'static str>,
    /// Why the run failed, if the worker panicked or ended.
    pub broke: Option<String>,
    /// Its last warnings and errors.
    pub log_tail: String,
}

/// The kinds of hostile publishers.
pub fn hostile_kinds() -> Vec<&'static str> {
    TRICKS.iter().map(|trick| trick.name).collect()
}

/// Visits `normals` normal publishers once, due over a time, beside one of each of these kinds.
pub async fn hostile(binary: &Path, normals: usize, over: SignedDuration, kinds: &[&str]) -> Lateness {
    let tricks: Vec<Trick> = TRICKS.iter().filter(|trick| kinds.contains(&trick.name)).copied().collect();
    let seen = Arc::new(Seen::default());
    let port = free_port();
    let bound = |n: usize| Bound::bind(address(n, port)).expect("loopback has many addresses");
    let count = normals + tricks.len();
    let _normal = apart(publish_normal((0..normals).map(bound).collect(), Arc::clone(&seen)));
    let _hostile = apart(publish_hostile((normals..count).map(bound).collect(), tricks.clone(), Arc::clone(&seen)));
    let directory = tempfile::tempdir().expect("a temporary directory");
    let url = format!("sqlite:{}", directory.path().join("courant.db").display());
    let address = Address::parse(&url).expect("a store's address");
    let now = Timestamp::now();
    let store = Store::open(&address, &Options::at(now)).await.expect("the store opens");
    let due = |n: usize| now + START + over * n as i32 / normals as i32;
    // The hostile ones are interleaved, and then follow their own schedules.
    let hostile = |n: usize| now + START + over * (n - normals) as i32 / tricks.len() as i32;
    let feeds = add_feeds(&store, (count, port), |n| if n < normals { due(n) } else { hostile(n) }, now).await;
    store.close(now).await.expect("the store can be closed");
    let mut worker = start(binary, directory.path());
    let begun = Instant::now();
    tokio::time::sleep(Duration::try_from(START + over.max(LEAST) + TAIL).unwrap_or_default()).await;
    let (megabytes, processor) = (peak_megabytes(worker.id()), processor_seconds(worker.id()));
    let all_visited = || seen.normal() == normals && seen.met() == tricks.len();
    while begun.elapsed() < PATIENCE && !all_visited() {
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    let panicked = worker.has_ended() || worker.said("panicked") > 0;
    let log_tail = worker.log_tail();
    let broke = panicked.then(|| log_tail.clone());
    worker.kill();
    let store = Store::open(&address, &Options::at(Timestamp::now())).await.expect("the store opens again");
    let mut stored = 0;
    for (n, feed) in feeds[..normals].iter().enumerate() {
        let entries = store.unscoped().count_entries_of(*feed).await.expect("entries can be counted");
        stored += usize::from(entries == Normal::entries(n) as u64);
    }
    let late = seen.late(due);
    let quantile = |q: f64| late.get((normals as f64 * q) as usize).copied().unwrap_or(f64::INFINITY);
    let (p50, p95, visited) = (quantile(0.5), quantile(0.95), late.len());
    let (endured, unmet) = seen.endured(&tricks);
    Lateness { normals, visited, stored, p50, p95, megabytes, processor, endured, unmet, broke, log_tail }
}

/// The visits: when to normal publishers, how often to hostile ones.
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

    /// The lateness of each normal visit, in milliseconds, sorted.
    fn late(&self, due: impl Fn(usize) -> Timestamp) -> Vec<f64> {
        let came = self.came.lock().unwrap_or_else(PoisonError::into_inner);
        let mut late: Vec<f64> = came.iter().map(|(n, at)| at.duration_since(due(*n)).as_secs_f64() * 1000.0).collect();
        late.sort_by(f64::total_cmp);
        late
    }

    /// How often the hostile ones were visited, and which never were.
    fn endured(&self, tricks: &[Trick]) -> (usize, Vec<&'static str>) {
        let endured = self.endured.lock().unwrap_or_else(PoisonError::into_inner);
        let unmet = tricks.iter().map(|trick| trick.name).filter(|name| !endured.contains_key(name)).collect();
        (endured.values().sum(), unmet)
    }
}

fn address(n: usize, port: u16) -> SocketAddr {
    let (b, c, d) = (40 + n / 62_500, n / 250 % 250, n % 250 + 1);
    SocketAddr::from((Ipv4Addr::new(127, b as u8, c as u8, d as u8), port))
}

async fn add_feeds(
    store: &Store,
    (count, port): (usize, u16),
    due: impl Fn(usize) -> Timestamp,
    now: Timestamp,
) -> Vec<FeedId> {
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
        origin: model::feed::Origin::Operator,
    };
    let added = store.add_feeds((0..count).map(feed).collect(), now).await.expect("feeds can be added");
    added.into_iter().map(store::Added::id).collect()
}

/// A port that is free on 127.0.0.1, and most likely on the other loopback addresses.
fn free_port() -> u16 {
    let listener = Bound::bind("127.0.0.1:0").expect("loopback has a free port");
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

/// The system's own record, which includes short peaks.
fn peak_megabytes(process: u32) -> f64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or("0 kB");
    line.trim().trim_end_matches(" kB").parse::<f64>().unwrap_or(0.0) / 1024.0
}

fn processor_seconds(process: u32) -> f64 {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    // After the name, which may contain anything; user and system time are fields 14 and 15.
    let fields = stat.rsplit(") ").next().unwrap_or_default();
    let ticks: f64 = fields.split(' ').skip(11).take(2).filter_map(|field| field.parse::<f64>().ok()).sum();
    // Linux counts in hundredths on every architecture.
    ticks / 100.0
}

/// Runs `work` on a thread of its own until the sender is dropped.
fn apart(work: impl Future<Output = ()> + Send + 'static) -> oneshot::Sender<()> {
    let (until, ended) = oneshot::channel::<()>();
    thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        runtime.block_on(async {
            tokio::select! {
                () = work => {}
                _ = ended => {}
            }
        });
    });
    until
}

async fn publish_normal(bound: Vec<Bound>, seen: Arc<Seen>) {
    let normal = Arc::new(Normal::new());
    for (n, bound) in bound.into_iter().enumerate() {
        let (listener, normal, seen) = (listening(bound), Arc::clone(&normal), Arc::clone(&seen));
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                answer(stream, n, &normal, &seen).await;
            }
        });
    }
    std::future::pending::<()>().await;
}

async fn answer(mut stream: TcpStream, n: usize, normal: &Normal, seen: &Seen) {
    let mut request = [0; 2048];
    if matches!(stream.read(&mut request).await, Ok(1..)) {
        seen.came.lock().unwrap_or_else(PoisonError::into_inner).entry(n).or_insert_with(Timestamp::now);
        let document = normal.document(n);
        let _ = stream.write_all(&bytes::plain(&document)).await;
    }
}

async fn publish_hostile(bound: Vec<Bound>, tricks: Vec<Trick>, seen: Arc<Seen>) {
    for (bound, trick) in bound.into_iter().zip(tricks) {
        // Prepared in advance: generating it must not look like slowness of the visitor.
        let (listener, mut said, seen) = (listening(bound), (trick.says)(1), Arc::clone(&seen));
        tokio::spawn(async move {
            let mut visits = 0;
            while let Ok((stream, _)) = listener.accept().await {
                visits += 1;
                *seen.endured.lock().unwrap_or_else(PoisonError::into_inner).entry(trick.name).or_default() += 1;
                let saying = if visits == 1 { std::mem::take(&mut said) } else { (trick.says)(visits) };
                tokio::spawn(async move { trick.play(stream, &saying).await });
            }
        });
    }
    std::future::pending::<()>().await;
}

fn listening(bound: Bound) -> TcpListener {
    bound.set_nonblocking(true).expect("a socket need not block");
    TcpListener::from_std(bound).expect("a bound socket listens")
}
