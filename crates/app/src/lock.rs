//! One serving process per SQLite database: a lock file that names the process.
//!
//! Several processes that serve one SQLite file would not corrupt it, but would constantly wait for each other's
//! writes.

use std::fs::{File, OpenOptions};
use std::io::{Read as _, Seek as _, Write as _};
use std::path::{Path, PathBuf};

use anyhow::Context as _;

/// Held while the process serves; the system releases it however the process ends.
#[derive(Debug)]
pub struct ServeLock {
    _file: File,
}

impl ServeLock {
    /// The lock file of a data directory.
    pub(crate) fn file(data: &Path) -> PathBuf {
        data.join("courant.lock")
    }

    /// Takes the lock in a data directory, or returns who has it.
    pub fn take(data: &Path) -> anyhow::Result<Self> {
        let path = Self::file(data);
        let open = || OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&path);
        let mut file = open().with_context(|| format!("cannot open the lock file {}", path.display()))?;
        if file.try_lock().is_err() {
            let mut holder = String::new();
            // The holder is helpful, but not needed to refuse.
            let _ = file.read_to_string(&mut holder);
            let holder = holder.trim();
            anyhow::bail!(
                "another courant serves {} (process {}): stop it first, or use PostgreSQL for several processes",
                data.display(),
                if holder.is_empty() { "unknown" } else { holder }
            );
        }
        let named =
            file.set_len(0).and_then(|()| file.rewind()).and_then(|()| writeln!(file, "{}", std::process::id()));
        named.with_context(|| format!("cannot write the lock file {}", path.display()))?;
        Ok(Self { _file: file })
    }

    /// The process that serves a data directory, if any. Read-only: nothing is created, and a starting process is
    /// blocked only for the duration of the check.
    pub fn holder(data: &Path) -> anyhow::Result<Option<String>> {
        let path = Self::file(data);
        let mut file = File::open(&path).with_context(|| format!("cannot open the lock file {}", path.display()))?;
        match file.try_lock_shared() {
            Ok(()) => Ok(None),
            Err(std::fs::TryLockError::Error(error)) => Err(error.into()),
            Err(std::fs::TryLockError::WouldBlock) => {
                let mut holder = String::new();
                let _ = file.read_to_string(&mut holder);
                Ok(Some(holder.trim().to_owned()))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_is_told_who_the_first_is() {
        let data = tempfile::tempdir().unwrap();
        let first = ServeLock::take(data.path()).unwrap();
        let said = ServeLock::take(data.path()).unwrap_err().to_string();
        assert!(said.contains(&format!("(process {})", std::process::id())), "{said}");
        assert_eq!(ServeLock::holder(data.path()).unwrap(), Some(std::process::id().to_string()));
        drop(first);
        assert_eq!(ServeLock::holder(data.path()).unwrap(), None);
        ServeLock::take(data.path()).unwrap();
    }
}
