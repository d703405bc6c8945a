//! Jobs: background work of all services, leased like feeds and ended under the token of the lease (`docs/notes/jobs.md`).
//!
//! A lease is the due time moved forward, so that expiry needs no reaper. A job that is asked for again while it is leased
//! is due again when its lease ends: nothing that was asked for is lost, and nothing is queued twice.
//! Invariant: every statement that writes `due_at` also writes `decided_at` (`leaps.rs`).

use crate::StoreError;
use crate::db::batch::{Batch, Durable, Refused};
use crate::db::queue::Lane;
use crate::db::sql::{Text, statements};
use crate::db::value::{Record, Value};
use crate::db::wake::Topic;
use crate::store::Store;
use jiff::Timestamp;
use model::job::{Job, JobCounts, JobEnd, JobLease, NewJob, Priority};
use model::{JobId, WorkerId};
use std::collections::HashSet;

/// The due jobs of kind $4 with a priority, at most $5: each part is a short walk along the index.
macro_rules! due_of {
    ($priority:literal) => {
        concat!(
            "SELECT id, priority, due_at FROM jobs WHERE kind = $4 AND priority = ",
            $priority,
            " AND $6 <= ",
            $priority,
            " AND due_at IS NOT NULL AND due_at <= $3 ORDER BY due_at, id LIMIT $5"
        )
    };
}

macro_rules! leased {
    () => {
        "id, kind, subject, priority, token, due_at, attempts"
    };
}

macro_rules! job_columns {
    () => {
        "id, kind, subject, priority, due_at, worker, attempts, last_error, created_at"
    };
}

statements! {
    /// Asks for a job at $4. One that is there is due no later than before; one that was given up is tried again; one that is
    /// leased is due again when its lease ends.
    ENQUEUE(Text, Text, Int, Int, Int) = Text::Rows(
        "INSERT INTO jobs (kind, subject, priority, due_at, decided_at, created_at) VALUES ($1, $2, $3, $4, $5, $5)
         ON CONFLICT (kind, subject) DO UPDATE SET
             priority = greatest(jobs.priority, excluded.priority),
             wanted_at = CASE WHEN jobs.worker IS NULL THEN NULL
                              WHEN jobs.wanted_at < excluded.due_at THEN jobs.wanted_at ELSE excluded.due_at END,
             attempts = CASE WHEN jobs.due_at IS NULL THEN 0 ELSE jobs.attempts END,
             decided_at = CASE WHEN jobs.worker IS NULL AND (jobs.due_at IS NULL OR jobs.due_at > excluded.due_at)
                               THEN excluded.decided_at ELSE jobs.decided_at END,
             due_at = CASE WHEN jobs.worker IS NULL AND (jobs.due_at IS NULL OR jobs.due_at > excluded.due_at)
                           THEN excluded.due_at ELSE jobs.due_at END");
    /// Leases up to $5 jobs of kind $4 and at least priority $6 that are due at $3 to worker $1 until $2, the most urgent
    /// first.
    CLAIM(Text, Int, Int, Text, Int, Int) = Text::Two {
        sqlite: concat!(
            "UPDATE jobs SET due_at = $2, decided_at = $3, wanted_at = NULL, token = token + 1, worker = $1
             WHERE id IN (SELECT id FROM (SELECT * FROM (", due_of!("2"), ") UNION ALL SELECT * FROM (", due_of!("1"),
             ") UNION ALL SELECT * FROM (", due_of!("0"), ")) ORDER BY priority DESC, due_at, id LIMIT $5)
             RETURNING ", leased!()),
        postgres: concat!(
            "WITH high AS MATERIALIZED (", due_of!("2"), " FOR UPDATE SKIP LOCKED),
                  normal AS MATERIALIZED (", due_of!("1"), " FOR UPDATE SKIP LOCKED),
                  low AS MATERIALIZED (", due_of!("0"), " FOR UPDATE SKIP LOCKED)
             UPDATE jobs SET due_at = $2, decided_at = $3, wanted_at = NULL, token = token + 1, worker = $1
             WHERE id IN (SELECT id FROM (SELECT * FROM high UNION ALL SELECT * FROM normal UNION ALL SELECT * FROM low) AS due
                          ORDER BY priority DESC, due_at, id LIMIT $5)
             RETURNING ", leased!()),
    };
    /// Renews a lease at $5; one that is just being ended is locked, and needs no renewal.
    RENEW(Int, Int, Text, Int, Int) = Text::Two {
        sqlite: "UPDATE jobs SET due_at = $4, decided_at = $5 WHERE id = $1 AND token = $2 AND worker = $3 RETURNING id",
        postgres: "UPDATE jobs SET due_at = $4, decided_at = $5
                   WHERE id = (SELECT id FROM jobs WHERE id = $1 AND token = $2 AND worker = $3 FOR UPDATE SKIP LOCKED)
                   RETURNING id",
    };
    HELD(Int, Int) = Text::Rows("SELECT id FROM jobs WHERE id = $1 AND token = $2");
    /// Ends a lease after success: due when it was asked for again, else at $3.
    END(Int, Int, Int, Int) = Text::One(
        "UPDATE jobs SET token = token + 1, worker = NULL, attempts = 0, last_error = NULL, decided_at = $4,
             due_at = CASE WHEN wanted_at < $3 THEN wanted_at ELSE coalesce($3, wanted_at) END, wanted_at = NULL
         WHERE id = $1 AND token = $2");
    /// Forgets a job that has just ended, unless it is due again.
    FORGET(Int, Int) = Text::One("DELETE FROM jobs WHERE id = $1 AND token = $2 + 1 AND due_at IS NULL");
    /// Ends a lease after a failure: tried again at $3, or given up, unless it was asked for again.
    FAIL(Int, Int, Int, Int, Text) = Text::One(
        "UPDATE jobs SET token = token + 1, worker = NULL, attempts = attempts + 1, last_error = $5, decided_at = $4,
             due_at = coalesce($3, wanted_at), wanted_at = NULL
         WHERE id = $1 AND token = $2");
    /// Ends a lease without a result: the job is due at $3, and no attempt is counted.
    HAND_BACK(Int, Int, Int) = Text::Rows(
        "UPDATE jobs SET due_at = $3, decided_at = $3, wanted_at = NULL, worker = NULL, token = token + 1
         WHERE id = $1 AND token = $2");
    /// Ends a lease without a result: the job is due at $3, or when it was asked for again.
    POSTPONE(Int, Int, Int, Int) = Text::One(
        "UPDATE jobs SET token = token + 1, worker = NULL, decided_at = $4,
             due_at = CASE WHEN wanted_at < $3 THEN wanted_at ELSE $3 END, wanted_at = NULL
         WHERE id = $1 AND token = $2");
    RECLAIM(Int) = Text::One(
        "UPDATE jobs SET due_at = $1, decided_at = $1, wanted_at = NULL, worker = NULL, token = token + 1
         WHERE worker IS NOT NULL");
    /// When the next job of a kind is due: the first of each priority.
    NEXT_DUE(Text) = Text::Rows(
        "SELECT p.priority, (SELECT min(due_at) FROM jobs WHERE kind = $1 AND priority = p.priority AND due_at IS NOT NULL)
         FROM (SELECT 0 AS priority UNION ALL SELECT 1 UNION ALL SELECT 2) AS p WHERE $1 IS NOT NULL");
    LIST(Int, Int) = Text::One(concat!(
        "SELECT ", job_columns!(), " FROM jobs WHERE id > $1 ORDER BY id LIMIT $2"));
    COUNTS(Int) = Text::One(
        "SELECT kind, count(CASE WHEN worker IS NULL AND due_at > $1 THEN 1 END),
                count(CASE WHEN worker IS NULL AND due_at <= $1 THEN 1 END), count(worker),
                count(CASE WHEN worker IS NULL AND due_at IS NULL THEN 1 END),
                min(CASE WHEN worker IS NULL AND due_at <= $1 THEN due_at END)
         FROM jobs GROUP BY kind ORDER BY kind");
    /// Makes a job due that nobody is at; one that was given up begins anew.
    RETRY(Int, Int) = Text::One(
        "UPDATE jobs SET due_at = $2, decided_at = $2, attempts = 0 WHERE id = $1 AND worker IS NULL");
    /// Forgets a job that nobody is at.
    DELETE(Int) = Text::One("DELETE FROM jobs WHERE id = $1 AND worker IS NULL");
    /// How many due jobs of a kind come before one, up to $3; nothing if there is none.
    AHEAD(Text, Text, Int) = Text::One(
        "SELECT (SELECT count(*) FROM (
                     SELECT 1 FROM jobs o WHERE o.kind = $1 AND o.due_at IS NOT NULL AND o.id <> j.id
                         AND (o.priority > j.priority OR (o.priority = j.priority AND o.due_at < j.due_at)) LIMIT $3) AS ahead)
         FROM jobs j WHERE j.kind = $1 AND j.subject = $2 AND j.due_at IS NOT NULL");
    OLDEST(Text) = Text::One("SELECT count(*), min(created_at) FROM jobs WHERE kind = $1");
}

/// A subject or an error may be no longer than this.
const LONGEST: usize = 1_000;

fn priority(number: i64) -> Result<Priority, StoreError> {
    let known = usize::try_from(number).ok().and_then(|number| Priority::ALL.get(number));
    known.copied().ok_or_else(|| StoreError::row(format!("{number} is no priority of a job")))
}

fn number(priority: Priority) -> i64 {
    Priority::ALL.iter().position(|known| *known == priority).unwrap_or(1) as i64
}

fn lease(row: &mut Record) -> Result<JobLease, StoreError> {
    Ok(JobLease {
        id: JobId(row.next()?),
        kind: row.next()?,
        subject: row.next()?,
        priority: priority(row.next()?)?,
        token: row.next()?,
        until: row.next()?,
        attempts: row.next()?,
    })
}

fn job(row: &mut Record) -> Result<Job, StoreError> {
    Ok(Job {
        id: JobId(row.next()?),
        kind: row.next()?,
        subject: row.next()?,
        priority: priority(row.next()?)?,
        due_at: row.next()?,
        worker: row.next()?,
        attempts: row.next()?,
        last_error: row.next()?,
        created_at: row.next()?,
    })
}

fn counts(row: &mut Record) -> Result<JobCounts, StoreError> {
    Ok(JobCounts {
        kind: row.next()?,
        waiting: row.next()?,
        due: row.next()?,
        running: row.next()?,
        failed: row.next()?,
        oldest_due: row.next()?,
    })
}

/// Adds the step that asks for jobs, so that they are asked for in the transaction that makes them necessary.
pub(crate) fn enqueue(batch: &mut Batch, jobs: &[NewJob], now: Timestamp) {
    let row = |job: &NewJob| -> Vec<Value> {
        let subject = shortened(&job.subject);
        vec![job.kind.as_str().into(), subject.into(), number(job.priority).into(), job.due_at.into(), now.into()]
    };
    // One statement may write a row only once; the last wish is as good as the first, for both are merged.
    let mut seen = HashSet::new();
    let (first, again): (Vec<_>, Vec<_>) = jobs.iter().partition(|job| seen.insert((&job.kind, &job.subject)));
    batch.step(&ENQUEUE, first.into_iter().map(row).collect());
    for job in again {
        batch.step(&ENQUEUE, vec![row(job)]);
    }
    batch.wakes(Topic::Jobs);
}

/// Adds the steps that end a job under its token; the first of them is the fence.
pub(crate) fn end(batch: &mut Batch, lease: &JobLease, end: &JobEnd, now: Timestamp) {
    let (id, token) = (lease.id.0, lease.token);
    let failed = |at: Option<Timestamp>, error: &str| -> Vec<Value> {
        vec![id.into(), token.into(), at.into(), now.into(), shortened(error).into()]
    };
    match end {
        JobEnd::Done => {
            batch.fence(&END, vec![id.into(), token.into(), Value::Null, now.into()]);
            batch.step(&FORGET, vec![vec![id.into(), token.into()]]);
        }
        JobEnd::Again(at) => batch.fence(&END, vec![id.into(), token.into(), (*at).into(), now.into()]),
        JobEnd::Later(at) => batch.fence(&POSTPONE, vec![id.into(), token.into(), (*at).into(), now.into()]),
        JobEnd::Retry { at, error } => batch.fence(&FAIL, failed(Some(*at), error)),
        JobEnd::GiveUp { error } => batch.fence(&FAIL, failed(None, error)),
    }
}

fn shortened(text: &str) -> &str {
    &text[..text.floor_char_boundary(LONGEST)]
}

impl Store {
    /// Asks for jobs. One that is there already is done once, no later than it was asked for first.
    pub async fn enqueue_jobs(&self, jobs: &[NewJob], now: Timestamp) -> Result<(), StoreError> {
        if jobs.is_empty() {
            return Ok(());
        }
        let mut batch = Batch::default();
        enqueue(&mut batch, jobs, now);
        self.write(batch).await.map(|_| ())
    }

    /// Leases up to `limit` due jobs of a kind to a worker until a moment: the most urgent first, then the longest due. None
    /// that is less urgent than `least`.
    pub async fn claim_jobs(
        &self,
        worker: &WorkerId,
        (kind, least): (&str, Priority),
        now: Timestamp,
        until: Timestamp,
        limit: u32,
    ) -> Result<Vec<JobLease>, StoreError> {
        let mut batch = Batch::lasting(Durable::Soon);
        let worker = worker.0.as_str();
        let row = vec![worker.into(), until.into(), now.into(), kind.into(), limit.into(), number(least).into()];
        batch.step(&CLAIM, vec![row]);
        let mut claimed = self.write_in(Lane::Leases, batch).await?;
        let mut leases: Vec<JobLease> = claimed[0].records.iter_mut().map(lease).collect::<Result<_, _>>()?;
        leases.sort_by_key(|lease| (std::cmp::Reverse(lease.priority), lease.id));
        Ok(leases)
    }

    /// Moves a worker's leases forward; returns those that are no longer its own.
    pub async fn renew_jobs(
        &self,
        worker: &WorkerId,
        leases: &[(JobId, i64)],
        until: Timestamp,
        now: Timestamp,
    ) -> Result<Vec<JobId>, StoreError> {
        let mut batch = Batch::lasting(Durable::Soon);
        let row = |(job, token): &(JobId, i64)| -> Vec<Value> {
            vec![job.0.into(), (*token).into(), worker.0.as_str().into(), until.into(), now.into()]
        };
        batch.step(&RENEW, leases.iter().map(row).collect());
        let mut renewed = HashSet::new();
        for mut row in self.write_in(Lane::Leases, batch).await?.into_iter().flat_map(|step| step.records) {
            renewed.insert(JobId(row.next()?));
        }
        // Not renewed because its end was just being written, or because it is somebody else's: ask.
        let doubtful: Vec<_> = leases.iter().copied().filter(|(job, _)| !renewed.contains(job)).collect();
        let rows = doubtful.iter().map(|(job, token)| vec![job.0.into(), (*token).into()]).collect();
        let held: HashSet<JobId> =
            self.read_each(&HELD, rows, |row| row.next().map(JobId)).await?.into_iter().collect();
        Ok(doubtful.into_iter().map(|(job, _)| job).filter(|job| !held.contains(job)).collect())
    }

    /// Ends a job under its token and asks for the jobs that follow from it, in one transaction; if the lease was lost,
    /// nothing is written.
    pub async fn end_job(
        &self,
        lease: &JobLease,
        end: &JobEnd,
        next: &[NewJob],
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let mut batch = Batch::default();
        self::end(&mut batch, lease, end, now);
        if !next.is_empty() {
            enqueue(&mut batch, next, now);
        }
        self.submit(self.lane(), batch).await.map(|_| ()).map_err(|refused| match refused {
            Refused::Stale => StoreError::JobLost { kind: lease.kind.clone(), subject: lease.subject.clone() },
            Refused::Failed(error) => error,
        })
    }

    /// Ends leases of jobs that were not finished: each is due again at the moment given.
    pub async fn hand_back_jobs(&self, leases: &[(JobId, i64)], due_at: Timestamp) -> Result<(), StoreError> {
        let mut batch = Batch::lasting(Durable::Soon);
        let row = |(job, token): &(JobId, i64)| vec![job.0.into(), (*token).into(), due_at.into()];
        batch.step(&HAND_BACK, leases.iter().map(row).collect());
        self.write_in(Lane::Leases, batch).await.map(|_| ())
    }

    /// Ends all leases of jobs; returns their number. Only for a process that knows that no other one works.
    pub async fn reclaim_jobs(&self, due_at: Timestamp) -> Result<u64, StoreError> {
        self.write_counted(&RECLAIM, vec![due_at.into()]).await
    }

    /// When the next job of some kinds is due.
    pub async fn next_job_due(&self, kinds: &[&str]) -> Result<Option<Timestamp>, StoreError> {
        let rows = kinds.iter().map(|kind| vec![(*kind).into()]).collect();
        let firsts = self.read_each(&NEXT_DUE, rows, |row| {
            row.next::<i64>()?;
            row.next::<Option<Timestamp>>()
        });
        Ok(firsts.await?.into_iter().flatten().min())
    }

    /// The jobs after an id, whatever their state.
    pub async fn jobs(&self, after: JobId, limit: u32) -> Result<Vec<Job>, StoreError> {
        self.read_all(&LIST, vec![after.0.into(), limit.into()], job).await
    }

    /// How many due jobs of a kind come before that of a subject, as far as a limit; `None` if there is no such job.
    pub async fn jobs_ahead(&self, kind: &str, subject: &str, limit: u32) -> Result<Option<u32>, StoreError> {
        self.read_first(&AHEAD, vec![kind.into(), subject.into(), limit.into()], |row| row.next()).await
    }

    /// How many jobs of a kind there are, and since when the oldest is.
    pub async fn oldest_job(&self, kind: &str) -> Result<(u64, Option<Timestamp>), StoreError> {
        let found = self.read_first(&OLDEST, vec![kind.into()], |row| Ok((row.next()?, row.next()?))).await?;
        Ok(found.unwrap_or((0, None)))
    }

    /// How many jobs of each kind there are.
    pub async fn job_counts(&self, now: Timestamp) -> Result<Vec<JobCounts>, StoreError> {
        self.read_all(&COUNTS, vec![now.into()], counts).await
    }

    /// Makes a job due now, also one that was given up. `false` if there is none, or it is being done.
    pub async fn retry_job(&self, job: JobId, now: Timestamp) -> Result<bool, StoreError> {
        let mut batch = Batch::one(&RETRY, vec![job.0.into(), now.into()]);
        batch.wakes(Topic::Jobs);
        Ok(self.write(batch).await?.iter().any(|step| step.written > Some(0)))
    }

    /// Forgets a job. `false` if there is none, or it is being done.
    pub async fn delete_job(&self, job: JobId) -> Result<bool, StoreError> {
        Ok(self.write_counted(&DELETE, vec![job.0.into()]).await? > 0)
    }
}
