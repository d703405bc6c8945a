//! Mutated field values: none may panic or take long, and what is understood can be written and read again.
//!
//! A few thousand mutants in every test run; `FUZZ_SECONDS=600 cargo test --release -p http_semantics fuzz` runs longer.
//! A line feed in a mutant separates two lines of a field.

use http_semantics::{
    CacheControl, Conditions, EntityTag, Freshness, IfNoneMatch, age, expires, freshness, http_date, link, retry_after,
};
use jiff::{SignedDuration, Timestamp};
use trial::Stock;

/// Mutants per target in a normal test run.
const MUTANTS: usize = 5_000;

fn fuzz(seeds: &[&str], tokens: &[&str], target: impl Fn(&[u8], Timestamp) + std::panic::RefUnwindSafe) {
    let stock = Stock::bytes(seeds.iter().copied(), tokens.iter().copied()).at_most(64 << 10);
    let ordinary: Timestamp = "2026-06-15T12:00:00Z".parse().expect("a constant moment");
    trial::fuzz(MUTANTS, &stock, |bytes| {
        for now in [ordinary, Timestamp::MIN, Timestamp::MAX] {
            target(bytes, now);
        }
    });
}

fn lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    bytes.split(|byte| *byte == b'\n')
}

#[test]
fn fuzz_caching() {
    let seeds = [
        "public, max-age=600, s-maxage=\"60\", no-cache=\"set-cookie, x\", private\nmax-age=5, must-revalidate",
        "no-store, immutable, max-age=99999999999999999999, community=\"U\\\"CI\"",
    ];
    let tokens = [",", "\"", "\\", "=", "max-age", "max-age=", "-", "9", " ", "\n", "no-store", "\u{e9}"];
    fuzz(&seeds, &tokens, |bytes, now| {
        let control = CacheControl::read(lines(bytes));
        assert_eq!(CacheControl::read([control.to_string().as_bytes()]), control);
        let longest = SignedDuration::from_secs(1 << 31);
        for age in [control.max_age, control.s_maxage, age::read(lines(bytes))].into_iter().flatten() {
            assert!((SignedDuration::ZERO..=longest).contains(&age), "{age:?}");
        }
        let expires_at = expires::read(lines(bytes), now);
        if let Freshness::Fresh(left, _) = freshness(&control, expires_at, now) {
            assert!(left > SignedDuration::ZERO && !control.no_store && !control.no_cache);
        }
    });
}

#[test]
fn fuzz_dates() {
    let seeds = [
        "Sun, 06 Nov 1994 08:49:37 GMT",
        "Sunday, 06-Nov-94 08:49:37 GMT",
        "Sun Nov  6 08:49:37 1994",
        "1994-11-06T08:49:37.5+02:00",
        "120",
    ];
    let tokens = [" ", ":", ",", "-", "+", "9", "0", "GMT", "EST", "9999", "Feb", "29", "\n", "(", ")"];
    fuzz(&seeds, &tokens, |bytes, now| {
        if let Some(at) = http_date::parse(bytes, now) {
            assert_eq!(http_date::parse_lenient(bytes, now), Some(at));
            assert_eq!(http_date::parse(http_date::format(at).as_bytes(), now), Some(at));
        }
        if let Some(at) = http_date::parse_lenient(bytes, now) {
            assert_eq!(http_date::format(at).len(), 29);
        }
        let _ = retry_after::read(lines(bytes), now);
    });
}

#[test]
fn fuzz_conditions() {
    let seeds = ["\"xyzzy\", W/\"r2d2,xxxx\", \"c3\\\"", "*", "Sat, 29 Oct 1994 19:43:31 GMT", "\"a\"\nW/\"b\""];
    fuzz(&seeds, &["\"", "W/", ",", "*", "\\", " ", "\n", "\u{e9}", "\0"], |bytes, now| {
        if let Some(tag) = EntityTag::read(bytes) {
            assert!(tag.weak_eq(tag) && tag.strong_eq(tag) != tag.is_weak());
            assert!(IfNoneMatch::read([bytes]).is_some_and(|condition| condition.matches(Some(tag))));
        }
        let conditions = Conditions::read(lines(bytes), lines(bytes), now);
        let _ = conditions.not_modified(EntityTag::strong("xyzzy"), Some(now));
        let _ = Conditions::read([], lines(bytes), now).not_modified(None, Some(now));
    });
}

#[test]
fn fuzz_links() {
    let seeds = [
        "</f>; rel=\"alternate feed\"; type=\"application/rss+xml\"; title*=UTF-8''%e2%82%ac, <https://x.org/>; rel=hub",
        "<a>; title=\"\\\"<>,;\"; anchor=\"#x\"; rel=self\n<b>; rel=x",
    ];
    let tokens = ["<", ">", "\"", "\\", ";", ",", "=", "%", "title*=UTF-8''", "\u{20ac}", "\n", "\r", "\0"];
    fuzz(&seeds, &tokens, |bytes, _| {
        let links = link::read(lines(bytes));
        assert!(links.len() <= 256);
        for link in links {
            let written = link.to_string();
            assert!(written.bytes().all(|byte| matches!(byte, b' '..=b'~')), "{written:?}");
            let again = link::read([written.as_bytes()]);
            // A written link that is longer than what is read of a line is read in part.
            if written.len() < 8 << 10 {
                assert_eq!(again.len(), 1, "{written}");
                assert_eq!(again[0].to_string(), written, "written twice");
            }
        }
    });
}
