//! Tokens to a reading: the part that all XML dialects share.
//!
//! No tree is built. A stack of open elements gives the current position (`Position`); an element with a meaning there
//! is either read to its end at once (`capture`) or opened. The meanings of elements are in `elements` and its
//! neighbours.
//! Invariant: no recursion on input; the stack is bounded by `Limits::depth`, and every token is processed once (an
//! implied end may process one token twice).

mod capture;
mod channel;
mod elements;
mod finish;
mod geo;
mod links;
mod media;
mod persons;
mod podcast;
mod root;
mod scope;
mod texts;

use std::borrow::Cow;
use std::sync::Arc;

use model::reading::{
    About, Dated, End, Extension, Format, Image, Person, ReadEntry, ReadFeed, Reading, Source, TextInput,
};

use crate::date;
use crate::limits::Limits;
use crate::markup::{Markup, Tag, Token};
use crate::names::{self, Element, Namespace, Vocabulary};
use crate::newest::Newest;
use crate::problems::Problems;
use crate::read::Hints;
use crate::text::{Entities, Quirks, trimmed};
use crate::urls::{self, Growth};

/// Reads an XML feed; `None` if there is none in `text`.
pub(crate) fn read(
    text: &str,
    quirks: Quirks,
    hints: &Hints<'_>,
    limits: &Limits,
    problems: Problems<'_>,
) -> Option<Reading> {
    let mut reader = Reader::new(text, quirks, hints, limits, problems);
    reader.run();
    reader.into_reading()
}

/// The position of an element, as far as the meaning of its children depends on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Position {
    /// Outside of any feed.
    Root,
    Feed,
    Entry,
    Source,
    Image,
    TextInput,
    Person(Role),
    SkipHours,
    SkipDays,
    /// A location in GML, with the shape of its coordinates.
    Where(geo::Shape),
    Chapters,
    /// An unknown element; kept as an extension.
    Extension,
    /// Ignored.
    Void,
}

/// The role of a person in a feed or entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    Author,
    Contributor,
    Publisher,
    Owner,
}

/// The result of a start tag.
enum Flow {
    /// The element was read to its end.
    Done,
    /// Its children follow.
    Inside(Position),
}

/// An open element.
struct Open<'a> {
    name: &'a str,
    position: Position,
    /// Text directly inside, if the position needs it.
    text: String,
    extension: Option<Box<Extension>>,
    /// Base and language of the parent, if the element changed them.
    outside: Option<Box<Scope>>,
    bindings: usize,
}

type Scope = (Option<Arc<str>>, Option<Arc<str>>);

struct Reader<'a> {
    markup: Markup<'a>,
    quirks: Quirks,
    entities: Entities<'a>,
    limits: Limits,
    problems: Problems<'a>,
    bindings: Vec<(&'a str, Namespace<'a>)>,
    open: Vec<Open<'a>>,
    /// Elements open beyond the depth limit.
    too_deep: usize,
    /// End tags that closed nothing.
    strays: usize,
    /// How many list values are left.
    values: usize,
    /// How many points of locations are left.
    points: usize,
    growth: Growth,
    /// Of the current element, without namespace declarations.
    attributes: Vec<(&'a str, &'a str)>,
    base: Option<Arc<str>>,
    /// The base from outside the document.
    given_base: Option<Arc<str>>,
    language: Option<Arc<str>>,
    format: Option<Format>,
    netscape: bool,
    /// How the document ended, as far as is known.
    end: End,
    /// Whether it ended in the text of an element, and this was reported.
    ended_inside: bool,
    /// Whether a channel was closed: after it only the end of its root can be missing.
    channel_closed: bool,
    /// The entry in which the document ended.
    unfinished: Option<Box<ReadEntry>>,
    /// The position of the first text outside of any feed.
    stray: Option<usize>,
    /// The dialects of the namespaces declared so far, each once.
    declared: Vec<Format>,
    feed: ReadFeed,
    entries: Newest<finish::Finished>,
    /// The current entry, and where it starts.
    entry: Option<(Box<ReadEntry>, usize)>,
    /// What lists and resolved URLs had left when it began.
    before_entry: (usize, usize),
    /// The original link of the current entry.
    original_link: Option<String>,
    /// How many elements may still be examined as possible entries.
    looks: usize,
    source: Option<Box<Source>>,
    image: Image,
    text_input: TextInput,
    person: Person,
    /// Latitude or longitude, while the other is missing.
    halfway: Option<(Element, f64)>,
    dimensions: Option<usize>,
    projected: bool,
    corners: Vec<Vec<f64>>,
}

impl<'a> Reader<'a> {
    fn new(text: &'a str, quirks: Quirks, hints: &Hints<'_>, limits: &Limits, problems: Problems<'a>) -> Self {
        let base: Option<Arc<str>> = hints.base_url.filter(|base| urls::may_be_base(base)).map(Arc::from);
        let language = hints.language.map(|language| Arc::from(language.replace('_', "-")));
        Reader {
            markup: Markup::new(text),
            quirks,
            entities: Entities::new(limits.entity_bytes),
            limits: *limits,
            problems,
            bindings: Vec::new(),
            open: Vec::new(),
            too_deep: 0,
            strays: 0,
            values: limits.values,
            points: geo::MAX_POINTS,
            growth: Growth::up_to(limits.resolved_bytes),
            attributes: Vec::new(),
            given_base: base.clone(),
            base,
            language,
            format: None,
            netscape: false,
            end: End::Complete,
            ended_inside: false,
            channel_closed: false,
            unfinished: None,
            stray: None,
            feed: ReadFeed::default(),
            entries: Newest::up_to(limits.entries),
            entry: None,
            before_entry: (0, 0),
            original_link: None,
            looks: root::MAX_LOOKS,
            source: None,
            image: Image::default(),
            text_input: TextInput::default(),
            person: Person::default(),
            halfway: None,
            dimensions: None,
            projected: false,
            declared: Vec::new(),
            corners: Vec::new(),
        }
    }

    fn run(&mut self) {
        while let Some(token) = self.markup.next() {
            match token {
                Token::Start(tag) => self.start(tag),
                Token::End(name) => self.end(name),
                Token::Text(text) => self.loose_text(text, false),
                Token::CData(text) => self.loose_text(text, true),
                Token::Doctype(doctype) => {
                    self.entities.declare(doctype);
                    self.netscape |= doctype.to_ascii_lowercase().contains("netscape");
                }
            }
        }
        self.end_of_document();
    }

    fn position(&self) -> Position {
        self.open.last().map_or(Position::Root, |open| open.position)
    }

    fn start(&mut self, tag: Tag<'a>) {
        if self.open.len() >= self.limits.depth {
            if self.too_deep == 0 {
                let limit = self.limits.depth;
                self.problems.at(self.markup.start(), || format!("more than {limit} elements inside each other"));
            }
            self.too_deep += usize::from(!tag.empty);
            return;
        }
        let bindings = self.bindings.len();
        let outside = self.enter(tag.attributes);
        let (mut namespace, local) = self.expand(tag.name);
        if namespace.vocabulary == Vocabulary::Other && self.position() == Position::Root && is_root(local) {
            // A feed in an unknown namespace is still a feed, and so is its content.
            namespace = names::CORE;
            self.bindings.push((tag.name.split(':').next().unwrap_or_default(), namespace));
        }
        let element = names::element(namespace.vocabulary, local);
        match self.element(element, namespace, &tag) {
            Flow::Inside(Position::Extension | Position::Void) if self.would_swallow(&tag) => {
                let name = tag.name;
                self.problems.at(self.markup.start(), || format!("<{name}> is not closed"));
                self.bindings.truncate(bindings);
                self.leave(outside);
            }
            Flow::Done => {
                self.bindings.truncate(bindings);
                self.leave(outside);
            }
            Flow::Inside(position) => {
                let extension = (position == Position::Extension).then(|| Box::new(self.extension(namespace, local)));
                let open = Open { name: tag.name, position, text: String::new(), extension, outside, bindings };
                if tag.empty {
                    self.close(open);
                } else {
                    self.open.push(open);
                }
            }
        }
    }

    /// Whether an unknown element is not closed, so that it would swallow the fields after it: a `<p>` between them, or
    /// `<titleNews</title>`.
    fn would_swallow(&mut self, tag: &Tag<'a>) -> bool {
        let Some(open) = self.open.last() else { return false };
        if tag.empty || matches!(open.position, Position::Root | Position::Extension | Position::Void) {
            return false;
        }
        !tag.closed || !self.markup.ends_inside(tag.name, open.name)
    }

    /// An end tag closes the nearest element of its name, and everything left open inside.
    fn end(&mut self, name: &str) {
        if self.too_deep > 0 {
            self.too_deep -= 1;
            return;
        }
        let from = self.open.len() - self.open.len().min(self.reach());
        let is_it = |open: &Open<'_>| open.name == name || open.name.eq_ignore_ascii_case(name);
        let Some(found) = self.open[from..].iter().rposition(is_it).map(|found| from + found) else {
            self.strays += 1;
            if !self.open.is_empty() && self.format.is_some() {
                self.problems.at(self.markup.start(), || format!("</{name}> closes nothing that is open"));
            }
            return;
        };
        while self.open.len() > found {
            let Some(open) = self.open.pop() else { break };
            if self.open.len() > found {
                let unclosed = open.name;
                self.problems.at(self.markup.start(), || format!("<{unclosed}> is not closed before </{name}>"));
            }
            self.close(open);
        }
    }

    /// How many open elements an end tag is compared with. After a thousand stray end tags this is reduced: honest
    /// documents do not have them, and hostile ones must not make every tag cost the whole depth.
    fn reach(&self) -> usize {
        if self.strays < 1_000 { usize::MAX } else { 4 }
    }

    fn loose_text(&mut self, text: &'a str, literal: bool) {
        if self.position() == Position::Root {
            if self.format.is_none() && !text.trim().is_empty() {
                self.stray.get_or_insert(self.markup.start());
            }
            return;
        }
        let Some(open) = self.open.last_mut() else { return };
        let wanted = match open.position {
            Position::Person(_) | Position::Source | Position::Image => true,
            Position::Extension => open.extension.is_some(),
            _ => false,
        };
        if !wanted || (open.text.is_empty() && text.bytes().all(|byte| byte.is_ascii_whitespace())) {
            return;
        }
        if open.text.len() + text.len() > self.limits.field_bytes {
            return;
        }
        if literal {
            open.text.push_str(text);
        } else {
            self.entities.unescape_into(text, &mut open.text);
        }
    }

    /// The common fields of the current feed, entry or source.
    fn about(&mut self) -> &mut About {
        match (&mut self.source, &mut self.entry) {
            (Some(source), _) => &mut source.about,
            (None, Some((entry, _))) => &mut entry.about,
            (None, None) => &mut self.feed.about,
        }
    }

    /// The maximum length of the list that a value is about to be added to; 0 once the document's total is used up.
    fn room(&mut self) -> usize {
        self.values = self.values.saturating_sub(1);
        if self.values == 0 { 0 } else { self.limits.list }
    }

    fn in_entry(&self) -> bool {
        self.entry.is_some() && self.source.is_none()
    }

    /// Cleans and owns a value.
    fn own(&self, text: Cow<'_, str>) -> String {
        trimmed(self.entities.clean(text, self.quirks)).into_owned()
    }

    fn resolve(&self, url: &str) -> String {
        self.growth.resolve(self.base.as_deref(), url)
    }

    /// A date with its text, in the current language.
    fn dated(&self, text: String) -> Dated {
        let language = self.language.as_deref().or(self.feed.about.language.as_deref());
        Dated { at: date::parse_in(&text, language), text }
    }

    fn is_atom(&self) -> bool {
        matches!(self.format, Some(Format::Atom03 | Format::Atom10))
    }
}

/// Names that only roots of feeds have.
fn is_root(local: &str) -> bool {
    ["feed", "rss", "RDF"].iter().any(|root| root.eq_ignore_ascii_case(local))
}
