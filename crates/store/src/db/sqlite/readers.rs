//! The reader threads, each with a connection of its own, and the queue in front of them: two lanes, bounded in bytes.
//!
//! People go first, and one reader is never taken by background. After eight questions of people in a row the next free
//! reader takes one of the background, so that it does not starve.
//! A question whose caller went away (its future was dropped, perhaps by a deadline) is skipped if it has not begun, and
//! ended if it runs: SQLite asks a progress handler every thousand instructions whether to go on.

use super::run;
use crate::StoreError;
use crate::db::question::{Answers, Question};
use crate::store::Caller;
use rusqlite::Connection;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};

/// What each lane holds at most, in KiB. A question weighs at least one.
const ROOM_KIB: usize = 4 * 1024;
/// At most this many questions of people are taken while one of the background waits.
const PEOPLE_IN_A_ROW: u32 = 8;
/// A running question is asked this often whether its caller is still there, in instructions of SQLite's machine.
const CHECKED_EVERY: i32 = 1_000;

pub(super) struct Readers {
    name: String,
    lanes: Arc<Lanes>,
    for_people: Arc<Semaphore>,
    for_background: Arc<Semaphore>,
}

/// Questions that belong together, and who waits for them.
struct Asked {
    caller: Caller,
    questions: Vec<Question>,
    reply: oneshot::Sender<Result<Answers, StoreError>>,
    gone: Arc<AtomicBool>,
    _room: OwnedSemaphorePermit,
}

/// Held by the caller. Once it is dropped, nobody waits for the answer.
struct StillWaiting(Arc<AtomicBool>);

impl Drop for StillWaiting {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

struct Lanes {
    state: Mutex<State>,
    arrived: Condvar,
}

#[derive(Default)]
struct State {
    people: VecDeque<Asked>,
    background: VecDeque<Asked>,
    /// Readers that work for the background, and how many may.
    in_background: usize,
    most_in_background: usize,
    /// Questions of people that were taken since one of the background was.
    people_in_a_row: u32,
    closed: bool,
}

impl State {
    /// The next question that somebody waits for.
    fn take(&mut self) -> Option<Asked> {
        loop {
            let may_take = self.in_background < self.most_in_background && !self.background.is_empty();
            let asked = if may_take && (self.people.is_empty() || self.people_in_a_row >= PEOPLE_IN_A_ROW) {
                self.people_in_a_row = 0;
                self.background.pop_front()?
            } else {
                let asked = self.people.pop_front()?;
                self.people_in_a_row = if self.background.is_empty() { 0 } else { self.people_in_a_row + 1 };
                asked
            };
            if !asked.gone.load(Ordering::Relaxed) {
                self.in_background += usize::from(asked.caller == Caller::Background);
                return Some(asked);
            }
        }
    }
}

impl Lanes {
    /// Waits on this thread for the next question; `None` when closed and nothing is left for this thread.
    fn wait(&self) -> Option<Asked> {
        let mut state = self.lock();
        loop {
            if let Some(asked) = state.take() {
                return Some(asked);
            }
            if state.closed {
                // What is left of the background is taken by the threads that work for it.
                return None;
            }
            state = self.arrived.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Sound even if a holder panicked: every change is a push, a pop or a count.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Readers {
    pub(super) fn start(name: String, connections: Vec<Connection>) -> Self {
        let most_in_background = connections.len().saturating_sub(1).max(1);
        let state = Mutex::new(State { most_in_background, ..State::default() });
        let lanes = Arc::new(Lanes { state, arrived: Condvar::new() });
        for connection in connections {
            let (name, lanes) = (name.clone(), Arc::clone(&lanes));
            std::thread::Builder::new()
                .name("store-reader".into())
                .spawn(move || answer(&name, connection, &lanes))
                .expect("the system can start a thread");
        }
        let room = || Arc::new(Semaphore::new(ROOM_KIB));
        Self { name, lanes, for_people: room(), for_background: room() }
    }

    /// Asks; several questions are answered on one snapshot.
    pub(super) async fn read(&self, caller: Caller, questions: Vec<Question>) -> Result<Answers, StoreError> {
        let closed = || StoreError::closed(&self.name);
        let room = match caller {
            Caller::Person => &self.for_people,
            Caller::Background => &self.for_background,
        };
        let weight = questions.iter().map(Question::weight).sum::<usize>();
        let kib = (weight / 1024 + 1).min(ROOM_KIB) as u32;
        let room = Arc::clone(room).acquire_many_owned(kib).await.map_err(|_| closed())?;
        let (reply, answer) = oneshot::channel();
        let waiting = StillWaiting(Arc::default());
        let asked = Asked { caller, questions, reply, gone: Arc::clone(&waiting.0), _room: room };
        {
            let mut state = self.lanes.lock();
            if state.closed {
                return Err(closed());
            }
            match caller {
                Caller::Person => state.people.push_back(asked),
                Caller::Background => state.background.push_back(asked),
            }
        }
        self.lanes.arrived.notify_one();
        answer.await.map_err(|_| closed())?
    }

    /// Lets the threads end once they have answered what is asked.
    pub(super) fn close(&self) {
        self.lanes.lock().closed = true;
        self.for_people.close();
        self.for_background.close();
        self.lanes.arrived.notify_all();
    }
}

impl Drop for Readers {
    fn drop(&mut self) {
        self.close();
    }
}

fn answer(name: &str, mut connection: Connection, lanes: &Lanes) {
    while let Some(Asked { caller, questions, reply, gone, .. }) = lanes.wait() {
        let watched = connection.progress_handler(CHECKED_EVERY, Some(move || gone.load(Ordering::Relaxed)));
        let result = watched.and_then(|()| run::questions(&connection, &questions));
        let _ = reply.send(result.map_err(|error| run::explain(name, "read", error)));
        if caller == Caller::Background {
            // This thread takes the next one itself: nobody need be woken.
            lanes.lock().in_background -= 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::db::sql::{Text, statements};
    use futures_util::FutureExt as _;
    use rusqlite::hooks::{AuthAction, AuthContext, Authorization};
    use std::sync::mpsc;
    use std::time::Duration;
    use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

    statements! {
        COUNT() = Text::One("SELECT count(*) FROM t");
        /// Waits at the gate while it is prepared.
        GATE() = Text::One("SELECT a FROM gate");
        /// Passes the gate, then never ends.
        ENDLESS() = Text::One(
            "WITH RECURSIVE c(n) AS (SELECT a FROM gate UNION ALL SELECT n + 1 FROM c) SELECT count(*) FROM c");
    }

    /// No answer would take this long.
    const FOR_EVER: Duration = Duration::from_secs(20);

    /// Readers whose questions about `gate` wait until they are let through.
    struct Gated {
        readers: Arc<Readers>,
        file: tempfile::NamedTempFile,
        arrived: UnboundedReceiver<()>,
        open: mpsc::Sender<()>,
    }

    impl Gated {
        fn with(count: usize) -> Self {
            let file = tempfile::NamedTempFile::new().unwrap();
            let setup =
                "PRAGMA journal_mode = WAL; CREATE TABLE t (a); CREATE TABLE gate (a); INSERT INTO gate VALUES (1)";
            Connection::open(file.path()).unwrap().execute_batch(setup).unwrap();
            let (arriving, arrived) = unbounded_channel();
            let (open, gate) = mpsc::channel();
            let gate = Arc::new(Mutex::new(gate));
            let connections = (0..count).map(|_| gated(file.path(), &arriving, &gate)).collect();
            assert_eq!(ALL.len(), 3);
            Self { readers: Arc::new(Readers::start("a file".into(), connections)), file, arrived, open }
        }

        fn ask(&self, caller: Caller, sql: &'static crate::db::sql::Sql) -> tokio::task::JoinHandle<Answers> {
            let readers = Arc::clone(&self.readers);
            tokio::spawn(async move { readers.read(caller, vec![Question::new(sql, vec![])]).await.unwrap() })
        }

        /// Asks as a person, and does not wait for ever.
        async fn count(&self) -> i64 {
            let counting = self.ask(Caller::Person, &COUNT);
            let answers = tokio::time::timeout(FOR_EVER, counting).await;
            answers.expect("no reader is free").unwrap()[0][0].next().unwrap()
        }
    }

    fn gated(
        path: &std::path::Path,
        arriving: &UnboundedSender<()>,
        gate: &Arc<Mutex<mpsc::Receiver<()>>>,
    ) -> Connection {
        let mut connection = Connection::open(path).unwrap();
        // What is prepared each time waits each time.
        connection.set_prepared_statement_cache_capacity(0);
        let (arriving, gate) = (arriving.clone(), Arc::clone(gate));
        let wait = move |context: AuthContext<'_>| {
            if matches!(context.action, AuthAction::Read { table_name: "gate", .. }) {
                let _ = arriving.send(());
                let _ = gate.lock().unwrap().recv();
            }
            Authorization::Allow
        };
        connection.authorizer(Some(wait)).unwrap();
        connection
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn one_reader_is_kept_for_people() {
        let mut gated = Gated::with(3);
        let background: Vec<_> = (0..5).map(|_| gated.ask(Caller::Background, &GATE)).collect();
        for _ in 0..2 {
            gated.arrived.recv().await.unwrap();
        }
        assert_eq!(gated.count().await, 0);
        assert!(gated.arrived.try_recv().is_err(), "no third one has begun");
        for _ in 0..5 {
            gated.open.send(()).unwrap();
        }
        for one in background {
            one.await.unwrap();
        }
    }

    #[tokio::test]
    async fn people_go_first_and_background_does_not_starve() {
        let room = Arc::new(Semaphore::new(100));
        let asked = |caller| Asked {
            caller,
            questions: Vec::new(),
            reply: oneshot::channel().0,
            gone: Arc::default(),
            _room: Arc::clone(&room).try_acquire_owned().unwrap(),
        };
        let mut state = State { most_in_background: 2, ..State::default() };
        state.background.extend((0..3).map(|_| asked(Caller::Background)));
        state.people.extend((0..28).map(|_| asked(Caller::Person)));
        let mut order = String::new();
        while let Some(asked) = state.take() {
            order.push(if asked.caller == Caller::Person { 'p' } else { 'b' });
        }
        assert_eq!(order, "ppppppppbppppppppbpppppppppppp", "two at once at most");
        state.in_background -= 1;
        assert!(state.take().is_some_and(|asked| asked.caller == Caller::Background));
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn a_question_that_nobody_waits_for_is_not_run() {
        let mut gated = Gated::with(1);
        let first = gated.ask(Caller::Person, &GATE);
        gated.arrived.recv().await.unwrap();
        let dropped = gated.readers.read(Caller::Person, vec![Question::new(&GATE, vec![])]).now_or_never();
        assert!(dropped.is_none(), "it is queued, and its caller goes away");
        let last = gated.ask(Caller::Person, &GATE);
        for _ in 0..2 {
            gated.open.send(()).unwrap();
        }
        first.await.unwrap();
        tokio::time::timeout(FOR_EVER, last).await.expect("the one that was dropped took its place").unwrap();
        gated.arrived.recv().await.unwrap();
        assert!(gated.arrived.try_recv().is_err(), "two have run");
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn a_running_question_ends_when_its_caller_goes_away() {
        let mut gated = Gated::with(1);
        for _ in 0..3 {
            let endless = gated.ask(Caller::Person, &ENDLESS);
            gated.arrived.recv().await.unwrap();
            gated.open.send(()).unwrap();
            endless.abort();
            assert_eq!(gated.count().await, 0, "the next question is answered, and not ended in its place");
        }
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn a_commit_between_two_questions_of_a_snapshot_is_not_seen() {
        let mut gated = Gated::with(1);
        let readers = Arc::clone(&gated.readers);
        let questions = [&COUNT, &GATE, &COUNT].map(|sql| Question::new(sql, vec![])).to_vec();
        let asked = tokio::spawn(async move { readers.read(Caller::Person, questions).await.unwrap() });
        gated.arrived.recv().await.unwrap();
        Connection::open(gated.file.path()).unwrap().execute_batch("INSERT INTO t VALUES (1)").unwrap();
        gated.open.send(()).unwrap();
        let mut answers = asked.await.unwrap();
        let mut told = |question: usize| answers[question][0].next::<i64>().unwrap();
        assert_eq!((told(0), told(2)), (0, 0));
        assert_eq!(gated.count().await, 1, "whoever asks now sees it");
    }
}
