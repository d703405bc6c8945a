//! The files of the repository: those that git tracks or would track, so that a developer's private files do not count.
//!
//! Without git (an unpacked archive, a tree made by a test) all files except build output. Rules take their files from
//! here and read nothing else.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

/// The root, and the relative paths of all files below it, sorted.
pub(super) struct Tree {
    pub(super) root: PathBuf,
    pub(super) files: Vec<PathBuf>,
}

impl Tree {
    pub(super) fn read(root: &Path) -> Result<Self> {
        let mut files = tracked_by_git(root).map_or_else(|| walked(root), Ok)?;
        files.retain(|file| root.join(file).is_file());
        files.sort();
        Ok(Self { root: root.to_path_buf(), files })
    }

    /// The files below a directory with an extension.
    pub(super) fn below<'a>(&'a self, dir: &'a str, extension: &'a str) -> impl Iterator<Item = &'a Path> {
        let matches = move |file: &&Path| file.starts_with(dir) && file.extension().is_some_and(|e| e == extension);
        self.files.iter().map(PathBuf::as_path).filter(matches)
    }

    /// The content of a file; `None` if it is not text.
    pub(super) fn text(&self, file: &Path) -> Option<String> {
        fs::read_to_string(self.root.join(file)).ok()
    }
}

fn tracked_by_git(root: &Path) -> Option<Vec<PathBuf>> {
    if !root.join(".git").exists() {
        return None;
    }
    let listing = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
    let output = Command::new("git").current_dir(root).args(listing).output().ok()?;
    let names = output.status.success().then(|| String::from_utf8(output.stdout).ok())??;
    Some(names.split_terminator('\0').map(PathBuf::from).collect())
}

/// For a tree without git: an unpacked archive, or one made by a test.
fn walked(root: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    let mut dirs = vec![PathBuf::new()];
    while let Some(dir) = dirs.pop() {
        let entries = fs::read_dir(root.join(&dir)).with_context(|| format!("cannot list {}", dir.display()))?;
        for entry in entries {
            let entry = entry?;
            let path = dir.join(entry.file_name());
            let made_by_builds = ["target", "node_modules", "dist"].iter().any(|name| entry.file_name() == *name);
            if entry.file_type()?.is_dir() {
                if !made_by_builds {
                    dirs.push(path);
                }
            } else {
                files.push(path);
            }
        }
    }
    Ok(files)
}
