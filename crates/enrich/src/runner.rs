//! The jobs of enrichments as loops: one for the local toolkit, one entry after the other, behind visits and requests; one for
//! calls to a model, as many at once as were configured. Jobs that may not call yet are not even claimed.

use crate::ask::MODEL;
use crate::enrich::Enrich;
use crate::{local, remote};
use jiff::SignedDuration;
use model::job::{ENRICH_LOCAL, NewJob};
use policy::RetryRule;
use policy::enrich::{Slot, budget_state, period, served, slot};
use store::StoreError;
use work::{Gate, JobRunner, Limits, Outcome, Stop};

const TIDY: &str = "enrich.tidy";
const TIDY_EVERY: SignedDuration = SignedDuration::from_hours(24);
/// What no entry shows is forgotten after this.
const KEEP_RESULTS: SignedDuration = SignedDuration::from_hours(30 * 24);
/// Rows of the ledger are kept for this long; months and days for ever.
const KEEP_LEDGER: SignedDuration = SignedDuration::from_hours(400 * 24);
/// How long a lease lasts (C-8).
const LEASE: SignedDuration = SignedDuration::from_secs(300);
/// The database fails, for a while.
const RETRY: RetryRule = RetryRule::every(SignedDuration::from_mins(1));
/// How long to wait where nothing can be known.
const REST: SignedDuration = SignedDuration::from_secs(5);

impl Enrich {
    /// The runner of the local toolkit, and of housekeeping.
    pub fn local_jobs(&self) -> JobRunner {
        let limits = Limits { at_once: 1, lease: LEASE, ..Limits::default() };
        let (looking, tidying) = (self.behind(), self.behind());
        JobRunner::new(self.store().in_background(), self.clock().clone(), self.worker().clone(), limits)
            .on(ENRICH_LOCAL, RETRY, move |lease| {
                let enrich = looking.clone();
                async move { local::run(&enrich, &lease).await }
            })
            .on(TIDY, RETRY, move |_| {
                let enrich = tidying.clone();
                async move { tidy(&enrich).await.unwrap_or_else(|error| Outcome::Failed(error.to_string())) }
            })
    }

    /// The runner of calls to a model, if there is one.
    pub fn model_jobs(&self) -> Option<JobRunner> {
        let model = self.options().model.as_ref()?;
        let limits = Limits { at_once: model.at_once.max(1), lease: LEASE, ..Limits::default() };
        let (calling, gating) = (self.behind(), self.behind());
        let runner = JobRunner::new(self.store().in_background(), self.clock().clone(), self.worker().clone(), limits)
            .on(MODEL, RETRY, move |lease| {
                let enrich = calling.clone();
                async move { remote::run(&enrich, &lease).await }
            })
            .gated(move || {
                let enrich = gating.clone();
                async move { gate(&enrich).await }
            });
        Some(runner)
    }

    /// Works until it is told to stop.
    pub async fn run(self, stop: Stop) {
        let local = self.local_jobs().run(stop.clone());
        match self.model_jobs() {
            Some(model) => {
                tokio::join!(local, model.run(stop));
            }
            None => local.await,
        }
    }

    /// Asks for housekeeping. Every start does.
    pub async fn request_tidy(&self) -> Result<(), StoreError> {
        let now = self.now();
        self.store().enqueue_jobs(&[NewJob::new(TIDY, now)], now).await
    }
}

/// Whether a call could be made, and for whom. Only a look: the job decides again, and takes the slot.
async fn gate(enrich: &Enrich) -> Gate {
    let now = enrich.now();
    let later = |wait: SignedDuration| now.saturating_add(wait).unwrap_or(now);
    let looked = async {
        let Some(model) = &enrich.options().model else { return Ok(Gate::Closed(later(REST))) };
        if enrich.is_stopped().await? {
            return Ok(Gate::Closed(later(REST)));
        }
        let state = enrich.store().ai_provider(model.llm.provider()).await?;
        if let Slot::Wait { until, .. } = slot(&state, model.pace, now) {
            return Ok(Gate::Closed(until));
        }
        let (month, ceilings) = enrich.budget(&period(now)).await?;
        let least = served(budget_state(&month.spent, &ceilings, model.thresholds, None));
        Ok::<_, StoreError>(least.map_or_else(|| Gate::Closed(later(REST)), Gate::Open))
    };
    looked.await.unwrap_or_else(|error| {
        tracing::warn!(%error, "cannot look whether a model may be asked");
        Gate::Closed(later(REST))
    })
}

async fn tidy(enrich: &Enrich) -> Result<Outcome, StoreError> {
    let (store, now) = (enrich.store(), enrich.now());
    let before = |age: SignedDuration| now.saturating_add(-age).unwrap_or(now);
    while store.forget_unused_results(before(KEEP_RESULTS)).await? > 0 {}
    while store.forget_ledger(before(KEEP_LEDGER)).await? > 0 {}
    store.release_expired(now).await?;
    Ok(Outcome::Again(now.saturating_add(TIDY_EVERY).unwrap_or(now)))
}
