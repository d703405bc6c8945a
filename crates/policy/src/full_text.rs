//! Full text: when the page of an entry is fetched. Pure; `engine` fetches and extracts.
//!
//! Invariant: after an attempt, whatever came of it, the same page is left alone for a day.

use jiff::{SignedDuration, Timestamp};
pub use model::full_text::FullText;
use std::fmt;

/// An entry with less content than this has only the beginning of the article.
pub const SHORT_CHARS: usize = 200;
/// The time between two attempts at the same page.
pub const REST: SignedDuration = SignedDuration::from_hours(24);

/// Whether to fetch the page of an entry.
pub fn wants_full_text(occasion: Occasion, switch: FullText, entry: &Known, now: Timestamp) -> Decision {
    let no = match (switch, occasion) {
        (FullText::Never, _) => Some(Because::SwitchedOff),
        _ if entry.has_full_text => Some(Because::Present),
        _ if !entry.has_link => Some(Because::NoLink),
        (FullText::Auto, Occasion::Arrived) => Some(Because::NotOpened),
        (FullText::Auto, Occasion::Opened) if entry.content_chars >= SHORT_CHARS => Some(Because::LongEnough),
        _ => None,
    };
    if let Some(because) = no {
        return Decision::No(because);
    }
    // An attempt in the future is a clock that was put back: it counts as one just now.
    let until = entry.last_attempt.map(|at| at.min(now).saturating_add(REST).unwrap_or(Timestamp::MAX));
    match until {
        Some(until) if until > now => Decision::Wait { until },
        _ => Decision::Fetch,
    }
}

/// What happened to the entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Occasion {
    /// A user opened it.
    Opened,
    /// A visit found it.
    Arrived,
}

/// What is known of the entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Known {
    /// The length of the feed's content, as plain text.
    pub content_chars: usize,
    /// Whether its page was fetched and read.
    pub has_full_text: bool,
    /// Whether there is a page.
    pub has_link: bool,
    /// When its page was last tried.
    pub last_attempt: Option<Timestamp>,
}

/// Whether to fetch the page of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    /// Now.
    Fetch,
    /// It was tried less than a day ago.
    Wait {
        /// When it may be tried again.
        until: Timestamp,
    },
    /// Not on this occasion.
    No(Because),
}

/// Why the page is not fetched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Because {
    /// Full text is off for this feed.
    SwitchedOff,
    /// There is a full text.
    Present,
    /// The entry has no link.
    NoLink,
    /// Nobody has opened it.
    NotOpened,
    /// The feed's own content suffices.
    LongEnough,
}

impl fmt::Display for Because {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::SwitchedOff => f.write_str("full text is off for this feed"),
            Self::Present => f.write_str("it has its full text"),
            Self::NoLink => f.write_str("it has no link"),
            Self::NotOpened => f.write_str("nobody has opened it"),
            Self::LongEnough => write!(f, "the feed has {SHORT_CHARS} characters or more of it"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{ago, now};

    #[test]
    fn pages_are_fetched_when_they_are_wanted() {
        use FullText::{Always, Auto, Never};
        use Occasion::{Arrived, Opened};
        let short = Known { content_chars: 199, has_full_text: false, has_link: true, last_attempt: None };
        let check = |case: &str, occasion, switch, entry: Known, expected: &str| {
            let said = match wants_full_text(occasion, switch, &entry, now()) {
                Decision::Fetch => "fetch".to_owned(),
                Decision::Wait { until } => format!("wait {} min", until.duration_since(now()).as_mins()),
                Decision::No(because) => because.to_string(),
            };
            assert_eq!(said, expected, "{case}");
        };
        let long = Known { content_chars: 200, ..short };
        check("short, opened", Opened, Auto, short, "fetch");
        check("long, opened", Opened, Auto, long, "the feed has 200 characters or more of it");
        check("empty, opened", Opened, Auto, Known { content_chars: 0, ..short }, "fetch");
        check("short, arrived", Arrived, Auto, short, "nobody has opened it");
        check("always, long, arrived", Arrived, Always, long, "fetch");
        check("always, long, opened", Opened, Always, long, "fetch");
        check("never, arrived", Arrived, Never, short, "full text is off for this feed");
        check("never, opened", Opened, Never, short, "full text is off for this feed");

        let full = Known { has_full_text: true, ..short };
        check("there is one", Opened, Auto, full, "it has its full text");
        check("there is one, always", Arrived, Always, full, "it has its full text");
        let unlinked = Known { has_link: false, ..short };
        check("no page", Opened, Auto, unlinked, "it has no link");
        check("no page, always", Arrived, Always, unlinked, "it has no link");

        let tried = |hours| Known { last_attempt: Some(ago(hours)), ..short };
        check("tried an hour ago", Opened, Auto, tried(1), "wait 1380 min");
        check("tried an hour ago, always", Opened, Always, tried(1), "wait 1380 min");
        check("tried an hour ago, always, arrived again", Arrived, Always, tried(1), "wait 1380 min");
        check("tried a day ago", Opened, Auto, tried(24), "fetch");
        check("tried two days ago", Opened, Always, tried(48), "fetch");
        check("tried by a clock that ran ahead", Opened, Auto, tried(-500), "wait 1440 min");
        let long_tried = Known { content_chars: 200, ..tried(1) };
        check("tried, but not wanted", Opened, Auto, long_tried, "the feed has 200 characters or more of it");
    }
}
