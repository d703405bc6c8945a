//! Signed tokens that were given back before they expired, and the user whom a token names.

use crate::StoreError;
use crate::db::sql::{Text, statements};
use crate::db::value::Record;
use crate::store::Store;
use crate::users::{account, account_columns};
use jiff::Timestamp;
use model::UserId;
use model::account::Account;

statements! {
    REVOKE(Bytes, Int) = Text::One(
        "INSERT INTO revoked_tokens (jti, expires_at) VALUES ($1, $2) ON CONFLICT (jti) DO NOTHING");
    /// User $1, if token $2 was not given back.
    HOLDER(Int, Bytes) = Text::One(concat!(
        "SELECT ", account_columns!(), " FROM users u
         WHERE u.id = $1 AND u.disabled_at IS NULL AND NOT EXISTS (SELECT 1 FROM revoked_tokens t WHERE t.jti = $2)"));
    FORGET(Int) = Text::One("DELETE FROM revoked_tokens WHERE expires_at <= $1");
}

impl Store {
    /// Refuses a signed token from now on. It is forgotten when it would have expired.
    pub async fn revoke_token(&self, jti: [u8; 16], expires_at: Timestamp) -> Result<(), StoreError> {
        self.write_one(&REVOKE, vec![jti.into(), expires_at.into()]).await.map(|_| ())
    }

    /// The user whom a signed token names, in one read; none if it was given back or they may not log in. The caller
    /// compares the generation.
    pub async fn token_holder(&self, user: UserId, jti: [u8; 16]) -> Result<Option<Account>, StoreError> {
        self.read_first(&HOLDER, vec![user.0.into(), jti.into()], |row: &mut Record| account(row)).await
    }
}
