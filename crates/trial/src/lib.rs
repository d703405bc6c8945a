//! Test support for pure code: a mutation fuzzer, repeatable randomness, processor time, and how a benchmark reports
//! its figures.
//!
//! A crate of its own without dependencies, because the pure crates use it. `testkit` brings a runtime, databases and a
//! server, which the tests of a parser should not have to build.

mod dice;
mod figure;
mod fuzz;
mod processor;

pub use dice::Dice;
pub use figure::{Bar, figure, remark, unmeasured};
pub use fuzz::{Stock, fuzz};
pub use processor::{seconds, timed};
