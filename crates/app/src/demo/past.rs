//! The past of the demo: thirty days of sums, so that its dashboards have something to show. Invented, and the same for the
//! same hour; the present is real. Pure.

use super::publishers::{Manner, PUBLISHERS};
use jiff::{SignedDuration, Timestamp};
use model::FeedId;
use model::rollup::{CountedVisit, Rollup, VisitClass};
use policy::rollup::{HOUR, count, hour_of};

/// So many hours have a past.
const HOURS: i32 = 30 * 24;

/// A number that looks like chance, for a number.
fn scattered(number: u64) -> u64 {
    let mixed = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

/// The sums of the hours before this one.
pub(super) fn rollup(feeds: &[(&'static str, FeedId)], now: Timestamp) -> Rollup {
    let mut rollup = Rollup::default();
    let this = hour_of(now);
    for back in 1..=HOURS {
        let hour = this - HOUR * back;
        for (place, publisher) in PUBLISHERS.iter().enumerate() {
            let feed = feeds.iter().find(|(path, _)| *path == publisher.path).map(|(_, feed)| *feed);
            let seed = (hour.as_second() / 3_600).cast_unsigned().wrapping_mul(31).wrapping_add(place as u64);
            for number in 0..visits(publisher.manner, hour, seed) {
                let dice = scattered(seed.wrapping_mul(1_009).wrapping_add(number));
                count(&mut rollup, visit(publisher.manner, publisher.host, feed, hour, dice));
            }
        }
    }
    rollup
}

/// More by day than at night, and less on weekends.
fn visits(manner: Manner, hour: Timestamp, seed: u64) -> u64 {
    let of_day = hour.as_second().rem_euclid(86_400) / 3_600;
    let day = hour.as_second().div_euclid(86_400).rem_euclid(7);
    let busy = if (6..22).contains(&of_day) { 3 } else { 1 };
    // The first of January 1970 was a Thursday.
    let week = if matches!(day, 2 | 3) { 1 } else { 2 };
    let usual = match manner {
        Manner::Restless { .. } => 12,
        Manner::Busy | Manner::Broken => 1,
        Manner::Steady | Manner::Moved { .. } => busy * week,
    };
    usual + scattered(seed) % 3
}

fn visit(manner: Manner, host: &str, feed: Option<FeedId>, hour: Timestamp, dice: u64) -> CountedVisit {
    let part = dice % 1_000;
    let (class, code, is_busy) = match manner {
        Manner::Busy if part < 700 => (VisitClass::Error, Some("429"), true),
        Manner::Broken if part < 900 => (VisitClass::Error, Some("not-a-feed"), false),
        _ if part < 12 => (VisitClass::Error, Some("timeout"), false),
        _ if part < 20 => (VisitClass::Error, Some("503"), true),
        Manner::Restless { .. } => (VisitClass::Success, None, false),
        _ if part < 300 => (VisitClass::Success, None, false),
        _ => (VisitClass::NotModified, None, false),
    };
    let size = 14_000 + (dice >> 12) % 60_000;
    let took = 30 + (dice >> 20) % 220 + if (dice >> 40).is_multiple_of(17) { 900 } else { 0 };
    CountedVisit {
        at: hour + SignedDuration::from_secs((dice >> 8).rem_euclid(3_600) as i64),
        class,
        feed,
        host: Some(host.to_owned()),
        code: code.map(str::to_owned),
        busy: is_busy,
        took: SignedDuration::from_millis(if code == Some("timeout") { 30_000 } else { took as i64 }),
        bytes: if class == VisitClass::Success { size } else { 180 },
        bytes_saved: if class == VisitClass::NotModified { size } else { 0 },
        new_entries: if class == VisitClass::Success { 1 + (dice >> 50) % 3 } else { 0 },
        changed_entries: u64::from((dice >> 30).is_multiple_of(40)),
        interval: SignedDuration::from_mins(40 + ((dice >> 33) % 200) as i64),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_past_is_thirty_days_of_everything_and_ends_before_the_present() {
        let now: Timestamp = "2026-01-31T12:34:56Z".parse().unwrap();
        let feeds: Vec<(&str, FeedId)> =
            PUBLISHERS.iter().enumerate().map(|(place, one)| (one.path, FeedId(place as i64 + 1))).collect();
        let past = rollup(&feeds, now);
        assert_eq!(past.len(), HOURS as usize);
        assert!(past.keys().all(|hour| *hour < hour_of(now)));
        let sum = |of: fn(&model::rollup::VisitSums) -> u64| past.values().map(|hour| of(&hour.all)).sum::<u64>();
        let (success, unchanged, error) = (sum(|all| all.success), sum(|all| all.not_modified), sum(|all| all.error));
        let all = success + unchanged + error;
        assert!(unchanged > success / 2 && error * 20 < all * 3 && error * 100 > all, "{success} {unchanged} {error}");
        let codes: std::collections::BTreeSet<&String> = past.values().flat_map(|hour| hour.errors.keys()).collect();
        assert!(codes.len() >= 4, "{codes:?}");
        assert_eq!(past, rollup(&feeds, now), "the same for the same hour");
    }
}
