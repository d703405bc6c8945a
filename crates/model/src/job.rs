//! Jobs: background work that survives a restart. The service of a job does the work; this is what the store keeps of
//! it.
//!
//! A job is leased like a feed and ended under the token of its lease. How long to wait after a failure is decided by
//! `policy::retry`.

use crate::{EntryId, FeedId, JobId};
use jiff::Timestamp;

/// The kind of the jobs that look at new entries with the local toolkit: `feed:7` or `entry:12`. A commit asks for them, so
/// the store knows their name.
pub const ENRICH_LOCAL: &str = "enrich.local";

/// A job to be done. There is at most one job of a kind per subject: requesting it again moves it forward and adds
/// none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewJob {
    /// Its kind, which names the service: `upkeep.cleanup`. Letters, digits, `.`, `_` and `-`.
    pub kind: String,
    /// What it is about, as defined by its service: `feed:7`. Empty if there is only one such job.
    pub subject: String,
    /// Its order among due jobs of its kind.
    pub priority: Priority,
    /// The earliest start.
    pub due_at: Timestamp,
}

impl NewJob {
    /// A job of normal priority that has no subject.
    pub fn new(kind: &str, due_at: Timestamp) -> Self {
        Self { kind: kind.to_owned(), subject: String::new(), priority: Priority::Normal, due_at }
    }

    /// The job that looks at one entry with the local toolkit.
    pub fn enrich_entry(entry: EntryId, priority: Priority, due_at: Timestamp) -> Self {
        Self { kind: ENRICH_LOCAL.to_owned(), subject: format!("entry:{}", entry.0), priority, due_at }
    }

    /// The job that looks at the newest entries of a feed.
    pub fn enrich_feed(feed: FeedId, due_at: Timestamp) -> Self {
        Self { kind: ENRICH_LOCAL.to_owned(), subject: format!("feed:{}", feed.0), priority: Priority::Normal, due_at }
    }
}

/// Which of the due jobs of a kind runs first.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Priority {
    /// When nothing else is due: backfills.
    Low,
    /// In order.
    #[default]
    Normal,
    /// A user waits for it.
    High,
}

impl Priority {
    /// All of them, the least urgent first; the stored number is the index.
    pub const ALL: [Self; 3] = [Self::Low, Self::Normal, Self::High];

    /// The name that is shown.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Normal => "normal",
            Self::High => "high",
        }
    }
}

/// The right to do a job until a deadline.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobLease {
    /// The job.
    pub id: JobId,
    /// Its kind.
    pub kind: String,
    /// What it is about.
    pub subject: String,
    /// Its priority.
    pub priority: Priority,
    /// Advances with every claim and every end: a write with an older token changes nothing.
    pub token: i64,
    /// When it ends, unless renewed.
    pub until: Timestamp,
    /// How often it has failed since its last success.
    pub attempts: u32,
}

/// How a job ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JobEnd {
    /// It is done and deleted; if it was requested again meanwhile, it is due again.
    Done,
    /// It is done, and due again at this time.
    Again(Timestamp),
    /// It could not be done yet, which is no failure: due at this time, with the attempts it had.
    Later(Timestamp),
    /// It failed, and is tried again at this time.
    Retry {
        /// When it is tried again.
        at: Timestamp,
        /// Why it failed.
        error: String,
    },
    /// It failed, and is kept for an operator to see: `courant job list`, `courant job retry`.
    GiveUp {
        /// Why it failed.
        error: String,
    },
}

/// A job and its state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Job {
    /// Primary key.
    pub id: JobId,
    /// Which service does it.
    pub kind: String,
    /// What it is about.
    pub subject: String,
    /// Its priority.
    pub priority: Priority,
    /// When it is due or, while `worker` is set, when the lease ends. `None` if it was given up.
    pub due_at: Option<Timestamp>,
    /// The process that does it now.
    pub worker: Option<String>,
    /// How often it has failed since its last success.
    pub attempts: u32,
    /// The last error.
    pub last_error: Option<String>,
    /// When it was first requested.
    pub created_at: Timestamp,
}

/// How many jobs of a kind there are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobCounts {
    /// Which service does them.
    pub kind: String,
    /// Due later.
    pub waiting: i64,
    /// Due, and not claimed.
    pub due: i64,
    /// Being done.
    pub running: i64,
    /// Given up.
    pub failed: i64,
    /// Since when the first of those that are due and not claimed has been due.
    pub oldest_due: Option<Timestamp>,
}
