//! The publishers of a simulation: they never fail, publish now and then, and record visits.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use fetch::{Dialled, Network, Promise};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream};
use tokio::time::Instant;
use trial::Dice;

use super::fault_plan::FaultPlan;

/// Two feeds per site.
const PER_SITE: usize = 2;
/// Courant's default promise to each site.
const SPACING: Duration = Duration::from_secs(1);

/// All publishers, and their ledger.
pub(super) struct Publishers {
    begun: Instant,
    /// When each feed publishes its entries.
    published: Vec<Vec<Duration>>,
    ledger: Mutex<Ledger>,
}

#[derive(Default)]
struct Ledger {
    history: String,
    visits: usize,
    /// Which workers are at which feed.
    present: BTreeMap<usize, Vec<String>>,
    last_begun: BTreeMap<usize, Duration>,
    together: Vec<String>,
    crowded: Vec<String>,
}

impl Publishers {
    pub(super) fn new(dice: &mut Dice, feeds: usize, until: Duration) -> Self {
        let moment = |dice: &mut Dice| Duration::from_millis(dice.roll(until.as_millis() as usize) as u64);
        let mut published: Vec<Vec<Duration>> =
            (0..feeds).map(|_| (0..=dice.roll(40)).map(|_| moment(dice)).collect()).collect();
        for moments in &mut published {
            moments.sort();
        }
        Self { begun: Instant::now(), published, ledger: Mutex::default() }
    }

    /// Rate group and URL of each feed.
    pub(super) fn urls(&self) -> Vec<(String, String)> {
        let site = |n: usize| format!("site{}.example", n / PER_SITE);
        (0..self.published.len()).map(|n| (site(n), format!("http://{}/{n}", site(n)))).collect()
    }

    /// What a feed has published by now.
    pub(super) fn titles(&self, feed: usize) -> Vec<String> {
        let now = self.begun.elapsed();
        let out = self.published[feed].iter().take_while(|at| **at <= now).count();
        (0..out).map(|k| format!("entry {k} of {feed}")).collect()
    }

    /// A process crashed: it is at no feed any more.
    pub(super) fn hung_up(&self, worker: &str) {
        self.ledger().present.values_mut().for_each(|present| present.retain(|name| name != worker));
    }

    pub(super) fn told(&self) -> (String, usize) {
        let ledger = self.ledger();
        (ledger.history.clone(), ledger.visits)
    }

    /// The violations, unless the faults of the seed excuse them.
    pub(super) fn complaints(&self, faults: &FaultPlan) -> Vec<String> {
        let ledger = self.ledger();
        let mut complaints = Vec::new();
        if faults.leases_hold() {
            complaints.extend(ledger.together.iter().cloned());
        }
        if !faults.clocks_differ {
            complaints.extend(ledger.crowded.iter().cloned());
        }
        complaints
    }

    fn begins(&self, feed: usize, worker: &str) {
        let now = self.begun.elapsed();
        let mut ledger = self.ledger();
        ledger.visits += 1;
        let _ = writeln!(ledger.history, "{} {worker} at {feed}", now.as_millis());
        let here = ledger.present.entry(feed).or_default();
        let others: Vec<String> = here.iter().filter(|name| *name != worker).cloned().collect();
        here.push(worker.to_owned());
        ledger
            .together
            .extend(others.iter().map(|other| format!("{worker} came to feed {feed} while {other} was there")));
        let last = ledger.last_begun.insert(feed / PER_SITE, now);
        if let Some(gap) =
            last.map(|last| now.saturating_sub(last)).filter(|gap| *gap + Duration::from_millis(150) < SPACING)
        {
            ledger.crowded.push(format!("site {} was asked again after {gap:?}", feed / PER_SITE));
        }
    }

    fn ends(&self, feed: usize, worker: &str) {
        if let Some(present) = self.ledger().present.get_mut(&feed)
            && let Some(place) = present.iter().position(|name| name == worker)
        {
            present.remove(place);
        }
    }

    fn answer(&self, feed: usize, request: &str) -> String {
        let titles = self.titles(feed);
        let tag = format!("\"{}\"", titles.len());
        if request.to_ascii_lowercase().contains(&format!("if-none-match: {tag}")) {
            return format!("HTTP/1.1 304 Not Modified\r\netag: {tag}\r\n\r\n");
        }
        let mut body = format!("<rss version='2.0'><channel><title>feed {feed}</title>");
        for (k, title) in titles.iter().enumerate() {
            let _ = write!(body, "<item><guid isPermaLink='false'>{feed}-{k}</guid><title>{title}</title></item>");
        }
        body.push_str("</channel></rss>");
        let head = format!("HTTP/1.1 200 OK\r\ncontent-type: application/rss+xml\r\netag: {tag}\r\n");
        format!("{head}content-length: {}\r\n\r\n{body}", body.len())
    }

    fn ledger(&self) -> MutexGuard<'_, Ledger> {
        self.ledger.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The network of one process.
pub(super) struct Line {
    publishers: Arc<Publishers>,
    worker: String,
    dice: Arc<Mutex<Dice>>,
}

impl Line {
    pub(super) fn new(publishers: Arc<Publishers>, worker: String, seed: u64) -> Self {
        Self { publishers, worker, dice: Arc::new(Mutex::new(Dice::new(seed))) }
    }
}

impl Network for Line {
    fn resolve<'a>(&'a self, _name: &'a str) -> Promise<'a, Vec<IpAddr>> {
        Box::pin(async { Ok(vec![Ipv4Addr::new(93, 184, 216, 34).into()]) })
    }

    fn dial(&self, address: SocketAddr) -> Promise<'_, Dialled> {
        let (publishers, worker, dice) = (Arc::clone(&self.publishers), self.worker.clone(), Arc::clone(&self.dice));
        Box::pin(async move {
            let (ours, theirs) = tokio::io::duplex(64 << 10);
            tokio::spawn(async move { serve(theirs, &publishers, &worker, &dice).await });
            Ok(Dialled { stream: Box::new(ours), peer: address })
        })
    }
}

/// Responds until the client disconnects.
async fn serve(mut stream: DuplexStream, publishers: &Publishers, worker: &str, dice: &Mutex<Dice>) -> io::Result<()> {
    let mut request = Vec::new();
    loop {
        request.clear();
        while !request.ends_with(b"\r\n\r\n") {
            if stream.read_buf(&mut request).await? == 0 {
                return Ok(());
            }
        }
        let text = String::from_utf8_lossy(&request).into_owned();
        let feed = text.split(' ').nth(1).and_then(|path| path.trim_start_matches('/').parse().ok()).unwrap_or(0);
        publishers.begins(feed, worker);
        let wait = {
            let mut dice = dice.lock().unwrap_or_else(PoisonError::into_inner);
            if dice.roll(12) == 0 { dice.roll(9_000) } else { 5 + dice.roll(300) }
        };
        tokio::time::sleep(Duration::from_millis(wait as u64)).await;
        let sent = stream.write_all(publishers.answer(feed, &text).as_bytes()).await;
        publishers.ends(feed, worker);
        sent?;
    }
}
