//! Finding feeds: what a page says that helps, and what may be a feed because of it.
//!
//! `syndication` reads pages into these, `policy` ranks them into candidates, `engine` visits the candidates.

use crate::feed::FeedKind;

/// What an HTML page says about feeds. URLs are absolute where the address of the page was known.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Page {
    /// What it calls itself.
    pub title: Option<String>,
    /// Its own address, as it would like to be called.
    pub canonical: Option<String>,
    /// Names and contents of its `meta` elements, names in lower case; the first of them.
    pub metas: Vec<(String, String)>,
    /// Links that are declared to be feeds, and anchors that may be.
    pub links: Vec<PageLink>,
    /// Pictures that it offers as its icon, in its order.
    pub icons: Vec<String>,
    /// It has a field for a password.
    pub asks_password: bool,
}

impl Page {
    /// What a `meta` element says.
    pub fn meta(&self, name: &str) -> Option<&str> {
        self.metas.iter().find(|(known, _)| known == name).map(|(_, content)| content.as_str())
    }
}

/// One link of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageLink {
    /// Where to.
    pub url: String,
    /// What the page calls it.
    pub title: Option<String>,
    /// Its media type as the page gives it, in lower case.
    pub media_type: Option<String>,
    /// `LinkElement` or `Anchor`.
    pub found: Found,
}

/// How a feed was found, from the surest to the least sure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Found {
    /// The page declares it.
    LinkElement,
    /// The answer declares it in a `Link` header.
    LinkHeader,
    /// We know how such sites name their feeds.
    Platform,
    /// The page links to something that looks like one.
    Anchor,
    /// Many sites have one there.
    WellKnown,
}

impl Found {
    /// The word that is shown and sent.
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

/// What may be a feed; a visit tells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// Where.
    pub url: String,
    /// What it is called where it was found.
    pub title: Option<String>,
    /// The dialect that its type or address promises.
    pub kind: FeedKind,
    /// How it was found.
    pub found: Found,
    /// The same in words.
    pub why: String,
}

/// The dialect that a media type promises, parameters and all; `None` if it is not one of feeds.
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
