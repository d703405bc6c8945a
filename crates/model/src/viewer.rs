//! Who looks at feeds. Every read that can return what a feed says, or that a feed exists, takes a viewer.
//!
//! A feed with credentials or a secret address has an owner and is never shown to another user. Which reads take no
//! viewer is said in `store/src/unscoped.rs`.

use crate::UserId;

/// On whose behalf something is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Viewer {
    /// A user: sees public feeds and their own private ones. Another user's private feed does not exist for them.
    User(UserId),
    /// Who runs the place and has the database anyway: sees every feed. Only the command line acts as the operator.
    Operator,
}
