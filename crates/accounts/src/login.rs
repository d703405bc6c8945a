//! A login with a password. Only failed ones count against the limits; a refused attempt costs no hashing.
//!
//! Invariant: an unknown user, one without a password and a wrong password cannot be told apart, neither by the answer nor by
//! its time.

use data_encoding::HEXLOWER;
use jiff::Timestamp;
use model::account::Account;
use policy::limits::{self, Address, LoginFailures, LoginVerdict, Wait};
use policy::password::{is_too_long, user_name_key};
use store::StoreError;

use crate::accounts::Accounts;
use crate::passwords::Verified;
use crate::secret_token::hash;

/// What came of a login.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LoginOutcome {
    /// The password is right.
    Welcome(Account),
    /// It is not, or there is no such user.
    WrongPassword,
    /// Too many logins have failed.
    Wait(Wait),
    /// The password is right, but the account is disabled.
    Disabled,
    /// There are several users, and no name was given.
    NameNeeded,
}

impl Accounts {
    /// Checks a password. Without a name it is the only user's.
    pub async fn login(&self, name: Option<&str>, password: &str, address: &str) -> Result<LoginOutcome, StoreError> {
        let store = &self.inner.store;
        let found = store.login(name).await?;
        let name = match (name, &found) {
            (Some(name), _) => name,
            (None, Some((account, _))) => &account.name,
            (None, None) => return Ok(LoginOutcome::NameNeeded),
        };
        let subjects = [format!("address:{address}"), account_subject(name)];
        let user = found.as_ref().map(|(account, _)| account.user);
        let known = match user {
            Some(user) if store.is_known_address(user, address).await? => Address::Known,
            _ => Address::Unknown,
        };
        // Asked twice: a flood of attempts neither waits for the right to hash, nor gets it all at once.
        if let Some(wait) = self.must_wait(&subjects, known).await? {
            return Ok(LoginOutcome::Wait(wait));
        }
        let permit = self.inner.passwords.permit().await;
        if let Some(wait) = self.must_wait(&subjects, known).await? {
            return Ok(LoginOutcome::Wait(wait));
        }
        let verified = if is_too_long(password) {
            Verified::No
        } else {
            let hash = found.as_ref().and_then(|(_, hash)| hash.as_deref());
            self.inner.passwords.verify(&permit, password, hash).await
        };
        let now = self.inner.clock.now();
        let Some((account, hash)) = found.filter(|_| verified != Verified::No) else {
            store.record_login_failure(&[&subjects[0], &subjects[1]], now).await?;
            return Ok(LoginOutcome::WrongPassword);
        };
        drop(permit);
        if let (Verified::Outdated, Some(before)) = (verified, &hash) {
            let rehashed = self.inner.passwords.hash(password).await;
            store.rehash_password(account.user, before, &rehashed).await?;
        }
        if account.disabled_at.is_some() {
            return Ok(LoginOutcome::Disabled);
        }
        store.record_login(account.user, Some(address), now).await?;
        Ok(LoginOutcome::Welcome(account))
    }

    async fn must_wait(&self, subjects: &[String; 2], known: Address) -> Result<Option<Wait>, StoreError> {
        let (store, limits) = (&self.inner.store, &self.inner.options.login_limits);
        let now = self.inner.clock.now();
        let since = now.saturating_sub(limits.memory()).unwrap_or(Timestamp::MIN);
        let failures = LoginFailures {
            of_address: store.login_failures(&subjects[0], since).await?,
            of_account: store.login_failures(&subjects[1], since).await?,
        };
        Ok(match limits::login(now, &failures, known, limits) {
            LoginVerdict::Allowed => None,
            LoginVerdict::Wait { until, .. } => Some(Wait::rounded_up(until.duration_since(now))),
        })
    }
}

/// Names that nobody has are counted like those of users, and may be of any length.
fn account_subject(name: &str) -> String {
    format!("account:{}", HEXLOWER.encode(&hash(&user_name_key(name))[..16]))
}
