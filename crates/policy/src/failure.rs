//! What a visit's outcome means: which outcomes count as failures, how long to wait, when a feed is disabled, retired
//! or active again. Pure; `schedule` turns the delays into times.

use crate::rules::{Counts, Delay, ErrorBudget, FLOOR, Gone, Rules, Unit};
use jiff::{SignedDuration, Timestamp};
use model::feed::FeedState;
use model::lease::History;
use model::visit::{Failure, Outcome, Visit};

/// The minimum time between two responses of 410.
pub(crate) const A_DAY: SignedDuration = SignedDuration::from_hours(24);
/// The maximum length of an error message: parts of it come from servers, which may send megabytes.
const MAX_ERROR_CHARS: usize = 300;
/// How many visits `History::outcomes` remembers.
const REMEMBERED: u32 = 50;

/// What a visit means for the feed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judgement {
    /// The kind of outcome.
    pub verdict: Verdict,
    /// Whether it counts as a failure.
    pub counts: Counts,
    /// The error message, if any.
    pub error: Option<String>,
}

/// The kinds of outcome that are treated differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// A document was read.
    Fresh,
    /// Nothing had changed.
    Unchanged,
    /// No request was made.
    Deferred {
        /// The first free slot.
        until: Timestamp,
    },
    /// Asked to come later.
    Busy,
    /// 410.
    Gone,
    /// It failed.
    Failed,
    /// It failed because it is too large: visited less often from now on.
    TooLarge,
}

impl Verdict {
    /// Whether the visit succeeded.
    pub fn is_success(self) -> bool {
        matches!(self, Self::Fresh | Self::Unchanged)
    }
}

/// Judges a visit. `problem` is what was wrong with the entries of a document, if that fails the visit.
pub fn judgement(visit: &Visit, problem: Option<String>, rules: &Rules) -> Judgement {
    let verdict = match &visit.outcome {
        Outcome::Fresh(_) if problem.is_some() => Verdict::Failed,
        Outcome::Fresh(_) => Verdict::Fresh,
        Outcome::Unchanged => Verdict::Unchanged,
        // The redirecting host was asked already, and is not asked again at once because the target had no free slot.
        Outcome::Deferred { until } if visit.hops.is_empty() => Verdict::Deferred { until: *until },
        Outcome::Deferred { until } => Verdict::Deferred { until: (*until).max(visit.at + FLOOR) },
        Outcome::Busy => Verdict::Busy,
        Outcome::Gone => Verdict::Gone,
        Outcome::Failed(Failure::TooLarge { .. } | Failure::TooDense { .. }) => Verdict::TooLarge,
        Outcome::Failed(_) => Verdict::Failed,
    };
    match verdict {
        Verdict::Fresh | Verdict::Unchanged | Verdict::Deferred { .. } => {
            Judgement { verdict, counts: Counts::Pause, error: None }
        }
        Verdict::Busy => {
            Judgement { verdict, counts: rules.busy.counts, error: Some(shortened(&visit.outcome.to_string())) }
        }
        Verdict::Gone | Verdict::Failed | Verdict::TooLarge => {
            let error = problem.unwrap_or_else(|| visit.outcome.to_string());
            Judgement { verdict, counts: Counts::Failure, error: Some(shortened(&error)) }
        }
    }
}

/// One short line: it is stored, logged and shown with the feed.
pub(crate) fn shortened(error: &str) -> String {
    let line: String = error.chars().take(MAX_ERROR_CHARS + 1).map(|c| if c.is_control() { ' ' } else { c }).collect();
    content::excerpt(&line, MAX_ERROR_CHARS)
}

/// How long to wait after the `n`-th failure in a row; `None` means for ever.
pub fn failure_delay(delay: &Delay, n: u32, interval: SignedDuration, cap: SignedDuration) -> Option<SignedDuration> {
    let wait = match delay {
        Delay::OneStrike => return None,
        Delay::KeepInterval => return Some(interval),
        Delay::Ladder(steps) => {
            let step = (n.max(1) as usize - 1).min(steps.len().saturating_sub(1));
            steps.get(step).copied().unwrap_or(interval)
        }
        Delay::Exponential { base, unit } => {
            let unit = match unit {
                Unit::Interval { least } => interval.max(*least),
                Unit::Fixed(unit) => *unit,
            };
            // From 64 on every relevant base has reached the cap; powers stay finite.
            times(unit, base.powi(n.min(64) as i32))
        }
    };
    Some(wait.min(cap))
}

/// The new state of a feed, if it changes. `history` includes this visit.
pub fn next_state(
    now: Timestamp,
    state: &FeedState,
    history: &History,
    judged: &Judgement,
    rules: &Rules,
) -> Option<FeedState> {
    if judged.verdict.is_success() {
        return matches!(state, FeedState::Disabled { .. }).then_some(FeedState::Active);
    }
    let said_gone = judged.verdict == Verdict::Gone && rules.gone == Gone::Retire;
    if said_gone && history.gone_since.is_some_and(|since| now.duration_since(since) >= A_DAY) {
        return Some(FeedState::Gone);
    }
    let limit = rules.failure.disable_after.filter(|_| judged.counts == Counts::Failure && !said_gone)?;
    let already = matches!(state, FeedState::Disabled { .. });
    (history.failures >= limit && !already).then(|| {
        let why = judged.error.as_deref().unwrap_or("unknown");
        FeedState::Disabled { reason: format!("Consecutive failures: {why}") }
    })
}

/// Since when the server answers 410, this visit included. A visit without a response changes nothing.
pub(crate) fn gone_since(before: Option<Timestamp>, visit: &Visit, judged: &Judgement) -> Option<Timestamp> {
    match judged.verdict {
        Verdict::Gone => before.or(Some(visit.at)),
        _ if visit.status.is_none() => before,
        _ => None,
    }
}

/// The ring of outcomes with this visit added.
pub(crate) fn outcomes(before: u64, judged: &Judgement) -> u64 {
    match judged.verdict {
        Verdict::Deferred { .. } => before,
        _ => (before << 1 | u64::from(judged.counts == Counts::Failure)) & ((1 << REMEMBERED) - 1),
    }
}

/// Whether the feed has failed too often recently, regardless of successes in between (F-110).
pub fn is_over_budget(outcomes: u64, budget: ErrorBudget) -> bool {
    let window = (1_u64 << budget.of.min(REMEMBERED)) - 1;
    (outcomes & window).count_ones() >= budget.failures
}

/// A duration times a factor, saturating.
pub(crate) fn times(duration: SignedDuration, factor: f64) -> SignedDuration {
    const MOST: f64 = 1e10;
    let seconds = duration.as_secs_f64() * factor;
    SignedDuration::try_from_secs_f64(if seconds.is_finite() { seconds.clamp(0.0, MOST) } else { MOST })
        .unwrap_or(SignedDuration::ZERO)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Preset;

    const HOUR: SignedDuration = SignedDuration::from_hours(1);
    const NOW: Timestamp = Timestamp::UNIX_EPOCH;

    fn failed() -> Visit {
        Visit { status: Some(500), outcome: Outcome::Failed(Failure::Status(500)), ..Visit::none(NOW) }
    }

    #[test]
    fn error_messages_are_shortened() {
        let check = |outcome: Outcome, problem: Option<&str>| {
            let visit = Visit { outcome, ..failed() };
            let judged = judgement(&visit, problem.map(str::to_owned), &Rules::default());
            let error = judged.error.clone().unwrap();
            assert!(error.chars().count() <= 300 && error.ends_with('…') && !error.contains('\n'), "{error:?}");
            let history = History { failures: 99, ..History::default() };
            let state = next_state(NOW, &FeedState::Active, &history, &judged, &Rules::default()).unwrap();
            assert!(state.reason().is_some_and(|reason| reason.chars().count() < 350), "{state:?}");
        };
        let long = "evil\n".repeat(10_000);
        check(Outcome::Failed(Failure::Redirect(long.clone())), None);
        check(Outcome::Failed(Failure::Robots(long.clone())), None);
        check(Outcome::Failed(Failure::NotAFeed("x".repeat(10_000))), None);
        check(Outcome::Failed(Failure::Status(500)), Some(&long));
    }

    #[test]
    fn delays_grow_and_end() {
        let check = |what: &str, delay: &Delay, expected: &[i64]| {
            let minutes: Vec<i64> = (1..=expected.len() as u32)
                .map(|n| failure_delay(delay, n, HOUR, HOUR * 48).map_or(-1, |wait| wait.as_mins()))
                .collect();
            assert_eq!(minutes, expected, "{what}");
        };
        let unit = Unit::Interval { least: SignedDuration::ZERO };
        check("doubled", &Delay::Exponential { base: 2.0, unit }, &[120, 240, 480, 960, 1920, 2880, 2880]);
        let unit = Unit::Fixed(HOUR / 2);
        check("A-140's formula", &Delay::Exponential { base: 2.0, unit }, &[60, 120, 240, 480]);
        check("ladder", &Delay::Ladder(vec![HOUR, HOUR * 4]), &[60, 240, 240, 240]);
        check("an empty ladder", &Delay::Ladder(vec![]), &[60, 60]);
        check("as usual", &Delay::KeepInterval, &[60, 60]);
        check("one strike", &Delay::OneStrike, &[-1, -1]);
        let huge = Delay::Exponential { base: 100.0, unit: Unit::Fixed(SignedDuration::MAX) };
        assert_eq!(failure_delay(&huge, u32::MAX, HOUR, HOUR * 48), Some(HOUR * 48));
    }

    #[test]
    fn states_follow_from_responses() {
        let rules = Rules::preset(Preset::Courant);
        let disabled = FeedState::Disabled { reason: "long ago".into() };
        let check =
            |what: &str, state: &FeedState, failures: u32, gone_hours: Option<i64>, visit: &Visit, expected: &str| {
                let gone_since = gone_hours.map(|hours| NOW - HOUR * hours as i32);
                let history = History { failures, gone_since, ..History::default() };
                let next = next_state(NOW, state, &history, &judgement(visit, None, &rules), &rules);
                assert_eq!(next.map_or("as before".into(), |state| format!("{state:?}")), expected, "{what}");
            };
        let gone = Visit { status: Some(410), outcome: Outcome::Gone, ..Visit::none(NOW) };
        let unchanged = Visit { status: Some(304), outcome: Outcome::Unchanged, ..Visit::none(NOW) };
        let busy = Visit { status: Some(429), outcome: Outcome::Busy, ..Visit::none(NOW) };
        check("nine failures", &FeedState::Active, 9, None, &failed(), "as before");
        let because = r#"Disabled { reason: "Consecutive failures: the server answered 500" }"#;
        check("ten", &FeedState::Active, 10, None, &failed(), because);
        check("a probe that fails", &disabled, 11, None, &failed(), "as before");
        check("a probe that succeeds", &disabled, 0, None, &unchanged, "Active");
        check("busy is no failure", &FeedState::Active, 99, None, &busy, "as before");
        check("gone, first said", &FeedState::Active, 1, Some(0), &gone, "as before");
        check("gone, a day later", &FeedState::Active, 2, Some(24), &gone, "Gone");
    }

    #[test]
    fn gone_is_a_run_of_answers() {
        let rules = Rules::preset(Preset::Courant);
        let since = |visit: &Visit| gone_since(Some(NOW), visit, &judgement(visit, None, &rules)).is_some();
        assert!(!since(&failed()), "another response");
        let silent = Visit { outcome: Outcome::Failed(Failure::Dns("no".into())), ..Visit::none(NOW) };
        assert!(since(&silent), "no response");
    }

    #[test]
    fn ten_failures_in_fifty_visits_are_too_many() {
        let budget = ErrorBudget { failures: 10, of: 50, open_for: HOUR };
        let rules = Rules::default();
        let (bad, good) = (
            judgement(&failed(), None, &rules),
            Judgement { verdict: Verdict::Fresh, counts: Counts::Pause, error: None },
        );
        let mut memory = 0;
        for n in 0..10 {
            assert!(!is_over_budget(memory, budget), "{n} failures");
            memory = outcomes(outcomes(memory, &bad), &good);
        }
        assert!(is_over_budget(memory, budget));
        for _ in 0..40 {
            memory = outcomes(memory, &good);
        }
        assert!(!is_over_budget(memory, budget), "forgotten");
    }
}
