//! What a site's robots.txt says about a URL: fetched once a day at most, remembered by this process. What the rules
//! mean is `policy`'s. Only asked for what we chose ourselves, never for a feed that a person gave us.

use crate::engine::Engine;
use crate::visit::answer;
use crate::visit::{VisitRequest, visit};
use fetch::Egress;
use jiff::{SignedDuration, Timestamp};
use model::visit::Outcome;
use policy::robots::{Robots, keep_for};
use std::collections::HashMap;
use store::StoreError;
use url::Url;

/// What robots.txt says about one URL.
pub(crate) struct Rules {
    /// The rule that forbids it, if one does.
    pub(crate) verdict: Result<(), String>,
    /// The least time between two requests.
    pub(crate) delay: SignedDuration,
}

/// Asks the site of a URL, or remembers what it said.
pub(crate) async fn robots(engine: &Engine, url: &str) -> Result<Rules, StoreError> {
    let Ok(parsed) = Url::parse(url) else {
        // The guard refuses such a URL with a better reason.
        return Ok(Rules { verdict: Ok(()), delay: SignedDuration::ZERO });
    };
    let site = parsed.origin().ascii_serialization();
    let known = engine.memory.robots().fresh(&site, engine.now());
    let robots = match known {
        Some(robots) => robots,
        None => ask(engine, &site).await?,
    };
    let path = &parsed[url::Position::BeforePath..url::Position::AfterQuery];
    let verdict = robots.allows(path);
    let verdict = if verdict.allowed { Ok(()) } else { Err(verdict.because.to_string()) };
    Ok(Rules { verdict, delay: robots.delay().unwrap_or(SignedDuration::ZERO) })
}

async fn ask(engine: &Engine, site: &str) -> Result<Robots, StoreError> {
    let url = format!("{site}/robots.txt");
    // Boxed, because a visit may ask for robots.txt, which is a visit.
    let visit = Box::pin(visit(engine, &VisitRequest::to(&url, Egress::Robots))).await?;
    let now = engine.now();
    let cache_control = answer::cache_control(&visit.response_headers);
    let until = now + keep_for(visit.status, cache_control.as_deref());
    let body = match &visit.outcome {
        Outcome::Fresh(body) => &body.decoded[..],
        _ => &[],
    };
    let robots = Robots::from_status(visit.status, body);
    Ok(engine.memory.robots().learn(site, robots, visit.status, now, until))
}

/// What this process remembers of robots.txt files, by site.
#[derive(Default)]
pub(crate) struct Remembered {
    sites: HashMap<String, Site>,
}

struct Site {
    robots: Robots,
    until: Timestamp,
    /// Since when the file is unavailable.
    unreachable_since: Option<Timestamp>,
}

/// A site costs some kilobytes at most.
const MOST_SITES: usize = 2000;

impl Remembered {
    fn fresh(&self, site: &str, now: Timestamp) -> Option<Robots> {
        self.sites.get(site).filter(|known| known.until > now).map(|known| known.robots.clone())
    }

    /// Remembers an answer. While the file is unavailable, what was known before counts.
    fn learn(&mut self, site: &str, robots: Robots, status: Option<u16>, now: Timestamp, until: Timestamp) -> Robots {
        let last = self.sites.remove(site);
        let unreachable = status.is_none_or(|status| status == 429 || status >= 500);
        let since = unreachable.then(|| last.as_ref().and_then(|last| last.unreachable_since).unwrap_or(now));
        let robots = match since {
            Some(since) => {
                let known = last.filter(|last| last.unreachable_since.is_none() || last.robots != robots);
                Robots::while_unreachable(known.map(|last| last.robots), now.duration_since(since))
            }
            None => robots,
        };
        if self.sites.len() >= MOST_SITES {
            let oldest = self.sites.iter().min_by_key(|(_, site)| site.until).map(|(name, _)| name.clone());
            oldest.and_then(|name| self.sites.remove(&name));
        }
        let known = Site { robots: robots.clone(), until, unreachable_since: since };
        self.sites.insert(site.to_owned(), known);
        robots
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp::UNIX_EPOCH;
    const DAY: SignedDuration = SignedDuration::from_hours(24);

    #[test]
    fn what_was_known_counts_while_the_file_cannot_be_had() {
        let mut known = Remembered::default();
        let mut learn = |status: u16, body: &str, day: i32| {
            let (now, robots) = (NOW + DAY * day, Robots::from_status(Some(status), body.as_bytes()));
            known.learn("http://one.example", robots, Some(status), now, now + DAY).allows("/private").allowed
        };
        assert!(!learn(503, "", 0), "never seen: stay away");
        assert!(learn(200, "User-agent: *\nAllow: /", 1));
        assert!(learn(503, "", 2), "what was known last");
        assert!(learn(503, "", 3), "and still");
        assert!(!learn(200, "User-agent: *\nDisallow: /private", 4));
        assert!(!learn(503, "", 5));
        assert!(learn(503, "", 40), "after a month without, there are no rules");
    }

    #[test]
    fn a_file_is_fresh_until_its_time_and_memory_is_bounded() {
        let mut known = Remembered::default();
        known.learn("a", Robots::read(b""), Some(200), NOW, NOW + DAY);
        assert!(known.fresh("a", NOW + DAY / 2).is_some());
        assert!(known.fresh("a", NOW + DAY).is_none());
        for n in 0..3000 {
            known.learn(&n.to_string(), Robots::read(b""), Some(200), NOW, NOW + DAY);
        }
        assert_eq!(known.sites.len(), MOST_SITES);
    }
}
