//! Whether a feed may be switched on or off, and what stands against it. Pure; `engine`'s verbs `enable_feed` and
//! `disable_feed` look and write around it.
//!
//! Invariant: what a moderator rejected, and what awaits a moderator, is neither opened nor forgotten by a switch.

use jiff::Timestamp;
use model::feed::{Feed, FeedState};
use std::fmt;

/// Whether a feed may be switched on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Enabling {
    /// Yes.
    Allowed(FirstVisit),
    /// It is on.
    Already,
    /// No.
    Refused(Closed),
}

/// When a feed that was switched on is visited first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FirstVisit {
    /// When its schedule says, which it kept.
    AsScheduled,
    /// At once.
    Now,
}

/// Whether a feed may be switched off.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Disabling {
    /// Yes.
    Allowed,
    /// It is off.
    Already,
    /// It is not visited for another reason, which must stay known.
    NotVisited(Closed),
}

/// Why a switch does not open a feed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Closed {
    /// No moderator has decided yet.
    AwaitingModeration,
    /// A moderator rejected it.
    Rejected {
        /// In the moderator's words; may be empty.
        reason: String,
    },
    /// It was deleted.
    Deleted,
}

/// Whether a feed may be switched on. One that was switched off keeps its schedule; one that was given up, or whose
/// schedule ended although it is to be visited again and again, is visited at once.
pub fn enabling(feed: &Feed, due_at: Option<Timestamp>) -> Enabling {
    match &feed.state {
        FeedState::Active => Enabling::Already,
        FeedState::Disabled { .. } | FeedState::Gone => Enabling::Allowed(FirstVisit::Now),
        // It was given up before it was switched off.
        FeedState::Paused if feed.polling && due_at.is_none() => Enabling::Allowed(FirstVisit::Now),
        FeedState::Paused => Enabling::Allowed(FirstVisit::AsScheduled),
        FeedState::AwaitingModeration => Enabling::Refused(Closed::AwaitingModeration),
        FeedState::Rejected { reason } => Enabling::Refused(Closed::Rejected { reason: reason.clone() }),
        FeedState::Deleted => Enabling::Refused(Closed::Deleted),
    }
}

/// Whether a feed may be switched off.
pub fn disabling(state: &FeedState) -> Disabling {
    match state {
        FeedState::Active | FeedState::Disabled { .. } | FeedState::Gone => Disabling::Allowed,
        FeedState::Paused => Disabling::Already,
        FeedState::AwaitingModeration => Disabling::NotVisited(Closed::AwaitingModeration),
        FeedState::Rejected { reason } => Disabling::NotVisited(Closed::Rejected { reason: reason.clone() }),
        FeedState::Deleted => Disabling::NotVisited(Closed::Deleted),
    }
}

impl Closed {
    /// What would open it.
    pub fn what_to_do(&self) -> &'static str {
        match self {
            Self::AwaitingModeration => "a moderator must approve it first",
            Self::Rejected { .. } => "only a moderator can approve it now",
            Self::Deleted => "adding it again brings it back",
        }
    }
}

impl fmt::Display for Closed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AwaitingModeration => f.write_str("it awaits moderation"),
            Self::Rejected { reason } if reason.is_empty() => f.write_str("a moderator rejected it"),
            Self::Rejected { reason } => write!(f, "a moderator rejected it ({reason})"),
            Self::Deleted => f.write_str("it was deleted"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::FeedId;
    use model::feed::{DomainRule, FeedKind, GuidTrust};
    use uuid::Uuid;

    const NOW: Timestamp = Timestamp::UNIX_EPOCH;

    fn feed(state: FeedState, polling: bool) -> Feed {
        Feed {
            id: FeedId(1),
            uuid: Uuid::nil(),
            url: "https://one.example/".into(),
            owner: None,
            kind: FeedKind::default(),
            title: None,
            site_url: None,
            description: None,
            language: None,
            root_domain: None,
            domain_rule: DomainRule::default(),
            polling,
            state,
            state_since: NOW,
            guids: GuidTrust::default(),
            allow_duplicate_urls: false,
            created_at: NOW,
            updated_at: NOW,
        }
    }

    #[test]
    fn switches_leave_the_moderator_s_word_alone() {
        let check = |state: FeedState, on: &str, off: &str| {
            let said = match enabling(&feed(state.clone(), true), Some(NOW)) {
                Enabling::Refused(closed) => format!("no: {closed}; {}", closed.what_to_do()),
                other => format!("{other:?}"),
            };
            assert_eq!(said, on, "{state:?}");
            assert_eq!(format!("{:?}", disabling(&state)), off, "{state:?}");
        };
        let spam = || "spam".to_owned();
        check(FeedState::Active, "Already", "Allowed");
        check(FeedState::Paused, "Allowed(AsScheduled)", "Already");
        check(FeedState::Disabled { reason: spam() }, "Allowed(Now)", "Allowed");
        check(FeedState::Gone, "Allowed(Now)", "Allowed");
        let first = "no: it awaits moderation; a moderator must approve it first";
        check(FeedState::AwaitingModeration, first, "NotVisited(AwaitingModeration)");
        let never = "no: a moderator rejected it (spam); only a moderator can approve it now";
        check(FeedState::Rejected { reason: spam() }, never, "NotVisited(Rejected { reason: \"spam\" })");
        check(FeedState::Deleted, "no: it was deleted; adding it again brings it back", "NotVisited(Deleted)");
    }

    /// Switched off after it was given up, it would never be visited again.
    #[test]
    fn what_has_no_schedule_any_more_is_visited_at_once() {
        let check = |polling, due_at, expected| {
            assert_eq!(enabling(&feed(FeedState::Paused, polling), due_at), Enabling::Allowed(expected));
        };
        check(true, None, FirstVisit::Now);
        check(true, Some(NOW), FirstVisit::AsScheduled);
        check(false, None, FirstVisit::AsScheduled);
    }
}
