//! What a refresh will write: everything that was known and seen goes in, a plan comes out.
//!
//! An entry is recognised by any of its keys. One whose raw fields hash as before costs nothing. Text of strangers
//! is stored as text only.

use crate::identity::{entry_keys, hash, hex, raw_hash};
use crate::schedule::{Limits, next_visit};
use content::{excerpt, plain_text};
use jiff::Timestamp;
use model::EntryId;
use model::entry::{Attachment, Author, EntryBody, Hash, Known, KnownKey, Lineage, RawRef};
use model::feed::FeedKind;
use model::lease::{Dossier, History};
use model::plan::{ChangedEntry, EntryVersion, FeedFacts, Keep, LineageChange, NewEntry, Pause, Plan};
use model::raw::RawFetch;
use model::reading::{Format, ReadEntry, Reading, Text};
use model::visit::{Outcome, PastVisit, Visit, VisitResult};
use std::collections::HashSet;

/// A list shows no more than this of an entry.
const EXCERPT: usize = 500;

/// What a visit came to, once it was looked at.
#[derive(Debug, Default)]
pub struct Seen {
    /// What the parser understood, if there was something to understand.
    pub reading: Option<Reading>,
    /// The hash of the decoded body.
    pub body_hash: Option<Hash>,
    /// What the store knows of the entries.
    pub known: Known,
    /// The bytes that were kept.
    pub raw: Option<RawFetch>,
    /// The publisher that wants to be left alone.
    pub pause: Option<Pause>,
}

/// Decides what a refresh writes.
pub fn plan_refresh(now: Timestamp, dossier: &Dossier, visit: &Visit, seen: Seen, limits: &Limits) -> Plan {
    let Seen { reading, body_hash, known, raw, pause } = seen;
    let readings = dossier.history.readings + i64::from(reading.is_some());
    let mut entries = reading
        .as_ref()
        .map_or_else(Entries::default, |reading| sort_entries(now, &known, &reading.entries, readings, raw.as_ref()));
    // Oldest first: ids follow the order in which a person would have read them.
    entries.new.sort_by_key(|entry| entry.sort_at);
    let schedule = next_visit(now, &dossier.history, visit, entries.new.len(), dossier.polling, limits);
    let history = history(dossier, visit, &schedule, entries.new.len(), readings, body_hash);
    Plan {
        at: now,
        visit: past_visit(visit, raw.as_ref(), &entries, &schedule),
        schedule,
        history,
        raw,
        feed: reading.as_ref().and_then(|reading| changed_facts(dossier, reading)),
        state: None,
        pause,
        new: entries.new,
        changed: entries.changed,
        lineage: entries.lineage,
        events: Vec::new(),
    }
}

#[derive(Default)]
struct Entries {
    new: Vec<NewEntry>,
    changed: Vec<ChangedEntry>,
    lineage: Vec<LineageChange>,
}

fn sort_entries(now: Timestamp, known: &Known, read: &[ReadEntry], reading: i64, raw: Option<&RawFetch>) -> Entries {
    let mut sorted = Entries::default();
    let mut seen: HashSet<EntryId> = HashSet::new();
    let mut brought = HashSet::new();
    for entry in read {
        let keys = entry_keys(entry);
        let found =
            keys.iter().find_map(|key| known.keys.iter().find(|(known, _)| known == key)).map(|(_, known)| *known);
        match found {
            Some(KnownKey::Tombstone) => {}
            Some(KnownKey::Entry(id)) => {
                // One document may show an entry twice; the first is the one that counts.
                if !seen.insert(id) {
                    continue;
                }
                let before = known.entries.iter().find(|entry| entry.id == id);
                if before.is_some_and(|before| before.raw_hash != raw_hash(entry)) {
                    let version = version(entry, raw);
                    let said_the_same = before.is_some_and(|before| before.content_hash == version.content_hash);
                    let keep = if said_the_same { Keep::Nothing } else { Keep::Revision };
                    sorted.changed.push(ChangedEntry { id, version, keys, keep });
                }
                if before.is_some_and(|before| matches!(before.lineage, Lineage::Left { .. })) {
                    let lineage = Lineage::Present { since_reading: reading };
                    sorted.lineage.push(LineageChange { id, lineage });
                }
            }
            None => {
                let fresh = keys.iter().all(|key| !brought.contains(key));
                brought.extend(keys.iter().copied());
                if fresh {
                    sorted.new.push(new_entry(now, entry, keys, raw));
                }
            }
        }
    }
    for entry in known.entries.iter().filter(|entry| !seen.contains(&entry.id)) {
        if let Lineage::Present { since_reading } = entry.lineage {
            let lineage = Lineage::Left { last_seen_at: now, seen_count: (reading - since_reading).max(1) };
            sorted.lineage.push(LineageChange { id: entry.id, lineage });
        }
    }
    sorted
}

fn new_entry(now: Timestamp, entry: &ReadEntry, keys: Vec<model::entry::EntryKey>, raw: Option<&RawFetch>) -> NewEntry {
    let version = version(entry, raw);
    let uid = entry.about.id.clone().unwrap_or_else(|| hex(keys[0].hash));
    // A date in the future would stay on top for ever; ten minutes are a clock that is a little fast.
    let latest = now + jiff::SignedDuration::from_mins(10);
    let sort_at = version.published_at.filter(|at| *at <= latest).unwrap_or(now);
    NewEntry { uid, keys, version, first_seen_at: now, sort_at, quiet: false }
}

fn version(entry: &ReadEntry, raw: Option<&RawFetch>) -> EntryVersion {
    let about = &entry.about;
    let text = |text: &Text| Some(plain_text(&text.value)).filter(|text| !text.is_empty());
    let title = about.title.as_ref().and_then(text);
    let summary = entry.summary.as_ref().and_then(text);
    let content = entry.content.iter().find_map(|content| text(&content.text));
    let excerpt = summary.as_deref().or(content.as_deref()).map(|text| excerpt(text, EXCERPT));
    let content_hash = hash([title.as_deref(), summary.as_deref(), content.as_deref()].map(Option::unwrap_or_default));
    let at = |date: &Option<model::reading::Dated>| date.as_ref().and_then(|date| date.at);
    let body = EntryBody {
        authors: about.authors.iter().map(author).collect(),
        categories: about.categories.iter().filter_map(|c| c.label.clone().or_else(|| c.term.clone())).collect(),
        enclosures: entry.enclosures.iter().map(attachment).collect(),
        language: about.language.clone(),
        raw: raw.zip(entry.range).map(|(raw, range)| RawRef {
            fetch: raw.id,
            offset: range.start,
            length: range.end.saturating_sub(range.start),
        }),
        summary,
        content,
    };
    EntryVersion {
        title,
        excerpt,
        link: about.link.clone().filter(|link| is_web(link)),
        published_at: at(&about.published).or(at(&about.created)).or(at(&about.updated)),
        updated_at: at(&about.updated),
        content_hash,
        raw_hash: raw_hash(entry),
        body,
    }
}

/// No API returns a URL that is not http(s); none is stored either.
fn is_web(url: &str) -> bool {
    url::Url::parse(url).is_ok_and(|url| matches!(url.scheme(), "http" | "https"))
}

fn author(person: &model::reading::Person) -> Author {
    let plain = |text: &Option<String>| text.as_deref().map(plain_text).filter(|text| !text.is_empty());
    let uri = person.uri.clone().filter(|uri| is_web(uri));
    Author { name: plain(&person.name), email: plain(&person.email), uri }
}

fn attachment(enclosure: &model::reading::Enclosure) -> Attachment {
    Attachment { url: enclosure.url.clone(), media_type: enclosure.media_type.clone(), length: enclosure.length }
}

fn history(
    dossier: &Dossier,
    visit: &Visit,
    schedule: &model::schedule::Schedule,
    news: usize,
    readings: i64,
    body_hash: Option<Hash>,
) -> History {
    let mut history = dossier.history.clone();
    history.visits += 1;
    history.readings = readings;
    history.last_visit_at = Some(visit.at);
    history.last_status = visit.status;
    history.interval = schedule.interval;
    history.freshness.retry_after = visit.freshness.retry_after;
    match &visit.outcome {
        Outcome::Deferred { .. } => {}
        Outcome::Fresh(_) | Outcome::Unchanged => {
            history.last_success_at = Some(visit.at);
            history.last_error = None;
            history.failures = 0;
            history.new_entries = news as u32;
            history.body_hash = body_hash.or(history.body_hash);
            // A 304 that says nothing of them leaves validators and freshness as they were.
            let (new, old) = (&visit.validators, &mut history.validators);
            if new.etag.is_some() || new.last_modified.is_some() || matches!(visit.outcome, Outcome::Fresh(_)) {
                *old = new.clone();
                history.final_url = Some(visit.url.clone()).filter(|url| *url != dossier.url);
            }
            if visit.freshness.cache_control.is_some() || visit.freshness.expires_at.is_some() {
                history.freshness = visit.freshness.clone();
            }
        }
        Outcome::Gone | Outcome::Busy | Outcome::Failed(_) => {
            // Asked to come later is no failure (C-5).
            history.failures += u32::from(visit.outcome != Outcome::Busy);
            history.last_error_at = Some(visit.at);
            history.last_error = error(&visit.outcome);
        }
    }
    history
}

/// What went wrong, if anything did.
fn error(outcome: &Outcome) -> Option<String> {
    match outcome {
        Outcome::Fresh(_) | Outcome::Unchanged | Outcome::Deferred { .. } => None,
        Outcome::Gone | Outcome::Busy | Outcome::Failed(_) => Some(outcome.to_string()),
    }
}

fn past_visit(
    visit: &Visit,
    raw: Option<&RawFetch>,
    entries: &Entries,
    schedule: &model::schedule::Schedule,
) -> PastVisit {
    let result = match visit.outcome {
        Outcome::Fresh(_) => VisitResult::Fresh,
        Outcome::Unchanged => VisitResult::Unchanged,
        Outcome::Gone => VisitResult::Gone,
        Outcome::Busy => VisitResult::Busy,
        Outcome::Failed(_) => VisitResult::Failed,
        Outcome::Deferred { .. } => VisitResult::Deferred,
    };
    PastVisit {
        at: visit.at,
        status: visit.status,
        result,
        error: error(&visit.outcome),
        took: visit.took,
        wire_bytes: raw.map_or(0, |raw| raw.blob.wire_bytes),
        decoded_bytes: raw.map_or(0, |raw| raw.decoded_bytes),
        new_entries: entries.new.len() as u32,
        changed_entries: entries.changed.len() as u32,
        next_at: schedule.next.at(),
        interval: schedule.interval,
        reason: schedule.reason.clone(),
    }
}

/// What the feed says about itself, where that is not what we have.
fn changed_facts(dossier: &Dossier, reading: &Reading) -> Option<FeedFacts> {
    let about = &reading.feed.about;
    let text = |text: &Option<Text>| text.as_ref().map(|text| plain_text(&text.value)).filter(|text| !text.is_empty());
    let facts = FeedFacts {
        kind: kind(reading.format),
        title: text(&about.title),
        site_url: about.link.clone().filter(|link| is_web(link)),
        description: text(&reading.feed.subtitle),
        language: about.language.clone(),
        guids: dossier.guids,
    };
    let same = facts.kind == dossier.kind && facts.title == dossier.title && facts.site_url == dossier.site_url;
    (!same).then_some(facts)
}

fn kind(format: Format) -> FeedKind {
    match format {
        Format::Rss090 | Format::Rss10 | Format::Rss11 => FeedKind::Rdf,
        Format::Rss091Netscape
        | Format::Rss091Userland
        | Format::Rss092
        | Format::Rss093
        | Format::Rss094
        | Format::Rss20
        | Format::Rss => FeedKind::Rss,
        Format::Atom03 | Format::Atom10 => FeedKind::Atom,
        Format::Cdf => FeedKind::Cdf,
        Format::Json1 | Format::Json11 => FeedKind::Json,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::identity::entry_keys;
    use jiff::SignedDuration;
    use model::entry::KnownEntry;
    use model::feed::{DomainRule, FeedState, GuidTrust};
    use model::raw::Coding;
    use model::reading::{Dated, TextKind};
    use model::visit::{Body, Failure, Validators};

    const NOW: Timestamp = Timestamp::UNIX_EPOCH;

    fn dossier() -> Dossier {
        Dossier {
            uuid: "00000000-0000-0000-0000-000000000001".parse().unwrap(),
            url: "https://one.example/feed".into(),
            rate_group: "one.example".into(),
            owner: None,
            kind: FeedKind::Rss,
            title: None,
            site_url: None,
            root_domain: None,
            domain_rule: DomainRule::Any,
            polling: true,
            state: FeedState::Active,
            guids: GuidTrust::default(),
            allow_duplicate_urls: false,
            user_agent: None,
            access: None,
            subscribers: 0,
            history: History { readings: 7, ..History::default() },
        }
    }

    fn visit(outcome: Outcome) -> Visit {
        Visit {
            url: "https://one.example/feed".into(),
            status: Some(200),
            outcome,
            validators: Validators { etag: Some("\"v2\"".into()), last_modified: None },
            ..Visit::none(NOW)
        }
    }

    fn fresh() -> Visit {
        visit(Outcome::Fresh(Body { wire: vec![], coding: Coding::Identity, decoded: vec![], content_type: None }))
    }

    fn entry(id: &str, title: &str) -> ReadEntry {
        let mut entry = ReadEntry::default();
        entry.about.id = Some(id.into());
        entry.about.title = Some(Text { kind: TextKind::Html, value: title.into(), ..Text::default() });
        entry
    }

    fn known(id: i64, entry: &ReadEntry, lineage: Lineage) -> Known {
        let version = version(entry, None);
        Known {
            keys: entry_keys(entry).into_iter().map(|key| (key, KnownKey::Entry(EntryId(id)))).collect(),
            entries: vec![KnownEntry {
                id: EntryId(id),
                content_hash: version.content_hash,
                raw_hash: version.raw_hash,
                link: None,
                lineage,
            }],
        }
    }

    /// What a plan does, in words.
    fn told(known: Known, entries: Vec<ReadEntry>) -> String {
        let reading = Reading { entries, ..Reading::default() };
        let seen = Seen { reading: Some(reading), known, ..Seen::default() };
        let plan = plan_refresh(NOW, &dossier(), &fresh(), seen, &Limits::default());
        let new = plan.new.iter().map(|entry| format!("new {}", entry.version.title.as_deref().unwrap_or("?")));
        let changed = plan.changed.iter().map(|change| format!("changed {} {:?}", change.id, change.keep));
        let lineage = plan.lineage.iter().map(|change| format!("{} {:?}", change.id, change.lineage));
        new.chain(changed).chain(lineage).collect::<Vec<_>>().join("; ")
    }

    #[test]
    fn what_becomes_of_an_entry() {
        let present = Lineage::Present { since_reading: 5 };
        let left = Lineage::Left { last_seen_at: NOW, seen_count: 3 };
        let a = entry("a", "A");
        let check = |what: &str, known: Known, entries: Vec<ReadEntry>, expected: &str| {
            assert_eq!(told(known, entries), expected, "{what}");
        };
        check("never seen", Known::default(), vec![a.clone()], "new A");
        check("as before", known(1, &a, present), vec![a.clone()], "");
        check("says something else", known(1, &a, present), vec![entry("a", "B")], "changed 1 Revision");
        check("wrapped differently", known(1, &a, present), vec![entry("a", "<i>A</i>")], "changed 1 Nothing");
        check("left", known(1, &a, present), vec![], "1 Left { last_seen_at: 1970-01-01T00:00:00Z, seen_count: 3 }");
        check("came back", known(1, &a, left), vec![a.clone()], "1 Present { since_reading: 8 }");
        check("twice in one document", Known::default(), vec![a.clone(), a.clone()], "new A");
        check("twice, and known", known(1, &a, present), vec![a.clone(), entry("a", "B")], "");
        let buried = Known { keys: vec![(entry_keys(&a)[0], KnownKey::Tombstone)], entries: vec![] };
        check("purged", buried, vec![a], "");
    }

    #[test]
    fn markup_and_foreign_schemes_never_reach_the_store() {
        let mut evil = entry("e", "<script>alert(1)</script><b>T</b>");
        evil.about.link = Some("javascript:alert(1)".into());
        evil.summary =
            Some(Text { kind: TextKind::Html, value: "<img src=x onerror=alert(1)>words".into(), ..Text::default() });
        let version = version(&evil, None);
        assert_eq!(
            (version.title.as_deref(), version.excerpt.as_deref(), version.link),
            (Some("T"), Some("words"), None)
        );
    }

    #[test]
    fn a_date_in_the_future_does_not_stay_on_top() {
        let dated = |at: Timestamp| {
            let mut entry = entry("a", "A");
            entry.about.published = Some(Dated { at: Some(at), text: String::new() });
            let new = new_entry(NOW, &entry, entry_keys(&entry), None);
            (new.sort_at, new.version.published_at)
        };
        let (soon, later) = (NOW + SignedDuration::from_mins(5), NOW + SignedDuration::from_hours(1));
        assert_eq!(dated(soon), (soon, Some(soon)));
        assert_eq!(dated(later), (NOW, Some(later)), "kept as given, sorted by when it was seen");
    }

    #[test]
    fn a_failure_keeps_what_a_success_left() {
        let mut dossier = dossier();
        dossier.history.validators.etag = Some("\"v1\"".into());
        dossier.history.last_success_at = Some(NOW - SignedDuration::from_hours(1));
        let failed = visit(Outcome::Failed(Failure::Status(500)));
        let plan = plan_refresh(NOW, &dossier, &failed, Seen::default(), &Limits::default());
        let history = plan.history;
        assert_eq!((history.failures, history.last_error.as_deref()), (1, Some("the server answered 500")));
        assert_eq!(history.validators.etag.as_deref(), Some("\"v1\""));
        assert_eq!(history.last_success_at, Some(NOW - SignedDuration::from_hours(1)));

        let mut silent = visit(Outcome::Unchanged);
        silent.validators = Validators::default();
        let plan = plan_refresh(NOW, &dossier, &silent, Seen::default(), &Limits::default());
        assert_eq!(plan.history.validators.etag.as_deref(), Some("\"v1\""), "a 304 without validators keeps them");
        assert_eq!(plan.history.failures, 0);
    }
}
