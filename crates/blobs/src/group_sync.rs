//! Group sync: concurrent puts become durable together.
//!
//! A sync costs the kernel more than writing the few kilobytes of a feed. The first caller syncs for all puts written
//! so far, and then for those that arrived meanwhile; no other caller blocks a thread. A large group syncs the whole
//! file system in one call instead of each file in its own. A small group does not, because the file system may hold
//! many unrelated dirty pages.
//! Invariant: when a caller gets `Ok`, its bytes were synced before the rename, and the directory after it.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use model::blob::Blob;
use tokio::sync::oneshot;

use crate::temporary::Temporary;

/// From this many files or directories, one call for all is cheaper, if the system has one.
const CROWD: usize = 4;

/// The concurrent puts into one file system.
pub(crate) struct GroupSync {
    root: PathBuf,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    waiting: Vec<Waiting>,
    /// Whether a thread is syncing.
    busy: bool,
}

struct Waiting {
    written: Written,
    done: oneshot::Sender<io::Result<Blob>>,
}

/// A blob that was written, or found, and is not yet durable.
pub(crate) struct Written {
    /// The blob.
    pub(crate) blob: Blob,
    /// The new file; `None` if the blob already existed.
    pub(crate) temporary: Option<Temporary>,
    /// The final path.
    pub(crate) path: PathBuf,
    /// The directories to sync after the rename.
    pub(crate) directories: Vec<PathBuf>,
}

impl GroupSync {
    /// `root` is a directory in the file system of all blobs.
    pub(crate) fn new(root: PathBuf) -> Self {
        Self { root, state: Mutex::default() }
    }

    /// Makes a put durable and reports it, perhaps from another thread. `lock` is held while files are renamed. Blocks
    /// while there are puts to sync.
    pub(crate) fn settle<L>(
        &self,
        written: Written,
        done: oneshot::Sender<io::Result<Blob>>,
        lock: impl Fn() -> io::Result<L>,
    ) {
        let mut state = self.lock();
        state.waiting.push(Waiting { written, done });
        if state.busy {
            return;
        }
        state.busy = true;
        while !state.waiting.is_empty() {
            let group = std::mem::take(&mut state.waiting);
            drop(state);
            self.sync_group(group, &lock);
            state = self.lock();
        }
        state.busy = false;
    }

    fn sync_group<L>(&self, group: Vec<Waiting>, lock: &impl Fn() -> io::Result<L>) {
        let (mut puts, done): (Vec<Written>, Vec<_>) = group.into_iter().map(|one| (one.written, one.done)).unzip();
        let all = self.make_durable(&mut puts, lock);
        for (put, done) in puts.iter_mut().zip(done) {
            let result = match &all {
                Ok(()) => Ok(put.blob),
                // One of them failed: retry each alone to find out which.
                Err(_) => self.make_durable(std::slice::from_mut(put), lock).map(|()| put.blob),
            };
            // The caller may be gone; then nobody needs the result.
            let _ = done.send(result);
        }
    }

    fn make_durable<L>(&self, puts: &mut [Written], lock: &impl Fn() -> io::Result<L>) -> io::Result<()> {
        let bytes: Vec<&Path> =
            puts.iter().map(|put| put.temporary.as_ref().map_or(put.path.as_path(), |new| &new.path)).collect();
        self.sync(&bytes)?;
        if puts.iter().any(|put| put.temporary.is_some()) {
            let _held = lock()?;
            for put in &mut *puts {
                if let Some(temporary) = &put.temporary {
                    temporary.rename(&put.path)?;
                    put.temporary = None;
                }
            }
        }
        let mut names: Vec<&Path> = puts.iter().flat_map(|put| put.directories.iter().map(PathBuf::as_path)).collect();
        names.sort_unstable();
        names.dedup();
        self.sync(&names)
    }

    fn sync(&self, paths: &[&Path]) -> io::Result<()> {
        if paths.len() < CROWD {
            return each(paths);
        }
        all(&self.root, paths)
    }

    /// Every change leaves the state consistent, so a poisoned lock can be used.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn each(paths: &[&Path]) -> io::Result<()> {
    paths.iter().try_for_each(|path| File::open(path)?.sync_all())
}

#[cfg(target_os = "linux")]
fn all(root: &Path, _: &[&Path]) -> io::Result<()> {
    Ok(rustix::fs::syncfs(File::open(root)?)?)
}

#[cfg(not(target_os = "linux"))]
fn all(_: &Path, paths: &[&Path]) -> io::Result<()> {
    each(paths)
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::blob::{AtRest, BlobHash, Coding};
    use std::cell::Cell;
    use std::time::SystemTime;
    use tempfile::TempDir;

    type Answer = oneshot::Receiver<io::Result<Blob>>;

    fn blob() -> Blob {
        Blob {
            hash: BlobHash([0; 32]),
            coding: Coding::Identity,
            at_rest: AtRest::AsIs,
            wire_bytes: 0,
            stored_bytes: 0,
        }
    }

    /// A thread is syncing already, so that puts have to wait.
    fn busy() -> (TempDir, GroupSync) {
        let directory = tempfile::tempdir().unwrap();
        let group = GroupSync::new(directory.path().to_owned());
        group.lock().busy = true;
        (directory, group)
    }

    /// Puts all names as one group; the last put syncs it. `lock` is called for each group.
    fn put_all(directory: &TempDir, group: &GroupSync, names: &[&str], lock: &dyn Fn()) -> Vec<Answer> {
        let mut answers = Vec::new();
        for (n, name) in names.iter().enumerate() {
            group.lock().busy = n + 1 < names.len();
            let temporary = Temporary::write(directory.path(), SystemTime::now(), name.as_bytes()).unwrap();
            let directories = vec![directory.path().to_owned()];
            let path = directory.path().join(name);
            let written = Written { blob: blob(), temporary: Some(temporary), path, directories };
            let (done, answer) = oneshot::channel();
            group.settle(written, done, || {
                lock();
                Ok(())
            });
            answers.push(answer);
        }
        answers
    }

    #[test]
    fn a_large_group_is_synced_once() {
        let (directory, group) = busy();
        let (names, turns): (Vec<String>, _) = ((0..40).map(|n| n.to_string()).collect(), Cell::new(0));
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let answers = put_all(&directory, &group, &names, &|| turns.set(turns.get() + 1));
        assert!(answers.into_iter().all(|answer| answer.blocking_recv().unwrap().is_ok()));
        assert_eq!(turns.get(), 1);
        assert!(names.iter().all(|name| std::fs::read(directory.path().join(name)).unwrap() == name.as_bytes()));
        assert!(!group.lock().busy && group.lock().waiting.is_empty(), "the next put syncs for itself");
    }

    #[test]
    fn only_the_failed_put_gets_an_error() {
        let (directory, group) = busy();
        let names = ["one", "in the way", "three"];
        std::fs::create_dir_all(directory.path().join("in the way/of it")).unwrap();
        let answers = put_all(&directory, &group, &names, &|| ());
        let failed: Vec<bool> = answers.into_iter().map(|answer| answer.blocking_recv().unwrap().is_err()).collect();
        assert_eq!(failed, [false, true, false]);
        assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 3, "no temporary file is left");
    }
}
