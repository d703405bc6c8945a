//! The fast path for tidy HTML: one pass, no tree.
//!
//! Most entries are tidy: tags that end in the order they began, quoted attributes, entities that end in a semicolon.
//! In these a parser has nothing to repair, and elements can be written as they come. At the first thing that might
//! need a repair this gives up, and the slow path (`tree`) is taken.
//! Invariant: where it does not give up, it writes what the slow path would write. What `Writer` writes is always tidy.

use std::borrow::Cow;

use memchr::{memchr, memchr2};

use crate::attributes::{Attribute, Attributes};
use crate::entities;
use crate::tags::{Kind, Tag};
use crate::writer::{Mark, Writer};

/// Writes `html` if it is tidy; otherwise leaves `writer` partly written.
pub(crate) fn write(html: &str, depth: usize, writer: &mut Writer<'_>) -> Option<()> {
    // Parsers normalise line ends, and drop or replace NUL.
    if memchr2(b'\r', b'\0', html.as_bytes()).is_some() {
        return None;
    }
    Simple { html, at: 0, open: Vec::with_capacity(16), paragraphs: 0, depth, writer }.run()
}

struct Simple<'a, 'w, 'b> {
    html: &'a str,
    at: usize,
    open: Vec<(Tag, Mark)>,
    /// How many `p` are open: one or none.
    paragraphs: usize,
    depth: usize,
    writer: &'w mut Writer<'b>,
}

impl<'a> Simple<'a, '_, '_> {
    fn run(mut self) -> Option<()> {
        let mut attributes = Attributes::default();
        let bytes = self.html.as_bytes();
        while self.at < bytes.len() {
            match bytes[self.at] {
                b'<' => self.markup(&mut attributes)?,
                b'&' => self.entity()?,
                _ => self.text()?,
            }
        }
        while self.pop().is_some() {}
        Some(())
    }

    fn text(&mut self) -> Option<()> {
        let rest = &self.html.as_bytes()[self.at..];
        let end = memchr2(b'<', b'&', rest).unwrap_or(rest.len());
        let text = &self.html[self.at..self.at + end];
        // Parsers move text between cells before the table.
        if self.is_between_cells() && !text.bytes().all(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\x0c')) {
            return None;
        }
        self.writer.text(text);
        self.at += end;
        Some(())
    }

    fn entity(&mut self) -> Option<()> {
        if self.is_between_cells() {
            return None;
        }
        let (length, character) = entities::in_text(&self.html.as_bytes()[self.at..])?;
        let mut buffer = [0; 4];
        self.writer.text(character.encode_utf8(&mut buffer));
        self.at += length;
        Some(())
    }

    fn markup(&mut self, attributes: &mut Attributes<'a>) -> Option<()> {
        let rest = &self.html.as_bytes()[self.at + 1..];
        match rest.first() {
            Some(b'/') => self.end_tag(&rest[1..]),
            Some(b'!') => self.comment(rest),
            Some(b'a'..=b'z' | b'A'..=b'Z') => self.start_tag(rest, attributes),
            Some(b'?') => None,
            _ => self.lone_brackets(rest),
        }
    }

    /// `1 < 2`: a bracket that begins no tag is text.
    fn lone_brackets(&mut self, rest: &[u8]) -> Option<()> {
        if self.is_between_cells() {
            return None;
        }
        // The last of several may begin a tag.
        let more = rest.iter().take_while(|byte| **byte == b'<').count().saturating_sub(1);
        self.writer.text(&self.html[self.at..=self.at + more]);
        self.at += 1 + more;
        Some(())
    }

    /// `<!-- … -->` without anything inside that might end it otherwise.
    fn comment(&mut self, rest: &[u8]) -> Option<()> {
        let inside = rest.strip_prefix(b"!--")?;
        let end = memchr::memmem::find(inside, b"--")?;
        let is_simple = end > 0 && inside[0] != b'>' && inside[0] != b'-' && inside.get(end + 2) == Some(&b'>');
        self.at += is_simple.then_some(1 + 3 + end + 3)?;
        Some(())
    }

    fn end_tag(&mut self, rest: &[u8]) -> Option<()> {
        let (tag, length) = name(rest)?;
        if *rest.get(length)? != b'>' {
            return None;
        }
        // Some end tags are optional: those of a last item, a last paragraph, the body of a table.
        let is_implied = matches!(
            (tag, self.open.last()?.0),
            (Tag::Ul | Tag::Ol, Tag::Li) | (Tag::Table, Tag::Tbody) | (Tag::Div | Tag::Blockquote | Tag::Li, Tag::P)
        );
        if is_implied && self.open.iter().rev().nth(1).is_some_and(|open| open.0 == tag) {
            self.pop();
        }
        if self.open.last()?.0 != tag {
            return None;
        }
        self.pop();
        self.at += length + 3;
        Some(())
    }

    fn start_tag(&mut self, rest: &'a [u8], attributes: &mut Attributes<'a>) -> Option<()> {
        let (tag, length) = name(rest)?;
        attributes.clear();
        let end = self.attributes(tag, length, attributes)?;
        if matches!(tag, Tag::Script | Tag::Style) {
            return self.skip_raw_text(tag, self.at + 1 + end);
        }
        self.prepare(tag)?;
        let mark = self.writer.open(tag, attributes);
        self.at += 1 + end;
        if !tag.is_void() {
            if self.open.len() >= self.depth {
                return None;
            }
            self.paragraphs += usize::from(tag == Tag::P);
            self.open.push((tag, mark));
        }
        let after = self.html.as_bytes().get(self.at);
        match tag {
            // One line break after the tag is not part of the text. An entity for one is not simple.
            Tag::Pre if after == Some(&b'\n') => self.at += 1,
            // The content is not markup.
            Tag::Iframe if !self.html[self.at..].starts_with("</iframe>") => return None,
            _ => {}
        }
        Some(())
    }

    /// Skips a script or a style with all its text; it has no effect on what surrounds it.
    fn skip_raw_text(&mut self, tag: Tag, from: usize) -> Option<()> {
        let bytes = self.html.as_bytes();
        let mut at = from;
        loop {
            at += memchr::memmem::find(&bytes[at..], b"</")? + 2;
            // With a comment inside, a script may continue after its end tag.
            if name(&bytes[at..]).is_some_and(|(found, _)| found == tag) {
                let end = at + tag.name().len();
                let is_simple = bytes.get(end) == Some(&b'>')
                    && !self.is_between_cells()
                    && memchr::memmem::find(&bytes[from..at], b"<!--").is_none();
                self.at = is_simple.then_some(end + 1)?;
                return Some(());
            }
        }
    }

    /// Ends what the start of `tag` ends, if nothing else must happen before it.
    fn prepare(&mut self, tag: Tag) -> Option<()> {
        let top = self.open.last().map(|open| open.0);
        if self.is_between_cells() {
            let mut top = top?;
            if (top, tag) == (Tag::Table, Tag::Tr) {
                let body = self.writer.open(Tag::Tbody, &Attributes::default());
                self.open.push((Tag::Tbody, body));
                top = Tag::Tbody;
            }
            let belongs = matches!(
                (top.kind(), tag.kind()),
                (Kind::Table, Kind::Rows) | (Kind::Rows, Kind::Row) | (Kind::Row, Kind::Cell)
            );
            return belongs.then_some(());
        }
        match tag {
            Tag::Li | Tag::Dd | Tag::Dt => self.end_item(tag)?,
            _ if tag.is_formatting() => {
                let same = self.open.iter().filter(|open| open.0 == tag).count();
                return (same < if tag == Tag::A { 1 } else { 3 }).then_some(());
            }
            _ if !is_ordinary(tag) => return None,
            _ => {}
        }
        if tag.ends_paragraph() && self.paragraphs > 0 {
            if self.open.last()?.0 != Tag::P {
                return None;
            }
            self.pop();
        }
        // A heading ends a heading directly before it.
        if tag.kind() == Kind::Heading && self.open.last().is_some_and(|open| open.0.kind() == Kind::Heading) {
            return None;
        }
        Some(())
    }

    /// `<li>` ends an item directly before it; deeper down it is not simple.
    fn end_item(&mut self, tag: Tag) -> Option<()> {
        let is_item = |open: Tag| if tag == Tag::Li { open == Tag::Li } else { matches!(open, Tag::Dd | Tag::Dt) };
        if is_item(self.open.last().map_or(Tag::Unknown, |open| open.0)) {
            self.pop();
            return Some(());
        }
        let passes = |open: Tag| matches!(open, Tag::Address | Tag::Div | Tag::P) || !is_special(open);
        let stop = self.open.iter().rev().find(|open| is_item(open.0) || !passes(open.0));
        (!stop.is_some_and(|open| is_item(open.0))).then_some(())
    }

    fn pop(&mut self) -> Option<()> {
        let (tag, mark) = self.open.pop()?;
        self.paragraphs -= usize::from(tag == Tag::P);
        self.writer.close(mark);
        Some(())
    }

    fn is_between_cells(&self) -> bool {
        self.open.last().is_some_and(|open| matches!(open.0.kind(), Kind::Table | Kind::Rows | Kind::Row))
    }

    /// Collects the attributes that matter; returns the length of the tag after its `<`.
    fn attributes(&self, tag: Tag, from: usize, attributes: &mut Attributes<'a>) -> Option<usize> {
        let start = self.at + 1;
        let bytes = &self.html.as_bytes()[start..];
        let is_space = |byte: u8| matches!(byte, b' ' | b'\n' | b'\t');
        let mut at = from;
        loop {
            let before = at;
            while is_space(*bytes.get(at)?) {
                at += 1;
            }
            match bytes[at] {
                b'>' => return Some(at + 1),
                b'/' => return (tag.is_void() && *bytes.get(at + 1)? == b'>').then_some(at + 2),
                _ if at == before => return None,
                _ => {}
            }
            let named = at;
            while is_name(*bytes.get(at)?) {
                at += 1;
            }
            let name = &bytes[named..at];
            if name.is_empty() {
                return None;
            }
            let value = if *bytes.get(at)? == b'=' {
                let quote = *bytes.get(at + 1)?;
                if !matches!(quote, b'"' | b'\'') {
                    return None;
                }
                let inside = at + 2;
                let end = inside + memchr(quote, &bytes[inside..])?;
                at = end + 1;
                &self.html[start + inside..start + end]
            } else {
                ""
            };
            if let Some(wanted) = Attribute::of(tag, name) {
                attributes.add(wanted, decoded(value)?);
            }
        }
    }
}

/// The value of an attribute with its entities resolved.
fn decoded(value: &str) -> Option<Cow<'_, str>> {
    let Some(first) = memchr(b'&', value.as_bytes()) else { return Some(Cow::Borrowed(value)) };
    let mut out = String::with_capacity(value.len());
    out.push_str(&value[..first]);
    let mut rest = &value[first..];
    while !rest.is_empty() {
        let (length, character) = entities::in_value(rest.as_bytes())?;
        out.push(character);
        rest = &rest[length..];
        let next = memchr(b'&', rest.as_bytes()).unwrap_or(rest.len());
        out.push_str(&rest[..next]);
        rest = &rest[next..];
    }
    Some(Cow::Owned(out))
}

/// The element whose name begins here, and the length of the name.
fn name(bytes: &[u8]) -> Option<(Tag, usize)> {
    let length = bytes.iter().take(12).take_while(|byte| byte.is_ascii_alphanumeric()).count();
    let tag = if bytes[..length].iter().any(u8::is_ascii_uppercase) {
        Tag::named(&bytes[..length].to_ascii_lowercase())
    } else {
        Tag::named(&bytes[..length])
    };
    (tag != Tag::Unknown).then_some((tag, length))
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b':' | b'.')
}

/// Whether its start tag only opens it in place, and ends a paragraph if it is a block.
fn is_ordinary(tag: Tag) -> bool {
    use Tag::{
        Abbr, Acronym, Bdi, Bdo, Cite, Data, Del, Dfn, Hr, Iframe, Ins, Kbd, Label, Mark, Noscript, Picture, Q, Samp,
        Source, Span, Sub, Sup, Time, Var, Wbr,
    };
    match tag.kind() {
        Kind::Block | Kind::Heading | Kind::Table | Kind::Line | Kind::Image => true,
        Kind::Break => {
            tag == Hr
                || matches!(tag, Tag::Div | Tag::Section | Tag::Article | Tag::Aside | Tag::Header | Tag::Footer)
                || matches!(tag, Tag::Main | Tag::Nav | Tag::Address | Tag::Center | Tag::Details | Tag::Summary)
                || matches!(tag, Tag::Hgroup | Tag::Dl | Tag::Fieldset)
        }
        _ => matches!(
            tag,
            Abbr | Acronym
                | Bdi
                | Bdo
                | Cite
                | Data
                | Del
                | Dfn
                | Iframe
                | Ins
                | Kbd
                | Label
                | Mark
                | Noscript
                | Picture
                | Q
                | Samp
                | Source
                | Span
                | Sub
                | Sup
                | Time
                | Var
                | Wbr
                | Tag::Video
                | Tag::Audio
        ),
    }
}

/// Those of the elements that can be open here which HTML calls special.
fn is_special(tag: Tag) -> bool {
    !matches!(tag.kind(), Kind::Run | Kind::Through | Kind::Embedded) || tag == Tag::Noscript
}
