//! HTTP freshness: what `Cache-Control` and `Expires` say about when to come again. And the rule that
//! waits for the longest of the interval and these.

use super::{Choice, Decision, after, words};
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

/// How long the last successful answer stays fresh from now on, and who says so. As HTTP has it, max-age overrides
/// Expires; s-maxage is for shared caches, which we are not.
pub(super) fn freshness(now: Timestamp, said: &Freshness) -> Option<(SignedDuration, &'static str)> {
    let control = said.cache_control.as_deref().map(directives).unwrap_or_default();
    if control.must_ask {
        return None;
    }
    if let Some(seconds) = control.max_age {
        return Some((SignedDuration::from_secs(seconds), "max-age")).filter(|(wait, _)| !wait.is_zero());
    }
    let expires = said.expires_at?;
    (expires > now).then(|| (expires.duration_since(now), "Expires"))
}

#[derive(Default)]
struct Directives {
    max_age: Option<i64>,
    must_ask: bool,
}

fn directives(header: &str) -> Directives {
    let mut said = Directives::default();
    for directive in header.split(',') {
        let (name, value) = directive.split_once('=').unwrap_or((directive, ""));
        match name.trim() {
            name if name.eq_ignore_ascii_case("no-store") || name.eq_ignore_ascii_case("no-cache") => {
                said.must_ask = true;
            }
            name if name.eq_ignore_ascii_case("max-age") && said.max_age.is_none() => {
                said.max_age = delta_seconds(value.trim().trim_matches('"'));
            }
            _ => {}
        }
    }
    said
}

/// Digits only; more of them than fit mean "for ever", as HTTP has it.
fn delta_seconds(text: &str) -> Option<i64> {
    if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    Some(text.parse::<i64>().unwrap_or(i64::MAX).min(1 << 31))
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
        check(Some("public, MAX-AGE = \"600\", s-maxage=9"), None, "600 max-age");
        check(Some("s-maxage=9"), None, "none");
        check(Some("max-age=600"), Some(60), "600 max-age");
        check(Some("max-age=0"), Some(60), "none");
        check(Some("max-age=60, max-age=600"), None, "60 max-age");
        check(Some("no-cache, max-age=600"), Some(60), "none");
        check(Some("max-age=-5"), Some(60), "60 Expires");
        check(Some("max-age=99999999999999999999"), None, "2147483648 max-age");
        check(Some("private"), Some(60), "60 Expires");
        check(None, Some(-60), "none");
        check(Some(",,=,;max-age"), None, "none");
    }
}
