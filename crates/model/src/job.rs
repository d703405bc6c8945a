//! Jobs: background work that survives a restart. What a job does is its service's; here is what the store keeps of it.
//!
//! A job is leased like a feed and ended under the token of its lease. How long to wait after a failure is decided by
//! `policy::retry`.

use crate::JobId;
use jiff::Timestamp;

/// A job to be done. There is at most one job of a kind for a subject: asking again moves it forward, never doubles it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewJob {
    /// Which service does it: `upkeep.cleanup`. Letters, digits, `.`, `_` and `-`.
    pub kind: String,
    /// What it is about, in the words of its service: `feed:7`. Empty where there is only one such job.
    pub subject: String,
    /// Before or after others of its kind.
    pub priority: Priority,
    /// Not before this.
    pub due_at: Timestamp,
}

impl NewJob {
    /// A job of normal priority that has no subject.
    pub fn new(kind: &str, due_at: Timestamp) -> Self {
        Self { kind: kind.to_owned(), subject: String::new(), priority: Priority::Normal, due_at }
    }
}

/// Which of the jobs of a kind that are due goes first.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Priority {
    /// When nothing else is due: backfills.
    Low,
    /// In its turn.
    #[default]
    Normal,
    /// Somebody waits for it.
    High,
}

impl Priority {
    /// All of them, the least urgent first: each is its place in this list.
    pub const ALL: [Self; 3] = [Self::Low, Self::Normal, Self::High];

    /// The word that people see.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Normal => "normal",
            Self::High => "high",
        }
    }
}

/// The right to do a job until a moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobLease {
    /// Which job.
    pub id: JobId,
    /// Its kind.
    pub kind: String,
    /// What it is about.
    pub subject: String,
    /// Its priority.
    pub priority: Priority,
    /// Moves with every claim and every end: what is written under an older token is not written.
    pub token: i64,
    /// Until when, unless renewed.
    pub until: Timestamp,
    /// How often it has failed since it last went well.
    pub attempts: u32,
}

/// How a job ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JobEnd {
    /// It is done, and forgotten; unless it was asked for again meanwhile: then it is due again.
    Done,
    /// It is done, and due again at a moment.
    Again(Timestamp),
    /// It failed, and is tried again at a moment.
    Retry {
        /// When.
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

/// A job and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Job {
    /// Key.
    pub id: JobId,
    /// Which service does it.
    pub kind: String,
    /// What it is about.
    pub subject: String,
    /// Its priority.
    pub priority: Priority,
    /// When it is due or, while `worker` is set, when the lease ends. `None`: it was given up.
    pub due_at: Option<Timestamp>,
    /// The process that does it now.
    pub worker: Option<String>,
    /// How often it has failed since it last went well.
    pub attempts: u32,
    /// Why it failed last.
    pub last_error: Option<String>,
    /// When it was first asked for.
    pub created_at: Timestamp,
}

/// How many jobs of a kind there are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobCounts {
    /// Which service does them.
    pub kind: String,
    /// Due later.
    pub waiting: i64,
    /// Due, and nobody is at them.
    pub due: i64,
    /// Being done.
    pub running: i64,
    /// Given up.
    pub failed: i64,
}
