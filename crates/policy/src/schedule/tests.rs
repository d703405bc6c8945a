//! What every rule decides in the important cases; sequences per preset are in `tests/presets/`.

use super::*;
use crate::rules::Preset;
use crate::testing::now;
use model::lease::VisitHints;

const MINUTE: SignedDuration = SignedDuration::from_mins(1);
const HOUR: SignedDuration = SignedDuration::from_hours(1);

struct Case {
    rules: Rules,
    history: History,
    verdict: Verdict,
    counts: Counts,
    state: FeedState,
    polling: bool,
    dice: Dice,
}

fn case(preset: Preset, verdict: Verdict) -> Case {
    let counts = match verdict {
        Verdict::Fresh | Verdict::Unchanged | Verdict::Deferred { .. } => Counts::Pause,
        Verdict::Busy => Rules::preset(preset).busy.counts,
        _ => Counts::Failure,
    };
    let failures = u32::from(counts == Counts::Failure);
    let busy = u32::from(verdict == Verdict::Busy);
    let history = History { failures, busy, interval: HOUR, ..History::default() };
    let rules = Rules::preset(preset);
    Case { rules, history, verdict, counts, state: FeedState::Active, polling: true, dice: Dice::STILL }
}

fn decided(case: &Case) -> Schedule {
    let occasion = Occasion {
        now: now(),
        history: &case.history,
        state: &case.state,
        verdict: case.verdict,
        counts: case.counts,
        new_entries: usize::from(case.verdict == Verdict::Fresh),
        polling: case.polling,
        dice: case.dice,
        budget: None,
    };
    next_visit(&occasion, &case.rules)
}

fn told(case: &Case) -> String {
    let schedule = decided(case);
    let at = schedule.next.at().map_or("never".into(), |at| words(at.duration_since(now())));
    format!("{at}, {}", schedule.because)
}

fn asked(mut case: Case, wait: SignedDuration) -> Case {
    case.history.freshness.retry_after = Some(after(now(), wait));
    case
}

#[test]
fn a_server_that_names_a_time_is_obeyed() {
    let check = |what: &str, case: Case, expected: &str| assert_eq!(told(&case), expected, "{what}");
    let busy = |preset| case(preset, Verdict::Busy);
    let (courant, fetcher, reedme) = (Preset::Courant, Preset::Fetcher, Preset::Reedme);
    check("exactly", asked(busy(courant), HOUR * 8), "8 h, retry-after");
    check("F-51 exactly, however short", asked(busy(fetcher), MINUTE * 2), "2 min, retry-after");
    check("but not that short", asked(busy(fetcher), MINUTE / 60), "1 min, retry-after");
    let mut again = asked(busy(fetcher), MINUTE / 60);
    again.history.busy = 9;
    check("nor for ever", again, "1 h, error-backoff");
    check("C-6 a week is enough", asked(busy(courant), HOUR * 9999), "7 d, retry-after");
    check("C-6 no cap", asked(busy(fetcher), HOUR * 24 * 365), "365 d, retry-after");
    check("C-6 48 hours", asked(busy(reedme), HOUR * 9999), "2 d, retry-after");
    check("also after a success", asked(case(reedme, Verdict::Fresh), HOUR * 9), "9 h, retry-after");
    check("in the past", asked(case(reedme, Verdict::Fresh), HOUR * -9), "30 min, new-entries");
    check("F-52 without one", busy(fetcher), "1 h, error-backoff");
    check("G-38", asked(busy(Preset::Governance), HOUR * 9), "9 h, retry-after");
    check("to the end of time", asked(busy(fetcher), SignedDuration::MAX), "2912122 d 10 h, retry-after");
}

#[test]
fn what_ends_visits() {
    let check = |what: &str, case: Case, expected: &str| assert_eq!(told(&case), expected, "{what}");
    let courant = Preset::Courant;
    check("gone, first said", case(courant, Verdict::Gone), "1 d, gone");
    let gone = Case { state: FeedState::Gone, ..case(courant, Verdict::Gone) };
    check("gone, believed", gone, "never, gone");
    check("gone counts", case(Preset::Reader, Verdict::Gone), "1 h, error-backoff");
    let disabled = || FeedState::Disabled { reason: "x".into() };
    let probed = Case { state: disabled(), ..case(courant, Verdict::Failed) };
    check("disabled, probed weekly", probed, "7 d, disabled");
    let dead = Case { state: disabled(), ..case(Preset::Reader, Verdict::Failed) };
    check("disabled for good", dead, "never, disabled");
    check("one strike", case(Preset::Deframer, Verdict::Failed), "never, one-strike");
    let once = Case { polling: false, ..case(courant, Verdict::Unchanged) };
    check("not polled", once, "never, one-time");
    let later = Case { polling: false, ..case(Preset::Reader, Verdict::Failed) };
    check("not polled, but not done either", later, "1 h, error-backoff");
    let until = now() + HOUR * 3;
    check("no room", case(courant, Verdict::Deferred { until }), "3 h, no-room");
}

#[test]
fn hints_are_heard_and_clamped() {
    let hinted = |preset, ttl_minutes, skip_hours: u32, skip_days| {
        let mut case = case(preset, Verdict::Unchanged);
        case.history.hints = VisitHints { ttl_minutes, skip_hours, skip_days };
        case
    };
    let check = |what: &str, case: Case, expected: &str| assert_eq!(told(&case), expected, "{what}");
    for preset in [Preset::Courant, Preset::Fetcher] {
        check("ttl", hinted(preset, Some(360), 0, 0), "6 h, not-modified");
        check("ttl of a century", hinted(preset, Some(u32::MAX), 0, 0), "1 d, not-modified");
        check("all hours", hinted(preset, Some(180), u32::MAX, 0), "3 h, not-modified");
        check("all days", hinted(preset, Some(180), 0, u8::MAX), "3 h, not-modified");
        check("the afternoon", hinted(preset, Some(180), 0b1111 << 14, 0), "6 h, not-modified");
        check("the rest of Monday", hinted(preset, Some(180), 0, 1), "12 h, not-modified");
    }
    let mut fresh = hinted(Preset::Courant, Some(30), 0, 0);
    fresh.history.freshness.cache_control = Some("max-age=18000".into());
    check("max-age", fresh, "5 h, not-modified");
    let mut fresh = hinted(Preset::Courant, None, 0, 0);
    fresh.history.freshness.cache_control = Some("max-age=99999999999999999999".into());
    check("max-age without end", fresh, "1 d, not-modified");
    let mut expires = hinted(Preset::Courant, None, 0, 0);
    expires.history.freshness.expires_at = Some(Timestamp::MAX);
    check("Expires at the end of time", expires, "1 d, not-modified");
    check("a fixed rhythm does not care", hinted(Preset::Reader, Some(360), u32::MAX, 0), "30 min, not-modified");
}

#[test]
fn jitter_stays_within_all_bounds() {
    for preset in [Preset::Fetcher, Preset::Courant] {
        let mut case = case(preset, Verdict::Unchanged);
        case.rules.interval.max = HOUR * 2;
        for ttl in [0, 60, 75, 120] {
            for skip_hours in [0, 1 << 13, 1 << 14, 0b101 << 12] {
                case.history.hints = VisitHints { ttl_minutes: Some(ttl), skip_hours, skip_days: 0 };
                case.dice = Dice::STILL;
                let still = decided(&case).next.at().unwrap();
                for visit in 0..50 {
                    case.dice = Dice::of(1, visit);
                    let at = decided(&case).next.at().unwrap();
                    let wait = at.duration_since(now());
                    assert!(wait >= MINUTE * ttl as i32 && wait >= MINUTE * 5, "{ttl} {skip_hours:b}: {wait:?}");
                    assert!(wait <= HOUR * 2 || at <= still, "{ttl} {skip_hours:b}: {wait:?}");
                    assert_eq!(window::next_open(&case.history.hints, at), Some(at), "{ttl} {skip_hours:b}: {at}");
                }
            }
        }
    }
}

#[test]
fn an_error_budget_opens_the_circuit() {
    let mut flapping = case(Preset::Courant, Verdict::Failed);
    flapping.history.interval = MINUTE * 5;
    flapping.history.outcomes = 0b1_0101_0101_0101_0101;
    assert_eq!(told(&flapping), "30 min, error-backoff", "nine in fifty");
    flapping.history.outcomes |= 0b100_0000_0000_0000_0000;
    assert_eq!(told(&flapping), "1 h, error-backoff", "ten in fifty");
}

#[test]
fn a_decision_can_be_explained() {
    let mut case = case(Preset::Courant, Verdict::Unchanged);
    case.history.hints.ttl_minutes = Some(360);
    case.history.hints.skip_hours = 1 << 18;
    let schedule = decided(&case);
    assert_eq!(schedule.reason, "because its publisher asks not to be visited before 19:00 UTC (skipHours)");
    assert_eq!(
        schedule.trace,
        [
            "rhythm: about once a day, which is worth a visit in 2 h",
            "ttl: not before 6 h",
            "skipHours: 1 h later",
            "jitter: +0 s"
        ]
    );
}

/// The reason used to be the rhythm of the feed, whatever had moved the visit.
#[test]
fn the_reason_is_the_rule_that_moved_the_visit_last() {
    let hinted = |preset, ttl_minutes, skip_hours: u32, skip_days| {
        let mut case = case(preset, Verdict::Unchanged);
        case.history.hints = VisitHints { ttl_minutes, skip_hours, skip_days };
        case
    };
    let check = |what: &str, case: &Case, expected: &str| assert_eq!(decided(case).reason, expected, "{what}");
    for preset in [Preset::Courant, Preset::Fetcher] {
        let closed = "because its publisher asks not to be visited before 18:00 UTC (skipHours)";
        check("four hours of the afternoon", &hinted(preset, Some(180), 0b1111 << 14, 0), closed);
        let closed = "because its publisher asks not to be visited before 2026-11-17 00:00 UTC (skipDays)";
        check("the rest of Monday", &hinted(preset, Some(180), 0, 1), closed);
        let closed =
            "because its publisher asks not to be visited before 2026-11-17 01:00 UTC (skipHours and skipDays)";
        check("Monday and midnight", &hinted(preset, Some(180), 1, 1), closed);
        let century = "because its publisher asks for 7 d (ttl), and visits are at most 1 d apart (interval.max)";
        check("a ttl beyond the maximum", &hinted(preset, Some(7 * 24 * 60), 0, 0), century);
        check("a ttl", &hinted(preset, Some(360), 0, 0), "because its publisher asks for 6 h (ttl)");
    }
    let mut failed = case(Preset::Courant, Verdict::Failed);
    check("a failure", &failed, "because the visit failed");
    failed.history.failures = 4;
    check("four of them", &failed, "because the last 4 visits failed");
    let patient = asked(case(Preset::Courant, Verdict::Busy), HOUR * 24 * 30);
    let cut = "because the server asked to wait 30 d (Retry-After), of which at most 7 d are honoured";
    check("a Retry-After beyond what is believed", &patient, cut);
    let asked = asked(case(Preset::Courant, Verdict::Busy), HOUR * 8);
    check("a Retry-After", &asked, "because the server asked for it (Retry-After)");
}

#[test]
fn a_feed_too_large_is_visited_more_seldom() {
    let schedule = decided(&case(Preset::Fetcher, Verdict::TooLarge));
    assert_eq!(schedule.interval, MINUTE * 75, "F-109");
}

#[test]
fn what_would_follow_a_first_visit() {
    let visit = crate::testing::fresh();
    let reason = first_schedule(now(), &visit, 2, &Rules::default()).reason;
    assert_eq!(reason, "because it publishes about once a day");
}

mod hostile {
    use super::*;
    use proptest::prelude::*;

    fn moments() -> impl Strategy<Value = Option<Timestamp>> {
        let any = Timestamp::MIN.as_second()..=Timestamp::MAX.as_second();
        proptest::option::of(
            prop_oneof![any, 1_794_000_000_i64..1_796_000_000]
                .prop_map(|second| Timestamp::from_second(second).unwrap()),
        )
    }

    fn histories() -> impl Strategy<Value = History> {
        let hints = (any::<Option<u32>>(), any::<u32>(), any::<u8>());
        let control = proptest::option::of("(max-age=[0-9]{0,25}|no-store|,|=|max-age){0,3}");
        let numbers = (any::<u32>(), any::<u32>(), any::<u64>(), any::<i64>(), any::<Option<i64>>());
        let rhythm = proptest::option::of(proptest::collection::vec(any::<u8>(), 0..170));
        (hints, control, moments(), moments(), numbers, rhythm).prop_map(
            |((ttl_minutes, skip_hours, skip_days), cache_control, expires_at, retry_after, numbers, rhythm)| {
                let (failures, busy, outcomes, interval, ewma) = numbers;
                History {
                    failures,
                    busy,
                    outcomes,
                    interval: SignedDuration::from_secs(interval),
                    ewma: ewma.map(SignedDuration::from_secs),
                    hints: VisitHints { ttl_minutes, skip_hours, skip_days },
                    freshness: model::visit::Freshness { cache_control, expires_at, retry_after },
                    rhythm,
                    ..History::default()
                }
            },
        )
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(2000) })]

        #[test]
        fn whatever_a_server_says_the_next_visit_is_ahead_and_not_at_once(
            history in histories(), preset in 0..6_usize, verdict in 0..6_usize, roll in any::<u64>(),
        ) {
            let verdicts = [Verdict::Fresh, Verdict::Unchanged, Verdict::Busy, Verdict::Gone, Verdict::Failed, Verdict::TooLarge];
            let mut case = case(Preset::ALL[preset], verdicts[verdict]);
            case.history = history;
            case.dice = Dice(roll);
            let schedule = decided(&case);
            let least = if schedule.because == Because::RetryAfter { MINUTE } else { MINUTE * 5 };
            if let Some(at) = schedule.next.at() {
                prop_assert!(at.duration_since(now()) >= least, "{schedule:?}");
            }
            prop_assert!((MINUTE * 5..=HOUR * 48).contains(&schedule.interval), "{schedule:?}");
        }
    }
}
