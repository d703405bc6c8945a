//! Reads a body: keeps the wire bytes, decodes them on the way, within limits of size and time.
//!
//! Most bodies are small and stay in memory. A large one is spooled to disk until it is complete (`spool`), so that
//! slow or endless bodies cost hardly any memory. A body that ends too early or is too long is returned with its
//! beginning, for diagnosis, and the reason. Only one that takes too long is a failure: a server that drips bytes is
//! wasting our time.

use crate::Options;
use crate::room::{ArrivingRoom, Room, Rooms};
use crate::spool::{Aside, Spool, not_kept, off_thread};
use bytes::Bytes;
use coding::{Coding, Decoded, Decoder, Limits, Stopped};
use http_body_util::BodyExt;
use hyper::body::Incoming;
use model::visit::{Failure, Phase};
use std::error::Error;
use std::io;
use std::time::Duration;
use tokio::sync::Notify;
use tokio::time::{Instant, timeout_at};

/// A body, complete or as much as is kept of it.
#[derive(Debug, Default)]
pub(crate) struct Body {
    pub(crate) wire: Bytes,
    pub(crate) wire_bytes: u64,
    pub(crate) decoded: Bytes,
    pub(crate) stopped: Option<Stopped>,
    pub(crate) room: Room,
    /// How long it waited for memory after it had arrived; not the server's fault.
    pub(crate) waited: Duration,
}

/// Where bodies are kept: on disk and in memory.
pub(crate) struct Keeping {
    pub(crate) spool: Spool,
    pub(crate) rooms: Rooms,
}

impl Keeping {
    pub(crate) fn new(options: &Options) -> Self {
        Self { spool: Spool::new(options), rooms: Rooms::new(options.limits.memory_bytes) }
    }
}

/// The maximum kept in memory while a body arrives, both as received and decoded. Nearly all feeds are smaller.
const LIGHT_BYTES: usize = 512 << 10;

/// The size of writes to disk.
const PIECE_BYTES: usize = 128 << 10;

/// How much is kept of an incomplete body: enough for diagnosis.
const CUT_BYTES: u64 = 1 << 20;

/// Reads a body to its end, to a limit or to the deadline.
pub(crate) async fn read(
    mut incoming: Incoming,
    coding: Coding,
    keeping: &Keeping,
    options: &Options,
    deadline: Instant,
    large: Option<&Notify>,
) -> Result<Body, Failure> {
    let mut arriving = Arriving::new(coding, keeping, options);
    let mut pace = Pace::new(options);
    let stopped = loop {
        let frame = timeout_at(pace.deadline().min(deadline), incoming.frame()).await;
        let data = match frame {
            Err(_) => return Err(Failure::Timeout(Phase::Body)),
            Ok(None) => break None,
            Ok(Some(Err(error))) => break Some(ended_badly(&error)),
            Ok(Some(Ok(frame))) => match frame.into_data() {
                Ok(data) => data,
                // Trailers are not used.
                Err(_) => continue,
            },
        };
        pace.advance(data.len());
        if pace.has_tiny_chunks() {
            break Some(Stopped::Corrupt("its chunks are too small".to_owned()));
        }
        if let Some(stopped) = arriving.take(&data).await? {
            break Some(stopped);
        }
    };
    // The rest is not read; this also frees a connection of the pool.
    drop(incoming);
    let rooms = &keeping.rooms;
    match stopped {
        Some(stopped) => arriving.cut(stopped, rooms).await,
        None if arriving.is_aside() => arriving.read_back(rooms, large).await,
        None => Ok(arriving.small(rooms).await),
    }
}

/// A body while it arrives.
struct Arriving {
    coding: Coding,
    limits: Limits,
    /// The limit of wire bytes, and how many came.
    limit: u64,
    bytes: u64,
    /// What is not spooled: all of a small body, or the end of a large one.
    memory: Vec<u8>,
    room: ArrivingRoom,
    aside: Aside,
    decoding: Decoding,
    weight: Weight,
}

/// When a body is decoded.
enum Decoding {
    /// Not at all: the bytes have no coding, so one copy is enough.
    Needless,
    /// While it arrives.
    Early(Box<Decoder>),
    /// When it is complete, because it turned out to be large, or there was no memory.
    Later,
}

/// How large a body is, as far as is known.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Weight {
    Light,
    Heavy,
}

impl Arriving {
    fn new(coding: Coding, keeping: &Keeping, options: &Options) -> Self {
        let limits = options.limits.body;
        let (limit, decoding) = match coding {
            Coding::Identity => (limits.decoded_bytes, Decoding::Needless),
            coded => (options.limits.wire_bytes(), Decoding::Early(Box::new(Decoder::new(coded, light(limits))))),
        };
        let (room, aside) = (keeping.rooms.arriving(), keeping.spool.aside());
        Self { coding, limits, limit, bytes: 0, memory: Vec::new(), room, aside, decoding, weight: Weight::Light }
    }

    fn is_aside(&self) -> bool {
        self.aside.is_used() || matches!(self.decoding, Decoding::Later)
    }

    /// Takes the next bytes. Returns the reason if the body must end here.
    async fn take(&mut self, data: &Bytes) -> Result<Option<Stopped>, Failure> {
        let fits = data.len().min(usize::try_from(self.limit - self.bytes).unwrap_or(usize::MAX));
        self.memory.extend_from_slice(&data[..fits]);
        self.bytes += fits as u64;
        if self.bytes > LIGHT_BYTES as u64 {
            self.weight = Weight::Heavy;
        }
        if fits < data.len() {
            return Ok(Some(Stopped::TooLarge { limit_bytes: self.limit }));
        }
        if let Decoding::Early(decoder) = &mut self.decoding {
            match decoder.push(data) {
                Ok(()) => {}
                Err(Stopped::TooLarge { limit_bytes }) if limit_bytes < self.limits.decoded_bytes => {
                    (self.decoding, self.weight) = (Decoding::Later, Weight::Heavy);
                }
                Err(stopped) => return Ok(Some(stopped)),
            }
        }
        self.put_aside().await.map(|()| None)
    }

    /// Spools what is too large for memory, or has no room there.
    async fn put_aside(&mut self) -> Result<(), Failure> {
        let most = if self.aside.is_used() { PIECE_BYTES } else { LIGHT_BYTES };
        let decoded = if let Decoding::Early(decoder) = &self.decoding { decoder.decoded().len() } else { 0 };
        let has_room = self.room.grow(self.memory.len() + decoded);
        if has_room && self.memory.len() <= most {
            return Ok(());
        }
        if !has_room && decoded > 0 {
            self.decoding = Decoding::Later;
        }
        self.flush().await
    }

    async fn flush(&mut self) -> Result<(), Failure> {
        if !self.memory.is_empty() {
            let aside = std::mem::take(&mut self.aside);
            (self.aside, self.memory) = aside.add(std::mem::take(&mut self.memory)).await?;
            self.memory.shrink_to(PIECE_BYTES);
        }
        Ok(())
    }

    /// A complete small body.
    async fn small(self, rooms: &Rooms) -> Body {
        let (wire, wire_bytes) = (self.memory, self.bytes);
        let decoded = if let Decoding::Early(decoder) = self.decoding { Some(decoder.finish()) } else { None };
        let begun = Instant::now();
        let room = rooms.light(most(&wire, decoded.as_ref())).await;
        Self::body(wire, wire_bytes, decoded, room, begun.elapsed())
    }

    /// The beginning of an incomplete body.
    async fn cut(self, stopped: Stopped, rooms: &Rooms) -> Result<Body, Failure> {
        let (limits, wire_bytes, begun) = (light(self.limits), self.bytes, Instant::now());
        let room = rooms.light(CUT_BYTES.min(wire_bytes)).await;
        let waited = begun.elapsed();
        let (wire, decoded) = off_thread(move || self.load(CUT_BYTES, limits)).await.map_err(|e| not_kept(&e))?;
        let decoded = decoded.map(|decoded| Decoded { stopped: None, ..decoded });
        Ok(Body { stopped: Some(stopped), ..Self::body(wire, wire_bytes, decoded, room, waited) })
    }

    /// A spooled body: read back and decoded when there is memory for it and for the work on it. Its decoded size is
    /// known only then; unneeded memory is released.
    async fn read_back(mut self, rooms: &Rooms, large: Option<&Notify>) -> Result<Body, Failure> {
        self.flush().await?;
        self.decoding = Decoding::Later;
        self.memory = Vec::new();
        self.room = rooms.arriving();
        let begun = Instant::now();
        let (coding, whole, wire_bytes) = (self.coding, self.limits, self.bytes);
        let decodes_to = |limits: Limits| if coding == Coding::Identity { 0 } else { limits.decoded_bytes };
        if self.weight == Weight::Light {
            let limits = light(self.limits);
            let room = rooms.light(wire_bytes.max(decodes_to(limits))).await;
            let waited = begun.elapsed();
            let loaded;
            (self, loaded) = self.loaded(limits).await?;
            let (wire, decoded) = loaded;
            let is_light = !matches!(decoded.as_ref().and_then(|decoded| decoded.stopped.as_ref()),
                Some(Stopped::TooLarge { limit_bytes }) if *limit_bytes < whole.decoded_bytes);
            if is_light {
                return Ok(Self::body(wire, wire_bytes, decoded, room, waited));
            }
        }
        if let Some(large) = large {
            large.notify_one();
        }
        let room = rooms.heavy(wire_bytes.max(decodes_to(whole))).await;
        let waited = begun.elapsed();
        let (_, (wire, decoded)) = self.loaded(whole).await?;
        Ok(Self::body(wire, wire_bytes, decoded, room, waited))
    }

    /// Reads it back and decodes it on the blocking pool.
    async fn loaded(self, limits: Limits) -> Result<(Self, (Vec<u8>, Option<Decoded>)), Failure> {
        let load = move || self.load(u64::MAX, limits).map(|loaded| (self, loaded));
        off_thread(load).await.map_err(|error| not_kept(&error))
    }

    /// At most `most` wire bytes, and what they decode to. Blocks.
    fn load(&self, most: u64, limits: Limits) -> io::Result<(Vec<u8>, Option<Decoded>)> {
        let mut wire = self.aside.first(most)?;
        let missing = usize::try_from(most).unwrap_or(usize::MAX).saturating_sub(wire.len());
        let rest = &self.memory[..self.memory.len().min(missing)];
        wire.reserve_exact(rest.len());
        wire.extend_from_slice(rest);
        let decoded = (self.coding != Coding::Identity).then(|| coding::decode(self.coding, &wire, limits));
        Ok((wire, decoded))
    }

    /// A body with its memory. If it could not be decoded to its end, the beginning.
    fn body(mut wire: Vec<u8>, wire_bytes: u64, decoded: Option<Decoded>, room: Room, waited: Duration) -> Body {
        let (decoded, stopped) = decoded.map_or((None, None), |decoded| (Some(decoded.bytes), decoded.stopped));
        let mut decoded = decoded;
        if stopped.is_some() {
            wire.truncate(CUT_BYTES as usize);
            wire.shrink_to_fit();
            if let Some(decoded) = &mut decoded {
                decoded.truncate(LIGHT_BYTES);
                decoded.shrink_to_fit();
            }
        }
        room.fit(wire.len().max(decoded.as_ref().map_or(0, Vec::len)) as u64);
        let wire = room.holding(wire);
        let decoded = decoded.map_or_else(|| wire.clone(), |decoded| room.holding(decoded));
        Body { wire, wire_bytes, decoded, stopped, room, waited }
    }
}

fn most(wire: &[u8], decoded: Option<&Decoded>) -> u64 {
    wire.len().max(decoded.map_or(0, |decoded| decoded.bytes.len())) as u64
}

fn light(limits: Limits) -> Limits {
    Limits { decoded_bytes: limits.decoded_bytes.min(LIGHT_BYTES as u64), ..limits }
}

/// After this many chunks the average size counts.
const SMALL_CHUNKS_ALLOWED: u64 = 1 << 16;

/// The minimum average size of chunks.
const SMALL_CHUNK_BYTES: u64 = 8;

/// Enforces the minimum speed.
struct Pace {
    begun: Instant,
    last: Instant,
    bytes: u64,
    frames: u64,
    stall: Duration,
    least_speed: u64,
}

impl Pace {
    fn new(options: &Options) -> Self {
        let now = Instant::now();
        let (stall, least_speed) = (options.timeouts.stall, options.limits.least_speed.max(1));
        Self { begun: now, last: now, bytes: 0, frames: 0, stall, least_speed }
    }

    fn advance(&mut self, bytes: usize) {
        self.frames += 1;
        // An empty frame is no progress.
        if bytes > 0 {
            self.last = Instant::now();
            self.bytes += bytes as u64;
        }
    }

    /// Chunks of one byte each cost more time than a decompression bomb; no server sends a feed like that by mistake.
    fn has_tiny_chunks(&self) -> bool {
        self.frames > SMALL_CHUNKS_ALLOWED && self.bytes < self.frames * SMALL_CHUNK_BYTES
    }

    /// The earlier of: nothing came for too long, or the average is too low.
    fn deadline(&self) -> Instant {
        let earned = Duration::from_millis(self.bytes.saturating_mul(1000) / self.least_speed);
        (self.last + self.stall).min(self.begun + earned.max(self.stall))
    }
}

/// A closed or reset connection is a network problem; unreadable bytes are the server's fault.
fn ended_badly(error: &hyper::Error) -> Stopped {
    let io = error.source().and_then(|source| source.downcast_ref::<io::Error>());
    match io.map(io::Error::kind) {
        Some(io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput) => Stopped::Corrupt(innermost(error)),
        _ => Stopped::Truncated,
    }
}

fn innermost(error: &hyper::Error) -> String {
    let mut innermost: &dyn Error = error;
    while let Some(source) = innermost.source() {
        innermost = source;
    }
    innermost.to_string()
}
