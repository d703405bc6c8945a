//! The machine under the nouns: statements, values, batches, the queue, and how each database runs them.
//!
//! Nothing in here knows a table, except `migrate` and `soundness` and what looks at a file from outside.
//! The nouns (`feeds.rs`, `entries.rs`, ...) use `sql` to declare statements and `batch` to describe transactions.

pub(crate) mod address;
pub(crate) mod batch;
pub(crate) mod columns;
pub(crate) mod compose;
#[cfg(feature = "simulation")]
pub(crate) mod faulty_link;
pub(crate) mod migrate;
pub(crate) mod postgres;
pub(crate) mod question;
pub(crate) mod queue;
pub(crate) mod soundness;
pub(crate) mod sql;
pub(crate) mod sqlite;
#[cfg(test)]
mod tests;
pub(crate) mod value;
pub(crate) mod wake;
