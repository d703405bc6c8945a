//! Feed discovery: what a page says about feeds, and the candidates that follow from it.
//!
//! `syndication` reads pages into these, `policy` ranks them into candidates, `engine` visits the candidates.

use crate::feed::FeedKind;

/// What an HTML page says about feeds. URLs are absolute where the address of the page was known.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Page {
    /// Its title.
    pub title: Option<String>,
    /// Its canonical URL.
    pub canonical: Option<String>,
    /// Names and contents of its `meta` elements, names in lower case. Only the first of them are kept.
    pub metas: Vec<(String, String)>,
    /// Links declared as feeds, and anchors that may be feeds.
    pub links: Vec<PageLink>,
    /// Icons that it offers, in its order.
    pub icons: Vec<String>,
    /// Whether it has a password field.
    pub asks_password: bool,
}

impl Page {
    /// The content of a `meta` element.
    pub fn meta(&self, name: &str) -> Option<&str> {
        self.metas.iter().find(|(known, _)| known == name).map(|(_, content)| content.as_str())
    }
}

/// One link of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageLink {
    /// The target.
    pub url: String,
    /// The title that the page gives it.
    pub title: Option<String>,
    /// Its media type as the page gives it, in lower case.
    pub media_type: Option<String>,
    /// `LinkElement` or `Anchor`.
    pub found: Found,
}

/// How a feed was found, most reliable first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Found {
    /// A `link` element of the page.
    LinkElement,
    /// A `Link` header of the response.
    LinkHeader,
    /// A known URL scheme of the platform.
    Platform,
    /// An anchor of the page that looks like a feed.
    Anchor,
    /// A path where many sites have a feed.
    WellKnown,
}

impl Found {
    /// The name that is shown and sent.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::LinkElement => "link-element",
            Self::LinkHeader => "link-header",
            Self::Platform => "platform",
            Self::Anchor => "anchor",
            Self::WellKnown => "well-known",
        }
    }
}

/// A URL that may be a feed; only a visit can tell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// The URL.
    pub url: String,
    /// Its title where it was found.
    pub title: Option<String>,
    /// The dialect that its type or URL suggests.
    pub kind: FeedKind,
    /// How it was found.
    pub found: Found,
    /// The same as a sentence.
    pub why: String,
}

/// The dialect that a media type suggests, parameters included; `None` if it is not a feed type.
pub fn kind_of_type(media_type: &str) -> Option<FeedKind> {
    let bare = media_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    match bare.as_str() {
        "application/rss+xml" | "text/rss+xml" | "application/rss" | "text/rss" => Some(FeedKind::Rss),
        "application/atom+xml" | "application/x.atom+xml" | "application/x-atom+xml" => Some(FeedKind::Atom),
        "application/rdf+xml" => Some(FeedKind::Rdf),
        "application/feed+json" | "application/json" => Some(FeedKind::Json),
        _ => None,
    }
}
