//! Updates the history of a feed with this visit: the input of the next decision.
//!
//! A failure keeps everything that a success recorded; a 304 replaces the validators and freshness that it contains and
//! keeps the rest. A deferred visit changes nothing. The interval is set by the schedule.

use super::Sorted;
use crate::failure::{Judgement, Verdict, gone_since, outcomes};
use crate::moves::Moving;
use crate::rules::{Counts, Rules};
use crate::schedule::{learnt_rhythm, smoothed_gap, visit_hints};
use crate::version::published;
use jiff::{SignedDuration, Timestamp};
use model::entry::Hash;
use model::lease::{Dossier, History};
use model::reading::{End, Reading};
use model::visit::{Validators, Visit};

/// What the visit brought.
pub(super) struct News<'a> {
    pub(super) now: Timestamp,
    pub(super) reading: Option<&'a Reading>,
    pub(super) body_hash: Option<Hash>,
    pub(super) sorted: &'a Sorted,
    pub(super) moving: &'a Moving,
}

pub(super) fn after(dossier: &Dossier, visit: &Visit, judged: &Judgement, news: &News<'_>, rules: &Rules) -> History {
    let mut history = dossier.history.clone();
    history.visits += 1;
    history.readings += i64::from(news.reading.is_some());
    history.outcomes = outcomes(history.outcomes, judged);
    history.gone_since = gone_since(history.gone_since, visit, judged);
    history.pending_move.clone_from(&news.moving.pending);
    if news.reading.is_some() {
        history.quota = news.sorted.quota;
    }
    match judged.verdict {
        // The redirecting host was asked; the target without a free slot was not, and its earlier data still holds.
        Verdict::Deferred { .. } if visit.hops.is_empty() => {}
        Verdict::Deferred { .. } => history.last_visit_at = Some(visit.at),
        Verdict::Fresh | Verdict::Unchanged => {
            record_status(&mut history, visit);
            history.last_success_at = Some(visit.at);
            (history.last_error, history.last_error_at) = (None, None);
            (history.failures, history.busy) = (0, 0);
            record_response(&mut history, dossier, visit, news);
            rhythm(&mut history, dossier, news, rules);
        }
        Verdict::Busy | Verdict::Gone | Verdict::Failed | Verdict::TooLarge => {
            record_status(&mut history, visit);
            history.failures = history.failures.saturating_add(u32::from(judged.counts == Counts::Failure));
            history.busy = if judged.verdict == Verdict::Busy { history.busy.saturating_add(1) } else { 0 };
            history.last_error_at = Some(visit.at);
            history.last_error.clone_from(&judged.error);
        }
    }
    history
}

/// What every visit records, even without a response.
fn record_status(history: &mut History, visit: &Visit) {
    history.last_visit_at = Some(visit.at);
    history.last_status = visit.status;
    history.freshness.retry_after = visit.freshness.retry_after;
}

/// What the response provides for the next visit.
fn record_response(history: &mut History, dossier: &Dossier, visit: &Visit, news: &News<'_>) {
    history.new_entries = news.sorted.new.len() as u32;
    history.body_hash = news.body_hash.or(history.body_hash);
    let url = news.moving.adopted.as_ref().unwrap_or(&dossier.url);
    history.final_url = Some(visit.url.clone()).filter(|at| at != url);
    let (validators, freshness) = (visit.validators.clone(), visit.freshness.clone());
    if visit.status == Some(304) {
        // It comes from the URL that the validators were sent to, and describes the document that we have.
        let before = &mut history.validators;
        before.etag = validators.etag.or(before.etag.take());
        before.last_modified = validators.last_modified.or(before.last_modified.take());
        let before = &mut history.freshness;
        before.cache_control = freshness.cache_control.or(before.cache_control.take());
        before.expires_at = freshness.expires_at.or(before.expires_at);
    } else {
        // A full response without freshness fields has no freshness.
        (history.validators, history.freshness) = (validators, freshness);
        history.full_bytes = visit.hops.last().map(|hop| hop.wire_bytes);
    }
    if news.reading.is_some_and(|reading| reading.end == End::Early) {
        // With validators the server would answer "not modified", and the rest would never come. If the next response
        // has the same bytes, that is the whole document, and its validators are kept as usual.
        history.validators = Validators::default();
    }
    if let Some(reading) = news.reading.filter(|reading| reading.end != End::Early) {
        history.hints = visit_hints(&reading.feed.hints);
    }
}

/// The publishing rhythm, as far as this visit shows it.
fn rhythm(history: &mut History, dossier: &Dossier, news: &News<'_>, rules: &Rules) {
    let dates: Vec<Timestamp> = news
        .reading
        .iter()
        .flat_map(|reading| &reading.entries)
        .filter_map(published)
        .filter(|at| *at <= news.now)
        .collect();
    let before = dossier.history.rhythm.as_deref();
    let since = dossier.history.last_success_at.unwrap_or(news.now).min(news.now);
    // The first document shows the feed's past.
    if !news.sorted.new.is_empty() || history.ewma.is_none() {
        let known = (history.last_arrival_at, history.ewma);
        history.ewma = smoothed_gap(news.now, &dates, known, rules.interval.alpha).or(history.ewma);
        history.last_arrival_at = dates.iter().copied().max().max(history.last_arrival_at);
    }
    let arrivals = match before {
        None => dates,
        Some(_) => news.sorted.new.iter().map(|new| arrival(new.version.published_at, since, news.now)).collect(),
    };
    history.rhythm = Some(learnt_rhythm(before, news.now, &arrivals));
}

/// When an entry appeared: its own date, if that is between the two visits; else the middle between them.
fn arrival(published: Option<Timestamp>, since: Timestamp, now: Timestamp) -> Timestamp {
    let slack = SignedDuration::from_hours(1);
    let earliest = since.checked_sub(slack).unwrap_or(since);
    published.filter(|at| (earliest..=now).contains(at)).unwrap_or_else(|| since + now.duration_since(since) / 2)
}
