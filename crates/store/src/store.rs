//! The store itself: opens a database, sends batches and questions to it.
//!
//! The verbs live in the files of their nouns, as `impl Store`.

use crate::StoreError;
use crate::db::address::Address;
use crate::db::batch::{Answer, Batch, Chore, Refused};
use crate::db::compose::Choice;
#[cfg(feature = "simulation")]
use crate::db::faulty_link::{Dropped, FaultyLink};
use crate::db::postgres::{self, Postgres};
use crate::db::question::{Answers, Question};
use crate::db::queue::{Lane, Results};
use crate::db::sql::{Dialect, Sql, Text, statements};
use crate::db::sqlite::{self, Inline, SearchDb, Sqlite, Synchronous};
use crate::db::value::{Record, Value};
use crate::db::wake::Waiters;
use futures_util::future::BoxFuture;
use jiff::Timestamp;
use std::sync::Arc;
use std::time::Duration;

/// A store. Cheap to clone; all clones share one set of threads or one pool.
#[derive(Clone)]
pub struct Store {
    backend: Arc<Backend>,
    name: Arc<str>,
    purpose: Purpose,
    caller: Caller,
    deadline: Option<Duration>,
    #[cfg(feature = "simulation")]
    link: Option<Arc<dyn FaultyLink>>,
}

/// Who waits for what is asked and written through a handle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Caller {
    /// A person: a request or a command.
    Person,
    /// Nobody in particular.
    Background,
}

enum Backend {
    Sqlite(Sqlite, SearchDb),
    Postgres(Postgres),
    Inline(Inline),
}

/// How a store is opened.
#[derive(Debug, Clone)]
pub struct Options {
    /// The moment of opening.
    pub now: Timestamp,
    /// What for.
    pub purpose: Purpose,
    /// When to check the file before serving.
    pub check: Check,
    /// How sure a commit is before it is answered (SQLite).
    pub synchronous: Synchronous,
    /// Overrides the one in the address (PostgreSQL).
    pub password: Option<String>,
    /// How long to wait for a database that is not there.
    pub patience: Duration,
    /// The file may have at most this many pages (SQLite), as if the disk were that small.
    pub max_pages: Option<u32>,
}

impl Options {
    /// What a command wants.
    pub fn at(now: Timestamp) -> Self {
        Self {
            now,
            purpose: Purpose::Command,
            check: Check::Auto,
            synchronous: Synchronous::Full,
            password: None,
            patience: Duration::from_secs(30),
            max_pages: None,
        }
    }
}

/// What a store is opened for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// To serve: the file is checked if need be, and a clean stop is noted.
    Serve,
    /// For one command, perhaps beside a server.
    Command,
}

/// When the file is checked before serving.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Check {
    /// After an unclean stop, or when the last check is older than 7 days.
    #[default]
    Auto,
    /// At every start.
    Always,
}

/// What became of the space of deleted rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compacted {
    /// The database is smaller.
    Shrunk,
    /// It is as large as before; what comes next fills the holes.
    Reused,
}

statements! {
    /// Whether the database answers.
    PING() = Text::One("SELECT 1");
    SIZE() = Text::Two {
        sqlite: "SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()",
        postgres: "SELECT pg_database_size(current_database())",
    };
}

impl Store {
    /// Opens a store, bringing its schema up to date. A failure has changed nothing.
    pub async fn open(address: &Address, options: &Options) -> Result<Self, StoreError> {
        let name = address.to_string();
        let backend = match address {
            Address::Sqlite(path) => {
                let search = SearchDb::of(path);
                let (path, name, options) = (path.clone(), name.clone(), options.clone());
                let open = move || sqlite::open(&path, &name, &options);
                let opened = tokio::task::spawn_blocking(open).await;
                Backend::Sqlite(opened.expect("opening a file does not panic")?, search)
            }
            Address::Postgres(config) => Backend::Postgres(postgres::open(config, &name, options).await?),
        };
        Ok(Self::over(backend, name.into(), options.purpose))
    }

    /// A store in memory that works on the caller's thread: the same SQL, deterministic.
    pub fn simulated(now: Timestamp) -> Result<Self, StoreError> {
        Ok(Self::over(Backend::Inline(sqlite::open_inline(now)?), sqlite::IN_MEMORY.into(), Purpose::Command))
    }

    fn over(backend: Backend, name: Arc<str>, purpose: Purpose) -> Self {
        Self {
            backend: Arc::new(backend),
            name,
            purpose,
            caller: Caller::Person,
            deadline: None,
            #[cfg(feature = "simulation")]
            link: None,
        }
    }

    /// The same simulated database, reached over a faulty link.
    #[cfg(feature = "simulation")]
    #[must_use]
    pub fn over_link(&self, link: Arc<dyn FaultyLink>) -> Self {
        Self { link: Some(link), ..self.clone() }
    }

    /// The same store for work that no person waits for: its reads and writes let those of people go first.
    #[must_use]
    pub fn in_background(&self) -> Self {
        Self { caller: Caller::Background, ..self.clone() }
    }

    /// The same store for a caller in a hurry: each of its reads fails with [`StoreError::DeadlineExceeded`] if it is not
    /// answered within this time, whether it waited or ran. A statement that runs is ended. Writes have no deadline.
    #[must_use]
    pub fn with_deadline(&self, after: Duration) -> Self {
        Self { deadline: Some(after), ..self.clone() }
    }

    /// The lane of what is written through this handle, where the verb does not say another.
    pub(crate) fn lane(&self) -> Lane {
        match self.caller {
            Caller::Person => Lane::People,
            Caller::Background => Lane::Upkeep,
        }
    }

    /// What to call it in a message.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether it answers.
    pub async fn ping(&self) -> Result<(), StoreError> {
        self.read(&PING, vec![]).await.map(|_| ())
    }

    /// How large the database is.
    pub async fn size_bytes(&self) -> Result<u64, StoreError> {
        Ok(self.read_first(&SIZE, vec![], |row| row.next()).await?.unwrap_or(0))
    }

    /// Gives the space of what was deleted back to the disk, where that is possible while others work.
    pub async fn compact(&self) -> Result<Compacted, StoreError> {
        match &*self.backend {
            // Only a rewrite under an exclusive lock would make its files smaller; the server reuses the space by itself.
            Backend::Postgres(_) => Ok(Compacted::Reused),
            Backend::Sqlite(..) | Backend::Inline(_) => {
                self.write_in(Lane::Upkeep, Batch::chore(Chore::Compact)).await.map(|_| Compacted::Shrunk)
            }
        }
    }

    /// Tells the planner how large the tables are, if they have grown since it was told. PostgreSQL does this by itself.
    pub async fn analyse_if_grown(&self) -> Result<(), StoreError> {
        match &*self.backend {
            Backend::Postgres(_) => Ok(()),
            Backend::Sqlite(..) | Backend::Inline(_) => {
                self.write_in(Lane::Upkeep, Batch::chore(Chore::Analyse)).await.map(|_| ())
            }
        }
    }

    /// Finishes what is queued and closes. After serving, notes that the stop was clean.
    pub async fn close(&self, now: Timestamp) -> Result<(), StoreError> {
        if self.purpose == Purpose::Serve {
            self.set_setting(crate::settings::LAST_STOP, "clean", now).await?;
        }
        if let Backend::Postgres(postgres) = &*self.backend {
            postgres.close().await;
        }
        let backend = Arc::clone(&self.backend);
        let close = move || {
            if let Backend::Sqlite(sqlite, search) = &*backend {
                search.close();
                sqlite.close();
            }
        };
        tokio::task::spawn_blocking(close).await.expect("closing does not panic");
        Ok(())
    }

    /// Asks; several questions are answered on one snapshot.
    async fn ask(&self, questions: Vec<Question>) -> Result<Answers, StoreError> {
        // In a box: every verb that reads holds this future.
        let answer: BoxFuture<'_, Result<Answers, StoreError>> = match &*self.backend {
            Backend::Sqlite(sqlite, _) => Box::pin(sqlite.read(self.caller, questions)),
            Backend::Postgres(postgres) => Box::pin(postgres.read(self.caller, questions)),
            Backend::Inline(inline) => {
                let first = questions.first().map_or("nothing", |question| question.sql.name);
                return self.simulate(first, || inline.read(&questions)).await?;
            }
        };
        self.in_time(answer).await
    }

    /// Waits for an answer until the deadline, if there is one. What is dropped then ends by itself.
    async fn in_time(&self, answer: BoxFuture<'_, Result<Answers, StoreError>>) -> Result<Answers, StoreError> {
        let Some(after) = self.deadline else { return answer.await };
        let late = || StoreError::DeadlineExceeded { database: self.name.to_string(), after };
        tokio::time::timeout(after, answer).await.map_err(|_| late())?
    }

    async fn ask_one(&self, question: Question) -> Result<Vec<Record>, StoreError> {
        Ok(self.ask(vec![question]).await?.pop().expect("one question, one answer"))
    }

    /// Asks several questions on one snapshot: what is committed meanwhile is seen by none of them. Answers are in the
    /// order of the questions.
    pub(crate) async fn read_snapshot(&self, questions: Vec<Question>) -> Result<Answers, StoreError> {
        self.ask(questions).await
    }

    /// Asks a simulated database, over the faulty link if there is one.
    #[cfg(feature = "simulation")]
    async fn simulate<T>(&self, statement: &'static str, ask: impl FnOnce() -> T) -> Result<T, StoreError> {
        let Some(link) = &self.link else { return Ok(ask()) };
        let dropped = |Dropped| StoreError::Unavailable {
            database: self.name.to_string(),
            why: "the link dropped it".to_owned(),
        };
        link.request(statement).await.map_err(dropped)?;
        let answer = ask();
        link.answer(statement).await.map_err(dropped)?;
        Ok(answer)
    }

    /// Asks a simulated database.
    #[cfg(not(feature = "simulation"))]
    #[allow(clippy::unused_async, clippy::unused_self, reason = "with the feature `simulation` it waits for a link")]
    async fn simulate<T>(&self, _statement: &'static str, ask: impl FnOnce() -> T) -> Result<T, StoreError> {
        Ok(ask())
    }

    /// Asks with one row of parameters.
    pub(crate) async fn read(&self, sql: &'static Sql, row: Vec<Value>) -> Result<Vec<Record>, StoreError> {
        self.ask_one(Question::new(sql, row)).await
    }

    /// Asks a question that is written for one row with many, in one trip. Answers come in any order.
    pub(crate) async fn read_each<T>(
        &self,
        sql: &'static Sql,
        rows: Vec<Vec<Value>>,
        row: impl Fn(&mut Record) -> Result<T, StoreError>,
    ) -> Result<Vec<T>, StoreError> {
        if rows.is_empty() {
            return Ok(Vec::new());
        }
        self.ask_one(Question { sql, rows }).await?.iter_mut().map(row).collect()
    }

    /// Reads every row through `row`.
    pub(crate) async fn read_all<T>(
        &self,
        sql: &'static Sql,
        values: Vec<Value>,
        row: impl Fn(&mut Record) -> Result<T, StoreError>,
    ) -> Result<Vec<T>, StoreError> {
        self.read(sql, values).await?.iter_mut().map(row).collect()
    }

    /// Reads every row of a composed statement through `row`.
    pub(crate) async fn read_composed<T>(
        &self,
        choice: Choice,
        row: impl Fn(&mut Record) -> Result<T, StoreError>,
    ) -> Result<Vec<T>, StoreError> {
        self.ask_one(choice.question()).await?.iter_mut().map(row).collect()
    }

    /// Reads the first row, if there is one.
    pub(crate) async fn read_first<T>(
        &self,
        sql: &'static Sql,
        values: Vec<Value>,
        row: impl Fn(&mut Record) -> Result<T, StoreError>,
    ) -> Result<Option<T>, StoreError> {
        self.read(sql, values).await?.first_mut().map(row).transpose()
    }

    pub(crate) async fn submit(&self, lane: Lane, batch: Batch) -> Result<Answer, Refused> {
        match &*self.backend {
            Backend::Sqlite(sqlite, _) => sqlite.write(lane, batch).await,
            Backend::Postgres(postgres) => postgres.write(lane, batch).await,
            Backend::Inline(inline) => {
                let first = batch.steps.first().map_or("nothing", |step| step.sql.name);
                #[cfg(feature = "simulation")]
                if self.link.as_ref().is_some_and(|link| !link.fenced()) {
                    inline.accept_any_token(&batch);
                }
                let asked = self.simulate(first, || inline.write(&batch)).await;
                asked.map_err(Refused::Failed)?
            }
        }
    }

    /// Writes batches that come together and do not depend on each other: each happens or not, with its own fence.
    pub(crate) async fn submit_together(&self, lane: Lane, batches: Vec<Batch>) -> Results {
        match &*self.backend {
            Backend::Sqlite(sqlite, _) => sqlite.write_together(lane, batches).await,
            Backend::Postgres(postgres) => postgres.write_together(lane, batches).await,
            Backend::Inline(_) => {
                let mut results = Results::with_capacity(batches.len());
                for batch in batches {
                    results.push(self.submit(lane, batch).await);
                }
                results
            }
        }
    }

    /// The tasks that commits wake.
    pub(crate) fn waiters(&self) -> &Waiters {
        match &*self.backend {
            Backend::Sqlite(sqlite, _) => sqlite.waiters(),
            Backend::Postgres(postgres) => postgres.waiters(),
            Backend::Inline(inline) => inline.waiters(),
        }
    }

    /// Hears the wake-ups of other processes, where there is a way.
    pub(crate) fn listen(&self) {
        if let Backend::Postgres(postgres) = &*self.backend {
            postgres.listen();
        }
    }

    /// Which texts of statements and terms it takes.
    pub(crate) fn dialect(&self) -> Dialect {
        match &*self.backend {
            Backend::Postgres(_) => Dialect::Postgres,
            Backend::Sqlite(..) | Backend::Inline(_) => Dialect::Sqlite,
        }
    }

    /// Asks the search index.
    pub(crate) async fn search_read(&self, sql: &'static Sql, row: Vec<Value>) -> Result<Vec<Record>, StoreError> {
        match &*self.backend {
            Backend::Sqlite(_, search) => {
                let read = search.read(self.caller, vec![Question::new(sql, row)]);
                Ok(self.in_time(Box::pin(read)).await?.pop().expect("one question, one answer"))
            }
            Backend::Postgres(_) | Backend::Inline(_) => self.ask_one(Question::new(sql, row)).await,
        }
    }

    /// Writes to the search index, in a transaction of its own.
    pub(crate) async fn search_write(&self, batch: Batch) -> Result<Answer, Refused> {
        match &*self.backend {
            Backend::Sqlite(_, search) => search.write(batch).await,
            Backend::Postgres(_) | Backend::Inline(_) => self.submit(Lane::Upkeep, batch).await,
        }
    }

    /// Writes a batch without a fence, in the lane of this handle.
    pub(crate) async fn write(&self, batch: Batch) -> Result<Answer, StoreError> {
        self.write_in(self.lane(), batch).await
    }

    /// Writes a batch without a fence.
    pub(crate) async fn write_in(&self, lane: Lane, batch: Batch) -> Result<Answer, StoreError> {
        self.submit(lane, batch).await.map_err(|refused| match refused {
            Refused::Failed(error) => error,
            Refused::Stale => unreachable!("a batch without a fence cannot be stale"),
        })
    }

    /// Writes a batch with a fence; false if the fence found nothing, and nothing was written.
    pub(crate) async fn write_if(&self, batch: Batch) -> Result<bool, StoreError> {
        match self.submit(self.lane(), batch).await {
            Ok(_) => Ok(true),
            Err(Refused::Stale) => Ok(false),
            Err(Refused::Failed(error)) => Err(error),
        }
    }

    /// Writes one row and returns what the statement returned.
    pub(crate) async fn write_one(&self, sql: &'static Sql, row: Vec<Value>) -> Result<Vec<Record>, StoreError> {
        let mut answer = self.write(Batch::one(sql, row)).await?;
        Ok(answer.pop().expect("one step, one answer").records)
    }

    /// Writes one row and returns how many rows of the table changed.
    pub(crate) async fn write_counted(&self, sql: &'static Sql, row: Vec<Value>) -> Result<u64, StoreError> {
        let answer = self.write(Batch::one(sql, row)).await?;
        // Only commits share statements.
        Ok(answer.first().and_then(|step| step.written).unwrap_or(0))
    }
}
