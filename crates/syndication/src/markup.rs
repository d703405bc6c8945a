//! Text to tokens: a tokenizer for what publishers call XML. It cannot fail and borrows everything.
//!
//! Our own, because a strict tokenizer stops where a feed is broken and this one must not: a bare `<` is text, an
//! unclosed quote ends at the tag's `>`, an unclosed comment at the next `>`. It knows nothing of namespaces, nesting
//! or entities; `xml` does.
//! Invariant: linear time. A search that reached the end of the document without success is never repeated
//! (`Exhausted`); otherwise a megabyte of `<!--` would cost a terabyte of scanning.

mod ahead;
mod attributes;

use memchr::{memchr, memchr2, memmem};

pub(crate) use self::attributes::Attributes;

/// One token; it borrows from the document.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Token<'a> {
    /// `<name …>` or `<name …/>`.
    Start(Tag<'a>),
    /// `</name>`, by its name.
    End(&'a str),
    /// Characters with unexpanded entities.
    Text(&'a str),
    /// The content of `<![CDATA[…]]>`.
    CData(&'a str),
    /// The content of `<!DOCTYPE …>`.
    Doctype(&'a str),
}

/// A start tag.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Tag<'a> {
    /// As written, with its prefix.
    pub name: &'a str,
    /// Everything between the name and the end of the tag.
    pub attributes: &'a str,
    /// `<name/>`.
    pub empty: bool,
    /// Whether it has its `>`.
    pub closed: bool,
}

/// The tokenizer: a position in a document.
#[derive(Debug, Clone)]
pub(crate) struct Markup<'a> {
    text: &'a str,
    at: usize,
    start: usize,
    exhausted: Exhausted,
    /// How many bytes may still be read ahead.
    foresight: usize,
    /// The first malformed markup of each kind, by offset.
    odd: [Option<usize>; ODDITIES.len()],
}

/// Kinds of malformed markup.
const ODDITIES: [&str; 6] = [
    "a < that starts no tag was taken as text",
    "a comment is not closed",
    "a CDATA section is not closed",
    "an attribute has a quote that is not closed",
    "a declaration is not closed",
    "a tag has no >",
];
const BARE: usize = 0;
const COMMENT: usize = 1;
const CDATA: usize = 2;
const QUOTE: usize = 3;
const INSTRUCTION: usize = 4;
const UNENDED: usize = 5;

/// What does not occur any more in the rest of the document.
#[derive(Debug, Clone, Copy, Default)]
struct Exhausted {
    comment_end: bool,
    cdata_end: bool,
    instruction_end: bool,
    double_quote: bool,
    single_quote: bool,
    tag_end: bool,
    doctype_end: bool,
}

impl<'a> Markup<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Markup {
            text,
            at: 0,
            start: 0,
            exhausted: Exhausted::default(),
            foresight: text.len().saturating_mul(2),
            odd: [None; ODDITIES.len()],
        }
    }

    /// Where the last token starts.
    pub(crate) fn start(&self) -> usize {
        self.start
    }

    /// Where the last token ends.
    pub(crate) fn end(&self) -> usize {
        self.at
    }

    /// The malformed markup so far, each kind at its first occurrence.
    pub(crate) fn oddities(&self) -> impl Iterator<Item = (usize, &'static str)> {
        self.odd.iter().zip(ODDITIES).filter_map(|(at, what)| Some(((*at)?, what)))
    }

    /// Whether there are characters that XML forbids.
    pub(crate) fn has_control_characters(&self) -> bool {
        self.text.bytes().any(|byte| byte < 0x20 && !byte.is_ascii_whitespace())
    }

    /// Whether the last token was the end of the document.
    pub(crate) fn at_end(&self) -> bool {
        self.at == self.text.len()
    }

    /// Goes back to the start of the last token, so that `next` returns it again.
    pub(crate) fn unread(&mut self) {
        self.at = self.start;
    }

    /// Skips the rest of the document.
    pub(crate) fn skip_rest(&mut self) {
        self.at = self.text.len();
    }

    /// The next token; comments and processing instructions are skipped.
    #[inline]
    pub(crate) fn next(&mut self) -> Option<Token<'a>> {
        loop {
            self.start = self.at;
            let rest = &self.text[self.at..];
            let bytes = rest.as_bytes();
            match *bytes {
                [] => return None,
                [b'<', b'/', ..] => {
                    if let Some(token) = self.end_tag(rest) {
                        return Some(token);
                    }
                }
                [b'<', b'!', ..] => {
                    if let Some(token) = self.declaration(rest) {
                        return Some(token);
                    }
                    continue;
                }
                [b'<', b'?', ..] => {
                    self.instruction(rest);
                    continue;
                }
                [b'<', first, ..] if starts_name(first) => {
                    if let Some(token) = self.start_tag(rest) {
                        return Some(token);
                    }
                }
                _ => {}
            }
            // Text extends to the next `<` that may start something; one that starts nothing is part of it.
            let skip = usize::from(bytes[0] == b'<');
            if skip == 1 {
                self.odd[BARE].get_or_insert(self.at);
            }
            let length = if self.exhausted.tag_end { bytes.len() } else { skip + self.text_length(&bytes[skip..]) };
            self.at += length;
            return Some(Token::Text(&rest[..length]));
        }
    }

    /// The length of text: up to a `<` that starts a tag, a declaration or an instruction.
    #[inline]
    fn text_length(&mut self, bytes: &[u8]) -> usize {
        let mut at = 0;
        while let Some(found) = memchr(b'<', &bytes[at..]) {
            at += found;
            match bytes.get(at + 1) {
                Some(next) if starts_name(*next) || matches!(next, b'/' | b'!' | b'?') => return at,
                _ => {
                    self.odd[BARE].get_or_insert(self.at + at);
                    at += 1;
                }
            }
        }
        bytes.len()
    }

    fn start_tag(&mut self, rest: &'a str) -> Option<Token<'a>> {
        let bytes = rest.as_bytes();
        let name_end = 1 + bytes[1..].iter().position(|byte| ends_name(*byte)).unwrap_or(bytes.len() - 1);
        let (end, in_value) =
            if bytes.get(name_end) == Some(&b'>') { (name_end, false) } else { self.tag_end(bytes, name_end)? };
        // `<b <i>` and the like: the tag ends where the next begins.
        let closed = bytes.get(end) == Some(&b'>');
        let mut inside = if closed { end } else { name_end + bytes[name_end..end].trim_ascii_end().len() };
        let mut empty = inside > name_end && bytes[inside - 1] == b'/';
        // Otherwise the slash is the end of a URL.
        empty &= !in_value;
        if empty {
            inside -= 1;
        }
        if !closed {
            self.odd[UNENDED].get_or_insert(self.at);
        }
        self.at += (end + usize::from(closed)).min(bytes.len());
        let tag = Tag { name: &rest[1..name_end], attributes: &rest[name_end..inside], empty, closed };
        Some(Token::Start(tag))
    }

    /// The end of a tag, skipping quoted values: its `>`, or the `<` of the next tag if it has none. True if that also
    /// ends a value with an unclosed quote.
    fn tag_end(&mut self, bytes: &[u8], from: usize) -> Option<(usize, bool)> {
        if self.exhausted.tag_end {
            return None;
        }
        let (mut at, mut unclosed) = (from, None);
        let in_value = |unclosed: Option<usize>, end| {
            let value = unclosed.and_then(|quote| bytes.get(quote..end));
            value.is_some_and(|value| !value.iter().any(u8::is_ascii_whitespace))
        };
        // Names and equals signs are short, so a byte-wise search is fastest.
        while let Some(found) = bytes[at..].iter().position(|byte| matches!(byte, b'>' | b'<' | b'"' | b'\'')) {
            at += found;
            let quote = bytes[at];
            if quote == b'>' || starts_tag(&bytes[at..]) {
                return Some((at, in_value(unclosed, at)));
            }
            at += 1;
            // A quote opens a value only after `=`; an apostrophe elsewhere is a mistake.
            if bytes[from..at - 1].trim_ascii_end().last() != Some(&b'=') {
                continue;
            }
            let gone = if quote == b'"' { &mut self.exhausted.double_quote } else { &mut self.exhausted.single_quote };
            if *gone {
                continue;
            }
            match memchr(quote, &bytes[at..]) {
                Some(found) if !is_of_another(&bytes[at..at + found]) => at += found + 1,
                missing => {
                    *gone = missing.is_none();
                    unclosed = Some(at);
                    self.odd[QUOTE].get_or_insert(self.at);
                }
            }
        }
        // The last `>` is in a quoted value: better a tag that ends too early than one that never does. From now on
        // quotes are ignored, or every remaining tag would be searched up to the end.
        (self.exhausted.double_quote, self.exhausted.single_quote) = (true, true);
        let end = memchr(b'>', &bytes[from..]).map(|found| from + found);
        self.exhausted.tag_end = end.is_none();
        end.map(|end| (end, in_value(unclosed, end)))
    }

    fn end_tag(&mut self, rest: &'a str) -> Option<Token<'a>> {
        let bytes = rest.as_bytes();
        if self.exhausted.tag_end {
            return None;
        }
        let name_end = 2 + bytes[2..].iter().position(|byte| ends_name(*byte)).unwrap_or(bytes.len() - 2);
        let end = match bytes.get(name_end) {
            Some(b'>') => name_end,
            Some(b'<') => name_end - 1,
            _ => match memchr2(b'>', b'<', &bytes[name_end..]) {
                Some(found) if bytes[name_end + found] == b'>' => name_end + found,
                Some(found) => name_end + found - 1,
                None => {
                    self.exhausted.tag_end = true;
                    return None;
                }
            },
        };
        self.at += end + 1;
        Some(Token::End(&rest[2..name_end]))
    }

    /// `<!…`: a comment, a CDATA section, a document type, or anything else up to `>`.
    fn declaration(&mut self, rest: &'a str) -> Option<Token<'a>> {
        let bytes = rest.as_bytes();
        if let Some(inside) = rest.strip_prefix("<!--") {
            let end = unless(&mut self.exhausted.comment_end, || memmem::find(inside.as_bytes(), b"-->"));
            if end.is_none() {
                self.odd[COMMENT].get_or_insert(self.at);
            }
            self.at += match end {
                Some(found) => 4 + found + 3,
                // Not closed: it ends with what looks like its end, or before what looks like a tag.
                None => match memchr2(b'<', b'>', inside.as_bytes()) {
                    Some(found) => 4 + found + usize::from(inside.as_bytes()[found] == b'>'),
                    None => bytes.len(),
                },
            };
            return None;
        }
        if bytes.get(..9).is_some_and(|start| start.eq_ignore_ascii_case(b"<![CDATA[")) {
            let inside = &rest[9..];
            let end = unless(&mut self.exhausted.cdata_end, || section_end(inside.as_bytes()));
            if end.is_none() {
                self.odd[CDATA].get_or_insert(self.at);
            }
            let (length, used) = match end {
                Some(found) => (found, found + 3),
                None => (inside.len(), inside.len()),
            };
            self.at += 9 + used;
            return Some(Token::CData(&inside[..length]));
        }
        if bytes.get(2..9).is_some_and(|word| word.eq_ignore_ascii_case(b"DOCTYPE")) {
            let inside = &rest[9..];
            let end = unless(&mut self.exhausted.doctype_end, || doctype_end(inside.as_bytes()));
            let length = end.or_else(|| memchr(b'>', inside.as_bytes())).unwrap_or(inside.len());
            self.at += (9 + length + 1).min(rest.len());
            return Some(Token::Doctype(&inside[..length]));
        }
        self.at += memchr(b'>', bytes).map_or(bytes.len(), |found| found + 1);
        None
    }

    fn instruction(&mut self, rest: &str) {
        let bytes = rest.as_bytes();
        let end = unless(&mut self.exhausted.instruction_end, || memmem::find(bytes, b"?>"));
        if end.is_none() {
            self.odd[INSTRUCTION].get_or_insert(self.at);
        }
        self.at += match end {
            Some(found) => found + 2,
            None => memchr(b'>', bytes).map_or(bytes.len(), |found| found + 1),
        };
    }

    /// Resets an unclosed CDATA section: its text ends before `end_tag`, if that occurs.
    pub(crate) fn close_cdata(&mut self, section: &'a str, end_tag: &str) -> &'a str {
        if self.at != self.text.len() || self.text.ends_with("]]>") {
            return section;
        }
        match memmem::find(section.as_bytes(), end_tag.as_bytes()) {
            Some(found) => {
                self.at -= section.len() - found;
                &section[..found]
            }
            None => section,
        }
    }
}

/// Runs a search unless it is known to fail, and remembers a failure.
fn unless(exhausted: &mut bool, search: impl FnOnce() -> Option<usize>) -> Option<usize> {
    if *exhausted {
        return None;
    }
    let found = search();
    *exhausted = found.is_none();
    found
}

/// The position of `]]>`. Brackets are rare in HTML, so searching for one is faster than for all three.
fn section_end(bytes: &[u8]) -> Option<usize> {
    memchr::memchr_iter(b']', bytes).find(|at| bytes[*at..].starts_with(b"]]>"))
}

fn starts_tag(bytes: &[u8]) -> bool {
    matches!(bytes, [b'<', next, ..] if starts_name(*next) || matches!(next, b'/' | b'!'))
}

/// Whether the quote after a value belongs to another tag: in `a="1><b c=` it opens a value, and no value contains
/// lines of tags.
fn is_of_another(value: &[u8]) -> bool {
    if memchr2(b'<', b'>', value).is_none() {
        return false;
    }
    let line_of_tags = |at: usize| {
        let after = &value[at + 1..];
        let gap = &after[..after.len() - after.trim_ascii_start().len()];
        gap.contains(&b'\n') && after.get(gap.len()) == Some(&b'<')
    };
    value.trim_ascii_end().last() == Some(&b'=') || memchr::memchr_iter(b'>', value).any(line_of_tags)
}

/// The position of the `>` of a document type, outside of its internal subset and of quotes.
fn doctype_end(bytes: &[u8]) -> Option<usize> {
    let (mut quote, mut subset) = (None, false);
    for (at, byte) in bytes.iter().enumerate() {
        match (quote, *byte) {
            (Some(open), byte) if open == byte => quote = None,
            (None, b'"' | b'\'') => quote = Some(*byte),
            (None, b'[') => subset = true,
            (None, b']') => subset = false,
            (None, b'>') if !subset => return Some(at),
            _ => {}
        }
    }
    None
}

fn starts_name(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || matches!(byte, b'_' | b':') || byte >= 0x80
}

fn ends_name(byte: u8) -> bool {
    matches!(byte, b'>' | b'/' | b'<' | b'=' | b'"' | b'\'') || byte.is_ascii_whitespace()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(text: &str) -> String {
        let mut markup = Markup::new(text);
        let mut shown = Vec::new();
        while let Some(token) = markup.next() {
            shown.push(match token {
                Token::Start(tag) => {
                    let attributes: Vec<_> = Attributes(tag.attributes).map(|(n, v)| format!(" {n}={v}")).collect();
                    format!("<{}{}{}>", tag.name, attributes.concat(), if tag.empty { "/" } else { "" })
                }
                Token::End(name) => format!("</{name}>"),
                Token::Text(text) => format!("'{text}'"),
                Token::CData(text) => format!("[{text}]"),
                Token::Doctype(text) => format!("!{text}!"),
            });
        }
        shown.join(" ")
    }

    fn check(case: &str, text: &str, expected: &str) {
        assert_eq!(tokens(text), expected, "{case}");
    }

    #[test]
    fn what_is_well_formed() {
        check("nesting", "<a><b>x</b></a>", "<a> <b> 'x' </b> </a>");
        check("attributes", "<a b='1' c=\"a>b\"/>", "<a b=1 c=a>b/>");
        check("cdata", "<a><![CDATA[<b>]]]]></a>", "<a> [<b>]]] </a>");
        check("comment and instruction", "<?xml?><!-- <x> --><a/>", "<a/>");
        check("doctype with subset", "<!DOCTYPE a [<!ENTITY x '>'>]><a/>", "! a [<!ENTITY x '>'>]! <a/>");
    }

    #[test]
    fn what_is_not() {
        check("bare <", "a < b <3", "'a < b <3'");
        check("unclosed quote", "<a b=\"1><c/>", "<a b=1> <c/>");
        check("unclosed quote of an empty tag", "<a b=\"c />x", "<a b=c /> 'x'");
        check("unclosed quote before another", "<a b=\"1><c d=\"2\">", "<a b=1> <c d=2>");
        check("unclosed quote, and lines", "<a b=\"1>\n<c>\n \"", "<a b=1> '\n' <c> '\n \"'");
        check("a tag quoted in a value", "<a b=\"<c d='1'>\">", "<a b=<c d='1'>>");
        check("only a value holds a >", "<a b=\"x>y\" c=\"z", "<a b=x> 'y\" c=\"z'");
        check("apostrophe outside a value", "<a b=1 it's><c/>", "<a b=1 it's=> <c/>");
        check("the first quote is missing", "<a b=1\" c=\"2\">", "<a b=1 c=2>");
        check("no quotes", "<a b=1 c>", "<a b=1 c=>");
        check("tag in a tag", "</a<b>x", "</a> <b> 'x'");
        check("no end of a tag", "<a b=1 <c/ </a>x", "<a b=1> <c/> </a> 'x'");
        check("no end before a section", "<a<![CDATA[x]]></a>", "<a> [x] </a>");
        check("less than, in a tag", "<a b=1 < 2>x", "<a b=1 <= 2=> 'x'");
        check("unclosed comment", "<!-- a><b>", "<b>");
        check("unclosed cdata", "<a><![CDATA[x", "<a> [x]");
        check("cut in a tag", "<a><b c=", "<a> '<b c='");
    }
}
