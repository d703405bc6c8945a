//! Sites whose feeds can be derived from their URLs: one file per kind of site.
//!
//! Only certain rules are here, each with a line of a test. What needs the page itself (an id that is not in its URL,
//! or software that runs on any host) is in `made_by`.

mod code;
mod media;
mod talk;
mod writing;

use url::Url;

pub(super) use media::peertube;
pub(super) use talk::discourse;
pub(super) use writing::{ghost, wordpress};

/// A known site, and its feeds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Platform {
    /// As shown to people.
    pub name: &'static str,
    /// Feeds, most likely first; empty if there are none.
    pub candidates: Vec<String>,
    /// What else is needed to find them.
    pub needs: Needs,
}

/// What is needed to find the feeds of a URL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Needs {
    /// Nothing else.
    Nothing,
    /// The page itself, which declares them or contains an id.
    Page,
    /// A request to another URL, whose JSON response contains `feedUrl`.
    Lookup(String),
}

impl Platform {
    fn known(name: &'static str, candidates: impl IntoIterator<Item = String>) -> Option<Platform> {
        // A host taken from a path may be invalid, such as `b.80`.
        let is_address = |url: &String| Url::parse(url).is_ok_and(|url| url.has_host());
        let candidates: Vec<String> = candidates.into_iter().filter(is_address).collect();
        (!candidates.is_empty()).then_some(Platform { name, candidates, needs: Needs::Nothing })
    }

    fn by_page(name: &'static str) -> Platform {
        Platform { name, candidates: Vec::new(), needs: Needs::Page }
    }
}

/// What is known about a URL without any request. `None` for a URL that is a feed already.
pub fn platform(url: &str) -> Option<Platform> {
    let url = Url::parse(url).ok().filter(|url| matches!(url.scheme(), "http" | "https"))?;
    let parts = UrlParts::of(&url)?;
    if is_feed(&parts) {
        return None;
    }
    KNOWN.iter().find_map(|known| known(&parts))
}

/// Whether the URL looks like a feed. A repository or a tag may also be called `rss`.
fn is_feed(parts: &UrlParts<'_>) -> bool {
    const NAMING: [&str; 14] = [
        "r", "t", "tag", "tags", "tagged", "category", "author", "label", "user", "u", "c", "project", "crates", "wiki",
    ];
    let endings = [".rss", ".atom", ".rdf", ".xml"];
    let (first, last) = (parts.path.first().copied(), parts.path.last().copied().unwrap_or_default());
    let before = parts.path.len().checked_sub(2).map(|at| parts.path[at]);
    let is_named = before.is_some_and(|before| NAMING.contains(&before)) || code::is_host(parts.host);
    endings.iter().any(|ending| last.ends_with(ending))
        || matches!(first, Some("feed" | "feeds")) && !code::is_host(parts.host)
        || ["feed", "rss", "atom"].contains(&last) && !is_named
        || parts
            .query("format")
            .or_else(|| parts.query("feed"))
            .is_some_and(|format| ["atom", "rss"].contains(&&*format))
}

type Known = fn(&UrlParts<'_>) -> Option<Platform>;

const KNOWN: [Known; 35] = [
    media::youtube,
    talk::reddit,
    code::github,
    code::gitlab,
    code::codeberg,
    code::pypi,
    code::crates_io,
    talk::bluesky,
    talk::hacker_news,
    talk::lobsters,
    talk::stack_exchange,
    talk::lemmy,
    talk::known_discourse,
    writing::substack,
    writing::medium,
    writing::wordpress_com,
    writing::tumblr,
    writing::blogger,
    writing::ghost_io,
    writing::dev_to,
    writing::arxiv,
    writing::wikipedia,
    writing::letterboxd,
    media::vimeo,
    media::soundcloud,
    media::apple_podcasts,
    media::known_peertube,
    media::flickr,
    media::deviantart,
    media::itch,
    media::steam,
    media::odysee,
    media::no_feeds,
    talk::mastodon,
    // Last: it matches any host.
    talk::fediverse_account,
];

/// The parts of a URL, for matching. They stay encoded, because they are used in URLs again.
pub(super) struct UrlParts<'a> {
    pub(super) url: &'a Url,
    /// In lower case, without `www.`, `m.` and the like.
    pub(super) host: &'a str,
    /// Scheme, host and port.
    pub(super) origin: String,
    pub(super) path: Vec<&'a str>,
}

impl<'a> UrlParts<'a> {
    pub(super) fn of(url: &'a Url) -> Option<UrlParts<'a>> {
        let whole = url.host_str()?.trim_end_matches('.');
        let host = ["www.", "m.", "mobile."].iter().find_map(|prefix| whole.strip_prefix(prefix)).unwrap_or(whole);
        let path = url.path_segments()?.filter(|part| !part.is_empty()).take(16).collect();
        Some(UrlParts { url, host, origin: url.origin().ascii_serialization(), path })
    }

    /// The label of the host before `domain`, if it is exactly one: `x` of `x.example.com`.
    fn below(&self, domain: &str) -> Option<&'a str> {
        let name = self.host.strip_suffix(domain)?.strip_suffix('.')?;
        (!name.is_empty() && !name.contains('.')).then_some(name)
    }

    /// A value of the query, still encoded.
    fn query(&self, wanted: &str) -> Option<String> {
        self.url.query_pairs().find(|(name, _)| name == wanted).map(|(_, value)| value.into_owned())
    }

    fn at(&self, path: &str) -> String {
        format!("{}{path}", self.origin)
    }
}

/// Letters, digits and other characters of names: nothing that has a meaning in a URL.
fn is_name(text: &str) -> bool {
    !text.is_empty() && text.len() <= 100 && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.".contains(&b))
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A URL without its scheme, and what is known about it: candidates without theirs, or what is needed.
    #[track_caller]
    pub(super) fn check(url: &str, expected: &str) {
        let told = platform(&format!("https://{url}")).map_or("none".to_owned(), |platform| {
            let mut told = vec![format!("{}:", platform.name)];
            told.extend(platform.candidates.iter().map(|url| {
                Url::parse(url).unwrap();
                url.replacen("https://", "", 1)
            }));
            match platform.needs {
                Needs::Nothing => {}
                Needs::Page => told.push("page".into()),
                Needs::Lookup(url) => told.push(format!("ask {}", url.replacen("https://", "", 1))),
            }
            told.join(" ")
        });
        assert_eq!(told, expected, "{url}");
    }

    #[test]
    fn unknown_sites() {
        check("example.com/blog", "none");
        check("notreddit.com/r/rust", "none");
        assert_eq!(platform("mailto:a@github.com"), None);
        assert_eq!(platform("https://127.0.0.1/@ada"), None);
        assert_eq!(platform("nonsense"), None);
    }

    #[test]
    fn feeds_are_not_platform_pages() {
        for url in [
            "github.com/ada/engine/releases.atom",
            "gitlab.com/ada/engine/-/tags?format=atom",
            "www.reddit.com/r/rust/.rss",
            "www.reddit.com/search.rss?q=x",
            "medium.com/feed/@ada",
            "ada.substack.com/feed",
            "ada.wordpress.com/category/a/feed/",
            "ada.tumblr.com/tagged/steam/rss",
            "ada.blogspot.com/feeds/posts/default",
            "www.youtube.com/feeds/videos.xml?channel_id=UCabc",
            "bsky.app/profile/ada.example/rss",
            "social.example/@ada.rss",
            "letterboxd.com/ada/rss/",
            "stackoverflow.com/feeds/tag/rust",
        ] {
            check(url, "none");
        }
        check("reddit.com/r/rss", "Reddit: www.reddit.com/r/rss/.rss");
        check("github.com/feed", "GitHub: github.com/feed.atom");
        check("codeberg.org/ada/feed/tags", "Codeberg: codeberg.org/ada/feed/tags.atom");
        check("stackoverflow.com/questions/tagged/rss", "Stack Exchange: stackoverflow.com/feeds/tag/rss");
    }
}
