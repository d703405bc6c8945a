//! Where a large body waits until it is whole, on the disk, and the room in memory for those that are.
//!
//! docs/notes/hostile-publishers.md says why. What is kept of which body is decided in `body`.
//! Invariant: who has room waits for nobody in this crate, so no two wait for each other.

use crate::Options;
use crate::connector::{is_exhausted, reason};
use bytes::Bytes;
use model::visit::Failure;
use std::fs::File;
use std::io::{self, Read as _, Seek as _, Write as _};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The place and the room. One for all exchanges.
pub(crate) struct Spool {
    place: PathBuf,
    room: Arc<Semaphore>,
    units: u32,
    patience: Duration,
}

/// Room is counted in these.
const UNIT_BYTES: u64 = 1 << 10;

impl Spool {
    pub(crate) fn new(options: &Options) -> Self {
        let units = u32::try_from(options.limits.heavy_bytes / UNIT_BYTES).unwrap_or(u32::MAX).max(1);
        Self {
            place: options.spool.clone().unwrap_or_else(std::env::temp_dir),
            room: Arc::new(Semaphore::new(units as usize)),
            units,
            patience: options.timeouts.total,
        }
    }

    /// Waits for room for so many bytes; who wants more than there is gets all of it. Others are done with theirs in
    /// less than a second each, so waiting for long means that there are far too many.
    pub(crate) async fn room(&self, bytes: u64) -> Result<Room, Failure> {
        let units = self.units_of(bytes);
        let permit = tokio::time::timeout(self.patience, Arc::clone(&self.room).acquire_many_owned(units)).await;
        let crowded = || Failure::NotKept("too many large documents came at once".to_owned());
        Ok(Room(permit.ok().and_then(Result::ok).ok_or_else(crowded)?))
    }

    /// Gives back what these bytes do not need.
    pub(crate) fn shrink(&self, room: &mut Room, bytes: u64) {
        let excess = (room.0.num_permits() as u32).saturating_sub(self.units_of(bytes));
        drop(room.0.split(excess as usize));
    }

    /// A place for the bytes of a body.
    pub(crate) fn aside(&self) -> Aside {
        Aside { place: self.place.clone(), file: None, bytes: 0 }
    }

    fn units_of(&self, bytes: u64) -> u32 {
        u32::try_from(bytes.div_ceil(UNIT_BYTES)).unwrap_or(u32::MAX).clamp(1, self.units)
    }
}

/// Room for a large body.
pub(crate) struct Room(OwnedSemaphorePermit);

impl Room {
    /// Bytes that take this room until the last of those who share them is done.
    pub(crate) fn holding(self: &Arc<Self>, bytes: Vec<u8>) -> Bytes {
        Bytes::from_owner(Holding { bytes, _room: Arc::clone(self) })
    }
}

struct Holding {
    bytes: Vec<u8>,
    _room: Arc<Room>,
}

impl AsRef<[u8]> for Holding {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

/// What was put aside of one body: a file without a name, which is gone with whoever holds it.
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

    /// Adds bytes, and hands back their buffer, empty.
    pub(crate) async fn add(mut self, mut bytes: Vec<u8>) -> Result<(Self, Vec<u8>), Failure> {
        let added = off_thread(move || {
            let file = match &mut self.file {
                Some(file) => file,
                // Commands that only look may run where there is no such place.
                None => self.file.insert(tempfile::tempfile_in(&self.place).or_else(|_| tempfile::tempfile())?),
            };
            file.write_all(&bytes)?;
            self.bytes += bytes.len() as u64;
            bytes.clear();
            Ok((self, bytes))
        });
        added.await.map_err(|error| not_kept(&error))
    }

    /// The first bytes of what was put aside, at most so many. Blocks.
    pub(crate) fn first(self, most: u64) -> io::Result<Vec<u8>> {
        let Some(mut file) = self.file else { return Ok(Vec::new()) };
        let bytes = self.bytes.min(most);
        let mut found = Vec::with_capacity(usize::try_from(bytes).unwrap_or_default());
        file.rewind()?;
        file.take(bytes).read_to_end(&mut found)?;
        Ok(found)
    }
}

/// The disk would not have it, which is not the publisher's fault; it comes again later all the same.
pub(crate) fn not_kept(error: &io::Error) -> Failure {
    if is_exhausted(error) {
        return Failure::Exhausted(reason(error));
    }
    Failure::NotKept(format!("a large body cannot be put aside: {error}"))
}

/// Does what would hold up a thread that serves sockets.
pub(crate) async fn off_thread<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done,
        Err(failed) => match failed.try_into_panic() {
            Ok(panic) => std::panic::resume_unwind(panic),
            // Cancelled, which happens only while the runtime shuts down and drops whoever waits here.
            Err(_) => std::future::pending().await,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spool(heavy_bytes: u64) -> Spool {
        let limits = crate::Limits { heavy_bytes, ..crate::Limits::default() };
        Spool::new(&Options { limits, ..Options::default() })
    }

    #[tokio::test]
    async fn what_was_put_aside_comes_back() {
        let aside = spool(1 << 20).aside();
        assert!(!aside.is_used());
        let (aside, buffer) = aside.add(b"one ".to_vec()).await.unwrap();
        let (aside, _) = aside.add([&buffer[..], b"two"].concat()).await.unwrap();
        assert!(aside.is_used());
        assert_eq!(aside.first(5).unwrap(), b"one t");
    }

    #[tokio::test(start_paused = true)]
    async fn room_is_given_back_when_the_last_reader_is_done() {
        let spool = spool(1 << 20);
        let mut room = spool.room(5 << 20).await.expect("who wants more than there is gets all of it");
        assert_eq!(spool.room.available_permits(), 0);
        spool.shrink(&mut room, 1 << 10);
        assert_eq!(spool.room.available_permits(), 1023);
        let room = Arc::new(room);
        let (wire, decoded) = (room.holding(vec![1]), room.holding(vec![2]));
        drop(room);
        let copy = decoded.slice(..1);
        drop((wire, decoded));
        assert_eq!(spool.room.available_permits(), 1023, "somebody still has a piece of it");
        let crowded = spool.room(1 << 20).await.err().map(|failure| failure.to_string());
        assert_eq!(crowded.as_deref(), Some("what it says cannot be kept: too many large documents came at once"));
        drop(copy);
        assert_eq!(spool.room.available_permits(), 1024);
    }
}
