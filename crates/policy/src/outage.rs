//! Outage detection: distinguishes a host that is down from a local network outage.
//!
//! The criterion is whether unrelated rate groups respond at all: a hundred feeds of one dead host are one failure, and
//! a group that failed while others responded does not count. During an outage no feed is to blame: `engine` counts no
//! failures, tries one visit after the other with pauses, and the same feed again only after [`PROBE_EVERY`], until one
//! gets a response.
//! Only visits outside the own network are recorded: a local response proves nothing. No clock in here.

use jiff::{SignedDuration, Timestamp};
use std::collections::HashMap;
use std::fmt;

/// The interval between two tries of a feed during an outage. Only a response ends the outage.
pub const PROBE_EVERY: SignedDuration = SignedDuration::from_mins(1);

/// The maximum of groups remembered; beyond it the oldest is dropped.
const MAX_GROUPS: usize = 512;

/// When failures are considered an outage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Thresholds {
    /// The minimum number of groups that failed since the last response.
    pub groups: usize,
    /// Failures older than this do not count.
    pub window: SignedDuration,
    /// The minimum percentage of recent groups that failed.
    pub percent: usize,
    /// How long a group that responded counts as recent.
    pub recent: SignedDuration,
}

impl Default for Thresholds {
    fn default() -> Self {
        let (window, recent) = (SignedDuration::from_mins(10), SignedDuration::from_secs(30));
        Self { groups: 5, window, percent: 80, recent }
    }
}

/// The recent results of unrelated groups.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reach {
    thresholds: Thresholds,
    groups: HashMap<String, Last>,
    /// When any group last responded.
    answered_at: Option<Timestamp>,
    /// The latest time recorded.
    latest: Option<Timestamp>,
    /// The current outage.
    outage: Option<Outage>,
}

/// The state of one group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Last {
    at: Timestamp,
    /// Since when it fails, if it does.
    failing_since: Option<Timestamp>,
}

/// Whether there is an outage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outage {
    /// No sign of one.
    None,
    /// Our own network is down.
    Local {
        /// The first failure.
        since: Timestamp,
        /// The percentage of recent groups that failed.
        percent: usize,
        /// Groups that failed.
        groups: usize,
    },
}

impl fmt::Display for Outage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => f.write_str("hosts respond"),
            Self::Local { since, percent, groups } => write!(
                f,
                "{groups} unrelated sites ({percent} % of those tried) cannot be reached since {since}: \
                 the network here seems to be away"
            ),
        }
    }
}

impl Reach {
    /// With custom thresholds.
    pub fn new(thresholds: Thresholds) -> Self {
        Self { thresholds, ..Self::default() }
    }

    /// Records a visit that ended `at`. `reached` means that the host responded, even with an error; failures of name
    /// resolution, connecting and timeouts are the other case.
    pub fn note(&mut self, group: &str, at: Timestamp, reached: bool) {
        if self.is_before_all(at) {
            *self = Self::new(self.thresholds);
        }
        self.latest = self.latest.max(Some(at));
        if reached {
            // Whatever failed before has failed while others respond, also if the clock was put back in between.
            self.answered_at = self.latest;
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

    /// Whether there is an outage. It lasts until the next response, however long no visit was tried.
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
                // It failed while others responded: its own fault.
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

    /// If the clock went back by more than a visit takes, all records are meaningless.
    fn is_before_all(&self, at: Timestamp) -> bool {
        self.latest.is_some_and(|latest| latest.duration_since(at) > self.thresholds.window)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A script: `+a` group a responds, `-a` it cannot be reached, a number advances seconds, `?` asks.
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
    fn an_outage_is_told_from_failing_hosts() {
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
