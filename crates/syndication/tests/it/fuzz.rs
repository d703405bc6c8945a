//! Mutated documents of the corpus: feeds of all dialects, OPML, dates, charsets. The check: a result, quickly, and the
//! same when repeated.
//!
//! Some thousand mutants in every test run; `FUZZ_SECONDS=3600 cargo test --release -p syndication fuzz` runs for an
//! hour. A failing mutant is printed as an escaped string, to become a document of the corpus.

use syndication::{Hints, Limits, date, normalised, opml, read};
use trial::Stock;

use crate::corpus::documents;

/// Mutants per target in a normal test run.
const MUTANTS: usize = 1_500;

/// Tokens that are inserted into documents of all dialects.
const TOKENS: &[&[u8]] = &[
    b"<",
    b">",
    b"&",
    b"\"",
    b"'",
    b"<![CDATA[",
    b"]]>",
    b"<!--",
    b"-->",
    b"<item>",
    b"</item>",
    b"<entry>",
    b"<title>",
    b"</",
    b"/>",
    b"&#x",
    b"&lt;",
    b"\0",
    b"\xff",
    b"\xc3",
    b"\xef\xbb\xbf",
    b"<?xml encoding='utf-16'?>",
    b"xml:base='",
    b"xmlns='",
    b"{",
    b"}",
    b"[",
    b"\\ud800",
    b"9999999999",
    b"<!DOCTYPE a [<!ENTITY b '",
    b"<div>",
    b"type='xhtml'",
    b"mode='base64'",
    b"24:00",
    b"+99:99",
    b"\xe5\xb9\xb4",
];

pub(crate) fn fuzz(seeds: &[Vec<u8>], target: impl Fn(&[u8]) + std::panic::RefUnwindSafe) {
    trial::fuzz(MUTANTS, &Stock::bytes(seeds, TOKENS.iter().copied()), target);
}

pub(crate) fn seeds(wanted: impl Fn(&str) -> bool) -> Vec<Vec<u8>> {
    let found = documents().into_iter().filter(|path| wanted(&path.to_string_lossy()));
    found.map(|path| std::fs::read(path).unwrap()).collect()
}

/// The same bytes give the same result, and the reading can be written.
fn read_twice(bytes: &[u8], hints: &Hints<'_>) {
    let first = read(bytes, hints, &Limits::default());
    assert_eq!(first, read(bytes, hints, &Limits::default()));
    if let Ok(reading) = first {
        let _ = normalised::document(&reading).to_string();
        let _ = syndication::summary::render(&reading);
        for written in
            [syndication::write::rss(&reading), syndication::write::atom(&reading), syndication::write::json(&reading)]
        {
            let again = read(written.as_bytes(), &Hints::default(), &Limits::default());
            assert!(again.is_ok_and(|again| again.entries.len() == reading.entries.len()), "{written}");
        }
    }
}

#[test]
fn fuzz_feeds() {
    let hints = Hints { base_url: Some("http://example.org/a/b"), language: Some("en"), ..Hints::default() };
    fuzz(&seeds(|path| path.ends_with(".xml")), |bytes| read_twice(bytes, &hints));
}

#[test]
fn fuzz_json_feeds() {
    fuzz(&seeds(|path| path.ends_with(".json")), |bytes| read_twice(bytes, &Hints::default()));
}

#[test]
fn fuzz_charsets() {
    const LABELS: [&str; 8] =
        ["utf-8", "utf-16", "shift_jis", "gb18030", "iso-2022-jp", "cp437", "x-user-defined", "nonsense"];
    fuzz(&seeds(|path| path.contains("encoding")), |bytes| {
        for label in LABELS {
            let content_type = format!("text/xml; charset={label}");
            let _ = read(bytes, &Hints { content_type: Some(&content_type), ..Hints::default() }, &Limits::default());
        }
    });
}

#[test]
fn fuzz_opml() {
    let mut seeds = seeds(|path| path.ends_with(".opml"));
    // Regression: a name from a host with an invisible character did not round-trip.
    seeds.push("<opml><body><outline xmlUrl='http://a.e\u{feff}x.example/'/></body></opml>".into());
    seeds.push(b"<opml version='2.0'><body><outline text='A'><outline type='rss' text='B' xmlUrl='http://b.example/f?a&b' category='/a/b,c'/></outline></body></opml>".to_vec());
    fuzz(&seeds, |bytes| {
        let outcome = opml::read(bytes, &opml::Options::default(), &opml::Limits::default());
        if let Ok((list, _)) = outcome {
            let written = opml::write(&list, jiff::Timestamp::UNIX_EPOCH);
            // Text that looks doubly encoded is repaired when it is read, and then differs.
            if written.contains(|c| ('\u{80}'..='\u{bf}').contains(&c)) {
                return;
            }
            let again = opml::read(written.as_bytes(), &opml::Options::default(), &opml::Limits::default());
            assert_eq!(again.map(|(list, _)| list.rows), Ok(list.rows), "{written}");
        }
    });
}

#[test]
fn fuzz_dates() {
    let seeds: Vec<Vec<u8>> = seeds(|path| path.contains("dates"))
        .iter()
        .filter_map(|document| {
            let text = String::from_utf8_lossy(document);
            Some(text.split("<pubDate>").nth(1)?.split("</pubDate>").next()?.as_bytes().to_vec())
        })
        .collect();
    fuzz(&seeds, |bytes| {
        let _ = date::parse(&String::from_utf8_lossy(bytes));
    });
}
