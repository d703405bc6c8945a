//! Memory for documents: one budget of bytes for all exchanges of a process, from a body's first byte until whoever
//! works on the document has dropped what is made of it.
//!
//! docs/notes/hostile-publishers.md says why. The budget has three shares, so that small documents do not wait for large
//! ones: bodies that are arriving (nobody waits for this share; a body without it goes to the disk), light documents and
//! heavy ones. What is kept of which body is decided in `body`.
//! Invariant: whoever holds a `Room` waits for no other one in this crate, so no two can wait for each other.

use bytes::Bytes;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// What reading a document and planning what to write takes at its peak, as a multiple of its size: the body and the
/// reading, then the reading and the plan, and what the parser and the allocator need besides.
const WORKING: u64 = 3;

/// Room is counted in these.
const UNIT_BYTES: u64 = 1 << 10;

/// The budget. One for all exchanges.
pub(crate) struct Rooms {
    arriving: Share,
    light: Share,
    heavy: Share,
}

impl Rooms {
    /// Half of the bytes for heavy documents, three eighths for light ones, the rest for bodies that are arriving.
    pub(crate) fn new(bytes: u64) -> Self {
        let eighth = bytes / 8;
        Self { arriving: Share::of(eighth), light: Share::of(eighth * 3), heavy: Share::of(eighth * 4) }
    }

    /// For a body that arrives.
    pub(crate) fn arriving(&self) -> ArrivingRoom {
        ArrivingRoom { share: Arc::clone(&self.arriving.free), held: None }
    }

    /// Waits for what work on a light document takes that has so many bytes.
    pub(crate) async fn light(&self, bytes: u64) -> Room {
        self.light.room(bytes.saturating_mul(WORKING)).await
    }

    /// Waits for what work on a heavy document takes. First come, first served.
    pub(crate) async fn heavy(&self, bytes: u64) -> Room {
        self.heavy.room(bytes.saturating_mul(WORKING)).await
    }
}

/// A share of the budget.
struct Share {
    free: Arc<Semaphore>,
    units: u32,
}

impl Share {
    fn of(bytes: u64) -> Self {
        let units = u32::try_from(bytes / UNIT_BYTES).unwrap_or(u32::MAX).max(1);
        Self { free: Arc::new(Semaphore::new(units as usize)), units }
    }

    /// Whoever wants more than there is gets all of it.
    async fn room(&self, bytes: u64) -> Room {
        let units = units(bytes).min(self.units);
        // Never closed.
        let permit = Arc::clone(&self.free).acquire_many_owned(units).await.ok();
        Room(permit.map(|permit| Arc::new(Mutex::new(permit))))
    }
}

fn units(bytes: u64) -> u32 {
    u32::try_from(bytes.div_ceil(UNIT_BYTES)).unwrap_or(u32::MAX).max(1)
}

/// What a body holds while it arrives.
pub(crate) struct ArrivingRoom {
    share: Arc<Semaphore>,
    held: Option<OwnedSemaphorePermit>,
}

impl ArrivingRoom {
    /// Takes room for so many bytes in all, if there is any. Never waits.
    pub(crate) fn grow(&mut self, bytes: usize) -> bool {
        let held = self.held.as_ref().map_or(0, OwnedSemaphorePermit::num_permits) as u32;
        let wanted = units(bytes as u64).saturating_sub(held);
        if wanted == 0 {
            return true;
        }
        let Ok(more) = Arc::clone(&self.share).try_acquire_many_owned(wanted) else { return false };
        match &mut self.held {
            Some(held) => held.merge(more),
            None => self.held = Some(more),
        }
        true
    }
}

/// Memory for one document and for what is made of it. Given back when the last clone is dropped, and when the last of
/// the document's bytes is.
#[derive(Clone, Default)]
pub struct Room(Option<Arc<Mutex<OwnedSemaphorePermit>>>);

impl Room {
    /// Gives back what is not needed any more, now that no more than so many bytes are left of the work.
    pub fn shrink(&self, bytes: u64) {
        let Some(permit) = &self.0 else { return };
        let mut permit = lock(permit);
        let excess = (permit.num_permits() as u32).saturating_sub(units(bytes));
        drop(permit.split(excess as usize));
    }

    /// Gives back what work on a document of so many bytes does not need.
    pub(crate) fn fit(&self, bytes: u64) {
        self.shrink(bytes.saturating_mul(WORKING));
    }

    /// Bytes that take this room until the last of those who share them is done.
    pub(crate) fn holding(&self, bytes: Vec<u8>) -> Bytes {
        Bytes::from_owner(Holding { bytes, _room: self.clone() })
    }

    /// How many bytes it is for.
    pub fn bytes(&self) -> u64 {
        self.0.as_ref().map_or(0, |permit| lock(permit).num_permits() as u64 * UNIT_BYTES)
    }
}

fn lock(permit: &Mutex<OwnedSemaphorePermit>) -> MutexGuard<'_, OwnedSemaphorePermit> {
    permit.lock().unwrap_or_else(PoisonError::into_inner)
}

impl fmt::Debug for Room {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Room({})", self.bytes())
    }
}

struct Holding {
    bytes: Vec<u8>,
    _room: Room,
}

impl AsRef<[u8]> for Holding {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;
    use tokio::time::timeout;

    const MIB: u64 = 1 << 20;

    /// What comes without waiting, if it does. Time stands still.
    async fn at_once<T>(promised: impl Future<Output = T>) -> Option<T> {
        timeout(Duration::ZERO, promised).await.ok()
    }

    #[tokio::test(start_paused = true)]
    async fn room_is_given_back_when_the_last_reader_is_done() {
        let rooms = Rooms::new(8 * MIB);
        let free = || rooms.heavy.free.available_permits() as u64 * UNIT_BYTES;
        let room = rooms.heavy(5 * MIB).await;
        assert_eq!((room.bytes(), free()), (4 * MIB, 0), "who wants more than there is gets all of it");
        room.fit(MIB);
        assert_eq!(free(), MIB);
        let (wire, decoded) = (room.holding(vec![1]), room.holding(vec![2]));
        let copy = decoded.slice(..1);
        drop((wire, decoded));
        assert_eq!(free(), MIB, "somebody still has the room, and a piece of the bytes");
        assert!(at_once(rooms.heavy(MIB)).await.is_none(), "others wait");
        room.shrink(MIB / 2);
        assert_eq!(free(), 4 * MIB - MIB / 2);
        drop(room);
        assert_eq!(free(), 4 * MIB - MIB / 2, "somebody still has a piece of the bytes");
        drop(copy);
        assert_eq!(free(), 4 * MIB);
    }

    #[tokio::test(start_paused = true)]
    async fn light_documents_overtake_heavy_ones_that_wait() {
        let rooms = Rooms::new(8 * MIB);
        let first = rooms.heavy(4 * MIB).await;
        let mut second = Box::pin(rooms.heavy(4 * MIB));
        assert!(at_once(&mut second).await.is_none());
        assert!(at_once(rooms.light(MIB / 2)).await.is_some());
        drop(first);
        assert!(at_once(second).await.is_some());
    }

    #[tokio::test(start_paused = true)]
    async fn a_body_that_arrives_waits_for_nobody() {
        let rooms = Rooms::new(8 * MIB);
        let (mut one, mut other) = (rooms.arriving(), rooms.arriving());
        assert!(one.grow(MIB as usize / 2) && one.grow(MIB as usize / 2 + 1));
        assert!(!other.grow(MIB as usize / 2), "there is none left, and it is told so at once");
        drop(one);
        assert!(other.grow(MIB as usize / 2));
    }
}
