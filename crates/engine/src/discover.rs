//! From the address of a site to its feeds: candidates are visited one after the other, each at its publisher's pace, and
//! those that are feeds are returned with enough to choose by. `policy` says what the candidates are.
//!
//! The address that a person typed is visited as it is; everything that we find ourselves asks robots.txt first.

use crate::engine::Engine;
use crate::error::EngineError;
use crate::visit::{VisitRequest, answer, visit};
use fetch::Egress;
use jiff::Timestamp;
use model::discovery::{Candidate, Found, Page};
use model::feed::FeedKind;
use model::reading::{Format, Reading};
use model::visit::{Outcome, Visit};
use policy::discover::{Needs, candidates, entries_per_week, platform};
use std::collections::HashSet;
use url::Url;

/// What was found at an address.
#[derive(Debug, Clone, Default)]
pub struct Discovery {
    /// The address as it was understood.
    pub url: String,
    /// What the page calls itself, if it was one.
    pub title: Option<String>,
    /// Its feeds, the likeliest first.
    pub feeds: Vec<FoundFeed>,
    /// What looked like a feed and was none, or the address itself where it could not be visited.
    pub failed: Vec<(String, String)>,
    /// Why the address itself could not be visited, if it could not.
    pub failure: Option<Outcome>,
}

/// A feed that was read.
#[derive(Debug, Clone, PartialEq)]
pub struct FoundFeed {
    /// Its URL, after permanent redirects.
    pub url: String,
    /// What it calls itself.
    pub title: Option<String>,
    /// Its dialect in one word.
    pub version: &'static str,
    /// Entries in the document.
    pub entries: usize,
    /// The newest.
    pub last_entry_at: Option<Timestamp>,
    /// How often it publishes, if known.
    pub per_week: Option<f64>,
    /// Headlines of the first three.
    pub samples: Vec<String>,
    /// How it was found, in words.
    pub why: String,
}

/// How far to look.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Reach {
    /// At most this many pages of the site's sitemap are looked at, too.
    pub sitemap_pages: usize,
}

/// Nobody chooses from more than that.
const MOST_FEEDS: usize = 10;
/// Samples shown of a feed.
const SAMPLES: usize = 3;

/// Finds the feeds of an address.
pub async fn discover(engine: &Engine, address: &str, reach: Reach) -> Result<Discovery, EngineError> {
    let url = typed_address(address)?;
    let mut search =
        Search { engine, found: Discovery { url: url.clone(), ..Discovery::default() }, tried: HashSet::new() };
    if let Some(known) = platform(&url) {
        let by_name = |url: String| candidate(url, format!("how {} names its feeds", known.name));
        let mut promising: Vec<Candidate> = known.candidates.iter().cloned().map(by_name).collect();
        if let Needs::Lookup(question) = &known.needs {
            promising.extend(search.look_up(question).await?.map(by_name));
        }
        search.try_all(promising).await?;
        if !search.found.feeds.is_empty() {
            return Ok(search.found);
        }
    }
    search.tried.insert(url.clone());
    let first = visit(engine, &VisitRequest::to(&url, Egress::Feed)).await?;
    search.heed(&first).await?;
    search.look_at(&url, first).await?;
    if search.found.feeds.is_empty() && reach.sitemap_pages > 0 {
        search.follow_sitemap(reach.sitemap_pages).await?;
    }
    Ok(search.found)
}

/// The address that a person means: `example.org` is `https://example.org/`, and so is `feed://example.org/`.
pub fn typed_address(address: &str) -> Result<String, EngineError> {
    let address = address.trim();
    let refuse = |why: &str| EngineError::Address { url: address.to_owned(), why: why.to_owned() };
    let text = address.strip_prefix("feed:").unwrap_or(address);
    let text = text.strip_prefix("//").unwrap_or(text);
    let bare = !text.contains("://");
    let parsed = if bare { Url::parse(&format!("https://{text}")) } else { Url::parse(text) };
    let parsed = parsed.map_err(|error| refuse(&error.to_string()))?;
    if !matches!(parsed.scheme(), "http" | "https") {
        return Err(refuse("only http and https can be visited"));
    }
    if bare && !parsed.host_str().is_some_and(|host| host.contains('.') || host == "localhost") {
        return Err(refuse("it names no site"));
    }
    Ok(parsed.into())
}

fn candidate(url: String, why: String) -> Candidate {
    Candidate { url, title: None, kind: FeedKind::Unknown, found: Found::Platform, why }
}

/// What an address turned out to be.
enum Seen {
    Feed(Box<Reading>),
    Page(Page),
    Nothing,
}

struct Search<'a> {
    engine: &'a Engine,
    found: Discovery,
    /// Nothing is asked for twice.
    tried: HashSet<String>,
}

impl Search<'_> {
    /// What the address itself turned out to be.
    async fn look_at(&mut self, url: &str, visit: Visit) -> Result<(), EngineError> {
        match self.read(&visit).await {
            Seen::Feed(reading) => self.take(&visit, &reading, "it is a feed itself".into()),
            Seen::Page(page) => {
                let links: Vec<&str> = answer::lines(&visit.response_headers, "link").collect();
                if self.found.title.is_none() {
                    self.found.title.clone_from(&page.title);
                }
                let promising = candidates(&visit.url, &page, &links);
                // Dropped before the next body waits for memory.
                drop(visit);
                self.try_all(promising).await?;
            }
            Seen::Nothing => {
                self.found.failed.push((url.to_owned(), visit.outcome.to_string()));
                if url == self.found.url {
                    self.found.failure = Some(visit.outcome);
                }
            }
        }
        Ok(())
    }

    /// A publisher that asks to be left alone pauses its rate group, also for the visits of its feeds.
    async fn heed(&self, visit: &Visit) -> Result<(), EngineError> {
        let (engine, rules, now) = (self.engine, &self.engine.options.rules, self.engine.now());
        let group = engine.group(&visit.url).map(|(group, _)| group.name);
        let pause = group.and_then(|group| policy::pause(now, &group, visit, 0, rules.pause_cap(rules)));
        if let Some(pause) = pause {
            engine.store.pause_group(&pause.group, pause.until, now).await?;
        }
        Ok(())
    }

    /// Visits candidates in turn. Guesses end with the first that is right.
    async fn try_all(&mut self, promising: Vec<Candidate>) -> Result<(), EngineError> {
        for candidate in promising {
            let guessing = candidate.found == Found::WellKnown;
            if self.found.feeds.len() >= MOST_FEEDS || (guessing && !self.found.feeds.is_empty()) {
                break;
            }
            if !self.tried.insert(candidate.url.clone()) {
                continue;
            }
            let visit = visit(self.engine, &VisitRequest::crawl(&candidate.url, Egress::Feed)).await?;
            self.heed(&visit).await?;
            match self.read(&visit).await {
                Seen::Feed(reading) => self.take(&visit, &reading, candidate.why),
                Seen::Page(_) | Seen::Nothing if guessing => {}
                Seen::Page(_) => self.found.failed.push((candidate.url, "this is a web page, not a feed".into())),
                Seen::Nothing => self.found.failed.push((candidate.url, visit.outcome.to_string())),
            }
        }
        Ok(())
    }

    async fn read(&self, visit: &Visit) -> Seen {
        let Outcome::Fresh(body) = &visit.outcome else { return Seen::Nothing };
        let hints = syndication::Hints {
            content_type: body.content_type.as_deref(),
            base_url: Some(&visit.url),
            ..syndication::Hints::default()
        };
        let read = || {
            if let Ok(reading) = syndication::read(&body.decoded, &hints, &self.engine.options.document) {
                return Seen::Feed(Box::new(reading));
            }
            let html = syndication::utf8_form(&body.decoded, hints.content_type, hints.base_url);
            Seen::Page(syndication::page(&html, Some(&visit.url)))
        };
        self.engine.cpu.run(body.decoded.len(), read).await
    }

    fn take(&mut self, visit: &Visit, reading: &Reading, why: String) {
        let url = visit.moved_to.clone().unwrap_or_else(|| visit.hops[0].url.clone());
        self.tried.insert(visit.url.clone());
        if self.found.feeds.iter().all(|feed| feed.url != url) {
            self.found.feeds.push(found_feed(url, reading, why, self.engine.now()));
        }
    }

    /// Asks a directory that answers in JSON with `feedUrl`.
    async fn look_up(&mut self, question: &str) -> Result<Option<String>, EngineError> {
        let visit = visit(self.engine, &VisitRequest::to(question, Egress::Feed)).await?;
        let Outcome::Fresh(body) = &visit.outcome else {
            self.found.failed.push((question.to_owned(), visit.outcome.to_string()));
            return Ok(None);
        };
        let answer: serde_json::Value = serde_json::from_slice(&body.decoded).unwrap_or_default();
        let url = answer["results"][0]["feedUrl"].as_str().map(str::to_owned);
        Ok(url)
    }

    /// Looks for feeds on pages that the site's sitemap names: sections before articles.
    async fn follow_sitemap(&mut self, most: usize) -> Result<(), EngineError> {
        let Ok(base) = Url::parse(&self.found.url) else { return Ok(()) };
        let mut pages = self.sitemap_pages(&base).await?;
        pages.retain(|page| Url::parse(page).is_ok_and(|page| page.host_str() == base.host_str()));
        pages.sort_by_key(|page| (page.matches('/').count(), page.len()));
        for page in pages.into_iter().take(most) {
            if !self.found.feeds.is_empty() {
                break;
            }
            if self.tried.insert(page.clone()) {
                let seen = visit(self.engine, &VisitRequest::crawl(&page, Egress::Article)).await?;
                self.look_at(&page, seen).await?;
            }
        }
        Ok(())
    }

    /// The pages of the sitemap at its usual place, or of the first part of it.
    async fn sitemap_pages(&self, base: &Url) -> Result<Vec<String>, EngineError> {
        let mut next = base.join("/sitemap.xml").ok().map(String::from);
        for _ in 0..2 {
            let Some(url) = next.take() else { break };
            let map = visit(self.engine, &VisitRequest::crawl(&url, Egress::Article)).await?;
            let Outcome::Fresh(body) = &map.outcome else { break };
            let Some(map) = syndication::sitemap::read(&body.decoded, &syndication::sitemap::Limits::default()) else {
                break;
            };
            if !map.pages.is_empty() {
                return Ok(map.pages.into_iter().map(|place| place.url).collect());
            }
            next = map.sitemaps.into_iter().next().map(|place| place.url);
        }
        Ok(Vec::new())
    }
}

fn found_feed(url: String, reading: &Reading, why: String, now: Timestamp) -> FoundFeed {
    let plain = |text: &model::reading::Text| {
        let text = content::plain_text(&text.value);
        Some(content::excerpt(&text, 120)).filter(|text| !text.is_empty())
    };
    let date = |entry: &model::reading::ReadEntry| {
        let dated = entry.about.published.as_ref().or(entry.about.updated.as_ref());
        dated.and_then(|dated| dated.at)
    };
    let dates: Vec<Timestamp> = reading.entries.iter().filter_map(date).collect();
    FoundFeed {
        url,
        title: reading.feed.about.title.as_ref().and_then(plain),
        version: version(reading.format),
        entries: reading.entries.len(),
        last_entry_at: dates.iter().copied().filter(|at| *at <= now).max(),
        per_week: entries_per_week(&dates, now),
        samples: reading
            .entries
            .iter()
            .filter_map(|entry| entry.about.title.as_ref().and_then(plain))
            .take(SAMPLES)
            .collect(),
        why,
    }
}

fn version(format: Format) -> &'static str {
    syndication::normalised::version(format)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_people_type() {
        let check = |address: &str, expected: &str| {
            let said = typed_address(address).unwrap_or_else(|error| error.to_string());
            assert_eq!(said, expected, "{address}");
        };
        check("example.org", "https://example.org/");
        check(" http://example.org/a ", "http://example.org/a");
        check("feed://example.org/rss", "https://example.org/rss");
        check("feed:https://example.org/rss", "https://example.org/rss");
        check("example.org:8080/x", "https://example.org:8080/x");
        check("localhost:8080", "https://localhost:8080/");
        check("nonsense", "`nonsense` is not a feed's address: it names no site");
        check("ftp://example.org/", "`ftp://example.org/` is not a feed's address: only http and https can be visited");
    }
}
