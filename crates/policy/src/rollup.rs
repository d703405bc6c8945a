//! Roll-ups: what a visit counts as, and what sums say. `engine` sums, the operator's room shows (docs/notes/rollups.md).
//!
//! The number of names in an hour is bounded, whoever publishes: what does not fit is counted without its name.

use jiff::{SignedDuration, Timestamp};
use model::FeedId;
use model::rollup::{
    CountedVisit, ErrorSum, HourSums, LATENCY_BOUNDS_MS, LATENCY_CLASSES, Latencies, Rollup, VisitClass, VisitSums,
};
use model::visit::VisitResult;

/// Roll-ups are kept for this long.
pub const KEPT: SignedDuration = SignedDuration::from_hours(400 * 24);
/// An hour.
pub const HOUR: SignedDuration = SignedDuration::from_hours(1);
/// Visits saved are counted against a visit this often.
const FIXED_INTERVAL_S: u64 = 1_800;
/// Hosts named in one hour; as many again if they fail.
const HOSTS: usize = 1_000;
/// Feeds named in one hour.
const FEEDS: usize = 1_000;
/// A longer name is not that of a host.
const LONGEST_HOST: usize = 255;

/// What a visit counts as; nothing if nobody was asked.
pub fn class(result: VisitResult, status: Option<u16>) -> Option<VisitClass> {
    match (result, status) {
        (VisitResult::Deferred, _) => None,
        (VisitResult::Unchanged, Some(304)) => Some(VisitClass::NotModified),
        (VisitResult::Fresh | VisitResult::Unchanged, _) => Some(VisitClass::Success),
        (VisitResult::Gone | VisitResult::Busy | VisitResult::Failed, _) => Some(VisitClass::Error),
    }
}

/// What went wrong: the status, if that is what was wrong, else the kind of failure. One of a bounded number.
pub fn code(status: Option<u16>, failure: Option<&str>) -> String {
    match (failure, status) {
        (None | Some("status"), Some(status @ 100..=599)) => status.to_string(),
        (None | Some("status"), Some(_)) => "other".to_owned(),
        (None, None) => "unknown".to_owned(),
        (Some(kind), _) => kind.to_owned(),
    }
}

/// What a code means, in a few words.
pub fn code_in_words(code: &str) -> &'static str {
    match code {
        "400" => "bad request",
        "401" => "login needed",
        "403" => "forbidden",
        "404" => "not found",
        "406" => "not acceptable",
        "408" => "request timed out",
        "410" => "gone",
        "418" | "451" => "refused",
        "429" => "too many requests",
        "500" => "server error",
        "502" => "bad gateway",
        "503" => "unavailable",
        "504" => "gateway timed out",
        "520" | "521" | "522" | "523" | "524" | "525" | "526" => "origin unreachable",
        "url" => "address cannot be visited",
        "request" => "request cannot be sent",
        "dns" => "name not resolved",
        "connect" => "no connection",
        "exhausted" => "out of connections here",
        "tls" => "no secure connection",
        "timeout" => "timed out",
        "too-large" => "document too large",
        "too-dense" => "compressed too densely",
        "headers-too-large" => "header too large",
        "private-address" => "private address",
        "not-allowed" => "host not allowed",
        "proxy" => "proxy failed",
        "too-many-redirects" => "too many redirects",
        "redirect" => "redirect leads nowhere",
        "robots" => "robots.txt forbids it",
        "challenge" => "asks for a browser",
        "protocol" => "protocol error",
        "not-a-feed" => "not a feed",
        "not-kept" => "could not be stored",
        "bad-entries" => "entries not accepted",
        _ if code.starts_with('3') => "redirect without a target",
        _ if code.starts_with('4') => "request refused",
        _ if code.starts_with('5') => "server error",
        _ => "",
    }
}

/// The beginning of the hour of a moment.
pub fn hour_of(at: Timestamp) -> Timestamp {
    let hour = HOUR.as_micros() as i64;
    let micros = at.as_microsecond();
    Timestamp::from_microsecond(micros - micros.rem_euclid(hour)).unwrap_or(Timestamp::MIN)
}

/// The class of a visit that took so long.
pub fn latency_class(took: SignedDuration) -> usize {
    let micros = u128::try_from(took.as_micros()).unwrap_or(0);
    LATENCY_BOUNDS_MS.partition_point(|bound| u128::from(*bound) * 1_000 < micros)
}

/// Adds a visit to the sums.
pub fn count(rollup: &mut Rollup, visit: CountedVisit) {
    let hour = rollup.entry(hour_of(visit.at)).or_default();
    let whole = |value: SignedDuration| u64::try_from(value.as_micros()).unwrap_or(0);
    let all = &mut hour.all;
    let is_error = visit.class == VisitClass::Error;
    match visit.class {
        VisitClass::Success => all.success += 1,
        VisitClass::NotModified => all.not_modified += 1,
        VisitClass::Error => all.error += 1,
    }
    all.new_entries += visit.new_entries;
    all.changed_entries += visit.changed_entries;
    all.bytes += visit.bytes;
    all.bytes_saved += visit.bytes_saved;
    all.interval_s += whole(visit.interval) / 1_000_000;
    all.took_us += whole(visit.took);
    hour.latencies[latency_class(visit.took)] += 1;
    if let Some(code) = visit.code.filter(|_| is_error) {
        let at = visit.at;
        let sum = hour.errors.entry(code).or_insert(ErrorSum { visits: 0, first_at: at, last_at: at });
        sum.visits += 1;
        (sum.first_at, sum.last_at) = (sum.first_at.min(at), sum.last_at.max(at));
    }
    let host = named_host(hour, visit.host, is_error);
    let sum = hour.hosts.entry(host).or_default();
    sum.visits += 1;
    sum.errors += u64::from(is_error);
    sum.busy += u64::from(visit.busy);
    sum.bytes += visit.bytes;
    if is_error {
        let (first, last) = sum.failed.unwrap_or((visit.at, visit.at));
        sum.failed = Some((first.min(visit.at), last.max(visit.at)));
    }
    let has_room = |feed: &FeedId| hour.feeds.contains_key(feed) || hour.feeds.len() < FEEDS;
    if let Some(feed) = visit.feed.filter(|feed| (is_error || visit.new_entries > 0) && has_room(feed)) {
        let sum = hour.feeds.entry(feed).or_default();
        sum.new_entries += visit.new_entries;
        sum.errors += u64::from(is_error);
    }
}

/// The name under which a host is counted.
fn named_host(hour: &HourSums, host: Option<String>, is_error: bool) -> String {
    let most = if is_error { 2 * HOSTS } else { HOSTS };
    let fits = |host: &String| host.len() <= LONGEST_HOST && (hour.hosts.contains_key(host) || hour.hosts.len() < most);
    host.filter(fits).unwrap_or_default()
}

/// How long visits took at most, but for a part of them (0.95: all but the slowest twentieth), in milliseconds. Interpolated
/// within a class; what exceeds the last bound is told as that bound.
pub fn percentile_ms(latencies: &Latencies, part: f64) -> Option<f64> {
    let total: u64 = latencies.iter().sum();
    if total == 0 {
        return None;
    }
    let wanted = part * total as f64;
    let mut below = 0.0;
    for class in 0..LATENCY_CLASSES {
        let count = latencies[class] as f64;
        if count > 0.0 && below + count >= wanted {
            let from = if class == 0 { 0 } else { LATENCY_BOUNDS_MS[class - 1] } as f64;
            let to = LATENCY_BOUNDS_MS.get(class).map_or(from, |bound| *bound as f64);
            return Some(from + (to - from) * ((wanted - below) / count).clamp(0.0, 1.0));
        }
        below += count;
    }
    LATENCY_BOUNDS_MS.last().map(|bound| *bound as f64)
}

/// How many visits fewer were needed than with one every thirty minutes; fewer than none if they were more frequent.
pub fn visits_saved(sums: &VisitSums) -> i64 {
    (sums.interval_s / FIXED_INTERVAL_S) as i64 - sums.visits() as i64
}

/// The width of the buckets of a chart over this time.
pub fn step_of(range: SignedDuration) -> SignedDuration {
    match range.as_hours() {
        ..=192 => HOUR,
        193..=1_488 => HOUR * 6,
        _ => HOUR * 24,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn visit(at: i64, class: VisitClass) -> CountedVisit {
        CountedVisit {
            at: Timestamp::from_second(at).unwrap(),
            class,
            feed: Some(FeedId(1)),
            host: Some("a.example".into()),
            code: (class == VisitClass::Error).then(|| "404".into()),
            busy: false,
            took: SignedDuration::from_millis(120),
            bytes: 10,
            bytes_saved: 90,
            new_entries: 0,
            changed_entries: 0,
            interval: SignedDuration::from_hours(1),
        }
    }

    #[test]
    fn what_a_visit_counts_as() {
        use VisitClass::{Error, NotModified, Success};
        let check = |result, status, expected| assert_eq!(class(result, status), expected, "{result:?} {status:?}");
        check(VisitResult::Fresh, Some(200), Some(Success));
        check(VisitResult::Unchanged, Some(200), Some(Success));
        check(VisitResult::Unchanged, Some(304), Some(NotModified));
        check(VisitResult::Busy, Some(429), Some(Error));
        check(VisitResult::Gone, Some(410), Some(Error));
        check(VisitResult::Failed, None, Some(Error));
        check(VisitResult::Deferred, None, None);
        check(VisitResult::Deferred, Some(302), None);
    }

    #[test]
    fn codes_are_of_a_bounded_number() {
        assert_eq!(code(Some(404), Some("status")), "404");
        assert_eq!(code(Some(429), None), "429");
        assert_eq!(code(Some(9_999), Some("status")), "other");
        assert_eq!(code(Some(200), Some("not-a-feed")), "not-a-feed");
        assert_eq!(code(None, Some("dns")), "dns");
        for kind in model::visit::Failure::KINDS.iter().filter(|kind| **kind != "status") {
            assert_ne!(code_in_words(kind), "", "{kind}");
        }
    }

    #[test]
    fn a_visit_counts_in_the_hour_in_which_it_began() {
        let mut rollup = Rollup::default();
        for (at, class) in [(3_599, VisitClass::Success), (3_600, VisitClass::NotModified), (7_199, VisitClass::Error)]
        {
            count(&mut rollup, visit(at, class));
        }
        let hours: Vec<(i64, VisitSums)> = rollup.iter().map(|(hour, sums)| (hour.as_second(), sums.all)).collect();
        assert_eq!(hours.iter().map(|(hour, sums)| (*hour, sums.visits())).collect::<Vec<_>>(), [(0, 1), (3_600, 2)]);
        let second = &rollup[&Timestamp::from_second(3_600).unwrap()];
        assert_eq!((second.all.not_modified, second.all.error, second.all.bytes_saved), (1, 1, 180));
        assert_eq!(second.errors["404"].visits, 1);
        assert_eq!(second.hosts["a.example"].errors, 1);
        assert_eq!(second.feeds[&FeedId(1)].errors, 1);
        assert_eq!(hour_of(Timestamp::from_second(-1).unwrap()).as_second(), -3_600);
    }

    #[test]
    fn names_in_an_hour_are_bounded_and_nothing_is_lost() {
        let mut rollup = Rollup::default();
        for n in 0..5_000 {
            let class = if n % 2 == 0 { VisitClass::Success } else { VisitClass::Error };
            let named = CountedVisit { host: Some(format!("{n}.example")), feed: Some(FeedId(n)), ..visit(0, class) };
            count(&mut rollup, named);
        }
        count(&mut rollup, CountedVisit { host: Some("x".repeat(300)), ..visit(0, VisitClass::Success) });
        count(&mut rollup, CountedVisit { host: None, feed: None, ..visit(0, VisitClass::Error) });
        let sums = rollup.values().next().unwrap();
        assert!(sums.hosts.len() <= 2 * HOSTS + 1 && sums.feeds.len() == FEEDS, "{}", sums.hosts.len());
        assert_eq!(sums.hosts.values().map(|host| host.visits).sum::<u64>(), 5_002);
        assert_eq!(sums.all.visits(), 5_002);
    }

    #[test]
    fn a_percentile_lies_in_its_class() {
        let mut latencies = Latencies::default();
        assert_eq!(percentile_ms(&latencies, 0.95), None);
        latencies[latency_class(SignedDuration::from_millis(100))] += 90;
        latencies[latency_class(SignedDuration::from_millis(900))] += 10;
        let p95 = percentile_ms(&latencies, 0.95).unwrap();
        assert!((750.0..=1_000.0).contains(&p95), "{p95}");
        let p50 = percentile_ms(&latencies, 0.5).unwrap();
        assert!((50.0..=100.0).contains(&p50), "{p50}");
        latencies[LATENCY_CLASSES - 1] += 1_000;
        assert_eq!(percentile_ms(&latencies, 0.95), Some(30_000.0));
        assert_eq!(latency_class(SignedDuration::from_micros(10_000)), 0, "bounds are inclusive");
        assert_eq!(latency_class(SignedDuration::from_micros(10_001)), 1);
        assert_eq!(latency_class(SignedDuration::from_secs(-1)), 0);
    }

    #[test]
    fn long_intervals_save_visits() {
        let sums = |interval_s, success| VisitSums { interval_s, success, ..VisitSums::default() };
        assert_eq!(visits_saved(&sums(36_000, 1)), 19);
        assert_eq!(visits_saved(&sums(300, 1)), -1);
        assert_eq!(visits_saved(&sums(0, 0)), 0);
    }

    #[test]
    fn a_chart_has_a_bounded_number_of_buckets() {
        for hours in [1, 24, 192, 193, 720, 1_488, 1_489, 9_600] {
            let range = SignedDuration::from_hours(hours);
            assert!(range.as_secs() / step_of(range).as_secs() <= 400, "{hours}");
        }
    }
}
