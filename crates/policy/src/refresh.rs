//! Plans a refresh: what was known and what was seen go in, a plan of what to write comes out.
//!
//! Entries are sorted in `refresh/entries.rs`, the feed's history is updated in `refresh/history.rs`; the next visit,
//! the meaning of a failure and moves are decided in files of their own.
//!
//! An entry that leaves the document is not gone: documents show the latest few. Only retention emits `entry.gone`,
//! when it purges an entry; an empty document deletes nothing.

pub(crate) mod entries;
mod history;

use crate::enrich::asks_for;
use crate::failure::{Judgement, Verdict, judgement, next_state};
use crate::headers::headers_to_keep;
use crate::identity::DocumentKeys;
use crate::moves::{Moving, Way, moving};
use crate::problems::{cut_off, problems};
use crate::rules::Rules;
use crate::schedule::{Budget, Dice, Occasion, next_visit};
use crate::version::{description, language, title, web_url};
use entries::Sorted;
use jiff::Timestamp;
use model::FeedId;
use model::entry::{Hash, Known};
use model::event::{EventKind, Payload};
use model::feed::{FeedKind, FeedState, GuidTrust};
use model::lease::{Dossier, History, Quota};
use model::plan::{FeedEvent, FeedFacts, Pause, Plan};
use model::raw::RawFetch;
use model::reading::{End, Format, Reading};
use model::schedule::Schedule;
use model::visit::{Outcome, PastVisit, Visit, VisitResult};

/// The result of a visit, parsed and looked up.
#[derive(Debug, Default)]
pub struct Seen {
    /// What the parser understood, if there was a document.
    pub reading: Option<Reading>,
    /// The keys of its entries, if the store was asked.
    pub keys: Option<DocumentKeys>,
    /// The hash of the decoded body.
    pub body_hash: Option<Hash>,
    /// What the store knows of the entries.
    pub known: Known,
    /// The bytes that were kept.
    pub raw: Option<RawFetch>,
    /// Another feed of the same owner at the URL that the redirects led to.
    pub neighbour: Option<FeedId>,
    /// The rate group to pause.
    pub pause: Option<Pause>,
    /// The visits to distribute, if they are limited.
    pub budget: Option<Budget>,
    /// What is odd about how the document was served.
    pub served: Option<String>,
}

/// Decides what a refresh writes.
pub fn plan_refresh(now: Timestamp, dossier: &Dossier, visit: &Visit, seen: Seen, rules: &Rules) -> Plan {
    let Seen { reading, keys, body_hash, known, raw, neighbour, pause, budget, served } = seen;
    let mut sorted = match &reading {
        Some(reading) => {
            let keys = keys.unwrap_or_else(|| DocumentKeys::of(reading, dossier, rules));
            entries::sort(now, dossier, (reading, keys), &known, raw.as_ref(), (entries::Why::Visit, rules))
        }
        None => Sorted { guids: dossier.guids, ..Sorted::default() },
    };
    if reading.as_ref().is_some_and(|reading| reading.end == End::Early && reading.entries.is_empty()) {
        sorted.problem.get_or_insert_with(|| format!("the document is {}", cut_off(0)));
    }
    let problems = reading.as_ref().and_then(|reading| problems(reading, served.as_deref()));
    let judged = judgement(visit, sorted.problem.take(), rules);
    let moving = moved(now, dossier, visit, &judged, reading.as_ref(), (&sorted, neighbour));
    let seen = history::News { now, reading: reading.as_ref(), body_hash, sorted: &sorted, moving: &moving };
    let mut history = history::after(dossier, visit, &judged, &seen, rules);
    let state = next_state(now, &dossier.state, &history, &judged, rules);
    let mut schedule = next_visit(
        &Occasion {
            now,
            history: &history,
            state: state.as_ref().unwrap_or(&dossier.state),
            verdict: judged.verdict,
            counts: judged.counts,
            new_entries: sorted.new.len(),
            polling: dossier.polling,
            dice: Dice::of(dossier.uuid.as_u128(), history.visits),
            budget,
        },
        rules,
    );
    history.interval = schedule.interval;
    let (headers, headers_mark, headers_at) = headers_to_keep(history.headers, visit, raw.as_ref());
    history.headers = headers_mark;
    if let Some(taken) = &moving.taken {
        schedule.reason = format!("{}; it {taken}", schedule.reason);
        schedule.trace.push(format!("{taken}: it stays where it was, and one of the two can be deleted"));
    }
    if reading.is_some() {
        schedule.trace.extend(entries::beyond_quota(history.quota, rules));
    }
    let enrich = asks_for(rules.ai.wanted(), sorted.new.len() + sorted.changed.len());
    Plan {
        at: now,
        enrich,
        visit: PastVisit { headers_at, problems, ewma: history.ewma, ..past_visit(visit, &judged, &sorted, &schedule) },
        feed: reading.as_ref().and_then(|reading| changed_facts(dossier, reading, sorted.guids)),
        events: events(dossier, &history, state.as_ref(), &judged, &moving, &sorted, rules),
        schedule,
        history,
        raw,
        headers,
        state,
        moved: moving.adopted,
        pause,
        new: sorted.new,
        changed: sorted.changed,
        redated: sorted.redated,
        aliases: sorted.aliases,
        lineage: sorted.lineage,
        refused: sorted.refused,
    }
}

/// Whether the feed has moved.
fn moved(
    now: Timestamp,
    dossier: &Dossier,
    visit: &Visit,
    judged: &Judgement,
    reading: Option<&Reading>,
    (sorted, neighbour): (&Sorted, Option<FeedId>),
) -> Moving {
    let nothing_to_compare = dossier.history.readings == 0 || sorted.was_empty;
    // Identical bytes are the same feed.
    let same_feed = reading.is_none() || sorted.recognised > 0 || nothing_to_compare;
    let way = Way {
        from: &dossier.url,
        success: judged.verdict.is_success(),
        same_feed,
        credentials: dossier.access.is_some(),
        taken: neighbour,
    };
    moving(now, dossier.history.pending_move.as_ref(), visit, way)
}

/// The events of the feed itself: a run of failures that begins or ends, a new state, a move.
fn events(
    dossier: &Dossier,
    history: &History,
    state: Option<&FeedState>,
    judged: &Judgement,
    moving: &Moving,
    sorted: &Sorted,
    rules: &Rules,
) -> Vec<FeedEvent> {
    let event = |kind: EventKind, text: &str| FeedEvent { payload: Payload::of(&kind, text), kind };
    let health = |message: String| event(EventKind::FeedHealth, &message);
    let mut events = Vec::new();
    let before = dossier.history.failures;
    let error = judged.error.as_deref().unwrap_or("unknown");
    match (state, before, history.failures) {
        (Some(FeedState::Disabled { reason }), ..) => events.push(health(format!("disabled: {reason}"))),
        (Some(FeedState::Gone), ..) => events.push(health("gone: the server said 410 for more than a day".into())),
        (Some(FeedState::Active), ..) => events.push(health("active again".into())),
        (_, 0, 1..) => events.push(health(format!("failing: {error}"))),
        (_, 1.., 0) => events.push(health(format!("recovered after {before} failures"))),
        _ => {}
    }
    if sorted.guids.unreliable && !dossier.guids.unreliable {
        events.push(health("its ids cannot be trusted: one of them was used for several entries, or changed".into()));
    }
    let edits = |quota: Quota| if quota.day == sorted.quota.day { quota.edits } else { 0 };
    let limit = rules.edits_per_day;
    if edits(dossier.history.quota) <= limit && sorted.quota.edits > limit {
        let said = "edits of its entries today: further ones are stored, but neither announced nor kept as revisions";
        events.push(health(format!("more than {limit} {said}")));
    }
    if let Some(taken) = moving.taken.as_ref().filter(|taken| taken.news) {
        events.push(health(format!("{taken}: it stays where it was, and one of the two can be deleted")));
    }
    if let Some(to) = &moving.adopted {
        events.push(event(EventKind::FeedMoved, to));
    }
    events
}

fn past_visit(visit: &Visit, judged: &Judgement, sorted: &Sorted, schedule: &Schedule) -> PastVisit {
    let result = match (judged.verdict, &visit.outcome) {
        (_, Outcome::Gone) => VisitResult::Gone,
        (Verdict::Fresh, _) => VisitResult::Fresh,
        (Verdict::Unchanged, _) => VisitResult::Unchanged,
        (Verdict::Busy, _) => VisitResult::Busy,
        (Verdict::Deferred { .. }, _) => VisitResult::Deferred,
        (Verdict::Gone | Verdict::Failed | Verdict::TooLarge, _) => VisitResult::Failed,
    };
    PastVisit {
        at: visit.at,
        status: visit.status,
        result,
        error: judged.error.clone(),
        took: visit.took,
        // F-69: all bytes received, kept or not; redirects, error pages and identical documents cost as much.
        wire_bytes: visit.hops.iter().map(|hop| hop.wire_bytes).sum(),
        decoded_bytes: visit.hops.iter().map(|hop| hop.decoded_bytes).sum(),
        new_entries: sorted.new.len() as u32,
        changed_entries: sorted.changed.len() as u32,
        next_at: schedule.next.at(),
        interval: schedule.interval,
        reason: schedule.reason.clone(),
        trace: schedule.trace.clone(),
        headers_at: None,
        problems: None,
        ewma: None,
    }
}

/// What the feed says about itself, if it changed. A document that was cut off changes nothing: the rest may contain
/// what it lacks, and its last field may be incomplete.
fn changed_facts(dossier: &Dossier, reading: &Reading, guids: GuidTrust) -> Option<FeedFacts> {
    let mut facts = facts(reading, guids);
    if reading.end == End::Early {
        let known = |known: &Option<String>, said: Option<String>| known.clone().or(said);
        facts.kind = if dossier.kind == FeedKind::Unknown { facts.kind } else { dossier.kind };
        facts.title = known(&dossier.title, facts.title);
        facts.site_url = known(&dossier.site_url, facts.site_url);
        facts.description = known(&dossier.description, facts.description);
        facts.language = known(&dossier.language, facts.language);
    }
    let same = facts.kind == dossier.kind
        && facts.title == dossier.title
        && facts.site_url == dossier.site_url
        && facts.description == dossier.description
        && facts.language == dossier.language
        && facts.guids == dossier.guids;
    (!same).then_some(facts)
}

/// What the feed says about itself.
pub(crate) fn facts(reading: &Reading, guids: GuidTrust) -> FeedFacts {
    let about = &reading.feed.about;
    FeedFacts {
        kind: kind(reading.format),
        title: about.title.as_ref().and_then(title),
        site_url: about.link.as_deref().and_then(web_url),
        description: reading.feed.subtitle.as_ref().and_then(description),
        language: about.language.as_deref().and_then(language),
        guids,
    }
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
mod tests;
