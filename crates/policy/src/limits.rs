//! Limits of requests (C-39): how often is too often. Pure; the caller keeps the buckets and the failed logins, in memory
//! or, where several API processes run, in the database.
//!
//! Logins are judged by the list of failures (`limits/login.rs`), everything else by a bucket that refills evenly. A
//! refusal says how long to wait, and why. Clocks that are put back cost nobody more than the usual wait.

mod login;

pub use login::{Address, LoginFailures, LoginLimits, LoginVerdict, LoginWait, login};

use crate::Preset;
use jiff::{SignedDuration, Timestamp};
use std::fmt;

const MINUTE: SignedDuration = SignedDuration::from_mins(1);

/// So many in a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    /// The time.
    pub per: SignedDuration,
    /// How many; 0 allows none.
    pub max: u32,
}

impl Window {
    /// So many a minute.
    pub const fn a_minute(max: u32) -> Self {
        Self { per: MINUTE, max }
    }

    /// The time in which a bucket gets room for one more.
    fn interval(&self) -> SignedDuration {
        let max = i32::try_from(self.max).unwrap_or(i32::MAX);
        self.per.checked_div(max).unwrap_or(self.per)
    }
}

/// What somebody has used of a window, as a token bucket (GCRA): `max` at once, then one more each `per / max`. Any
/// stretch of `per` therefore sees fewer than twice `max`, and on average no more than `max`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bucket {
    /// When nothing will be used any more.
    full_at: Timestamp,
}

impl Bucket {
    /// Of which nothing is used.
    pub const FULL: Self = Self { full_at: Timestamp::MIN };

    /// Takes one, or says how long to wait for one. A refused attempt costs nothing.
    pub fn take(&mut self, now: Timestamp, window: &Window) -> Result<(), Wait> {
        if window.max == 0 {
            return Err(Wait::rounded_up(window.per));
        }
        let latest = later(now, window.per);
        // It can never be later, unless the clock was put back: then it is as if everything had been used just now.
        self.full_at = self.full_at.min(latest);
        let full_at = later(self.full_at.max(now), window.interval());
        if full_at > latest {
            return Err(Wait::rounded_up(full_at.duration_since(latest)));
        }
        self.full_at = full_at;
        Ok(())
    }

    /// Whether nothing is used, so that it need not be kept.
    pub fn is_full(&self, now: Timestamp) -> bool {
        self.full_at <= now
    }
}

impl Default for Bucket {
    fn default() -> Self {
        Self::FULL
    }
}

/// How long to wait, in whole seconds, as Retry-After has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Wait(SignedDuration);

impl Wait {
    /// Rounded up, to a second at least: who waits as long as we say is served.
    pub fn rounded_up(wait: SignedDuration) -> Self {
        let more = i64::from(wait.subsec_nanos() > 0);
        Self(SignedDuration::from_secs(wait.as_secs().saturating_add(more).max(1)))
    }

    /// The duration.
    pub fn duration(self) -> SignedDuration {
        self.0
    }

    /// The value of Retry-After.
    pub fn seconds(self) -> u64 {
        self.0.as_secs().unsigned_abs()
    }
}

impl fmt::Display for Wait {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} s", self.seconds())
    }
}

/// The limits of an installation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RequestLimits {
    /// Requests to the APIs.
    pub api: Window,
    /// Whose requests are counted together.
    pub api_counts: Counted,
    /// Failed logins.
    pub login: LoginLimits,
    /// Refreshes that users ask for.
    pub refresh: RefreshLimits,
}

/// Whose requests are counted together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counted {
    /// Those of a session or an API key; of an address where there is neither.
    SessionOrKey,
    /// Those of an address.
    Address,
}

impl RequestLimits {
    /// The limits of a preset.
    pub fn preset(preset: Preset) -> Self {
        let (api, api_counts) = match preset {
            //
            Preset::Reader => (Window::a_minute(100), Counted::Address),
            _ => (Window::a_minute(1_200), Counted::SessionOrKey),
        };
        // are what everybody gets.
        Self { api, api_counts, login: LoginLimits::default(), refresh: RefreshLimits::default() }
    }
}

/// How often a user may have feeds refreshed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RefreshLimits {
    /// The same feed.
    pub same_feed: Window,
    /// All feeds together.
    pub feeds: Window,
}

impl Default for RefreshLimits {
    fn default() -> Self {
        Self { same_feed: Window::a_minute(10), feeds: Window::a_minute(120) }
    }
}

/// A refresh that has to wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooManyRefreshes {
    /// How long.
    pub wait: Wait,
    /// Which limit says so.
    pub why: RefreshLimit,
}

/// A limit of refreshes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RefreshLimit {
    /// Of the same feed.
    SameFeed,
    /// Of all feeds together.
    Feeds,
}

/// Whether a user may have a feed refreshed now. `of_feed` is the bucket of this user and feed, `of_user` that of the
/// user. A refused refresh is taken from neither.
pub fn refresh(
    now: Timestamp,
    of_feed: &mut Bucket,
    of_user: &mut Bucket,
    limits: &RefreshLimits,
) -> Result<(), TooManyRefreshes> {
    let (mut feed, mut user) = (*of_feed, *of_user);
    let same_feed = feed.take(now, &limits.same_feed).err().map(|wait| (wait, RefreshLimit::SameFeed));
    let feeds = user.take(now, &limits.feeds).err().map(|wait| (wait, RefreshLimit::Feeds));
    if let Some((wait, why)) = [same_feed, feeds].into_iter().flatten().max_by_key(|(wait, _)| *wait) {
        return Err(TooManyRefreshes { wait, why });
    }
    (*of_feed, *of_user) = (feed, user);
    Ok(())
}

impl fmt::Display for TooManyRefreshes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.why {
            RefreshLimit::SameFeed => write!(f, "this feed was refreshed too often; try again in {}", self.wait),
            RefreshLimit::Feeds => write!(f, "too many feeds were refreshed; try again in {}", self.wait),
        }
    }
}

fn later(at: Timestamp, wait: SignedDuration) -> Timestamp {
    at.saturating_add(wait).unwrap_or(at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::now;
    use proptest::prelude::*;

    fn after(millis: i64) -> Timestamp {
        now() + SignedDuration::from_millis(millis)
    }

    /// Takes one at each of these milliseconds: `+` or the seconds to wait.
    fn taken(window: Window, at: &[i64]) -> String {
        let mut bucket = Bucket::default();
        let said = at.iter().map(|at| match bucket.take(after(*at), &window) {
            Ok(()) => "+".to_owned(),
            Err(wait) => wait.seconds().to_string(),
        });
        said.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_bucket_allows_so_many_at_once_and_refills_evenly() {
        let check = |case: &str, window: Window, at: &[i64], expected: &str| {
            assert_eq!(taken(window, at), expected, "{case}");
        };
        let three = Window::a_minute(3);
        check("three at once", three, &[0, 0, 0, 0], "+ + + 20");
        check("waits are rounded up", three, &[0, 0, 0, 1, 19_999, 20_000], "+ + + 20 1 +");
        check("asking again costs nothing", three, &[0, 0, 0, 5_000, 10_000, 20_000, 20_000], "+ + + 15 10 + 20");
        check(
            "a minute later there are three again",
            three,
            &[0, 0, 0, 60_000, 60_000, 60_000, 60_000],
            "+ + + + + + 20",
        );
        check("rest is not saved up", three, &[0, 900_000, 900_000, 900_000, 900_000], "+ + + + 20");
        check("an even pace is never too fast", three, &[0, 20_000, 40_000, 60_000, 80_000, 100_000], "+ + + + + +");
        check("none", Window::a_minute(0), &[0, 60_000], "60 60");
        check("one", Window::a_minute(1), &[0, 1, 60_000], "+ 60 +");
        check("a clock put back by an hour", three, &[3_600_000, 3_600_000, 3_600_000, 0, 20_000], "+ + + 20 +");
        let endless = Window { per: SignedDuration::MAX, max: u32::MAX };
        check("absurd numbers do not panic", endless, &[0, 0], "+ +");
    }

    #[test]
    fn a_bucket_is_small_and_forgotten_when_full() {
        assert_eq!(size_of::<Bucket>(), 16);
        let mut bucket = Bucket::FULL;
        assert!(bucket.is_full(now()));
        assert_eq!(bucket.take(now(), &Window::a_minute(60)), Ok(()));
        assert!(!bucket.is_full(after(999)));
        assert!(bucket.is_full(after(1_000)));
        assert_eq!(bucket.take(Timestamp::MAX, &Window::a_minute(60)), Ok(()), "the end of time is no reason to panic");
    }

    #[test]
    fn refreshes_have_two_limits() {
        let limits = RefreshLimits::default();
        let (mut feed, mut user) = (Bucket::FULL, Bucket::FULL);
        for _ in 0..10 {
            assert_eq!(refresh(now(), &mut feed, &mut user, &limits), Ok(()));
        }
        let no = refresh(now(), &mut feed, &mut user, &limits).unwrap_err();
        assert_eq!(no.to_string(), "this feed was refreshed too often; try again in 6 s");
        for _ in 10..120 {
            assert_eq!(
                refresh(now(), &mut Bucket::default(), &mut user, &limits),
                Ok(()),
                "a refusal counts for nothing"
            );
        }
        let mut other = Bucket::FULL;
        let no = refresh(now(), &mut other, &mut user, &limits).unwrap_err();
        assert_eq!(no.to_string(), "too many feeds were refreshed; try again in 1 s");
        assert!(other.is_full(now()), "it is taken from neither");
        let no = refresh(now(), &mut feed, &mut user, &limits).unwrap_err();
        assert_eq!((no.wait.seconds(), no.why), (6, RefreshLimit::SameFeed), "the longer wait is the one to name");
        assert_eq!(refresh(after(6_000), &mut feed, &mut user, &limits), Ok(()));
    }

    #[test]
    fn presets_differ_in_requests_only() {
        let check = |preset, expected: (u32, Counted)| {
            let limits = RequestLimits::preset(preset);
            assert_eq!((limits.api.max, limits.api_counts), expected, "{preset}");
            assert_eq!((limits.login.per_address.max, limits.refresh.same_feed.max), (5, 10), "{preset}");
        };
        check(Preset::Reader, (100, Counted::Address));
        for preset in Preset::ALL.into_iter().filter(|preset| *preset != Preset::Reader) {
            check(preset, (1_200, Counted::SessionOrKey));
        }
    }

    proptest! {
        #[test]
        fn who_waits_as_told_is_served(max in 1..2_000_u32, gaps in proptest::collection::vec(0..5_000_i64, 1..80)) {
            let (mut bucket, window, mut at) = (Bucket::default(), Window::a_minute(max), 0);
            for gap in gaps {
                at += gap;
                if let Err(wait) = bucket.take(after(at), &window) {
                    prop_assert!(wait.duration() <= MINUTE);
                    let mut patient = bucket;
                    prop_assert_eq!(patient.take(after(at) + wait.duration(), &window), Ok(()));
                }
            }
        }

        #[test]
        fn no_minute_sees_twice_as_many(max in 1..20_u32, gaps in proptest::collection::vec(0..9_000_i64, 1..200)) {
            let (mut bucket, window, mut at) = (Bucket::default(), Window::a_minute(max), 0);
            let mut served = Vec::new();
            for gap in gaps {
                at += gap;
                served.extend(bucket.take(after(at), &window).is_ok().then_some(at));
            }
            for (first, at) in served.iter().enumerate() {
                let minute = served[first..].iter().take_while(|later| **later < at + 60_000).count();
                prop_assert!(minute < 2 * max as usize, "{} in a minute", minute);
            }
        }
    }
}
