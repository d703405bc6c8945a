//! What this process counts: visits and their results, requests and their times, decisions. Shown at `/metrics`, listed in docs/reference/metrics.md; what the database knows is in `measured.rs`.
//!
//! Only totals: a rate over any time can be computed from two totals, but not the other way round.

use crate::visit::refresh::{BAD_ENTRIES, Refreshed};
use fetch::Egress;
use jiff::SignedDuration;
use meter::{Counter, Counters, Gauge, Histogram, Kind, Page};
use model::lease::History;
use model::schedule::Because;
use model::visit::{Failure, Hop, VisitResult};
use std::time::Duration;
use work::Part;

/// All of it. Each engine has its own.
pub(crate) struct Figures {
    visits: Counters,
    failures: Counters,
    retries: Counter,
    took: Histogram,
    committing: Histogram,
    decisions: Counters,
    intervals: Histogram,
    rhythms: Histogram,
    entries: Counters,
    requests: Counters,
    answers: Counters,
    phases: Phases,
    received: Counter,
    decoded: Counter,
    leases_lost: Counter,
    visit_panics: Counter,
    under_way: Gauge,
    storage_failing: StorageFailing,
}

struct Phases {
    dns: Histogram,
    connect: Histogram,
    tls: Histogram,
    first_byte: Histogram,
}

#[derive(Default)]
struct StorageFailing {
    database: Gauge,
    blobs: Gauge,
}

/// What people wait for: from a good answer to the longest time-outs.
const WAITS: &[Duration] = &[
    Duration::from_millis(5),
    Duration::from_millis(25),
    Duration::from_millis(100),
    Duration::from_millis(250),
    Duration::from_millis(500),
    Duration::from_secs(1),
    Duration::from_millis(2500),
    Duration::from_secs(5),
    Duration::from_secs(10),
    Duration::from_secs(30),
];

/// How far apart visits and entries are.
const INTERVALS: &[Duration] = &[
    Duration::from_mins(5),
    Duration::from_mins(15),
    Duration::from_mins(30),
    Duration::from_hours(1),
    Duration::from_hours(2),
    Duration::from_hours(4),
    Duration::from_hours(8),
    Duration::from_hours(24),
    Duration::from_hours(3 * 24),
    Duration::from_hours(7 * 24),
    Duration::from_hours(30 * 24),
];

/// What is asked for so far.
const CLASSES: &[&str] = &["feed", "article", "icon", "robots"];

/// What stands for the status where there was no answer.
const NO_ANSWER: &str = "none";

/// Answers that mean something to an operator; a server may invent others.
const STATUSES: &[&str] = &[
    NO_ANSWER, "200", "206", "301", "302", "303", "304", "307", "308", "400", "401", "402", "403", "404", "405", "406",
    "408", "410", "418", "421", "429", "451", "500", "501", "502", "503", "504", "520", "521", "522", "523", "524",
    "525", "526",
];

impl Default for Figures {
    fn default() -> Self {
        let waits = || Histogram::within(WAITS);
        Self {
            visits: Counters::by("result", VisitResult::WORDS),
            failures: Counters::by("kind", &[Failure::KINDS, &[BAD_ENTRIES]].concat()),
            retries: Counter::default(),
            took: waits(),
            committing: waits(),
            decisions: Counters::by("because", Because::WORDS),
            intervals: Histogram::within(INTERVALS),
            rhythms: Histogram::within(INTERVALS),
            entries: Counters::by("change", &["new", "changed"]),
            requests: Counters::by("class", CLASSES),
            answers: Counters::by("status", STATUSES),
            phases: Phases { dns: waits(), connect: waits(), tls: waits(), first_byte: waits() },
            received: Counter::default(),
            decoded: Counter::default(),
            leases_lost: Counter::default(),
            visit_panics: Counter::default(),
            under_way: Gauge::default(),
            storage_failing: StorageFailing::default(),
        }
    }
}

impl Figures {
    /// Puts everything on a page.
    pub(crate) fn show(&self, page: &mut Page) {
        let Self { visits, failures, retries, took, committing, decisions, intervals, rhythms, entries, .. } = self;
        page.counters("courant_visits_total", "Visits to feeds, by what they came to.", visits);
        page.counters("courant_visit_failures_total", "Visits that failed, by what went wrong.", failures);
        page.counter("courant_visit_retries_total", "Visits to feeds whose visit before had failed.", retries);
        page.histogram(
            "courant_visit_duration_seconds",
            "What visits took, with redirects and without the waiting for turns.",
            took,
        );
        page.histogram("courant_commit_duration_seconds", "What writing a visit took, with waiting.", committing);
        page.counters("courant_decisions_total", "Decisions about the next visit, by the rule that won.", decisions);
        page.histogram(
            "courant_interval_chosen_seconds",
            "Time to the next visit, as the decision chose it.",
            intervals,
        );
        page.histogram(
            "courant_entry_gap_seconds",
            "Smoothed time between the entries of a feed, as each visit found it.",
            rhythms,
        );
        page.counters("courant_entries_total", "Entries that visits brought, by what is new about them.", entries);

        let Self { requests, answers, phases, received, decoded, .. } = self;
        page.counters("courant_requests_total", "Requests to publishers, by what they are for.", requests);
        page.counters("courant_answers_total", "What publishers answered to requests; `none` is no answer.", answers);
        let Phases { dns, connect, tls, first_byte } = phases;
        page.histograms(
            "courant_request_phase_seconds",
            "What the phases of requests took; a kept connection has the last only.",
            "phase",
            &[("dns", dns), ("connect", connect), ("tls", tls), ("first-byte", first_byte)],
        );
        page.counter("courant_received_bytes_total", "Bytes of bodies as they came from publishers.", received);
        page.counter("courant_decoded_bytes_total", "Bytes of the same bodies once unpacked.", decoded);

        let Self { leases_lost, visit_panics, under_way, storage_failing, .. } = self;
        page.counter(
            "courant_leases_lost_total",
            "Visits that were not written because the feed was taken over or made due meanwhile.",
            leases_lost,
        );
        page.counter("courant_visit_panics_total", "Visits that a defect of Courant ended with a panic.", visit_panics);
        page.gauge("courant_visits_under_way", "Visits that are being made or written.", under_way);
        let StorageFailing { database, blobs } = storage_failing;
        page.labelled(
            "courant_storage_failing",
            Kind::Gauge,
            "Whether fetching is paused because the database or the blobs fail.",
            "part",
            &[("database", database.get()), ("blobs", blobs.get())],
        );
    }

    /// A visit was written; what was known before says whether it was another try.
    pub(crate) fn visited(&self, before: &History, done: &Refreshed) {
        self.visits.of(done.result.as_str()).one();
        if done.result == VisitResult::Deferred && done.status.is_none() {
            // Nobody was asked, so nothing was found out about the feed.
            return;
        }
        if let Some(kind) = done.failure {
            self.failures.of(kind).one();
        }
        if before.failures > 0 {
            self.retries.one();
        }
        self.entries.of("new").add(done.new.len() as u64);
        self.entries.of("changed").add(done.changed as u64);
        self.decisions.of(done.because.as_str()).one();
        self.intervals.note(unsigned(done.interval));
        self.took.note(unsigned(done.took));
        if let Some(gap) = done.gap {
            self.rhythms.note(unsigned(gap));
        }
    }

    /// What writing one took.
    pub(crate) fn committed(&self, took: Duration) {
        self.committing.note(took);
    }

    /// A request was made.
    pub(crate) fn requested(&self, class: Egress, hop: &Hop) {
        self.requests.of(class.as_str()).one();
        let status = hop.status.map_or_else(|| NO_ANSWER.to_owned(), |status| status.to_string());
        self.answers.of(&status).one();
        let Phases { dns, connect, tls, first_byte } = &self.phases;
        let timings = &hop.timings;
        let phases =
            [(dns, timings.dns), (connect, timings.connect), (tls, timings.tls), (first_byte, timings.first_byte)];
        for (histogram, took) in phases {
            if let Some(took) = took {
                histogram.note(took);
            }
        }
        self.received.add(hop.wire_bytes);
        self.decoded.add(hop.decoded_bytes);
    }

    pub(crate) fn lease_lost(&self) {
        self.leases_lost.one();
    }

    pub(crate) fn visit_panicked(&self) {
        self.visit_panics.one();
    }

    /// A visit begins; it is under way until this is dropped.
    pub(crate) fn begin(&self) -> UnderWay<'_> {
        self.under_way.add(1);
        UnderWay(&self.under_way)
    }

    /// Whether a part fails, or none.
    pub(crate) fn storage_failing(&self, part: Option<Part>) {
        self.storage_failing.database.set((part == Some(Part::Store)).into());
        self.storage_failing.blobs.set((part == Some(Part::Blobs)).into());
    }
}

fn unsigned(time: SignedDuration) -> Duration {
    time.try_into().unwrap_or_default()
}

/// A visit that is under way.
pub(crate) struct UnderWay<'a>(&'a Gauge);

impl Drop for UnderWay<'_> {
    fn drop(&mut self) {
        self.0.add(-1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(figures: &Figures) -> String {
        let mut page = Page::default();
        figures.show(&mut page);
        page.text().to_owned()
    }

    fn check(figures: &Figures, line: &str) {
        let page = page(figures);
        assert!(page.lines().any(|found| found == line), "{line} is not there:\n{page}");
    }

    /// Each would be one more figure for as long as the process lives.
    #[test]
    fn statuses_that_servers_invent_are_counted_together() {
        let figures = Figures::default();
        let before = page(&figures).lines().count();
        for status in 600..999 {
            figures.requested(Egress::Feed, &Hop { status: Some(status), ..Hop::default() });
        }
        figures.requested(Egress::Robots, &Hop::default());
        check(&figures, "courant_answers_total{status=\"other\"} 399");
        check(&figures, "courant_answers_total{status=\"none\"} 1");
        check(&figures, "courant_requests_total{class=\"feed\"} 399");
        check(&figures, "courant_requests_total{class=\"robots\"} 1");
        assert_eq!(page(&figures).lines().count(), before + 1);
    }

    #[test]
    fn a_phase_that_did_not_happen_took_no_time() {
        let figures = Figures::default();
        let took = |millis| Some(Duration::from_millis(millis));
        let timings = model::visit::Timings { connect: took(20), first_byte: took(200), ..Default::default() };
        figures.requested(Egress::Feed, &Hop { timings, wire_bytes: 100, decoded_bytes: 900, ..Hop::default() });
        check(&figures, "courant_request_phase_seconds_count{phase=\"dns\"} 0");
        check(&figures, "courant_request_phase_seconds_sum{phase=\"connect\"} 0.02");
        check(&figures, "courant_request_phase_seconds_bucket{phase=\"first-byte\",le=\"0.1\"} 0");
        check(&figures, "courant_request_phase_seconds_bucket{phase=\"first-byte\",le=\"0.25\"} 1");
        check(&figures, "courant_received_bytes_total 100");
        check(&figures, "courant_decoded_bytes_total 900");
    }

    #[test]
    fn a_visit_is_under_way_until_it_ends_however_it_ends() {
        let figures = Figures::default();
        let (one, two) = (figures.begin(), figures.begin());
        check(&figures, "courant_visits_under_way 2");
        drop(one);
        check(&figures, "courant_visits_under_way 1");
        drop(two);
        check(&figures, "courant_visits_under_way 0");
    }

    #[test]
    fn failing_storage_is_named() {
        let figures = Figures::default();
        let both = |database: u8, blobs: u8| {
            check(&figures, &format!("courant_storage_failing{{part=\"database\"}} {database}"));
            check(&figures, &format!("courant_storage_failing{{part=\"blobs\"}} {blobs}"));
        };
        both(0, 0);
        figures.storage_failing(Some(Part::Store));
        both(1, 0);
        figures.storage_failing(Some(Part::Blobs));
        both(0, 1);
        figures.storage_failing(None);
        both(0, 0);
    }
}
