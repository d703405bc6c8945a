//! What trials of pure code stand on: a mutation fuzzer, chance that can be repeated, processor time, and
//! how a benchmark tells what it found.
//!
//! A crate of its own, and without dependencies, because the pure crates use it: `testkit` brings a runtime, databases
//! and a server, which whoever only wants to know whether the parser still holds should not have to build.

mod dice;
mod figure;
mod fuzz;
mod processor;

pub use dice::Dice;
pub use figure::{Bar, figure, remark, unmeasured};
pub use fuzz::{Stock, fuzz};
pub use processor::{seconds, timed};
