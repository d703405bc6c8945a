//! A feed: one upstream URL, visited once for everybody.
//!
//! What a person sees of it lives here; when it is visited next and how it behaved lives in `schedule` and `visit`.

use crate::{FeedId, UserId};
use jiff::Timestamp;
use uuid::Uuid;

/// One upstream URL and what is known of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Feed {
    /// Our key.
    pub id: FeedId,
    /// The name other programs know it by.
    pub uuid: Uuid,
    /// Where it is visited.
    pub url: String,
    /// Whose it is, if it is private (credentials or a secret URL); such a feed is never shared.
    pub owner: Option<UserId>,
    /// The dialect it spoke last.
    pub kind: FeedKind,
    /// Its own title.
    pub title: Option<String>,
    /// The site it belongs to.
    pub site_url: Option<String>,
    /// What it says about itself.
    pub description: Option<String>,
    /// Its language tag.
    pub language: Option<String>,
    /// Groups the feeds of one site; from the URL unless an operator says otherwise.
    pub root_domain: Option<String>,
    /// Which entries' links are accepted.
    pub domain_rule: DomainRule,
    /// Whether a successful visit is followed by another.
    pub polling: bool,
    /// Whether it is visited at all, and if not, why.
    pub state: FeedState,
    /// Since when it is in this state.
    pub state_since: Timestamp,
    /// How far its guids can be trusted.
    pub guids: GuidTrust,
    /// Several entries may share one link.
    pub allow_duplicate_urls: bool,
    /// When it was added.
    pub created_at: Timestamp,
    /// When its row last changed.
    pub updated_at: Timestamp,
}

/// Why a feed is or is not visited: one state instead of six flags.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FeedState {
    /// Visited when due.
    Active,
    /// An operator paused it.
    Paused,
    /// Too many failures in a row; says which.
    Disabled {
        /// Shown to whoever may enable it again.
        reason: String,
    },
    /// A user submitted it and nobody has looked yet.
    AwaitingModeration,
    /// A moderator said no.
    Rejected {
        /// Shown to whoever submitted it.
        reason: String,
    },
    /// The publisher said 410, twice, a day apart.
    Gone,
    /// Soft-deleted: kept so that adding it again finds its history.
    Deleted,
}

impl FeedState {
    /// Whether workers may claim it when it is due. A disabled feed is due only where the rules ask for a probe.
    pub fn is_runnable(&self) -> bool {
        matches!(self, Self::Active | Self::Disabled { .. })
    }

    /// The reason that goes with the state, where it has one.
    pub fn reason(&self) -> Option<&str> {
        match self {
            Self::Disabled { reason } | Self::Rejected { reason } => Some(reason),
            _ => None,
        }
    }
}

/// The dialect a feed speaks, as far as its readers care.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum FeedKind {
    /// Not visited yet, or never understood.
    #[default]
    Unknown,
    /// RSS 0.9x and 2.0.
    Rss,
    /// RSS 1.x.
    Rdf,
    /// Atom.
    Atom,
    /// JSON Feed.
    Json,
    /// Channel Definition Format.
    Cdf,
}

/// Which links a feed's entries may have.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum DomainRule {
    /// Any: feeds of link collections have nothing else.
    #[default]
    Any,
    /// The same registrable domain, or the feed's root domain.
    Registrable,
    /// The very host of the feed.
    Exact,
}

/// How far a feed's guids can be trusted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct GuidTrust {
    /// How often one guid stood for two links.
    pub collisions: u32,
    /// Past that, guids are ignored.
    pub unreliable: bool,
}
