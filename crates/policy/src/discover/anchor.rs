//! Whether a link in a page leads to a feed, judged by its URL and its text.

use model::discovery::{PageLink, kind_of_type};
use url::Url;

/// Last path segments that are feeds nearly everywhere.
const NAMES: [&str; 18] = [
    "feed",
    "rss",
    "atom",
    "rdf",
    "rss2",
    "feed.xml",
    "rss.xml",
    "atom.xml",
    "index.xml",
    "index.rdf",
    "index.rss",
    "feed.json",
    "feed.rss",
    "feed.atom",
    "rss.php",
    "feed.php",
    "backend.php",
    "feeds.xml",
];
const ENDINGS: [&str; 3] = [".rss", ".atom", ".rdf"];
const QUERIES: [&str; 9] = [
    "feed=rss",
    "feed=rss2",
    "feed=atom",
    "format=rss",
    "format=atom",
    "format=feed",
    "alt=rss",
    "type=rss",
    "type=atom",
];
/// Link texts that are used for feeds and for nothing else.
const WORDS: [&str; 10] = [
    "rss",
    "atom",
    "rss feed",
    "atom feed",
    "feed",
    "xml",
    "rss 2.0",
    "subscribe via rss",
    "subscribe by rss",
    "rss/atom",
];
/// Names that are never feeds.
const OTHERS: [&str; 17] = [
    ".html",
    ".htm",
    ".png",
    ".svg",
    ".gif",
    ".jpg",
    ".ico",
    ".css",
    ".js",
    ".pdf",
    ".zip",
    ".opml",
    ".mp3",
    ".xsl",
    "sitemap.xml",
    "opensearch.xml",
    "osd.xml",
];
/// Feed readers that advertise themselves next to the feed.
const READERS: [&str; 10] = [
    "feedly.com",
    "inoreader.com",
    "newsblur.com",
    "netvibes.com",
    "theoldreader.com",
    "yahoo.com",
    "bloglovin.com",
    "subscribeonandroid.com",
    "facebook.com",
    "wikipedia.org",
];

/// How promising a link is, and why; `None` if it is not.
pub(super) fn promise(link: &PageLink, own: &Url) -> Option<(i32, &'static str)> {
    let declared = link.media_type.as_deref().is_some_and(|kind| kind_of_type(kind).is_some());
    if declared {
        return Some((65, "a link on the page says that it is a feed"));
    }
    let is_feed_scheme = link.url.get(..5).is_some_and(|start| start.eq_ignore_ascii_case("feed:"));
    if is_feed_scheme {
        return Some((65, "a link on the page is meant for feed readers"));
    }
    let url = Url::parse(&link.url).ok().filter(|url| matches!(url.scheme(), "http" | "https"))?;
    let domain = crate::root_domain(url.as_str())?;
    let path = url.path().to_ascii_lowercase();
    if READERS.contains(&domain.as_str()) || OTHERS.iter().any(|ending| path.ends_with(ending)) {
        return None;
    }
    let words = link.title.as_deref().unwrap_or_default().trim().to_lowercase();
    let query = url.query().unwrap_or_default().to_ascii_lowercase();
    let mut parts = path.split('/').filter(|part| !part.is_empty());
    let by_name = parts.clone().next_back().is_some_and(|last| NAMES.contains(&last));
    let (strong, weak) = (
        by_name
            || ENDINGS.iter().any(|ending| path.ends_with(ending))
            || query.split('&').any(|part| QUERIES.contains(&part)),
        parts.any(|part| ["feed", "feeds", "rss", "atom"].contains(&part))
            || path.strip_suffix(".xml").is_some()
                && ["rss", "feed", "atom", "news", "blog"].iter().any(|word| path.contains(word)),
    );
    let said = WORDS.contains(&words.as_str());
    let (promise, why) = match (strong, weak, said) {
        (true, _, true) => (60, "a link on the page is called so and looks like a feed"),
        (true, _, false) => (55, "a link on the page looks like a feed"),
        (false, true, true) => (50, "a link on the page is called so and may be a feed"),
        (false, false, true) => (40, "a link on the page is called so"),
        (false, true, false) => (35, "a link on the page may be a feed"),
        (false, false, false) => return None,
    };
    // On another site it is probably a foreign feed, or a service.
    let elsewhere = crate::root_domain(own.as_str()) != Some(domain);
    Some((if elsewhere { promise - 15 } else { promise }, why))
}
