//! A: every half hour, the ladder, disabled at ten.

use crate::support::Feed;
use model::feed::FeedState;
use policy::Preset;

#[test]
fn the_ladder_and_its_end() {
    let mut feed = Feed::new(Preset::Reader);
    feed.check(&[
        ("30 minutes", "200 new=5", "1800 new-entries"),
        ("A-148 no news is no error", "304", "1800 not-modified"),
        ("A-148 an empty feed is no error", "200", "1800 no-new-entries"),
        ("A-148 a bad post is no error", "200 new=1 bad", "1800 new-entries"),
        ("a fixed rhythm: no hints", "200 ttl=600 max-age=99999", "1800 no-new-entries"),
        ("A-139 1 h", "timeout", "3600 error-backoff"),
        ("A-139 4 h", "404", "14400 error-backoff"),
        ("A-139 12 h", "500", "43200 error-backoff"),
        ("A-139 24 h, A-147 invalid XML", "html", "86400 error-backoff"),
        ("A-139 48 h, C-37 410", "410", "172800 error-backoff"),
        ("A-139 48 h, C-5 429", "429", "172800 error-backoff"),
        ("A-142 success resets", "304", "1800 not-modified"),
        ("A-139 1 h again", "500", "3600 error-backoff"),
    ]);
    for n in 2..10 {
        assert_eq!(feed.answer("500").state, None, "failure {n}");
    }
    let plan = feed.answer("500");
    let reason = "Consecutive failures: the server answered 500".to_owned();
    assert_eq!(plan.state, Some(FeedState::Disabled { reason }), "A-143");
    assert_eq!(plan.schedule.next.at(), None, "A-144");
    assert_eq!(feed.answer("200 new=1").state, Some(FeedState::Active), "A-146 a manual visit that succeeds");
}

#[test]
fn the_first_version_stays_and_dates_are_kept() {
    let rules = Feed::new(Preset::Reader).rules;
    let shown = |key: &str| policy::rules::keys().iter().find(|known| known.name == key).unwrap().value(&rules);
    let check = |case: &str, key: &str, expected: &str| assert_eq!(shown(key), expected, "{case}");
    check("A-59", "dedup.chain", "guid,url,content");
    check("A-77", "dedup.same_link", "always");
    check("A-69", "dedup.collisions", "other_link");
    check("C-13", "entries.on_change", "ignore");
    check("A-220", "entries.future_dates", "keep");
    check("A-96", "retention.per_feed", "500");
    check("A-97", "retention.read_for", "365d");
    check("A-98", "retention.unread_for", "90d");
    check("A-103", "retention.full_text_for", "30d");
    check("A-143", "failure.disable_after", "10");
    check("C-3", "failure.revive_after", "never");
}
