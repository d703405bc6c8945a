//! Writes RSS 2.0, with the usual modules: content, dc, atom, itunes, media, georss, wfw.
//!
//! Title, link and description of the channel are required and written even if empty. RSS has no text types: everything
//! but a plain title is written as HTML.

use model::reading::{About, Attributes, Geo, Image, Person, ReadEntry, ReadFeed, Reading, Text, TextKind};

use super::{as_html, attribute, begin, close, element, instant, maybe, maybe_attribute, open, rfc822, rfc3339};
use crate::html_guess::looks_like_html;

/// Always declared: an unused namespace costs a line, a missing one breaks the feed.
const NAMESPACES: [(&str, &str); 8] = [
    ("xmlns:atom", "http://www.w3.org/2005/Atom"),
    ("xmlns:content", "http://purl.org/rss/1.0/modules/content/"),
    ("xmlns:dc", "http://purl.org/dc/elements/1.1/"),
    ("xmlns:itunes", "http://www.itunes.com/dtds/podcast-1.0.dtd"),
    ("xmlns:media", "http://search.yahoo.com/mrss/"),
    ("xmlns:georss", "http://www.georss.org/georss"),
    ("xmlns:wfw", "http://wellformedweb.org/CommentAPI/"),
    ("xmlns:creativeCommons", "http://backend.userland.com/creativeCommonsRssModule"),
];

/// Writes a feed as RSS 2.0.
pub fn rss(reading: &Reading) -> String {
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<rss version=\"2.0\"");
    for (name, value) in NAMESPACES {
        attribute(&mut out, name, value);
    }
    out.push_str(">\n<channel>\n");
    channel(&mut out, &reading.feed);
    for entry in &reading.entries {
        item(&mut out, entry);
    }
    out.push_str("</channel>\n</rss>\n");
    out
}

fn channel(out: &mut String, feed: &ReadFeed) {
    let about = &feed.about;
    // Title, link and description are required.
    title(out, about.title.as_ref(), "Untitled");
    element(out, "link", about.link.as_deref().or(feed.hints.self_url.as_deref()).unwrap_or_default());
    element(out, "description", &feed.subtitle.as_ref().map(as_html).unwrap_or_default());
    maybe(out, "language", about.language.as_deref());
    maybe(out, "copyright", about.copyright.as_ref().map(as_html).as_deref());
    for person in &about.authors {
        person_element(out, person, "managingEditor");
    }
    if let Some(publisher) = &about.publisher {
        person_element(out, publisher, "webMaster");
    }
    dates(out, about, "lastBuildDate");
    categories(out, about);
    if let Some(generator) = &feed.generator {
        maybe(out, "generator", generator.name.as_deref().or(generator.uri.as_deref()));
    }
    maybe(out, "docs", feed.docs.as_deref());
    if let Some(cloud) = &feed.hints.cloud {
        begin(out, "cloud");
        maybe_attribute(out, "domain", cloud.domain.as_deref());
        maybe_attribute(out, "port", cloud.port.map(|port| port.to_string()).as_deref());
        maybe_attribute(out, "path", cloud.path.as_deref());
        maybe_attribute(out, "registerProcedure", cloud.register_procedure.as_deref());
        maybe_attribute(out, "protocol", cloud.protocol.as_deref());
        out.push_str("/>\n");
    }
    maybe(out, "ttl", feed.hints.ttl_minutes.map(|minutes| minutes.to_string()).as_deref());
    image(out, about.image.as_deref(), feed);
    if let Some(input) = &feed.text_input {
        out.push_str("<textInput>\n");
        element(out, "title", input.title.as_deref().unwrap_or_default());
        element(out, "description", input.description.as_deref().unwrap_or_default());
        element(out, "name", input.name.as_deref().unwrap_or_default());
        element(out, "link", input.link.as_deref().unwrap_or_default());
        out.push_str("</textInput>\n");
    }
    skips(out, feed);
    maybe(out, "itunes:new-feed-url", feed.new_location.as_deref());
    links(out, about, feed.hints.self_url.as_deref(), &feed.hints.hubs);
    modules(out, about);
}

fn skips(out: &mut String, feed: &ReadFeed) {
    if !feed.hints.skip_hours.is_empty() {
        out.push_str("<skipHours>\n");
        for hour in &feed.hints.skip_hours {
            element(out, "hour", &hour.to_string());
        }
        out.push_str("</skipHours>\n");
    }
    if !feed.hints.skip_days.is_empty() {
        out.push_str("<skipDays>\n");
        for day in &feed.hints.skip_days {
            element(out, "day", &format!("{day:?}"));
        }
        out.push_str("</skipDays>\n");
    }
}

fn item(out: &mut String, entry: &ReadEntry) {
    let about = &entry.about;
    out.push_str("<item>\n");
    // Title or description is required.
    if about.title.is_some() || entry.summary.is_none() {
        title(out, about.title.as_ref(), "Untitled");
    }
    maybe(out, "link", about.link.as_deref());
    if let Some(summary) = &entry.summary {
        element(out, "description", &as_html(summary));
    }
    for content in entry.content.iter().filter(|content| content.src.is_none()) {
        element(out, "content:encoded", &as_html(&content.text));
    }
    if let Some(id) = &about.id {
        let permalink = entry.guid_is_permalink.unwrap_or(false);
        begin(out, "guid");
        attribute(out, "isPermaLink", if permalink { "true" } else { "false" });
        out.push('>');
        close(out, "guid", id);
    }
    for person in &about.authors {
        person_element(out, person, "author");
    }
    for person in &about.contributors {
        maybe(out, "dc:contributor", person.name.as_deref());
    }
    if let Some(publisher) = &about.publisher {
        maybe(out, "dc:publisher", Some(&person_text(publisher)));
    }
    dates(out, about, "atom:updated");
    categories(out, about);
    maybe(out, "dc:rights", about.copyright.as_ref().map(as_html).as_deref());
    maybe(out, "dc:language", about.language.as_deref());
    maybe(out, "comments", entry.comments.as_deref());
    maybe(out, "wfw:commentRss", entry.comments_feed.as_deref());
    for enclosure in &entry.enclosures {
        begin(out, "enclosure");
        attribute(out, "url", &enclosure.url);
        // Both are required; 0 for an unknown length, as the author of the specification recommends.
        attribute(out, "length", &enclosure.length.unwrap_or(0).to_string());
        attribute(out, "type", enclosure.media_type.as_deref().unwrap_or("application/octet-stream"));
        out.push_str("/>\n");
    }
    if let Some(source) = &entry.source
        && let Some(url) = source.url.as_ref().or(source.about.link.as_ref())
    {
        begin(out, "source");
        attribute(out, "url", url);
        out.push('>');
        close(out, "source", source.about.title.as_ref().map_or("", |title| &title.value));
    }
    links(out, about, None, &[]);
    modules(out, about);
    out.push_str("</item>\n");
}

/// RSS does not say whether a title is HTML; readers guess, so plain text must not look like it.
fn title(out: &mut String, title: Option<&Text>, fallback: &str) {
    match title {
        Some(text) if text.kind == TextKind::Plain && !looks_like_html(&text.value) => {
            element(out, "title", &text.value);
        }
        Some(text) => element(out, "title", &as_html(text)),
        None => element(out, "title", fallback),
    }
}

/// `email (name)` where RSS wants an address, and Dublin Core if there is only a name.
fn person_element(out: &mut String, person: &Person, name: &str) {
    if person.email.is_some() {
        element(out, name, &person_text(person));
    } else {
        let name = if name == "webMaster" { "dc:publisher" } else { "dc:creator" };
        maybe(out, name, person.name.as_deref());
    }
}

fn person_text(person: &Person) -> String {
    match (&person.email, &person.name) {
        (Some(email), Some(name)) => format!("{email} ({name})"),
        (Some(one), None) | (None, Some(one)) => one.clone(),
        (None, None) => String::new(),
    }
}

fn dates(out: &mut String, about: &About, updated: &str) {
    if let Some(at) = instant(about.published.as_ref()) {
        element(out, "pubDate", &rfc822(at));
    }
    if let Some(at) = instant(about.updated.as_ref()) {
        let text = if updated == "lastBuildDate" { rfc822(at) } else { rfc3339(at) };
        element(out, updated, &text);
    }
}

fn categories(out: &mut String, about: &About) {
    for category in &about.categories {
        let Some(term) = category.term.as_ref().or(category.label.as_ref()) else { continue };
        begin(out, "category");
        maybe_attribute(out, "domain", category.scheme.as_deref());
        out.push('>');
        close(out, "category", term);
    }
}

fn image(out: &mut String, image: Option<&Image>, feed: &ReadFeed) {
    let Some((image, url)) = image.and_then(|image| Some((image, image.url.as_ref()?))) else { return };
    out.push_str("<image>\n");
    element(out, "url", url);
    let title = image.title.as_deref().or(feed.about.title.as_ref().map(|title| title.value.as_str()));
    element(out, "title", title.unwrap_or_default());
    element(out, "link", image.link.as_deref().or(feed.about.link.as_deref()).unwrap_or_default());
    maybe(out, "width", image.width.map(|pixels| pixels.to_string()).as_deref());
    maybe(out, "height", image.height.map(|pixels| pixels.to_string()).as_deref());
    maybe(out, "description", image.description.as_deref());
    out.push_str("</image>\n");
}

/// Links that RSS has no element for.
fn links(out: &mut String, about: &About, own: Option<&str>, hubs: &[String]) {
    let mut said: Vec<(&str, &str)> = Vec::new();
    for link in &about.links {
        let rel = link.rel.as_deref().unwrap_or("alternate");
        let plain = rel == "alternate" && Some(&link.href) == about.link.as_ref();
        if plain || rel == "enclosure" || rel == "license" {
            continue;
        }
        said.push((rel, &link.href));
        begin(out, "atom:link");
        attribute(out, "href", &link.href);
        attribute(out, "rel", rel);
        maybe_attribute(out, "type", link.media_type.as_deref());
        maybe_attribute(out, "title", link.title.as_deref());
        maybe_attribute(out, "hreflang", link.hreflang.as_deref());
        maybe_attribute(out, "length", link.length.as_deref());
        out.push_str("/>\n");
    }
    let hints = own.into_iter().map(|own| ("self", own)).chain(hubs.iter().map(|hub| ("hub", hub.as_str())));
    for (rel, href) in hints.filter(|hint| !said.contains(hint)) {
        begin(out, "atom:link");
        attribute(out, "href", href);
        attribute(out, "rel", rel);
        out.push_str("/>\n");
    }
}

fn modules(out: &mut String, about: &About) {
    maybe(out, "creativeCommons:license", about.license.as_deref());
    if let Some(itunes) = &about.itunes {
        maybe(out, "itunes:duration", itunes.duration.as_deref());
        maybe(out, "itunes:explicit", itunes.explicit.map(|yes| if yes { "true" } else { "false" }));
        maybe(out, "itunes:block", itunes.block.map(|yes| if yes { "yes" } else { "no" }));
        maybe(out, "itunes:episode", itunes.episode.as_deref());
        maybe(out, "itunes:season", itunes.season.as_deref());
        maybe(out, "itunes:episodeType", itunes.episode_type.as_deref());
        maybe(out, "itunes:type", itunes.kind.as_deref());
        maybe(out, "itunes:subtitle", itunes.subtitle.as_deref());
        maybe(out, "itunes:summary", itunes.summary.as_deref());
        if let Some(image) = &itunes.image {
            begin(out, "itunes:image");
            attribute(out, "href", image);
            out.push_str("/>\n");
        }
        if let Some(owner) = &itunes.owner {
            open(out, "itunes:owner");
            maybe(out, "itunes:name", owner.name.as_deref());
            maybe(out, "itunes:email", owner.email.as_deref());
            out.push_str("</itunes:owner>\n");
        }
    }
    if let Some(media) = &about.media {
        for said in &media.content {
            media_element(out, "media:content", said);
        }
        for said in &media.thumbnail {
            media_element(out, "media:thumbnail", said);
        }
        for said in &media.credit {
            media_element(out, "media:credit", said);
        }
    }
    if let Some(geo) = &about.geo {
        place(out, geo);
    }
}

fn media_element(out: &mut String, name: &str, said: &Attributes) {
    begin(out, name);
    for (name, value) in said.pairs.iter().filter(|(name, _)| name.bytes().all(|byte| byte.is_ascii_alphanumeric())) {
        attribute(out, name, value);
    }
    out.push('>');
    close(out, name, said.text.as_deref().unwrap_or_default());
}

fn place(out: &mut String, geo: &Geo) {
    let (name, points): (_, &[Vec<f64>]) = match geo {
        Geo::Point(point) => ("georss:point", std::slice::from_ref(point)),
        Geo::Line(points) => ("georss:line", points),
        Geo::Polygon(points) => ("georss:polygon", points),
        Geo::Box(points) => ("georss:box", points),
    };
    let numbers: Vec<String> =
        points.iter().filter(|point| point.len() >= 2).map(|point| format!("{} {}", point[1], point[0])).collect();
    element(out, name, &numbers.join(" "));
}
