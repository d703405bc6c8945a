//! The `courant` preset: adaptive, tolerant of failures, with a weekly probe.

use crate::support::Feed;
use model::feed::FeedState;
use policy::Preset;

#[test]
fn visits_follow_the_rhythm_and_the_hints() {
    let mut feed = Feed::new(Preset::Courant);
    feed.check(&[
        ("nothing is known: once a day is assumed", "200", "7200 no-new-entries"),
        ("ttl", "200 ttl=360", "21600 no-new-entries"),
        ("max-age", "200 max-age=43200", "43200 no-new-entries"),
        ("hostile max-age", "200 max-age=99999999999999999999", "86400 no-new-entries"),
        ("429 pauses exactly", "429 retry-after=1234", "1234 retry-after"),
        ("429 for ever is a week", "429 retry-after=99999999", "604800 retry-after"),
    ]);
    assert_eq!(feed.dossier.history.failures, 0, "C-5");
}

#[test]
fn busy_feeds_are_visited_often_and_quiet_ones_seldom() {
    let wait = |answer: &str| {
        let mut feed = Feed::new(Preset::Courant);
        let now = feed.now;
        feed.answer(answer).schedule.next.at().unwrap().duration_since(now).as_mins()
    };
    let busy = wait("200 new=0,30,60,90,120,150,180,210,240,270,300,330,360,390,420,450,480,510,540,570");
    let daily = wait("200 new=0,1440,2880,4320,5760,7200,8640,10080,11520,12960,14400,15840,17280");
    let yearly = wait("200 new=500000,1000000");
    assert!(busy < 25 && (30..180).contains(&daily) && yearly > 600, "{busy} {daily} {yearly}");
}

#[test]
fn failures_are_forgiven_and_the_disabled_are_probed() {
    let mut feed = Feed::new(Preset::Courant);
    feed.check(&[
        ("a first visit", "200", "7200 no-new-entries"),
        ("doubled", "500", "14400 error-backoff"),
        ("doubled again", "timeout", "28800 error-backoff"),
        ("back, and it has said nothing for half a day", "304", "10808 not-modified"),
    ]);
    for _ in 0..9 {
        feed.answer("500");
    }
    feed.check(&[("C-3 the tenth", "500", "604800 disabled"), ("a probe that fails", "500", "604800 disabled")]);
    assert!(matches!(feed.dossier.state, FeedState::Disabled { .. }));
    assert_eq!(feed.answer("304").state, Some(FeedState::Active), "a probe that succeeds");
}

#[test]
fn gone_is_believed_the_second_time() {
    let mut feed = Feed::new(Preset::Courant);
    feed.check(&[("C-37 first", "410", "86400 gone"), ("C-37 back after all", "304", "7200 not-modified")]);
    feed.check(&[("C-37 first again", "410", "86400 gone"), ("C-37 a day later", "410", "never gone")]);
    assert_eq!(feed.dossier.state, FeedState::Gone);
}
