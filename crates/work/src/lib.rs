//! What every background service stands on: the clock, the signal to stop, lanes, held leases and their heartbeat, the
//! pause while storage fails, panics that end only their own work, long computations, and the runner of jobs.
//!
//! Nothing here knows a feed or an entry. The feed worker (`engine::worker`) and maintenance (`engine::upkeep`) use it;
//! a new service adds a job (`docs/notes/jobs.md`, CONTRIBUTING).

mod catch_panic;
mod clock;
mod cpu;
mod held_leases;
mod jobs;
mod lanes;
mod storage_gate;

pub use catch_panic::catch_panic;
pub use clock::Clock;
pub use cpu::Cpu;
pub use held_leases::{HeldLeases, LeaseStore};
pub use jobs::{Finished, Gate, JobRunner, Limits, Outcome};
pub use lanes::{Lanes, Permit, Speed, Unwritten};
pub use storage_gate::{Aim, Part, REST, StorageGate};

/// Becomes true when loops are to stop.
pub type Stop = tokio::sync::watch::Receiver<bool>;

/// Work in progress gets this long after a stop.
pub const GRACE: std::time::Duration = std::time::Duration::from_secs(5);
