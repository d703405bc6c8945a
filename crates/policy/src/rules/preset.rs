//! The six presets: complete sets of policies. `tests/presets/` pins each to the requirements it reproduces.

use super::{
    Ai, Busy, Collisions, Counts, Dedup, Delay, Entries, ErrorBudget, FailureRule, From, FutureDates, Gone, Interval,
    Mode, OnChange, Retention, Rules, SameLink, Takes, Uid, Unit,
};
use jiff::SignedDuration;
use model::enrichment::{Kind, Kinds};
use model::entry::KeyKind;
use std::fmt;

/// The set of policies that applies by default.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Preset {
    /// Adaptive visits, tolerant of failures, entries kept for a year.
    #[default]
    Courant,
    /// A fetch engine for other programs.
    Fetcher,
    /// A personal reader with a fixed rhythm.
    Reader,
    /// A reader that follows HTTP freshness.
    Reedme,
    /// Calm headlines for a few chosen feeds.
    Deframer,
    /// Curated and submitted feeds under moderation.
    Governance,
}

impl Preset {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::Courant, Self::Fetcher, Self::Reader, Self::Reedme, Self::Deframer, Self::Governance];

    /// The word a user writes.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Courant => "courant",
            Self::Fetcher => "fetcher",
            Self::Reader => "reader",
            Self::Reedme => "reedme",
            Self::Deframer => "deframer",
            Self::Governance => "governance",
        }
    }

    /// The preset of that name.
    pub fn named(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|preset| preset.as_str() == word)
    }
}

impl fmt::Display for Preset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

const fn minutes(n: i64) -> SignedDuration {
    SignedDuration::from_mins(n)
}

const fn hours(n: i64) -> SignedDuration {
    SignedDuration::from_hours(n)
}

const fn days(n: i64) -> SignedDuration {
    SignedDuration::from_hours(24 * n)
}

pub(super) fn rules(preset: Preset) -> Rules {
    match preset {
        Preset::Courant => courant(),
        Preset::Fetcher => fetcher(),
        Preset::Reader => reader(),
        Preset::Reedme => reedme(),
        Preset::Deframer => deframer(),
        Preset::Governance => governance(),
    }
}

fn courant() -> Rules {
    let backoff = Delay::Exponential { base: 2.0, unit: Unit::Interval { least: minutes(15) } };
    Rules {
        preset: Preset::Courant,
        interval: Interval {
            mode: Mode::Adaptive,
            initial: minutes(15),
            min: super::FLOOR,
            max: hours(24),
            up: 1.25,
            down: 0.75,
            alpha: 0.3,
            lambda: 0.5,
            jitter: 0.1,
        },
        failure: FailureRule {
            delay: backoff.clone(),
            cap: hours(48),
            disable_after: Some(10),
            revive_after: Some(days(7)),
        },
        busy: Busy { counts: Counts::Pause, delay: backoff },
        retry_after_cap: Some(days(7)),
        gone: Gone::Retire,
        error_budget: Some(ErrorBudget { failures: 10, of: 50, open_for: hours(1) }),
        dedup: Dedup {
            chain: vec![KeyKind::Guid, KeyKind::Url, KeyKind::Content],
            same_link: SameLink::IfOwn,
            collisions: Collisions::OtherLinkAndWords,
            suspect_ids: false,
            uid: Uid::Native,
        },
        on_change: OnChange::Update,
        future_dates: FutureDates::Clamp,
        entries: Entries::Lenient,
        quota_per_day: 500,
        edits_per_day: 500,
        retention: Retention {
            read_for: Some(days(365)),
            unread_for: Some(days(90)),
            any_for: None,
            from: From::FirstSeen,
            per_feed: None,
            per_feed_takes: Takes::Read,
            full_text_for: Some(days(30)),
            raw_samples: Some(20),
        },
        lease: SignedDuration::from_secs(120),
        ai: Ai::of(Kinds::ALL),
    }
}

const FOR_EVER: Retention = Retention {
    read_for: None,
    unread_for: None,
    any_for: None,
    from: From::FirstSeen,
    per_feed: None,
    per_feed_takes: Takes::Read,
    full_text_for: None,
    raw_samples: Some(20),
};

/// F-99..107: EWMA blend, x2 up to an hour, never disabled.
fn fetcher() -> Rules {
    let courant = courant();
    let backoff = Delay::Exponential { base: 2.0, unit: Unit::Interval { least: super::FLOOR } };
    Rules {
        preset: Preset::Fetcher,
        interval: Interval { mode: Mode::Ewma, jitter: 0.15, ..courant.interval },
        failure: FailureRule { delay: backoff.clone(), cap: hours(1), disable_after: None, revive_after: None },
        busy: Busy { counts: Counts::Pause, delay: backoff },
        retry_after_cap: None,
        retention: FOR_EVER,
        ai: Ai::of(Kinds::NONE),
        ..courant
    }
}

/// A: every half hour, a ladder of delays, the first version of an entry stays.
fn reader() -> Rules {
    let courant = courant();
    let ladder = Delay::Ladder([1, 4, 12, 24, 48].map(hours).to_vec());
    Rules {
        preset: Preset::Reader,
        interval: Interval { mode: Mode::Fixed, initial: minutes(30), jitter: 0.0, ..courant.interval },
        failure: FailureRule { delay: ladder.clone(), cap: hours(48), disable_after: Some(10), revive_after: None },
        busy: Busy { counts: Counts::Failure, delay: ladder },
        gone: Gone::Count,
        error_budget: None,
        dedup: Dedup {
            same_link: SameLink::Always,
            collisions: Collisions::OtherLink,
            suspect_ids: true,
            ..courant.dedup
        },
        on_change: OnChange::Ignore,
        future_dates: FutureDates::Keep,
        retention: Retention { per_feed: Some(500), ..courant.retention },
        ai: Ai::of(Kinds::of(&[Kind::Summary])),
        ..courant
    }
}

/// R: half an hour or as long as HTTP says, 1.8^n, nothing beyond 48 hours.
fn reedme() -> Rules {
    let courant = courant();
    let backoff = Delay::Exponential { base: 1.8, unit: Unit::Interval { least: SignedDuration::ZERO } };
    Rules {
        preset: Preset::Reedme,
        interval: Interval { mode: Mode::Fresh, initial: minutes(30), max: hours(48), jitter: 0.0, ..courant.interval },
        failure: FailureRule { delay: backoff.clone(), cap: hours(48), disable_after: None, revive_after: None },
        busy: Busy { counts: Counts::Failure, delay: backoff },
        retry_after_cap: Some(hours(48)),
        gone: Gone::Count,
        error_budget: None,
        dedup: Dedup { chain: vec![KeyKind::Guid, KeyKind::Url], same_link: SameLink::OnlyWithoutId, ..courant.dedup },
        retention: FOR_EVER,
        ai: Ai::of(Kinds::NONE),
        ..courant
    }
}

/// D: a fixed interval, one strike, SHA-256 of the link. 410 is a strike like any other error (D-50).
fn deframer() -> Rules {
    let courant = courant();
    Rules {
        preset: Preset::Deframer,
        interval: Interval { mode: Mode::Fixed, initial: minutes(10), jitter: 0.0, ..courant.interval },
        failure: FailureRule { delay: Delay::OneStrike, cap: hours(48), disable_after: None, revive_after: None },
        busy: Busy { counts: Counts::Failure, delay: Delay::OneStrike },
        gone: Gone::Count,
        error_budget: None,
        dedup: Dedup { chain: vec![KeyKind::Url], same_link: SameLink::Always, uid: Uid::LinkHash, ..courant.dedup },
        on_change: OnChange::Ignore,
        retention: Retention { per_feed: Some(500), per_feed_takes: Takes::Any, ..FOR_EVER },
        lease: minutes(10),
        ai: Ai::of(Kinds::of(&[Kind::Deframe])),
        ..courant
    }
}

/// G: an interval per source, five failures, ninety days from publication.
fn governance() -> Rules {
    let courant = courant();
    Rules {
        preset: Preset::Governance,
        interval: Interval {
            mode: Mode::Fixed,
            initial: minutes(60),
            min: minutes(15),
            max: minutes(1440),
            jitter: 0.0,
            ..courant.interval
        },
        failure: FailureRule { delay: Delay::KeepInterval, cap: hours(48), disable_after: Some(5), revive_after: None },
        busy: Busy {
            counts: Counts::Failure,
            delay: Delay::Exponential { base: 2.0, unit: Unit::Interval { least: minutes(15) } },
        },
        gone: Gone::Count,
        error_budget: None,
        dedup: Dedup { chain: vec![KeyKind::Guid], same_link: SameLink::OnlyWithoutId, ..courant.dedup },
        entries: Entries::Strict,
        retention: Retention { any_for: Some(days(90)), from: From::Published, ..FOR_EVER },
        ai: Ai::of(Kinds::of(&[Kind::Tags])),
        ..courant
    }
}
