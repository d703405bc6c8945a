//! A lease: the right to refresh one feed until a deadline; and the dossier that comes with it.
//!
//! Invariant: every write of a refresh is fenced by the lease's token. Safety rests on the token, never on clocks.

use crate::entry::Hash;
use crate::feed::{DomainRule, FeedKind, FeedState, GuidTrust};
use crate::raw::HeadersMark;
use crate::visit::{Freshness, Validators};
use crate::{FeedId, UserId};
use jiff::{SignedDuration, Timestamp};
use std::collections::BTreeMap;
use uuid::Uuid;

/// The right to refresh one feed until a deadline.
#[derive(Debug, Clone, PartialEq)]
pub struct Lease {
    /// The feed.
    pub feed: FeedId,
    /// Grows with every claim and every commit; a write with an older token changes nothing.
    pub token: i64,
    /// When it ends, unless renewed.
    pub until: Timestamp,
    /// Its slot in the rate group: reserved now, or when an earlier claim was handed back.
    pub slot: Option<Timestamp>,
    /// A user forced this visit, even if the group is paused.
    pub forced: bool,
    /// Everything a visit and its decision need, so that a 304 costs no read.
    pub dossier: Dossier,
}

/// What is known of a feed when it is claimed.
#[derive(Debug, Clone, PartialEq)]
pub struct Dossier {
    /// Its id for other programs.
    pub uuid: Uuid,
    /// The URL to visit.
    pub url: String,
    /// The rate group whose courtesy budget it shares.
    pub rate_group: String,
    /// Its owner, if it is private.
    pub owner: Option<UserId>,
    /// The dialect of its last document.
    pub kind: FeedKind,
    /// Its title as stored.
    pub title: Option<String>,
    /// Its site as stored.
    pub site_url: Option<String>,
    /// What it says about itself, as stored.
    pub description: Option<String>,
    /// Its language tag as stored.
    pub language: Option<String>,
    /// Its root domain.
    pub root_domain: Option<String>,
    /// Which links are accepted.
    pub domain_rule: DomainRule,
    /// Whether another visit follows a successful one.
    pub polling: bool,
    /// Its state; claimed feeds are runnable.
    pub state: FeedState,
    /// How far its guids can be trusted.
    pub guids: GuidTrust,
    /// Several entries may share one link.
    pub allow_duplicate_urls: bool,
    /// The `User-Agent` to send instead of the default.
    pub user_agent: Option<String>,
    /// Proxy and credentials, encrypted.
    pub access: Option<Sealed>,
    /// Rules of this feed, by key; all other rules are the defaults.
    pub rules: BTreeMap<String, String>,
    /// How many users subscribe to it here; sent to publishers.
    pub subscribers: u32,
    /// How it behaved so far.
    pub history: History,
}

/// A secret as it is stored: only the engine's vault can decrypt it.
#[derive(Clone, PartialEq, Eq)]
pub struct Sealed(pub Vec<u8>);

impl std::fmt::Debug for Sealed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Sealed({} bytes)", self.0.len())
    }
}

/// How a feed behaved so far: the part of its schedule that survives from visit to visit.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct History {
    /// Visits so far; the next one is written to slot `visits % 50` of the ring.
    pub visits: i64,
    /// Documents read so far (lineage counts in these).
    pub readings: i64,
    /// Sent back verbatim, to the URL they came from.
    pub validators: Validators,
    /// Where the last successful visit ended, if not at the feed's own URL: what the validators belong to.
    pub final_url: Option<String>,
    /// What the last successful answer said about freshness; failures never overwrite it.
    pub freshness: Freshness,
    /// The last visit.
    pub last_visit_at: Option<Timestamp>,
    /// The last visit that succeeded.
    pub last_success_at: Option<Timestamp>,
    /// The last status.
    pub last_status: Option<u16>,
    /// The last failure.
    pub last_error_at: Option<Timestamp>,
    /// The message of the last failure.
    pub last_error: Option<String>,
    /// Failures in a row.
    pub failures: u32,
    /// Responses in a row that asked to come later; not counted as failures unless the rules say so.
    pub busy: u32,
    /// The interval the last decision chose.
    pub interval: SignedDuration,
    /// Entries the last reading brought.
    pub new_entries: u32,
    /// Smoothed time between entries.
    pub ewma: Option<SignedDuration>,
    /// When the newest entry known so far was published: where the next gap begins.
    pub last_arrival_at: Option<Timestamp>,
    /// Of the last decoded body: the same bytes need no parsing.
    pub body_hash: Option<Hash>,
    /// What the last document asked of visitors; a 304 leaves it as it was.
    pub hints: VisitHints,
    /// When the feed publishes: bytes that only `policy` understands. At most 168.
    pub rhythm: Option<Vec<u8>>,
    /// The last visits, newest in the lowest bit: 1 for a failure. Only the lowest 50 count.
    pub outcomes: u64,
    /// Since when the server answers 410 without interruption.
    pub gone_since: Option<Timestamp>,
    /// The URL the feed may have moved to; adopted once it is certain.
    pub pending_move: Option<PendingMove>,
    /// How many entries and edits today's visits brought.
    pub quota: Quota,
    /// The header fields that were stored last.
    pub headers: Option<HeadersMark>,
    /// Bytes of the last full answer as they came: what a 304 saves.
    pub full_bytes: Option<u64>,
}

/// What a document asks of visitors.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct VisitHints {
    /// Minutes between visits.
    pub ttl_minutes: Option<u32>,
    /// Hours of the day (GMT) in which not to visit: bit 0 is midnight to one.
    pub skip_hours: u32,
    /// Days on which not to visit: bit 0 is Monday.
    pub skip_days: u8,
}

/// A permanent redirect that has not been adopted yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PendingMove {
    /// The target.
    pub to: String,
    /// Responses in a row that redirected there.
    pub answers: u32,
    /// When the first of them came.
    pub since: Timestamp,
}

/// What the visits of one day brought.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Quota {
    /// The day (UTC), counted from 1970-01-01.
    pub day: i32,
    /// How many entries not seen before.
    pub used: u32,
    /// How many edits of known ones.
    pub edits: u32,
}
