//! Keys of programs: made here, shown once.

use data_encoding::BASE32_NOPAD;
use jiff::Timestamp;
use model::access_scope::Scope;
use model::{KeyId, UserId};
use store::{NewKey, StoreError};

use crate::accounts::Accounts;
use crate::secret_token::{hash, random};

/// What every key begins with, so that scanners of leaked secrets find it.
pub const KEY_PREFIX: &str = "courant_";

/// Letters of a key that lists show.
const SHOWN: usize = KEY_PREFIX.len() + 4;

/// A key as it is given out.
#[derive(Clone, PartialEq, Eq)]
pub struct NewApiKey {
    /// Its name in commands.
    pub id: KeyId,
    /// The secret.
    pub token: String,
    /// Its first letters, which lists show.
    pub prefix: String,
}

impl Accounts {
    /// Makes a key for a user.
    pub async fn create_key(
        &self,
        user: UserId,
        name: &str,
        scopes: &[Scope],
        expires_at: Option<Timestamp>,
    ) -> Result<NewApiKey, StoreError> {
        let token = format!("{KEY_PREFIX}{}", BASE32_NOPAD.encode(&random::<32>()).to_lowercase());
        let prefix = token[..SHOWN].to_owned();
        let scopes: Vec<String> = scopes.iter().map(Scope::to_string).collect();
        let new = NewKey { token_hash: hash(&token), user, name, prefix: &prefix, scopes: &scopes, expires_at };
        let id = self.inner.store.create_key(&new, self.inner.clock.now()).await?;
        Ok(NewApiKey { id, token, prefix })
    }
}
