//! The runner of jobs: claims what is due, does it, ends it under its token (`docs/notes/jobs.md`).
//!
//! A service registers a handler for each kind of its jobs. A handler may be cancelled at any await, and may be run again
//! for the same job under a new token: what it changes outside of `end_job` must be safe to repeat.

use crate::held_leases::{HeldLeases, LeaseStore};
use crate::storage_gate::{Aim, Part, REST, StorageGate};
use crate::{Clock, GRACE, Stop, catch_panic};
use jiff::{SignedDuration, Timestamp};
use model::job::{JobEnd, JobLease, NewJob, Priority};
use model::{JobId, WorkerId};
use policy::RetryRule;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;
use store::{Store, StoreError, Topic};
use tokio::task::JoinSet;

/// What a handler came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// The job is done; these jobs follow from it, and are asked for in the transaction that ends it.
    Done(Vec<NewJob>),
    /// The job is done, and due again at a moment.
    Again(Timestamp),
    /// It failed; the rule of its kind says when it is tried again.
    Failed(String),
    /// The handler has written the end of the job itself, in the transaction that made its result.
    Ended(JobEnd),
    /// The handler wanted to write the end of the job, and found that it had lost the lease.
    LeaseLost,
}

/// Whether jobs of a kind may be claimed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gate {
    /// Those that are at least this urgent.
    Open(Priority),
    /// None before a moment.
    Closed(Timestamp),
}

/// What became of a job that was claimed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Finished {
    /// It ended, and that was written.
    Ended(JobEnd),
    /// The lease went to another worker; nothing was written.
    LeaseLost,
    /// The end could not be written: the job is done again when its lease has expired.
    NotWritten,
}

/// How a runner behaves.
#[derive(Debug, Clone)]
pub struct Limits {
    /// Jobs at the same time.
    pub at_once: usize,
    /// How long a lease lasts; it is renewed at a third of it.
    pub lease: SignedDuration,
    /// How often to look for jobs in case a wake-up was missed.
    pub idle: Duration,
    /// Jobs in progress get this long after a stop.
    pub grace: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self { at_once: 4, lease: SignedDuration::from_secs(60), idle: Duration::from_secs(5), grace: GRACE }
    }
}

type Running = Pin<Box<dyn Future<Output = Outcome> + Send>>;

type Gating = Pin<Box<dyn Future<Output = Gate> + Send>>;

struct Handler {
    kind: &'static str,
    retry: RetryRule,
    /// Asked before jobs of this kind are claimed.
    gate: Option<Box<dyn Fn() -> Gating + Send + Sync>>,
    run: Box<dyn Fn(JobLease) -> Running + Send + Sync>,
}

/// Does the jobs of the kinds that it has handlers for.
pub struct JobRunner {
    store: Store,
    clock: Clock,
    worker: WorkerId,
    limits: Limits,
    handlers: Vec<Handler>,
    gate: StorageGate,
    held: HeldLeases<JobId>,
}

impl JobRunner {
    /// A runner without handlers.
    pub fn new(store: Store, clock: Clock, worker: WorkerId, limits: Limits) -> Self {
        let (gate, held) = (StorageGate::pausing("jobs"), HeldLeases::default());
        Self { store, clock, worker, limits, handlers: Vec::new(), gate, held }
    }

    /// Does jobs of a kind from now on.
    #[must_use]
    pub fn on<F, R>(mut self, kind: &'static str, retry: RetryRule, handler: F) -> Self
    where
        F: Fn(JobLease) -> R + Send + Sync + 'static,
        R: Future<Output = Outcome> + Send + 'static,
    {
        let run = Box::new(move |lease| -> Running { Box::pin(handler(lease)) });
        self.handlers.push(Handler { kind, retry, gate: None, run });
        self
    }

    /// Asks before it claims jobs of the kind that was registered last: jobs that could not be done yet then wait where they
    /// are, however many they be.
    #[must_use]
    pub fn gated<F, R>(mut self, gate: F) -> Self
    where
        F: Fn() -> R + Send + Sync + 'static,
        R: Future<Output = Gate> + Send + 'static,
    {
        if let Some(handler) = self.handlers.last_mut() {
            handler.gate = Some(Box::new(move || -> Gating { Box::pin(gate()) }));
        }
        self
    }

    /// Works until it is told to stop, then hands back its leases.
    pub async fn run(self, mut stop: Stop) {
        let runner = Arc::new(self);
        // In a set, so that it ends with this loop, however that ends.
        let mut heartbeat = JoinSet::new();
        let lease = runner.limits.lease.try_into().unwrap_or(Duration::from_mins(1));
        heartbeat.spawn(runner.held.clone().keep(runner.leases(), lease));
        let mut running: JoinSet<()> = JoinSet::new();
        let mut asked = runner.store.waiter(Topic::Jobs);
        while !*stop.borrow() {
            while running.try_join_next().is_some() {}
            let gates = runner.gates().await;
            let wait = match runner.claim(runner.limits.at_once - running.len(), &gates).await {
                Ok(claimed) if claimed.is_empty() => runner.until_next_due(&gates).await,
                Ok(claimed) => {
                    for (kind, lease) in claimed {
                        let runner = Arc::clone(&runner);
                        running.spawn(async move { drop(runner.finish(kind, lease).await) });
                    }
                    Duration::ZERO
                }
                Err(wait) => wait,
            };
            let full = running.len() >= runner.limits.at_once;
            tokio::select! {
                _ = stop.changed() => {}
                _ = running.join_next(), if !running.is_empty() => {}
                _ = asked.wait(wait), if !full => {}
            }
        }
        let finish = async { while running.join_next().await.is_some() {} };
        if tokio::time::timeout(runner.limits.grace, finish).await.is_err() {
            running.shutdown().await;
        }
        runner.held.hand_back(&runner.leases()).await;
    }

    /// Does what is due, one job after the other, until nothing is. Jobs that are due again count anew.
    pub async fn run_due(&self) -> Vec<(&'static str, Finished)> {
        let mut done = Vec::new();
        while let Some(finished) = self.run_next().await {
            done.push(finished);
        }
        done
    }

    /// Does one job that is due; `None` if there is none, or none may be done now.
    pub async fn run_next(&self) -> Option<(&'static str, Finished)> {
        let claimed = self.claim(1, &self.gates().await).await.ok()?;
        let (handler, lease) = claimed.into_iter().next()?;
        Some((self.handlers[handler].kind, self.finish(handler, lease).await))
    }

    /// Whether jobs may be claimed, kind by kind.
    async fn gates(&self) -> Vec<Gate> {
        let mut gates = Vec::with_capacity(self.handlers.len());
        for handler in &self.handlers {
            gates.push(match &handler.gate {
                Some(gate) => gate().await,
                None => Gate::Open(Priority::Low),
            });
        }
        gates
    }

    /// Leases up to `free` jobs; while storage fails, one at a time. `Err` is how long to rest.
    async fn claim(&self, free: usize, gates: &[Gate]) -> Result<Vec<(usize, JobLease)>, Duration> {
        if self.gate.is_resting() {
            return Err(REST);
        }
        let aim = if self.gate.is_closed() { Aim::Probe } else { Aim::Work };
        let mut left = if aim == Aim::Probe { free.min(1) } else { free };
        let mut claimed = Vec::new();
        let now = self.clock.now();
        for (handler, (Handler { kind, .. }, gate)) in self.handlers.iter().zip(gates).enumerate() {
            if left == 0 {
                break;
            }
            let Gate::Open(least) = *gate else { continue };
            let until = now + self.limits.lease;
            let leases = self.store.claim_jobs(&self.worker, (kind, least), now, until, left as u32).await;
            let leases = leases.map_err(|error| self.fail(&error))?;
            left -= leases.len();
            claimed.extend(leases.into_iter().map(|lease| (handler, lease)));
        }
        self.gate.succeeded(aim);
        Ok(claimed)
    }

    fn fail(&self, error: &StoreError) -> Duration {
        self.gate.close(Part::Store, &error.to_string());
        REST
    }

    /// Does one job and writes how it ended.
    async fn finish(&self, handler: usize, lease: JobLease) -> Finished {
        let handler = &self.handlers[handler];
        let lost = self.held.add(lease.id, lease.token);
        let (kind, subject) = (handler.kind, lease.subject.as_str());
        let outcome = tokio::select! {
            outcome = catch_panic((handler.run)(lease.clone())) => outcome.unwrap_or_else(|why| {
                tracing::error!(kind, subject, why, "job panicked");
                Outcome::Failed(format!("the job panicked, which is a defect to report: {why}"))
            }),
            () = lost.notified() => {
                tracing::warn!(kind, subject, "the lease of a job was lost; the job is left to its new worker");
                return Finished::LeaseLost;
            }
        };
        let now = self.clock.now();
        let (end, next) = match outcome {
            Outcome::Ended(end) => {
                self.held.remove(lease.id, lease.token);
                return Finished::Ended(end);
            }
            Outcome::LeaseLost => {
                tracing::warn!(kind, subject, "the lease of a job was lost; nothing was written");
                self.held.remove(lease.id, lease.token);
                return Finished::LeaseLost;
            }
            Outcome::Done(next) => (JobEnd::Done, next),
            Outcome::Again(at) => (JobEnd::Again(at), Vec::new()),
            Outcome::Failed(error) => (failed(error, &handler.retry, lease.attempts, now), Vec::new()),
        };
        if let JobEnd::Retry { error, .. } | JobEnd::GiveUp { error } = &end {
            let given_up = matches!(end, JobEnd::GiveUp { .. });
            tracing::warn!(kind, subject, attempts = lease.attempts + 1, given_up, error, "job failed");
        }
        let written = self.store.end_job(&lease, &end, &next, now).await;
        self.held.remove(lease.id, lease.token);
        match written {
            Ok(()) => Finished::Ended(end),
            Err(StoreError::JobLost { .. }) => {
                tracing::warn!(kind, subject, "the lease of a job was lost; nothing was written");
                Finished::LeaseLost
            }
            Err(error) => {
                self.fail(&error);
                Finished::NotWritten
            }
        }
    }

    /// Jobs that are not urgent enough are due and not claimed: they do not wake anybody.
    async fn until_next_due(&self, gates: &[Gate]) -> Duration {
        let with_gates = || self.handlers.iter().zip(gates);
        let open = with_gates().filter(|(_, gate)| **gate == Gate::Open(Priority::Low));
        let kinds: Vec<&str> = open.map(|(handler, _)| handler.kind).collect();
        let opens = with_gates().filter_map(|(_, gate)| match gate {
            Gate::Closed(until) => Some(*until),
            Gate::Open(_) => None,
        });
        match self.store.next_job_due(&kinds).await {
            Ok(due) => match due.into_iter().chain(opens).min() {
                Some(at) => {
                    let wait = at.duration_since(self.clock.now()).max(SignedDuration::ZERO);
                    wait.try_into().unwrap_or(self.limits.idle).clamp(Duration::from_millis(10), self.limits.idle)
                }
                None => self.limits.idle,
            },
            Err(error) => self.fail(&error),
        }
    }

    fn leases(&self) -> JobLeases {
        let (store, clock, worker) = (self.store.clone(), self.clock.clone(), self.worker.clone());
        JobLeases { store, clock, worker, lease: self.limits.lease }
    }
}

/// What is written of a failure.
fn failed(error: String, rule: &RetryRule, attempts: u32, now: Timestamp) -> JobEnd {
    match policy::retry(rule, attempts, now) {
        Some(at) => JobEnd::Retry { at, error },
        None => JobEnd::GiveUp { error },
    }
}

struct JobLeases {
    store: Store,
    clock: Clock,
    worker: WorkerId,
    lease: SignedDuration,
}

impl LeaseStore for JobLeases {
    type Key = JobId;
    const WHAT: &'static str = "jobs";

    async fn renew(&self, leases: &[(JobId, i64)]) -> Result<Vec<JobId>, StoreError> {
        let now = self.clock.now();
        self.store.renew_jobs(&self.worker, leases, now + self.lease, now).await
    }

    async fn hand_back(&self, leases: &[(JobId, i64)]) -> Result<(), StoreError> {
        self.store.hand_back_jobs(leases, self.clock.now()).await
    }
}
