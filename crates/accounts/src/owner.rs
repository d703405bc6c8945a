//! The first password: the owner's, from the configuration or chosen with a link that is good for one use.

use jiff::SignedDuration;
use model::UserId;
use model::account::Account;
use policy::password::{self, WeakPassword};
use store::StoreError;

use crate::accounts::Accounts;
use crate::secret_token::{hash, new_token};

/// How long a setup link is good.
const LINK_FOR: SignedDuration = SignedDuration::from_hours(24);

/// What came of the configured password.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OwnerPassword {
    /// It was the owner's before: nobody is logged out.
    Unchanged,
    /// It is now, and all sessions of the owner have ended.
    Set,
    /// It is empty or too long to be one.
    Unusable,
}

/// What came of choosing a password with a link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Setup {
    /// It is set. Whose, as the account is now.
    Done(Account),
    /// It will not do; the link is still good.
    Weak(WeakPassword),
    /// The link was used, or has expired.
    Spent,
}

impl Accounts {
    /// Makes this the owner's password, unless it is already.
    pub async fn apply_owner_password(&self, text: &str) -> Result<OwnerPassword, StoreError> {
        let store = &self.inner.store;
        if text.is_empty() || password::is_too_long(text) {
            return Ok(OwnerPassword::Unusable);
        }
        let owner = store.owner().await?.id;
        let hash = store.login_of(owner).await?.and_then(|(_, hash)| hash);
        if hash.is_some() && self.is_password(text, hash.as_deref()).await {
            return Ok(OwnerPassword::Unchanged);
        }
        store.set_password(owner, &self.inner.passwords.hash(text).await).await?;
        Ok(OwnerPassword::Set)
    }

    /// The secret of a new setup link, while nobody has a password.
    pub async fn setup_token(&self) -> Result<Option<String>, StoreError> {
        let inner = &self.inner;
        let accounts = inner.store.accounts().await?;
        let Some(owner) = accounts.first().filter(|_| accounts.iter().all(|account| !account.has_password)) else {
            return Ok(None);
        };
        let token = new_token();
        inner.store.create_setup_link(hash(&token), owner.user, inner.clock.now() + LINK_FOR).await?;
        Ok(Some(token))
    }

    /// The secret of a new link that logs a user in, once.
    pub async fn login_token(&self, user: UserId) -> Result<String, StoreError> {
        let inner = &self.inner;
        let token = new_token();
        inner.store.create_login_link(hash(&token), user, inner.clock.now() + LINK_FOR).await?;
        Ok(token)
    }

    /// Uses such a link. Nobody if it was used before or has expired, or the user may not log in.
    pub async fn use_login_token(&self, token: &str) -> Result<Option<Account>, StoreError> {
        let inner = &self.inner;
        let Some(user) = inner.store.use_login_link(&hash(token), inner.clock.now()).await? else { return Ok(None) };
        Ok(inner.store.account(user).await?.filter(|account| account.disabled_at.is_none()))
    }

    /// Whose password the link sets; nobody's if it was used or has expired.
    pub async fn setup_user(&self, token: &str) -> Result<Option<Account>, StoreError> {
        let inner = &self.inner;
        match inner.store.setup_link(&hash(token), inner.clock.now()).await? {
            Some(user) => inner.store.account(user).await,
            None => Ok(None),
        }
    }

    /// Uses the link.
    pub async fn set_up(&self, token: &str, text: &str) -> Result<Setup, StoreError> {
        let inner = &self.inner;
        let Some(account) = self.setup_user(token).await? else { return Ok(Setup::Spent) };
        if let Err(weak) = password::password(text, &account.name) {
            return Ok(Setup::Weak(weak));
        }
        let password_hash = inner.passwords.hash(text).await;
        let now = inner.clock.now();
        if !inner.store.use_setup_link(&hash(token), account.user, &password_hash, now).await? {
            return Ok(Setup::Spent);
        }
        Ok(inner.store.account(account.user).await?.map_or(Setup::Spent, Setup::Done))
    }
}
