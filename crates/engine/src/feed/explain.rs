//! Why a feed is visited when it is, as of now, in words. Later events override the last decision: a worker is visiting it,
//! its rate group is paused, or it waits for other feeds of its publisher. Pure; shown by `courant feed` and by the operator's
//! room. Moments are told in the zone of who asks.

use jiff::Timestamp;
use jiff::tz::TimeZone;
use model::feed::FeedState;
use model::plan::PauseReason;
use model::visit::{PastVisit, VisitResult};
use store::FeedStatus;

/// The next visit of a feed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NextVisit {
    /// When, if known.
    pub at: Option<Timestamp>,
    /// Whether a worker is visiting it now.
    pub being_visited: bool,
    /// The reason for that time, or for no visit.
    pub reason: String,
}

impl NextVisit {
    /// In one line: when, how long from now, and why.
    pub fn line(&self, now: Timestamp, zone: &TimeZone) -> String {
        match self.at {
            _ if self.being_visited => self.reason.clone(),
            None => format!("never, {}", self.reason),
            Some(at) => format!("{}, {}, {}", moment(at, zone), policy::wait_in_words(now, Some(at)), self.reason),
        }
    }
}

/// A time with its zone: `2026-01-31 14:03 CET`.
fn moment(at: Timestamp, zone: &TimeZone) -> String {
    at.to_zoned(zone.clone()).strftime("%Y-%m-%d %H:%M %Z").to_string()
}

/// A time in a text that already names date and zone: only the hour, if it is on the same day.
fn moment_seen_from(at: Timestamp, now: Timestamp, zone: &TimeZone) -> String {
    let (there, here) = (at.to_zoned(zone.clone()), now.to_zoned(zone.clone()));
    if there.date() == here.date() { there.strftime("%H:%M").to_string() } else { moment(at, zone) }
}

/// Whether a feed is visited, in one word.
pub fn state_in_words(state: &FeedState) -> &'static str {
    match state {
        FeedState::Active => "active",
        FeedState::Paused => "off",
        FeedState::Disabled { .. } => "disabled",
        FeedState::AwaitingModeration => "awaiting",
        FeedState::Rejected { .. } => "rejected",
        FeedState::Gone => "gone",
        FeedState::Deleted => "deleted",
    }
}

/// The explanation as sentences: its last visit, and when and why the next one is.
pub fn explain(status: &FeedStatus, last: Option<&PastVisit>, now: Timestamp, zone: &TimeZone) -> String {
    let name = status.feed.title.as_deref().unwrap_or(&status.feed.url);
    let last = match last {
        Some(visit) => {
            format!("It was last visited on {} ({}).", moment(visit.at, zone), outcome_in_words(visit))
        }
        None => "It was never visited.".to_owned(),
    };
    let next = next_visit(status, now, zone);
    let next = match (next.at, &status.feed.state) {
        _ if next.being_visited => "A worker is visiting it now.".to_owned(),
        (None, FeedState::Active) => format!("It is not visited again until a user asks for it, {}.", next.reason),
        (None, _) => format!("It is not visited, {}.", next.reason),
        (Some(at), state) => {
            let what = if matches!(state, FeedState::Disabled { .. }) { "next try" } else { "next visit" };
            let wait = policy::wait_in_words(now, Some(at));
            format!("Its {what} is on {}, {wait}, {}.", moment(at, zone), next.reason)
        }
    };
    format!("{name}. {last} {next}")
}

/// What came of a visit.
pub fn outcome_in_words(visit: &PastVisit) -> String {
    let news = |count: u32| if count == 1 { "1 new entry".to_owned() } else { format!("{count} new entries") };
    match (visit.result, &visit.error) {
        (VisitResult::Fresh, _) => match &visit.problems {
            Some(problems) => format!("{}; {problems}", news(visit.new_entries)),
            None => news(visit.new_entries),
        },
        (VisitResult::Unchanged, _) => "nothing changed".to_owned(),
        (VisitResult::Deferred, _) => "put off".to_owned(),
        (VisitResult::Gone | VisitResult::Busy | VisitResult::Failed, Some(error)) => error.clone(),
        (VisitResult::Gone | VisitResult::Busy | VisitResult::Failed, None) => "failed".to_owned(),
    }
}

/// The next visit of a feed, as of now.
pub fn next_visit(status: &FeedStatus, now: Timestamp, zone: &TimeZone) -> NextVisit {
    let known = |at, reason: String| NextVisit { at, being_visited: false, reason };
    if !status.feed.state.is_runnable() {
        return known(None, not_visited(status));
    }
    let Some(due) = status.due_at else { return known(None, status.reason.clone()) };
    if status.worker.is_some() {
        return if due > now {
            NextVisit { at: None, being_visited: true, reason: "being visited".to_owned() }
        } else {
            known(Some(due), "because its worker stopped sending heartbeats".to_owned())
        };
    }
    let forced = status.because == model::schedule::Because::Forced.as_str();
    let pause = status.pause.filter(|(until, _)| *until > now && !forced);
    match (pause, status.slot) {
        (Some((until, why)), slot) if until > due || slot.is_some() => {
            // If the feed itself got the Retry-After, its own decision says so.
            let own = status.retry_after.is_some_and(|asked| asked >= until);
            known(Some(until.max(due)), left_alone(until, why, own, now, zone))
        }
        (None, Some(_)) if due > now => {
            let group = &status.rate_group;
            known(Some(due), format!("because other feeds of its publisher ({group}) go first, with some time between"))
        }
        _ => known(Some(due), status.reason.clone()),
    }
}

fn not_visited(status: &FeedStatus) -> String {
    let how = match status.feed.state {
        FeedState::Paused => ": `courant feed enable` enables it",
        FeedState::Gone => ": `courant feed enable` tries again",
        FeedState::Deleted => ": `courant feed add` restores it",
        _ => "",
    };
    let why = status.feed.state.reason().map_or_else(String::new, |why| format!(" ({why})"));
    format!("because it is {}{why}{how}", state_in_words(&status.feed.state))
}

fn left_alone(until: Timestamp, why: PauseReason, own: bool, now: Timestamp, zone: &TimeZone) -> String {
    let why = match why {
        PauseReason::Asked => "asked for a pause",
        PauseReason::TooOften => "reports too many requests, and is paused",
        PauseReason::Refused => "refused several visits, and is paused",
    };
    let until = moment_seen_from(until, now, zone);
    let over = if own { "" } else { ", over another of its feeds" };
    format!("because its publisher {why} until {until}{over}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::SignedDuration;
    use model::feed::{DomainRule, Feed, FeedKind, GuidTrust};

    const MINUTE: SignedDuration = SignedDuration::from_mins(1);

    fn now() -> Timestamp {
        "2026-01-01T07:00:00Z".parse().unwrap()
    }

    fn status() -> FeedStatus {
        let at = now() - MINUTE * 60;
        FeedStatus {
            feed: Feed {
                id: model::FeedId(1),
                uuid: uuid::Uuid::nil(),
                url: "https://one.example/feed".into(),
                owner: None,
                kind: FeedKind::Rss,
                title: None,
                site_url: None,
                description: None,
                language: None,
                root_domain: None,
                domain_rule: DomainRule::Any,
                polling: true,
                state: FeedState::Active,
                state_since: at,
                guids: GuidTrust::default(),
                allow_duplicate_urls: false,
                created_at: at,
                updated_at: at,
            },
            due_at: Some(now() + MINUTE * 80),
            worker: None,
            rate_group: "one.example".into(),
            visits: 1,
            last_visit_at: Some(at),
            last_success_at: Some(at),
            last_status: Some(200),
            last_error_at: None,
            last_error: None,
            failures: 0,
            interval: MINUTE * 120,
            because: "new-entries".into(),
            reason: "because it publishes about once a day".into(),
            new_entries: 1,
            retry_after: None,
            rules: std::collections::BTreeMap::new(),
            slot: None,
            pause: None,
            purge_at: None,
            readings: 0,
        }
    }

    #[test]
    fn the_real_cause_is_named() {
        let check = |what: &str, status: FeedStatus, expected: &str| {
            assert_eq!(next_visit(&status, now(), &TimeZone::UTC).line(now(), &TimeZone::UTC), expected, "{what}");
        };
        let usual = "2026-01-01 08:20 UTC, in 1 h 20 min, because it publishes about once a day";
        check("as decided, counted from now", status(), usual);
        let paused = |until: &str| Some((until.parse().unwrap(), PauseReason::Asked));
        let rest = "2026-01-01 08:43 UTC, in 1 h 43 min, because its publisher asked for a pause until 08:43, \
                    over another of its feeds";
        check("a paused host", FeedStatus { pause: paused("2026-01-01T08:43:00Z"), ..status() }, rest);
        let soon = || FeedStatus { due_at: Some(now() + MINUTE * 64), slot: Some(now()), ..status() };
        let rest = "2026-01-01 08:04 UTC, in 1 h 4 min, because its publisher asked for a pause until 08:03, \
                    over another of its feeds";
        check("put off by the pause", FeedStatus { pause: paused("2026-01-01T08:03:00Z"), ..soon() }, rest);
        check("a pause that ends before", FeedStatus { pause: paused("2026-01-01T08:03:00Z"), ..status() }, usual);
        check("a pause that is over", FeedStatus { pause: paused("2026-01-01T06:03:00Z"), ..status() }, usual);
        let turn = "2026-01-01 08:04 UTC, in 1 h 4 min, because other feeds of its publisher (one.example) go first, \
                    with some time between";
        check("waiting for its turn", soon(), turn);
        let leased = |due| FeedStatus { worker: Some("w".into()), due_at: Some(due), ..status() };
        check("a lease in progress", leased(now() + MINUTE), "being visited");
        let lost = "2026-01-01 06:59 UTC, now, because its worker stopped sending heartbeats";
        check("a lease that ended", leased(now() - MINUTE), lost);
        let state = |state| FeedStatus { feed: Feed { state, ..status().feed }, ..status() };
        let off = "never, because it is off: `courant feed enable` enables it";
        check("off", state(FeedState::Paused), off);
        let deleted = "never, because it is deleted: `courant feed add` restores it";
        check("deleted", state(FeedState::Deleted), deleted);
        let off = FeedStatus { worker: Some("w".into()), ..state(FeedState::Paused) };
        let next = next_visit(&off, now(), &TimeZone::UTC);
        assert_eq!((next.at, next.being_visited), (None, false), "off, whoever is at it");
    }
}
