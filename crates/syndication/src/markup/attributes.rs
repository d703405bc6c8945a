//! The attributes of a start tag: with or without quotes, or with only one of the two.
//!
//! The end of the tag itself is decided in `markup` before this is called.

use memchr::memchr;

/// The attributes of a tag: name and value as written, entities not expanded.
#[derive(Debug, Clone)]
pub(crate) struct Attributes<'a>(pub &'a str);

impl<'a> Iterator for Attributes<'a> {
    type Item = (&'a str, &'a str);

    fn next(&mut self) -> Option<Self::Item> {
        let rest =
            self.0.trim_start_matches(|c: char| c.is_ascii_whitespace() || matches!(c, '/' | '"' | '\'' | '=' | ','));
        let bytes = rest.as_bytes();
        if bytes.is_empty() {
            return None;
        }
        let name_end = bytes.iter().position(|byte| *byte == b'=' || byte.is_ascii_whitespace()).unwrap_or(bytes.len());
        let name = &rest[..name_end];
        let after = rest[name_end..].trim_ascii_start();
        let Some(value) = after.strip_prefix('=') else {
            self.0 = after;
            return Some((name, ""));
        };
        let value = value.trim_ascii_start();
        let (value, rest) = if let Some(quote @ (b'"' | b'\'')) = value.as_bytes().first() {
            let inside = &value[1..];
            match memchr(*quote, inside.as_bytes()) {
                Some(end) => (&inside[..end], &inside[end + 1..]),
                // Not closed: the value ends before what looks like the next attribute.
                None => inside.split_at(next_attribute(inside)),
            }
        } else {
            let (value, rest) = value.split_at(value.find(|c: char| c.is_ascii_whitespace()).unwrap_or(value.len()));
            // Perhaps only the opening quote is missing.
            (value.trim_end_matches(['"', '\'']), rest)
        };
        self.0 = rest;
        Some((name, value))
    }
}

/// Where an attribute begins inside of a value without its closing quote.
fn next_attribute(value: &str) -> usize {
    let bytes = value.as_bytes();
    let starts = |at: &usize| {
        let rest = &bytes[at + 1..];
        let length = rest
            .iter()
            .take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b':' | b'-' | b'_'))
            .take(32)
            .count();
        bytes[*at].is_ascii_whitespace() && length > 0 && rest.get(length) == Some(&b'=')
    };
    (0..bytes.len()).find(starts).unwrap_or(bytes.len())
}
