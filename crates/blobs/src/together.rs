//! Syncing files together: who comes while others are at it shares the next turn.
//!
//! A sync costs the kernel more than the few kilobytes of a feed do. The first one who comes syncs for everybody whose
//! files were written by then; a crowd syncs the whole file system in one call instead of each file in one of its own.
//! Few do not, because others may have much on it that has nothing to do with us.
//! Invariant: whoever got `Ok` had all files that were named synced after they were written.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// From so many files and directories on one call for all is cheaper, if there is such a call.
const CROWD: usize = 8;

/// Those who sync in one file system.
pub(crate) struct Together {
    root: PathBuf,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// What is to be synced in the next turn.
    waiting: Vec<PathBuf>,
    /// The next turn.
    next: Arc<Turn>,
    /// Whether somebody is at it.
    busy: bool,
}

/// A turn has its own bell: who waits for the next one is not woken by the end of this one, but for who takes it.
#[derive(Default)]
struct Turn {
    outcome: Mutex<Outcome>,
    bell: Condvar,
}

impl Turn {
    fn outcome(&self) -> Outcome {
        *self.outcome.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What became of a turn.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Outcome {
    #[default]
    Ahead,
    Synced,
    Failed,
}

impl Together {
    /// `root` is a directory of the file system that everything is in.
    pub(crate) fn new(root: PathBuf) -> Self {
        Self { root, state: Mutex::default() }
    }

    /// Returns when all of them are on disk, the contents of files and the names in directories.
    pub(crate) fn sync(&self, paths: &[PathBuf]) -> io::Result<()> {
        let mut state = self.lock();
        state.waiting.extend_from_slice(paths);
        let turn = Arc::clone(&state.next);
        while turn.outcome() == Outcome::Ahead {
            if state.busy {
                state = turn.bell.wait(state).unwrap_or_else(PoisonError::into_inner);
            } else {
                state = self.take_turn(state);
            }
        }
        drop(state);
        match turn.outcome() {
            // Whose fault it was is found out by doing it alone.
            Outcome::Failed => paths.iter().try_for_each(|path| sync_one(path)),
            _ => Ok(()),
        }
    }

    fn take_turn<'a>(&'a self, mut state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        let (paths, turn) = (std::mem::take(&mut state.waiting), std::mem::take(&mut state.next));
        state.busy = true;
        drop(state);
        let synced = if paths.len() < CROWD {
            paths.iter().try_for_each(|path| sync_one(path))
        } else {
            sync_all(&self.root, &paths)
        };
        let mut state = self.lock();
        state.busy = false;
        let outcome = if synced.is_ok() { Outcome::Synced } else { Outcome::Failed };
        *turn.outcome.lock().unwrap_or_else(PoisonError::into_inner) = outcome;
        turn.bell.notify_all();
        state.next.bell.notify_one();
        state
    }

    /// Each change leaves it sound.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn sync_one(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()
}

#[cfg(target_os = "linux")]
fn sync_all(root: &Path, _: &[PathBuf]) -> io::Result<()> {
    Ok(rustix::fs::syncfs(File::open(root)?)?)
}

#[cfg(not(target_os = "linux"))]
fn sync_all(_: &Path, paths: &[PathBuf]) -> io::Result<()> {
    paths.iter().try_for_each(|path| sync_one(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_failed_is_told_and_nobody_else() {
        let directory = tempfile::tempdir().unwrap();
        let together = Together::new(directory.path().to_owned());
        let file = |n: usize| directory.path().join(n.to_string());
        (0..20).filter(|n| *n != 7).for_each(|n| std::fs::write(file(n), "x").unwrap());
        // Nobody has a turn before all are there: one of them names a file that does not exist.
        together.lock().busy = true;
        let failed: Vec<usize> = std::thread::scope(|scope| {
            let sync = |n: usize| (n, together.sync(&[file(n)]));
            let workers: Vec<_> = (5..9).map(|n| scope.spawn(move || sync(n))).collect();
            while together.lock().waiting.len() < workers.len() {
                std::thread::yield_now();
            }
            together.lock().busy = false;
            together.lock().next.bell.notify_one();
            let results = workers.into_iter().map(|worker| worker.join().unwrap());
            results.filter(|(_, result)| result.is_err()).map(|(n, _)| n).collect()
        });
        assert_eq!(failed, [7]);
        assert!(!together.lock().busy && together.lock().waiting.is_empty());
    }

    #[test]
    fn a_crowd_gets_one_turn() {
        let directory = tempfile::tempdir().unwrap();
        let together = Together::new(directory.path().to_owned());
        together.lock().busy = true;
        std::thread::scope(|scope| {
            let workers: Vec<_> = (0..40)
                .map(|n| {
                    let (together, path) = (&together, directory.path().join(format!("f{n}")));
                    std::fs::write(&path, "x").unwrap();
                    scope.spawn(move || together.sync(&[path]))
                })
                .collect();
            while together.lock().waiting.len() < workers.len() {
                std::thread::yield_now();
            }
            let turn = Arc::clone(&together.lock().next);
            together.lock().busy = false;
            turn.bell.notify_one();
            assert!(workers.into_iter().all(|worker| worker.join().unwrap().is_ok()));
            assert_eq!(turn.outcome(), Outcome::Synced, "the turn they all waited for");
        });
    }
}
