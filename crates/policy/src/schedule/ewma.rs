//! The classic EWMA rule: the interval grows when there is nothing new and shrinks when there is, blended with the
//! smoothed gap between entries. Order of the steps: F-105.

use super::{Choice, Decision, after, asked_for, words};
use crate::failure::{Verdict, times};
use jiff::{SignedDuration, Timestamp};

/// How many publication times are used for the smoothed gap (F-107).
const TIMES: usize = 20;

pub(super) fn choose(decision: &mut Decision<'_>) -> Choice {
    let rules = &decision.rules.interval;
    let history = decision.occasion.history;
    let within = |wait: SignedDuration| wait.min(rules.max).max(rules.min);
    let before = decision.usual();
    let news = decision.occasion.new_entries > 0 && decision.occasion.verdict == Verdict::Fresh;
    let factor = if news { rules.down } else { rules.up };
    let mut interval = within(times(before, factor));
    decision.say(format!("interval: {} x {factor} is {}", words(before), words(interval)));
    if let Some(gap) = history.ewma {
        let wanted = within(gap);
        let blended = times(wanted, rules.lambda).saturating_add(times(interval, 1.0 - rules.lambda));
        interval = within(blended);
        decision.say(format!("entries come every {}: blended to {}", words(gap), words(interval)));
    }
    let mut least = rules.min;
    let mut why = None;
    if let Some(ttl) = history.hints.ttl_minutes {
        let wish = SignedDuration::from_mins(i64::from(ttl));
        least = within(wish);
        if least > interval || wish > rules.max {
            interval = interval.max(least);
            why = Some(asked_for("ttl", wish, rules.max));
        }
        decision.say(format!("ttl: at least {}", words(least)));
    }
    let most = rules.max;
    let at = decision.out_of_windows(after(decision.occasion.now, interval));
    let at = decision.jittered(at, interval, least, most);
    Choice { at, interval, why }
}

/// F-53, F-107: the smoothed gap between the last publication times, oldest gap first. Dates after `now` and repeated
/// dates are ignored.
///
/// `known` is the newest time so far, and the current smoothed gap: a document with fewer times, perhaps one, continues
/// from there (F-44).
pub fn smoothed_gap(
    now: Timestamp,
    published: &[Timestamp],
    known: (Option<Timestamp>, Option<SignedDuration>),
    alpha: f64,
) -> Option<SignedDuration> {
    let mut times: Vec<Timestamp> = published.iter().copied().chain(known.0).filter(|at| *at <= now).collect();
    times.sort_unstable();
    times.dedup();
    let (last, before) = match known {
        (Some(newest), Some(gap)) if times.len() < TIMES => {
            (&times[times.partition_point(|at| *at < newest)..], Some(gap.as_secs_f64()))
        }
        _ => (&times[times.len().saturating_sub(TIMES)..], None),
    };
    let mut gaps = last.windows(2).map(|pair| pair[1].duration_since(pair[0]).as_secs_f64());
    let first = before.or_else(|| gaps.next())?;
    let smoothed = gaps.fold(first, |smoothed, gap| alpha * gap + (1.0 - alpha) * smoothed);
    SignedDuration::try_from_secs_f64(smoothed).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_are_smoothed_from_the_oldest_on() {
        let now = Timestamp::UNIX_EPOCH + SignedDuration::from_hours(1000);
        let check = |what: &str, hours: &[i64], expected: Option<i64>| {
            let times: Vec<_> = hours.iter().map(|h| Timestamp::UNIX_EPOCH + SignedDuration::from_hours(*h)).collect();
            assert_eq!(smoothed_gap(now, &times, (None, None), 0.3).map(|gap| gap.as_mins()), expected, "{what}");
        };
        check("none", &[], None);
        check("one", &[5], None);
        check("two", &[5, 7], Some(120));
        check("any order, twice the same", &[7, 5, 7], Some(120));
        check("0.3 x 10 h + 0.7 x 2 h", &[0, 2, 12], Some(264));
        check("dates ahead do not count", &[0, 2, 5000], Some(120));
        let many: Vec<i64> = (0..30).map(|n| if n < 10 { n * 30 } else { 300 + n }).collect();
        check("only the last twenty", &many, Some(60));
    }

    #[test]
    fn a_document_that_shows_little_goes_on_from_what_is_known() {
        let at = |hour: i64| Timestamp::UNIX_EPOCH + SignedDuration::from_hours(hour);
        let check = |what: &str, hours: &[i64], newest: i64, gap: Option<i64>, expected: Option<i64>| {
            let times: Vec<_> = hours.iter().copied().map(at).collect();
            let known = (Some(at(newest)), gap.map(SignedDuration::from_hours));
            assert_eq!(smoothed_gap(at(1000), &times, known, 0.3).map(|gap| gap.as_mins()), expected, "{what}");
        };
        check("one entry, the second one ever", &[12], 10, None, Some(120));
        check("one entry, later: 0.3 x 12 h + 0.7 x 2 h", &[22], 10, Some(2), Some(300));
        check("the one that is known", &[10], 10, Some(2), Some(120));
        check("an older one says nothing", &[5], 10, Some(2), Some(120));
        check("two new ones beside old ones", &[8, 10, 12, 14], 10, Some(2), Some(120));
        check("twenty tell it all", &(0..20).collect::<Vec<_>>(), 10, Some(99), Some(60));
    }
}
