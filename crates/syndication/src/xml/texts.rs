//! Titles, summaries, contents and rights: text that may be plain, HTML or XHTML.
//!
//! Atom declares the type; RSS does not, so a title that looks like HTML is taken as HTML.

use std::borrow::Cow;

use model::reading::{Content, Text, TextKind};

use super::capture::{Captured, Style};
use super::{Position, Reader};
use crate::base64;
use crate::html_guess::looks_like_html;
use crate::markup::Tag;
use crate::names::Element;

/// The type that a `type` attribute declares.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Declared {
    Kind(TextKind),
    /// Another media type.
    Other(String),
}

impl<'a> Reader<'a> {
    pub(super) fn title(&mut self, tag: &Tag<'a>) {
        let (text, _) = self.rich(tag, TextKind::Plain);
        let about = self.about();
        if !text.value.is_empty() && about.title.is_none() {
            about.title = Some(text);
        }
    }

    pub(super) fn prose(&mut self, element: Element, tag: &Tag<'a>) {
        let default = match element {
            Element::Description | Element::Encoded => TextKind::Html,
            Element::Body => TextKind::Xhtml,
            _ => TextKind::Plain,
        };
        let src = self.attribute("src").map(|src| self.resolve(&src));
        let (text, media_type) = self.rich(tag, default);
        if text.value.is_empty() && src.is_none() {
            return;
        }
        match (element, self.position()) {
            (Element::Rights, _) => self.about().copyright = Some(text),
            (Element::Info, Position::Feed) => self.feed.info = Some(text),
            (Element::Info, _) => {}
            (Element::Content | Element::Encoded | Element::Body, Position::Entry) => {
                self.push_content(Content { text, media_type, src });
            }
            (_, Position::Entry) => self.summary(text, media_type),
            (_, Position::Source) => {
                if let Some(source) = &mut self.source {
                    source.subtitle = Some(text);
                }
            }
            _ => self.feed.subtitle = Some(text),
        }
    }

    /// The first is the summary; a second one is the content, if there is none.
    fn summary(&mut self, text: Text, media_type: Option<String>) {
        let Some((entry, _)) = &mut self.entry else { return };
        if entry.summary.is_some() && entry.content.is_empty() {
            entry.content.push(Content { text, media_type, src: None });
        } else {
            entry.summary = Some(text);
        }
    }

    fn push_content(&mut self, content: Content) {
        let limit = self.room();
        if let Some((entry, _)) = &mut self.entry
            && entry.content.len() < limit
        {
            entry.content.push(content);
        }
    }

    /// Reads an element's text, and its media type if it is none of the three kinds.
    pub(super) fn rich(&mut self, tag: &Tag<'a>, default: TextKind) -> (Text, Option<String>) {
        let declared = match self.attribute("type") {
            Some(declared) => declare(&declared),
            None => Declared::Kind(default),
        };
        let is_base64 = self.attribute("mode").is_some_and(|mode| mode.eq_ignore_ascii_case("base64"));
        let style = match &declared {
            Declared::Kind(TextKind::Xhtml) => Style::Markup,
            Declared::Other(other) if other.ends_with("xml") => Style::Markup,
            Declared::Kind(_) | Declared::Other(_) => Style::Mixed,
        };
        let captured = self.capture(tag, style);
        let markup = captured.markup;
        let (value, unwrapped) = self.unwrap(captured, style);
        let mut value = self.own(value);
        let mut kind = match &declared {
            _ if markup && !unwrapped => TextKind::Xhtml,
            Declared::Kind(kind) => *kind,
            Declared::Other(_) => TextKind::Plain,
        };
        let may_be_base64 =
            matches!(&declared, Declared::Other(other) if !other.starts_with("text/") && !other.ends_with("xml"));
        if (is_base64 || may_be_base64)
            && let Some(decoded) = base64::decode_text(&value)
        {
            value = decoded;
        }
        // RSS does not declare the type of a title. Atom does.
        if kind == TextKind::Plain && !self.is_atom() && looks_like_html(&value) {
            kind = TextKind::Html;
        }
        let media_type = match declared {
            Declared::Other(other) => Some(other),
            Declared::Kind(_) => None,
        };
        (Text { kind, value, language: self.language.clone(), base: self.base.clone() }, media_type)
    }

    /// Removes a `div` that is only a wrapper. True if the rest is not markup.
    fn unwrap(&mut self, captured: Captured<'a>, style: Style) -> (Cow<'a, str>, bool) {
        let Some((start, end)) = captured.inner else { return (captured.value, false) };
        let inside = &captured.value[start..end];
        if style == Style::Mixed && captured.elements == 1 {
            // Declared as text, but wrapped in a `div`, as some blog engines do.
            return (Cow::Owned(self.entities.unescape(inside).into_owned()), true);
        }
        if self.format == Some(model::reading::Format::Atom10) {
            return (Cow::Owned(inside.to_owned()), false);
        }
        (captured.value, false)
    }

    /// The text of an element as plain text, for fields without kinds.
    pub(super) fn plain(&self, value: &str) -> Text {
        let value = self.entities.clean(Cow::Borrowed(value), self.quirks).trim().to_owned();
        Text { kind: TextKind::Plain, value, language: self.language.clone(), base: self.base.clone() }
    }
}

fn declare(declared: &str) -> Declared {
    match declared.to_ascii_lowercase().as_str() {
        "text" | "plain" | "text/plain" => Declared::Kind(TextKind::Plain),
        "html" | "text/html" => Declared::Kind(TextKind::Html),
        "xhtml" | "application/xhtml+xml" => Declared::Kind(TextKind::Xhtml),
        other => Declared::Other(other.to_owned()),
    }
}
