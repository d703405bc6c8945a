//! When feeds that are added together are first visited: spread out, so that a long list causes no burst.
//!
//! Only the first visits are decided here; after that `schedule.rs` decides. The pace of a site is kept by its rate
//! group anyway: this keeps the queue short and lets small sites go before the bulk of large ones.

use jiff::{SignedDuration, Timestamp};
use std::collections::HashMap;

/// The distance between two visits, until the list exceeds the window.
const EVERY: SignedDuration = SignedDuration::from_millis(200);
/// The longest wait for the first visit after an import, unless the pace of a site demands more.
const WINDOW: SignedDuration = SignedDuration::from_mins(30);

/// The first visit of each feed, given its rate group and the spacing of that group. The first feed of every group
/// comes first, then the second of each, and so on.
pub fn first_visits(now: Timestamp, groups: &[(&str, SignedDuration)]) -> Vec<Timestamp> {
    let mut seen: HashMap<&str, u32> = HashMap::new();
    let ranks: Vec<u32> = groups
        .iter()
        .map(|(group, _)| {
            let rank = seen.entry(group).or_default();
            *rank += 1;
            *rank - 1
        })
        .collect();
    let mut order: Vec<usize> = (0..groups.len()).collect();
    // Stable: within a rank in the order of the list.
    order.sort_by_key(|n| ranks[*n]);
    let every = EVERY.min(WINDOW / (groups.len().max(1) as i32));
    let mut visits = vec![now; groups.len()];
    for (place, n) in order.into_iter().enumerate() {
        let turn = every.saturating_mul(place as i32);
        let own = groups[n].1.saturating_mul(ranks[n] as i32);
        visits[n] = now.checked_add(turn.max(own)).unwrap_or(now);
    }
    visits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_list_is_spread() {
        let check = |case: &str, groups: &[&str], expected: &str| {
            let groups: Vec<_> = groups.iter().map(|group| (*group, SignedDuration::from_secs(1))).collect();
            let visits = first_visits(Timestamp::UNIX_EPOCH, &groups);
            let after: Vec<_> = visits.iter().map(|at| at.as_millisecond().to_string()).collect();
            assert_eq!(after.join(" "), expected, "{case}");
        };
        check("nothing", &[], "");
        check("one feed is due at once", &["a"], "0");
        check("feeds of many sites follow each other", &["a", "b", "c"], "0 200 400");
        check("feeds of one site keep its pace", &["a", "a", "a"], "0 1000 2000");
        check("a small site does not wait for a large one", &["a", "a", "a", "b"], "0 1000 2000 200");
    }

    #[test]
    fn the_longest_list_there_is_takes_half_an_hour() {
        let names: Vec<String> = (0..20_000).map(|n| n.to_string()).collect();
        let groups: Vec<_> = names.iter().map(|name| (name.as_str(), SignedDuration::from_secs(1))).collect();
        let last = first_visits(Timestamp::UNIX_EPOCH, &groups).into_iter().max().unwrap();
        assert_eq!(last.as_second() / 60, 29);
    }
}
