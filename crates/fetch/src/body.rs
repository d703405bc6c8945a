//! Reading a body: wire bytes kept, decoded on the way, within limits of size and patience.
//!
//! A body that ends too early or too late is still worth something, so it comes back as far as it got, with the reason
//! beside it. Only a body that takes too long is a failure: who drips wants our time, not our attention.

use crate::Options;
use coding::{Coding, Decoder, Stopped};
use http_body_util::BodyExt;
use hyper::body::Incoming;
use model::visit::{Failure, Phase};
use std::error::Error;
use std::io;
use std::time::Duration;
use tokio::time::{Instant, timeout_at};

/// A body as far as it came.
#[derive(Debug, Default)]
pub(crate) struct Body {
    pub(crate) wire: Vec<u8>,
    pub(crate) decoded: Vec<u8>,
    pub(crate) stopped: Option<Stopped>,
}

/// Reads a body to its end, to a limit or to the deadline.
pub(crate) async fn read(
    mut incoming: Incoming,
    coding: Coding,
    options: &Options,
    deadline: Instant,
) -> Result<Body, Failure> {
    let mut decoder = Decoder::new(coding, options.limits.body);
    let mut wire = Decoder::new(Coding::Identity, options.limits.wire());
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
        if let Err(stopped) = wire.push(&data).and_then(|()| decoder.push(&data)) {
            break Some(stopped);
        }
    };
    let decoded = decoder.finish();
    Ok(Body { wire: wire.finish().bytes, decoded: decoded.bytes, stopped: stopped.or(decoded.stopped) })
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
