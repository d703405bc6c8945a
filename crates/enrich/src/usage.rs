//! What enrichments cost and how they stand: for the operator's room and the command line.

use crate::ask::MODEL;
use crate::enrich::Enrich;
use jiff::{SignedDuration, Timestamp};
use model::enrichment::{AttemptEnd, Breaker, Ceilings, Kind, ProviderState, Spent};
use model::job::ENRICH_LOCAL;
use model::money::Money;
use policy::enrich::{BudgetState, budget_state, forecast, period};
use std::collections::BTreeMap;
use store::{DayUsage, PastMonth, StoreError};

/// How a month stands.
#[derive(Debug, Clone)]
pub struct Usage {
    /// `2026-11`.
    pub month: String,
    /// Whether the instance makes enrichments, and no operator has stopped them.
    pub enabled: bool,
    /// Whether an operator has stopped them.
    pub stopped: bool,
    /// `local`, or who is asked besides.
    pub provider: String,
    /// The model that is asked.
    pub model: Option<String>,
    /// Who is served.
    pub state: BudgetState,
    /// Spent and reserved.
    pub spent: Spent,
    /// Reserved.
    pub reserved: Money,
    /// What holds.
    pub ceilings: Ceilings,
    /// What the month will have cost, if it goes on like this.
    pub forecast: Option<Money>,
    /// By kind.
    pub kinds: Vec<KindUsage>,
    /// By day, kind and model.
    pub days: Vec<DayUsage>,
    /// By model and kind.
    pub models: Vec<ModelUsage>,
    /// How attempts ended.
    pub ends: Vec<(AttemptEnd, u64)>,
    /// Jobs that wait for the local toolkit.
    pub waiting_local: u64,
    /// Jobs that wait for the model.
    pub waiting: u64,
    /// How long the oldest of them has waited.
    pub oldest: Option<SignedDuration>,
    /// What is known of the provider.
    pub provider_state: ProviderState,
    /// Calls a minute.
    pub rpm: Option<u32>,
}

/// A kind in a month.
#[derive(Debug, Clone, Default)]
pub struct KindUsage {
    /// Calls.
    pub calls: u64,
    /// Calls that made nothing.
    pub failed: u64,
    /// Calls that were not needed.
    pub cached: u64,
    /// Tokens of prompts.
    pub tokens_in: u64,
    /// Tokens of answers.
    pub tokens_out: u64,
    /// What they cost.
    pub spent: Money,
    /// Which kind.
    pub kind: Option<Kind>,
}

/// A model in a month.
#[derive(Debug, Clone)]
pub struct ModelUsage {
    /// By whom.
    pub provider: String,
    /// By which model.
    pub model: String,
    /// What was made.
    pub figures: KindUsage,
}

impl KindUsage {
    fn add(&mut self, day: &DayUsage) {
        self.kind = Some(day.kind);
        self.calls += day.calls;
        self.failed += day.failed;
        self.cached += day.cached;
        self.tokens_in += day.tokens_in;
        self.tokens_out += day.tokens_out;
        self.spent += day.spent;
    }
}

impl Enrich {
    /// How this month stands.
    pub async fn usage(&self) -> Result<Usage, StoreError> {
        self.usage_of(None).await
    }

    /// How a month stands, or this one.
    pub async fn usage_of(&self, month: Option<&str>) -> Result<Usage, StoreError> {
        let (store, now) = (self.store(), self.now());
        let mut period = period(now);
        let is_now = month.is_none_or(|month| month == period.month);
        if let Some(month) = month.filter(|_| !is_now) {
            (period.month, period.day, period.passed) = (month.to_owned(), String::new(), 1.0);
        }
        let (this, ceilings) = self.budget(&period).await?;
        let days = store.ai_days(&format!("{}-01", period.month), &format!("{}-99", period.month)).await?;
        let none = |kind| (kind, KindUsage { kind: Some(kind), ..KindUsage::default() });
        let mut kinds: BTreeMap<Kind, KindUsage> = Kind::ALL.into_iter().map(none).collect();
        let mut models: BTreeMap<(String, String, Kind), KindUsage> = BTreeMap::new();
        for day in &days {
            kinds.entry(day.kind).or_default().add(day);
            models.entry((day.provider.clone(), day.model.clone(), day.kind)).or_default().add(day);
        }
        let model = self.options().model.as_ref();
        let thresholds = model.map(|model| model.thresholds).unwrap_or_default();
        let provider_state = match model {
            Some(model) => store.ai_provider(model.llm.provider()).await?,
            None => ProviderState::default(),
        };
        let (waiting, since) = store.oldest_job(MODEL).await?;
        let stopped = self.is_stopped().await?;
        Ok(Usage {
            enabled: self.rules().ai.enabled && !stopped,
            stopped,
            provider: model.map_or(crate::LOCAL_PROVIDER, |model| model.llm.provider()).to_owned(),
            model: model.map(|model| model.llm.model().to_owned()),
            state: budget_state(&this.spent, &ceilings, thresholds, None),
            reserved: store.reserved(&period.month).await?,
            forecast: forecast(this.spent.month, &period),
            spent: this.spent,
            ceilings,
            kinds: kinds.into_values().collect(),
            models: models
                .into_iter()
                .map(|((provider, model, _), figures)| ModelUsage { provider, model, figures })
                .collect(),
            days,
            ends: store.attempt_ends(&period.month).await?,
            waiting_local: store.oldest_job(ENRICH_LOCAL).await?.0,
            waiting,
            oldest: since.map(|since: Timestamp| now.duration_since(since).max(SignedDuration::ZERO)),
            provider_state,
            rpm: model.and_then(|model| model.pace.rpm),
            month: period.month,
        })
    }

    /// The last months, the latest first.
    pub async fn past_months(&self, count: u32) -> Result<Vec<PastMonth>, StoreError> {
        self.store().ai_months(count).await
    }

    /// How many jobs wait.
    pub async fn waiting(&self) -> Result<u64, StoreError> {
        Ok(self.store().oldest_job(MODEL).await?.0 + self.store().oldest_job(ENRICH_LOCAL).await?.0)
    }

    /// Whether the model is asked.
    pub async fn breaker(&self) -> Result<Breaker, StoreError> {
        match &self.options().model {
            Some(model) => Ok(self.store().ai_provider(model.llm.provider()).await?.breaker),
            None => Ok(Breaker::Closed),
        }
    }

    /// `local`, or who is asked besides.
    pub fn provider(&self) -> &'static str {
        self.options().model.as_ref().map_or(crate::LOCAL_PROVIDER, |model| model.llm.provider())
    }

    /// The state of the budget, as far as a reader needs it.
    pub async fn budget_state(&self) -> Result<BudgetState, StoreError> {
        let (month, ceilings) = self.budget(&period(self.now())).await?;
        let thresholds = self.options().model.as_ref().map(|model| model.thresholds).unwrap_or_default();
        Ok(budget_state(&month.spent, &ceilings, thresholds, None))
    }
}
