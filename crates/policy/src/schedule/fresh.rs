//! HTTP freshness: what `Cache-Control` and `Expires` say about when to come again, and the rule that
//! waits for the longer of the interval and these. How the fields are read is in `http_semantics`.

use super::{Choice, Decision, after, words};
use http_semantics::CacheControl;
use jiff::{SignedDuration, Timestamp};
use model::visit::Freshness;

/// `max(interval, freshness)`, at most the cap. Retry-After is asked where all rules ask it.
pub(super) fn choose(decision: &mut Decision<'_>) -> Choice {
    let interval = decision.rules.interval.initial.max(decision.rules.interval.min);
    let cap = decision.rules.interval.max;
    decision.say(format!("interval: {}", words(interval)));
    let mut wait = interval.min(cap);
    let mut why = None;
    if let Some((fresh, name)) = freshness(decision.occasion.now, &decision.occasion.history.freshness) {
        decision.say(format!("{name}: {}", words(fresh)));
        if fresh > wait {
            wait = fresh.min(cap);
            why = Some(if fresh > cap {
                let (fresh, cap) = (words(fresh), words(cap));
                format!("the answer is fresh for {fresh} ({name}), and visits are at most {cap} apart (interval.max)")
            } else {
                format!("the answer is fresh until then ({name})")
            });
        }
    }
    Choice { at: after(decision.occasion.now, wait), interval, why }
}

/// How long the last successful answer stays fresh from now on, and by which field.
pub(super) fn freshness(now: Timestamp, said: &Freshness) -> Option<(SignedDuration, &'static str)> {
    let control = CacheControl::read(said.cache_control.as_deref().map(str::as_bytes));
    match http_semantics::freshness(&control, said.expires_at, now) {
        http_semantics::Freshness::Fresh(left, by) => Some((left, by.name())),
        http_semantics::Freshness::Stale | http_semantics::Freshness::NotStated => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_answer_says_of_its_freshness() {
        let now = Timestamp::UNIX_EPOCH;
        let check = |control: Option<&str>, expires: Option<i64>, expected: &str| {
            let expires_at = expires.map(|seconds| now + SignedDuration::from_secs(seconds));
            let said = Freshness { cache_control: control.map(str::to_owned), expires_at, retry_after: None };
            let fresh =
                freshness(now, &said).map_or("none".into(), |(wait, name)| format!("{} {name}", wait.as_secs()));
            assert_eq!(fresh, expected, "{control:?} {expires:?}");
        };
        check(None, None, "none");
        check(Some("max-age=600"), None, "600 max-age");
        check(Some("s-maxage=9"), None, "none");
        check(Some("max-age=600"), Some(60), "600 max-age");
        check(Some("max-age=0"), Some(60), "none");
        check(Some("no-cache, max-age=600"), Some(60), "none");
        check(Some("max-age=-5"), Some(60), "none");
        check(Some("max-age=99999999999999999999"), None, "2147483648 max-age");
        check(Some("private"), Some(60), "60 Expires");
        check(None, Some(-60), "none");
    }

    /// The schedule took the first of two, and robots.txt the last.
    #[test]
    fn a_repeated_max_age_means_the_same_to_the_schedule_and_to_robots() {
        let check = |control: &str, expected_hours: i64| {
            let cache_control = Some(control.to_owned());
            let said = Freshness { cache_control, expires_at: None, retry_after: None };
            let fresh = freshness(Timestamp::UNIX_EPOCH, &said).map_or(0, |(wait, _)| wait.as_hours());
            let kept = crate::robots::keep_for(Some(200), Some(control)).as_hours();
            // robots.txt is kept for an hour at least.
            assert_eq!((fresh, kept), (expected_hours, expected_hours.max(1)), "{control}");
        };
        check("max-age=7200, max-age=36000", 2);
        check("max-age=36000, max-age=7200", 10);
        check("max-age=soon, max-age=7200", 0);
        check("max-age=7200, max-age=soon", 2);
        check("private=\"max-age=7200, x\", max-age=36000", 10);
    }
}
