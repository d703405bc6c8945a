//! The one entrance: bytes in, a reading out.

use model::reading::Reading;

use crate::decode::decode;
use crate::limits::Limits;
use crate::problems::Problems;
use crate::refusal::{self, NotAFeed};
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
/// `Err` only where no feed can be recognised at all; it then says what the bytes were instead.
pub fn read(bytes: &[u8], hints: &Hints<'_>, limits: &Limits) -> Result<Reading, NotAFeed> {
    let cut = bytes.len() > limits.document_bytes;
    let decoded = decode(&bytes[..bytes.len().min(limits.document_bytes)], hints.content_type);
    let text = decoded.text.as_ref();
    let mut problems = Problems::new(text, limits.problems);
    if let Some(problem) = decoded.problem {
        problems.whole(problem);
    }
    if cut {
        problems.whole(format!("only the first {} bytes were read", limits.document_bytes));
    }
    let reading = if json::is_json(text) {
        json::read(text, hints, limits, problems)
    } else {
        xml::read(text, hints, limits, problems)
    };
    match reading {
        Some(reading) => Ok(Reading { encoding: decoded.encoding, ..reading }),
        None => Err(refusal::explain(text, hints)),
    }
}
