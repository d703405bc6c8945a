//! Jobs that are killed, panic or lose their lease: each is done once, or again under a new token.

use jiff::{SignedDuration, Timestamp};
use model::job::{JobEnd, JobLease, NewJob, Priority};
use model::{JobId, WorkerId};
use policy::RetryRule;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};
use store::{Address, Options, Store};
use work::{Clock, Finished, JobRunner, Limits, Outcome};

const MINUTE: SignedDuration = SignedDuration::from_mins(1);

fn beginning() -> Timestamp {
    Timestamp::from_second(1_767_225_600).unwrap()
}

struct Database {
    store: Store,
    clock: Arc<Mutex<Timestamp>>,
    _keep: (Option<tempfile::TempDir>, Option<testkit::services::Database>),
}

impl Database {
    async fn sqlite() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let url = format!("sqlite:{}", directory.path().join("courant.db").display());
        Self::open(&url, (Some(directory), None)).await
    }

    async fn postgres() -> Self {
        let migrate = async |url: String| -> Result<(), store::StoreError> {
            let store = Store::open(&Address::parse(&url)?, &Options::at(beginning())).await?;
            store.close(beginning()).await
        };
        let database = testkit::services::postgres_prepared("work", migrate).await;
        let url = database.url().to_owned();
        Self::open(&url, (None, Some(database))).await
    }

    async fn open(url: &str, keep: (Option<tempfile::TempDir>, Option<testkit::services::Database>)) -> Self {
        let options = Options { synchronous: store::Synchronous::Normal, ..Options::at(beginning()) };
        let store = Store::open(&Address::parse(url).unwrap(), &options).await.unwrap();
        Self { store, clock: Arc::new(Mutex::new(beginning())), _keep: keep }
    }

    fn now(&self) -> Timestamp {
        *self.clock.lock().unwrap()
    }

    fn advance(&self, by: SignedDuration) {
        *self.clock.lock().unwrap() += by;
    }

    fn runner(&self, name: &str) -> JobRunner {
        self.runner_with(name, Limits::default())
    }

    fn runner_with(&self, name: &str, limits: Limits) -> JobRunner {
        let clock = Arc::clone(&self.clock);
        let clock = Clock::by_hand(move || *clock.lock().unwrap(), |_| ());
        JobRunner::new(self.store.clone(), clock, WorkerId(name.to_owned()), limits)
    }

    async fn ask(&self, subject: &str) {
        let job = NewJob { subject: subject.to_owned(), ..NewJob::new("test", self.now()) };
        self.store.enqueue_jobs(&[job], self.now()).await.unwrap();
    }

    async fn subjects(&self, kind: &str) -> Vec<String> {
        let jobs = self.store.jobs(JobId(0), 1000).await.unwrap();
        jobs.into_iter().filter(|job| job.kind == kind).map(|job| job.subject).collect()
    }
}

macro_rules! on_both {
    ($($name:ident),* $(,)?) => {
        mod sqlite {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $name() { super::$name(super::Database::sqlite().await).await })*
        }
        mod postgres {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $name() { super::$name(super::Database::postgres().await).await })*
        }
    };
}

on_both!(
    a_job_killed_at_any_await_is_done_once_or_again_under_a_new_token,
    a_job_that_panics_is_tried_again_and_then_given_up,
    a_job_whose_lease_was_lost_writes_nothing,
    a_runner_finds_what_is_asked_for_while_it_runs,
    a_stopped_runner_hands_its_jobs_back,
);

/// Polls a future at most this often, then drops it: a process that is killed while it waits.
struct Killed<F> {
    work: Option<Pin<Box<F>>>,
    polls: usize,
}

impl<F: Future> Future for Killed<F> {
    type Output = Option<F::Output>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<F::Output>> {
        let Some(work) = self.work.as_mut() else { return Poll::Ready(None) };
        if let Poll::Ready(done) = work.as_mut().poll(context) {
            return Poll::Ready(Some(done));
        }
        self.polls -= 1;
        if self.polls == 0 {
            self.work = None;
            return Poll::Ready(None);
        }
        Poll::Pending
    }
}

/// The handler notes its token, waits a little and asks for a job named after its token: what it does under its token.
fn handler(
    runs: &Arc<Mutex<Vec<i64>>>,
    now: Timestamp,
) -> impl Fn(JobLease) -> Pin<Box<dyn Future<Output = Outcome> + Send>> + use<> {
    let runs = Arc::clone(runs);
    move |lease| {
        let runs = Arc::clone(&runs);
        Box::pin(async move {
            runs.lock().unwrap().push(lease.token);
            tokio::task::yield_now().await;
            tokio::task::yield_now().await;
            let subject = format!("{}, token {}", lease.subject, lease.token);
            Outcome::Done(vec![NewJob { subject, ..NewJob::new("effect", now) }])
        })
    }
}

async fn a_job_killed_at_any_await_is_done_once_or_again_under_a_new_token(db: Database) {
    let mut killed = 0;
    for polls in 1.. {
        let subject = format!("killed after {polls}");
        db.ask(&subject).await;
        let runs = Arc::new(Mutex::new(Vec::new()));
        let first = db.runner("first").on("test", RetryRule::default(), handler(&runs, db.now()));
        let ended = Killed { work: Some(Box::pin(first.run_due())), polls }.await;
        // The lease expires, and another process looks. A write of the killed one may still be under way: PostgreSQL's claim
        // passes over a row that is locked, and looks again the next time.
        for _ in 0..100 {
            db.advance(MINUTE * 2);
            let second = db.runner("second").on("test", RetryRule::default(), handler(&runs, db.now()));
            second.run_due().await;
            if db.subjects("test").await.is_empty() {
                break;
            }
        }
        assert_eq!(db.subjects("test").await, [""; 0], "polls: {polls}");
        let effects: Vec<_> =
            db.subjects("effect").await.into_iter().filter(|effect| effect.starts_with(&subject)).collect();
        let mut tokens = runs.lock().unwrap().clone();
        assert_eq!(effects.len(), 1, "polls: {polls}, tokens: {tokens:?}: what it does under its token happened once");
        assert!(tokens.iter().any(|token| effects[0].ends_with(&format!("token {token}"))));
        let count = tokens.len();
        tokens.dedup();
        assert_eq!(tokens.len(), count, "no token is used twice");
        killed += usize::from(ended.is_none());
        if ended.is_some() {
            break;
        }
    }
    assert!(killed > 4, "it was killed at {killed} awaits only");
}

async fn a_job_that_panics_is_tried_again_and_then_given_up(db: Database) {
    db.ask("a").await;
    let rule = RetryRule { attempts: Some(2), ..RetryRule::default() };
    let runner = db.runner("w").on("test", rule, async |_| panic!("on purpose"));
    let why = "the job panicked, which is a defect to report: on purpose".to_owned();
    let at = db.now() + MINUTE;
    assert_eq!(runner.run_due().await, [("test", Finished::Ended(JobEnd::Retry { at, error: why.clone() }))]);
    assert_eq!(runner.run_due().await, [], "not before it is due");
    db.advance(MINUTE);
    assert_eq!(runner.run_due().await, [("test", Finished::Ended(JobEnd::GiveUp { error: why }))]);
}

async fn a_job_whose_lease_was_lost_writes_nothing(db: Database) {
    db.ask("a").await;
    let (store, now) = (db.store.clone(), db.now());
    let runner = db.runner("late").on("test", RetryRule::default(), move |lease| {
        let store = store.clone();
        async move {
            let others = store
                .claim_jobs(&WorkerId("other".into()), ("test", Priority::Low), now + MINUTE * 2, now + MINUTE * 3, 1)
                .await;
            assert!(others.unwrap()[0].token > lease.token);
            Outcome::Done(vec![NewJob::new("effect", now)])
        }
    });
    assert_eq!(runner.run_due().await, [("test", Finished::LeaseLost)]);
    assert_eq!(db.subjects("effect").await, [""; 0]);
    assert_eq!(db.subjects("test").await, ["a"], "the other one has it");
}

async fn a_runner_finds_what_is_asked_for_while_it_runs(db: Database) {
    let (stop, stopping) = tokio::sync::watch::channel(false);
    let (done, mut dones) = tokio::sync::mpsc::unbounded_channel();
    let runner = db.runner("w").on("test", RetryRule::default(), move |lease| {
        done.send(lease.subject).unwrap();
        async { Outcome::Done(Vec::new()) }
    });
    let running = tokio::spawn(runner.run(stopping));
    for subject in ["one", "two"] {
        db.ask(subject).await;
        assert_eq!(dones.recv().await.as_deref(), Some(subject));
    }
    stop.send(true).unwrap();
    running.await.unwrap();
    assert_eq!(db.subjects("test").await, [""; 0]);
}

async fn a_stopped_runner_hands_its_jobs_back(db: Database) {
    db.ask("a").await;
    let (stop, stopping) = tokio::sync::watch::channel(false);
    let (begun, mut begins) = tokio::sync::mpsc::unbounded_channel();
    let limits = Limits { grace: std::time::Duration::ZERO, ..Limits::default() };
    let runner = db.runner_with("w", limits).on("test", RetryRule::default(), move |_| {
        begun.send(()).unwrap();
        std::future::pending()
    });
    let running = tokio::spawn(runner.run(stopping));
    begins.recv().await.unwrap();
    stop.send(true).unwrap();
    running.await.unwrap();
    let job = db.store.jobs(JobId(0), 9).await.unwrap().remove(0);
    assert_eq!((job.worker, job.due_at, job.attempts), (None, Some(db.now()), 0));
}
