//! Roll-ups: sums of visits by the hour, for the operator's room (docs/notes/rollups.md).
//!
//! `policy::rollup` decides what a visit counts as, `engine` sums in memory, `store` adds to what is there.

use crate::FeedId;
use jiff::{SignedDuration, Timestamp};
use std::collections::BTreeMap;

/// A visit may have taken up to so many milliseconds in each class; the last class has no bound.
pub const LATENCY_BOUNDS_MS: [u64; 14] =
    [10, 25, 50, 100, 200, 350, 500, 750, 1_000, 1_500, 2_500, 5_000, 10_000, 30_000];

/// How many classes there are.
pub const LATENCY_CLASSES: usize = LATENCY_BOUNDS_MS.len() + 1;

/// How many visits took how long, by class.
pub type Latencies = [u64; LATENCY_CLASSES];

/// What a visit counts as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VisitClass {
    /// An answer with a body.
    Success,
    /// 304.
    NotModified,
    /// It did not work.
    Error,
}

/// A visit, as far as it is summed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CountedVisit {
    /// When it began.
    pub at: Timestamp,
    /// What it counts as.
    pub class: VisitClass,
    /// The feed, unless it is private.
    pub feed: Option<FeedId>,
    /// The host of the feed's address, unless it is private.
    pub host: Option<String>,
    /// What went wrong: a status or a word.
    pub code: Option<String>,
    /// Whether the server asked to come later.
    pub busy: bool,
    /// How long it took.
    pub took: SignedDuration,
    /// Bytes that came.
    pub bytes: u64,
    /// Bytes that did not have to come.
    pub bytes_saved: u64,
    /// Entries not seen before.
    pub new_entries: u64,
    /// Entries that say something else than before.
    pub changed_entries: u64,
    /// The interval to the next visit that was chosen.
    pub interval: SignedDuration,
}

/// The visits of an hour, or of several.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct VisitSums {
    /// Answers with a body.
    pub success: u64,
    /// 304.
    pub not_modified: u64,
    /// Visits that did not work.
    pub error: u64,
    /// Entries not seen before.
    pub new_entries: u64,
    /// Entries that say something else than before.
    pub changed_entries: u64,
    /// Bytes that came.
    pub bytes: u64,
    /// Bytes that did not have to come.
    pub bytes_saved: u64,
    /// The intervals that were chosen, in seconds.
    pub interval_s: u64,
    /// The time that visits took, in microseconds.
    pub took_us: u64,
}

impl VisitSums {
    /// How many visits.
    pub fn visits(&self) -> u64 {
        self.success + self.not_modified + self.error
    }
}

/// Failures of one kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ErrorSum {
    /// How many.
    pub visits: u64,
    /// The first.
    pub first_at: Timestamp,
    /// The last.
    pub last_at: Timestamp,
}

/// The visits to one host.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct HostSum {
    /// How many.
    pub visits: u64,
    /// How many did not work.
    pub errors: u64,
    /// How often it asked us to come later.
    pub busy: u64,
    /// Bytes that came.
    pub bytes: u64,
    /// The first and the last that did not work.
    pub failed: Option<(Timestamp, Timestamp)>,
}

/// The visits to one feed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FeedSum {
    /// Entries not seen before.
    pub new_entries: u64,
    /// Visits that did not work.
    pub errors: u64,
}

/// Everything that is summed of one hour.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HourSums {
    /// All visits.
    pub all: VisitSums,
    /// How long they took.
    pub latencies: Latencies,
    /// Failures, by code.
    pub errors: BTreeMap<String, ErrorSum>,
    /// By host; the empty name stands for those that are not named.
    pub hosts: BTreeMap<String, HostSum>,
    /// Feeds that brought something or failed.
    pub feeds: BTreeMap<FeedId, FeedSum>,
}

/// Sums by the moment at which the hour begins.
pub type Rollup = BTreeMap<Timestamp, HourSums>;
