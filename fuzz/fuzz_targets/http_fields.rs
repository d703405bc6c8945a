//! Values of HTTP fields. The input is the lines of one field, separated by line feeds, and every reader gets it.
//!
//! The mutation fuzzer asks the same in `crates/http_semantics/tests/it/fuzz.rs`.

#![no_main]

use http_semantics::{
    CacheControl, Conditions, EntityTag, Freshness, IfNoneMatch, age, expires, freshness, http_date, link, retry_after,
};
use jiff::{SignedDuration, Timestamp};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let lines = || bytes.split(|byte| *byte == b'\n');
    let now = Timestamp::from_second(1_800_000_000).expect("a moment of 2027");

    let control = CacheControl::read(lines());
    assert_eq!(CacheControl::read([control.to_string().as_bytes()]), control);
    if let Freshness::Fresh(left, _) = freshness(&control, expires::read(lines(), now), now) {
        assert!(left > SignedDuration::ZERO && !control.no_store && !control.no_cache);
    }
    assert!(age::read(lines()).is_none_or(|age| age >= SignedDuration::ZERO));
    let _ = retry_after::read(lines(), now);

    if let Some(at) = http_date::parse(bytes, now) {
        assert_eq!(http_date::parse_lenient(bytes, now), Some(at));
        assert_eq!(http_date::parse(http_date::format(at).as_bytes(), now), Some(at));
    }

    if let Some(tag) = EntityTag::read(bytes) {
        assert!(IfNoneMatch::read([bytes]).is_some_and(|condition| condition.matches(Some(tag))));
    }
    let _ = Conditions::read(lines(), lines(), now).not_modified(EntityTag::strong("a"), Some(now));

    for link in link::read(lines()) {
        let written = link.to_string();
        assert!(written.bytes().all(|byte| matches!(byte, b' '..=b'~')), "{written:?}");
        // No more than 16 KiB of a line are read.
        if written.len() < 16 << 10 {
            assert_eq!(link::read([written.as_bytes()]).len(), 1, "{written}");
        }
    }
});
