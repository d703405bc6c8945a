//! Guesses whether a text that is declared as plain is in fact HTML.
//!
//! When in doubt it is plain: taking `a < b` for HTML would lose text; the other mistake only shows a tag.

use memchr::memchr2;

use crate::markup::{Markup, Token};
use crate::text::Entities;

/// True if there is an end tag or an entity, and all tags and entities are HTML's.
pub(crate) fn looks_like_html(text: &str) -> bool {
    let bytes = text.as_bytes();
    let mut evidence = false;
    let mut at = 0;
    while let Some(found) = memchr2(b'<', b'&', &bytes[at..]) {
        at += found + 1;
        let rest = &bytes[at..];
        if bytes[at - 1] == b'<' {
            let (closing, name) = match rest {
                [b'/', name @ ..] => (true, name),
                name => (false, name),
            };
            let length = name.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
            if length == 0 {
                continue;
            }
            if !is_html_element(&name[..length]) {
                return false;
            }
            evidence |= closing && name.get(length) == Some(&b'>');
        } else {
            let length = rest
                .iter()
                .take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'#' | b'_'))
                .take(40)
                .count();
            if length == 0 || rest.get(length) != Some(&b';') {
                continue;
            }
            let name = &rest[..length];
            if name[0] != b'#' {
                let key = [b"&", name, b";"].concat();
                if !htmlize::ENTITIES.contains_key(key.as_slice()) {
                    return false;
                }
            }
            evidence = true;
        }
    }
    evidence
}

pub(crate) fn is_html_element(name: &[u8]) -> bool {
    let mut lower = [0_u8; 12];
    let Some(lower) = lower.get_mut(..name.len()) else { return false };
    lower.copy_from_slice(name);
    lower.make_ascii_lowercase();
    let lower: &[u8] = lower;
    ELEMENTS.binary_search_by(|known| known.as_bytes().cmp(lower)).is_ok()
}

/// The text of a short piece of HTML, for fields without markup.
pub(crate) fn text_of_html(html: &str) -> String {
    let (mut markup, mut text) = (Markup::new(html), String::with_capacity(html.len()));
    while let Some(token) = markup.next() {
        match token {
            Token::Text(run) => Entities::new(0).unescape_into(run, &mut text),
            Token::CData(run) => text.push_str(run),
            Token::Start(tag) if tag.name.eq_ignore_ascii_case("br") => text.push(' '),
            _ => {}
        }
    }
    text
}

/// Elements that mark up text. Those that run or embed things are not included: a title with a script is better shown
/// as text.
#[rustfmt::skip]
const ELEMENTS: &[&str] = &[
    "a", "abbr", "acronym", "address", "area", "article", "aside", "audio", "b", "bdi", "bdo", "big", "blockquote",
    "br", "button", "canvas", "caption", "center", "cite", "code", "col", "colgroup", "data", "datalist", "dd", "del",
    "details", "dfn", "dialog", "dir", "div", "dl", "dt", "em", "fieldset", "figcaption", "figure", "font", "footer",
    "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hgroup", "hr", "i", "img", "input", "ins", "kbd", "label",
    "legend", "li", "main", "map", "mark", "menu", "meter", "nav", "nobr", "noscript", "ol", "optgroup", "option",
    "output", "p", "picture", "pre", "progress", "q", "rp", "rt", "ruby", "s", "samp", "section", "select", "small",
    "source", "span", "strike", "strong", "sub", "summary", "sup", "table", "tbody", "td", "textarea", "tfoot", "th",
    "thead", "time", "tr", "track", "tt", "u", "ul", "var", "video", "wbr",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_is_sorted() {
        assert!(ELEMENTS.is_sorted());
    }

    #[test]
    fn guesses() {
        for html in ["<b>x</b>", "AT&amp;T", "&#8217;", "x &lt; y", "<p>a<br>b</p>"] {
            assert!(looks_like_html(html), "{html}");
        }
        for plain in ["x", "a < b", "AT&T", "<blink>x</blink>", "&nosuch;", "<p>", "Vec<u8> </Vec>"] {
            assert!(!looks_like_html(plain), "{plain}");
        }
    }
}
