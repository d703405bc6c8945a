//! Feed discovery: all candidates of a page, most likely first, without any request.
//!
//! `engine` tries [`platform`] on a URL, visits the page, has `syndication` parse it, calls [`candidates`], and visits
//! these one by one; feeds are shown with their [`entries_per_week`]. Nothing here fetches anything.

mod anchor;
mod made_by;
mod platform;
mod rhythm;
mod well_known;

use crate::LONGEST_URL;
use http_semantics::link;
use model::discovery::{Candidate, Found, Page, kind_of_type};
use model::feed::FeedKind;
use std::collections::HashSet;
use url::Url;

pub use platform::{Needs, Platform, platform};
pub use rhythm::entries_per_week;
pub use well_known::well_known;

use made_by::{Sure, made_by};

/// The maximum of candidates.
pub const MOST: usize = 20;

/// The possible feeds of the page at `url`, most likely first. `link_headers` are the values of the response's `Link`
/// headers; if the response was not a page, `page` is empty.
pub fn candidates(url: &str, page: &Page, link_headers: &[&str]) -> Vec<Candidate> {
    let Ok(own) = Url::parse(url) else { return Vec::new() };
    let mut found = Vec::new();
    found.extend(declared(page));
    found.extend(in_headers(link_headers, &own));
    found.extend(of_platform(&own, page));
    found.extend(anchors(page, &own));
    // Well-known paths are only tried for sites that declare nothing.
    if found.iter().all(|guess| matches!(guess.found, Found::Anchor | Found::WellKnown)) {
        found.extend(well_known(url).into_iter().zip(0..).map(|(url, place)| Guess {
            promise: 20 - place,
            why: "many sites have a feed there".into(),
            ..Guess::of(url, Found::WellKnown)
        }));
    }
    ranked(found, &own)
}

/// A candidate being ranked.
struct Guess {
    url: String,
    title: Option<String>,
    media_type: Option<String>,
    found: Found,
    promise: i32,
    why: String,
}

impl Guess {
    fn of(url: String, found: Found) -> Guess {
        Guess { url, title: None, media_type: None, found, promise: 0, why: String::new() }
    }
}

fn declared(page: &Page) -> impl Iterator<Item = Guess> {
    page.links.iter().filter(|link| link.found == Found::LinkElement).map(|link| Guess {
        title: link.title.clone(),
        media_type: link.media_type.clone(),
        promise: 100,
        why: "the page declares it".into(),
        ..Guess::of(link.url.clone(), Found::LinkElement)
    })
}

/// Feeds in `Link` headers. Links of other resources (`anchor`) are left out, and targets that are not on the web.
fn in_headers(lines: &[&str], own: &Url) -> impl Iterator<Item = Guess> {
    let links = link::read(lines.iter().map(|line| line.as_bytes())).into_iter();
    links.filter_map(|link| {
        let is_feed = link.media_type.as_deref().is_some_and(|kind| kind_of_type(kind).is_some());
        let is_related = link.is("alternate") || link.is("feed");
        let is_about_another = link.anchor.is_some_and(|anchor| own.join(&anchor).is_ok_and(|anchor| anchor != *own));
        let url = own.join(&link.target).ok().filter(|url| matches!(url.scheme(), "http" | "https"))?;
        let title: Option<String> =
            link.title.map(|title| title.trim().chars().filter(|c| !c.is_control()).take(200).collect());
        (is_feed && is_related && !is_about_another).then(|| Guess {
            title: title.filter(|title| !title.is_empty()),
            media_type: link.media_type,
            promise: 95,
            why: "the server declares it in a Link header".into(),
            ..Guess::of(url.into(), Found::LinkHeader)
        })
    })
}

fn of_platform(own: &Url, page: &Page) -> Vec<Guess> {
    let by_address = platform(own.as_str()).map(|platform| (90, platform));
    let by_page = made_by(own, page).map(|(sure, platform)| (if sure == Sure::Id { 92 } else { 70 }, platform));
    // The page may have a canonical URL that differs.
    let canonical = page.canonical.as_deref().filter(|url| *url != own.as_str());
    let by_canonical = canonical.filter(|url| same_site(url, own)).and_then(platform).map(|platform| (88, platform));
    let mut guesses = Vec::new();
    for (promise, Platform { name, candidates, .. }) in [by_page, by_address, by_canonical].into_iter().flatten() {
        let why =
            if promise == 70 { format!("{name} sites usually have it") } else { format!("{name} has its feeds there") };
        guesses.extend(candidates.into_iter().map(|url| Guess {
            promise,
            why: why.clone(),
            ..Guess::of(url, Found::Platform)
        }));
    }
    guesses
}

fn same_site(url: &str, own: &Url) -> bool {
    crate::root_domain(url).is_some_and(|domain| crate::root_domain(own.as_str()) == Some(domain))
}

fn anchors(page: &Page, own: &Url) -> Vec<Guess> {
    let anchors = page.links.iter().filter(|link| link.found == Found::Anchor);
    anchors
        .filter_map(|link| {
            let (promise, why) = anchor::promise(link, own)?;
            let (title, media_type) = (link.title.clone(), link.media_type.clone());
            Some(Guess { title, media_type, promise, why: why.into(), ..Guess::of(link.url.clone(), Found::Anchor) })
        })
        .collect()
}

fn ranked(found: Vec<Guess>, own: &Url) -> Vec<Candidate> {
    let mut weighed: Vec<(i32, Url, Guess)> = found
        .into_iter()
        .filter_map(|mut guess| {
            let url = address(&guess.url)?;
            let (weight, remark) = adjustment(&guess, &url, own)?;
            guess.why.push_str(remark);
            Some((guess.promise + weight, url, guess))
        })
        .collect();
    // Stable: candidates of equal rank stay in the order of the page.
    weighed.sort_by_key(|(promise, ..)| std::cmp::Reverse(*promise));
    let mut seen = HashSet::from([dedup_key(own)]);
    let fresh = weighed.into_iter().filter(|(_, url, _)| seen.insert(dedup_key(url)));
    fresh
        .take(MOST)
        .map(|(_, url, guess)| Candidate {
            kind: guess.media_type.as_deref().and_then(kind_of_type).unwrap_or_else(|| kind_of_path(&url)),
            url: url.into(),
            title: guess.title,
            found: guess.found,
            why: guess.why,
        })
        .collect()
}

/// What counts for or against a candidate beyond where it was found; `None` if it is not a candidate.
fn adjustment(guess: &Guess, url: &Url, own: &Url) -> Option<(i32, &'static str)> {
    let path = url.path().to_ascii_lowercase();
    // WordPress declares the data of its pages in the same way as feeds.
    if path.contains("/wp-json/") || url.query().is_some_and(|query| query.contains("rest_route=")) {
        return None;
    }
    if guess.found != Found::Platform && is_about_comments(guess, &path) || path.ends_with("/comments/feed/") {
        return Some((-60, "; it seems to be of comments"));
    }
    let mut weight = 0;
    if guess.media_type.as_deref().is_some_and(|kind| kind.starts_with("application/json")) {
        weight -= 30;
    }
    // For the URL of a section, the section's own feed is wanted.
    let folder = own.path().trim_end_matches('/');
    if !folder.is_empty() && url.host() == own.host() && path.starts_with(&folder.to_ascii_lowercase()) {
        weight += 3;
    }
    Some((weight, ""))
}

fn is_about_comments(guess: &Guess, path: &str) -> bool {
    const WORDS: [&str; 8] =
        ["comment", "kommentar", "comentario", "comentário", "commenti", "reacties", "комментари", "コメント"];
    let title = guess.title.as_deref().unwrap_or_default().to_lowercase();
    WORDS.iter().any(|word| title.contains(word))
        || path.split('/').any(|part| part == "comments" || part == "comments.xml")
}

/// A URL that can be visited. `feed:` is a scheme that some programs invented.
fn address(text: &str) -> Option<Url> {
    let text = text.trim();
    let rest = text.get(..5).filter(|start| start.eq_ignore_ascii_case("feed:")).map(|_| &text[5..]);
    let url = match rest {
        Some(rest) if rest.starts_with("//") => Url::parse(&format!("http:{rest}")),
        Some(rest) => Url::parse(rest),
        None => Url::parse(text),
    };
    let mut url =
        url.ok().filter(|url| matches!(url.scheme(), "http" | "https") && url.as_str().len() <= LONGEST_URL)?;
    url.set_fragment(None);
    Some(url)
}

/// A key that is equal for two URLs of the same feed.
fn dedup_key(url: &Url) -> String {
    let port = url.port().map_or(String::new(), |port| format!(":{port}"));
    let (host, path) = (url.host_str().unwrap_or_default(), url.path().trim_end_matches('/'));
    format!("{host}{port}{path}?{}", url.query().unwrap_or_default())
}

fn kind_of_path(url: &Url) -> FeedKind {
    let text = format!("{}?{}", url.path(), url.query().unwrap_or_default()).to_ascii_lowercase();
    let named = [("atom", FeedKind::Atom), (".rdf", FeedKind::Rdf), ("json", FeedKind::Json), ("rss", FeedKind::Rss)];
    named.into_iter().find(|(word, _)| text.contains(word)).map_or(FeedKind::Unknown, |(_, kind)| kind)
}

#[cfg(test)]
mod tests;
