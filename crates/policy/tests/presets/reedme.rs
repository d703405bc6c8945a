//! R: half an hour, HTTP freshness, 1.8^n, 48 hours.

use crate::support::Feed;
use policy::Preset;

#[test]
fn delays_are_rs_formulas() {
    let mut feed = Feed::new(Preset::Reedme);
    feed.check(&[
        ("R-59 success: the interval", "200 new=5", "1800 new-entries"),
        ("R-63 nothing new", "200", "1800 no-new-entries"),
        ("R-63 success: retry-after", "200 retry-after=4000", "4000 retry-after"),
        ("R-64 success: max-age", "200 max-age=7200", "7200 no-new-entries"),
        ("R-82 a 304 without headers keeps max-age", "304", "7200 not-modified"),
        ("R-64 Expires", "200 expires=5400", "5400 no-new-entries"),
        ("R-63 the longest wins", "200 max-age=60 retry-after=100", "1800 no-new-entries"),
        ("R-66 the cap on success", "200 max-age=999999", "172800 no-new-entries"),
        ("back", "200", "1800 no-new-entries"),
        ("R-72, R-73 failure: 1800 x 1.8^1", "500", "3240 error-backoff"),
        ("R-72 1.8^2", "timeout", "5832 error-backoff"),
        ("R-83 any other status", "404", "10497 error-backoff"),
        ("C-5 429 counts", "429", "18895 error-backoff"),
        ("R-65 retry-after is longer", "429 retry-after=90000", "90000 retry-after"),
        ("C-37 410 counts", "410", "61222 error-backoff"),
        ("R-72 1.8^7", "500", "110199 error-backoff"),
        ("R-74 capped", "500", "172800 error-backoff"),
        ("R-66 retry-after beyond the cap", "503 retry-after=9999999", "172800 error-backoff"),
        ("R-77 success resets", "304", "1800 not-modified"),
        ("R-72 from the start again", "500", "3240 error-backoff"),
    ]);
}

#[test]
fn nothing_is_ever_disabled() {
    let mut feed = Feed::new(Preset::Reedme);
    for _ in 0..100 {
        assert_eq!(feed.answer("500").state, None);
    }
    assert_eq!(feed.dossier.history.failures, 100);
}
