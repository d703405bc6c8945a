//! Listing and deleting: finds and removes blobs that are no longer referenced.
//!
//! Only the store knows what is referenced, and effect crates do not depend on each other, so the caller answers that
//! question.
//! Invariant: nothing is deleted that was put within [`GRACE`]: a put comes before the commit that refers to it.

use std::collections::HashSet;

use jiff::{SignedDuration, Timestamp};
use model::blob::BlobKey;

use crate::blobs::{Backend, Blobs, off_thread};
use crate::error::BlobError;

/// How long a blob is safe after its last put, referenced or not. A day is longer than any refresh and than the
/// difference between clocks of machines. One constant, because `put` on S3 relies on what `sweep` spares.
pub const GRACE: SignedDuration = SignedDuration::from_hours(24);

/// A blob in a listing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Listed {
    /// Its name.
    pub key: BlobKey,
    /// When it was last put.
    pub modified: Timestamp,
    /// Its size as stored.
    pub bytes: u64,
}

/// What a sweep did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Swept {
    /// How many blobs were found.
    pub seen: u64,
    /// How many of them were deleted.
    pub deleted: u64,
    /// How many leftovers of crashed puts were deleted.
    pub temporary: u64,
    /// How many bytes that freed.
    pub bytes: u64,
}

/// The page size of S3 listings.
const PAGE: usize = 1000;

impl Blobs {
    /// At most `limit` blobs after a key, in key order; fewer than `limit` means that these were the last. Files that
    /// are not blobs are skipped.
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

    /// Deletes blobs at once, referenced or not: for bytes that must be removed. Use [`Blobs::sweep`] for cleanup.
    pub async fn delete(&self, keys: &[BlobKey]) -> Result<Swept, BlobError> {
        self.delete_put_before(keys.to_vec(), None).await
    }

    /// Deletes every blob that was last put more than [`GRACE`] ago and is not live, and what crashed puts left behind.
    /// `live` receives keys and returns those that are still referenced.
    // Not `AsyncFn`: with a closure that borrows a store, the compiler would not see that the future is `Send`.
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
                // Each is checked once more before it is deleted: it may have been put again since it was listed.
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
            // Elsewhere a blob is complete or absent.
            Backend::S3(_) | Backend::Memory(_) => Ok(Swept::default()),
        }
    }
}
