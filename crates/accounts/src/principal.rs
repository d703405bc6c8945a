//! Who asks, after all checks: the user, their role now, and how they came.

use jiff::Timestamp;
use model::access_scope::Scope;
use model::account::Account;
use model::reader::Role;
use model::{KeyId, SessionId, UserId, Viewer};
use policy::permission::{Denied, Permission, allowed};

use crate::derived_keys::same_secret;

/// Somebody who is logged in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Principal {
    /// The user.
    pub user: UserId,
    /// Their name.
    pub name: String,
    /// Their role at the moment of the request.
    pub role: Role,
    /// How they came.
    pub via: Via,
    /// What a key may do; `None` for a person.
    pub scopes: Option<Vec<Scope>>,
}

/// How somebody logged in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Via {
    /// The cookie of a browser.
    Session {
        /// Which session.
        id: SessionId,
        /// What writes must carry beside the cookie.
        csrf_token: String,
        /// When it ends.
        expires_at: Timestamp,
    },
    /// A signed token.
    Token {
        /// Its id.
        jti: [u8; 16],
        /// When it ends.
        expires_at: Timestamp,
    },
    /// A key of a program.
    Key(KeyId),
}

/// What a request brings to prove who asks.
#[derive(Clone, Copy)]
pub enum Credential<'a> {
    /// The value of the session cookie.
    Session(&'a str),
    /// What follows `Authorization: Bearer`: a signed token or a key.
    Bearer(&'a str),
}

impl Principal {
    pub(crate) fn of(account: Account, via: Via, scopes: Option<Vec<Scope>>) -> Self {
        Self { user: account.user, name: account.name, role: account.role, via, scopes }
    }

    /// Whether they may do this.
    pub fn may(&self, permission: Permission) -> Result<(), Denied> {
        allowed(self.role, self.scopes.as_deref(), permission)
    }

    /// Whose feeds they see.
    pub fn viewer(&self) -> Viewer {
        Viewer::User(self.user)
    }

    /// Whether the CSRF token belongs to their session. Others need none.
    pub fn has_csrf_token(&self, given: Option<&str>) -> bool {
        match &self.via {
            Via::Session { csrf_token, .. } => given.is_some_and(|given| same_secret(given, csrf_token)),
            Via::Token { .. } | Via::Key(_) => true,
        }
    }
}
