//! `courant job`: the background work that waits, runs or was given up. What jobs are is in `docs/notes/jobs.md`.

use clap::Subcommand;
use jiff::Timestamp;
use model::JobId;
use model::job::Job;
use serde_json::{Value, json};
use store::Store;

use super::{Context, table};
use crate::output::Output;

/// What to do with jobs.
#[derive(Subcommand)]
pub(crate) enum Args {
    /// List background jobs, and why those that failed did
    List {
        /// Only those of a kind, such as `upkeep.cleanup`
        #[arg(long, value_name = "KIND")]
        kind: Option<String>,
        /// Only those that have failed
        #[arg(long)]
        failed: bool,
        /// At most this many
        #[arg(long, value_name = "NUMBER", default_value_t = 100)]
        limit: usize,
    },
    /// Make a job due now, also one that was given up
    Retry {
        /// As `courant job list` shows it
        #[arg(value_name = "JOB")]
        id: i64,
    },
    /// Forget a job
    Delete {
        /// As `courant job list` shows it
        #[arg(value_name = "JOB")]
        id: i64,
    },
}

/// Jobs read at a time.
const PAGE: u32 = 1_000;

pub(super) fn run(context: &Context, args: &Args) -> anyhow::Result<()> {
    context.with_store(async |_, store| {
        let now = context.clock.now();
        let (id, done, word) = match args {
            Args::List { kind, failed, limit } => {
                let wanted = |job: &Job| {
                    kind.as_ref().is_none_or(|kind| *kind == job.kind) && (!failed || job.last_error.is_some())
                };
                return list(context, &some(&store, wanted, *limit).await?, now);
            }
            Args::Retry { id } => (*id, store.retry_job(JobId(*id), now).await?, "due"),
            Args::Delete { id } => (*id, store.delete_job(JobId(*id)).await?, "deleted"),
        };
        anyhow::ensure!(done, "there is no job {id}, or it is being done right now; see `courant job list`");
        match context.output {
            Output::Json(_) => context.output.json(&json!({ "id": id, "result": word })),
            Output::Text => context.output.print(format_args!("job {id}: {word}")),
        }
    })
}

async fn some(store: &Store, wanted: impl Fn(&Job) -> bool, limit: usize) -> anyhow::Result<Vec<Job>> {
    let mut found = Vec::new();
    let mut after = JobId(0);
    loop {
        let page = store.jobs(after, PAGE).await?;
        let Some(last) = page.last() else { return Ok(found) };
        after = last.id;
        found.extend(page.into_iter().filter(&wanted));
        if found.len() >= limit {
            found.truncate(limit);
            return Ok(found);
        }
    }
}

/// Where a job stands, in one word.
fn state(job: &Job, now: Timestamp) -> &'static str {
    match (&job.worker, job.due_at) {
        (Some(_), _) => "running",
        (None, None) => "failed",
        (None, Some(at)) if at <= now => "due",
        (None, Some(_)) => "waiting",
    }
}

fn list(context: &Context, jobs: &[Job], now: Timestamp) -> anyhow::Result<()> {
    match context.output {
        Output::Json(_) => {
            let row = |job: &Job| {
                json!({
                    "id": job.id.0,
                    "kind": job.kind,
                    "subject": job.subject,
                    "state": state(job, now),
                    "priority": job.priority.as_str(),
                    "due_at": job.due_at.map(|at| at.to_string()),
                    "worker": job.worker,
                    "attempts": job.attempts,
                    "last_error": job.last_error,
                    "created_at": job.created_at.to_string(),
                })
            };
            context.output.json(&jobs.iter().map(row).collect::<Vec<Value>>().into())
        }
        Output::Text if jobs.is_empty() => context.output.print("no jobs"),
        Output::Text => {
            let due = table::header("due", jobs.iter().filter_map(|job| job.due_at));
            let rows = jobs.iter().map(|job| {
                vec![
                    job.id.to_string(),
                    job.kind.clone(),
                    job.subject.clone(),
                    state(job, now).to_owned(),
                    job.due_at.map(table::in_table).unwrap_or_default(),
                    job.attempts.to_string(),
                    job.last_error.clone().unwrap_or_default(),
                ]
            });
            let header = ["id", "kind", "subject", "state", &due, "failures", "last error"];
            context.output.print(table::render(&header, rows))
        }
    }
}
