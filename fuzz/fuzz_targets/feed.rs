//! Feeds of all dialects: reading them twice gives the same, and what was read can be written and read again.
//!
//! The mutation fuzzer asks the same in `crates/syndication/tests/it/fuzz.rs`.

#![no_main]

use libfuzzer_sys::fuzz_target;
use syndication::{Hints, Limits, normalised, read, summary, write};

fuzz_target!(|bytes: &[u8]| {
    let hints = Hints { base_url: Some("http://example.org/a/b"), language: Some("en"), ..Hints::default() };
    let first = read(bytes, &hints, &Limits::default());
    assert_eq!(first, read(bytes, &hints, &Limits::default()));
    let Ok(reading) = first else { return };
    let _ = normalised::document(&reading).to_string();
    let _ = summary::render(&reading);
    for written in [write::rss(&reading), write::atom(&reading), write::json(&reading)] {
        let again = read(written.as_bytes(), &Hints::default(), &Limits::default());
        assert!(again.is_ok_and(|again| again.entries.len() == reading.entries.len()), "{written}");
    }
});
