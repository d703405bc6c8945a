//! Writes characters: as entities where they would be read as markup; forbidden ones are left out. Markup itself is
//! written in `writer`.

use crate::characters::{Class, class, is_forbidden, length as length_of};
use crate::lines::{Gap, Lines};

/// Writes text both as HTML and as plain lines; `newline` is how a line break in it appears in the lines.
pub(crate) fn text(text: &str, newline: Gap, html: &mut String, lines: &mut Lines) {
    let bytes = text.as_bytes();
    // How far the text was written as HTML, and as lines.
    let (mut at, mut written, mut told) = (0, 0, 0);
    while at < bytes.len() {
        let byte = bytes[at];
        match class(byte) {
            Class::Plain => at += 1,
            Class::Markup => {
                if let Some(entity) = entity(byte).filter(|_| byte != b'"') {
                    html.push_str(&text[written..at]);
                    html.push_str(entity);
                    written = at + 1;
                }
                at += 1;
            }
            Class::Look if bytes[at..].starts_with(NO_BREAK) => {
                html.push_str(&text[written..at]);
                html.push_str("&nbsp;");
                at += NO_BREAK.len();
                written = at;
            }
            Class::Look if !is_forbidden(&bytes[at..]) => at += length_of(byte),
            Class::Look | Class::Control => {
                html.push_str(&text[written..at]);
                lines.push(&text[told..at], newline);
                if byte == b'\x0c' {
                    html.push(' ');
                    lines.part(Gap::Space);
                }
                at += length_of(byte);
                (written, told) = (at, at);
            }
        }
    }
    html.push_str(&text[written..]);
    lines.push(&text[told..], newline);
}

/// Writes the value of an attribute in double quotes.
pub(crate) fn value(value: &str, html: &mut String) {
    let bytes = value.as_bytes();
    let (mut at, mut written) = (0, 0);
    while at < bytes.len() {
        let byte = bytes[at];
        let (skip, instead) = match class(byte) {
            Class::Markup => (1, entity(byte).unwrap_or_default()),
            Class::Control => (1, ""),
            Class::Look if bytes[at..].starts_with(NO_BREAK) => (NO_BREAK.len(), "&nbsp;"),
            Class::Look if is_forbidden(&bytes[at..]) => (length_of(byte), ""),
            Class::Plain | Class::Look => {
                at += 1;
                continue;
            }
        };
        html.push_str(&value[written..at]);
        html.push_str(instead);
        at += skip;
        written = at;
    }
    html.push_str(&value[written..]);
}

/// The maximum number of bytes that a character of text takes.
pub(crate) fn length(character: char) -> usize {
    match character {
        '&' => "&amp;".len(),
        '<' | '>' => "&lt;".len(),
        '\u{a0}' => "&nbsp;".len(),
        _ => character.len_utf8(),
    }
}

/// Whether there is only white space and line breaks, as they are written here.
pub(crate) fn is_blank(html: &str) -> bool {
    let mut rest = html;
    loop {
        rest = rest.trim_start_matches(|c: char| c.is_ascii_whitespace());
        match rest.strip_prefix("&nbsp;").or_else(|| rest.strip_prefix("<br>")) {
            Some(after) => rest = after,
            None => return rest.is_empty(),
        }
    }
}

/// U+00A0 in UTF-8: white space that must stay visible.
const NO_BREAK: &[u8] = &[0xc2, 0xa0];

fn entity(byte: u8) -> Option<&'static str> {
    match byte {
        b'&' => Some("&amp;"),
        b'<' => Some("&lt;"),
        b'>' => Some("&gt;"),
        b'"' => Some("&quot;"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_be_markup_is_written_as_entities() {
        let check = |said: &str, as_text: &str, as_value: &str| {
            let (mut html, mut attribute) = (String::new(), String::new());
            text(said, Gap::Space, &mut html, &mut Lines::default());
            value(said, &mut attribute);
            assert_eq!((html.as_str(), attribute.as_str()), (as_text, as_value), "{said:?}");
            assert!(html.len() <= said.chars().map(length).sum(), "{said:?}");
        };
        check("plain, žluťoučký 東京", "plain, žluťoučký 東京", "plain, žluťoučký 東京");
        check("<a b=\"c\">&", "&lt;a b=\"c\"&gt;&amp;", "&lt;a b=&quot;c&quot;&gt;&amp;");
        check("a\u{a0}b", "a&nbsp;b", "a&nbsp;b");
        check("a\0b\u{202e}c\u{85}d", "abcd", "abcd");
        check("a\x0cb", "a b", "ab");
    }

    #[test]
    fn blank_is_what_shows_nothing() {
        let check = |html: &str, expected: bool| assert_eq!(is_blank(html), expected, "{html}");
        check("", true);
        check(" &nbsp;<br>\n", true);
        check("<br>x", false);
        check("&amp;", false);
    }
}
