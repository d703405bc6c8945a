//! What an entry says, as it will be stored: the one place where a stranger's markup becomes ours.
//!
//! Only what is new or changed comes here. Everything that leaves here is text, or a link that is http or https.

use crate::identity::{hash, raw_hash};
use content::{excerpt, plain_text};
use model::entry::{Attachment, Author, EntryBody, Hash, RawRef};
use model::plan::EntryVersion;
use model::raw::RawFetch;
use model::reading::{Dated, Enclosure, Person, ReadEntry, Text};

/// A list shows no more than this of an entry.
const EXCERPT: usize = 500;

/// An entry's words, cleaned.
struct Words {
    title: Option<String>,
    summary: Option<String>,
    content: Option<String>,
}

impl Words {
    fn of(entry: &ReadEntry) -> Self {
        Self {
            title: entry.about.title.as_ref().and_then(clean),
            summary: entry.summary.as_ref().and_then(clean),
            content: entry.content.iter().find_map(|content| clean(&content.text)),
        }
    }

    fn hash(&self) -> Hash {
        hash([&self.title, &self.summary, &self.content].map(|text| text.as_deref().unwrap_or_default()))
    }
}

/// A text of theirs as a text of ours; `None` if nothing is left of it.
pub(crate) fn clean(text: &Text) -> Option<String> {
    Some(plain_text(&text.value)).filter(|text| !text.is_empty())
}

/// What the words of an entry come to.
pub(crate) fn content_hash(entry: &ReadEntry) -> Hash {
    Words::of(entry).hash()
}

/// What an entry says now.
pub(crate) fn version(entry: &ReadEntry, raw: Option<&RawFetch>) -> EntryVersion {
    let about = &entry.about;
    let words = Words::of(entry);
    let content_hash = words.hash();
    let Words { title, summary, content } = words;
    let shown = summary.as_deref().or(content.as_deref()).map(|text| excerpt(text, EXCERPT));
    let body = EntryBody {
        authors: about.authors.iter().map(author).collect(),
        categories: about.categories.iter().filter_map(|c| c.label.clone().or_else(|| c.term.clone())).collect(),
        enclosures: entry.enclosures.iter().filter(|enclosure| is_web(&enclosure.url)).map(attachment).collect(),
        language: about.language.clone(),
        raw: raw.zip(entry.range).map(|(raw, range)| RawRef {
            fetch: raw.id,
            offset: range.start,
            length: range.end.saturating_sub(range.start),
        }),
        summary,
        content,
    };
    EntryVersion {
        title,
        excerpt: shown,
        link: about.link.clone().filter(|link| is_web(link)),
        published_at: published(entry),
        updated_at: at(about.updated.as_ref()),
        content_hash,
        raw_hash: raw_hash(entry),
        body,
    }
}

/// When the publisher says it was published.
pub(crate) fn published(entry: &ReadEntry) -> Option<jiff::Timestamp> {
    let about = &entry.about;
    at(about.published.as_ref()).or(at(about.created.as_ref())).or(at(about.updated.as_ref()))
}

fn at(date: Option<&Dated>) -> Option<jiff::Timestamp> {
    date.and_then(|date| date.at)
}

/// No API returns a URL that is not http(s); none is stored either.
pub(crate) fn is_web(url: &str) -> bool {
    url::Url::parse(url).is_ok_and(|url| matches!(url.scheme(), "http" | "https"))
}

fn author(person: &Person) -> Author {
    let plain = |text: &Option<String>| text.as_deref().map(plain_text).filter(|text| !text.is_empty());
    let uri = person.uri.clone().filter(|uri| is_web(uri));
    Author { name: plain(&person.name), email: plain(&person.email), uri }
}

fn attachment(enclosure: &Enclosure) -> Attachment {
    Attachment { url: enclosure.url.clone(), media_type: enclosure.media_type.clone(), length: enclosure.length }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::entry;
    use model::reading::TextKind;

    #[test]
    fn markup_and_foreign_schemes_never_reach_the_store() {
        let mut evil = entry("e", "javascript:alert(1)", "<script>alert(1)</script><b>T</b>");
        let value = "<img src=x onerror=alert(1)>words".into();
        evil.summary = Some(Text { kind: TextKind::Html, value, ..Text::default() });
        evil.enclosures = vec![Enclosure { url: "javascript:alert(1)".into(), ..Enclosure::default() }];
        let version = version(&evil, None);
        assert_eq!(
            (version.title.as_deref(), version.excerpt.as_deref(), version.link, version.body.enclosures.len()),
            (Some("T"), Some("words"), None, 0)
        );
    }

    #[test]
    fn the_same_words_in_other_wrapping_are_the_same() {
        let (plain, wrapped) = (entry("a", "", "A"), entry("a", "", "<i>A</i>"));
        assert_eq!(content_hash(&plain), content_hash(&wrapped));
        assert_ne!(version(&plain, None).raw_hash, version(&wrapped, None).raw_hash);
        assert_eq!(version(&plain, None).content_hash, content_hash(&plain));
    }
}
