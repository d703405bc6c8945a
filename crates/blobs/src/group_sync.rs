//! Puts that come group become durable group: who comes while others are at it shares the next turn.
//!
//! A sync costs the kernel more than the few kilobytes of a feed do. The first one who comes sees to everybody whose
//! bytes were written by then, and to those who came meanwhile; nobody else keeps a thread for waiting. A crowd syncs the
//! whole file system in one call instead of each file in one of its own. Few do not, because others may have much on it
//! that has nothing to do with us.
//! Invariant: whoever is told `Ok` had its bytes synced before they got their name, and the name after.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use model::blob::Blob;
use tokio::sync::oneshot;

use crate::temporary::Temporary;

/// From so many files or directories on one call for all is cheaper, if there is such a call.
const CROWD: usize = 4;

/// Those who put into one file system.
pub(crate) struct GroupSync {
    root: PathBuf,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    waiting: Vec<Waiting>,
    /// Whether somebody is at it.
    busy: bool,
}

struct Waiting {
    written: Written,
    done: oneshot::Sender<io::Result<Blob>>,
}

/// A blob whose bytes were written, or found, and are not yet safe.
pub(crate) struct Written {
    /// Which.
    pub(crate) blob: Blob,
    /// The bytes, if they were not found under their name.
    pub(crate) temporary: Option<Temporary>,
    /// The name.
    pub(crate) path: PathBuf,
    /// The directories that must not lose it.
    pub(crate) directories: Vec<PathBuf>,
}

impl GroupSync {
    /// `root` is a directory of the file system that everything is in.
    pub(crate) fn new(root: PathBuf) -> Self {
        Self { root, state: Mutex::default() }
    }

    /// Makes it safe, and says so; perhaps by another thread, and then this one is free. While files get their names a
    /// `lock` is held. Blocks as long as there is somebody to see to.
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
            let turn = std::mem::take(&mut state.waiting);
            drop(state);
            self.take_turn(turn, &lock);
            state = self.lock();
        }
        state.busy = false;
    }

    fn take_turn<L>(&self, turn: Vec<Waiting>, lock: &impl Fn() -> io::Result<L>) {
        let (mut puts, done): (Vec<Written>, Vec<_>) = turn.into_iter().map(|one| (one.written, one.done)).unzip();
        let all = self.make_durable(&mut puts, lock);
        for (put, done) in puts.iter_mut().zip(done) {
            let result = match &all {
                Ok(()) => Ok(put.blob),
                // Whose fault it was is found out by doing it alone.
                Err(_) => self.make_durable(std::slice::from_mut(put), lock).map(|()| put.blob),
            };
            // Who went away meanwhile needs no answer.
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

    /// Each change leaves it sound.
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

    /// Somebody is at it already: who comes waits.
    fn busy() -> (TempDir, GroupSync) {
        let directory = tempfile::tempdir().unwrap();
        let group = GroupSync::new(directory.path().to_owned());
        group.lock().busy = true;
        (directory, group)
    }

    /// Puts so many, `lock` being called for each turn; the last one takes it.
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
    fn a_crowd_gets_one_turn() {
        let (directory, group) = busy();
        let (names, turns): (Vec<String>, _) = ((0..40).map(|n| n.to_string()).collect(), Cell::new(0));
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let answers = put_all(&directory, &group, &names, &|| turns.set(turns.get() + 1));
        assert!(answers.into_iter().all(|answer| answer.blocking_recv().unwrap().is_ok()));
        assert_eq!(turns.get(), 1);
        assert!(names.iter().all(|name| std::fs::read(directory.path().join(name)).unwrap() == name.as_bytes()));
        assert!(!group.lock().busy && group.lock().waiting.is_empty(), "the next one takes a turn of its own");
    }

    #[test]
    fn who_failed_is_told_and_nobody_else() {
        let (directory, group) = busy();
        let names = ["one", "in the way", "three"];
        std::fs::create_dir_all(directory.path().join("in the way/of it")).unwrap();
        let answers = put_all(&directory, &group, &names, &|| ());
        let failed: Vec<bool> = answers.into_iter().map(|answer| answer.blocking_recv().unwrap().is_err()).collect();
        assert_eq!(failed, [false, true, false]);
        assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 3, "nothing temporary is left");
    }
}
