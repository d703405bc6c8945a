//! A transaction as a value: steps with their rows and what must be true of each result.
//!
//! Because nothing is read between deciding and writing, a batch can be printed, counted, tested without a database
//! and, above all, replayed: a group that failed as a whole is run again batch by batch.

use crate::db::sql::Sql;
use crate::db::value::{Record, Value};
use crate::db::wake::{Topic, Topics};

/// One transaction, described.
#[derive(Debug, Default)]
pub(crate) struct Batch {
    pub(crate) steps: Vec<Step>,
    /// When it is on the disk.
    pub(crate) durable: Durable,
    /// Where it takes ids for what it brings.
    pub(crate) arrival: Option<Arrival>,
    /// A chore of the writer thread instead of a transaction (SQLite).
    pub(crate) chore: Option<Chore>,
    /// The topics that it wakes once it is committed.
    pub(crate) wakes: Topics,
}

/// What the writer thread does outside of transactions (SQLite).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Chore {
    /// The file is rewritten without its holes.
    Compact,
    /// The planner's statistics are made anew if the tables have grown.
    Analyse,
}

/// When a batch is safely on the disk (SQLite; PostgreSQL has its own setting). A killed process loses neither kind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Durable {
    /// Before it is answered.
    #[default]
    Now,
    /// With the next batch that is, or a second later. For what is merely repeated after a loss of power: leases,
    /// appointments, visits that brought nothing.
    Soon,
}

/// The step that takes ids from the arrival row. It and what follows hold that row; all batches of a group run their
/// earlier steps first, so that two groups can never wait for each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Arrival {
    pub(crate) step: usize,
    pub(crate) entries: i64,
    pub(crate) events: i64,
}

/// One statement with many parameter rows, and what must be true of its result.
#[derive(Debug)]
pub(crate) struct Step {
    pub(crate) sql: &'static Sql,
    pub(crate) rows: Vec<Vec<Value>>,
    pub(crate) expect: Expect,
}

/// What must be true of a step's result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Expect {
    /// Nothing.
    Any,
    /// Exactly one row was written, else the batch is stale. Only as the first step: a stale batch has then written
    /// nothing, and its neighbours in the group need not be rolled back.
    Fence,
    /// Exactly this many rows were written, else the whole batch fails and nothing of it is kept.
    Exactly(u64),
}

/// The results of all steps.
pub(crate) type Answer = Vec<StepResult>;

/// The result of one step.
#[derive(Debug, Clone, Default)]
pub(crate) struct StepResult {
    /// The rows it returned.
    pub(crate) records: Vec<Record>,
    /// How many rows it wrote; of a step that returns rows, how many it returned. `None` if it shared a statement with
    /// other batches of its group (commits on PostgreSQL): the server counts for the statement.
    pub(crate) written: Option<u64>,
}

/// A step did not write as many rows as it had to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct WrongCount {
    pub(crate) statement: &'static str,
    pub(crate) expected: u64,
    pub(crate) found: u64,
}

/// Why a batch did not happen.
#[derive(Debug)]
pub(crate) enum Refused {
    /// The fence matched no row: another worker has the lease.
    Stale,
    /// The database refused it.
    Failed(crate::StoreError),
}

impl Step {
    /// Checks the number of written rows. Fences are checked by the caller: a stale batch is no failure.
    pub(crate) fn check(&self, found: u64) -> Result<(), WrongCount> {
        match self.expect {
            Expect::Exactly(expected) if expected != found => {
                Err(WrongCount { statement: self.sql.name, expected, found })
            }
            Expect::Any | Expect::Fence | Expect::Exactly(_) => Ok(()),
        }
    }
}

impl WrongCount {
    pub(crate) fn refused(self) -> Refused {
        let Self { statement, expected, found } = self;
        Refused::Failed(crate::StoreError::RowCount { statement, expected, found })
    }
}

impl Batch {
    /// An empty batch with this durability.
    pub(crate) fn lasting(durable: Durable) -> Self {
        Self { durable, ..Self::default() }
    }

    /// A batch of one statement with one row.
    pub(crate) fn one(sql: &'static Sql, row: Vec<Value>) -> Self {
        let mut batch = Self::default();
        batch.step(sql, vec![row]);
        batch
    }

    /// One that is a chore.
    pub(crate) fn chore(chore: Chore) -> Self {
        Self { chore: Some(chore), ..Self::default() }
    }

    /// Adds a step; without rows there is nothing to do.
    pub(crate) fn step(&mut self, sql: &'static Sql, rows: Vec<Vec<Value>>) {
        debug_assert!(rows.iter().all(|row| row.len() == sql.params.len()), "{}: wrong number of values", sql.name);
        if !rows.is_empty() {
            self.steps.push(Step { sql, rows, expect: Expect::Any });
        }
    }

    /// Makes `sql` the fence: it must write exactly one row.
    pub(crate) fn fence(&mut self, sql: &'static Sql, row: Vec<Value>) {
        assert!(self.steps.is_empty(), "the fence is the first step");
        debug_assert_eq!(row.len(), sql.params.len(), "{}: wrong number of values", sql.name);
        self.steps.push(Step { sql, rows: vec![row], expect: Expect::Fence });
    }

    /// Adds a step that must write exactly `expected` rows, or the whole batch fails.
    pub(crate) fn step_exactly(&mut self, expected: u64, sql: &'static Sql, rows: Vec<Vec<Value>>) {
        let before = self.steps.len();
        self.step(sql, rows);
        if let Some(step) = self.steps.get_mut(before) {
            step.expect = Expect::Exactly(expected);
        }
    }

    /// Takes ids for this many entries and events; from here on the arrival row is held. `sql` returns the last of each.
    pub(crate) fn arrive(&mut self, sql: &'static Sql, entries: usize, events: usize) {
        assert!(self.arrival.is_none(), "ids are taken once");
        let (entries, events) = (entries as i64, events as i64);
        self.arrival = Some(Arrival { step: self.steps.len(), entries, events });
        self.step(sql, vec![vec![entries.into(), events.into()]]);
    }

    /// Wakes the waiters of `topic`, in this process and in others, once it is committed (`wake.rs`). Only for a batch that
    /// brings something.
    pub(crate) fn wakes(&mut self, topic: Topic) {
        self.wakes.add(topic);
    }

    /// Roughly how much memory it takes.
    pub(crate) fn weight(&self) -> usize {
        self.steps.iter().flat_map(|step| &step.rows).flatten().map(Value::weight).sum::<usize>() + 64
    }
}
