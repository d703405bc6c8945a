//! When a feed publishes: the recent and the long-term rate, the hours of the day and the days of the week. Learnt from
//! arrivals with exponential decay; a few dozen numbers stored in `History::rhythm`.
//!
//! Hours and days are learnt separately (24 + 7 numbers instead of 168): a feed with three entries a week would need
//! years to fill a table of every hour of the week. A show on Tuesdays at ten is found anyway.

use super::window::weekday;
use jiff::Timestamp;

/// The half-life of the long-term rate.
const SLOW_DAYS: f64 = 42.0;
/// The half-life of the recent rate.
const FAST_DAYS: f64 = 4.0;
/// The assumed rate of an unknown feed, entries a day, with the weight of half an entry.
const PRIOR_RATE: f64 = 1.0;
const PRIOR_WEIGHT: f64 = 0.5;
/// How many entries it takes for the recent rate to weigh as much as the long-term one.
const FAST_WEIGHT: f64 = 6.0;
/// How many entries it takes for the hours, and the days, to count half.
const HOURS_WEIGHT: f64 = 10.0;
const DAYS_WEIGHT: f64 = 6.0;
/// The minimum observation time before hours, or days, are distinguished.
const HOURS_AFTER_DAYS: f64 = 2.0;
const DAYS_AFTER_DAYS: f64 = 14.0;
/// More entries in one visit are a bulk import, not a rhythm.
const MOST_AT_ONCE: usize = 200;

const HOURS: usize = 24;
const DAYS: usize = 7;
const VERSION: u8 = 1;
const NUMBERS: usize = 4 + HOURS + DAYS;
/// Version, moment, numbers.
const BYTES: usize = 1 + 8 + 4 * NUMBERS;

/// The rhythm to store (`History::rhythm`) after the arrivals since the last visit. Without an earlier one the arrivals
/// are the dates of a first document, which shows the feed's past.
pub fn learnt_rhythm(before: Option<&[u8]>, now: Timestamp, arrivals: &[Timestamp]) -> Vec<u8> {
    before.and_then(Rhythm::from_bytes).unwrap_or_else(|| Rhythm::new(now)).observed(now, arrivals).bytes()
}

/// Invariant: every number is finite and not negative.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Rhythm {
    /// The end of the observation, in seconds.
    until: i64,
    /// Entries and days observed, decayed slowly.
    slow: (f64, f64),
    /// Entries and days observed, decayed fast.
    fast: (f64, f64),
    hours: [f64; HOURS],
    days: [f64; DAYS],
}

impl Rhythm {
    /// For a feed that is observed from now on.
    pub(crate) fn new(now: Timestamp) -> Self {
        Self { until: now.as_second(), slow: (0.0, 0.0), fast: (0.0, 0.0), hours: [0.0; HOURS], days: [0.0; DAYS] }
    }

    /// Observed up to `now`, with these arrivals since the last visit. At the first visit the arrivals are the whole
    /// document: then the observation began with its oldest entry.
    pub(crate) fn observed(mut self, now: Timestamp, arrivals: &[Timestamp]) -> Self {
        let now = now.as_second().max(self.until);
        let mut moments: Vec<i64> = arrivals.iter().map(|at| at.as_second().min(now)).collect();
        moments.sort_unstable();
        let mut recent = &moments[moments.len().saturating_sub(MOST_AT_ONCE)..];
        if self.slow.1 <= 0.0
            && let Some((oldest, others)) = recent.split_first()
        {
            // The oldest entry starts the observation and does not count, or every feed would look busier than it is.
            self.until = *oldest;
            recent = others;
        }
        let days = (now - self.until) as f64 / 86400.0;
        let (slow, fast) = (0.5_f64.powf(days / SLOW_DAYS), 0.5_f64.powf(days / FAST_DAYS));
        let seen = |decay: f64, half_life: f64| (1.0 - decay) * half_life / std::f64::consts::LN_2;
        self.slow = (self.slow.0 * slow, self.slow.1 * slow + seen(slow, SLOW_DAYS));
        self.fast = (self.fast.0 * fast, self.fast.1 * fast + seen(fast, FAST_DAYS));
        self.hours.iter_mut().chain(&mut self.days).for_each(|count| *count *= slow);
        self.until = now;
        for at in recent {
            let age = (now - at) as f64 / 86400.0;
            let weight = 0.5_f64.powf(age / SLOW_DAYS);
            self.slow.0 += weight;
            self.fast.0 += 0.5_f64.powf(age / FAST_DAYS);
            self.hours[at.div_euclid(3600).rem_euclid(24) as usize] += weight;
            self.days[weekday(at.div_euclid(86400)) as usize] += weight;
        }
        self
    }

    /// Entries a day, averaged over the week.
    pub(crate) fn rate(&self) -> f64 {
        let slow = (self.slow.0 + PRIOR_WEIGHT) / (self.slow.1 + PRIOR_WEIGHT / PRIOR_RATE);
        (self.fast.0 + FAST_WEIGHT) / (self.fast.1 + FAST_WEIGHT / slow)
    }

    /// The activity of each hour of the day, relative to the mean.
    pub(super) fn hours(&self) -> [f64; HOURS] {
        if self.slow.1 < HOURS_AFTER_DAYS {
            return [1.0; HOURS];
        }
        // Entries of one show come a little earlier or later, so neighbouring hours are smoothed.
        let mut shared = [0.0; HOURS];
        for (hour, share) in shared.iter_mut().enumerate() {
            let next = |by: usize| self.hours[(hour + by) % HOURS];
            *share = 0.6 * next(0) + 0.2 * next(1) + 0.2 * next(HOURS - 1);
        }
        relative(shared, HOURS_WEIGHT)
    }

    /// The activity of each day of the week, relative to the mean.
    pub(super) fn days(&self) -> [f64; DAYS] {
        if self.slow.1 < DAYS_AFTER_DAYS { [1.0; DAYS] } else { relative(self.days, DAYS_WEIGHT) }
    }

    /// The bytes to store.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(BYTES);
        bytes.push(VERSION);
        bytes.extend(self.until.to_le_bytes());
        let numbers = [self.slow.0, self.slow.1, self.fast.0, self.fast.1];
        for number in numbers.iter().chain(&self.hours).chain(&self.days) {
            bytes.extend((*number as f32).to_le_bytes());
        }
        bytes
    }

    /// From stored bytes; invalid bytes are treated as none.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (version, rest) = bytes.split_first()?;
        if *version != VERSION || bytes.len() != BYTES {
            return None;
        }
        let (until, rest) = rest.split_first_chunk::<8>()?;
        let mut numbers = rest.as_chunks::<4>().0.iter().map(|number| f64::from(f32::from_le_bytes(*number)));
        let mut next = || numbers.next().filter(|number| number.is_finite() && *number >= 0.0);
        let mut rhythm = Self { until: i64::from_le_bytes(*until), ..Self::new(Timestamp::UNIX_EPOCH) };
        rhythm.slow = (next()?, next()?);
        rhythm.fast = (next()?, next()?);
        for count in rhythm.hours.iter_mut().chain(&mut rhythm.days) {
            *count = next()?;
        }
        // An implausible time would make the next observation absurd.
        (Timestamp::MIN.as_second()..=Timestamp::MAX.as_second()).contains(&rhythm.until).then_some(rhythm)
    }
}

/// Counts relative to their mean, drawn towards 1 by `weight` neutral entries.
fn relative<const N: usize>(counts: [f64; N], weight: f64) -> [f64; N] {
    let all: f64 = counts.iter().sum();
    counts.map(|count| (count + weight / N as f64) / (all + weight) * N as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::SignedDuration;

    fn day(n: f64) -> Timestamp {
        // A Monday.
        "2026-11-16T00:00:00Z".parse::<Timestamp>().unwrap() + SignedDuration::from_secs_f64(n * 86400.0)
    }

    #[test]
    fn a_first_document_already_tells_the_rate() {
        let posts: Vec<Timestamp> = (0..40).map(|n| day(f64::from(n) / 4.0)).collect();
        let rhythm = Rhythm::new(day(10.0)).observed(day(10.0), &posts);
        assert!((rhythm.rate() - 4.0).abs() < 0.5, "{}", rhythm.rate());
    }

    #[test]
    fn a_feed_that_says_nothing_is_expected_to_say_less_and_less() {
        let mut rhythm = Rhythm::new(day(0.0)).observed(day(0.0), &[]);
        let mut rates = vec![rhythm.rate()];
        for n in 1..=60 {
            rhythm = rhythm.observed(day(f64::from(n)), &[]);
            rates.push(rhythm.rate());
        }
        assert!(rates.is_sorted_by(|a, b| a > b), "{rates:?}");
        assert!((rates[0] - 1.0).abs() < 1e-9 && rates[60] < 0.05, "{rates:?}");
    }

    #[test]
    fn a_show_on_tuesdays_is_found() {
        let mut rhythm = Rhythm::new(day(0.0)).observed(day(0.0), &[]);
        for week in 0..12 {
            let show = day(f64::from(week) * 7.0 + 1.0 + 10.5 / 24.0);
            rhythm = rhythm.observed(day(f64::from(week) * 7.0 + 2.0), &[show]);
        }
        let (hours, days) = (rhythm.hours(), rhythm.days());
        assert!(hours[10] > 4.0 && hours[20] < 0.7, "{hours:?}");
        assert!(days[1] > 3.0 && days[4] < 0.6, "{days:?}");
    }

    #[test]
    fn what_is_kept_is_what_was_known() {
        let rhythm = Rhythm::new(day(0.0)).observed(day(3.0), &[day(0.5), day(1.0), day(2.25)]);
        let bytes = rhythm.bytes();
        assert!(bytes.len() <= 168, "{}", bytes.len());
        let kept = Rhythm::from_bytes(&bytes).unwrap();
        assert!((kept.rate() - rhythm.rate()).abs() < 1e-5);
        assert_eq!(Rhythm::from_bytes(&kept.bytes()), Some(kept));
        let nan = [&bytes[..9], &f32::NAN.to_le_bytes()[..], &bytes[13..]].concat();
        for (what, bytes) in
            [("nothing", &[][..]), ("half", &bytes[..50]), ("NaN", &nan), ("another version", &[9; BYTES])]
        {
            assert_eq!(Rhythm::from_bytes(bytes), None, "{what}");
        }
    }

    #[test]
    fn moments_out_of_this_world_do_no_harm() {
        let rhythm = Rhythm::new(Timestamp::MIN).observed(Timestamp::MAX, &[Timestamp::MIN, Timestamp::MAX, day(0.0)]);
        let rhythm = rhythm.observed(Timestamp::MIN, &[Timestamp::MAX]);
        assert!(rhythm.rate().is_finite() && Rhythm::from_bytes(&rhythm.bytes()).is_some());
    }
}
