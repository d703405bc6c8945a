//! Events: what happened, for consumers. Written to the outbox in the commit that made them true.
//!
//! Every service writes to the same log: an event has a kind, what it is about, and a payload in JSON whose shape belongs
//! to its kind and has a version. A reader meets kinds and versions that it does not know; it skips them.
//! The wire format belongs to `bus`.

use crate::{EntryId, EventId, FeedId, UserId};
use jiff::Timestamp;
use serde_json::Value;

/// One event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// In commit order.
    pub id: EventId,
    /// When it happened.
    pub at: Timestamp,
    /// What happened.
    pub kind: EventKind,
    /// What it is about.
    pub subject: Subject,
    /// What is said besides.
    pub payload: Payload,
}

impl Event {
    /// What its kind says, where that is one text ([`EventKind::field`]).
    pub fn said(&self) -> Option<&str> {
        self.payload.text(self.kind.field()?)
    }
}

/// An event that is to be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewEvent {
    /// What happened.
    pub kind: EventKind,
    /// What it is about.
    pub subject: Subject,
    /// What is said besides.
    pub payload: Payload,
}

/// What an event is about.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Subject {
    /// Nothing in particular.
    None,
    /// A feed.
    Feed(FeedId),
    /// An entry and its feed.
    Entry(FeedId, EntryId),
    /// A user.
    User(UserId),
    /// A site, by its domain.
    Site(String),
}

impl Subject {
    /// The feed, also that of an entry.
    pub fn feed(&self) -> Option<FeedId> {
        match self {
            Self::Feed(feed) | Self::Entry(feed, _) => Some(*feed),
            Self::None | Self::User(_) | Self::Site(_) => None,
        }
    }

    /// The entry.
    pub fn entry(&self) -> Option<EntryId> {
        match self {
            Self::Entry(_, entry) => Some(*entry),
            Self::None | Self::Feed(_) | Self::User(_) | Self::Site(_) => None,
        }
    }
}

/// The kinds of events. Each says what is in its payload.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum EventKind {
    /// A feed was added: `{"url": …}`.
    FeedAdded,
    /// An entry was seen for the first time. No payload.
    EntryNew,
    /// An entry changed. No payload.
    EntryChanged,
    /// An entry has a new summary, new tags or a new calm title: `{"kinds": [...]}`, words of `enrichment::Kind`.
    EntryEnriched,
    /// An entry was purged: `{"reason": …}`, a word of `retention::Why`.
    EntryGone,
    /// A feed failed, recovered or was disabled: `{"message": …}`.
    FeedHealth,
    /// A feed has a new URL: `{"url": …}`.
    FeedMoved,
    /// A feed was deleted with all its entries. No event is written for each entry. If the feed is added again, its
    /// entries come back with it. No payload.
    FeedDeleted,
    /// One that this version does not know, by its name.
    Other(String),
}

impl EventKind {
    const KNOWN: [Self; 8] = [
        Self::FeedAdded,
        Self::EntryNew,
        Self::EntryChanged,
        Self::EntryEnriched,
        Self::EntryGone,
        Self::FeedHealth,
        Self::FeedMoved,
        Self::FeedDeleted,
    ];

    /// The name that is stored and sent, for ever: `noun.what_happened`.
    pub fn as_str(&self) -> &str {
        match self {
            Self::FeedAdded => "feed.added",
            Self::EntryNew => "entry.new",
            Self::EntryChanged => "entry.changed",
            Self::EntryEnriched => "entry.enriched",
            Self::EntryGone => "entry.gone",
            Self::FeedHealth => "feed.health",
            Self::FeedMoved => "feed.moved",
            Self::FeedDeleted => "feed.deleted",
            Self::Other(name) => name,
        }
    }

    /// The kind with a name; every name has one.
    pub fn named(name: &str) -> Self {
        Self::KNOWN.into_iter().find(|kind| kind.as_str() == name).unwrap_or_else(|| Self::Other(name.to_owned()))
    }

    /// The field of the payload in which this kind says the one thing that it says, if it does.
    pub fn field(&self) -> Option<&'static str> {
        match self {
            Self::FeedAdded | Self::FeedMoved => Some("url"),
            Self::EntryGone => Some("reason"),
            Self::FeedHealth => Some("message"),
            Self::EntryNew | Self::EntryChanged | Self::EntryEnriched | Self::FeedDeleted | Self::Other(_) => None,
        }
    }
}

/// What an event says besides: JSON, in the shape of its kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Payload {
    /// The version of the shape. It moves when a field changes its meaning or goes; new fields do not move it.
    pub version: u32,
    /// An object, or null for nothing.
    pub json: Value,
}

impl Payload {
    /// A payload is not longer than this, as JSON.
    pub const LONGEST_BYTES: usize = 64 * 1024;
    /// A text that comes from outside is cut to this many bytes, so that it fits however much of it is escaped.
    pub const LONGEST_TEXT_BYTES: usize = 8 * 1024;

    /// Nothing besides.
    pub fn none() -> Self {
        Self { version: 1, json: Value::Null }
    }

    /// The one field of a kind that has one ([`EventKind::field`]); a text that is too long is cut.
    pub fn of(kind: &EventKind, text: &str) -> Self {
        let Some(field) = kind.field() else { return Self::none() };
        let text = &text[..text.floor_char_boundary(Self::LONGEST_TEXT_BYTES)];
        Self { version: 1, json: Value::Object([(field.to_owned(), text.into())].into_iter().collect()) }
    }

    /// A field that is a text.
    pub fn text(&self, field: &str) -> Option<&str> {
        self.json.get(field)?.as_str()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_has_a_kind_and_the_known_ones_their_own() {
        for kind in EventKind::KNOWN {
            assert_eq!(EventKind::named(kind.as_str()), kind);
        }
        assert_eq!(EventKind::named("user.added"), EventKind::Other("user.added".into()));
    }

    #[test]
    fn a_text_that_is_too_long_is_cut_between_letters() {
        let long = Payload::of(&EventKind::FeedHealth, &"ü".repeat(Payload::LONGEST_BYTES));
        assert_eq!(long.text("message").map(str::len), Some(Payload::LONGEST_TEXT_BYTES));
        let odd = Payload::of(&EventKind::FeedHealth, &format!("a{}", "ü".repeat(Payload::LONGEST_BYTES)));
        assert_eq!(odd.text("message").map(str::len), Some(Payload::LONGEST_TEXT_BYTES - 1));
        assert_eq!(Payload::of(&EventKind::EntryNew, "nothing"), Payload::none());
        assert_eq!(Payload::of(&EventKind::FeedMoved, "https://a.example/").text("url"), Some("https://a.example/"));
    }
}
