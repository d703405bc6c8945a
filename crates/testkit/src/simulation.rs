//! A deterministic simulation: three workers on one database, over unreliable links, with clocks that differ, while
//! processes crash and restart. The workers, the store and the fetcher are real; time, the network, the publishers and
//! the faults are simulated. One seed, one history.
//!
//! The final checks: every entry is stored once and announced once, no visit failed (the publishers never do), and
//! every feed is still being visited. If the faults spare leases, no two workers are at one feed; if clocks agree, no
//! publisher is visited too often.

mod fault_plan;
mod publishers;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use engine::{Clock, Engine, Parts, UserAgent};
use fault_plan::{FaultPlan, Link};
use jiff::{SignedDuration, Timestamp};
use model::event::EventKind;
use model::feed::{DomainRule, FeedState};
use model::visit::VisitResult;
use model::{EntryId, EventId, FeedId, Viewer, WorkerId};
use publishers::{Line, Publishers};
use store::{EntryFilter, FeedName, NewFeed, Store};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::Instant;
use trial::Dice;

use crate::world::beginning;

const WORKERS: usize = 3;
const FEEDS: usize = 5;
/// Faults end after this, publishing a little earlier, and then the workers get some time without faults.
const FAULTY_PERIOD: Duration = Duration::from_mins(25);
const CALM_PERIOD: Duration = Duration::from_mins(16);
const LEASE: SignedDuration = SignedDuration::from_secs(30);

/// Whether the fence of commits works.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fence {
    /// As it is.
    Up,
    /// Commits with any token are accepted: to show that the checks notice it.
    Down,
}

/// The result of a seed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// The violations found; empty if all is well.
    pub wrong: Vec<String>,
    /// Everything that happened at the publishers, for comparing two runs of one seed.
    pub history: String,
    /// Visits that publishers saw.
    pub visits: usize,
    /// Processes that crashed.
    pub deaths: usize,
    /// Requests and responses that were dropped.
    pub lost: usize,
}

/// Simulates a seed, without waiting.
pub fn simulate(seed: u64, fence: Fence) -> Outcome {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
    runtime.expect("a runtime can be built").block_on(play(seed, fence))
}

async fn play(seed: u64, fence: Fence) -> Outcome {
    let mut dice = Dice::new(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let faults = Arc::new(FaultPlan::draw(&mut dice, FAULTY_PERIOD, fence));
    let publishers = Arc::new(Publishers::new(&mut dice, FEEDS, FAULTY_PERIOD.saturating_sub(Duration::from_mins(3))));
    let store = Store::simulated(beginning()).expect("a store in memory");
    let feeds = add_feeds(&store, &publishers).await;
    let mut processes: Vec<Process> = (0..WORKERS).map(|n| Process::new(n, &faults, &mut dice)).collect();
    let scene = Scene { store, blobs: blobs::Blobs::simulated(), faults, publishers, begun: Instant::now() };
    let mut deaths = 0;
    while scene.begun.elapsed() < FAULTY_PERIOD {
        for process in &mut processes {
            process.live(&scene, &mut dice, &mut deaths).await;
        }
        tokio::time::sleep(Duration::from_millis(500 + dice.roll(4_000) as u64)).await;
    }
    for process in &mut processes {
        process.live(&scene, &mut dice, &mut deaths).await;
        process.start(&scene, &mut dice);
    }
    tokio::time::sleep(CALM_PERIOD).await;
    for process in &mut processes {
        process.stop().await;
    }
    let wrong = judge(&scene, &feeds).await;
    let (history, visits) = scene.publishers.told();
    Outcome { wrong, history, visits, deaths, lost: scene.faults.lost() }
}

/// What all processes share.
struct Scene {
    store: Store,
    blobs: blobs::Blobs,
    faults: Arc<FaultPlan>,
    publishers: Arc<Publishers>,
    begun: Instant,
}

/// A machine with a worker, which may crash and restart.
struct Process {
    number: usize,
    starts: usize,
    skew: SignedDuration,
    running: Option<Running>,
    up_again: Duration,
}

struct Running {
    task: JoinHandle<()>,
    stop: watch::Sender<bool>,
    link: Arc<Link>,
    name: String,
}

impl Process {
    fn new(number: usize, faults: &FaultPlan, dice: &mut Dice) -> Self {
        let skew = if faults.clocks_differ { dice.roll(8_000) as i64 - 4_000 } else { 0 };
        Self { number, starts: 0, skew: SignedDuration::from_millis(skew), running: None, up_again: Duration::ZERO }
    }

    /// Starts a process when it is time, and removes a crashed one.
    async fn live(&mut self, scene: &Scene, dice: &mut Dice, deaths: &mut usize) {
        let now = scene.begun.elapsed();
        if self.running.is_none() && now >= self.up_again {
            self.start(scene, dice);
        }
        if let Some(dead) = self.running.take_if(|running| running.link.is_dead()) {
            *deaths += 1;
            dead.task.abort();
            // Dropped where it was, with everything that it had begun.
            let _ = dead.task.await;
            scene.publishers.hung_up(&dead.name);
            self.up_again = now + Duration::from_millis(dice.roll(60_000) as u64);
        }
    }

    fn start(&mut self, scene: &Scene, dice: &mut Dice) {
        if self.running.is_some() {
            return;
        }
        self.starts += 1;
        let name = format!("{}.{}", self.number, self.starts);
        let link = Arc::new(Link::new(Arc::clone(&scene.faults), dice.roll(usize::MAX) as u64));
        let engine = self.engine(scene, &name, Arc::clone(&link), dice);
        let (stop, stopping) = watch::channel(false);
        self.running = Some(Running { task: tokio::spawn(engine::run(engine, stopping)), stop, link, name });
    }

    async fn stop(&mut self) {
        if let Some(running) = self.running.take() {
            let _ = running.stop.send(true);
            running.task.await.expect("a worker does not panic");
        }
    }

    fn engine(&self, scene: &Scene, name: &str, link: Arc<Link>, dice: &mut Dice) -> Engine {
        let (begun, skew) = (scene.begun, self.skew);
        let now = move || {
            let elapsed = SignedDuration::try_from(begun.elapsed()).unwrap_or(SignedDuration::MAX);
            beginning() + elapsed + skew
        };
        let line = Line::new(Arc::clone(&scene.publishers), name.to_owned(), dice.roll(usize::MAX) as u64);
        Engine::new(Parts {
            store: scene.store.over_link(link),
            blobs: scene.blobs.clone(),
            fetch: fetch::Fetch::with_network(fetch::Options::default(), Arc::new(line)).expect("a client"),
            clock: Clock::ticking(now),
            worker: WorkerId(name.to_owned()),
            vault: engine::Vault::new(b"a secret that only tests have, long"),
            options: engine::Options {
                concurrency: 4,
                pace: engine::Options::paced(1.0, 2),
                user_agent: UserAgent { product: "Courant/test".into(), contact: None },
                lease: LEASE,
                idle: Duration::from_secs(15),
                rules: quick(),
                ..engine::Options::default()
            },
        })
    }
}

/// Visits as often as allowed.
fn quick() -> policy::Rules {
    let rules = policy::Rules::default();
    let rules = rules.with("interval.mode", "fixed").and_then(|rules| rules.with("interval.initial", "5m"));
    rules.expect("rules that there are")
}

async fn add_feeds(store: &Store, publishers: &Publishers) -> Vec<FeedId> {
    let now = beginning();
    let feeds = publishers.urls().into_iter().enumerate().map(|(n, (group, url))| NewFeed {
        uuid: uuid(n),
        url,
        owner: None,
        title: None,
        site_url: None,
        root_domain: None,
        domain_rule: DomainRule::Any,
        polling: true,
        state: FeedState::Active,
        rate_group: group,
        due_at: Some(now),
        user_agent: None,
        access: None,
        origin: model::feed::Origin::Operator,
    });
    let added = store.add_feeds(feeds.collect(), now).await.expect("feeds can be added");
    added.into_iter().map(|added| added.id()).collect()
}

/// The same in every run.
fn uuid(n: usize) -> uuid::Uuid {
    uuid::Uuid::from_u128(0x1000_0000_0000_4000_8000_0000_0000_0000 + n as u128)
}

/// The violated checks.
async fn judge(scene: &Scene, feeds: &[FeedId]) -> Vec<String> {
    let mut wrong = scene.publishers.complaints(&scene.faults);
    let end = beginning() + SignedDuration::try_from(scene.begun.elapsed()).unwrap_or(SignedDuration::MAX);
    for (n, feed) in feeds.iter().enumerate() {
        let said = format!("feed {n}: ");
        check_entries(scene, n, *feed, &mut |what| wrong.push(format!("{said}{what}"))).await;
        check_schedule(scene, *feed, end, &mut |what| wrong.push(format!("{said}{what}"))).await;
    }
    check_events(scene, &mut wrong).await;
    wrong
}

async fn check_entries(scene: &Scene, n: usize, feed: FeedId, wrong: &mut impl FnMut(String)) {
    let filter = EntryFilter { feed: Some(feed), ..EntryFilter::default() };
    let page = scene.store.entries(Viewer::Operator, filter, None, 1000).await.expect("entries can be read");
    let mut stored: BTreeMap<String, usize> = BTreeMap::new();
    for entry in page.entries {
        *stored.entry(entry.title.unwrap_or_default()).or_default() += 1;
    }
    for title in scene.publishers.titles(n) {
        match stored.remove(&title) {
            Some(1) => {}
            Some(times) => wrong(format!("{title} is stored {times} times")),
            None => wrong(format!("{title} is lost")),
        }
    }
    for title in stored.keys() {
        wrong(format!("{title} was never published"));
    }
}

async fn check_schedule(scene: &Scene, feed: FeedId, end: Timestamp, wrong: &mut impl FnMut(String)) {
    let status = scene.store.feed(Viewer::Operator, &FeedName::Id(feed)).await.expect("a feed can be read");
    let patience = SignedDuration::from_mins(12);
    match status.last_success_at {
        Some(at) if end.duration_since(at) <= patience => {}
        at => wrong(format!("stuck: last visited {at:?}, due {:?}, at the end {end}", status.due_at)),
    }
    if let Some(error) = status.last_error {
        wrong(format!("failed: {error}"));
    }
    for visit in scene.store.visits(Viewer::Operator, feed, 50).await.expect("visits can be read") {
        if !matches!(visit.result, VisitResult::Fresh | VisitResult::Unchanged | VisitResult::Deferred) {
            wrong(format!("a visit failed: {:?}", visit.error));
        }
    }
}

/// Every entry is announced once, in order of arrival.
async fn check_events(scene: &Scene, wrong: &mut Vec<String>) {
    let events = scene.store.events(Viewer::Operator, EventId(0), 10_000).await.expect("events can be read");
    let mut announced: BTreeMap<Option<EntryId>, usize> = BTreeMap::new();
    for event in events.iter().filter(|event| event.kind == EventKind::EntryNew) {
        *announced.entry(event.subject.entry()).or_default() += 1;
    }
    let often = announced.iter().filter(|(_, times)| **times > 1);
    wrong.extend(often.map(|(entry, times)| format!("{entry:?} is announced {times} times")));
    let published: usize = (0..FEEDS).map(|n| scene.publishers.titles(n).len()).sum();
    if announced.len() != published {
        wrong.push(format!("{} entries were announced, {published} published", announced.len()));
    }
    if !events.is_sorted_by(|one, other| one.id < other.id) {
        wrong.push("events are out of order".to_owned());
    }
}
