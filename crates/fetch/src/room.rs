//! Memory for documents: one budget of bytes for all exchanges of a process, from a body's first byte until the caller
//! has dropped what it made of the document.
//!
//! docs/notes/hostile-publishers.md says why. The budget has three shares, so that small documents do not wait for
//! large ones: arriving bodies (which never wait; a body without room goes to disk), light documents and heavy ones.
//! `body` decides what is kept of which body.
//! Invariant: a holder of a `Room` waits for no other one in this crate, so there is no deadlock.

use bytes::Bytes;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The peak memory of parsing a document and planning the write, as a multiple of its size: the body and the reading,
/// then the reading and the plan, and the overhead of the parser and the allocator.
const WORKING: u64 = 3;

/// The unit in which room is counted.
const UNIT_BYTES: u64 = 1 << 10;

/// The budget, shared by all exchanges.
pub(crate) struct Rooms {
    arriving: Share,
    light: Share,
    heavy: Share,
}

impl Rooms {
    /// Half of the bytes for heavy documents, three eighths for light ones, the rest for arriving bodies.
    pub(crate) fn new(bytes: u64) -> Self {
        let eighth = bytes / 8;
        Self { arriving: Share::of(eighth), light: Share::of(eighth * 3), heavy: Share::of(eighth * 4) }
    }

    /// For an arriving body.
    pub(crate) fn arriving(&self) -> ArrivingRoom {
        ArrivingRoom { share: Arc::clone(&self.arriving.free), held: None }
    }

    /// Waits for the memory to process a light document of `bytes` bytes.
    pub(crate) async fn light(&self, bytes: u64) -> Room {
        self.light.room(bytes.saturating_mul(WORKING)).await
    }

    /// Waits for the memory to process a heavy document. First come, first served.
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

    /// A request for more than the share gets all of it.
    async fn room(&self, bytes: u64) -> Room {
        let units = units(bytes).min(self.units);
        // The semaphore is never closed.
        let permit = Arc::clone(&self.free).acquire_many_owned(units).await.ok();
        Room(permit.map(|permit| Arc::new(Mutex::new(permit))))
    }
}

fn units(bytes: u64) -> u32 {
    u32::try_from(bytes.div_ceil(UNIT_BYTES)).unwrap_or(u32::MAX).max(1)
}

/// The memory of an arriving body.
pub(crate) struct ArrivingRoom {
    share: Arc<Semaphore>,
    held: Option<OwnedSemaphorePermit>,
}

impl ArrivingRoom {
    /// Extends to `bytes` in total, if there is room. Never waits.
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

/// Memory for one document and for what is made of it. Released when the last clone and the last of the document's
/// bytes are dropped.
#[derive(Clone, Default)]
pub struct Room(Option<Arc<Mutex<OwnedSemaphorePermit>>>);

impl Room {
    /// Releases what exceeds `bytes`, when no more than that is still needed.
    pub fn shrink(&self, bytes: u64) {
        let Some(permit) = &self.0 else { return };
        let mut permit = lock(permit);
        let excess = (permit.num_permits() as u32).saturating_sub(units(bytes));
        drop(permit.split(excess as usize));
    }

    /// Releases what processing a document of `bytes` bytes does not need.
    pub(crate) fn fit(&self, bytes: u64) {
        self.shrink(bytes.saturating_mul(WORKING));
    }

    /// Bytes that keep this room until the last of their clones is dropped.
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

    /// The result, if it is ready without waiting. Time is paused.
    async fn at_once<T>(promised: impl Future<Output = T>) -> Option<T> {
        timeout(Duration::ZERO, promised).await.ok()
    }

    #[tokio::test(start_paused = true)]
    async fn room_is_released_with_its_last_user() {
        let rooms = Rooms::new(8 * MIB);
        let free = || rooms.heavy.free.available_permits() as u64 * UNIT_BYTES;
        let room = rooms.heavy(5 * MIB).await;
        assert_eq!((room.bytes(), free()), (4 * MIB, 0), "a request for more than the share gets all of it");
        room.fit(MIB);
        assert_eq!(free(), MIB);
        let (wire, decoded) = (room.holding(vec![1]), room.holding(vec![2]));
        let copy = decoded.slice(..1);
        drop((wire, decoded));
        assert_eq!(free(), MIB, "a clone of the room and a piece of the bytes are still held");
        assert!(at_once(rooms.heavy(MIB)).await.is_none(), "others wait");
        room.shrink(MIB / 2);
        assert_eq!(free(), 4 * MIB - MIB / 2);
        drop(room);
        assert_eq!(free(), 4 * MIB - MIB / 2, "a piece of the bytes is still held");
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
    async fn an_arriving_body_never_waits() {
        let rooms = Rooms::new(8 * MIB);
        let (mut one, mut other) = (rooms.arriving(), rooms.arriving());
        assert!(one.grow(MIB as usize / 2) && one.grow(MIB as usize / 2 + 1));
        assert!(!other.grow(MIB as usize / 2), "there is none left, and it does not wait");
        drop(one);
        assert!(other.grow(MIB as usize / 2));
    }
}
