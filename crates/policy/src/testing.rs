//! Fixtures for the tests of several files.

use jiff::{SignedDuration, Timestamp};
use model::feed::{DomainRule, FeedKind, FeedState, GuidTrust};
use model::lease::{Dossier, History};
use model::reading::{ReadEntry, Reading, Text, TextKind};
use model::visit::{Body, Outcome, Visit};

/// A Monday, at noon.
pub(crate) fn now() -> Timestamp {
    "2026-11-16T12:00:00Z".parse().expect("a moment")
}

pub(crate) fn ago(hours: i64) -> Timestamp {
    now() - SignedDuration::from_hours(hours)
}

pub(crate) fn dossier() -> Dossier {
    Dossier {
        uuid: uuid::Uuid::from_u128(7),
        url: "https://one.example/feed".into(),
        rate_group: "one.example".into(),
        owner: None,
        kind: FeedKind::Rss,
        title: None,
        site_url: None,
        description: None,
        language: None,
        root_domain: Some("one.example".into()),
        domain_rule: DomainRule::Any,
        polling: true,
        state: FeedState::Active,
        guids: GuidTrust::default(),
        allow_duplicate_urls: false,
        user_agent: None,
        access: None,
        rules: std::collections::BTreeMap::new(),
        subscribers: 0,
        history: History { visits: 9, readings: 7, last_success_at: Some(ago(1)), ..History::default() },
    }
}

/// An entry; empty texts are left out.
pub(crate) fn entry(id: &str, link: &str, title: &str) -> ReadEntry {
    let given = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
    let mut entry = ReadEntry::default();
    entry.about.id = given(id);
    entry.about.link = given(link);
    entry.about.title = given(title).map(|value| Text { kind: TextKind::Html, value, ..Text::default() });
    entry
}

pub(crate) fn reading(entries: Vec<ReadEntry>) -> Reading {
    Reading { entries, ..Reading::default() }
}

pub(crate) fn visit(status: u16, outcome: Outcome) -> Visit {
    let url = "https://one.example/feed".into();
    Visit { url, status: Some(status), outcome, ..Visit::none(now()) }
}

pub(crate) fn fresh() -> Visit {
    visit(200, Outcome::Fresh(Body::default()))
}
