//! F: the EWMA rule step by step (F-143), never disabled.

use crate::support::Feed;
use policy::{Dice, Preset};

#[test]
fn intervals_follow_what_is_answered() {
    let mut feed = Feed::new(Preset::Fetcher);
    feed.check(&[
        ("F-46, F-49 the first, with something new", "200 new=x", "675 new-entries"),
        ("F-48 304: x 1.25", "304", "843 not-modified"),
        ("F-50 nothing new: x 1.25", "200", "1054 no-new-entries"),
        ("F-49 something new: x 0.75", "200 new=x", "791 new-entries"),
        ("F-51 429 with Retry-After: exactly", "429 retry-after=120", "120 retry-after"),
        ("F-51 503 too", "503 retry-after=7777", "7777 retry-after"),
        ("C-5 and no failure", "304", "988 not-modified"),
        ("F-52, F-104 without: x 2", "429", "1977 error-backoff"),
        ("F-52 x 4 is beyond the cap", "429", "3600 error-backoff"),
        ("the interval itself has not changed", "304", "1235 not-modified"),
        ("F-108 a parse error", "html", "2471 error-backoff"),
        ("F-104 the cap", "500", "3600 error-backoff"),
        ("F-104 the cap again", "timeout", "3600 error-backoff"),
        ("F-48 after all that", "304", "1544 not-modified"),
        ("F-47 ttl", "200 ttl=60", "3600 no-new-entries"),
        ("F-47 the ttl of the last document counts for a 304", "304", "4500 not-modified"),
        ("F-100, F-47 ttl beyond the maximum", "200 ttl=99999", "86400 no-new-entries"),
        ("F-100 the maximum", "304", "86400 not-modified"),
    ]);
}

#[test]
fn the_blend_goes_on_from_what_is_known() {
    let mut feed = Feed::new(Preset::Fetcher);
    // Entries every 10 minutes: d = 600 s, EWMA 600 s.
    feed.check(&[
        ("F-54 0.5 x 600 + 0.5 x 675", "200 new=0,10,20,30", "637 new-entries"),
        ("F-54 0.5 x 600 + 0.5 x 796", "304", "698 not-modified"),
        // 1215 s since the last one, then 60 s twice: 600 goes to 784, 567 and 415.
        ("F-53, F-107 from the last one known on", "200 new=0,1,2", "469 new-entries"),
    ]);
}

#[test]
fn a_feed_that_shows_one_entry_has_a_rhythm_too() {
    let mut feed = Feed::new(Preset::Fetcher);
    feed.check(&[
        ("one date is no gap", "200 new=0", "675 new-entries"),
        ("F-44 675 s since the last one: 0.5 x 675 + 0.5 x 506", "200 new=0", "590 new-entries"),
        ("F-50 the same one: 0.5 x 675 + 0.5 x 738", "304", "706 not-modified"),
        ("F-53 0.3 x 1297 + 0.7 x 675 = 861", "200 new=0", "695 new-entries"),
    ]);
}

#[test]
fn the_floor_is_kept() {
    let mut feed = Feed::new(Preset::Fetcher);
    let many: Vec<String> = (0..20).map(|minutes| minutes.to_string()).collect();
    let many = format!("200 new={}", many.join(","));
    feed.check(&[
        ("F-54 0.5 x 300 + 0.5 x 675", &many, "487 new-entries"),
        ("F-99 the floor", &many, "332 new-entries"),
        ("F-99 the floor", &many, "300 new-entries"),
        ("F-99 the floor", &many, "300 new-entries"),
    ]);
}

#[test]
fn jitter_is_within_its_ratio_and_can_be_repeated() {
    let at = |visits: i64| {
        let mut feed = Feed::new(Preset::Fetcher);
        feed.rules.interval.jitter = 0.15;
        feed.dossier.history.visits = visits;
        let now = feed.now;
        feed.answer("304").schedule.next.at().unwrap().duration_since(now).as_secs_f64()
    };
    let waits: Vec<f64> = (0..200).map(at).collect();
    let (least, most) =
        waits.iter().fold((f64::MAX, 0.0_f64), |(least, most), wait| (least.min(*wait), most.max(*wait)));
    assert!((956.25..970.0).contains(&least) && (1280.0..=1293.75).contains(&most), "F-55: {least} {most}");
    assert!((at(5) - at(5)).abs() < f64::EPSILON, "F-11");
    assert_eq!(Dice::of(1, 2), Dice::of(1, 2));
}

#[test]
fn nothing_is_ever_disabled_but_what_is_gone() {
    let mut feed = Feed::new(Preset::Fetcher);
    for _ in 0..100 {
        assert_eq!(feed.answer("500").state, None);
    }
    feed.check(&[("C-37 gone", "410", "86400 gone"), ("C-37 gone, a day later", "410", "never gone")]);
}

#[test]
fn flapping_opens_the_circuit() {
    let mut feed = Feed::new(Preset::Fetcher);
    for _ in 0..9 {
        feed.answer("200 new=x");
        feed.answer("500");
    }
    feed.answer("200 new=x");
    feed.check(&[("F-110 ten failures in fifty visits", "500", "3600 error-backoff")]);
}
