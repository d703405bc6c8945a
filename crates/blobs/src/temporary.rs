//! Temporary files: written under a name of their own, then renamed.
//!
//! Used by `directory` only. Leftovers of a crash are recognised by the prefix of their name.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;

/// A file under a temporary name; removed when dropped, unless it was renamed.
pub(crate) struct Temporary {
    pub(crate) path: PathBuf,
}

/// The prefix of temporary names; no blob's name begins with a dot.
pub(crate) const TEMPORARY: &str = ".tmp-";

impl Temporary {
    /// Writes a file with these bytes, not yet synced.
    pub(crate) fn write(directory: &Path, now: SystemTime, bytes: &[u8]) -> io::Result<Self> {
        let (temporary, mut file) = Self::create(directory)?;
        file.write_all(bytes)?;
        // The caller's time, not the kernel's: a sweep compares it with the caller's.
        file.set_modified(now)?;
        Ok(temporary)
    }

    pub(crate) fn create(directory: &Path) -> io::Result<(Self, File)> {
        // Unique in this process; a name used by another process, running or crashed, is skipped.
        static NEXT: AtomicU64 = AtomicU64::new(0);
        loop {
            let number = NEXT.fetch_add(1, Ordering::Relaxed);
            let path = directory.join(format!("{TEMPORARY}{}-{number}", std::process::id()));
            match File::create_new(&path) {
                Ok(file) => return Ok((Self { path }, file)),
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) if error.kind() == ErrorKind::NotFound => fs::create_dir_all(directory)?,
                Err(error) => return Err(error),
            }
        }
    }

    /// After a rename, dropping finds nothing to remove.
    pub(crate) fn rename(&self, to: &Path) -> io::Result<()> {
        fs::rename(&self.path, to)
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        // Best effort: leftovers are swept later.
        let _ = fs::remove_file(&self.path);
    }
}
