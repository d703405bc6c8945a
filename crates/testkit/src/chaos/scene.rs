//! The common parts of all chaos scenarios: a database, a publisher with its ledger, workers, a task that keeps feeds
//! due and one that follows the events; and the final comparison.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use jiff::Timestamp;
use model::event::{Event, EventKind};
use model::feed::{DomainRule, FeedState};
use model::schedule::Because;
use model::{EntryId, EventId, FeedId, Viewer};
use store::{Address, EntryFilter, NewFeed, Options, Store, StoreError};
use tokio::task::JoinHandle;
use trial::Dice;

use super::ledger::Ledger;
use super::worker::{Limits, Worker};

const OFTEN: Duration = Duration::from_millis(40);

/// The database of a scenario.
#[derive(Debug, Clone)]
pub enum Backend {
    /// A file in a directory of its own.
    Sqlite,
    /// The database at this URL.
    Postgres(String),
}

/// The result of a scenario.
#[derive(Debug, Clone, Default)]
pub struct Outcome {
    /// The violations found; empty if all is well.
    pub wrong: Vec<String>,
    /// Injected faults.
    pub faults: usize,
    /// Workers that were stopped, lost a lease, and resumed.
    pub stops: usize,
    /// Visits that the publisher answered.
    pub visits: usize,
    /// Entries that it published.
    pub entries: usize,
    /// The time until visits resumed, after each fault for which it was measured.
    pub recoveries: Vec<Duration>,
}

/// A database, a publisher and workers.
pub struct Scene {
    /// The publisher.
    pub ledger: Ledger,
    /// The workers' database.
    pub store: Store,
    /// By their number in the ledger.
    pub feeds: Vec<FeedId>,
    /// Decides what happens next.
    pub dice: Dice,
    binary: PathBuf,
    backend: Backend,
    directory: tempfile::TempDir,
    started: usize,
    due_task: JoinHandle<()>,
    quiet: Arc<AtomicBool>,
    follower: JoinHandle<()>,
    followed: Arc<Mutex<Vec<Event>>>,
}

impl Scene {
    /// A scenario with some feeds, due at once.
    pub async fn new(binary: &Path, backend: Backend, feeds: usize, seed: u64) -> Self {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let url = match &backend {
            Backend::Sqlite => format!("sqlite:{}", directory.path().join("courant.db").display()),
            Backend::Postgres(url) => url.clone(),
        };
        let address = Address::parse(&url).expect("a store's address");
        let store = Store::open(&address, &Options::at(Timestamp::now())).await.expect("the store opens");
        let ledger = Ledger::start(feeds, seed).await;
        let feeds = add_feeds(&store, &ledger).await;
        let followed = Arc::default();
        let quiet = Arc::new(AtomicBool::new(false));
        let due_task = tokio::spawn(keep_feeds_due(store.clone(), Arc::clone(&quiet)));
        let follower = tokio::spawn(follow(store.clone(), Arc::clone(&followed)));
        Self {
            ledger,
            store,
            feeds,
            dice: Dice::new(seed),
            binary: binary.to_owned(),
            backend,
            directory,
            started: 0,
            due_task,
            quiet,
            follower,
            followed,
        }
    }

    /// Starts another worker, with a name of its own.
    pub fn start(&mut self, limits: Limits) -> Worker {
        self.started += 1;
        let name = format!("w{}", self.started);
        let mut command = self.command(&name);
        command.arg("serve");
        if let Backend::Postgres(_) = self.backend {
            command.args(["--role", "worker"]);
        }
        Worker::start(name, &command, limits)
    }

    /// A file in its directory, which is the workers' data directory.
    pub fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    fn command(&self, name: &str) -> Command {
        let mut command = Command::new(&self.binary);
        command.env_clear().env("COURANT_DATA", self.directory.path());
        if let Backend::Postgres(url) = &self.backend {
            command.env("COURANT_DATABASE_URL", url);
        }
        command
            .env("COURANT_SECRET", "0123456789abcdef0123456789abcdef")
            .env("COURANT_LISTEN", "127.0.0.1:0")
            .env("COURANT_ALLOW_PRIVATE", "127.0.0.0/8")
            .env("COURANT_HOST_RPS", "0")
            .env("COURANT_HOST_MAX_CONCURRENCY", "1024")
            .env("COURANT_RULES", "entries.quota_per_day = 1000000")
            .env("COURANT_CONTACT", format!("https://{name}.worker.example"))
            .env("COURANT_LOG_FORMAT", "json");
        command
    }

    /// Ends the leases of a dead worker. On PostgreSQL nobody can know that it is dead; this avoids waiting for them to
    /// expire.
    pub async fn end_leases_of(&self, worker: &Worker) -> Result<(), StoreError> {
        self.ledger.died(&worker.name);
        if let Backend::Sqlite = self.backend {
            return Ok(());
        }
        let holder = format!("/{}/", worker.id());
        for status in self.store.feeds(Viewer::Operator, None, 10_000).await? {
            if status.worker.is_some_and(|worker| worker.contains(&holder)) {
                self.end_lease(status.feed.id).await?;
            }
        }
        Ok(())
    }

    /// Ends any lease on a feed, and makes it due.
    pub async fn end_lease(&self, feed: FeedId) -> Result<(), StoreError> {
        let now = Timestamp::now();
        self.store.make_due(feed, Some(now), Because::Forced, "chaos", now).await
    }

    /// Whether feeds are kept due: without new work, workers finish what is in progress.
    pub fn be_quiet(&self, quiet: bool) {
        self.quiet.store(quiet, Ordering::Relaxed);
    }

    /// A final run over all feeds without faults, then the comparison.
    pub async fn judge(self, mut outcome: Outcome) -> Outcome {
        // A run ends when nothing is due.
        self.due_task.abort();
        let mut command = self.command("last");
        command.args(["fetch", "--all"]);
        let run = tokio::task::spawn_blocking(move || command.output().expect("the binary can be started"));
        let run = run.await.expect("waiting does not panic");
        if !run.status.success() {
            outcome.wrong.push(format!("the last run failed: {}", String::from_utf8_lossy(&run.stderr)));
        }
        self.follower.abort();
        outcome.visits = self.ledger.visits();
        outcome.wrong.extend(self.ledger.together());
        let published = self.ledger.titles();
        outcome.entries = published.len();
        let stored = self.check_entries(&published, &mut outcome.wrong).await;
        self.check_events(&stored, &mut outcome.wrong).await;
        for status in self.store.feeds(Viewer::Operator, None, 10_000).await.expect("feeds can be read") {
            if status.failures > 0 || status.last_error.is_some() {
                outcome.wrong.push(format!("{} was blamed: {:?}", status.feed.url, status.last_error));
            }
        }
        self.store.close(Timestamp::now()).await.expect("the store can be closed");
        if let Backend::Sqlite = self.backend {
            match store::inspect_file(&self.path("courant.db")) {
                Ok(facts) => outcome.wrong.extend(facts.troubles),
                Err(error) => outcome.wrong.push(error.to_string()),
            }
        }
        outcome
    }

    /// Checks that each title is stored once, and nothing else; returns the entries in order of arrival.
    async fn check_entries(&self, published: &[String], wrong: &mut Vec<String>) -> Vec<EntryId> {
        let mut stored: BTreeMap<String, usize> = BTreeMap::new();
        let mut ids = Vec::new();
        loop {
            let after = ids.last().copied().unwrap_or(EntryId(0));
            let page = self
                .store
                .arrived(Viewer::Operator, EntryFilter::default(), after, 5_000)
                .await
                .expect("entries can be read");
            if page.is_empty() {
                break;
            }
            for entry in page {
                ids.push(entry.id);
                *stored.entry(entry.title.unwrap_or_default()).or_default() += 1;
            }
        }
        for title in published {
            match stored.remove(title) {
                Some(1) => {}
                Some(times) => wrong.push(format!("{title} is stored {times} times")),
                None => wrong.push(format!("{title} is lost")),
            }
        }
        wrong.extend(stored.keys().map(|title| format!("{title} was never published")));
        ids
    }

    /// Checks that every entry is announced once, in order of arrival, and that the follower has missed nothing.
    async fn check_events(&self, stored: &[EntryId], wrong: &mut Vec<String>) {
        let mut events = Vec::new();
        while let Some(page) = self.events_after(&events).await {
            events.extend(page);
        }
        if !events.is_sorted_by(|one: &Event, other| one.id < other.id) {
            wrong.push("events are out of order".to_owned());
        }
        let announced: Vec<EntryId> = events
            .iter()
            .filter(|event| event.kind == EventKind::EntryNew)
            .filter_map(|event| event.subject.entry())
            .collect();
        if announced != stored {
            wrong.push(format!(
                "{} entries are stored, {} announced, or in another order",
                stored.len(),
                announced.len()
            ));
        }
        let followed = self.followed.lock().unwrap_or_else(PoisonError::into_inner);
        if followed.iter().zip(&events).any(|(followed, event)| followed.id != event.id) {
            wrong.push("the follower missed an event, or received one that does not exist".to_owned());
        }
    }

    async fn events_after(&self, events: &[Event]) -> Option<Vec<Event>> {
        let after = events.last().map_or(EventId(0), |event| event.id);
        let page = self.store.events(Viewer::Operator, after, 5_000).await.expect("events can be read");
        (!page.is_empty()).then_some(page)
    }
}

impl Drop for Scene {
    fn drop(&mut self) {
        self.due_task.abort();
        self.follower.abort();
    }
}

/// Keeps feeds due that are not leased. Errors are retried: an unavailable database may be part of the scenario.
async fn keep_feeds_due(store: Store, quiet: Arc<AtomicBool>) {
    loop {
        if !quiet.load(Ordering::Relaxed) {
            let _ = store.make_all_due(Timestamp::now(), Because::Forced, "chaos").await;
        }
        tokio::time::sleep(OFTEN).await;
    }
}

/// Follows the events as a consumer does: by the last id it received.
async fn follow(store: Store, followed: Arc<Mutex<Vec<Event>>>) {
    let mut last = EventId(0);
    loop {
        if let Ok(events) = store.events(Viewer::Operator, last, 5_000).await {
            last = events.last().map_or(last, |event| event.id);
            followed.lock().unwrap_or_else(PoisonError::into_inner).extend(events);
        }
        tokio::time::sleep(OFTEN).await;
    }
}

async fn add_feeds(store: &Store, ledger: &Ledger) -> Vec<FeedId> {
    let now = Timestamp::now();
    let feeds = ledger.urls().into_iter().enumerate().map(|(n, url)| NewFeed {
        uuid: uuid::Uuid::from_u128(n as u128 + 1),
        url,
        owner: None,
        title: None,
        site_url: None,
        root_domain: None,
        domain_rule: DomainRule::Any,
        polling: true,
        state: FeedState::Active,
        rate_group: "ledger".to_owned(),
        due_at: Some(now),
        user_agent: None,
        access: None,
        origin: model::feed::Origin::Operator,
    });
    let added = store.add_feeds(feeds.collect(), now).await.expect("feeds can be added");
    added.into_iter().map(|added| added.id()).collect()
}
