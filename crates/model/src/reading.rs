//! A reading: what the parser understood of one document, with its problems.
//!
//! Written by `syndication::read`, looked at by `policy::plan_refresh` and by `courant parse`. Values are as the
//! publisher meant them (URLs resolved, entities expanded, dates as instants beside what was written) but nothing
//! here is trusted: text may be hostile HTML, links may have any scheme, dates may lie.
//! `None` and empty vectors mean "not said", never "said to be empty".

use std::sync::Arc;

use jiff::Timestamp;

/// A whole document: the feed, its entries in document order, and everything that was odd about it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Reading {
    /// Which dialect the document speaks.
    pub format: Format,
    /// The encoding the bytes were decoded from, as a WHATWG label.
    pub encoding: String,
    /// The channel itself.
    pub feed: ReadFeed,
    /// Its entries, in document order; only those that were read to their end.
    pub entries: Vec<ReadEntry>,
    /// How the document ended. What stands after an early end is not known: neither further entries nor what `feed`
    /// does not say.
    pub end: End,
    /// The entry in the middle of which the document ended: for people to look at, not for keeping.
    pub unfinished: Option<Box<ReadEntry>>,
    /// What was wrong, in plain words; a reading with problems is still a reading.
    pub problems: Vec<Problem>,
}

/// How a document ended.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum End {
    /// It was read to its end.
    #[default]
    Complete,
    /// It stopped before it was finished: its transfer broke off, or its publisher wrote only a part of it, or JSON
    /// became unreadable there. A publisher who never closes the root of his feed has this on every visit.
    Early,
    /// It is longer than the limits of the reader; the rest was not looked at.
    AtLimit,
}

/// The dialects, down to the versions that differ in meaning.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Format {
    /// Netscape's first RDF feed.
    Rss090,
    /// Netscape's RSS 0.91, told by its DTD.
    Rss091Netscape,
    /// UserLand's RSS 0.91.
    Rss091Userland,
    /// RSS 0.92.
    Rss092,
    /// RSS 0.93.
    Rss093,
    /// RSS 0.94.
    Rss094,
    /// RSS 2.0.
    Rss20,
    /// `<rss>` of a missing or unknown version.
    #[default]
    Rss,
    /// RSS 1.0 (RDF).
    Rss10,
    /// RSS 1.1.
    Rss11,
    /// Atom 0.3.
    Atom03,
    /// Atom 1.0.
    Atom10,
    /// Channel Definition Format.
    Cdf,
    /// JSON Feed 1.0.
    Json1,
    /// JSON Feed 1.1.
    Json11,
}

/// What the document says about the feed.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ReadFeed {
    /// Fields that feeds, entries and sources have in common.
    pub about: About,
    /// Description, tagline, abstract.
    pub subtitle: Option<Text>,
    /// Free text for humans about the document itself (Atom 0.3 `info`).
    pub info: Option<Text>,
    /// When and how the publisher wants to be visited.
    pub hints: Hints,
    /// Which program wrote it.
    pub generator: Option<Generator>,
    /// A URL that documents the format.
    pub docs: Option<String>,
    /// RSS `textInput`.
    pub text_input: Option<Box<TextInput>>,
    /// A small square picture (Atom `icon`, JSON Feed `favicon`).
    pub icon: Option<String>,
    /// A wide picture (Atom `logo`).
    pub logo: Option<String>,
    /// The publisher says that the feed moved (`itunes:new-feed-url`, `newLocation`).
    pub new_location: Option<String>,
}

/// One entry as the document has it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ReadEntry {
    /// Fields that feeds, entries and sources have in common.
    pub about: About,
    /// Description or summary.
    pub summary: Option<Text>,
    /// The content, in the order given; more than one where the publisher offers several types.
    pub content: Vec<Content>,
    /// Attached files.
    pub enclosures: Vec<Enclosure>,
    /// `Some` only where the document says so (RSS `isPermaLink`, or its default).
    pub guid_is_permalink: Option<bool>,
    /// A page with comments.
    pub comments: Option<String>,
    /// A feed of comments (`wfw:commentRss`).
    pub comments_feed: Option<String>,
    /// The feed this entry was taken from.
    pub source: Option<Box<Source>>,
    /// The entries this one answers (RFC 4685), as references.
    pub in_reply_to: Vec<String>,
    /// Podcast chapters (Podlove simple chapters).
    pub chapters: Option<Box<Chapters>>,
    /// Where the element stands in the UTF-8 form of the document (`syndication::utf8_form`), for `raw_refs`.
    pub range: Option<ByteRange>,
}

/// What feeds, entries and sources have in common.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct About {
    /// The publisher's identifier, exactly as written: never resolved, never normalised.
    pub id: Option<String>,
    /// The title.
    pub title: Option<Text>,
    /// Where a person reads it (`rel=alternate`).
    pub link: Option<String>,
    /// Every link in document order.
    pub links: Vec<Link>,
    /// Who wrote it.
    pub authors: Vec<Person>,
    /// Who helped.
    pub contributors: Vec<Person>,
    /// Who publishes it.
    pub publisher: Option<Person>,
    /// Subjects.
    pub categories: Vec<Category>,
    /// Rights.
    pub copyright: Option<Text>,
    /// A licence's URL.
    pub license: Option<String>,
    /// First published.
    pub published: Option<Dated>,
    /// Last changed.
    pub updated: Option<Dated>,
    /// Created.
    pub created: Option<Dated>,
    /// No longer valid from then on.
    pub expired: Option<Dated>,
    /// Language tag in force.
    pub language: Option<String>,
    /// A picture.
    pub image: Option<Box<Image>>,
    /// Apple's podcast fields.
    pub itunes: Option<Box<Itunes>>,
    /// Media RSS.
    pub media: Option<Box<Media>>,
    /// A place.
    pub geo: Option<Box<Geo>>,
    /// Whatever else was said, flat, in document order.
    pub extensions: Vec<Extension>,
}

/// An element of a vocabulary that has no field of its own here.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Extension {
    /// `prefix_local` in lower case; the prefix is the usual one of its namespace, whatever the document calls it.
    pub name: String,
    /// What it said.
    pub said: Attributes,
}

/// Text with its kind.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Text {
    /// How to understand `value`.
    pub kind: TextKind,
    /// plain: literal; html: unescaped once; xhtml: the inner markup.
    pub value: String,
    /// Language in force where the text stands; shared, because a whole document usually has one.
    pub language: Option<Arc<str>>,
    /// Base URL in force where the text stands; shared likewise.
    pub base: Option<Arc<str>>,
}

/// How a text is to be understood.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum TextKind {
    /// Literal characters.
    #[default]
    Plain,
    /// HTML, unescaped once.
    Html,
    /// XHTML markup.
    Xhtml,
}

/// One alternative of an entry's content.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Content {
    /// The text itself; empty where the content is elsewhere.
    pub text: Text,
    /// A media type other than the three of [`TextKind`], where one was given.
    pub media_type: Option<String>,
    /// Where the content is, if not here.
    pub src: Option<String>,
}

/// An instant, and what was written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Dated {
    /// The instant, if the text could be understood as one.
    pub at: Option<Timestamp>,
    /// As given.
    pub text: String,
}

/// A link with its attributes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Link {
    /// Absolute where a base was known.
    pub href: String,
    /// Relation; absent means alternate in Atom.
    pub rel: Option<String>,
    /// Media type.
    pub media_type: Option<String>,
    /// Title.
    pub title: Option<String>,
    /// Language of the target.
    pub hreflang: Option<String>,
    /// Size in bytes as written.
    pub length: Option<String>,
}

/// A person: `me@example.org (Me)` and its relatives are split.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Person {
    /// Name.
    pub name: Option<String>,
    /// E-mail address.
    pub email: Option<String>,
    /// Home page.
    pub uri: Option<String>,
    /// Picture (JSON Feed).
    pub avatar: Option<String>,
}

/// A subject.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Category {
    /// The machine's word.
    pub term: Option<String>,
    /// The vocabulary.
    pub scheme: Option<String>,
    /// The human's word.
    pub label: Option<String>,
}

/// An attached file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Enclosure {
    /// Where it is.
    pub url: String,
    /// Media type.
    pub media_type: Option<String>,
    /// Size in bytes, if that is what was written.
    pub length: Option<u64>,
    /// Title (JSON Feed).
    pub title: Option<String>,
    /// Duration in seconds (JSON Feed).
    pub duration: Option<u64>,
}

/// A picture of the feed or entry.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Image {
    /// Where it is.
    pub url: Option<String>,
    /// Alternative text.
    pub title: Option<String>,
    /// Where it leads.
    pub link: Option<String>,
    /// Pixels.
    pub width: Option<u32>,
    /// Pixels.
    pub height: Option<u32>,
    /// Tooltip.
    pub description: Option<String>,
}

/// Which program wrote the feed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Generator {
    /// Name.
    pub name: Option<String>,
    /// Home page.
    pub uri: Option<String>,
    /// Version.
    pub version: Option<String>,
}

/// RSS `textInput`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TextInput {
    /// Label of the button.
    pub title: Option<String>,
    /// What it is for.
    pub description: Option<String>,
    /// Name of the field.
    pub name: Option<String>,
    /// Where it is sent.
    pub link: Option<String>,
}

/// The feed an entry was taken from.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Source {
    /// As for a feed.
    pub about: About,
    /// As for a feed.
    pub subtitle: Option<Text>,
    /// As for a feed.
    pub generator: Option<Generator>,
    /// As for a feed.
    pub icon: Option<String>,
    /// As for a feed.
    pub logo: Option<String>,
    /// RSS `source url=`.
    pub url: Option<String>,
}

/// When and how the publisher wants to be visited, and where else the feed lives.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Hints {
    /// Minutes between visits, as RSS `ttl` or computed from `syn:updatePeriod` and `syn:updateFrequency`.
    pub ttl_minutes: Option<u32>,
    /// Hours of the day (0 to 23, GMT) in which to stay away.
    pub skip_hours: Vec<u8>,
    /// Days in which to stay away.
    pub skip_days: Vec<Weekday>,
    /// Syndication module, as written.
    pub update_period: Option<String>,
    /// Syndication module.
    pub update_frequency: Option<u32>,
    /// Syndication module.
    pub update_base: Option<Dated>,
    /// WebSub hubs.
    pub hubs: Vec<String>,
    /// The feed's own idea of its URL.
    pub self_url: Option<String>,
    /// RFC 5005: next page.
    pub next: Option<String>,
    /// RFC 5005: previous page.
    pub prev: Option<String>,
    /// RFC 5005: the archive before this one.
    pub prev_archive: Option<String>,
    /// RFC 5005: the archive after this one.
    pub next_archive: Option<String>,
    /// RFC 5005: the live document.
    pub current: Option<String>,
    /// RFC 5005: this document is an archive.
    pub archive: bool,
    /// RFC 5005: this document is the complete feed.
    pub complete: bool,
    /// RSS `cloud`.
    pub cloud: Option<Box<Cloud>>,
}

/// Days of the week, Monday first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Weekday {
    Monday,
    Tuesday,
    Wednesday,
    Thursday,
    Friday,
    Saturday,
    Sunday,
}

/// RSS `cloud`: a way to be told of changes that predates WebSub.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are those of the specification")]
pub struct Cloud {
    pub domain: Option<String>,
    pub port: Option<u16>,
    pub path: Option<String>,
    pub register_procedure: Option<String>,
    pub protocol: Option<String>,
}

/// Apple's podcast fields.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are those of the specification")]
pub struct Itunes {
    pub block: Option<bool>,
    pub explicit: Option<bool>,
    pub duration: Option<String>,
    pub image: Option<String>,
    pub subtitle: Option<String>,
    pub summary: Option<String>,
    pub episode: Option<String>,
    pub season: Option<String>,
    pub episode_type: Option<String>,
    pub kind: Option<String>,
    pub owner: Option<Person>,
}

/// Media RSS, element by element; attributes are kept as written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are those of the specification")]
pub struct Media {
    pub content: Vec<Attributes>,
    pub thumbnail: Vec<Attributes>,
    pub credit: Vec<Attributes>,
    pub player: Option<Attributes>,
    pub rating: Option<Attributes>,
    pub license: Option<Attributes>,
    pub restriction: Option<Attributes>,
    pub title: Option<Text>,
    pub description: Option<Text>,
    pub keywords: Option<String>,
}

/// An element kept as it is: its attributes in order, and its text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Attributes {
    /// Name and value.
    pub pairs: Vec<(String, String)>,
    /// The text inside.
    pub text: Option<String>,
}

/// A place, as GeoJSON has it: longitude first.
#[derive(Debug, Clone, PartialEq)]
pub enum Geo {
    /// One point.
    Point(Vec<f64>),
    /// A line.
    Line(Vec<Vec<f64>>),
    /// A closed ring.
    Polygon(Vec<Vec<f64>>),
    /// Lower and upper corner.
    Box(Vec<Vec<f64>>),
}

/// Podlove simple chapters.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Chapters {
    /// Version as written.
    pub version: Option<String>,
    /// In order.
    pub chapters: Vec<Chapter>,
}

/// One chapter.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Chapter {
    /// Start as written.
    pub start: Option<String>,
    /// Title.
    pub title: Option<String>,
    /// Link.
    pub href: Option<String>,
    /// Picture.
    pub image: Option<String>,
}

/// A half-open range of bytes in the UTF-8 form of a document.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub struct ByteRange {
    pub start: u64,
    pub end: u64,
}

/// One thing that was wrong with a document, and where.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Problem {
    /// In plain words, readable by the person who added the feed.
    pub message: String,
    /// Line in the UTF-8 form, from 1.
    pub line: Option<u32>,
    /// Column in characters, from 1.
    pub column: Option<u32>,
}
