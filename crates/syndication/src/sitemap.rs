//! Sitemaps: the URLs that a site lists, to find entries older than its feed.
//!
//! Reads `urlset` (with news), `sitemapindex` and plain lists of lines, with the crate's own tokenizer and within
//! limits. The caller decompresses gzip; nothing is fetched here, and what to visit is decided elsewhere.

use jiff::Timestamp;

use crate::date;
use crate::decode::decode;
use crate::markup::{Markup, Token};
use crate::text::Entities;
use crate::urls;

/// Limits on reading a sitemap: by default those of the protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Decoded bytes; the rest is ignored.
    pub bytes: usize,
    /// Locations.
    pub locations: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { bytes: 50 << 20, locations: 50_000 }
    }
}

/// What a sitemap lists.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sitemap {
    /// Pages.
    pub pages: Vec<Location>,
    /// Further sitemaps, if this one is an index.
    pub sitemaps: Vec<Location>,
    /// Whether a limit was reached: there is more.
    pub cut: bool,
}

/// One URL in a sitemap.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Location {
    /// Absolute, http or https.
    pub url: String,
    /// When it changed, if the site can be trusted.
    pub changed_at: Option<Timestamp>,
    /// When it was published: only for news.
    pub published_at: Option<Timestamp>,
    /// Its headline: only for news.
    pub title: Option<String>,
}

/// Longer than any URL or headline.
const MAX_FIELD: usize = 2048;

/// Reads a sitemap of any kind. `None` if it is empty.
pub fn read(bytes: &[u8], limits: &Limits) -> Option<Sitemap> {
    let cut = bytes.len() > limits.bytes;
    let decoded = decode(&bytes[..bytes.len().min(limits.bytes)], None, None);
    let text = decoded.text.as_ref();
    let mut sitemap = Sitemap { cut, ..Sitemap::default() };
    if text.trim_start().starts_with('<') {
        read_xml(text, limits, &mut sitemap);
    } else {
        for url in text.lines().filter_map(address) {
            add(&mut sitemap, Kind::Page, Location { url, ..Location::default() }, limits);
        }
    }
    (!sitemap.pages.is_empty() || !sitemap.sitemaps.is_empty()).then_some(sitemap)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Page,
    Sitemap,
}

/// The field that the next text belongs to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Field {
    Address,
    Changed,
    Published,
    Title,
}

fn read_xml(text: &str, limits: &Limits, sitemap: &mut Sitemap) {
    let mut open: Option<(Kind, Location)> = None;
    let mut field: Option<(Field, String)> = None;
    let mut markup = Markup::new(text);
    while let Some(token) = markup.next() {
        match token {
            Token::Start(tag) => {
                field = None;
                match kind(tag.name) {
                    Some(kind) => {
                        close(&mut open, sitemap, limits);
                        open = Some((kind, Location::default()));
                    }
                    None if open.is_some() => field = named(tag.name).map(|field| (field, String::new())),
                    None => {}
                }
            }
            Token::Text(text) => {
                if let Some((_, value)) = &mut field {
                    value.push_str(&Entities::new(0).unescape(limited(text)));
                }
            }
            Token::CData(text) => {
                if let Some((_, value)) = &mut field {
                    value.push_str(limited(text));
                }
            }
            Token::End(name) => {
                if let (Some((field, value)), Some((_, location))) = (field.take(), &mut open) {
                    fill(location, field, &value);
                }
                if kind(name).is_some() {
                    close(&mut open, sitemap, limits);
                }
            }
            Token::Doctype(_) => {}
        }
        if sitemap.pages.len() + sitemap.sitemaps.len() >= limits.locations {
            sitemap.cut |= !markup.at_end();
            return;
        }
    }
    close(&mut open, sitemap, limits);
}

fn kind(name: &str) -> Option<Kind> {
    match local(name).as_str() {
        "url" => Some(Kind::Page),
        "sitemap" => Some(Kind::Sitemap),
        _ => None,
    }
}

fn named(name: &str) -> Option<Field> {
    let prefix = name.split_once(':').map_or("", |(prefix, _)| prefix);
    match local(name).as_str() {
        // Images and videos have URLs of their own.
        "loc" if !prefix.eq_ignore_ascii_case("image") && !prefix.eq_ignore_ascii_case("video") => Some(Field::Address),
        "lastmod" => Some(Field::Changed),
        "publication_date" if !prefix.eq_ignore_ascii_case("video") => Some(Field::Published),
        "title" if prefix.eq_ignore_ascii_case("news") || prefix.eq_ignore_ascii_case("n") => Some(Field::Title),
        _ => None,
    }
}

fn local(name: &str) -> String {
    name.rsplit(':').next().unwrap_or(name).to_ascii_lowercase()
}

/// A text that is too long stays longer than the limit, so that a truncated URL is not used.
fn limited(text: &str) -> &str {
    let text = text.trim();
    &text[..text.floor_char_boundary(MAX_FIELD + 4)]
}

fn fill(location: &mut Location, field: Field, value: &str) {
    let value = limited(value);
    match field {
        Field::Address if location.url.is_empty() => location.url = address(value).unwrap_or_default(),
        Field::Changed if location.changed_at.is_none() => location.changed_at = date::parse(value),
        Field::Published if location.published_at.is_none() => location.published_at = date::parse(value),
        Field::Title if location.title.is_none() => {
            location.title =
                Some(value.split_whitespace().collect::<Vec<_>>().join(" ")).filter(|title| !title.is_empty());
        }
        _ => {}
    }
}

/// A URL that may be visited; sitemaps have no relative ones.
fn address(text: &str) -> Option<String> {
    let text = text.trim();
    let is_web = urls::scheme(text).is_some_and(|scheme| {
        (scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https")) && text[scheme.len()..].len() > 3
    });
    (is_web && text.len() <= MAX_FIELD && !text.contains(|c: char| c.is_whitespace() || c.is_control()))
        .then(|| text.to_owned())
}

fn close(open: &mut Option<(Kind, Location)>, sitemap: &mut Sitemap, limits: &Limits) {
    if let Some((kind, location)) = open.take().filter(|(_, location)| !location.url.is_empty()) {
        add(sitemap, kind, location, limits);
    }
}

fn add(sitemap: &mut Sitemap, kind: Kind, location: Location, limits: &Limits) {
    if sitemap.pages.len() + sitemap.sitemaps.len() >= limits.locations {
        sitemap.cut = true;
        return;
    }
    match kind {
        Kind::Page => sitemap.pages.push(location),
        Kind::Sitemap => sitemap.sitemaps.push(location),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(case: &str, text: &str, expected: &str) {
        let told =
            read(text.as_bytes(), &Limits { locations: 3, ..Limits::default() }).map_or("none".into(), |sitemap| {
                let location = |location: &Location| {
                    let at = |what: &str, at: Option<Timestamp>| at.map_or(String::new(), |at| format!(" {what} {at}"));
                    let title = location.title.as_ref().map_or(String::new(), |title| format!(" ({title})"));
                    format!(
                        "{}{}{}{title}",
                        location.url,
                        at("changed", location.changed_at),
                        at("of", location.published_at)
                    )
                };
                let pages = sitemap.pages.iter().map(location);
                let maps = sitemap.sitemaps.iter().map(|map| format!("map {}", location(map)));
                let cut = sitemap.cut.then(|| "cut".to_owned());
                pages.chain(maps).chain(cut).collect::<Vec<_>>().join("; ")
            });
        assert_eq!(told, expected, "{case}");
    }

    #[test]
    fn what_a_sitemap_lists() {
        check(
            "pages",
            "<?xml version='1.0'?><urlset><url><loc> http://e.org/?a=1&amp;b=2 </loc><lastmod>2024-05-06</lastmod>\
             <priority>0.5</priority></url><url><loc>http://e.org/2</loc></url></urlset>",
            "http://e.org/?a=1&b=2 changed 2024-05-06T00:00:00Z; http://e.org/2",
        );
        check(
            "an index",
            "<sitemapindex><sitemap><loc>https://e.org/s1.xml.gz</loc></sitemap></sitemapindex>",
            "map https://e.org/s1.xml.gz",
        );
        check(
            "news",
            "<urlset xmlns:news='x'><url><loc>http://e.org/n</loc><news:news><news:publication><news:name>E</news:name>\
             </news:publication><news:publication_date>2024-05-06T07:08:09Z</news:publication_date>\
             <news:title><![CDATA[A & b]]></news:title></news:news></url></urlset>",
            "http://e.org/n of 2024-05-06T07:08:09Z (A & b)",
        );
        check(
            "pictures are no pages",
            "<urlset><url><image:image><image:loc>http://e.org/i.png</image:loc></image:image><loc>http://e.org/p</loc></url>",
            "http://e.org/p",
        );
        check("with a prefix", "<s:urlset><s:url><s:loc>http://e.org/</s:loc></s:url></s:urlset>", "http://e.org/");
        check(
            "lines",
            "\u{feff}http://e.org/1\r\nnot an address\r\nhttps://e.org/2\n",
            "http://e.org/1; https://e.org/2",
        );
    }

    #[test]
    fn what_is_wrong_with_them() {
        check("a page", "<!DOCTYPE html><html><body>404</body></html>", "none");
        check("nothing", "", "none");
        check("cut", "<urlset><url><loc>http://e.org/1</loc></url><url><loc>http://e.or", "http://e.org/1");
        check(
            "not closed",
            "<urlset><url><loc>http://e.org/1</loc><url><loc>http://e.org/2</loc>",
            "http://e.org/1; http://e.org/2",
        );
        check(
            "other schemes",
            "<urlset><url><loc>javascript:alert(1)</loc></url><url><loc>/rel</loc></url></urlset>",
            "none",
        );
        check(
            "too many",
            &format!("<urlset>{}", "<url><loc>http://e.org/</loc></url>".repeat(9)),
            "http://e.org/; http://e.org/; http://e.org/; cut",
        );
        check("too many lines", &"http://e.org/\n".repeat(4), "http://e.org/; http://e.org/; http://e.org/; cut");
        check("far too long", &format!("<urlset><url><loc>http://e.org/{}</loc></url>", "a".repeat(9_000)), "none");
    }
}
