//! What follows a failed attempt: another one, a rest, or a result that says that there is none.

use jiff::{SignedDuration, Timestamp};
use model::enrichment::{AttemptEnd, Kind};

/// Attempts of one cycle; tags are not worth more than three (G-70).
const ATTEMPTS: u32 = 5;
const ATTEMPTS_FOR_TAGS: u32 = 3;
/// The wait after the first failure; doubled with each.
const FIRST_WAIT: SignedDuration = SignedDuration::from_secs(30);
/// After a cycle of temporary failures.
const REST: SignedDuration = SignedDuration::from_hours(24);

/// What becomes of the job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    /// Another attempt.
    Retry(Timestamp),
    /// A new cycle of attempts, later.
    Rest(Timestamp),
    /// It failed for good, and that is remembered.
    GiveUp,
    /// Good for good, with nothing in it (tags, G-70).
    Empty,
}

/// What follows an attempt that failed, after `before` failures.
pub fn after_failure(kind: Kind, end: AttemptEnd, before: u32, now: Timestamp) -> Next {
    let later = |wait: SignedDuration| now.saturating_add(wait).unwrap_or(Timestamp::MAX);
    let most = match (end, kind) {
        // A model that is asked without chance says the same again, and is paid for it again.
        (AttemptEnd::Unfaithful, _) => 1,
        (_, Kind::Tags) => ATTEMPTS_FOR_TAGS,
        (_, Kind::Summary | Kind::Deframe) => ATTEMPTS,
    };
    if before.saturating_add(1) < most {
        return Next::Retry(later(FIRST_WAIT * (1 << before.min(10))));
    }
    let temporary =
        matches!(end, AttemptEnd::Temporary | AttemptEnd::RateLimited | AttemptEnd::Lost | AttemptEnd::NotMade);
    match (temporary, kind) {
        (true, _) => Next::Rest(later(REST)),
        (false, Kind::Tags) => Next::Empty,
        (false, Kind::Summary | Kind::Deframe) => Next::GiveUp,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attempts_end_as_their_kind_says() {
        let now = Timestamp::UNIX_EPOCH;
        let told = |kind, end| -> Vec<String> {
            let mut told = Vec::new();
            for before in 0.. {
                let next = after_failure(kind, end, before, now);
                told.push(match next {
                    Next::Retry(at) => format!("{}s", at.as_second()),
                    Next::Rest(at) => format!("rest {}h", at.as_second() / 3600),
                    Next::GiveUp => "gives up".into(),
                    Next::Empty => "empty".into(),
                });
                if !matches!(next, Next::Retry(_)) {
                    break;
                }
            }
            told
        };
        let five = ["30s", "60s", "120s", "240s"];
        for end in [AttemptEnd::Temporary, AttemptEnd::RateLimited] {
            assert_eq!(told(Kind::Summary, end), [&five[..], &["rest 24h"]].concat());
            assert_eq!(told(Kind::Tags, end), ["30s", "60s", "rest 24h"]);
        }
        assert_eq!(told(Kind::Summary, AttemptEnd::Unfaithful), ["gives up"]);
        for end in [AttemptEnd::Permanent, AttemptEnd::BadAnswer] {
            assert_eq!(told(Kind::Deframe, end), [&five[..], &["gives up"]].concat());
            assert_eq!(told(Kind::Tags, end), ["30s", "60s", "empty"]);
        }
    }
}
