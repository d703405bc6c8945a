//! The engine: its effects, its clock, its name and its limits. Made in one place, [`Engine::new`], from what the outside
//! supplies; the verbs are in their own files.
//!
//! Callers outside this crate see the store, the blobs, the options and the clock. Nobody gets the vault or the door to
//! the outside from it: those are for the verbs.

use crate::figures::Figures;
use crate::measured::{Measured, Metrics};
use crate::rollups::Rollups;
use crate::user_agent::UserAgent;
use crate::vault::Vault;
use crate::visit::memory::Memory;
use blobs::Blobs;
use fetch::{Fetch, Proxy};
use jiff::{SignedDuration, Timestamp};
use model::WorkerId;
use policy::rate_groups::{Group, RateGroups};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use store::{Pace, Store};
use work::Clock;
use work::Cpu;

/// Everything a verb needs. Cheap to clone.
#[derive(Clone)]
pub struct Engine {
    pub(crate) store: Store,
    pub(crate) blobs: Blobs,
    pub(crate) fetch: Fetch,
    pub(crate) clock: Clock,
    pub(crate) worker: WorkerId,
    pub(crate) options: Options,
    pub(crate) vault: Vault,
    /// What this process has noticed, and may forget.
    pub(crate) memory: Arc<Memory>,
    /// What this process counts.
    pub(crate) figures: Arc<Figures>,
    /// What this process sums by the hour, until it is written.
    pub(crate) rollups: Arc<Rollups>,
    /// What the database said last when somebody looked at the figures.
    pub(crate) measured: Arc<Measured>,
    /// Where large documents are read.
    pub(crate) cpu: Cpu,
}

/// What an engine is made of: everything that the outside supplies.
pub struct Parts {
    /// The database.
    pub store: Store,
    /// The raw bytes.
    pub blobs: Blobs,
    /// The only door to the outside.
    pub fetch: Fetch,
    /// What time it is.
    pub clock: Clock,
    /// This start of this process.
    pub worker: WorkerId,
    /// Opens what is sealed in the store.
    pub vault: Vault,
    /// How it behaves.
    pub options: Options,
}

/// How the engine behaves.
#[derive(Debug, Clone)]
pub struct Options {
    /// Visits at once.
    pub concurrency: u32,
    /// How fast and how many at once, per rate group.
    pub pace: Pace,
    /// Which feeds share a courtesy budget, where it is not the registrable domain.
    pub groups: RateGroups,
    /// At most this many visits a day, shared among all feeds.
    pub visits_per_day: Option<u32>,
    /// Redirects that a visit follows.
    pub redirects: u32,
    /// For all hops of a visit together.
    pub timeout: Duration,
    /// The proxy of visits, unless a feed has its own.
    pub proxy: Option<Proxy>,
    /// Expected content types; documents of other types are parsed all the same, with a remark.
    pub content_types: Vec<String>,
    /// How we introduce ourselves.
    pub user_agent: UserAgent,
    /// How long a lease lasts; renewed at a third.
    pub lease: SignedDuration,
    /// The longest sleep of an idle worker: a feed may have been added meanwhile.
    pub idle: Duration,
    /// The rules of feeds that have none of their own.
    pub rules: policy::Rules,
    /// What a document may be.
    pub document: syndication::Limits,
    /// What maintenance looks after.
    pub maintenance: Maintenance,
}

/// What maintenance looks after.
#[derive(Debug, Clone)]
pub struct Maintenance {
    /// The hour of day (UTC) after which the daily cleanup is due.
    pub cleanup_hour: u8,
    /// The database may be this large.
    pub max_db_bytes: Option<u64>,
    /// Beyond a feed's last samples, raw bodies are kept while they all fit into this, per feed.
    pub raw_budget_bytes: u64,
    /// A partition of bodies holds this many ids (PostgreSQL).
    pub body_range: u32,
    /// At most this many bodies are moved to another partition when theirs is dropped.
    pub bodies_moved: u64,
    /// At least this much of the disk should be free.
    pub min_free_bytes: u64,
    /// A path on that disk.
    pub data: Option<PathBuf>,
}

impl Default for Maintenance {
    fn default() -> Self {
        Self {
            cleanup_hour: 3,
            max_db_bytes: None,
            raw_budget_bytes: 4 << 20,
            body_range: 1_000_000,
            bodies_moved: 10_000,
            min_free_bytes: 100_000_000,
            data: None,
        }
    }
}

/// Rare enough for an idle server, soon enough for a person who just added a feed.
pub const IDLE: Duration = Duration::from_millis(500);

/// What feeds are served as, if their servers know what they are.
pub const CONTENT_TYPES: &[&str] = &[
    "application/rss+xml",
    "application/atom+xml",
    "application/rdf+xml",
    "application/xml",
    "text/xml",
    "application/feed+json",
    "application/json",
];

impl Options {
    /// Visits a second (0: without spacing) and visits at once, per rate group.
    pub fn paced(per_second: f64, at_once: u32) -> Pace {
        let spacing =
            if per_second > 0.0 { SignedDuration::from_secs_f64(1.0 / per_second) } else { SignedDuration::ZERO };
        Pace { spacing, at_once, patience: SignedDuration::from_secs(1), when_full: SignedDuration::from_secs(1) }
    }
}

impl Default for Options {
    fn default() -> Self {
        Self {
            concurrency: 64,
            pace: Self::paced(1.0, 2),
            groups: RateGroups::default(),
            visits_per_day: None,
            redirects: 5,
            timeout: Duration::from_secs(30),
            proxy: None,
            content_types: CONTENT_TYPES.iter().map(|&text| text.to_owned()).collect(),
            user_agent: UserAgent::default(),
            lease: SignedDuration::from_secs(120),
            idle: IDLE,
            rules: policy::Rules::default(),
            document: syndication::Limits::default(),
            maintenance: Maintenance::default(),
        }
    }
}

impl Engine {
    /// The rules of feeds that have none of their own.
    pub fn rules(&self) -> &policy::Rules {
        &self.options.rules
    }

    /// An engine that has just been started.
    pub fn new(parts: Parts) -> Self {
        let Parts { store, blobs, fetch, clock, worker, vault, options } = parts;
        Self {
            store,
            blobs,
            fetch,
            clock,
            worker,
            options,
            vault,
            memory: Arc::default(),
            figures: Arc::default(),
            rollups: Arc::default(),
            measured: Arc::default(),
            cpu: Cpu::default(),
        }
    }

    /// The same engine after a restart of its process: another name, new connections, nothing remembered or counted.
    #[must_use]
    pub fn restarted(&self, worker: WorkerId, fetch: Fetch) -> Self {
        let Self { store, blobs, clock, vault, options, .. } = self.clone();
        Self::new(Parts { store, blobs, fetch, clock, worker, vault, options })
    }

    /// The engine of another process on the same data, reaching the outside by the same way.
    #[must_use]
    pub fn another(&self, worker: WorkerId) -> Self {
        self.restarted(worker, self.fetch.clone())
    }

    /// The same engine, in the same process, with other options.
    #[must_use]
    pub fn with_options(self, options: Options) -> Self {
        Self { options, ..self }
    }

    /// The same engine for work that no person waits for: its reads and writes let those of people go first.
    #[must_use]
    pub(crate) fn in_background(&self) -> Self {
        Self { store: self.store.in_background(), ..self.clone() }
    }

    /// The database.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// The raw bytes.
    pub fn blobs(&self) -> &Blobs {
        &self.blobs
    }

    /// This start of this process.
    pub fn worker(&self) -> &WorkerId {
        &self.worker
    }

    /// The clock.
    pub fn clock(&self) -> &Clock {
        &self.clock
    }

    /// How it behaves.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// What a page of metrics is made from.
    pub fn metrics(&self) -> Metrics {
        Metrics {
            store: self.store.clone(),
            clock: self.clock.clone(),
            memory: Arc::clone(&self.memory),
            figures: Arc::clone(&self.figures),
            measured: Arc::clone(&self.measured),
        }
    }

    /// What time it is.
    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// Whose courtesy budget a URL shares, and at which pace. None for what is no web address.
    pub fn group(&self, url: &str) -> Option<(Group, Pace)> {
        let group = self.options.groups.of(url)?;
        let usual = self.options.pace;
        let spacing = group.spacing.unwrap_or(usual.spacing);
        let at_once = group.at_once.unwrap_or(usual.at_once);
        Some((group, Pace { spacing, at_once, ..usual }))
    }
}
