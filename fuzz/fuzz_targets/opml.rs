//! OPML: what was read can be written and read again, with the same rows.
//!
//! The mutation fuzzer asks the same in `crates/syndication/tests/it/fuzz.rs`.

#![no_main]

use libfuzzer_sys::fuzz_target;
use syndication::opml::{self, Limits, Options};

fuzz_target!(|bytes: &[u8]| {
    let Ok((list, _)) = opml::read(bytes, &Options::default(), &Limits::default()) else { return };
    let written = opml::write(&list, jiff::Timestamp::UNIX_EPOCH);
    // Text that looks as if it had been encoded twice is repaired when it is read, and is another text then.
    if written.contains(|c| ('\u{80}'..='\u{bf}').contains(&c)) {
        return;
    }
    let again = opml::read(written.as_bytes(), &Options::default(), &Limits::default());
    assert_eq!(again.map(|(list, _)| list.rows), Ok(list.rows), "{written}");
});
