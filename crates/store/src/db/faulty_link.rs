//! A faulty link to a simulated database: what a simulation lets happen to requests and their answers.
//!
//! A transfer may take time, which lets others run in between and is where a process may be killed. A request may be
//! dropped before it arrives; an answer may be dropped after the work was done. Real databases have real links.
//! Only compiled with the feature `simulation`, which tests enable: the product has none of it.

use std::pin::Pin;

/// One transfer in one direction.
pub type Transfer<'a> = Pin<Box<dyn Future<Output = Result<(), Dropped>> + Send + 'a>>;

/// What was sent did not arrive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Dropped;

/// The link of one process to its database. `statement` names the first statement that is sent, with its module:
/// `store::commit::FENCE`.
pub trait FaultyLink: Send + Sync {
    /// Sends the request. Dropped: nothing was done.
    fn request(&self, statement: &'static str) -> Transfer<'_>;

    /// Brings the answer back. Dropped: the work was done, and the caller does not know.
    fn answer(&self, statement: &'static str) -> Transfer<'_>;

    /// Whether commits are fenced by the token of their lease. A simulation says no to see that it would notice.
    fn fenced(&self) -> bool {
        true
    }
}
