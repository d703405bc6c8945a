//! Listing and deleting: how blobs that nobody refers to any more are found and removed.
//!
//! Only the store knows what is referred to, and effects do not know each other, so the caller answers that question.
//! Invariant: nothing is deleted that was put within [`GRACE`]: a put comes before the commit that refers to it.

use std::collections::HashSet;

use jiff::{SignedDuration, Timestamp};
use model::blob::BlobKey;

use crate::blobs::{Backend, Blobs, off_thread};
use crate::error::BlobError;

/// How long a blob is safe after its last put, referred to or not. A day is longer than any refresh takes and than
/// clocks of machines differ; one constant, because `put` on S3 relies on what `sweep` spares.
pub const GRACE: SignedDuration = SignedDuration::from_hours(24);

/// A blob in a listing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Listed {
    /// Its name.
    pub key: BlobKey,
    /// When it was last put.
    pub modified: Timestamp,
    /// How many bytes it takes at rest.
    pub bytes: u64,
}

/// What a sweep did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Swept {
    /// How many blobs there were.
    pub seen: u64,
    /// How many of them were deleted.
    pub deleted: u64,
    /// How many leftovers of crashed puts were deleted.
    pub temporary: u64,
    /// How many bytes that freed.
    pub bytes: u64,
}

/// As many keys as one answer of S3 has.
const PAGE: usize = 1000;

impl Blobs {
    /// Up to `limit` blobs after a key, in the order of their keys; fewer than `limit` means that these were the last.
    /// What lies there and is no blob is left out.
    pub async fn list(&self, after: Option<BlobKey>, limit: usize) -> Result<Vec<Listed>, BlobError> {
        match &self.backend {
            Backend::Directory(directory) => {
                let directory = directory.clone();
                off_thread(move || directory.list(after, limit)).await
            }
            Backend::S3(s3) => s3.list(after, limit).await,
            Backend::Memory(memory) => Ok(memory.list(after, limit)),
        }
    }

    /// Deletes blobs at once, whoever refers to them: for bytes that must go, not for tidying, which is [`Blobs::sweep`].
    pub async fn delete(&self, keys: &[BlobKey]) -> Result<Swept, BlobError> {
        self.delete_put_before(keys.to_vec(), None).await
    }

    /// Deletes every blob that was last put more than [`GRACE`] ago and is not in what `live` returns, and what crashed
    /// puts left behind. `live` is handed some keys and returns those of them that are referred to.
    // Not `AsyncFn`: with a closure that borrows a store, the compiler then takes the future for one that is not `Send`.
    pub async fn sweep<E, Answer>(&self, now: Timestamp, live: impl Fn(Vec<BlobKey>) -> Answer) -> Result<Swept, E>
    where
        E: From<BlobError>,
        Answer: Future<Output = Result<HashSet<BlobKey>, E>>,
    {
        let before = now - GRACE;
        let mut swept = self.delete_temporary(before).await?;
        let mut after = None;
        loop {
            let page = self.list(after, PAGE).await?;
            let old: Vec<_> = page.iter().filter(|blob| blob.modified < before).map(|blob| blob.key).collect();
            swept.seen += page.len() as u64;
            if !old.is_empty() {
                let live = live(old.clone()).await?;
                let dead = old.into_iter().filter(|key| !live.contains(key)).collect();
                // Looked at once more before each goes: it may have been put again since it was listed.
                let gone = self.delete_put_before(dead, Some(before)).await?;
                swept.deleted += gone.deleted;
                swept.bytes += gone.bytes;
            }
            if page.len() < PAGE {
                return Ok(swept);
            }
            after = page.last().map(|blob| blob.key);
        }
    }

    async fn delete_put_before(&self, keys: Vec<BlobKey>, before: Option<Timestamp>) -> Result<Swept, BlobError> {
        match &self.backend {
            Backend::Directory(directory) => {
                let directory = directory.clone();
                off_thread(move || directory.delete(&keys, before)).await
            }
            Backend::S3(s3) => s3.delete(keys, before).await,
            Backend::Memory(memory) => Ok(memory.delete(&keys, before)),
        }
    }

    async fn delete_temporary(&self, before: Timestamp) -> Result<Swept, BlobError> {
        match &self.backend {
            Backend::Directory(directory) => {
                let directory = directory.clone();
                off_thread(move || directory.delete_temporary(before)).await
            }
            // Elsewhere a blob is whole or not there.
            Backend::S3(_) | Backend::Memory(_) => Ok(Swept::default()),
        }
    }
}
