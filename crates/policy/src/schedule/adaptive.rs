//! Our own rule: the visit rate is proportional to the square root of a feed's publishing rate, at the hours at which
//! it publishes, and never against the publisher's wishes.
//!
//! Why the square root: at a given number of visits, the mean delay of entries is minimal if each feed is visited in
//! proportion to the square root of its rate. The same holds for the hours of one feed. So the expected number of
//! visits up to a time is an integral over the feed's rhythm, and the next visit is where it reaches one. Measurements
//! are in `docs/notes/schedule-quality.md`.

use super::fresh::freshness;
use super::rhythm::Rhythm;
use super::window::weekday;
use super::{Choice, Decision, after, asked_for, words};
use jiff::{SignedDuration, Timestamp};
use model::lease::History;

/// Visits a day of a feed that publishes once a day, if there is no budget.
const EFFORT: f64 = 12.0;
/// The maximum look-ahead, even if `interval.max` is longer.
const HOURS_AHEAD: usize = 24 * 31;

/// A number of visits to distribute among all feeds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Budget {
    /// The total.
    pub visits_per_day: f64,
    /// The sum of [`effort`] over all feeds.
    pub sum_sqrt_rate: f64,
}

/// A feed's share of the visits: the square root of its rate, averaged over the week.
pub fn effort(history: &History, now: Timestamp) -> f64 {
    let rhythm = history.rhythm.as_deref().and_then(Rhythm::from_bytes).unwrap_or_else(|| Rhythm::new(now));
    let mean_root = |factors: &[f64]| factors.iter().map(|factor| factor.sqrt()).sum::<f64>() / factors.len() as f64;
    rhythm.rate().sqrt() * mean_root(&rhythm.hours()) * mean_root(&rhythm.days())
}

pub(super) fn choose(decision: &mut Decision<'_>) -> Choice {
    let (now, history) = (decision.occasion.now, decision.occasion.history);
    let (min, max) = (decision.rules.interval.min, decision.rules.interval.max);
    let rhythm = history.rhythm.as_deref().and_then(Rhythm::from_bytes).unwrap_or_else(|| Rhythm::new(now));
    let scale = decision.occasion.budget.map_or(EFFORT, scale);
    let wanted = wait(&rhythm, now, scale, max);
    let interval = wanted.min(max).max(min);
    let rate = rate_words(rhythm.rate());
    decision.say(format!("rhythm: {rate}, which is worth a visit in {}", words(wanted)));
    let mut chosen = interval;
    let mut why = format!("it publishes {rate}");
    if wanted < min {
        why = format!("{why}, and visits are at least {} apart (interval.min)", words(min));
    } else if wanted >= max {
        why = format!("{why}, and visits are at most {} apart (interval.max)", words(max));
    }
    let mut least = min;
    let ttl = history.hints.ttl_minutes.map(|ttl| (SignedDuration::from_mins(i64::from(ttl)), "ttl"));
    for (wish, name) in [ttl, freshness(now, &history.freshness)].into_iter().flatten() {
        let capped = wish.min(max);
        let cut = if wish > max { format!(", cut to interval.max ({})", words(max)) } else { String::new() };
        decision.say(format!("{name}: not before {}{cut}", words(wish)));
        least = least.max(capped);
        // A wish that is cut to the maximum is mentioned even if the rhythm alone would have led there.
        if capped > chosen || wish > max {
            chosen = chosen.max(capped);
            why = asked_for(name, wish, max);
        }
    }
    let at = decision.out_of_windows(after(now, chosen));
    let at = decision.jittered(at, chosen, least, max);
    Choice { at, interval, why: Some(why) }
}

/// Visits a day per square root of entries a day.
fn scale(budget: Budget) -> f64 {
    let scale = budget.visits_per_day / budget.sum_sqrt_rate;
    if scale.is_finite() && scale > 0.0 { scale } else { EFFORT }
}

/// How long until one visit is due, at most `max`.
fn wait(rhythm: &Rhythm, now: Timestamp, scale: f64, max: SignedDuration) -> SignedDuration {
    let per_hour = scale * rhythm.rate().sqrt() / 24.0;
    let hours = rhythm.hours().map(f64::sqrt);
    let days = rhythm.days().map(f64::sqrt);
    let (mut at, mut left) = (now.as_second(), 1.0);
    let start = at;
    for _ in 0..HOURS_AHEAD {
        let hour = at.div_euclid(3600);
        let worth = per_hour * hours[hour.rem_euclid(24) as usize] * days[weekday(hour.div_euclid(24)) as usize];
        let seconds = (hour + 1) * 3600 - at;
        let gained = worth * seconds as f64 / 3600.0;
        if gained >= left {
            at += (left / worth * 3600.0) as i64;
            return SignedDuration::from_secs(at - start).min(max);
        }
        left -= gained;
        at += seconds;
        if at - start >= max.as_secs() {
            break;
        }
    }
    max
}

fn rate_words(rate: f64) -> String {
    match rate {
        rate if rate >= 1.5 => format!("about {rate:.0} times a day"),
        // Intervals that would round to one day.
        rate if rate >= 0.667 => "about once a day".into(),
        rate if rate >= 0.05 => format!("about once in {:.0} days", 1.0 / rate),
        _ => "hardly ever".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_in_words() {
        let check = |rate: f64, expected: &str| assert_eq!(rate_words(rate), expected, "{rate}");
        check(24.0, "about 24 times a day");
        check(1.0, "about once a day");
        check(0.67, "about once a day");
        check(0.6, "about once in 2 days");
        check(0.14, "about once in 7 days");
        check(0.01, "hardly ever");
    }

    #[test]
    fn four_times_the_entries_are_worth_twice_the_visits() {
        let now: Timestamp = "2026-11-16T00:00:00Z".parse().unwrap();
        let interval = |per_day: i64| {
            let gap = SignedDuration::from_hours(24) / per_day as i32;
            let posts: Vec<Timestamp> = (0..200).map(|n| now - gap * n).collect();
            // Recent observations do not distinguish hours and days yet: only the rate decides.
            let rhythm = Rhythm::new(now).observed(now, &posts);
            wait(&rhythm, now, 12.0, SignedDuration::from_hours(24)).as_secs_f64()
        };
        let ratio = interval(120) / interval(480);
        assert!((1.9..2.1).contains(&ratio), "{ratio}");
    }

    #[test]
    fn a_budget_that_makes_no_sense_is_none() {
        for budget in [(0.0, 0.0), (1.0, 0.0), (f64::NAN, 1.0), (-5.0, 1.0)] {
            let scale = scale(Budget { visits_per_day: budget.0, sum_sqrt_rate: budget.1 });
            assert!((scale - EFFORT).abs() < 1e-9, "{budget:?}");
        }
        assert!((scale(Budget { visits_per_day: 240.0, sum_sqrt_rate: 10.0 }) - 24.0).abs() < 1e-9);
    }

    #[test]
    fn no_rhythm_is_a_feed_of_one_entry_a_day() {
        let now = Timestamp::UNIX_EPOCH;
        assert_eq!(wait(&Rhythm::new(now), now, 12.0, SignedDuration::from_hours(24)), SignedDuration::from_hours(2));
        assert!((effort(&History::default(), now) - 1.0).abs() < 1e-9);
        assert!((effort(&History { rhythm: Some(vec![1, 2]), ..History::default() }, now) - 1.0).abs() < 1e-9);
    }
}
