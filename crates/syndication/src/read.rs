//! The entry point: bytes in, a reading out.
//!
//! Decodes, distinguishes JSON and XML, and passes on; the dialects are in `xml` and `json`, refusals in `refusal`.
//! Called by the engine for every visit and by `courant parse`.

use model::reading::{End, Reading};

use crate::decode::decode;
use crate::limits::Limits;
use crate::problems::Problems;
use crate::refusal::{self, NotAFeed};
use crate::text::Quirks;
use crate::{json, xml};

/// What is known about a document from elsewhere, usually from the HTTP response.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Hints<'a> {
    /// The Content-Type header, whose charset overrides the document's own declaration.
    pub content_type: Option<&'a str>,
    /// The base of relative URLs: Content-Location or the URL of the visit.
    pub base_url: Option<&'a str>,
    /// The Content-Language header, for documents without a language.
    pub language: Option<&'a str>,
}

/// Reads a feed of any dialect. A single problem never fails it: problems are in `problems`.
///
/// A document that ended early says so in `end`, and keeps its complete entries. `Err` only if no feed is recognised at
/// all; it says what the bytes were instead.
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
    // A document that begins like JSON may be an error message with a feed after it.
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
