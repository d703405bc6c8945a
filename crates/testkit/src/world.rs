//! A world: an engine on a fresh database, a scripted origin, and a clock that tests advance.
//!
//! Nothing in it sleeps. Spacing between visits is off unless a test asks for it.

use std::sync::{Arc, Mutex};

use engine::{Clock, Engine, Parts, Refreshed, UserAgent, Wanted};
use enrich::Enrich;
use jiff::{SignedDuration, Timestamp};
use model::{EntryId, FeedId, Viewer};
use store::{Address, EntryFilter, Options, Store};

use crate::origin::Origin;
use crate::services::{Database, postgres_prepared};

/// Everything a test of the engine needs.
pub struct World {
    /// The engine under test.
    pub engine: Engine,
    /// The origin of its feeds.
    pub origin: Origin,
    clock: Arc<Mutex<Timestamp>>,
    database: Option<Database>,
    _directory: tempfile::TempDir,
}

/// 2026-01-01T00:00:00Z: the start time of every world.
pub fn beginning() -> Timestamp {
    Timestamp::from_second(1_767_225_600).expect("a moment in range")
}

impl World {
    /// On SQLite.
    pub async fn sqlite() -> Self {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let url = format!("sqlite:{}", directory.path().join("courant.db").display());
        Self::build(&url, directory, None).await
    }

    /// On PostgreSQL.
    pub async fn postgres() -> Self {
        let migrate = async |url: String| -> Result<(), store::StoreError> {
            Store::open(&Address::parse(&url)?, &Options::at(beginning())).await?.close(beginning()).await
        };
        let database = postgres_prepared("world", migrate).await;
        let directory = tempfile::tempdir().expect("a temporary directory");
        let url = database.url().to_owned();
        Self::build(&url, directory, Some(database)).await
    }

    /// In memory: nothing survives, and thirty days take seconds.
    pub async fn simulated() -> Self {
        let directory = tempfile::tempdir().expect("a temporary directory");
        Self::around(Store::simulated(beginning()).expect("a store in memory"), directory, None).await
    }

    async fn build(url: &str, directory: tempfile::TempDir, database: Option<Database>) -> Self {
        let address = Address::parse(url).expect("a store's address");
        let store = Store::open(&address, &Options::at(beginning())).await.expect("the store opens");
        Self::around(store, directory, database).await
    }

    async fn around(store: Store, directory: tempfile::TempDir, database: Option<Database>) -> Self {
        let blobs = format!("file:{}", directory.path().join("blobs").display());
        let blobs = blobs::Blobs::open(&blobs, &blobs::S3Options::default()).expect("a directory for blobs");
        let clock = Arc::new(Mutex::new(beginning()));
        let mover = Arc::clone(&clock);
        let engine = Engine::new(Parts {
            store,
            blobs,
            fetch: fetcher(),
            clock: Clock::by_hand(reader(&clock), move |until| {
                let mut now = mover.lock().expect("nobody panics while setting the clock");
                *now = until.max(*now);
            }),
            worker: model::WorkerId("world".into()),
            vault: engine::Vault::new(b"a secret that only tests have, long"),
            options: engine::Options {
                // One after the other, so that entries arrive in the order of their feeds.
                concurrency: 1,
                pace: engine::Options::paced(0.0, 8),
                user_agent: UserAgent { product: "Courant/test".into(), contact: None },
                ..engine::Options::default()
            },
        });
        let origin = Origin::start_at(reader(&clock)).await;
        Self { engine, origin, clock, database, _directory: directory }
    }

    /// Makes a feed private: from now on it is this user's alone.
    pub async fn give(&self, feed: FeedId, owner: model::UserId) {
        let (store, operator) = (self.engine.store(), Viewer::Operator);
        engine::set_feed_owner(store, operator, feed, Some(owner), self.now()).await.expect("a feed that is there");
    }

    /// What makes summaries of its entries: the local toolkit alone.
    pub fn enrich(&self) -> Enrich {
        enrich_of(&self.engine)
    }

    /// Another origin on the same clock.
    pub async fn another_origin(&self) -> Origin {
        Origin::start_at(reader(&self.clock)).await
    }

    /// As if the process had been killed and restarted: a new name, no memory, no connections.
    pub fn restart(&mut self, name: &str) {
        self.engine = self.engine.restarted(model::WorkerId(name.into()), fetcher());
    }

    /// Changes the engine's options.
    pub fn configure(&mut self, change: impl FnOnce(&mut engine::Options)) {
        let mut options = self.engine.options().clone();
        change(&mut options);
        self.engine = self.engine.clone().with_options(options);
    }

    /// Replaces the fetcher, as after a restart.
    pub fn reach_by(&mut self, fetch: fetch::Fetch) {
        self.engine = self.engine.restarted(self.engine.worker().clone(), fetch);
    }

    /// Its database, if it is PostgreSQL.
    pub fn database(&self) -> &Database {
        self.database.as_ref().expect("a world on PostgreSQL")
    }

    /// As if this many entries had arrived before, on PostgreSQL: the next one gets the following id.
    pub async fn have_arrived(&self, entries: i64) {
        self.database().run(&format!("UPDATE arrival SET entries = {entries}")).await;
    }

    /// The current time.
    pub fn now(&self) -> Timestamp {
        self.engine.now()
    }

    /// Advances the clock.
    pub fn advance(&self, by: SignedDuration) {
        *self.clock.lock().expect("nobody panics while setting the clock") += by;
    }

    /// Adds the feed at a path of the origin.
    pub async fn add(&self, path: &str) -> FeedId {
        self.add_url(&self.origin.url(path)).await
    }

    /// Adds a feed.
    pub async fn add_url(&self, url: &str) -> FeedId {
        engine::add_feed(&self.engine, &Wanted::at(url)).await.expect("the feed is added").id()
    }

    /// Visits what is due until nothing is, one feed after the other, with the worker that `courant serve` runs.
    pub async fn run_until_idle(&self) -> Vec<(FeedId, Refreshed)> {
        engine::run_until_idle(self.engine.clone()).await.expect("storage works")
    }

    /// The titles of all entries, in order of arrival.
    pub async fn titles(&self) -> Vec<String> {
        let entries = self
            .engine
            .store()
            .arrived(Viewer::Operator, EntryFilter::default(), EntryId(0), 10_000)
            .await
            .expect("entries");
        entries.into_iter().map(|entry| entry.title.unwrap_or_default()).collect()
    }
}

/// Reads a clock.
fn reader(clock: &Arc<Mutex<Timestamp>>) -> impl Fn() -> Timestamp + Send + Sync + 'static {
    let clock = Arc::clone(clock);
    move || *clock.lock().expect("nobody panics while setting the clock")
}

/// May visit loopback, where scripted origins are.
fn fetcher() -> fetch::Fetch {
    let options = fetch::Options {
        user_agent: "Courant/test".into(),
        allow_private: vec!["127.0.0.0/8".parse().expect("a network")],
        ..fetch::Options::default()
    };
    fetch::Fetch::new(options).expect("a client")
}

/// What makes summaries beside an engine: the local toolkit alone.
pub fn enrich_of(engine: &Engine) -> Enrich {
    Enrich::new(enrich::Parts {
        store: engine.store().clone(),
        clock: engine.clock().clone(),
        worker: engine.worker().clone(),
        options: enrich::Options { rules: engine.rules().clone(), ..enrich::Options::default() },
        random: || *uuid::Uuid::new_v4().as_bytes(),
    })
}
