//! A read as a value: a statement with the rows of its parameters.
//!
//! Questions that are asked together are answered on one snapshot of the database (`Store::read_snapshot`).

use crate::db::sql::Sql;
use crate::db::value::{Record, Value};

/// One read.
#[derive(Debug, Clone)]
pub(crate) struct Question {
    pub(crate) sql: &'static Sql,
    /// One row; many where the statement is written for rows, and then answers come in any order.
    pub(crate) rows: Vec<Vec<Value>>,
}

/// What each of several questions returned, in their order.
pub(crate) type Answers = Vec<Vec<Record>>;

impl Question {
    /// With one row of parameters.
    pub(crate) fn new(sql: &'static Sql, row: Vec<Value>) -> Self {
        Self { sql, rows: vec![row] }
    }

    /// Roughly how much memory it takes.
    pub(crate) fn weight(&self) -> usize {
        self.rows.iter().flatten().map(Value::weight).sum::<usize>() + 64
    }
}
