//! Is it them or is it us? Tells a host that is down from a machine that has lost its network.
//!
//! What counts is whether unrelated rate groups answer at all: a hundred feeds of one dead host are one failure, and
//! a group that was failing while others answered says nothing. While we are cut off no feed is to blame; `engine`
//! then counts no failures, tries one visit after the other, resting in between, and the same feed no sooner than after
//! [`PROBE_EVERY`], until one is answered.
//! Only visits beyond the own network are noted: what answers from the next room proves nothing. No clock in here.

use jiff::{SignedDuration, Timestamp};
use std::collections::HashMap;
use std::fmt;

/// After this a feed is tried again while the network is away: the first answer ends an outage, and nothing else.
pub const PROBE_EVERY: SignedDuration = SignedDuration::from_mins(1);

/// Groups that are remembered; beyond that the oldest is forgotten.
const MAX_GROUPS: usize = 512;

/// When failures are taken for an outage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Thresholds {
    /// So many groups at least have failed since the last answer.
    pub groups: usize,
    /// Failures older than this do not count.
    pub window: SignedDuration,
    /// So many of a hundred groups heard of lately have failed.
    pub percent: usize,
    /// How late is lately, for a group that answered.
    pub recent: SignedDuration,
}

impl Default for Thresholds {
    fn default() -> Self {
        let (window, recent) = (SignedDuration::from_mins(10), SignedDuration::from_secs(30));
        Self { groups: 5, window, percent: 80, recent }
    }
}

/// What visits of unrelated groups came to lately.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reach {
    thresholds: Thresholds,
    groups: HashMap<String, Last>,
    /// When any group answered last.
    answered_at: Option<Timestamp>,
    /// The latest moment that was noted.
    latest: Option<Timestamp>,
    /// An outage that was found and not ended yet.
    outage: Option<Outage>,
}

/// What is known of one group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Last {
    at: Timestamp,
    /// Since when it fails, if it does.
    failing_since: Option<Timestamp>,
}

/// Whether the network is to blame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outage {
    /// Nothing speaks for it.
    None,
    /// Our own network is away.
    Local {
        /// The first failure.
        since: Timestamp,
        /// Of a hundred groups heard of lately.
        percent: usize,
        /// Groups that failed.
        groups: usize,
    },
}

impl fmt::Display for Outage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => f.write_str("hosts answer"),
            Self::Local { since, percent, groups } => write!(
                f,
                "{groups} unrelated sites ({percent} % of those tried) cannot be reached since {since}: \
                 the network here seems to be away"
            ),
        }
    }
}

impl Reach {
    /// With thresholds of one's own.
    pub fn new(thresholds: Thresholds) -> Self {
        Self { thresholds, ..Self::default() }
    }

    /// Notes a visit that ended `at`. `reached` means that any answer came from the host, an error of its own included; name
    /// resolution, connections and patience that failed are the other case.
    pub fn note(&mut self, group: &str, at: Timestamp, reached: bool) {
        if self.is_before_all(at) {
            *self = Self::new(self.thresholds);
        }
        self.latest = self.latest.max(Some(at));
        if reached {
            self.answered_at = self.answered_at.max(Some(at));
            self.outage = None;
        }
        if let Some(last) = self.groups.get_mut(group) {
            last.at = last.at.max(at);
            last.failing_since = if reached { None } else { last.failing_since.or(Some(at)) };
            return;
        }
        if self.groups.len() >= MAX_GROUPS {
            let oldest = self.groups.iter().min_by_key(|(_, last)| last.at).map(|(name, _)| name.clone());
            self.groups.remove(&oldest.unwrap_or_default());
        }
        self.groups.insert(group.to_owned(), Last { at, failing_since: (!reached).then_some(at) });
    }

    /// Whether the network is to blame. An outage that was found lasts until the next answer, however long nobody
    /// tried.
    pub fn verdict(&mut self, now: Timestamp) -> Outage {
        if self.is_before_all(now) {
            *self = Self::new(self.thresholds);
        }
        if let Some(outage) = self.outage {
            return outage;
        }
        let found = self.look(now);
        self.outage = Some(found).filter(|found| *found != Outage::None);
        found
    }

    fn look(&self, now: Timestamp) -> Outage {
        let Thresholds { groups: enough, window, percent: most, recent } = self.thresholds;
        let within = |at: Timestamp, span: SignedDuration| now.duration_since(at) < span;
        let (mut failing, mut answering, mut since) = (0, 0, now);
        for last in self.groups.values() {
            match last.failing_since {
                // It failed while others answered: that one is its own fault.
                Some(first) if self.answered_at.is_some_and(|answered| first <= answered) => {}
                Some(first) if within(last.at, window) => {
                    failing += 1;
                    since = since.min(first);
                }
                None if within(last.at, recent) => answering += 1,
                Some(_) | None => {}
            }
        }
        let percent = failing * 100 / (failing + answering).max(1);
        if failing >= enough && percent >= most {
            Outage::Local { since, percent, groups: failing }
        } else {
            Outage::None
        }
    }

    /// A clock that went back by more than visits take makes nonsense of all that is known.
    fn is_before_all(&self, at: Timestamp) -> bool {
        self.latest.is_some_and(|latest| latest.duration_since(at) > self.thresholds.window)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A story: `+a` group a answers, `-a` it cannot be reached, a number lets seconds pass, `?` asks.
    #[track_caller]
    fn check(case: &str, story: &str, expected: &str) {
        let start = Timestamp::from_second(1_000_000).unwrap();
        let (mut reach, mut now) = (Reach::default(), start);
        let mut told = Vec::new();
        for word in story.split_whitespace() {
            match word.split_at(1) {
                ("+", group) => reach.note(group, now, true),
                ("-", group) => reach.note(group, now, false),
                ("?", _) => told.push(match reach.verdict(now) {
                    Outage::None => "fine".to_owned(),
                    Outage::Local { since, percent, groups } => {
                        format!("away since {}, {groups} groups, {percent} %", since.duration_since(start).as_secs())
                    }
                }),
                ("!", _) => reach = Reach::default(),
                ("<", seconds) => now -= SignedDuration::from_secs(seconds.parse().unwrap()),
                _ => now += SignedDuration::from_secs(word.parse().unwrap()),
            }
        }
        assert_eq!(told.join("; "), expected, "{case}");
    }

    #[test]
    fn them_or_us() {
        check("nothing heard", "?", "fine");
        check("all is well", "+a +b +c +d +e +f ?", "fine");
        check("four are not enough", "-a -b -c -d ?", "fine");
        check("five are", "-a 1 -b 1 -c 1 -d 1 -e ?", "away since 0, 5 groups, 100 %");
        check("one host, many feeds", "-a -a -a -a -a -a -a -a ?", "fine");
        check("two hosts, many feeds", "-a -b -a -b -a -b -a -b ?", "fine");
        check("an answer between them", "-a -b -c +x 1 -d -e ?", "fine");
        check("many answered just now", "+p +q +r +s 1 -a -b -c -d -e ?", "fine");
        check("a while ago", "+p +q +r +s 31 -a -b -c -d -e ?", "away since 31, 5 groups, 100 %");
        check("one just now", "+p 1 -a -b -c -d -e ?", "away since 1, 5 groups, 83 %");
        check("those that are always dead", "-a -b -c -d +x 60 -a -b -c -d -e ?", "fine");
        check("failures long ago", "-a -b -c -d 700 -e ?", "fine");
    }

    #[test]
    fn an_outage_ends_with_the_first_answer() {
        check("first answer", "-a -b -c -d -e ? 9 +z ? 60 ?", "away since 0, 5 groups, 100 %; fine; fine");
        check(
            "not with time",
            "-a -b -c -d -e ? 9999 ?",
            "away since 0, 5 groups, 100 %; away since 0, 5 groups, 100 %",
        );
        check(
            "nor with more failures",
            "-a -b -c -d -e ? 60 -f ?",
            "away since 0, 5 groups, 100 %; away since 0, 5 groups, 100 %",
        );
        check(
            "and may come again",
            "-a -b -c -d -e ? +a +b +c +d +e 60 -a -b -c -d -e ?",
            "away since 0, 5 groups, 100 %; away since 60, 5 groups, 100 %",
        );
        check(
            "one answer, the rest still away",
            "-a -b -c -d -e ? 1 +a 60 -b -c -d -e ?",
            "away since 0, 5 groups, 100 %; fine",
        );
    }

    #[test]
    fn clocks_and_restarts() {
        check("a restart forgets", "-a -b -c -d ! -e ?", "fine");
        check("the clock jumps ahead", "-a -b -c 90000 -d -e ?", "fine");
        check("the clock goes back", "-a -b -c -d -e ? <90000 ?", "away since 0, 5 groups, 100 %; fine");
        check("and starts anew", "+a <90000 -a -b -c -d -e ?", "away since -90000, 5 groups, 100 %");
        check("a second back is nothing", "-a -b -c -d <1 -e ?", "away since -1, 5 groups, 100 %");
    }

    #[test]
    fn memory_is_bounded() {
        let mut reach = Reach::default();
        for n in 0..10_000_i64 {
            reach.note(&n.to_string(), Timestamp::from_second(n).unwrap(), n % 3 == 0);
        }
        assert_eq!(reach.groups.len(), MAX_GROUPS);
    }
}
