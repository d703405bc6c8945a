//! D: a fixed interval while polling, one strike.

use crate::support::Feed;
use policy::Preset;

#[test]
fn one_strike() {
    let mut feed = Feed::new(Preset::Deframer);
    feed.check(&[
        ("D-46 success re-arms", "200 new=5", "600 new-entries"),
        ("D-46 a 304 does too", "304", "600 not-modified"),
        ("D-50, D-51 an error is the end", "404", "never one-strike"),
    ]);
    assert_eq!(feed.dossier.history.last_error.as_deref(), Some("the server answered 404"), "D-50");
    assert_eq!(feed.dossier.state, model::feed::FeedState::Active, "C-9 dead is still active, with nothing due");
    feed.check(&[("D-53 until somebody tries it", "200", "600 no-new-entries")]);
    assert_eq!(feed.dossier.history.last_error, None, "D-49");
    for answer in ["timeout", "410", "429", "html"] {
        Feed::new(Preset::Deframer).check(&[("D-50", answer, "never one-strike")]);
    }
}

#[test]
fn without_polling_there_is_one_visit() {
    let mut feed = Feed::new(Preset::Deframer);
    feed.dossier.polling = false;
    feed.check(&[("D-47", "200 new=5", "never one-time"), ("D-51", "500", "never one-strike")]);
}

#[test]
fn the_rest_of_d() {
    let rules = Feed::new(Preset::Deframer).rules;
    let shown = |key: &str| policy::rules::keys().iter().find(|known| known.name == key).unwrap().value(&rules);
    let check = |case: &str, key: &str, expected: &str| assert_eq!(shown(key), expected, "{case}");
    check("D-33", "lease", "10m");
    check("D-37", "dedup.chain", "url");
    check("D-37", "dedup.uid", "link_hash");
    check("C-13", "entries.on_change", "ignore");
}
