//! The push decoder: chunks of wire bytes in, decoded bytes out, within limits.
//!
//! Knows limits and buffers; each coding has a file of its own. What was decoded before a stop is kept, because half a
//! feed still has entries in it.
//! Invariant: the decoded bytes never outgrow `Limits::decoded_bytes`, neither in length nor in capacity.

use model::blob::Coding;

use crate::brotli::Brotli;
use crate::deflate::Deflate;
use crate::gzip::Gzip;
use crate::zstandard::Zstd;

/// Decodes one body while it arrives.
pub struct Decoder {
    codec: Codec,
    limits: Limits,
    bytes: Vec<u8>,
    wire_bytes: u64,
    scratch: Box<[u8]>,
    stopped: Option<Stopped>,
    ended: bool,
}

/// Limits of decompression.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The maximum of decoded bytes.
    pub decoded_bytes: u64,
    /// The maximum of decoded bytes per wire byte. Checked only after a MiB was decoded: small honest bodies reach any
    /// ratio.
    pub ratio: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { decoded_bytes: 16 * MIB, ratio: 100 }
    }
}

/// The decoded body, or the part before the stop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decoded {
    /// The bytes, all of them or those before the stop.
    pub bytes: Vec<u8>,
    /// Why decoding stopped; `None` if the body is whole.
    pub stopped: Option<Stopped>,
}

impl Decoded {
    /// The bytes, if nothing is missing.
    pub fn whole(self) -> Result<Vec<u8>, Stopped> {
        match self.stopped {
            None => Ok(self.bytes),
            Some(stopped) => Err(stopped),
        }
    }
}

/// Why decoding ended before the body did.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Stopped {
    /// It exceeds the size limit.
    #[error("the body has more than {limit_bytes} bytes")]
    TooLarge {
        /// The limit it ran into.
        limit_bytes: u64,
    },
    /// It exceeds the ratio limit, like a decompression bomb.
    #[error("the body decodes to more than {ratio} times its size")]
    RatioExceeded {
        /// The limit it ran into.
        ratio: u64,
    },
    /// It does not match its coding.
    #[error("the body is corrupt: {0}")]
    Corrupt(String),
    /// The connection ended before the body did.
    #[error("the body ends early")]
    Truncated,
}

/// Decodes a complete body.
pub fn decode(coding: Coding, wire: &[u8], limits: Limits) -> Decoded {
    let mut decoder = Decoder::new(coding, limits);
    // The decoder remembers why it stopped and returns it with what it decoded before.
    let _ = decoder.push(wire);
    decoder.finish()
}

const MIB: u64 = 1 << 20;

/// Large enough to amortise a call, small enough for the cache.
const SCRATCH_BYTES: usize = 32 << 10;

impl Decoder {
    /// A decoder at the start of a body.
    pub fn new(coding: Coding, limits: Limits) -> Self {
        let codec = match coding {
            Coding::Identity => Codec::Identity,
            Coding::Gzip => Codec::Gzip(Box::default()),
            Coding::Deflate => Codec::Deflate(Deflate::default()),
            Coding::Brotli => Codec::Brotli(Box::default()),
            Coding::Zstd => Codec::Zstd(Zstd::default()),
        };
        let scratch = if coding == Coding::Identity { 0 } else { SCRATCH_BYTES };
        Self {
            codec,
            limits,
            bytes: Vec::new(),
            wire_bytes: 0,
            scratch: vec![0; scratch].into(),
            stopped: None,
            ended: false,
        }
    }

    /// Takes the next wire bytes. Once stopped it stays stopped, for the same reason; what was decoded remains. Bytes
    /// after the end of the coding are ignored: servers append newlines and padding.
    pub fn push(&mut self, wire: &[u8]) -> Result<(), Stopped> {
        if let Some(stopped) = &self.stopped {
            return Err(stopped.clone());
        }
        let outcome = self.decode(wire);
        self.stopped = outcome.clone().err();
        outcome
    }

    /// What was decoded so far.
    pub fn decoded(&self) -> &[u8] {
        &self.bytes
    }

    /// Ends the body. A body without any wire bytes is whole, whatever its coding: servers label empty bodies, too.
    pub fn finish(mut self) -> Decoded {
        if self.stopped.is_none() && self.wire_bytes > 0 && !self.codec.is_whole() {
            self.stopped = Some(Stopped::Truncated);
        }
        Decoded { bytes: self.bytes, stopped: self.stopped }
    }

    fn decode(&mut self, mut wire: &[u8]) -> Result<(), Stopped> {
        if matches!(self.codec, Codec::Identity) {
            self.wire_bytes += wire.len() as u64;
            return keep(&mut self.bytes, wire, self.limits);
        }
        // A full scratch buffer means that more may come out without further input.
        let mut full = false;
        while !self.ended && (full || !wire.is_empty()) {
            let step = self.codec.step(wire, &mut self.scratch);
            full = step.wrote == self.scratch.len();
            wire = &wire[step.read..];
            self.wire_bytes += step.read as u64;
            keep(&mut self.bytes, &self.scratch[..step.wrote], self.limits)?;
            self.check_ratio()?;
            match step.then {
                Then::Bad(reason) => return Err(Stopped::Corrupt(reason)),
                Then::End => self.ended = true,
                // Input available, room to write and yet no progress: better a wrong verdict than an endless loop.
                Then::More if step.read == 0 && step.wrote == 0 && !wire.is_empty() => {
                    return Err(Stopped::Corrupt("the decoder makes no progress".to_owned()));
                }
                Then::More => {}
            }
        }
        Ok(())
    }

    fn check_ratio(&self) -> Result<(), Stopped> {
        let Limits { ratio, .. } = self.limits;
        let decoded = self.bytes.len() as u64;
        if decoded > MIB && decoded > self.wire_bytes.saturating_mul(ratio) {
            return Err(Stopped::RatioExceeded { ratio });
        }
        Ok(())
    }
}

/// Appends what fits. Grows by doubling, but never past the limit, which `Vec` alone would overshoot by half.
fn keep(bytes: &mut Vec<u8>, more: &[u8], limits: Limits) -> Result<(), Stopped> {
    let limit = usize::try_from(limits.decoded_bytes).unwrap_or(usize::MAX);
    let fits = more.len().min(limit - bytes.len());
    if bytes.capacity() - bytes.len() < fits {
        let wanted = bytes.capacity().saturating_mul(2).clamp(bytes.len() + fits, limit);
        bytes.reserve_exact(wanted - bytes.len());
    }
    bytes.extend_from_slice(&more[..fits]);
    if fits < more.len() {
        return Err(Stopped::TooLarge { limit_bytes: limits.decoded_bytes });
    }
    Ok(())
}

/// The state of one coding; large ones are boxed.
enum Codec {
    Identity,
    Gzip(Box<Gzip>),
    Deflate(Deflate),
    Brotli(Box<Brotli>),
    Zstd(Zstd),
}

impl Codec {
    fn step(&mut self, wire: &[u8], out: &mut [u8]) -> Step {
        match self {
            Self::Identity => unreachable!("identity is appended without a step"),
            Self::Gzip(gzip) => gzip.step(wire, out),
            Self::Deflate(deflate) => deflate.step(wire, out),
            Self::Brotli(brotli) => brotli.step(wire, out),
            Self::Zstd(zstd) => zstd.step(wire, out),
        }
    }

    fn is_whole(&self) -> bool {
        match self {
            Self::Identity => true,
            Self::Gzip(gzip) => gzip.is_whole(),
            Self::Deflate(deflate) => deflate.is_whole(),
            Self::Brotli(brotli) => brotli.is_whole(),
            Self::Zstd(zstd) => zstd.is_whole(),
        }
    }
}

/// What one step of a coding did.
pub(crate) struct Step {
    pub(crate) read: usize,
    pub(crate) wrote: usize,
    pub(crate) then: Then,
}

/// What comes after a step.
pub(crate) enum Then {
    More,
    End,
    Bad(String),
}
