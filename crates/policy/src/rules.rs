//! Rules: the policies of one feed once everything was resolved. Plain data; every decision of this crate takes them.
//!
//! What the six presets choose is in `rules/preset.rs`, how a rule is written as text (per-feed overrides, the
//! reference page) in `rules/keys.rs`. Which links a feed's entries may have, and whether it is polled, stay on the feed.

mod keys;
mod preset;
mod text;

pub use keys::{Key, keys};
pub use preset::Preset;

use jiff::SignedDuration;
use model::entry::KeyKind;
use std::collections::BTreeMap;

/// Never more often than this, whatever anybody says (F-99, for all presets).
pub const FLOOR: SignedDuration = SignedDuration::from_secs(300);

/// The policies of one feed.
#[derive(Debug, Clone, PartialEq)]
pub struct Rules {
    /// Which preset they began as.
    pub preset: Preset,
    /// How often a healthy feed is visited.
    pub interval: Interval,
    /// What follows a failure.
    pub failure: FailureRule,
    /// What 429 and 503 mean.
    pub busy: Busy,
    /// A server that asks for longer has made a mistake; `None` believes it.
    pub retry_after_cap: Option<SignedDuration>,
    /// What 410 means.
    pub gone: Gone,
    /// So many failures among the last visits open the circuit.
    pub error_budget: Option<ErrorBudget>,
    /// What makes two entries the same.
    pub dedup: Dedup,
    /// What becomes of an entry that says something else.
    pub on_change: OnChange,
    /// What lists are ordered by when a date lies ahead.
    pub future_dates: FutureDates,
    /// Whether one bad entry fails the visit.
    pub entries: Entries,
    /// New entries a day beyond this are stored, but neither announced nor unread.
    pub quota_per_day: u32,
    /// Edits a day beyond this are stored, but neither kept as revisions nor announced.
    pub edits_per_day: u32,
    /// What is forgotten, and when.
    pub retention: Retention,
    /// How long a worker may hold the feed without a sign of life.
    pub lease: SignedDuration,
}

impl Rules {
    /// The rules of a preset.
    pub fn preset(preset: Preset) -> Self {
        preset::rules(preset)
    }

    /// These rules with one of them changed, or what was expected instead.
    pub fn with(&self, key: &str, value: &str) -> Result<Self, String> {
        keys::with(self, key, value)
    }

    /// The interval in minutes where its range is 15 to 1440 (G-09), which the database holds it to; none elsewhere.
    pub fn refresh_minutes(&self) -> Option<i64> {
        (self.preset == Preset::Governance).then(|| self.interval.initial.as_mins())
    }

    /// How long a server may pause its whole rate group: `retry_after_cap`, or a century, which is the same as none. A feed
    /// of its own mind may believe its server less than `global` does, but not more on behalf of all others.
    pub fn pause_cap(&self, global: &Self) -> SignedDuration {
        let century = SignedDuration::from_hours(24 * 36_500);
        [self, global].iter().filter_map(|rules| rules.retry_after_cap).min().unwrap_or(century)
    }

    /// The rules of one feed: the global ones with the feed's own on top. An override that no longer makes sense
    /// (a key of a later version, a range that the global rules narrowed) is left out, and said.
    pub fn resolve(global: &Self, overrides: &BTreeMap<String, String>) -> (Self, Vec<String>) {
        let mut rules = global.clone();
        let mut apply = |(key, value): &(&String, &String)| match rules.with(key, value) {
            Ok(changed) => {
                rules = changed;
                None
            }
            Err(problem) => Some(format!("{key} = {value}: {problem}")),
        };
        // Two that make sense together (both ends of a range) may not in the order they come in: ask again.
        let refused: Vec<_> = overrides.iter().filter(|pair| apply(pair).is_some()).collect();
        let problems = refused.iter().filter_map(apply).collect();
        (rules, problems)
    }
}

impl Default for Rules {
    fn default() -> Self {
        Self::preset(Preset::Courant)
    }
}

/// How often a healthy feed is visited.
#[derive(Debug, Clone, PartialEq)]
pub struct Interval {
    /// By which rule.
    pub mode: Mode,
    /// The fixed interval, or the first one.
    pub initial: SignedDuration,
    /// Never more often.
    pub min: SignedDuration,
    /// Never more seldom while all is well.
    pub max: SignedDuration,
    /// EWMA: grows by this when there is nothing new.
    pub up: f64,
    /// EWMA: shrinks by this when there is.
    pub down: f64,
    /// EWMA: how much the latest gap between entries weighs.
    pub alpha: f64,
    /// EWMA: how much the smoothed gap weighs against the interval so far.
    pub lambda: f64,
    /// At most this part of the interval is added or taken away at random.
    pub jitter: f64,
}

/// The rule that chooses the interval.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Always the same.
    Fixed,
    /// The same, or as long as the answer is fresh.
    Fresh,
    /// Grows and shrinks, blended with the smoothed gap between entries.
    Ewma,
    /// From the feed's own rhythm by the square-root law.
    Adaptive,
}

/// What follows a failure.
#[derive(Debug, Clone, PartialEq)]
pub struct FailureRule {
    /// How long to wait.
    pub delay: Delay,
    /// Never longer.
    pub cap: SignedDuration,
    /// So many in a row disable the feed.
    pub disable_after: Option<u32>,
    /// A disabled feed is tried again after this.
    pub revive_after: Option<SignedDuration>,
}

/// How long to wait after the n-th failure in a row.
#[derive(Debug, Clone, PartialEq)]
pub enum Delay {
    /// For ever: somebody has to look.
    OneStrike,
    /// `unit x base^n`.
    Exponential {
        /// What grows.
        base: f64,
        /// What it multiplies.
        unit: Unit,
    },
    /// The n-th step; the last one from then on.
    Ladder(Vec<SignedDuration>),
    /// As if nothing had happened.
    KeepInterval,
}

/// What an exponential delay multiplies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// The feed's interval, but at least this.
    Interval {
        /// Feeds that are visited every few minutes are not asked that often while they fail.
        least: SignedDuration,
    },
    /// A fixed time.
    Fixed(SignedDuration),
}

/// What 429 and 503 mean.
#[derive(Debug, Clone, PartialEq)]
pub struct Busy {
    /// Whether they count as failures.
    pub counts: Counts,
    /// How long to wait where the answer names no time.
    pub delay: Delay,
}

/// Whether something counts as a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counts {
    /// It does.
    Failure,
    /// It only pauses.
    Pause,
}

/// What 410 means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gone {
    /// Said twice, a day apart, it is the end.
    Retire,
    /// A failure like others.
    Count,
}

/// Failures in a moving window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ErrorBudget {
    /// So many failures
    pub failures: u32,
    /// among so many visits (at most 50)
    pub of: u32,
    /// keep us away for so long.
    pub open_for: SignedDuration,
}

/// What makes two entries the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dedup {
    /// By what entries are recognised: a set, sorted in the order in which the keys are asked.
    pub chain: Vec<KeyKind>,
    /// What a known link means when the id is another.
    pub same_link: SameLink,
    /// What makes an id untrustworthy.
    pub collisions: Collisions,
    /// Ids that look like moments count as one collision at the first visit.
    pub suspect_ids: bool,
    /// What an entry without a trusted id is called.
    pub uid: Uid,
}

/// What a known link means when the id is another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SameLink {
    /// The same entry.
    Always,
    /// The same entry if the link is its alone (in no other entry of the feed so far, and not the site's front page) and
    /// words, date or title agree.
    IfOwn,
    /// Nothing: the id decides alone.
    OnlyWithoutId,
}

/// What counts as one id for two entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Collisions {
    /// Any other link.
    OtherLink,
    /// Another link and other words: a site that moves its pages keeps the words.
    OtherLinkAndWords,
}

/// What an entry is called by other programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Uid {
    /// The publisher's id if it can be trusted, else a hash of what it is.
    Native,
    /// SHA-256 of the link.
    LinkHash,
}

/// What becomes of an entry that says something else.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnChange {
    /// It says the new thing; the old one is kept as a revision.
    Update,
    /// It says what it said first.
    Ignore,
}

/// What lists are ordered by when a date lies ahead.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FutureDates {
    /// When we saw it: a wrong date must not stay on top.
    Clamp,
    /// As given.
    Keep,
}

/// Whether one bad entry fails the visit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Entries {
    /// No; only a document in which every entry is bad.
    Lenient,
    /// Yes, and one without title or link is bad.
    Strict,
}

/// What is forgotten, and when. `None` means never.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Retention {
    /// After everybody has read it.
    pub read_for: Option<SignedDuration>,
    /// While somebody has not.
    pub unread_for: Option<SignedDuration>,
    /// Read or not.
    pub any_for: Option<SignedDuration>,
    /// Where `unread_for` and `any_for` begin.
    pub from: From,
    /// Entries of one feed beyond this, oldest first.
    pub per_feed: Option<u32>,
    /// Which of them.
    pub per_feed_takes: Takes,
    /// Full text of articles is cleared so long after everybody has read them.
    pub full_text_for: Option<SignedDuration>,
    /// Raw fetches kept per feed whatever else is dropped.
    pub raw_samples: Option<u32>,
}

/// Where an age begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum From {
    /// When we saw it.
    FirstSeen,
    /// When it says it was published; when we saw it, if it does not say or lies ahead.
    Published,
}

/// Which entries a limit per feed takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Takes {
    /// Only those everybody has read.
    Read,
    /// Any.
    Any,
}
