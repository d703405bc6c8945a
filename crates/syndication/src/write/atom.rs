//! Writes Atom 1.0, with feed history and threading.
//!
//! Identifier, title, date and author are required and filled in if missing. Markup is written as escaped HTML, never
//! as XHTML, so that no publisher's markup can break the document.

use jiff::Timestamp;
use model::reading::{About, Content, Generator, Link, Person, ReadEntry, ReadFeed, Reading, Source, Text, TextKind};

use super::{attribute, begin, close, element, instant, maybe, maybe_attribute, open, rfc3339};

/// Writes a feed as Atom 1.0.
pub fn atom(reading: &Reading) -> String {
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<feed");
    attribute(&mut out, "xmlns", "http://www.w3.org/2005/Atom");
    attribute(&mut out, "xmlns:fh", "http://purl.org/syndication/history/1.0");
    attribute(&mut out, "xmlns:thr", "http://purl.org/syndication/thread/1.0");
    maybe_attribute(&mut out, "xml:lang", reading.feed.about.language.as_deref());
    out.push_str(">\n");
    feed(&mut out, &reading.feed, &reading.entries);
    for entry in &reading.entries {
        write_entry(&mut out, entry, &reading.feed);
    }
    out.push_str("</feed>\n");
    out
}

fn feed(out: &mut String, feed: &ReadFeed, entries: &[ReadEntry]) {
    let hints = &feed.hints;
    let own = hints.self_url.as_deref();
    let newest = entries.iter().filter_map(|entry| moment(&entry.about)).max();
    required(out, &feed.about, own, newest);
    if let Some(subtitle) = &feed.subtitle {
        text(out, "subtitle", subtitle);
    }
    let paging = [
        ("self", &hints.self_url),
        ("next", &hints.next),
        ("previous", &hints.prev),
        ("prev-archive", &hints.prev_archive),
        ("next-archive", &hints.next_archive),
        ("current", &hints.current),
    ];
    let paging = paging.into_iter().filter_map(|(rel, href)| Some((rel, href.as_deref()?)));
    links(out, &feed.about, paging.chain(hints.hubs.iter().map(|hub| ("hub", hub.as_str()))));
    common(out, &feed.about);
    if let Some(known) = &feed.generator {
        generator(out, known);
    }
    maybe(out, "icon", feed.icon.as_deref());
    maybe(out, "logo", feed.logo.as_deref());
    if hints.archive {
        out.push_str("<fh:archive/>\n");
    }
    if hints.complete {
        out.push_str("<fh:complete/>\n");
    }
}

fn write_entry(out: &mut String, entry: &ReadEntry, feed: &ReadFeed) {
    begin(out, "entry");
    maybe_attribute(out, "xml:lang", entry.about.language.as_deref());
    out.push_str(">\n");
    required(out, &entry.about, None, moment(&feed.about));
    let comments = [("replies", entry.comments.as_deref())];
    links(out, &entry.about, comments.into_iter().filter_map(|(rel, href)| Some((rel, href?))));
    for enclosure in &entry.enclosures {
        if entry.about.links.iter().any(|link| link.rel.as_deref() == Some("enclosure") && link.href == enclosure.url) {
            continue;
        }
        write_link(
            out,
            &Link {
                href: enclosure.url.clone(),
                rel: Some("enclosure".into()),
                media_type: enclosure.media_type.clone(),
                title: enclosure.title.clone(),
                hreflang: None,
                length: enclosure.length.map(|length| length.to_string()),
            },
        );
    }
    common(out, &entry.about);
    // An author is required on every entry for which neither the feed nor a source has one.
    if entry.about.authors.is_empty() && feed.about.authors.is_empty() {
        out.push_str("<author>\n<name>Unknown</name>\n</author>\n");
    }
    if let Some(at) = instant(entry.about.published.as_ref()) {
        element(out, "published", &rfc3339(at));
    }
    if let Some(summary) = &entry.summary {
        text(out, "summary", summary);
    }
    // At most one content element.
    if let Some(first) = entry.content.first() {
        content(out, first);
    }
    for reference in &entry.in_reply_to {
        begin(out, "thr:in-reply-to");
        attribute(out, "ref", reference);
        out.push_str("/>\n");
    }
    if let Some(known) = &entry.source {
        source(out, known);
    }
    out.push_str("</entry>\n");
}

fn source(out: &mut String, source: &Source) {
    open(out, "source");
    required(out, &source.about, source.url.as_deref(), None);
    if let Some(subtitle) = &source.subtitle {
        text(out, "subtitle", subtitle);
    }
    links(out, &source.about, source.url.iter().map(|url| ("self", url.as_str())));
    common(out, &source.about);
    if let Some(known) = &source.generator {
        generator(out, known);
    }
    maybe(out, "icon", source.icon.as_deref());
    maybe(out, "logo", source.logo.as_deref());
    out.push_str("</source>\n");
}

fn moment(about: &About) -> Option<Timestamp> {
    instant(about.updated.as_ref()).or_else(|| instant(about.published.as_ref()))
}

/// Identifier, title and date: required for every Atom element of this kind.
fn required(out: &mut String, about: &About, own: Option<&str>, otherwise: Option<Timestamp>) {
    let id = about.id.as_deref().or(own).or(about.link.as_deref()).filter(|id| !id.is_empty());
    element(out, "id", id.unwrap_or("urn:courant:unknown"));
    match &about.title {
        Some(title) => text(out, "title", title),
        None => element(out, "title", ""),
    }
    let updated = moment(about).or(otherwise).unwrap_or(Timestamp::UNIX_EPOCH);
    element(out, "updated", &rfc3339(updated));
}

fn common(out: &mut String, about: &About) {
    for person in &about.authors {
        person_element(out, "author", person);
    }
    for person in &about.contributors {
        person_element(out, "contributor", person);
    }
    for category in &about.categories {
        let Some(term) = category.term.as_ref().or(category.label.as_ref()) else { continue };
        begin(out, "category");
        attribute(out, "term", term);
        maybe_attribute(out, "scheme", category.scheme.as_deref());
        maybe_attribute(out, "label", category.label.as_deref());
        out.push_str("/>\n");
    }
    if let Some(rights) = &about.copyright {
        text(out, "rights", rights);
    }
}

fn links<'a>(out: &mut String, about: &About, hints: impl Iterator<Item = (&'a str, &'a str)>) {
    let has = |rel: &str, href: &str| {
        about.links.iter().any(|link| link.rel.as_deref().unwrap_or("alternate") == rel && link.href == href)
    };
    if let Some(link) = about.link.as_ref().filter(|link| !has("alternate", link)) {
        write_link(out, &Link { href: link.clone(), ..Link::default() });
    }
    for link in &about.links {
        write_link(out, link);
    }
    for (rel, href) in hints.filter(|(rel, href)| !has(rel, href)) {
        write_link(out, &Link { href: href.into(), rel: Some(rel.into()), ..Link::default() });
    }
    if let Some(license) = about.license.as_ref().filter(|license| !has("license", license)) {
        write_link(out, &Link { href: license.clone(), rel: Some("license".into()), ..Link::default() });
    }
}

fn write_link(out: &mut String, link: &Link) {
    begin(out, "link");
    attribute(out, "href", &link.href);
    maybe_attribute(out, "rel", link.rel.as_deref());
    maybe_attribute(out, "type", link.media_type.as_deref());
    maybe_attribute(out, "title", link.title.as_deref());
    maybe_attribute(out, "hreflang", link.hreflang.as_deref());
    maybe_attribute(out, "length", link.length.as_deref());
    out.push_str("/>\n");
}

fn person_element(out: &mut String, name: &str, person: &Person) {
    open(out, name);
    // A name is required.
    let called = person.name.as_deref().or(person.email.as_deref()).or(person.uri.as_deref());
    element(out, "name", called.unwrap_or("Unknown"));
    maybe(out, "email", person.email.as_deref());
    maybe(out, "uri", person.uri.as_deref());
    out.push_str("</");
    out.push_str(name);
    out.push_str(">\n");
}

fn generator(out: &mut String, generator: &Generator) {
    begin(out, "generator");
    maybe_attribute(out, "uri", generator.uri.as_deref());
    maybe_attribute(out, "version", generator.version.as_deref());
    out.push('>');
    close(out, "generator", generator.name.as_deref().or(generator.uri.as_deref()).unwrap_or_default());
}

/// Markup is written as escaped HTML: this guarantees a well-formed document.
fn text_attributes(out: &mut String, text: &Text) {
    attribute(out, "type", if text.kind == TextKind::Plain { "text" } else { "html" });
    maybe_attribute(out, "xml:lang", text.language.as_deref());
    maybe_attribute(out, "xml:base", text.base.as_deref());
}

fn text(out: &mut String, name: &str, text: &Text) {
    begin(out, name);
    text_attributes(out, text);
    out.push('>');
    close(out, name, &text.value);
}

fn content(out: &mut String, content: &Content) {
    begin(out, "content");
    if let Some(src) = &content.src {
        maybe_attribute(out, "type", content.media_type.as_deref());
        attribute(out, "src", src);
        out.push_str("/>\n");
        return;
    }
    text_attributes(out, &content.text);
    out.push('>');
    close(out, "content", &content.text.value);
}
