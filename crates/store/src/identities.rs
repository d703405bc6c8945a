//! Who a user is at an identity provider, and logins that have gone there and have not come back.

use crate::StoreError;
use crate::db::sql::{Text, statements};
use crate::db::value::{Record, returned_id};
use crate::store::Store;
use crate::users::{account, account_columns, addition, name_key};
use jiff::Timestamp;
use model::UserId;
use model::account::Account;
use model::reader::Role;

statements! {
    /// The user whom a provider calls so, disabled or not.
    BY_SUBJECT(Text, Text) = Text::One(concat!(
        "SELECT ", account_columns!(), " FROM identities i JOIN users u ON u.id = i.user_id
         WHERE i.issuer = $1 AND i.subject = $2"));
    LINK(Text, Text, Int, Int) = Text::One(
        "INSERT INTO identities (issuer, subject, user_id, created_at) VALUES ($1, $2, $3, $4)
         ON CONFLICT (issuer, subject) DO NOTHING");
    LINK_NEW(Text, Text, Text, Int) = Text::One(
        "INSERT INTO identities (issuer, subject, user_id, created_at)
         SELECT $1, $2, u.id, $4 FROM users u WHERE u.name_key = $3");
    BEGIN(Bytes, Bytes, Text, Text, Text, Text, Int) = Text::One(
        "INSERT INTO oidc_logins (state_hash, browser_hash, nonce, verifier, redirect_uri, return_to, expires_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7)");
    TAKE(Bytes) = Text::One(
        "DELETE FROM oidc_logins WHERE state_hash = $1
         RETURNING browser_hash, nonce, verifier, redirect_uri, return_to, expires_at");
    FORGET(Int) = Text::One("DELETE FROM oidc_logins WHERE expires_at <= $1");
}

/// A login that has gone to the identity provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OidcLogin {
    /// SHA-256 of the cookie of the browser that began it.
    pub browser_hash: [u8; 32],
    /// What the provider must put into its token.
    pub nonce: String,
    /// The secret of the proof key (PKCE).
    pub verifier: String,
    /// Where the provider sends the browser back to.
    pub redirect_uri: String,
    /// Where it goes from there.
    pub return_to: String,
    /// Until when it may come back.
    pub expires_at: Timestamp,
}

/// What came of binding an identity to a user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Linked {
    /// It is theirs now.
    Done,
    /// It was before.
    Already,
    /// It is another user's, who keeps it.
    Taken(Account),
}

impl Store {
    /// The user whom `issuer` calls `subject`, disabled or not.
    pub async fn identity(&self, issuer: &str, subject: &str) -> Result<Option<Account>, StoreError> {
        self.read_first(&BY_SUBJECT, vec![issuer.into(), subject.into()], account).await
    }

    /// Binds an identity to a user.
    pub async fn link_identity(
        &self,
        user: UserId,
        issuer: &str,
        subject: &str,
        now: Timestamp,
    ) -> Result<Linked, StoreError> {
        let row = vec![issuer.into(), subject.into(), user.0.into(), now.into()];
        if self.write_counted(&LINK, row).await? > 0 {
            return Ok(Linked::Done);
        }
        Ok(match self.identity(issuer, subject).await? {
            Some(holder) if holder.user != user => Linked::Taken(holder),
            _ => Linked::Already,
        })
    }

    /// Adds a user who logs in through an identity provider. A name or identity that is taken is a conflict.
    pub async fn add_identified_user(
        &self,
        name: &str,
        role: Role,
        issuer: &str,
        subject: &str,
        now: Timestamp,
    ) -> Result<UserId, StoreError> {
        let mut batch = addition(name, role, None, now);
        let row = vec![issuer.into(), subject.into(), name_key(name).into(), now.into()];
        batch.step_exactly(1, &LINK_NEW, vec![row]);
        let mut answer = self.write(batch).await?;
        returned_id(answer.swap_remove(0).records).map(UserId)
    }

    /// Notes that a login has gone to the identity provider.
    pub async fn begin_oidc_login(&self, state_hash: [u8; 32], login: &OidcLogin) -> Result<(), StoreError> {
        let row = vec![
            state_hash.into(),
            login.browser_hash.into(),
            login.nonce.as_str().into(),
            login.verifier.as_str().into(),
            login.redirect_uri.as_str().into(),
            login.return_to.as_str().into(),
            login.expires_at.into(),
        ];
        self.write_one(&BEGIN, row).await.map(|_| ())
    }

    /// Takes back the login with that state: each comes back once, and in time.
    pub async fn take_oidc_login(
        &self,
        state_hash: &[u8; 32],
        now: Timestamp,
    ) -> Result<Option<OidcLogin>, StoreError> {
        let mut rows = self.write_one(&TAKE, vec![(*state_hash).into()]).await?;
        let login = |row: &mut Record| -> Result<OidcLogin, StoreError> {
            Ok(OidcLogin {
                browser_hash: row.next()?,
                nonce: row.next()?,
                verifier: row.next()?,
                redirect_uri: row.next()?,
                return_to: row.next()?,
                expires_at: row.next()?,
            })
        };
        let taken = rows.first_mut().map(login).transpose()?;
        Ok(taken.filter(|login| login.expires_at > now))
    }
}
