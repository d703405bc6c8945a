//! The jobs of readers, and the loop that asks for them when entries arrive. Run by every process that answers requests.

use crate::error::report;
use crate::filters::{self, FILTERS};
use crate::full_text::{self, ARRIVALS, FULL_TEXT};
use crate::import_opml::{self, IMPORT};
use engine::Engine;
use jiff::{SignedDuration, Timestamp};
use model::EntryId;
use model::job::{NewJob, Priority};
use policy::RetryRule;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;
use store::{Store, StoreError, Topic};
use work::{Clock, Cpu, JobRunner, Limits, Outcome, REST, Stop};

const TIDY: &str = "reader.tidy";
const TIDY_EVERY: SignedDuration = SignedDuration::from_hours(1);
/// An import can be undone for this long.
const KEEP_IMPORTS: SignedDuration = SignedDuration::from_hours(30 * 24);
/// A subscription that was ended comes back as it was for this long.
const KEEP_HIDDEN: SignedDuration = SignedDuration::from_hours(30 * 24);
/// Entries of another process on the same SQLite file wake nobody: look so often.
const LOOK_EVERY: Duration = Duration::from_secs(30);
/// Users whose filters are asked for at once.
const USERS: u32 = 500;
/// A page that cannot be fetched is an outcome; what fails is the database, for a while.
const RETRY: RetryRule = RetryRule::every(SignedDuration::from_mins(10));

/// Something that is done every hour.
pub struct Chore {
    /// What it is called in the log.
    pub name: &'static str,
    /// Does it; the time is handed in.
    pub run: Box<dyn Fn(Timestamp) -> Running + Send + Sync>,
}

type Running = Pin<Box<dyn Future<Output = Result<(), StoreError>> + Send>>;

impl Chore {
    /// A chore of this name.
    pub fn new<F, R>(name: &'static str, run: F) -> Self
    where
        F: Fn(Timestamp) -> R + Send + Sync + 'static,
        R: Future<Output = Result<(), StoreError>> + Send + 'static,
    {
        Self { name, run: Box::new(move |now| -> Running { Box::pin(run(now)) }) }
    }
}

/// What the jobs are made of.
pub struct Parts {
    /// Visits and keeps.
    pub engine: Engine,
    /// What else is done every hour: expired sessions and tokens.
    pub chores: Vec<Chore>,
}

/// The runner of readers' jobs.
pub fn jobs(parts: Parts) -> JobRunner {
    let Parts { engine, chores } = parts;
    let clock = engine.clock().clone();
    let store = engine.store().in_background();
    let runner = JobRunner::new(store.clone(), clock.clone(), engine.worker().clone(), Limits::default());
    let (cpu, chores) = (Cpu::default(), Arc::new(chores));
    let (importing, reading) = (engine.clone(), engine);
    let (filtering, arriving, tidying) =
        ((store.clone(), clock.clone()), (store.clone(), clock.clone()), (store, clock));
    runner
        .on(IMPORT, RetryRule::default(), move |lease| {
            let engine = importing.clone();
            async move { import_opml::run(&engine, &lease.subject).await }
        })
        .on(FILTERS, RetryRule::default(), move |lease| {
            let (store, clock) = filtering.clone();
            async move { filters::run(&store, &lease.subject, clock.now()).await }
        })
        .on(ARRIVALS, RETRY, move |_| {
            let (store, clock) = arriving.clone();
            async move { told(full_text::arrivals(&store, clock.now()).await) }
        })
        .on(FULL_TEXT, RetryRule::default(), move |lease| {
            let (engine, cpu) = (reading.clone(), cpu.clone());
            async move { full_text::run(&engine, &cpu, &lease.subject).await }
        })
        .on(TIDY, RETRY, move |_| {
            let ((store, clock), chores) = (tidying.clone(), Arc::clone(&chores));
            async move { told(tidy(&store, &chores, clock.now()).await) }
        })
}

fn told(done: Result<Outcome, StoreError>) -> Outcome {
    done.unwrap_or_else(|error| Outcome::Failed(report(&error)))
}

/// Asks for the hourly job. Every start does.
pub async fn request_tidy(store: &Store, now: Timestamp) -> Result<(), StoreError> {
    store.enqueue_jobs(&[NewJob::new(TIDY, now)], now).await
}

async fn tidy(store: &Store, chores: &[Chore], now: Timestamp) -> Result<Outcome, StoreError> {
    store.forget_imports(now - KEEP_IMPORTS).await?;
    store.forget_hidden_subscriptions(now - KEEP_HIDDEN).await?;
    store.compact_read_state(now).await?;
    for chore in chores {
        // One that fails holds up no other.
        if let Err(error) = (chore.run)(now).await {
            tracing::warn!(%error, chore = chore.name, "an hourly chore failed");
        }
    }
    Ok(Outcome::Again(now + TIDY_EVERY))
}

/// Asks for jobs when entries arrive, until it is told to stop.
pub async fn watch(store: Store, clock: Clock, mut stop: Stop) {
    let store = store.in_background();
    let mut events = store.waiter(Topic::Events);
    let mut done = EntryId(-1);
    while !*stop.borrow() {
        let wait = match ask(&store, clock.now(), done).await {
            Ok(upto) => {
                done = upto;
                LOOK_EVERY
            }
            Err(error) => {
                tracing::warn!(%error, "cannot look for entries that have arrived");
                REST
            }
        };
        tokio::select! {
            _ = stop.changed() => {}
            _ = events.wait(wait) => {}
        }
    }
}

/// Asks for what the entries after one make necessary; returns up to which it has.
pub(crate) async fn ask(store: &Store, now: Timestamp, done: EntryId) -> Result<EntryId, StoreError> {
    let last = store.last_entry().await?;
    if last <= done {
        return Ok(done);
    }
    let users = store.users_behind_filters(last, USERS).await?;
    let filtering = users.iter().map(|user| NewJob {
        kind: FILTERS.to_owned(),
        subject: user.to_string(),
        priority: Priority::High,
        due_at: now,
    });
    let jobs: Vec<NewJob> = filtering.chain([NewJob::new(ARRIVALS, now)]).collect();
    store.enqueue_jobs(&jobs, now).await?;
    // More users than fit: look again soon, without waiting for another entry.
    Ok(if users.len() == USERS as usize { done } else { last })
}
