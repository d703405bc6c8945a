//! Rules: the resolved policies of one feed. Plain data; every decision of this crate takes them.
//!
//! The six presets are in `rules/preset.rs`, the text form of a rule (per-feed overrides, the reference page) in
//! `rules/keys.rs`, changing the rules of a feed's own in `rules/own.rs`. Which links a feed's entries may have, and whether it is polled, are properties of the feed.

mod keys;
mod own;
mod preset;
mod text;

pub use keys::{Key, keys};
pub use own::{NoSuchRule, OwnRules, with_own, without_own};
pub use preset::Preset;

use jiff::SignedDuration;
use model::enrichment::Kinds;
use model::entry::KeyKind;
use std::collections::BTreeMap;

/// The minimum interval, whatever else is configured (F-99, for all presets).
pub const FLOOR: SignedDuration = SignedDuration::from_secs(300);

/// The policies of one feed.
#[derive(Debug, Clone, PartialEq)]
pub struct Rules {
    /// The preset they are based on.
    pub preset: Preset,
    /// How often a healthy feed is visited.
    pub interval: Interval,
    /// What follows a failure.
    pub failure: FailureRule,
    /// What 429 and 503 mean.
    pub busy: Busy,
    /// The maximum Retry-After that is honoured; `None` means no limit.
    pub retry_after_cap: Option<SignedDuration>,
    /// What 410 means.
    pub gone: Gone,
    /// The number of failures among the last visits that opens the circuit.
    pub error_budget: Option<ErrorBudget>,
    /// What makes two entries the same.
    pub dedup: Dedup,
    /// What happens to an entry whose content changed.
    pub on_change: OnChange,
    /// The sort key of entries with a future date.
    pub future_dates: FutureDates,
    /// Whether one bad entry fails the visit.
    pub entries: Entries,
    /// New entries a day beyond this are stored, but neither announced nor unread.
    pub quota_per_day: u32,
    /// Edits a day beyond this are stored, but neither kept as revisions nor announced.
    pub edits_per_day: u32,
    /// What is deleted, and when.
    pub retention: Retention,
    /// How long a worker may hold the feed without a heartbeat.
    pub lease: SignedDuration,
    /// What the program says about its entries.
    pub ai: Ai,
}

impl Rules {
    /// The same with another minimum interval than [`FLOOR`], where nothing asks for a longer one.
    #[must_use]
    pub fn with_floor(mut self, floor: SignedDuration) -> Self {
        if self.interval.min == FLOOR {
            self.interval.min = floor;
        }
        self
    }

    /// The rules of a preset.
    pub fn preset(preset: Preset) -> Self {
        preset::rules(preset)
    }

    /// These rules with one of them changed, or an error that says what was expected.
    pub fn with(&self, key: &str, value: &str) -> Result<Self, String> {
        keys::with(self, key, value)
    }

    /// The interval in minutes if its range is 15 to 1440 (G-09), which the database enforces; else `None`.
    pub fn refresh_minutes(&self) -> Option<i64> {
        (self.preset == Preset::Governance).then(|| self.interval.initial.as_mins())
    }

    /// How long a server may pause its whole rate group: `retry_after_cap`, or a century, which is as good as no limit.
    /// A feed with its own rule may honour less than `global` does, but not more on behalf of all others.
    pub fn pause_cap(&self, global: &Self) -> SignedDuration {
        let century = SignedDuration::from_hours(24 * 36_500);
        [self, global].iter().filter_map(|rules| rules.retry_after_cap).min().unwrap_or(century)
    }

    /// The rules of one feed: the global ones with the feed's overrides. An override that is no longer valid (a key of
    /// a later version, a range that the global rules narrowed) is skipped and reported.
    pub fn resolve(global: &Self, overrides: &BTreeMap<String, String>) -> (Self, Vec<String>) {
        let mut rules = global.clone();
        let mut apply = |(key, value): &(&String, &String)| match rules.with(key, value) {
            Ok(changed) => {
                rules = changed;
                None
            }
            Err(problem) => Some(format!("{key} = {value}: {problem}")),
        };
        // Two overrides that are valid together (both ends of a range) may be invalid in this order: try again.
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
    /// The rule that chooses it.
    pub mode: Mode,
    /// The fixed interval, or the first one.
    pub initial: SignedDuration,
    /// The minimum.
    pub min: SignedDuration,
    /// The maximum while the feed is healthy.
    pub max: SignedDuration,
    /// EWMA: grows by this factor when there is nothing new.
    pub up: f64,
    /// EWMA: shrinks by this factor when there is something new.
    pub down: f64,
    /// EWMA: the weight of the latest gap between entries.
    pub alpha: f64,
    /// EWMA: the weight of the smoothed gap against the current interval.
    pub lambda: f64,
    /// The maximum part of the interval that is added or removed at random.
    pub jitter: f64,
}

/// The rule that chooses the interval.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Always the same.
    Fixed,
    /// The same, or as long as the response is fresh.
    Fresh,
    /// Grows and shrinks, blended with the smoothed gap between entries.
    Ewma,
    /// From the feed's own rhythm by the square-root law.
    Adaptive,
}

/// What follows a failure.
#[derive(Debug, Clone, PartialEq)]
pub struct FailureRule {
    /// The delay.
    pub delay: Delay,
    /// The maximum delay.
    pub cap: SignedDuration,
    /// This many in a row disable the feed.
    pub disable_after: Option<u32>,
    /// A disabled feed is tried again after this time.
    pub revive_after: Option<SignedDuration>,
}

/// How long to wait after the n-th failure in a row.
#[derive(Debug, Clone, PartialEq)]
pub enum Delay {
    /// For ever: a user has to act.
    OneStrike,
    /// `unit x base^n`.
    Exponential {
        /// The base.
        base: f64,
        /// The factor.
        unit: Unit,
    },
    /// The n-th step; after the last one, the last.
    Ladder(Vec<SignedDuration>),
    /// The same as without a failure.
    KeepInterval,
}

/// The factor of an exponential delay.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// The feed's interval, but at least this.
    Interval {
        /// Feeds that are visited every few minutes are visited less often while they fail.
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
    /// How long to wait if the response names no time.
    pub delay: Delay,
}

/// Whether something counts as a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counts {
    /// It does.
    Failure,
    /// It only pauses the feed.
    Pause,
}

/// What 410 means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gone {
    /// Twice, a day apart, retires the feed.
    Retire,
    /// A failure like others.
    Count,
}

/// Failures in a sliding window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ErrorBudget {
    /// This many failures
    pub failures: u32,
    /// among this many visits (at most 50)
    pub of: u32,
    /// stop visits for this long.
    pub open_for: SignedDuration,
}

/// What makes two entries the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dedup {
    /// The keys that identify entries: a set, sorted in order of precedence.
    pub chain: Vec<KeyKind>,
    /// What a known link with another id means.
    pub same_link: SameLink,
    /// What makes ids untrustworthy.
    pub collisions: Collisions,
    /// Ids that look like timestamps count as one collision at the first visit.
    pub suspect_ids: bool,
    /// The uid of an entry without a trusted id.
    pub uid: Uid,
}

/// What a known link with another id means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SameLink {
    /// The same entry.
    Always,
    /// The same entry if no other entry of the feed had the link, it is not the site's front page, and words, date or
    /// title agree.
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

/// The id of an entry for other programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Uid {
    /// The publisher's id if it can be trusted, else a hash.
    Native,
    /// SHA-256 of the link.
    LinkHash,
}

/// What happens to an entry whose content changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnChange {
    /// It is updated; the old content is kept as a revision.
    Update,
    /// It keeps its first content.
    Ignore,
}

/// The sort key of entries with a future date.
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

/// What is deleted, and when. `None` means never.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Retention {
    /// After all subscribers have read it.
    pub read_for: Option<SignedDuration>,
    /// While a subscriber has not read it.
    pub unread_for: Option<SignedDuration>,
    /// Read or not.
    pub any_for: Option<SignedDuration>,
    /// Where the ages of `unread_for` and `any_for` begin.
    pub from: From,
    /// Entries of one feed beyond this, oldest first.
    pub per_feed: Option<u32>,
    /// Which of them.
    pub per_feed_takes: Takes,
    /// Full text of articles is cleared this long after all subscribers have read them.
    pub full_text_for: Option<SignedDuration>,
    /// Raw fetches kept per feed, whatever else is deleted.
    pub raw_samples: Option<u32>,
}

/// What the program says about entries, and how.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ai {
    /// The switch of the whole instance; no rule of a feed overrides it.
    pub enabled: bool,
    /// What is made.
    pub kinds: Kinds,
    /// The language of summaries; `None` is that of the article.
    pub language: Option<String>,
    /// The name of the prompts to use instead of ours.
    pub prompt: Option<String>,
}

impl Ai {
    /// These kinds, in the language of the article, with our prompts.
    pub fn of(kinds: Kinds) -> Self {
        Self { enabled: true, kinds, language: None, prompt: None }
    }

    /// What is made: nothing, where the instance has switched it off.
    pub fn wanted(&self) -> Kinds {
        if self.enabled { self.kinds } else { Kinds::NONE }
    }
}

/// Where an age begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum From {
    /// When we saw it.
    FirstSeen,
    /// When it was published; when we saw it, if that is missing or in the future.
    Published,
}

/// Which entries a limit per feed deletes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Takes {
    /// Only those that all subscribers have read.
    Read,
    /// Any.
    Any,
}
