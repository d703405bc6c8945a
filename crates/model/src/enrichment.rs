//! Enrichments: what the program says about an entry besides what its publisher said. A summary, tags, a deframing.
//!
//! A *result* is what was made of one text, by whom; several entries with the same text share it. An *enrichment* is what
//! one entry shows of one kind, or why it shows nothing. `docs/notes/enrichment.md` has the path of one.

use crate::entry::Hash;
use crate::money::Money;
use crate::words::words;
use crate::{EntryId, FeedId};
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What is made of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// A summary and one line.
    Summary,
    /// Topics, a category, a sentiment.
    Tags,
    /// A calm title and description, and scores of the original.
    Deframe,
}

impl Kind {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Summary, Self::Tags, Self::Deframe];

    words! {
        /// Its name.
        as_str, WORDS:
        Self::Summary => "summary",
        Self::Tags => "tags",
        Self::Deframe => "deframe",
    }

    /// The kind of that name.
    pub fn named(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == word)
    }
}

/// A set of kinds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Kinds(u8);

impl Kinds {
    /// None.
    pub const NONE: Self = Self(0);
    /// All.
    pub const ALL: Self = Self(7);

    /// A set of these.
    pub fn of(kinds: &[Kind]) -> Self {
        Self(kinds.iter().fold(0, |set, kind| set | Self::bit(*kind)))
    }

    fn bit(kind: Kind) -> u8 {
        1 << kind as u8
    }

    /// Whether a kind is in it.
    pub fn contains(self, kind: Kind) -> bool {
        self.0 & Self::bit(kind) != 0
    }

    /// Whether it has none.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Those that are in both.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// What is in it.
    pub fn iter(self) -> impl Iterator<Item = Kind> {
        Kind::ALL.into_iter().filter(move |kind| self.contains(*kind))
    }
}

/// Whether entries of a subscription are enriched. Without one, they are, by what the instance has; those of a private feed
/// by the local toolkit alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Switch {
    /// Not at all.
    Off,
    /// By the local toolkit alone.
    Local,
    /// By a model, too: the owner of a private feed allows that it is sent there.
    Model,
}

impl Switch {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Off, Self::Local, Self::Model];

    words! {
        /// The word a user writes.
        as_str, WORDS:
        Self::Off => "off",
        Self::Local => "local",
        Self::Model => "model",
    }

    /// The switch of that name.
    pub fn named(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|switch| switch.as_str() == word)
    }
}

/// For whom a result is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Scope {
    /// For every entry with the text.
    Everybody,
    /// For the entries of one feed.
    Feed(FeedId),
}

/// What a result was made from, and how: equal sources need not be asked twice.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Source {
    /// What is made.
    pub kind: Kind,
    /// The hash of what it was made from: the text, and for a deframing the title as well.
    pub text: Hash,
    /// The language that was asked for; empty for that of the text.
    pub language: String,
    /// `local`, `openai`, `mock`.
    pub provider: String,
    /// The model.
    pub model: String,
    /// The version of the prompt, or of the toolkit.
    pub prompt: String,
    /// For whom.
    pub scope: Scope,
}

/// What was made of a text.
#[derive(Debug, Clone, PartialEq)]
pub struct Made {
    /// A hash of its source.
    pub key: Hash,
    /// From what, and how.
    pub source: Source,
    /// What it says.
    pub body: Body,
    /// When it was made.
    pub at: Timestamp,
    /// How long that took.
    pub took: SignedDuration,
}

/// What a result says.
#[derive(Debug, Clone, PartialEq)]
pub enum Body {
    /// A summary.
    Summary(Summary),
    /// Tags.
    Tags(Tags),
    /// A deframing.
    Deframing(Deframing),
    /// Nothing, and nobody should try again: why.
    Failed(String),
}

/// A summary of a text.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// A few sentences, plain text.
    pub summary: String,
    /// One line of at most 160 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub one_line: Option<String>,
    /// What it is written in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
}

/// What a text is about.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Tags {
    /// Key phrases.
    #[serde(default)]
    pub topics: Vec<String>,
    /// One of 16 categories.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub category: Option<String>,
    /// How sure that is, 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence: Option<f64>,
    /// `positive`, `negative`, `neutral` or `mixed`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sentiment: Option<String>,
    /// From -1 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sentiment_score: Option<f64>,
}

/// What a title does to its reader, and what it would be without that.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Deframing {
    /// A calm title, if it is another one than the original.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// A calm description.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Why a rewrite was not taken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refused: Option<String>,
    /// Six scores from 0 to 1, by name; empty where the language is not scored.
    #[serde(default)]
    pub scores: BTreeMap<String, f64>,
    /// A reason in words for each.
    #[serde(default)]
    pub reasons: BTreeMap<String, String>,
    /// One of 16 categories.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub category: Option<String>,
    /// The sentence of the article that answers a baiting title, verbatim.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<Answer>,
}

/// A sentence that answers a title.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// The sentence, as it stands in the article.
    pub text: String,
    /// How probably it is the right one.
    pub confidence: f64,
}

impl Deframing {
    /// How loud the original is in all.
    pub fn overall(&self) -> Option<f64> {
        self.scores.get("overall").copied()
    }
}

impl Body {
    /// What lists show of it: the line of a summary, the calm title of a deframing.
    pub fn line(&self) -> Option<&str> {
        match self {
            Self::Summary(summary) => summary.one_line.as_deref(),
            Self::Deframing(deframing) => deframing.title.as_deref(),
            Self::Tags(_) | Self::Failed(_) => None,
        }
    }

    /// What lists show of it: how loud the title is, in thousandths.
    pub fn score(&self) -> Option<i64> {
        match self {
            Self::Deframing(deframing) => {
                deframing.overall().map(|score| (score.clamp(0.0, 1.0) * 1000.0).round() as i64)
            }
            Self::Summary(_) | Self::Tags(_) | Self::Failed(_) => None,
        }
    }
}

/// Why an entry shows no result of a kind. The words are stored, and are part of the API.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Why {
    /// Switched off.
    Off,
    /// The text is too short to be worth it.
    TooShort,
    /// There is no title.
    NoTitle,
    /// It is waited for.
    Waiting,
    /// The budget is used up.
    Budget,
    /// The model's server failed, or its answers could not be used.
    Provider,
    /// An operator switched it off.
    Admin,
    /// The feed is private, and its owner has not allowed the model.
    Private,
}

impl Why {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::Off,
        Self::TooShort,
        Self::NoTitle,
        Self::Waiting,
        Self::Budget,
        Self::Provider,
        Self::Admin,
        Self::Private,
    ];

    words! {
        /// The word that is stored and sent.
        as_str, WORDS:
        Self::Off => "off",
        Self::TooShort => "too_short",
        Self::NoTitle => "no_title",
        Self::Waiting => "waiting",
        Self::Budget => "budget",
        Self::Provider => "provider",
        Self::Admin => "admin",
        Self::Private => "private",
    }

    /// The reason with that word.
    pub fn named(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|why| why.as_str() == word)
    }
}

/// What an entry shows of one kind.
#[derive(Debug, Clone, PartialEq)]
pub struct Enrichment {
    /// Of which kind.
    pub kind: Kind,
    /// What it shows.
    pub made: Option<Made>,
    /// Why it shows nothing, or nothing better.
    pub why: Option<Why>,
    /// The same in words.
    pub detail: Option<String>,
    /// When that was decided.
    pub at: Timestamp,
}

/// What lists show of an entry.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Headline {
    /// The calm title, where there is one.
    pub calm_title: Option<String>,
    /// How loud the original is, 0 to 1.
    pub score: Option<f64>,
    /// One line.
    pub one_line: Option<String>,
}

/// The breaker: whether a provider is asked at all.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Breaker {
    /// It is.
    #[default]
    Closed,
    /// It failed too often: not before a while has passed.
    Open,
    /// It is being tried.
    HalfOpen,
}

impl Breaker {
    words! {
        /// The word that is stored and shown.
        as_str, WORDS:
        Self::Closed => "closed",
        Self::Open => "open",
        Self::HalfOpen => "half",
    }
}

/// What all processes know of a provider.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProviderState {
    /// Moves with every change: a change of an older one is refused.
    pub version: i64,
    /// Whether it is asked.
    pub breaker: Breaker,
    /// Failures in a row.
    pub failures: u32,
    /// Good answers in a row while it is being tried.
    pub half_successes: u32,
    /// When the breaker opened.
    pub opened_at: Option<Timestamp>,
    /// When it was asked last.
    pub last_call_at: Option<Timestamp>,
    /// When it answered well last.
    pub last_success_at: Option<Timestamp>,
    /// When it failed last.
    pub last_failure_at: Option<Timestamp>,
    /// It asked not to be asked before.
    pub rate_limited_until: Option<Timestamp>,
}

/// Ceilings in money. `None` is no ceiling of its own.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Ceilings {
    /// In a month.
    pub month: Option<Money>,
    /// In a day.
    pub day: Option<Money>,
    /// For summaries in a month.
    pub summary: Option<Money>,
    /// For tags in a month.
    pub tags: Option<Money>,
    /// For deframings in a month.
    pub deframe: Option<Money>,
}

impl Ceilings {
    /// That of a kind.
    pub fn of(&self, kind: Kind) -> Option<Money> {
        match kind {
            Kind::Summary => self.summary,
            Kind::Tags => self.tags,
            Kind::Deframe => self.deframe,
        }
    }

    /// These, and where one is missing that of others.
    #[must_use]
    pub fn or(&self, others: &Self) -> Self {
        Self {
            month: self.month.or(others.month),
            day: self.day.or(others.day),
            summary: self.summary.or(others.summary),
            tags: self.tags.or(others.tags),
            deframe: self.deframe.or(others.deframe),
        }
    }
}

/// What was spent, reservations included.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Spent {
    /// In the month.
    pub month: Money,
    /// On the day.
    pub day: Money,
    /// For summaries in the month.
    pub summary: Money,
    /// For tags in the month.
    pub tags: Money,
    /// For deframings in the month.
    pub deframe: Money,
}

impl Spent {
    /// For a kind in the month.
    pub fn of(&self, kind: Kind) -> Money {
        match kind {
            Kind::Summary => self.summary,
            Kind::Tags => self.tags,
            Kind::Deframe => self.deframe,
        }
    }
}

/// How an attempt ended, in one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AttemptEnd {
    /// A result was made.
    Ok,
    /// No connection, too slow, or a failure of the server.
    Temporary,
    /// The server asked to wait.
    RateLimited,
    /// The server refuses the request.
    Permanent,
    /// The answer could not be used.
    BadAnswer,
    /// The answer says what its source does not.
    Unfaithful,
    /// Nobody knows: the process ended in between.
    Lost,
    /// It was not made after all.
    NotMade,
}

impl AttemptEnd {
    words! {
        /// The word that is stored and shown.
        as_str, WORDS:
        Self::Ok => "ok",
        Self::Temporary => "temporary",
        Self::RateLimited => "rate_limited",
        Self::Permanent => "permanent",
        Self::BadAnswer => "bad_answer",
        Self::Unfaithful => "unfaithful",
        Self::Lost => "lost",
        Self::NotMade => "not_made",
    }
}

/// Money set aside for one attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reservation {
    /// The row of the ledger.
    pub id: i64,
    /// How much.
    pub amount: Money,
}

/// An entry and a kind, as the subject of a job: `12/summary`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Wish {
    /// The entry.
    pub entry: EntryId,
    /// What is to be made.
    pub kind: Kind,
}

impl Wish {
    /// From the subject of a job.
    pub fn read(subject: &str) -> Option<Self> {
        let (entry, kind) = subject.split_once('/')?;
        Some(Self { entry: EntryId(entry.parse().ok()?), kind: Kind::named(kind)? })
    }
}

impl std::fmt::Display for Wish {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}", self.entry.0, self.kind.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wish_is_its_subject() {
        let wish = Wish { entry: EntryId(12), kind: Kind::Tags };
        assert_eq!(wish.to_string(), "12/tags");
        assert_eq!(Wish::read("12/tags"), Some(wish));
        for bad in ["", "12", "12/", "x/tags", "12/other", "12/tags/"] {
            assert_eq!(Wish::read(bad), None, "{bad}");
        }
    }

    #[test]
    fn sets_of_kinds() {
        let set = Kinds::of(&[Kind::Deframe, Kind::Summary]);
        assert_eq!(set.iter().collect::<Vec<_>>(), [Kind::Summary, Kind::Deframe]);
        assert_eq!(set.and(Kinds::of(&[Kind::Tags])), Kinds::NONE);
        assert!(Kinds::NONE.is_empty() && !set.is_empty() && Kinds::ALL.iter().count() == 3);
    }
}
