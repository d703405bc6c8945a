//! Blobs in a directory: `ab/cdef….gz` below a root. Blocking; `blobs` calls it on the blocking pool.
//!
//! Invariant: a file under a blob's name is complete and durable: written and synced under a temporary name, then
//! renamed, then the directory synced. A crash leaves only temporary files, which the sweep removes. Concurrent puts
//! share these syncs (`group_sync`).
//! Invariant: no sweep deletes what a put has just found. The put refreshes a file's time under a shared lock; the
//! sweep checks that time and deletes under an exclusive one. The lock is a file, because workers may share a
//! directory.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::SystemTime;

use bytes::Bytes;
use jiff::Timestamp;
use model::blob::{Blob, BlobKey};
use tokio::sync::oneshot;

use crate::error::BlobError;
use crate::group_sync::{GroupSync, Written};
use crate::sweep::{Listed, Swept};
use crate::temporary::{TEMPORARY, Temporary};

/// A directory of blobs.
pub(crate) struct Directory {
    pub(crate) address: String,
    root: PathBuf,
    /// Which of the 256 sub-directories are known to be durable.
    durable: [AtomicBool; 256],
    group_sync: GroupSync,
}

const LOCK: &str = ".lock";

impl Directory {
    pub(crate) fn new(root: PathBuf) -> Self {
        let address = format!("file:{}", root.display());
        let group_sync = GroupSync::new(root.clone());
        Self { address, root, durable: [const { AtomicBool::new(false) }; 256], group_sync }
    }

    /// Writes a blob, and reports when it is durable; that may be after this has returned.
    pub(crate) fn put(&self, now: Timestamp, blob: Blob, bytes: &[u8], done: oneshot::Sender<io::Result<Blob>>) {
        match self.write(now.into(), blob, bytes) {
            Ok(written) => self.group_sync.settle(written, done, || self.lock(File::lock_shared)),
            // The caller may be gone; then nobody needs the result.
            Err(error) => drop(done.send(Err(error))),
        }
    }

    /// The result of a put.
    pub(crate) fn was_put(&self, result: io::Result<Blob>) -> Result<Blob, BlobError> {
        let blob = result.map_err(|error| self.error("write", error))?;
        self.durable(blob.key()).store(true, Ordering::Relaxed);
        Ok(blob)
    }

    fn write(&self, now: SystemTime, blob: Blob, bytes: &[u8]) -> io::Result<Written> {
        let key = blob.key();
        let path = self.path(key);
        let shard = path.parent().unwrap_or(&self.root);
        let found = self.refresh(now, &path, bytes.len() as u64)?;
        let temporary = if found { None } else { Some(Temporary::write(shard, now, bytes)?) };
        // Also for an existing file: the put that wrote it may not have synced yet.
        let mut directories = vec![shard.to_owned()];
        directories.extend((!self.durable(key).load(Ordering::Relaxed)).then(|| self.root.clone()));
        Ok(Written { blob, temporary, path, directories })
    }

    /// Whether the sub-directory of a blob is known to be durable.
    fn durable(&self, key: BlobKey) -> &AtomicBool {
        &self.durable[usize::from(key.hash.0[0])]
    }

    /// Makes an existing file count as put `now`; false if there is none that can be used.
    fn refresh(&self, now: SystemTime, path: &Path, size: u64) -> io::Result<bool> {
        if stat(path)?.is_none() {
            return Ok(false);
        }
        let _lock = self.lock(File::lock_shared)?;
        // Checked again under the lock: a sweep may have deleted it in between. If anything else is wrong with the old
        // file (truncated, foreign), a new one replaces it.
        let refreshed = File::open(path).and_then(|file| {
            let found = file.metadata()?;
            if !found.is_file() || found.len() != size {
                return Ok(false);
            }
            if found.modified()? < now {
                file.set_modified(now)?;
            }
            Ok(true)
        });
        Ok(refreshed.unwrap_or(false))
    }

    pub(crate) fn get(&self, key: BlobKey, limit_bytes: u64) -> Result<Bytes, BlobError> {
        let read = || -> io::Result<Vec<u8>> {
            let mut bytes = Vec::new();
            let file = File::open(self.path(key))?;
            // Only a hint: the length is not trusted before the hash is checked.
            bytes.reserve_exact(file.metadata()?.len().min(limit_bytes) as usize);
            file.take(limit_bytes.saturating_add(1)).read_to_end(&mut bytes)?;
            Ok(bytes)
        };
        match read() {
            Ok(bytes) if bytes.len() as u64 > limit_bytes => {
                Err(BlobError::Corrupt { key, place: self.address.clone(), why: "it is too long".to_owned() })
            }
            Ok(bytes) => Ok(bytes.into()),
            Err(error) if error.kind() == ErrorKind::NotFound => {
                Err(BlobError::NotFound { key, place: self.address.clone() })
            }
            Err(error) => Err(self.error("read", error)),
        }
    }

    pub(crate) fn check(&self) -> Result<(), BlobError> {
        fs::create_dir_all(&self.root).map_err(|error| self.error("create the directory", error))?;
        let probe = b"courant can write here";
        let write = || -> io::Result<Temporary> {
            drop(self.lock(File::lock_shared)?);
            let (temporary, mut file) = Temporary::create(&self.root)?;
            file.write_all(probe)?;
            file.sync_all()?;
            Ok(temporary)
        };
        let temporary = write().map_err(|error| self.error("write", error))?;
        let read = fs::read(&temporary.path).map_err(|error| self.error("read", error))?;
        if read != probe {
            return Err(self.error("read", io::Error::other("the bytes read differ from those written")));
        }
        fs::read_dir(&self.root).map_err(|error| self.error("list", error))?;
        Ok(())
    }

    /// The blobs after a key, in key order.
    pub(crate) fn list(&self, after: Option<BlobKey>, limit: usize) -> Result<Vec<Listed>, BlobError> {
        self.try_list(after, limit).map_err(|error| self.error("list", error))
    }

    fn try_list(&self, after: Option<BlobKey>, limit: usize) -> io::Result<Vec<Listed>> {
        let first = after.map(|key| key.hash.to_string()[..2].to_owned()).unwrap_or_default();
        let mut found = Vec::new();
        for shard in self.shards()?.into_iter().filter(|shard| *shard >= first) {
            let keys =
                names(&self.root.join(&shard))?.into_iter().filter_map(|name| format!("{shard}/{name}").parse().ok());
            for key in keys.filter(|key: &BlobKey| after.is_none_or(|after| *key > after)) {
                if found.len() == limit {
                    return Ok(found);
                }
                // A file that disappears meanwhile was deleted; the listing skips it.
                if let Some((modified, bytes)) = stat(&self.path(key))? {
                    // A time out of range is nonsense; counting it as new deletes nothing.
                    found.push(Listed { key, modified: modified.try_into().unwrap_or(Timestamp::MAX), bytes });
                }
            }
        }
        Ok(found)
    }

    /// Deletes blobs, all of them or those last put before a time.
    pub(crate) fn delete(&self, keys: &[BlobKey], before: Option<Timestamp>) -> Result<Swept, BlobError> {
        let before = before.map(SystemTime::from);
        let mut swept = Swept::default();
        for key in keys {
            let bytes = self.remove(&self.path(*key), before).map_err(|error| self.error("delete", error))?;
            swept.deleted += u64::from(bytes.is_some());
            swept.bytes += bytes.unwrap_or(0);
        }
        Ok(swept)
    }

    /// Removes what crashed puts left behind.
    pub(crate) fn delete_temporary(&self, before: Timestamp) -> Result<Swept, BlobError> {
        self.try_delete_temporary(before.into()).map_err(|error| self.error("delete", error))
    }

    fn try_delete_temporary(&self, before: SystemTime) -> io::Result<Swept> {
        let mut swept = Swept::default();
        let shards = self.shards()?.into_iter().map(|shard| self.root.join(shard));
        for directory in shards.chain([self.root.clone()]) {
            for name in names(&directory)?.into_iter().filter(|name| name.starts_with(TEMPORARY)) {
                let bytes = self.remove(&directory.join(name), Some(before))?;
                swept.temporary += u64::from(bytes.is_some());
                swept.bytes += bytes.unwrap_or(0);
            }
        }
        Ok(swept)
    }

    /// Checks once more and removes, under a lock that keeps puts from using the file meanwhile. One lock per file: it
    /// is cheap, and puts never wait long.
    fn remove(&self, path: &Path, before: Option<SystemTime>) -> io::Result<Option<u64>> {
        if stat(path)?.is_none() {
            return Ok(None);
        }
        let _lock = self.lock(File::lock)?;
        match stat(path)? {
            Some((modified, bytes)) if before.is_none_or(|before| modified < before) => {
                fs::remove_file(path)?;
                Ok(Some(bytes))
            }
            _ => Ok(None),
        }
    }

    /// Held until dropped. On a file system without locks there is none: then only one process should use it.
    fn lock(&self, how: impl Fn(&File) -> io::Result<()>) -> io::Result<Option<File>> {
        let file = File::options().create(true).append(true).open(self.root.join(LOCK))?;
        match how(&file) {
            Ok(()) => Ok(Some(file)),
            Err(error) if error.kind() == ErrorKind::Unsupported => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn shards(&self) -> io::Result<Vec<String>> {
        let is_shard = |name: &String| name.len() == 2 && name.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
        Ok(names(&self.root)?.into_iter().filter(is_shard).collect())
    }

    fn path(&self, key: BlobKey) -> PathBuf {
        self.root.join(key.to_string())
    }

    fn error(&self, doing: &'static str, error: io::Error) -> BlobError {
        let place = self.address.clone();
        match error.kind() {
            // A limit on file sizes is a kind of quota.
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge => {
                BlobError::Full { place, source: error.into() }
            }
            ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => BlobError::Denied {
                place,
                doing,
                advice: "give this user the right to read and write there, or choose another directory",
                source: error.into(),
            },
            ErrorKind::NotADirectory | ErrorKind::AlreadyExists => BlobError::Invalid {
                address: place,
                why: "a file is in the way of the directory; remove it, or choose another directory".to_owned(),
                source: Some(error.into()),
            },
            _ => BlobError::Unavailable { place, doing, source: error.into() },
        }
    }
}

/// The names in a directory, sorted; none if there is no such directory.
fn names(directory: &Path) -> io::Result<Vec<String>> {
    let entries = match fs::read_dir(directory) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let mut names = Vec::new();
    for entry in entries {
        names.extend(entry?.file_name().into_string());
    }
    names.sort_unstable();
    Ok(names)
}

/// When a file was last put, and its size; `None` if it does not exist.
fn stat(path: &Path) -> io::Result<Option<(SystemTime, u64)>> {
    match fs::metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        found => {
            let found = found?;
            Ok(Some((found.modified()?, found.len())))
        }
    }
}
