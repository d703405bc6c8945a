//! A feed under one preset, with a response per step.

use jiff::{SignedDuration, Timestamp};
use model::entry::Known;
use model::feed::{DomainRule, FeedKind, FeedState, GuidTrust};
use model::lease::{Dossier, History};
use model::plan::Plan;
use model::reading::{Dated, ReadEntry, Reading, Text};
use model::visit::{Body, Failure, Outcome, Phase, Visit};
use policy::{Preset, Rules, Seen, plan_refresh};

/// A feed and the time.
pub(crate) struct Feed {
    pub(crate) now: Timestamp,
    pub(crate) dossier: Dossier,
    pub(crate) rules: Rules,
    posts: usize,
}

impl Feed {
    /// A new feed on a Monday at noon. Jitter is off, so that intervals are exact.
    pub(crate) fn new(preset: Preset) -> Self {
        let mut rules = Rules::preset(preset);
        rules.interval.jitter = 0.0;
        let dossier = Dossier {
            uuid: uuid::Uuid::from_u128(7),
            url: "https://one.example/feed".into(),
            rate_group: "one.example".into(),
            owner: None,
            kind: FeedKind::Rss,
            title: None,
            site_url: None,
            description: None,
            language: None,
            root_domain: None,
            domain_rule: DomainRule::default(),
            polling: true,
            state: FeedState::Active,
            guids: GuidTrust::default(),
            allow_duplicate_urls: false,
            user_agent: None,
            access: None,
            rules: std::collections::BTreeMap::new(),
            subscribers: 0,
            history: History::default(),
        };
        Self { now: "2026-11-16T12:00:00Z".parse().expect("a moment"), dossier, rules, posts: 0 }
    }

    /// A response: returns the plan, and advances to the next visit (or by a minute, if there is none).
    pub(crate) fn answer(&mut self, answer: &str) -> Plan {
        let mut visit = Visit { url: self.dossier.url.clone(), ..Visit::none(self.now) };
        let mut reading = None;
        for word in answer.split_whitespace() {
            let (name, value) = word.split_once('=').unwrap_or((word, ""));
            let seconds = || SignedDuration::from_secs(value.parse().expect("a number"));
            match name {
                "timeout" => visit.outcome = Outcome::Failed(Failure::Timeout(Phase::Connect)),
                "retry-after" => visit.freshness.retry_after = Some(self.now + seconds()),
                "max-age" => visit.freshness.cache_control = Some(format!("max-age={value}")),
                "expires" => visit.freshness.expires_at = Some(self.now + seconds()),
                "ttl" => {
                    let reading: &mut Reading = reading.get_or_insert_with(Reading::default);
                    reading.feed.hints.ttl_minutes = Some(value.parse().expect("a number"));
                }
                "new" => reading.get_or_insert_with(Reading::default).entries.extend(self.post(value)),
                "bad" => reading.get_or_insert_with(Reading::default).entries.push(ReadEntry::default()),
                "html" => visit.outcome = Outcome::Failed(Failure::NotAFeed("a web page".into())),
                status => {
                    let status: u16 = status.parse().expect("a status");
                    visit.status = Some(status);
                    visit.outcome = match status {
                        200 => {
                            reading.get_or_insert_with(Reading::default);
                            Outcome::Fresh(Body::default())
                        }
                        304 => Outcome::Unchanged,
                        410 => Outcome::Gone,
                        429 | 503 => Outcome::Busy,
                        other => Outcome::Failed(Failure::Status(other)),
                    };
                }
            }
        }
        let seen = Seen { reading, known: Known::default(), ..Seen::default() };
        let plan = plan_refresh(self.now, &self.dossier, &visit, seen, &self.rules);
        self.dossier.history = plan.history.clone();
        if let Some(state) = &plan.state {
            self.dossier.state = state.clone();
        }
        self.now = plan.schedule.next.at().unwrap_or(self.now + SignedDuration::from_mins(1));
        plan
    }

    /// Entries published this many minutes ago, separated by commas.
    fn post(&mut self, minutes: &str) -> Vec<ReadEntry> {
        let mut entries = Vec::new();
        for minutes in minutes.split(',') {
            self.posts += 1;
            let mut entry = ReadEntry::default();
            entry.about.id = Some(format!("post {}", self.posts));
            entry.about.link = Some(format!("https://one.example/{}", self.posts));
            entry.about.title = Some(Text { value: format!("Post {}", self.posts), ..Text::default() });
            let at = minutes.parse().ok().map(|minutes| self.now - SignedDuration::from_mins(minutes));
            entry.about.published = Some(Dated { at, text: String::new() });
            entries.push(entry);
        }
        entries
    }

    /// Responses one after the other, and the result of each: seconds or `never`, and the reason.
    pub(crate) fn check(&mut self, steps: &[(&str, &str, &str)]) {
        for (case, answer, expected) in steps {
            let now = self.now;
            let plan = self.answer(answer);
            let wait =
                plan.schedule.next.at().map_or("never".into(), |at| at.duration_since(now).as_secs().to_string());
            assert_eq!(format!("{wait} {}", plan.schedule.because), *expected, "{case}: {:?}", plan.schedule.trace);
        }
    }
}
