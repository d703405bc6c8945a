//! Failed logins of the last minutes, and addresses from which users have logged in. Rows, so that several processes count
//! together. What follows from them is decided in `policy`.

use crate::StoreError;
use crate::db::batch::{Batch, Durable};
use crate::db::sql::{Text, statements};
use crate::db::value::{Record, Value};
use crate::store::Store;
use crate::users::LOGGED_IN;
use crate::{identities, one_time_links, revoked_tokens, sessions};
use jiff::{SignedDuration, Timestamp};
use model::UserId;

/// Failures are forgotten after this long; no limit looks further back.
const FAILURES_FOR: SignedDuration = SignedDuration::from_hours(1);
/// Addresses are forgotten after this long without a login.
const ADDRESSES_FOR: SignedDuration = SignedDuration::from_hours(24 * 90);

statements! {
    FAILED(Text, Int) = Text::Rows("INSERT INTO login_failures (subject, at) VALUES ($1, $2)");
    /// The last failures of subject $1 since $2, the newest first.
    FAILURES(Text, Int, Int) = Text::One(
        "SELECT at FROM login_failures WHERE subject = $1 AND at > $2 ORDER BY at DESC LIMIT $3");
    KNOWN(Int, Text) = Text::One("SELECT 1 FROM login_addresses WHERE user_id = $1 AND address = $2");
    REMEMBER(Int, Text, Int) = Text::One(
        "INSERT INTO login_addresses (user_id, address, at) VALUES ($1, $2, $3)
         ON CONFLICT (user_id, address) DO UPDATE SET at = excluded.at");
    FORGET_FAILURES(Int) = Text::One("DELETE FROM login_failures WHERE at <= $1");
    FORGET_ADDRESSES(Int) = Text::One("DELETE FROM login_addresses WHERE at <= $1");
}

/// Failures read for one subject: more than any limit.
const MOST: u32 = 100;

impl Store {
    /// Notes a failed login for each subject: `address:…`, `account:…`.
    pub async fn record_login_failure(&self, subjects: &[&str], now: Timestamp) -> Result<(), StoreError> {
        let mut batch = Batch::lasting(Durable::Soon);
        batch.step(&FAILED, subjects.iter().map(|subject| vec![(*subject).into(), now.into()]).collect());
        self.write(batch).await.map(|_| ())
    }

    /// When logins failed for a subject after `since`, the newest first.
    pub async fn login_failures(&self, subject: &str, since: Timestamp) -> Result<Vec<Timestamp>, StoreError> {
        let row = vec![subject.into(), since.into(), MOST.into()];
        self.read_all(&FAILURES, row, |row: &mut Record| row.next()).await
    }

    /// Whether a user has logged in from an address before.
    pub async fn is_known_address(&self, user: UserId, address: &str) -> Result<bool, StoreError> {
        let found = self.read_first(&KNOWN, vec![user.0.into(), address.into()], |_: &mut Record| Ok(())).await?;
        Ok(found.is_some())
    }

    /// Notes that a user has logged in, and from where.
    pub async fn record_login(&self, user: UserId, address: Option<&str>, now: Timestamp) -> Result<(), StoreError> {
        let mut batch = Batch::lasting(Durable::Soon);
        batch.step(&LOGGED_IN, vec![vec![user.0.into(), now.into()]]);
        let row = |address: &str| -> Vec<Value> { vec![user.0.into(), address.into(), now.into()] };
        batch.step(&REMEMBER, address.map(row).into_iter().collect());
        self.write(batch).await.map(|_| ())
    }

    /// Forgets what has expired: sessions, given-back tokens, logins under way, links, failures, addresses. Returns how many
    /// rows went.
    pub async fn forget_expired_logins(&self, now: Timestamp) -> Result<u64, StoreError> {
        let mut batch = Batch::lasting(Durable::Soon);
        for sql in [&sessions::FORGET, &revoked_tokens::FORGET, &identities::FORGET, &one_time_links::FORGET] {
            batch.step(sql, vec![vec![now.into()]]);
        }
        batch.step(&FORGET_FAILURES, vec![vec![(now - FAILURES_FOR).into()]]);
        batch.step(&FORGET_ADDRESSES, vec![vec![(now - ADDRESSES_FOR).into()]]);
        Ok(self.write(batch).await?.iter().filter_map(|step| step.written).sum())
    }
}
