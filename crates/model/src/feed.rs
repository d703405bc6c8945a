//! A feed: one upstream URL, visited once for all its subscribers.
//!
//! The public facts about a feed live here; its schedule and its history live in `schedule` and `visit`.

use crate::{FeedId, UserId};
use jiff::Timestamp;
use uuid::Uuid;

/// One upstream URL and what is known of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Feed {
    /// Primary key.
    pub id: FeedId,
    /// Its id for other programs.
    pub uuid: Uuid,
    /// The URL that is visited.
    pub url: String,
    /// Its owner, if it is private (credentials or a secret URL). A private feed is never shared.
    pub owner: Option<UserId>,
    /// The dialect of its last document.
    pub kind: FeedKind,
    /// Its own title.
    pub title: Option<String>,
    /// The site it belongs to.
    pub site_url: Option<String>,
    /// What it says about itself.
    pub description: Option<String>,
    /// Its language tag.
    pub language: Option<String>,
    /// Groups the feeds of one site; derived from the URL unless an operator overrides it.
    pub root_domain: Option<String>,
    /// Which entries' links are accepted.
    pub domain_rule: DomainRule,
    /// Whether another visit follows a successful one.
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

/// Whether a feed is visited, and why not: one state instead of six flags.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FeedState {
    /// Visited when due.
    Active,
    /// An operator paused it.
    Paused,
    /// Too many failures in a row.
    Disabled {
        /// The failure, shown to users who may enable it again.
        reason: String,
    },
    /// A user submitted it and no moderator has decided yet.
    AwaitingModeration,
    /// A moderator rejected it.
    Rejected {
        /// Shown to the user who submitted it.
        reason: String,
    },
    /// The publisher answered 410 twice, a day apart.
    Gone,
    /// Soft-deleted: kept so that adding it again restores its history.
    Deleted,
}

impl FeedState {
    /// Whether workers may claim it when it is due. A disabled feed is due only if the rules ask for a probe.
    pub fn is_runnable(&self) -> bool {
        matches!(self, Self::Active | Self::Disabled { .. })
    }

    /// The reason of the state, if it has one.
    pub fn reason(&self) -> Option<&str> {
        match self {
            Self::Disabled { reason } | Self::Rejected { reason } => Some(reason),
            _ => None,
        }
    }
}

/// The dialect of a feed, as far as its readers care.
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

/// Who brought a feed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Origin {
    /// An operator or a program: it is visited whether or not somebody reads it.
    #[default]
    Operator,
    /// Somebody who reads it: it is deleted when its last subscriber leaves.
    Reader,
}

/// Which links a feed's entries may have.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum DomainRule {
    /// Any link: link blogs have only foreign links.
    #[default]
    Any,
    /// The same registrable domain, or the feed's root domain.
    Registrable,
    /// Exactly the host of the feed.
    Exact,
}

/// How far a feed's guids can be trusted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct GuidTrust {
    /// How often one guid was used for two links.
    pub collisions: u32,
    /// Guids are ignored because there were too many collisions.
    pub unreliable: bool,
}
