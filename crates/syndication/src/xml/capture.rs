//! Reads one element to its end: its text, or its markup rewritten.
//!
//! The common element contains one run of characters or one CDATA section; that path borrows. Inline markup is
//! rewritten without prefixes and almost without namespace declarations, so that it is HTML.

use std::borrow::Cow;

use super::Reader;
use super::finish::ended_inside;
use crate::markup::{Attributes, Tag, Token};
use crate::names::{Element, Vocabulary};
use crate::text::{escape_attribute_into, escape_into, trimmed};

/// How child elements are treated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    /// Only their text counts.
    Text,
    /// Characters until a child occurs; then markup.
    Mixed,
    /// Markup from the start: characters are escaped.
    Markup,
}

/// The content of an element.
#[derive(Debug, Default)]
pub(super) struct Captured<'a> {
    pub value: Cow<'a, str>,
    /// The value is markup, with characters escaped.
    pub markup: bool,
    /// How many elements it contains.
    pub elements: usize,
    /// The content of a `div` that wraps everything.
    pub inner: Option<(usize, usize)>,
}

/// A capture of more than one run of characters.
struct Writing<'a> {
    out: String,
    /// Whether there is more than white space. Stored, because checking after every tag would be quadratic.
    said: bool,
    markup: bool,
    /// Whether markup is kept, not only its text.
    keep: bool,
    /// Whether it was declared as markup before any occurred.
    declared: bool,
    elements: usize,
    stack: Vec<&'a str>,
    wrapper: Wrapper,
}

impl Writing<'_> {
    /// Whether nothing has occurred yet.
    fn is_empty(&self) -> bool {
        self.elements == 0 && !self.said
    }
}

/// Whether a single `div` wraps everything.
enum Wrapper {
    Unknown,
    Open { inside: usize },
    Closed { inside: usize, end: usize },
    No,
}

impl<'a> Reader<'a> {
    /// The text of an element, trimmed; child elements contribute their text.
    pub(super) fn text_of(&mut self, tag: &Tag<'a>) -> Cow<'a, str> {
        let captured = self.capture(tag, Style::Text);
        trimmed(self.entities.clean(captured.value, self.quirks))
    }

    /// The text of an element; `None` if there is none.
    pub(super) fn string_of(&mut self, tag: &Tag<'a>) -> Option<String> {
        let text = self.text_of(tag);
        (!text.is_empty()).then(|| text.into_owned())
    }

    /// The URL in an element's text, resolved.
    pub(super) fn url_of(&mut self, tag: &Tag<'a>) -> Option<String> {
        let text = self.text_of(tag);
        if text.is_empty() {
            return None;
        }
        // Escaped once too often: no URL contains `&amp;`.
        let url = if text.contains("&amp;") { Cow::Owned(text.replace("&amp;", "&")) } else { text };
        Some(self.resolve(&url))
    }

    /// For elements that only have attributes: reads the end tag if it is there, and nothing else.
    pub(super) fn expect_end(&mut self, tag: &Tag<'a>) {
        if tag.empty {
            return;
        }
        while let Some(token) = self.markup.next() {
            match token {
                Token::Text(_) | Token::CData(_) => {}
                Token::End(name) if name == tag.name => return,
                _ => {
                    self.markup.unread();
                    return;
                }
            }
        }
    }

    pub(super) fn capture(&mut self, tag: &Tag<'a>, style: Style) -> Captured<'a> {
        let mut captured = Captured { markup: style == Style::Markup, ..Captured::default() };
        if tag.empty {
            return captured;
        }
        let (run, literal) = match self.markup.next() {
            Some(Token::Text(run)) => (run, false),
            Some(Token::CData(run)) => (self.cdata(run, tag), true),
            Some(Token::End(name)) if name == tag.name => return captured,
            Some(_) => {
                self.markup.unread();
                ("", true)
            }
            None => ("", true),
        };
        if style != Style::Markup {
            match self.markup.next() {
                Some(Token::End(name)) if name == tag.name => {
                    captured.value = if literal { Cow::Borrowed(run) } else { self.entities.unescape(run) };
                    self.cap(&mut captured, tag);
                    return captured;
                }
                Some(_) => self.markup.unread(),
                None => {}
            }
        }
        let mut writing = Writing {
            out: String::with_capacity(run.len() + 64),
            said: false,
            markup: style == Style::Markup,
            keep: style != Style::Text,
            declared: style == Style::Markup,
            elements: 0,
            stack: Vec::new(),
            wrapper: Wrapper::Unknown,
        };
        self.write_run(&mut writing, run, literal);
        self.write_rest(&mut writing, tag);
        if self.ended_inside && self.entry.is_none() {
            // An incomplete title is dropped; an incomplete entry is kept apart from the others.
            return captured;
        }
        captured.markup = writing.markup;
        captured.elements = writing.elements;
        if let Wrapper::Closed { inside, end } = writing.wrapper {
            captured.inner = Some((inside, end));
        }
        captured.value = Cow::Owned(writing.out);
        self.cap(&mut captured, tag);
        captured
    }

    /// Everything up to the end of the element, or to what implies its end.
    fn write_rest(&mut self, writing: &mut Writing<'a>, tag: &Tag<'a>) {
        while let Some(token) = self.markup.next() {
            match token {
                Token::Text(run) => self.write_run(writing, run, false),
                Token::CData(run) => {
                    let run = self.cdata(run, tag);
                    self.write_run(writing, run, true);
                }
                Token::Start(child) if child.name == tag.name && writing.is_empty() => {
                    let name = tag.name;
                    self.problems.at(self.markup.start(), || format!("<{name}> is opened twice"));
                }
                Token::Start(child) => {
                    if self.implies_end(writing, &child) {
                        let name = tag.name;
                        self.problems.at(self.markup.start(), || format!("<{name}> is not closed"));
                        self.markup.unread();
                        return close_all(writing);
                    }
                    self.write_start(writing, &child);
                }
                Token::End(name) => {
                    let from = writing.stack.len() - writing.stack.len().min(self.reach());
                    let inside = &writing.stack[from..];
                    if let Some(found) = inside.iter().rposition(|open| open.eq_ignore_ascii_case(name)) {
                        while writing.stack.len() > from + found {
                            write_end(writing);
                        }
                    } else if name.eq_ignore_ascii_case(tag.name) {
                        return close_all(writing);
                    } else if self.open.iter().any(|open| open.name == name) {
                        let unclosed = tag.name;
                        self.problems
                            .at(self.markup.start(), || format!("<{unclosed}> is not closed before </{name}>"));
                        self.markup.unread();
                        return close_all(writing);
                    } else {
                        self.strays += 1;
                    }
                }
                Token::Doctype(_) => {}
            }
        }
        close_all(writing);
        self.ended_inside = true;
        let name = tag.name;
        self.problems.at(self.markup.end(), || ended_inside(name));
    }

    /// An unclosed section ends where its element does.
    fn cdata(&mut self, run: &'a str, tag: &Tag<'a>) -> &'a str {
        if self.markup.at_end() { self.markup.close_cdata(run, &format!("</{}", tag.name)) } else { run }
    }

    /// An entry inside a title means that the title was not closed.
    fn implies_end(&self, writing: &Writing<'a>, child: &Tag<'a>) -> bool {
        let (namespace, local) = self.expand(child.name);
        let element = crate::names::element(namespace.vocabulary, local);
        let at_top = writing.stack.is_empty();
        match element {
            // XML content may have entries of its own.
            Element::Entry | Element::Channel => at_top || !writing.declared,
            Element::Published | Element::Guid | Element::Description | Element::Encoded | Element::Updated => at_top,
            // RSS's link; HTML's has attributes.
            Element::Link => at_top && child.attributes.trim_ascii().is_empty() && !child.empty,
            // Dates, identifiers and the like contain characters only.
            _ => at_top && !writing.keep && namespace.vocabulary == Vocabulary::Core && element.stands_alone(),
        }
    }

    fn write_run(&mut self, writing: &mut Writing<'a>, run: &str, literal: bool) {
        if run.is_empty() || writing.out.len() > self.limits.field_bytes {
            return;
        }
        if writing.stack.is_empty() && !run.trim_ascii().is_empty() {
            writing.wrapper = Wrapper::No;
        }
        let value = if literal { Cow::Borrowed(run) } else { self.entities.unescape(run) };
        writing.said |= !value.trim_ascii().is_empty();
        if writing.markup { escape_into(&value, &mut writing.out) } else { writing.out.push_str(&value) }
    }

    fn write_start(&mut self, writing: &mut Writing<'a>, child: &Tag<'a>) {
        writing.elements += 1;
        if writing.stack.len() >= self.limits.depth || writing.out.len() > self.limits.field_bytes {
            return;
        }
        if writing.keep && !writing.markup {
            writing.markup = true;
            let mut escaped = String::with_capacity(writing.out.len() + 64);
            escape_into(&writing.out, &mut escaped);
            writing.out = escaped;
        }
        let local = child.name.rsplit(':').next().unwrap_or(child.name);
        let at_top = writing.stack.is_empty();
        if writing.keep {
            writing.out.push('<');
            writing.out.push_str(local);
            self.write_attributes(writing, child, local);
            let void = is_void(local);
            writing.out.push_str(if void { " />" } else { ">" });
            if at_top {
                writing.wrapper = match writing.wrapper {
                    Wrapper::Unknown if local == "div" => Wrapper::Open { inside: writing.out.len() },
                    _ => Wrapper::No,
                };
            }
            if void {
                // `<br></br>` and `<br>` without an end: the end tag, if any, closes nothing.
                return;
            }
        }
        writing.stack.push(child.name);
        if child.empty {
            write_end(writing);
        }
    }

    /// Namespace declarations are dropped, except those that SVG and MathML need when the value is read as XML.
    fn write_attributes(&mut self, writing: &mut Writing<'a>, child: &Tag<'a>, local: &str) {
        let mut has_links = false;
        for (name, value) in Attributes(child.attributes).take(self.limits.attributes) {
            if name.strip_prefix("xmlns").is_some_and(|rest| rest.is_empty() || rest.starts_with(':')) {
                continue;
            }
            has_links |= name.starts_with("xlink:");
            let value = self.entities.unescape(value);
            writing.out.push(' ');
            writing.out.push_str(name);
            writing.out.push_str("=\"");
            escape_attribute_into(&value, &mut writing.out);
            writing.out.push('"');
        }
        match local {
            "svg" => writing.out.push_str(" xmlns=\"http://www.w3.org/2000/svg\""),
            "math" => writing.out.push_str(" xmlns=\"http://www.w3.org/1998/Math/MathML\""),
            _ => {}
        }
        if has_links {
            writing.out.push_str(" xmlns:xlink=\"http://www.w3.org/1999/xlink\"");
        }
    }

    /// Truncates a value that exceeds the limit of a field.
    fn cap(&mut self, captured: &mut Captured<'a>, tag: &Tag<'a>) {
        let limit = self.limits.field_bytes;
        if captured.value.len() <= limit {
            return;
        }
        let name = tag.name;
        self.problems
            .at(self.markup.start(), || format!("<{name}> is larger than {limit} bytes; the rest was left out"));
        let end = captured.value.floor_char_boundary(limit);
        captured.inner = None;
        match &mut captured.value {
            Cow::Borrowed(value) => *value = &value[..end],
            Cow::Owned(value) => value.truncate(end),
        }
    }
}

fn close_all(writing: &mut Writing<'_>) {
    while !writing.stack.is_empty() {
        write_end(writing);
    }
}

fn write_end(writing: &mut Writing<'_>) {
    let Some(name) = writing.stack.pop() else { return };
    if !writing.keep {
        return;
    }
    let end = writing.out.len();
    writing.out.push_str("</");
    writing.out.push_str(name.rsplit(':').next().unwrap_or(name));
    writing.out.push('>');
    if let (true, Wrapper::Open { inside }) = (writing.stack.is_empty(), &writing.wrapper) {
        writing.wrapper = Wrapper::Closed { inside: *inside, end };
    }
}

/// HTML's void elements.
fn is_void(name: &str) -> bool {
    const VOID: [&str; 14] =
        ["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr"];
    VOID.iter().any(|void| void.eq_ignore_ascii_case(name))
}
