//! HTML of strangers: what was cleaned satisfies the referee of `content`, and cleaning it again changes nothing. The same
//! holds for the article of a page. Pages are searched for feeds as well.
//!
//! The mutation fuzzer asks the same in `crates/content/tests/it/fuzz.rs`.

#![no_main]

#[path = "../../crates/content/tests/it/referee.rs"]
#[allow(dead_code, reason = "some of its checks are for other tests")]
mod referee;

use content::{Limits, article, clean, plain_text};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|html: &str| {
    let base = Some("https://example.org/a/");
    let once = clean(html, base, &Limits::ENTRY);
    assert_eq!(referee::complaint(&once.html), None, "{}", once.html);
    let twice = clean(&once.html, base, &Limits::ENTRY);
    assert_eq!((&twice.html, &twice.text), (&once.html, &once.text));
    if let Some(article) = article(html, "https://example.org/a/") {
        assert_eq!(referee::complaint(&article.html), None, "{}", article.html);
        assert_eq!(clean(&article.html, base, &Limits::ENTRY).html, article.html);
    }
    let text = plain_text(html);
    assert!(!text.chars().any(referee::is_forbidden), "{text:?}");
    assert_eq!(syndication::page(html, base), syndication::page(html, base));
});
