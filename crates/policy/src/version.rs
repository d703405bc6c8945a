//! The stored content of an entry: the one place where untrusted markup is cleaned.
//!
//! Only new or changed entries come here. The result is text of a bounded length, cleaned HTML, or an http or https
//! link.

use crate::identity::hash;
use content::{Cleaned, Limits, excerpt, plain_text};
use data_encoding::HEXLOWER;
use model::entry::{Attachment, Author, EnclosureKind, EntryBody, Hash, Preview, RawRef};
use model::plan::EntryVersion;
use model::raw::RawFetch;
use model::reading::{Attributes, Category, Dated, Enclosure, Person, ReadEntry, Text, TextKind};
use std::borrow::Cow;

/// The maximum length of an excerpt in lists.
const EXCERPT: usize = 500;

/// More than any real title; a feed's field may have a megabyte.
const TITLE: usize = 2_000;
const DESCRIPTION: usize = 10_000;
const NAME: usize = 500;
const CATEGORY: usize = 200;
/// Longer values are not e-mail addresses, media types or language tags.
const EMAIL: usize = 320;
const MEDIA_TYPE: usize = 255;
const LANGUAGE: usize = 64;
/// Longer values are data in the form of a URL.
const ADDRESS: usize = 4 << 10;

/// An entry's content, cleaned.
struct Words {
    title: Option<String>,
    summary: Option<Cleaned>,
    content: Option<Cleaned>,
}

impl Words {
    fn of(entry: &ReadEntry) -> Self {
        let link = entry.about.link.as_deref();
        let content = entry.content.iter().find(|content| !content.text.value.is_empty()).map(|content| &content.text);
        // Many feeds repeat the same text.
        let summary = entry.summary.as_ref().filter(|summary| content.is_none_or(|text| text.value != summary.value));
        Self {
            title: entry.about.title.as_ref().and_then(title),
            summary: summary.and_then(|text| shown(text, link)),
            content: content.and_then(|text| shown(text, link)),
        }
    }

    fn hash(&self) -> Hash {
        let words = |cleaned: &Option<Cleaned>| {
            cleaned.as_ref().map_or_else(String::new, |cleaned| HEXLOWER.encode(&cleaned.hash()))
        };
        hash([self.title.as_deref().unwrap_or_default(), &words(&self.summary), &words(&self.content)])
    }
}

/// The title of an entry or a feed as plain text; `None` if nothing is left of it.
pub(crate) fn title(text: &Text) -> Option<String> {
    beginning(&as_html(text), TITLE)
}

/// The description of a feed, likewise.
pub(crate) fn description(text: &Text) -> Option<String> {
    beginning(&as_html(text), DESCRIPTION)
}

/// A language tag.
pub(crate) fn language(tag: &str) -> Option<String> {
    whole(tag, LANGUAGE)
}

/// The plain text of untrusted HTML, cut at a limit.
fn beginning(html: &str, limit: usize) -> Option<String> {
    Some(excerpt(&plain_text(html), limit)).filter(|text| !text.is_empty())
}

/// The plain text of untrusted HTML that is useless unless complete.
fn whole(html: &str, limit: usize) -> Option<String> {
    Some(html).filter(|html| html.len() <= 4 * limit).map(plain_text).filter(|text| (1..=limit).contains(&text.len()))
}

/// Untrusted text as HTML that is safe to show; `None` if nothing is left of it.
fn shown(text: &Text, link: Option<&str>) -> Option<Cleaned> {
    let base = text.base.as_deref().or(link);
    Some(content::clean(&as_html(text), base, &Limits::ENTRY)).filter(|cleaned| !cleaned.html.is_empty())
}

/// Plain text, escaped so that it is not read as markup.
fn as_html(text: &Text) -> Cow<'_, str> {
    match text.kind {
        TextKind::Plain if text.value.contains(['<', '&']) => {
            Cow::Owned(text.value.replace('&', "&amp;").replace('<', "&lt;"))
        }
        TextKind::Plain | TextKind::Html | TextKind::Xhtml => Cow::Borrowed(&text.value),
    }
}

/// The hash of an entry's content.
pub(crate) fn content_hash(entry: &ReadEntry) -> Hash {
    Words::of(entry).hash()
}

/// The current content of an entry whose raw hash is `raw_hash`.
pub(crate) fn version(entry: &ReadEntry, raw_hash: Hash, raw: Option<&RawFetch>) -> EntryVersion {
    let about = &entry.about;
    let words = Words::of(entry);
    let content_hash = words.hash();
    let Words { title, summary, content } = words;
    let html = |cleaned: Option<Cleaned>| cleaned.map(|cleaned| cleaned.html);
    let excerpt = summary.as_ref().or(content.as_ref()).map(|cleaned| cleaned.excerpt(EXCERPT));
    let body = EntryBody {
        authors: about.authors.iter().map(author).collect(),
        categories: about.categories.iter().filter_map(category).collect(),
        enclosures: entry.enclosures.iter().filter_map(attachment).collect(),
        language: about.language.as_deref().and_then(language),
        raw: raw_ref(entry, raw),
        summary: html(summary),
        content: html(content),
    };
    EntryVersion {
        preview: preview(entry, &body),
        title,
        excerpt: excerpt.filter(|text| !text.is_empty()),
        link: about.link.as_deref().and_then(web_url),
        published_at: published(entry),
        updated_at: updated(entry),
        content_hash,
        raw_hash,
        body,
    }
}

/// What a list shows of an entry besides its words.
fn preview(entry: &ReadEntry, body: &EntryBody) -> Preview {
    Preview {
        image: picture(entry, body),
        language: body.language.clone(),
        comments_url: entry.comments.as_deref().and_then(web_url),
        enclosure_kind: body.enclosures.iter().find_map(playable),
    }
}

/// The picture that the publisher chose, else an attached one, else the first in the text, as far as it was allowed to stay.
fn picture(entry: &ReadEntry, body: &EntryBody) -> Option<String> {
    let about = &entry.about;
    let named = |attributes: &Attributes, name: &str| {
        attributes.pairs.iter().find(|(known, _)| known == name).and_then(|(_, value)| web_url(value))
    };
    let is_picture = |attributes: &&Attributes| {
        attributes.pairs.iter().any(|(name, value)| {
            (name == "medium" && value == "image") || (name == "type" && value.starts_with("image/"))
        })
    };
    let media = about.media.as_deref();
    let thumbnail = || media.and_then(|media| media.thumbnail.iter().find_map(|said| named(said, "url")));
    let content =
        || media.and_then(|media| media.content.iter().filter(is_picture).find_map(|said| named(said, "url")));
    let attached = || {
        let mut pictures = body.enclosures.iter().filter(|attachment| is_of(attachment, "image/", PICTURES));
        pictures.next().map(|attachment| attachment.url.clone())
    };
    let shown = || [&body.content, &body.summary].into_iter().flatten().find_map(|html| first_picture(html));
    let own = about.image.as_ref().and_then(|image| image.url.as_deref()).and_then(web_url);
    let podcast = || about.itunes.as_ref().and_then(|itunes| itunes.image.as_deref()).and_then(web_url);
    own.or_else(thumbnail).or_else(content).or_else(podcast).or_else(attached).or_else(shown)
}

/// The first picture of cleaned HTML.
fn first_picture(html: &str) -> Option<String> {
    let (_, rest) = html.split_once("<img src=\"")?;
    let (src, _) = rest.split_once('"')?;
    web_url(&src.replace("&amp;", "&"))
}

const PICTURES: &[&str] = &["jpg", "jpeg", "png", "webp", "gif", "avif"];
const SOUNDS: &[&str] = &["mp3", "m4a", "ogg", "oga", "opus", "aac", "flac", "wav"];
const FILMS: &[&str] = &["mp4", "m4v", "webm", "ogv", "mov", "mkv"];

/// Whether something attached can be played, and how.
fn playable(attachment: &Attachment) -> Option<EnclosureKind> {
    if is_of(attachment, "audio/", SOUNDS) {
        Some(EnclosureKind::Audio)
    } else if is_of(attachment, "video/", FILMS) {
        Some(EnclosureKind::Video)
    } else {
        None
    }
}

/// Whether its media type begins so; without one, whether its name ends so.
fn is_of(attachment: &Attachment, class: &str, endings: &[&str]) -> bool {
    if let Some(kind) = &attachment.media_type {
        return kind.to_ascii_lowercase().starts_with(class);
    }
    let path = attachment.url.split(['?', '#']).next().unwrap_or_default();
    let ending = path.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase());
    ending.is_some_and(|ending| endings.contains(&ending.as_str()))
}

/// The position of an entry in the raw fetch.
pub(crate) fn raw_ref(entry: &ReadEntry, raw: Option<&RawFetch>) -> Option<RawRef> {
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

/// A web URL, as the URL standard writes it. Only http(s) URLs are stored, and no API returns others.
pub(crate) fn web_url(text: &str) -> Option<String> {
    let url = url::Url::parse(text).ok().filter(|url| matches!(url.scheme(), "http" | "https"))?;
    Some(String::from(url)).filter(|url| url.len() <= ADDRESS)
}

fn author(person: &Person) -> Author {
    Author {
        name: person.name.as_deref().and_then(|name| beginning(name, NAME)),
        email: person.email.as_deref().and_then(|email| whole(email, EMAIL)),
        uri: person.uri.as_deref().and_then(web_url),
    }
}

fn category(category: &Category) -> Option<String> {
    let said = |text: &Option<String>| text.as_deref().and_then(|text| beginning(text, CATEGORY));
    said(&category.label).or_else(|| said(&category.term))
}

fn attachment(enclosure: &Enclosure) -> Option<Attachment> {
    let url = web_url(&enclosure.url)?;
    let media_type = enclosure.media_type.as_deref().and_then(|kind| whole(kind, MEDIA_TYPE));
    Some(Attachment { url, media_type, length: enclosure.length })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::identity::raw_hash;
    use crate::testing::entry;

    #[test]
    fn markup_and_foreign_schemes_never_reach_the_store() {
        let mut evil = entry("e", "javascript:alert(1)", "");
        let title = "<script>alert(1)</script><b>T</b>".into();
        evil.about.title = Some(Text { kind: TextKind::Html, value: title, ..Text::default() });
        let value = "<img src=x onerror=alert(1)>words".into();
        evil.summary = Some(Text { kind: TextKind::Html, value, ..Text::default() });
        evil.enclosures = vec![Enclosure { url: "javascript:alert(1)".into(), ..Enclosure::default() }];
        let version = version(&evil, Hash::default(), None);
        assert_eq!(
            (version.title.as_deref(), version.excerpt.as_deref(), version.link, version.body.enclosures.len()),
            (Some("T"), Some("words"), None, 0)
        );

        let mut evil = entry("e", "", "T");
        let said = |markup: &str| Some(markup.to_owned());
        let person = Person { name: said("<b>Ada</b>"), email: said("<i>a@b.example</i>"), ..Person::default() };
        evil.about.authors = vec![Person { uri: said("javascript:alert(1)"), ..person }];
        let category = |term: &str, label: &str| Category { term: said(term), label: said(label), scheme: None };
        evil.about.categories = vec![
            category("t", "<script>alert(1)</script>R&amp;D"),
            category("<u>term</u>", "<img src=x onerror=alert(1)>"),
        ];
        evil.about.language = said("<b>en</b>");
        let sound = Enclosure { url: "https://one.example/1".into(), ..Enclosure::default() };
        evil.enclosures = vec![Enclosure { media_type: said("<b>audio/mpeg</b>"), ..sound }];
        let EntryBody { authors, categories, language, enclosures, .. } =
            super::version(&evil, Hash::default(), None).body;
        assert_eq!(authors, [Author { name: said("Ada"), email: said("a@b.example"), uri: None }]);
        assert_eq!((categories, language), (vec!["R&D".to_owned(), "term".to_owned()], said("en")));
        assert_eq!(enclosures[0].media_type.as_deref(), Some("audio/mpeg"));
    }

    #[test]
    fn what_lists_show_besides() {
        let shown = |tell: &dyn Fn(&mut ReadEntry)| {
            let mut told = entry("e", "https://one.example/e", "T");
            tell(&mut told);
            version(&told, Hash::default(), None).preview
        };
        assert_eq!(shown(&|_| {}), Preview::default());
        let attached = |url: &str, kind: Option<&str>| Enclosure {
            url: url.into(),
            media_type: kind.map(str::to_owned),
            ..Enclosure::default()
        };
        let kind = |url: &str, media: Option<&str>| shown(&|told| told.enclosures = vec![attached(url, media)]);
        let audio = Some(EnclosureKind::Audio);
        assert_eq!(kind("https://one.example/1", Some("Audio/MPEG")).enclosure_kind, audio);
        assert_eq!(kind("https://one.example/1.mp3?x=1", None).enclosure_kind, audio);
        assert_eq!(kind("https://one.example/1.mp4", None).enclosure_kind, Some(EnclosureKind::Video));
        assert_eq!(kind("https://one.example/1.mp3", Some("text/html")).enclosure_kind, None);
        assert_eq!(
            kind("https://one.example/1.png", None).image.as_deref(),
            Some("https://one.example/1.png"),
            "an attached picture"
        );
        let in_text = shown(&|told| {
            let value = "<p>a<img src=\"https://one.example/a.png?b=1&amp;c=2\" alt=x></p>".into();
            told.summary = Some(Text { kind: TextKind::Html, value, ..Text::default() });
        });
        assert_eq!(in_text.image.as_deref(), Some("https://one.example/a.png?b=1&c=2"));
        let hostile = shown(&|told| {
            told.comments = Some("javascript:alert(1)".into());
            let image = model::reading::Image { url: Some("data:image/png;base64,AA".into()), ..Default::default() };
            told.about.image = Some(Box::new(image));
        });
        assert_eq!(hostile, Preview::default());
        assert_eq!(
            shown(&|told| told.comments = Some("https://one.example/c".into())).comments_url.as_deref(),
            Some("https://one.example/c")
        );
    }

    #[test]
    fn addresses_are_stored_as_the_url_standard_writes_them() {
        let check = |text: &str, expected: Option<&str>| {
            let mut told = entry("e", text, "T");
            told.about.authors = vec![Person { name: Some("Ada".into()), uri: Some(text.into()), ..Person::default() }];
            told.enclosures = vec![Enclosure { url: text.into(), ..Enclosure::default() }];
            let version = version(&told, Hash::default(), None);
            let enclosure = version.body.enclosures.first().map(|enclosure| enclosure.url.as_str());
            let uri = version.body.authors[0].uri.as_deref();
            assert_eq!([version.link.as_deref(), enclosure, uri], [expected; 3], "{}", &text[..text.len().min(60)]);
        };
        check("https://one.example/a", Some("https://one.example/a"));
        check("HTTPS://One.Example:443/a b/../ü?q=ü#c", Some("https://one.example/%C3%BC?q=%C3%BC#c"));
        check(" http:\\\\one.example\\a\n", Some("http://one.example/a"));
        check("https://müller.example", Some("https://xn--mller-kva.example/"));
        check("https://one.example/<script>\"", Some("https://one.example/%3Cscript%3E%22"));
        check("one.example/a", None);
        check("https://", None);
        check("see the notes", None);
        let longest = format!("https://one.example/{}", "a".repeat(ADDRESS - 20));
        check(&longest, Some(&longest));
        check(&format!("{longest}a"), None);
        check(&format!("https://one.example/{}", "ü".repeat(1_000)), None);
    }

    #[test]
    fn a_field_of_a_megabyte_is_not_stored_whole() {
        let long = || Some("long ".repeat(200_000));
        let mut told = entry("e", "", &long().unwrap());
        told.about.authors = vec![Person { name: long(), email: long(), uri: None, avatar: None }];
        told.about.categories = vec![Category { term: long(), ..Category::default() }];
        told.about.language = long();
        told.enclosures = vec![Enclosure { url: "https://one.example/1".into(), ..Enclosure::default() }];
        told.enclosures[0].media_type = long();
        let EntryVersion { title, body, .. } = version(&told, Hash::default(), None);
        let length = |text: Option<&String>| text.map_or(0, |text| text.chars().count());
        let lengths = [
            length(title.as_ref()),
            length(body.authors[0].name.as_ref()),
            length(body.authors[0].email.as_ref()),
            length(body.categories.first()),
            length(body.language.as_ref()),
            length(body.enclosures[0].media_type.as_ref()),
        ];
        assert_eq!(lengths, [2000, 500, 0, 200, 0, 0], "cut between words, or left out");
    }

    #[test]
    fn what_is_stored_is_html_that_may_be_shown() {
        let check = |kind: TextKind, value: &str, expected: &str| {
            let mut told = entry("e", "https://one.example/a/b", "");
            told.summary = Some(Text { kind, value: value.into(), ..Text::default() });
            assert_eq!(
                version(&told, Hash::default(), None).body.summary.as_deref().unwrap_or("nothing"),
                expected,
                "{value}"
            );
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
        assert_ne!(raw_hash(&plain, None), raw_hash(&wrapped, None));
        assert_eq!(version(&plain, Hash::default(), None).content_hash, content_hash(&plain));
    }
}
