//! Pauses that publishers ask for: which rate group a response pauses, and for how long. Pure; the pause is part of the
//! plan, and `store` makes every worker obey it.
//!
//! Which group a URL belongs to, and its pace, are not here.

use jiff::{SignedDuration, Timestamp};
use model::plan::{Pause, PauseReason};
use model::visit::{Failure, Outcome, Visit};
use std::collections::{HashMap, HashSet};

/// For a 429 without a time: long enough to matter, short enough to notice when it is over.
const UNNAMED: SignedDuration = SignedDuration::from_mins(1);
/// After a burst of refusals.
const REFUSED: SignedDuration = SignedDuration::from_hours(1);
/// Refusals of this many URLs of one group are a burst: the publisher refuses us, not a page.
const BURST: usize = 3;
/// Refusals further apart than this are unrelated.
const BURST_WINDOW: SignedDuration = SignedDuration::from_mins(10);
/// At most this many groups are remembered; the one whose last refusal is oldest is dropped first.
const REMEMBERED: usize = 1000;

/// The pause that a visit causes. `refusals` is how many URLs of the group were refused recently, this one included.
pub fn pause(now: Timestamp, group: &str, visit: &Visit, refusals: usize, cap: SignedDuration) -> Option<Pause> {
    let (until, why) = match (&visit.outcome, visit.status) {
        (Outcome::Busy, status) => match visit.freshness.retry_after {
            Some(at) => (at.min(now + cap), PauseReason::Asked),
            None if status == Some(429) => (now + UNNAMED, PauseReason::TooOften),
            None => return None,
        },
        _ if was_refused(visit) && refusals >= BURST => (now + REFUSED, PauseReason::Refused),
        _ => return None,
    };
    (until > now).then(|| Pause { group: group.to_owned(), until, why })
}

/// Whether a visit can cause a pause at all; very few do.
pub fn may_pause(visit: &Visit) -> bool {
    visit.outcome == Outcome::Busy || was_refused(visit)
}

/// Whether the visit was refused: by 403, or by a challenge.
pub fn was_refused(visit: &Visit) -> bool {
    matches!(visit.outcome, Outcome::Failed(Failure::Status(403) | Failure::Challenge(_)))
}

/// The groups that refused us recently.
#[derive(Debug, Default)]
pub struct Refusals {
    groups: HashMap<String, Group>,
}

#[derive(Debug)]
struct Group {
    last_at: Timestamp,
    urls: HashSet<String>,
}

impl Refusals {
    /// Whether no group refused us recently.
    pub fn is_empty(&self) -> bool {
        self.groups.is_empty()
    }

    /// Records a refusal, and returns how many URLs of the group were refused recently.
    pub fn note(&mut self, group: &str, url: &str, at: Timestamp) -> usize {
        self.groups.retain(|_, group| at.duration_since(group.last_at) < BURST_WINDOW);
        if self.groups.len() >= REMEMBERED && !self.groups.contains_key(group) {
            let oldest = self.groups.iter().min_by_key(|(_, group)| group.last_at).map(|(name, _)| name.clone());
            oldest.and_then(|name| self.groups.remove(&name));
        }
        let group = self.groups.entry(group.to_owned()).or_insert_with(|| Group { last_at: at, urls: HashSet::new() });
        group.last_at = at;
        if group.urls.len() < BURST {
            group.urls.insert(url.to_owned());
        }
        group.urls.len()
    }

    /// Forgets a group that responded normally.
    pub fn forget(&mut self, group: &str) {
        self.groups.remove(group);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp::UNIX_EPOCH;
    const WEEK: SignedDuration = SignedDuration::from_hours(7 * 24);

    #[test]
    fn which_responses_pause_a_group() {
        let check = |what: &str, status: u16, outcome: Outcome, wait: Option<i64>, refusals, expected: &str| {
            let mut visit = Visit { status: Some(status), outcome, ..Visit::none(NOW) };
            visit.freshness.retry_after = wait.map(|seconds| NOW + SignedDuration::from_secs(seconds));
            let said = pause(NOW, "one.example", &visit, refusals, WEEK);
            assert_eq!(said.map_or("nobody".into(), |pause| pause.to_string()), expected, "{what}");
        };
        let alone = |until: &str, why: &str| format!("one.example is paused until {until}, because {why}");
        let asked = "the server asked for it";
        check("429 with a time", 429, Outcome::Busy, Some(120), 0, &alone("1970-01-01T00:02:00Z", asked));
        check("503 with a time", 503, Outcome::Busy, Some(120), 0, &alone("1970-01-01T00:02:00Z", asked));
        check("longer than a week", 429, Outcome::Busy, Some(9_999_999), 0, &alone("1970-01-08T00:00:00Z", asked));
        check("a time that is past", 429, Outcome::Busy, Some(-5), 0, "nobody");
        check(
            "429 alone",
            429,
            Outcome::Busy,
            None,
            0,
            &alone("1970-01-01T00:01:00Z", "it reported too many requests"),
        );
        check("503 alone: this URL only", 503, Outcome::Busy, None, 0, "nobody");
        let refused = || Outcome::Failed(Failure::Status(403));
        check("one 403", 403, refused(), None, 1, "nobody");
        let burst = alone("1970-01-01T01:00:00Z", "it refused several visits");
        check("a burst of 403", 403, refused(), None, 3, &burst);
        check("a burst of challenges", 403, Outcome::Failed(Failure::Challenge("Anubis")), None, 3, &burst);
        check("other failures", 500, Outcome::Failed(Failure::Status(500)), None, 9, "nobody");
    }

    #[test]
    fn a_burst_is_several_urls_in_a_short_time() {
        let mut refusals = Refusals::default();
        let minute = |n| NOW + SignedDuration::from_mins(n);
        assert_eq!(refusals.note("a", "1", minute(0)), 1);
        assert_eq!(refusals.note("a", "1", minute(1)), 1, "the same URL again");
        assert_eq!(refusals.note("b", "2", minute(1)), 1, "another group");
        assert_eq!(refusals.note("a", "2", minute(2)), 2);
        assert_eq!(refusals.note("a", "3", minute(13)), 1, "too late to belong to the others");
        refusals.forget("a");
        assert_eq!(refusals.note("a", "4", minute(13)), 1);
    }

    #[test]
    fn no_more_groups_are_remembered_than_there_is_room_for() {
        let mut refusals = Refusals::default();
        for n in 0..5000 {
            refusals.note(&format!("group {n}"), "u", NOW + SignedDuration::from_millis(n));
        }
        assert_eq!(refusals.groups.len(), REMEMBERED);
        assert!(refusals.groups.contains_key("group 4999"));
    }
}
