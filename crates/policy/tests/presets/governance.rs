//! G: an interval per source within 15 and 1440 minutes, disabled at five, ninety days.

use crate::support::Feed;
use model::feed::FeedState;
use policy::{Preset, Rules};

#[test]
fn sources_keep_their_interval_until_the_fifth_error() {
    let mut feed = Feed::new(Preset::Governance);
    feed.rules = feed.rules.with("interval.initial", "15m").unwrap();
    feed.check(&[
        ("G-05 breaking news", "200 new=5", "900 new-entries"),
        ("G-36 a timeout counts, next interval", "timeout", "900 error-backoff"),
        ("G-37 404 counts", "404", "900 error-backoff"),
        ("G-38 429 backs off", "429", "7200 error-backoff"),
        ("G-41 success clears", "304", "900 not-modified"),
        ("G-39 invalid XML", "html", "900 error-backoff"),
        ("G-40 an entry without title or link", "200 new=1 bad", "900 error-backoff"),
        ("G-37 410", "410", "900 error-backoff"),
        ("G-37", "404", "900 error-backoff"),
        ("G-35 the fifth", "500", "never disabled"),
    ]);
    assert!(matches!(feed.dossier.state, FeedState::Disabled { .. }));
    assert_eq!(feed.dossier.history.failures, 5, "G-32");
}

#[test]
fn the_range_of_intervals() {
    let rules = Rules::preset(Preset::Governance);
    let check = |case: &str, value: &str, fits: bool| {
        assert_eq!(rules.with("interval.initial", value).is_ok(), fits, "{case}");
    };
    check("G-05 breaking news", "15m", true);
    check("G-06 tech", "60m", true);
    check("G-07 analysis", "360m", true);
    check("G-08 sports", "120m", true);
    check("G-09 too often", "14m", false);
    check("G-09 too seldom", "1441m", false);
    let shown = |key: &str| policy::rules::keys().iter().find(|known| known.name == key).unwrap().value(&rules);
    assert_eq!((shown("retention.any_for"), shown("retention.from")), ("90d".into(), "published".into()), "G-71");
}
