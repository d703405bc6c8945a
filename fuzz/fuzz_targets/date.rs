//! Dates of feeds, in all their spellings: each is understood or not, without a panic.
//!
//! Dates of HTTP fields are in `http_fields`.

#![no_main]

use libfuzzer_sys::fuzz_target;
use syndication::date;

fuzz_target!(|text: &str| {
    let read = date::parse(text);
    assert_eq!(read, date::parse(text.trim()));
    for language in ["en", "de", "ru", "zh"] {
        // A language may give the name of a month its meaning; it takes no date away.
        assert!(read.is_none() || date::parse_in(text, Some(language)).is_some());
    }
});
