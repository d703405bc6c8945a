//! Keys of programs: what they may do, and until when. The store knows the hash of a key, never the key.

use crate::StoreError;
use crate::codes;
use crate::db::batch::{Batch, Durable};
use crate::db::sql::{Text, statements};
use crate::db::value::{Record, Value, returned_id};
use crate::store::Store;
use crate::users::{account, account_columns};
use jiff::{SignedDuration, Timestamp};
use model::account::{Account, ApiKey};
use model::{KeyId, UserId};

/// How exact `last_used_at` is.
const TOUCH_EVERY: SignedDuration = SignedDuration::from_mins(1);

macro_rules! key_columns {
    () => {
        "k.id, k.user_id, k.name, k.prefix, k.scopes, k.created_at, k.expires_at, k.last_used_at"
    };
}

statements! {
    CREATE(Bytes, Int, Text, Text, Json, Int, Int) = Text::One(
        "INSERT INTO api_keys (token_hash, user_id, name, prefix, scopes, created_at, expires_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7) RETURNING id");
    BY_TOKEN(Bytes, Int) = Text::One(concat!(
        "SELECT ", key_columns!(), ", ", account_columns!(), " FROM api_keys k JOIN users u ON u.id = k.user_id
         WHERE k.token_hash = $1 AND (k.expires_at IS NULL OR k.expires_at > $2) AND u.disabled_at IS NULL"));
    TOUCH(Int, Int, Int) = Text::One(
        "UPDATE api_keys SET last_used_at = $2 WHERE id = $1 AND (last_used_at IS NULL OR last_used_at <= $3)");
    OF_USER(Int) = Text::One(concat!("SELECT ", key_columns!(), " FROM api_keys k WHERE k.user_id = $1 ORDER BY k.id"));
    ALL_KEYS() = Text::One(concat!("SELECT ", key_columns!(), " FROM api_keys k ORDER BY k.id"));
    REVOKE(Int, Int) = Text::One("DELETE FROM api_keys WHERE user_id = $1 AND id = $2");
    REVOKE_ANY(Int) = Text::One("DELETE FROM api_keys WHERE id = $1");
}

/// A key to be made.
#[derive(Debug, Clone)]
pub struct NewKey<'a> {
    /// SHA-256 of the key.
    pub token_hash: [u8; 32],
    /// Whose.
    pub user: UserId,
    /// What its user calls it.
    pub name: &'a str,
    /// The first letters of the key.
    pub prefix: &'a str,
    /// What it may do.
    pub scopes: &'a [String],
    /// When it ends.
    pub expires_at: Option<Timestamp>,
}

fn key(row: &mut Record) -> Result<ApiKey, StoreError> {
    Ok(ApiKey {
        id: KeyId(row.next()?),
        user: UserId(row.next()?),
        name: row.next()?,
        prefix: row.next()?,
        scopes: codes::from_json(row.next()?)?,
        created_at: row.next()?,
        expires_at: row.next()?,
        last_used_at: row.next()?,
    })
}

/// Never null: a key without scopes may do nothing.
fn scopes(words: &[String]) -> Value {
    match codes::json(words) {
        Value::Null => "[]".into(),
        list => list,
    }
}

impl Store {
    /// Makes a key.
    pub async fn create_key(&self, new: &NewKey<'_>, now: Timestamp) -> Result<KeyId, StoreError> {
        let row = vec![
            new.token_hash.into(),
            new.user.0.into(),
            new.name.into(),
            new.prefix.into(),
            scopes(new.scopes),
            now.into(),
            new.expires_at.into(),
        ];
        returned_id(self.write_one(&CREATE, row).await?).map(KeyId)
    }

    /// The key with that hash and its user, in one read; none if it has ended or its user may not log in.
    pub async fn api_key(
        &self,
        token_hash: &[u8; 32],
        now: Timestamp,
    ) -> Result<Option<(ApiKey, Account)>, StoreError> {
        let both = |row: &mut Record| Ok((key(row)?, account(row)?));
        self.read_first(&BY_TOKEN, vec![(*token_hash).into(), now.into()], both).await
    }

    /// Notes that a key was used, at most once a minute.
    pub async fn touch_key(&self, key: &ApiKey, now: Timestamp) -> Result<(), StoreError> {
        let before = now - TOUCH_EVERY;
        if key.last_used_at.is_some_and(|at| at > before) {
            return Ok(());
        }
        let mut batch = Batch::lasting(Durable::Soon);
        batch.step(&TOUCH, vec![vec![key.id.0.into(), now.into(), before.into()]]);
        self.write(batch).await.map(|_| ())
    }

    /// A user's keys, also those that have ended. Without a user: everybody's.
    pub async fn api_keys(&self, user: Option<UserId>) -> Result<Vec<ApiKey>, StoreError> {
        match user {
            Some(user) => self.read_all(&OF_USER, vec![user.0.into()], key).await,
            None => self.read_all(&ALL_KEYS, vec![], key).await,
        }
    }

    /// Ends a key. With a user, only if it is theirs. `false` if there is none.
    pub async fn revoke_key(&self, user: Option<UserId>, key: KeyId) -> Result<bool, StoreError> {
        let revoked = match user {
            Some(user) => self.write_counted(&REVOKE, vec![user.0.into(), key.0.into()]).await?,
            None => self.write_counted(&REVOKE_ANY, vec![key.0.into()]).await?,
        };
        Ok(revoked > 0)
    }
}
