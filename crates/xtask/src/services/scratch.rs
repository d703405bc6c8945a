//! The temporary directory of one run.
//!
//! A run that was killed cannot clean up after itself, so the next one does: each run holds a lock inside its
//! directory, and a directory whose lock is free has lost its owner. (A process id would not do: containers that share
//! /tmp do not share ids.)

use std::fs::{self, File, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::{env, process};

use anyhow::{Context, Result};

const PREFIX: &str = "courant-test-";

/// A directory that exists as long as this value.
pub(super) struct Scratch {
    dir: PathBuf,
    _lock: File,
}

impl Scratch {
    pub(super) fn new() -> Result<Self> {
        Self::inside(&env::temp_dir())
    }

    fn inside(parent: &Path) -> Result<Self> {
        sweep(parent);
        let dir = (0..u16::MAX)
            .map(|n| parent.join(format!("{PREFIX}{}-{n}", process::id())))
            .find(|dir| !dir.exists())
            .context("too many runs of this process id are left in the temporary directory")?;
        fs::create_dir(&dir).with_context(|| format!("cannot create {}", dir.display()))?;
        // As root, PostgreSQL runs as another user and has to reach its own directory inside.
        fs::set_permissions(&dir, Permissions::from_mode(0o755))?;
        // Locked before it gets its name: a visible lock file that is free has lost its owner.
        let lock = File::create(dir.join("lock.new"))?;
        lock.lock()?;
        fs::rename(dir.join("lock.new"), dir.join("lock"))?;
        Ok(Self { dir, _lock: lock })
    }

    pub(super) fn path(&self) -> &Path {
        &self.dir
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_dir_all(&self.dir) {
            eprintln!("xtask: cannot remove {}: {error}", self.dir.display());
        }
    }
}

/// Removes the directories of runs that ended. What cannot be removed belongs to another user.
fn sweep(parent: &Path) {
    let Ok(entries) = fs::read_dir(parent) else { return };
    for entry in entries.flatten() {
        let ours = entry.file_name().to_string_lossy().starts_with(PREFIX);
        if ours && File::open(entry.path().join("lock")).is_ok_and(|lock| lock.try_lock().is_ok()) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_sweeps_what_dead_runs_left_and_nothing_else() {
        let parent = env::temp_dir().join(format!("xtask-scratch-{}", process::id()));
        fs::create_dir_all(parent.join("courant-test-1-0")).unwrap();
        File::create(parent.join("courant-test-1-0/lock")).unwrap();
        fs::create_dir_all(parent.join("somebody-else")).unwrap();
        File::create(parent.join("somebody-else/lock")).unwrap();

        let first = Scratch::inside(&parent).unwrap();
        let second = Scratch::inside(&parent).unwrap();
        let exists = |name: &str| parent.join(name).exists();
        assert!(!exists("courant-test-1-0"), "its owner has ended");
        assert!(exists("somebody-else"), "not ours");
        assert!(first.path().exists(), "its owner is running");

        let gone = second.path().to_path_buf();
        drop((first, second));
        assert!(!gone.exists());
        fs::remove_dir_all(&parent).unwrap();
    }
}
