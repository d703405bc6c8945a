//! `Blobs`: stores bytes and returns them as they came or decoded.
//!
//! The one type that callers see; `directory`, `s3` and `memory` are its backends, `sweep` adds listing and deleting.
//! Hashing, compression and file access run on the blocking pool, never on the threads that serve requests.
//! Invariant: what `wire` returns has the hash that the blob is named by.

use std::sync::Arc;
use std::{fmt, io};

use bytes::Bytes;
use coding::{Decoded, Limits};
use jiff::Timestamp;
use model::blob::{AtRest, Blob, BlobHash, BlobKey, Coding};
use sha2::{Digest, Sha256};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use crate::address::{Address, S3Options};
use crate::directory::Directory;
use crate::error::BlobError;
use crate::memory::{self, Memory};
use crate::s3::S3;
use crate::sweep::Listed;

/// A blob store; clones share it.
#[derive(Clone)]
pub struct Blobs {
    pub(crate) backend: Backend,
}

/// The kinds of storage.
#[derive(Clone)]
pub(crate) enum Backend {
    Directory(Arc<Directory>),
    S3(Arc<S3>),
    Memory(Arc<Memory>),
}

/// Below this size compression saves too little for its overhead and a second name.
const COMPRESS_FROM_BYTES: usize = 512;
/// Of larger bodies a sample is tried first.
const SAMPLE_FROM_BYTES: usize = 1 << 20;
const SAMPLE_BYTES: usize = 64 << 10;
/// No visit may bring a larger body.
const LARGEST_BYTES: u64 = 1 << 30;

impl Blobs {
    /// Parses an address, `file:PATH` or `s3://bucket/prefix`. Nothing is accessed yet, see [`Blobs::check`].
    pub fn open(address: &str, s3: &S3Options) -> Result<Self, BlobError> {
        let backend = match Address::parse(address)? {
            Address::Directory(root) => Backend::Directory(Arc::new(Directory::new(root))),
            Address::S3 { bucket, prefix } => Backend::S3(Arc::new(S3::new(address, &bucket, &prefix, s3)?)),
        };
        Ok(Self { backend })
    }

    /// A store in memory that works on the caller's thread; for simulations.
    pub fn simulated() -> Self {
        Self { backend: Backend::Memory(Arc::default()) }
    }

    /// Stores the bytes of a body as they came over the wire; durable once it returns. A blob that exists is not
    /// written again, but counts as put `now`, so that no sweep deletes it before the caller has committed the row that
    /// refers to it.
    pub async fn put(&self, now: Timestamp, coding: Coding, wire: Bytes) -> Result<Blob, BlobError> {
        match &self.backend {
            Backend::Directory(directory) => {
                let (done, answer) = oneshot::channel();
                let to = directory.clone();
                let put = tokio::task::spawn_blocking(move || {
                    let (blob, stored) = prepare(coding, wire);
                    to.put(now, blob, &stored, done);
                });
                // This thread may sync for other callers before it ends, and another one may have synced for this
                // caller.
                let Ok(result) = answer.await else {
                    ended(put).await;
                    return directory.was_put(Err(io::Error::other("the thread that syncs this group did not finish")));
                };
                directory.was_put(result)
            }
            Backend::S3(s3) => {
                let (blob, stored) = off_thread(move || prepare(coding, wire)).await;
                s3.put(now, blob.key(), stored).await.map(|()| blob)
            }
            Backend::Memory(memory) => {
                let (blob, stored) = prepare(coding, wire);
                memory.put(now, blob.key(), stored);
                Ok(blob)
            }
        }
    }

    /// The bytes exactly as they came over the wire.
    pub async fn wire(&self, blob: &Blob) -> Result<Bytes, BlobError> {
        let (blob, key) = (*blob, blob.key());
        // A stored blob is never longer than its wire bytes, so anything longer is not read at all.
        let stored = match &self.backend {
            Backend::Directory(directory) => {
                let directory = directory.clone();
                off_thread(move || directory.get(key, blob.wire_bytes)).await?
            }
            Backend::S3(s3) => s3.get(key, blob.wire_bytes).await?,
            Backend::Memory(memory) => memory.get(key)?,
        };
        self.run(move || restore(&blob, stored)).await.map_err(|why| self.corrupt(key, why))
    }

    /// The decoded body, within limits. A truncated or damaged body is decoded as far as possible: that is the
    /// publisher's fault and not an error here.
    pub async fn decoded(&self, blob: &Blob, limits: Limits) -> Result<Decoded, BlobError> {
        let coding = blob.coding;
        let wire = self.wire(blob).await?;
        Ok(self.run(move || coding::decode(coding, &wire, limits)).await)
    }

    /// Whether the bytes under a name have the hash in that name. For callers that have only names, such as backups;
    /// `wire` does this check on every read.
    pub async fn verify(&self, listed: &Listed) -> Result<(), BlobError> {
        let key = listed.key;
        let blob = Blob {
            hash: key.hash,
            coding: key.coding,
            at_rest: key.at_rest,
            // A name does not contain the length on the wire.
            wire_bytes: if key.at_rest == AtRest::AsIs { listed.bytes } else { LARGEST_BYTES },
            stored_bytes: listed.bytes,
        };
        self.wire(&blob).await.map(|_| ())
    }

    /// Whether blobs can be written, read and deleted here; the error says what to do. Creates a missing directory,
    /// never a missing bucket.
    pub async fn check(&self) -> Result<(), BlobError> {
        match &self.backend {
            Backend::Directory(directory) => {
                let directory = directory.clone();
                off_thread(move || directory.check()).await
            }
            Backend::S3(s3) => s3.check().await,
            Backend::Memory(_) => Ok(()),
        }
    }

    /// Runs heavy work off the caller's thread, except in a simulation.
    async fn run<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> T {
        match &self.backend {
            Backend::Directory(_) | Backend::S3(_) => off_thread(work).await,
            Backend::Memory(_) => work(),
        }
    }

    fn corrupt(&self, key: BlobKey, why: String) -> BlobError {
        BlobError::Corrupt { key, place: self.to_string(), why }
    }
}

/// The address.
impl fmt::Display for Blobs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.backend {
            Backend::Directory(directory) => f.write_str(&directory.address),
            Backend::S3(s3) => f.write_str(&s3.address),
            Backend::Memory(_) => f.write_str(memory::ADDRESS),
        }
    }
}

impl fmt::Debug for Blobs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Blobs({self})")
    }
}

/// Names the bytes and decides how they are stored. Only bodies without a coding are compressed.
fn prepare(coding: Coding, wire: Bytes) -> (Blob, Bytes) {
    let hash = hash(&wire);
    let wire_bytes = wire.len() as u64;
    let (at_rest, stored) = match coding {
        Coding::Identity if wire.len() >= COMPRESS_FROM_BYTES && looks_compressible(&wire) => {
            let compressed = coding::compress(&wire);
            if is_worth_it(compressed.len(), wire.len()) {
                (AtRest::Zstd, compressed.into())
            } else {
                (AtRest::AsIs, wire)
            }
        }
        _ => (AtRest::AsIs, wire),
    };
    (Blob { hash, coding, at_rest, wire_bytes, stored_bytes: stored.len() as u64 }, stored)
}

/// Whether a piece from the middle compresses. Otherwise megabytes of noise would be in memory twice for nothing.
fn looks_compressible(wire: &[u8]) -> bool {
    let from = wire.len().saturating_sub(SAMPLE_BYTES) / 2;
    let sample = &wire[from..(from + SAMPLE_BYTES).min(wire.len())];
    wire.len() <= SAMPLE_FROM_BYTES || is_worth_it(coding::compress(sample).len(), sample.len())
}

fn is_worth_it(compressed_bytes: usize, bytes: usize) -> bool {
    compressed_bytes <= bytes / 10 * 9
}

/// Reverses `prepare`, or says what is wrong.
fn restore(blob: &Blob, stored: Bytes) -> Result<Bytes, String> {
    let wire = match blob.at_rest {
        AtRest::AsIs => stored,
        AtRest::Zstd => {
            // We compressed it, so only the length is limited: any ratio is legitimate.
            let limits = Limits { decoded_bytes: blob.wire_bytes, ratio: u64::MAX };
            let decoded = coding::decode(Coding::Zstd, &stored, limits).whole();
            decoded.map_err(|stopped| stopped.to_string())?.into()
        }
    };
    if hash(&wire) != blob.hash {
        return Err("its bytes have another hash".to_owned());
    }
    Ok(wire)
}

fn hash(bytes: &[u8]) -> BlobHash {
    BlobHash(Sha256::digest(bytes).into())
}

/// Runs blocking or heavy work on the blocking pool.
pub(crate) async fn off_thread<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    ended(tokio::task::spawn_blocking(work)).await
}

/// The result of work on another thread; its panic is passed on to the caller.
async fn ended<T>(work: JoinHandle<T>) -> T {
    match work.await {
        Ok(done) => done,
        Err(failed) => match failed.try_into_panic() {
            Ok(panic) => std::panic::resume_unwind(panic),
            // Cancelled, which happens only while the runtime shuts down and drops the caller.
            Err(_) => std::future::pending().await,
        },
    }
}
