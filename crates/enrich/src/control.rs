//! What an operator controls while the program runs: the stop for all of it, the ceilings, the breaker.
//!
//! Ceilings come from three places: set for a month, set for all months (a setting), configured. The first that says something
//! holds, one by one.

use crate::enrich::Enrich;
use model::enrichment::{Breaker, Ceilings, ProviderState};
use model::money::Money;
use policy::enrich::Period;
use serde_json::{Map, Value};
use store::{Month, StoreError};

/// The setting that stops everything.
pub const STOPPED: &str = "ai.stopped";
/// The setting with ceilings for all months, as JSON.
const CEILINGS: &str = "ai.ceilings";
/// Attempts to change a row that others change as well.
const TRIES: usize = 20;

/// Ceilings to change; `None` stays, `Some(None)` is what holds without it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct BudgetChange {
    /// In a month.
    pub month: Option<Option<Money>>,
    /// In a day.
    pub day: Option<Option<Money>>,
    /// For summaries in a month.
    pub summary: Option<Option<Money>>,
    /// For tags in a month.
    pub tags: Option<Option<Money>>,
    /// For deframings in a month.
    pub deframe: Option<Option<Money>>,
}

impl BudgetChange {
    fn applied(self, to: Ceilings) -> Ceilings {
        Ceilings {
            month: self.month.unwrap_or(to.month),
            day: self.day.unwrap_or(to.day),
            summary: self.summary.unwrap_or(to.summary),
            tags: self.tags.unwrap_or(to.tags),
            deframe: self.deframe.unwrap_or(to.deframe),
        }
    }
}

impl Enrich {
    /// Whether an operator has stopped everything.
    pub async fn is_stopped(&self) -> Result<bool, StoreError> {
        Ok(self.store().setting(STOPPED).await?.is_some_and(|value| value == "true"))
    }

    /// Stops everything, or lets it go on.
    pub async fn set_stopped(&self, stopped: bool) -> Result<(), StoreError> {
        if stopped {
            return self.store().set_setting(STOPPED, "true", self.now()).await;
        }
        self.store().delete_setting(STOPPED).await
    }

    /// The month, and the ceilings that hold in it.
    pub(crate) async fn budget(&self, period: &Period) -> Result<(Month, Ceilings), StoreError> {
        let month = self.store().ai_month(&period.month, &period.day).await?;
        let set = self.set_ceilings().await?;
        let configured = self.options().model.as_ref().map(|model| model.ceilings).unwrap_or_default();
        let ceilings = month.ceilings.or(&set).or(&configured);
        Ok((month, ceilings))
    }

    /// The ceilings that were set for all months.
    async fn set_ceilings(&self) -> Result<Ceilings, StoreError> {
        let text = self.store().setting(CEILINGS).await?.unwrap_or_default();
        let found: Map<String, Value> = serde_json::from_str(&text).unwrap_or_default();
        let ceiling = |name: &str| found.get(name).and_then(Value::as_i64).map(Money);
        Ok(Ceilings {
            month: ceiling("month"),
            day: ceiling("day"),
            summary: ceiling("summary"),
            tags: ceiling("tags"),
            deframe: ceiling("deframe"),
        })
    }

    /// Changes the ceilings of one month.
    pub async fn change_month_budget(&self, month: &str, change: BudgetChange) -> Result<(), StoreError> {
        let now = self.store().ai_month(month, "").await?.ceilings;
        self.store().set_ceilings(month, &change.applied(now)).await
    }

    /// Changes the ceilings of all months that have none of their own.
    pub async fn change_budget(&self, change: BudgetChange) -> Result<(), StoreError> {
        let Ceilings { month, day, summary, tags, deframe } = change.applied(self.set_ceilings().await?);
        let parts = [("month", month), ("day", day), ("summary", summary), ("tags", tags), ("deframe", deframe)];
        let set: Map<String, Value> =
            parts.into_iter().filter_map(|(name, ceiling)| Some((name.to_owned(), ceiling?.0.into()))).collect();
        self.store().set_setting(CEILINGS, &Value::Object(set).to_string(), self.now()).await
    }

    /// Closes the breaker and forgets that the server asked to wait: an operator knows that it is well again. `false` without
    /// a model.
    pub async fn reset_breaker(&self) -> Result<bool, StoreError> {
        let Some(model) = &self.options().model else { return Ok(false) };
        let well = |state: &ProviderState| ProviderState {
            breaker: Breaker::Closed,
            failures: 0,
            half_successes: 0,
            opened_at: None,
            rate_limited_until: None,
            ..state.clone()
        };
        self.change_provider(model.llm.provider(), well).await.map(|_| true)
    }

    /// Changes what is known of a provider, however many others do so at the same time; returns what it was before.
    pub(crate) async fn change_provider(
        &self,
        provider: &str,
        change: impl Fn(&ProviderState) -> ProviderState,
    ) -> Result<ProviderState, StoreError> {
        let mut state = ProviderState::default();
        for _ in 0..TRIES {
            state = self.store().ai_provider(provider).await?;
            if self.store().change_ai_provider(provider, &change(&state)).await? {
                return Ok(state);
            }
        }
        tracing::warn!(provider, "the state of a model's provider could not be written: too many others change it");
        Ok(state)
    }
}
