//! The refresh of one leased feed: look, decide, commit. Only `commit` changes anything, with two exceptions: raw bytes are
//! stored before they are parsed, so that they survive whatever happens next; and the lease of a visit that failed because
//! our own network is away is handed back, as if there had been no visit.

use crate::engine::Engine;
use crate::error::{EngineError, report};
use crate::redacted::Redacted;
use crate::visit::memory::Network;
use crate::visit::{Going, VisitRequest, visit_keeping};
use fetch::{Egress, Room};
use jiff::{SignedDuration, Timestamp};
use model::lease::Lease;
use model::plan::{EntryVersion, Pause, Plan};
use model::raw::RawFetch;
use model::reading::End;
use model::schedule::Because;
use model::visit::{Body, Cut, Failure, Outcome, Visit, VisitResult};
use model::{EntryId, FetchId};
use policy::outage::PROBE_EVERY;
use policy::{DocumentKeys, Rules, Seen};
use std::borrow::Cow;
use store::StoreError;
use tokio::time::Instant;
use tracing::{Instrument as _, Span};
use work::catch_panic;

/// The result of a refresh.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refreshed {
    /// In one word.
    pub result: VisitResult,
    /// What went wrong, in words.
    pub error: Option<String>,
    /// What was wrong with the document, counted.
    pub problems: Option<String>,
    /// The entries it brought.
    pub new: Vec<EntryId>,
    /// How many say something else than before.
    pub changed: usize,
    /// The last status, if there was an answer.
    pub status: Option<u16>,
    /// What kind of failure it was, in one word: of `Failure::KINDS`, or `BAD_ENTRIES`.
    pub failure: Option<&'static str>,
    /// When the visit began.
    pub at: Timestamp,
    /// How long the visit took, without waiting for slots.
    pub took: SignedDuration,
    /// All bytes that came.
    pub wire_bytes: u64,
    /// Smoothed time between its entries.
    pub gap: Option<SignedDuration>,
    /// The interval to the next visit that the decision chose.
    pub interval: SignedDuration,
    /// The rule that won.
    pub because: Because,
    /// When the next visit is, in words.
    pub reason: String,
}

impl Refreshed {
    /// The result of a plan; the ids of its entries are known once it is written.
    fn by(plan: &Plan, visit: &Visit) -> Self {
        let failure = match &visit.outcome {
            Outcome::Failed(failure) => Some(failure.kind()),
            _ => (plan.visit.result == VisitResult::Failed).then_some(BAD_ENTRIES),
        };
        Self {
            result: plan.visit.result,
            error: plan.visit.error.clone(),
            problems: plan.visit.problems.clone(),
            new: Vec::new(),
            changed: plan.changed.len(),
            status: plan.visit.status,
            failure,
            at: plan.visit.at,
            took: plan.visit.took,
            wire_bytes: plan.visit.wire_bytes,
            gap: plan.history.ewma,
            interval: plan.schedule.interval,
            because: plan.schedule.because,
            reason: format!("{}, {}", policy::wait_in_words(plan.at, plan.schedule.next.at()), plan.schedule.reason),
        }
    }

    /// Nothing, because our own network is away.
    fn deferred(reason: String, at: Timestamp) -> Self {
        Self {
            result: VisitResult::Deferred,
            error: None,
            problems: None,
            new: Vec::new(),
            changed: 0,
            status: None,
            failure: None,
            at,
            took: SignedDuration::ZERO,
            wire_bytes: 0,
            gap: None,
            interval: PROBE_EVERY,
            because: Because::Outage,
            reason,
        }
    }
}

/// The kind of failure of a good answer that the rules do not accept.
pub(crate) const BAD_ENTRIES: &str = "bad-entries";

/// A visit that was made, and what is to be written of it.
pub(crate) enum Decided<'a> {
    /// Nothing: our own network is away. Why, in words.
    Deferred(String),
    Write(Box<Decision<'a>>),
}

/// What a visit found, and what is to be written because of it.
pub(crate) struct Decision<'a> {
    visit: Visit,
    rules: Cow<'a, Rules>,
    plan: Plan,
    /// The memory that the plan takes, until it is written.
    room: Room,
}

/// Refreshes the leased feed. An error means that the store or the blobs failed. What concerns only this feed is a failed
/// visit, so that it is shown with the feed and holds up no other.
pub async fn refresh(engine: &Engine, lease: &Lease) -> Result<Refreshed, EngineError> {
    let refreshed = async {
        let decided = decide(engine, lease, &Going::default()).await?;
        write(engine, lease, decided).await
    };
    refreshed.instrument(span(lease)).await
}

/// The span of everything that one visit does.
pub(crate) fn span(lease: &Lease) -> Span {
    tracing::debug_span!("visit", feed.id = lease.feed.0, url = %Redacted(&lease.dossier.url))
}

/// Makes the visit and decides what to write. A panic is a failed visit like any other: shown with the feed, and not
/// repeated at once.
pub(crate) async fn decide<'a>(
    engine: &'a Engine,
    lease: &Lease,
    going: &Going<'_>,
) -> Result<Decided<'a>, EngineError> {
    match catch_panic(Box::pin(look_and_think(engine, lease, going))).await {
        Ok(decided) => decided,
        Err(why) => {
            engine.figures.visit_panicked();
            tracing::error!(feed.id = lease.feed.0, url = %Redacted(&lease.dossier.url), why, "visit panicked");
            let why = format!("the visit panicked, which is a defect to report: {why}");
            let visit = failed(engine, lease, Failure::NotKept(why));
            let rules = rules(engine, lease);
            let plan = policy::plan_refresh(engine.now(), &lease.dossier, &visit, Seen::default(), &rules);
            Ok(Decided::Write(Box::new(Decision { visit, rules, plan, room: Room::default() })))
        }
    }
}

async fn look_and_think<'a>(engine: &'a Engine, lease: &Lease, going: &Going<'_>) -> Result<Decided<'a>, EngineError> {
    let (mut visit, room) = match errand(engine, lease) {
        Ok(errand) => visit_keeping(engine, &errand, going).await?,
        Err(why) => (failed(engine, lease, Failure::Request(why.to_string())), Room::default()),
    };
    if let Some(reason) = exhausted(engine, lease, &visit).await? {
        return Ok(Decided::Deferred(reason));
    }
    if let Some(reason) = cut_off(engine, lease, &visit).await? {
        return Ok(Decided::Deferred(reason));
    }
    let rules = rules(engine, lease);
    let mut seen = look(engine, lease, &rules, &mut visit).await?;
    seen.pause = pause(engine, &visit, &rules);
    if let Some(to) = &visit.moved_to {
        let at = engine.store.unscoped().feed_at(to, lease.dossier.owner).await?;
        seen.neighbour = at.filter(|feed| *feed != lease.feed);
    }
    seen.budget = engine.memory.budget();
    let bytes = seen.raw.as_ref().map_or(0, |raw| raw.decoded_bytes as usize);
    let now = engine.now();
    let plan = || policy::plan_refresh(now, &lease.dossier, &visit, seen, &rules);
    let plan = engine.cpu.run(bytes, plan).instrument(tracing::debug_span!("plan")).await;
    // One line per visit, however many entries were refused.
    if let Some(first) = plan.refused.first() {
        tracing::warn!(feed.id = lease.feed.0, refused = plan.refused.len(), first = %Redacted(first), "entries were not taken");
    }
    room.shrink(plan_bytes(&plan));
    Ok(Decided::Write(Box::new(Decision { visit, rules, plan, room })))
}

/// Roughly how much memory a plan takes, and the transaction that is made of it.
fn plan_bytes(plan: &Plan) -> u64 {
    let length = |text: &Option<String>| text.as_ref().map_or(0, String::len);
    let version = |version: &EntryVersion| {
        let EntryVersion { title, excerpt, link, body, .. } = version;
        length(title) + length(excerpt) + length(link) + length(&body.summary) + length(&body.content)
    };
    let entries = plan.new.iter().map(|entry| &entry.version).chain(plan.changed.iter().map(|entry| &entry.version));
    let small = plan.redated.len() + plan.aliases.len() + plan.lineage.len();
    (entries.map(|entry| version(entry) + ENTRY_BYTES).sum::<usize>() + small * ROW_BYTES) as u64
}

/// What an entry takes besides its words, in a transaction: rows of the entry, its body, its keys and its event.
const ENTRY_BYTES: usize = 2 << 10;
const ROW_BYTES: usize = 256;

/// Commits what was decided, if the lease still holds.
pub(crate) async fn write(engine: &Engine, lease: &Lease, decided: Decided<'_>) -> Result<Refreshed, EngineError> {
    let refreshed = match decided {
        Decided::Deferred(reason) => Refreshed::deferred(reason, engine.now()),
        Decided::Write(decision) => {
            let Decision { visit, rules, plan, room: _until_written } = *decision;
            match commit(engine, lease, &visit, plan).await {
                // Boxed: it hardly ever happens, and would make the future of every commit larger.
                Err(error) if error.is_about_the_data() => {
                    Box::pin(refused(engine, lease, visit, &rules, error)).await?
                }
                committed => committed?,
            }
        }
    };
    engine.figures.visited(&lease.dossier.history, &refreshed);
    engine.rollups.visited(lease, &refreshed);
    Ok(refreshed)
}

async fn commit(engine: &Engine, lease: &Lease, visit: &Visit, plan: Plan) -> Result<Refreshed, StoreError> {
    let refreshed = Refreshed::by(&plan, visit);
    let distrusted = plan.feed.as_ref().is_some_and(|facts| facts.guids.unreliable) && !lease.dossier.guids.unreliable;
    let begun = Instant::now();
    let committed = engine.store.commit(lease, plan).instrument(tracing::debug_span!("commit")).await?;
    engine.figures.committed(begun.elapsed());
    if distrusted {
        let url = Redacted(&lease.dossier.url);
        tracing::warn!(feed.id = lease.feed.0, %url, "guids are unreliable and ignored from now on");
    }
    Ok(Refreshed { new: committed.new, ..refreshed })
}

/// A visit that could not begin, or whose outcome is unknown.
fn failed(engine: &Engine, lease: &Lease, failure: Failure) -> Visit {
    let url = lease.dossier.url.clone();
    Visit { url, outcome: Outcome::Failed(failure), ..Visit::none(engine.now()) }
}

/// The database refuses what the document says: the visit failed, and only that is written. If even that is refused, the
/// document is not to blame.
async fn refused(
    engine: &Engine,
    lease: &Lease,
    visit: Visit,
    rules: &Rules,
    error: StoreError,
) -> Result<Refreshed, EngineError> {
    let why = report(&error);
    tracing::error!(feed.id = lease.feed.0, url = %Redacted(&lease.dossier.url), why, "the database refuses what the feed says");
    let visit = Visit { outcome: Outcome::Failed(Failure::NotKept(why)), moved_to: None, ..visit };
    let plan = policy::plan_refresh(engine.now(), &lease.dossier, &visit, Seen::default(), rules);
    Ok(commit(engine, lease, &visit, plan).await?)
}

/// The rules of this feed. A rule of its own that is no longer valid is ignored and logged.
pub(crate) fn rules<'a>(engine: &'a Engine, lease: &Lease) -> Cow<'a, Rules> {
    if lease.dossier.rules.is_empty() {
        return Cow::Borrowed(&engine.options.rules);
    }
    let (rules, problems) = Rules::resolve(&engine.options.rules, &lease.dossier.rules);
    for problem in problems {
        tracing::warn!(feed.id = lease.feed.0, problem, "a rule of the feed's own cannot be used");
    }
    Cow::Owned(rules)
}

/// The request for a feed: its URL, validators and access.
fn errand<'a>(engine: &Engine, lease: &'a Lease) -> Result<VisitRequest<'a>, EngineError> {
    let dossier = &lease.dossier;
    let from = dossier.history.final_url.as_deref().unwrap_or(&dossier.url);
    let sealed = dossier.access.as_ref().map(|sealed| engine.vault.open(dossier.uuid, sealed)).transpose()?;
    let access = sealed.unwrap_or_default();
    // With a proxy that cannot be parsed the visit fails: going without it could reveal our address.
    let proxy = access.route().map_err(|why| EngineError::Address { url: "the proxy".to_owned(), why })?;
    let introduced = || engine.options.user_agent.for_subscribers(dossier.subscribers);
    Ok(VisitRequest {
        validators: Some((from, &dossier.history.validators)),
        proof: access.proof(),
        proxy,
        user_agent: Some(dossier.user_agent.clone().unwrap_or_else(introduced)),
        lease: Some(lease),
        ..VisitRequest::to(&dossier.url, Egress::Feed)
    })
}

/// If this process could open no more connections, the lease is handed back: neither the feed nor the network is to blame.
/// Returns the reason.
async fn exhausted(engine: &Engine, lease: &Lease, visit: &Visit) -> Result<Option<String>, EngineError> {
    let Outcome::Failed(failure @ Failure::Exhausted(_)) = &visit.outcome else { return Ok(None) };
    let now = engine.now();
    if engine.memory.may_say_exhausted(now) {
        tracing::error!(why = %failure, "visits are put off; raise the limit of open files, or lower fetch.concurrency");
    }
    engine.store.hand_back(&[(lease.feed, lease.token)], now + PROBE_EVERY).await?;
    Ok(Some(format!("in a minute, because there is {failure}")))
}

/// If no server was reached because our own network is away, the lease is handed back and the failure is not counted;
/// failures that were counted before the outage was noticed are taken back. Returns the reason.
async fn cut_off(engine: &Engine, lease: &Lease, visit: &Visit) -> Result<Option<String>, EngineError> {
    let now = engine.now();
    let network = engine.memory.note_reach(&lease.dossier.rate_group, visit, now);
    if network == Network::There || visit.reached() {
        return Ok(None);
    }
    let again = now + PROBE_EVERY;
    let reason = "because our own network is away";
    engine.store.hand_back(&[(lease.feed, lease.token)], again).await?;
    if let Network::Lost(since) = network {
        let forgiven = engine.store.forgive(since, again, reason).await?;
        let why = engine.memory.outage(now).unwrap_or_default();
        tracing::warn!(feeds = forgiven, why, "local network outage; failures not counted against feeds");
    }
    Ok(Some(format!("{}, {reason}", policy::wait_in_words(now, Some(again)))))
}

/// The rate group that the answer pauses: that of the answering server, which after redirects need not be the feed's own.
fn pause(engine: &Engine, visit: &Visit, rules: &Rules) -> Option<Pause> {
    if !policy::may_pause(visit) && !engine.memory.was_refused_lately() {
        return None;
    }
    let (group, _) = engine.group(&visit.url)?;
    let now = engine.now();
    let refusals = engine.memory.note_refusal(&group.name, visit, now);
    let cap = rules.pause_cap(&engine.options.rules);
    let pause = policy::pause(now, &group.name, visit, refusals, cap);
    // If the operator says so, only this URL waits, by its schedule.
    pause.filter(|_| group.pause == policy::rate_groups::Pause::Group)
}

/// Stores and parses a body. The same bytes as last time bring nothing new. Bytes that are no feed make the visit a failure
/// and are stored all the same, as is the beginning of a body that was cut off, and of an error.
async fn look(engine: &Engine, lease: &Lease, rules: &Rules, visit: &mut Visit) -> Result<Seen, EngineError> {
    if let Some(Cut { mut body, truncated }) = visit.cut.take() {
        let is_error = !visit.status.is_some_and(|status| (200..300).contains(&status));
        if is_error && !policy::keeps_error(&lease.dossier.history, visit) {
            return Ok(Seen::default());
        }
        let raw = RawFetch { truncated, ..keep(engine, lease, visit, &mut body).await? };
        return Ok(Seen { raw: Some(raw), ..Seen::default() });
    }
    let Outcome::Fresh(body) = &mut visit.outcome else { return Ok(Seen::default()) };
    let body_hash = Some(policy::body_hash(&body.decoded));
    if body_hash == lease.dossier.history.body_hash {
        visit.outcome = Outcome::Unchanged;
        return Ok(Seen { body_hash, ..Seen::default() });
    }
    let mut body = std::mem::take(body);
    let mut raw = keep(engine, lease, visit, &mut body).await?;
    let served = odd_type(body.content_type.as_deref(), &engine.options.content_types);
    raw.problems.extend(served.clone());
    let hints =
        syndication::Hints { content_type: body.content_type.as_deref(), base_url: Some(&visit.url), language: None };
    let read = || syndication::read(&body.decoded, &hints, &engine.options.document);
    let reading = engine.cpu.run(body.decoded.len(), read).instrument(tracing::debug_span!("read")).await;
    // Other documents wait for its memory.
    drop(body);
    match reading {
        Ok(reading) => {
            raw.understood = reading.end != End::Early || !reading.entries.is_empty();
            raw.problems.extend(reading.problems.iter().map(problem));
            let keys = DocumentKeys::of(&reading, &lease.dossier, rules);
            let known = engine.store.unscoped().known(lease.feed, |shown| keys.of_others(&reading, shown, rules));
            let known = known.instrument(tracing::debug_span!("known")).await?;
            let (reading, keys, raw) = (Some(reading), Some(keys), Some(raw));
            Ok(Seen { reading, keys, body_hash, known, raw, served, ..Seen::default() })
        }
        Err(not_a_feed) => {
            visit.outcome = Outcome::Failed(Failure::NotAFeed(not_a_feed.to_string()));
            Ok(Seen { raw: Some(raw), ..Seen::default() })
        }
    }
}

/// Stores the bytes of a body.
async fn keep(engine: &Engine, lease: &Lease, visit: &Visit, body: &mut Body) -> Result<RawFetch, EngineError> {
    let wire = std::mem::take(&mut body.wire);
    let put = engine.blobs.put(engine.now(), body.coding, wire);
    Ok(RawFetch {
        id: fetch_id(visit.at),
        feed: lease.feed,
        fetched_at: visit.at,
        url: visit.url.clone(),
        status: visit.status.unwrap_or_default(),
        request_headers: visit.request_headers.clone(),
        response_headers: visit.response_headers.clone(),
        blob: put.instrument(tracing::debug_span!("put")).await?,
        content_type: body.content_type.clone(),
        decoded_bytes: body.decoded.len() as u64,
        understood: false,
        truncated: false,
        problems: Vec::new(),
    })
}

/// A remark about the declared type of a document, if it is unusual. The real type is recognised from its bytes.
fn odd_type(served_as: Option<&str>, usual: &[String]) -> Option<String> {
    let bare = served_as.unwrap_or_default().split(';').next().unwrap_or_default().trim();
    match bare {
        "" => Some("it is served without a type".to_owned()),
        bare if usual.iter().any(|usual| usual.eq_ignore_ascii_case(bare)) => None,
        bare => {
            let bare: String = bare.chars().take(100).collect();
            Some(format!("it is served as {bare}, which is no type of feeds"))
        }
    }
}

/// Ordered by the moment of the visit.
fn fetch_id(at: Timestamp) -> FetchId {
    let (seconds, nanos) = (at.as_second().max(0) as u64, at.subsec_nanosecond().max(0) as u32);
    FetchId(uuid::Uuid::new_v7(uuid::Timestamp::from_unix(uuid::NoContext, seconds, nanos)))
}

fn problem(problem: &model::reading::Problem) -> String {
    match (problem.line, problem.column) {
        (Some(line), Some(column)) => format!("line {line}, column {column}: {}", problem.message),
        _ => problem.message.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_may_be_served_as_anything_but_it_is_said() {
        let usual = crate::Options::default().content_types;
        let check = |served_as: Option<&str>, expected: &str| {
            assert_eq!(odd_type(served_as, &usual).as_deref().unwrap_or("fine"), expected, "{served_as:?}");
        };
        check(Some("application/rss+xml"), "fine");
        check(Some("Text/XML; charset=utf-8"), "fine");
        check(Some("text/html"), "it is served as text/html, which is no type of feeds");
        let endless = "x".repeat(60_000);
        check(Some(&endless), &format!("it is served as {}, which is no type of feeds", &endless[..100]));
        check(Some(""), "it is served without a type");
        check(None, "it is served without a type");
    }
}
