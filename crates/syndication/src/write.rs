//! Writes feeds strictly: the result is valid, whatever the input.
//!
//! Missing required elements are filled in with the minimum that is true; characters that XML forbids are removed.
//! Reading the result gives the same reading, as far as the dialect can express it.

mod atom;
mod json;
mod rss;

use jiff::Timestamp;
use jiff::tz::Offset;
use model::reading::{Dated, Text, TextKind};

pub use self::atom::atom;
pub use self::json::json;
pub use self::rss::rss;

use crate::text::{escape_attribute_into, escape_into};

/// The characters that XML 1.0 allows.
fn is_allowed(c: char) -> bool {
    !matches!(c, '\0'..='\x08' | '\x0b' | '\x0c' | '\x0e'..='\x1f' | '\u{fffe}' | '\u{ffff}')
}

fn allowed(text: &str) -> std::borrow::Cow<'_, str> {
    if text.chars().all(is_allowed) { text.into() } else { text.chars().filter(|c| is_allowed(*c)).collect() }
}

/// `<name>text</name>`, escaped, on a line of its own.
pub(crate) fn element(out: &mut String, name: &str, text: &str) {
    open(out, name);
    close(out, name, text);
}

/// An element, only if there is text for it.
fn maybe(out: &mut String, name: &str, text: Option<&str>) {
    if let Some(text) = text.filter(|text| !text.is_empty()) {
        element(out, name, text);
    }
}

/// `<name`, ready for attributes.
fn begin(out: &mut String, name: &str) {
    out.push('<');
    out.push_str(name);
}

fn open(out: &mut String, name: &str) {
    begin(out, name);
    out.push('>');
}

/// The text and the end tag of an element whose start tag is written.
fn close(out: &mut String, name: &str, text: &str) {
    escape_into(&allowed(text), out);
    out.push_str("</");
    out.push_str(name);
    out.push_str(">\n");
}

/// ` name="value"`, escaped.
pub(crate) fn attribute(out: &mut String, name: &str, value: &str) {
    out.push(' ');
    out.push_str(name);
    out.push_str("=\"");
    // Raw line breaks in attributes would be read as blanks.
    let value = allowed(value).replace(['\n', '\t', '\r'], " ");
    escape_attribute_into(&value, out);
    out.push('"');
}

fn maybe_attribute(out: &mut String, name: &str, value: Option<&str>) {
    if let Some(value) = value.filter(|value| !value.is_empty()) {
        attribute(out, name, value);
    }
}

/// RSS's date format, always in GMT.
pub(crate) fn rfc822(at: Timestamp) -> String {
    let at = Offset::UTC.to_datetime(at);
    jiff::fmt::strtime::format("%a, %d %b %Y %H:%M:%S GMT", at).unwrap_or_default()
}

/// The date format of Atom and JSON Feed.
fn rfc3339(at: Timestamp) -> String {
    at.to_string()
}

fn instant(dated: Option<&Dated>) -> Option<Timestamp> {
    dated.and_then(|dated| dated.at)
}

/// A text as HTML, for fields that take nothing else.
fn as_html(text: &Text) -> String {
    match text.kind {
        TextKind::Html | TextKind::Xhtml => text.value.clone(),
        TextKind::Plain => {
            let mut out = String::with_capacity(text.value.len());
            escape_into(&text.value, &mut out);
            out
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces() {
        let mut out = String::new();
        begin(&mut out, "a");
        attribute(&mut out, "b", "<\"&\n\u{1}");
        out.push('>');
        close(&mut out, "a", "x & \u{ffff}<y>");
        assert_eq!(out, "<a b=\"&lt;&quot;&amp; \">x &amp; &lt;y&gt;</a>\n");
        assert_eq!(rfc822(Timestamp::UNIX_EPOCH), "Thu, 01 Jan 1970 00:00:00 GMT");
    }
}
