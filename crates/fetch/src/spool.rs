//! Spools a large body to disk until it is complete and there is memory for it.
//!
//! docs/notes/hostile-publishers.md says why. `body` decides what is kept of which body, `room` how much memory there
//! is.

use crate::Options;
use crate::connector::{is_exhausted, reason};
use model::visit::Failure;
use std::fs::File;
use std::io::{self, Read as _, Seek as _, Write as _};
use std::path::PathBuf;

/// The spool directory, shared by all exchanges.
pub(crate) struct Spool {
    place: PathBuf,
}

impl Spool {
    pub(crate) fn new(options: &Options) -> Self {
        Self { place: options.spool.clone().unwrap_or_else(std::env::temp_dir) }
    }

    /// A spool file for one body.
    pub(crate) fn aside(&self) -> Aside {
        Aside { place: self.place.clone(), file: None, bytes: 0 }
    }
}

/// The spooled bytes of one body: an unnamed file, which the system removes when it is closed.
#[derive(Default)]
pub(crate) struct Aside {
    place: PathBuf,
    file: Option<File>,
    bytes: u64,
}

impl Aside {
    pub(crate) fn is_used(&self) -> bool {
        self.file.is_some()
    }

    /// Adds bytes, and returns their buffer, empty.
    pub(crate) async fn add(mut self, mut bytes: Vec<u8>) -> Result<(Self, Vec<u8>), Failure> {
        let added = off_thread(move || {
            let file = match &mut self.file {
                Some(file) => file,
                // Read-only commands may run where there is no such directory.
                None => self.file.insert(tempfile::tempfile_in(&self.place).or_else(|_| tempfile::tempfile())?),
            };
            file.write_all(&bytes)?;
            self.bytes += bytes.len() as u64;
            bytes.clear();
            Ok((self, bytes))
        });
        added.await.map_err(|error| not_kept(&error))
    }

    /// The first spooled bytes, at most `most`. Blocks.
    pub(crate) fn first(&self, most: u64) -> io::Result<Vec<u8>> {
        let Some(mut file) = self.file.as_ref() else { return Ok(Vec::new()) };
        let bytes = self.bytes.min(most);
        let mut found = Vec::with_capacity(usize::try_from(bytes).unwrap_or_default());
        file.rewind()?;
        file.take(bytes).read_to_end(&mut found)?;
        Ok(found)
    }
}

/// The disk failed, which is not the publisher's fault; the feed is visited again later.
pub(crate) fn not_kept(error: &io::Error) -> Failure {
    if is_exhausted(error) {
        return Failure::Exhausted(reason(error));
    }
    Failure::NotKept(format!("a large body cannot be spooled: {error}"))
}

/// Runs blocking work on the blocking pool.
pub(crate) async fn off_thread<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done,
        Err(failed) => match failed.try_into_panic() {
            Ok(panic) => std::panic::resume_unwind(panic),
            // Cancelled, which happens only while the runtime shuts down and drops the caller.
            Err(_) => std::future::pending().await,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn spooled_bytes_are_read_back() {
        let aside = Spool::new(&Options::default()).aside();
        assert!(!aside.is_used());
        let (aside, buffer) = aside.add(b"one ".to_vec()).await.unwrap();
        let (aside, _) = aside.add([&buffer[..], b"two"].concat()).await.unwrap();
        assert!(aside.is_used());
        assert_eq!(aside.first(5).unwrap(), b"one t");
    }
}
