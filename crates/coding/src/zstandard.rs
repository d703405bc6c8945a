//! Zstandard (RFC 8878): the decoder for bodies, and the compression for storage.

use zstd::stream::raw::{DParameter, Decoder, Operation};

use crate::decoder::{Step, Then};

/// 8 MiB. RFC 9659 forbids a larger window in HTTP, so that receivers can bound their memory.
const WINDOW_LOG_MAX: u32 = 23;

/// Higher levels gain little: at this one feeds shrink to a fifth, at a few hundred MB per second.
const LEVEL: i32 = 3;

/// Compresses bytes for storage; [`crate::decode`] with `Coding::Zstd` undoes it.
pub fn compress(bytes: &[u8]) -> Vec<u8> {
    zstd::bulk::compress(bytes, LEVEL).expect("compressing memory into memory fails only if memory runs out")
}

/// The state of a Zstandard body. Several frames may follow each other, as the format allows.
pub(crate) struct Zstd {
    decoder: Decoder<'static>,
    between_frames: bool,
}

impl Default for Zstd {
    fn default() -> Self {
        let mut decoder = Decoder::new().expect("a decoder without a dictionary needs only memory");
        decoder.set_parameter(DParameter::WindowLogMax(WINDOW_LOG_MAX)).expect("23 is a valid window size");
        Self { decoder, between_frames: false }
    }
}

impl Zstd {
    pub(crate) fn step(&mut self, wire: &[u8], out: &mut [u8]) -> Step {
        match self.decoder.run_on_buffers(wire, out) {
            Ok(status) => {
                if status.bytes_read > 0 || status.bytes_written > 0 {
                    self.between_frames = status.remaining == 0;
                }
                Step { read: status.bytes_read, wrote: status.bytes_written, then: Then::More }
            }
            Err(error) => Step { read: 0, wrote: 0, then: Then::Bad(format!("zstd: {error}")) },
        }
    }

    pub(crate) fn is_whole(&self) -> bool {
        self.between_frames
    }
}
