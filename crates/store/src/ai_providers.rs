//! What all processes know of a provider of models: its breaker and its pace. One row, and a version that every change
//! moves: `policy::enrich` decides on what was read, and a decision on an old row is refused.

use crate::StoreError;
use crate::db::batch::Batch;
use crate::db::sql::{Text, statements};
use crate::store::Store;
use model::enrichment::ProviderState;

statements! {
    GET(Text) = Text::One(
        "SELECT version, breaker, failures, half_successes, opened_at, last_call_at, last_success_at, last_failure_at,
                rate_limited_until
         FROM ai_state WHERE provider = $1");
    BEGIN(Text) = Text::One(
        "INSERT INTO ai_state (provider, version, breaker, failures, half_successes) VALUES ($1, 0, 'closed', 0, 0)
         ON CONFLICT (provider) DO NOTHING");
    /// Only if it is still the one that was read.
    CHANGE(Text, Int, Text, Int, Int, Int, Int, Int, Int, Int) = Text::One(
        "UPDATE ai_state SET version = version + 1, breaker = $3, failures = $4, half_successes = $5, opened_at = $6,
             last_call_at = $7, last_success_at = $8, last_failure_at = $9, rate_limited_until = $10
         WHERE provider = $1 AND version = $2");
}

impl Store {
    /// What is known of a provider.
    pub async fn ai_provider(&self, provider: &str) -> Result<ProviderState, StoreError> {
        let found = self.read_first(&GET, vec![provider.into()], |row| {
            Ok(ProviderState {
                version: row.next()?,
                breaker: row.next()?,
                failures: row.next()?,
                half_successes: row.next()?,
                opened_at: row.next()?,
                last_call_at: row.next()?,
                last_success_at: row.next()?,
                last_failure_at: row.next()?,
                rate_limited_until: row.next()?,
            })
        });
        if let Some(state) = found.await? {
            return Ok(state);
        }
        self.write_one(&BEGIN, vec![provider.into()]).await?;
        Ok(ProviderState::default())
    }

    /// Changes it, if nobody else has since it was read.
    pub async fn change_ai_provider(&self, provider: &str, next: &ProviderState) -> Result<bool, StoreError> {
        let mut batch = Batch::default();
        batch.fence(
            &CHANGE,
            vec![
                provider.into(),
                next.version.into(),
                next.breaker.into(),
                next.failures.into(),
                next.half_successes.into(),
                next.opened_at.into(),
                next.last_call_at.into(),
                next.last_success_at.into(),
                next.last_failure_at.into(),
                next.rate_limited_until.into(),
            ],
        );
        self.write_if(batch).await
    }
}
