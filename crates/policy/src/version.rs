//! What an entry says, as it will be stored: the one place where a stranger's markup becomes ours.
//!
//! Only what is new or changed comes here. Everything that leaves here is text, HTML that was cleaned, or a link that is
//! http or https.

use crate::identity::{hash, hex, raw_hash};
use content::{Cleaned, Limits, plain_text};
use model::entry::{Attachment, Author, EntryBody, Hash, RawRef};
use model::plan::EntryVersion;
use model::raw::RawFetch;
use model::reading::{Dated, Enclosure, Person, ReadEntry, Text, TextKind};
use std::borrow::Cow;

/// A list shows no more than this of an entry.
const EXCERPT: usize = 500;

/// An entry's words, cleaned.
struct Words {
    title: Option<String>,
    summary: Option<Cleaned>,
    content: Option<Cleaned>,
}

impl Words {
    fn of(entry: &ReadEntry) -> Self {
        let link = entry.about.link.as_deref();
        let content = entry.content.iter().find(|content| !content.text.value.is_empty()).map(|content| &content.text);
        // Many feeds say the same twice.
        let summary = entry.summary.as_ref().filter(|summary| content.is_none_or(|text| text.value != summary.value));
        Self {
            title: entry.about.title.as_ref().and_then(clean),
            summary: summary.and_then(|text| shown(text, link)),
            content: content.and_then(|text| shown(text, link)),
        }
    }

    fn hash(&self) -> Hash {
        let words =
            |cleaned: &Option<Cleaned>| cleaned.as_ref().map_or_else(String::new, |cleaned| hex(&cleaned.hash()));
        hash([self.title.as_deref().unwrap_or_default(), &words(&self.summary), &words(&self.content)])
    }
}

/// A text of theirs as a text of ours, without markup; `None` if nothing is left of it.
pub(crate) fn clean(text: &Text) -> Option<String> {
    Some(plain_text(&as_html(text))).filter(|text| !text.is_empty())
}

/// A text of theirs as HTML that is safe to show; `None` if nothing is left of it.
fn shown(text: &Text, link: Option<&str>) -> Option<Cleaned> {
    let base = text.base.as_deref().or(link);
    Some(content::clean(&as_html(text), base, &Limits::ENTRY)).filter(|cleaned| !cleaned.html.is_empty())
}

/// Literal characters, written so that nobody takes them for markup.
fn as_html(text: &Text) -> Cow<'_, str> {
    match text.kind {
        TextKind::Plain if text.value.contains(['<', '&']) => {
            Cow::Owned(text.value.replace('&', "&amp;").replace('<', "&lt;"))
        }
        TextKind::Plain | TextKind::Html | TextKind::Xhtml => Cow::Borrowed(&text.value),
    }
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
    let html = |cleaned: Option<Cleaned>| cleaned.map(|cleaned| cleaned.html);
    let excerpt = summary.as_ref().or(content.as_ref()).map(|cleaned| cleaned.excerpt(EXCERPT));
    let body = EntryBody {
        authors: about.authors.iter().map(author).collect(),
        categories: about.categories.iter().filter_map(|c| c.label.clone().or_else(|| c.term.clone())).collect(),
        enclosures: entry.enclosures.iter().filter(|enclosure| is_web(&enclosure.url)).map(attachment).collect(),
        language: about.language.clone(),
        raw: place(entry, raw),
        summary: html(summary),
        content: html(content),
    };
    EntryVersion {
        title,
        excerpt: excerpt.filter(|text| !text.is_empty()),
        link: about.link.clone().filter(|link| is_web(link)),
        published_at: published(entry),
        updated_at: updated(entry),
        content_hash,
        raw_hash: raw_hash(entry),
        body,
    }
}

/// Where an entry stands in what was fetched.
pub(crate) fn place(entry: &ReadEntry, raw: Option<&RawFetch>) -> Option<RawRef> {
    let (raw, range) = (raw?, entry.range?);
    Some(RawRef { fetch: raw.id, offset: range.start, length: range.end.saturating_sub(range.start) })
}

/// When the publisher says it was published.
pub(crate) fn published(entry: &ReadEntry) -> Option<jiff::Timestamp> {
    let about = &entry.about;
    at(about.published.as_ref()).or(at(about.created.as_ref())).or(at(about.updated.as_ref()))
}

/// When the publisher says it was last changed.
pub(crate) fn updated(entry: &ReadEntry) -> Option<jiff::Timestamp> {
    at(entry.about.updated.as_ref())
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

    #[test]
    fn markup_and_foreign_schemes_never_reach_the_store() {
        let mut evil = entry("e", "javascript:alert(1)", "");
        let title = "<script>alert(1)</script><b>T</b>".into();
        evil.about.title = Some(Text { kind: TextKind::Html, value: title, ..Text::default() });
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
    fn what_is_stored_is_html_that_may_be_shown() {
        let check = |kind: TextKind, value: &str, expected: &str| {
            let mut told = entry("e", "https://one.example/a/b", "");
            told.summary = Some(Text { kind, value: value.into(), ..Text::default() });
            assert_eq!(version(&told, None).body.summary.as_deref().unwrap_or("nothing"), expected, "{value}");
        };
        check(TextKind::Html, "<p onclick=x>Hi <b>you</b>", "<p>Hi <b>you</b></p>");
        check(TextKind::Plain, "1 < 2 &amp; <b>", "1 &lt; 2 &amp;amp; &lt;b&gt;");
        check(TextKind::Html, "<script>x</script>", "nothing");
        let link = "<a href=\"https://one.example/a/c\" rel=\"noopener noreferrer\" target=\"_blank\">c</a>";
        check(TextKind::Html, "<a href=c>c</a>", link);
    }

    #[test]
    fn the_same_words_in_other_wrapping_are_the_same() {
        let said = |value: &str| {
            let mut entry = entry("a", "", "A");
            entry.summary = Some(Text { kind: TextKind::Html, value: value.into(), ..Text::default() });
            entry
        };
        let (plain, wrapped) = (said("Words"), said("<i>Words</i>"));
        assert_eq!(content_hash(&plain), content_hash(&wrapped));
        assert_ne!(version(&plain, None).raw_hash, version(&wrapped, None).raw_hash);
        assert_eq!(version(&plain, None).content_hash, content_hash(&plain));
    }
}
