//! What this process counts of enrichments, for `/metrics`. What all processes share (money, breaker, queue) is in the database.

use crate::usage::Usage;
use meter::{Counter, Counters, Histogram, Page};
use model::enrichment::{AttemptEnd, Breaker, Kind};
use std::time::Duration;

/// How long models take.
const WAITS: &[Duration] = &[
    Duration::from_millis(100),
    Duration::from_millis(250),
    Duration::from_millis(500),
    Duration::from_secs(1),
    Duration::from_millis(2500),
    Duration::from_secs(5),
    Duration::from_secs(10),
    Duration::from_secs(30),
];

/// All of it.
pub(crate) struct Figures {
    local: Counter,
    calls: Counters,
    ends: Counters,
    cached: Counter,
    took: Histogram,
    spent_nanos: Counter,
    tokens_in: Counter,
    tokens_out: Counter,
    opened: Counter,
}

impl Default for Figures {
    fn default() -> Self {
        Self {
            local: Counter::default(),
            calls: Counters::by("kind", Kind::WORDS),
            ends: Counters::by("outcome", AttemptEnd::WORDS),
            cached: Counter::default(),
            took: Histogram::within(WAITS),
            spent_nanos: Counter::default(),
            tokens_in: Counter::default(),
            tokens_out: Counter::default(),
            opened: Counter::default(),
        }
    }
}

impl Figures {
    pub(crate) fn show(&self, page: &mut Page) {
        page.counter("courant_ai_local_total", "Enrichments that the local toolkit made.", &self.local);
        page.counters("courant_ai_calls_total", "Calls to a model, by what was to be made.", &self.calls);
        page.counters("courant_ai_attempts_total", "Attempts with a model, by how they ended.", &self.ends);
        page.counter(
            "courant_ai_cached_total",
            "Calls that were not made, because the result was there.",
            &self.cached,
        );
        page.histogram("courant_ai_call_duration_seconds", "What calls to a model took.", &self.took);
        page.counter("courant_ai_tokens_in_total", "Tokens of prompts.", &self.tokens_in);
        page.counter("courant_ai_tokens_out_total", "Tokens of answers.", &self.tokens_out);
        let dollars = self.spent_nanos.get() as f64 / 1e9;
        page.value(
            "courant_ai_spent_dollars_total",
            meter::Kind::Counter,
            "What calls of this process cost, by the prices of the configuration.",
            dollars,
        );
        page.counter("courant_ai_breaker_opened_total", "How often the breaker opened.", &self.opened);
    }

    pub(crate) fn made_locally(&self, count: usize) {
        self.local.add(count as u64);
    }

    pub(crate) fn called(&self, kind: Kind, took: Duration) {
        self.calls.of(kind.as_str()).one();
        self.took.note(took);
    }

    pub(crate) fn ended(&self, end: AttemptEnd, spent_nanos: i64, tokens_in: u64, tokens_out: u64) {
        self.ends.of(end.as_str()).one();
        self.spent_nanos.add(spent_nanos.max(0).unsigned_abs());
        self.tokens_in.add(tokens_in);
        self.tokens_out.add(tokens_out);
    }

    pub(crate) fn was_cached(&self) {
        self.cached.one();
    }

    pub(crate) fn breaker_opened(&self) {
        self.opened.one();
    }
}

/// What all processes share, as the database knows it.
pub(crate) fn show_usage(page: &mut Page, usage: &Usage) {
    let gauge = meter::Kind::Gauge;
    page.value(
        "courant_ai_month_spent_dollars",
        gauge,
        "Spent and reserved this month (UTC).",
        usage.spent.month.dollars(),
    );
    let ceiling = usage.ceilings.month.map_or(f64::INFINITY, |ceiling| ceiling.dollars());
    let ceiling = if ceiling.is_finite() { ceiling.to_string() } else { "+Inf".to_owned() };
    page.value("courant_ai_month_ceiling_dollars", gauge, "What may be spent this month.", ceiling);
    let used = policy::enrich::share_used(&usage.spent, &usage.ceilings);
    page.value(
        "courant_ai_budget_used_ratio",
        gauge,
        "The share of the month's or the day's budget that is used.",
        used,
    );
    page.labelled(
        "courant_ai_breaker",
        gauge,
        "Whether the breaker of the model is in this state.",
        "state",
        &Breaker::WORDS
            .iter()
            .map(|word| (*word, u8::from(*word == usage.provider_state.breaker.as_str())))
            .collect::<Vec<_>>(),
    );
    page.labelled(
        "courant_ai_waiting",
        gauge,
        "Enrichments that wait, by who makes them.",
        "stage",
        &[("local", usage.waiting_local), ("model", usage.waiting)],
    );
}
