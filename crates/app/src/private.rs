//! Files are private to the user that runs Courant: feeds may be private, and their keys are in the data directory.
//! Everything is created with modes 700 and 600, whatever the umask; files of older versions that are open to others
//! are closed, with a warning.

use std::fs;
use std::io;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use rustix::fs::Mode;

use crate::config::{BlobsUrl, Config, DatabaseUrl};

/// Permissions of group and others.
const OTHERS: u32 = 0o077;
/// `/tmp` and the like, which are meant for everybody.
const STICKY: u32 = 0o1000;
/// The content of a data directory, by which it is recognised.
const OURS: &[&str] = &["courant.db", "courant.lock", "keys", "blobs", "search.db", "app.log"];

/// From now on new files are private. Called once, before anything is created.
pub fn by_default() {
    rustix::process::umask(Mode::from_raw_mode(OTHERS));
}

/// Closes files that are open to others, and logs it.
pub fn close(config: &Config) {
    let mut closed = Vec::new();
    let mut close = |path: &Path, mode: u32| match close_one(path, mode) {
        Ok(true) => closed.push(path.display().to_string()),
        Ok(false) => {}
        Err(error) => {
            tracing::warn!(path = %path.display(), %error, "other users of this machine can read it: set its mode to {mode:o}");
        }
    };
    for directory in directories(config) {
        close(&directory, 0o700);
    }
    for file in files(config) {
        close(&file, 0o600);
    }
    if !closed.is_empty() {
        let paths = closed.join(", ");
        tracing::warn!(
            paths,
            "other users of this machine could read these files; they are private now (modes 700 and 600)"
        );
    }
}

fn directories(config: &Config) -> Vec<PathBuf> {
    let data = &config.general.data;
    // A shared directory is not ours to close.
    let mut directories: Vec<PathBuf> = Some(data.clone()).filter(|data| is_ours(data)).into_iter().collect();
    directories.push(data.join("keys"));
    if let BlobsUrl::Directory(blobs) = &config.blobs.url {
        directories.push(blobs.clone());
    }
    directories
}

fn files(config: &Config) -> Vec<PathBuf> {
    let data = &config.general.data;
    let mut files = vec![data.join("courant.lock"), data.join("keys/secret")];
    if let Some(log) = &config.log.file {
        files.push(log.clone());
        files.extend((1..=config.log.file_keep).map(|number| PathBuf::from(format!("{}.{number}", log.display()))));
    }
    if let DatabaseUrl::Sqlite(database) = &config.database.url {
        for file in [database.clone(), database.with_file_name("search.db")] {
            let beside = |end: &str| PathBuf::from(format!("{}{end}", file.display()));
            files.extend([beside("-wal"), beside("-shm"), file.clone()]);
        }
    }
    files
}

/// Empty, or with known files in it.
fn is_ours(directory: &Path) -> bool {
    let Ok(mut entries) = fs::read_dir(directory) else { return false };
    entries.next().is_none() || OURS.iter().any(|name| directory.join(name).exists())
}

/// Whether there was something to close.
fn close_one(path: &Path, mode: u32) -> io::Result<bool> {
    let Ok(found) = fs::symlink_metadata(path) else { return Ok(false) };
    let is_open = !found.is_symlink() && found.mode() & OTHERS != 0 && found.mode() & STICKY == 0;
    if !is_open {
        return Ok(false);
    }
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).map(|()| true)
}
