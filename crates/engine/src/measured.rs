//! The metrics of an engine: what this process counts, and what the database knows of all feeds (how many are due, how
//! late the first of them is). The database is asked when somebody looks, at most once in ten seconds.

use crate::figures::Figures;
use crate::visit::memory::Memory;
use meter::{Kind, Page};
use model::job::JobCounts;
use std::sync::Arc;
use std::time::Duration;
use store::{Behind, HEALTH_WARNING, Store, StoreError};
use tokio::sync::Mutex;
use tokio::time::Instant;
use work::Clock;

/// An answer is used for at most this long.
const FRESH: Duration = Duration::from_secs(10);
/// Longest wait for an answer: the store waits for a database that restarts, but a page of metrics is wanted now.
const PATIENCE: Duration = Duration::from_secs(2);

/// What a page of metrics is made from. Cheap to clone; gives access to nothing else of the engine.
#[derive(Clone)]
pub struct Metrics {
    pub(crate) store: Store,
    pub(crate) clock: Clock,
    pub(crate) memory: Arc<Memory>,
    pub(crate) figures: Arc<Figures>,
    pub(crate) measured: Arc<Measured>,
}

/// What was asked last, and when.
#[derive(Default)]
pub(crate) struct Measured(Mutex<Option<(Instant, Answers)>>);

/// What came of asking: whether it answers at all, and what it knows, which among millions of feeds may take longer.
#[derive(Clone)]
struct Answers {
    is_up: bool,
    known: Option<Known>,
}

#[derive(Clone, Default)]
struct Known {
    jobs: Vec<JobCounts>,
    behind: Behind,
    size_bytes: u64,
    has_warning: bool,
}

impl Metrics {
    /// Puts the counters of this process on a page, and what is known of the database and of our own network. Without an
    /// answer of the database the page says so, and leaves out what only the database knows: an old figure looks like a
    /// right one.
    pub async fn show(&self, page: &mut Page) {
        self.figures.show(page);
        let away = self.memory.outage(self.clock.now()).is_some();
        page.value(
            "courant_network_away",
            Kind::Gauge,
            "Whether our own network is away, so that no feed is blamed.",
            u8::from(away),
        );
        let Answers { is_up, known } = self.measured.get(self).await;
        page.value("courant_database_up", Kind::Gauge, "Whether the database answers.", u8::from(is_up));
        if let Some(known) = known {
            known.show(page);
        }
    }
}

impl Measured {
    async fn get(&self, metrics: &Metrics) -> Answers {
        // Concurrent callers wait for the same answer.
        let mut last = self.0.lock().await;
        if let Some((at, answers)) = &*last
            && at.elapsed() < FRESH
        {
            return answers.clone();
        }
        let is_up = patiently(metrics.store.ping()).await.is_some();
        let known = if is_up { patiently(look(metrics)).await } else { None };
        let answers = Answers { is_up, known };
        *last = Some((Instant::now(), answers.clone()));
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

async fn look(metrics: &Metrics) -> Result<Known, StoreError> {
    let store = &metrics.store;
    Ok(Known {
        behind: store.behind(metrics.clock.now()).await?,
        size_bytes: store.size_bytes().await?,
        has_warning: store.setting(HEALTH_WARNING).await?.is_some(),
        jobs: store.job_counts(metrics.clock.now()).await?,
    })
}

impl Known {
    fn show(&self, page: &mut Page) {
        let Self { behind: Behind { feeds, due, late }, size_bytes, has_warning, jobs } = self;
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
        let all = |count: fn(&JobCounts) -> i64| jobs.iter().map(count).sum::<i64>();
        let states = [
            ("waiting", all(|jobs| jobs.waiting)),
            ("due", all(|jobs| jobs.due)),
            ("running", all(|jobs| jobs.running)),
            ("failed", all(|jobs| jobs.failed)),
        ];
        page.labelled(
            "courant_jobs",
            Kind::Gauge,
            "Background jobs, by state; `failed` were given up.",
            "state",
            &states,
        );
    }
}
