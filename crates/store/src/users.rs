//! Users: the people who read here, and their accounts. Their categories and subscriptions are `subscriptions.rs`, how they
//! stay logged in is `sessions.rs`. Passwords arrive hashed.
//!
//! Invariant: a change of password, role or right to log in moves `generation` on and ends all sessions, in one transaction.
//! Invariant: one super_admin who can log in remains; the statements that write see to it.

use crate::StoreError;
use crate::codes::payload;
use crate::db::batch::Batch;
use crate::db::sql::{Sql, Text, statements};
use crate::db::value::{Record, Value, returned_id};
use crate::store::Store;
use jiff::Timestamp;
use model::UserId;
use model::account::Account;
use model::reader::{Role, User};
use unicode_normalization::UnicodeNormalization as _;

/// The columns of an [`Account`] of user `u`.
macro_rules! account_columns {
    () => {
        "u.id, u.name, u.role, u.created_at, u.password_hash IS NOT NULL, u.disabled_at, u.last_login_at, u.generation"
    };
}
pub(crate) use account_columns;

/// Changes user $1, unless they are the last super_admin who can log in. PostgreSQL locks all of those, in the order of
/// their ids: two who demote each other at the same moment wait for each other.
macro_rules! unless_last {
    ($before:literal, $after:literal) => {
        Text::Two {
            sqlite: concat!(
                $before,
                " WHERE id = $1 AND ",
                $after,
                " AND (role <> 'super_admin' OR disabled_at IS NOT NULL OR EXISTS (
                     SELECT 1 FROM users o WHERE o.role = 'super_admin' AND o.disabled_at IS NULL AND o.id <> $1))"
            ),
            postgres: concat!(
                "WITH supers AS MATERIALIZED (
                     SELECT id FROM users WHERE role = 'super_admin' AND disabled_at IS NULL ORDER BY id FOR UPDATE) ",
                $before,
                " WHERE id = $1 AND ",
                $after,
                " AND (role <> 'super_admin' OR disabled_at IS NOT NULL OR EXISTS (
                     SELECT 1 FROM supers o WHERE o.id <> $1))"
            ),
        }
    };
}

statements! {
    OWNER() = Text::One("SELECT id, name, role, created_at FROM users ORDER BY id LIMIT 1");
    USER(Text) = Text::One("SELECT id, name, role, created_at FROM users WHERE name_key = $1");
    ACCOUNT(Int) = Text::One(concat!("SELECT ", account_columns!(), " FROM users u WHERE u.id = $1"));
    ACCOUNTS() = Text::One(concat!("SELECT ", account_columns!(), " FROM users u ORDER BY u.id"));
    /// Where somebody logs in: the account and the hash of its password.
    LOGIN(Text) = Text::One(concat!(
        "SELECT ", account_columns!(), ", u.password_hash FROM users u WHERE u.name_key = $1"));
    LOGIN_BY_ID(Int) = Text::One(concat!(
        "SELECT ", account_columns!(), ", u.password_hash FROM users u WHERE u.id = $1"));
    /// The same for the only user; nobody if there are several.
    ONLY_LOGIN() = Text::One(concat!(
        "SELECT ", account_columns!(), ", u.password_hash FROM users u WHERE (SELECT count(*) FROM users) = 1"));
    ADD_USER(Text, Text, Text, Int, Text) = Text::One(
        "INSERT INTO users (name, name_key, role, created_at, generation, password_hash)
         VALUES ($1, $2, $3, $4, $4, $5) RETURNING id");
    ADD_DEFAULT(Text, Int) = Text::One(
        "INSERT INTO categories (user_id, name, created_at) SELECT id, 'Default', $2 FROM users WHERE name_key = $1");
    SET_ROLE(Int, Text) = unless_last!("UPDATE users SET role = $2, generation = generation + 1", "role <> $2");
    DISABLE(Int, Int) = unless_last!(
        "UPDATE users SET disabled_at = $2, generation = generation + 1", "disabled_at IS NULL");
    ENABLE(Int) = Text::One(
        "UPDATE users SET disabled_at = NULL, generation = generation + 1 WHERE id = $1 AND disabled_at IS NOT NULL");
    SET_PASSWORD(Int, Text) = Text::One(
        "UPDATE users SET password_hash = $2, generation = generation + 1 WHERE id = $1");
    /// The same password, hashed anew: nobody is logged out.
    REHASH(Int, Text, Text) = Text::One(
        "UPDATE users SET password_hash = $3 WHERE id = $1 AND password_hash = $2");
    END_SESSIONS(Int) = Text::One("DELETE FROM sessions WHERE user_id = $1");
    LOGGED_IN(Int, Int) = Text::One("UPDATE users SET last_login_at = $2 WHERE id = $1");
    SETTINGS(Int) = Text::One("SELECT settings FROM users WHERE id = $1 AND settings IS NOT NULL");
    SET_SETTINGS(Int, Json) = Text::One("UPDATE users SET settings = $2 WHERE id = $1");
    /// The fence of a deletion. The row itself goes last.
    CLOSE(Int, Int) = unless_last!(
        "UPDATE users SET disabled_at = $2, generation = generation + 1, password_hash = NULL", "TRUE");
    /// Private feeds lose their address and are removed with all they said. Until then they belong to a super_admin: what
    /// happened to them must not become public.
    DELETE_PRIVATE(Int, Int) = Text::One(
        "UPDATE feeds SET state = 'deleted', state_reason = NULL, state_since = $2, updated_at = $2, purge_at = $2,
                url = 'purged:' || id, title = NULL, site_url = NULL, description = NULL, root_domain = NULL,
                user_agent = NULL, access = NULL, rules = NULL,
                owner_id = (SELECT min(o.id) FROM users o WHERE o.role = 'super_admin' AND o.id <> $1)
         WHERE owner_id = $1");
    /// Feeds that readers brought and nobody else reads.
    DELETE_ALONE(Int, Int, Int) = Text::One(
        "UPDATE feeds SET state = 'deleted', state_reason = NULL, state_since = $2, updated_at = $2, purge_at = $3
         WHERE origin = 'reader' AND owner_id IS NULL AND state <> 'deleted'
           AND id IN (SELECT s.feed_id FROM subscriptions s WHERE s.user_id = $1)
           AND NOT EXISTS (SELECT 1 FROM subscriptions o WHERE o.feed_id = feeds.id AND o.user_id <> $1)");
    STOP_VISITS() = Text::One(
        "UPDATE schedule SET runnable = FALSE, due_at = NULL, slot_at = NULL, going_at = NULL, going_group = NULL,
                worker = NULL, token = token + 1, reason = 'the feed was deleted'
         WHERE runnable AND feed_id IN (SELECT id FROM feeds WHERE state = 'deleted')");
    DELETE_MARKS(Int) = Text::One("DELETE FROM marks WHERE user_id = $1");
    DELETE_SUBSCRIPTIONS(Int) = Text::One("DELETE FROM subscriptions WHERE user_id = $1");
    DELETE_USER(Int) = Text::One("DELETE FROM users WHERE id = $1");
}

fn user(row: &mut Record) -> Result<User, StoreError> {
    Ok(User { id: UserId(row.next()?), name: row.next()?, role: row.next()?, created_at: row.next()? })
}

pub(crate) fn account(row: &mut Record) -> Result<Account, StoreError> {
    Ok(Account {
        user: UserId(row.next()?),
        name: row.next()?,
        role: row.next()?,
        created_at: row.next()?,
        has_password: row.next()?,
        disabled_at: row.next()?,
        last_login_at: row.next()?,
        generation: row.next()?,
    })
}

fn login(row: &mut Record) -> Result<(Account, Option<String>), StoreError> {
    Ok((account(row)?, row.next()?))
}

/// What names are compared by. As `policy::password::user_name_key`.
pub(crate) fn name_key(name: &str) -> String {
    let lower = name.trim().nfkc().flat_map(char::to_lowercase).map(|c| if c == 'ς' { 'σ' } else { c });
    lower.nfkc().collect()
}

/// What came of a change to an account.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Changed {
    /// It was made.
    Done,
    /// It was so before.
    Already,
    /// Refused: they are the last super_admin who can log in.
    LastSuperAdmin,
    /// There is no such user.
    NoUser,
}

impl Store {
    /// The owner: the first user there was.
    pub async fn owner(&self) -> Result<User, StoreError> {
        let owner = self.read_first(&OWNER, vec![], user).await?;
        owner.ok_or(StoreError::NotFound { what: "owner", name: "of this installation".into() })
    }

    /// A user by name, whatever its case.
    pub async fn user(&self, name: &str) -> Result<User, StoreError> {
        let found = self.read_first(&USER, vec![name_key(name).into()], user).await?;
        found.ok_or_else(|| StoreError::NotFound { what: "user", name: name.to_owned() })
    }

    /// An account.
    pub async fn account(&self, user: UserId) -> Result<Option<Account>, StoreError> {
        self.read_first(&ACCOUNT, vec![user.0.into()], account).await
    }

    /// How a user wants to read, as a JSON object; `None` if they never said.
    pub async fn settings_of(&self, user: UserId) -> Result<Option<serde_json::Value>, StoreError> {
        let text: Option<String> = self.read_first(&SETTINGS, vec![user.0.into()], |row| row.next()).await?;
        text.map(|text| serde_json::from_str(&text).map_err(StoreError::row)).transpose()
    }

    /// Keeps how a user wants to read.
    pub async fn set_settings(&self, user: UserId, settings: &serde_json::Value) -> Result<(), StoreError> {
        self.write_one(&SET_SETTINGS, vec![user.0.into(), payload(settings)]).await.map(|_| ())
    }

    /// All accounts, the oldest first.
    pub async fn accounts(&self) -> Result<Vec<Account>, StoreError> {
        self.read_all(&ACCOUNTS, vec![], account).await
    }

    /// The account of that name and the hash of its password. Without a name: of the only user there is.
    pub async fn login(&self, name: Option<&str>) -> Result<Option<(Account, Option<String>)>, StoreError> {
        match name {
            Some(name) => self.read_first(&LOGIN, vec![name_key(name).into()], login).await,
            None => self.read_first(&ONLY_LOGIN, vec![], login).await,
        }
    }

    /// The account of a user and the hash of its password.
    pub async fn login_of(&self, user: UserId) -> Result<Option<(Account, Option<String>)>, StoreError> {
        self.read_first(&LOGIN_BY_ID, vec![user.0.into()], login).await
    }

    /// Adds a user with their permanent `Default` category and without a password. A name that is taken is a conflict.
    pub async fn add_user(&self, name: &str, role: Role, now: Timestamp) -> Result<UserId, StoreError> {
        self.add_account(name, role, None, now).await
    }

    /// Adds a user with their permanent `Default` category. A name that is taken is a conflict.
    pub async fn add_account(
        &self,
        name: &str,
        role: Role,
        password_hash: Option<&str>,
        now: Timestamp,
    ) -> Result<UserId, StoreError> {
        let mut answer = self.write(addition(name, role, password_hash, now)).await?;
        returned_id(answer.swap_remove(0).records).map(UserId)
    }

    /// Gives a user another role.
    pub async fn set_role(&self, user: UserId, role: Role) -> Result<Changed, StoreError> {
        self.change(user, &SET_ROLE, vec![user.0.into(), role.into()]).await
    }

    /// Gives a user another password.
    pub async fn set_password(&self, user: UserId, password_hash: &str) -> Result<Changed, StoreError> {
        self.change(user, &SET_PASSWORD, vec![user.0.into(), password_hash.into()]).await
    }

    /// Stores another hash of the same password, if it is still `before`.
    pub async fn rehash_password(&self, user: UserId, before: &str, hash: &str) -> Result<(), StoreError> {
        self.write_one(&REHASH, vec![user.0.into(), before.into(), hash.into()]).await.map(|_| ())
    }

    /// Lets a user log in no more.
    pub async fn disable_user(&self, user: UserId, now: Timestamp) -> Result<Changed, StoreError> {
        self.change(user, &DISABLE, vec![user.0.into(), now.into()]).await
    }

    /// Lets a user log in again.
    pub async fn enable_user(&self, user: UserId) -> Result<Changed, StoreError> {
        self.change(user, &ENABLE, vec![user.0.into()]).await
    }

    /// Removes a user with everything that is theirs. Their private feeds are removed soon; feeds that only they read and that a
    /// reader had brought are deleted as by hand, and removed at `purge_at`.
    pub async fn delete_user(&self, user: UserId, purge_at: Timestamp, now: Timestamp) -> Result<Changed, StoreError> {
        let id = Value::from(user.0);
        let mut batch = Batch::default();
        batch.fence(&CLOSE, vec![id.clone(), now.into()]);
        batch.step(&DELETE_PRIVATE, vec![vec![id.clone(), now.into()]]);
        batch.step(&DELETE_ALONE, vec![vec![id.clone(), now.into(), purge_at.into()]]);
        batch.step(&STOP_VISITS, vec![vec![]]);
        for sql in [&DELETE_MARKS, &DELETE_SUBSCRIPTIONS, &DELETE_USER] {
            batch.step(sql, vec![vec![id.clone()]]);
        }
        if self.write_if(batch).await? {
            return Ok(Changed::Done);
        }
        Ok(if self.account(user).await?.is_some() { Changed::LastSuperAdmin } else { Changed::NoUser })
    }

    /// A change that ends every session and signed token of the user.
    async fn change(&self, user: UserId, sql: &'static Sql, row: Vec<Value>) -> Result<Changed, StoreError> {
        let wanted = row.get(1).cloned();
        let mut batch = Batch::default();
        batch.fence(sql, row);
        batch.step(&END_SESSIONS, vec![vec![user.0.into()]]);
        if self.write_if(batch).await? {
            return Ok(Changed::Done);
        }
        let Some(found) = self.account(user).await? else { return Ok(Changed::NoUser) };
        let already = match sql.name {
            name if name == SET_ROLE.name => Some(Value::from(found.role)) == wanted,
            name if name == DISABLE.name => found.disabled_at.is_some(),
            _ => true,
        };
        Ok(if already { Changed::Already } else { Changed::LastSuperAdmin })
    }
}

/// The steps that add a user; the first returns the id.
pub(crate) fn addition(name: &str, role: Role, password_hash: Option<&str>, now: Timestamp) -> Batch {
    let key = name_key(name);
    let row = vec![name.into(), key.as_str().into(), role.into(), now.into(), password_hash.into()];
    let mut batch = Batch::one(&ADD_USER, row);
    batch.step_exactly(1, &ADD_DEFAULT, vec![vec![key.into(), now.into()]]);
    batch
}
