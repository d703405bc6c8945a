//! The one entrance: bytes in, a reading out.
//!
//! Decodes, tells JSON from XML and hands on; the dialects are in `xml` and `json`, refusals in `refusal`.
//! Called by the engine for every visit and by `courant parse`.

use model::reading::{End, Reading};

use crate::decode::decode;
use crate::limits::Limits;
use crate::problems::Problems;
use crate::refusal::{self, NotAFeed};
use crate::text::Quirks;
use crate::{json, xml};

/// What is known about a document from elsewhere, usually from the HTTP answer that brought it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Hints<'a> {
    /// The Content-Type header, whose charset outranks the document's own declaration.
    pub content_type: Option<&'a str>,
    /// What relative URLs are relative to: Content-Location or the URL of the visit.
    pub base_url: Option<&'a str>,
    /// The Content-Language header, in force where the document says nothing.
    pub language: Option<&'a str>,
}

/// Reads a feed of any dialect. One bad thing never fails it: what was wrong stands in `problems`.
///
/// A document that ended early says so in `end`, and keeps the entries that were read to their end.
/// `Err` only where no feed can be recognised at all; it then says what the bytes were instead.
pub fn read(bytes: &[u8], hints: &Hints<'_>, limits: &Limits) -> Result<Reading, NotAFeed> {
    let cut = bytes.len() > limits.document_bytes;
    let decoded = decode(&bytes[..bytes.len().min(limits.document_bytes)], hints.content_type, hints.base_url);
    let text = decoded.text.as_ref();
    let problems = || {
        let mut problems = Problems::new(text, limits.problems);
        if let Some(problem) = &decoded.problem {
            problems.whole(problem.as_str());
        }
        if cut {
            problems.whole(format!("only the first {} bytes were read", limits.document_bytes));
        }
        problems
    };
    let mut reading = None;
    if json::is_json(text) {
        reading = json::read(text, hints, limits, problems());
    }
    // What begins like JSON may be a program's complaint with a feed after it.
    match reading.or_else(|| xml::read(text, Quirks::of(text, &decoded.encoding), hints, limits, problems())) {
        Some(mut reading) => {
            for range in reading.entries.iter_mut().filter_map(|entry| entry.range.as_mut()) {
                range.start += decoded.mark_bytes as u64;
                range.end += decoded.mark_bytes as u64;
            }
            if cut && reading.end == End::Early {
                reading.end = End::AtLimit;
            }
            Ok(Reading { encoding: decoded.encoding, ..reading })
        }
        None => Err(refusal::explain(text, hints)),
    }
}
