//! Concurrency: large documents wait for memory and small ones do not wait for them; a rate group uses all its slots
//! while any of its feeds is due.
//!
//! Simulated: the network, the database and time, which advances only while all tasks wait.

use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use engine::{Clock, Engine, Parts, UserAgent};
use fetch::{Dialled, Network, Promise};
use jiff::SignedDuration;
use model::feed::{DomainRule, FeedState};
use model::{EntryId, Viewer, WorkerId};
use store::{EntryFilter, FaultyLink, NewFeed, Store, Transfer};
use testkit::world::beginning;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream};
use tokio::sync::watch;
use tokio::time::{Instant, sleep};

/// Publishers that respond after a delay, and what they recorded.
struct Publishers {
    begun: Instant,
    answer_after: Duration,
    /// Bytes of a document at `/large/n`.
    large: usize,
    ledger: Mutex<Ledger>,
}

#[derive(Default)]
struct Ledger {
    present: usize,
    most: usize,
    visits: usize,
    /// When a slot became free, and when the last response was given.
    left: Vec<Duration>,
    begins: Vec<Duration>,
}

impl Publishers {
    fn new(answer_after: Duration, large: usize) -> Arc<Self> {
        Arc::new(Self { begun: Instant::now(), answer_after, large, ledger: Mutex::default() })
    }

    fn document(&self, path: &str) -> String {
        let words = "words and more words, ".repeat(if path.starts_with("/large") { self.large / 22 / 20 } else { 1 });
        let item = |n: usize| {
            format!(
                "<item><guid>{path}-{n}</guid><title>{path} {n}</title><description>{words}{n}</description></item>"
            )
        };
        let items: String = (0..if path.starts_with("/large") { 20 } else { 1 }).map(item).collect();
        format!("<rss version='2.0'><channel><title>{path}</title>{items}</channel></rss>")
    }

    async fn serve(self: Arc<Self>, mut stream: DuplexStream) -> io::Result<()> {
        let mut request = Vec::new();
        loop {
            request.clear();
            while !request.ends_with(b"\r\n\r\n") {
                if stream.read_buf(&mut request).await? == 0 {
                    return Ok(());
                }
            }
            let path = String::from_utf8_lossy(&request).split(' ').nth(1).unwrap_or("/").to_owned();
            {
                let mut ledger = self.ledger.lock().unwrap();
                ledger.present += 1;
                ledger.visits += 1;
                ledger.most = ledger.most.max(ledger.present);
                ledger.begins.push(self.begun.elapsed());
            }
            sleep(self.answer_after).await;
            {
                let mut ledger = self.ledger.lock().unwrap();
                ledger.present -= 1;
                ledger.left.push(self.begun.elapsed());
            }
            let body = self.document(&path);
            let head = format!(
                "HTTP/1.1 200 OK\r\ncontent-type: application/rss+xml\r\ncontent-length: {}\r\n\r\n",
                body.len()
            );
            stream.write_all(head.as_bytes()).await?;
            stream.write_all(body.as_bytes()).await?;
        }
    }
}

struct Line(Arc<Publishers>);

impl Network for Line {
    fn resolve<'a>(&'a self, _name: &'a str) -> Promise<'a, Vec<IpAddr>> {
        Box::pin(async { Ok(vec![Ipv4Addr::new(93, 184, 216, 34).into()]) })
    }

    fn dial(&self, address: SocketAddr) -> Promise<'_, Dialled> {
        let publishers = Arc::clone(&self.0);
        Box::pin(async move {
            let (ours, theirs) = tokio::io::duplex(64 << 10);
            tokio::spawn(publishers.serve(theirs));
            Ok(Dialled { stream: Box::new(ours), peer: address })
        })
    }
}

/// A database with slow commits, and how many were waited for at once.
struct SlowCommits {
    takes: Duration,
    under_way: Mutex<(usize, usize)>,
}

impl FaultyLink for SlowCommits {
    fn request(&self, statement: &'static str) -> Transfer<'_> {
        Box::pin(async move {
            if statement == "store::commit::FENCE" {
                {
                    let mut under_way = self.under_way.lock().unwrap();
                    under_way.0 += 1;
                    under_way.1 = under_way.1.max(under_way.0);
                }
                sleep(self.takes).await;
                self.under_way.lock().unwrap().0 -= 1;
            }
            Ok(())
        })
    }

    fn answer(&self, _statement: &'static str) -> Transfer<'_> {
        Box::pin(async { Ok(()) })
    }
}

fn engine(store: Store, publishers: &Arc<Publishers>, limits: fetch::Limits, options: engine::Options) -> Engine {
    let begun = Instant::now();
    let now = move || beginning() + SignedDuration::try_from(begun.elapsed()).unwrap();
    let line = Arc::new(Line(Arc::clone(publishers)));
    let fetch_options = fetch::Options { limits, ..fetch::Options::default() };
    Engine::new(Parts {
        store,
        blobs: blobs::Blobs::simulated(),
        fetch: fetch::Fetch::with_network(fetch_options, line).unwrap(),
        clock: Clock::ticking(now),
        worker: WorkerId("one".to_owned()),
        vault: engine::Vault::new(b"a secret that only tests have, long"),
        options: engine::Options { user_agent: UserAgent { product: "Courant/test".into(), contact: None }, ..options },
    })
}

/// Adds a feed for each URL, due at once; each host is a rate group.
async fn add(store: &Store, urls: impl Iterator<Item = String>) {
    let feed = |(n, url): (usize, String)| NewFeed {
        uuid: uuid::Uuid::from_u128(0x1000_0000_0000_4000_8000_0000_0000_0000 + n as u128),
        rate_group: url.split('/').nth(2).unwrap().to_owned(),
        url,
        owner: None,
        title: None,
        site_url: None,
        root_domain: None,
        domain_rule: DomainRule::Any,
        polling: true,
        state: FeedState::Active,
        due_at: Some(beginning()),
        user_agent: None,
        access: None,
        origin: model::feed::Origin::Operator,
    };
    store.add_feeds(urls.enumerate().map(feed).collect(), beginning()).await.unwrap();
}

/// Feeds with stored entries, large ones and small ones.
async fn stored(store: &Store) -> (usize, usize) {
    let entries = store.arrived(Viewer::Operator, EntryFilter::default(), EntryId(0), 10_000).await.unwrap();
    let of = |kind: &str| {
        let last = |title: &Option<String>| {
            title.as_deref().is_some_and(|title| title.starts_with(kind) && title.ends_with(" 0"))
        };
        entries.iter().filter(|entry| last(&entry.title)).count()
    };
    (of("/large"), of("/small"))
}

const MIB: usize = 1 << 20;

/// Regression: large documents that were parsed and waited to be written were all in memory at once; and while they
/// waited for memory they held all concurrency slots.
#[tokio::test(start_paused = true)]
async fn large_documents_wait_for_memory_and_small_ones_overtake_them() {
    let (large, small) = (12, 4);
    let publishers = Publishers::new(Duration::from_millis(50), 3 * MIB / 2);
    let store = Store::simulated(beginning()).unwrap();
    let urls = (0..large).map(|n| format!("http://large{n}.example/large/{n}"));
    add(&store, urls.chain((0..small).map(|n| format!("http://small{n}.example/small/{n}")))).await;
    let commits = Arc::new(SlowCommits { takes: Duration::from_secs(10), under_way: Mutex::default() });
    // Eight for large documents: one of 1.5 takes 4.5 while it is processed, and 1.5 while it waits to be written.
    let limits = fetch::Limits { memory_bytes: 16 * MIB as u64, ..fetch::Limits::default() };
    let options = engine::Options { concurrency: 4, ..engine::Options::default() };
    let engine = engine(store.over_link(Arc::clone(&commits) as Arc<dyn FaultyLink>), &publishers, limits, options);
    let (stop, stopping) = watch::channel(false);
    let worker = tokio::spawn(engine::run(engine, stopping));
    let mut first_small = None;
    for second in 0..400 {
        let (large_stored, small_stored) = stored(&store).await;
        if small_stored == small {
            first_small.get_or_insert((second, large_stored));
        }
        if large_stored == large {
            break;
        }
        sleep(Duration::from_secs(1)).await;
    }
    assert_eq!(stored(&store).await, (large, small), "all of them come in the end");
    let (second, large_stored) = first_small.unwrap();
    assert!(large_stored <= 3, "the small ones were there after {second} s, with {large_stored} of the large ones");
    stop.send(true).unwrap();
    worker.await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn unwritten_plans_count_towards_memory() {
    let publishers = Publishers::new(Duration::from_millis(50), 3 * MIB / 2);
    let store = Store::simulated(beginning()).unwrap();
    add(&store, (0..12).map(|n| format!("http://large{n}.example/large/{n}"))).await;
    let commits = Arc::new(SlowCommits { takes: Duration::from_secs(10), under_way: Mutex::default() });
    let limits = fetch::Limits { memory_bytes: 16 * MIB as u64, ..fetch::Limits::default() };
    let engine = engine(
        store.over_link(Arc::clone(&commits) as Arc<dyn FaultyLink>),
        &publishers,
        limits,
        engine::Options::default(),
    );
    let (_stop, stopping) = watch::channel(false);
    let tally = engine::run_once(engine, stopping, |_, _| {}).await.unwrap();
    let most = commits.under_way.lock().unwrap().1;
    assert_eq!((tally.fresh, publishers.ledger.lock().unwrap().most), (12, 12));
    assert_eq!(most, 3, "so many of 1.5 MB each waited for a database that is slow");
}

/// One host with thirty feeds, two at once, each response after 0.3 s: the total time at a pace, in milliseconds, and
/// how long a slot was idle although a feed was due.
async fn thirty(per_second: f64) -> (u128, u128) {
    let publishers = Publishers::new(Duration::from_millis(300), 0);
    let store = Store::simulated(beginning()).unwrap();
    add(&store, (0..30).map(|n| format!("http://one.example/small/{n}"))).await;
    let options = engine::Options { pace: engine::Options::paced(per_second, 2), ..engine::Options::default() };
    let engine = engine(store.clone(), &publishers, fetch::Limits::default(), options);
    let begun = Instant::now();
    let (_stop, stopping) = watch::channel(false);
    let tally = engine::run_once(engine, stopping, |_, _| {}).await.unwrap();
    assert_eq!(tally.fresh, 30);
    let ledger = publishers.ledger.lock().unwrap();
    assert_eq!((ledger.visits, ledger.most), (30, 2));
    // The third visit takes the first slot that was freed, and so on.
    let free = ledger.begins[2..].iter().zip(&ledger.left).map(|(began, left)| began.saturating_sub(*left).as_millis());
    (begun.elapsed().as_millis(), free.sum())
}

/// Regression: feeds that found no slot came again after a second, although the slot was free by then: without a pace
/// it took 14.4 s, with ten a second 8.6 s, with five 7.3 s.
#[tokio::test(start_paused = true)]
async fn a_higher_pace_is_not_slower_and_leaves_no_slot_idle() {
    let (unlimited, free) = thirty(0.0).await;
    assert!(unlimited < 4_700, "{unlimited} ms, where 4500 are possible");
    assert!(free < 100, "places were free for {free} ms");
    let (ten, free) = thirty(10.0).await;
    assert!(ten < 4_900, "{ten} ms, where 4550 are possible");
    assert!(free < 300, "places were free for {free} ms");
    let (five, _) = thirty(5.0).await;
    assert!((5_800..6_600).contains(&five), "{five} ms, where 6100 are possible");
}
