//! Blobs in memory, on the caller's thread: for simulations, which must not depend on the timing of other threads.

use crate::error::BlobError;
use crate::sweep::{Listed, Swept};
use bytes::Bytes;
use jiff::Timestamp;
use model::blob::BlobKey;
use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The blobs by name, and when each was last put.
#[derive(Default)]
pub(crate) struct Memory(Mutex<BTreeMap<BlobKey, (Timestamp, Bytes)>>);

impl Memory {
    pub(crate) fn put(&self, now: Timestamp, key: BlobKey, stored: Bytes) {
        self.lock().entry(key).or_insert((now, stored)).0 = now;
    }

    pub(crate) fn get(&self, key: BlobKey) -> Result<Bytes, BlobError> {
        let found = self.lock().get(&key).map(|(_, stored)| stored.clone());
        found.ok_or_else(|| BlobError::NotFound { key, place: ADDRESS.to_owned() })
    }

    pub(crate) fn list(&self, after: Option<BlobKey>, limit: usize) -> Vec<Listed> {
        let from = after.map_or(Bound::Unbounded, Bound::Excluded);
        let blobs = self.lock();
        let listed = blobs.range((from, Bound::Unbounded)).take(limit);
        listed.map(|(key, (modified, stored))| listing(*key, *modified, stored)).collect()
    }

    pub(crate) fn delete(&self, keys: &[BlobKey], before: Option<Timestamp>) -> Swept {
        let mut swept = Swept::default();
        let mut blobs = self.lock();
        for key in keys {
            if blobs.get(key).is_some_and(|(put, _)| before.is_none_or(|before| *put < before))
                && let Some((_, stored)) = blobs.remove(key)
            {
                swept.deleted += 1;
                swept.bytes += stored.len() as u64;
            }
        }
        swept
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<BlobKey, (Timestamp, Bytes)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The address in messages.
pub(crate) const ADDRESS: &str = "the simulation's memory";

fn listing(key: BlobKey, modified: Timestamp, stored: &Bytes) -> Listed {
    Listed { key, modified, bytes: stored.len() as u64 }
}

#[cfg(test)]
mod tests {
    use crate::{Blobs, Coding, Limits};
    use bytes::Bytes;
    use jiff::Timestamp;
    use std::pin::pin;
    use std::task::{Context, Poll, Waker};

    /// Polls once, outside of any runtime: work on another thread would not be ready.
    fn at_once<T>(future: impl Future<Output = T>) -> T {
        match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(done) => done,
            Poll::Pending => panic!("the future is not ready"),
        }
    }

    #[test]
    fn everything_is_done_on_the_callers_thread() {
        let blobs = Blobs::simulated();
        let body = Bytes::from("words and more words, ".repeat(1000));
        let blob = at_once(blobs.put(Timestamp::UNIX_EPOCH, Coding::Identity, body.clone())).unwrap();
        assert!(blob.stored_bytes < blob.wire_bytes, "it was compressed");
        assert_eq!(at_once(blobs.wire(&blob)).unwrap(), body);
        assert_eq!(at_once(blobs.decoded(&blob, Limits::default())).unwrap().bytes, body);
    }
}
