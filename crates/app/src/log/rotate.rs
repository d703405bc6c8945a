//! A log file of limited size: when it is full, `courant.log` becomes `courant.log.1`, that becomes `courant.log.2`,
//! and the last one is deleted. Renames only, so no line is lost or written twice. One process writes one file;
//! compression, rotation by date and shipping are left to other tools.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::report::complain;

/// The file and its state.
#[derive(Debug)]
pub struct RotatingFile {
    path: PathBuf,
    file: File,
    bytes: u64,
    full_at: u64,
    max_bytes: u64,
    keep: u32,
    failing: bool,
}

impl RotatingFile {
    /// Opens the file for appending, creating it and its directory if missing.
    pub fn open(path: &Path, max_bytes: u64, keep: u32) -> io::Result<Self> {
        if let Some(directory) = path.parent().filter(|directory| !directory.as_os_str().is_empty()) {
            fs::create_dir_all(directory)?;
        }
        let (file, bytes) = append_to(path)?;
        Ok(Self { path: path.to_owned(), file, bytes, full_at: max_bytes, max_bytes, keep, failing: false })
    }

    fn rotate(&mut self) -> io::Result<()> {
        for number in (1..self.keep).rev() {
            match fs::rename(self.numbered(number), self.numbered(number + 1)) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        fs::rename(&self.path, self.numbered(1))?;
        (self.file, self.bytes) = append_to(&self.path)?;
        self.full_at = self.max_bytes;
        Ok(())
    }

    fn numbered(&self, number: u32) -> PathBuf {
        let mut name = OsString::from(&self.path);
        name.push(format!(".{number}"));
        name.into()
    }

    fn complain(&self, doing: &str, error: &io::Error) {
        complain(&format!("error: cannot {doing} the log file {}: {error}", self.path.display()));
    }
}

/// Takes whole lines: the subscriber passes one event per call.
impl Write for RotatingFile {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let full = self.bytes > 0 && self.bytes + line.len() as u64 > self.full_at;
        if full && let Err(error) = self.rotate() {
            // Better one long file than no lines; tried again after the same amount.
            self.full_at = self.bytes + self.max_bytes;
            self.complain("rotate", &error);
        }
        let written = self.file.write_all(line);
        if let Err(error) = &written
            && !self.failing
        {
            // Reported when it starts to fail, not at every line: a full disk must not flood standard error.
            self.complain("write", error);
        }
        self.failing = written.is_err();
        self.bytes += line.len() as u64;
        written.map(|()| line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

fn append_to(path: &Path) -> io::Result<(File, u64)> {
    let file = OpenOptions::new().append(true).create(true).open(path)?;
    let bytes = file.metadata()?.len();
    Ok((file, bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_file_is_rotated_and_the_oldest_deleted() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("logs/courant.log");
        let text = |name: &str| fs::read_to_string(path.with_file_name(name)).unwrap_or_else(|_| "-".into());
        let check = |case: &str, expected: [&str; 5]| {
            let got = ["courant.log", "courant.log.1", "courant.log.2", "courant.log.3", "courant.log.4"].map(text);
            assert_eq!(got.each_ref().map(|text| text.trim_end()), expected, "{case}");
        };
        let mut log = RotatingFile::open(&path, 8, 3).unwrap();
        log.write_all(b"one\n").unwrap();
        log.write_all(b"two\n").unwrap();
        check("room left", ["one\ntwo", "-", "-", "-", "-"]);
        log.write_all(b"three\n").unwrap();
        check("full", ["three", "one\ntwo", "-", "-", "-"]);
        let mut log = RotatingFile::open(&path, 8, 3).unwrap();
        log.write_all(b"a line longer than the file\n").unwrap();
        check("opened again, a long line", ["a line longer than the file", "three", "one\ntwo", "-", "-"]);
        log.write_all(b"five\n").unwrap();
        check("each moves on", ["five", "a line longer than the file", "three", "one\ntwo", "-"]);
        log.write_all(b"six\n").unwrap();
        check("three are kept", ["six", "five", "a line longer than the file", "three", "-"]);
    }

    #[test]
    fn when_it_cannot_rotate_it_goes_on_writing() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("courant.log");
        // A directory in the way of `courant.log.1` that a file cannot replace.
        fs::create_dir_all(directory.path().join("courant.log.1/x")).unwrap();
        let mut log = RotatingFile::open(&path, 4, 1).unwrap();
        for line in ["one\n", "two\n", "three\n"] {
            log.write_all(line.as_bytes()).unwrap();
        }
        assert_eq!(fs::read_to_string(&path).unwrap(), "one\ntwo\nthree\n");
    }
}
