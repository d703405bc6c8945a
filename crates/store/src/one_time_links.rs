//! Links that are good for one use. `setup` sets a first password, `login` begins a session.

use crate::StoreError;
use crate::db::batch::Batch;
use crate::db::sql::{Text, statements};
use crate::db::value::Record;
use crate::store::Store;
use crate::users::{END_SESSIONS, SET_PASSWORD};
use jiff::Timestamp;
use model::UserId;

statements! {
    CREATE(Bytes, Int, Text, Int) = Text::One(
        "INSERT INTO one_time_links (token_hash, user_id, purpose, expires_at) VALUES ($1, $2, $3, $4)");
    LOOK(Bytes, Text, Int) = Text::One(
        "SELECT user_id FROM one_time_links WHERE token_hash = $1 AND purpose = $2 AND expires_at > $3");
    /// The fence of what the link is for.
    TAKE(Bytes, Text, Int, Int) = Text::One(
        "DELETE FROM one_time_links WHERE token_hash = $1 AND purpose = $2 AND expires_at > $3 AND user_id = $4");
    /// A password ends the other links that would set one.
    DROP(Int, Text) = Text::One("DELETE FROM one_time_links WHERE user_id = $1 AND purpose = $2");
    FORGET(Int) = Text::One("DELETE FROM one_time_links WHERE expires_at <= $1");
}

/// Sets a first password.
const SETUP: &str = "setup";
/// Begins a session.
const LOGIN: &str = "login";

impl Store {
    /// Makes a link that lets whoever has it choose the user's password, once.
    pub async fn create_setup_link(
        &self,
        token_hash: [u8; 32],
        user: UserId,
        expires_at: Timestamp,
    ) -> Result<(), StoreError> {
        let row = vec![token_hash.into(), user.0.into(), SETUP.into(), expires_at.into()];
        self.write_one(&CREATE, row).await.map(|_| ())
    }

    /// Whose password the link sets; none if it was used or has expired.
    pub async fn setup_link(&self, token_hash: &[u8; 32], now: Timestamp) -> Result<Option<UserId>, StoreError> {
        let row = vec![(*token_hash).into(), SETUP.into(), now.into()];
        self.read_first(&LOOK, row, |row: &mut Record| row.next().map(UserId)).await
    }

    /// Makes a link that lets whoever has it log in as the user, once.
    pub async fn create_login_link(
        &self,
        token_hash: [u8; 32],
        user: UserId,
        expires_at: Timestamp,
    ) -> Result<(), StoreError> {
        let row = vec![token_hash.into(), user.0.into(), LOGIN.into(), expires_at.into()];
        self.write_one(&CREATE, row).await.map(|_| ())
    }

    /// Uses a link that logs in: who it was for; none if it was used before or has expired.
    pub async fn use_login_link(&self, token_hash: &[u8; 32], now: Timestamp) -> Result<Option<UserId>, StoreError> {
        let row = vec![(*token_hash).into(), LOGIN.into(), now.into()];
        let Some(user) = self.read_first(&LOOK, row, |row: &mut Record| row.next().map(UserId)).await? else {
            return Ok(None);
        };
        let mut batch = Batch::default();
        batch.fence(&TAKE, vec![(*token_hash).into(), LOGIN.into(), now.into(), user.0.into()]);
        Ok(self.write_if(batch).await?.then_some(user))
    }

    /// Uses the link: sets the user's password and ends all their links, in one transaction. `false` if it was used or
    /// has expired.
    pub async fn use_setup_link(
        &self,
        token_hash: &[u8; 32],
        user: UserId,
        password_hash: &str,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        let mut batch = Batch::default();
        batch.fence(&TAKE, vec![(*token_hash).into(), SETUP.into(), now.into(), user.0.into()]);
        batch.step_exactly(1, &SET_PASSWORD, vec![vec![user.0.into(), password_hash.into()]]);
        batch.step(&END_SESSIONS, vec![vec![user.0.into()]]);
        batch.step(&DROP, vec![vec![user.0.into(), SETUP.into()]]);
        self.write_if(batch).await
    }
}
