//! JSON Feed 1.0 and 1.1, as tolerant as the XML reader.
//!
//! Values are borrowed as raw text and decoded one by one (`loose`): a number instead of a string, a lone surrogate or
//! a single author outside of a list affects only that value, and a truncated document keeps what precedes the cut.

mod loose;

use std::sync::Arc;

use model::reading::{
    ByteRange, Category, Content, Dated, Enclosure, End, Extension, Format, Image, Link, Person, ReadEntry, ReadFeed,
    Reading, Text, TextKind,
};

use self::loose::Fields;
use crate::date;
use crate::limits::{FEW, Limits};
use crate::problems::Problems;
use crate::read::Hints;
use crate::text::{self, Quirks};
use crate::urls::{self, Growth};

/// Reads a JSON Feed; `None` if the text is other JSON, or not JSON.
pub(crate) fn read(text: &str, hints: &Hints<'_>, limits: &Limits, mut problems: Problems<'_>) -> Option<Reading> {
    let document = loose::document(text, limits);
    let version = document.fields.text("version").unwrap_or_default();
    let format = if version.contains("jsonfeed.org/version/1.1") {
        Format::Json11
    } else if version.contains("jsonfeed") {
        Format::Json1
    } else if document.has_items && ["title", "home_page_url", "feed_url"].iter().any(|key| document.fields.has(key)) {
        problems.whole("it does not say which version of JSON Feed it is");
        Format::Json11
    } else {
        return None;
    };
    let mut reader = JsonReader {
        base: hints.base_url.filter(|base| urls::may_be_base(base)).map(Arc::from),
        language: hints.language.map(|language| Arc::from(language.replace('_', "-"))),
        // JSON is UTF-8 by definition.
        quirks: Quirks { controls: true, ..Quirks::of(text, "utf-8") },
        limits: *limits,
        values: limits.values,
        growth: Growth::up_to(limits.resolved_bytes),
    };
    let feed = reader.feed(&document.fields);
    let mut entries = Vec::new();
    for item in &document.items {
        let start = item.as_ptr() as usize - text.as_ptr() as usize;
        match Fields::of(item) {
            Some(fields) => {
                let range = ByteRange { start: start as u64, end: (start + item.len()) as u64 };
                entries.push(reader.entry(&fields, range));
            }
            None => problems.at(start, || "an item is not an object".into()),
        }
    }
    if let Some(said) = document.left_out {
        problems.whole(said);
    }
    let end = if document.error.is_some() { End::Early } else { End::Complete };
    match document.error {
        Some(error) if error.is_eof() => problems.whole(format!("the document ends early, it is cut off: {error}")),
        Some(error) => problems.whole(format!("the JSON is broken, and was read up to there: {error}")),
        None => {}
    }
    let problems = problems.finish();
    Some(Reading { format, encoding: String::new(), feed, entries, end, unfinished: None, problems })
}

struct JsonReader {
    base: Option<Arc<str>>,
    language: Option<Arc<str>>,
    quirks: Quirks,
    limits: Limits,
    /// How many list values are left.
    values: usize,
    growth: Growth,
}

impl JsonReader {
    fn feed(&mut self, fields: &Fields<'_>) -> ReadFeed {
        let mut feed = ReadFeed::default();
        if let Some(language) = self.string(fields, "language") {
            self.language = Some(Arc::from(language.replace('_', "-")));
        }
        feed.about.language = self.language.as_ref().map(ToString::to_string);
        if let Some(address) = self.url(fields, "feed_url") {
            if self.base.is_none() && urls::may_be_base(&address) {
                self.base = Some(Arc::from(address.as_str()));
            }
            feed.about.links.push(Link { href: address.clone(), rel: Some("self".into()), ..Link::default() });
            feed.hints.self_url = Some(address);
        }
        feed.about.title = self.text(fields, "title", TextKind::Plain);
        if let Some(page) = self.url(fields, "home_page_url") {
            feed.about.links.insert(0, Link { href: page.clone(), ..Link::default() });
            feed.about.link = Some(page);
        }
        feed.subtitle = self.text(fields, "description", TextKind::Plain);
        feed.info = self.text(fields, "user_comment", TextKind::Plain);
        feed.icon = self.url(fields, "favicon");
        feed.logo = self.url(fields, "icon");
        if let Some(next) = self.url(fields, "next_url") {
            feed.about.links.push(Link { href: next.clone(), rel: Some("next".into()), ..Link::default() });
            feed.hints.next = Some(next);
        }
        for hub in fields.list("hubs", 8) {
            let url = Fields::of(hub).and_then(|hub| self.url(&hub, "url"));
            feed.hints.hubs.extend(url);
        }
        feed.about.authors = self.persons(fields);
        feed.about.extensions = self.extensions(fields, &["expired"]);
        feed
    }

    fn entry(&mut self, fields: &Fields<'_>, range: ByteRange) -> ReadEntry {
        let mut entry = ReadEntry { range: Some(range), ..ReadEntry::default() };
        let feed_language = self.language.clone();
        let language = self.string(fields, "language").map(|language| language.replace('_', "-"));
        if let Some(language) = &language {
            self.language = Some(Arc::from(language.as_str()));
        }
        entry.about.language = language;
        entry.about.id = self.string(fields, "id");
        entry.about.title = self.text(fields, "title", TextKind::Plain);
        if let Some(url) = self.url(fields, "url") {
            entry.about.links.push(Link { href: url.clone(), ..Link::default() });
            entry.about.link = Some(url);
        }
        if let Some(url) = self.url(fields, "external_url") {
            // A link blog entry may have no page of its own.
            entry.about.link.get_or_insert_with(|| url.clone());
            entry.about.links.push(Link { href: url, rel: Some("related".into()), ..Link::default() });
        }
        for (key, kind) in [("content_html", TextKind::Html), ("content_text", TextKind::Plain)] {
            let text = self.text(fields, key, kind);
            entry.content.extend(text.map(|text| Content { text, ..Content::default() }));
        }
        entry.summary = self.text(fields, "summary", TextKind::Plain);
        entry.about.published = self.date(fields, "date_published");
        entry.about.updated = self.date(fields, "date_modified");
        entry.about.authors = self.persons(fields);
        let image = self.url(fields, "image");
        entry.about.image = image.map(|url| Box::new(Image { url: Some(url), ..Image::default() }));
        for tag in self.list(fields, "tags") {
            let term = loose::scalar(tag).map(|term| self.clean(term)).filter(|term| !term.is_empty());
            let category = Category { term, ..Category::default() };
            let categories = &entry.about.categories;
            let known = categories.len() < FEW && categories.contains(&category);
            if category.term.is_some() && !known {
                entry.about.categories.push(category);
            }
        }
        for attachment in self.list(fields, "attachments") {
            entry.enclosures.extend(Fields::of(attachment).and_then(|attachment| self.enclosure(&attachment)));
        }
        entry.about.extensions = self.extensions(fields, &["banner_image"]);
        self.language = feed_language;
        entry
    }

    fn enclosure(&self, fields: &Fields<'_>) -> Option<Enclosure> {
        let number = |key| fields.text(key).and_then(|number| number.parse::<f64>().ok()).map(|number| number as u64);
        Some(Enclosure {
            url: self.url(fields, "url")?,
            media_type: self.string(fields, "mime_type"),
            length: number("size_in_bytes"),
            title: self.string(fields, "title"),
            duration: number("duration_in_seconds"),
        })
    }

    /// The list of 1.1, or the single author of 1.0.
    fn persons(&mut self, fields: &Fields<'_>) -> Vec<Person> {
        let mut raw = self.list(fields, "authors");
        if raw.is_empty() {
            raw = self.list(fields, "author");
        }
        let person = |raw: &&str| match Fields::of(raw) {
            Some(fields) => Person {
                name: self.string(&fields, "name"),
                email: None,
                uri: self.url(&fields, "url"),
                avatar: self.url(&fields, "avatar"),
            },
            None => Person { name: loose::scalar(raw).map(|name| self.clean(name)), ..Person::default() },
        };
        raw.iter().map(person).filter(|person| *person != Person::default()).collect()
    }

    /// A list up to its limit, while the document's total is not used up.
    fn list<'f>(&mut self, fields: &Fields<'f>, key: &str) -> Vec<&'f str> {
        let list = fields.list(key, self.limits.list.min(self.values));
        self.values -= list.len();
        list
    }

    fn extensions(&mut self, fields: &Fields<'_>, also: &[&str]) -> Vec<Extension> {
        let mut extensions = Vec::new();
        for (key, raw) in fields.iter().take(self.limits.list) {
            if self.values == 0 || !(key.starts_with('_') || also.contains(&key)) || raw.len() > self.limits.field_bytes
            {
                continue;
            }
            let mut extension = Extension { name: key.to_owned(), ..Extension::default() };
            extension.said.text = Some(loose::scalar(raw).unwrap_or_else(|| raw.to_owned()));
            extensions.push(extension);
            self.values -= 1;
        }
        extensions
    }

    fn clean(&self, text: String) -> String {
        let clean = text::clean(text.into(), self.quirks);
        let clean = clean.trim();
        clean[..clean.floor_char_boundary(self.limits.field_bytes)].to_owned()
    }

    fn string(&self, fields: &Fields<'_>, key: &str) -> Option<String> {
        fields.text(key).map(|text| self.clean(text)).filter(|text| !text.is_empty())
    }

    fn url(&self, fields: &Fields<'_>, key: &str) -> Option<String> {
        let url = self.string(fields, key)?;
        Some(self.growth.resolve(self.base.as_deref(), &url))
    }

    fn text(&self, fields: &Fields<'_>, key: &str, kind: TextKind) -> Option<Text> {
        let value = self.string(fields, key)?;
        Some(Text { kind, value, language: self.language.clone(), base: self.base.clone() })
    }

    fn date(&self, fields: &Fields<'_>, key: &str) -> Option<Dated> {
        let text = self.string(fields, key)?;
        Some(Dated { at: date::parse_in(&text, self.language.as_deref()), text })
    }
}

/// Whether a text is intended as JSON.
pub(crate) fn is_json(text: &str) -> bool {
    text.trim_start().starts_with(['{', '[']) || matches!(text.trim(), "null" | "true" | "false")
}
