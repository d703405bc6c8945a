//! A reading as one JSON document: the output of `courant parse --json`, on which conformance is measured.
//!
//! Absent means unknown, never `""`. Dates are RFC 3339 in UTC, to the second; URLs are resolved, those inside markup
//! too. It is for output only: nothing in this crate parses it.

use model::reading::{
    About, Attributes, Category, Chapters, Content, Dated, Enclosure, Extension, Format, Generator, Geo, Image, Itunes,
    Link, Media, Person, Problem, ReadEntry, ReadFeed, Reading, Source, Text, TextKind, Weekday,
};
use serde_json::{Map, Value, json};

use crate::html_urls;

/// The whole document.
pub fn document(reading: &Reading) -> Value {
    let mut out = Object::default();
    out.put("version", version(reading.format));
    out.text("encoding", Some(&reading.encoding));
    out.put("warnings", reading.problems.iter().map(warning).collect::<Vec<_>>());
    out.put("feed", feed(&reading.feed));
    out.put("entries", entries(reading).map(entry).collect::<Vec<_>>());
    out.into_value()
}

/// All entries, for display: including the one in which the document ended.
pub(crate) fn entries(reading: &Reading) -> impl Iterator<Item = &ReadEntry> {
    reading.entries.iter().chain(reading.unfinished.as_deref())
}

/// The short name of a dialect.
pub fn version(format: Format) -> &'static str {
    match format {
        Format::Rss090 => "rss090",
        Format::Rss091Netscape => "rss091n",
        Format::Rss091Userland => "rss091u",
        Format::Rss092 => "rss092",
        Format::Rss093 => "rss093",
        Format::Rss094 => "rss094",
        Format::Rss20 => "rss20",
        Format::Rss => "rss",
        Format::Rss10 => "rss10",
        Format::Rss11 => "rss11",
        Format::Atom03 => "atom03",
        Format::Atom10 => "atom10",
        Format::Cdf => "cdf",
        Format::Json1 => "json1",
        Format::Json11 => "json11",
    }
}

/// A problem on one line, with its position if it has one.
pub fn warning(problem: &Problem) -> String {
    match (problem.line, problem.column) {
        (Some(line), Some(column)) => format!("{line}:{column}: {}", problem.message),
        _ => problem.message.clone(),
    }
}

/// An object that omits missing values.
#[derive(Default)]
struct Object(Map<String, Value>);

impl Object {
    fn put(&mut self, key: &str, value: impl Into<Value>) {
        self.0.insert(key.to_owned(), value.into());
    }

    fn maybe(&mut self, key: &str, value: Option<impl Into<Value>>) {
        if let Some(value) = value {
            self.put(key, value);
        }
    }

    fn text(&mut self, key: &str, value: Option<&String>) {
        self.maybe(key, value.filter(|value| !value.is_empty()).cloned());
    }

    fn list<T>(&mut self, key: &str, values: &[T], show: impl Fn(&T) -> Value) {
        if !values.is_empty() {
            self.put(key, values.iter().map(show).collect::<Vec<_>>());
        }
    }

    fn object(&mut self, key: &str, object: Object) {
        if !object.0.is_empty() {
            self.put(key, object.into_value());
        }
    }

    fn into_value(self) -> Value {
        Value::Object(self.0)
    }
}

fn feed(feed: &ReadFeed) -> Value {
    let mut out = about(&feed.about);
    out.maybe("subtitle", feed.subtitle.as_ref().map(text));
    out.maybe("summary", feed.about.itunes.as_ref().and_then(|itunes| itunes.summary.clone()));
    out.maybe("info", feed.info.as_ref().map(text));
    out.maybe("generator", feed.generator.as_ref().map(generator));
    out.text("docs", feed.docs.as_ref());
    out.text("icon", feed.icon.as_ref());
    out.text("logo", feed.logo.as_ref());
    out.text("newlocation", feed.new_location.as_ref());
    if let Some(input) = &feed.text_input {
        let mut object = Object::default();
        object.text("title", input.title.as_ref());
        object.text("description", input.description.as_ref());
        object.text("name", input.name.as_ref());
        object.text("link", input.link.as_ref());
        out.object("textinput", object);
    }
    hints(feed, &mut out);
    out.into_value()
}

fn hints(feed: &ReadFeed, out: &mut Object) {
    let hints = &feed.hints;
    // Numbers that the document gives as text stay text: ttl, port, length.
    out.text("ttl", hints.ttl_minutes.map(|minutes| minutes.to_string()).as_ref());
    out.list("skip_hours", &hints.skip_hours, |hour| json!(hour));
    out.list("skip_days", &hints.skip_days, |day| json!(day_name(*day)));
    out.text("hub", hints.hubs.first());
    if hints.hubs.len() > 1 {
        out.put("hubs", hints.hubs.clone());
    }
    out.text("self", hints.self_url.as_ref());
    out.text("next", hints.next.as_ref());
    out.text("prev", hints.prev.as_ref());
    out.text("prev_archive", hints.prev_archive.as_ref());
    out.text("next_archive", hints.next_archive.as_ref());
    out.text("current", hints.current.as_ref());
    out.maybe("archive", hints.archive.then_some(true));
    out.maybe("complete", hints.complete.then_some(true));
    let mut syndication = Object::default();
    syndication.text("sy_updateperiod", hints.update_period.as_ref());
    syndication.text("sy_updatefrequency", hints.update_frequency.map(|often| often.to_string()).as_ref());
    syndication.text("sy_updatebase", hints.update_base.as_ref().map(|base| &base.text));
    match out.0.get_mut("extensions").and_then(Value::as_object_mut) {
        Some(known) => known.extend(syndication.0),
        None => out.object("extensions", syndication),
    }
    if let Some(cloud) = &hints.cloud {
        let mut object = Object::default();
        object.text("domain", cloud.domain.as_ref());
        object.text("port", cloud.port.map(|port| port.to_string()).as_ref());
        object.text("path", cloud.path.as_ref());
        object.text("registerprocedure", cloud.register_procedure.as_ref());
        object.text("protocol", cloud.protocol.as_ref());
        out.object("cloud", object);
    }
}

fn day_name(day: Weekday) -> &'static str {
    match day {
        Weekday::Monday => "Monday",
        Weekday::Tuesday => "Tuesday",
        Weekday::Wednesday => "Wednesday",
        Weekday::Thursday => "Thursday",
        Weekday::Friday => "Friday",
        Weekday::Saturday => "Saturday",
        Weekday::Sunday => "Sunday",
    }
}

fn entry(entry: &ReadEntry) -> Value {
    let mut out = about(&entry.about);
    out.maybe("subtitle", entry.about.itunes.as_ref().and_then(|itunes| itunes.subtitle.clone()));
    out.maybe("summary", entry.summary.as_ref().map(text));
    out.list("content", &entry.content, content);
    out.list("enclosures", &entry.enclosures, enclosure);
    out.maybe("guid_is_permalink", entry.guid_is_permalink);
    out.text("comments", entry.comments.as_ref());
    out.text("comments_feed", entry.comments_feed.as_ref());
    out.maybe("source", entry.source.as_deref().map(source));
    out.list("in_reply_to", &entry.in_reply_to, |reference| json!(reference));
    out.maybe("chapters", entry.chapters.as_deref().map(chapters));
    if let Some(range) = entry.range {
        out.put("range", json!({"start": range.start, "end": range.end}));
    }
    out.into_value()
}

fn source(source: &Source) -> Value {
    let mut out = about(&source.about);
    out.maybe("subtitle", source.subtitle.as_ref().map(text));
    out.maybe("generator", source.generator.as_ref().map(generator));
    out.text("icon", source.icon.as_ref());
    out.text("logo", source.logo.as_ref());
    out.text("url", source.url.as_ref());
    out.into_value()
}

fn about(about: &About) -> Object {
    let mut out = Object::default();
    out.text("id", about.id.as_ref());
    out.maybe("title", about.title.as_ref().map(text));
    out.text("link", about.link.as_ref());
    out.list("links", &about.links, link);
    out.list("authors", &about.authors, person);
    out.list("contributors", &about.contributors, person);
    out.maybe("publisher", about.publisher.as_ref().map(person));
    out.list("categories", &about.categories, category);
    out.maybe("copyright", about.copyright.as_ref().map(text));
    out.text("license", about.license.as_ref());
    out.maybe("published", about.published.as_ref().and_then(instant));
    out.maybe("updated", about.updated.as_ref().and_then(instant));
    out.maybe("created", about.created.as_ref().and_then(instant));
    out.maybe("expired", about.expired.as_ref().and_then(instant));
    out.text("language", about.language.as_ref());
    out.maybe("image", about.image.as_deref().map(image));
    if let Some(itunes) = &about.itunes {
        out.object("itunes", itunes_object(itunes));
    }
    if let Some(media) = &about.media {
        out.object("media", media_object(media));
    }
    out.maybe("geo", about.geo.as_deref().map(geo));
    out.object("extensions", extensions(&about.extensions));
    out
}

fn instant(dated: &Dated) -> Option<String> {
    let whole = jiff::Timestamp::from_second(dated.at?.as_second()).ok()?;
    Some(whole.to_string())
}

fn media_type(kind: TextKind) -> &'static str {
    match kind {
        TextKind::Plain => "text/plain",
        TextKind::Html => "text/html",
        TextKind::Xhtml => "application/xhtml+xml",
    }
}

fn text_object(text: &Text) -> Object {
    let mut out = Object::default();
    out.put("type", media_type(text.kind));
    let value = match (&text.base, text.kind) {
        (Some(base), TextKind::Html | TextKind::Xhtml) => html_urls::resolve(&text.value, base).into_owned(),
        _ => text.value.clone(),
    };
    out.put("value", value);
    out.maybe("language", text.language.as_deref());
    out.maybe("base", text.base.as_deref());
    out
}

fn text(text: &Text) -> Value {
    text_object(text).into_value()
}

fn content(content: &Content) -> Value {
    let mut out = text_object(&content.text);
    out.maybe("type", content.media_type.clone());
    out.text("src", content.src.as_ref());
    out.into_value()
}

fn link(link: &Link) -> Value {
    let mut out = Object::default();
    out.text("href", Some(&link.href));
    out.put("rel", link.rel.as_deref().unwrap_or("alternate"));
    out.text("type", link.media_type.as_ref());
    out.text("title", link.title.as_ref());
    out.text("hreflang", link.hreflang.as_ref());
    out.text("length", link.length.as_ref());
    out.into_value()
}

fn person(person: &Person) -> Value {
    let mut out = Object::default();
    out.text("name", person.name.as_ref());
    out.text("email", person.email.as_ref());
    out.text("uri", person.uri.as_ref());
    out.text("avatar", person.avatar.as_ref());
    out.into_value()
}

fn category(category: &Category) -> Value {
    let mut out = Object::default();
    out.text("term", category.term.as_ref());
    out.text("scheme", category.scheme.as_ref());
    out.text("label", category.label.as_ref());
    out.into_value()
}

fn enclosure(enclosure: &Enclosure) -> Value {
    let mut out = Object::default();
    out.text("url", Some(&enclosure.url));
    out.text("type", enclosure.media_type.as_ref());
    out.text("length", enclosure.length.map(|length| length.to_string()).as_ref());
    out.text("title", enclosure.title.as_ref());
    out.maybe("duration", enclosure.duration);
    out.into_value()
}

fn image(image: &Image) -> Value {
    let mut out = Object::default();
    out.text("url", image.url.as_ref());
    out.text("title", image.title.as_ref());
    out.text("link", image.link.as_ref());
    out.maybe("width", image.width);
    out.maybe("height", image.height);
    out.text("description", image.description.as_ref());
    out.into_value()
}

fn generator(generator: &Generator) -> Value {
    let mut out = Object::default();
    out.text("name", generator.name.as_ref());
    out.text("uri", generator.uri.as_ref());
    out.text("version", generator.version.as_ref());
    out.into_value()
}

fn itunes_object(itunes: &Itunes) -> Object {
    let mut out = Object::default();
    out.maybe("block", itunes.block);
    out.maybe("explicit", itunes.explicit);
    out.text("duration", itunes.duration.as_ref());
    out.text("image", itunes.image.as_ref());
    out.text("subtitle", itunes.subtitle.as_ref());
    out.text("summary", itunes.summary.as_ref());
    out.text("episode", itunes.episode.as_ref());
    out.text("season", itunes.season.as_ref());
    out.text("episode_type", itunes.episode_type.as_ref());
    out.text("type", itunes.kind.as_ref());
    out.maybe("owner", itunes.owner.as_ref().map(person));
    out
}

fn media_object(media: &Media) -> Object {
    let mut out = Object::default();
    out.list("content", &media.content, said);
    out.list("thumbnail", &media.thumbnail, said);
    out.list("credit", &media.credit, said);
    out.maybe("player", media.player.as_ref().map(said));
    out.maybe("rating", media.rating.as_ref().map(said));
    out.maybe("license", media.license.as_ref().map(said));
    if let Some(restriction) = &media.restriction {
        // A list of countries or URLs.
        let mut value = said(restriction);
        if let (Some(text), Some(object)) = (&restriction.text, value.as_object_mut()) {
            let list: Vec<_> = text.split_whitespace().map(str::to_ascii_lowercase).collect();
            object.insert("content".into(), json!(list));
        }
        out.put("restriction", value);
    }
    out.maybe("title", media.title.as_ref().map(text));
    out.maybe("description", media.description.as_ref().map(text));
    out
}

/// Attributes as keys; the text, if there are attributes too, as `content`.
fn said(said: &Attributes) -> Value {
    let mut out = Object::default();
    for (name, value) in &said.pairs {
        out.put(name, value.clone());
    }
    out.text("content", said.text.as_ref());
    out.into_value()
}

fn extensions(extensions: &[Extension]) -> Object {
    let mut out = Object::default();
    for extension in extensions {
        let value = match &extension.said {
            Attributes { pairs, text } if pairs.is_empty() => json!(text),
            attributes => said(attributes),
        };
        match out.0.get_mut(&extension.name) {
            None => out.put(&extension.name, value),
            Some(Value::Array(list)) => list.push(value),
            Some(first) => *first = json!([first.take(), value]),
        }
    }
    out
}

fn geo(geo: &Geo) -> Value {
    match geo {
        Geo::Point(point) => json!({"type": "Point", "coordinates": point}),
        Geo::Line(points) => json!({"type": "LineString", "coordinates": points}),
        Geo::Polygon(ring) => json!({"type": "Polygon", "coordinates": [ring]}),
        Geo::Box(corners) => json!({"type": "Box", "coordinates": corners}),
    }
}

fn chapters(chapters: &Chapters) -> Value {
    let mut out = Object::default();
    out.text("version", chapters.version.as_ref());
    let show = chapters.chapters.iter().map(|chapter| {
        let mut out = Object::default();
        out.text("start", chapter.start.as_ref());
        out.text("title", chapter.title.as_ref());
        out.text("href", chapter.href.as_ref());
        out.text("image", chapter.image.as_ref());
        out.into_value()
    });
    out.put("chapters", show.collect::<Vec<_>>());
    out.into_value()
}
