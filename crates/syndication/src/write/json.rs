//! Writes JSON Feed 1.1.
//!
//! Missing required fields are filled in: a title, an id for every item, content of one kind. Other texts are plain in
//! this format; markup in them is written as it is.

use model::reading::{Person, ReadEntry, Reading, Text, TextKind};
use serde_json::{Map, Value, json};

use super::{instant, rfc3339};

/// Writes a feed as JSON Feed 1.1.
pub fn json(reading: &Reading) -> String {
    let feed = &reading.feed;
    let mut out = Map::new();
    out.insert("version".into(), json!("https://jsonfeed.org/version/1.1"));
    // A title is required.
    out.insert("title".into(), json!(feed.about.title.as_ref().map_or("Untitled", |title| title.value.as_str())));
    put(&mut out, "home_page_url", feed.about.link.as_ref());
    put(&mut out, "feed_url", feed.hints.self_url.as_ref());
    put(&mut out, "description", feed.subtitle.as_ref().map(|text| &text.value));
    put(&mut out, "user_comment", feed.info.as_ref().map(|text| &text.value));
    put(&mut out, "next_url", feed.hints.next.as_ref());
    put(&mut out, "icon", feed.logo.as_ref());
    put(&mut out, "favicon", feed.icon.as_ref());
    put(&mut out, "language", feed.about.language.as_ref());
    persons(&mut out, &feed.about.authors);
    if !feed.hints.hubs.is_empty() {
        let hubs: Vec<Value> = feed.hints.hubs.iter().map(|hub| json!({"type": "WebSub", "url": hub})).collect();
        out.insert("hubs".into(), Value::Array(hubs));
    }
    out.insert("items".into(), reading.entries.iter().map(item).collect());
    serde_json::to_string_pretty(&out).unwrap_or_default()
}

fn put(out: &mut Map<String, Value>, key: &str, value: Option<&String>) {
    if let Some(value) = value.filter(|value| !value.is_empty()) {
        out.insert(key.to_owned(), json!(value));
    }
}

fn persons(out: &mut Map<String, Value>, persons: &[Person]) {
    let shown: Vec<Value> = persons.iter().filter_map(person).collect();
    if !shown.is_empty() {
        out.insert("authors".into(), Value::Array(shown));
    }
}

fn person(person: &Person) -> Option<Value> {
    let mut out = Map::new();
    put(&mut out, "name", person.name.as_ref().or(person.email.as_ref()));
    put(&mut out, "url", person.uri.as_ref());
    put(&mut out, "avatar", person.avatar.as_ref());
    (!out.is_empty()).then_some(Value::Object(out))
}

fn item(entry: &ReadEntry) -> Value {
    let about = &entry.about;
    let mut out = Map::new();
    // An id is required; the link is the next most stable value.
    let id = about.id.as_ref().or(about.link.as_ref()).cloned().unwrap_or_default();
    out.insert("id".into(), json!(id));
    put(&mut out, "url", about.link.as_ref());
    let related = about.links.iter().find(|link| link.rel.as_deref() == Some("related"));
    put(&mut out, "external_url", related.map(|link| &link.href));
    put(&mut out, "title", about.title.as_ref().map(|title| &title.value));
    for content in &entry.content {
        text(&mut out, &content.text);
    }
    // Content of one of the two kinds is required.
    if !out.contains_key("content_html") && !out.contains_key("content_text") {
        match &entry.summary {
            Some(summary) if summary.kind != TextKind::Plain => text(&mut out, summary),
            _ => {
                out.insert("content_text".into(), json!(""));
            }
        }
    }
    put(&mut out, "summary", entry.summary.as_ref().map(|text| &text.value));
    put(&mut out, "image", about.image.as_ref().and_then(|image| image.url.as_ref()));
    put(&mut out, "date_published", instant(about.published.as_ref()).map(rfc3339).as_ref());
    put(&mut out, "date_modified", instant(about.updated.as_ref()).map(rfc3339).as_ref());
    put(&mut out, "language", about.language.as_ref());
    persons(&mut out, &about.authors);
    let tags: Vec<&String> = about.categories.iter().filter_map(|category| category.term.as_ref()).collect();
    if !tags.is_empty() {
        out.insert("tags".into(), json!(tags));
    }
    let attachments: Vec<Value> = entry
        .enclosures
        .iter()
        .map(|enclosure| {
            let mut out = Map::new();
            out.insert("url".into(), json!(enclosure.url));
            out.insert(
                "mime_type".into(),
                json!(enclosure.media_type.as_deref().unwrap_or("application/octet-stream")),
            );
            put(&mut out, "title", enclosure.title.as_ref());
            out.extend(enclosure.length.map(|length| ("size_in_bytes".to_owned(), json!(length))));
            out.extend(enclosure.duration.map(|seconds| ("duration_in_seconds".to_owned(), json!(seconds))));
            Value::Object(out)
        })
        .collect();
    if !attachments.is_empty() {
        out.insert("attachments".into(), Value::Array(attachments));
    }
    Value::Object(out)
}

fn text(out: &mut Map<String, Value>, text: &Text) {
    let key = if text.kind == TextKind::Plain { "content_text" } else { "content_html" };
    if !out.contains_key(key) {
        out.insert(key.to_owned(), json!(text.value));
    }
}
