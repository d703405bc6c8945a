//! Fault injection for the real binary: workers that are killed or stopped, a database that restarts, a disk that
//! fills. The publisher keeps a ledger, and in the end what Courant stored and announced must equal it.
//!
//! For `make chaos`, at length, and for the tests of `app`, briefly. A seed determines the sequence of faults; their
//! timing also depends on the machine, so a replay has the same faults, not the same instants.

mod faults;
mod hostile;
mod kills;
mod ledger;
mod restarts;
mod scene;
mod worker;

pub use faults::{Fault, faults};
pub use hostile::{Lateness, hostile, hostile_kinds};
pub use kills::kills;
pub use ledger::Ledger;
pub use restarts::restarts;
pub use scene::{Backend, Outcome, Scene};
pub use worker::{Limits, Worker};
