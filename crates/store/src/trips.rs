//! Trips: what may happen on the way to a simulated database and back. A real one is troubled by the real world.
//!
//! A simulation puts here what it wants to try: waiting, which lets others go on in between and is where a process may
//! die, a request that never arrives, an answer that is lost after the deed was done.

use std::pin::Pin;

/// A way, which takes its time.
pub type Trip<'a> = Pin<Box<dyn Future<Output = Result<(), Lost>> + Send + 'a>>;

/// What was sent did not arrive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lost;

/// The ways of one process, told the name of the statement that goes first.
pub trait Trips: Send + Sync {
    /// The way there. Lost: nothing was done.
    fn there(&self, statement: &'static str) -> Trip<'_>;

    /// The way back. Lost: it was done, and nobody knows.
    fn back(&self, statement: &'static str) -> Trip<'_>;

    /// Whether commits are fenced by the token of their lease. A simulation says no to see that it would notice.
    fn fenced(&self) -> bool {
        true
    }
}
