//! When a feed is visited next and why, as of now. Later events override the last decision: a worker is visiting it,
//! its rate group is paused, or it waits for other feeds of its publisher. Pure; shown by `feed show`, `feed list` and
//! `feed explain`.

use jiff::Timestamp;
use model::feed::FeedState;
use model::plan::PauseReason;
use store::FeedStatus;

use super::super::table;
use super::state;

/// The next visit of a feed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in super::super) struct NextVisit {
    /// When, if known.
    pub(in super::super) at: Option<Timestamp>,
    /// Whether a worker is visiting it now.
    pub(super) being_visited: bool,
    /// The reason for that time, or for no visit.
    pub(super) reason: String,
}

impl NextVisit {
    /// In one line: when, how long from now, and why.
    pub(super) fn line(&self, now: Timestamp) -> String {
        match self.at {
            _ if self.being_visited => self.reason.clone(),
            None => format!("never, {}", self.reason),
            Some(at) => format!("{}, {}, {}", table::moment(at), policy::wait_in_words(now, Some(at)), self.reason),
        }
    }

    /// For a column of a table.
    pub(super) fn cell(&self) -> String {
        match self.at {
            _ if self.being_visited => "being visited".to_owned(),
            None => "never".to_owned(),
            Some(at) => table::in_table(at),
        }
    }
}

/// The next visit of a feed, as of now.
pub(in super::super) fn next_visit(status: &FeedStatus, now: Timestamp) -> NextVisit {
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
            known(Some(until.max(due)), left_alone(until, why, own, now))
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
    format!("because it is {}{why}{how}", state(status))
}

fn left_alone(until: Timestamp, why: PauseReason, own: bool, now: Timestamp) -> String {
    let why = match why {
        PauseReason::Asked => "asked for a pause",
        PauseReason::TooOften => "reports too many requests, and is paused",
        PauseReason::Refused => "refused several visits, and is paused",
    };
    let until = table::moment_seen_from(until, now);
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
            assert_eq!(next_visit(&status, now()).line(now()), expected, "{what}");
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
        assert_eq!(next_visit(&off, now()).cell(), "never", "off, whoever is at it");
    }
}
