//! How users log in: sessions of browsers, keys of programs, and who asks after all checks.
//!
//! Secrets are not here: a token exists in the answer that gives it out, and as a hash in the store. `accounts` makes and
//! checks them.

use crate::reader::Role;
use crate::{KeyId, SessionId, UserId};
use jiff::Timestamp;

/// An account as its administrators see it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Account {
    /// The user.
    pub user: UserId,
    /// Login name.
    pub name: String,
    /// What they may do.
    pub role: Role,
    /// When it was created.
    pub created_at: Timestamp,
    /// Whether there is a password; without one, nobody can log in with it.
    pub has_password: bool,
    /// Since when nobody can log in.
    pub disabled_at: Option<Timestamp>,
    /// The last login.
    pub last_login_at: Option<Timestamp>,
    /// Moves on when signed tokens of the user lose their force.
    pub generation: i64,
}

/// A session of a browser.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    /// Its name in lists.
    pub id: SessionId,
    /// Whose.
    pub user: UserId,
    /// When it began.
    pub created_at: Timestamp,
    /// When it ends.
    pub expires_at: Timestamp,
    /// When it was used last, to the minute.
    pub last_seen_at: Timestamp,
    /// The address it was made from.
    pub address: Option<String>,
    /// What the browser calls itself.
    pub agent: Option<String>,
}

/// A key of a program, without its secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApiKey {
    /// Its name in commands.
    pub id: KeyId,
    /// Whose.
    pub user: UserId,
    /// What its user calls it.
    pub name: String,
    /// The first letters of the secret.
    pub prefix: String,
    /// What it may do, as words (`policy` reads them).
    pub scopes: Vec<String>,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it ends.
    pub expires_at: Option<Timestamp>,
    /// When it was used last, to the minute.
    pub last_used_at: Option<Timestamp>,
}
