//! Sessions of browsers: rows that end by themselves. The store knows the hash of a token, never the token.
//!
//! A session is read together with its user, in one statement, with every request that brings a cookie.

use crate::StoreError;
use crate::db::batch::{Batch, Durable};
use crate::db::sql::{Text, statements};
use crate::db::value::Record;
use crate::store::Store;
use crate::users::{LOGGED_IN, account, account_columns};
use jiff::{SignedDuration, Timestamp};
use model::account::{Account, Session};
use model::{SessionId, UserId};

/// How exact `last_seen_at` is: a write per request would cost more than the request.
const TOUCH_EVERY: SignedDuration = SignedDuration::from_mins(1);

/// The longest name of a browser that is kept.
const LONGEST_AGENT_BYTES: usize = 400;

macro_rules! session_columns {
    () => {
        "s.id, s.user_id, s.created_at, s.expires_at, s.last_seen_at, s.address, s.agent"
    };
}

statements! {
    /// Only for a user who is still the one that logged in: a change of the password meanwhile lets no session begin.
    CREATE(Bytes, Int, Int, Int, Int, Text, Text) = Text::One(
        "INSERT INTO sessions (token_hash, user_id, created_at, expires_at, last_seen_at, address, agent)
         SELECT $1, u.id, $4, $5, $4, $6, $7 FROM users u WHERE u.id = $2 AND u.generation = $3 AND u.disabled_at IS NULL
         RETURNING id");
    BY_TOKEN(Bytes, Int) = Text::One(concat!(
        "SELECT ", session_columns!(), ", ", account_columns!(), " FROM sessions s JOIN users u ON u.id = s.user_id
         WHERE s.token_hash = $1 AND s.expires_at > $2 AND u.disabled_at IS NULL"));
    TOUCH(Int, Int, Int) = Text::One("UPDATE sessions SET last_seen_at = $2 WHERE id = $1 AND last_seen_at <= $3");
    OF_USER(Int, Int) = Text::One(concat!(
        "SELECT ", session_columns!(), " FROM sessions s WHERE s.user_id = $1 AND s.expires_at > $2
         ORDER BY s.last_seen_at DESC, s.id DESC"));
    REVOKE(Int, Int) = Text::One("DELETE FROM sessions WHERE user_id = $1 AND id = $2");
    REVOKE_OTHERS(Int, Int) = Text::One("DELETE FROM sessions WHERE user_id = $1 AND id <> $2");
    FORGET(Int) = Text::One("DELETE FROM sessions WHERE expires_at <= $1");
}

/// A session to be made.
#[derive(Debug, Clone)]
pub struct NewSession<'a> {
    /// SHA-256 of the token.
    pub token_hash: [u8; 32],
    /// Whose.
    pub user: UserId,
    /// The generation of the user who logged in.
    pub generation: i64,
    /// When it ends.
    pub expires_at: Timestamp,
    /// The address it is made from.
    pub address: Option<&'a str>,
    /// What the browser calls itself.
    pub agent: Option<&'a str>,
}

fn session(row: &mut Record) -> Result<Session, StoreError> {
    Ok(Session {
        id: SessionId(row.next()?),
        user: UserId(row.next()?),
        created_at: row.next()?,
        expires_at: row.next()?,
        last_seen_at: row.next()?,
        address: row.next()?,
        agent: row.next()?,
    })
}

impl Store {
    /// Begins a session. `None` if the user has changed since they logged in, or may not log in any more.
    pub async fn create_session(&self, new: &NewSession<'_>, now: Timestamp) -> Result<Option<SessionId>, StoreError> {
        let agent = new.agent.map(|agent| &agent[..agent.floor_char_boundary(LONGEST_AGENT_BYTES)]);
        let row = vec![
            new.token_hash.into(),
            new.user.0.into(),
            new.generation.into(),
            now.into(),
            new.expires_at.into(),
            new.address.into(),
            agent.into(),
        ];
        let mut batch = Batch::one(&CREATE, row);
        batch.step(&LOGGED_IN, vec![vec![new.user.0.into(), now.into()]]);
        let mut answer = self.write(batch).await?;
        answer[0].records.first_mut().map(|row| row.next().map(SessionId)).transpose()
    }

    /// The session with that token and its user, in one read; none if it has ended or its user may not log in.
    pub async fn session(
        &self,
        token_hash: &[u8; 32],
        now: Timestamp,
    ) -> Result<Option<(Session, Account)>, StoreError> {
        let both = |row: &mut Record| Ok((session(row)?, account(row)?));
        self.read_first(&BY_TOKEN, vec![(*token_hash).into(), now.into()], both).await
    }

    /// Notes that a session was used, at most once a minute.
    pub async fn touch_session(&self, session: &Session, now: Timestamp) -> Result<(), StoreError> {
        let before = now - TOUCH_EVERY;
        if session.last_seen_at > before {
            return Ok(());
        }
        let mut batch = Batch::lasting(Durable::Soon);
        batch.step(&TOUCH, vec![vec![session.id.0.into(), now.into(), before.into()]]);
        self.write(batch).await.map(|_| ())
    }

    /// A user's sessions, the last used first.
    pub async fn sessions(&self, user: UserId, now: Timestamp) -> Result<Vec<Session>, StoreError> {
        self.read_all(&OF_USER, vec![user.0.into(), now.into()], session).await
    }

    /// Ends one session of a user. `false` if there is none.
    pub async fn end_session(&self, user: UserId, session: SessionId) -> Result<bool, StoreError> {
        Ok(self.write_counted(&REVOKE, vec![user.0.into(), session.0.into()]).await? > 0)
    }

    /// Ends all sessions of a user but one; returns how many. Without one to keep: all of them.
    pub async fn end_other_sessions(&self, user: UserId, keep: Option<SessionId>) -> Result<u64, StoreError> {
        // No session has the id 0.
        let keep = keep.map_or(0, |session| session.0);
        self.write_counted(&REVOKE_OTHERS, vec![user.0.into(), keep.into()]).await
    }
}
