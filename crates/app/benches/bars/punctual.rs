//! F-132: of ten thousand feeds, 95 in 100 are visited within twice their chosen interval. F-131: of visits to
//! responding publishers, fewer than 2 in 100 fail.
//!
//! Time and network are simulated; the engine, its loop, its pacing and its store are real: six hours take minutes.
//! Publishers respond after about a fifth of a second, one response in twelve takes seconds, and one host in a hundred
//! never responds. All feeds are due at once in the beginning, as after an import.

use std::fmt::Write as _;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use engine::{Clock, Engine, Parts, UserAgent};
use fetch::{Dialled, Network, Promise};
use jiff::{SignedDuration, Timestamp};
use model::visit::{PastVisit, VisitResult};
use model::{FeedId, Viewer, WorkerId};
use store::{NewFeed, Store};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream};
use tokio::sync::watch;
use tokio::time::Instant;
use trial::{Bar, Dice, figure};

use crate::Bench;

const FEEDS: usize = 10_000;
const PER_HOST: usize = 4;
const HOURS: u64 = 6;
/// The number of entries in a document.
const SHOWN: u64 = 15;

pub(crate) fn run(bench: &Bench) {
    let feeds = if bench.asked.quick { FEEDS / 20 } else { FEEDS };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
    let tally = runtime.expect("a runtime").block_on(simulate(feeds));
    let Tally { due, punctual, visits, worst, sound, failed } = tally;
    let note = format!(
        "{due} of {feeds} feeds came due again in {HOURS} h of simulated time; {visits} visits, the latest after {worst:.1} intervals"
    );
    figure(
        "F-132",
        "feeds visited within twice their interval, %",
        100.0 * punctual as f64 / due as f64,
        Bar::AtLeast(95.0),
        &note,
    );
    figure(
        "F-131",
        "visits that failed though their publisher did not, %",
        100.0 * failed as f64 / sound as f64,
        Bar::AtMost(2.0),
        &format!("{failed} of {sound} visits to hosts that answer, some of them after up to nine seconds"),
    );
}

#[derive(Default)]
struct Tally {
    /// Feeds whose interval ended during the simulation.
    due: usize,
    punctual: usize,
    visits: usize,
    /// In intervals.
    worst: f64,
    /// Visits to responding hosts.
    sound: usize,
    /// Of these, the failed ones.
    failed: usize,
}

async fn simulate(feeds: usize) -> Tally {
    let begun = Instant::now();
    let now = move || beginning() + SignedDuration::try_from(begun.elapsed()).expect("hours");
    let store = Store::simulated(beginning()).expect("a store in memory");
    let ids = add(&store, feeds).await;
    let engine = engine(&store, now);
    let (stop, stopping) = watch::channel(false);
    let worker = tokio::spawn(engine::run(engine, stopping));
    tokio::time::sleep(Duration::from_hours(HOURS)).await;
    let end = now();
    stop.send(true).expect("the worker listens");
    worker.await.expect("a worker does not panic");
    let mut tally = Tally::default();
    for (number, feed) in ids.into_iter().enumerate() {
        let visits = visits(&store, feed, end).await;
        tally.punctuality(&visits, end);
        if !is_silent(number as u64) {
            tally.sound += visits.len();
            tally.failed += visits.iter().filter(|visit| visit.result == VisitResult::Failed).count();
        }
    }
    tally
}

/// The visits to a feed, in their order.
async fn visits(store: &Store, feed: FeedId, end: Timestamp) -> Vec<PastVisit> {
    let mut visits = store.visits(Viewer::Operator, feed, 1000).await.expect("visits can be read");
    visits.retain(|visit| visit.at <= end);
    visits.sort_by_key(|visit| visit.at);
    visits
}

impl Tally {
    /// From each visit to the next, and from the last to the end.
    fn punctuality(&mut self, visits: &[PastVisit], end: Timestamp) {
        self.visits += visits.len();
        let nexts = visits.iter().skip(1).map(|visit| visit.at).chain([end]);
        let lateness = |(visit, next): (&PastVisit, Timestamp)| {
            next.duration_since(visit.at).as_secs_f64() / visit.interval.as_secs_f64().max(1.0)
        };
        let over: Vec<f64> = visits.iter().zip(nexts).map(lateness).filter(|share| *share >= 1.0).collect();
        if over.is_empty() {
            return;
        }
        let worst = over.into_iter().fold(0.0, f64::max);
        self.due += 1;
        self.punctual += usize::from(worst <= 2.0);
        self.worst = self.worst.max(worst);
    }
}

/// One host in a hundred never responds.
fn is_silent(feed: u64) -> bool {
    feed / PER_HOST as u64 % 100 == 99
}

fn beginning() -> Timestamp {
    Timestamp::from_second(1_767_225_600).expect("a moment of these years")
}

async fn add(store: &Store, feeds: usize) -> Vec<FeedId> {
    let feed = |n: usize| {
        let host = format!("site{}.example", n / PER_HOST);
        NewFeed::public(uuid::Uuid::from_u128(n as u128 + 1), format!("http://{host}/{n}"), host, beginning())
    };
    let added = store.add_feeds((0..feeds).map(feed).collect(), beginning()).await.expect("feeds can be added");
    added.into_iter().map(|added| added.id()).collect()
}

/// With the defaults of a worker.
fn engine(store: &Store, now: impl Fn() -> Timestamp + Send + Sync + 'static + Clone) -> Engine {
    let publishers = Publishers { dice: Arc::new(Mutex::new(Dice::new(1))), begun: Instant::now() };
    Engine::new(Parts {
        store: store.clone(),
        blobs: blobs::Blobs::simulated(),
        fetch: fetch::Fetch::with_network(fetch::Options::default(), Arc::new(publishers)).expect("a client"),
        clock: Clock::ticking(now),
        worker: WorkerId("one".into()),
        vault: engine::Vault::new(b"a secret that only benchmarks have"),
        options: engine::Options {
            user_agent: UserAgent { product: "Courant/bench".into(), contact: None },
            ..engine::Options::default()
        },
    })
}

/// All publishers, and the network to them.
struct Publishers {
    dice: Arc<Mutex<Dice>>,
    begun: Instant,
}

impl Network for Publishers {
    fn resolve<'a>(&'a self, _name: &'a str) -> Promise<'a, Vec<IpAddr>> {
        Box::pin(async { Ok(vec![Ipv4Addr::new(93, 184, 216, 34).into()]) })
    }

    fn dial(&self, address: SocketAddr) -> Promise<'_, Dialled> {
        let (dice, begun) = (Arc::clone(&self.dice), self.begun);
        Box::pin(async move {
            let (ours, theirs) = tokio::io::duplex(64 << 10);
            tokio::spawn(async move {
                let _ = converse(theirs, &dice, begun).await;
            });
            Ok(Dialled { stream: Box::new(ours), peer: address })
        })
    }
}

async fn converse(mut stream: DuplexStream, dice: &Mutex<Dice>, begun: Instant) -> std::io::Result<()> {
    let mut request = Vec::new();
    loop {
        request.clear();
        while !request.ends_with(b"\r\n\r\n") {
            if stream.read_buf(&mut request).await? == 0 {
                return Ok(());
            }
        }
        let text = String::from_utf8_lossy(&request).to_ascii_lowercase();
        let Some(feed) = text.split(' ').nth(1).and_then(|path| path.trim_start_matches('/').parse().ok()) else {
            stream.write_all(b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n").await?;
            continue;
        };
        if is_silent(feed) {
            std::future::pending::<()>().await;
        }
        let wait = {
            let mut dice = dice.lock().expect("nobody panics");
            if dice.roll(12) == 0 { dice.roll(9_000) } else { 50 + dice.roll(300) }
        };
        tokio::time::sleep(Duration::from_millis(wait as u64)).await;
        stream.write_all(answer(feed, begun.elapsed(), &text).as_bytes()).await?;
    }
}

/// From fifty entries a day to one a month by feed, log-uniform, each at a steady pace.
fn answer(feed: u64, elapsed: Duration, request: &str) -> String {
    let per_day = 50.0 * (1.0_f64 / 1500.0).powf((feed * 7919 % 1000) as f64 / 1000.0);
    let gap = 86_400.0 / per_day;
    // Each begins somewhere in its own gap, with a full document of past entries.
    let newest = SHOWN + (elapsed.as_secs_f64() / gap + (feed * 31 % 97) as f64 / 97.0) as u64;
    let tag = format!("\"{newest}\"");
    if request.contains(&format!("if-none-match: {tag}")) {
        return format!("HTTP/1.1 304 Not Modified\r\netag: {tag}\r\n\r\n");
    }
    let mut body = format!("<rss version='2.0'><channel><title>feed {feed}</title>");
    for number in newest - SHOWN..newest {
        let since = ((number as f64 - SHOWN as f64 + 1.0) - (feed * 31 % 97) as f64 / 97.0) * gap;
        let at = beginning() + SignedDuration::from_secs(since as i64);
        let date = at.strftime("%a, %d %b %Y %H:%M:%S GMT");
        let _ = write!(
            body,
            "<item><guid isPermaLink='false'>{feed}-{number}</guid><title>Entry {number}</title><pubDate>{date}</pubDate></item>"
        );
    }
    body.push_str("</channel></rss>");
    format!(
        "HTTP/1.1 200 OK\r\ncontent-type: application/rss+xml\r\netag: {tag}\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    )
}
