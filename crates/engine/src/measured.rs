//! What the database knows of all feeds, for whoever looks at the figures: how many are due, how late the first of them
//! is. Asked when somebody looks, but not more often than it is worth, however many look.

use crate::engine::Engine;
use meter::{Kind, Page};
use std::time::Duration;
use store::{Behind, HEALTH_WARNING, StoreError};
use tokio::sync::Mutex;
use tokio::time::Instant;

/// So old it may be.
const FRESH: Duration = Duration::from_secs(10);
/// For an answer: the store waits for a database that restarts, and who looks at figures wants to know now.
const PATIENCE: Duration = Duration::from_secs(2);

/// What was asked last, and when.
#[derive(Default)]
pub struct Measured(Mutex<Option<(Instant, Answers)>>);

/// What came of asking: whether it answers at all, and what it knows, which among millions of feeds may take longer.
#[derive(Clone, Copy)]
struct Answers {
    is_up: bool,
    known: Option<Known>,
}

#[derive(Clone, Copy, Default)]
struct Known {
    behind: Behind,
    size_bytes: u64,
    has_warning: bool,
}

/// Puts what is known of the database and of our own network on a page. Without an answer of the database it says so, and
/// leaves out what only the database knows: a figure that is old looks like one that is right.
pub async fn show_measured(engine: &Engine, page: &mut Page) {
    let away = engine.memory.outage(engine.now()).is_some();
    page.value(
        "courant_network_away",
        Kind::Gauge,
        "Whether our own network is away, so that no feed is blamed.",
        u8::from(away),
    );
    let Answers { is_up, known } = engine.measured.get(engine).await;
    page.value("courant_database_up", Kind::Gauge, "Whether the database answers.", u8::from(is_up));
    if let Some(known) = known {
        known.show(page);
    }
}

impl Measured {
    async fn get(&self, engine: &Engine) -> Answers {
        // Whoever comes meanwhile waits for the same answer.
        let mut last = self.0.lock().await;
        if let Some((at, answers)) = *last
            && at.elapsed() < FRESH
        {
            return answers;
        }
        let is_up = patiently(engine.store.ping()).await.is_some();
        let known = if is_up { patiently(look(engine)).await } else { None };
        let answers = Answers { is_up, known };
        *last = Some((Instant::now(), answers));
        answers
    }
}

async fn patiently<T>(question: impl Future<Output = Result<T, StoreError>>) -> Option<T> {
    match tokio::time::timeout(PATIENCE, question).await {
        Ok(Ok(answer)) => return Some(answer),
        Ok(Err(error)) => tracing::debug!(%error, "no figures from the database"),
        Err(_) => tracing::debug!("no figures from the database within {} s", PATIENCE.as_secs()),
    }
    None
}

async fn look(engine: &Engine) -> Result<Known, StoreError> {
    let store = &engine.store;
    Ok(Known {
        behind: store.behind(engine.now()).await?,
        size_bytes: store.size_bytes().await?,
        has_warning: store.setting(HEALTH_WARNING).await?.is_some(),
    })
}

impl Known {
    fn show(&self, page: &mut Page) {
        let Self { behind: Behind { feeds, due, late }, size_bytes, has_warning } = self;
        let mut gauge = |name, help, value: String| page.value(name, Kind::Gauge, help, value);
        gauge("courant_feeds_scheduled", "Feeds that are visited at all.", feeds.to_string());
        gauge("courant_feeds_due", "Feeds that are due and not under way, over all workers.", due.to_string());
        gauge(
            "courant_feeds_late_seconds",
            "For how long the first of the feeds that are due has been; one that was put off is due later.",
            late.as_secs_f64().to_string(),
        );
        gauge("courant_database_bytes", "Size of the database, without the raw bytes.", size_bytes.to_string());
        gauge("courant_health_warning", "Whether `/api/health` shows a warning.", u8::from(*has_warning).to_string());
    }
}
