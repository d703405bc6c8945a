//! When a feed is visited next, and why. Decided by `policy`, stored by `store`, carried out by `engine`.

use crate::words::words;
use jiff::{SignedDuration, Timestamp};
use std::fmt;

/// The decision after a visit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Schedule {
    /// When, or never.
    pub next: Next,
    /// The interval behind it, before jitter and windows. The next decision starts from it.
    pub interval: SignedDuration,
    /// The rule that won.
    pub because: Because,
    /// The same as a clause to follow the time: "because the server asked for it (Retry-After)". It names no waiting
    /// time, which depends on when it is read.
    pub reason: String,
    /// What each rule said, in order of evaluation: for `feed explain`.
    pub trace: Vec<String>,
}

/// When a feed is next due.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    /// At this moment.
    At(Timestamp),
    /// Not until a user enables it.
    Never,
}

impl Next {
    /// The moment, if there is one.
    pub fn at(self) -> Option<Timestamp> {
        match self {
            Self::At(at) => Some(at),
            Self::Never => None,
        }
    }
}

/// The rule that decided a schedule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Because {
    /// Never visited before.
    Added,
    /// A user asked for a visit now.
    Manual,
    /// A user forced a visit against the server's wish.
    Forced,
    /// The server named a time.
    RetryAfter,
    /// The server answered with an error, or not at all.
    ErrorBackoff,
    /// 304.
    NotModified,
    /// 200, with something new.
    NewEntries,
    /// 200, with nothing new.
    NoNewEntries,
    /// One visit was all that was wanted (`polling` is off).
    OneTime,
    /// The feed is gone.
    Gone,
    /// Too many failures in a row: not visited, or only to see whether it is back.
    Disabled,
    /// Disabled after one failure, until a user looks at it.
    Strike,
    /// A redirect led to a publisher whose rate group had no free slot.
    NoRoom,
    /// Our own network failed, not the feed.
    Outage,
}

impl Because {
    words! {
        /// The name that is stored, logged and shown.
        as_str, WORDS:
        Self::Added => "added",
        Self::Manual => "manual",
        Self::Forced => "forced",
        Self::RetryAfter => "retry-after",
        Self::ErrorBackoff => "error-backoff",
        Self::NotModified => "not-modified",
        Self::NewEntries => "new-entries",
        Self::NoNewEntries => "no-new-entries",
        Self::OneTime => "one-time",
        Self::Gone => "gone",
        Self::Disabled => "disabled",
        Self::Strike => "one-strike",
        Self::NoRoom => "no-room",
        Self::Outage => "outage",
    }
}

impl fmt::Display for Because {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
