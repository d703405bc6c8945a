//! Tokens to a reading: the part that all XML dialects share.
//!
//! No tree is built. A stack of open elements says where we are (`Position`); an element that has a meaning there is
//! either read to its end at once (`capture`) or opened. What elements mean is in `elements` and its neighbours.
//! Invariant: no recursion on input; the stack is bounded by `Limits::depth`, and every token is looked at once
//! (an implied end may give one token twice).

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

/// Where an element stands, as far as its children's meaning depends on it.
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
    /// A place given in GML, with the shape that its coordinates make.
    Where(geo::Shape),
    Chapters,
    /// An element that nobody here knows; kept as an extension.
    Extension,
    /// Looked at by nobody.
    Void,
}

/// What a person is to a feed or entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    Author,
    Contributor,
    Publisher,
    Owner,
}

/// What became of a start tag.
enum Flow {
    /// The element has been read to its end.
    Done,
    /// Its children come next.
    Inside(Position),
}

/// An element whose end is still to come.
struct Open<'a> {
    name: &'a str,
    position: Position,
    /// Text directly inside, where the place wants it.
    text: String,
    extension: Option<Box<Extension>>,
    /// Base and language outside of the element, if it changed them.
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
    /// Values that lists may still take.
    values: usize,
    /// Points that places may still have.
    points: usize,
    growth: Growth,
    /// Of the element being looked at, without namespace declarations.
    attributes: Vec<(&'a str, &'a str)>,
    base: Option<Arc<str>>,
    /// The base that the document did not give itself.
    given_base: Option<Arc<str>>,
    language: Option<Arc<str>>,
    format: Option<Format>,
    netscape: bool,
    /// How the document ended, as far as that is known.
    end: End,
    /// It ended while the text of an element was read, and this has been said.
    ended_inside: bool,
    /// A channel was closed: nothing but the end of its root is missing after it.
    channel_closed: bool,
    /// The entry in which it ended.
    unfinished: Option<Box<ReadEntry>>,
    /// Where the first text outside of any feed stands.
    stray: Option<usize>,
    /// The dialects that the namespaces declared so far belong to, each once.
    declared: Vec<Format>,
    feed: ReadFeed,
    entries: Newest<finish::Finished>,
    /// The entry being read, and where it starts.
    entry: Option<(Box<ReadEntry>, usize)>,
    /// What lists and resolved URLs might still take when it began.
    before_entry: (usize, usize),
    /// Where the entry being read really is.
    original_link: Option<String>,
    /// How many elements may still be looked into for what makes them entries.
    looks: usize,
    source: Option<Box<Source>>,
    image: Image,
    text_input: TextInput,
    person: Person,
    /// One of latitude and longitude, while the other is awaited.
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
            // A feed in a namespace that nobody knows is a feed all the same, and so is what is in it.
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

    /// Whether an element that nobody knows is not closed, so that it would take the fields after it with it: a `<p>`
    /// between them, or `<titleNews</title>`.
    fn would_swallow(&mut self, tag: &Tag<'a>) -> bool {
        let Some(open) = self.open.last() else { return false };
        if tag.empty || matches!(open.position, Position::Root | Position::Extension | Position::Void) {
            return false;
        }
        !tag.closed || !self.markup.ends_inside(tag.name, open.name)
    }

    /// An end tag closes the nearest element of its name, and with it whatever was left open inside.
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

    /// How many open elements an end tag is compared with. After a thousand that closed nothing, honest documents are
    /// past caring, and hostile ones must not make every tag cost the whole depth.
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

    /// What feeds, entries and sources have in common, of the one being read.
    fn about(&mut self) -> &mut About {
        match (&mut self.source, &mut self.entry) {
            (Some(source), _) => &mut source.about,
            (None, Some((entry, _))) => &mut entry.about,
            (None, None) => &mut self.feed.about,
        }
    }

    /// How long the list may be that a value is about to be added to; none at all once the document has had enough.
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

    /// A date as it is written where we are.
    fn dated(&self, text: String) -> Dated {
        let language = self.language.as_deref().or(self.feed.about.language.as_deref());
        Dated { at: date::parse_in(&text, language), text }
    }

    fn is_atom(&self) -> bool {
        matches!(self.format, Some(Format::Atom03 | Format::Atom10))
    }
}

/// Names that only the roots of feeds have.
fn is_root(local: &str) -> bool {
    ["feed", "rss", "RDF"].iter().any(|root| root.eq_ignore_ascii_case(local))
}
