//! Which enrichments of a text are wanted, and how urgently.

use model::enrichment::{Kind, Kinds, Switch, Why};
use model::job::Priority;
use model::plan::Enrich;

/// A shorter text is its own summary.
pub const SHORT_CHARS: usize = 280;

/// Feeds with at least this many subscribers, or entries opened of late, come before others.
const BUSY_SUBSCRIBERS: u32 = 5;
const BUSY_OPENS: u32 = 20;

/// What there is to work with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Text {
    /// The length of the text, as plain text.
    pub chars: usize,
    /// Whether there is a title.
    pub has_title: bool,
}

/// Who would see it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Audience {
    /// The feed has an owner, and nobody else sees it.
    pub private: bool,
    /// Subscribers who have not switched AI off; for a feed that nobody subscribes to, its operator counts.
    pub takers: u32,
    /// What the owner of a private feed chose.
    pub owner: Option<Switch>,
}

/// What is wanted of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    /// A result, by the local toolkit, and by a model if there is one and it is allowed.
    Yes {
        /// Whether a model may see the text.
        model: bool,
    },
    /// Nothing, and why.
    No(Why),
}

/// Whether a refresh asks for the job: it brought something to read, and the feed's rules want enrichments.
pub fn asks_for(kinds: Kinds, new_or_changed: usize) -> Enrich {
    if kinds.is_empty() || new_or_changed == 0 { Enrich::No } else { Enrich::Wanted }
}

/// Whether a kind of enrichment is wanted of a text.
pub fn wanted(kind: Kind, kinds: Kinds, text: Text, audience: Audience) -> Wanted {
    if !kinds.contains(kind) || audience.takers == 0 {
        return Wanted::No(Why::Off);
    }
    match kind {
        Kind::Summary if text.chars < SHORT_CHARS => Wanted::No(Why::TooShort),
        Kind::Deframe if !text.has_title => Wanted::No(Why::NoTitle),
        Kind::Tags if text.chars == 0 && !text.has_title => Wanted::No(Why::TooShort),
        Kind::Summary | Kind::Tags | Kind::Deframe => {
            Wanted::Yes { model: !audience.private || audience.owner == Some(Switch::Model) }
        }
    }
}

/// How urgent an entry of a feed is that nobody has opened: feeds that many read come first.
pub fn traffic(subscribers: u32, opens: u32) -> Priority {
    if subscribers >= BUSY_SUBSCRIBERS || opens >= BUSY_OPENS { Priority::Normal } else { Priority::Low }
}

#[cfg(test)]
mod tests {
    use super::*;

    const READ: Audience = Audience { private: false, takers: 1, owner: None };
    const LONG: Text = Text { chars: 5_000, has_title: true };

    #[test]
    fn what_is_worth_it() {
        let check = |kind, kinds, text, audience, expected| {
            assert_eq!(wanted(kind, kinds, text, audience), expected, "{kind:?} {text:?} {audience:?}");
        };
        let yes = Wanted::Yes { model: true };
        for kind in Kind::ALL {
            check(kind, Kinds::ALL, LONG, READ, yes);
            check(kind, Kinds::NONE, LONG, READ, Wanted::No(Why::Off));
            check(kind, Kinds::ALL, LONG, Audience { takers: 0, ..READ }, Wanted::No(Why::Off));
            let private = Audience { private: true, ..READ };
            check(kind, Kinds::ALL, LONG, private, Wanted::Yes { model: false });
            check(
                kind,
                Kinds::ALL,
                LONG,
                Audience { owner: Some(Switch::Local), ..private },
                Wanted::Yes { model: false },
            );
            check(kind, Kinds::ALL, LONG, Audience { owner: Some(Switch::Model), ..private }, yes);
        }
        let short = Text { chars: SHORT_CHARS - 1, has_title: true };
        check(Kind::Summary, Kinds::ALL, short, READ, Wanted::No(Why::TooShort));
        check(Kind::Deframe, Kinds::ALL, short, READ, yes);
        check(Kind::Tags, Kinds::ALL, short, READ, yes);
        let nameless = Text { has_title: false, ..LONG };
        check(Kind::Deframe, Kinds::ALL, nameless, READ, Wanted::No(Why::NoTitle));
        check(Kind::Summary, Kinds::ALL, nameless, READ, yes);
        check(Kind::Tags, Kinds::ALL, Text { chars: 0, has_title: false }, READ, Wanted::No(Why::TooShort));
    }

    #[test]
    fn a_refresh_asks_only_for_what_it_brought() {
        assert_eq!(asks_for(Kinds::ALL, 0), Enrich::No);
        assert_eq!(asks_for(Kinds::NONE, 3), Enrich::No);
        assert_eq!(asks_for(Kinds::of(&[Kind::Tags]), 1), Enrich::Wanted);
    }

    #[test]
    fn feeds_with_many_readers_come_first() {
        assert_eq!(traffic(1, 0), Priority::Low);
        assert_eq!(traffic(5, 0), Priority::Normal);
        assert_eq!(traffic(1, 20), Priority::Normal);
    }
}
