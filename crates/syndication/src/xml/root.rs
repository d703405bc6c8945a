//! The root of a feed: its dialect, and its entries.
//!
//! The dialect is determined by the root element, its version and the declared namespaces; a missing, foreign or
//! misspelt namespace does no harm. Unknown roots are examined, because feeds come in envelopes.

use model::reading::{End, Format, ReadEntry};

use super::{Flow, Position, Reader};
use crate::markup::{Tag, Token};
use crate::names::{self, Element, Namespace, Vocabulary};

/// How many elements of a document are examined, and how far: a document that is not a feed must not cost more than
/// one.
pub(super) const MAX_LOOKS: usize = 64;
const MAX_TOKENS: usize = 256;

impl<'a> Reader<'a> {
    pub(super) fn at_root(&mut self, element: Element, namespace: Namespace<'a>) -> Flow {
        match element {
            Element::Rss => {
                let version = self.attribute_string("version").unwrap_or_default();
                self.recognise(match version.as_str() {
                    "0.90" | "0.9" if self.netscape => Format::Rss090,
                    "0.91" if self.netscape => Format::Rss091Netscape,
                    "0.91" => Format::Rss091Userland,
                    "0.92" => Format::Rss092,
                    "0.93" => Format::Rss093,
                    "0.94" => Format::Rss094,
                    version if version == "2" || version.starts_with("2.") => Format::Rss20,
                    _ => Format::Rss,
                });
                Flow::Inside(Position::Feed)
            }
            Element::Rdf => {
                self.recognise(
                    self.declared_among(&[Format::Rss090, Format::Rss10, Format::Rss11]).unwrap_or(Format::Rss10),
                );
                Flow::Inside(Position::Feed)
            }
            Element::Feed => {
                let version = self.attribute_string("version").unwrap_or_default();
                let declared = self.declared_among(&[Format::Atom03, Format::Atom10]);
                self.recognise(match declared {
                    Some(format) => format,
                    None if version.starts_with("0.") => Format::Atom03,
                    None => Format::Atom10,
                });
                self.feed_begins();
                Flow::Inside(Position::Feed)
            }
            Element::Channel => {
                self.recognise(
                    self.declared_among(&[Format::Rss090, Format::Rss10, Format::Rss11]).unwrap_or(Format::Cdf),
                );
                self.feed_begins();
                self.feed.about.id = self.attribute_string("about");
                self.cdf_attributes();
                Flow::Inside(Position::Feed)
            }
            Element::Redirect if self.open.is_empty() => {
                self.recognise(Format::Rss);
                Flow::Inside(Position::Feed)
            }
            Element::Html if self.open.is_empty() || namespace.vocabulary == Vocabulary::Xhtml => {
                self.markup.skip_rest();
                Flow::Done
            }
            _ => Flow::Inside(Position::Root),
        }
    }

    /// The first of these dialects whose namespace was declared.
    pub(super) fn declared_among(&self, formats: &[Format]) -> Option<Format> {
        self.declared.iter().copied().find(|declared| formats.contains(declared))
    }

    pub(super) fn recognise(&mut self, format: Format) {
        if self.format.is_none() {
            self.format = Some(format);
            self.feed_begins();
        }
    }

    /// The language of the root is the feed's.
    pub(super) fn feed_begins(&mut self) {
        if let Some(language) = &self.language {
            self.feed.about.language = Some(language.to_string());
        }
    }

    /// Whether an element belongs to an unknown vocabulary.
    fn is_foreign(&self, name: &'a str) -> bool {
        name.contains(':') && self.expand(name).0.vocabulary == Vocabulary::Other
    }

    /// Whether an entry outside of any feed is one: Atom's own, or it has the fields of entries. Menus have items, too.
    pub(super) fn may_be_lone_entry(&mut self, tag: &Tag<'a>) -> bool {
        if tag.empty || self.looks == 0 || self.open.iter().any(|open| self.is_foreign(open.name)) {
            return false;
        }
        if self.declared_among(&[Format::Atom03, Format::Atom10, Format::Rss10]).is_some() {
            return true;
        }
        self.looks -= 1;
        let (mut ahead, mut depth, mut says, mut points) = (self.markup.clone(), 0_usize, false, false);
        for token in std::iter::from_fn(|| ahead.next()).take(MAX_TOKENS) {
            match token {
                Token::Start(child) => {
                    let (namespace, local) = self.expand(child.name);
                    if depth == 0 {
                        match names::element(namespace.vocabulary, local) {
                            Element::Title | Element::Description | Element::Summary | Element::Content => says = true,
                            Element::Link | Element::Guid | Element::Published | Element::Updated => points = true,
                            _ => {}
                        }
                    }
                    depth += usize::from(!child.empty);
                }
                Token::End(name) if name == tag.name && depth <= 1 => break,
                Token::End(_) => depth = depth.saturating_sub(1),
                _ => {}
            }
        }
        says && points
    }

    pub(super) fn begin_entry(&mut self, tag: &Tag<'a>) -> Flow {
        while self.entry.is_some() {
            let Some(open) = self.open.pop() else { break };
            let name = open.name;
            self.problems.at(self.markup.start(), || format!("<{name}> is not closed before the next entry"));
            self.close(open);
        }
        if self.format.is_none() {
            // A lone entry, as Atom allows; or items in a custom root.
            let usual = if tag.name.ends_with("item") { Format::Rss } else { Format::Atom10 };
            self.recognise(self.declared_among(&[Format::Atom03, Format::Rss10]).unwrap_or(usual));
        }
        if self.entries.has_enough() {
            self.markup.skip_rest();
            self.end = End::AtLimit;
            return Flow::Done;
        }
        self.original_link = None;
        self.before_entry = (self.values, self.growth.left());
        let mut entry = Box::new(ReadEntry::default());
        entry.about.id = self.attribute_string("about");
        entry.about.language = self.own_language();
        self.entry = Some((entry, self.markup.start()));
        self.cdf_attributes();
        Flow::Inside(Position::Entry)
    }

    /// The language that the element itself declares.
    pub(super) fn own_language(&self) -> Option<String> {
        let states = self.attributes.iter().any(|(name, _)| *name == "xml:lang");
        if states { self.language.as_ref().map(ToString::to_string) } else { None }
    }

    /// CDF uses attributes where others use elements.
    pub(super) fn cdf_attributes(&mut self) {
        if let Some(text) = self.attribute_string("lastmod") {
            self.about().updated = Some(self.dated(text));
        }
        if self.attributes.iter().any(|(name, _)| name.eq_ignore_ascii_case("href"))
            && let Some(href) = self.attribute("href")
        {
            let href = self.resolve(&href);
            self.add_plain_link(href);
        }
    }
}
