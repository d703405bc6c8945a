//! What the bytes were, if not a feed: the answer is for the person who typed the address.
//!
//! A page that names its feeds is the usual case; the others are what stands between a reader and a feed: a login,
//! a challenge for browsers, a file of another kind.

use std::sync::Arc;

use crate::json;
use crate::markup::{Attributes, Markup, Token};
use crate::read::Hints;
use crate::text::{Entities, Quirks};
use crate::urls;

/// Why no feed could be read. Every variant is something that a person can act upon.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NotAFeed {
    /// Nothing at all, or only white space.
    #[error("the document is empty")]
    Empty,
    /// A web page, with the feeds it points to.
    #[error("this is a web page, not a feed{}", feeds_in_words(.feeds))]
    Page {
        /// What the page calls itself.
        title: Option<String>,
        /// Feeds that it names.
        feeds: Vec<FeedLink>,
    },
    /// A web page that asks for a password.
    #[error("this is a login page: the feed is not public")]
    Login,
    /// A page that only a browser gets past.
    #[error("{by} wants to see a browser instead of a feed reader")]
    Challenge {
        /// Whose challenge it is.
        by: &'static str,
    },
    /// A list of feeds.
    #[error("this is an OPML list of feeds, not a feed; it can be imported")]
    Opml,
    /// JSON, but not a JSON Feed.
    #[error("this is JSON, but not a JSON Feed")]
    Json,
    /// XML with another root.
    #[error("this is XML, but <{root}> is not a feed")]
    Xml {
        /// The name of the outermost element.
        root: String,
    },
    /// Not text at all.
    #[error("this is not text but binary data")]
    Binary,
    /// Text without any structure.
    #[error("this is neither XML nor JSON")]
    Unknown,
}

/// A feed that a page points to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FeedLink {
    /// Absolute where a base was known.
    pub url: String,
    /// What the page calls it.
    pub title: Option<String>,
    /// Its media type as the page gives it.
    pub media_type: Option<String>,
}

/// How far into a page its head is looked for, and how many feeds are taken from it.
const WINDOW: usize = 1 << 20;
const MAX_FEEDS: usize = 32;

/// Marks of those who put a page between readers and feeds.
const CHALLENGES: [(&str, &str); 8] = [
    ("challenge-platform", "Cloudflare"),
    ("cf-browser-verification", "Cloudflare"),
    ("cf_chl_opt", "Cloudflare"),
    ("<title>just a moment...</title>", "Cloudflare"),
    ("<title>attention required! | cloudflare</title>", "Cloudflare"),
    ("_incapsula_resource", "Imperva"),
    ("ddos-guard", "DDoS-Guard"),
    ("px-captcha", "HUMAN"),
];

/// The feeds that an HTML page names in its head.
pub fn feed_links(html: &str, base_url: Option<&str>) -> Vec<FeedLink> {
    match page(html, base_url) {
        NotAFeed::Page { feeds, .. } => feeds,
        _ => Vec::new(),
    }
}

pub(crate) fn explain(text: &str, hints: &Hints<'_>) -> NotAFeed {
    let start = text.trim_start();
    if start.is_empty() {
        return NotAFeed::Empty;
    }
    if start.as_bytes().iter().take(512).filter(|byte| **byte < 9).count() > 8 {
        return NotAFeed::Binary;
    }
    if json::is_json(start) {
        return NotAFeed::Json;
    }
    let is_html =
        hints.content_type.is_some_and(|kind| kind.trim_start().to_ascii_lowercase().starts_with("text/html"));
    let mut markup = Markup::new(text);
    let mut root = None;
    while let Some(token) = markup.next() {
        match token {
            Token::Start(tag) => {
                root = Some(tag.name);
                break;
            }
            Token::Doctype(doctype) if doctype.trim().to_ascii_lowercase().starts_with("html") => {
                return page(text, hints.base_url);
            }
            _ => {}
        }
    }
    let local = root.map(|root| root.rsplit(':').next().unwrap_or(root).to_ascii_lowercase());
    match (local.as_deref(), root) {
        (Some("opml"), _) => NotAFeed::Opml,
        (Some("html" | "head" | "body" | "script" | "meta" | "div" | "p" | "br"), _) => page(text, hints.base_url),
        (Some(_), _) if is_html => page(text, hints.base_url),
        (Some(_), Some(root)) => NotAFeed::Xml { root: root.chars().take(64).collect() },
        _ => NotAFeed::Unknown,
    }
}

fn page(html: &str, base_url: Option<&str>) -> NotAFeed {
    let mut end = html.len().min(WINDOW);
    while !html.is_char_boundary(end) {
        end -= 1;
    }
    let html = &html[..end];
    let lower = html.to_ascii_lowercase();
    let mut base: Option<Arc<str>> = base_url.filter(|base| urls::may_be_base(base)).map(Arc::from);
    let mut entities = Entities::new(0);
    let (mut title, mut feeds, mut asks_password) = (None, Vec::new(), false);
    let mut markup = Markup::new(html);
    let mut in_title = false;
    while let Some(token) = markup.next() {
        let tag = match token {
            Token::Text(text) if in_title && title.is_none() => {
                let text = entities.unescape(text);
                let text = entities.clean(text, Quirks::default());
                let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
                title = Some(text.chars().take(200).collect()).filter(|title: &String| !title.is_empty());
                continue;
            }
            Token::Start(tag) => tag,
            _ => continue,
        };
        in_title = tag.name.eq_ignore_ascii_case("title");
        let mut value = |wanted: &str| {
            let mut attributes = Attributes(tag.attributes);
            let raw = attributes.find(|(name, _)| name.eq_ignore_ascii_case(wanted)).map(|(_, value)| value)?;
            let value = entities.unescape(raw);
            Some(entities.clean(value, Quirks::default()).trim().to_owned()).filter(|value| !value.is_empty())
        };
        match tag.name.to_ascii_lowercase().as_str() {
            "base" => {
                if let Some(href) = value("href") {
                    let absolute = urls::resolve(base.as_deref(), &href);
                    if urls::may_be_base(&absolute) {
                        base = Some(Arc::from(absolute.as_ref()));
                    }
                }
            }
            "input" => asks_password |= value("type").is_some_and(|kind| kind.eq_ignore_ascii_case("password")),
            "link" if feeds.len() < MAX_FEEDS => {
                let alternate = value("rel").is_some_and(|rel| {
                    rel.split_whitespace()
                        .any(|rel| rel.eq_ignore_ascii_case("alternate") || rel.eq_ignore_ascii_case("feed"))
                });
                let media_type = value("type").map(|kind| kind.to_ascii_lowercase());
                let is_feed = media_type.as_deref().is_some_and(is_feed_type);
                if let (true, true, Some(href)) = (alternate, is_feed, value("href")) {
                    let url = urls::resolve(base.as_deref(), &href).into_owned();
                    feeds.push(FeedLink { url, title: value("title"), media_type });
                }
            }
            _ => {}
        }
    }
    if feeds.is_empty() {
        if let Some((_, by)) = CHALLENGES.iter().find(|(mark, _)| lower.contains(mark)) {
            return NotAFeed::Challenge { by };
        }
        if asks_password {
            return NotAFeed::Login;
        }
    }
    NotAFeed::Page { title, feeds }
}

fn is_feed_type(media_type: &str) -> bool {
    let bare = media_type.split(';').next().unwrap_or_default().trim();
    matches!(
        bare,
        "application/rss+xml"
            | "application/atom+xml"
            | "application/rdf+xml"
            | "application/feed+json"
            | "application/json"
            | "text/rss+xml"
            | "application/x.atom+xml"
            | "application/x-atom+xml"
            | "application/rss"
            | "text/rss"
    )
}

fn feeds_in_words(feeds: &[FeedLink]) -> String {
    match feeds {
        [] => String::new(),
        [one] => format!("; it names one: {}", one.url),
        [first, rest @ ..] => format!("; it names {}: {}, …", rest.len() + 1, first.url),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(case: &str, text: &str, expected: &str) {
        assert_eq!(
            explain(text, &Hints { base_url: Some("http://e.org/a/"), ..Hints::default() }).to_string(),
            expected,
            "{case}"
        );
    }

    #[test]
    fn says_what_it_was() {
        check("nothing", " \n", "the document is empty");
        check("page", "<!DOCTYPE html><title>x</title>", "this is a web page, not a feed");
        check(
            "page with feeds",
            "<html><link rel='alternate' type='application/rss+xml' title='F' href='../f'><link rel=stylesheet href=s>",
            "this is a web page, not a feed; it names one: http://e.org/f",
        );
        check("login", "<html><form><input type=password>", "this is a login page: the feed is not public");
        check(
            "challenge",
            "<html><head><title>Just a moment...</title>",
            "Cloudflare wants to see a browser instead of a feed reader",
        );
        check("opml", "<?xml version='1.0'?><opml/>", "this is an OPML list of feeds, not a feed; it can be imported");
        check("json", "{\"a\":1}", "this is JSON, but not a JSON Feed");
        check("other xml", "<svg:svg/>", "this is XML, but <svg:svg> is not a feed");
        check("text", "hello", "this is neither XML nor JSON");
        check("binary", "\u{1}\u{2}\u{3}\u{4}\u{5}\u{6}\u{7}\u{8}\u{1}\u{2}", "this is not text but binary data");
    }
}
