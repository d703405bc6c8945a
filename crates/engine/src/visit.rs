//! One visit: hop by hop, each with its appointment, up to as many redirects as the operator allows. What servers do is an
//! outcome; an error means that the store cannot make appointments.
//!
//! Validators are sent, verbatim, only to the URL they came from. Credentials are sent only to the origin of the requested
//! URL.

pub(crate) mod answer;
pub(crate) mod icon;
pub(crate) mod memory;
pub(crate) mod refresh;
pub(crate) mod robots;

use crate::engine::Engine;
use crate::redacted::Redacted;
use crate::visit::answer::Redirect;
use crate::visit::robots::robots;
use crate::worker::group_queue::GroupPermit;
use fetch::{Egress, Exchange, Header, Proxy, Request, Room};
use jiff::{SignedDuration, Timestamp};
use model::lease::Lease;
use model::visit::{Failure, Hop, Outcome, Validators, Visit};
use std::time::Duration;
use store::{Appointment, Pace, StoreError};
use tokio::sync::Notify;
use tracing::Instrument as _;
use url::Url;

/// What to visit, and how.
pub struct VisitRequest<'a> {
    /// The URL.
    pub url: &'a str,
    /// What for.
    pub class: Egress,
    /// Validators for a conditional request, and the URL that gave them.
    pub validators: Option<(&'a str, &'a Validators)>,
    /// Who chose the URL.
    pub chosen: Chosen,
    /// Credentials, sent to the URL's own origin only.
    pub proof: Option<Header>,
    /// A proxy of its own.
    pub proxy: Option<Proxy>,
    /// A user agent of its own.
    pub user_agent: Option<String>,
    /// The lease whose appointment the first hop has; without a lease it makes one.
    pub lease: Option<&'a Lease>,
}

impl<'a> VisitRequest<'a> {
    /// A plain visit to a URL that a person gave.
    pub fn to(url: &'a str, class: Egress) -> Self {
        Self {
            url,
            class,
            validators: None,
            chosen: Chosen::ByAPerson,
            proof: None,
            proxy: None,
            user_agent: None,
            lease: None,
        }
    }

    /// A visit to a URL that we found ourselves.
    pub fn crawl(url: &'a str, class: Egress) -> Self {
        Self { chosen: Chosen::ByUs, ..Self::to(url, class) }
    }
}

/// Who chose the URL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Chosen {
    /// A person gave it: robots.txt is not asked.
    ByAPerson,
    /// We found it: robots.txt is asked first, on every hop.
    ByUs,
}

/// A hop whose slot is further off than this is not waited for: the longest crawl delay that a robots.txt gets.
const PATIENCE: SignedDuration = SignedDuration::from_secs(60);

/// A slot that was missed by more than this is given up for another.
const LATE: SignedDuration = SignedDuration::from_millis(100);

/// What a visit in progress shares with the worker.
#[derive(Default)]
pub(crate) struct Going<'a> {
    /// Notified when a large answer is complete and waits for memory: the publisher is done.
    pub(crate) large: Notify,
    /// The visit's permit in its rate group.
    pub(crate) place: Option<GroupPermit<'a>>,
}

/// Makes the visit and follows redirects.
pub async fn visit(engine: &Engine, errand: &VisitRequest<'_>) -> Result<Visit, StoreError> {
    visit_keeping(engine, errand, &Going::default()).await.map(|(visit, _)| visit)
}

/// The same, with the memory that was reserved for the document; the caller keeps it as long as it keeps the document.
pub(crate) async fn visit_keeping(
    engine: &Engine,
    errand: &VisitRequest<'_>,
    going: &Going<'_>,
) -> Result<(Visit, Room), StoreError> {
    let mut room = Room::default();
    let mut visit = Visit { url: errand.url.to_owned(), ..Visit::none(engine.now()) };
    let mut moved = true;
    for redirects in 0..=engine.options.redirects {
        let mut least_spacing = SignedDuration::ZERO;
        if errand.chosen == Chosen::ByUs {
            let rules = robots(engine, &visit.url).await?;
            if let Err(rule) = rules.verdict {
                visit.outcome = Outcome::Failed(Failure::Robots(rule));
                break;
            }
            least_spacing = rules.delay;
        }
        let turn = wait_for_turn(engine, errand, &visit.url, (redirects > 0).then_some(going), least_spacing);
        if let Some(until) = turn.instrument(tracing::debug_span!("turn")).await? {
            visit.outcome = Outcome::Deferred { until };
            break;
        }
        if redirects == 0 {
            visit.at = engine.now();
        }
        let request = tracing::debug_span!("request", url = %Redacted(&visit.url));
        let mut exchange = exchange(engine, errand, &visit, going).instrument(request).await;
        let hop = hop(&exchange);
        engine.figures.requested(errand.class, &hop);
        visit.hops.push(hop);
        visit.url.clone_from(&exchange.url);
        match answer::redirect(&exchange) {
            None => {
                room = exchange.answer.as_mut().map(|answer| std::mem::take(&mut answer.room)).unwrap_or_default();
                conclude(engine, &mut visit, exchange);
                break;
            }
            Some(Err(failure)) => {
                visit.outcome = Outcome::Failed(failure);
                break;
            }
            // Without cookies the second time would be the same as the first.
            Some(Ok(Redirect { target, .. })) if visit.hops.iter().any(|hop| hop.url == target) => {
                visit.outcome = Outcome::Failed(Failure::Redirect("in a circle".to_owned()));
                break;
            }
            Some(Ok(Redirect { target, permanent })) => {
                moved &= permanent;
                visit.moved_to = Some(target.clone()).filter(|_| moved);
                visit.url = target;
                visit.outcome = Outcome::Failed(Failure::TooManyRedirects);
            }
        }
    }
    visit.took = spent(&visit).try_into().unwrap_or(SignedDuration::MAX);
    Ok((visit, room))
}

/// Waits until a hop may go; returns the time instead when it is too far off. A redirect to another group needs an
/// appointment and a permit of that group.
async fn wait_for_turn(
    engine: &Engine,
    errand: &VisitRequest<'_>,
    url: &str,
    redirected: Option<&Going<'_>>,
    least_spacing: SignedDuration,
) -> Result<Option<Timestamp>, StoreError> {
    if let Some(slot) = errand.lease.and_then(|lease| lease.slot).filter(|_| redirected.is_none()) {
        engine.clock.wait_until(slot).await;
        if engine.now() <= slot + LATE {
            return Ok(None);
        }
        // Other visits have had their slots meanwhile: going now might be too close to one.
    }
    // A URL without a group is refused by the guard.
    let Some((group, pace)) = engine.group(url) else { return Ok(None) };
    let begun = engine.now();
    // The last answer took this long, so an earlier slot could not be kept.
    let mut ahead = SignedDuration::ZERO;
    loop {
        let asked = engine.now();
        let now = asked + ahead;
        let patience = (begun + PATIENCE).duration_since(now);
        let pace = Pace { patience, spacing: pace.spacing.max(least_spacing), ..pace };
        let appointment = match errand.lease {
            Some(lease) => engine.store.appoint_hop(lease, &group.name, now, pace).await?,
            None => engine.store.reserve(&group.name, now, pace).await?,
        };
        match appointment {
            Appointment::At(at) => {
                if let Some(place) = redirected.and_then(|going| going.place.as_ref()) {
                    place.move_to(&group.name);
                }
                ahead = engine.now().duration_since(asked);
                engine.clock.wait_until(at).await;
                if engine.now() <= at + LATE {
                    return Ok(None);
                }
            }
            Appointment::Later(at) | Appointment::Full(at) if at <= begun + PATIENCE => {
                engine.clock.wait_until(at).await;
            }
            Appointment::Later(at) | Appointment::Full(at) => return Ok(Some(at)),
            // The lease is lost: nothing could be written.
            Appointment::Lost => return Ok(Some(now)),
        }
    }
}

async fn exchange(engine: &Engine, errand: &VisitRequest<'_>, visit: &Visit, going: &Going<'_>) -> Exchange {
    let url = visit.url.as_str();
    let plain = Request::new(url, errand.class);
    let validators = errand.validators.filter(|(from, _)| *from == url).map_or(plain.validators, |(_, given)| given);
    let headers: Vec<Header> = errand.proof.clone().filter(|_| same_origin(errand.url, url)).into_iter().collect();
    // The time of a visit is for all its hops together.
    let timeout = engine.options.timeout.saturating_sub(spent(visit));
    let request = Request {
        validators,
        headers: &headers,
        user_agent: errand.user_agent.as_deref(),
        proxy: errand.proxy.as_ref().or(engine.options.proxy.as_ref()),
        timeout: Some(timeout),
        large: Some(&going.large),
        ..plain
    };
    engine.fetch.exchange(request).await
}

/// Without the time spent waiting for slots, which says nothing about the publisher.
fn spent(visit: &Visit) -> Duration {
    visit.hops.iter().map(|hop| hop.timings.total).sum()
}

fn same_origin(one: &str, other: &str) -> bool {
    match (Url::parse(one), Url::parse(other)) {
        (Ok(one), Ok(other)) => one.origin() == other.origin(),
        _ => false,
    }
}

fn hop(exchange: &Exchange) -> Hop {
    let answer = exchange.answer.as_ref().ok();
    Hop {
        url: exchange.url.clone(),
        status: answer.map(|answer| answer.status),
        address: exchange.address,
        timings: exchange.timings,
        wire_bytes: answer.map_or(0, |answer| answer.wire_bytes),
        decoded_bytes: answer.map_or(0, |answer| answer.decoded.len() as u64),
    }
}

/// Whether the request asked "has it changed?": only then is "no" an answer.
fn is_conditional(headers: &model::raw::Headers) -> bool {
    ["if-none-match", "if-modified-since"].iter().any(|name| answer::header(headers, name).is_some())
}

fn conclude(engine: &Engine, visit: &mut Visit, exchange: Exchange) {
    visit.request_headers = exchange.request_headers;
    match exchange.answer {
        Err(failure) => visit.outcome = Outcome::Failed(failure),
        Ok(mut answer) => {
            visit.status = Some(answer.status);
            visit.validators = answer::validators(&answer.headers);
            visit.freshness = answer::freshness(&answer.headers, engine.now());
            (visit.outcome, visit.cut) = answer::outcome(&mut answer);
            visit.response_headers = answer::recorded(answer.headers);
            if visit.outcome == Outcome::Unchanged && !is_conditional(&visit.request_headers) {
                visit.outcome = Outcome::Failed(Failure::Protocol("304, although nothing was asked for".to_owned()));
            }
        }
    }
}
