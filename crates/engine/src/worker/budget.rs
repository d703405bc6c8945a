//! The visits of a day, shared among all feeds by the square-root law: the weights of all feeds are summed up once an hour,
//! and each decision takes the share of its feed. Without a limit of visits a day there is nothing to share.

use crate::engine::Engine;
use model::FeedId;
use model::lease::History;
use policy::Budget;
use std::time::Duration;
use store::StoreError;

/// Rhythms change slowly, and so does their sum.
const EVERY: Duration = Duration::from_hours(1);
/// Feeds read at a time.
const PART: u32 = 1000;

/// Sums up the weights of all feeds, if visits a day are limited.
pub async fn measure_budget(engine: &Engine) -> Result<Option<Budget>, StoreError> {
    let Some(visits) = engine.options.visits_per_day else { return Ok(None) };
    let (now, mut after, mut sum) = (engine.now(), FeedId(0), 0.0);
    loop {
        let part = engine.store.unscoped().rhythms(after, PART).await?;
        let Some((last, _)) = part.last() else { break };
        after = *last;
        for (_, rhythm) in part {
            sum += policy::effort(&History { rhythm, ..History::default() }, now);
        }
    }
    let budget = Budget { visits_per_day: f64::from(visits), sum_sqrt_rate: sum };
    engine.memory.set_budget(budget);
    Ok(Some(budget))
}

/// Keeps the sum up to date, for ever.
pub(crate) async fn keep_measuring(engine: Engine) {
    if engine.options.visits_per_day.is_none() {
        return;
    }
    loop {
        if let Err(error) = measure_budget(&engine).await {
            tracing::warn!(%error, "cannot measure how to share the visits of a day; the last shares stay in force");
        }
        tokio::time::sleep(EVERY).await;
    }
}
