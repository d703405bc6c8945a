//! From what a request brings to who asks, in one read of the store; and the way out.

use model::access_scope::Scope;
use store::StoreError;

use crate::accounts::Accounts;
use crate::keys::KEY_PREFIX;
use crate::principal::{Credential, Principal, Via};
use crate::secret_token::hash;
use crate::signed_token;

/// No cookie and no key of ours is longer.
const LONGEST: usize = 200;

impl Accounts {
    /// Who asks; nobody if the credential is wrong, has ended, was given back, or its user may not log in.
    pub async fn authenticate(&self, credential: Credential<'_>) -> Result<Option<Principal>, StoreError> {
        match credential {
            Credential::Session(token) => self.by_session(token).await,
            Credential::Bearer(token) if token.starts_with(KEY_PREFIX) => self.by_key(token).await,
            Credential::Bearer(token) => self.by_signed_token(token).await,
        }
    }

    /// Ends a session, or gives a signed token back. A key stays: programs do not log out.
    pub async fn logout(&self, principal: &Principal) -> Result<(), StoreError> {
        let store = &self.inner.store;
        match &principal.via {
            Via::Session { id, .. } => store.end_session(principal.user, *id).await.map(|_| ()),
            Via::Token { jti, expires_at } => store.revoke_token(*jti, *expires_at).await,
            Via::Key(_) => Ok(()),
        }
    }

    async fn by_session(&self, token: &str) -> Result<Option<Principal>, StoreError> {
        if token.is_empty() || token.len() > LONGEST {
            return Ok(None);
        }
        let (inner, now) = (&self.inner, self.inner.clock.now());
        let token_hash = hash(token);
        let Some((session, account)) = inner.store.session(&token_hash, now).await? else { return Ok(None) };
        // That it was used is worth less than the request: a full disk must not end it.
        let _ = inner.store.touch_session(&session, now).await;
        let csrf_token = inner.keys.csrf_token(&token_hash);
        let via = Via::Session { id: session.id, csrf_token, expires_at: session.expires_at };
        Ok(Some(Principal::of(account, via, None)))
    }

    async fn by_key(&self, token: &str) -> Result<Option<Principal>, StoreError> {
        if token.len() > LONGEST {
            return Ok(None);
        }
        let (inner, now) = (&self.inner, self.inner.clock.now());
        let Some((key, account)) = inner.store.api_key(&hash(token), now).await? else { return Ok(None) };
        let _ = inner.store.touch_key(&key, now).await;
        // A word of a newer version gives no right here.
        let scopes: Vec<Scope> = key.scopes.iter().filter_map(|word| word.parse().ok()).collect();
        Ok(Some(Principal::of(account, Via::Key(key.id), Some(scopes))))
    }

    async fn by_signed_token(&self, token: &str) -> Result<Option<Principal>, StoreError> {
        let inner = &self.inner;
        let Some(said) = signed_token::read(&inner.keys, token, inner.clock.now()) else { return Ok(None) };
        let holder = inner.store.token_holder(said.user, said.jti).await?;
        let current = holder.filter(|account| account.generation == said.generation);
        let via = Via::Token { jti: said.jti, expires_at: said.expires_at };
        Ok(current.map(|account| Principal::of(account, via, None)))
    }
}
