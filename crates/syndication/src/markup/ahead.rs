//! Look-ahead: whether an element ends before its parent does.
//!
//! Used for unknown elements, which would otherwise swallow everything after them if their end tag is missing.
//! Invariant: linear time; all look-aheads together scan the document at most twice.

use memchr::memchr;

use super::{Markup, ends_name, section_end};

/// The maximum length of a look-ahead.
const FORESIGHT: usize = 1 << 16;

impl Markup<'_> {
    /// Whether the element whose start tag was the last token ends before its parent. A guess if that is far away: the
    /// look-ahead scans the text a second time, and its total is limited.
    pub(crate) fn ends_inside(&mut self, name: &str, outer: &str) -> bool {
        let bytes = self.text.as_bytes();
        let end = bytes.len().min(self.at.saturating_add(FORESIGHT.min(self.foresight)));
        let (mut at, mut deeper) = (self.at, 0_usize);
        let ends = loop {
            let Some(found) = memchr(b'<', &bytes[at..end]) else { break end < bytes.len() };
            at += found + 1;
            let rest = &bytes[at..];
            match rest {
                [b'/', rest @ ..] if is_name(rest, name) => break true,
                [b'/', rest @ ..] if is_name(rest, outer) && deeper == 0 => break false,
                [b'/', rest @ ..] if is_name(rest, outer) => deeper -= 1,
                rest if is_name(rest, outer) => deeper += 1,
                rest if rest.starts_with(b"![CDATA[") => at += section_end(&bytes[at..end]).unwrap_or(end - at),
                _ => {}
            }
        };
        self.foresight = self.foresight.saturating_sub(at - self.at);
        ends
    }
}

/// Whether this name is here, and ends.
fn is_name(bytes: &[u8], name: &str) -> bool {
    bytes.get(..name.len()).is_some_and(|there| there.eq_ignore_ascii_case(name.as_bytes()))
        && bytes.get(name.len()).is_none_or(|next| ends_name(*next))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_ahead() {
        let ends = |text: &str| {
            let mut markup = Markup::new(text);
            markup.next();
            markup.ends_inside("b", "a")
        };
        assert!(ends("<b>x</b></a>"));
        assert!(ends("<b><i></B></a>"));
        assert!(ends("<b><![CDATA[</a>]]></b></a>"));
        assert!(ends("<b><a></a></b></a>"));
        assert!(!ends("<b>x</a></b>"));
        assert!(!ends("<b></br></a></b>"));
        assert!(!ends("<b>cut"));
        assert!(ends(&format!("<b>{}</a>", " ".repeat(FORESIGHT))), "too far to tell");
    }
}
