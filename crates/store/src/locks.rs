//! Named locks for jobs that only one process does at a time (maintenance). They expire; their token fences.

use crate::StoreError;
use crate::db::batch::{Answer, Batch, Refused};
use crate::db::queue::Lane;
use crate::db::sql::{Text, statements};
use crate::db::value::Record;
use crate::store::Store;
use jiff::{SignedDuration, Timestamp};
use model::WorkerId;

statements! {
    /// Takes the lock $1 for $2 until $4 if it is free, expired at $3, or already ours.
    TAKE(Text, Text, Int, Int) = Text::One(
        "INSERT INTO locks (name, holder, token, heartbeat_at, expires_at) VALUES ($1, $2, 1, $3, $4)
         ON CONFLICT (name) DO UPDATE
         SET holder = excluded.holder, heartbeat_at = excluded.heartbeat_at, expires_at = excluded.expires_at,
             token = locks.token + CASE WHEN locks.holder = excluded.holder THEN 0 ELSE 1 END
         WHERE locks.holder = excluded.holder OR locks.expires_at <= excluded.heartbeat_at
         RETURNING token, expires_at");
    /// The fence of a job under lock $1: still $2's with token $3. Renews it at $4 until $5.
    FENCE(Text, Text, Int, Int, Int) = Text::One(
        "UPDATE locks SET heartbeat_at = $4, expires_at = $5 WHERE name = $1 AND holder = $2 AND token = $3");
    RELEASE(Text, Text) = Text::One("DELETE FROM locks WHERE name = $1 AND holder = $2");
    HOLDER(Text) = Text::One("SELECT holder FROM locks WHERE name = $1");
}

/// A lock that is held.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lock {
    /// Which.
    pub name: String,
    /// Whose.
    pub holder: WorkerId,
    /// Grows whenever the lock changes hands.
    pub token: i64,
    /// Until when, unless taken again.
    pub until: Timestamp,
}

/// Each write of a job keeps its lock for this long.
const RENEWED: SignedDuration = SignedDuration::from_secs(60);

impl Lock {
    /// A batch that happens only while the lock is held, and renews it.
    pub(crate) fn batch(&self, now: Timestamp) -> Batch {
        let until = now + RENEWED;
        let mut batch = Batch::default();
        let row =
            vec![self.name.as_str().into(), self.holder.0.as_str().into(), self.token.into(), now.into(), until.into()];
        batch.fence(&FENCE, row);
        batch
    }
}

impl Store {
    /// Writes a batch that a lock fences.
    pub(crate) async fn write_under(&self, lock: &Lock, batch: Batch) -> Result<Answer, StoreError> {
        self.submit(self.lane(), batch).await.map_err(|refused| match refused {
            Refused::Failed(error) => error,
            Refused::Stale => StoreError::LockLost { name: lock.name.clone() },
        })
    }

    /// Takes or renews a lock; `None` while another process holds it.
    pub async fn take_lock(
        &self,
        name: &str,
        holder: &WorkerId,
        now: Timestamp,
        lasting: SignedDuration,
    ) -> Result<Option<Lock>, StoreError> {
        let row = vec![name.into(), holder.0.as_str().into(), now.into(), (now + lasting).into()];
        // A job waits for its lock as a worker waits for its leases.
        let mut answer = self.write_in(Lane::Leases, Batch::one(&TAKE, row)).await?;
        let lock = |row: &mut Record| {
            Ok(Lock { name: name.to_owned(), holder: holder.clone(), token: row.next()?, until: row.next()? })
        };
        answer[0].records.first_mut().map(lock).transpose()
    }

    /// Gives a lock back; one that went to another process stays theirs.
    pub async fn release_lock(&self, name: &str, holder: &WorkerId) -> Result<(), StoreError> {
        let batch = Batch::one(&RELEASE, vec![name.into(), holder.0.as_str().into()]);
        self.write_in(Lane::Leases, batch).await.map(|_| ())
    }

    /// Who holds a lock, expired or not.
    pub async fn lock_holder(&self, name: &str) -> Result<Option<WorkerId>, StoreError> {
        self.read_first(&HOLDER, vec![name.into()], |row| row.next().map(WorkerId)).await
    }
}
