//! Reading a body: wire bytes kept, decoded on the way, within limits of size and patience.
//!
//! Most bodies are small and stay in memory. A large one waits on the disk until it is whole (`spool`), so that what
//! arrives slowly or never ends costs hardly any memory. A body that ends too early or too late comes back with its
//! beginning, to see what it was, and the reason. Only one that takes too long is a failure: who drips wants our time,
//! not our attention.

use crate::Options;
use crate::spool::{Aside, Spool, not_kept, off_thread};
use bytes::Bytes;
use coding::{Coding, Decoder, Limits, Stopped};
use http_body_util::BodyExt;
use hyper::body::Incoming;
use model::visit::{Failure, Phase};
use std::error::Error;
use std::io;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, timeout_at};

/// A body, whole or as much as is kept of it.
#[derive(Debug, Default)]
pub(crate) struct Body {
    pub(crate) wire: Bytes,
    pub(crate) wire_bytes: u64,
    pub(crate) decoded: Bytes,
    pub(crate) stopped: Option<Stopped>,
}

/// More than this is not kept in memory while it arrives, neither as it came nor decoded. Nearly all feeds are smaller.
const LIGHT_BYTES: usize = 512 << 10;

/// So much is kept of a body that is not whole: enough to see what it was.
const CUT_BYTES: u64 = 1 << 20;

/// Reads a body to its end, to a limit or to the deadline.
pub(crate) async fn read(
    mut incoming: Incoming,
    coding: Coding,
    spool: &Spool,
    options: &Options,
    deadline: Instant,
) -> Result<Body, Failure> {
    let mut arriving = Arriving::new(coding, spool, options);
    let mut pace = Pace::new(options);
    let stopped = loop {
        let frame = timeout_at(pace.deadline().min(deadline), incoming.frame()).await;
        let data = match frame {
            Err(_) => return Err(Failure::Timeout(Phase::Body)),
            Ok(None) => break None,
            Ok(Some(Err(error))) => break Some(ended_badly(&error)),
            Ok(Some(Ok(frame))) => match frame.into_data() {
                Ok(data) => data,
                // Trailers; nobody reads them.
                Err(_) => continue,
            },
        };
        pace.advance(data.len());
        if pace.is_crumbs() {
            break Some(Stopped::Corrupt("it comes in crumbs".to_owned()));
        }
        if let Some(stopped) = arriving.take(&data).await? {
            break Some(stopped);
        }
    };
    // Whatever else it has to say, nobody listens; and a kept connection is free for others.
    drop(incoming);
    match stopped {
        Some(stopped) => arriving.cut(stopped).await,
        None if arriving.is_large() => arriving.large(spool).await,
        None => Ok(arriving.small()),
    }
}

/// What there is of a body while it arrives.
struct Arriving {
    coding: Coding,
    limits: Limits,
    /// The most bytes over the wire, and how many came.
    limit: u64,
    bytes: u64,
    /// What is not put aside: all of a small body, or the end of a large one.
    memory: Vec<u8>,
    aside: Aside,
    decoding: Decoding,
}

/// When a body is decoded.
enum Decoding {
    /// What comes is what it says, and need not be there twice.
    Needless,
    /// While it arrives.
    Early(Box<Decoder>),
    /// When it is whole, because it turned out to be large.
    Later,
}

impl Arriving {
    fn new(coding: Coding, spool: &Spool, options: &Options) -> Self {
        let limits = options.limits.body;
        let (limit, decoding) = match coding {
            Coding::Identity => (limits.decoded_bytes, Decoding::Needless),
            coded => (options.limits.wire_bytes(), Decoding::Early(Box::new(Decoder::new(coded, light(limits))))),
        };
        Self { coding, limits, limit, bytes: 0, memory: Vec::new(), aside: spool.aside(), decoding }
    }

    fn is_large(&self) -> bool {
        self.aside.is_used() || matches!(self.decoding, Decoding::Later)
    }

    /// Takes what came. Says so if that must be all.
    async fn take(&mut self, data: &Bytes) -> Result<Option<Stopped>, Failure> {
        let fits = data.len().min(usize::try_from(self.limit - self.bytes).unwrap_or(usize::MAX));
        self.memory.extend_from_slice(&data[..fits]);
        self.bytes += fits as u64;
        if self.memory.len() > LIGHT_BYTES {
            let aside = std::mem::take(&mut self.aside);
            (self.aside, self.memory) = aside.add(std::mem::take(&mut self.memory)).await?;
        }
        if fits < data.len() {
            return Ok(Some(Stopped::TooLarge { limit_bytes: self.limit }));
        }
        let Decoding::Early(decoder) = &mut self.decoding else { return Ok(None) };
        match decoder.push(data) {
            Ok(()) => Ok(None),
            Err(Stopped::TooLarge { limit_bytes }) if limit_bytes < self.limits.decoded_bytes => {
                self.decoding = Decoding::Later;
                Ok(None)
            }
            Err(stopped) => Ok(Some(stopped)),
        }
    }

    /// A small body that is whole, as far as the wire goes.
    fn small(self) -> Body {
        let (wire, wire_bytes) = (Bytes::from(self.memory), self.bytes);
        let Decoding::Early(decoder) = self.decoding else {
            return Body { decoded: wire.clone(), wire, wire_bytes, stopped: None };
        };
        let decoded = decoder.finish();
        Body { wire, wire_bytes, decoded: decoded.bytes.into(), stopped: decoded.stopped }
    }

    /// The beginning of a body that is not whole.
    async fn cut(self, stopped: Stopped) -> Result<Body, Failure> {
        let (coding, limits, wire_bytes) = (self.coding, light(self.limits), self.bytes);
        let beginning = move || {
            let wire = self.first(CUT_BYTES)?;
            let decoded = (coding != Coding::Identity).then(|| coding::decode(coding, &wire, limits).bytes);
            Ok((wire, decoded))
        };
        let (wire, decoded) = off_thread(beginning).await.map_err(|error: io::Error| not_kept(&error))?;
        let wire = Bytes::from(wire);
        let decoded = decoded.map_or_else(|| wire.clone(), Bytes::from);
        Ok(Body { wire, wire_bytes, decoded, stopped: Some(stopped) })
    }

    /// A large body: read back, and decoded, when there is room for it.
    async fn large(self, spool: &Spool) -> Result<Body, Failure> {
        let (coding, limits, wire_bytes) = (self.coding, self.limits, self.bytes);
        let decodes_to = if coding == Coding::Identity { 0 } else { limits.decoded_bytes };
        let mut room = spool.room(wire_bytes + decodes_to).await?;
        let whole = move || {
            let wire = self.first(u64::MAX)?;
            let decoded = (coding != Coding::Identity).then(|| coding::decode(coding, &wire, limits));
            Ok((wire, decoded))
        };
        let (mut wire, decoded) = off_thread(whole).await.map_err(|error: io::Error| not_kept(&error))?;
        let (decoded, stopped) = decoded.map_or((None, None), |decoded| (Some(decoded.bytes), decoded.stopped));
        if stopped.is_some() {
            let decoded = decoded.map(|all| Bytes::copy_from_slice(&all[..all.len().min(LIGHT_BYTES)]));
            wire.truncate(CUT_BYTES as usize);
            wire.shrink_to_fit();
            return Ok(Body { wire: wire.into(), wire_bytes, decoded: decoded.unwrap_or_default(), stopped });
        }
        spool.shrink(&mut room, (wire.len() + decoded.as_ref().map_or(0, Vec::len)) as u64);
        let room = Arc::new(room);
        let wire = room.holding(wire);
        let decoded = decoded.map_or_else(|| wire.clone(), |decoded| room.holding(decoded));
        Ok(Body { wire, wire_bytes, decoded, stopped })
    }

    /// What came, at most so many bytes of it. Blocks.
    fn first(self, most: u64) -> io::Result<Vec<u8>> {
        let mut bytes = self.aside.first(most)?;
        let missing = usize::try_from(most).unwrap_or(usize::MAX).saturating_sub(bytes.len());
        let rest = &self.memory[..self.memory.len().min(missing)];
        bytes.reserve_exact(rest.len());
        bytes.extend_from_slice(rest);
        Ok(bytes)
    }
}

fn light(limits: Limits) -> Limits {
    Limits { decoded_bytes: limits.decoded_bytes.min(LIGHT_BYTES as u64), ..limits }
}

/// So many small chunks are looked at before the average counts.
const MOST_CRUMBS: u64 = 1 << 16;

/// Chunks smaller than this on average are crumbs.
const CRUMB_BYTES: u64 = 8;

/// How long the next bytes may take.
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

    /// Chunks of a byte each keep us busier than a bomb does; nobody writes a feed like that by mistake.
    fn is_crumbs(&self) -> bool {
        self.frames > MOST_CRUMBS && self.bytes < self.frames * CRUMB_BYTES
    }

    /// The sooner of: nothing came for too long, or the average is too low.
    fn deadline(&self) -> Instant {
        let earned = Duration::from_millis(self.bytes.saturating_mul(1000) / self.least_speed);
        (self.last + self.stall).min(self.begun + earned.max(self.stall))
    }
}

/// A closed or reset connection is the network's doing; what cannot be read is nonsense the server wrote.
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
