//! What the bytes were, if not a feed: for the user who entered the URL.
//!
//! Usually a page that declares its feeds; else something between a reader and a feed: a login, a challenge for
//! browsers, another file type. Pages are parsed in `page`; challenges are listed in `model::challenge`.

use model::challenge::{BODY_MARKS, Mark, Proof};
use model::discovery::{Found, PageLink};

use crate::json;
use crate::markup::{Markup, Token};
use crate::page::{page, window};
use crate::read::Hints;

/// Why no feed could be read. A user can act on every variant.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NotAFeed {
    /// Nothing at all, or only white space.
    #[error("the document is empty")]
    Empty,
    /// A web page, with the feeds it points to.
    #[error("this is a web page, not a feed{}", feeds_in_words(.feeds))]
    Page {
        /// The title of the page.
        title: Option<String>,
        /// Feeds that it declares.
        feeds: Vec<FeedLink>,
    },
    /// A web page that asks for a password.
    #[error("this is a login page: the feed is not public")]
    Login,
    /// A page that only a browser can pass.
    #[error("{by} wants to see a browser instead of a feed reader")]
    Challenge {
        /// The service that shows it.
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

/// A feed that a page declares.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FeedLink {
    /// Absolute if a base was known.
    pub url: String,
    /// The title that the page gives it.
    pub title: Option<String>,
    /// Its media type as the page gives it.
    pub media_type: Option<String>,
}

/// The feeds that an HTML page declares; [`page`](crate::page()) returns more.
pub fn feed_links(html: &str, base_url: Option<&str>) -> Vec<FeedLink> {
    match describe(html, base_url) {
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
                return describe(text, hints.base_url);
            }
            _ => {}
        }
    }
    let local = root.map(|root| root.rsplit(':').next().unwrap_or(root).to_ascii_lowercase());
    match (local.as_deref(), root) {
        (Some("opml"), _) => NotAFeed::Opml,
        (Some("html" | "head" | "body" | "script" | "meta" | "div" | "p" | "br"), _) => describe(text, hints.base_url),
        (Some(_), _) if is_html => describe(text, hints.base_url),
        (Some(_), Some(root)) => NotAFeed::Xml { root: root.chars().take(64).collect() },
        _ => NotAFeed::Unknown,
    }
}

/// What a page is: one with feeds is a page whatever else it shows.
fn describe(html: &str, base_url: Option<&str>) -> NotAFeed {
    let page = page(html, base_url);
    let declared = page.links.into_iter().filter(|link| link.found == Found::LinkElement);
    let feeds: Vec<_> =
        declared.map(|PageLink { url, title, media_type, .. }| FeedLink { url, title, media_type }).collect();
    if feeds.is_empty() {
        let lower = window(html).to_ascii_lowercase();
        let mark = BODY_MARKS.iter().find(|mark| mark.proof == Proof::Alone && lower.contains(mark.text));
        if let Some(Mark { by, .. }) = mark {
            return NotAFeed::Challenge { by };
        }
        if page.asks_password {
            return NotAFeed::Login;
        }
    }
    NotAFeed::Page { title: page.title, feeds }
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
        check("watched, not stopped", "<html><script src='/_Incapsula_Resource'>", "this is a web page, not a feed");
        check("opml", "<?xml version='1.0'?><opml/>", "this is an OPML list of feeds, not a feed; it can be imported");
        check("json", "{\"a\":1}", "this is JSON, but not a JSON Feed");
        check("other xml", "<svg:svg/>", "this is XML, but <svg:svg> is not a feed");
        check("text", "hello", "this is neither XML nor JSON");
        check("binary", "\u{1}\u{2}\u{3}\u{4}\u{5}\u{6}\u{7}\u{8}\u{1}\u{2}", "this is not text but binary data");
    }
}
