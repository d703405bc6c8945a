//! Jobs: at most one of a kind for a subject, leased by one worker at a time, ended under the token of the lease.

use crate::support::{Database, HOUR, MINUTE, SECOND, on_both, start, worker};
use jiff::Timestamp;
use model::JobId;
use model::job::{JobCounts, JobEnd, JobLease, NewJob, Priority};
use std::collections::HashSet;
use store::{Store, StoreError};

on_both!(
    two_workers_never_hold_one_job,
    the_most_urgent_come_first_then_the_longest_due,
    an_expired_lease_goes_to_the_next_worker,
    a_job_ends_under_its_token_only,
    a_job_asked_for_twice_is_one_job,
    what_is_asked_for_while_it_is_done_is_done_again,
    a_job_that_fails_counts_its_attempts,
    a_job_handed_back_counts_no_attempt,
    what_follows_is_asked_for_in_the_same_transaction,
    a_deleted_job_leaves_its_id_unused,
    how_many_there_are_and_when_the_next_is_due,
    a_clock_that_was_ahead_makes_no_job_wait,
);

fn job(subject: &str, due_at: Timestamp) -> NewJob {
    NewJob { subject: subject.to_owned(), ..NewJob::new("test", due_at) }
}

async fn ask(store: &Store, jobs: &[NewJob]) {
    store.enqueue_jobs(jobs, start()).await.unwrap();
}

async fn claim(store: &Store, name: &str, now: Timestamp, limit: u32) -> Vec<JobLease> {
    store.claim_jobs(&worker(name), ("test", Priority::Low), now, now + MINUTE, limit).await.unwrap()
}

fn subjects(leases: &[JobLease]) -> Vec<&str> {
    leases.iter().map(|lease| lease.subject.as_str()).collect()
}

fn lost<T>(result: &Result<T, StoreError>) -> bool {
    matches!(result, Err(StoreError::JobLost { .. }))
}

async fn two_workers_never_hold_one_job(db: Database) {
    let jobs: Vec<NewJob> = (0..300).map(|i| job(&format!("feed:{i}"), start())).collect();
    ask(&db.store, &jobs).await;
    let stores = [db.another().await, db.another().await, db.another().await];
    let mut claims = Vec::new();
    for (i, store) in stores.into_iter().enumerate() {
        claims.push(tokio::spawn(async move {
            let mut mine = Vec::new();
            loop {
                let leases = claim(&store, &format!("w{i}"), start(), 7).await;
                if leases.is_empty() {
                    return mine;
                }
                mine.extend(leases.into_iter().map(|lease| lease.id));
            }
        }));
    }
    let mut all = Vec::new();
    for claimed in claims {
        all.extend(claimed.await.unwrap());
    }
    assert_eq!((all.len(), all.iter().collect::<HashSet<_>>().len()), (300, 300));
}

async fn the_most_urgent_come_first_then_the_longest_due(db: Database) {
    let with = |subject: &str, priority, due_at| NewJob { priority, ..job(subject, due_at) };
    ask(
        &db.store,
        &[
            with("low", Priority::Low, start() - HOUR),
            with("later", Priority::Normal, start() - MINUTE),
            with("sooner", Priority::Normal, start() - HOUR),
            with("not yet", Priority::High, start() + SECOND),
            with("urgent", Priority::High, start()),
            NewJob { kind: "other".into(), ..with("other", Priority::High, start()) },
        ],
    )
    .await;
    let claimed = claim(&db.store, "w", start(), 2).await;
    assert_eq!(subjects(&claimed), ["urgent", "sooner"]);
    let claimed = claim(&db.store, "w", start(), 9).await;
    assert_eq!(subjects(&claimed), ["later", "low"]);
    assert_eq!(subjects(&claim(&db.store, "w", start() + SECOND, 9).await), ["not yet"]);
}

async fn an_expired_lease_goes_to_the_next_worker(db: Database) {
    ask(&db.store, &[job("a", start())]).await;
    let first = claim(&db.store, "one", start(), 1).await.remove(0);
    assert_eq!(claim(&db.store, "two", start() + MINUTE - SECOND, 1).await, []);
    let held = [(first.id, first.token)];
    let renew = async |at: Timestamp| db.store.renew_jobs(&worker("one"), &held, at + MINUTE, at).await.unwrap();
    assert_eq!(renew(start() + SECOND * 30).await, []);
    assert_eq!(claim(&db.store, "two", start() + MINUTE, 1).await, [], "renewed");
    let second = claim(&db.store, "two", start() + MINUTE * 2, 1).await.remove(0);
    assert!(second.token > first.token);
    assert_eq!(renew(start() + MINUTE * 2).await, [first.id], "it is no longer ours");
    assert!(lost(&db.store.end_job(&first, &JobEnd::Done, &[], start()).await));
    db.store.end_job(&second, &JobEnd::Done, &[], start()).await.unwrap();
    assert_eq!(db.store.jobs(JobId(0), 9).await.unwrap(), []);
}

async fn a_job_ends_under_its_token_only(db: Database) {
    for end in [
        JobEnd::Done,
        JobEnd::Again(start() + HOUR),
        JobEnd::Retry { at: start() + HOUR, error: "it rained".into() },
        JobEnd::GiveUp { error: "it rained".into() },
    ] {
        ask(&db.store, &[job("a", start())]).await;
        let lease = claim(&db.store, "w", start(), 1).await.remove(0);
        let stale = JobLease { token: lease.token - 1, ..lease.clone() };
        let effect = [job("effect", start() + HOUR)];
        assert!(lost(&db.store.end_job(&stale, &end, &effect, start()).await), "{end:?}");
        assert_eq!(db.store.jobs(JobId(0), 9).await.unwrap().len(), 1, "{end:?}: nothing was written");
        db.store.end_job(&lease, &end, &[], start()).await.unwrap();
        assert!(
            lost(&db.store.end_job(&lease, &end, &effect, start()).await),
            "{end:?}: an answer was lost, not the end"
        );
        for left in db.store.jobs(JobId(0), 9).await.unwrap() {
            assert_eq!(left.worker, None, "{end:?}");
            assert!(db.store.delete_job(left.id).await.unwrap());
        }
    }
}

async fn a_job_asked_for_twice_is_one_job(db: Database) {
    ask(&db.store, &[job("a", start() + HOUR), job("b", start() + HOUR)]).await;
    let urgent = NewJob { priority: Priority::High, ..job("a", start() + MINUTE) };
    ask(&db.store, &[urgent, job("b", start() + HOUR * 2), job("b", start() + HOUR * 3)]).await;
    let jobs = db.store.jobs(JobId(0), 9).await.unwrap();
    let told: Vec<_> = jobs.iter().map(|job| (job.subject.as_str(), job.priority, job.due_at.unwrap())).collect();
    let expected = [("a", Priority::High, start() + MINUTE), ("b", Priority::Normal, start() + HOUR)];
    assert_eq!(told, expected, "the sooner and the more urgent of both");
}

async fn what_is_asked_for_while_it_is_done_is_done_again(db: Database) {
    ask(&db.store, &[job("a", start())]).await;
    let lease = claim(&db.store, "w", start(), 1).await.remove(0);
    ask(&db.store, &[job("a", start() + HOUR)]).await;
    ask(&db.store, &[job("a", start() + SECOND)]).await;
    assert_eq!(claim(&db.store, "w", start() + SECOND, 1).await, [], "one at a time");
    db.store.end_job(&lease, &JobEnd::Done, &[], start() + SECOND).await.unwrap();
    let again = claim(&db.store, "w", start() + SECOND, 1).await.remove(0);
    assert_eq!((again.id, again.attempts), (lease.id, 0));
    db.store.end_job(&again, &JobEnd::Again(start() + HOUR), &[], start() + SECOND).await.unwrap();
    let jobs = db.store.jobs(JobId(0), 9).await.unwrap();
    assert_eq!(jobs[0].due_at, Some(start() + HOUR), "what was asked for was done by the second");
    // Also where the lease ends with a failure that is not tried again.
    let lease = claim(&db.store, "w", start() + HOUR, 1).await.remove(0);
    ask(&db.store, &[job("a", start() + HOUR * 2)]).await;
    db.store.end_job(&lease, &JobEnd::GiveUp { error: "no".into() }, &[], start() + HOUR).await.unwrap();
    assert_eq!(db.store.jobs(JobId(0), 9).await.unwrap()[0].due_at, Some(start() + HOUR * 2));
}

async fn a_job_that_fails_counts_its_attempts(db: Database) {
    ask(&db.store, &[job("a", start())]).await;
    let mut now = start();
    for attempt in 0..3 {
        let lease = claim(&db.store, "w", now, 1).await.remove(0);
        assert_eq!(lease.attempts, attempt);
        now += MINUTE;
        let error = format!("attempt {attempt}, {}", "é".repeat(2_000));
        db.store.end_job(&lease, &JobEnd::Retry { at: now, error }, &[], now).await.unwrap();
    }
    let lease = claim(&db.store, "w", now, 1).await.remove(0);
    db.store.end_job(&lease, &JobEnd::GiveUp { error: "enough".into() }, &[], now).await.unwrap();
    let job = db.store.jobs(JobId(0), 9).await.unwrap().remove(0);
    assert_eq!((job.due_at, job.attempts, job.last_error.as_deref()), (None, 4, Some("enough")));
    assert_eq!(claim(&db.store, "w", now + HOUR, 1).await, [], "it was given up");
    assert!(db.store.retry_job(job.id, now).await.unwrap());
    let lease = claim(&db.store, "w", now, 1).await.remove(0);
    assert_eq!(lease.attempts, 0);
    assert!(!db.store.retry_job(job.id, now).await.unwrap(), "somebody is at it");
    assert!(!db.store.delete_job(job.id).await.unwrap());
    db.store.end_job(&lease, &JobEnd::Done, &[], now).await.unwrap();
    assert!(!db.store.retry_job(job.id, now).await.unwrap(), "it is done");
}

async fn a_job_handed_back_counts_no_attempt(db: Database) {
    ask(&db.store, &[job("a", start()), job("b", start())]).await;
    let leases = claim(&db.store, "w", start(), 9).await;
    let held: Vec<_> = leases.iter().map(|lease| (lease.id, lease.token)).collect();
    db.store.hand_back_jobs(&held[..1], start()).await.unwrap();
    let again = claim(&db.store, "x", start(), 9).await;
    assert_eq!((subjects(&again), again[0].attempts), (vec!["a"], 0));
    db.store.hand_back_jobs(&held, start()).await.unwrap();
    assert_eq!(subjects(&claim(&db.store, "y", start(), 9).await), ["b"], "a is x's");
    assert_eq!(db.store.reclaim_jobs(start()).await.unwrap(), 2);
    assert_eq!(claim(&db.store, "z", start(), 9).await.len(), 2, "whatever held them is gone");
}

async fn what_follows_is_asked_for_in_the_same_transaction(db: Database) {
    ask(&db.store, &[job("a", start())]).await;
    let lease = claim(&db.store, "w", start(), 1).await.remove(0);
    let next = [job("b", start()), job("a", start() + MINUTE), NewJob::new("other", start())];
    db.store.end_job(&lease, &JobEnd::Done, &next, start()).await.unwrap();
    let jobs = db.store.jobs(JobId(0), 9).await.unwrap();
    let mut told: Vec<_> = jobs.iter().map(|job| (job.kind.as_str(), job.subject.as_str())).collect();
    told.sort_unstable();
    assert_eq!(told, [("other", ""), ("test", "a"), ("test", "b")], "also the one that has just ended");
}

/// A lease names a job by id and token: a new job with the id of a deleted one could be ended by an old lease.
async fn a_deleted_job_leaves_its_id_unused(db: Database) {
    ask(&db.store, &[job("a", start())]).await;
    let lease = claim(&db.store, "w", start(), 1).await.remove(0);
    db.store.end_job(&lease, &JobEnd::Done, &[], start()).await.unwrap();
    ask(&db.store, &[job("b", start())]).await;
    assert!(claim(&db.store, "w", start(), 1).await[0].id > lease.id);
}

async fn how_many_there_are_and_when_the_next_is_due(db: Database) {
    assert_eq!(db.store.next_job_due(&["test", "other"]).await.unwrap(), None);
    let other = NewJob { priority: Priority::Low, ..NewJob::new("other", start() + MINUTE) };
    ask(&db.store, &[job("a", start()), job("b", start()), job("c", start() + HOUR), other]).await;
    assert_eq!(db.store.next_job_due(&["test", "other"]).await.unwrap(), Some(start()));
    assert_eq!(db.store.next_job_due(&["other"]).await.unwrap(), Some(start() + MINUTE));
    assert_eq!(db.store.next_job_due(&[]).await.unwrap(), None);
    let lease = claim(&db.store, "w", start(), 1).await.remove(0);
    let count = |kind: &str, [waiting, due, running, failed]: [i64; 4]| JobCounts {
        kind: kind.to_owned(),
        waiting,
        due,
        running,
        failed,
        oldest_due: (due > 0).then(start),
    };
    let counts = async || db.store.job_counts(start()).await.unwrap();
    assert_eq!(counts().await, [count("other", [1, 0, 0, 0]), count("test", [1, 1, 1, 0])]);
    db.store.end_job(&lease, &JobEnd::GiveUp { error: "no".into() }, &[], start()).await.unwrap();
    assert_eq!(counts().await[1], count("test", [1, 1, 0, 1]));
}

async fn a_clock_that_was_ahead_makes_no_job_wait(db: Database) {
    let ahead = start() + HOUR * 24 * 3650;
    db.store.check_clock(ahead, SECOND).await.unwrap();
    db.store.enqueue_jobs(&[job("a", ahead), job("b", ahead + HOUR)], ahead).await.unwrap();
    let lease = claim(&db.store, "w", ahead, 1).await.remove(0);
    db.store.check_clock(start(), SECOND).await.unwrap();
    assert_eq!(claim(&db.store, "x", start() + MINUTE, 9).await[0].id, lease.id, "the lease lasts as long as before");
    assert_eq!(subjects(&claim(&db.store, "x", start() + HOUR, 9).await), ["a", "b"], "and so does a wait");
}
