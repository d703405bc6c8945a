//! A reading: what the parser understood of one document, with its problems.
//!
//! Written by `syndication::read`, looked at by `policy::plan_refresh` and by `courant parse`. Values are as the
//! publisher meant them (URLs resolved, entities expanded, dates as instants beside what was written) but nothing
//! here is trusted: text may be hostile HTML, links may have any scheme, dates may lie.
//! `None` and empty vectors mean "not given", never "given as empty".

use std::sync::Arc;

use jiff::Timestamp;

/// A whole document: the feed, its entries in document order, and its problems.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Reading {
    /// The dialect of the document.
    pub format: Format,
    /// The encoding the bytes were decoded from, as a WHATWG label.
    pub encoding: String,
    /// The channel itself.
    pub feed: ReadFeed,
    /// Its entries, in document order; only complete ones.
    pub entries: Vec<ReadEntry>,
    /// How the document ended. After an early end the rest is unknown: further entries, and the fields that `feed`
    /// lacks.
    pub end: End,
    /// The entry in which the document ended: for display, not for storing.
    pub unfinished: Option<Box<ReadEntry>>,
    /// What was wrong, as sentences; a reading with problems is still a reading.
    pub problems: Vec<Problem>,
}

/// How a document ended.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum End {
    /// It was read to its end.
    #[default]
    Complete,
    /// It ended too early: the transfer broke off, the publisher wrote only a part, or JSON became unreadable. A
    /// publisher who never closes the root element causes this on every visit.
    Early,
    /// It exceeds the limits of the reader; the rest was not read.
    AtLimit,
}

/// The dialects, down to the versions that differ in meaning.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Format {
    /// Netscape's first RDF feed.
    Rss090,
    /// Netscape's RSS 0.91, recognised by its DTD.
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
    /// The publisher says that the feed has moved (`itunes:new-feed-url`, `newLocation`).
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
    /// `Some` only if the document says so (RSS `isPermaLink`, or its default).
    pub guid_is_permalink: Option<bool>,
    /// A page with comments.
    pub comments: Option<String>,
    /// A feed of comments (`wfw:commentRss`).
    pub comments_feed: Option<String>,
    /// The feed this entry was taken from.
    pub source: Option<Box<Source>>,
    /// The entries this one replies to (RFC 4685), as references.
    pub in_reply_to: Vec<String>,
    /// Podcast chapters (Podlove simple chapters).
    pub chapters: Option<Box<Chapters>>,
    /// Position of the element in the UTF-8 form of the document (`syndication::utf8_form`), for `raw_refs`.
    pub range: Option<ByteRange>,
}

/// What feeds, entries and sources have in common.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct About {
    /// The publisher's identifier, exactly as written: never resolved, never normalised.
    pub id: Option<String>,
    /// The title.
    pub title: Option<Text>,
    /// The page where a person reads it (`rel=alternate`).
    pub link: Option<String>,
    /// Every link in document order.
    pub links: Vec<Link>,
    /// Who wrote it.
    pub authors: Vec<Person>,
    /// Other contributors.
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
    /// No longer valid after this.
    pub expired: Option<Dated>,
    /// Language tag in force.
    pub language: Option<String>,
    /// A picture.
    pub image: Option<Box<Image>>,
    /// Apple's podcast fields.
    pub itunes: Option<Box<Itunes>>,
    /// Media RSS.
    pub media: Option<Box<Media>>,
    /// A location.
    pub geo: Option<Box<Geo>>,
    /// All other elements, flat, in document order.
    pub extensions: Vec<Extension>,
}

/// An element of a vocabulary without a field of its own here.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Extension {
    /// `prefix_local` in lower case; the prefix is the usual one of its namespace, whatever prefix the document uses.
    pub name: String,
    /// Its attributes and text.
    pub said: Attributes,
}

/// Text with its kind.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Text {
    /// How to understand `value`.
    pub kind: TextKind,
    /// plain: literal; html: unescaped once; xhtml: the inner markup.
    pub value: String,
    /// Language in force at the text; shared, because a document usually has one.
    pub language: Option<Arc<str>>,
    /// Base URL in force at the text; shared likewise.
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
    /// The text itself; empty if the content is elsewhere.
    pub text: Text,
    /// A media type other than the three of [`TextKind`], if one was given.
    pub media_type: Option<String>,
    /// The URL of the content, if it is not here.
    pub src: Option<String>,
}

/// An instant, and its original text.
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
    /// Absolute if a base was known.
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

/// A person; forms like `me@example.org (Me)` are split.
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
    /// The machine-readable name.
    pub term: Option<String>,
    /// The vocabulary.
    pub scheme: Option<String>,
    /// The human-readable name.
    pub label: Option<String>,
}

/// An attached file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Enclosure {
    /// Where it is.
    pub url: String,
    /// Media type.
    pub media_type: Option<String>,
    /// Size in bytes, if a number was given.
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
    /// Its link target.
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
    /// The URL it is submitted to.
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

/// When and how the publisher wants to be visited, and related URLs of the feed.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Hints {
    /// Minutes between visits, as RSS `ttl` or computed from `syn:updatePeriod` and `syn:updateFrequency`.
    pub ttl_minutes: Option<u32>,
    /// Hours of the day (0 to 23, GMT) in which not to visit.
    pub skip_hours: Vec<u8>,
    /// Days on which not to visit.
    pub skip_days: Vec<Weekday>,
    /// Syndication module, as written.
    pub update_period: Option<String>,
    /// Syndication module.
    pub update_frequency: Option<u32>,
    /// Syndication module.
    pub update_base: Option<Dated>,
    /// WebSub hubs.
    pub hubs: Vec<String>,
    /// The URL that the feed gives as its own.
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

/// RSS `cloud`: change notification from before WebSub.
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

/// A location, as in GeoJSON: longitude first.
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

/// One problem of a document, and its position.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Problem {
    /// A sentence for the person who added the feed.
    pub message: String,
    /// Line in the UTF-8 form, from 1.
    pub line: Option<u32>,
    /// Column in characters, from 1.
    pub column: Option<u32>,
}
