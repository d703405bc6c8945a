//! Sessions of browsers: begun at a login, ended at a logout.

use jiff::Timestamp;
use model::SessionId;
use model::account::Account;
use store::{NewSession, StoreError};

use crate::accounts::Accounts;
use crate::secret_token::{hash, new_token};

/// A session as it is given out.
#[derive(Clone, PartialEq, Eq)]
pub struct OpenedSession {
    /// Its name in lists.
    pub id: SessionId,
    /// The value of the cookie.
    pub token: String,
    /// What writes must carry beside the cookie.
    pub csrf_token: String,
    /// When it ends.
    pub expires_at: Timestamp,
}

impl Accounts {
    /// Begins a session for somebody who has just logged in. `None` if their account has changed meanwhile.
    pub async fn open_session(
        &self,
        account: &Account,
        address: Option<&str>,
        agent: Option<&str>,
    ) -> Result<Option<OpenedSession>, StoreError> {
        let inner = &self.inner;
        let now = inner.clock.now();
        let token = new_token();
        let token_hash = hash(&token);
        let expires_at = now + inner.options.session;
        let (user, generation) = (account.user, account.generation);
        let new = NewSession { token_hash, user, generation, expires_at, address, agent };
        let id = inner.store.create_session(&new, now).await?;
        let csrf_token = inner.keys.csrf_token(&token_hash);
        Ok(id.map(|id| OpenedSession { id, token, csrf_token, expires_at }))
    }
}
