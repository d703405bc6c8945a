//! The full text of an entry: when somebody opens it, or as soon as it arrives, its page is fetched in a job.
//!
//! `policy::full_text` decides. Nothing is fetched while a request waits: opening an entry only asks for the job. Every try is
//! noted, so that a page is asked at most once a day.

use crate::error::{ReaderError, report};
use crate::page;
use engine::{Chosen, Engine};
use jiff::Timestamp;
use model::job::{NewJob, Priority};
use model::{EntryId, FeedId, UserId, Viewer};
use policy::Rules;
use policy::full_text::{Decision, FullText, Known, Occasion, wants_full_text};
use store::{FullTextState, Store, StoreError};
use work::{Cpu, Outcome};

/// The job that fetches the page of an entry, which is its subject.
pub(crate) const FULL_TEXT: &str = "reader.full_text";
/// The job that looks which entries have arrived in feeds whose pages are always fetched.
pub(crate) const ARRIVALS: &str = "reader.arrivals";
/// Up to which entry that was done.
const ARRIVALS_UPTO: &str = "reader.arrivals_upto";
/// Pages asked for in one job: the rest follows.
const ARRIVALS_AT_ONCE: u32 = 200;

/// What is known of the page of an entry that was opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Opened {
    /// What there is.
    pub state: FullTextState,
    /// Whether the page is fetched, and why not if it is not.
    pub decision: Decision,
}

/// Asks for the full text of an entry that a user opens, if it is wanted. Returns at once.
pub async fn open_entry(store: &Store, user: UserId, entry: EntryId, now: Timestamp) -> Result<Opened, StoreError> {
    let viewer = Viewer::User(user);
    let (found, state) = (store.entry(viewer, entry).await?, store.full_text(viewer, entry).await?);
    let subscription = store.subscription(user, found.feed).await?;
    let switch = subscription.and_then(|subscription| subscription.full_text).unwrap_or_default();
    let body = store.entry_body(viewer, entry).await?;
    let html = body.content.or(body.summary).unwrap_or_default();
    let known =
        Known { content_chars: content::plain_text(&html).chars().count(), ..known(&state, found.link.as_deref()) };
    let decision = wants_full_text(Occasion::Opened, switch, &known, now);
    if decision == Decision::Fetch {
        store.enqueue_jobs(&[job(entry, Priority::High, now)], now).await?;
    }
    Ok(Opened { state, decision })
}

fn known(state: &FullTextState, link: Option<&str>) -> Known {
    Known {
        content_chars: 0,
        has_full_text: state.html.is_some(),
        has_link: link.is_some_and(|link| link.starts_with("http")),
        last_attempt: state.tried_at,
    }
}

fn job(entry: EntryId, priority: Priority, due_at: Timestamp) -> NewJob {
    NewJob { kind: FULL_TEXT.to_owned(), subject: entry.to_string(), priority, due_at }
}

/// Does a job: fetches the page of an entry and keeps its article, or why there is none.
pub(crate) async fn run(engine: &Engine, cpu: &Cpu, subject: &str) -> Outcome {
    let Ok(entry) = subject.parse().map(EntryId) else { return Outcome::Done(vec![]) };
    match read_page(engine, cpu, entry).await {
        Ok(()) => Outcome::Done(vec![]),
        Err(error) => Outcome::Failed(report(&error)),
    }
}

/// Fetches the page of an entry and keeps its article, or why there is none. Whether it is wanted was decided before; that a
/// page rests for a day after a try is decided again.
pub async fn read_page(engine: &Engine, cpu: &Cpu, entry: EntryId) -> Result<(), ReaderError> {
    let (store, viewer) = (engine.store(), Viewer::Operator);
    let found = match store.entry(viewer, entry).await {
        Ok(found) => found,
        // Deleted since it was asked for.
        Err(StoreError::NotFound { .. }) => return Ok(()),
        Err(error) => return Err(error.into()),
    };
    let state = store.full_text(viewer, entry).await?;
    let known = known(&state, found.link.as_deref());
    let decision = wants_full_text(Occasion::Opened, FullText::Always, &known, engine.now());
    let (Decision::Fetch, Some(link)) = (decision, found.link) else { return Ok(()) };
    let page = page::load(engine, cpu, &link, Chosen::ByUs).await?;
    match page.and_then(|page| page.article) {
        Ok(html) => {
            let next = enrichments(engine, found.feed, entry).await?;
            store.put_full_text(entry, &html, &next, engine.now()).await?
        }
        Err(why) => {
            tracing::debug!(entry.id = entry.0, why, "no full text");
            store.note_full_text_failure(entry, &why, engine.now()).await?
        }
    };
    Ok(())
}

/// What follows from a full text: what was said about the beginning of the article is said about the whole.
async fn enrichments(engine: &Engine, feed: FeedId, entry: EntryId) -> Result<Vec<NewJob>, StoreError> {
    let Some((own, takers)) = engine.store().unscoped().enriched_feed(feed).await? else { return Ok(Vec::new()) };
    let (rules, _) = Rules::resolve(engine.rules(), &own);
    let wanted = takers > 0 && !rules.ai.wanted().is_empty();
    Ok(wanted.then(|| NewJob::enrich_entry(entry, Priority::High, engine.now())).into_iter().collect())
}

/// Does the other job: asks for the pages of entries that have arrived where they are always fetched.
pub(crate) async fn arrivals(store: &Store, now: Timestamp) -> Result<Outcome, StoreError> {
    let last = store.last_entry().await?;
    let upto = store.setting(ARRIVALS_UPTO).await?.and_then(|text| text.parse().ok()).map(EntryId);
    // What was there before this was ever asked has not arrived since.
    let Some(after) = upto else {
        store.set_setting(ARRIVALS_UPTO, &last.to_string(), now).await?;
        return Ok(Outcome::Done(vec![]));
    };
    let wanted = store.unscoped().wanted_on_arrival((after, last), ARRIVALS_AT_ONCE).await?;
    let full = wanted.len() == ARRIVALS_AT_ONCE as usize;
    let done = wanted.last().copied().filter(|_| full).unwrap_or(last);
    let jobs: Vec<NewJob> = wanted.into_iter().map(|entry| job(entry, Priority::Low, now)).collect();
    store.enqueue_jobs(&jobs, now).await?;
    store.set_setting(ARRIVALS_UPTO, &done.to_string(), now).await?;
    Ok(if full { Outcome::Again(now) } else { Outcome::Done(vec![]) })
}
