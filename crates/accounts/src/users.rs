//! Users as their administrators and they themselves change them: names and passwords are checked and hashed here.

use model::UserId;
use model::reader::Role;
use policy::password::{self, WeakPassword};
use store::{Changed, StoreError};

use crate::accounts::Accounts;
use crate::passwords::Verified;

/// What came of adding a user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AddedUser {
    /// There is one more.
    Added(UserId),
    /// Somebody has that name.
    Taken,
    /// The name will not do, and why.
    BadName(String),
    /// The password will not do.
    Weak(WeakPassword),
}

/// What came of setting a password.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NewPassword {
    /// It is set; all sessions have ended.
    Set,
    /// It will not do.
    Weak(WeakPassword),
    /// There is no such user.
    NoUser,
}

/// What came of changing one's own password.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChangedPassword {
    /// It is changed; all sessions have ended. The account as it is now, for a new one.
    Changed(model::account::Account),
    /// The current password is wrong, or it has to wait.
    Refused(crate::LoginOutcome),
    /// The new one will not do.
    Weak(WeakPassword),
}

impl Accounts {
    /// Adds a user; without a password they can log in only through an identity provider.
    pub async fn add_user(&self, name: &str, role: Role, password: Option<&str>) -> Result<AddedUser, StoreError> {
        let name = match password::user_name(name) {
            Ok(name) => name,
            Err(problem) => return Ok(AddedUser::BadName(problem)),
        };
        if let Some(Err(weak)) = password.map(|text| password::password(text, &name)) {
            return Ok(AddedUser::Weak(weak));
        }
        let inner = &self.inner;
        let hash = match password {
            Some(text) => Some(inner.passwords.hash(text).await),
            None => None,
        };
        match inner.store.add_account(&name, role, hash.as_deref(), inner.clock.now()).await {
            Ok(user) => Ok(AddedUser::Added(user)),
            Err(StoreError::Conflict { .. }) => Ok(AddedUser::Taken),
            Err(error) => Err(error),
        }
    }

    /// Sets a user's password. All their sessions and signed tokens end.
    pub async fn set_password(&self, user: UserId, text: &str) -> Result<NewPassword, StoreError> {
        let store = &self.inner.store;
        let Some(account) = store.account(user).await? else { return Ok(NewPassword::NoUser) };
        if let Err(weak) = password::password(text, &account.name) {
            return Ok(NewPassword::Weak(weak));
        }
        let hash = self.inner.passwords.hash(text).await;
        Ok(match store.set_password(user, &hash).await? {
            Changed::NoUser => NewPassword::NoUser,
            _ => NewPassword::Set,
        })
    }

    /// Changes one's own password. The current one is checked as at a login, with its limits.
    pub async fn change_password(
        &self,
        user: UserId,
        current: &str,
        new: &str,
        address: &str,
    ) -> Result<ChangedPassword, StoreError> {
        use crate::LoginOutcome;
        let wrong = ChangedPassword::Refused(LoginOutcome::WrongPassword);
        let Some(account) = self.inner.store.account(user).await? else { return Ok(wrong) };
        match self.login(Some(&account.name), current, address).await? {
            LoginOutcome::Welcome(_) => {}
            refused => return Ok(ChangedPassword::Refused(refused)),
        }
        match self.set_password(user, new).await? {
            NewPassword::Set => {}
            NewPassword::Weak(weak) => return Ok(ChangedPassword::Weak(weak)),
            NewPassword::NoUser => return Ok(wrong),
        }
        Ok(self.inner.store.account(user).await?.map_or(wrong, ChangedPassword::Changed))
    }

    /// Whether a text is the password of a user, without limits: for the program itself.
    pub(crate) async fn is_password(&self, text: &str, hash: Option<&str>) -> bool {
        let passwords = &self.inner.passwords;
        let permit = passwords.permit().await;
        passwords.verify(&permit, text, hash).await != Verified::No
    }
}
